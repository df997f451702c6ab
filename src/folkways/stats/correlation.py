"""Correlation with its interval."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True, slots=True)
class Correlation:
    """Pearson's r over ``n`` pairs, with Fisher's interval; NaN where it cannot be told (see ``pearson``)."""

    r: float
    low: float
    high: float
    n: int
    method: str


def pearson(x: npt.ArrayLike, y: npt.ArrayLike, confidence: float = 0.95) -> Correlation:
    """Pearson's correlation of paired values, and its interval by Fisher's z transformation.

    Pairs in which either value is NaN are left out, and ``n`` counts the others. r is NaN where one side does not vary; its
    interval is NaN with fewer than four pairs. ValueError if the two are not of the same length.
    """
    method = f"fisher {confidence:.0%}"
    first, second = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if first.shape != second.shape or first.ndim != 1:
        raise ValueError(f"pairs are needed: two flat sequences of one length, got shapes {first.shape} and {second.shape}")
    known = ~(np.isnan(first) | np.isnan(second))
    n = int(known.sum())
    r = _pearson(first[known], second[known])
    if n < 4 or math.isnan(r):
        return Correlation(r, math.nan, math.nan, n, method)
    if abs(r) == 1.0:
        return Correlation(r, r, r, n, method)
    centre = math.atanh(r)
    half = NormalDist().inv_cdf(0.5 + confidence / 2) / math.sqrt(n - 3)
    return Correlation(r, math.tanh(centre - half), math.tanh(centre + half), n, method)


def _pearson(first: npt.NDArray[np.float64], second: npt.NDArray[np.float64]) -> float:
    if first.size < 2 or np.ptp(first) == 0 or np.ptp(second) == 0:
        return math.nan
    a, b = first - first.mean(), second - second.mean()
    norms = float(np.linalg.norm(a)) * float(np.linalg.norm(b))
    return max(-1.0, min(1.0, float(a @ b) / norms)) if norms > 0 else math.nan
