"""Whether topics differ: analysis of variance and Tukey's comparisons (section 4.1.1, Figures 14 and 15).

The paper's test is one-way: it takes the topics of one model in one culture as independent. They are not (a culture that a model
knows little of scores low in every topic), so two tests within blocks stand beside it: blocks of one model in one culture, and
blocks of one culture with its models averaged, which also allows for models resembling one another.
"""

from __future__ import annotations

from dataclasses import asdict

import polars as pl

from folkways.benchmarks.blend.results.shared import CULTURES, SAQ, TOPICS
from folkways.benchmarks.tables import Layout, Table, in_order
from folkways.errors import DataError
from folkways.records import Schema, plain, require_columns
from folkways.stats.hypotheses.anova import TUKEY, Anova, blocked, one_way, tukey

CATEGORY_MEANS: Schema = {
    "endpoint": pl.String,
    "culture": pl.String,
    "topic": pl.String,
    "score": pl.Float64,  # in percent
    "n": pl.Int64,  # judgements: questions by languages by prompts
}

TESTS: Schema = {
    "design": pl.String,
    "block": pl.String,  # what is compared within; "" in the one-way design
    "f": pl.Float64,
    "df_groups": pl.Int64,
    "df_error": pl.Int64,
    "p": pl.Float64,
    "epsilon": pl.Float64,  # Greenhouse and Geisser's; null in the one-way design
    "p_corrected": pl.Float64,
    "eta_squared": pl.Float64,  # partial where there are blocks
    "rows": pl.Int64,
    "blocks": pl.Int64,
    "left_out": pl.Int64,
}

PAIRS: Schema = {"design": pl.String, "block": pl.String, **TUKEY}

BLOCKS: tuple[tuple[str, ...], ...] = ((), ("endpoint", "culture"), ("culture",))
"""What is compared within: nothing, as in the paper; one model in one culture; one culture over all models."""

_UNIT = (
    "One-way: the unit is a (model, culture, topic) mean. Blocked by endpoint and culture: the unit is a model in a culture. "
    "Blocked by culture: the unit is a culture."
)


def category_means(judgements: pl.DataFrame, metric: str = "sem_b") -> pl.DataFrame:
    """CATEGORY_MEANS of blend/saq: mean of the metric's column over the counted judgements of each endpoint, culture and topic."""
    require_columns(judgements, ("endpoint", "task", "culture", "topic", "counted", metric), "judgements")
    means = (
        judgements.filter((pl.col("task") == SAQ) & pl.col("counted"))
        .drop_nulls(["topic", metric])
        .group_by("endpoint", "culture", "topic", maintain_order=True)
        .agg(score=(100 * pl.col(metric)).mean(), n=pl.len().cast(pl.Int64))
    )
    return plain(means).sort("endpoint", "culture", "topic")


def category_means_table(means: pl.DataFrame) -> Table:
    """CATEGORY_MEANS as they are, one grid per endpoint (Figure 14)."""
    require_columns(means, CATEGORY_MEANS, "means by category")
    rows = means.sort("endpoint", in_order("culture", CULTURES), "culture", in_order("topic", TOPICS), "topic")
    return Table(
        "category-means",
        "Figure 14: scores by culture and topic",
        "The unit is the question: each number is a mean over its judgements, in every language and prompt.",
        rows.select(list(CATEGORY_MEANS)),
        Layout("culture", "topic", "score", decimals=1, by="endpoint", drawn="heatmap"),
    )


def category_table(means: pl.DataFrame) -> Table:
    """TESTS of CATEGORY_MEANS: do topics differ? One row per design that the rows allow (blocks need two complete ones)."""
    rows = [{**asdict(anova), "block": " and ".join(block)} for block, anova, _ in _designs(means)]
    return Table(
        "categories",
        "Figure 15: do topics differ? Analysis of variance",
        _UNIT,
        pl.DataFrame(rows, schema=dict(TESTS)),
        notes=(
            "The one-way test is the paper's; rows of one model or culture are not independent, which the blocked ones allow for.",
        ),
    )


def category_pairs_table(means: pl.DataFrame) -> Table:
    """PAIRS of CATEGORY_MEANS: which topics differ, by Tukey's honestly significant differences, in each design."""
    tables = []
    for block, anova, rows in _designs(means):
        pairs = tukey(rows, "score", "topic", anova, block)
        tables.append(pairs.with_columns(design=pl.lit(anova.design), block=pl.lit(" and ".join(block))).select(list(PAIRS)))
    return Table(
        "category-pairs",
        "Figure 15: which topics differ? Tukey's comparisons, in percentage points",
        _UNIT + " Intervals and p hold for all pairs of a design at once.",
        pl.concat(tables),
    )


def _designs(means: pl.DataFrame) -> list[tuple[tuple[str, ...], Anova, pl.DataFrame]]:
    require_columns(means, CATEGORY_MEANS, "means by category")
    found: list[tuple[tuple[str, ...], Anova, pl.DataFrame]] = [((), one_way(means, "score", "topic"), means)]
    for block in BLOCKS[1:]:
        rows = means.group_by(*block, "topic").agg(pl.col("score").mean())
        try:
            found.append((block, blocked(rows, "score", "topic", block), rows))
        except DataError:  # too few complete blocks for this design; the others stand
            continue
    return found
