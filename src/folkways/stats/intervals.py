"""Confidence intervals for means over items."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

DEFAULT_CONFIDENCE = 0.95
DEFAULT_RESAMPLES = 1000


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
    _, codes = np.unique(clusters, return_inverse=True)
    n_clusters = int(codes.max()) + 1 if codes.size else 0
    if n_clusters < 2:
        return Interval(math.nan, math.nan, method)
    sums = np.bincount(codes, weights=values, minlength=n_clusters)
    counts = np.bincount(codes, minlength=n_clusters).astype(np.float64)
    rng = np.random.default_rng(seed)
    means = np.empty(resamples)
    step = max(1, 2_000_000 // n_clusters)
    for start in range(0, resamples, step):
        rows = min(step, resamples - start)
        draw = rng.integers(0, n_clusters, size=(rows, n_clusters))
        means[start : start + rows] = sums[draw].sum(axis=1) / counts[draw].sum(axis=1)
    tail = (1 - confidence) / 2
    low, high = np.quantile(means, [tail, 1 - tail])
    return Interval(float(low), float(high), method)
