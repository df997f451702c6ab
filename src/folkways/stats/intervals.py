"""Confidence intervals for means over items."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

DEFAULT_CONFIDENCE = 0.95
DEFAULT_RESAMPLES = 1000
MULTINOMIAL_COST = 24
"""One multinomial draw of a kind takes about as long as drawing this many clusters one by one (measured)."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval in the unit of the mean it belongs to, with the name of its method (``wilson 95%``)."""

    low: float
    high: float
    method: str


def wilson(successes: float, n: int, confidence: float = DEFAULT_CONFIDENCE) -> Interval:
    """The Wilson score interval of a proportion, between 0 and 1 (Wilson 1927, without continuity correction).

    successes: number of ones among ``n`` independent observations. n of 0 gives the whole range from 0 to 1.
    """
    method = f"wilson {confidence:.0%}"
    if n == 0:
        return Interval(0.0, 1.0, method)
    if not 0 <= successes <= n:
        raise ValueError(f"successes must lie between 0 and n={n}, got {successes}")
    z = NormalDist().inv_cdf(0.5 + confidence / 2)
    p = successes / n
    denominator = 1 + z * z / n
    centre = (p + z * z / (2 * n)) / denominator
    half = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / denominator
    low = 0.0 if successes == 0 else max(0.0, centre - half)
    high = 1.0 if successes == n else min(1.0, centre + half)
    return Interval(low, high, method)


def clustered_bootstrap(
    values: npt.NDArray[np.float64],
    clusters: npt.NDArray[np.int64],
    *,
    confidence: float = DEFAULT_CONFIDENCE,
    resamples: int = DEFAULT_RESAMPLES,
    seed: int = 0,
) -> Interval:
    """The percentile bootstrap interval of a mean whose observations come in clusters (several rows of one question).

    values, clusters: one entry per row; rows with the same cluster number are drawn together. The mean of a resample is the sum of
    its rows over their number, as in the estimate. With fewer than two clusters nothing can be said and low and high are NaN.
    """
    method = f"bootstrap {confidence:.0%} by question"
    sums, counts = _cluster_totals(values, clusters)
    if sums.size < 2:
        return Interval(math.nan, math.nan, method)
    rng = np.random.default_rng(seed)
    kinds, kind_sizes = np.unique(sums + 1j * counts, return_counts=True)
    if kinds.size * MULTINOMIAL_COST <= sums.size:
        means = _means_of_kinds(kinds, kind_sizes, resamples, rng)
    else:
        means = _means_of_draws(sums, counts, resamples, rng)
    tail = (1 - confidence) / 2
    low, high = np.quantile(means, [tail, 1 - tail])
    return Interval(float(low), float(high), method)


def clustered_normal(
    values: npt.NDArray[np.float64], clusters: npt.NDArray[np.int64], *, confidence: float = DEFAULT_CONFIDENCE
) -> Interval:
    """The normal interval of the same mean, its variance linearised over clusters (Cochran, Sampling Techniques, ratio estimator).

    For many clusters: it agrees with the bootstrap there and takes no resampling. NaN with fewer than two clusters.
    """
    method = f"normal {confidence:.0%} by question"
    sums, counts = _cluster_totals(values, clusters)
    n = sums.size
    if n < 2:
        return Interval(math.nan, math.nan, method)
    mean = sums.sum() / counts.sum()
    residuals = sums - mean * counts
    error = math.sqrt(float(residuals @ residuals) * n / (n - 1)) / float(counts.sum())
    half = NormalDist().inv_cdf(0.5 + confidence / 2) * error
    return Interval(float(mean - half), float(mean + half), method)


def _cluster_totals(
    values: npt.NDArray[np.float64], clusters: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Sum and number of rows of each cluster, ordered by cluster number."""
    _, codes = np.unique(clusters, return_inverse=True)
    return np.bincount(codes, weights=values).astype(np.float64), np.bincount(codes).astype(np.float64)


def _means_of_draws(
    sums: npt.NDArray[np.float64], counts: npt.NDArray[np.float64], resamples: int, rng: np.random.Generator
) -> npt.NDArray[np.float64]:
    means = np.empty(resamples)
    equal_sizes = bool((counts == counts[0]).all())
    step = max(1, 500_000 // sums.size)  # keeps a block of draws within the processor's cache
    for start in range(0, resamples, step):
        draw = rng.integers(0, sums.size, size=(min(step, resamples - start), sums.size), dtype=np.int32)
        rows = counts.sum() if equal_sizes else counts[draw].sum(axis=1)
        means[start : start + step] = sums[draw].sum(axis=1) / rows
    return means


def _means_of_kinds(
    kinds: npt.NDArray[np.complex128], sizes: npt.NDArray[np.int64], resamples: int, rng: np.random.Generator
) -> npt.NDArray[np.float64]:
    """Clusters with the same sum (real part) and number of rows (imaginary part) are interchangeable, and right-or-wrong data have
    few kinds of them: how often each kind is drawn is multinomial, the same distribution at a fraction of the work.
    """
    drawn = rng.multinomial(sizes.sum(), sizes / sizes.sum(), size=resamples).astype(np.float64)
    means: npt.NDArray[np.float64] = (drawn @ kinds.real) / (drawn @ kinds.imag)
    return means
