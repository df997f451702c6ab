"""Correlation with its interval."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True, slots=True)
class Correlation:
    """Pearson's r over ``n`` pairs, with Fisher's interval; NaN where it is undefined (see ``pearson``)."""

    r: float
    low: float
    high: float
    n: int
    method: str


def pearson(x: npt.ArrayLike, y: npt.ArrayLike, confidence: float = 0.95) -> Correlation:
    """Pearson's correlation of paired values, and its interval by Fisher's z transformation.

    Pairs in which either value is NaN are left out, and ``n`` counts the others. r is NaN where one side does
    not vary; its interval is NaN with fewer than four pairs. ValueError if the two are not of the same
    length.
    """
    from scipy.stats import NearConstantInputWarning, pearsonr

    method = f"fisher {confidence:.0%}"
    first, second = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if first.shape != second.shape or first.ndim != 1:
        raise ValueError(
            f"pairs are needed: two flat sequences of one length, got shapes {first.shape} and {second.shape}"
        )
    complete = ~(np.isnan(first) | np.isnan(second))
    n = int(complete.sum())
    first, second = first[complete], second[complete]
    if n < 2 or np.ptp(first) == 0 or np.ptp(second) == 0:
        return Correlation(math.nan, math.nan, math.nan, n, method)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NearConstantInputWarning)
        result = pearsonr(first, second)
    between = result.confidence_interval(confidence) if n >= 4 else (math.nan, math.nan)
    return Correlation(float(result.statistic), float(between[0]), float(between[1]), n, method)
