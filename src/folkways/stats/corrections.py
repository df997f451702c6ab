"""Corrections for the number of comparisons looked at."""

from __future__ import annotations

from collections.abc import Sequence


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's adjusted p-values, in the order given: reject those below alpha, and the chance of any false one is at most alpha.

    NaN stays NaN and does not count as a comparison. ValueError for a value outside 0 to 1.
    """
    known = sorted((p, position) for position, p in enumerate(p_values) if p == p)
    if known and not (known[0][0] >= 0 and known[-1][0] <= 1):
        raise ValueError(f"p-values lie between 0 and 1, got {known[0][0]} to {known[-1][0]}")
    adjusted = list(p_values)
    largest = 0.0
    for rank, (p, position) in enumerate(known):
        largest = max(largest, min(1.0, (len(known) - rank) * p))
        adjusted[position] = largest
    return adjusted
