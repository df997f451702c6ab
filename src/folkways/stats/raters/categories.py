"""Agreement of two judges who sort cases into any number of categories, beyond chance."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from operator import eq

import numpy as np

from folkways.stats.intervals import DEFAULT_CONFIDENCE, DEFAULT_RESAMPLES, Floats, Interval, wilson


@dataclass(frozen=True, slots=True)
class CategoryAgreement:
    """Two judges on the same cases.

    cases: how many there are. share: of cases on which they agree, 0 to 1, with its Wilson interval; NaN
    without cases. kappa: Cohen's (1960), from -1 to 1, 0 being what chance gives; NaN where both put every
    case into one and the same category, so that chance alone would agree. kappa_interval: percentile
    bootstrap over cases; NaN with fewer than two cases, and where kappa is the same in every resample, which
    does not make it certain.
    """

    cases: int
    share: float
    share_interval: Interval
    kappa: float
    kappa_interval: Interval


def category_kappa(
    first: Sequence[Hashable],
    second: Sequence[Hashable],
    *,
    confidence: float = DEFAULT_CONFIDENCE,
    resamples: int = DEFAULT_RESAMPLES,
    seed: int = 0,
) -> CategoryAgreement:
    """Agreement of two judges; ``first`` and ``second`` have a category for each case, in the same order.

    Raises ValueError where they are not equally long.
    """
    if len(first) != len(second):
        raise ValueError(f"the judges have {len(first)} and {len(second)} cases; give the same cases of both")
    cells = _cells(first, second)
    agreed = sum(map(eq, first, second))
    cases = len(first)
    kappa = float(kappas(cells.sum(axis=0)[None])[0]) if cases else math.nan
    method = f"bootstrap {confidence:.0%} by question"
    low = high = math.nan
    if cases:
        low, high = kappa_bounds(cells, confidence, resamples, seed)
    return CategoryAgreement(
        cases,
        agreed / cases if cases else math.nan,
        wilson(agreed, cases, confidence),
        kappa,
        Interval(low, high, method),
    )


def _cells(first: Sequence[Hashable], second: Sequence[Hashable]) -> Floats:
    """Shape (cases, categories, categories): a one in the cell of each case."""
    numbers = {category: number for number, category in enumerate(dict.fromkeys([*first, *second]))}
    cells = np.zeros((len(first), len(numbers), len(numbers)))
    cells[np.arange(len(first)), [numbers[one] for one in first], [numbers[other] for other in second]] = True
    return cells


def kappa_bounds(cells: Floats, confidence: float, resamples: int, seed: int) -> tuple[float, float]:
    """Percentile bootstrap of kappa; ``cells`` has the counts of each unit that is drawn, shape (units,
    categories, categories).

    NaN where kappa is the same in every resample. Resamples in which it is undefined are left out.
    """
    kinds, sizes = np.unique(
        cells.reshape(len(cells), -1), axis=0, return_counts=True
    )  # units of equal counts are alike
    drawn = np.random.default_rng(seed).multinomial(len(cells), sizes / len(cells), size=resamples)
    values = kappas((drawn @ kinds).reshape(resamples, *cells.shape[1:]))
    values = values[~np.isnan(values)]
    if values.size == 0 or values.min() == values.max():
        return math.nan, math.nan
    tail = (1 - confidence) / 2
    low, high = np.quantile(values, [tail, 1 - tail])
    return float(low), float(high)


def kappas(tables: Floats) -> Floats:
    """Cohen's kappa of each table of counts, shape (tables, categories, categories); NaN where chance alone
    would agree."""
    with np.errstate(invalid="ignore"):  # 0 / 0 is NaN: without cases, and where all are in one cell
        shares = tables / tables.sum(axis=(1, 2), keepdims=True)
        observed = np.trace(shares, axis1=1, axis2=2)
        by_chance = (shares.sum(axis=1) * shares.sum(axis=2)).sum(axis=1)
        kappa: Floats = (observed - by_chance) / (1 - by_chance)
    return kappa
