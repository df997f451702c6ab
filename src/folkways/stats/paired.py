"""The mean difference of paired values, with its interval."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from folkways.stats.clusters import clustered_difference
from folkways.stats.differences import Difference


@dataclass(frozen=True, slots=True)
class PairedMean(Difference):
    """Mean of first minus second over ``n`` pairs."""

    n: int
    method: str


def paired_mean(
    first: npt.ArrayLike, second: npt.ArrayLike, confidence: float = 0.95, *, largest: float | None = None
) -> PairedMean:
    """The mean difference of pairs that were sampled independently of one another, with interval and test
    (``clusters``).

    largest: the largest difference that there can be (100 between percentages), which gives Wilson's interval
    of the effective answers; Student's without. Interval and p are NaN where they cannot be told, with the
    reason as method: without pairs, and without ``largest`` also with few of them or if every difference is
    the same.
    """
    differences = np.asarray(first, dtype=np.float64) - np.asarray(second, dtype=np.float64)
    n = differences.size
    if not n:
        return PairedMean(math.nan, math.nan, math.nan, math.nan, 0, "none: no pairs")
    found = clustered_difference(differences, differences, np.ones(n), largest)
    interval = found.interval(confidence)
    return PairedMean(found.mean, interval.low, interval.high, found.p(), n, interval.method)
