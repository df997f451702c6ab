"""Tables of text as CSV, TSV, JSON lines or Parquet, read whole or in batches of rows."""

from __future__ import annotations

import csv
import gzip
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from operator import itemgetter
from pathlib import Path
from typing import IO

import polars as pl
from polars.exceptions import PolarsError

from folkways.errors import DataError, FolkwaysError
from folkways.json_lines import json_objects, json_text, read_exact_json
from folkways.records import of_rows
from folkways.spreadsheet import from_csv

csv.field_size_limit(2**31 - 1)  # a reply may be longer than the 128 KiB that csv allows
SUFFIXES = (".csv", ".tsv", ".jsonl", ".ndjson", ".parquet")


def read_replies(path: Path) -> pl.DataFrame:
    """The file's rows with every column as text; an empty cell of a CSV is an empty text, and no word is
    taken for "missing".

    Raises FolkwaysError when the file is not there or of an unknown format, DataError (with the row where it
    is known) when it cannot be read.
    """
    if not path.is_file():
        what = "is a folder" if path.is_dir() else "does not exist"
        raise FolkwaysError(f"the file {path} {what}; give a file that ends in one of {', '.join(SUFFIXES)}")
    suffix = path.suffix.lower()
    try:
        if suffix in (".csv", ".tsv"):
            table = read_csv(path)
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


def read_csv(path: Path) -> pl.DataFrame:
    """The columns of a CSV or TSV file as text, which may be packed (``.csv.gz``). Spreadsheets leave several
    columns without a title at the end: only the first without one is there, as "".

    Raises DataError, with the row where it is known, for a file that is empty or cannot be read, or where two
    columns have one title.
    """
    header, rows = _csv_rows(path)
    if not header:
        raise DataError("is empty", file=path)
    check_titles(header, path)
    indices: dict[str, int] = {}
    for index, title in enumerate(header):
        indices.setdefault(title if title.strip() else "", index)
    schema = dict.fromkeys(map(str, range(len(header))), pl.String)
    table = of_rows(rows, schema)
    return from_csv(table.select(pl.col(str(index)).alias(title) for title, index in indices.items()))


def check_titles(header: Sequence[str], file: Path | str) -> None:
    """DataError where two columns of a file have one title; several may have none."""
    if repeated := [title for title, times in Counter(header).items() if title.strip() and times > 1]:
        raise DataError(
            f"has two columns with the name {', '.join(repeated)}; rename or delete one", file=file
        )


def _json_lines(path: Path) -> pl.DataFrame:
    objects = json_objects(path.read_bytes().splitlines(), path, read_exact_json)
    rows = [{name: json_text(value) for name, value in row.items()} for _, row in objects]
    names = dict.fromkeys(name for row in rows for name in row)
    return pl.DataFrame(
        {name: [row.get(name) for row in rows] for name in names}, schema=dict.fromkeys(names, pl.String)
    )


def _nested_as_json(column: pl.Series) -> pl.Series:
    return pl.Series(column.name, [json_text(value) for value in column.to_list()], dtype=pl.String)


Columns = Mapping[str, Sequence[str]]
"""Our column -> the spellings of it in headers."""

BATCH = 50_000
"""Rows in memory at a time."""

Row = tuple[str | None, ...]


def read_table(path: Path, columns: Columns) -> pl.DataFrame:
    """The named columns of a released table as text, after ``row`` (1-based, the header not counted).

    No cell becomes null, whatever it says ("None", "NA"). Raises what ``table_batches`` does.
    """
    empty = pl.DataFrame(schema=dict.fromkeys(columns, pl.String))
    frame = pl.concat([empty, *table_batches(path, columns)]).fill_null("")
    return frame.select(pl.int_range(1, pl.len() + 1, dtype=pl.Int64).alias("row"), pl.all())


def table_batches(path: Path, columns: Columns, size: int = BATCH) -> Iterator[pl.DataFrame]:
    """The named columns as text, ``size`` rows at a time, in the order of the file; further columns are
    passed over.

    Raises DataError, with the row, where a column is missing, a row is ragged, or the file is not what its
    ending says.
    """
    suffix = path.suffix.lower()
    if suffix == ".parquet":
        yield from _parquet_batches(path, columns)
        return
    of_json = suffix in (".jsonl", ".ndjson")
    rows = _json_rows(path, columns) if of_json else _chosen_csv_rows(path, columns)
    while batch := list(islice(rows, size)):
        frame = of_rows(batch, dict.fromkeys(columns, pl.String))
        yield frame if of_json else from_csv(frame)


def _index_of(path: Path, header: Sequence[str], spellings: Sequence[str]) -> int:
    """Index in ``header`` of the first spelling that is there, as it is or else in small letters."""
    titles = [title.strip() for title in header]
    for candidates in (titles, [title.lower() for title in titles]):
        for spelling in spellings:
            if spelling in candidates:
                return candidates.index(spelling)
    raise DataError(
        f"no column {' or '.join(map(repr, spellings))}; the header is: {', '.join(header) or '(empty)'}",
        file=path,
    )


def _chosen_csv_rows(path: Path, columns: Columns) -> Iterator[Row]:
    header, rows = _csv_rows(path)
    indices = [_index_of(path, header, spellings) for spellings in columns.values()]
    # of one column ``itemgetter`` would give the text alone
    return map(itemgetter(*indices), rows) if len(indices) > 1 else ((row[indices[0]],) for row in rows)


def _csv_rows(path: Path) -> tuple[list[str], Iterator[list[str]]]:
    """The header of a CSV or TSV file and its rows, as they are read. An empty cell is an empty text, and
    blank lines are passed over.

    DataError, also while the rows are read, for one with another number of cells than the header, for quotes
    that do not match, and for bytes that are not UTF-8.
    """
    lines = _csv_lines(path)
    header = next(lines, [])

    def rows() -> Iterator[list[str]]:
        for number, cells in enumerate(lines, 1):
            if not cells and len(header) == 1:
                cells = [""]
            if cells and len(cells) != len(header):
                raise DataError(
                    f"has {len(cells)} cells, the header names {len(header)} columns; put a text that holds "
                    "a separator or a line break in double quotes",
                    file=path,
                    row=number,
                )
            if cells:
                yield cells

    return header, rows()


def csv_header(path: Path) -> list[str]:
    """The titles of a CSV or TSV file; none if it is empty. Raises what ``read_csv`` does."""
    return next(_csv_lines(path), [])


def _csv_lines(path: Path) -> Iterator[list[str]]:
    number, packed = 0, path.suffix.lower() == ".gz"
    try:
        with (
            gzip.open(path, "rt", encoding="utf-8-sig", newline="")
            if packed
            else path.open(encoding="utf-8-sig", newline="") as file
        ):
            separator = "\t" if path.suffix.lower() == ".tsv" else _separator(file)
            for cells in csv.reader(file, delimiter=separator, strict=True):
                yield cells
                number += 1
    except UnicodeDecodeError as error:
        raise DataError(
            f"is not UTF-8 (after row {max(0, number - 1)}: {error.reason}); save it as UTF-8", file=path
        ) from None
    except csv.Error as error:
        raise DataError(f"not readable as CSV: {error}", file=path, row=number) from None
    except (OSError, EOFError) as error:
        raise DataError(
            f"cannot be read after row {max(0, number - 1)}: {getattr(error, 'strerror', None) or error}",
            file=path,
        ) from None


def _separator(file: IO[str]) -> str:
    """The separator of a CSV: spreadsheets write semicolons where the comma is the decimal point. The file is
    left at its header; a line that names the separator (``sep=;``) is passed over."""
    line = file.readline()
    if named := re.fullmatch(r"sep=(.)\s*", line):
        return named[1]
    file.seek(0)
    bare = re.sub(r'"[^"]*"', "", line)
    return max(",;\t", key=bare.count)


def _json_rows(path: Path, columns: Columns) -> Iterator[Row]:
    names: list[str] = []
    with path.open("rb") as file:
        for _, row in json_objects((line for line in file if line.strip()), path, read_exact_json):
            names = names or [
                list(row)[_index_of(path, list(row), spellings)] for spellings in columns.values()
            ]
            yield tuple(
                json_text(value) if isinstance(value, list | dict) else _plain_text(value)
                for value in map(row.get, names)
            )


def _plain_text(value: object) -> str | None:
    return value if value is None or isinstance(value, str) else str(value)


def _parquet_batches(path: Path, columns: Columns) -> Iterator[pl.DataFrame]:
    try:
        scan = pl.scan_parquet(path)
        header = scan.collect_schema().names()
        titles = {name: header[_index_of(path, header, spellings)] for name, spellings in columns.items()}
        chosen = scan.select(pl.col(title).alias(name) for name, title in titles.items())
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
