"""What CulturalBench's analyses start from: one value per model and question, and the scores of models by a facet."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from folkways.benchmarks.analyses import Findings
from folkways.benchmarks.culturalbench.regions import with_regional_means
from folkways.benchmarks.summary import summarise_means
from folkways.benchmarks.tables import NotAvailableError
from folkways.records import Metric

EASY, HARD = "culturalbench/easy", "culturalbench/hard"
TASKS = (EASY, HARD)
HEADLINE = {EASY: "right", HARD: "all_right"}
SETUPS = {EASY: "Easy", HARD: "Hard"}
"""How the paper calls the tasks."""

UNIT = "The unit is the question; orders, templates and samples of one question are averaged first."
UNKNOWN = "unknown"
_MEAN = Metric("value", "", "", kind="mean")


def present(findings: Findings) -> list[str]:
    """The tasks of which there are judgements, Easy first."""
    return [task for task in TASKS if task in findings.tasks]


def judgements_of(findings: Findings, task: str) -> pl.DataFrame:
    """The counted judgements of models on a task, in the profile that was judged first, with the headline as ``value``.

    Baselines know nothing and are not compared. Rows on which the headline does not stand are left out. NotAvailableError where no
    model was asked.
    """
    judged = findings.of(task).filter(~pl.col("endpoint").str.starts_with("baseline/"))
    if judged.is_empty():
        raise NotAvailableError(f"needs judgements of a model on {task}, not of baselines alone")
    return judged.with_columns(value=HEADLINE[task]).drop_nulls("value")


def by_question(findings: Findings, task: str, *also: str) -> pl.DataFrame:
    """endpoint, question, culture, ``also``, value: each model's mean on each question, between 0 and 1."""
    judged = judgements_of(findings, task)
    keys = ["endpoint", "question", "culture", *also]
    missing = [name for name in also if name not in judged.columns]
    if missing:
        raise NotAvailableError(f"needs the column {missing[0]}, which these judgements of {task} do not have")
    return judged.drop_nulls(list(also)).group_by(keys, maintain_order=True).agg(pl.col("value").mean())


def scores_of(findings: Findings, task: str, facet: str) -> pl.DataFrame:
    """The scores of models by a facet: endpoint, value (the group), score, low, high, n, in percent."""
    profile = judgements_of(findings, task)["profile"][0]
    return (
        findings.scores.filter(
            (pl.col("task") == task)
            & (pl.col("profile") == profile)
            & (pl.col("metric") == HEADLINE[task])
            & (pl.col("facet") == facet)
            & ~pl.col("endpoint").str.starts_with("baseline/")
        )
        .unique(subset=["endpoint", "value"], keep="last", maintain_order=True)
        .select("endpoint", "value", "score", "low", "high", "n")
    )


def mean_scores(values: pl.DataFrame, task: str, regions: bool = False) -> pl.DataFrame:
    """The mean over several models, from their mean on each question: value (region, or ``all``), score, low, high, n, in percent.

    values: one row per question (question, culture, value and, for ``regions``, region). A region is the mean over its countries.
    """
    judged = values.with_columns(counted=pl.lit(True), state=pl.lit("answered"))
    groupings: Sequence[tuple[str, ...]] = [("region",)] if regions else [()]
    scores = summarise_means(judged, task, (_MEAN,), (), groupings)
    if regions:
        scores = with_regional_means(scores, judged, (_MEAN,))
    return scores.filter(pl.col("facet") == ("region" if regions else "all")).select("value", "score", "low", "high", "n")
