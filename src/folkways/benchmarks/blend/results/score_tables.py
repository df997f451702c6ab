"""The paper's analyses of scores: languages, topics and formats (sections 4.1.1, 4.2.2); whose culture
answers.

The paper tests topics over the means of a model in a culture. All models and cultures share the questions of
a topic, so that test says nothing about other questions. A test with the question as its unit comes first
here.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from functools import lru_cache
from typing import Any

import numpy as np
import polars as pl

from folkways.benchmarks.blend import data as blend
from folkways.benchmarks.blend.published import PUBLISHED
from folkways.benchmarks.blend.results.shared import CULTURES, ENGLISH, MCQ, SAQ, TOPICS
from folkways.benchmarks.free_answers.matching import StrictMatcher
from folkways.benchmarks.results import NO_INPUTS, Inputs
from folkways.benchmarks.tables import DIFFERENCE, Layout, NotAvailableError, Plot, Table, in_order, with_holm
from folkways.benchmarks.whose_culture.matching import ROW, Wording, of_answers, of_options
from folkways.benchmarks.whose_culture.result import whose_culture
from folkways.cultures import get_culture, name_of_code
from folkways.records import MANY_IN_OTHER_LANGUAGE, OTHER_LANGUAGE, Schema, of_rows, plain, require_columns
from folkways.stats.differences import paired_mean
from folkways.stats.hypotheses.anova import TUKEY, Anova, one_way, tukey
from folkways.stats.hypotheses.correlation import pearson

LANGUAGES: Schema = {
    "endpoint": pl.String,  # null where the row is over several models
    "culture": pl.String,
    "language": pl.String,  # the local one
    "local": pl.Float64,  # in percent, like English and the difference
    "english": pl.Float64,
    **DIFFERENCE,  # local minus English
    "p_holm": pl.Float64,  # corrected for the number of cultures
    "n": pl.Int64,  # pairs: questions or models
}

_GAIN = "A difference above 0 means that the local language scores higher."


def language_table(judgements: pl.DataFrame) -> Table:
    """Each endpoint's score in a culture's own language and in English, paired by question.

    judgements: of blend/saq, one profile: records.JUDGEMENTS with ``endpoint`` and the column ``sem_b``
    (others tasks' rows are left out). A question's score in a language is its mean over prompts and samples.
    Cultures asked in one language alone are left out, and so are those of a model that did not answer in the
    language asked for: more than a tenth of its replies to the culture in either language are in another
    (records.OTHER_LANGUAGE, where the judgements have it). A note names these.
    """
    require_columns(judgements, ("endpoint", "task", "culture", "language", "counted", "sem_b"), "judgements")
    counted = judgements.filter((pl.col("task") == SAQ) & pl.col("counted"))
    elsewhere = _answered_elsewhere(counted)
    scores = plain(
        counted.group_by("endpoint", "culture", "question", "language").agg(
            (100 * pl.col("sem_b")).mean().alias("score")
        )
    )
    english = scores.filter(pl.col("language") == ENGLISH).select(
        "endpoint", "culture", "question", english="score"
    )
    local = scores.filter(pl.col("language") != ENGLISH).rename({"score": "local"})
    paired = local.join(english, on=["endpoint", "culture", "question"], how="inner").drop_nulls(
        ["local", "english"]
    )
    paired = paired.join(elsewhere, on=["endpoint", "culture"], how="anti", maintain_order="left")
    return Table(
        "languages",
        "Local language against English, by question",
        "The unit is the question: each difference is a mean over the questions that count in both "
        "languages. p_holm is corrected for the number of cultures of each endpoint.",
        _compared(paired, ["endpoint", "culture", "language"], "question"),
        notes=(_GAIN, *_left_out(elsewhere)),
    )


def _answered_elsewhere(judgements: pl.DataFrame) -> pl.DataFrame:
    """endpoint and culture where too many replies in one of the languages are in another one, with that
    language and the share."""
    if OTHER_LANGUAGE not in judgements.columns:
        judgements = judgements.with_columns(pl.lit(None, dtype=pl.Float64).alias(OTHER_LANGUAGE))
    shares = judgements.group_by("endpoint", "culture", "language").agg(
        share=pl.col(OTHER_LANGUAGE).cast(pl.Float64).mean()
    )
    many = (
        plain(shares)
        .filter(pl.col("share") > MANY_IN_OTHER_LANGUAGE)
        .sort("endpoint", "culture", "share", descending=True)
    )
    return many.unique(["endpoint", "culture"], keep="first").sort(
        "endpoint", in_order("culture", CULTURES), "culture"
    )


def _left_out(elsewhere: pl.DataFrame) -> list[str]:
    """One sentence for each model that did not answer in the language asked for, with the cultures."""
    return [
        f"{endpoint} is left out for {', '.join(map(name_of_code, rows['culture']))}: "
        f"{100 * rows['share'].to_numpy().min():.0f} % of its replies{' or more' if rows.height > 1 else ''} "
        "are in another language or script than asked."
        for (endpoint,), rows in elsewhere.group_by("endpoint", maintain_order=True)
    ]


def published_language_table() -> Table:
    """The same from the paper's scores (Tables 10 and 11), paired by model."""
    local = PUBLISHED.figures("Table 10").filter(pl.col("language") != ENGLISH)
    local = local.select("model", "language", culture="value", local="score")
    english = PUBLISHED.figures("Table 11").select("model", culture="value", english="score")
    paired = local.join(english, on=["model", "culture"], how="inner").with_columns(
        endpoint=pl.lit(None, dtype=pl.String)
    )
    return Table(
        "languages",
        "Local language against English, from Tables 10 and 11",
        "The unit is the model: each difference is a mean over the paper's 17 models, and its interval says "
        "how far other models would differ, not other questions.",
        _compared(paired, ["endpoint", "culture", "language"], "model"),
        notes=(_GAIN,),
    )


def _compared(paired: pl.DataFrame, keys: list[str], unit: str) -> pl.DataFrame:
    rows = []
    # a sum of floats depends on its order
    for key, group in paired.sort(*keys, unit).group_by(keys, maintain_order=True):
        test = paired_mean(group["local"].to_numpy(), group["english"].to_numpy())
        means = (group["local"].mean(), group["english"].mean())
        low, high = np.clip((test.low, test.high), -100.0, 100.0)  # no scores are farther apart
        rows.append((*key, *means, test.difference, low, high, test.p, math.nan, test.n))
    table = of_rows(rows, LANGUAGES).sort(
        "endpoint", in_order("culture", CULTURES), "culture", maintain_order=True
    )
    parts = table.partition_by("endpoint") or [table]
    return pl.concat(map(with_holm, parts))


CATEGORY_MEANS: Schema = {
    "endpoint": pl.String,
    "culture": pl.String,
    "topic": pl.String,
    "score": pl.Float64,  # in percent
    "n": pl.Int64,  # judgements: questions by languages by prompts
}

# points above or below what each model scores in each culture, averaged over these
QUESTION_MEANS: Schema = {"question": pl.String, "topic": pl.String, "score": pl.Float64}

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
    "By question: the unit is the question, its score averaged over models and cultures as the distance from "
    "each model's mean in each culture. As the paper: the unit is a (model, culture, topic) mean."
)


def category_means(judgements: pl.DataFrame) -> pl.DataFrame:
    """CATEGORY_MEANS of blend/saq: mean of SEM-B over the counted judgements of each endpoint,
    culture and topic."""
    means = _counted(judgements).group_by("endpoint", "culture", "topic", maintain_order=True)
    return plain(means.agg(score=(100 * pl.col("sem_b")).mean(), n=pl.len().cast(pl.Int64))).sort(
        "endpoint", "culture", "topic"
    )


def category_means_of_models(means: pl.DataFrame, inputs: Inputs) -> pl.DataFrame:
    """The CATEGORY_MEANS with each model once. inputs: that they are of."""
    keys = ("culture", "topic")
    once = inputs.each_model_once(means, keys, pl.col("score").mean(), pl.col("n").sum())
    return once.select(list(CATEGORY_MEANS))


def question_means(judgements: pl.DataFrame, inputs: Inputs = NO_INPUTS) -> pl.DataFrame:
    """QUESTION_MEANS of blend/saq: a question is the same in all cultures, languages and prompts. inputs:
    that the ``judgements`` are of, where these are of runs."""
    cell = ["endpoint", "culture"]
    by_cell = (
        _counted(judgements).group_by(*cell, "question", "topic").agg(score=(100 * pl.col("sem_b")).mean())
    )
    apart = by_cell.sort(*cell, "question").with_columns(pl.col("score") - pl.col("score").mean().over(cell))
    keys = ("culture", "question", "topic")
    of_models = inputs.each_model_once(plain(apart), keys, pl.col("score").mean())
    means = of_models.group_by("question", "topic", maintain_order=True).agg(pl.col("score").mean())
    return means.select(list(QUESTION_MEANS)).sort("question", "topic")


def _counted(judgements: pl.DataFrame) -> pl.DataFrame:
    require_columns(
        judgements, ("endpoint", "task", "culture", "question", "topic", "counted", "sem_b"), "judgements"
    )
    return judgements.filter((pl.col("task") == SAQ) & pl.col("counted")).drop_nulls(["topic", "sem_b"])


def category_means_table(means: pl.DataFrame, inputs: Inputs = NO_INPUTS) -> Table:
    """CATEGORY_MEANS of each endpoint, and first the mean over all models if there are several (Figure 14).
    inputs: that the ``means`` are of, where these are of runs."""
    require_columns(means, CATEGORY_MEANS, "means by category")
    of_models = category_means_of_models(means, inputs)
    models = of_models["endpoint"].n_unique()
    over_all = of_models.group_by("culture", "topic", maintain_order=True).agg(
        endpoint=pl.lit(f"mean of {models} models"), score=pl.col("score").mean(), n=pl.col("n").sum()
    )
    parts = [over_all.select(list(CATEGORY_MEANS)), means] if models > 1 else [means]
    first = pl.col("endpoint").is_in(means["endpoint"].unique().implode())
    rows = pl.concat(parts).sort(
        first, "endpoint", in_order("culture", CULTURES), "culture", in_order("topic", TOPICS), "topic"
    )
    return Table(
        "category-means",
        "Figure 14: scores by culture and topic",
        "The unit is the question: each number is a mean over its judgements, in every language and prompt.",
        rows.select(list(CATEGORY_MEANS)),
        Layout("culture", "topic", "score", decimals=1, by="endpoint", drawn="heatmap", measure="SEM-B, %"),
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
    rows = pl.concat(pairs)
    return Table(
        "category-pairs",
        "Figure 15: which topics differ? Tukey's comparisons, in percentage points",
        _UNIT + " Intervals and p hold for all pairs of a design at once.",
        rows,
        plots=(
            Plot(
                Layout(
                    "pair",
                    "design",
                    "difference",
                    decimals=1,
                    drawn="intervals",
                    diverges=0.0,
                    measure="Difference of two topics, points",
                ),
                rows=rows.with_columns(pair=pl.format("{} − {}", "first", "second")),
            ),
        ),
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


SAQ_KINDS = ("local", "english", "both")
"""Short answers in the local language, in English, and the mean of the two."""

CULTURE_SCORES: Schema = {
    "measure": pl.String,  # "saq" or "mcq"
    "model": pl.String,
    "culture": pl.String,
    "language": pl.String,
    "value": pl.Float64,
}
"""Scores by model, culture and language."""

FORMATS: Schema = {
    "model": pl.String,  # null where models are averaged
    "saq": pl.String,  # which short answers: "local", "english", or "both" (their mean)
    "r": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "cultures": pl.Int64,
    "models": pl.Int64,
}


def published_scores() -> pl.DataFrame:
    """CULTURE_SCORES of the paper (Tables 10 to 12)."""
    printed = PUBLISHED.figures("Table 10", "Table 11", "Table 12")
    return printed.select(
        pl.col("task").str.split("/").list[1].alias("measure"), "model", "value", "language", "score"
    ).rename({"value": "culture", "score": "value"})


def culture_scores(judgements: pl.DataFrame, saq_metric: str, mcq_metric: str) -> pl.DataFrame:
    """CULTURE_SCORES, in percent, of the counted judgements of blend/saq and blend/mcq (one profile of
    each)."""
    require_columns(judgements, ("endpoint", "task", "culture", "language", "counted"), "judgements")
    parts = []
    for task, metric in ((SAQ, saq_metric), (MCQ, mcq_metric)):
        of_task = judgements.filter((pl.col("task") == task) & pl.col("counted"))
        if of_task.is_empty():
            continue
        require_columns(of_task, (metric,), f"judgements of {task}")
        means = of_task.group_by("endpoint", "culture", "language", maintain_order=True).agg(
            value=(100 * pl.col(metric)).mean()
        )
        parts.append(
            plain(means)
            .with_columns(measure=pl.lit(task.split("/")[1]), model="endpoint")
            .select(list(CULTURE_SCORES))
        )
    return pl.concat(parts).drop_nulls("value") if parts else pl.DataFrame(schema=dict(CULTURE_SCORES))


def format_table(scores: pl.DataFrame, inputs: Inputs = NO_INPUTS) -> Table:
    """FORMATS: Pearson's correlation over cultures of short-answer and multiple-choice scores
    (CULTURE_SCORES).

    Models that have both formats count. A culture that is asked in English alone (US, GB) has that score as
    local and as English. inputs: that the ``scores`` are of, where these are of runs.
    """
    require_columns(scores, CULTURE_SCORES, "scores by culture")
    pairs = _pairs(scores)
    values = pl.col("local", "english", "both", "mcq").mean()
    of_models = inputs.each_model_once(pairs.rename({"model": "endpoint"}), ("culture",), values)
    averaged = of_models.group_by("culture", maintain_order=True).agg(values)
    rows: list[tuple[Any, ...]] = []
    for saq in SAQ_KINDS:
        models = of_models["endpoint"].n_unique()
        rows.append((None, *_row(averaged, saq), models))
        for (model,), group in pairs.group_by(["model"], maintain_order=True):
            rows.append((model, *_row(group, saq), 1))
    table = of_rows(rows, FORMATS)
    return Table(
        "formats",
        "Short answers against multiple choice: Pearson's r over cultures",
        "The unit is the culture: each r is over cultures, and Fisher's interval takes them as independent. "
        "A row without a model is over the models' mean.",
        table,
        plots=tuple(_format_plots(pairs, averaged)),
        notes=(_mean_of_models(table, inputs),),
    )


def _pairs(scores: pl.DataFrame) -> pl.DataFrame:
    """One row per model and culture that has both formats: ``local``, ``english``, ``both``, ``mcq``."""
    keys = ["model", "culture"]
    saq = scores.filter(pl.col("measure") == "saq")
    mcq = scores.filter(pl.col("measure") == "mcq").group_by(keys).agg(mcq=pl.col("value").mean())
    is_english = pl.col("language") == ENGLISH
    sides = saq.group_by(keys, maintain_order=True).agg(
        english=pl.col("value").filter(is_english).mean(), own=pl.col("value").filter(~is_english).mean()
    )
    only_english = pl.col("culture").is_in(
        saq.group_by("culture").agg(is_english.all().alias("only")).filter("only")["culture"].implode()
    )
    local = pl.when(only_english).then("english").otherwise("own")
    return (
        sides.join(mcq, on=keys, how="inner", maintain_order="left")
        .with_columns(local=local)
        .with_columns(both=(pl.col("local") + pl.col("english")) / 2)
    )


def _format_plots(pairs: pl.DataFrame, averaged: pl.DataFrame) -> Iterator[Plot]:
    """The mean over models of each culture (``averaged``), and over cultures of each model, in both formats
    (Figure 4)."""
    layout = Layout("culture", "format", "score", decimals=1, drawn="scatter", measure="%")
    of_cultures = pairs.group_by("model", maintain_order=True).agg(pl.col("both", "mcq").mean())
    for down, other, means in (("culture", "models", averaged), ("model", "cultures", of_cultures)):
        means = means.drop_nulls(["both", "mcq"])
        if down == "culture":
            means = means.sort(in_order("culture", CULTURES), "culture")
        rows = pl.concat(
            means.select(down, format=pl.lit(name), score=column)
            for name, column in (("Short answers, SEM-B", "both"), ("Multiple choice, accuracy", "mcq"))
        ).rename({"model": "endpoint"}, strict=False)
        down_column = "endpoint" if down == "model" else down
        title = f"Figure 4: short answers against multiple choice, each {down}’s mean over {other}"
        yield Plot(replace(layout, down=down_column), f"by-{down}", title, rows)


def _row(group: pl.DataFrame, saq: str) -> tuple[str, float, float, float, int]:
    both = group.drop_nulls([saq, "mcq"])
    correlation = pearson(both[saq].to_numpy(), both["mcq"].to_numpy())
    return saq, correlation.r, correlation.low, correlation.high, correlation.n


def _mean_of_models(rows: pl.DataFrame, inputs: Inputs) -> str:
    single = rows.select("saq", "r", endpoint="model").drop_nulls().drop_nans()
    once = inputs.each_model_once(single, ("saq",), pl.col("r").mean())
    by_kind = once.group_by("saq", maintain_order=True).agg(pl.col("r").mean())
    means = ", ".join(f"{mean:.3f} ({saq})" for saq, mean in by_kind.iter_rows())
    return f"Mean of the single models' r: {means or 'none'}. The paper gives 0.93 (both) and 0.98 (English)."


WRONG_OPTIONS = 3
SAID = (*ROW, "endpoint", "culture", "language", "question", "state", "answer", "counted", "sem_b")
TAKEN = (
    *ROW,
    "endpoint",
    "culture",
    "language",
    "question",
    "state",
    "counted",
    "accuracy",
    "chosen_culture",
    "offered",
)


def _of_short_answers(inputs: Inputs) -> pl.DataFrame:
    """In English with the English answers of every culture, in another language with those of the cultures
    that speak it."""
    judged = inputs.of(SAQ, columns=SAID)
    annotated = blend.read_annotations(inputs.releases[SAQ]).filter(blend.is_counted())
    of_questions = annotated.select("id", "culture", "groups").partition_by("id", as_dict=True)
    matcher = StrictMatcher("simple")

    @lru_cache(maxsize=1)  # asked for in each language in turn
    def groups_of(question: str) -> list[tuple[str, list[dict[str, Any]]]]:
        part = of_questions.get((question,))
        return [] if part is None else part.select("culture", "groups").rows()

    def answers(question: str, language: str) -> dict[str, list[list[Wording]]]:
        worded = {}
        for culture, groups in groups_of(question):
            if language in (ENGLISH, get_culture(culture).languages[0]):
                wordings = [_wordings(group, language) for group in groups]
                if any(wordings):
                    worded[culture] = [group for group in wordings if group]
        return worded

    def same(answer: str, reply: str, language: str) -> bool:
        return matcher.compare(answer, reply, language) is not None

    return of_answers(judged, "sem_b", pl.col("question"), answers, same)


def _wordings(group: dict[str, Sequence[str]], language: str) -> list[Wording]:
    """As the task compares them: in the language that was asked in, and in English."""
    local = [] if language == ENGLISH else [(text, language) for text in group["answers"]]
    return [
        wording
        for wording in (*local, *((text, ENGLISH) for text in group["en_answers"]))
        if wording[0].strip()
    ]


def _of_options(inputs: Inputs) -> pl.DataFrame:
    judged = inputs.of(MCQ, columns=TAKEN)
    if not {"offered", "chosen_culture"} <= set(judged.columns):
        raise NotAvailableError(
            f"no reply to {MCQ} takes an option whose culture is known"
            if {"offered", "chosen_culture"} <= {*inputs.judged.columns}
            else "needs judgements that tell whose options were taken; score the run again: folkways score "
            f"RUN ({MCQ})"
        )
    return of_options(
        judged, "accuracy", pl.col("question").cast(pl.String).str.split("/").list.last(), WRONG_OPTIONS
    )


WHOSE_CULTURE = (whose_culture(SAQ, _of_short_answers), whose_culture(MCQ, _of_options))
