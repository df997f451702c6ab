"""Models by maker, family, size and date, and regions by model (sections 5.1 to 5.3)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, NamedTuple

import polars as pl

from folkways.benchmarks.culturalbench.results.values import (
    ACCURACY,
    REGION,
    SETUPS,
    UNIT,
    UNKNOWN,
    WHOLE,
    WITH_PEOPLE,
    by_question,
    mean_over_models,
    mean_scores,
    present,
    scores_of,
    with_people,
)
from folkways.benchmarks.results import Inputs
from folkways.benchmarks.tables import Layout, NotAvailableError, Table, in_order, with_holm
from folkways.cultures import REGIONS
from folkways.records import ModelCard
from folkways.stats.differences import paired_mean

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
    """Regions by model, and by maker of the models; NotAvailableError with fewer than two regions."""
    models, makers = [], []
    for task in present(inputs):
        setup = pl.lit(SETUPS[task]).alias("setup")
        scores = {facet: scores_of(inputs, task, facet) for facet in (REGION, WHOLE)}
        best = in_order("endpoint", scores[WHOLE].sort("score", descending=True)["endpoint"])
        models += [
            with_people(inputs, task, facet, of_facet.sort(best, maintain_order=True))
            .rename({"value": REGION})
            .select(setup, pl.all())
            for facet, of_facet in scores.items()
        ]
        for provider, count, values in _groups(inputs, task, "provider", "region"):
            means = mean_scores(values, task, REGION).rename({"value": "region"})
            makers.append(
                means.select(
                    setup, pl.lit(provider).alias("provider"), pl.all(), pl.lit(count).alias("models")
                )
            )
    order = ("setup", in_order("region", (*REGIONS, WHOLE)))
    by_model = pl.concat(models).sort(order, maintain_order=True)
    if set(by_model[REGION]) == {WHOLE}:
        raise NotAvailableError("needs questions of two regions or more")
    unit = f"Percent of questions. {UNIT}"
    layout = Layout("endpoint", "region", "score", decimals=1, by="setup", drawn="heatmap", measure=ACCURACY)
    return (
        Table(
            "regions",
            "Figure 4: regions by model (section 5.3)",
            unit,
            by_model,
            layout,
            notes=(REGION_NOTE, "all: every question counts the same.", WITH_PEOPLE),
        ),
        Table(
            "region-providers",
            "Regions by maker of the model (section 5.3)",
            unit,
            pl.concat(makers).sort(order, maintain_order=True),
            replace(layout, down="provider"),
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
            for value, count, values in _groups(inputs, task, attribute):
                means = mean_scores(values, task).drop("value")
                names = {"setup": SETUPS[task], "by": attribute, "group": value, "models": count}
                grouped.append(
                    means.select(*(pl.lit(text).alias(name) for name, text in names.items()), pl.all())
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


def _groups(inputs: Inputs, task: str, attribute: str, *also: str) -> Iterator[tuple[str, int, pl.DataFrame]]:
    """Each value of an attribute, how many models have it, and ``mean_over_models`` of these."""
    values = by_question(inputs, task, *also)
    told_of = {
        endpoint: told(inputs, endpoint, attribute)
        for endpoint in values["endpoint"].unique(maintain_order=True)
    }
    for value in sorted(set(told_of.values()), key=lambda text: (text == UNKNOWN, text)):
        endpoints = [endpoint for endpoint, text in told_of.items() if text == value]
        of_group = values.filter(pl.col("endpoint").is_in(endpoints))
        means, count = mean_over_models(inputs, of_group, *also)
        if means.height:
            yield value, count, means


class Step(NamedTuple):
    """A model in a line of models: the line, its position in it, and how the position is shown."""

    line: str
    place: Any
    shown: str
    endpoint: str


def by_size(inputs: Inputs) -> Sequence[Table]:
    """Models of one family and date, by size."""

    def step(endpoint: str, card: ModelCard) -> Step | None:
        if card.family is None or card.size is None:
            return None
        line = f"{card.family} ({card.released})" if card.released else card.family
        return Step(line, card.size, f"{card.size:g} B", endpoint)

    return _tables(
        inputs,
        step,
        "sizes",
        "size",
        "family and date whose sizes are known",
        "Models of a family by size (section 5.1)",
    )


def by_date(inputs: Inputs) -> Sequence[Table]:
    """Models of one family and size, by date."""

    def step(endpoint: str, card: ModelCard) -> Step | None:
        if card.family is None or card.released is None:
            return None
        line = f"{card.family} {card.size:g} B" if card.size is not None else card.family
        return Step(line, card.released, str(card.released), endpoint)

    return _tables(
        inputs,
        step,
        "dates",
        "date",
        "family and size whose dates are known",
        "Figure 5, right: models of a family by date (section 5.2)",
    )


def _tables(
    inputs: Inputs,
    step: Callable[[str, ModelCard], Step | None],
    name: str,
    what: str,
    needed: str,
    title: str,
) -> Sequence[Table]:
    scored: list[tuple[Any, dict[str, Any]]] = []
    changes: list[dict[str, Any]] = []
    for task in present(inputs):
        values = by_question(inputs, task)
        scores = {
            row["endpoint"]: row for row in scores_of(inputs, task, "all").drop("value").iter_rows(named=True)
        }
        steps_of: list[Step | None] = [
            step(endpoint, inputs.cards[endpoint]) for endpoint in scores if endpoint in inputs.cards
        ]
        for line in _lines(member for member in steps_of if member is not None):
            setup = {"setup": SETUPS[task], "family": line[0].line}
            scored += [
                (member.place, {**setup, what: member.shown, **scores[member.endpoint]}) for member in line
            ]
            changes += [{**setup, **_change(values, earlier, later)} for earlier, later in pairwise(line)]
    if not changes:
        raise NotAvailableError(
            f"needs two models of one {needed}; `folkways endpoints` names the file of model cards in "
            "which to add them"
        )
    scored.sort(key=lambda member: (member[1]["setup"], member[0], member[1]["family"]))
    steps = with_holm(pl.DataFrame(changes))
    columns = [
        "setup",
        "family",
        "from",
        "to",
        "difference",
        "low",
        "high",
        "p",
        "p_holm",
        "questions",
        "earlier",
        "later",
    ]
    return (
        Table(
            name,
            title,
            f"Percent of questions. {UNIT}",
            pl.DataFrame([row for _, row in scored]),
            Layout(what, "family", "score", decimals=1, by="setup", drawn="lines", measure=ACCURACY),
        ),
        Table(
            f"{name}-steps",
            f"From each model of a family to the next by {what}",
            f"Points gained, over the questions that both were asked, paired by question. {UNIT}",
            steps.select(columns),
            notes=(
                "Wilson's interval of the effective answers and its test, paired; p_holm is corrected for "
                "the number of steps.",
            ),
        ),
    )


def _lines(members: Iterator[Step]) -> list[list[Step]]:
    """The lines of two places or more, each in order; of several models in one place, the first counts."""
    lines: dict[str, dict[Any, Step]] = {}
    for member in members:
        lines.setdefault(member.line, {}).setdefault(member.place, member)
    return [
        [line[position] for position in sorted(line)] for _, line in sorted(lines.items()) if len(line) > 1
    ]


def _change(values: pl.DataFrame, earlier: Step, later: Step) -> dict[str, Any]:
    first, second = (values.filter(pl.col("endpoint") == member.endpoint) for member in (earlier, later))
    both = second.join(first, on="question", how="inner", suffix="_before", maintain_order="left")
    test = paired_mean(100 * both["value"].to_numpy(), 100 * both["value_before"].to_numpy(), largest=100.0)
    return {
        "from": earlier.shown,
        "to": later.shown,
        **test.columns(),
        "questions": test.n,
        "earlier": earlier.endpoint,
        "later": later.endpoint,
    }
