"""Scores of a sampled run: of the whole benchmark, as far as the sample tells, with intervals that allow for
having peeked.

What ``summarise`` makes of a sample is the score of the sample. Strata were sampled as far as each needed it,
so that a mean over several of them weights each by what it has in all, and scores that mix strata in other
ways are left out.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import polars as pl

from folkways.benchmarks.base import Task
from folkways.records import Metric, State
from folkways.runs.options import RunOptions
from folkways.runs.sampled.strata import drawn_strata, unit_totals
from folkways.stats.stratified import anytime_mean, mean_over_strata

NO_BOUNDS = "none: values without bounds"
"""The interval of a sampled metric that nothing limits: nothing limits either how far off a sample of it may
be."""


def of_sample(
    scored: pl.DataFrame,
    task: Task,
    judged: pl.DataFrame,
    options: RunOptions,
    populations: Mapping[str, int],
) -> pl.DataFrame:
    """``scored`` (of ``task.summarise``) for the whole benchmark instead of the sample, without what a sample
    cannot tell.

    judged: all judgements with ``ordinal``. options: those of the run; populations: stratum -> its units in
    all.

    Kept are the whole, cultures, and cultures by language. Every interval holds at all times at once,
    whatever decided when to stop: the confidence sequence of a stratum, or of several together. These are
    intervals of what asking the rest of the benchmark would give; what was asked whole keeps the usual one,
    which is for other questions of the same kind. A metric that is made of several judgements is left out of
    what was not asked whole: weighting the judgements is not weighting it.
    """
    metrics = {metric.name: metric for metric in task.metrics}
    rows: list[dict[str, object]] = []
    for row in scored.iter_rows(named=True):
        if row["facet"] not in ("all", "culture", "culture+language"):
            continue
        culture, _, language = ("", "", "") if row["facet"] == "all" else row["value"].partition("+")
        group = _Group(task, judged, options, populations, culture, language)
        if row["score"] is None or group.whole:
            rows.append(row)
        elif row["metric"] in judged.columns:
            rows.append({**row, **group.estimate(metrics[row["metric"]])})
    return pl.DataFrame(rows, schema=scored.schema)


class _Group:
    """A part of the benchmark that has a score: the strata that it lies in, and which of their judgements are
    of it."""

    def __init__(
        self,
        task: Task,
        judged: pl.DataFrame,
        options: RunOptions,
        populations: Mapping[str, int],
        culture: str,
        language: str,
    ) -> None:
        """culture, language: empty for all of them."""
        self.task, self.by, self.target = task, options.strata, (options.until or 0.0) / 100
        self.judged, self.populations = judged, populations
        self.where = pl.lit(True)
        if culture:
            self.where &= pl.col("culture") == culture
        if language:
            self.where &= pl.col("language") == language
        if culture and self.by[0] == "culture":  # otherwise a culture may have units in every stratum
            self.judged = judged.filter(pl.col("culture") == culture)
            self.populations = {
                name: size
                for name, size in populations.items()
                if name == culture or name.startswith(f"{culture}+")
            }

    @property
    def whole(self) -> bool:
        """Whether nothing was sampled: all units of the strata were asked."""
        drawn = unit_totals(self.task, self.task.metrics[0], self.by, self.judged).height
        return drawn >= sum(self.populations.values())

    def estimate(self, metric: Metric) -> dict[str, object]:
        """What is known of the score had everything been asked: columns of records.SCORES."""
        strata = drawn_strata(self._totals(metric, self.judged), self.populations).values()
        lost = (
            pl.col("state").is_in([State.FAILED.value, State.MISSING.value])
            & pl.col(metric.name).is_not_null()
        )
        righted = self.judged.with_columns(pl.when(lost).then(1.0).otherwise(metric.name).alias(metric.name))
        best = mean_over_strata([*drawn_strata(self._totals(metric, righted), self.populations).values()])
        if metric.bounds == (0.0, 1.0):
            mean, interval = anytime_mean([*strata], target=self.target)
            low, high, method = interval.low, interval.high, interval.method
        else:
            mean, low, high, method = mean_over_strata([*strata]), math.nan, math.nan, NO_BOUNDS
        told = {"score": mean, "low": low, "high": high, "at_best": best}
        return {**{name: value * metric.scale for name, value in told.items()}, "interval": method}

    def _totals(self, metric: Metric, judged: pl.DataFrame) -> pl.DataFrame:
        return unit_totals(self.task, metric, self.by, judged, self.where)
