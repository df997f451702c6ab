"""The items that can be browsed inside the page: a bounded sample, spread over tasks, models, cultures and outcomes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from folkways.records import JUDGEMENTS
from folkways.reports.data import BASELINE_PREFIX, REPORT_JUDGEMENTS, ReportData
from folkways.reports.names import culture_name, language_name
from folkways.reports.text import NOT_A_NUMBER, number, shorten, visible
from folkways.reports.views import ReportView

MAX_ROWS = 2000
MAX_CHARACTERS = 600
"""Longer texts are cut in the page; the Parquet file has them whole."""
MAX_TOTAL_CHARACTERS = 2_500_000
SEED = 0

TEXTS = ("text", "gold", "response", "answer", "reason")
KEYS = ("task", "endpoint", "profile", "culture", "language", "variant", "item", "state", "outcome")


@dataclass(frozen=True)
class Sample:
    """What the page embeds.

    columns: column -> values, or for columns that repeat themselves ``{"values": [...], "codes": [...]}``.
    rows, total: how many judgements are in the page, and how many there are of the models shown.
    """

    columns: Mapping[str, Any]
    rows: int
    total: int


def take_sample(view: ReportView, max_rows: int = MAX_ROWS) -> Sample:
    """At most ``max_rows`` judgements of the models (of the baselines only where there is no model).

    Groups of task, endpoint, culture, state and outcome take turns, so that rare outcomes are there too: shares in the sample are
    not shares in the data. The draw is seeded.
    """
    data = view.data
    judgements = data.judgements
    if view.models:
        judgements = judgements.filter(~pl.col("endpoint").str.starts_with(BASELINE_PREFIX))
    total = judgements.height
    marked = judgements.with_columns(outcome=_outcome(data, judgements.columns)).sample(fraction=1.0, shuffle=True, seed=SEED)
    turn = pl.int_range(pl.len()).over("task", "endpoint", "culture", "state", "outcome")
    drawn = marked.with_columns(turn=turn).sort("turn", maintain_order=True).head(max_rows)
    shown = drawn.with_columns(
        *(pl.col(name).map_elements(_shown, return_dtype=pl.String).alias(name) for name in TEXTS),
        size=pl.sum_horizontal(
            pl.col(name).str.len_chars().fill_null(0).clip(upper_bound=MAX_CHARACTERS) for name in TEXTS
        ).cum_sum(),
    ).filter(pl.col("size") <= MAX_TOTAL_CHARACTERS)
    shown = shown.sort("task", "culture", "item", "endpoint", "language", "variant", "profile")
    columns: dict[str, Any] = {name: _coded(shown[name].fill_null("").to_list()) for name in KEYS}
    columns["endpoint"] = _coded([view.short.get(name, name) for name in shown["endpoint"].fill_null("").to_list()])
    columns["culture_name"] = _coded([culture_name(code) for code in shown["culture"].fill_null("").to_list()])
    columns["language_name"] = _coded([language_name(code) for code in shown["language"].fill_null("").to_list()])
    columns["details"] = _coded(_details(data, shown))
    columns.update({name: _coded(shown[name].to_list()) for name in TEXTS})
    return Sample(columns, shown.height, total)


def _shown(text: str) -> str:
    return visible(shorten(text, MAX_CHARACTERS))


def _outcome(data: ReportData, columns: list[str]) -> pl.Expr:
    """``right``, ``partly``, ``wrong`` by the task's headline metric; ``not counted``; empty where no metric applies."""
    value = pl.lit(None, pl.Float64)
    for task, metrics in data.metrics.items():
        headline = next((metric.name for metric in metrics if metric.name in columns), None)  # the first that was computed
        if headline is not None:
            value = pl.when(pl.col("task") == task).then(pl.col(headline).cast(pl.Float64)).otherwise(value)
    return (
        pl.when(~pl.col("counted")).then(pl.lit("not counted")).when(value >= 1).then(pl.lit("right"))
        .when(value > 0).then(pl.lit("partly")).when(value == 0).then(pl.lit("wrong")).otherwise(pl.lit(""))
    )  # fmt: skip


def _details(data: ReportData, shown: pl.DataFrame) -> list[str]:
    """Facets and metrics of each row in one line: ``topic Food · SEM-B 1``."""
    metrics = {metric.name: metric.label for task in data.metrics.values() for metric in task}
    known = {*JUDGEMENTS, *REPORT_JUDGEMENTS, *KEYS, "turn", "size"}
    facets = [name for name in shown.columns if name not in known and name not in metrics and shown.schema[name] == pl.String]
    measured = [name for name in metrics if name in shown.columns]
    lines = []
    for row in shown.select(*facets, *measured).iter_rows(named=True):
        parts = [f"{name.replace('_', ' ')} {visible(row[name])}" for name in facets if row[name] is not None]
        parts += [f"{metrics[name]} {_measure(row[name])}" for name in measured if row[name] is not None]
        lines.append(" · ".join(parts))
    return lines


def _measure(value: Any) -> str:
    if not isinstance(value, (int, float)):
        return NOT_A_NUMBER
    return number(float(value), 0 if float(value).is_integer() else 2)


def _coded(values: list[Any]) -> Any:
    """Columns that repeat themselves as codes into their distinct values: smaller by far for names and states."""
    distinct = list(dict.fromkeys(values))
    if len(distinct) * 2 > len(values):
        return values
    codes = {value: position for position, value in enumerate(distinct)}
    return {"values": distinct, "codes": [codes[value] for value in values]}
