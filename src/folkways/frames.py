"""Tables that somebody hands in from Python: polars, pandas, Arrow, rows or columns; read as text, as files
are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from folkways.errors import FolkwaysError


def is_frame(thing: object) -> bool:
    """Whether it is a table: a frame of polars or pandas, an Arrow table, a list of rows (dicts), or a dict
    of columns (lists)."""
    if isinstance(thing, Mapping):
        return bool(thing) and all(
            not isinstance(column, str) and hasattr(column, "__len__") for column in thing.values()
        )
    if isinstance(thing, list):
        return bool(thing) and all(isinstance(row, Mapping) for row in thing)
    return isinstance(thing, (pl.DataFrame, pl.LazyFrame)) or (
        hasattr(thing, "columns") and hasattr(thing, "shape")
    )


def table_of_text(thing: Any) -> pl.DataFrame:
    """The table with every column as text, null where a cell is empty. pandas frames need no pyarrow.
    FolkwaysError otherwise."""
    if not is_frame(thing):
        raise FolkwaysError(
            f"{type(thing).__name__} is not a table; give a frame of polars or pandas, a list of dicts, a "
            "dict of lists, or a file"
        )
    if isinstance(thing, pl.LazyFrame):
        thing = thing.collect()
    if isinstance(thing, list):
        columns = {
            name: [row.get(name) for row in thing]
            for name in dict.fromkeys(name for row in thing for name in row)
        }
    elif isinstance(thing, Mapping):
        columns = {name: list(column) for name, column in thing.items()}
    elif isinstance(thing, pl.DataFrame):
        columns = thing.to_dict(as_series=False)
    elif hasattr(thing, "to_pydict"):
        columns = thing.to_pydict()
    else:
        columns = {name: thing[name].tolist() for name in thing.columns}
    texts = {str(name): [_text(value) for value in column] for name, column in columns.items()}
    if len({len(column) for column in texts.values()}) > 1:
        raise FolkwaysError("the columns of the table differ in length")
    return pl.DataFrame(texts, schema=dict.fromkeys(texts, pl.String))


def _text(value: Any) -> str | None:
    """A cell as text; None for None and for what pandas has in an empty one (NaN, NaT, NA)."""
    if value is None or isinstance(value, str):
        return value
    if type(value).__name__ in ("NAType", "NaTType") or (isinstance(value, float) and value != value):
        return None
    # pandas writes whole numbers as 0.0 where a column had gaps
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value)
