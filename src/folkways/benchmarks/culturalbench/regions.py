"""Regional scores as in the published leaderboard: the unweighted mean over the countries of a region, not pooled accuracy."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from folkways.benchmarks.summary import interval_of_mean
from folkways.records import Metric, without_nan
from folkways.stats.intervals import interval_of_average

REGION, POOLED = "region", "region (pooled)"


def with_regional_means(scores: pl.DataFrame, judgements: pl.DataFrame, metrics: Sequence[Metric]) -> pl.DataFrame:
    """``scores`` with its regional rows renamed to POOLED and, before each, the same row for the mean over countries.

    Counts are those of the pooled row. The interval puts those of the countries together: that of a region of one country is the
    country's own.
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
    means = judgements.group_by("culture", maintain_order=True).agg(pl.col(metric.name).mean(), best.mean().alias("best"))
    intervals = [
        interval_of_mean(country[metric.name].to_numpy(), country["question"].rle_id().cast(pl.Int64).to_numpy(), metric)
        for country in judgements.partition_by("culture", maintain_order=True)
    ]
    interval = interval_of_average(means[metric.name].to_list(), intervals)
    within = " within country" if len(intervals) > 1 else ""
    return {
        "score": _mean(means[metric.name]) * metric.scale,
        "low": interval.low * metric.scale,
        "high": interval.high * metric.scale,
        "interval": f"{interval.method}{within}",
        "at_best": _mean(means["best"]) * metric.scale,
    }


def _mean(values: pl.Series) -> float:
    return float(values.mean())  # type: ignore[arg-type]
