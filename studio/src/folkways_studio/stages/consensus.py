"""What several people's answers to one part of a form come to, and whether enough of them say the same.

Each function gives ``(value, settled)``: the common value, and whether at least ``needed`` people carry it;
``needed`` is more than half of them. If it is not settled, somebody has to decide and the value is None.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from itertools import combinations
from statistics import median
from typing import Any

Found = tuple[Any, bool]


def same_value(values: Sequence[Hashable], needed: int) -> Found:
    """The value that at least ``needed`` people gave; None counts as one, that of people who were not
    asked."""
    value, count = Counter(values).most_common(1)[0]
    return (value, True) if count >= needed else (None, False)


def each_option(chosen: Sequence[Sequence[str]], options: Sequence[str], needed: int) -> Found:
    """The options that at least ``needed`` people chose, where as many left out every other one."""
    counts = Counter(option for each in chosen for option in each)
    settled = all(count >= needed or len(chosen) - count >= needed for count in counts.values())
    return ([option for option in options if counts[option] >= needed], True) if settled else (None, False)


def middle(values: Sequence[float], within: float | None, needed: int) -> Found:
    """The median, settled if at least ``needed`` people are within that distance of it (None: any
    distance)."""
    if not values:
        return None, True
    center = median(values)
    close = sum(abs(value - center) <= within for value in values) if within is not None else len(values)
    return (center, True) if within is None or close >= needed else (None, False)


def common_order(orders: Sequence[Sequence[str]], needed: int) -> Found:
    """The order in which of every two things at least ``needed`` people put the first before the second
    (Condorcet's)."""
    things = list(orders[0])
    before = Counter(pair for order in orders for pair in combinations(order, 2))
    wins = Counter(
        first for first in things for second in things if first != second and before[first, second] >= needed
    )
    if sorted(wins[thing] for thing in things) != list(range(len(things))):
        return None, False  # two things in no order, or three in a circle
    return sorted(things, key=lambda thing: -wins[thing]), True


def common_groups(groupings: Sequence[Sequence[Sequence[str]]], needed: int) -> Found:
    """The groups in which at least ``needed`` people put every two things that are together, and apart all
    others."""
    things = [thing for group in groupings[0] for thing in group]
    together = Counter(
        frozenset(pair) for groups in groupings for group in groups for pair in combinations(group, 2)
    )

    def agreed(one: str, other: str) -> bool:
        return one == other or together[frozenset((one, other))] >= needed

    if any(
        together[frozenset(pair)] < needed and len(groupings) - together[frozenset(pair)] < needed
        for pair in combinations(things, 2)
    ):
        return None, False
    groups_agreed = list(
        dict.fromkeys(tuple(other for other in things if agreed(thing, other)) for thing in things)
    )
    # otherwise one thing is with two others that are apart
    whole = sum(map(len, groups_agreed)) == len(things)
    return ([list(group) for group in groups_agreed], True) if whole else (None, False)
