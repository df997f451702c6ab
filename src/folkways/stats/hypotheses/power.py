"""How small a difference these questions can find: what a comparison that found nothing leaves open."""

from __future__ import annotations

import math
from statistics import NormalDist

DEFAULT_POWER = 0.8


def detectable_difference(error: float, *, alpha: float = 0.05, power: float = DEFAULT_POWER) -> float:
    """The true difference that a two-sided test at ``alpha`` would find with the chance ``power``, in the
    unit of the error.

    error: standard error of the difference over questions: the result is (z_(1 - alpha/2) + z_power) times it
    (Cohen 1988). NaN where it is 0 or not known: no question differs from another, and nothing tells how much
    differences vary.
    """
    if math.isnan(error) or error == 0.0:
        return math.nan
    normal = NormalDist()
    return (normal.inv_cdf(1 - alpha / 2) + normal.inv_cdf(power)) * error
