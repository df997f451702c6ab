"""Reads tables of facts of any length, some ten thousand rows at a time."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import polars as pl

from folkways.benchmarks.xcr.build.facts import FACTS
from folkways.errors import FolkwaysError
from folkways.text_tables import SUFFIXES, table_batches

COLUMNS = {name: (name,) for name in FACTS if name != "row"}


def check_table(path: Path) -> None:
    """FolkwaysError unless there is a file that can be opened, of a format that can be read; before any work
    is done."""
    if not path.is_file():
        what = "is a folder" if path.is_dir() else "does not exist"
        raise FolkwaysError(
            f"the table of facts {path} {what}; give a file that ends in one of {', '.join(SUFFIXES)}"
        )
    if path.suffix.lower() not in SUFFIXES:
        raise FolkwaysError(f"cannot tell the format of {path}; valid endings: {', '.join(SUFFIXES)}")
    try:
        path.open("rb").close()
    except OSError as error:
        raise FolkwaysError(f"the table of facts {path} cannot be read: {error.strerror or error}") from error


def read_facts(path: Path) -> Iterator[pl.DataFrame]:
    """FACTS in batches, in the order of the file. Raises what ``check_table`` and
    ``text_tables.table_batches`` do."""
    check_table(path)
    first = 1
    for batch in table_batches(path, COLUMNS):
        yield batch.with_row_index("row", first).cast({"row": pl.Int64}).select(list(FACTS))
        first += batch.height
