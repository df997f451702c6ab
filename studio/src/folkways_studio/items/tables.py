"""Reads tables that people bring: CSV, JSON, JSON lines, Parquet or XLSX. Every cell is text, and every
problem has its row."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import orjson

from folkways.sdk.errors import DataError, FolkwaysError
from folkways_studio.items.workbooks import LARGEST_BYTES, MOST_ROWS, read_workbook

MOST_PROBLEMS = 20
"""Problems that an error shows; it says how many there are."""


class RowsError(DataError):
    """A table of which some rows cannot be used. ``problems``: row (1-based, the header not counted) -> what
    is wrong, and what to do.
    """

    def __init__(self, problems: Mapping[int, str], file: Path | str | None = None) -> None:
        self.problems = dict(problems)
        shown = [f"  row {row}: {problem}" for row, problem in list(self.problems.items())[:MOST_PROBLEMS]]
        rest = len(self.problems) - len(shown)
        count = (
            f"{len(self.problems)} row{'s' if len(self.problems) > 1 else ''} cannot be used; nothing "
            "was taken over"
        )
        super().__init__(
            "\n".join((f"{count}:", *shown, *([f"  and {rest} more"] if rest else []))), file=file
        )


def read_rows(path: Path) -> list[dict[str, str]]:
    """The rows of a table as text by column; empty cells are "". DataError where it cannot be read or is too
    large."""
    from folkways.sdk.files import SUFFIXES, read_replies

    if not path.is_file():
        raise FolkwaysError(
            f"there is no file {path}; give a table that ends in one of "
            f"{', '.join((*SUFFIXES, '.json', '.xlsx'))}"
        )
    if path.stat().st_size > LARGEST_BYTES:
        raise DataError(f"is larger than {LARGEST_BYTES // 1_000_000} MB; bring it in parts", file=path)
    if path.suffix.lower() == ".xlsx":
        return read_workbook(path.read_bytes(), path)
    if path.suffix.lower() == ".json":
        return _read_json(path)
    import polars as pl

    frame = read_replies(path)
    if frame.height > MOST_ROWS:
        raise DataError(f"has more than {MOST_ROWS:,} rows; bring it in parts", file=path)
    return [dict(row) for row in frame.with_columns(pl.all().fill_null("")).iter_rows(named=True)]


def _read_json(path: Path) -> list[dict[str, str]]:
    """The objects of a JSON list; lists and objects in them stay JSON."""
    content = path.read_bytes()
    try:
        found = orjson.loads(content.removeprefix(b"\xef\xbb\xbf"))
    except orjson.JSONDecodeError as error:
        lines = "; a file with one object on each line ends in .jsonl" if content.lstrip()[:1] == b"{" else ""
        raise DataError(
            f"is no JSON (line {error.lineno}, column {error.colno}: {error.msg}){lines}", file=path
        ) from None
    if not isinstance(found, list):
        raise DataError("has to be a list of objects, one for each row: [{...}, {...}]", file=path)
    if len(found) > MOST_ROWS:
        raise DataError(f"has more than {MOST_ROWS:,} rows; bring it in parts", file=path)
    if not found:
        raise DataError("has no rows", file=path)
    wrong = {
        number: "is no object; write {...} for each row"
        for number, each in enumerate(found, 1)
        if not isinstance(each, dict)
    }
    if wrong:
        raise RowsError(wrong, path)
    return [{name: json_cell(value) for name, value in each.items()} for each in found]


def json_cell(value: Any) -> str:
    """A value of JSON as a cell: a text as it is, nothing as an empty one, lists and objects as JSON."""
    if value is None:
        return ""
    return value if isinstance(value, str) else orjson.dumps(value).decode()


def structured(text: str) -> Any:
    """A cell that holds JSON (a list or an object) as what it says; any other as its text."""
    stripped = text.strip()
    if stripped[:1] in ("[", "{"):
        try:
            return orjson.loads(stripped)
        except orjson.JSONDecodeError:
            return text
    return text
