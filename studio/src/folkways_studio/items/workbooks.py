"""Reads the rows of a workbook (XLSX) as text. A small file can unpack to one that fills the memory, or name
a last row and column a long way off; both are bounded.
"""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any

from folkways.sdk.errors import DataError

LARGEST_BYTES = 20_000_000
LARGEST_UNPACKED = 200_000_000
MOST_ROWS, MOST_COLUMNS = 100_000, 500
"""Bounds of what is read; rows without anything in them are not counted."""

SMALL_UNPACKED, SMALL_LINES = 1_000_000, 5_000
"""A workbook within both, empty lines counted, is read in a moment."""


class LongWorkbookError(Exception):
    """A workbook has more lines than were to be looked at."""


def is_small(content: bytes) -> bool:
    """Whether a workbook unpacks to little, however well it is packed."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return sum(entry.file_size for entry in archive.infolist()) <= SMALL_UNPACKED
    except zipfile.BadZipFile:
        return True  # what is wrong with it is said at once


def read_workbook(
    content: bytes, file: Path | str = "the workbook", *, most_lines: int | None = None
) -> list[dict[str, str]]:
    """The rows of a workbook's first sheet, its first row being the header. Formulas are read as their
    results.

    most_lines: LongWorkbookError where the sheet has more, empty ones counted. DataError for what cannot be
    read or is too large.
    """
    from openpyxl import load_workbook

    _check_size(content, file)
    try:
        sheet = load_workbook(io.BytesIO(content), read_only=True, data_only=True).worksheets[0]
        lines = sheet.iter_rows(values_only=True, max_col=MOST_COLUMNS + 1)
        header = [str(cell).strip() if cell is not None else "" for cell in next(lines, ())]
        if len(header) > MOST_COLUMNS and header[MOST_COLUMNS]:
            raise DataError(
                f"has more than {MOST_COLUMNS} columns; leave out those that are not needed", file=file
            )
        rows: list[dict[str, str]] = []
        for number, line in enumerate(lines, 2):
            if most_lines is not None and number > most_lines:
                raise LongWorkbookError
            if not any(line) and all(cell is None or not str(cell).strip() for cell in line):
                continue
            if len(rows) == MOST_ROWS:
                raise DataError(f"has more than {MOST_ROWS:,} rows; bring it in parts", file=file)
            rows.append({name: _text(cell) for name, cell in zip(header, line, strict=False) if name})
    except (DataError, LongWorkbookError):
        raise
    except Exception as error:  # noqa: BLE001 - what a broken workbook makes the library raise is not listed anywhere
        raise DataError(
            f"cannot be read as XLSX: {error}; save it again from a spreadsheet", file=file
        ) from None
    if not any(header):
        raise DataError("has no header in its first row", file=file)
    return rows


def _check_size(content: bytes, file: Path | str) -> None:
    if len(content) > LARGEST_BYTES:
        raise DataError(f"is larger than {LARGEST_BYTES // 1_000_000} MB; bring it in parts", file=file)
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            size = sum(entry.file_size for entry in archive.infolist())
    except zipfile.BadZipFile:
        raise DataError("is no XLSX file; save it as XLSX from a spreadsheet", file=file) from None
    if size > LARGEST_UNPACKED:
        raise DataError(
            f"unpacks to more than {LARGEST_UNPACKED // 1_000_000} MB; bring it in parts", file=file
        )


def _text(cell: Any) -> str:
    """What stands in a cell: whole numbers without a decimal point, as they are shown."""
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return str(cell)
