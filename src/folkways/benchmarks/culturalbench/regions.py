"""Regional scores as in the published leaderboard: the unweighted mean over the countries of a region, not pooled accuracy."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import polars as pl

from folkways.records import Metric, without_nan
from folkways.stats.bootstrap import method_name, stratified_bounds
from folkways.stats.intervals import DEFAULT_CONFIDENCE
from folkways.stats.stratified import mean_of_wilsons

REGION, POOLED = "region", "region (pooled)"
METHOD = f"{method_name()} within country"


def with_regional_means(scores: pl.DataFrame, judgements: pl.DataFrame, metrics: Sequence[Metric]) -> pl.DataFrame:
    """``scores`` with its regional rows renamed to POOLED and, before each, the same row for the mean over countries.

    Counts are those of the pooled row. The interval draws questions within each country, so that every resample has all of them;
    where nothing varies within any country, as when all or no answers are right, the countries' Wilson intervals are put together.
    """
    if scores.filter(pl.col("facet") == REGION).is_empty():
        return scores
    by_name = {metric.name: metric for metric in metrics}
    counted = judgements.filter(pl.col("counted"))
    rows: list[dict[str, object]] = []
    for row in scores.iter_rows(named=True):
        if row["facet"] == REGION and row["score"] is not None:
            inside = counted.filter((pl.col("region") == row["value"]) & pl.col(row["metric"]).is_not_null())
            rows.append({**row, **_mean_of_countries(inside, by_name[row["metric"]])})
        elif row["facet"] == REGION:  # nothing replied there: the mean over countries is no more than that
            rows.append(dict(row))
        if row["facet"] == REGION:
            row["facet"] = POOLED
        rows.append(row)
    return without_nan(pl.DataFrame(rows, schema=scores.schema))


def _mean_of_countries(judgements: pl.DataFrame, metric: Metric) -> dict[str, object]:
    lost = pl.col("state").is_in(["failed", "missing"])
    best = pl.when(lost).then(1.0).otherwise(pl.col(metric.name))
    judgements = judgements.sort("culture", "question")  # a sum of floats depends on its order
    means = judgements.group_by("culture", maintain_order=True).agg(
        pl.col(metric.name).mean(), best.mean().alias("best"), pl.col("question").n_unique().alias("questions")
    )
    by_question = judgements.group_by("culture", "question", maintain_order=True).agg(
        pl.col(metric.name).sum(), pl.len().alias("rows")
    )
    totals = [
        (country[metric.name].to_numpy(), country["rows"].to_numpy().astype(np.float64))
        for country in by_question.partition_by("culture", maintain_order=True)
    ]
    low, high = stratified_bounds(totals, np.full(len(totals), 1 / len(totals)))
    method = METHOD
    if math.isnan(low):  # no resample differs, and the bootstrap would pretend to be certain
        bound = mean_of_wilsons(means[metric.name].to_list(), means["questions"].to_list())
        low, high, method = bound.low, bound.high, f"wilson {DEFAULT_CONFIDENCE:.0%} within country"
    return {
        "score": _mean(means[metric.name]) * metric.scale,
        "low": low * metric.scale,
        "high": high * metric.scale,
        "interval": method,
        "at_best": _mean(means["best"]) * metric.scale,
    }


def _mean(values: pl.Series) -> float:
    return float(values.mean())  # type: ignore[arg-type]
