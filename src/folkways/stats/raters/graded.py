"""Agreement where labels are more than the same or not: grades, numbers, orders, groupings, marks in a text.

Grades and numbers have Krippendorff's alpha with the distance of their scale (2011, "Computing Krippendorff's
alpha-reliability"). Orders, groupings and marks have the mean over pairs of people of what two of them have
in common.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from itertools import combinations
from typing import Any

from folkways.stats.raters.agreement import TOO_FEW, Coefficient, Distance, Unit, krippendorff, masi

Similarity = Callable[[Any, Any], float]


def interval(one: Hashable, other: Hashable) -> float:
    """The squared difference of two numbers."""
    return (one - other) ** 2  # type: ignore[operator, no-any-return]


def ordinal(units: Iterable[Unit]) -> Distance:
    """The distance of two grades by how many labels of ``units`` lie between them: no grade is a number of
    its own.

    Only labels of units with two or more count, as in the coefficient.
    """
    totals = Counter(label for unit in units if len(unit) > 1 for label in unit.values())
    grades: list[Any] = sorted(totals)
    below, met = {}, 0.0
    for grade in grades:
        below[grade] = met + totals[grade] / 2
        met += totals[grade]
    return lambda one, other: (below[one] - below[other]) ** 2


def kendall_tau(one: Sequence[Hashable], other: Sequence[Hashable]) -> float:
    """Kendall's tau (1938) of two orders of the same things without ties, -1 to 1; 1 for fewer than two
    things."""
    ranks = {thing: number for number, thing in enumerate(other)}
    pairs = math.comb(len(one), 2)
    swapped = sum(ranks[first] > ranks[second] for first, second in combinations(one, 2))
    return 1 - 2 * swapped / pairs if pairs else 1.0


def adjusted_rand(one: Collection[frozenset[Any]], other: Collection[frozenset[Any]]) -> float:
    """The adjusted Rand index (Hubert and Arabie 1985) of two groupings of the same things; 1 for the same, 0
    for chance.

    1 where both put everything together, or both nothing: they say the same.
    """
    together = sum(math.comb(len(left & right), 2) for left in one for right in other)
    ones, others = (sum(math.comb(len(group), 2) for group in each) for each in (one, other))
    pairs = math.comb(sum(map(len, one)), 2)
    chance = ones * others / pairs if pairs else 0.0
    most = (ones + others) / 2
    return 1.0 if most == chance else (together - chance) / (most - chance)


def marks_in_common(one: Collection[tuple[int, int]], other: Collection[tuple[int, int]]) -> float:
    """F1 of the characters that two people marked, 0 to 1; 1 where neither marked any (Hripcsak and
    Rothschild 2005).

    Marks are [start, end). What both left out does not count, so that nothing is corrected for chance.
    """
    ones, others = ({at for start, end in each for at in range(start, end)} for each in (one, other))
    return 2 * len(ones & others) / (len(ones) + len(others)) if ones or others else 1.0


def mean_pair(units: Sequence[Unit], similarity: Similarity) -> Coefficient:
    """The mean over units (with two labels or more) of the mean similarity of two people."""
    shared = [list(unit.values()) for unit in units if len(unit) > 1]
    if not shared:
        return Coefficient(None, 0, 0, TOO_FEW)
    means = [
        sum(similarity(*pair) for pair in combinations(labels, 2)) / math.comb(len(labels), 2)
        for labels in shared
    ]
    return Coefficient(sum(means) / len(means), len(shared), sum(map(len, shared)))


def fitting(units: Sequence[Unit]) -> tuple[str, Coefficient]:
    """The coefficient that fits what the labels are, and its name.

    Texts: nominal alpha. Whole numbers: grades, ordinal alpha. Other numbers: interval alpha. Tuples: orders,
    Kendall's tau. Sets of texts: alpha with MASI distances. Sets of pairs: marks, F1. Sets of sets:
    groupings, adjusted Rand index.
    """
    labels = [label for unit in units for label in unit.values()]
    if labels and all(isinstance(label, int | float) for label in labels):
        if all(isinstance(label, int) for label in labels):
            return "ordinal α", krippendorff(units, ordinal(units))
        return "interval α", krippendorff(units, interval)
    if labels and all(isinstance(label, tuple) for label in labels):
        return "Kendall τ", mean_pair(units, kendall_tau)
    if labels and all(isinstance(label, frozenset) for label in labels):
        inside = {type(each) for label in labels if isinstance(label, frozenset) for each in label}
        if inside == {frozenset}:
            return "adjusted Rand", mean_pair(units, adjusted_rand)
        if inside == {tuple}:
            return "F1", mean_pair(units, marks_in_common)
        return "MASI α", krippendorff(units, masi)
    return "nominal α", krippendorff(units)
