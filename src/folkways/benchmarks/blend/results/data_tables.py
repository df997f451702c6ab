"""The paper's tables of the data: questions by topic, agreement of annotators, and shared lemmas."""

from __future__ import annotations

import re
from functools import cache
from itertools import combinations
from typing import Literal

import numpy as np
import polars as pl

from folkways.benchmarks.blend.results.shared import CULTURES, ENGLISH, EVERY, TOPICS, mean_over_questions
from folkways.benchmarks.tables import Layout, Plot, Table, in_order
from folkways.cultures import get_culture
from folkways.records import Schema, of_rows, require_columns
from folkways.stats.combinations import combination_of_means
from folkways.text.tools import TextTool

STATISTICS: Schema = {
    "format": pl.String,  # "saq" or "mcq"
    "culture": pl.String,  # "" for the short-answer questions, which are the same in every culture
    "category": pl.String,  # a topic, or "all"
    "value": pl.Int64,
}


NO_READY_MADE = "Multiple-choice questions are not counted: no ready-made ones are on this disk (blend-mcq)."


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
        () if mcq is not None else (NO_READY_MADE,),
    )


def counts_table(questions: pl.DataFrame, mcq: pl.DataFrame | None = None) -> Table:
    """Questions by culture, over all languages that it is asked in, and their sum in the culture ``""``.

    questions, mcq: as for ``statistics_table``. A short-answer question counts once in each language.
    """
    require_columns(questions, ("culture", "id"), "questions")
    languages = {code: len({*get_culture(code).languages, ENGLISH}) for code in questions["culture"].unique()}
    counted = questions.group_by("culture").agg(pl.col("id").n_unique().cast(pl.Int64).alias("value"))
    parts = [
        counted.select(
            "culture",
            format=pl.lit("saq"),
            value=pl.col("value") * pl.col("culture").replace_strict(languages, return_dtype=pl.Int64),
        )
    ]
    if mcq is not None:
        require_columns(mcq, ("culture",), "multiple-choice questions")
        parts.append(
            mcq.group_by("culture")
            .agg(pl.len().cast(pl.Int64).alias("value"))
            .select("culture", format=pl.lit("mcq"), value="value")
        )
    by_culture = pl.concat(parts)
    whole = by_culture.group_by("format").agg(pl.col("value").sum()).with_columns(culture=pl.lit(""))
    rows = pl.concat([by_culture, whole.select(by_culture.columns)]).sort(
        pl.col("culture") == "", in_order("culture", CULTURES), "culture", pl.col("format") == "mcq"
    )
    return Table(
        "counts",
        "Table 1: questions by culture",
        "Counts of questions; nothing is sampled.",
        rows.select("format", "culture", pl.lit(EVERY).alias("category"), "value"),
        Layout("culture", "format", "value", decimals=0),
        (
            "saq: short-answer questions, in English and in the language of the culture. mcq: "
            "multiple-choice questions, in English.",
            *(() if mcq is not None else (NO_READY_MADE,)),
        ),
    )


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
    "sd": pl.Float64,  # of the cultures' means, in the rows of MEAN; null elsewhere
    "n": pl.Int64,  # questions
}

MEAN = "mean over cultures"
"""In place of a culture: the mean in which every culture counts alike (section 3)."""

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
    by_topic = counts.drop_nulls("topic").select("culture", "id", pl.col("topic").alias("category"), measure)
    whole = counts.select("culture", "id", pl.lit(EVERY).alias("category"), measure)
    rows: list[tuple[object, ...]] = []
    for (culture, category), group in pl.concat([by_topic, whole]).group_by(
        "culture", "category", maintain_order=True
    ):
        mean, interval = mean_over_questions(group[measure].cast(pl.Float64).to_numpy())
        rows.append((culture, category, mean, interval.low, interval.high, None, group.height))
    for (category,), group in pl.concat([by_topic, whole]).group_by("category", maintain_order=True):
        rows.append((MEAN, category, *_over_cultures(group, measure)))
    number, about = ABOUT[measure]
    return Table(
        measure,
        f"Table {number}: {about}",
        "The unit is the question: each number is a mean over the questions of a culture, and its "
        "interval is over these, also that of the mean over cultures, which share them.",
        of_rows(rows, MEANS).sort(
            in_order("culture", CULTURES), "culture", in_order("category", TOPICS), maintain_order=True
        ),
        Layout("culture", "category", "value", drawn="heatmap", measure=f"{about[0].upper()}{about[1:]}"),
    )


def _over_cultures(counts: pl.DataFrame, measure: Measure) -> tuple[float, float, float, float, int]:
    """The mean over cultures of their means with its interval, their standard deviation, and the number of
    questions."""
    ordered = counts.sort("culture", "id")
    codes, questions = (
        ordered[name].rank("dense").cast(pl.Int64).to_numpy() - 1 for name in ("culture", "id")
    )
    values = ordered[measure].cast(pl.Float64).to_numpy()
    cultures = int(codes.max()) + 1
    mean = combination_of_means(values, codes, questions, np.full(cultures, 1 / cultures))
    each = counts.group_by("culture").agg(pl.col(measure).mean())[measure].to_numpy()
    spread = float(each.std(ddof=1)) if cultures > 1 else float("nan")
    return mean.difference, mean.low, mean.high, spread, int(questions.max()) + 1


OVERLAP: Schema = {
    "first": pl.String,
    "second": pl.String,
    "shared": pl.Int64,  # lemmas that both cultures' answers have, summed over questions
    "low": pl.Float64,  # of that sum, were other questions asked
    "high": pl.Float64,
    "questions": pl.Int64,  # that both cultures have
}

_WORD = re.compile(r"\w+(?:['’]\w+)*")


def overlap_table(annotations: pl.DataFrame, tool: TextTool) -> Table:
    """Every pair of cultures with OVERLAP, most shared lemmas first.

    annotations: ``data.ANNOTATIONS``; all English variants of all groups count, and stop words stay. tool:
    what lemmatises English; each word is given to it by itself, in lower case.
    """
    require_columns(annotations, ("culture", "id", "groups"), "annotations")
    lemmas = _lemmas_by_question(annotations, tool)
    codes = annotations["culture"].unique()
    cultures = codes.to_frame().sort(in_order("culture", CULTURES), "culture")["culture"].to_list()
    rows = []
    for first, second in combinations(cultures, 2):
        common = lemmas[first].keys() & lemmas[second].keys()
        shared = np.array(
            [len(lemmas[first][key] & lemmas[second][key]) for key in sorted(common)], dtype=np.float64
        )
        _, interval = mean_over_questions(shared)
        n = shared.size
        rows.append((first, second, int(shared.sum()), max(0.0, interval.low * n), interval.high * n, n))
    named = of_rows(rows, OVERLAP)
    square = pl.concat(
        named.select(culture=one, other_culture=other, value="shared", n="questions")
        for one, other in (("first", "second"), ("second", "first"))
    ).sort(in_order("culture", CULTURES), "culture", in_order("other_culture", CULTURES), "other_culture")
    drawn = Layout("culture", "other_culture", "value", decimals=0, drawn="heatmap", measure="Shared lemmas")
    return Table(
        "overlap",
        f"Figure 2: lemmas that the English answers of two cultures share ({tool.name} {tool.version})",
        "The unit is the question: each number is a sum over the questions both cultures have, and its "
        "interval is over these.",
        named.sort("shared", descending=True, maintain_order=True),
        plots=(Plot(drawn, rows=square),),
    )


def _lemmas_by_question(annotations: pl.DataFrame, tool: TextTool) -> dict[str, dict[str, frozenset[str]]]:
    """Culture -> question -> lemmas; each distinct word is lemmatised once."""

    @cache
    def of_word(word: str) -> frozenset[str]:
        return frozenset(token.lower() for token in tool.tokens(word))

    @cache
    def of_answer(answer: str) -> frozenset[str]:
        return frozenset().union(*map(of_word, _WORD.findall(answer.lower())))

    lemmas: dict[str, dict[str, frozenset[str]]] = {}
    for culture, key, groups in annotations.select("culture", "id", "groups").iter_rows():
        answers = {answer for group in groups for answer in group["en_answers"]}
        lemmas.setdefault(culture, {})[key] = frozenset().union(*map(of_answer, answers))
    return lemmas
