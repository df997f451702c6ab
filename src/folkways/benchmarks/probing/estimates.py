"""From the values of units to what is told of a signal: means, the control's, and their difference, each with
an interval."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from folkways.benchmarks.probing.signal import Measure
from folkways.stats.clusters import clustered_difference, clustered_mean
from folkways.stats.differences import independent_difference
from folkways.stats.intervals import Interval, cluster_totals

SCALE = {"%": 100.0, "points": 100.0, "nats": 1.0}


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean in the measure's unit with its 95 % interval; NaN where it cannot be told. n: values, of so many
    questions."""

    value: float = math.nan
    low: float = math.nan
    high: float = math.nan
    n: int = 0
    questions: int = 0
    method: str = "none: nothing was asked"


def estimate(measure: Measure, values: Sequence[float], questions: Sequence[str]) -> Estimate:
    """The mean of a measure over units, some of which may be of one question."""
    if not values:
        return Estimate()
    rows = np.array(values, dtype=np.float64)
    _, codes = np.unique(np.array(questions), return_inverse=True)
    sums, counts = cluster_totals(rows, codes)
    if measure.unit == "%":
        found = clustered_mean(sums, counts, float(rows @ rows))
    else:
        found = clustered_difference(rows, sums, counts, 1.0 if measure.unit == "points" else None)
    interval = found.interval()
    scale = SCALE[measure.unit]
    return Estimate(
        found.mean * scale,
        interval.low * scale,
        interval.high * scale,
        rows.size,
        counts.size,
        interval.method,
    )


def difference(first: Estimate, second: Estimate) -> tuple[float, Interval]:
    """The first mean less the second, of other items, with its interval; NaN where one of them cannot be
    told."""
    return independent_difference(
        first.value,
        Interval(first.low, first.high, first.method),
        second.value,
        Interval(second.low, second.high, second.method),
    )
