"""Reads tables of facts of any length, some ten thousand rows at a time: CSV, TSV, JSON lines or Parquet."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

import polars as pl

from folkways.benchmarks.xcr.build.facts import FACTS
from folkways.errors import DataError, FolkwaysError
from folkways.json_lines import json_objects

BATCH = 50_000
COLUMNS = tuple(name for name in FACTS if name != "row")
SUFFIXES = (".csv", ".tsv", ".jsonl", ".ndjson", ".parquet")

Row = tuple[str | None, ...]


def check_table(path: Path) -> None:
    """FolkwaysError unless there is a file that can be opened, of a format that can be read; before any work is done."""
    if not path.is_file():
        what = "is a folder" if path.is_dir() else "does not exist"
        raise FolkwaysError(f"the table of facts {path} {what}; give a file that ends in one of {', '.join(SUFFIXES)}")
    if path.suffix.lower() not in SUFFIXES:
        raise FolkwaysError(f"cannot tell the format of {path}; valid endings: {', '.join(SUFFIXES)}")
    try:
        path.open("rb").close()
    except OSError as error:
        raise FolkwaysError(f"the table of facts {path} cannot be read: {error.strerror or error}") from error


def read_facts(path: Path) -> Iterator[pl.DataFrame]:
    """FACTS in batches of BATCH, in the order of the file; further columns are passed over.

    FolkwaysError where there is no such file or its ending says nothing, DataError (with the row) for what cannot be read.
    """
    check_table(path)
    suffix = path.suffix.lower()
    if suffix == ".parquet":
        yield from _parquet(path)
        return
    rows = _delimited(path, "\t" if suffix == ".tsv" else ",") if suffix in (".csv", ".tsv") else _json_lines(path)
    first = 1
    while batch := list(islice(rows, BATCH)):
        table = pl.DataFrame(batch, schema=dict.fromkeys(COLUMNS, pl.String), orient="row")
        yield table.with_row_index("row", first).cast({"row": pl.Int64}).select(list(FACTS))
        first += len(batch)


def _delimited(path: Path, separator: str) -> Iterator[Row]:
    number = 0
    with path.open(encoding="utf-8-sig", newline="") as file:
        reader = csv.reader(file, delimiter=separator)
        try:
            header = next(reader, [])
            places = [_place(path, header, name) for name in COLUMNS]
            for number, row in enumerate(reader, 1):
                if len(row) != len(header):
                    raise DataError(f"{len(row)} cells where the header names {len(header)} columns", file=path, row=number)
                yield tuple(row[place] for place in places)
        except UnicodeDecodeError as error:
            raise DataError(f"is not UTF-8 (after row {number}: {error.reason}); save it as UTF-8", file=path) from None
        except csv.Error as error:
            raise DataError(f"is not readable as CSV: {error}", file=path, row=number + 1) from None


def _place(path: Path, header: Sequence[str], name: str) -> int:
    titles = [title.strip().lower() for title in header]
    if name not in titles:
        raise DataError(
            f"has no column {name!r}; a table of facts has {', '.join(COLUMNS)}, this one: {', '.join(header) or '(nothing)'}",
            file=path,
        )
    return titles.index(name)


def _json_lines(path: Path) -> Iterator[Row]:
    with path.open("rb") as file:
        for number, row in json_objects((line for line in file if line.strip()), path):
            if number == 1:
                for name in COLUMNS:
                    _place(path, list(row), name)
            yield tuple(value if value is None or isinstance(value, str) else str(value) for value in map(row.get, COLUMNS))


def _parquet(path: Path) -> Iterator[pl.DataFrame]:
    try:
        scan = pl.scan_parquet(path)
        for name in COLUMNS:
            _place(path, scan.collect_schema().names(), name)
        columns = scan.select(pl.col(name).cast(pl.String) for name in COLUMNS)
        first = 1
        for batch in columns.collect_batches(chunk_size=BATCH, maintain_order=True):
            yield batch.with_row_index("row", first).cast({"row": pl.Int64}).select(list(FACTS))
            first += batch.height
    except pl.exceptions.PolarsError as error:
        raise DataError(f"is not readable as Parquet: {str(error).splitlines()[0]}", file=path) from None
