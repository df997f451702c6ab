"""Corrections for the number of comparisons looked at."""

from __future__ import annotations

import math
from collections.abc import Sequence


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's adjusted p-values, in the order given: reject those below alpha, and the chance of any false one
    is at most alpha.

    NaN stays NaN and does not count as a comparison. ValueError for a value outside 0 to 1.
    """
    ordered = _ordered(p_values)
    adjusted = list(p_values)
    largest = -math.inf
    for rank, (p, position) in enumerate(ordered):
        largest = max(largest, min(1.0, (len(ordered) - rank) * p))
        adjusted[position] = largest
    return adjusted


def benjamini_hochberg(p_values: Sequence[float]) -> list[float]:
    """Benjamini and Hochberg's adjusted p-values, in the order given: of those below alpha, at most that
    share is expected false.

    Milder than Holm's, for looking over many cultures for where to look closer. NaN stays NaN and does not
    count as a comparison. ValueError for a value outside 0 to 1.
    """
    ordered = _ordered(p_values)
    adjusted = list(p_values)
    smallest = 1.0
    for rank, (p, position) in reversed([*enumerate(ordered, start=1)]):
        smallest = min(smallest, p * (len(ordered) / rank))
        adjusted[position] = smallest
    return adjusted


def _ordered(p_values: Sequence[float]) -> list[tuple[float, int]]:
    """The values that are not NaN, smallest first, with their positions."""
    ordered = sorted((p, position) for position, p in enumerate(p_values) if p == p)
    if ordered and not (ordered[0][0] >= 0 and ordered[-1][0] <= 1):
        raise ValueError(f"p-values lie between 0 and 1, got {ordered[0][0]} to {ordered[-1][0]}")
    return ordered
