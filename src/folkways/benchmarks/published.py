"""Scores that the three papers and CulturalBench's leaderboard have published, in one frame: facts to compare with.

The numbers lie in ``data/published``; each benchmark's own module reads them in the shape that its tables need. What is known to be
wrong with them stands in ``note``.
"""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files

import polars as pl

from folkways.benchmarks.blend.tables.published import published as blend_tables
from folkways.benchmarks.culturalbench.published import published as culturalbench_figures
from folkways.records import Schema

FIGURES: Schema = {
    "paper": pl.String,  # "blend", "culturalbench", "xcr"
    "place": pl.String,  # "Table 10", "section 5.1", "leaderboard"
    "task": pl.String,
    "metric": pl.String,  # as in records.SCORES
    "kind": pl.String,  # "model", "mean" of models, "people", "baseline"; "difference" and "... strategy" are no scores
    "model": pl.String,  # as published, one spelling per model
    "facet": pl.String,  # as in records.SCORES: "all", "culture", "region", "mode", "element"
    "value": pl.String,
    "language": pl.String,  # in which models were asked
    "score": pl.Float64,
    "unit": pl.String,  # "percent" or "share" (0 to 1)
    "data": pl.String,  # the release that the figures are of
    "profile": pl.String,
    "variants": pl.String,  # the prompt templates behind them, joined by "+"
    "note": pl.String,  # what is known to be odd about the table; "" where nothing is
}

BLEND_DATA, BLEND_MCQ_DATA = "blend@3e4dcbd", "blend-mcq@605bdce"
CULTURALBENCH_DATA = "culturalbench@996d62a"
XCR_DATA = "xcr@9904292"

PAPERS = {"blend": "BLEnD", "culturalbench": "CulturalBench", "xcr": "XCR-Bench"}
"""Name in FIGURES -> how the paper writes it."""


@cache
def published_figures() -> pl.DataFrame:
    """FIGURES, paper by paper, in the order of their tables."""
    return pl.concat([_blend(), _culturalbench(), _xcr()])


def _blend() -> pl.DataFrame:
    """Tables 10 and 11 (short answers, in the local language and in English) and 12 (multiple choice)."""
    short = pl.col("table") < 12
    return blend_tables(10, 11, 12).select(
        paper=pl.lit("blend"),
        place=pl.format("Table {}", "table"),
        task=pl.when(short).then(pl.lit("blend/saq")).otherwise(pl.lit("blend/mcq")),
        metric=pl.when(short).then(pl.lit("sem_b")).otherwise(pl.lit("accuracy")),
        kind=pl.lit("model"),
        model="model",
        facet=pl.lit("culture"),
        value="culture",
        language="language",
        score="value",
        unit=pl.lit("percent"),
        data=pl.when(short).then(pl.lit(BLEND_DATA)).otherwise(pl.lit(BLEND_MCQ_DATA)),
        profile=pl.lit("paper"),
        variants=pl.when(short).then(pl.lit("inst-4+pers-3")).otherwise(pl.lit("released")),
        note=_notes("blend", pl.col("table").cast(pl.String)),
    )


def _culturalbench() -> pl.DataFrame:
    """The paper's scores, and the regional ones of the leaderboard."""
    return culturalbench_figures().select(
        paper=pl.lit("culturalbench"),
        place="source",
        task=pl.format("culturalbench/{}", "setup"),
        metric=pl.when(pl.col("setup") == "easy").then(pl.lit("right")).otherwise(pl.lit("all_right")),
        kind="kind",
        model="subject",
        facet="facet",
        value="group",
        language=pl.lit("en"),
        score="value",
        unit=pl.lit("percent"),
        data=pl.lit(CULTURALBENCH_DATA),
        profile=pl.lit("paper"),
        variants=pl.lit("strict-format"),
        note=_notes("culturalbench", pl.col("source")),
    )


def _xcr() -> pl.DataFrame:
    """Tables 2, 3 and 9, and what Tables 4 and 10 say of differences and strategies."""
    table = pl.read_csv(files("folkways").joinpath("data", "published", "xcr-scores.csv").read_bytes(), infer_schema_length=None)
    return table.select(
        paper=pl.lit("xcr"),
        place=pl.format("Table {}", "table"),
        task="task",
        metric="metric",
        kind="kind",
        model="subject",
        facet="facet",
        value="value",
        language=pl.lit("en"),
        score=pl.col("score").cast(pl.Float64),
        unit="unit",
        data=pl.lit(XCR_DATA),
        profile=pl.lit("paper"),
        variants=pl.lit("authors"),
        note=_notes("xcr", pl.col("table").cast(pl.String)),
    )


def _notes(paper: str, place: pl.Expr) -> pl.Expr:
    known = tomllib.loads(files("folkways").joinpath("data", "published", "notes.toml").read_text(encoding="utf-8"))
    return place.replace_strict(known[paper], default="", return_dtype=pl.String)
