"""How small a difference these questions can find: what a comparison that found nothing leaves open."""

from __future__ import annotations

import math
from statistics import NormalDist

from folkways.stats.intervals import Floats, squared_error

DEFAULT_POWER = 0.8


def detectable_difference(differences: Floats, counts: Floats, *, alpha: float = 0.05, power: float = DEFAULT_POWER) -> float:
    """The true difference that a two-sided test at ``alpha`` would find with the chance ``power``, in the unit of the values.

    differences, counts: of each question, the sum over its rows of first minus second, and the number of rows. The standard error
    is that of these questions: (z_(1 - alpha/2) + z_power) times it (Cohen 1988). NaN with fewer than two questions, or where no
    question differs from another, for nothing then tells how much differences vary.
    """
    error = math.sqrt(squared_error(differences, counts))
    if math.isnan(error) or error == 0.0:
        return math.nan
    normal = NormalDist()
    return (normal.inv_cdf(1 - alpha / 2) + normal.inv_cdf(power)) * error
