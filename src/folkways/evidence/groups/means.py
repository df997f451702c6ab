"""Means over models: by culture, region, topic, type and Hall level, with an interval over models and one
over questions."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

import polars as pl

from folkways.benchmarks.averages import mean_over, with_mean_over
from folkways.benchmarks.results import Inputs, Result
from folkways.benchmarks.summary import summarise_means
from folkways.benchmarks.tables import Layout, NotAvailableError, Table
from folkways.cultures import cultures
from folkways.evidence.groups.panel import NAMES, UNIT, Panel, notes, panels
from folkways.names import WHOLE
from folkways.records import Metric, Schema, of_rows
from folkways.stats.intervals import Floats, student

FEWEST_MODELS = 3
"""Models below which nothing is said about other models."""

MOST_GROUPS = 40
"""A facet of more groups is a name of items rather than a group of them, and is left out; cultures are
not."""

MOST_TOPICS = 12
"""Groups of a facet up to which it is crossed with cultures."""

MEANS: Schema = {
    **NAMES,
    "facet": pl.String,
    "group": pl.String,
    "score": pl.Float64,  # the mean over models of their scores
    "low": pl.Float64,  # over questions, for these models
    "high": pl.Float64,
    "models_low": pl.Float64,  # over models, for these questions; null below FEWEST_MODELS
    "models_high": pl.Float64,
    "sd": pl.Float64,  # standard deviation of the models' scores
    "models": pl.Int64,
    "questions": pl.Int64,
}

CROSSED: Schema = {
    "of": pl.String,
    "culture": pl.String,
    "topic": pl.String,
    **{name: MEANS[name] for name in ("score", "low", "high", "models", "questions")},
}


def tables(inputs: Inputs) -> Sequence[Table]:
    """The means by each facet, and by culture and topic.

    Raises NotAvailableError for fewer than two models with questions in common.
    """
    wanted = dict.fromkeys(name for task in inputs.tasks for name in inputs.facets.get(task, ()))
    used = [panel for panel in panels(inputs, list(wanted), every_metric=True) if len(panel.models) > 1]
    rows = [row for panel in used for row in _rows(panel, inputs.facets.get(panel.task, ()))]
    if not rows:
        raise NotAvailableError("needs two models with questions in common")
    made = [
        Table(
            "model-means",
            "Means over models",
            f"{UNIT} low and high are over questions, for these models; models_low and models_high are "
            "Student's over models, for these questions.",
            of_rows(rows, MEANS),
            notes=(
                "A region is the unweighted mean over its cultures. Models are not drawn at random: the "
                "interval over models is for others like these.",
                *notes(used),
            ),
        )
    ]
    crossed = of_rows((row for panel in used for row in _crossed(panel, inputs)), CROSSED)
    if crossed.height:
        drawn = Layout("culture", "topic", "score", decimals=1, by="of", drawn="heatmap")
        made.append(
            Table("model-means-topics", "Means over models by culture and topic", UNIT, crossed, drawn)
        )
    return made


def _rows(panel: Panel, facets: Sequence[str]) -> Iterator[tuple[object, ...]]:
    present = set(panel.once.columns) - {"region"}
    columns = [name for name in facets if name in present and panel.once[name].n_unique() <= MOST_GROUPS]
    regions = {code: culture.region for code, culture in cultures().items()}
    of_culture = pl.col("culture").replace_strict(regions, default=None, return_dtype=pl.String)
    single = replace(panel, once=panel.once.with_columns(region=of_culture))
    for facet in (WHOLE, "culture", "region", *columns):
        scores = _scores(single, facet)
        for row in _over_questions(single, facet).iter_rows(named=True):
            values = scores.filter(group=row["value"])["score"].to_numpy()
            ends = student_ends(values, scaled_bounds(panel.metric))
            yield (
                *panel.names().values(),
                *(facet, row["value"], row["score"], row["low"], row["high"]),
                *(*ends, float(values.std(ddof=1)), values.size, row["questions"]),
            )


def student_ends(values: Floats, bounds: tuple[float, float] | None = None) -> tuple[float, float]:
    """Both ends of Student's interval of a mean over models, or over other units that are few; NaN below
    FEWEST_MODELS, and where all are alike. bounds: as of ``student``."""
    if values.size < FEWEST_MODELS:
        return math.nan, math.nan
    over = student(values, bounds)
    return over.low, over.high


def scaled_bounds(metric: Metric) -> tuple[float, float] | None:
    """Between which scores lie, in their unit."""
    if metric.bounds is None:
        return None
    return metric.scale * metric.bounds[0], metric.scale * metric.bounds[1]


def _inner(metric: Metric, facet: str) -> str | None:
    """The column over whose groups a score of the facet is averaged, unless it is a mean over questions."""
    return "culture" if facet == "region" else metric.mean_over if facet == WHOLE else None


def _scores(panel: Panel, facet: str) -> pl.DataFrame:
    """endpoint, group and score of each model."""
    group = pl.lit(WHOLE) if facet == WHOLE else pl.col(facet)
    keyed = panel.once.with_columns(group=group).drop_nulls("group")
    inner = _inner(panel.metric, facet)
    if inner is not None:
        keyed = keyed.group_by("endpoint", "group", inner, maintain_order=True).agg(pl.col("value").mean())
    return keyed.group_by("endpoint", "group", maintain_order=True).agg(score=pl.col("value").mean())


def _over_questions(panel: Panel, facet: str) -> pl.DataFrame:
    """records.SCORES of a model that has the mean of all models on each question."""
    judged, metric = _averaged(
        panel, [name for name in (facet, panel.metric.mean_over) if name and name != WHOLE]
    )
    grouping = () if facet == WHOLE else ("culture",) if facet == "region" else (facet,)
    if facet == "region":
        scores = summarise_means(judged, panel.task, (metric,), ("region",), [()])
        scores = with_mean_over(scores, judged, (metric,), "culture", "region")
    else:
        scores = summarise_means(judged, panel.task, (metric,), (), [grouping])
        if facet == WHOLE and metric.mean_over:
            scores = with_mean_over(scores, judged, (metric,), metric.mean_over)
    return scores.filter(pl.col("facet") == facet)


def _averaged(panel: Panel, facets: Sequence[str]) -> tuple[pl.DataFrame, Metric]:
    """Judgements of a model that has the mean of all, and their metric."""
    metric = replace(panel.metric, kind="mean", accuracy=False)
    columns = [name for name in dict.fromkeys(facets) if name in panel.once.columns and name != "culture"]
    judged = panel.mean(columns).with_columns(
        pl.lit(True).alias("counted"), pl.lit("answered").alias("state"), pl.col("value") / metric.scale
    )
    return judged.rename({"value": metric.name}), metric


def _crossed(panel: Panel, inputs: Inputs) -> Iterator[tuple[object, ...]]:
    """By culture and topic, of a headline metric: the first facet with few groups in every culture, unless
    each culture has one of them."""
    if panel.metric != inputs.headline(panel.task) or panel.once["culture"].n_unique() < 2:
        return
    columns = [name for name in inputs.facets.get(panel.task, ()) if name in panel.once.columns]
    facet = next((name for name in columns if 1 < panel.once[name].n_unique() <= MOST_TOPICS), None)
    if facet is None or panel.once.group_by("culture").agg(pl.col(facet).n_unique())[facet].max() == 1:
        return  # a region, or a locale: each culture has its own
    judged, metric = _averaged(panel, [facet])
    for (culture, topic), part in (
        judged.drop_nulls(facet).sort("culture", facet).group_by("culture", facet, maintain_order=True)
    ):
        mean = mean_over(part, metric, "culture", "culture")
        name = f"{panel.task}, {panel.part}" if panel.part else panel.task
        ends = (mean["score"], mean["low"], mean["high"])
        yield (name, culture, topic, *ends, len(panel.models), part["question"].n_unique())


def _fits(inputs: Inputs) -> bool:
    by_task = inputs.asked_about.group_by("task").agg("endpoint")
    return any(inputs.count_models(endpoints) > 1 for endpoints in by_task["endpoint"])


MODEL_MEANS = Result(
    "model-means",
    "Means over models",
    tables,
    "",
    "What do the models score on average, by culture, region, topic and type, and how sure is that?",
    fits=_fits,
)
