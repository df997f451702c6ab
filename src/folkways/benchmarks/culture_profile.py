"""A model's culture profile: where it does better and worse than usual, over several benchmarks. Never one
number over all.

The accuracy of a benchmark depends on how hard its questions are, so that accuracies of two benchmarks
have no common scale. Each culture's accuracy is therefore compared with the mean of the benchmark's own
cultures. These differences are shown side by side and averaged over the benchmarks that ask about the
culture, or about the region.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from folkways.benchmarks.multiple_choice.declaration import NO_COUNTRY
from folkways.benchmarks.results import Inputs, Result
from folkways.benchmarks.summary import summarise_means
from folkways.benchmarks.tables import Layout, NotAvailableError, Plot, Table
from folkways.cultures import cultures
from folkways.records import Metric
from folkways.stats.shrinkage import FEWEST_GROUPS, shrink_differences, shrunk_scores

NAME = "culture-profile"
FEWEST_BENCHMARKS = 2
"""Benchmarks that a profile needs; what a single one asks about is in its own part of a report."""

UNIT = (
    "Points above or below the mean of each benchmark's own cultures, each of which counts alike; the mean "
    "over the benchmarks that ask about the {0}. Questions are the unit: the interval speaks of other "
    "questions of the same benchmarks."
)
PART = (
    "Points above or below the mean of the benchmark's own cultures, shrunk within the benchmark; "
    "questions are the unit."
)
NOTES = (
    "Shrunk: moved towards 0, more so with fewer questions (weight is the share of its own); raw is "
    "what was found. "
    "Where an interval holds 0, nobody can tell whether the model does better or worse there than elsewhere.",
    "What it is not: a score of a model, or a rank of cultures. Benchmarks ask different things of different "
    "people; many questions are translated; those about one culture may be harder than those about another; "
    "a benchmark's mean depends on the cultures that it has. Benchmarks may share questions (SemEval-2026 "
    "Task 7 grew out of BLEnD), which then count twice. A country is not one culture, and a region still "
    "less.",
)


def tables(inputs: Inputs) -> Sequence[Table]:
    """The profile by region and by culture, and each benchmark's part in it.

    Raises NotAvailableError for fewer than FEWEST_BENCHMARKS benchmarks with enough cultures.
    """
    cells = pl.concat([*_cells(inputs)] or [pl.DataFrame(schema=_CELLS)])
    if cells["benchmark"].n_unique() < FEWEST_BENCHMARKS:
        raise NotAvailableError(
            f"needs shares of right answers of {FEWEST_GROUPS} cultures or more in {FEWEST_BENCHMARKS} "
            "benchmarks or more; "
            "ask several in one run, for example: folkways run culture-suite-lite --model NAME"
        )
    of_cultures = cells.with_columns(group=pl.col("culture"))
    of_regions = _in_regions(cells.with_columns(group=pl.col("region")).drop_nulls("group"))
    by_culture, by_region = _profile(of_cultures, "culture"), _profile(of_regions, "region")
    measure = "Above or below its usual score, points"
    drawn = Layout("region", "endpoint", "difference", 1, drawn="intervals", diverges=0.0, measure=measure)
    coloured = replace(drawn, across="benchmark", by="endpoint", drawn="heatmap")
    title = "Culture profile, by {}"
    made = (
        Table(
            f"{NAME}-regions",
            title.format("region"),
            UNIT.format("region"),
            by_region,
            notes=_unlisted(of_regions, by_region, "region"),
            plots=(Plot(drawn),),
        ),
        Table(
            f"{NAME}-cultures",
            title.format("culture"),
            UNIT.format("culture"),
            by_culture,
            notes=_unlisted(of_cultures, by_culture, "culture"),
            plots=(Plot(replace(drawn, down="culture")),),
        ),
        Table(
            f"{NAME}-region-benchmarks",
            title.format("region and benchmark"),
            PART,
            _by_benchmark(of_regions, "region"),
            coloured,
        ),
        Table(
            f"{NAME}-culture-benchmarks",
            title.format("culture and benchmark"),
            PART,
            _by_benchmark(of_cultures, "culture"),
        ),
    )
    first, *others = [table for table in made if table.rows.height]
    return [replace(first, notes=(*NOTES, *first.notes)), *others]


def _unlisted(cells: pl.DataFrame, rows: pl.DataFrame, name: str) -> tuple[str, ...]:
    """A note on the groups that are missing because only one benchmark asks about them."""
    absent = cells["group"].n_unique() - rows[name].n_unique()
    few = f"Not listed: {absent} {name if absent == 1 else f'{name}s'} that one benchmark alone asks about."
    return (few,) if absent else ()


_CELLS = {
    "endpoint": pl.String,
    "culture": pl.String,
    "region": pl.String,
    "benchmark": pl.String,
    "tasks": pl.Int64,
    "questions": pl.Int64,
    "score": pl.Float64,
    "mean": pl.Float64,
    "raw": pl.Float64,
    "error": pl.Float64,
}


def _cells(inputs: Inputs) -> Iterator[pl.DataFrame]:
    """_CELLS of each benchmark: every model's score about a culture, the mean of its cultures, and the error
    of the difference.

    Tasks of a benchmark may ask the same questions in two ways: their errors are treated as fully alike
    and averaged.
    """
    parts = [
        part
        for task in sorted(inputs.tasks)
        if (headline := _headline(inputs, task))
        for part in _of_task(inputs, task, headline)
    ]
    if not parts:
        return
    scored = pl.concat(parts)
    regions = {code: culture.region for code, culture in cultures().items()}
    grouped = scored.group_by("endpoint", "culture", "benchmark", maintain_order=True).agg(
        pl.len().cast(pl.Int64).alias("tasks"),
        pl.col("questions").max(),
        pl.col("score", "mean", "raw", "error").mean(),
    )
    yield grouped.with_columns(
        region=pl.col("culture").replace_strict(regions, default=None, return_dtype=pl.String)
    ).select(list(_CELLS))


def _headline(inputs: Inputs, task: str) -> Metric | None:
    """The task's headline metric if it is a share, whose groups can be shrunk."""
    metric = inputs.headline(task) if inputs.metrics.get(task) else None
    return metric if metric and metric.bounds == (0.0, 1.0) else None


def _of_task(inputs: Inputs, task: str, metric: Metric) -> Iterator[pl.DataFrame]:
    """Every model's cultures in a task; nothing for a model with fewer than FEWEST_GROUPS."""
    columns = ("endpoint", "culture", "question", "counted", "state", metric.name)
    judged = inputs.of(task, columns=columns).filter(pl.col("culture").cast(pl.String) != NO_COUNTRY)
    for (endpoint,), of_model in judged.group_by(["endpoint"], maintain_order=True):
        scores = summarise_means(of_model, task, (metric,), (), [("culture",)])
        named = scores.with_columns(endpoint=pl.lit(str(endpoint)), profile=pl.lit(""), signature=pl.lit(""))
        shrunk = shrunk_scores(named, {task: (metric,)}).drop_nulls("shrunk")
        if shrunk.height < FEWEST_GROUPS:
            continue
        share = shrunk["shrunk"].to_numpy() / metric.scale
        # Of the shrunk share: a culture of five questions, all of them right, is not known without error.
        variance = share * (1 - share) / shrunk["effective_n"].to_numpy()
        n = shrunk.height
        about_mean = variance * (1 - 2 / n) + variance.sum() / n**2
        mean = float(shrunk["score"].to_numpy().mean())
        yield shrunk.select(
            "endpoint",
            pl.col("value").alias("culture"),
            pl.lit(task.split("/", 1)[0]).alias("benchmark"),
            "questions",
            "score",
            pl.lit(mean).alias("mean"),
            (pl.col("score") - mean).alias("raw"),
            pl.Series("error", np.sqrt(about_mean) * metric.scale),
        )


def _in_regions(cells: pl.DataFrame) -> pl.DataFrame:
    """A region's cells: in each benchmark the unweighted mean of its cultures."""
    return cells.group_by("endpoint", "group", "benchmark", maintain_order=True).agg(
        pl.col("culture").unique().alias("cultures"),
        pl.col("questions").sum(),
        pl.col("score", "mean", "raw").mean(),
        (pl.col("error") ** 2).sum().sqrt() / pl.len(),
    )


def _profile(cells: pl.DataFrame, name: str) -> pl.DataFrame:
    """Each model's groups that several benchmarks ask about: the mean over these, shrunk towards the model's
    other groups."""
    size = (
        [pl.col("cultures").list.explode().n_unique().cast(pl.Int64)]
        if name == "region"
        else [pl.col("region").first()]
    )
    groups = (
        cells.group_by("endpoint", "group", maintain_order=True)
        .agg(
            pl.col("benchmark").n_unique().cast(pl.Int64).alias("benchmarks"),
            pl.col("questions").sum(),
            *size,
            pl.col("raw").mean(),
            ((pl.col("error") ** 2).sum().sqrt() / pl.len()).alias("error"),
        )
        .filter(pl.col("benchmarks") >= FEWEST_BENCHMARKS)
    )
    shrunk = [
        _shrunk(of_model) for of_model in groups.partition_by("endpoint") if of_model.height >= FEWEST_GROUPS
    ]
    profile = pl.concat(shrunk) if shrunk else _shrunk(groups.clear())
    beside = "cultures" if name == "region" else "region"
    order = pl.col("difference").mean().over("group")
    columns = (
        "group",
        "endpoint",
        beside,
        "benchmarks",
        "questions",
        "difference",
        "low",
        "high",
        "raw",
        "weight",
    )
    return (
        profile.sort(order, "group", descending=[True, False], maintain_order=True)
        .select(columns)
        .rename({"group": name})
    )


def _shrunk(rows: pl.DataFrame) -> pl.DataFrame:
    """The rows with ``difference``, its interval and ``weight``, from ``raw`` and ``error``."""
    if rows.is_empty():
        return rows.with_columns(
            pl.lit(None, pl.Float64).alias(name) for name in ("difference", "low", "high", "weight")
        )
    estimates = shrink_differences(rows["raw"].to_numpy(), rows["error"].to_numpy() ** 2)
    return rows.with_columns(
        pl.Series("difference", estimates.mean),
        pl.Series("low", estimates.low),
        pl.Series("high", estimates.high),
        pl.Series("weight", estimates.weight),
    )


def _by_benchmark(cells: pl.DataFrame, name: str) -> pl.DataFrame:
    """Every group in every benchmark, shrunk towards the benchmark's other groups; those that most benchmarks
    ask about first."""
    parts = [part for part in cells.partition_by("endpoint", "benchmark") if part.height >= FEWEST_GROUPS]
    rows = pl.concat([_shrunk(part) for part in parts] or [_shrunk(cells.clear())])
    many = pl.col("benchmark").n_unique().over("group")
    columns = (
        "group",
        "endpoint",
        "benchmark",
        "questions",
        "score",
        "mean",
        "difference",
        "low",
        "high",
        "raw",
        "weight",
    )
    ordered = rows.sort(
        many, "group", "endpoint", "benchmark", descending=[True, False, False, False], maintain_order=True
    )
    return ordered.select(columns).rename({"group": name})


PROFILE = Result(
    NAME,
    "Culture profile",
    tables,
    "",
    "Where does a model do better or worse than usual, over several benchmarks? It neither "
    "scores nor ranks cultures.",
    across_benchmarks=True,
    fits=lambda inputs: len({task.split("/")[0] for task in inputs.asked}) > 1,
)
"""A result of any benchmarks that a run asked: it names no task."""
