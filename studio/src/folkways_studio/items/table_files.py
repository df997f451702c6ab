"""Reads the files that people import: tables (CSV, JSON, JSON lines, Parquet, XLSX), and texts with entities
(CoNLL, spaCy's binary files). Every cell is text, and every problem has its row.

A small workbook or Parquet can unpack to one that fills the memory, repeat a long text in every cell, or name
a last row and column far away; all of this is bounded.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, time
from pathlib import Path
from typing import IO, Any

import orjson

from folkways.sdk.errors import DataError, FolkwaysError
from folkways_studio.errors import Message, StudioError
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
"""What a spreadsheet keeps where a formula has failed."""

_EMPTY_RESULT = re.compile(
    rb"(</(\w+:)?f>|<(\w+:)?f( [^>]*)?/>)\s*(</(\w+:)?c>|<(\w+:)?v\s*/>|<(\w+:)?v>\s*</)"
)
"""In the XML of a sheet with a formula that has no result, or an empty text."""

HEADED = (".csv", ".tsv", ".xlsx", ".parquet")
"""Files with a row of names above the others. The rows of other files name their cells, and only those that
they have."""

CONLL = (".conll", ".conllu", ".conllup", ".iob", ".iob2", ".bio")
SPACY = ".spacy"

DEEPEST = 200
"""Lists and objects within one another that are written as JSON, and some around them."""

Row = Mapping[str, str]
"""Column -> cell."""

SMALL_UNPACKED, SMALL_LINES = 1_000_000, 5_000
"""A workbook within both, including empty lines, is read in a moment."""

MOST_PROBLEMS = 20
"""Problems that an error shows; it also says how many there are."""


class RowsError(DataError):
    """Some rows of a table cannot be used. ``problems``: row (1-based, without the header) -> what is wrong
    and what to do. ``cause``: what they have in common, where that is more than the rows themselves say."""

    def __init__(
        self,
        problems: Mapping[int, str | StudioError],
        file: Path | str | None = None,
        cause: str | None = None,
    ) -> None:
        self._given = dict(problems)
        self.problems = {row: str(problem) for row, problem in problems.items()}
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

    def problems_in(self, translate: Callable[[str], str]) -> dict[int, str]:
        """``problems`` in the language of ``translate``, as far as that knows them."""
        return {
            row: problem.words(translate) if isinstance(problem, Message | StudioError) else problem
            for row, problem in self._given.items()
        }


def has_header(file: Path | str) -> bool:
    """Whether a file of this name has a header above its rows."""
    return Path(file).suffix.lower() in HEADED


def read_rows(path: Path) -> list[dict[str, str]]:
    """The rows of a table as text by column, for ``numbered``, without columns that have no name. Empty cells
    are "", and NUL, which PostgreSQL's texts cannot have, is U+FFFD. Raises FolkwaysError if the file is
    missing, and DataError if it cannot be read or is too large."""
    return [
        {without_nul(name): without_nul(cell) for name, cell in row.items() if name.strip()}
        for row in _rows_with_nul(path)
    ]


def numbered(rows: Sequence[Row]) -> Iterator[tuple[int, Row]]:
    """The rows that say anything, each with its number in the file: from 1, without the header."""
    for number, row in enumerate(rows, 1):
        if any(cell and cell.strip() for cell in row.values()):
            yield number, row


def _rows_with_nul(path: Path) -> list[dict[str, str]]:
    from folkways.sdk.files import SUFFIXES, json_objects, read_exact_json, read_replies

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
        objects = dict(json_objects(path.read_bytes().splitlines(), path, read_exact_json))
        return _cells([objects.get(number, {}) for number in range(1, max(objects, default=0) + 1)], path)
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
    from folkways.sdk.files import read_exact_json

    content = path.read_bytes()
    try:
        rows = read_exact_json(content.removeprefix(b"\xef\xbb\xbf"))
    except orjson.JSONDecodeError as error:
        lines = "; a file with one object on each line ends in .jsonl" if content.lstrip()[:1] == b"{" else ""
        raise DataError(
            f"is not valid JSON (line {error.lineno}, column {error.colno}: {error.msg}){lines}", file=path
        ) from None
    if not isinstance(rows, list):
        raise DataError("has to be a list of objects, one for each row: [{...}, {...}]", file=path)
    return _cells([*map(row_of_pair, rows)], path)


def _cells(rows: Sequence[Any], path: Path) -> list[dict[str, str]]:
    """Objects as rows; DataError for too many or none, too many names, and anything else among them."""
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
    if len({name for each in rows for name in each}) > MOST_COLUMNS:
        raise _too_wide(path)
    return [{name: json_cell(value) for name, value in each.items()} for each in rows]


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
    """A JSON value as a cell: text as it is, null as "", anything else as JSON."""
    from folkways.sdk.files import json_text

    return json_text(value) or ""


def structured(text: str) -> Any:
    """The value of a cell that holds a JSON list or object, unless it is too deep to be stored; otherwise its
    text."""
    stripped = text.strip()
    if stripped[:1] in ("[", "{"):
        try:
            value = orjson.loads(stripped)
            if stripped.count("[") + stripped.count("{") > DEEPEST:
                orjson.dumps([[[[value]]]])
        except (orjson.JSONDecodeError, orjson.JSONEncodeError):
            return text
        return value
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
    """The rows of a workbook's first sheet below its header, for ``numbered``: an empty one between others is
    {}. Formulas are read as their results, and dates as 2026-12-31.

    most_lines: raise LongWorkbookError if the sheet has more, including empty ones. DataError if it cannot be
    read or is too large, or two columns have one name; RowsError for formulas that failed or have no result.
    """
    from openpyxl import load_workbook

    from folkways.sdk.files import check_titles

    _check_size(content, file)
    try:
        sheet = load_workbook(io.BytesIO(content), read_only=True, data_only=True).worksheets[0]
        without_result = _formulas_without_result(content)
        lines = sheet.iter_rows(values_only=True, max_col=MOST_COLUMNS + 1)
        header = [str(cell).strip() if cell is not None else "" for cell in next(lines, ())]
        if len(header) > MOST_COLUMNS and header[MOST_COLUMNS]:
            raise _too_wide(file)
        check_titles(header, file)
        rows: list[dict[str, str]] = []
        problems: dict[int, str] = {}
        count = size = 0
        for number, line in enumerate(lines, 2):
            if most_lines is not None and number > most_lines:
                raise LongWorkbookError
            unknown = [header[index] for index in next(without_result, ()) if index < len(header)]
            # 0 is a value; the set is for speed on wide lines
            if not unknown and not any(line) and {*line} <= {None, ""}:
                continue
            if count == MOST_ROWS:
                raise DataError(f"has more than {MOST_ROWS:,} rows; bring it in parts", file=file)
            count += 1
            row = {name: _text(cell) for name, cell in zip(header, line, strict=False) if name}
            size += sum(map(len, row.values()))
            if size > LARGEST_UNPACKED:
                raise _too_much(file)
            rows += [{}] * (number - 2 - len(rows))
            rows.append(row)
            if not FAILED_FORMULAS.isdisjoint(row.values()):
                failed = [f"{name} is {cell}" for name, cell in row.items() if cell in FAILED_FORMULAS]
                problems[len(rows)] = (
                    f"{', '.join(failed)}: mend the formula, or write the value in its place"
                )
            elif any(unknown):
                problems[len(rows)] = (
                    f"the file has no result of the formula in {', '.join(filter(None, unknown))}: open it "
                    "in a spreadsheet and save it again, or write the value in its place"
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


def _formulas_without_result(content: bytes) -> Iterator[Sequence[int]]:
    """For each line of the first sheet below the header, the columns, from 0, of formulas whose result no
    program has stored. Nothing for a sheet without any: most need not be read again."""
    from openpyxl import load_workbook

    with open_zip(content) as archive:
        parts = [name for name in archive.namelist() if name.startswith("xl/worksheets/")]
        if not any(map(_has_empty_result, map(archive.open, parts))):
            return
    books = [load_workbook(io.BytesIO(content), read_only=True, data_only=only) for only in (False, True)]
    lines = (book.worksheets[0].iter_rows(2, max_col=MOST_COLUMNS) for book in books)
    for formulas, results in zip(*lines, strict=False):
        pairs = enumerate(zip(formulas, results, strict=False))
        # of an empty text the file says that it is one ("str")
        yield [
            index
            for index, (cell, result) in pairs
            if cell.data_type == "f" and result.value is None and result.data_type == "n"
        ]


def _has_empty_result(part: IO[bytes]) -> bool:
    """Whether a formula in the XML of a sheet has no result or an empty one."""
    with part:
        end = b""
        while chunk := part.read(1 << 20):
            if _EMPTY_RESULT.search(end + chunk):
                return True
            end = chunk[-1000:]
    return False


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
