"""Reads the files that people import: tables (CSV, JSON, JSON lines, Parquet, XLSX), and texts with entities
(CoNLL, spaCy's binary files). Every cell is text, and every problem has its row.

A small workbook or Parquet can unpack to one that fills the memory, repeat a long text in every cell, or name
a last row and column far away; all of this is bounded.
"""

from __future__ import annotations

import io
import zipfile
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime, time
from pathlib import Path
from typing import Any

import orjson

from folkways.sdk.errors import DataError, FolkwaysError
from folkways_studio.formats.conll import ConllError, read_conll, row_of
from folkways_studio.formats.spacy import row_of_pair
from folkways_studio.formats.zip_files import open_zip
from folkways_studio.stages.parts.form_fields import without_nul

LARGEST_BYTES = 20_000_000
LARGEST_UNPACKED = 200_000_000
MOST_ROWS, MOST_COLUMNS = 100_000, 500
"""Bounds of what is read, also of all cells together; empty rows do not count."""

PACKED = (".xlsx", ".parquet")
"""Files that may unpack to far more than they are."""

FAILED_FORMULAS = frozenset(("#DIV/0!", "#N/A", "#NAME?", "#NULL!", "#NUM!", "#REF!", "#VALUE!"))
"""What a spreadsheet keeps where a formula has no result."""

HEADED = (".csv", ".tsv", ".xlsx", ".parquet")
"""Files with a row of names above the others. The rows of other files name their cells, and only those that
they have."""

CONLL = (".conll", ".conllu", ".conllup", ".iob", ".iob2", ".bio")
SPACY = ".spacy"

SMALL_UNPACKED, SMALL_LINES = 1_000_000, 5_000
"""A workbook within both, including empty lines, is read in a moment."""

MOST_PROBLEMS = 20
"""Problems that an error shows; it also says how many there are."""


class RowsError(DataError):
    """Some rows of a table cannot be used. ``problems``: row (1-based, without the header) -> what is wrong
    and what to do. ``cause``: what they have in common, where that is more than the rows themselves say."""

    def __init__(
        self, problems: Mapping[int, str], file: Path | str | None = None, cause: str | None = None
    ) -> None:
        self.problems = dict(problems)
        self.cause = cause
        shown = [f"  row {row}: {problem}" for row, problem in list(self.problems.items())[:MOST_PROBLEMS]]
        hidden = len(self.problems) - len(shown)
        count = (
            f"{len(self.problems)} row{'s' if len(self.problems) > 1 else ''} cannot be used; nothing "
            "was taken over"
        )
        super().__init__(
            "\n".join(
                (
                    f"{count}:",
                    *([f"  {cause}"] if cause else []),
                    *shown,
                    *([f"  and {hidden} more"] if hidden else []),
                )
            ),
            file=file,
        )


def has_header(file: Path | str) -> bool:
    """Whether a file of this name has a header above its rows."""
    return Path(file).suffix.lower() in HEADED


def read_rows(path: Path) -> list[dict[str, str]]:
    """The rows of a table as text by column; empty cells are "", and NUL, which PostgreSQL's texts cannot
    have, is U+FFFD. Raises FolkwaysError if the file is missing, and DataError if it cannot be read or is too
    large."""
    return [
        {without_nul(name): without_nul(cell) for name, cell in row.items()} for row in _rows_with_nul(path)
    ]


def _rows_with_nul(path: Path) -> list[dict[str, str]]:
    from folkways.sdk.files import SUFFIXES, json_objects, read_replies

    if not path.is_file():
        raise FolkwaysError(
            f"there is no file {path}; give a table that ends in one of "
            f"{', '.join((*SUFFIXES, '.json', '.xlsx', *CONLL, SPACY))}"
        )
    if path.stat().st_size > LARGEST_BYTES:
        raise DataError(f"is larger than {LARGEST_BYTES // 1_000_000} MB; bring it in parts", file=path)
    if path.suffix.lower() == ".xlsx":
        return read_workbook(path.read_bytes(), path)
    if path.suffix.lower() == ".json":
        return _read_json(path)
    if path.suffix.lower() in (".jsonl", ".ndjson"):
        return _cells([row for _, row in json_objects(path.read_bytes().splitlines(), path)], path)
    if path.suffix.lower() in CONLL:
        return _read_conll(path)
    if path.suffix.lower() == SPACY:
        return _read_docs(path)
    import polars as pl

    frame = read_replies(path)
    if frame.height > MOST_ROWS:
        raise DataError(f"has more than {MOST_ROWS:,} rows; bring it in parts", file=path)
    if frame.width > MOST_COLUMNS:
        raise _too_wide(path)
    if sum(size or 0 for size in frame.select(pl.all().str.len_chars().sum()).row(0)) > LARGEST_UNPACKED:
        raise _too_much(path)
    return [dict(row) for row in frame.with_columns(pl.all().fill_null("")).iter_rows(named=True)]


def _read_json(path: Path) -> list[dict[str, str]]:
    """The objects of a JSON list; nested lists and objects stay JSON."""
    content = path.read_bytes()
    try:
        rows = orjson.loads(content.removeprefix(b"\xef\xbb\xbf"))
    except orjson.JSONDecodeError as error:
        lines = "; a file with one object on each line ends in .jsonl" if content.lstrip()[:1] == b"{" else ""
        raise DataError(
            f"is not valid JSON (line {error.lineno}, column {error.colno}: {error.msg}){lines}", file=path
        ) from None
    if not isinstance(rows, list):
        raise DataError("has to be a list of objects, one for each row: [{...}, {...}]", file=path)
    return _cells([*map(row_of_pair, rows)], path)


def _cells(rows: Sequence[Any], path: Path) -> list[dict[str, str]]:
    """Objects as rows; DataError for too many or none, and for anything else among them."""
    if not rows:
        raise DataError("has no rows", file=path)
    if len(rows) > MOST_ROWS:
        raise DataError(f"has more than {MOST_ROWS:,} rows; bring it in parts", file=path)
    problems = {
        number: "is not an object; write {...} for each row"
        for number, each in enumerate(rows, 1)
        if not isinstance(each, dict)
    }
    if problems:
        raise RowsError(problems, path)
    cells = []
    for number, each in enumerate(rows, 1):
        try:
            cells.append({name: json_cell(value) for name, value in each.items()})
        except DataError as error:
            raise DataError(str(error), file=path, row=number) from None
    return cells


def _read_conll(path: Path) -> list[dict[str, str]]:
    """The texts of a CoNLL file with their entities."""
    try:
        texts, joined = read_conll(path.read_bytes().decode())
    except UnicodeDecodeError as error:
        raise DataError(f"is not UTF-8 (byte {error.start}); save it as UTF-8", file=path) from None
    except ConllError as error:
        raise DataError(str(error), file=path) from None
    return _cells([{**row_of(each), **({"joined": True} if joined else {})} for each in texts], path)


def _read_docs(path: Path) -> list[dict[str, str]]:
    """The texts of a file of spaCy with their entities, read by spaCy itself: the file has hashes of its
    words, which spaCy alone can turn back. DataError where spaCy is not installed."""
    try:
        import spacy
        from spacy.tokens import DocBin
    except ImportError:
        raise DataError(
            "can be read where spaCy is installed (pip install spacy), which it is not here; or write its "
            'texts as JSON there: [{"text": doc.text, "entities": [[e.start_char, e.end_char, e.label_] '
            'for e in doc.ents]} for doc in DocBin().from_disk(path).get_docs(spacy.blank("xx").vocab)]',
            file=path,
        ) from None
    try:
        docs = [*DocBin().from_disk(path).get_docs(spacy.blank("xx").vocab)]
    except Exception as error:  # noqa: BLE001 - what a broken file makes the library raise is not listed anywhere
        raise DataError(f"cannot be read as spaCy's DocBin: {error}", file=path) from None
    rows = []
    for doc in docs:
        spans = [*doc.ents, *(span for group in doc.spans.values() for span in group)]
        entities = [[span.start_char, span.end_char, span.label_] for span in spans]
        rows.append({"text": doc.text, "entities": entities, **({"cats": doc.cats} if doc.cats else {})})
    return _cells(rows, path)


def json_cell(value: Any) -> str:
    """A JSON value as a cell: text as it is, null as "", anything else as JSON. DataError for what no database
    takes."""
    if value is None:
        return ""
    try:
        return value if isinstance(value, str) else orjson.dumps(value).decode()
    except orjson.JSONEncodeError:
        raise DataError(
            "a value is nested too deeply, or has a number of over 64 bits; write that as a text"
        ) from None


def structured(text: str) -> Any:
    """The value of a cell that holds a JSON list or object; otherwise its text."""
    stripped = text.strip()
    if stripped[:1] in ("[", "{"):
        try:
            return orjson.loads(stripped)
        except orjson.JSONDecodeError:
            return text
    return text


class LongWorkbookError(Exception):
    """A workbook has more lines than allowed."""


def is_small(content: bytes) -> bool:
    """Whether a workbook unpacks to little, however well it is compressed."""
    try:
        with open_zip(content) as archive:
            return sum(entry.file_size for entry in archive.infolist()) <= SMALL_UNPACKED
    except zipfile.BadZipFile:
        return True  # what is wrong with it is said at once


def read_workbook(
    content: bytes, file: Path | str = "the workbook", *, most_lines: int | None = None
) -> list[dict[str, str]]:
    """The rows of a workbook's first sheet below its header. Formulas are read as their results, and dates as
    2026-12-31.

    most_lines: raise LongWorkbookError if the sheet has more, including empty ones. DataError if it cannot be
    read or is too large, or two columns have one name; RowsError for formulas that failed.
    """
    from openpyxl import load_workbook

    _check_size(content, file)
    try:
        sheet = load_workbook(io.BytesIO(content), read_only=True, data_only=True).worksheets[0]
        lines = sheet.iter_rows(values_only=True, max_col=MOST_COLUMNS + 1)
        header = [str(cell).strip() if cell is not None else "" for cell in next(lines, ())]
        if len(header) > MOST_COLUMNS and header[MOST_COLUMNS]:
            raise _too_wide(file)
        if repeated := [name for name, times in Counter(header).items() if name and times > 1]:
            raise DataError(
                f"has two columns with the name {', '.join(repeated)}; rename or delete one", file=file
            )
        rows: list[dict[str, str]] = []
        problems: dict[int, str] = {}
        size = 0
        for number, line in enumerate(lines, 2):
            if most_lines is not None and number > most_lines:
                raise LongWorkbookError
            if not any(line) and {*line} <= {None, ""}:  # 0 is a value; the set is for speed on wide lines
                continue
            if len(rows) == MOST_ROWS:
                raise DataError(f"has more than {MOST_ROWS:,} rows; bring it in parts", file=file)
            row = {name: _text(cell) for name, cell in zip(header, line, strict=False) if name}
            size += sum(map(len, row.values()))
            if size > LARGEST_UNPACKED:
                raise _too_much(file)
            rows.append(row)
            if not FAILED_FORMULAS.isdisjoint(row.values()):
                failed = [f"{name} is {cell}" for name, cell in row.items() if cell in FAILED_FORMULAS]
                problems[len(rows)] = (
                    f"{', '.join(failed)}: mend the formula, or write the value in its place"
                )
    except (DataError, LongWorkbookError):
        raise
    except Exception as error:  # noqa: BLE001 - what a broken workbook makes the library raise is not listed anywhere
        raise DataError(
            f"cannot be read as XLSX: {error}; save it again from a spreadsheet", file=file
        ) from None
    if not any(header):
        raise DataError("has no header in its first row", file=file)
    if problems:
        raise RowsError(problems, file)
    return rows


def _check_size(content: bytes, file: Path | str) -> None:
    if len(content) > LARGEST_BYTES:
        raise DataError(f"is larger than {LARGEST_BYTES // 1_000_000} MB; bring it in parts", file=file)
    try:
        with open_zip(content) as archive:
            size = sum(entry.file_size for entry in archive.infolist())
    except zipfile.BadZipFile:
        raise DataError("is not an XLSX file; save it as XLSX from a spreadsheet", file=file) from None
    if size > LARGEST_UNPACKED:
        raise _too_much(file)


def _too_much(file: Path | str) -> DataError:
    return DataError(f"unpacks to more than {LARGEST_UNPACKED // 1_000_000} MB; bring it in parts", file=file)


def _too_wide(file: Path | str) -> DataError:
    return DataError(f"has more than {MOST_COLUMNS} columns; leave out those that are not needed", file=file)


def _text(cell: Any) -> str:
    """The text of a cell; whole numbers have no decimal point, and days no time, as they are shown."""
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    if isinstance(cell, datetime) and cell.time() == time.min:
        return cell.date().isoformat()
    return str(cell)
