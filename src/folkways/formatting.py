"""Numbers and counts as they are written in sentences, in terminals, files and charts alike."""

from __future__ import annotations

import math

NOT_A_NUMBER = "–"


def number(value: float | None, decimals: int = 1) -> str:
    """A number with fixed decimals and a true minus sign; a dash where there is none."""
    if value is None or math.isnan(value):
        return NOT_A_NUMBER
    rounded = round(value, decimals) + 0.0
    return f"{rounded:.{decimals}f}".replace("-", "\u2212")


def count(value: int | None) -> str:
    """A whole number with commas between thousands: the one way in which counts are written, in terminals,
    files and charts."""
    return NOT_A_NUMBER if value is None else f"{value:,}"


def plural(amount: int, one: str, many: str | None = None) -> str:
    """``1 culture``, ``16 cultures``."""
    return f"{count(amount)} {one if amount == 1 else many or one + 's'}"
