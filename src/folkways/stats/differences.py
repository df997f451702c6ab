"""Differences of two means with interval and test: of unweighted means of proportions (a country and the
others, two regions) and of paired values."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from folkways.stats.clusters import clustered_difference, without_rounding
from folkways.stats.intervals import DEFAULT_CONFIDENCE, EDGE, TINY, Floats, Interval

LARGEST_Z = 7.0
"""Beyond this many standard normal deviations p is below 3e-12, and no smaller p is given."""
STEPS = 40
AT_ONCE = 4
"""Halvings of ``_p`` that are one look: at the ends of all sixteenths of what is left."""
AT = np.linspace(0.0, LARGEST_Z, 701)
"""Standard normal deviations at which Poisson bounds are computed."""

FAR_OUT = 2.0
"""Standard normal deviations beyond those of a 95 % interval."""

METHOD = f"wilson {DEFAULT_CONFIDENCE:.0%} put together"


@dataclass(frozen=True, slots=True)
class Difference:
    """First minus second, in the unit of the values, with a 95 % interval; p is two-sided, for no
    difference."""

    difference: float
    low: float
    high: float
    p: float

    def columns(self, scale: float = 1.0) -> dict[str, float]:
        """What tables have of it, ``difference``, ``low`` and ``high`` times ``scale``, and ``p``."""
        return {
            "difference": scale * self.difference,
            "low": scale * self.low,
            "high": scale * self.high,
            "p": self.p,
        }


def difference_of_groups(first: Floats, second: Floats) -> Difference:
    """``difference_of_shares`` of two groups of questions, each a single stratum: one value per question, 0
    to 1."""
    sides = [(np.array([values.mean()]), np.array([float(values.size)])) for values in (first, second)]
    return difference_of_shares(*sides[0], *sides[1])


def difference_of_shares(
    first: Floats,
    first_numbers: Floats,
    second: Floats,
    second_numbers: Floats,
    confidence: float = DEFAULT_CONFIDENCE,
) -> Difference:
    """The mean over the strata of ``first`` minus that over the strata of ``second``, which share no
    question.

    first, second: one share per stratum, 0 to 1; first_numbers, second_numbers: how many questions each rests
    on. The interval is put together from the Wilson intervals of the shares, modified where ones or zeros are
    few (Zou and Donner 2008; with one stratum each it is Newcombe's of 1998). p is one minus the confidence
    at which that interval begins to hold 0. Shares that are means of several answers to a question vary less
    than proportions, so that the interval can only be too wide. ValueError for a side without strata.
    """
    if not first.size or not second.size:
        raise ValueError("a difference needs a share on either side")
    sides = _wilson_distances(first, first_numbers), _wilson_distances(second, second_numbers)
    difference = float(without_rounding(first.mean() - second.mean()))
    at = np.array([NormalDist().inv_cdf(0.5 + confidence / 2)])
    ((low, high),) = _intervals(difference, *sides, at)
    return Difference(difference, low, high, _p(difference, *sides))


def gaps_of_groups(
    shares: Floats, numbers: Floats, confidence: float = DEFAULT_CONFIDENCE
) -> list[Difference]:
    """Each group's share less the unweighted mean of all groups, itself included; one entry for each group.

    shares: 0 to 1, one for each group; numbers: the effective number of answers that each rests on. With m
    groups the gap is (m - 1) / m of the group's ``difference_of_shares`` from the others as strata, and so
    is its interval; p is that difference's. ValueError with fewer than two groups.
    """
    groups = shares.size
    if groups < 2:
        raise ValueError(f"a gap needs two groups or more, got {groups}")
    differences = without_rounding((shares * groups - shares.sum()) / (groups - 1))
    limits = _wilson_distances(shares, numbers)
    low, high = _intervals_of_groups(
        differences, limits, np.full(groups, NormalDist().inv_cdf(0.5 + confidence / 2))
    )
    last = _last_z_without_zero(differences, limits)
    p = np.array([2 * (1 - NormalDist().cdf(z)) for z in last.tolist()])
    ends = (groups - 1) / groups * np.column_stack([differences, low, high])
    return [
        Difference(difference, low_end, high_end, p_of if difference else 1.0)
        for (difference, low_end, high_end), p_of in zip(ends.tolist(), p.tolist(), strict=True)
    ]


def _last_z_without_zero(differences: Floats, limits: _Limits) -> Floats:
    """The z up to which each group's interval does not hold 0, as ``_p`` finds it by STEPS halvings, from a
    third of the looks.

    Both ends count steps of the last halving. The next look is where the chord between the ends says that the
    interval reaches 0; what an end lacks counts half as much whenever it has stayed, so that it moves too.
    Where the chord takes long (the limits jump at FAR_OUT), looks halve.
    """
    step = LARGEST_Z / 2**STEPS

    def beyond(steps: Floats) -> Floats:
        low, high = _intervals_of_groups(differences, limits, steps * step)
        return np.minimum(-low, high)

    without, holding = np.zeros(differences.size), np.full(differences.size, 2.0**STEPS)
    short, over = -np.maximum(np.abs(differences), TINY), beyond(holding)
    held, looks = np.full(differences.size, np.nan), 0
    while (holding - without > 1).any():
        chord = short / (short - over) if looks < STEPS // 2 else 0.5
        middle = np.maximum(np.floor(without + (holding - without) * chord), without + 1)
        middle = np.maximum(np.minimum(middle, holding - 1), without)
        reached = beyond(middle)
        holds = reached >= 0
        short = np.where(holds, np.where(held == 1, short / 2, short), reached)
        over = np.where(holds, reached, np.where(held == 0, over / 2, over))
        holding, without = np.where(holds, middle, holding), np.where(holds, without, middle)
        held, looks = holds, looks + 1
    return np.asarray(without * step)


def _intervals_of_groups(differences: Floats, limits: _Limits, z: Floats) -> tuple[Floats, Floats]:
    """``_intervals`` of every group against the others as strata, each at its own z."""
    squares = [distance**2 for distance in limits(z[:, None])]
    own_below, own_above = (square.diagonal() for square in squares)
    below, above = squares[0].sum(axis=1) - own_below, squares[1].sum(axis=1) - own_above
    others = (differences.size - 1) ** 2
    return (
        differences - np.sqrt(own_below + above / others),
        differences + np.sqrt(own_above + below / others),
    )


def _p(difference: float, first: _Limits, second: _Limits) -> float:
    """From the z up to which the interval does not hold 0, to the last of STEPS halvings."""
    if not difference:
        return 1.0
    without, step = 0.0, LARGEST_Z
    for _ in range(STEPS // AT_ONCE):
        step /= 2**AT_ONCE
        looks = without + step * np.arange(1, 2**AT_ONCE)
        holds = [low <= 0 <= high for low, high in _intervals(difference, first, second, looks)]
        without += step * [*holds, True].index(True)
    return 2 * (1 - NormalDist().cdf(without))


def _intervals(difference: float, first: _Limits, second: _Limits, z: Floats) -> list[tuple[float, float]]:
    """Both ends at each z."""
    below_first, above_first = map(_of_mean, first(z[:, None]))
    below_second, above_second = map(_of_mean, second(z[:, None]))
    return [
        (difference - low, difference + high)
        for low, high in zip(
            map(math.hypot, below_first, above_second),
            map(math.hypot, above_first, below_second),
            strict=True,
        )
    ]


def _of_mean(distances: Floats) -> list[float]:
    """How far the mean of shares is from a limit at each z, by how far each share is: shape (z, shares)."""
    squares = (distances[:, None, :] @ distances[:, :, None]).ravel()
    lengths: list[float] = np.sqrt(squares).tolist()
    return [length / distances.shape[1] for length in lengths]


_Limits = Callable[[Floats], tuple[Floats, Floats]]
"""A column of standard normal deviations -> how far each share is from its lower and from its upper Wilson
limit at each."""


def _wilson_distances(shares: Floats, numbers: Floats) -> _Limits:
    variances, twice, squared = shares * (1 - shares) / numbers, 2 * numbers, 4 * numbers * numbers
    some_ones, least_ones = _least_counts(shares * numbers, numbers)
    some_zeros, least_zeros = _least_counts((1 - shares) * numbers, numbers)

    def distances(z: Floats) -> tuple[Floats, Floats]:
        z_squared = z * z
        denominator = 1 + z_squared / numbers
        centre = (shares + z_squared / twice) / denominator
        half = z * np.sqrt(variances + z_squared / squared) / denominator
        below, above = shares - (centre - half), centre + half - shares
        if some_ones.size:
            least = shares[some_ones] - _between(least_ones, z) / numbers[some_ones]
            below[:, some_ones] = np.maximum(below[:, some_ones], least)
        if some_zeros.size:
            least = 1 - shares[some_zeros] - _between(least_zeros, z) / numbers[some_zeros]
            above[:, some_zeros] = np.maximum(above[:, some_zeros], least)
        return below, above

    return distances


def _least_counts(counts: Floats, numbers: Floats) -> tuple[npt.NDArray[np.intp], Floats]:
    """The groups with a count, and the lower bound of each one's at each z of AT: shape (z, groups)."""
    some = np.flatnonzero(counts > TINY)
    bounds = [_least_count(*pair) for pair in zip(counts[some].tolist(), numbers[some].tolist(), strict=True)]
    return some, np.column_stack(bounds) if bounds else np.empty((AT.size, 0))


@lru_cache(maxsize=1024)  # the same counts come again with every model and comparison
def _least_count(count: float, n: float) -> Floats:
    """The bound of a count of n at each z of AT that Wilson's is not above: of few (EDGE) the modified one of
    ``intervals.wilson``; and FAR_OUT, where many groups are looked at and Wilson's misses up to ten times too
    often, Jeffreys'."""
    from scipy.special import betaincinv, gammaincinv, ndtr

    chances = np.minimum(2 * ndtr(-AT), 1 - 1e-9)  # at a chance of 1 it would be endless
    few = gammaincinv(count, chances) if count <= EDGE else count
    far = np.flatnonzero(AT >= FAR_OUT)[::10]  # smooth enough, and it takes most of the time
    jeffreys = np.interp(
        AT, AT[far], n * betaincinv(count + 0.5, max(0.0, n - count) + 0.5, chances[far] / 2)
    )
    return np.asarray(np.where(AT < FAR_OUT, few, np.minimum(few, jeffreys)))


def _between(bounds: Floats, z: Floats) -> Floats:
    """The bounds at each of a column of z, by a straight line between those of AT."""
    steps = z[:, 0] * ((AT.size - 1) / LARGEST_Z)
    before = np.minimum(steps.astype(np.intp), AT.size - 2)
    return np.asarray(bounds[before] + (bounds[before + 1] - bounds[before]) * (steps - before)[:, None])


def independent_difference(
    first: float, first_interval: Interval, second: float, second_interval: Interval
) -> tuple[float, Interval]:
    """The first mean less the second, which share no question, from the interval of each (Zou and Donner
    2008).

    first_interval, second_interval: of each mean. The result is in the unit of the means; NaN where one of
    them is.
    """
    low = math.hypot(first - first_interval.low, second_interval.high - second)
    high = math.hypot(first_interval.high - first, second - second_interval.low)
    difference = float(without_rounding(first - second))
    return difference, Interval(difference - low, difference + high, f"{first_interval.method} put together")


@dataclass(frozen=True, slots=True)
class PairedMean(Difference):
    """Mean of first minus second over ``n`` pairs."""

    n: int
    method: str


def paired_mean(
    first: npt.ArrayLike, second: npt.ArrayLike, confidence: float = 0.95, *, largest: float | None = None
) -> PairedMean:
    """The mean difference of pairs that were sampled independently of one another, with interval and test
    (``clusters``).

    first, second: one value per pair.
    confidence: of the interval.
    largest: the largest possible difference (100 between percentages), which gives Wilson's interval of the
        effective answers; Student's without. Interval and p are NaN where they are undefined, with the reason
        as method: without pairs, and without ``largest`` also with few of them or if every difference is the
        same.
    """
    differences = np.asarray(first, dtype=np.float64) - np.asarray(second, dtype=np.float64)
    n = differences.size
    if not n:
        return PairedMean(math.nan, math.nan, math.nan, math.nan, 0, "none: no pairs")
    estimate = clustered_difference(differences, differences, np.ones(n), largest)
    interval = estimate.interval(confidence)
    mean = float(without_rounding(estimate.mean))
    return PairedMean(mean, interval.low, interval.high, estimate.p(), n, interval.method)
