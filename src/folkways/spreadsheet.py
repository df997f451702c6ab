"""CSV as a spreadsheet may open it: what a person or a model wrote is never run as a formula, and is read
back as it was.

A text that begins like a formula (=, +, -, @, a tab or a carriage return) gets an apostrophe before it,
unless it is a number; so does one that has apostrophes there already. Reading takes one apostrophe off such a
cell again.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterable, Sequence
from typing import Any

import polars as pl

_RISKY, _GUARDED, _NUMBER = (
    r"\A'*[=+\-@\t\r]",
    r"\A'+[=+\-@\t\r]",
    r"\A[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$",
)
_IS_RISKY, _IS_NUMBER = map(re.compile, (_RISKY, _NUMBER.replace("$", r"\Z")))
"""``$`` is the very end in polars, and may stand before a line break in Python."""


def guard(text: str) -> str:
    """A text as a cell that no spreadsheet runs."""
    return f"'{text}" if _IS_RISKY.match(text) and not _IS_NUMBER.match(text) else text


def for_csv(frame: pl.DataFrame) -> pl.DataFrame:
    """The frame with lists as JSON and every column of text guarded; numbers stay numbers."""
    nested = [name for name, kind in frame.schema.items() if kind.is_nested()]
    plain = frame.with_columns(
        pl.col(name).map_elements(_as_json, return_dtype=pl.String).alias(name) for name in nested
    )
    return plain.with_columns(
        _guarded(pl.col(name)) for name, kind in plain.schema.items() if kind == pl.String
    )


def from_csv(frame: pl.DataFrame) -> pl.DataFrame:
    """The texts of a frame that was read of a CSV, without the apostrophes of ``guard``."""
    texts = [pl.col(name) for name, kind in frame.schema.items() if kind == pl.String]
    return frame.with_columns(
        pl.when(text.str.contains(_GUARDED)).then(text.str.slice(1)).otherwise(text) for text in texts
    )


def _guarded(text: pl.Expr) -> pl.Expr:
    risky = text.str.contains(_RISKY) & ~text.str.contains(_NUMBER)
    return pl.when(risky).then(pl.lit("'") + text).otherwise(text).name.keep()


def csv_bytes(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> bytes:
    """Rows as CSV in UTF-8, every text guarded: what is not known is an empty cell, lists are separated by
    spaces."""
    lines = _Lines()
    writer = csv.writer(lines, lineterminator="\r\n")
    writer.writerow(header)
    writer.writerows([_cell(value) for value in row] for row in rows)
    return "".join(lines).encode()


class _Lines(list[str]):
    """Takes rows that end in CR LF, so that a lone CR in a text is quoted as well, and ends them in LF."""

    def write(self, row: str) -> None:
        self.append(f"{row[:-2]}\n")


def _cell(value: Any) -> Any:
    plain = " ".join(map(str, value)) if isinstance(value, list | tuple) else value
    return guard(plain) if isinstance(plain, str) else plain


def _as_json(value: Any) -> str:
    plain = value.to_list() if isinstance(value, pl.Series) else value
    return json.dumps(plain, ensure_ascii=False, default=str)
