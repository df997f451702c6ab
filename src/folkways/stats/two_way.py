"""Means and differences of rows that belong to two clusterings at once, such as answers by items and by
people: those of one item resemble one another, and so do those of one person.

The variance is that by items plus that by people less that of single rows, which both contain (Cameron,
Gelbach and Miller 2011), and the larger of the first two where that is more (MacKinnon, Nielsen and Webb
2021).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from folkways.stats.clusters import clustered_mean
from folkways.stats.intervals import DEFAULT_CONFIDENCE, Floats, Interval, cluster_totals, wilson

Labels = npt.NDArray[np.int64]

FEWEST = 3
"""Clusters of either kind below which a difference has no interval."""


@dataclass(frozen=True, slots=True)
class TwoWayMean:
    """A mean of values from 0 to 1 with its interval. n: rows. n_effective: independent answers that it is
    known as well by."""

    mean: float
    interval: Interval
    n: int
    n_effective: float


@dataclass(frozen=True, slots=True)
class TwoWayDifference:
    """Mean of the treated rows minus that of the others, with interval and two-sided p for no difference (NaN
    where they are undefined, with the reason as the interval's method). n_treated, n_control: rows."""

    difference: float
    interval: Interval
    p: float
    n_treated: int
    n_control: int


def two_way_mean(
    values: Floats, first: Labels, second: Labels, confidence: float = DEFAULT_CONFIDENCE
) -> TwoWayMean:
    """The mean of values from 0 to 1, one per row, and Wilson's interval of the effective answers.

    first, second: the cluster of each row by either clustering. The rows are worth as many independent
    answers as give the variance of the module, each of its parts being that of ``clustered_mean``.
    confidence: of the interval. ValueError without rows.
    """
    squares, ones = float(values @ values), np.arange(values.size)
    by_first, by_second, by_row = (
        clustered_mean(*cluster_totals(values, labels), squares) for labels in (first, second, ones)
    )
    inverse = [1 / each.n_effective for each in (by_first, by_second, by_row)]
    n_effective = 1 / max(inverse[0] + inverse[1] - inverse[2], inverse[0], inverse[1])
    mean = float(values.mean())
    return TwoWayMean(mean, wilson(mean * n_effective, n_effective, confidence), values.size, n_effective)


def two_way_difference(
    values: Floats,
    treated: npt.NDArray[np.bool_],
    first: Labels,
    second: Labels,
    confidence: float = DEFAULT_CONFIDENCE,
) -> TwoWayDifference:
    """The difference of two means whose rows may share clusters, as where each person sees some items in one
    way and some in another.

    values: one per row, in any unit. treated: which rows are of the first mean. first, second: the cluster of
    each row by either clustering. Each part of the variance is the jackknife's over clusters around the
    difference of all rows (CR3), which is wide enough for few and unequal clusters; the interval is Student's
    with one degree of freedom less than there are clusters of the fewer kind. confidence: of the
    interval. ValueError for a side without rows.
    """
    n_treated = int(treated.sum())
    n_control = values.size - n_treated
    if not n_treated or not n_control:
        raise ValueError("a difference needs rows on either side")
    difference = float(values[treated].mean() - values[~treated].mean())

    def undefined(reason: str) -> TwoWayDifference:
        nothing = Interval(math.nan, math.nan, f"none: {reason}")
        return TwoWayDifference(difference, nothing, math.nan, n_treated, n_control)

    clusters = min(np.unique(first).size, np.unique(second).size)
    if clusters < FEWEST:
        return undefined(f"under {FEWEST} items or people")
    by_first, by_second, by_row = (
        _variance(values, treated, labels) for labels in (first, second, np.arange(values.size))
    )
    variance = max(by_first + by_second - by_row, by_first, by_second)
    if math.isnan(variance):
        return undefined("all of one side are of one item or person")
    if variance <= 0:
        return undefined("all alike")
    from scipy.special import stdtr, stdtrit

    error, freedom = math.sqrt(variance), clusters - 1
    half = float(stdtrit(freedom, 0.5 + confidence / 2)) * error
    p = 2 * float(stdtr(freedom, -abs(difference) / error))
    interval = Interval(difference - half, difference + half, f"student {confidence:.0%} two-way")
    return TwoWayDifference(difference, interval, p, n_treated, n_control)


def _variance(values: Floats, treated: npt.NDArray[np.bool_], labels: Labels) -> float:
    """The jackknife's variance of the difference over clusters; NaN where leaving one out leaves a side
    without rows."""
    _, codes = np.unique(labels, return_inverse=True)
    n = int(codes.max()) + 1
    means = []
    for side in (treated, ~treated):
        sums = np.bincount(codes[side], weights=values[side], minlength=n)
        counts = np.bincount(codes[side], minlength=n)
        with np.errstate(divide="ignore", invalid="ignore"):
            means.append((sums.sum() - sums) / (counts.sum() - counts))
    without = means[0] - means[1]
    whole = values[treated].mean() - values[~treated].mean()
    return float(((without - whole) ** 2).sum() * (n - 1) / n)
