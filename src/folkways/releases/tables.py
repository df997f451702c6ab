"""Released tables as strings: no cell becomes null, whatever it says ("None", "NA"), and errors name file and row."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path

import polars as pl

from folkways.errors import DataError
from folkways.spreadsheet import from_csv

Columns = Mapping[str, Sequence[str]]
"""Our column -> the spellings of it in released headers."""


def read_table(path: Path, columns: Columns) -> pl.DataFrame:
    """The named columns as strings in this order, after ``row`` (1-based, the header not counted); CSV or Parquet by the ending.

    Raises DataError where a column is missing, a row is ragged, or the file is not what its ending says.
    """
    frame = _parquet(path, columns) if path.suffix == ".parquet" else _csv(path, columns)
    return frame.select(pl.int_range(1, pl.len() + 1, dtype=pl.Int64).alias("row"), pl.all())


def _places(path: Path, header: Sequence[str], columns: Columns) -> dict[str, int]:
    titles = [title.strip() for title in header]
    places: dict[str, int] = {}
    for name, spellings in columns.items():
        found = [titles.index(spelling) for spelling in spellings if spelling in titles]
        if not found:
            raise DataError(
                f"no column {' or '.join(map(repr, spellings))}; the header is: {', '.join(header) or '(empty)'}", file=path
            )
        places[name] = found[0]
    return places


def _csv(path: Path, columns: Columns) -> pl.DataFrame:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(f"not UTF-8 text ({error.reason} at byte {error.start}); save the file as UTF-8", file=path) from None
    reader = csv.reader(io.StringIO(text, newline=""))
    header = next(reader, [])
    places = _places(path, header, columns)
    cells: dict[str, list[str]] = {name: [] for name in columns}
    number = 0
    try:
        for number, row in enumerate(reader, start=1):
            if len(row) != len(header):
                raise DataError(f"{len(row)} cells where the header names {len(header)} columns", file=path, row=number)
            for name, place in places.items():
                cells[name].append(row[place])
    except csv.Error as error:
        raise DataError(f"not readable as CSV: {error}", file=path, row=number + 1) from None
    return from_csv(pl.DataFrame(cells, schema=dict.fromkeys(columns, pl.String)))


def _parquet(path: Path, columns: Columns) -> pl.DataFrame:
    try:
        frame = pl.read_parquet(path)
    except pl.exceptions.PolarsError as error:
        raise DataError(f"not readable as Parquet: {error}", file=path) from None
    places = _places(path, frame.columns, columns)
    return frame.select(_as_text(frame[frame.columns[place]]).alias(name) for name, place in places.items())


def _as_text(column: pl.Series) -> pl.Series:
    """Truth values are written as Python writes them, as in the CSV files."""
    if column.dtype == pl.Boolean:
        return column.replace_strict({True: "True", False: "False"}, return_dtype=pl.String).fill_null("")
    return column.cast(pl.String).fill_null("")
