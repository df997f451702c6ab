"""What CulturalBench's analyses start from: one value per model and question, and the scores of models by a
facet."""

from __future__ import annotations

from collections.abc import Callable

import polars as pl

from folkways.benchmarks.culturalbench.tasks import Easy, Hard, with_regional_means
from folkways.benchmarks.results import Inputs
from folkways.benchmarks.summary import summarise_means
from folkways.benchmarks.tables import NotAvailableError
from folkways.records import Metric
from folkways.releases.once import read_once
from folkways.releases.release_records import Release

EASY, HARD = "culturalbench/easy", "culturalbench/hard"
TASKS = (EASY, HARD)
HEADLINE = {EASY: "right", HARD: "all_right"}
SETUPS = {EASY: "Easy", HARD: "Hard"}
"""How the paper calls the tasks."""

UNIT = "The unit is the question; orders, templates and samples of one question are averaged first."
ACCURACY = "Accuracy, %"
WITH_PEOPLE = (
    "people: each person against the votes of the others, where the data tell what each of them chose."
)
UNKNOWN = "unknown"
WHOLE, REGION = "all", "region"
PEOPLE = "people"
"""Stands for people in the place of a model."""

_MEAN = Metric("value", "", "", kind="mean")


def present(inputs: Inputs) -> list[str]:
    """The tasks with judgements of models, Easy first; NotAvailableError if there are none."""
    tasks = inputs.tasks
    judged_tasks = [task for task in TASKS if task in tasks]
    if not judged_tasks:
        raise inputs.lacking(next((task for task in TASKS if task in inputs.asked), EASY))
    return judged_tasks


def judgements_of(inputs: Inputs, task: str) -> pl.DataFrame:
    """The judgements of a task in the profile that was judged first (``Inputs.of``), with the headline as
    ``value``.

    Rows without the headline are left out.
    """
    return inputs.of(task).with_columns(value=HEADLINE[task]).drop_nulls("value")


def by_question(inputs: Inputs, task: str, *also: str) -> pl.DataFrame:
    """endpoint, question, culture, ``also``, value: each model's mean on each question, 0 to 1.

    NotAvailableError if the judgements lack a column of ``also``.
    """
    judged = judgements_of(inputs, task)
    keys = ["endpoint", "question", "culture", *also]
    missing = [name for name in also if name not in judged.columns]
    if missing:
        raise NotAvailableError(
            f"needs the column {missing[0]}, which these judgements of {task} do not have"
        )
    return judged.drop_nulls(list(also)).group_by(keys, maintain_order=True).agg(pl.col("value").mean())


def scores_of(inputs: Inputs, task: str, facet: str) -> pl.DataFrame:
    """The scores of models by a facet: endpoint, value (the group), score, low, high, n (questions), in
    percent."""
    values = by_question(inputs, task, *_columns_of(facet))
    return pl.concat(
        mean_scores(of_model, task, facet).select(pl.lit(endpoint).alias("endpoint"), pl.all())
        for (endpoint,), of_model in values.group_by(["endpoint"], maintain_order=True)
    )


def with_people(inputs: Inputs, task: str, facet: str, scores: pl.DataFrame) -> pl.DataFrame:
    """``scores_of`` by a facet with the mean over the models, if there are several, and people (PEOPLE), if
    the data tell what each of them chose.

    inputs: with the judgements of the scores and the data. task: one of TASKS. scores: ``scores_of`` by the
        facet.
    """
    parts = [scores]
    also = _columns_of(facet)
    values, models = mean_over_models(inputs, by_question(inputs, task, *also), *also)
    if models > 1:
        means = mean_scores(values, task, facet)
        parts.append(means.with_columns(endpoint=pl.lit(f"mean of {models} models")))
    judged = _people(inputs, task)
    if judged is not None and (facet == WHOLE or facet in judged.columns):
        people = _summary(judged, task, Metric(HEADLINE[task], "", ""), facet)
        parts.append(people.with_columns(endpoint=pl.lit(PEOPLE)))
    return pl.concat(part.select("endpoint", "value", "score", "low", "high", "n") for part in parts)


def _columns_of(facet: str) -> tuple[str, ...]:
    return () if facet == WHOLE else (facet,)


def mean_over_models(inputs: Inputs, values: pl.DataFrame, *also: str) -> tuple[pl.DataFrame, int]:
    """question, culture, ``also`` and value, the mean over models on each question that all of them were
    asked in every condition they are here in; and how many models these are.

    inputs: that the ``values`` are of: rows of ``by_question`` with the same ``also``.
    """
    keys = ("question", "culture", *also)
    asked_in_all = pl.len().over(keys) == values["endpoint"].n_unique()
    each = inputs.each_model_once(values.filter(asked_in_all), keys, pl.col("value").mean())
    means = each.group_by(keys, maintain_order=True).agg(pl.col("value").mean())
    return means, inputs.count_models(values["endpoint"])


def _people(inputs: Inputs, task: str) -> pl.DataFrame | None:
    """People's judgements on the questions that models were asked."""
    release = inputs.releases.get(task)
    judged = None if release is None else _JUDGED_PEOPLE[task](release)
    if judged is None:
        return None
    questions = inputs.of(task)["question"].unique().implode()
    return judged.filter(pl.col("question").is_in(questions)).drop_nulls(HEADLINE[task])


def _judged_people(rule: Easy | Hard) -> Callable[[Release], pl.DataFrame | None]:
    """The reader of people's judgements on every question of a release: most tables need them."""

    @read_once
    def judged(release: Release) -> pl.DataFrame | None:
        baseline = rule.human_baseline()
        if baseline is None:
            return None
        return baseline.judge(rule.items(release), release, rule.scoring.profiles[0])

    return judged


_JUDGED_PEOPLE = {EASY: _judged_people(Easy()), HARD: _judged_people(Hard())}


def mean_scores(values: pl.DataFrame, task: str, facet: str = WHOLE) -> pl.DataFrame:
    """The mean over questions: value (the group of the facet), score, low, high, n, in percent.

    values: one row per question (question, culture, value and the facet's column).
    """
    judged = values.with_columns(counted=pl.lit(True), state=pl.lit("answered"))
    return _summary(judged, task, _MEAN, facet)


def _summary(judged: pl.DataFrame, task: str, metric: Metric, facet: str) -> pl.DataFrame:
    """The scores by a facet; a region is the mean over its countries."""
    scores = summarise_means(judged, task, (metric,), (), [_columns_of(facet)])
    if facet == REGION:
        scores = with_regional_means(scores, judged, (metric,))
    return scores.filter(pl.col("facet") == facet).select("value", "score", "low", "high", "n")
