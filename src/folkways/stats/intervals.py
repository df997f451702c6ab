"""Confidence intervals for means over items, from formulas; ``bootstrap`` has those that resample.

Where the items of a benchmark are all there is to know (a score over the whole benchmark is wanted, and only a part was asked),
give ``population``: the intervals then narrow by the finite-population correction, down to nothing once everything was asked.
Without it they say how a score would move with other questions of the same kind.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

DEFAULT_CONFIDENCE = 0.95
DEFAULT_RESAMPLES = 1000


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval in the unit of the mean it belongs to, with the name of its method (``wilson 95%``)."""

    low: float
    high: float
    method: str


def wilson(successes: float, n: int, confidence: float = DEFAULT_CONFIDENCE, *, population: int | None = None) -> Interval:
    """The Wilson score interval of a proportion, between 0 and 1 (Wilson 1927, without continuity correction).

    successes: number of ones among ``n`` independent observations. n of 0 gives the whole range from 0 to 1. population: how many
    observations there are in all, where the proportion among these is wanted: the variance shrinks by (N - n) / (N - 1), as if more
    had been drawn (Cochran, Sampling Techniques, 3.4). ValueError for counts that cannot be.
    """
    method = f"wilson {confidence:.0%}{_within(population)}"
    if not 0 <= successes <= n:
        raise ValueError(f"successes must lie between 0 and n={n}, got {successes}")
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
    return Interval(low, high, method)


def clustered_normal(
    values: Floats, clusters: Ints, *, confidence: float = DEFAULT_CONFIDENCE, population: int | None = None
) -> Interval:
    """The normal interval of a mean of clustered rows, its variance linearised over clusters (Cochran, ratio estimator).

    values, clusters: one entry per row; rows with the same cluster number belong together (several rows of one question).
    population: number of clusters there are in all (see the module). For many clusters: it agrees with the bootstrap there and
    takes no resampling. NaN with fewer than two clusters.
    """
    return normal_of_totals(*cluster_totals(values, clusters), confidence=confidence, population=population)


def normal_of_totals(
    sums: Floats, counts: Floats, *, confidence: float = DEFAULT_CONFIDENCE, population: int | None = None
) -> Interval:
    """The same from ``cluster_totals``."""
    method = f"normal {confidence:.0%} by question{_within(population)}"
    return _around_mean(sums, counts, NormalDist().inv_cdf(0.5 + confidence / 2), population, method)


def cluster_robust(
    values: Floats, clusters: Ints, *, confidence: float = DEFAULT_CONFIDENCE, population: int | None = None
) -> Interval:
    """The same variance with Student's quantile of one degree of freedom less than there are clusters: wider where they are few.

    Equals the interval of the constant in a regression with cluster-robust standard errors (CR1). NaN with fewer than two clusters.
    """
    from scipy.special import stdtrit

    method = f"cluster-robust {confidence:.0%} by question{_within(population)}"
    sums, counts = cluster_totals(values, clusters)
    quantile = float(stdtrit(max(1, sums.size - 1), 0.5 + confidence / 2))
    return _around_mean(sums, counts, quantile, population, method)


def cluster_totals(values: Floats, clusters: Ints) -> tuple[Floats, Floats]:
    """Sum and number of rows of each cluster, ordered by cluster number."""
    _, codes = np.unique(clusters, return_inverse=True)
    return np.bincount(codes, weights=values).astype(np.float64), np.bincount(codes).astype(np.float64)


def squared_error(sums: Floats, counts: Floats, population: int | None = None) -> float:
    """Variance of the mean (sums over counts) of clusters that were drawn independently, or without replacement out of some number.

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


def _around_mean(sums: Floats, counts: Floats, quantile: float, population: int | None, method: str) -> Interval:
    error = math.sqrt(squared_error(sums, counts, population))
    if math.isnan(error):
        return Interval(math.nan, math.nan, method)
    mean = float(sums.sum() / counts.sum())
    return Interval(mean - quantile * error, mean + quantile * error, method)


def _within(population: int | None) -> str:
    return "" if population is None else f" of {population}"


def _check_population(n: int, population: int | None) -> None:
    if population is not None and population < n:
        raise ValueError(f"a population of {population} cannot have given {n}")
