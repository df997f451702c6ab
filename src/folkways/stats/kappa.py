"""Agreement of two judges beyond chance."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from folkways.stats.intervals import DEFAULT_CONFIDENCE, DEFAULT_RESAMPLES, Interval

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Agreement:
    """Two judges on the same cases, each saying yes or no.

    both, first_only, second_only, neither: how many cases each cell of the table has.
    share: of cases on which they agree, 0 to 1. kappa: Cohen's (1960), from -1 to 1, 0 being what chance gives; NaN where the two
    have one and the same answer for every case, so that chance alone would agree. interval: of kappa.
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

    The interval is NaN with fewer than two clusters, and where kappa is the same in every resample (perfect agreement, say): that
    it does not vary in these data does not make it certain. Resamples in which kappa is undefined are left out.
    """
    method = f"bootstrap {confidence:.0%} by question"
    _, codes = np.unique(clusters, return_inverse=True)
    kinds = np.where(first, np.where(second, 0, 1), np.where(second, 2, 3))
    size = int(codes.max()) + 1 if codes.size else 0
    table = np.zeros((size, 4))
    np.add.at(table, (codes, kinds), 1.0)
    total = table.sum(axis=0)
    kappa = float(_kappa(total[None, :])[0])
    low = high = math.nan
    if size >= 2 and not math.isnan(kappa):
        low, high = _bounds(table, confidence, resamples, seed)
    both, first_only, second_only, neither = (int(count) for count in total)
    share = (both + neither) / total.sum() if total.sum() else math.nan
    return Agreement(both, first_only, second_only, neither, float(share), kappa, Interval(low, high, method))


def _bounds(table: Floats, confidence: float, resamples: int, seed: int) -> tuple[float, float]:
    kinds, sizes = np.unique(table, axis=0, return_counts=True)  # clusters with the same table are interchangeable
    drawn = np.random.default_rng(seed).multinomial(table.shape[0], sizes / table.shape[0], size=resamples)
    values = _kappa(drawn @ kinds)
    values = values[~np.isnan(values)]
    if values.size == 0 or values.min() == values.max():
        return math.nan, math.nan
    tail = (1 - confidence) / 2
    low, high = np.quantile(values, [tail, 1 - tail])
    return float(low), float(high)


def _kappa(tables: Floats) -> Floats:
    """Kappa of each row of counts: both, first only, second only, neither."""
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = tables / tables.sum(axis=1, keepdims=True)
        both, first_only, second_only, neither = shares.T
        observed = both + neither
        by_chance = (both + first_only) * (both + second_only) + (neither + first_only) * (neither + second_only)
        kappa: Floats = np.where(by_chance < 1, (observed - by_chance) / (1 - by_chance), math.nan)
    return kappa
