"""Every model less every other, on the rows that both replied to: paired by row, clustered by question, all
pairs at once; and how far the pairs leave each model's rank open.

A third model never changes the contrast of two. ``clusters.clustered_difference`` says what interval and test
are."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from folkways.stats.clusters import ROUNDING, Totals, effective_answers, jackknife, mean_of_totals
from folkways.stats.intervals import DEFAULT_CONFIDENCE, Floats, Ints, wilsons

FEWEST_QUESTIONS = 6
"""With fewer questions no pattern of answers differs from chance: six that all differ one way give p =
.03."""

TOO_FEW = f"none: under {FEWEST_QUESTIONS} questions"
NOTHING_SHARED = "none: nothing shared"

AT_ONCE = 500_000
"""Values of either side of the pairs that are looked at together: few pairs of many rows, or many of few."""


@dataclass(frozen=True, slots=True)
class Contrasts:
    """One entry per pair of models, in the order of ``itertools.combinations`` of their positions; in the
    unit of the values.

    first, second: positions of the two models.
    rows, questions: how many the two share.
    first_mean, second_mean: over the shared rows.
    difference, low, high: first minus second, with its interval; NaN where none.
    method: of the interval, or why there is none.
    p: two-sided, for no difference; NaN without an interval.
    first_better, second_better: questions on which the one has the higher mean.
    error: standard error of the difference over questions, which ``power`` needs.
    effect: Cohen's d of the questions; NaN where they do not vary.
    """

    first: Ints
    second: Ints
    rows: Ints
    questions: Ints
    first_mean: Floats
    second_mean: Floats
    difference: Floats
    low: Floats
    high: Floats
    method: list[str]
    p: Floats
    first_better: Ints
    second_better: Ints
    error: Floats
    effect: Floats

    def matrix(self, column: Floats, diagonal: float = math.nan, *, opposite: bool = False) -> Floats:
        """A column of pairs as an array of shape (models, models), first in rows; opposite: (j, i) is minus
        (i, j)."""
        models = int(self.second[-1]) + 1
        table = np.full((models, models), diagonal)
        table[self.first, self.second] = column
        table[self.second, self.first] = -column if opposite else column
        return table


def paired_contrasts(
    values: Floats, questions: Ints, largest: float | None, confidence: float = DEFAULT_CONFIDENCE
) -> Contrasts:
    """The contrasts of all pairs.

    values: shape (rows, models), NaN where a model has no reply.
    questions: each row's question, by any number.
    largest: the largest possible difference, None for no limit.
    confidence: of the intervals. ValueError with fewer than two models, or without rows.
    """
    if values.ndim != 2 or values.shape[1] < 2 or not len(values):
        raise ValueError(f"contrasts need rows of two models or more, got an array of shape {values.shape}")
    order = np.argsort(questions, kind="stable")
    starts = np.flatnonzero(np.diff(questions[order], prepend=questions[order[0]] - 1))
    of_model = np.ascontiguousarray(values[order].T)
    first, second = np.triu_indices(len(of_model), 1)
    at_once = max(1, AT_ONCE // len(values))
    parts = [
        _of_pairs(of_model[first[block]], of_model[second[block]], starts, largest, confidence)
        for block in (slice(begin, begin + at_once) for begin in range(0, first.size, at_once))
    ]
    method = [method for part in parts for method in part.pop("method")]
    columns = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    return Contrasts(first=first, second=second, method=method, **columns)


def _of_pairs(
    firsts: Floats, seconds: Floats, starts: Ints, largest: float | None, confidence: float
) -> dict[str, list[str]]:
    """The columns of Contrasts for some pairs, of rows in the order of their questions.

    firsts, seconds: the values of either model, shape (pairs, rows).
    """
    apart = firsts - seconds
    shared = ~np.isnan(apart)
    np.copyto(apart, 0.0, where=~shared)
    counts = np.add.reduceat(shared, starts, axis=1, dtype=np.float64)
    sums = np.add.reduceat(apart, starts, axis=1)
    rows, held = counts.sum(axis=1), counts > 0
    questions = held.sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        means = np.where(held, sums / counts, 0.0)
        average = means.sum(axis=1, keepdims=True) / questions[:, None]
        spread = np.sqrt((np.where(held, means - average, 0.0) ** 2).sum(axis=1) / (questions - 1))
        effect = np.where(spread > 0, average[:, 0] / spread, math.nan)
        residuals = sums - sums.sum(axis=1, keepdims=True) / rows[:, None] * counts
        error = np.sqrt((residuals**2).sum(axis=1) * questions / (questions - 1)) / rows
        first_mean, second_mean = (
            np.where(shared, side, 0.0).sum(axis=1) / rows for side in (firsts, seconds)
        )
        total = sums.sum(axis=1)
        difference = total / rows
    totals = np.stack(
        [
            questions,
            rows,
            (counts**2).sum(axis=1),
            total,
            (sums * means).sum(axis=1),
            np.einsum("mr,mr->m", apart, apart),
            *(jackknife(sums, counts) if largest is None else ()),
        ]
    )
    enough = questions >= FEWEST_QUESTIONS
    low, high, p = np.full((3, rows.size), math.nan)
    method = np.where(rows > 0, TOO_FEW, NOTHING_SHARED).astype(object)
    if largest is None:
        ends = [_unbounded(Totals(*values), confidence) for values in totals[:, enough].T.tolist()]
        low[enough], high[enough], p[enough], method[enough] = zip(*ends, strict=True) if ends else ([],) * 4
    else:
        most = np.maximum(apart.max(axis=1), -apart.min(axis=1))[enough]
        low[enough], high[enough], p[enough], method[enough] = _bounded(
            totals[:, enough], most, largest, confidence
        )
    return {
        "rows": rows.astype(np.int64),
        "questions": questions,
        "first_mean": first_mean,
        "second_mean": second_mean,
        "difference": difference,
        "low": low,
        "high": high,
        "p": p,
        "method": method.tolist(),
        "first_better": (sums > 1e-12).sum(axis=1),
        "second_better": (sums < -1e-12).sum(axis=1),
        "error": error,
        "effect": effect,
    }


def _unbounded(totals: Totals, confidence: float) -> tuple[float, float, float, str]:
    """Interval, p and method of one pair without bounds."""
    mean = mean_of_totals(totals, None, paired=True)
    interval = mean.interval(confidence)
    return interval.low, interval.high, mean.p(), interval.method


def _bounded(
    totals: Floats, most: Floats, largest: float, confidence: float
) -> tuple[Floats, Floats, list[float], list[str]]:
    """Intervals, p and methods of pairs whose differences lie within ``largest``: to the last bit those of
    ``mean_of_totals``.

    totals: the first six fields of ``Totals``, shape (6, pairs); most: the largest difference found.
    """
    clusters, rows, sizes, total, between, squares = totals
    lowest, span = -largest, 2 * largest
    shares = np.minimum(1.0, np.maximum(0.0, (total / rows - lowest) / span))
    end = np.where(most > ROUNDING, most, largest)
    answers = effective_answers(
        np.stack(
            [
                clusters,
                rows,
                sizes,
                (total - lowest * rows) / span,
                (between - 2 * lowest * total + lowest**2 * rows) / span**2,
                (squares - 2 * lowest * total + lowest**2 * rows) / span**2,
            ]
        ),
        ((-end - lowest) / span, (end - lowest) / span),
    )
    low, high, method = wilsons(shares * answers, answers, confidence)
    far = np.abs(shares - 0.5) / np.sqrt(0.25 / answers) / math.sqrt(2)
    return lowest + span * low, lowest + span * high, [math.erfc(each) for each in far.tolist()], method


@dataclass(frozen=True, slots=True)
class Ranks:
    """One entry per model: its rank (1 is best; ties share the better one), and the ranks that it may have.

    low, high: one more than the models that are significantly better, and how many models less those that are
    significantly worse; low is the better. level: whether no contrast tells it apart from a model of rank 1.
    """

    rank: list[int]
    low: list[int]
    high: list[int]
    level: list[bool]


def ranks_of_pairs(difference: Floats, p: Floats, alpha: float = 0.05) -> Ranks:
    """Ranks from the contrasts of all pairs (``pairwise.Contrasts.matrix``), each on the rows that the two
    share.

    difference: shape (models, models), first minus second, NaN on the diagonal and where two share nothing;
    p: the same of the two-sided p, corrected for all pairs (``corrections.holm``), NaN where it is undefined.
    A model's rank is that of its mean difference from the models that it shares rows with, itself included:
    where all share the same rows, that of its score.
    """
    with np.errstate(invalid="ignore"):
        significant = p < alpha
        better, worse = (
            (significant & (difference < 0)).sum(axis=1),
            (significant & (difference > 0)).sum(axis=1),
        )
    shared = ~np.isnan(difference)
    scores = np.round(np.where(shared, difference, 0.0).sum(axis=1) / (shared.sum(axis=1) + 1), 12)
    low, high = 1 + better, len(scores) - worse
    rank = np.clip([1 + (scores > score).sum() for score in scores], low, high)
    first = rank == rank.min()
    level = first | (~significant[:, first]).any(axis=1)
    return Ranks(rank.tolist(), low.tolist(), high.tolist(), level.tolist())
