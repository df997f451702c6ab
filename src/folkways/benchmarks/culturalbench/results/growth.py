"""Larger against smaller, and later against earlier models of one family (sections 5.1 and 5.2)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import polars as pl

from folkways.benchmarks.culturalbench.results.values import SETUPS, UNIT, by_question, present, scores_of
from folkways.benchmarks.results import Inputs
from folkways.benchmarks.tables import Layout, NotAvailableError, Table, with_holm
from folkways.records import ModelCard
from folkways.stats.differences import paired_mean


class Step(NamedTuple):
    """A model in its line: what the line is, where it stands in it, and how that is shown."""

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

    return _tables(inputs, step, "sizes", "size", "family and date whose sizes are known")


def by_date(inputs: Inputs) -> Sequence[Table]:
    """Models of one family and size, by date."""

    def step(endpoint: str, card: ModelCard) -> Step | None:
        if card.family is None or card.released is None:
            return None
        line = f"{card.family} {card.size:g} B" if card.size is not None else card.family
        return Step(line, card.released, str(card.released), endpoint)

    return _tables(inputs, step, "dates", "date", "family and size whose dates are known")


def _tables(
    inputs: Inputs, step: Callable[[str, ModelCard], Step | None], name: str, what: str, needed: str
) -> Sequence[Table]:
    scored: list[dict[str, Any]] = []
    changes: list[dict[str, Any]] = []
    for task in present(inputs):
        values = by_question(inputs, task)
        scores = {
            row["endpoint"]: row for row in scores_of(inputs, task, "all").drop("value").iter_rows(named=True)
        }
        known = [step(endpoint, inputs.cards[endpoint]) for endpoint in scores if endpoint in inputs.cards]
        for line in _lines(member for member in known if member is not None):
            setup = {"setup": SETUPS[task], "family": line[0].line}
            scored += [{**setup, what: member.shown, **scores[member.endpoint]} for member in line]
            changes += [{**setup, **_change(values, earlier, later)} for earlier, later in pairwise(line)]
    if not changes:
        raise NotAvailableError(
            f"needs two models of one {needed}; `folkways endpoints` names the file of model cards in "
            "which to add them"
        )
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
            f"Models of a family by {what} (sections 5.1 and 5.2)",
            f"Percent of questions. {UNIT}",
            pl.DataFrame(scored).sort("setup", "family", maintain_order=True),
            Layout("family", what, "score", decimals=1, by="setup", drawn="intervals"),
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
    return [[line[place] for place in sorted(line)] for _, line in sorted(lines.items()) if len(line) > 1]


def _change(values: pl.DataFrame, earlier: Step, later: Step) -> dict[str, Any]:
    first, second = (values.filter(pl.col("endpoint") == member.endpoint) for member in (earlier, later))
    both = second.join(first, on="question", how="inner", suffix="_before", maintain_order="left")
    found = paired_mean(100 * both["value"].to_numpy(), 100 * both["value_before"].to_numpy(), largest=100.0)
    return {
        "from": earlier.shown,
        "to": later.shown,
        **found.columns(),
        "questions": found.n,
        "earlier": earlier.endpoint,
        "later": later.endpoint,
    }
