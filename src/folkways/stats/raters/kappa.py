"""Agreement beyond chance of two judges on yes or no, and on cases sorted into any number of categories."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from operator import eq
from typing import Any

import numpy as np
import numpy.typing as npt

from folkways.stats.intervals import DEFAULT_CONFIDENCE, Floats, Interval, wilson

IMAGINED = 2.0
"""Units that are imagined besides, spread evenly over all cells: judges of whom few cases are seen are not
certain to agree, or to differ, as these do."""


@dataclass(frozen=True, slots=True)
class CategoryAgreement:
    """Two judges on the same cases.

    cases: how many there are.
    share: of cases on which they agree, 0 to 1, with its Wilson interval; NaN without cases.
    kappa: Cohen's (1960), from -1 to 1, 0 being what chance gives; NaN where both put every case into one and
        the same category, so that chance alone would agree.
    kappa_interval: ``kappa_interval``; NaN with fewer than two cases, and where kappa is.
    """

    cases: int
    share: float
    share_interval: Interval
    kappa: float
    kappa_interval: Interval

    def as_record(self) -> dict[str, Any]:
        """What the record of a build says of it; None for NaN."""
        numbers = (100 * self.share, self.kappa, self.kappa_interval.low, self.kappa_interval.high)
        percent, kappa, *ends = (None if math.isnan(number) else number for number in numbers)
        method = self.kappa_interval.method
        return {"percent": percent, "kappa": kappa, "kappa_interval": ends, "interval": method}


def category_kappa(
    first: Sequence[Hashable], second: Sequence[Hashable], *, confidence: float = DEFAULT_CONFIDENCE
) -> CategoryAgreement:
    """Agreement of two judges; ``first`` and ``second`` have a category for each case, in the same order.

    confidence: of the intervals. ValueError where the two are not equally long.
    """
    if len(first) != len(second):
        raise ValueError(f"the judges have {len(first)} and {len(second)} cases; give the same cases of both")
    cells = _cells(first, second)
    agreed = sum(map(eq, first, second))
    cases = len(first)
    return CategoryAgreement(
        cases,
        agreed / cases if cases else math.nan,
        wilson(agreed, cases, confidence),
        float(kappas(cells.sum(axis=0)[None])[0]) if cases else math.nan,
        kappa_interval(cells, confidence),
    )


def _cells(first: Sequence[Hashable], second: Sequence[Hashable]) -> Floats:
    """Shape (cases, categories, categories): a one in the cell of each case."""
    numbers = {category: number for number, category in enumerate(dict.fromkeys([*first, *second]))}
    cells = np.zeros((len(first), len(numbers), len(numbers)))
    cells[np.arange(len(first)), [numbers[one] for one in first], [numbers[other] for other in second]] = True
    return cells


def kappa_interval(cells: Floats, confidence: float = DEFAULT_CONFIDENCE) -> Interval:
    """The interval of kappa over units that were drawn independently; ``cells`` has the counts of each, shape
    (units, categories, categories).

    Wilson's, from -1 to 1, of the effective number of answers: as many as give the variance that is
    linearised over units (Fleiss, Cohen and Everitt 1969), with IMAGINED units of ordinary size. confidence:
    of the interval. NaN with fewer than two units, and where kappa is.
    """
    method = f"wilson {confidence:.0%} by question"
    units = len(cells)
    kappa = float(kappas(cells.sum(axis=0)[None])[0]) if units > 1 else math.nan
    if math.isnan(kappa):
        return Interval(math.nan, math.nan, method)
    shares = cells.sum(axis=0) / cells.sum()
    rows, columns, same = shares.sum(axis=1), shares.sum(axis=0), np.eye(len(shares))
    observed, by_chance = float(np.trace(shares)), float(rows @ columns)
    margins = columns[:, None] + rows - 2 * by_chance
    pulls = ((same - observed) * (1 - by_chance) - (1 - observed) * margins) / (1 - by_chance) ** 2
    sums = (cells * pulls).sum(axis=(1, 2)) / cells.sum()
    variance = float(sums @ sums) * units / (units - 1) + IMAGINED * float((pulls**2).mean()) / units**2
    share = (1 + kappa) / 2
    middle = (units * share + IMAGINED / 2) / (units + IMAGINED)
    answers = 4 * middle * (1 - middle) / variance
    interval = wilson(min(1.0, share) * answers, answers, confidence)
    return Interval(2 * interval.low - 1, 2 * interval.high - 1, method)


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
) -> BinaryAgreement:
    """Cohen's kappa with the interval over clusters (questions).

    first, second: one answer per case. clusters: that of each case. confidence: of ``kappa_interval``.
    """
    names, codes = np.unique(clusters, return_inverse=True)
    kinds = np.where(first, np.where(second, 0, 1), np.where(second, 2, 3))
    table = np.zeros((names.size, 4))
    np.add.at(table, (codes, kinds), 1.0)
    total = table.sum(axis=0)
    kappa = float(kappas(total.reshape(1, 2, 2))[0])
    both, first_only, second_only, neither = (int(count) for count in total)
    share = (both + neither) / total.sum() if total.sum() else math.nan
    interval = kappa_interval(table.reshape(-1, 2, 2), confidence)
    return BinaryAgreement(both, first_only, second_only, neither, float(share), kappa, interval)
