"""Confidence intervals of proportions and means; ``clusters`` has those of rows that come in questions.

Where the items of a benchmark are all there is to know (a score over the whole benchmark is wanted, and only
a part was asked), give ``population``: the intervals then narrow by the finite-population correction, down to
nothing once everything was asked. Without it they say how a score would move with other questions of the same
kind.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

DEFAULT_CONFIDENCE = 0.95

EDGE = 4
"""Up to so many ones, or zeros, Wilson's bound on that side is modified."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval in the unit of the mean it belongs to, with the name of its method (``wilson
    95%``)."""

    low: float
    high: float
    method: str


def wilson(
    successes: float, n: float, confidence: float = DEFAULT_CONFIDENCE, *, population: int | None = None
) -> Interval:
    """The Wilson score interval of a proportion, between 0 and 1 (Wilson 1927, without continuity
    correction).

    successes: number of ones among ``n`` independent observations; both may be fractions (effective numbers).
    confidence: as a share of 1. n of 0 gives the whole range from 0 to 1. Where at most EDGE ones, or zeros,
    were found, Wilson's bound on that side misses too often (9 % at n = 10 and a true share of .01): the
    bound of a Poisson count takes its place and the method is called modified (Brown, Cai and DasGupta 2001,
    4.1.1, who do so up to 2 or 3). population: how many observations there are in all, where the proportion
    among these is wanted: the variance shrinks by (N - n) / (N - 1), as if more had been drawn (Cochran,
    Sampling Techniques, 3.4), and nothing is modified. ValueError for counts that cannot be.
    """
    method = f"wilson {confidence:.0%}{_within(population)}"
    if not 0 <= successes <= n:
        raise ValueError(f"successes must lie between 0 and n={n:g}, got {successes}")
    _check_population(n, population)
    if n == 0:
        return Interval(0.0, 1.0, method)
    p = successes / n
    if population == n:
        return Interval(p, p, method)
    size = n if population is None else n * (population - 1) / (population - n)
    z = NormalDist().inv_cdf(0.5 + confidence / 2)
    denominator = 1 + z * z / size
    centre = (p + z * z / (2 * size)) / denominator
    half = z * math.sqrt(p * (1 - p) / size + z * z / (4 * size * size)) / denominator
    low = 0.0 if successes == 0 else max(0.0, centre - half)
    high = 1.0 if successes == n else min(1.0, centre + half)
    few_ones, few_zeros = (population is None and 0 < count <= EDGE for count in (successes, n - successes))
    if few_ones:
        low = min(low, _poisson_bound(successes, 1 - confidence) / n)
    if few_zeros:
        high = max(high, 1 - _poisson_bound(n - successes, 1 - confidence) / n)
    return Interval(low, high, f"modified {method}" if few_ones or few_zeros else method)


def wilsons(
    successes: Floats, n: Floats, confidence: float = DEFAULT_CONFIDENCE
) -> tuple[Floats, Floats, list[str]]:
    """``wilson`` of many proportions at once, to the last bit: lower ends, upper ends, and methods.

    n: above 0. ValueError for counts that cannot be.
    """
    if not ((successes >= 0) & (successes <= n)).all():
        raise ValueError("every number of successes must lie between 0 and its n")
    p, z = successes / n, NormalDist().inv_cdf(0.5 + confidence / 2)
    denominator = 1 + z * z / n
    centre = (p + z * z / (2 * n)) / denominator
    half = z * np.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / denominator
    low = np.where(successes == 0, 0.0, np.maximum(0.0, centre - half))
    high = np.where(successes == n, 1.0, np.minimum(1.0, centre + half))
    few_ones, few_zeros = ((count > 0) & (count <= EDGE) for count in (successes, n - successes))
    for at in np.flatnonzero(few_ones):
        low[at] = min(low[at], _poisson_bound(float(successes[at]), 1 - confidence) / n[at])
    for at in np.flatnonzero(few_zeros):
        high[at] = max(high[at], 1 - _poisson_bound(float(n[at] - successes[at]), 1 - confidence) / n[at])
    method = f"wilson {confidence:.0%}"
    return low, high, [f"modified {method}" if few else method for few in (few_ones | few_zeros).tolist()]


TINY = 1e-9
"""Counts below this have 0 as their Poisson bound, to the last digit."""


@lru_cache(maxsize=1024)
def _poisson_bound(count: float, chance: float) -> float:
    """The mean at which a Poisson count comes to ``count`` or more with that chance: a quantile of the gamma
    distribution.

    By halving, from the series of the incomplete gamma function; importing scipy for it would take longer
    than all scores.
    """
    if count < TINY:
        return 0.0
    low, high = 0.0, count
    for _ in range(50):
        mean = (low + high) / 2
        term = total = 1.0
        k = count
        while term > 1e-16 * total:
            k += 1
            term *= mean / k
            total += term
        if total * math.exp(count * math.log(mean) - mean - math.lgamma(count + 1)) < chance:
            low = mean
        else:
            high = mean
    return low


def interval_of_average(
    means: Sequence[float], intervals: Sequence[Interval], n_effective: Sequence[float] | None = None
) -> Interval:
    """The interval of the unweighted mean of independent means from the interval of each (Zou and Donner
    2008).

    The squared distances of each mean from its limits add up; one mean keeps its interval. The method is
    named after the plainest of theirs. n_effective: of means between 0 and 1, the effective number of answers
    of each; on a side where it is wider, the interval is then ``wilson_of_average``: that of the limits
    misses too often where small groups score near 0 or 1, the other one where a group has a single answer.
    ValueError without any mean.
    """
    if not intervals:
        raise ValueError("an average needs at least one mean")
    mean, n = math.fsum(means) / len(means), len(means)
    if n == 1:
        return intervals[0]
    pairs = list(zip(means, intervals, strict=True))
    below = math.hypot(*(each - one.low for each, one in pairs)) / n
    above = math.hypot(*(one.high - each for each, one in pairs)) / n
    low, high = mean - below, mean + above
    if n_effective is not None:
        wide = wilson_of_average(np.array(means), np.array(n_effective))
        low, high = min(low, wide.low), max(high, wide.high)
    return Interval(low, high, min((one.method for one in intervals), key=len))


def wilson_of_average(means: Floats, n_effective: Floats, confidence: float = DEFAULT_CONFIDENCE) -> Interval:
    """The interval of the unweighted mean of many independent means between 0 and 1, each known as well as by
    ``n_effective`` answers.

    Wilson's of as many answers as would know that mean as well if all groups were alike. Where they differ
    the means of groups vary less than that, and the interval is wider than it need be. ValueError without
    any.
    """
    if not means.size:
        raise ValueError("an average needs at least one mean")
    answers = means.size**2 / float((1 / n_effective).sum())
    return wilson(float(means.mean()) * answers, answers, confidence)


def clustered_normal(
    values: Floats, clusters: Ints, *, confidence: float = DEFAULT_CONFIDENCE, population: int | None = None
) -> Interval:
    """The normal interval of a mean of clustered rows, its variance linearised over clusters (Cochran, ratio
    estimator).

    values, clusters: one entry per row; rows with the same cluster number belong together (several rows of
        one question).
    confidence: as a share of 1.
    population: number of clusters there are in all (see the module). For many clusters of like sizes;
        ``clusters`` has what holds for few. NaN with fewer than two clusters.
    """
    sums, counts = cluster_totals(values, clusters)
    half = NormalDist().inv_cdf(0.5 + confidence / 2) * math.sqrt(squared_error(sums, counts, population))
    mean = float(sums.sum() / counts.sum()) if counts.size else math.nan
    return Interval(mean - half, mean + half, f"normal {confidence:.0%} by question{_within(population)}")


def cluster_totals(values: Floats, clusters: Ints) -> tuple[Floats, Floats]:
    """Sum and number of rows of each cluster, ordered by cluster number."""
    _, codes = np.unique(clusters, return_inverse=True)
    return np.bincount(codes, weights=values).astype(np.float64), np.bincount(codes).astype(np.float64)


def squared_error(sums: Floats, counts: Floats, population: int | None = None) -> float:
    """Variance of the mean (sums over counts) of clusters that were drawn independently, or without
    replacement out of some number.

    NaN with fewer than two clusters, unless they are the whole population.
    """
    n = sums.size
    _check_population(n, population)
    if population == n and n > 0:
        return 0.0
    if n < 2:
        return math.nan
    residuals = sums - sums.sum() / counts.sum() * counts
    variance = float(residuals @ residuals) * n / (n - 1) / float(counts.sum()) ** 2
    return variance if population is None else variance * (1 - n / population)


def _within(population: int | None) -> str:
    return "" if population is None else f" of {population}"


def _check_population(n: float, population: int | None) -> None:
    if population is not None and population < n:
        raise ValueError(f"a population of {population} cannot have given {n:g}")


def all_alike(values: Floats) -> bool:
    """Whether values differ by no more than sums in another order do."""
    return bool(np.ptp(values) <= 1e-12 * max(1.0, float(np.abs(values).max())))


def student(
    values: Floats, bounds: tuple[float, float] | None = None, confidence: float = DEFAULT_CONFIDENCE
) -> Interval:
    """Student's interval of the mean of independent values of equal weight (models, languages), cut off at
    the bounds.

    NaN with fewer than two values, and where they are all alike: nothing then says how far others are.
    """
    method = f"student {confidence:.0%}"
    if values.size < 2 or all_alike(values):
        return Interval(math.nan, math.nan, method)
    from scipy.special import stdtrit

    half = float(stdtrit(values.size - 1, 0.5 + confidence / 2) * values.std(ddof=1)) / math.sqrt(values.size)
    lowest, highest = bounds or (-math.inf, math.inf)
    mean = float(values.mean())
    return Interval(max(lowest, mean - half), min(highest, mean + half), method)
