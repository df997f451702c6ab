"""Models compared two by two by their cards: from each family of a line to the next (GPT-4 Turbo to GPT-4o),
and models that reason with those of their maker that do not (DeepSeek-R1 and V3)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise

import numpy as np
import polars as pl

from folkways.benchmarks.results import Inputs, Result
from folkways.benchmarks.tables import DIFFERENCE, NotAvailableError, Table, with_holm
from folkways.evidence.groups.means import scaled_bounds
from folkways.evidence.groups.panel import KEY, NAMES, UNIT, Panel, notes, panels
from folkways.records import ModelCard, Schema, of_rows
from folkways.stats.clusters import clustered_difference

CARDS = "`folkways endpoints` names the file of model cards in which to add them"

STEPS: Schema = {
    **NAMES,
    "of": pl.String,  # the line, or the family that does not reason
    "earlier": pl.String,  # model; the one that does not reason
    "later": pl.String,  # model; the one that reasons
    "earlier_score": pl.Float64,
    "later_score": pl.Float64,
    **DIFFERENCE,  # later minus earlier, over questions
    "p_holm": pl.Float64,
    "questions": pl.Int64,
}

Step = tuple[str, str, str]
"""What the two have in common, the earlier and the later endpoint."""


def successors(cards: Mapping[str, ModelCard]) -> list[Step]:
    """Each model of a line with those of the next family that is here; of one family, the last released."""
    lines: dict[str, dict[int, list[str]]] = {}
    for name, card in sorted(cards.items()):
        if card.line is not None and card.generation is not None:
            lines.setdefault(card.line, {}).setdefault(card.generation, []).append(name)
    steps = []
    for line, generations in sorted(lines.items()):
        last = [
            max(generations[number], key=lambda name: str(cards[name].released or "9"))
            for number in sorted(generations)
        ]
        steps += [(line, earlier, later) for earlier, later in pairwise(last)]
    return steps


def reasoning(cards: Mapping[str, ModelCard]) -> list[Step]:
    """Each model that reasons with every model of the family that its card names."""
    return [
        (str(card.family), plain, reasons)
        for reasons, thinking in sorted(cards.items())
        for plain, card in sorted(cards.items())
        if thinking.reasoning_of is not None and card.family == thinking.reasoning_of and plain != reasons
    ]


def _tables(
    inputs: Inputs,
    name: str,
    title: str,
    steps_of: Callable[[Mapping[str, ModelCard]], list[Step]],
    needed: str,
) -> Sequence[Table]:
    used = list(panels(inputs, every_metric=True))
    rows = [row for panel in used for row in _rows(panel, inputs, steps_of)]
    if not rows:
        raise NotAvailableError(f"needs {needed}; {CARDS}")
    return [
        Table(
            name,
            title,
            f"{UNIT} Later minus earlier, paired by question about a culture and clustered by question; a "
            "model that was asked in several conditions counts as the mean over them.",
            with_holm(of_rows(rows, STEPS)),
            notes=notes(used),
        )
    ]


def _rows(
    panel: Panel, inputs: Inputs, steps_of: Callable[[Mapping[str, ModelCard]], list[Step]]
) -> Iterator[tuple[object, ...]]:
    bounds = scaled_bounds(panel.metric)
    largest = None if bounds is None else bounds[1] - bounds[0]
    cards = {
        inputs.models.get(name, name): inputs.cards[name] for name in panel.endpoints if name in inputs.cards
    }
    values = {
        str(name): part["value"].to_numpy()
        for (name,), part in panel.once.sort("endpoint", *KEY).group_by("endpoint", maintain_order=True)
    }
    first = panel.once.filter(pl.col("endpoint") == panel.models[0]).sort(KEY)
    numbers = first["question"].rank("dense").cast(pl.Int64).to_numpy() - 1
    for of, earlier, later in steps_of(cards):
        gaps = values[later] - values[earlier]
        sums = np.bincount(numbers, weights=gaps).astype(np.float64)
        mean = clustered_difference(gaps, sums, np.bincount(numbers).astype(np.float64), largest)
        over = mean.interval()
        scores = (float(values[earlier].mean()), float(values[later].mean()))
        ends = (mean.mean, over.low, over.high, mean.p(), math.nan)
        yield (*panel.names().values(), of, earlier, later, *scores, *ends, sums.size)


def _fits(inputs: Inputs, steps_of: Callable[[Mapping[str, ModelCard]], list[Step]]) -> bool:
    for _, part in inputs.asked_about.group_by("task"):
        names = set(part["endpoint"])
        if steps_of({name: card for name, card in inputs.cards.items() if name in names}):
            return True
    return False


SUCCESSORS = Result(
    "successors",
    "From each family of a line of models to the next",
    partial(
        _tables,
        name="successors",
        title="From each family of a line of models to the next",
        steps_of=successors,
        needed="models of two families of one line",
    ),
    "",
    "Does a maker's next model, under a name of its own, know more?",
    fits=partial(_fits, steps_of=successors),
)

REASONING_MODELS = Result(
    "reasoning-models",
    "Models that reason and models that do not",
    partial(
        _tables,
        name="reasoning-models",
        title="Models that reason and models that do not",
        steps_of=reasoning,
        needed="a model that reasons, and one of the family that its card names as reasoning_of",
    ),
    "",
    "Does a model that reasons know more than its maker's model that does not?",
    fits=partial(_fits, steps_of=reasoning),
)
