"""Agreement of two judges beyond chance."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from folkways.stats.intervals import DEFAULT_CONFIDENCE, DEFAULT_RESAMPLES, Interval
from folkways.stats.raters.categories import kappa_bounds, kappas


@dataclass(frozen=True, slots=True)
class Agreement:
    """Two judges on the same cases, each saying yes or no.

    both, first_only, second_only, neither: how many cases each cell of the table has. share: of cases on
    which they agree, 0 to 1. kappa: Cohen's (1960), from -1 to 1, 0 being what chance gives; NaN where the
    two have one and the same answer for every case, so that chance alone would agree. interval: of kappa.
    """

    both: int
    first_only: int
    second_only: int
    neither: int
    share: float
    kappa: float
    interval: Interval


def cohen_kappa(
    first: npt.NDArray[np.bool_],
    second: npt.NDArray[np.bool_],
    clusters: npt.NDArray[np.int64],
    *,
    confidence: float = DEFAULT_CONFIDENCE,
    resamples: int = DEFAULT_RESAMPLES,
    seed: int = 0,
) -> Agreement:
    """Cohen's kappa with a percentile bootstrap interval for which whole clusters (questions) are drawn.

    The interval is NaN with fewer than two clusters, and where kappa is the same in every resample (perfect
    agreement, say): that it does not vary in these data does not make it certain. Resamples in which kappa is
    undefined are left out.
    """
    method = f"bootstrap {confidence:.0%} by question"
    names, codes = np.unique(clusters, return_inverse=True)
    kinds = np.where(first, np.where(second, 0, 1), np.where(second, 2, 3))
    table = np.zeros((names.size, 4))
    np.add.at(table, (codes, kinds), 1.0)
    total = table.sum(axis=0)
    kappa = float(kappas(total.reshape(1, 2, 2))[0])
    low = high = math.nan
    if names.size:
        low, high = kappa_bounds(table.reshape(-1, 2, 2), confidence, resamples, seed)
    both, first_only, second_only, neither = (int(count) for count in total)
    share = (both + neither) / total.sum() if total.sum() else math.nan
    return Agreement(both, first_only, second_only, neither, float(share), kappa, Interval(low, high, method))
