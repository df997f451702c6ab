"""Which of Newmark's strategies models name, and how well the adaptations go that they name them for (Table
10)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import polars as pl

from folkways.benchmarks.results import Inputs
from folkways.benchmarks.summary import interval_of_mean
from folkways.benchmarks.tables import NotAvailableError, Table
from folkways.benchmarks.xcr.results.measures import ADAPTATION, CSI, sided
from folkways.records import Metric, Schema

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
    """The strategies of each model and culture, and the best and the worst of those named often enough."""
    judged = inputs.of(ADAPTATION)
    if "strategy" not in judged.columns or judged["strategy"].null_count() == judged.height:
        raise NotAvailableError("no reply names a strategy that could be read")
    pair = next(((intra, inter) for compares, intra, inter in sided(inputs, judged) if compares == CSI), None)
    if pair is None:
        raise NotAvailableError("the tagged items of one version have no score in these judgements")
    label = pair[0].family
    scored = judged.select(
        "endpoint",
        "culture",
        "question",
        pl.col("strategy").fill_null(NONE_NAMED),
        intra=100 * pl.col(pair[0].name),
        inter=100 * pl.col(pair[1].name),
    )
    rows = pl.DataFrame(list(_rows(scored)), schema=dict(STRATEGIES), orient="row")
    return [
        Table(
            "strategies",
            f"Strategies and {label} (Table 10)",
            "The unit is the sentence: a score is the mean over the adaptations that name the strategy and "
            "have a score, and its "
            "interval is for drawing other sentences.",
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
            "further apart than they "
            "would for other sentences.",
            pl.DataFrame(list(_extremes(rows)), schema=dict(EXTREMES), orient="row"),
            notes=("The paper sets no minimum, and names one method best and worst of the same model.",),
        ),
    ]


def _rows(scored: pl.DataFrame) -> Iterator[tuple[Any, ...]]:
    numbers = (
        scored["question"].cast(pl.Enum(scored["question"].unique().sort())).to_physical().cast(pl.Int64)
    )
    both = scored.with_columns(number=numbers, score=pl.mean_horizontal("intra", "inter"))
    for (endpoint, culture), part in both.group_by(["endpoint", "culture"], maintain_order=True):
        groups = [
            (str(name), members) for (name,), members in part.group_by(["strategy"], maintain_order=True)
        ]
        for name, members in sorted(groups, key=lambda group: (-group[1].height, group[0])):
            known = members.drop_nulls("score")
            values = known["score"].to_numpy().astype(np.float64)
            interval = interval_of_mean(
                values / 100, known["number"].to_numpy(), Metric("score", "score", "", "mean")
            )
            means = (members["intra"].mean(), members["inter"].mean(), known["score"].mean())
            shown = (members.height, 100 * members.height / part.height, known.height)
            yield (endpoint, culture, name, *shown, *means, 100 * interval.low, 100 * interval.high)


def _extremes(rows: pl.DataFrame) -> Iterator[tuple[Any, ...]]:
    named = rows.filter(pl.col("strategy") != NONE_NAMED)
    for (endpoint, culture), part in named.group_by(["endpoint", "culture"], maintain_order=True):
        enough = part.filter(pl.col("n") >= MINIMUM).sort("score", "strategy", descending=[True, False])
        ends: list[Any] = [None] * 6
        if enough.height >= 2:
            ends = [
                value for place in (0, -1) for value in enough.select("strategy", "score", "n").row(place)
            ]
        yield (endpoint, culture, *ends, part.height, enough.height)
