"""What a CulturalBench holds (section 4): questions by country, region, topic and mode, and words per
question and option."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import polars as pl

from folkways.benchmarks.culturalbench.build.topics import TOPIC_COLUMNS
from folkways.benchmarks.culturalbench.votes import LETTERS
from folkways.benchmarks.tables import Table, in_order
from folkways.cultures import REGIONS, cultures
from folkways.records import Schema, require_columns

QUESTIONS: Schema = {"by": pl.String, "value": pl.String, "questions": pl.Int64, "percent": pl.Float64}
WORDS: Schema = {"part": pl.String, "texts": pl.Int64, "mean": pl.Float64, "sd": pl.Float64}

UNKNOWN = "(unknown)"


def questions_table(easy: pl.DataFrame, topics: pl.DataFrame | None = None) -> Table:
    """QUESTIONS: how many there are by region, country and mode, and by head and topic where ``topics`` tells
    them.

    easy: ``folkways.benchmarks.culturalbench.data.easy``; topics: TOPIC_COLUMNS. Each row of Easy is a
    question.
    """
    require_columns(easy, ("question_idx", "culture", "region", "mode"), "questions")
    order: Mapping[str, list[str]] = {
        "region": list(REGIONS),
        "culture": list(cultures()),
        "mode": ["single", "multi"],
    }
    told = easy
    if topics is not None:
        known = (
            require_columns(topics, TOPIC_COLUMNS, "topics")
            .select(list(TOPIC_COLUMNS))
            .unique("question_idx", keep="first")
        )
        told = easy.drop("topic", strict=False).join(
            known, on="question_idx", how="left", maintain_order="left"
        )
        order = {
            **order,
            "head": topics["head"].drop_nulls().unique(maintain_order=True).to_list(),
            "topic": [],
        }
    parts = [_counted(told, by, names) for by, names in order.items()]
    whole = pl.DataFrame([("all", "all", easy.height, 100.0)], schema=dict(QUESTIONS), orient="row")
    return Table(
        "questions",
        "Questions by region, country, mode and topic (section 4)",
        "Counts of questions; nothing is sampled.",
        pl.concat([whole, *parts]),
        notes=()
        if topics is not None
        else ("Topics are not known: folkways build topics sorts questions into them.",),
    )


def words_table(easy: pl.DataFrame) -> Table:
    """WORDS: mean and standard deviation (of the sample) of words, separated by whitespace, per question and
    option position."""
    require_columns(easy, {"question": pl.String, "options": pl.List(pl.String)}, "questions")
    return Table(
        "words",
        "Words per question and option (section 4)",
        "A question, or its option in one position; words are what whitespace separates.",
        pl.DataFrame(list(_words(easy)), schema=dict(WORDS), orient="row"),
        notes=(
            "The paper's figures, for its 1,227 questions: question 17.2 (sd 12.06); options A 5.48, B "
            "5.44, C 5.57, D 5.57 "
            "(sd 4.24 to 4.27).",
        ),
    )


def _counted(easy: pl.DataFrame, by: str, names: list[str]) -> pl.DataFrame:
    """Numbers of one grouping in the order of ``names``, the others after them, most frequent first."""
    counts = (
        easy.with_columns(pl.col(by).fill_null(UNKNOWN))
        .group_by(by)
        .agg(pl.len().cast(pl.Int64).alias("questions"))
    )
    shown = pl.col(by)
    if by == "culture":
        shown = shown.replace({code: culture.name for code, culture in cultures().items()})
    return counts.sort(in_order(by, names), -pl.col("questions"), by).select(
        by=pl.lit("country" if by == "culture" else by),
        value=shown,
        questions="questions",
        percent=100 * pl.col("questions") / easy.height,
    )


def _words(easy: pl.DataFrame) -> Iterator[tuple[str, int, float | None, float | None]]:
    texts = {
        "question": easy["question"],
        **{f"option {letter}": easy["options"].list.get(i) for i, letter in enumerate(LETTERS)},
    }
    for part, column in texts.items():
        words = column.str.extract_all(r"\S+").list.len()
        yield part, words.len(), words.mean(), words.std()  # type: ignore[misc]
