"""Two samples, or the two halves of one in its course: by how much their means differ, and how sure that is.

Units (questions, people) that both samples hold are paired; a unit's own rows never count as independent.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np

from folkways.stats.clusters import ClusteredMean, clustered_mean
from folkways.stats.combinations import combination_of_means
from folkways.stats.differences import difference_of_shares, independent_difference, paired_mean
from folkways.stats.intervals import DEFAULT_CONFIDENCE, Floats
from folkways.stats.pairwise import FEWEST_QUESTIONS
from folkways.stats.sequences import at_any_time

FEWEST_PER_HALF = 10
"""Values in each half below which nothing is said about their course."""

Rows = Mapping[Any, Sequence[float]]
"""Unit -> the values of its rows, at least one."""


def mean_of_units(rows: Rows, bounds: tuple[float, float] | None = (0.0, 1.0)) -> ClusteredMean:
    """The mean over all rows, clustered by unit (``clustered_mean``). bounds: between which every value lies;
    None for no bounds. ValueError without rows."""
    sums = np.array([float(np.sum(values)) for values in rows.values()])
    counts = np.array([float(len(values)) for values in rows.values()])
    squares = float(sum(value * value for values in rows.values() for value in values))
    return clustered_mean(sums, counts, squares, bounds)


@dataclass(frozen=True, slots=True)
class SampleDifference:
    """The mean of the first sample less that of the second, in the unit of the values.

    first, second: the means that are compared. low, high: of the difference; NaN without an interval.
    units: of each sample. paired: units of both samples on which alone the difference rests; 0 where all
    units count. method: of the interval, or why there is none.
    """

    first: float
    second: float
    low: float
    high: float
    units: tuple[int, int]
    paired: int
    method: str

    @property
    def difference(self) -> float:
        """First minus second."""
        return self.first - self.second


def compare_samples(
    first: Rows,
    second: Rows,
    bounds: tuple[float, float] | None = (0.0, 1.0),
    confidence: float = DEFAULT_CONFIDENCE,
) -> SampleDifference:
    """The mean of the first sample less that of the second.

    first, second: the rows of each sample.
    bounds: between which every value lies; None for no bounds.
    confidence: of the interval.

    Units are paired, each by the mean of its rows, where half of the smaller sample's units or more are in
    the other as well, and FEWEST_QUESTIONS at least. Otherwise every row counts, and the intervals of both
    means are put together: too wide, if anything, where a few units are shared. Without bounds the variance
    is linearised over units, and a shared one counts once (``combination_of_means``). ValueError for a sample
    without rows.
    """
    if not first or not second:
        raise ValueError("a difference needs a row on either side")
    shared = [unit for unit in first if unit in second]
    units = len(first), len(second)
    if bounds is None:
        return _linearised(first, second, units, confidence)
    if len(shared) >= max(FEWEST_QUESTIONS, min(units) / 2):
        means = [np.array([np.mean(rows[unit]) for unit in shared]) for rows in (first, second)]
        pairs = paired_mean(means[0], means[1], confidence, largest=bounds[1] - bounds[0])
        return SampleDifference(
            float(means[0].mean()),
            float(means[1].mean()),
            pairs.low,
            pairs.high,
            units,
            len(shared),
            pairs.method,
        )
    sides = [mean_of_units(rows, bounds) for rows in (first, second)]
    _, interval = independent_difference(
        sides[0].mean, sides[0].interval(confidence), sides[1].mean, sides[1].interval(confidence)
    )
    return SampleDifference(
        sides[0].mean, sides[1].mean, interval.low, interval.high, units, 0, interval.method
    )


def _linearised(first: Rows, second: Rows, units: tuple[int, int], confidence: float) -> SampleDifference:
    numbers = {unit: number for number, unit in enumerate(dict.fromkeys((*first, *second)))}
    table = [
        (value, side, numbers[unit])
        for side, rows in enumerate((first, second))
        for unit, values in rows.items()
        for value in values
    ]
    values = np.array([row[0] for row in table])
    sides, clusters = (np.array([row[column] for row in table]) for column in (1, 2))
    whole = combination_of_means(values, sides, clusters, np.array([1.0, -1.0]), confidence)
    means = [float(values[sides == side].mean()) for side in (0, 1)]
    method = "none: too few units, or all alike" if np.isnan(whole.low) else f"student {confidence:.0%}"
    return SampleDifference(means[0], means[1], whole.low, whole.high, units, 0, method)


@dataclass(frozen=True, slots=True)
class Course:
    """A sample in the order in which it came: the mean of the later half less that of the earlier.

    earlier, later: means of the halves, averaged over strata; n: values in both. low, high: of later minus
    earlier. They hold whenever and however often one looks (``at_any_time``).
    """

    earlier: float
    later: float
    low: float
    high: float
    n: int

    @property
    def change(self) -> float:
        """Later minus earlier."""
        return self.later - self.earlier


def course_of(strata: Sequence[Sequence[float]], confidence: float = DEFAULT_CONFIDENCE) -> Course | None:
    """How shares have changed in their course; None with fewer than FEWEST_PER_HALF in the halves of every
    stratum.

    strata: shares from 0 to 1 in the order in which they came, apart for groups whose shares may differ from
    the start: a group that came late is then no change. Too small strata are left out.
    """
    halves = [
        np.array_split(np.array(values, np.float64), [len(values) // 2])
        for values in strata
        if len(values) // 2 >= FEWEST_PER_HALF
    ]
    if not halves:
        return None
    means, numbers = (
        [np.array([measure(pair[side]) for pair in halves]) for side in (0, 1)]
        for measure in (np.mean, _effective)
    )
    n = sum(pair[0].size + pair[1].size for pair in halves)
    level = 2 * NormalDist().cdf(at_any_time(n, confidence)) - 1
    change = difference_of_shares(means[1], numbers[1], means[0], numbers[0], level)
    return Course(float(means[0].mean()), float(means[1].mean()), change.low, change.high, n)


def _effective(values: Floats) -> float:
    """How many zeros and ones the mean of shares is known as well by."""
    return clustered_mean(values, np.ones(values.size), float(values @ values)).n_effective
