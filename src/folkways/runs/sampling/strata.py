"""What a sampled run may draw: strata of items in random order, and how well the score of each stratum is
known.

A stratum is a culture, or a culture and a facet (``culture+topic``). What counts is the score that asking
every item of a stratum would give, so that items are drawn one after the other without replacement, in an
order that the seed decides and that is the same for every model: what one model was asked is a part of what
another was, and the two can be compared on it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b

import numpy as np
import polars as pl

from folkways.benchmarks.base import Task, headline_with, needs_whole_questions
from folkways.benchmarks.contract import judgements_of
from folkways.errors import FolkwaysError, UnknownNameError, option
from folkways.records import Metric, State, headline_of, with_numbers
from folkways.runs.options import RunOptions
from folkways.runs.planning.plan import SLICE, TaskPlan
from folkways.stats.stratified import StratumSample, anytime_mean, mean_over_strata


@dataclass(frozen=True)
class Stratum:
    """Units in the order in which they are drawn: single items, or questions with all their items where the
    task scores these."""

    name: str
    units: tuple[str, ...]


@dataclass(frozen=True)
class SamplingFrame:
    """What can be drawn of one task (the sampling frame).

    strata: by name.
    items: ``item``, ``unit``, ``stratum``, one row per item that counts.
    metric: what strata are narrowed by.
    requests: how many requests a unit takes, on the average.
    read: the items with all their columns, in the task's batches.
    """

    task: str
    metric: Metric
    strata: Mapping[str, Stratum]
    items: pl.DataFrame
    requests: float
    read: Callable[[], Iterable[pl.DataFrame]]

    @property
    def populations(self) -> dict[str, int]:
        """Stratum -> how many units it has in all."""
        return {name: len(stratum.units) for name, stratum in self.strata.items()}


def sampling_frame(plan: TaskPlan, profile: str | None) -> SamplingFrame:
    """Everything of a task that counts in its score, in strata. Nothing is asked.

    What counts is found by judging every item as missing: items that the benchmark's rule takes out are not
    drawn. UnknownNameError or FolkwaysError for strata that the items do not have; FolkwaysError for a task
    whose headline has no bounds, as nothing limits how far off a sample of such values may be.
    """
    task, by = plan.task, plan.options.strata
    metric = headline_with(task, plan.options.scoring_models)
    if metric.bounds != (0.0, 1.0):
        raise FolkwaysError(
            f"{task.name} cannot be sampled: values of its score {metric.label} have no upper bound; leave "
            f"{option('until')} out"
        )
    resolved = task.resolve_profile(profile)
    read = plan.batches
    items = pl.concat(_counting(plan, batch, resolved, metric) for batch in read())
    if items.is_empty():
        raise FolkwaysError(
            f"{task.name}: no item is left that counts; widen the cultures, or leave {option('until')} out"
        )
    for name in by:
        if name not in items.columns:
            raise UnknownNameError(f"stratum of {task.name}", name, {"culture", *task.facets})
        if items[name].null_count() == items.height:
            raise FolkwaysError(
                f"{task.name}: no item of this release tells its {name}, so that strata cannot be made of it"
            )
    named = items.drop_nulls(list(by)).with_columns(stratum=stratum_names(by), unit=unit_names(task))
    drawn = named.select("item", "unit", "stratum", "requests")
    strata = {
        str(name): Stratum(str(name), _shuffled(part["unit"].unique().to_list(), plan.options.seed))
        for (name,), part in drawn.group_by("stratum", maintain_order=True)
    }
    units = sum(len(stratum.units) for stratum in strata.values())
    return SamplingFrame(
        task.name, metric, strata, drawn.drop("requests"), float(drawn["requests"].sum()) / units, read
    )


def stratum_names(by: Sequence[str]) -> pl.Expr:
    """The stratum of each row of items or judgements: "KR", "KR+Food"."""
    return pl.concat_str([pl.col(name) for name in by], separator="+")


def unit_names(task: Task) -> pl.Expr:
    """What is drawn as one: the item, or the question of a culture where a score needs all of its items."""
    return (
        pl.concat_str(["culture", "question"], separator="/")
        if needs_whole_questions(task)
        else pl.col("item")
    )


def unit_totals(
    task: Task, metric: Metric, by: Sequence[str], judged: pl.DataFrame, where: pl.Expr | bool = True
) -> pl.DataFrame:
    """``stratum``, ``unit``, ``total``, ``rows``: each drawn unit's sum over the judgements that count, and
    their number, in the order of drawing (``ordinal``).

    judged: judgements of the ``task``. metric: whose values are summed. by: columns that make the strata.
    where: judgements that the score is of; units without any have 0 rows.
    """
    value = pl.col(metric.name) if metric.bounds is None else pl.col(metric.name).clip(*metric.bounds)
    counts = pl.col("counted") & value.is_not_null() & where
    return (
        judged.with_columns(stratum=stratum_names(by), unit=unit_names(task))
        .group_by("stratum", "unit")
        .agg(total=value.filter(counts).sum(), rows=counts.sum(), ordinal=pl.col("ordinal").min())
        .sort("ordinal")
        .drop("ordinal")
    )


def drawn_strata(totals: pl.DataFrame, populations: Mapping[str, int]) -> dict[str, StratumSample]:
    """Stratum -> what was drawn of it, from ``unit_totals``; every stratum of the populations is there."""
    samples = {name: StratumSample(np.empty(0), np.empty(0), size) for name, size in populations.items()}
    for (name,), part in totals.group_by("stratum"):
        total, rows = (part[column].cast(pl.Float64).to_numpy() for column in ("total", "rows"))
        samples[str(name)] = StratumSample(total, rows, populations[str(name)])
    return samples


def _counting(plan: TaskPlan, items: pl.DataFrame, profile: str, metric: Metric) -> pl.DataFrame:
    """The items with at least one row that counts for the metric, with their facets and how many ``requests``
    they take."""
    task = plan.task
    facets = [name for name in ("question", "culture", *task.facets) if name in items.columns]
    prompts = [plan.prompts_of(part) for part in items.iter_slices(SLICE)]
    expected = [part.select("task", "item", "language", "variant") for part in prompts if part.height]
    if not expected:
        return items.head(0).select("item", *facets, requests=pl.lit(0, dtype=pl.Int64))
    silent = pl.concat(expected).with_columns(
        sample=pl.lit(0, dtype=pl.Int64),
        state=pl.lit(State.MISSING.value),
        response=pl.lit(None, dtype=pl.String),
        reason=pl.lit(None, dtype=pl.String),
    )
    applies = pl.lit(True) if needs_whole_questions(task) else pl.col(metric.name).is_not_null()
    counting = (
        judgements_of(task, items, silent, profile)
        .group_by("item")
        .agg(
            counts=(pl.col("counted") & applies).any(),
            requests=pl.len().cast(pl.Int64) * plan.options.samples,
        )
        .filter("counts")
    )
    return items.select("item", *facets).join(
        counting.drop("counts"), on="item", how="inner", maintain_order="left"
    )


def _shuffled(units: Sequence[str], seed: int) -> tuple[str, ...]:
    """An order that the seed alone decides, on every machine and in every version."""
    return tuple(sorted(units, key=lambda unit: blake2b(f"{seed}/{unit}".encode(), digest_size=8).digest()))


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

    Kept are the whole, the groups that headlines show in its place, cultures, and cultures by language. Every
    interval holds at all times at once, whatever decided when to stop: the confidence sequence of a stratum,
    or of several together. These are intervals of what asking the rest of the benchmark would give; what was
    asked whole keeps the usual one, which is for other questions of the same kind. A metric that is made of
    several judgements is left out of what was not asked whole: weighting the judgements is not weighting it.
    """
    metrics = {metric.name: metric for metric in task.metrics}
    facets = {"all", "culture", "culture+language", *(metric.headline_by for metric in task.metrics)}
    rows: list[dict[str, object]] = []
    for row in scored.iter_rows(named=True):
        if row["facet"] not in facets:
            continue
        columns = row["facet"].split("+")
        parts = dict(zip(columns, row["value"].split("+", len(columns) - 1), strict=True))
        parts.pop("all", None)
        group = _Group(task, judged, options, populations, parts)
        if row["score"] is None or group.whole:
            rows.append(row)
        elif row["metric"] in judged.columns:
            rows.append(with_numbers(row, group.estimate(metrics[row["metric"]])))
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
        parts: Mapping[str, str],
    ) -> None:
        """parts: column of the judgements -> its value; empty for all of them."""
        self.task, self.by, self.target = task, options.strata, (options.until or 0.0) / 100
        self.judged, self.populations = judged, populations
        self.where, self.of_all = pl.lit(True), not parts
        for column, value in parts.items():
            self.where &= pl.col(column).cast(pl.String) == value
        culture = parts.get("culture")
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
        headline = headline_of(self.task.metrics, self.judged.columns)
        drawn = unit_totals(self.task, headline, self.by, self.judged).height
        return drawn >= sum(self.populations.values())

    def estimate(self, metric: Metric) -> dict[str, object]:
        """What is known of the score had everything been asked: records.SCORE_NUMBERS."""
        strata = self._strata(metric, self.judged)
        lost = (
            pl.col("state").is_in([State.FAILED.value, State.MISSING.value])
            & pl.col(metric.name).is_not_null()
        )
        best = math.nan if metric.best is None else metric.best
        righted = self.judged.with_columns(pl.when(lost).then(best).otherwise(metric.name).alias(metric.name))
        at_best = mean_over_strata(self._strata(metric, righted))
        if metric.bounds == (0.0, 1.0):
            mean, interval = anytime_mean(strata, target=self.target)
            low, high, method = interval.low, interval.high, interval.method
        else:
            mean, low, high, method = mean_over_strata(strata), math.nan, math.nan, NO_BOUNDS
        bounds = {"score": mean, "low": low, "high": high, "at_best": at_best}
        return {**{name: value * metric.scale for name, value in bounds.items()}, "interval": method}

    def _strata(self, metric: Metric, judged: pl.DataFrame) -> list[StratumSample]:
        """What was drawn, in the groups that the score of the whole is averaged over, as far as each stratum
        lies in one."""
        drawn = drawn_strata(self._totals(metric, judged), self.populations)
        if metric.mean_over is None or not self.of_all:
            return [*drawn.values()]
        names = judged.select(stratum_names(self.by), pl.col(metric.mean_over).cast(pl.String)).unique()
        groups = dict(names.drop_nulls().iter_rows())
        if len(groups) < names.height:
            return [*drawn.values()]
        return [replace(one, group=groups.get(name, name)) for name, one in drawn.items()]

    def _totals(self, metric: Metric, judged: pl.DataFrame) -> pl.DataFrame:
        return unit_totals(self.task, metric, self.by, judged, self.where)
