"""Signals of what a model loses when a question is asked otherwise than it was published: its options in
other orders, the question in other words."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

import polars as pl

from folkways.benchmarks.base import PromptOptions, Task, needs_whole_questions
from folkways.benchmarks.build import Prompt
from folkways.benchmarks.choosing.orders import order_of
from folkways.benchmarks.probing.signal import PROBE, Group, Measure, Row, Signal, Unit, wording
from folkways.benchmarks.probing.texts import reworded, room
from folkways.records import State

ORDERS = 4
"""Orders of the options that are asked: of four options each then stands once in each place."""


class AskedOtherwise(Signal):
    """The share of right answers as the item was published, less that as it was not."""

    measures: ClassVar[tuple[Measure, ...]] = (Measure("right", "points"),)

    def lacks(self, task: Task) -> str:
        first = task.metrics[0]
        if needs_whole_questions(task):
            return "a question of it is right only with all of its statements"
        return (
            "" if first.bounds == (0.0, 1.0) else f"its headline, {first.label}, is no share of right answers"
        )

    @abstractmethod
    def ways(self, group: Group, told: Sequence[str]) -> Iterator[tuple[str, list[Row]]]:
        """Item and its rows of records.PROMPTS, the published way first; no item that has no other way."""

    def units(self, group: Group, told: Sequence[str]) -> list[Unit]:
        questions = dict(group.items.select("item", "question").iter_rows())
        return [
            Unit(
                questions[item],
                tuple(_prompt(group.task, row) for row in rows),
                [row["variant"] for row in rows],
            )
            for item, rows in self.ways(group, told)
        ]

    def values(
        self, group: Group, units: Sequence[Unit], replies: Sequence[Sequence[str]]
    ) -> list[tuple[float, ...]]:
        task = group.task
        told: dict[str, Any] = {"task": task.name, "sample": 0, "state": State.ANSWERED.value, "reason": None}
        rows = [
            {
                **told,
                "item": _item(prompt),
                "language": prompt.language,
                "variant": variant,
                "response": reply,
            }
            for unit, replied in zip(units, replies, strict=True)
            for prompt, variant, reply in zip(unit.prompts, unit.about, replied, strict=True)
        ]
        if not rows:
            return []
        responses = pl.DataFrame(rows, schema_overrides={"reason": pl.String})
        judged = task.judge(group.items, responses, task.resolve_profile(None)).select(
            "counted", task.metrics[0].name
        )
        right = iter([value if counted else None for counted, value in judged.iter_rows()])
        found = [[next(right) for _ in unit.prompts] for unit in units]
        return self.differences(group, units, found)

    def differences(
        self, group: Group, units: Sequence[Unit], right: Sequence[Sequence[float | None]]
    ) -> list[tuple[float, ...]]:
        """Each unit's right answer to the first way, less the mean of the others; nothing where the item does
        not count."""
        return [_difference(told) for told in right]


class OptionOrder(AskedOtherwise):
    """The released order of the options against others, which are no easier and no harder to know."""

    name: ClassVar[str] = "option-order"
    about: ClassVar[str] = (
        f"Right answers with the options in their published order, less those in {ORDERS - 1} other orders."
    )
    cannot_say: ClassVar[str] = (
        "what a loss comes from: options can be harder to tell apart in another order, whatever the "
        "model has seen, and a "
        "model that knows an item by heart may find it in any order"
    )

    def lacks(self, task: Task) -> str:
        return (
            super().lacks(task)
            if task.permutes_options
            else "its questions list no options that could change places"
        )

    def ways(self, group: Group, told: Sequence[str]) -> Iterator[tuple[str, list[Row]]]:
        for item, rows in _rows(group, PromptOptions(orders=ORDERS)):
            first = rows[0]["variant"]
            # Of several templates the first alone: its orders are called after it.
            own = [
                row for row in rows if row["variant"] == first or row["variant"].startswith(f"{first}~order-")
            ]
            if len(own) > 1:
                yield item, own

    def differences(
        self, group: Group, units: Sequence[Unit], right: Sequence[Sequence[float | None]]
    ) -> list[tuple[float, ...]]:
        """As for every signal of its kind, each answer less how often the model is right where the right
        option stands there.

        That rate is taken from the orders that were not published, so that a letter or place that the model
        prefers, and that is right more often in the published order than in the others, does not look like
        something remembered.
        """
        rows = {row["item"]: row for row in group.rows}
        places = [_places(group.task, rows[_item(unit.prompts[0])], unit.about) for unit in units]
        heard: dict[int | None, list[float]] = {}
        for told, at in zip(right, places, strict=True):
            for value, place in list(zip(told, at, strict=True))[1:]:
                heard.setdefault(place, []).extend([] if value is None else [value])
        usual = {place: sum(values) / len(values) if values else 0.0 for place, values in heard.items()}
        found = []
        for told, at in zip(right, places, strict=True):
            beside = [
                None if value is None else value - usual.get(place, 0.0)
                for value, place in zip(told, at, strict=True)
            ]
            found.append(tuple(min(1.0, max(-1.0, value)) for value in _difference(beside)))
        return found


class Paraphrase(AskedOtherwise):
    """The published question against the same in the model's own words."""

    name: ClassVar[str] = "paraphrase"
    about: ClassVar[str] = (
        "Right answers to the published questions, less those to the same as the model itself rewords "
        "them (where it does)."
    )
    cannot_say: ClassVar[str] = (
        "what a loss comes from: a model that rewords badly asks itself another question, and what it "
        "knows by heart it may know "
        "in any words"
    )

    def before(self, group: Group) -> list[Prompt]:
        rows = (row for row in group.rows if row["asked"])
        return [
            group.prompt(row, "reword", wording("reword").format(question=row["asked"]), room(row["asked"]))
            for row in rows
        ]

    def ways(self, group: Group, told: Sequence[str]) -> Iterator[tuple[str, list[Row]]]:
        asked = {row["item"]: row["asked"] for row in group.rows if row["asked"]}
        replies = dict(zip(asked, told, strict=True))
        for item, (first, *_) in _rows(group, PromptOptions()):
            old = asked.get(item)
            if old and old in first["user"] and (new := reworded(replies[item], old)) is not None:
                yield item, [first, {**first, "user": first["user"].replace(old, new, 1)}]


def _rows(group: Group, options: PromptOptions) -> Iterator[tuple[str, list[Row]]]:
    """Each item's prompts in the first language that it is asked in."""
    prompts = group.task.prompts(group.items, options, group.release)
    for (item,), rows in prompts.group_by(["item"], maintain_order=True):
        yield str(item), rows.filter(pl.col("language") == rows["language"][0]).rows(named=True)


def _prompt(task: Task, row: Row) -> Prompt:
    choices = None if row["choices"] is None else tuple(row["choices"])
    address = f"{task.name}:{row['item']}"
    return Prompt(
        row["user"],
        PROBE,
        address,
        task.max_tokens,
        row["language"],
        row["variant"],
        system=row["system"],
        choices=choices,
    )


def _places(task: Task, row: Row, variants: Sequence[str]) -> list[int | None]:
    """Where the right option stands in each of these orders."""
    shown = task.options_of(row)
    if shown.right is None:
        return [None] * len(variants)
    return [order_of(shown.order_key, variant, len(shown.texts)).index(shown.right) for variant in variants]


def _item(prompt: Prompt) -> str:
    return prompt.item.partition(":")[2]


def _difference(right: Sequence[float | None]) -> tuple[float, ...]:
    """The first, less the mean of the others; nothing where the item does not count."""
    told = [value for value in right if value is not None]
    if len(told) < len(right):
        return ()
    return (told[0] - sum(told[1:]) / (len(told) - 1),)
