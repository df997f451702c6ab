"""Tables 7, 8 and 9: how far annotators agree, how many answers they gave, and how often they did not know
(appendix B.7)."""

from __future__ import annotations

from typing import Literal

import polars as pl

from folkways.benchmarks.blend.results.shared import CULTURES, EVERY, TOPICS, mean_over_questions
from folkways.benchmarks.tables import Layout, Table, in_order
from folkways.records import Schema, require_columns

Measure = Literal["votes", "answers", "unknown"]

VOTERS = 5
"""Votes count up to the number of annotators that a question was meant to have; some groups have more."""

QUESTION_COUNTS: Schema = {
    "culture": pl.String,
    "id": pl.String,
    "topic": pl.String,
    # the largest of: votes of the commonest answer, at most VOTERS; each kind of not knowing by itself
    "votes": pl.Int64,
    "answers": pl.Int64,  # groups of answers
    "unknown": pl.Int64,  # people who gave no answer, whatever they called it
}

MEANS: Schema = {
    "culture": pl.String,
    "category": pl.String,  # a topic, or "all"
    "value": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "n": pl.Int64,  # questions
}

ABOUT: dict[Measure, tuple[int, str]] = {
    "votes": (7, "mean of the largest vote"),
    "answers": (8, "mean number of answers"),
    "unknown": (9, "mean number of people who did not know"),
}
"""Measure -> number of the paper's table, and what it shows."""


def question_counts(annotations: pl.DataFrame, questions: pl.DataFrame) -> pl.DataFrame:
    """QUESTION_COUNTS, one row per culture and question, from ``data.ANNOTATIONS`` and ``data.QUESTIONS``.

    Every question counts, also those that are left out of short-answer scores. "Did not know" takes in
    no-answer, not-applicable and whatever else annotators wrote in place of an answer.
    """
    require_columns(annotations, ("culture", "id", "groups", "idks"), "annotations")
    require_columns(questions, ("culture", "id", "topic"), "questions")
    count = pl.element().struct.field("count")
    kinds = pl.col("idks").list.eval(count)
    commonest = pl.col("groups").list.eval(count).list.first().clip(upper_bound=VOTERS)
    return annotations.join(
        questions.select("culture", "id", "topic"), on=["culture", "id"], how="left", maintain_order="left"
    ).select(
        "culture",
        "id",
        "topic",
        votes=pl.max_horizontal(commonest, kinds.list.max()).fill_null(0).cast(pl.Int64),
        answers=pl.col("groups").list.len().cast(pl.Int64),
        unknown=kinds.list.sum().cast(pl.Int64),
    )


def annotation_table(counts: pl.DataFrame, measure: Measure) -> Table:
    """Table 7 (``votes``), 8 (``answers``) or 9 (``unknown``): MEANS of QUESTION_COUNTS by culture and
    topic."""
    require_columns(counts, QUESTION_COUNTS, "counts by question")
    by_topic = counts.drop_nulls("topic").select("culture", pl.col("topic").alias("category"), measure)
    whole = counts.select("culture", pl.lit(EVERY).alias("category"), measure)
    rows = []
    for (culture, category), group in pl.concat([by_topic, whole]).group_by(
        "culture", "category", maintain_order=True
    ):
        mean, interval = mean_over_questions(group[measure].cast(pl.Float64).to_numpy())
        rows.append((culture, category, mean, interval.low, interval.high, group.height))
    number, about = ABOUT[measure]
    return Table(
        measure,
        f"Table {number}: {about}",
        "The unit is the question: each number is a mean over the questions of a culture, and its "
        "interval is over these.",
        pl.DataFrame(rows, schema=dict(MEANS), orient="row").sort(
            in_order("culture", CULTURES), "culture", in_order("category", TOPICS), maintain_order=True
        ),
        Layout("culture", "category", "value"),
    )
