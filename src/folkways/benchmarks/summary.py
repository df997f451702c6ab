"""From judgements to scores: fixed denominators, counts of every state, and an interval for each number."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from folkways.records import SCORES, Metric, State, require_columns
from folkways.stats.intervals import Interval, clustered_bootstrap, clustered_normal, wilson

SCORE_COLUMNS = [name for name in SCORES if name not in ("endpoint", "profile", "signature")]

BASE_GROUPINGS: tuple[tuple[str, ...], ...] = (
    (),
    ("culture",),
    ("language",),
    ("culture", "language"),
    ("variant",),
)
"""What every task's scores are grouped by; each facet of the task joins these alone. ``()`` is the whole."""


NORMAL_FROM = 10_000
"""From this many questions on, the normal interval stands in for the bootstrap, which it equals to the second digit by then."""

_STATES = [str(state) for state in State]
_LOST = [_STATES.index(State.FAILED), _STATES.index(State.MISSING)]


def summarise_means(
    judgements: pl.DataFrame,
    task: str,
    metrics: Sequence[Metric],
    facets: Iterable[str],
    groupings: Sequence[tuple[str, ...]] = BASE_GROUPINGS,
) -> pl.DataFrame:
    """Mean of each metric over the counted rows, for the whole and for each group: SCORE_COLUMNS of records.SCORES.

    A judgement whose metric is null does not belong to that metric's denominator (the metric does not apply to the item); refused,
    unreadable, failed and missing rows carry the metric's value for them, normally 0, so the denominator never shrinks. Groups that
    have only one value (a single language, say) repeat the whole and are left out, except culture; so are groups in which a metric
    applies to no row. A metric without a column is left out (it was not computed). Raises DataError for a missing column.
    """
    grouped_by = [*dict.fromkeys([*groupings, *((facet,) for facet in facets)])]
    needed = {"question", "counted", "state", *(column for grouping in grouped_by for column in grouping)}
    require_columns(judgements, dict.fromkeys(sorted(needed), pl.String), "judgements")
    known = [metric for metric in metrics if metric.name in judgements.columns]
    counted = judgements.select(*sorted(needed), *(metric.name for metric in known)).filter(pl.col("counted"))
    columns = _Columns.of(counted, known)
    rows = [
        _score(task, metric, "+".join(grouping) or "all", value, columns, members)
        for grouping in grouped_by
        for value, members in _groups(counted, grouping)
        for metric in columns.metrics
        if not grouping or columns.applies[metric.name][members].any()
    ]
    return pl.DataFrame(rows, schema={name: SCORES[name] for name in SCORE_COLUMNS})


def interval_of_mean(values: npt.NDArray[np.float64], questions: npt.NDArray[np.int64], metric: Metric) -> Interval:
    """Wilson where rows are independent zeros and ones (one row per question); else clustered by question.

    values, questions: one entry per row, with a number for each question. Values that are all the same, or proportions of a single
    question, do not vary in any resample, and a bootstrap would pretend to be certain: Wilson over the number of questions is used
    there, which for values between 0 and 1 can only be too wide. Other means of a single question have no interval (NaN).
    """
    n = values.size
    n_questions = np.unique(questions).size
    if metric.kind == "proportion":
        total = float(values.sum())
        if n_questions == n:
            return wilson(total, n)
    same = n > 0 and values.min() == values.max() and 0.0 <= values[0] <= 1.0
    if (metric.kind == "proportion" and n_questions == 1) or (same and n_questions > 1):
        bound = wilson(min(1.0, float(values.mean())) * n_questions, n_questions)
        return Interval(bound.low, bound.high, f"{bound.method} by question")
    if n_questions >= NORMAL_FROM:
        return clustered_normal(values, questions)
    return clustered_bootstrap(values, questions)


@dataclass(frozen=True)
class _Columns:
    """The counted judgements as arrays, one entry per row; scoring many groups from arrays spares as many small frames."""

    metrics: Sequence[Metric]
    questions: npt.NDArray[np.int64]  # numbers in the order of the questions' names, so that row order does not matter
    states: npt.NDArray[np.int64]  # positions in _STATES
    values: Mapping[str, npt.NDArray[np.float64]]
    applies: Mapping[str, npt.NDArray[np.bool_]]

    @classmethod
    def of(cls, counted: pl.DataFrame, metrics: Sequence[Metric]) -> _Columns:
        return cls(
            metrics=metrics,
            questions=_numbered(counted["question"], counted["question"].unique().sort().to_list()),
            states=_numbered(counted["state"], _STATES),
            values={metric.name: counted[metric.name].cast(pl.Float64).fill_null(0.0).to_numpy() for metric in metrics},
            applies={metric.name: counted[metric.name].is_not_null().to_numpy() for metric in metrics},
        )


def _numbered(column: pl.Series, names: Sequence[str]) -> npt.NDArray[np.int64]:
    return column.cast(pl.Enum(names)).to_physical().cast(pl.Int64).to_numpy()


def _groups(counted: pl.DataFrame, grouping: tuple[str, ...]) -> Iterator[tuple[str, npt.NDArray[np.int64]]]:
    """Each group's name ("KR+ko") and its rows; rows without a value for the grouping are in none."""
    if not grouping:
        yield "all", np.arange(counted.height)
        return
    if grouping != ("culture",) and any(counted[column].n_unique() < 2 for column in grouping):
        return
    rows = counted.select(*grouping, __row=pl.int_range(pl.len(), dtype=pl.Int64)).drop_nulls()
    grouped = rows.group_by(list(grouping), maintain_order=True).agg("__row")
    for key, members in zip(grouped.select(grouping).iter_rows(), grouped["__row"], strict=True):
        yield "+".join(str(part) for part in key), members.to_numpy()


def _score(
    task: str, metric: Metric, facet: str, value: str, columns: _Columns, members: npt.NDArray[np.int64]
) -> dict[str, object]:
    scored = members[columns.applies[metric.name][members]]
    values = columns.values[metric.name][scored]
    states = np.bincount(columns.states[scored], minlength=len(_STATES))
    n = scored.size
    lost = int(states[_LOST].sum())
    reached = float(values[~np.isin(columns.states[scored], _LOST)].sum())
    interval = interval_of_mean(values, columns.questions[scored], metric)
    return {
        "task": task,
        "metric": metric.name,
        "facet": facet,
        "value": value,
        "score": float(values.sum()) / n * metric.scale if n else float("nan"),
        "low": interval.low * metric.scale,
        "high": interval.high * metric.scale,
        "interval": interval.method,
        "n": n,
        "questions": np.unique(columns.questions[scored]).size,
        **{state.value: int(count) for state, count in zip(State, states, strict=True)},
        "coverage": (n - lost) / n if n else 0.0,
        "at_best": (reached + lost) / n * metric.scale if n else float("nan"),
    }
