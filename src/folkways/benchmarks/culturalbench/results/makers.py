"""Regions against models and their makers, and models by what their cards say (sections 5.1 and 5.3)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import polars as pl

from folkways.benchmarks.culturalbench.results.values import (
    SETUPS,
    UNIT,
    UNKNOWN,
    by_question,
    mean_scores,
    present,
    scores_of,
)
from folkways.benchmarks.results import Inputs
from folkways.benchmarks.tables import Layout, NotAvailableError, Table, in_order
from folkways.cultures import REGIONS
from folkways.records import ModelCard

ATTRIBUTES: dict[str, Callable[[ModelCard], str | None]] = {
    "provider": lambda card: card.provider,
    "family": lambda card: card.family,
    "size": lambda card: None if card.size is None else f"{card.size:g} B",
    "released": lambda card: None if card.released is None else f"{card.released:%Y-%m}",
}
"""What models are grouped by, as it is shown."""

REGION_NOTE = (
    "A region is the unweighted mean over its countries, as on the published leaderboard; a "
    "country of few questions weighs much."
)


def told(inputs: Inputs, endpoint: str, attribute: str) -> str:
    """What the model's card says; ``unknown`` where there is none, or it does not say."""
    return ATTRIBUTES[attribute](inputs.cards.get(endpoint, ModelCard())) or UNKNOWN


def regions(inputs: Inputs) -> Sequence[Table]:
    """Regions by model, and by maker of the models."""
    models, makers = [], []
    for task in present(inputs):
        setup = pl.lit(SETUPS[task]).alias("setup")
        models.append(scores_of(inputs, task, "region").rename({"value": "region"}).select(setup, pl.all()))
        for provider, endpoints, values in _groups(inputs, task, "provider", "region"):
            found = mean_scores(values, task, regions=True).rename({"value": "region"})
            makers.append(
                found.select(
                    setup,
                    pl.lit(provider).alias("provider"),
                    pl.all(),
                    pl.lit(len(endpoints)).alias("models"),
                )
            )
    order = ("setup", in_order("region", REGIONS))
    by_model = pl.concat(models).sort(order, maintain_order=True)
    if by_model.is_empty():
        raise NotAvailableError("needs questions of two regions or more")
    unit = f"Percent of questions. {UNIT}"
    return (
        Table(
            "regions",
            "Regions by model (section 5.3)",
            unit,
            by_model,
            Layout("endpoint", "region", "score", decimals=1, by="setup", drawn="heatmap"),
            notes=(REGION_NOTE,),
        ),
        Table(
            "region-providers",
            "Regions by maker of the model (section 5.3)",
            unit,
            pl.concat(makers).sort(order, maintain_order=True),
            Layout("provider", "region", "score", decimals=1, by="setup", drawn="heatmap"),
            notes=(
                REGION_NOTE,
                "A maker is the mean over its models here; the interval is over questions and speaks of "
                "these models alone.",
            ),
        ),
    )


def models(inputs: Inputs) -> Sequence[Table]:
    """Every model with its card, and the means of models that share a maker, a family, a size or a month."""
    rows: list[dict[str, Any]] = []
    grouped = []
    for task in present(inputs):
        for row in scores_of(inputs, task, "all").drop("value").iter_rows(named=True):
            about = {attribute: told(inputs, row["endpoint"], attribute) for attribute in ATTRIBUTES}
            rows.append({"setup": SETUPS[task], "endpoint": row["endpoint"], **about, **row})
        for attribute in ATTRIBUTES:
            for value, endpoints, values in _groups(inputs, task, attribute):
                found = mean_scores(values, task).drop("value")
                names = {"setup": SETUPS[task], "by": attribute, "group": value, "models": len(endpoints)}
                grouped.append(
                    found.select(*(pl.lit(text).alias(name) for name, text in names.items()), pl.all())
                )
    unit = f"Percent of questions. {UNIT}"
    note = (
        "What a model's card does not say is unknown; `folkways endpoints` names the file in which to add it."
    )
    return (
        Table(
            "models",
            "Models and what is known of them (section 5.1)",
            unit,
            pl.DataFrame(rows),
            notes=(note,),
        ),
        Table(
            "model-groups",
            "Means of models by maker, family, size and date (section 5.1)",
            unit,
            pl.concat(grouped),
            notes=(
                "The interval is over questions and speaks of these models alone, not of others of the "
                "group.",
            ),
        ),
    )


def _groups(
    inputs: Inputs, task: str, attribute: str, *also: str
) -> Iterator[tuple[str, list[str], pl.DataFrame]]:
    """Each value of an attribute, its models, and their mean on each question that all of them were asked."""
    values = by_question(inputs, task, *also)
    told_of = {
        endpoint: told(inputs, endpoint, attribute)
        for endpoint in values["endpoint"].unique(maintain_order=True)
    }
    for value in sorted(set(told_of.values()), key=lambda text: (text == UNKNOWN, text)):
        endpoints = [endpoint for endpoint, text in told_of.items() if text == value]
        means = (
            values.filter(pl.col("endpoint").is_in(endpoints))
            .group_by("question", "culture", *also, maintain_order=True)
            .agg(pl.col("value").mean(), pl.len())
            .filter(pl.col("len") == len(endpoints))
        )
        if means.height:
            yield value, endpoints, means.drop("len")
