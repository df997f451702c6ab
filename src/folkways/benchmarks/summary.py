"""From judgements to scores: fixed denominators, counts of every state, and an interval for each number."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import polars as pl

from folkways.records import SCORES, Metric, State, require_columns
from folkways.stats.intervals import Interval, clustered_bootstrap, wilson

SCORE_COLUMNS = [name for name in SCORES if name not in ("endpoint", "profile", "signature")]

BASE_GROUPINGS: tuple[tuple[str, ...], ...] = (
    (),
    ("culture",),
    ("language",),
    ("culture", "language"),
    ("variant",),
)
"""What every task's scores are grouped by; each facet of the task joins these alone. ``()`` is the whole."""


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
    have only one value (a single language, say) repeat the whole and are left out, except culture.
    """
    require_columns(judgements, {"culture": pl.String, "question": pl.String, "counted": pl.Boolean}, "judgements")
    counted = judgements.filter(pl.col("counted"))
    rows: list[dict[str, object]] = []
    for grouping in [*groupings, *((facet,) for facet in facets)]:
        if grouping and grouping != ("culture",) and any(counted[column].n_unique() < 2 for column in grouping):
            continue
        groups = (
            [(("all",), counted)] if not grouping else counted.group_by(list(grouping), maintain_order=True)  # type: ignore[list-item]
        )
        for key, group in groups:
            if any(part is None for part in key):
                continue
            value = "+".join(str(part) for part in key)
            facet = "+".join(grouping) or "all"
            rows += [_score(task, metric, facet, value, group) for metric in metrics if metric.name in group.columns]
    return pl.DataFrame(rows, schema={name: SCORES[name] for name in SCORE_COLUMNS})


def _score(task: str, metric: Metric, facet: str, value: str, group: pl.DataFrame) -> dict[str, object]:
    scored = group.filter(pl.col(metric.name).is_not_null())
    n = scored.height
    states = dict(scored.group_by("state").len().iter_rows())
    lost = states.get(State.FAILED, 0) + states.get(State.MISSING, 0)
    mean = float(scored[metric.name].mean() or 0.0) if n else float("nan")  # type: ignore[arg-type]
    interval = interval_of_mean(scored, metric)
    return {
        "task": task,
        "metric": metric.name,
        "facet": facet,
        "value": value,
        "score": mean * metric.scale,
        "low": interval.low * metric.scale,
        "high": interval.high * metric.scale,
        "interval": interval.method,
        "n": n,
        "questions": scored["question"].n_unique(),
        **{state.value: states.get(state.value, 0) for state in State},
        "coverage": (n - lost) / n if n else 0.0,
        "at_best": (mean + lost / n) * metric.scale if n else float("nan"),
    }


def interval_of_mean(scored: pl.DataFrame, metric: Metric) -> Interval:
    """Wilson where rows are independent zeros and ones (one row per question); else a bootstrap clustered by question."""
    n = scored.height
    values = scored[metric.name].cast(pl.Float64).to_numpy()
    if metric.kind == "proportion" and scored["question"].n_unique() == n:
        return wilson(float(values.sum()), n)
    codes = scored["question"].cast(pl.Categorical).to_physical().cast(pl.Int64).to_numpy()
    return clustered_bootstrap(np.asarray(values), np.asarray(codes))
