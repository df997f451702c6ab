"""Agreement beyond chance of two judges on yes or no, and on cases sorted into any number of categories."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from operator import eq

import numpy as np
import numpy.typing as npt

from folkways.stats.intervals import DEFAULT_CONFIDENCE, DEFAULT_RESAMPLES, Floats, Interval, wilson


@dataclass(frozen=True, slots=True)
class CategoryAgreement:
    """Two judges on the same cases.

    cases: how many there are.
    share: of cases on which they agree, 0 to 1, with its Wilson interval; NaN without cases.
    kappa: Cohen's (1960), from -1 to 1, 0 being what chance gives; NaN where both put every case into one and
        the same category, so that chance alone would agree.
    kappa_interval: percentile bootstrap over cases; NaN with fewer than two cases, and where kappa is the
        same in every resample, which does not make it certain.
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

    confidence, resamples, seed: of the bootstrap interval. ValueError where the two are not equally long.
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

    confidence: of the interval. resamples, seed: how often and with which seed units are drawn. NaN where
    kappa is the same in every resample; resamples in which it is undefined are left out.
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


@dataclass(frozen=True, slots=True)
class BinaryAgreement:
    """Two judges on the same cases, each saying yes or no.

    both, first_only, second_only, neither: how many cases each cell of the table has.
    share: of cases on which they agree, 0 to 1.
    kappa: Cohen's (1960), from -1 to 1, 0 being what chance gives; NaN where the two have one and the same
        answer for every case, so that chance alone would agree.
    interval: of kappa.
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
) -> BinaryAgreement:
    """Cohen's kappa with a percentile bootstrap interval for which whole clusters (questions) are drawn.

    first, second: one answer per case. confidence, resamples, seed: of the bootstrap.

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
    return BinaryAgreement(
        both, first_only, second_only, neither, float(share), kappa, Interval(low, high, method)
    )
