"""The bootstrap of means whose rows come in clusters: whole clusters are drawn, and all resamples are taken at once.

A resample is the number of times that it draws each cluster. These numbers depend on how many clusters there are and on the seed
alone, so they are drawn once and shared by every metric, model and group with as many clusters.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from statistics import NormalDist
from typing import Literal

import numpy as np
import numpy.typing as npt

from folkways.stats.intervals import DEFAULT_CONFIDENCE, DEFAULT_RESAMPLES, Floats, Interval, Ints, cluster_totals

Method = Literal["bca", "percentile"]
Counts = npt.NDArray[np.uint8]

REMEMBERED = 1024
"""Up to this many clusters the drawn numbers are kept for the next group: a byte for each resample and cluster."""

BLOCK = 150_000
"""Draws that are made or multiplied at a time, so that they stay within the processor's cache."""


def clustered_bootstrap(
    values: Floats,
    clusters: Ints,
    *,
    strata: Ints | None = None,
    weights: Floats | None = None,
    method: Method = "bca",
    confidence: float = DEFAULT_CONFIDENCE,
    resamples: int = DEFAULT_RESAMPLES,
    seed: int = 0,
) -> Interval:
    """The bootstrap interval of a mean whose rows come in clusters (several rows of one question).

    values, clusters: one entry per row; rows with the same cluster number are drawn together. The mean of a resample is the sum of
    its rows over their number, as in the estimate.
    strata:  one number per row: clusters are drawn within each stratum, so that every resample has all of them; a cluster that
             lies in several strata counts as one in each.
    weights: of the strata's means, in the order of their numbers; None for their shares of the rows, which gives the plain mean.
    method:  ``bca``, bias-corrected and accelerated (Efron 1987), or ``percentile``.
    seed:    same seed, same interval.

    Nothing can be said with fewer than two clusters in every stratum, or where no resample differs from another (all values are
    the same): low and high are NaN then. ValueError if the number of weights is not that of the strata.
    """
    name = method_name(method, confidence)
    if strata is None:
        parts = [cluster_totals(values, clusters)]
    else:
        name += " within stratum"
        parts = [cluster_totals(values[strata == number], clusters[strata == number]) for number in np.unique(strata)]
    low, high = stratified_bounds(parts, weights, method=method, confidence=confidence, resamples=resamples, seed=seed)
    return Interval(low, high, name)


def method_name(method: Method = "bca", confidence: float = DEFAULT_CONFIDENCE) -> str:
    """What the interval is called in scores."""
    return f"{method} bootstrap {confidence:.0%} by question"


def stratified_bounds(
    totals: Sequence[tuple[Floats, Floats]],
    weights: Floats | None = None,
    *,
    method: Method = "bca",
    confidence: float = DEFAULT_CONFIDENCE,
    resamples: int = DEFAULT_RESAMPLES,
    seed: int = 0,
) -> tuple[float, float]:
    """The same from ``cluster_totals`` of each stratum."""
    rows = np.array([counts.sum() for _, counts in totals])
    if weights is None:
        weights = rows / rows.sum()
    if len(weights) != len(totals):
        raise ValueError(f"{len(totals)} strata need as many weights, got {len(weights)}")
    estimate = 0.0
    means = np.zeros((resamples, 1))
    influences = []
    for number, ((sums, counts), weight) in enumerate(zip(totals, weights, strict=True)):
        estimate += weight * float(sums.sum() / counts.sum())
        means += weight * resampled_means(sums[:, None], counts, resamples, seed, number)
        influences.append(weight * jackknife_influences(sums[:, None], counts))
    low, high = bounds(means, np.array([estimate]), influences, method, confidence)
    return float(low[0]), float(high[0])


def bounds_of_totals(
    sums: Floats,
    counts: Floats,
    *,
    method: Method = "bca",
    confidence: float = DEFAULT_CONFIDENCE,
    resamples: int = DEFAULT_RESAMPLES,
    seed: int = 0,
) -> tuple[Floats, Floats]:
    """Low and high of several means over the same clusters at once: ``sums`` has a column for each, ``counts`` is theirs all."""
    if len(sums) < 2:
        nothing = np.full(sums.shape[1], math.nan)
        return nothing, nothing
    means = resampled_means(sums, counts, resamples, seed)
    estimates = sums.sum(axis=0) / counts.sum()
    return bounds(means, estimates, [jackknife_influences(sums, counts)], method, confidence)


def resampled_means(sums: Floats, counts: Floats, resamples: int, seed: int, stream: int = 0) -> Floats:
    """Means of resamples of clusters, shape (resamples, columns of ``sums``); another ``stream`` is drawn independently."""
    n = len(sums)
    columns = np.ascontiguousarray(np.column_stack([counts, sums]).T)
    means = np.empty((resamples, sums.shape[1]))
    step = max(1, BLOCK // n)
    drawn = draws(n, resamples, seed, stream)
    for start in range(0, resamples, step):
        # Not "@": a matrix this thin is not worth the threads that it would wake and wait for.
        totals = np.einsum("mn,nb->mb", columns, drawn[:, start : start + step].astype(np.float64))
        means[start : start + step] = (totals[1:] / totals[0]).T
    return means


def draws(n: int, resamples: int, seed: int, stream: int = 0) -> Counts:
    """How often each of ``n`` clusters is drawn in each resample: shape (n, resamples), columns sum to n."""
    return _remembered(n, resamples, seed, stream) if n <= REMEMBERED else _drawn(n, resamples, seed, stream)


def _drawn(n: int, resamples: int, seed: int, stream: int) -> Counts:
    rng = np.random.default_rng([abs(seed), int(seed < 0), stream])
    found = np.empty((n, resamples), dtype=np.uint8)  # one cluster is not drawn 256 times: the chance is below 10^-500
    step = max(1, BLOCK // n)
    for start in range(0, resamples, step):
        size = min(step, resamples - start)
        cells = rng.integers(0, n, size=(size, n)) * size + np.arange(size)[:, None]
        found[:, start : start + size] = np.bincount(cells.ravel(), minlength=size * n).reshape(n, size)
    return found


_remembered = lru_cache(maxsize=128)(_drawn)


def jackknife_influences(sums: Floats, counts: Floats) -> Floats:
    """How far each cluster pulls the mean, from leaving it out, over the number of clusters; zeros for a single cluster."""
    n = len(sums)
    if n < 2:
        return np.zeros_like(sums)
    without = (sums.sum(axis=0) - sums) / (counts.sum() - counts)[:, None]
    pull: Floats = (n - 1) * (without.mean(axis=0) - without) / n
    return pull


def bounds(
    means: Floats, estimates: Floats, influences: Sequence[Floats], method: Method, confidence: float
) -> tuple[Floats, Floats]:
    """Low and high of each column of resampled ``means``; NaN where a column does not vary.

    influences: ``jackknife_influences`` of each stratum, times its weight: the acceleration comes from these.
    """
    tails = np.array([(1 - confidence) / 2, (1 + confidence) / 2])
    levels = np.repeat(tails[:, None], len(estimates), axis=1)
    if method == "bca":
        slack = 1e-12 * np.maximum(1.0, np.abs(estimates))  # a resample with the very same mean counts half, rounding aside
        below = ((means < estimates - slack).sum(axis=0) + (means <= estimates + slack).sum(axis=0)) / 2
        bias = _normal_quantile(np.clip(below / len(means), 0.5 / len(means), 1 - 0.5 / len(means)))
        cubes = sum((part * part * part).sum(axis=0) for part in influences)
        scale = sum((part * part).sum(axis=0) for part in influences) ** 1.5  # zero where nothing varies, or by next to nothing
        acceleration = np.divide(cubes, 6 * scale, out=np.zeros_like(scale), where=scale > 0)
        shifted = bias + _normal_quantile(tails)[:, None]
        levels = _normal_share(bias + shifted / (1 - acceleration * shifted))
    ordered = np.sort(means, axis=0)
    low, high = _quantiles(ordered, levels[0]), _quantiles(ordered, levels[1])
    still = ordered[-1] - ordered[0] <= 1e-12 * np.maximum(1.0, np.abs(ordered[-1]))
    return np.where(still, math.nan, low), np.where(still, math.nan, high)


def _normal_quantile(shares: Floats) -> Floats:
    """Where the standard normal distribution reaches each share, above 0 and below 1.

    These few numbers are not worth importing scipy for, which takes 18 MB and longer than the bootstrap.
    """
    return np.array([NormalDist().inv_cdf(float(share)) for share in shares])


def _normal_share(places: Floats) -> Floats:
    """The share of the standard normal distribution below each place."""
    flat = [0.5 * math.erfc(-float(place) / math.sqrt(2)) for place in places.ravel()]
    return np.array(flat).reshape(places.shape)


def _quantiles(ordered: Floats, levels: Floats) -> Floats:
    """The quantile of each sorted column at its own level, interpolated linearly."""
    places = levels * (len(ordered) - 1)
    under = np.clip(np.floor(places).astype(np.int64), 0, len(ordered) - 2)
    columns = np.arange(ordered.shape[1])
    found: Floats = ordered[under, columns] + (places - under) * (ordered[under + 1, columns] - ordered[under, columns])
    return found
