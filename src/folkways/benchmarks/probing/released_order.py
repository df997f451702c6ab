"""A signal of the order of the items themselves (exchangeability: Oren et al., arXiv 2310.17623)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import ClassVar

from folkways.benchmarks.build import Prompt
from folkways.benchmarks.probing.hiding import whole_text
from folkways.benchmarks.probing.signal import PROBE, Group, Measure, Row, Signal, Unit
from folkways.benchmarks.probing.texts import drawn

BEFORE = "Items of a data set, one after the other:"

FEWEST, MOST = 3, 8
"""Items that follow each other in one text. Short releases have shorter texts, so that there are some of
them."""

WANTED = 20
"""Texts of a short release, about."""

LONGEST = 1500
"""Bytes of such a text, about: it has to fit into a small model's context in any language."""

SHARDS = 40
"""Texts at most; the paper has 50."""

SHUFFLES = 8
"""Other orders of each; the paper has 250. Half of them are held against the other half."""


class ReleasedOrder(Signal):
    """How much likelier neighbours are in the order of the release than shuffled."""

    name: ClassVar[str] = "released-order"
    measures: ClassVar[tuple[Measure, ...]] = (Measure("log-probability", "nats"),)
    about: ClassVar[str] = (
        "How much likelier the items are in the order in which they were published than in others."
    )
    cannot_say: ClassVar[str] = (
        "anything about items that were seen in another order or one by one; and neighbours that belong "
        "together (one topic after "
        "the other) are likelier in order for a model that has seen none of them"
    )
    control: ClassVar[str] = "the same items in other orders"
    weighs: ClassVar[bool] = True

    def units(self, group: Group, told: Sequence[str]) -> list[Unit]:
        shards = list(_shards(group))
        step = max(1, len(shards) // SHARDS)
        found = []
        for shard in shards[::step][:SHARDS]:
            texts = [whole_text(group, row) for row in shard]
            first = shard[0]
            shuffled = _shuffled(texts, f"{first['item']}\0order")
            prompts = tuple(
                Prompt(
                    BEFORE,
                    PROBE,
                    f"{group.task.name}:{first['item']}",
                    1,
                    first["language"],
                    f"order-{number}",
                    weigh=text,
                )
                for number, text in enumerate(["\n\n".join(texts), *shuffled])
            )
            found.append(Unit(first["item"], prompts))
        return found

    def values(
        self, group: Group, units: Sequence[Unit], replies: Sequence[Sequence[str]]
    ) -> list[tuple[float, ...]]:
        found: list[tuple[float, ...]] = []
        for replied in replies:
            released, *shuffled = map(float, replied)
            half = len(shuffled) // 2
            one, other = sum(shuffled[:half]) / half, sum(shuffled[half:]) / (len(shuffled) - half)
            found.append((released - (one + other) / 2, one - other))
        return found


def _shards(group: Group) -> Iterator[list[Row]]:
    """Neighbours of one culture and language that make a text of the wanted length, in the order of the
    release."""
    most = min(MOST, max(FEWEST, len(group.neighbour_rows) // WANTED))
    shard: list[Row] = []
    length, before = 0, None
    for row in group.neighbour_rows:
        kind = (row["culture"], row["language"])
        size = len(whole_text(group, row).encode())
        if kind != before or len(shard) == most or length + size > LONGEST:
            if len(shard) >= FEWEST:
                yield shard
            shard, length = [], 0
        if not row["asked"]:
            continue
        shard.append(row)
        length, before = length + size, kind
    if len(shard) >= FEWEST:
        yield shard


def _shuffled(texts: Sequence[str], name: str) -> list[str]:
    """SHUFFLES times the texts in another order than the released one; of few texts an order may come
    twice."""
    random = Random(drawn(name, 2**32))  # noqa: S311 - nothing secret
    found: list[str] = []
    while len(found) < SHUFFLES:
        order = list(texts)
        random.shuffle(order)
        if order != list(texts):
            found.append("\n\n".join(order))
    return found
