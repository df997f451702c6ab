"""Whether topics differ: analysis of variance and Tukey's comparisons (section 4.1.1, Figures 14 and 15).

The paper's test is one-way over the means of a model in a culture: it says nothing of other questions, for
all models and cultures share those of a topic. A topic with 83 questions, some of them hard by chance, is
below the others everywhere. So a test whose unit is the question comes first: topics against the questions
within them.
"""

from __future__ import annotations

from dataclasses import asdict

import polars as pl

from folkways.benchmarks.blend.results.shared import CULTURES, SAQ, TOPICS
from folkways.benchmarks.tables import Layout, Table, in_order
from folkways.records import Schema, plain, require_columns
from folkways.stats.hypotheses.anova import TUKEY, Anova, one_way, tukey

CATEGORY_MEANS: Schema = {
    "endpoint": pl.String,
    "culture": pl.String,
    "topic": pl.String,
    "score": pl.Float64,  # in percent
    "n": pl.Int64,  # judgements: questions by languages by prompts
}

QUESTION_MEANS: Schema = {
    "question": pl.String,
    "topic": pl.String,
    "score": pl.Float64,  # points above or below what each model scores in each culture, averaged over these
}

TESTS: Schema = {
    "design": pl.String,  # "by question", or "as the paper"
    "f": pl.Float64,
    "df_groups": pl.Int64,
    "df_error": pl.Int64,
    "p": pl.Float64,
    "eta_squared": pl.Float64,
    "rows": pl.Int64,
}

PAIRS: Schema = {"design": pl.String, **TUKEY}

_UNIT = (
    "By question: the unit is the question, its score averaged over models and cultures as the "
    "distance from each model's mean in "
    "each culture. As the paper: the unit is a (model, culture, topic) mean."
)


def category_means(judgements: pl.DataFrame, metric: str = "sem_b") -> pl.DataFrame:
    """CATEGORY_MEANS of blend/saq: mean of the metric's column over the counted judgements of each endpoint,
    culture and topic."""
    means = _counted(judgements, metric).group_by("endpoint", "culture", "topic", maintain_order=True)
    return plain(means.agg(score=(100 * pl.col(metric)).mean(), n=pl.len().cast(pl.Int64))).sort(
        "endpoint", "culture", "topic"
    )


def question_means(judgements: pl.DataFrame, metric: str = "sem_b") -> pl.DataFrame:
    """QUESTION_MEANS of blend/saq: a question is the same in all cultures, languages and prompts."""
    cell = ["endpoint", "culture"]
    by_cell = (
        _counted(judgements, metric)
        .group_by(*cell, "question", "topic")
        .agg(score=(100 * pl.col(metric)).mean())
    )
    apart = by_cell.sort(*cell, "question").with_columns(pl.col("score") - pl.col("score").mean().over(cell))
    means = apart.group_by("question", "topic", maintain_order=True).agg(pl.col("score").mean())
    return plain(means).select(list(QUESTION_MEANS)).sort("question", "topic")


def _counted(judgements: pl.DataFrame, metric: str) -> pl.DataFrame:
    require_columns(
        judgements, ("endpoint", "task", "culture", "question", "topic", "counted", metric), "judgements"
    )
    return judgements.filter((pl.col("task") == SAQ) & pl.col("counted")).drop_nulls(["topic", metric])


def category_means_table(means: pl.DataFrame) -> Table:
    """CATEGORY_MEANS as they are, one grid per endpoint (Figure 14)."""
    require_columns(means, CATEGORY_MEANS, "means by category")
    rows = means.sort(
        "endpoint", in_order("culture", CULTURES), "culture", in_order("topic", TOPICS), "topic"
    )
    return Table(
        "category-means",
        "Figure 14: scores by culture and topic",
        "The unit is the question: each number is a mean over its judgements, in every language and prompt.",
        rows.select(list(CATEGORY_MEANS)),
        Layout("culture", "topic", "score", decimals=1, by="endpoint", drawn="heatmap"),
    )


def category_table(means: pl.DataFrame, questions: pl.DataFrame) -> Table:
    """TESTS of QUESTION_MEANS and CATEGORY_MEANS: do topics differ? One row per design that the rows allow.

    DataError where they allow neither.
    """
    rows = [{"design": design, **asdict(anova)} for design, anova, _ in _designs(means, questions)]
    return Table(
        "categories",
        "Figure 15: do topics differ? Analysis of variance",
        _UNIT,
        pl.DataFrame(rows, schema=dict(TESTS)),
        notes=(
            "By question: would the topics differ with other questions too? As the paper: p is of these "
            "questions alone, in other "
            "cultures or by other models, and takes the topics of a model in a culture as independent.",
        ),
    )


def category_pairs_table(means: pl.DataFrame, questions: pl.DataFrame) -> Table:
    """PAIRS: which topics differ, by Tukey's honestly significant differences, in each design."""
    pairs = [
        tukey(rows, "score", "topic", anova).with_columns(design=pl.lit(design)).select(list(PAIRS))
        for design, anova, rows in _designs(means, questions)
    ]
    return Table(
        "category-pairs",
        "Figure 15: which topics differ? Tukey's comparisons, in percentage points",
        _UNIT + " Intervals and p hold for all pairs of a design at once.",
        pl.concat(pairs),
    )


def _designs(means: pl.DataFrame, questions: pl.DataFrame) -> list[tuple[str, Anova, pl.DataFrame]]:
    require_columns(means, CATEGORY_MEANS, "means by category")
    require_columns(questions, QUESTION_MEANS, "means by question")
    tests: list[tuple[str, Anova, pl.DataFrame]] = [
        ("by question", one_way(questions, "score", "topic"), questions)
    ]
    if means.height > means["topic"].n_unique():  # not of one model in one culture
        tests.append(("as the paper", one_way(means, "score", "topic"), means))
    return tests
