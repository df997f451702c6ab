"""Frames as XLSX. Every text cell is text: what begins with = or + stays what somebody wrote and is never a formula."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping

import polars as pl

from folkways.errors import FolkwaysError, MissingExtraError

LONGEST_CELL = 32_767
"""Characters that a cell of the format holds."""

_UNWRITABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")


def workbook(sheets: Mapping[str, pl.DataFrame]) -> bytes:
    """One sheet per frame, with a header that stays in view. FolkwaysError for a text that no cell holds."""
    try:
        from openpyxl import Workbook
        from openpyxl.cell import WriteOnlyCell
        from openpyxl.styles import Alignment, Font
        from openpyxl.utils import get_column_letter
    except ImportError:
        raise MissingExtraError("XLSX", "studio", "openpyxl") from None
    book = Workbook(write_only=True)
    for name, frame in sheets.items():
        sheet = book.create_sheet(name[:31])
        sheet.freeze_panes = "A2"
        heads = []
        for place, title in enumerate(frame.columns):
            sheet.column_dimensions[get_column_letter(place + 1)].width = 40 if frame.schema[title] == pl.String else 12
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
                            f"{title} in row {number} of {name} has {len(text)} characters; XLSX holds {LONGEST_CELL}"
                        )
                    cell.value = _UNWRITABLE.sub("\ufffd", text)
                    cell.data_type = "s"  # also where the text begins like a formula
                    cell.alignment = Alignment(wrap_text=True, vertical="top")
                else:
                    cell.value = text
                cells.append(cell)
            sheet.append(cells)
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()
