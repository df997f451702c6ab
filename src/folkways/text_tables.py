"""Tables of text in any format: CSV, TSV, JSON lines or Parquet, whole or some ten thousand rows at a
time."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path

import orjson
import polars as pl
from polars.exceptions import PolarsError

from folkways.errors import DataError, FolkwaysError
from folkways.json_lines import json_objects
from folkways.spreadsheet import from_csv

SUFFIXES = (".csv", ".tsv", ".jsonl", ".ndjson", ".parquet")


def read_replies(path: Path) -> pl.DataFrame:
    """The file's rows with every column as text; an empty cell of a CSV is an empty text, and no word is
    taken for "missing".

    Raises FolkwaysError when the file is not there or of an unknown format, DataError (with the row where it
    is known) when it cannot be read.
    """
    if not path.is_file():
        what = "is a folder" if path.is_dir() else "does not exist"
        raise FolkwaysError(
            f"the file of replies {path} {what}; give a file that ends in one of {', '.join(SUFFIXES)}"
        )
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
        raise DataError(
            f"cannot be read as {suffix[1:].upper()}: {str(error).splitlines()[0]}", file=path
        ) from None
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror or error}", file=path) from None
    if table.is_empty():
        raise DataError("has no rows", file=path)
    return table.select(
        column.cast(pl.String) if not column.dtype.is_nested() else _nested_as_json(column)
        for column in table.iter_columns()
    )


def _delimited(path: Path, separator: str) -> pl.DataFrame:
    raw = path.read_bytes()
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(f"is not UTF-8 (byte {error.start}); save it as UTF-8", file=path) from None
    if not text.strip():
        raise DataError("is empty", file=path)
    if separator == ",":
        separator, text = _separator(text)
    try:
        return from_csv(pl.read_csv(text.encode(), separator=separator, infer_schema=False).fill_null(""))
    except PolarsError:
        _check_widths(text, separator, path)
        raise


def _separator(text: str) -> tuple[str, str]:
    """What stands between the cells of a CSV, and the CSV without the line that names it: spreadsheets write
    semicolons where the comma is the decimal point.
    """
    header, _, rest = text.partition("\n")
    named = re.fullmatch(r"sep=(.)\s*", header)
    if named:
        return named[1], rest
    bare = re.sub(r'"[^"]*"', "", header)
    return max(",;\t", key=bare.count), text


def _check_widths(text: str, separator: str, path: Path) -> None:
    """DataError naming the first row that has more fields than the header."""
    lines = csv.reader(text.splitlines(keepends=True), delimiter=separator)
    header = next(lines)
    for number, fields in enumerate(lines, 1):
        if len(fields) > len(header):
            raise DataError(
                f"has {len(fields)} fields, the header names {len(header)}; put a text that holds "
                f"{separator!r} in double quotes",
                file=path,
                row=number,
            )


def _json_lines(path: Path) -> pl.DataFrame:
    objects = json_objects(path.read_bytes().splitlines(), path)
    rows = [{name: _as_text(value) for name, value in row.items()} for _, row in objects]
    names = dict.fromkeys(name for row in rows for name in row)
    return pl.DataFrame(
        {name: [row.get(name) for row in rows] for name in names}, schema=dict.fromkeys(names, pl.String)
    )


def _nested_as_json(column: pl.Series) -> pl.Series:
    return pl.Series(column.name, [_as_text(value) for value in column.to_list()], dtype=pl.String)


def _as_text(value: object) -> str | None:
    return value if value is None or isinstance(value, str) else orjson.dumps(value).decode()


Columns = Mapping[str, Sequence[str]]
"""Our column -> the spellings of it in headers."""

BATCH = 50_000
"""Rows in memory at a time."""

Row = tuple[str | None, ...]


def read_table(path: Path, columns: Columns) -> pl.DataFrame:
    """The named columns of a released table as text, after ``row`` (1-based, the header not counted).

    No cell becomes null, whatever it says ("None", "NA"). Raises what ``table_batches`` does.
    """
    frame = pl.concat(
        [pl.DataFrame(schema=dict.fromkeys(columns, pl.String)), *table_batches(path, columns)]
    ).fill_null("")
    frame = frame if path.suffix.lower() == ".parquet" else from_csv(frame)
    return frame.select(pl.int_range(1, pl.len() + 1, dtype=pl.Int64).alias("row"), pl.all())


def table_batches(path: Path, columns: Columns) -> Iterator[pl.DataFrame]:
    """The named columns as text, BATCH rows at a time, in the order of the file; further columns are passed
    over.

    Raises DataError, with the row, where a column is missing, a row is ragged, or the file is not what its
    ending says.
    """
    suffix = path.suffix.lower()
    if suffix == ".parquet":
        yield from _parquet_batches(path, columns)
        return
    rows = _json_rows(path, columns) if suffix in (".jsonl", ".ndjson") else _delimited_rows(path, columns)
    while batch := list(islice(rows, BATCH)):
        yield pl.DataFrame(batch, schema=dict.fromkeys(columns, pl.String), orient="row")


def _place(path: Path, header: Sequence[str], spellings: Sequence[str]) -> int:
    titles = [title.strip() for title in header]
    for known in (titles, [title.lower() for title in titles]):
        for spelling in spellings:
            if spelling in known:
                return known.index(spelling)
    raise DataError(
        f"no column {' or '.join(map(repr, spellings))}; the header is: {', '.join(header) or '(empty)'}",
        file=path,
    )


def _delimited_rows(path: Path, columns: Columns) -> Iterator[Row]:
    number = 0
    with path.open(encoding="utf-8-sig", newline="") as file:
        reader = csv.reader(file, delimiter="\t" if path.suffix.lower() == ".tsv" else ",")
        try:
            header = next(reader, [])
            places = [_place(path, header, spellings) for spellings in columns.values()]
            for number, row in enumerate(reader, 1):
                if len(row) != len(header):
                    raise DataError(
                        f"{len(row)} cells where the header names {len(header)} columns",
                        file=path,
                        row=number,
                    )
                yield tuple(row[place] for place in places)
        except UnicodeDecodeError as error:
            raise DataError(
                f"is not UTF-8 (after row {number}: {error.reason}); save it as UTF-8", file=path
            ) from None
        except csv.Error as error:
            raise DataError(f"not readable as CSV: {error}", file=path, row=number + 1) from None


def _json_rows(path: Path, columns: Columns) -> Iterator[Row]:
    names: list[str] = []
    with path.open("rb") as file:
        for _, row in json_objects((line for line in file if line.strip()), path):
            names = names or [list(row)[_place(path, list(row), spellings)] for spellings in columns.values()]
            yield tuple(
                _as_text(value) if isinstance(value, list | dict) else _plain_text(value)
                for value in map(row.get, names)
            )


def _plain_text(value: object) -> str | None:
    return value if value is None or isinstance(value, str) else str(value)


def _parquet_batches(path: Path, columns: Columns) -> Iterator[pl.DataFrame]:
    try:
        scan = pl.scan_parquet(path)
        header = scan.collect_schema().names()
        places = {name: header[_place(path, header, spellings)] for name, spellings in columns.items()}
        chosen = scan.select(pl.col(place).alias(name) for name, place in places.items())
        for batch in chosen.collect_batches(chunk_size=BATCH, maintain_order=True):
            yield batch.select(_as_cells(column) for column in batch.iter_columns())
    except PolarsError as error:
        raise DataError(f"not readable as Parquet: {str(error).splitlines()[0]}", file=path) from None


def _as_cells(column: pl.Series) -> pl.Series:
    """Truth values are written as Python writes them, as in CSV files; lists as JSON."""
    if column.dtype.is_nested():
        return _nested_as_json(column)
    if column.dtype == pl.Boolean:
        return column.replace_strict({True: "True", False: "False"}, return_dtype=pl.String)
    return column.cast(pl.String)
