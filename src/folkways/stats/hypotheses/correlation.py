"""Correlation with its interval."""

from __future__ import annotations

import math
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
    from scipy.special import ndtri  # scipy.stats, which has all of this, takes 50 MB

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
    r = float(np.clip(_direction(first) @ _direction(second), -1.0, 1.0))
    if n < 4:
        return Correlation(float(round(r)) if n == 2 else r, math.nan, math.nan, n, method)
    with np.errstate(divide="ignore"):  # r may be 1
        z, reach = np.arctanh(r), ndtri(0.5 + confidence / 2) * np.sqrt(1 / (n - 3))
    return Correlation(r, float(np.tanh(z - reach)), float(np.tanh(z + reach)), n, method)


def _direction(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Deviations from the mean, of length 1; divided by the largest first, as their squares may overflow."""
    apart = values - values.mean()
    largest = np.abs(apart).max()
    return np.asarray(apart / (largest * np.linalg.norm(apart / largest, axis=0)))
