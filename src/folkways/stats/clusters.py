"""Means of rows that come in clusters (several rows of one question), where clusters may be few and hold very
unequal numbers.

Rows of a question resemble one another, so that many rows tell little more than few. How many independent
rows they are worth follows from their intraclass correlation, estimated over all clusters by the analysis of
variance. A variance over cluster totals, or a bootstrap over clusters, would rest on the few largest where
sizes are unequal, and is too small more often than not.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from folkways.stats.intervals import DEFAULT_CONFIDENCE, Floats, Interval, wilson

FEWEST_UNBOUNDED = 60
"""Effective clusters below which a mean without bounds has no interval: a value far from all others that one
question in twenty has is missing from 21 of 100 samples of 30, and no interval that is made of the sample can
know of it."""

FEWEST_DIFFERENCES = 10
"""The same of paired differences without bounds, which lean to neither side where nothing differs."""


ROUNDING = 1e-12
"""Differences up to this come from sums in another order."""

SYMMETRIC = 1e-6
"""Skewness below which Student's interval and Hall's are the same."""


@dataclass(frozen=True, slots=True)
class ClusteredMean:
    """A mean with what its interval and test are made of.

    bounds: between which every value lies, or None.
    n_effective: with bounds, how many independent zeros and ones it is known as well by (effective number of
        answers).
    error, skew: without bounds, its standard error, and how lopsided it is (third moment over the cube of the
        error; 0 of differences, whose test is Student's).
    clusters: effective number of clusters.
    fewest: without bounds, how many of them an interval needs.
    """

    mean: float
    bounds: tuple[float, float] | None
    n_effective: float
    error: float
    clusters: float
    skew: float = 0.0
    fewest: int = FEWEST_UNBOUNDED

    def interval(self, confidence: float = DEFAULT_CONFIDENCE) -> Interval:
        """Wilson's of the effective answers; without bounds Student's, or Hall's for skewed values (1992) if
        wider.

        NaN where it is undefined, with the reason as method.
        """
        if self.bounds is not None:
            lowest, highest = self.bounds
            share = wilson(self._share(self.mean) * self.n_effective, self.n_effective, confidence)
            span = highest - lowest
            return Interval(lowest + span * share.low, lowest + span * share.high, share.method)
        if reason := self._untold():
            return Interval(math.nan, math.nan, reason)
        from scipy.special import stdtrit

        ratio = float(stdtrit(self.clusters - 1, 0.5 + confidence / 2))
        above, below = max(ratio, self._unskewed(ratio)), min(-ratio, self._unskewed(-ratio))
        return Interval(
            self.mean - above * self.error, self.mean - below * self.error, f"student {confidence:.0%}"
        )

    def p(self, value: float = 0.0) -> float:
        """Two-sided, for a true mean of ``value``: below .05 where the 95 % interval does not hold it. NaN
        without an interval."""
        if self.bounds is not None:
            expected = self._share(value)
            error = math.sqrt(expected * (1 - expected) / self.n_effective)
            return math.erfc(abs(self._share(self.mean) - expected) / error / math.sqrt(2))
        if self._untold():
            return math.nan
        from scipy.special import stdtr

        ratio = (self.mean - value) / self.error
        skewed = ratio + self.skew * ratio**2 / 3 + self.skew**2 * ratio**3 / 27 + self.skew / 6
        return 2 * float(stdtr(self.clusters - 1, -min(abs(ratio), abs(skewed))))

    def _unskewed(self, ratio: float) -> float:
        """How many standard errors off the mean is, where Hall's transformation of that comes to
        ``ratio``."""
        if abs(self.skew) < SYMMETRIC:
            return ratio
        return 3 * (math.cbrt(1 + self.skew * (ratio - self.skew / 6)) - 1) / self.skew

    def _share(self, value: float) -> float:
        assert self.bounds is not None  # noqa: S101 - asked by the two above alone
        lowest, highest = self.bounds
        return min(1.0, max(0.0, (value - lowest) / (highest - lowest)))

    def _untold(self) -> str:
        if self.clusters < self.fewest:
            return f"none: under {self.fewest} questions"
        return "" if self.error > 0 else "none: all alike"


def clustered_mean(
    sums: Floats,
    counts: Floats,
    squares: float,
    bounds: tuple[float, float] | None = (0.0, 1.0),
    extremes: tuple[float, float] | None = None,
    *,
    paired: bool = False,
) -> ClusteredMean:
    """The mean over all rows, from each cluster's sum and number of rows, and the sum of the squares of all
    rows.

    With bounds, two clusters of ordinary size are imagined besides, one with the lowest value throughout and
    one with the highest: few clusters that happen to be alike then say little about how far clusters differ,
    instead of nothing (Agresti and Coull 1998 do so for proportions, Bonett and Price 2012 for paired
    differences). They are in the variance and the intraclass correlation (Searle, Casella and McCulloch 1992,
    3.6), and not in the mean. The correlation makes the design effect of clusters of unequal size (Kish 1965,
    8.2), and this the effective number of answers: that of the questions at the least, where all rows of a
    question are alike, and that of the rows at most. Without bounds, the standard error is the jackknife's
    over clusters.

    sums, counts: of each cluster, the sum and the number of its rows. extremes: values of the two imagined
    clusters instead of the bounds. paired: values are differences. ValueError without rows.
    """
    if not counts.sum():
        raise ValueError("a mean needs at least one row")
    totals = Totals(
        counts.size,
        float(counts.sum()),
        float(counts @ counts),
        float(sums.sum()),
        float(sums @ (sums / counts)),
        squares,
        *((math.nan, math.nan) if bounds else (float(moment) for moment in jackknife(sums, counts))),
    )
    return mean_of_totals(totals, bounds, extremes, paired=paired)


@dataclass(frozen=True, slots=True)
class Totals:
    """What the mean of clustered rows is made of.

    clusters, rows: how many there are;
    sizes: the sum of the squares of the clusters' numbers of rows.
    total: the sum of all rows.
    between: over clusters, that of the square of a cluster's sum over its rows.
    squares: of the squares of all rows.
    error, skew: those of the ``jackknife``, which values without bounds need.
    """

    clusters: int
    rows: float
    sizes: float
    total: float
    between: float
    squares: float
    error: float = math.nan
    skew: float = math.nan


def mean_of_totals(
    totals: Totals,
    bounds: tuple[float, float] | None,
    extremes: tuple[float, float] | None = None,
    *,
    paired: bool = False,
) -> ClusteredMean:
    """``clustered_mean`` from ``totals`` that are added up already, for many means at once (``pairwise``);
    bounds, extremes and paired are as there."""
    mean, clusters = totals.total / totals.rows, totals.rows**2 / totals.sizes
    if bounds is None:
        skew, fewest = (0.0, FEWEST_DIFFERENCES) if paired else (totals.skew, FEWEST_UNBOUNDED)
        return ClusteredMean(mean, None, math.nan, totals.error, clusters, skew, fewest)
    lowest, span = bounds[0], bounds[1] - bounds[0]
    shares = Totals(
        totals.clusters,
        totals.rows,
        totals.sizes,
        (totals.total - lowest * totals.rows) / span,
        (totals.between - 2 * lowest * totals.total + lowest**2 * totals.rows) / span**2,
        (totals.squares - 2 * lowest * totals.total + lowest**2 * totals.rows) / span**2,
    )
    low, high = ((end - lowest) / span for end in extremes or bounds)
    return ClusteredMean(mean, bounds, _n_effective(shares, (low, high)), math.nan, clusters)


def clustered_difference(rows: Floats, sums: Floats, counts: Floats, most: float | None) -> ClusteredMean:
    """The mean of paired differences, one per row. sums, counts: of each cluster. most: the largest that can
    be; None for no limit.

    The imagined clusters are one with the largest difference found and one with its opposite: differences of
    shares keep far from the largest that can be. ValueError without rows.
    """
    bounds = None if most is None else (-most, most)
    return clustered_mean(
        sums, counts, float(rows @ rows), bounds, opposites(float(np.abs(rows).max())), paired=True
    )


def without_rounding(differences: npt.ArrayLike) -> Floats:
    """Differences of means, with 0 for those that are ROUNDING; NaN stays."""
    return np.where(np.abs(differences) <= ROUNDING, 0.0, differences)


def opposites(largest: float) -> tuple[float, float] | None:
    """What the two imagined clusters of a paired difference have, by the largest difference found; the bounds
    if there is none but by rounding."""
    return (-largest, largest) if largest > ROUNDING else None


def effective_number(counts: Floats) -> float:
    """How many clusters of equal size would tell as much as these, where rows of a cluster are all alike
    (Kish 1965, 11.7).

    From 1, where nearly all rows are in one cluster, to the number of clusters. counts: rows of each.
    """
    return float(counts.sum()) ** 2 / float(counts @ counts)


def _n_effective(totals: Totals, imagined: tuple[float, float]) -> float:
    """The effective number of answers, of values between 0 and 1."""
    n, rows, sizes = totals.clusters, totals.rows, totals.sizes
    ordinary = rows / n
    imagined_squares = ordinary * (imagined[0] ** 2 + imagined[1] ** 2)
    all_rows = rows + 2 * ordinary
    mean = (totals.total + ordinary * sum(imagined)) / all_rows
    total = totals.squares + imagined_squares - all_rows * mean**2
    effect = 1.0
    if rows > n:
        between = totals.between + imagined_squares - all_rows * mean**2
        size = (all_rows - (sizes + 2 * ordinary**2) / all_rows) / (n + 1)
        among, within = between / (n + 1), max(0.0, total - between) / (all_rows - n - 2)
        correlation = max(0.0, (among - within) / (among + (size - 1) * within))
        effect += correlation * (sizes / rows - 1)
    zeros_and_ones = totals.squares == totals.total
    return rows / effect * (1.0 if zeros_and_ones else mean * (1 - mean) / (total / all_rows))


def effective_answers(totals: Floats, imagined: tuple[Floats, Floats]) -> Floats:
    """``_n_effective`` of many means at once, to the last bit. totals: the first six fields of ``Totals``,
    shape (6, means)."""
    n, rows, sizes, summed, between, squares = totals
    ordinary = rows / n
    imagined_squares = ordinary * (_squares(imagined[0]) + _squares(imagined[1]))
    all_rows = rows + 2 * ordinary
    mean = (summed + ordinary * (imagined[0] + imagined[1])) / all_rows
    off = all_rows * _squares(mean)
    total, among_all = squares + imagined_squares - off, between + imagined_squares - off
    with np.errstate(divide="ignore", invalid="ignore"):
        size = (all_rows - (sizes + 2 * _squares(ordinary)) / all_rows) / (n + 1)
        among, within = among_all / (n + 1), np.maximum(0.0, total - among_all) / (all_rows - n - 2)
        correlation = np.maximum(0.0, (among - within) / (among + (size - 1) * within))
        effect = np.where(rows > n, 1.0 + correlation * (sizes / rows - 1), 1.0)
        spread: Floats = np.where(squares == summed, 1.0, mean * (1 - mean) / (total / all_rows))
    answers: Floats = rows / effect * spread
    return answers


def _squares(values: Floats) -> Floats:
    """As Python squares them: numpy's, which are products, differ in the last bit of one in a thousand."""
    return np.array([value**2 for value in values.tolist()])


def jackknife(sums: Floats, counts: Floats) -> tuple[Floats, Floats]:
    """Standard error and skewness of a mean, from leaving out one cluster after the other, around the mean of
    all; NaN of one.

    The error is that of MacKinnon, Nielsen and Webb (2023, CR3). sums, counts: shape (clusters,) or (means,
    clusters), where a mean may lack clusters, which then have no rows and a sum of 0.
    """
    rows, n = counts.sum(axis=-1, keepdims=True), np.count_nonzero(counts, axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        pulls = (sums - sums.sum(axis=-1, keepdims=True) / rows * counts) / (rows - counts)
        squares = (pulls * pulls).sum(axis=-1)
        return np.sqrt(squares * (n - 1) / n), (pulls**3).sum(axis=-1) / squares**1.5
