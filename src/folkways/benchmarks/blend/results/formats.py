"""Short answers against multiple choice, culture by culture (section 4.2.2, Figure 4)."""

from __future__ import annotations

from typing import Any

import polars as pl

from folkways.benchmarks.blend.published import PUBLISHED
from folkways.benchmarks.blend.results.shared import ENGLISH, MCQ, SAQ
from folkways.benchmarks.tables import Table
from folkways.records import Schema, plain, require_columns
from folkways.stats.hypotheses.correlation import pearson

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


def format_table(scores: pl.DataFrame) -> Table:
    """FORMATS: Pearson's correlation over cultures of short-answer and multiple-choice scores
    (CULTURE_SCORES).

    Models that have both formats count. A culture that is asked in English alone (US, GB) has that score as
    local and as English.
    """
    require_columns(scores, CULTURE_SCORES, "scores by culture")
    pairs = _pairs(scores)
    averaged = pairs.group_by("culture", maintain_order=True).agg(
        pl.col("local", "english", "both", "mcq").mean()
    )
    rows: list[tuple[Any, ...]] = []
    for saq in SAQ_KINDS:
        models = pairs["model"].n_unique()
        rows.append((None, *_row(averaged, saq), models))
        for (model,), group in pairs.group_by(["model"], maintain_order=True):
            rows.append((model, *_row(group, saq), 1))
    return Table(
        "formats",
        "Short answers against multiple choice: Pearson's r over cultures",
        "The unit is the culture: each r is over cultures, and Fisher's interval takes them as independent. "
        "A row without a model is over the models' mean.",
        pl.DataFrame(rows, schema=dict(FORMATS), orient="row"),
        notes=(_mean_of_models(rows),),
    )


def _pairs(scores: pl.DataFrame) -> pl.DataFrame:
    """One row per model and culture that has both formats: ``local``, ``english``, ``both``, ``mcq``."""
    keys = ["model", "culture"]
    saq = scores.filter(pl.col("measure") == "saq")
    mcq = (
        scores.filter(pl.col("measure") == "mcq")
        .group_by(keys, maintain_order=True)
        .agg(mcq=pl.col("value").mean())
    )
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


def _row(group: pl.DataFrame, saq: str) -> tuple[str, float, float, float, int]:
    known = group.drop_nulls([saq, "mcq"])
    found = pearson(known[saq].to_numpy(), known["mcq"].to_numpy())
    return saq, found.r, found.low, found.high, found.n


def _mean_of_models(rows: list[tuple[Any, ...]]) -> str:
    known = {
        saq: [r for model, of, r, *_ in rows if model is not None and of == saq and r == r]
        for saq in SAQ_KINDS
    }
    told = ", ".join(f"{sum(single) / len(single):.3f} ({saq})" for saq, single in known.items() if single)
    return f"Mean of the single models' r: {told or 'none'}. The paper gives 0.93 (both) and 0.98 (English)."
