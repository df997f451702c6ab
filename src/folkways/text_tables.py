"""Reads replies that were made elsewhere: CSV, TSV, JSON lines or Parquet, one row per reply."""

from __future__ import annotations

import csv
from pathlib import Path

import orjson
import polars as pl
from polars.exceptions import PolarsError

from folkways.errors import DataError, FolkwaysError
from folkways.json_lines import json_objects
from folkways.spreadsheet import from_csv

SUFFIXES = (".csv", ".tsv", ".jsonl", ".ndjson", ".parquet")


def read_replies(path: Path) -> pl.DataFrame:
    """The file's rows with every column as text; an empty cell of a CSV is an empty text, and no word is taken for "missing".

    Raises FolkwaysError when the file is not there or of an unknown format, DataError (with the row where it is known) when it
    cannot be read.
    """
    if not path.is_file():
        what = "is a folder" if path.is_dir() else "does not exist"
        raise FolkwaysError(f"the file of replies {path} {what}; give a file that ends in one of {', '.join(SUFFIXES)}")
    suffix = path.suffix.lower()
    try:
        if suffix in (".csv", ".tsv"):
            table = _delimited(path, "\t" if suffix == ".tsv" else ",")
        elif suffix in (".jsonl", ".ndjson"):
            table = _json_lines(path)
        elif suffix == ".parquet":
            table = pl.read_parquet(path)
        else:
            raise FolkwaysError(f"cannot tell the format of {path}; valid endings: {', '.join(SUFFIXES)}")
    except PolarsError as error:
        raise DataError(f"cannot be read as {suffix[1:].upper()}: {str(error).splitlines()[0]}", file=path) from None
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror or error}", file=path) from None
    if table.is_empty():
        raise DataError("has no rows", file=path)
    return table.select(
        column.cast(pl.String) if not column.dtype.is_nested() else _nested_as_json(column) for column in table.iter_columns()
    )


def _delimited(path: Path, separator: str) -> pl.DataFrame:
    raw = path.read_bytes()
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(f"is not UTF-8 (byte {error.start}); save it as UTF-8", file=path) from None
    if not text.strip():
        raise DataError("is empty", file=path)
    try:
        return from_csv(pl.read_csv(text.encode(), separator=separator, infer_schema=False).fill_null(""))
    except PolarsError:
        _check_widths(text, separator, path)
        raise


def _check_widths(text: str, separator: str, path: Path) -> None:
    """DataError naming the first row that has more fields than the header."""
    lines = csv.reader(text.splitlines(keepends=True), delimiter=separator)
    header = next(lines)
    for number, fields in enumerate(lines, 1):
        if len(fields) > len(header):
            raise DataError(
                f"has {len(fields)} fields, the header names {len(header)}; put a text that holds {separator!r} in double quotes",
                file=path,
                row=number,
            )


def _json_lines(path: Path) -> pl.DataFrame:
    objects = json_objects(path.read_bytes().splitlines(), path)
    rows = [{name: _as_text(value) for name, value in row.items()} for _, row in objects]
    names = dict.fromkeys(name for row in rows for name in row)
    return pl.DataFrame({name: [row.get(name) for row in rows] for name in names}, schema=dict.fromkeys(names, pl.String))


def _nested_as_json(column: pl.Series) -> pl.Series:
    return pl.Series(column.name, [_as_text(value) for value in column.to_list()], dtype=pl.String)


def _as_text(value: object) -> str | None:
    return value if value is None or isinstance(value, str) else orjson.dumps(value).decode()
