"""From judgements to scores: fixed denominators, counts of every state, and an interval for each number."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from folkways.cultures import get_culture
from folkways.records import (
    CUT,
    LEFT_OUT,
    SCORES,
    Metric,
    State,
    by_slices,
    chosen_rows,
    require_columns,
    without_nan,
)
from folkways.stats.clusters import clustered_mean, effective_number
from folkways.stats.intervals import Interval, cluster_totals

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

DENSE = 8
"""Cells per row up to which a table of all groups by all questions is made; beyond it, cells are sorted."""


@dataclass(frozen=True)
class Cells:
    """The questions of each group, as runs of cells one after the other.

    pairs: of each cell, in order: its group times the number of questions, plus its question. rows: number of
    rows of each cell. first: index of each group's first cell; one entry more than groups.
    """

    pairs: Ints
    rows: Floats
    first: Ints
    _table: Ints | None

    @classmethod
    def of(cls, parts: Iterable[Ints], n_rows: int, n_groups: int, n_questions: int) -> Cells:
        """The cells of rows.

        parts: the pair of each row, some rows at a time. n_rows, n_groups, n_questions: how many there are.
        """
        if n_groups * n_questions <= DENSE * max(1, n_rows):
            counts = np.zeros(n_groups * n_questions, dtype=np.int64)
            for part in parts:
                counts += np.bincount(part, minlength=counts.size)
            pairs = np.flatnonzero(counts)
            table = np.empty(counts.size, dtype=np.int64)
            table[pairs] = np.arange(pairs.size)
            rows = counts[pairs]
        else:
            table = None
            counted = [np.unique(part, return_counts=True) for part in (np.zeros(0, np.int64), *parts)]
            pairs, of_part = np.unique(np.concatenate([some for some, _ in counted]), return_inverse=True)
            rows = np.bincount(of_part, weights=np.concatenate([number for _, number in counted]))
        first = np.searchsorted(pairs, np.arange(n_groups + 1) * n_questions)
        return cls(pairs, rows.astype(np.float64), first, table)

    def of_rows(self, pairs: Ints) -> Ints:
        """The cell of each row, by its pair."""
        return np.searchsorted(self.pairs, pairs) if self._table is None else self._table[pairs]


def state_counts(groups: Ints, states: npt.NDArray[np.integer[Any]], n_groups: int, n_states: int) -> Ints:
    """How many rows of each group are in each state: shape (groups, states).

    groups, states: numbers from 0, one of each per row.
    n_groups, n_states: how many there are.
    """
    return np.bincount(groups * n_states + states, minlength=n_groups * n_states).reshape(n_groups, n_states)


SCORE_COLUMNS = [name for name in SCORES if name not in ("endpoint", "profile", "signature")]

BASE_GROUPINGS: tuple[tuple[str, ...], ...] = (
    (),
    ("culture",),
    ("language",),
    ("culture", "language"),
    ("variant",),
)
"""What every task's scores are grouped by; each facet of the task joins these alone. ``()`` is the whole."""


NOT_REACHED = "no reply"
"""The interval of a score without any reply: there is no number, and nothing is known."""

ALL_LEFT_OUT = "all left out"
"""The interval of a score whose rule leaves every reply out: there is no number either."""

UNEQUAL = 0.5
"""Scores show the effective number of questions if it is below this share of their number."""

ASKED_IN = "asked_in"
"""A facet for tasks that ask about a culture in its own language and in another: the one that a row was asked
in."""

CONDITION, AS_IT_IS = "condition", "as it is"
"""A facet of questions of opinion: what all wordings of a prompt say besides the question (``country``), or
AS_IT_IS."""

LOCAL, ENGLISH, ANOTHER = "local language", "English", "another language"

Numbers = npt.NDArray[np.integer[Any]]
"""Whole numbers, in as few bytes as they need."""

_STATES = [str(state) for state in State]
_LOST = [_STATES.index(State.FAILED), _STATES.index(State.MISSING)]
_REPLIED = np.array([number not in _LOST for number in range(len(_STATES))])


SLICE = 50_000
"""Judgements that are looked at together."""

FEW = 1_000
"""Rows up to which Python numbers the groups sooner than a query is planned."""


def with_asked_in(judgements: pl.DataFrame) -> pl.DataFrame:
    """The judgements with ASKED_IN: LOCAL for a language of the culture (English in the United States), else
    ENGLISH or ANOTHER."""
    pairs = _different(judgements.select("culture", "language"))
    labels = [
        LOCAL if language in get_culture(culture).languages else ENGLISH if language == "en" else ANOTHER
        for culture, language in pairs.cast(pl.String).iter_rows()
    ]
    named = pairs.with_columns(pl.Series(ASKED_IN, labels, dtype=pl.Enum([LOCAL, ENGLISH, ANOTHER])))
    # Of these two columns and some rows at a time: a join of a million would take twice what they do.
    asked_in = by_slices(
        judgements.select("culture", "language"),
        SLICE,
        lambda rows: rows.join(
            named, on=["culture", "language"], how="left", maintain_order="left", nulls_equal=True
        ),
    )
    return judgements.with_columns(asked_in[ASKED_IN])


def summarise_means(
    judgements: pl.DataFrame,
    task: str,
    metrics: Sequence[Metric],
    facets: Iterable[str],
    groupings: Sequence[tuple[str, ...]] = BASE_GROUPINGS,
) -> pl.DataFrame:
    """Mean of each metric over the counted rows, for the whole and for each group: SCORE_COLUMNS of
    records.SCORES.

    judgements: of one endpoint and profile.
    task: its name.
    metrics: those without a column are left out (they were not computed).
    facets: columns that the rows are grouped by, each alone.
    groupings: columns that the rows are grouped by together; ``()`` is the whole.

    A judgement whose metric is null does not belong to that metric's denominator (the metric does not apply
    to the item). Refused, unreadable, failed and missing rows have the metric's value for them, normally 0,
    so the denominator never shrinks. If the rule itself leaves replies out (the column records.LEFT_OUT has
    the reason, for metrics with ``leaves_out``), these rows stay in ``n`` and in the counts of states, the
    score is the mean over the others, and ``coverage`` is the share of those. A score is null if none of its
    rows got a reply or counts. Groups with only one value (one language, say) repeat the whole and are left
    out, except culture; so are groups in which a metric applies to no row.

    Raises DataError for a missing column.
    """
    grouped_by = [*dict.fromkeys([*groupings, *((facet,) for facet in facets)])]
    needed = {"question", "counted", "state", *(column for grouping in grouped_by for column in grouping)}
    require_columns(judgements, dict.fromkeys(sorted(needed), pl.String), "judgements")
    computed = [metric for metric in metrics if metric.name in judgements.columns]
    reasons = (
        pl.col(LEFT_OUT) if LEFT_OUT in judgements.columns else pl.lit(None, pl.Categorical).alias(LEFT_OUT)
    )
    cut = pl.col(CUT) if CUT in judgements.columns else pl.lit(False).alias(CUT)
    counted = judgements.select(*sorted(needed), reasons, cut, *(metric.name for metric in computed))
    counted = chosen_rows(counted, counted["counted"])
    columns = _Columns.of(counted, computed)
    rows: list[dict[str, object]] = []
    for grouping in grouped_by:
        names, groups = _grouped(counted, grouping)
        facet = "+".join(grouping) or "all"
        scored = _scores(columns, groups, len(names))
        for number, name in enumerate(names):
            for metric in computed:
                score = scored[metric.name][number]
                if score["n"] or not grouping:
                    rows.append({"task": task, "metric": metric.name, "facet": facet, "value": name, **score})
    return without_nan(pl.DataFrame(rows, schema={name: SCORES[name] for name in SCORE_COLUMNS}))


def interval_of_mean(values: Floats, questions: Ints, metric: Metric) -> Interval:
    """The interval of a mean of rows grouped in questions, as scores have it (``clusters.clustered_mean``).

    values, questions: one entry per row, with a number for each question. Zeros and ones with a question
        per row have Wilson's interval; NaN without rows.
    """
    sums, counts = cluster_totals(values, questions)
    return _interval(sums, counts, float(values @ values), metric)


def _interval(sums: Floats, counts: Floats, squares: float, metric: Metric) -> Interval:
    if not counts.size:
        return Interval(math.nan, math.nan, NOT_REACHED)
    interval = clustered_mean(sums, counts, squares, metric.bounds).interval()
    plain = math.isnan(interval.low) or (counts == 1).all()
    return interval if plain else Interval(interval.low, interval.high, f"{interval.method} by question")


@dataclass(frozen=True)
class _Columns:
    """The counted judgements as arrays, one entry per row."""

    counted: pl.DataFrame
    questions: Numbers  # in the order of the questions' names, so that row order does not matter
    n_questions: int
    states: Numbers  # positions in _STATES
    cut: npt.NDArray[np.bool_]  # whether the token limit cut the reply
    why: Sequence[str]  # the reasons for which the rule leaves rows out
    reasons: Numbers  # positions in ``why``, 0 for rows that no metric leaves out
    # metrics of the same rows: those scored, and those left out
    together: Sequence[tuple[Sequence[Metric], Numbers, Numbers]]

    @classmethod
    def of(cls, counted: pl.DataFrame, metrics: Sequence[Metric]) -> _Columns:
        names = _different(counted.select("question"))["question"].cast(pl.String).sort().to_list()
        left_out, why = counted[LEFT_OUT], [""]
        reasons: Numbers = np.zeros(counted.height, dtype=np.uint8)
        if left_out.null_count() < counted.height:
            why = ["", *left_out.drop_nulls().unique().cast(pl.String).sort()]
            reasons = _numbered(left_out.cast(pl.Enum(why)).fill_null(""), why)
        together: dict[tuple[bytes, bool], tuple[list[Metric], Numbers, Numbers]] = {}
        for metric in metrics:
            scored = counted[metric.name].is_not_null().to_numpy()
            out = ~scored & (reasons > 0) & metric.leaves_out
            alike = (np.packbits(scored).tobytes(), bool(out.any()))
            if alike not in together:
                together[alike] = (
                    [],
                    np.flatnonzero(scored).astype(np.int32),
                    np.flatnonzero(out).astype(np.int32),
                )
            together[alike][0].append(metric)
        return cls(
            counted=counted,
            questions=_numbered(counted["question"], names),
            n_questions=len(names),
            states=_numbered(counted["state"], _STATES),
            cut=counted[CUT].fill_null(False).to_numpy(),
            why=why,
            reasons=reasons,
            together=list(together.values()),
        )

    def values(self, metric: Metric, rows: Numbers) -> Floats:
        """Of these rows, which are in order and have values, one at least. Computed at each use: those of all
        metrics and rows at once would take more memory than everything else."""
        start = int(rows[0])
        values = self.counted[metric.name][start : int(rows[-1]) + 1]
        return values.cast(pl.Float64).to_numpy()[rows - start]


def _numbered(column: pl.Series, names: Sequence[str]) -> Numbers:
    if len(column) <= FEW:
        numbers = {name: number for number, name in enumerate(names)}
        return np.array([numbers[name] for name in column.to_list()], dtype=np.int32)
    return column.cast(pl.Enum(names)).to_physical().to_numpy()


def _grouped(counted: pl.DataFrame, grouping: tuple[str, ...]) -> tuple[list[str], Numbers]:
    """The groups' names ("KR+ko") and each row's group, -1 for rows that lack a value and are in none."""
    if not grouping:
        return ["all"], np.zeros(counted.height, dtype=np.int32)
    if grouping != ("culture",) and any(counted[column].n_unique() < 2 for column in grouping):
        return [], np.full(counted.height, -1, dtype=np.int32)
    if counted.height <= FEW:
        of_rows = list(zip(*(counted[column].to_list() for column in grouping), strict=True))
        different = (key for key in dict.fromkeys(of_rows) if None not in key)
        numbers = {key: number for number, key in enumerate(different)}
        labels = ["+".join(map(str, key)) for key in numbers]
        return labels, np.array([numbers.get(key, -1) for key in of_rows], dtype=np.int32)
    keys = counted.select(grouping)
    names = _different(keys).drop_nulls().with_row_index("__group")
    rows = by_slices(
        keys,
        SLICE,
        lambda part: (
            part.lazy()
            .join(names.lazy(), on=grouping, how="left", maintain_order="left")
            .select(pl.col("__group").cast(pl.Int32).fill_null(-1))
            .collect()
        ),
    )
    labels = ["+".join(str(part) for part in key) for key in names.select(grouping).iter_rows()]
    return labels, rows["__group"].to_numpy()


def _different(rows: pl.DataFrame) -> pl.DataFrame:
    """The rows that differ, in the order of the first of each."""
    of_slices = by_slices(rows, SLICE, lambda part: part.unique(maintain_order=True))
    return of_slices if rows.height <= SLICE else of_slices.unique(maintain_order=True)


def _scores(columns: _Columns, groups: Numbers, n_groups: int) -> dict[str, list[dict[str, object]]]:
    """Metric -> the score of each group."""
    by_metric: dict[str, list[dict[str, object]]] = {}
    for metrics, scored, unscored in columns.together:
        rows, out = scored[groups[scored] >= 0], unscored[groups[unscored] >= 0]
        parts = [rows[start : start + SLICE] for start in range(0, rows.size, SLICE)]

        def pairs(part: Numbers) -> Ints:
            return groups[part].astype(np.int64) * columns.n_questions + columns.questions[part]

        cells = Cells.of(map(pairs, parts), rows.size, n_groups, columns.n_questions)
        sums = {metric.name: np.zeros(cells.rows.size) for metric in metrics}
        squares, reached = ({metric.name: np.zeros(n_groups) for metric in metrics} for _ in range(2))
        counts = np.zeros((n_groups, len(_STATES)), dtype=np.int64)
        cut = np.bincount(groups[out][columns.cut[out]], minlength=n_groups)
        for part in parts:
            of_row, states = groups[part].astype(np.int64), columns.states[part]
            of_cell = cells.of_rows(pairs(part))
            counts += state_counts(of_row, states, n_groups, len(_STATES))
            cut += np.bincount(of_row[columns.cut[part]], minlength=n_groups)
            replied = _REPLIED[states]
            for metric in metrics:
                values = columns.values(metric, part)
                np.add.at(sums[metric.name], of_cell, values)
                np.add.at(squares[metric.name], of_row, values * values)
                np.add.at(reached[metric.name], of_row[replied], values[replied])
        of_out = groups[out].astype(np.int64)
        counts_out = state_counts(of_out, columns.states[out], n_groups, len(_STATES))
        why = state_counts(of_out, columns.reasons[out], n_groups, len(columns.why))
        left = [
            _LeftOutCounts(
                counts_out[group],
                {name: int(why[group, at]) for at, name in enumerate(columns.why) if why[group, at]},
            )
            for group in range(n_groups)
        ]
        for metric in metrics:
            by_metric[metric.name] = [
                {"cut": int(cut[group])}
                | _score(
                    metric,
                    sums[metric.name][first:end],
                    cells.rows[first:end],
                    float(squares[metric.name][group]),
                    float(reached[metric.name][group]),
                    counts[group],
                    left[group],
                )
                for group, (first, end) in enumerate(pairwise(cells.first))
            ]
    return by_metric


@dataclass(frozen=True)
class _LeftOutCounts:
    """Rows that the rule leaves out of a score: how many are in each state, and how many have which
    reason."""

    states: Ints
    why: Mapping[str, int]


def _score(
    metric: Metric,
    sums: Floats,
    rows: Floats,
    squares: float,
    reached: float,
    states: Ints,
    left_out: _LeftOutCounts,
) -> dict[str, object]:
    scored, lost = int(states.sum()), int(states[_LOST].sum())
    out = sum(left_out.why.values())
    n = scored + out
    interval = _interval(sums, rows, squares, metric)
    if lost == scored:  # nobody said anything that counts
        interval = Interval(math.nan, math.nan, ALL_LEFT_OUT if out else NOT_REACHED)
    effective = effective_number(rows) if scored else 0.0
    best = lost * (math.nan if metric.best is None else metric.best) if lost else 0.0
    return {
        "score": float(sums.sum()) / scored * metric.scale if lost < scored else math.nan,
        "low": interval.low * metric.scale,
        "high": interval.high * metric.scale,
        "interval": interval.method,
        "n": n,
        "questions": rows.size,
        "effective_questions": effective if effective < UNEQUAL * rows.size else None,
        **{state: int(states[index] + left_out.states[index]) for index, state in enumerate(_STATES)},
        "left_out": out,
        "why_left_out": json.dumps(left_out.why, ensure_ascii=False) if out else None,
        "coverage": (scored - lost) / n if n else 0.0,
        "at_best": (reached + best) / scored * metric.scale if scored else math.nan,
    }
