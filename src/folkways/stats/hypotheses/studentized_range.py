"""The distribution of the studentized range, which Tukey's differences are judged by. ``scipy.stats`` has it
too, and takes 50 MB and a second to import."""

from __future__ import annotations

import math

import numpy as np

from folkways.stats.intervals import Floats

_STEP = 0.125
_NORMAL: Floats = np.arange(-8.5, 8.5 + _STEP, _STEP)
_SPREADS = 400
_TAIL = 1e-17
"""Share of the spread's distribution that is cut off at either end."""


class StudentizedRange:
    """Of the means of ``groups`` samples, over their standard error from ``df`` degrees of freedom.

    Both integrals, over a normal deviate and over the logarithm of the estimated spread, are sums at equal
    steps: for such smooth curves that end in nothing at both sides, these are as good as any (to 1e-10).
    """

    def __init__(self, groups: int, df: float) -> None:
        from scipy.special import gammainccinv, gammaincinv, ndtr

        self._normal_distribution = ndtr
        self._groups = groups
        low, high = (math.log(2 * inverse(df / 2, _TAIL) / df) / 2 for inverse in (gammaincinv, gammainccinv))
        logs = np.linspace(low, high, _SPREADS)
        weights = np.exp(df * (logs - np.expm1(2 * logs) / 2))
        self._spreads, self._weights = np.exp(logs), weights / weights.sum()
        self._below: Floats = ndtr(_NORMAL)
        self._density = groups * _STEP * np.exp(-(_NORMAL**2) / 2) / math.sqrt(2 * math.pi)

    def above(self, q: float) -> float:
        """The probability of a range above ``q``."""
        if not math.isfinite(q):
            return math.nan if math.isnan(q) else 0.0
        within = self._below - self._normal_distribution(_NORMAL - q * self._spreads[:, None])
        below = self._weights @ (within ** (self._groups - 1) @ self._density)
        return min(max(1.0 - float(below), 0.0), 1.0)

    def exceeded_by(self, share: float) -> float:
        """The range that this share of ranges is above, by halving."""
        low, high = 0.0, 1.0
        while self.above(high) > share:
            low, high = high, 2 * high
        while (middle := (low + high) / 2) not in (low, high):
            low, high = (middle, high) if self.above(middle) > share else (low, middle)
        return middle
