"""The local language against English, culture by culture (section 4.1.1, Figure 3b)."""

from __future__ import annotations

import math

import polars as pl

from folkways.benchmarks.blend.published import PUBLISHED
from folkways.benchmarks.blend.results.shared import CULTURES, ENGLISH, SAQ
from folkways.benchmarks.tables import DIFFERENCE, Table, in_order, with_holm
from folkways.cultures import name_of_code
from folkways.records import MANY_IN_OTHER_LANGUAGE, OTHER_LANGUAGE, Schema, plain, require_columns
from folkways.stats.differences import paired_mean

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


def language_table(judgements: pl.DataFrame, metric: str = "sem_b") -> Table:
    """Each endpoint's score in a culture's own language and in English, paired by question.

    judgements: of blend/saq, one profile: records.JUDGEMENTS with ``endpoint`` and the metric's column
    (others tasks' rows are left out). A question's score in a language is its mean over prompts and samples.
    Cultures asked in one language alone are left out, and so are those of a model that did not answer in the
    language asked for: more than a tenth of its replies to the culture in either language are in another
    (records.OTHER_LANGUAGE, where the judgements have it). A note names these.
    """
    require_columns(judgements, ("endpoint", "task", "culture", "language", "counted", metric), "judgements")
    own = judgements.filter((pl.col("task") == SAQ) & pl.col("counted"))
    elsewhere = _answered_elsewhere(own)
    scores = plain(
        own.group_by("endpoint", "culture", "question", "language").agg(
            (100 * pl.col(metric)).mean().alias("score")
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
        "languages. "
        "p_holm is corrected for the number of cultures of each endpoint.",
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
        f"{100 * rows['share'].to_numpy().min():.0f} % "
        "of its replies or more are in another language or script than asked."
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
        "The unit is the model: each difference is a mean over the paper's 17 models, and its interval "
        "says how far other models "
        "would differ, not other questions.",
        _compared(paired, ["endpoint", "culture", "language"], "model"),
        notes=(_GAIN,),
    )


def _compared(paired: pl.DataFrame, keys: list[str], unit: str) -> pl.DataFrame:
    rows = []
    for key, group in paired.sort(*keys, unit).group_by(
        keys, maintain_order=True
    ):  # a sum of floats depends on its order
        found = paired_mean(group["local"].to_numpy(), group["english"].to_numpy())
        means = (group["local"].mean(), group["english"].mean())
        rows.append((*key, *means, found.difference, found.low, found.high, found.p, math.nan, found.n))
    table = pl.DataFrame(rows, schema=dict(LANGUAGES), orient="row").sort(
        "endpoint", in_order("culture", CULTURES), "culture", maintain_order=True
    )
    parts = table.partition_by("endpoint", maintain_order=True) or [table]
    return pl.concat(map(with_holm, parts))
