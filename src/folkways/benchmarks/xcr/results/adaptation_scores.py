"""Scores of the adaptation alone: the gain of adapting into the language over within English (section 4.2),
and the strategies that models name (Table 10).

The published gains compare numbers of two scales: BERTScore was rescaled with a baseline within English
and left raw in the languages, for which no baselines exist. Every row therefore names the scales of its
two sides, and a second row has the same gain without the rescaling.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import polars as pl

from folkways.benchmarks.results import Inputs
from folkways.benchmarks.summary import interval_of_mean
from folkways.benchmarks.tables import Layout, NotAvailableError, Plot, Table
from folkways.benchmarks.xcr.adaptation import ENGLISH_BASELINE
from folkways.benchmarks.xcr.results.corpus import gold_items
from folkways.benchmarks.xcr.results.measures import ADAPTATION, CSI, AnalysedMetric, per_sentence, sided
from folkways.benchmarks.xcr.results.scores import WHOLE, in_order, sizes_told
from folkways.cultures import cultures
from folkways.records import Metric, Schema, State, of_rows
from folkways.releases.release_records import Release
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
    """A table of gains by category and one by Hall level.

    Raises NotAvailableError if no sentence has a score on both sides.
    """
    parts = [(profile, inputs.of(ADAPTATION, profile)) for profile in _profiles(inputs)]
    rows = {
        facet: [row for profile, judged in parts for row in _gains(inputs, profile, judged, facet)]
        for facet in GROUPS
    }
    if not any(rows.values()):
        raise NotAvailableError("no sentence has a score both within English and in the language")
    return [_gain_table(of_facet, GROUPS[facet]) for facet, of_facet in rows.items() if of_facet]


def _gain_table(found: list[tuple[Any, ...]], column: str) -> Table:
    rows = in_order(of_rows(found, GAINS).rename({"group": column}), column, "n")
    return Table(
        f"gains-by-{column}",
        f"Gain of adapting into the language over within English, by {column} (section 4.2)",
        "The unit is the sentence: each gain is a mean over sentences that have a score on both sides, and "
        "interval and p are of a paired t test. p is not corrected for the number of groups.",
        rows,
        Layout(column, "endpoint", "gain", decimals=1, by="measure", drawn="heatmap", diverges=0.0),
        (sizes_told(rows, column, "n"), *_NOTES),
        tuple(_plots(rows, column)),
    )


def _plots(rows: pl.DataFrame, column: str) -> Iterator[Plot]:
    """By category the gains of all models for each culture (Figures 7 and 8); by level the scores of both
    versions (Figures 9 and 10)."""
    groups = rows.filter(pl.col(column) != WHOLE)
    if column == "category":
        yield Plot(
            Layout("endpoint", column, "gain", decimals=1, by="measure", drawn="heatmap", diverges=0.0),
            "cultures",
            "Figures 7 and 8: gain of adapting into the language over within English, all models",
            groups,
        )
        return
    versions = pl.concat(
        groups.select(pl.format(f"{{}}{ending}", "endpoint").alias("endpoint"), column, "measure", score=side)
        for side, ending in (("inter", INTO), ("intra", WITHIN))
    )
    yield Plot(
        Layout(column, "endpoint", "score", decimals=1, by="measure", drawn="lines", dashed=WITHIN),
        "cultures",
        "Figures 9 and 10: adaptation into the language and within English, by Hall level",
        versions,
    )


INTO, WITHIN = "", ", within English"
"""Endings of the names of models in figures, by the version of their adaptations."""

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
    said: pl.DataFrame, profile: str, facet: str, intra: AnalysedMetric, inter: AnalysedMetric, scales: str
) -> Iterator[tuple[Any, ...]]:
    values = {"intra": intra.name, "inter": inter.name}
    sentences = per_sentence(said, ["endpoint", "culture", facet], values).drop_nulls(["intra", "inter"])
    for (endpoint, culture), part in sentences.group_by(["endpoint", "culture"], maintain_order=True):
        measure = f"{intra.family}, {cultures()[str(culture)].name}, {profile} ({_SPOKEN[scales]})"
        groups = part.drop_nulls(facet).group_by([facet], maintain_order=True)
        for group, members in ((WHOLE, part), *((str(group), members) for (group,), members in groups)):
            gain = paired_mean(members["inter"].to_numpy(), members["intra"].to_numpy())
            means = (members["intra"].mean(), members["inter"].mean())
            key = (endpoint, profile, culture, intra.name.removesuffix("_intra"), scales, measure, group)
            yield (*key, *means, gain.difference, gain.low, gain.high, gain.p, gain.n)


def _as_it_was(said: pl.DataFrame, compares: str, metric: str, release: Release) -> pl.DataFrame:
    """The judgements with the English scores before their rescaling.

    A score that the rule sets to 0 (an unreadable reply, items that gold lacks) was never rescaled and stays.
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


MINIMUM = 20
"""Scored adaptations that a strategy needs to be called best or worst."""

NONE_NAMED = "(none named)"

STRATEGIES: Schema = {
    "endpoint": pl.String,
    "culture": pl.String,
    "strategy": pl.String,
    "named": pl.Int64,  # adaptations for which it was named
    "share": pl.Float64,  # of all replies, in percent
    "n": pl.Int64,  # those of them that have a score
    "intra": pl.Float64,
    "inter": pl.Float64,
    "score": pl.Float64,  # mean of the two versions' scores, over those that have one
    "low": pl.Float64,
    "high": pl.Float64,
}

EXTREMES: Schema = {
    "endpoint": pl.String,
    "culture": pl.String,
    "best": pl.String,  # null where fewer than two strategies have MINIMUM scores
    "best_score": pl.Float64,
    "best_n": pl.Int64,
    "worst": pl.String,
    "worst_score": pl.Float64,
    "worst_n": pl.Int64,
    "strategies": pl.Int64,  # how many were named
    "often_enough": pl.Int64,  # how many have MINIMUM scores
}


def strategy_tables(inputs: Inputs) -> Sequence[Table]:
    """The strategies of each model and culture, and the best and the worst of those named often enough.

    Raises NotAvailableError if no reply names a strategy, or a version lacks scores.
    """
    judged = inputs.of(ADAPTATION)
    if "strategy" not in judged.columns or judged["strategy"].null_count() == judged.height:
        raise NotAvailableError("no reply names a strategy that could be read")
    pair = next(((intra, inter) for compares, intra, inter in sided(inputs, judged) if compares == CSI), None)
    if pair is None:
        raise NotAvailableError("the tagged items of one version have no score in these judgements")
    intra, inter = pair
    label = intra.family
    scored = judged.select(
        "endpoint",
        "culture",
        "question",
        pl.col("strategy").fill_null(NONE_NAMED),
        intra=100 * pl.col(intra.name),
        inter=100 * pl.col(inter.name),
    )
    rows = of_rows(_strategy_rows(scored), STRATEGIES)
    return [
        Table(
            "strategies",
            f"Strategies and {label} (Table 10)",
            "The unit is the sentence: a score is the mean over the adaptations that name the strategy and "
            "have a score, and its interval is for drawing other sentences.",
            rows,
            notes=(
                "Spelling, numbering and the order within a couplet are put aside: see "
                "docs/reference/xcr.md.",
                "Models choose their strategies: sentences differ between rows, and so do scores, whatever "
                "the strategies do.",
            ),
        ),
        Table(
            "best-and-worst-strategies",
            f"Best and worst strategy by {label}, of those with {MINIMUM} scores or more (Table 10)",
            "The unit is the sentence. Of several strategies the extremes are picked: their scores lie "
            "further apart than they would for other sentences.",
            of_rows(_extremes(rows), EXTREMES),
            notes=("The paper sets no minimum, and names one method best and worst of the same model.",),
        ),
    ]


def _strategy_rows(scored: pl.DataFrame) -> Iterator[tuple[Any, ...]]:
    numbers = (
        scored["question"].cast(pl.Enum(scored["question"].unique().sort())).to_physical().cast(pl.Int64)
    )
    both = scored.with_columns(number=numbers, score=pl.mean_horizontal("intra", "inter"))
    for (endpoint, culture), part in both.group_by(["endpoint", "culture"], maintain_order=True):
        groups = [
            (str(name), members) for (name,), members in part.group_by(["strategy"], maintain_order=True)
        ]
        for name, members in sorted(groups, key=lambda group: (-group[1].height, group[0])):
            scored_members = members.drop_nulls("score")
            values = scored_members["score"].to_numpy().astype(np.float64)
            interval = interval_of_mean(
                values / 100, scored_members["number"].to_numpy(), Metric("score", "score", "", "mean")
            )
            means = (members["intra"].mean(), members["inter"].mean(), scored_members["score"].mean())
            shown = (members.height, 100 * members.height / part.height, scored_members.height)
            yield (endpoint, culture, name, *shown, *means, 100 * interval.low, 100 * interval.high)


def _extremes(rows: pl.DataFrame) -> Iterator[tuple[Any, ...]]:
    named = rows.filter(pl.col("strategy") != NONE_NAMED)
    for (endpoint, culture), part in named.group_by(["endpoint", "culture"], maintain_order=True):
        enough = part.filter(pl.col("n") >= MINIMUM).sort("score", "strategy", descending=[True, False])
        ends: list[Any] = [None] * 6
        if enough.height >= 2:
            ends = [
                value for index in (0, -1) for value in enough.select("strategy", "score", "n").row(index)
            ]
        yield (endpoint, culture, *ends, part.height, enough.height)
