"""Regional scores as in the published leaderboard: the unweighted mean over the countries of a region, not pooled accuracy."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import polars as pl

from folkways.records import Metric
from folkways.stats.intervals import DEFAULT_CONFIDENCE, DEFAULT_RESAMPLES, wilson

REGION, POOLED = "region", "region (pooled)"
METHOD = f"bootstrap {DEFAULT_CONFIDENCE:.0%} by question within country"


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
        if row["facet"] == REGION:
            inside = counted.filter((pl.col("region") == row["value"]) & pl.col(row["metric"]).is_not_null())
            rows.append({**row, **_mean_of_countries(inside, by_name[row["metric"]])})
            row["facet"] = POOLED
        rows.append(row)
    return pl.DataFrame(rows, schema=scores.schema)


def _mean_of_countries(judgements: pl.DataFrame, metric: Metric) -> dict[str, object]:
    lost = pl.col("state").is_in(["failed", "missing"])
    best = pl.when(lost).then(1.0).otherwise(pl.col(metric.name))
    judgements = judgements.sort("culture", "question")  # a sum of floats depends on its order
    means = judgements.group_by("culture", maintain_order=True).agg(
        pl.col(metric.name).mean(), best.mean().alias("best"), pl.col("question").n_unique().alias("questions")
    )
    low, high = stratified_bootstrap(
        [
            country.group_by("question", maintain_order=True)
            .agg(pl.col(metric.name).sum().alias("sum"), pl.len())
            .select("sum", "len")
            .to_numpy()
            for country in judgements.partition_by("culture", maintain_order=True)
        ]
    )
    method = METHOD
    if low == high:  # no resample differs, and the bootstrap would pretend to be certain
        low, high = mean_of_wilsons(means[metric.name].to_list(), means["questions"].to_list())
        method = f"wilson {DEFAULT_CONFIDENCE:.0%} within country"
    return {
        "score": _mean(means[metric.name]) * metric.scale,
        "low": low * metric.scale,
        "high": high * metric.scale,
        "interval": method,
        "at_best": _mean(means["best"]) * metric.scale,
    }


def mean_of_wilsons(shares: Sequence[float], numbers: Sequence[int]) -> tuple[float, float]:
    """Interval of the unweighted mean of proportions from the Wilson interval of each (Zou and Donner 2008).

    shares: from 0 to 1; numbers: how many questions each rests on. The distances of each share from its limits add up in squares.
    """
    bounds = [wilson(share * n, n) for share, n in zip(shares, numbers, strict=True)]
    below = math.hypot(*(share - bound.low for share, bound in zip(shares, bounds, strict=True))) / len(bounds)
    above = math.hypot(*(bound.high - share for share, bound in zip(shares, bounds, strict=True))) / len(bounds)
    mean = sum(shares) / len(shares)
    return max(0.0, mean - below), min(1.0, mean + above)


def stratified_bootstrap(strata: Sequence[npt.NDArray[np.float64]], *, seed: int = 0) -> tuple[float, float]:
    """Percentile interval of the unweighted mean over strata of each stratum's mean.

    strata: one array a country, shape (questions, 2): the sum of a question's values, and how many there are. Questions are drawn
    with replacement inside each stratum. A stratum of one question does not vary.
    """
    rng = np.random.default_rng(seed)
    total = np.zeros(DEFAULT_RESAMPLES)
    for stratum in strata:
        draw = rng.integers(0, len(stratum), size=(DEFAULT_RESAMPLES, len(stratum)))
        drawn = stratum[draw].sum(axis=1)
        total += drawn[:, 0] / drawn[:, 1]
    tail = (1 - DEFAULT_CONFIDENCE) / 2
    low, high = np.quantile(total / len(strata), [tail, 1 - tail])
    return float(low), float(high)


def _mean(values: pl.Series) -> float:
    return float(values.mean())  # type: ignore[arg-type]
