"""What a CulturalBench holds (section 4), and the human baseline by country."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import polars as pl

from folkways.benchmarks.culturalbench.build.topics import TOPIC_COLUMNS
from folkways.benchmarks.culturalbench.people import PEOPLE_JUDGEMENTS
from folkways.benchmarks.culturalbench.votes import LETTERS
from folkways.benchmarks.summary import interval_of_mean
from folkways.benchmarks.tables import Layout, Plot, Table, in_order
from folkways.cultures import REGIONS, cultures, name_of_code
from folkways.records import Metric, Schema, of_rows, require_columns

QUESTIONS: Schema = {"by": pl.String, "value": pl.String, "questions": pl.Int64, "percent": pl.Float64}
EXAMPLES: Schema = {
    "topic": pl.String,
    "questions": pl.Int64,  # of the topic
    "country": pl.String,
    "question": pl.String,
    "options": pl.String,  # "A. tea; B. milk"
    "answer": pl.String,  # the right letter
}

TOPIC_COUNTRIES: Schema = {
    "culture": pl.String,
    "topic": pl.String,
    "of_topic": pl.Int64,  # questions of the country on the topic
    "questions": pl.Int64,  # of the country
    "share": pl.Float64,  # percent
}
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
    questions = easy
    if topics is not None:
        topic_rows = (
            require_columns(topics, TOPIC_COLUMNS, "topics")
            .select(list(TOPIC_COLUMNS))
            .unique("question_idx", keep="first")
        )
        questions = easy.drop("topic", strict=False).join(
            topic_rows, on="question_idx", how="left", maintain_order="left"
        )
        order = {
            **order,
            "head": topics["head"].drop_nulls().unique(maintain_order=True).to_list(),
            "topic": [],
        }
    parts = [_counted(questions, by, names) for by, names in order.items()]
    whole = of_rows([("all", "all", easy.height, 100.0)], QUESTIONS)
    return Table(
        "questions",
        "Questions by region, country, mode and topic (section 4)",
        "Counts of questions; nothing is sampled.",
        pl.concat([whole, *parts]),
        plots=tuple(
            Plot(
                Layout("value", "by", "questions", decimals=0, drawn="bars", measure="Questions"),
                part["by"][0],
                f"{'Figure 3: questions' if part['by'][0] == 'topic' else 'Questions'} by "
                f"{part['by'][0]} (section 4)",
                part,
            )
            for part in parts
            if part.height
        ),
        notes=()
        if topics is not None
        else ("Topics are not known: folkways build topics sorts questions into them.",),
    )


def topic_country_table(easy: pl.DataFrame, topics: pl.DataFrame) -> Table:
    """TOPIC_COUNTRIES: how the questions of each country are spread over topics (section 4.2), the most
    frequent topic first.

    easy, topics: as for ``questions_table``.
    """
    rows = _with_topics(easy, topics)
    by_topic = rows.group_by("topic").len().sort("len", "topic", descending=[True, False])["topic"]
    by_country = rows.group_by("culture").agg(questions=pl.len().cast(pl.Int64))
    counted = rows.group_by("culture", "topic").agg(of_topic=pl.len().cast(pl.Int64))
    whole = (
        by_country.join(by_topic.to_frame(), how="cross")
        .join(counted, on=["culture", "topic"], how="left")
        .with_columns(pl.col("of_topic").fill_null(0))
    )
    return Table(
        "topic-countries",
        "Topics by country (section 4.2)",
        "Counts of questions; nothing is sampled. share: of the country's questions, in percent.",
        whole.with_columns(share=100 * pl.col("of_topic") / pl.col("questions"))
        .sort(in_order("culture", list(cultures())), "culture", in_order("topic", by_topic))
        .select(list(TOPIC_COUNTRIES)),
        Layout(
            "culture", "topic", "share", decimals=0, drawn="heatmap", measure="Questions of the country, %"
        ),
    )


def example_table(easy: pl.DataFrame, topics: pl.DataFrame) -> Table:
    """EXAMPLES: the first question of each topic in the order of the file, the most frequent topic first
    (Appendix C).

    easy, topics: as for ``questions_table``.
    """
    rows = _with_topics(easy, topics).with_columns(questions=pl.len().over("topic").cast(pl.Int64))
    first = rows.unique("topic", keep="first", maintain_order=True)
    lettered = [
        "; ".join(f"{letter}. {option}" for letter, option in zip(LETTERS, options, strict=False))
        for options in first["options"]
    ]
    return Table(
        "examples",
        "One question of each topic (Appendix C)",
        "The first in the file.",
        first.with_columns(options=pl.Series(lettered, dtype=pl.String))
        .sort("questions", "topic", descending=[True, False])
        .select(list(EXAMPLES)),
    )


def _with_topics(easy: pl.DataFrame, topics: pl.DataFrame) -> pl.DataFrame:
    of_question = topics.select("question_idx", "topic").unique("question_idx", keep="first")
    rows = easy.drop("topic", strict=False).join(
        of_question, on="question_idx", how="left", maintain_order="left"
    )
    return rows.with_columns(pl.col("topic").fill_null(UNKNOWN))


def words_table(easy: pl.DataFrame) -> Table:
    """WORDS: mean and standard deviation (of the sample) of words, separated by whitespace, per question and
    option position."""
    require_columns(easy, {"question": pl.String, "options": pl.List(pl.String)}, "questions")
    return Table(
        "words",
        "Words per question and option (section 4)",
        "A question, or its option in one position; words are what whitespace separates.",
        of_rows(_words(easy), WORDS),
        notes=(
            "The paper's figures, for its 1,227 questions: question 17.2 (sd 12.06); options A 5.48, B 5.44, "
            "C 5.57, D 5.57 (sd 4.24 to 4.27).",
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


RIGHT = Metric("right", "Accuracy", "The person chose what the others' votes make gold, and nothing else.")

PEOPLE: Schema = {
    "country": pl.String,  # "all" for the whole
    "right": pl.Float64,  # percent of answers, like its interval
    "low": pl.Float64,
    "high": pl.Float64,
    "mean_of_annotators": pl.Float64,  # percent: the mean over people of each one's share
    "answers": pl.Int64,
    "questions": pl.Int64,
    "annotators": pl.Int64,  # who gave an answer
    "without_answer": pl.Float64,  # percent of votes that were "I don't know" or "cannot be answered"
}


def people_table(judgements: pl.DataFrame) -> Table:
    """PEOPLE, from people's judgements on Easy; the interval draws questions with all their answers."""
    require_columns(judgements, {**PEOPLE_JUDGEMENTS, "right": pl.Float64}, "judgements of people")
    return Table(
        "people",
        "The human line: each annotator against the votes of the others",
        "The unit is the question: a score is over votes, and its interval draws questions with all "
        "their votes.",
        pl.DataFrame(list(_rows(judgements)), schema=dict(PEOPLE)),
        notes=(
            "A person is right who chose every option that the others' votes make gold, and no other: the "
            "same on Easy as Hard.",
            "Votes for no option (dont_know, cannot_answer) do not count; without_answer is their share.",
        ),
    )


def _rows(judgements: pl.DataFrame) -> Iterator[dict[str, Any]]:
    yield _row("all", judgements)
    order = {code: position for position, code in enumerate(cultures())}
    parts = judgements.partition_by("culture", as_dict=True)
    for (code,) in sorted(parts, key=lambda key: (order.get(str(key[0]), len(order)), str(key[0]))):
        yield _row(name_of_code(str(code)), parts[(code,)])


def _row(country: str, judgements: pl.DataFrame) -> dict[str, Any]:
    # a sum of floats depends on its order
    counted = judgements.filter("counted").sort("question", "annotator")
    values = counted["right"].to_numpy()
    interval = interval_of_mean(values, counted["question"].rank("dense").cast(pl.Int64).to_numpy(), RIGHT)
    by_person = counted.group_by("annotator").agg(pl.col("right").mean()).sort("annotator")
    return {
        "country": country,
        "right": 100 * float(values.mean()) if values.size else float("nan"),
        "low": 100 * interval.low,
        "high": 100 * interval.high,
        "mean_of_annotators": 100 * float(np.mean(by_person["right"].to_numpy()))
        if values.size
        else float("nan"),
        "answers": counted.height,
        "questions": counted["question"].n_unique(),
        "annotators": by_person.height,
        "without_answer": 100 * (1 - counted.height / judgements.height)
        if judgements.height
        else float("nan"),
    }
