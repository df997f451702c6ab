"""Scores of a sampled run: of the whole benchmark, as far as the sample tells, with intervals that allow for having peeked.

What ``summarise`` makes of a sample is the score of the sample. Strata were sampled as far as each needed it, so that a mean over
several of them weights each by what it has in all, and scores that mix strata in other ways are left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from folkways.benchmarks.base import Task
from folkways.records import Metric, State
from folkways.runs.options import RunOptions
from folkways.runs.sampling import sequences, unit_values
from folkways.stats.intervals import DEFAULT_CONFIDENCE
from folkways.stats.stratified import stratified_mean

ANYTIME = f"anytime {DEFAULT_CONFIDENCE:.0%}"
"""What the interval of a stratum is called; followed by how many units it has in all."""


def of_sample(
    scored: pl.DataFrame, task: Task, judged: pl.DataFrame, options: RunOptions, populations: Mapping[str, int]
) -> pl.DataFrame:
    """``scored`` (of ``task.summarise``) for the whole benchmark instead of the sample, without what a sample cannot tell.

    judged: all judgements with ``ordinal``. options: those of the run; populations: stratum -> its units in all.

    Kept are the whole, cultures, and, where strata are cultures, cultures by language. The headline of a single stratum has the
    confidence sequence that decided when to stop; everything else the normal interval over strata, corrected for how much of each
    was asked, which is the same for a run that was not stopped by what it looks at. These are intervals of what asking the rest of
    the benchmark would give; what was asked whole keeps the usual one, which is for other questions of the same kind.
    """
    rows: list[dict[str, object]] = []
    by = options.strata
    metrics = {metric.name: metric for metric in task.metrics}
    for row in scored.iter_rows(named=True):
        metric = metrics[row["metric"]]
        one_stratum = by == ("culture",) and row["facet"] in ("culture", "culture+language")
        if metric.name not in judged.columns:  # made of several judgements: weighting these is not weighting it
            rows += [row] if one_stratum else []
        elif row["facet"] in ("all", "culture"):
            own = judged if row["facet"] == "all" else judged.filter(pl.col("culture") == row["value"])
            rows.append({**row, **_estimate(task, metric, own, options, populations)})
        elif one_stratum:
            rows.append(row)
    return pl.DataFrame(rows, schema=scored.schema)


def _estimate(
    task: Task, metric: Metric, judged: pl.DataFrame, options: RunOptions, populations: Mapping[str, int]
) -> dict[str, object]:
    by = options.strata
    values = unit_values(task, metric.name, by, judged)
    strata = values["stratum"].unique(maintain_order=True).to_list()
    if not strata or not _any_reply(judged):
        return {}
    if values.height >= sum(populations.get(name, 0) for name in strata):
        return {}  # asked whole: nothing was sampled, and the interval is the one that every other run has
    if len(strata) == 1 and metric is task.metrics[0]:
        found = sequences(values, populations, options.until or 0.0)[strata[0]]
        mean = float(values["value"].mean())  # type: ignore[arg-type]
        low, high, method = float(found.low[-1]), float(found.high[-1]), f"{ANYTIME} of {populations[strata[0]]}"
    else:
        mean, low, high, method = _stratified(values, populations)
    best = _at_best(task, metric, judged, by, populations)
    bounds = {"score": mean, "low": low, "high": high, "at_best": best}
    return {**{name: value * metric.scale for name, value in bounds.items()}, "interval": method}


def _stratified(values: pl.DataFrame, populations: Mapping[str, int]) -> tuple[float, float, float, str]:
    names = values["stratum"].unique(maintain_order=True).to_list()
    numbers = values["stratum"].cast(pl.Enum(names)).to_physical().cast(pl.Int64).to_numpy()
    sizes = [max(populations.get(name, 0), int((numbers == place).sum())) for place, name in enumerate(names)]
    found = stratified_mean(
        values["value"].to_numpy(),
        np.arange(values.height),
        numbers,
        weights=np.array(sizes) / sum(sizes),
        populations=sizes,
    )
    return found.mean, found.interval.low, found.interval.high, found.interval.method.replace("by question", "by item")


def _at_best(task: Task, metric: Metric, judged: pl.DataFrame, by: Sequence[str], populations: Mapping[str, int]) -> float:
    """The estimate had every failed and missing item been right."""
    lost = pl.col("state").is_in([State.FAILED.value, State.MISSING.value]) & pl.col(metric.name).is_not_null()
    best = judged.with_columns(pl.when(lost).then(1.0).otherwise(metric.name).alias(metric.name))
    return _stratified(unit_values(task, metric.name, by, best), populations)[0]


def _any_reply(judged: pl.DataFrame) -> bool:
    return bool((~judged["state"].is_in([State.FAILED.value, State.MISSING.value])).any())
