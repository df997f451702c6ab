"""Every model less every other, on the rows that both replied to: paired by row, clustered by question, all
pairs at once; and how far the pairs leave each model's rank open.

A third model never changes the contrast of two. ``clusters.clustered_difference`` says what interval and test
are."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from folkways.stats.clusters import (
    ROUNDING,
    Totals,
    effective_answers,
    jackknife,
    mean_of_totals,
    without_rounding,
)
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
    effect: Cohen's d of the questions, which count alike even where groups do; NaN where they do not
        vary.
    error: standard error that p is made of; NaN without one.
    clusters: effective number of questions.
    mean_square: of the differences of rows.
    most: the largest difference found, up or down.
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
    effect: Floats
    error: Floats
    clusters: Floats
    mean_square: Floats
    most: Floats

    def matrix(self, column: Floats, diagonal: float = math.nan, *, opposite: bool = False) -> Floats:
        """A column of pairs as an array of shape (models, models), first in rows; opposite: (j, i) is minus
        (i, j)."""
        models = int(self.second[-1]) + 1
        table = np.full((models, models), diagonal)
        table[self.first, self.second] = column
        table[self.second, self.first] = -column if opposite else column
        return table


def paired_contrasts(
    values: Floats,
    questions: Ints,
    largest: float | None,
    confidence: float = DEFAULT_CONFIDENCE,
    groups: Ints | None = None,
) -> Contrasts:
    """The contrasts of all pairs.

    values: shape (rows, models), NaN where a model has no reply.
    questions: each row's question, by any number.
    largest: the largest possible difference, None for no limit.
    confidence: of the intervals. ValueError with fewer than two models, or without rows.
    groups: each row's group, from 0 on, where every group counts alike, however many rows of it two models
        share; None where every row does.
    """
    if values.ndim != 2 or values.shape[1] < 2 or not len(values):
        raise ValueError(f"contrasts need rows of two models or more, got an array of shape {values.shape}")
    order = np.argsort(questions, kind="stable")
    starts = np.flatnonzero(np.diff(questions[order], prepend=questions[order[0]] - 1))
    of_model = np.ascontiguousarray(values[order].T)
    members = None if groups is None else np.eye(groups.max() + 1)[groups[order]]
    first, second = np.triu_indices(len(of_model), 1)
    at_once = max(1, AT_ONCE // len(values))
    parts = [
        _of_pairs(of_model[first[block]], of_model[second[block]], starts, largest, confidence, members)
        for block in (slice(begin, begin + at_once) for begin in range(0, first.size, at_once))
    ]
    method = [method for part in parts for method in part.pop("method")]
    columns = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    return Contrasts(first=first, second=second, method=method, **columns)


def _of_pairs(
    firsts: Floats,
    seconds: Floats,
    starts: Ints,
    largest: float | None,
    confidence: float,
    members: Floats | None,
) -> dict[str, list[str]]:
    """The columns of Contrasts for some pairs, of rows in the order of their questions.

    firsts, seconds: the values of either model, shape (pairs, rows). members: 1 for each row's group, shape
    (rows, groups).
    """
    apart = firsts - seconds
    shared = ~np.isnan(apart)
    np.copyto(apart, 0.0, where=~shared)
    counts = np.add.reduceat(shared, starts, axis=1, dtype=np.float64)
    better = np.add.reduceat(apart, starts, axis=1)
    most = np.maximum(apart.max(axis=1), -apart.min(axis=1))
    least = np.zeros(len(apart)) if members is None else _spread_of_groups(apart, shared, members)
    if members is not None:
        apart = _with_groups_alike(apart, shared, members)
    sums = better if members is None else np.add.reduceat(apart, starts, axis=1)
    rows, nonempty = counts.sum(axis=1), counts > 0
    questions = nonempty.sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        means = np.where(nonempty, sums / counts, 0.0)
        of_question = means if members is None else np.where(nonempty, better / counts, 0.0)
        average = of_question.sum(axis=1, keepdims=True) / questions[:, None]
        spread = np.sqrt((np.where(nonempty, of_question - average, 0.0) ** 2).sum(axis=1) / (questions - 1))
        effect = np.where(spread > ROUNDING, average[:, 0] / spread, math.nan)
        first_mean, second_mean = (
            np.where(shared, side, 0.0).sum(axis=1) / rows
            if members is None
            else _group_means(np.where(shared, side, 0.0), shared, members)[1]
            for side in (firsts, seconds)
        )
        total, sizes, squares = sums.sum(axis=1), (counts**2).sum(axis=1), np.einsum("mr,mr->m", apart, apart)
        between = (sums * means).sum(axis=1)
        lacking = np.maximum(0.0, least - np.maximum(0.0, squares - total**2 / rows))
        between = between + lacking * np.where(squares > 0, between / squares, 1.0)
        squares = squares + lacking
        difference, clusters, mean_square = total / rows, rows**2 / sizes, squares / rows
    totals = np.stack(
        [
            questions,
            rows,
            sizes,
            total,
            between,
            squares,
            *(jackknife(sums, counts) if largest is None else ()),
        ]
    )
    enough = questions >= FEWEST_QUESTIONS
    low, high, p, error = np.full((4, rows.size), math.nan)
    method = np.where(rows > 0, TOO_FEW, NOTHING_SHARED).astype(object)
    if largest is None:
        ends = [_unbounded(Totals(*values), confidence) for values in totals[:, enough].T.tolist()]
        low[enough], high[enough], p[enough], method[enough] = zip(*ends, strict=True) if ends else ([],) * 4
        error = np.where(np.isnan(p), math.nan, totals[-2])
    else:
        bound = np.maximum(largest, np.abs(apart[enough]).max(axis=1))
        low[enough], high[enough], p[enough], method[enough], error[enough] = _bounded(
            totals[:, enough], most[enough], bound, confidence
        )
        low, high = np.clip(low, -largest, largest), np.clip(high, -largest, largest)
    return {
        "rows": rows.astype(np.int64),
        "questions": questions,
        "first_mean": first_mean,
        "second_mean": second_mean,
        "difference": without_rounding(difference),
        "low": low,
        "high": high,
        "p": p,
        "method": method.tolist(),
        "first_better": (better > ROUNDING).sum(axis=1),
        "second_better": (better < -ROUNDING).sum(axis=1),
        "effect": effect,
        "error": error,
        "clusters": clusters,
        "mean_square": mean_square,
        "most": most,
    }


def _group_means(values: Floats, shared: npt.NDArray[np.bool_], members: Floats) -> tuple[Floats, Floats]:
    """The mean of each group over the shared rows of each pair, NaN where it has none, and the mean of
    these."""
    with np.errstate(divide="ignore", invalid="ignore"):
        means = (values @ members) / (shared @ members)
        return means, np.nansum(means, axis=1) / (~np.isnan(means)).sum(axis=1)


def _with_groups_alike(apart: Floats, shared: npt.NDArray[np.bool_], members: Floats) -> Floats:
    """The differences, changed so that their mean is the mean of the groups' means: each is farther from its
    group's mean the fewer rows this has, by what a row then weighs. Unchanged where groups are equally
    large."""
    means, mean = _group_means(apart, shared, members)
    sizes = shared @ members
    with np.errstate(divide="ignore", invalid="ignore"):
        weight = (shared.sum(axis=1) / (sizes > 0).sum(axis=1))[:, None] / sizes
        pooled = apart.sum(axis=1) / shared.sum(axis=1)
    of_group = np.nan_to_num(np.stack([weight, means * (1 - weight)]), posinf=0.0) @ members.T
    return np.where(shared, of_group[0] * apart + of_group[1] + (mean - pooled)[:, None], 0.0)


def _spread_of_groups(apart: Floats, shared: npt.NDArray[np.bool_], members: Floats) -> Floats:
    """The least sum of squares of what ``_with_groups_alike`` gives, one per pair; 0 where groups are equally
    large.

    A small group's rows weigh much and are near their own mean, a single row at it, so that few rows that
    happen to be alike would tell as much as many. Each group's variance is unbiased, with one imagined degree
    of freedom that has the variance of all rows, or the mean of the groups' if that is larger.
    """
    sizes = shared @ members
    means, _ = _group_means(apart, shared, members)
    rows, squares = shared.sum(axis=1), apart**2
    with np.errstate(divide="ignore", invalid="ignore"):
        inside = np.maximum(0.0, np.nan_to_num(squares @ members - sizes * means**2))
        overall = (squares.sum(axis=1) - apart.sum(axis=1) ** 2 / rows) / rows
        average = np.where(sizes > 1, inside / (sizes - 1), 0.0).sum(axis=1) / (sizes > 1).sum(axis=1)
        variance = (inside + np.fmax(overall, average)[:, None]) / sizes
        weight = (rows / (sizes > 0).sum(axis=1))[:, None] / sizes
        alike = ((sizes == 0) | (np.abs(weight - 1) < ROUNDING)).all(axis=1)
        spread = np.where(sizes > 0, weight**2 * sizes * variance, 0.0).sum(axis=1)
    return np.where(alike, 0.0, spread)


def _unbounded(totals: Totals, confidence: float) -> tuple[float, float, float, str]:
    """Interval, p and method of one pair without bounds."""
    mean = mean_of_totals(totals, None, paired=True)
    interval = mean.interval(confidence)
    return interval.low, interval.high, mean.p(), interval.method


def _bounded(
    totals: Floats, most: Floats, largest: Floats, confidence: float
) -> tuple[Floats, Floats, list[float], list[str], Floats]:
    """Intervals, p, methods and errors of pairs whose differences lie within ``largest``: to the last bit
    those of ``mean_of_totals``.

    totals: the first six fields of ``Totals``, shape (6, pairs); most: the largest difference found; largest:
    that of each pair, which what rows weigh makes larger.
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
    error = np.sqrt(0.25 / answers)
    p = [math.erfc(each) for each in (np.abs(shares - 0.5) / error / math.sqrt(2)).tolist()]
    return lowest + span * low, lowest + span * high, p, method, span * error


DEFAULT_POWER = 0.8

HALVINGS = 40


def detectable_differences(
    pairs: Contrasts, largest: float | None, alpha: float, power: float = DEFAULT_POWER
) -> Floats:
    """For each pair the true difference that these questions would find, with a p below ``alpha``, with the
    chance ``power`` or more.

    pairs: of models. largest: as of ``paired_contrasts``. The difference is as large as alpha's quantile
    times the error of the test, and power's times its own, both as they would be at that
    difference (Cohen 1988): it makes some questions differ by the largest difference found, whatever they
    did, and these errors grow with it. NaN without an interval, where no question differs (nothing tells how
    much differences vary), and where not even the largest difference is found so often.
    """
    from scipy.special import ndtri, stdtrit

    if largest is None:
        freedom = pairs.clusters - 1
        return np.asarray((stdtrit(freedom, 1 - alpha / 2) + stdtrit(freedom, power)) * pairs.error)
    imagined = 2 / (pairs.questions + 2)

    def variance(difference: Floats, mean_square: Floats, most: Floats) -> Floats:
        """Of the test, in units of ``unit``: with the two imagined questions."""
        drawn = difference * (1 - imagined)
        varies = mean_square * (1 - imagined) + most**2 * imagined - drawn**2
        return np.asarray(varies / (1 - (drawn / largest) ** 2))

    differs = pairs.most > ROUNDING
    with np.errstate(invalid="ignore"):
        now = variance(pairs.difference, pairs.mean_square, pairs.most)
        unit = np.where(differs, pairs.error, math.nan) ** 2 / np.where(differs, now, 1.0)

    def is_found(difference: Floats) -> npt.NDArray[np.bool_]:
        most = np.maximum(pairs.most, difference)
        mean_square = pairs.mean_square * (1 - difference / most) + difference * most
        of_test = np.sqrt(unit * variance(difference, mean_square, most))
        of_itself = np.sqrt(unit * np.maximum(0.0, mean_square - difference**2))
        return np.asarray(difference >= ndtri(1 - alpha / 2) * of_test + ndtri(power) * of_itself)

    low, high = np.zeros(unit.size), np.full(unit.size, largest)
    detectable = is_found(high)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        enough = is_found(middle)
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    return np.where(detectable, high, math.nan)


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
