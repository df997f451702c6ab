"""Means over the paper's models (Tables 10 to 12), and the gaps of cultures that share a language (section
4.1), with models as the unit."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from folkways.benchmarks.blend.published import PUBLISHED
from folkways.benchmarks.blend.results.shared import CULTURES
from folkways.benchmarks.results import Inputs
from folkways.benchmarks.tables import DIFFERENCE, Layout, Table, in_order, with_holm
from folkways.records import Schema, of_rows
from folkways.stats.differences import paired_mean
from folkways.stats.intervals import student

PLACES = ("Table 10", "Table 11", "Table 12")
"""Short answers in the local language and in English, and multiple choice."""

EVERY = "mean over cultures"

SHARING = (("US", "GB"), ("ES", "MX"), ("KR", "KP"))
"""Cultures that share a language."""

MEANS: Schema = {
    "place": pl.String,
    "culture": pl.String,
    "score": pl.Float64,  # mean over models, in percent
    "low": pl.Float64,  # Student's, over models
    "high": pl.Float64,
    "sd": pl.Float64,  # of the models' scores
    "models": pl.Int64,
}

GAPS: Schema = {
    "place": pl.String,
    "pair": pl.String,  # codes
    **DIFFERENCE,  # first minus second, in points
    "p_holm": pl.Float64,
    "models": pl.Int64,
}


def published_means(_: Inputs) -> Sequence[Table]:
    """The mean over models of each culture and of all cultures, and the gaps of SHARING."""
    means, gaps = [], []
    for source in PLACES:
        scores = PUBLISHED.figures(source).select("model", culture="value", score="score")
        whole = scores.group_by("model", maintain_order=True).agg(pl.col("score").mean())
        every = whole.with_columns(culture=pl.lit(EVERY)).select(scores.columns)
        for (culture,), part in pl.concat([scores, every]).group_by("culture", maintain_order=True):
            values = part["score"].to_numpy()
            over = student(values, (0.0, 100.0))
            ends = (over.low, over.high, float(values.std(ddof=1)))
            means.append((source, culture, float(values.mean()), *ends, values.size))
        by_model = scores.pivot("culture", index="model", values="score")
        for first, second in SHARING:
            if {first, second} <= {*by_model.columns}:
                test = paired_mean(by_model[first].to_numpy(), by_model[second].to_numpy())
                gaps.append((source, f"{first} − {second}", *test.columns().values(), None, test.n))
    unit = "The unit is the model: intervals are Student's over the paper's models, not over questions."
    order = ("place", in_order("culture", CULTURES))
    return [
        Table(
            "published-means",
            "Means over the paper's models (Tables 10 to 12)",
            unit,
            of_rows(means, MEANS).sort(order, maintain_order=True),
            Layout("culture", "place", "score", 2),
            notes=(
                "The averages in section 1 (79.22 for the US, 41.92 for North Korea) are those of Table "
                "10 without Llama-3.1-70B.",
            ),
        ),
        Table(
            "published-gaps",
            "Gaps of cultures that share a language, over the paper's models (Tables 10 to 12)",
            f"{unit} Differences are paired by model.",
            with_holm(of_rows(gaps, GAPS)),
            notes=(
                "GPT-4's gap of 31.63 between South and North Korea (section 1) is that of Table 10; its "
                "4.35 between Spain and Mexico is in none of the tables (1.55, 4.76 and 4.06).",
            ),
        ),
    ]
