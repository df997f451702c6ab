"""Frames that are made of rows."""

from __future__ import annotations

import polars as pl

from folkways.records import of_rows

SCHEMA = {"question": pl.String, "answer": pl.String}


def test_as_many_rows_as_there_are_columns_are_rows() -> None:
    for number in range(4):
        rows = [(f"q{row}", f"a{row}") for row in range(number)]
        made = of_rows(iter(rows), SCHEMA)
        assert (made.rows(), made.schema) == (rows, SCHEMA)
