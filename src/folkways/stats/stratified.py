"""Means over strata (the countries of a region, the cultures of a benchmark), and intervals that know how they were put together.

``bootstrap.clustered_bootstrap`` takes strata too; these are the formulas.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from folkways.stats.intervals import DEFAULT_CONFIDENCE, Floats, Interval, Ints, cluster_totals, squared_error, wilson


@dataclass(frozen=True, slots=True)
class Stratified:
    """A weighted mean of the means of strata, in the unit of the values; error: its standard error; strata: how many there are."""

    mean: float
    error: float
    interval: Interval
    strata: int


def stratified_mean(
    values: Floats,
    clusters: Ints,
    strata: Ints,
    *,
    weights: Floats | None = None,
    populations: Sequence[int] | None = None,
    confidence: float = DEFAULT_CONFIDENCE,
) -> Stratified:
    """The mean over strata whose rows come in clusters, with the normal interval (Cochran, Sampling Techniques, chapter 5).

    values, clusters, strata: one entry per row; clusters lie within strata (one that lies in several counts as one in each).
    weights:     of the strata's means, in the order of their numbers; None for their shares of the rows (the plain mean).
    populations: number of clusters that each stratum has in all, for the finite-population correction within each.

    NaN where a stratum that is not known in full has fewer than two clusters: nothing tells how far these differ. ValueError if
    weights or populations are not as many as strata.
    """
    numbers = np.unique(strata)
    within = "" if populations is None else f" of {sum(populations)}"
    method = f"normal {confidence:.0%} by question within stratum{within}"
    totals = [cluster_totals(values[strata == number], clusters[strata == number]) for number in numbers]
    for name, given in (("weights", weights), ("populations", populations)):
        if given is not None and len(given) != len(totals):
            raise ValueError(f"{len(totals)} strata need as many {name}, got {len(given)}")
    if weights is None:
        weights = np.array([counts.sum() for _, counts in totals]) / values.size
    sizes: Sequence[int | None] = populations if populations is not None else [None] * len(totals)
    mean = float(sum(weight * sums.sum() / counts.sum() for weight, (sums, counts) in zip(weights, totals, strict=True)))
    variance = float(
        sum(
            weight**2 * squared_error(sums, counts, size)
            for weight, (sums, counts), size in zip(weights, totals, sizes, strict=True)
        )
    )
    error = math.sqrt(variance) if totals else math.nan
    half = NormalDist().inv_cdf(0.5 + confidence / 2) * error
    return Stratified(mean, error, Interval(mean - half, mean + half, method), len(totals))


def mean_of_wilsons(shares: Sequence[float], numbers: Sequence[int], confidence: float = DEFAULT_CONFIDENCE) -> Interval:
    """Interval of the unweighted mean of proportions from the Wilson interval of each (Zou and Donner 2008), between 0 and 1.

    shares: from 0 to 1; numbers: how many questions each rests on. The distances of each share from its limits add up in squares.
    For strata in which nothing varies, where a bootstrap would pretend to be certain. ValueError without any.
    """
    if not len(shares):
        raise ValueError("a mean of proportions needs at least one")
    bounds = [wilson(share * n, n, confidence) for share, n in zip(shares, numbers, strict=True)]
    below = math.hypot(*(share - bound.low for share, bound in zip(shares, bounds, strict=True))) / len(bounds)
    above = math.hypot(*(bound.high - share for share, bound in zip(shares, bounds, strict=True))) / len(bounds)
    mean = sum(shares) / len(shares)
    return Interval(max(0.0, mean - below), min(1.0, mean + above), f"wilson {confidence:.0%} within stratum")
