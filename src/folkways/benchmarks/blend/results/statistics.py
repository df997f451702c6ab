"""Table 2: how many questions there are of each topic (section 3)."""

from __future__ import annotations

import polars as pl

from folkways.benchmarks.blend.results.shared import CULTURES, EVERY, TOPICS
from folkways.benchmarks.tables import Layout, Table, in_order
from folkways.records import Schema, require_columns

STATISTICS: Schema = {
    "format": pl.String,  # "saq" or "mcq"
    "culture": pl.String,  # "" for the short-answer questions, which are the same in every culture
    "category": pl.String,  # a topic, or "all"
    "value": pl.Int64,
}


def statistics_table(questions: pl.DataFrame, mcq: pl.DataFrame | None = None) -> Table:
    """Short-answer questions by topic and, of ready-made multiple-choice questions, their number by culture
    and topic.

    questions: QUESTIONS of ``folkways.benchmarks.blend.data``; mcq: culture and id of MCQ, one row per
    multiple-choice question. A question has the topic that the first culture gives it.
    """
    require_columns(questions, ("culture", "id", "topic"), "questions")
    topics = questions.select("id", "topic").drop_nulls().unique("id", keep="first", maintain_order=True)
    parts = [
        topics.group_by("topic")
        .len()
        .select(format=pl.lit("saq"), culture=pl.lit(""), category="topic", value="len")
    ]
    if mcq is not None:
        require_columns(mcq, ("culture", "id"), "multiple-choice questions")
        parts.append(
            mcq.join(topics, on="id", how="inner")
            .group_by("culture", "topic")
            .len()
            .select(format=pl.lit("mcq"), culture="culture", category="topic", value="len")
        )
    by_topic = pl.concat(parts).with_columns(pl.col("value").cast(pl.Int64))
    whole = (
        by_topic.group_by("format", "culture").agg(pl.col("value").sum()).with_columns(category=pl.lit(EVERY))
    )
    rows = pl.concat([by_topic, whole.select(by_topic.columns)]).sort(
        pl.col("format") == "mcq",
        in_order("culture", CULTURES),
        "culture",
        in_order("category", TOPICS),
        "category",
    )
    return Table(
        "statistics",
        "Table 2: questions by topic",
        "Counts of questions; nothing is sampled.",
        rows.select(list(STATISTICS)),
        Layout("culture", "category", "value", decimals=0),
        ()
        if mcq is not None
        else ("Multiple-choice questions are not counted: no ready-made ones are on this disk (blend-mcq).",),
    )
