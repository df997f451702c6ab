"""Reads the fields that a browser sends, and writes numbers for them. Nothing here raises: an invalid value
reads as none."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Protocol


class FormFields(Protocol):
    """The fields of a form as starlette's ``FormData`` gives them: texts and files, several of a name where
    there are."""

    def get(self, key: str, default: str, /) -> Any:
        """The last field of that name."""

    def getlist(self, key: str, /) -> Any:
        """All fields of that name."""


def text(fields: FormFields, name: str) -> str:
    """One field as text without outer white space; line ends as \\n."""
    value = fields.get(name, "")
    return value.replace("\r\n", "\n").strip() if isinstance(value, str) else ""


def texts(fields: FormFields, name: str) -> list[str]:
    """All fields of a name as texts without outer white space, empty ones included."""
    return [value.replace("\r\n", "\n").strip() for value in fields.getlist(name) if isinstance(value, str)]


def whole(value: Any) -> int | None:
    """A whole number of up to nine digits, which any column of a database holds; None for anything else."""
    return (
        int(value)
        if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= 9
        else None
    )


def without_nul(given: str) -> str:
    """The text with U+FFFD in place of each NUL, as in HTML: PostgreSQL's texts cannot have it."""
    return given.replace("\0", "\ufffd")


def in_digits(number: float) -> str:
    """The number as people write it, which reads as the same number again: all its digits, and no exponent
    (1234567.5, 2, 0.00001)."""
    return format(Decimal(repr(float(number))).normalize(), "f")


def spans(fields: FormFields, name: str) -> list[list[int]]:
    """Marks as the page sends them ("4:11,20:25"), each [start, end) in code points."""
    pairs = []
    for part in text(fields, name).split(",")[:50]:
        start, _, end = part.partition(":")
        first, last = whole(start), whole(end)
        if first is not None and last is not None:
            pairs.append([first, last])
    return pairs
