"""The scores of every model in a culture's own language and in English, and their means over models (Figures
3 and 13)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl

from folkways.benchmarks.blend.published import PUBLISHED
from folkways.benchmarks.blend.results.shared import CULTURES, ENGLISH, SAQ
from folkways.benchmarks.results import NO_INPUTS, Inputs
from folkways.benchmarks.summary import interval_of_mean
from folkways.benchmarks.tables import Layout, Table, in_order
from folkways.records import Metric, Schema, of_rows, plain, require_columns
from folkways.stats.differences import paired_mean

LANGUAGE_SCORES: Schema = {
    "asked_in": pl.String,  # OWN or IN_ENGLISH
    "endpoint": pl.String,
    "culture": pl.String,
    "score": pl.Float64,  # in percent
    "low": pl.Float64,
    "high": pl.Float64,
    "n": pl.Int64,  # questions
}

LANGUAGE_MEANS: Schema = {
    "culture": pl.String,
    "asked_in": pl.String,
    "score": pl.Float64,  # in percent: mean over models
    "low": pl.Float64,
    "high": pl.Float64,
    "models": pl.Int64,
}

OWN = "asked in its language"
IN_ENGLISH = "asked in English"
SCORE = "SEM-B, %"


def language_scores(judgements: pl.DataFrame) -> pl.DataFrame:
    """LANGUAGE_SCORES of blend/saq: a question's score is its mean over prompts and samples. A culture that
    is asked in English alone has that score in its own language too."""
    counted = judgements.filter((pl.col("task") == SAQ) & pl.col("counted"))
    keys = ["endpoint", "culture", "language"]
    models = counted["endpoint"].unique(maintain_order=True).to_list()
    means = plain(counted.group_by(*keys, "question").agg(score=(100 * pl.col("sem_b")).mean())).drop_nulls(
        "score"
    )
    rows = []
    for (endpoint, culture, language), group in means.sort(
        in_order("endpoint", models), *keys[1:], "question"
    ).group_by(keys, maintain_order=True):
        values = group["score"].to_numpy()
        interval = interval_of_mean(values / 100, np.arange(values.size), _SHARE)
        numbers = (float(values.mean()), 100 * interval.low, 100 * interval.high, values.size)
        rows.append((language, endpoint, culture, *numbers))
    return _asked_in(of_rows(rows, {"language": pl.String, **_WITHOUT_LANGUAGE}))


def published_language_scores() -> pl.DataFrame:
    """LANGUAGE_SCORES of the paper (Tables 10 and 11), without intervals and n."""
    unknown = {name: pl.lit(None, LANGUAGE_SCORES[name]) for name in ("low", "high", "n")}
    printed = PUBLISHED.figures("Table 10", "Table 11")
    return _asked_in(printed.select("language", "score", endpoint="model", culture="value", **unknown))


_SHARE = Metric("score", "", "", "mean")
_WITHOUT_LANGUAGE = {name: kind for name, kind in LANGUAGE_SCORES.items() if name != "asked_in"}


def _asked_in(rows: pl.DataFrame) -> pl.DataFrame:
    """LANGUAGE_SCORES of rows with ``language``."""
    english = rows.filter(pl.col("language") == ENGLISH)
    local = pl.concat(
        [
            rows.filter(pl.col("language") != ENGLISH),
            english.join(rows.filter(pl.col("language") != ENGLISH), on=["endpoint", "culture"], how="anti"),
        ]
    )
    both = pl.concat(
        [local.with_columns(asked_in=pl.lit(OWN)), english.with_columns(asked_in=pl.lit(IN_ENGLISH))]
    )
    models = rows["endpoint"].unique(maintain_order=True)
    order = (
        pl.col("asked_in") != OWN,
        in_order("culture", CULTURES),
        "culture",
        in_order("endpoint", models),
    )
    return both.select(list(LANGUAGE_SCORES)).sort(*order, maintain_order=True)


def language_score_tables(scores: pl.DataFrame, inputs: Inputs = NO_INPUTS) -> list[Table]:
    """LANGUAGE_SCORES of all models, and of two models or more LANGUAGE_MEANS (Figures 3 and 13). inputs:
    that the ``scores`` are of, where these are of runs."""
    require_columns(scores, LANGUAGE_SCORES, "scores by language")
    layout = Layout(
        "culture", "endpoint", "score", decimals=1, by="asked_in", drawn="intervals", measure=SCORE
    )
    tables = [
        Table(
            "language-scores",
            "Figures 3a and 13: scores by culture",
            "The unit is the question: each number is a mean over the questions of a culture, and its "
            "interval is over these.",
            scores,
            layout,
        )
    ]
    rows = []
    of_models = inputs.each_model_once(scores, ("culture", "asked_in"), pl.col("score").mean())
    for (culture, language), group in of_models.group_by("culture", "asked_in", maintain_order=True):
        if group.height > 1:
            values = group["score"].to_numpy()
            mean = paired_mean(values, np.zeros(values.size))
            rows.append((culture, language, mean.difference, mean.low, mean.high, mean.n))
    if rows:
        tables.append(
            Table(
                "language-means",
                "Figure 3b: mean over models by culture, asked in its language and in English",
                "The unit is the model: the interval says how far other models would differ, not "
                "other questions.",
                of_rows(rows, LANGUAGE_MEANS).sort(
                    in_order("culture", CULTURES), "culture", maintain_order=True
                ),
                replace(layout, across="asked_in", by=None),
            )
        )
    return tables
