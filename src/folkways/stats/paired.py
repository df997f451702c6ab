"""The mean difference of paired values, with its interval."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True, slots=True)
class PairedMean:
    """Mean of first minus second over ``n`` pairs, in the unit of the values; p is two-sided, for no difference."""

    difference: float
    low: float
    high: float
    p: float
    n: int
    method: str


def paired_mean(first: npt.ArrayLike, second: npt.ArrayLike, confidence: float = 0.95) -> PairedMean:
    """The mean difference of pairs that were sampled independently of one another, with Student's interval and test.

    Interval and p are NaN where they cannot be told: with fewer than two pairs, or if every difference is the same.
    """
    method = f"paired t {confidence:.0%}"
    differences = np.asarray(first, dtype=np.float64) - np.asarray(second, dtype=np.float64)
    n = differences.size
    mean = float(differences.mean()) if n else math.nan
    if n < 2 or np.ptp(differences) == 0:
        return PairedMean(mean, math.nan, math.nan, math.nan, n, method)
    from scipy.stats import t

    error = float(differences.std(ddof=1)) / math.sqrt(n)
    half = float(t.ppf(0.5 + confidence / 2, n - 1)) * error
    return PairedMean(mean, mean - half, mean + half, float(2 * t.sf(abs(mean) / error, n - 1)), n, method)
