"""Tables of every kind that somebody may hand in, read as text."""

from __future__ import annotations

from decimal import Decimal
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from folkways.errors import FolkwaysError
from folkways.frames import is_frame, table_of_text

COLUMNS = {"item": ["a", "b", None], "n": [1, None, 3], "x": [0.5, 2.0, None], "right": [True, None, False]}
TEXTS = {
    "item": ["a", "b", None],
    "n": ["1", None, "3"],
    "x": ["0.5", "2", None],
    "right": ["True", None, "False"],
}
ROWS = [dict(zip(COLUMNS, row, strict=True)) for row in zip(*COLUMNS.values(), strict=True)]
KINDS: dict[str, Any] = {
    "polars": pl.DataFrame(COLUMNS),
    "lazy": pl.LazyFrame(COLUMNS),
    "pandas": pd.DataFrame(COLUMNS),
    "pandas with missing values of its own": pd.DataFrame(COLUMNS).convert_dtypes(),
    "arrow": pa.table(COLUMNS),
    "rows": ROWS,
    "columns": COLUMNS,
    "columns of other kinds": {
        "item": pl.Series(COLUMNS["item"]),
        "n": tuple(COLUMNS["n"]),
        "x": pd.Series(COLUMNS["x"]),
        "right": COLUMNS["right"],
    },
}


@pytest.mark.parametrize("frame", KINDS.values(), ids=KINDS)
def test_every_kind_of_table_gives_the_same_texts(frame: Any) -> None:
    assert is_frame(frame)
    table = table_of_text(frame)
    assert table.to_dict(as_series=False) == TEXTS
    assert set(table.dtypes) == {pl.String}


def test_rows_may_lack_cells_and_columns_may_be_named_by_numbers() -> None:
    table = table_of_text([{"a": 1}, {"b": Decimal("2.50"), "a": float("nan")}, {}])
    assert table.to_dict(as_series=False) == {"a": ["1", None, None], "b": [None, "2.50", None]}
    named = table_of_text(pd.DataFrame({0: [pd.NaT, pd.Timestamp("2026-11-30")], 1: [pd.NA, 1e20]}))
    assert named.to_dict(as_series=False) == {
        "0": [None, "2026-11-30 00:00:00"],
        "1": [None, "100000000000000000000"],
    }


@pytest.mark.parametrize(
    "thing",
    [
        {},
        [],
        {"a": "text"},
        {"a": 1},
        {"a": ["b"], "c": None},
        {"a": ["b"], "c": "d"},
        [{"a": 1}, 2],
        "a.csv",
        3,
        None,
        SimpleNamespace(columns=["a"]),  # a layout, say
        np.zeros((2, 2)),
    ],
)
def test_what_is_no_table_is_said_to_be_none(thing: object) -> None:
    assert not is_frame(thing)
    with pytest.raises(
        FolkwaysError, match=f"^{type(thing).__name__} is not a table; give a frame of polars"
    ):
        table_of_text(thing)


def test_columns_have_one_length() -> None:
    with pytest.raises(FolkwaysError, match="the columns of the table differ in length"):
        table_of_text({"a": [1, 2], "b": [1]})
