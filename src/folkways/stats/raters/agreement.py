"""Agreement of several people on the same units: percent, largest vote, Cohen, Fleiss, Krippendorff's alpha
(nominal and MASI).

A unit is a mapping of a person to their label; labels can be anything hashable, and for MASI they are
frozensets. Coefficients that are not defined have no value and say why: where nobody ever differs, agreement
cannot be compared with chance.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations

from folkways.stats.raters.kappa import category_kappa

Unit = Mapping[str, Hashable]
Distance = Callable[[Hashable, Hashable], float]


@dataclass(frozen=True, slots=True)
class Coefficient:
    """A coefficient and what it was computed from.

    value: None where it is not defined, for ``reason``. units: those that counted. judgements: labels in
    them. low, high: the 95 % interval of Cohen's kappa over units, None where there is none.
    """

    value: float | None
    units: int
    judgements: int
    reason: str = ""
    low: float | None = None
    high: float | None = None


ONE_LABEL = "everybody gave one and the same label throughout, so that there is no variation to agree on"
TOO_FEW = "no unit was labelled by two people or more"


def percent_agreement(units: Sequence[Unit]) -> Coefficient:
    """The share of pairs of people who gave a unit the same label, averaged over units with two labels or
    more; 0 to 1."""
    shared = _shared(units)
    if not shared:
        return Coefficient(None, 0, 0, TOO_FEW)
    shares = []
    for counts in shared:
        size = counts.total()
        shares.append(sum(count * (count - 1) for count in counts.values()) / (size * (size - 1)))
    return Coefficient(sum(shares) / len(shares), *_sizes(shared))


def majority_share(units: Sequence[Unit]) -> Coefficient:
    """The share of units (with two labels or more) in which more than half gave the same label; 0 to 1."""
    shared = _shared(units)
    if not shared:
        return Coefficient(None, 0, 0, TOO_FEW)
    return Coefficient(
        sum(2 * max(counts.values()) > counts.total() for counts in shared) / len(shared), *_sizes(shared)
    )


def mean_largest_vote(units: Sequence[Unit]) -> Coefficient:
    """How many people gave the most frequent label of a unit, averaged over all units with a label (BLEnD,
    Table 7)."""
    counted = [Counter(unit.values()) for unit in units if unit]
    if not counted:
        return Coefficient(None, 0, 0, "no unit has a label")
    return Coefficient(sum(max(counts.values()) for counts in counted) / len(counted), *_sizes(counted))


def cohen(units: Sequence[Unit]) -> Coefficient:
    """Cohen's kappa (1960) of two people, over the units that both labelled; not defined where there are more
    than two people."""
    people = sorted({person for unit in units for person in unit})
    if len(people) != 2:
        return Coefficient(None, 0, 0, f"Cohen's kappa is of two people; {len(people)} gave labels")
    pairs = [(unit[people[0]], unit[people[1]]) for unit in units if len(unit) == 2]
    if not pairs:
        return Coefficient(None, 0, 0, TOO_FEW)
    size = len(pairs)
    agreement = category_kappa([one for one, _ in pairs], [other for _, other in pairs])
    if math.isnan(agreement.kappa):
        return Coefficient(None, size, 2 * size, ONE_LABEL)
    bounds = [
        None if math.isnan(bound) else bound
        for bound in (agreement.kappa_interval.low, agreement.kappa_interval.high)
    ]
    return Coefficient(agreement.kappa, size, 2 * size, "", *bounds)


def fleiss(units: Sequence[Unit]) -> Coefficient:
    """Fleiss' kappa (1971); not defined unless every unit has the same number of labels, two or more."""
    shared = _shared(units)
    if not shared:
        return Coefficient(None, 0, 0, TOO_FEW)
    numbers = {counts.total() for counts in shared}
    if len(numbers) > 1:
        return Coefficient(
            None,
            *_sizes(shared),
            f"units have {min(numbers)} to {max(numbers)} labels; Fleiss' kappa needs equally many",
        )
    observed = percent_agreement(units).value
    assert observed is not None  # noqa: S101 - there are shared units
    totals = _totals(units)
    by_chance = sum((count / totals.total()) ** 2 for count in totals.values())
    if by_chance == 1:
        return Coefficient(None, *_sizes(shared), ONE_LABEL)
    return Coefficient((observed - by_chance) / (1 - by_chance), *_sizes(shared))


def nominal(one: Hashable, other: Hashable) -> float:
    """0 for the same label, else 1."""
    return float(one != other)


def masi(one: Hashable, other: Hashable) -> float:
    """The MASI distance of two sets (Passonneau 2006), 0 to 1: Jaccard's, weighted by whether one holds the
    other."""
    assert isinstance(one, frozenset)  # noqa: S101 - for the type checker; callers give sets
    assert isinstance(other, frozenset)  # noqa: S101
    common, union = len(one & other), len(one | other)
    if one == other:
        return 0.0
    weight = 2 / 3 if one <= other or other <= one else 1 / 3
    return 1 - weight * common / union


def krippendorff(units: Sequence[Unit], distance: Distance = nominal) -> Coefficient:
    """Krippendorff's alpha (2004) for any distance of labels; units may have different numbers of labels,
    people may be missing."""
    shared = _shared(units)
    if not shared:
        return Coefficient(None, 0, 0, TOO_FEW)
    totals = _totals(units)
    size = totals.total()
    between = {pair: distance(*pair) for pair in permutations(totals, 2)}
    observed = sum(
        sum(counts[one] * counts[other] * between[one, other] for one, other in permutations(counts, 2))
        / (counts.total() - 1)
        for counts in shared
    )
    expected = sum(totals[one] * totals[other] * apart for (one, other), apart in between.items()) / (
        size - 1
    )
    if expected == 0:
        return Coefficient(None, *_sizes(shared), ONE_LABEL)
    return Coefficient(1 - observed / expected, *_sizes(shared))


def _shared(units: Sequence[Unit]) -> list[Counter[Hashable]]:
    """How often each label was given to a unit, of units with two labels or more; one and the same count for
    all units with the same labels in the same order."""
    counted: dict[tuple[Hashable, ...], Counter[Hashable]] = {}
    shared = []
    for unit in units:
        if len(unit) > 1:
            labels = tuple(unit.values())
            if labels not in counted:
                counted[labels] = Counter(labels)
            shared.append(counted[labels])
    return shared


def _totals(units: Sequence[Unit]) -> Counter[Hashable]:
    """How often each label was given to all units with two labels or more together."""
    return Counter(label for unit in units if len(unit) > 1 for label in unit.values())


def _sizes(counted: Sequence[Counter[Hashable]]) -> tuple[int, int]:
    return len(counted), sum(counts.total() for counts in counted)
