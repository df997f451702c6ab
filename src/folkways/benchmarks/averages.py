"""Scores that are the unweighted mean over groups of any size: the countries of a region, the varieties of a
benchmark."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import polars as pl

from folkways.benchmarks.summary import interval_of_mean
from folkways.records import LOST, Metric, with_numbers, without_nan
from folkways.stats.clusters import clustered_mean
from folkways.stats.intervals import Interval, cluster_totals, interval_of_average, wilson

WHOLE = "all"
POOLED = "{} (pooled)"
"""The facet of the share of all rows, shown next to the mean over groups."""


def mean_over(judgements: pl.DataFrame, metric: Metric, groups: str, word: str) -> dict[str, Any]:
    """The mean over groups: records.SCORE_NUMBERS.

    The interval combines those of the groups (``interval_of_average``); a single group keeps its own. Groups
    that share questions are not independent: the interval is then Wilson's of the mean over questions, if
    that is wider.

    judgements: counted ones to which the metric applies.
    metric: the column that is averaged, and its bounds and scale.
    groups: a column.
    word: what the interval's method calls a group.
    """
    best = (
        pl.when(pl.col("state").is_in(LOST))
        .then(math.nan if metric.best is None else metric.best)
        .otherwise(pl.col(metric.name))
    )
    judgements = judgements.sort(groups, "question")  # a sum of floats depends on its order
    means = judgements.group_by(groups, maintain_order=True).agg(
        pl.col(metric.name).mean(), best.mean().alias("best")
    )
    parts = [
        (part[metric.name].to_numpy(), part["question"].rle_id().cast(pl.Int64).to_numpy())
        for part in judgements.partition_by(groups)
    ]
    worth = None
    if metric.bounds == (0.0, 1.0):
        worth = [
            clustered_mean(*cluster_totals(*part), float(part[0] @ part[0])).n_effective for part in parts
        ]
    interval = interval_of_average(
        means[metric.name].to_list(), [interval_of_mean(*part, metric) for part in parts], worth
    )
    shared = judgements.select(groups, "question").unique()["question"].is_duplicated().any()
    if shared and metric.bounds == (0.0, 1.0):
        across = _across_questions(judgements, metric, groups, means)
        interval = max(interval, across, key=lambda one: one.high - one.low)
    within = f" within {word}" if len(parts) > 1 else ""
    return {
        "score": _mean(means[metric.name]) * metric.scale,
        "low": interval.low * metric.scale,
        "high": interval.high * metric.scale,
        "interval": f"{interval.method}{within}",
        "at_best": _mean(means["best"]) * metric.scale,
    }


def _across_questions(judgements: pl.DataFrame, metric: Metric, groups: str, means: pl.DataFrame) -> Interval:
    """The interval of the unweighted mean of groups that share questions, linearised: from each question's
    part in it.

    Wilson's interval of as many answers as have the variance of the sum over questions. Two imagined
    questions of ordinary weight are added, one right and one wrong throughout, as in
    ``clusters.clustered_mean``.
    """
    part = (
        (pl.col(metric.name) - pl.col(metric.name).mean().over(groups)) / pl.len().over(groups) / means.height
    )
    parts = (
        judgements.select("question", part=part)
        .group_by("question")
        .agg(pl.col("part").sum())["part"]
        .to_numpy()
    )
    mean = _mean(means[metric.name])
    imagined = (mean**2 + (1 - mean) ** 2) / parts.size**2
    variance = (float(parts @ parts) + imagined) * parts.size / (parts.size + 1)
    answers = (
        min(mean * (1 - mean) / variance, float(judgements.height)) if variance > 0 else float(parts.size)
    )
    return wilson(mean * answers, answers)


def with_mean_over(
    scores: pl.DataFrame,
    judgements: pl.DataFrame,
    metrics: Sequence[Metric],
    groups: str,
    facet: str = WHOLE,
    word: str | None = None,
) -> pl.DataFrame:
    """``scores`` with the mean over groups in place of the whole, and of every group that has all of its rows
    (the only culture); the share of all rows follows as ``all (pooled)``.

    The counts are those of all rows.

    scores: records.SCORES of one endpoint.
    judgements: the rows that the scores are of.
    metrics: those that are averaged; the scores of others stay as they are.
    groups: the column over whose values a metric is averaged.
    facet: a column (``region``) in place of the whole: each of its values gets the mean over the groups
        inside it.
    word: what intervals call a group, if not the name of its column.
    """
    by_name = {metric.name: metric for metric in metrics}
    counted = judgements.filter("counted")
    rows: list[dict[str, object]] = []
    wholes: dict[str, dict[str, Any]] = {}
    for row in scores.iter_rows(named=True):
        replied = row["score"] is not None
        if row["facet"] == facet and row["metric"] in by_name and (replied or facet != WHOLE):
            inside = counted.filter(
                pl.col(row["metric"]).is_not_null(), facet == WHOLE or pl.col(facet) == row["value"]
            )
            metric = by_name[row["metric"]]
            made = {**row}
            if replied:
                made = with_numbers(row, mean_over(inside, metric, groups, word or groups))
            rows.append(made)
            if facet == WHOLE:
                wholes[row["metric"]] = made
            row["facet"] = POOLED.format(facet)
        elif (whole := wholes.get(row["metric"])) is not None and row["n"] == whole["n"]:
            row = {**whole, "facet": row["facet"], "value": row["value"]}
        rows.append(row)
    return without_nan(pl.DataFrame(rows, schema=scores.schema))


def _mean(values: pl.Series) -> float:
    return float(values.mean())  # type: ignore[arg-type]
