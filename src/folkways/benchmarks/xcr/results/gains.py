"""How much better an adaptation into the language is than one within English, by category and Hall level
(section 4.2).

The published gains compare numbers of two scales: BERTScore was rescaled with a baseline within English and
left raw in the languages, for which there are no baselines. Every row therefore says on which scales its two
sides are, and the same gain stands beside it with the rescaling taken back.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import polars as pl

from folkways.benchmarks.results import Inputs
from folkways.benchmarks.tables import Layout, NotAvailableError, Table
from folkways.benchmarks.xcr.adaptation import ENGLISH_BASELINE
from folkways.benchmarks.xcr.results.adaptations import gold_items
from folkways.benchmarks.xcr.results.groups import WHOLE, in_order, sizes_told
from folkways.benchmarks.xcr.results.measures import ADAPTATION, CSI, Measure, per_sentence, sided
from folkways.cultures import cultures
from folkways.records import Schema, State
from folkways.releases.base import Release
from folkways.stats.differences import paired_mean

GROUPS = {"category": "category", "hall_level": "level"}

SAME, MIXED = "same", "mixed"
"""Both versions' scores on one scale; or rescaled within English and raw in the language, as published."""

GAINS: Schema = {
    "endpoint": pl.String,
    "profile": pl.String,
    "culture": pl.String,
    "metric": pl.String,
    "scales": pl.String,  # SAME or MIXED
    "measure": pl.String,
    "group": pl.String,  # WHOLE for every group together
    "intra": pl.Float64,
    "inter": pl.Float64,
    "gain": pl.Float64,  # into the language minus within English, in points
    "low": pl.Float64,
    "high": pl.Float64,
    "p": pl.Float64,  # two-sided
    "n": pl.Int64,  # sentences with a score on both sides
}


def gain_tables(inputs: Inputs) -> Sequence[Table]:
    """A table of gains by category and one by Hall level."""
    parts = [(profile, inputs.of(ADAPTATION, profile)) for profile in _profiles(inputs)]
    rows = {
        facet: [row for profile, judged in parts for row in _gains(inputs, profile, judged, facet)]
        for facet in GROUPS
    }
    if not any(rows.values()):
        raise NotAvailableError("no sentence has a score both within English and in the language")
    return [_gain_table(found, GROUPS[facet]) for facet, found in rows.items() if found]


def _gain_table(found: list[tuple[Any, ...]], column: str) -> Table:
    rows = in_order(
        pl.DataFrame(found, schema=dict(GAINS), orient="row").rename({"group": column}), column, "n"
    )
    return Table(
        f"gains-by-{column}",
        f"Gain of adapting into the language over within English, by {column} (section 4.2)",
        "The unit is the sentence: each gain is a mean over sentences that have a score on both sides, "
        "and interval and p are of a "
        "paired t test. p is not corrected for the number of groups.",
        rows,
        Layout(column, "endpoint", "gain", decimals=1, by="measure", drawn="heatmap", diverges=0.0),
        (sizes_told(rows, column, "n"), *_NOTES),
    )


_SPOKEN = {SAME: "one scale", MIXED: "mixed scales"}

_NOTES = (
    "scales same: both versions are scored alike. mixed: as published, BERTScore is rescaled within "
    "English and raw in the "
    "language, which by itself makes gains of tens of points; the gain on one scale stands beside it.",
    "Edit similarities are on one scale, but Arabic, Bengali and Chinese texts differ in length from "
    "English ones.",
)


def _profiles(inputs: Inputs) -> list[str]:
    of_task = inputs.judgements.filter(pl.col("task") == ADAPTATION)
    if of_task.is_empty():
        raise inputs.lacking(ADAPTATION)
    return of_task["profile"].unique(maintain_order=True).to_list()


def _gains(inputs: Inputs, profile: str, judged: pl.DataFrame, facet: str) -> Iterator[tuple[Any, ...]]:
    release = inputs.releases.get(ADAPTATION)
    for compares, intra, inter in sided(inputs, judged):
        if not (profile == "paper" and "_bert_" in intra.name):
            yield from _of(judged, profile, facet, intra, inter, SAME)
            continue
        yield from _of(judged, profile, facet, intra, inter, MIXED)
        if release is not None:
            yield from _of(
                _as_it_was(judged, compares, intra.name, release), profile, facet, intra, inter, SAME
            )


def _of(
    said: pl.DataFrame, profile: str, facet: str, intra: Measure, inter: Measure, scales: str
) -> Iterator[tuple[Any, ...]]:
    values = {"intra": intra.name, "inter": inter.name}
    sentences = per_sentence(said, ["endpoint", "culture", facet], values).drop_nulls(["intra", "inter"])
    for (endpoint, culture), part in sentences.group_by(["endpoint", "culture"], maintain_order=True):
        measure = f"{intra.family}, {cultures()[str(culture)].name}, {profile} ({_SPOKEN[scales]})"
        groups = part.drop_nulls(facet).group_by([facet], maintain_order=True)
        for group, members in ((WHOLE, part), *((str(group), members) for (group,), members in groups)):
            found = paired_mean(members["inter"].to_numpy(), members["intra"].to_numpy())
            means = (members["intra"].mean(), members["inter"].mean())
            key = (endpoint, profile, culture, intra.name.removesuffix("_intra"), scales, measure, group)
            yield (*key, *means, found.difference, found.low, found.high, found.p, found.n)


def _as_it_was(said: pl.DataFrame, compares: str, metric: str, release: Release) -> pl.DataFrame:
    """The judgements with the English scores as they were before they were rescaled.

    A score that the rule sets to 0 (an unreadable reply, items that gold has not) was never rescaled and
    stays.
    """
    items = gold_items(release, "intra").unique(["question", "culture"])
    scored = pl.col("state") == State.ANSWERED.value
    if compares == CSI:
        scored &= pl.col("items").fill_null(0) > 0
    raw = pl.col(metric) * (1 - ENGLISH_BASELINE) + ENGLISH_BASELINE
    return (
        said.join(items, on=["question", "culture"], how="left", maintain_order="left")
        .with_columns(pl.when(scored).then(raw).otherwise(metric).alias(metric))
        .drop("items")
    )
