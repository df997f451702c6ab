"""Frames as XLSX. Every text cell stays text: what begins with = or + is never a formula, and 1-2 in a cell
that people fill in never becomes a date."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from folkways.sdk.errors import FolkwaysError

if TYPE_CHECKING:
    import polars as pl
    from openpyxl import Workbook
    from openpyxl.cell import Cell

LONGEST_CELL = 32_767
"""Characters that a cell can hold."""

_UNWRITABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")


def workbook(
    sheets: Mapping[str, pl.DataFrame], filled: Mapping[str, Sequence[Sequence[str]]] | None = None
) -> bytes:
    """One sheet per frame, with a frozen header. FolkwaysError if a text is too long for a cell.

    filled: columns of the first sheet that people fill in -> the choices of each row, none for free text.
    Other values can be typed too: the reader of the workbook checks them.
    """
    import polars as pl
    from openpyxl import Workbook
    from openpyxl.cell import WriteOnlyCell
    from openpyxl.styles import Alignment, Font
    from openpyxl.utils import get_column_letter

    filled = filled or {}
    book = Workbook(write_only=True)
    for name, frame in sheets.items():
        sheet = book.create_sheet(name[:31])
        sheet.freeze_panes = "A2"
        heads = []
        for column, title in enumerate(frame.columns):
            sheet.column_dimensions[get_column_letter(column + 1)].width = (
                40 if frame.schema[title] == pl.String else 12
            )
            head = WriteOnlyCell(sheet, value=title)
            head.font = Font(bold=True)
            heads.append(head)
        sheet.append(heads)
        for number, row in enumerate(frame.iter_rows(), 1):
            cells = []
            for title, value in zip(frame.columns, row, strict=True):
                text = " ".join(map(str, value)) if isinstance(value, list) else value
                cell = WriteOnlyCell(sheet)
                if isinstance(text, str):
                    if len(text) > LONGEST_CELL:
                        raise FolkwaysError(
                            f"{title} in row {number} of {name} has {len(text)} characters; XLSX holds "
                            f"{LONGEST_CELL}"
                        )
                    _put_text(cell, text)
                    if title in filled:
                        cell.number_format = "@"  # text
                    cell.alignment = Alignment(wrap_text=True, vertical="top")
                else:
                    cell.value = text
                cells.append(cell)
            sheet.append(cells)
    if filled:
        _offer(book, next(iter(sheets.values())).columns, filled)
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


def _put_text(cell: Cell, text: str) -> None:
    cell.value = _UNWRITABLE.sub("\ufffd", text)
    cell.data_type = "s"  # also where the text begins like a formula


def _offer(book: Workbook, columns: Sequence[str], filled: Mapping[str, Sequence[Sequence[str]]]) -> None:
    """Add drop-down lists to the first sheet. Each list is stored once in a hidden sheet, because a cell's
    own list is limited to 255 characters."""
    from openpyxl.cell import WriteOnlyCell
    from openpyxl.utils import get_column_letter
    from openpyxl.worksheet.datavalidation import DataValidation

    lists: dict[tuple[str, ...], list[str]] = {}
    for title, offered in filled.items():
        letter, row = get_column_letter(columns.index(title) + 1), 2
        for texts, same in groupby(map(tuple, offered)):
            last = row + len([*same]) - 1
            if texts:
                lists.setdefault(texts, []).append(f"{letter}{row}:{letter}{last}")
            row = last + 1
    if lists:
        sheet = book.create_sheet("lists")
        sheet.sheet_state = "hidden"
        for row, (texts, places) in enumerate(lists.items(), 1):
            cells = [WriteOnlyCell(sheet) for _ in texts]
            for cell, text in zip(cells, texts, strict=True):
                _put_text(cell, text)
            sheet.append(cells)
            source = f"lists!$A${row}:${get_column_letter(len(texts))}${row}"
            rule = DataValidation(
                type="list", formula1=source, sqref=" ".join(places), showErrorMessage=False
            )
            book.worksheets[0].data_validations.append(rule)
