"""All signals, and the default control: hidden text, questions asked otherwise than published, and the order
of the items."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any, ClassVar

import polars as pl

from folkways.benchmarks.base import PromptOptions, Task, headline_with, needs_whole_questions
from folkways.benchmarks.build import Prompt
from folkways.benchmarks.multiple_choice.orders import order_of
from folkways.benchmarks.probing.hidden_text import (
    Continuation,
    DataSetName,
    MaskedOption,
    MaskedWord,
    drawn,
    reworded,
    room,
)
from folkways.benchmarks.probing.signal import PROBE, ItemGroup, Measure, Row, Signal, Unit, wording
from folkways.benchmarks.registry import get_task
from folkways.errors import UnknownNameError
from folkways.records import State

ORDERS = 4
"""Orders of the options that are asked: each of four options is then once at each position."""


class PerturbedQuestion(Signal):
    """The share of right answers as the item was published, less that as it was not."""

    measures: ClassVar[tuple[Measure, ...]] = (Measure("right", "points"),)

    def lacks(self, task: Task) -> str:
        first = headline_with(task)
        if needs_whole_questions(task):
            return "a question of it is right only with all of its statements"
        return (
            ""
            if first.bounds == (0.0, 1.0)
            else f"its headline, {first.label}, is not a share of right answers"
        )

    @abstractmethod
    def ways(self, group: ItemGroup, told: Sequence[str]) -> Iterator[tuple[str, list[Row]]]:
        """Item and its rows of records.PROMPTS, the published way first; without items that have no other
        way."""

    def units(self, group: ItemGroup, told: Sequence[str]) -> list[Unit]:
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
        self, group: ItemGroup, units: Sequence[Unit], replies: Sequence[Sequence[str]]
    ) -> list[tuple[float, ...]]:
        task = group.task
        fixed: dict[str, Any] = {
            "task": task.name,
            "sample": 0,
            "state": State.ANSWERED.value,
            "reason": None,
        }
        rows = [
            {
                **fixed,
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
            "counted", headline_with(task).name
        )
        right = iter([value if counted else None for counted, value in judged.iter_rows()])
        by_unit = [[next(right) for _ in unit.prompts] for unit in units]
        return self.differences(group, units, by_unit)

    def differences(
        self, group: ItemGroup, units: Sequence[Unit], right: Sequence[Sequence[float | None]]
    ) -> list[tuple[float, ...]]:
        """Each unit's right answer to the first way, less the mean of the others; empty for an item that does
        not count."""
        return [_difference(values) for values in right]


class OptionOrder(PerturbedQuestion):
    """The released order of the options against others, which are equally easy to know."""

    name: ClassVar[str] = "option-order"
    about: ClassVar[str] = (
        f"Right answers with the options in their published order, less those in {ORDERS - 1} other orders."
    )
    cannot_say: ClassVar[str] = (
        "what a loss comes from: options can be harder to tell apart in another order, whatever the model "
        "has seen, and a model that knows an item by heart may find it in any order"
    )

    def lacks(self, task: Task) -> str:
        return (
            super().lacks(task)
            if task.permutes_options
            else "its questions list no options that could change places"
        )

    def ways(self, group: ItemGroup, told: Sequence[str]) -> Iterator[tuple[str, list[Row]]]:
        for item, rows in _rows(group, PromptOptions(orders=ORDERS)):
            first = rows[0]["variant"]
            # Of several templates the first alone: its orders are called after it.
            of_template = [
                row for row in rows if row["variant"] == first or row["variant"].startswith(f"{first}~order-")
            ]
            if len(of_template) > 1:
                yield item, of_template

    def differences(
        self, group: ItemGroup, units: Sequence[Unit], right: Sequence[Sequence[float | None]]
    ) -> list[tuple[float, ...]]:
        """The difference as for every perturbed question, after subtracting how often the model is right at
        the right option's position.

        That rate comes from the unpublished orders. A letter or position that the model prefers, and that
        is right more often in the published order, then does not look like memory.
        """
        rows = {row["item"]: row for row in group.rows}
        places = [_places(group.task, rows[_item(unit.prompts[0])], unit.about) for unit in units]
        heard: dict[int | None, list[float]] = {}
        for of_unit, at in zip(right, places, strict=True):
            for value, position in list(zip(of_unit, at, strict=True))[1:]:
                heard.setdefault(position, []).extend([] if value is None else [value])
        usual = {position: sum(values) / len(values) if values else 0.0 for position, values in heard.items()}
        differences = []
        for of_unit, at in zip(right, places, strict=True):
            beside = [
                None if value is None else value - usual.get(position, 0.0)
                for value, position in zip(of_unit, at, strict=True)
            ]
            differences.append(tuple(min(1.0, max(-1.0, value)) for value in _difference(beside)))
        return differences


class Paraphrase(PerturbedQuestion):
    """The published question against the same question in the model's own words."""

    name: ClassVar[str] = "paraphrase"
    about: ClassVar[str] = (
        "Right answers to the published questions, less those to the same as the model itself rewords "
        "them (where it does)."
    )
    cannot_say: ClassVar[str] = (
        "what a loss comes from: a model that rewords badly asks itself another question, and what it knows "
        "by heart it may know in any words"
    )

    def before(self, group: ItemGroup) -> list[Prompt]:
        rows = (row for row in group.rows if row["asked"])
        return [
            group.prompt(row, "reword", wording("reword").format(question=row["asked"]), room(row["asked"]))
            for row in rows
        ]

    def ways(self, group: ItemGroup, told: Sequence[str]) -> Iterator[tuple[str, list[Row]]]:
        questions = {row["item"]: row["asked"] for row in group.rows if row["asked"]}
        replies = dict(zip(questions, told, strict=True))
        for item, (first, *_) in _rows(group, PromptOptions()):
            old = questions.get(item)
            if old and old in first["user"] and (new := reworded(replies[item], old)) is not None:
                yield item, [first, {**first, "user": first["user"].replace(old, new, 1)}]


def _rows(group: ItemGroup, options: PromptOptions) -> Iterator[tuple[str, list[Row]]]:
    """Each item's prompts in its first language."""
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
    """The position of the right option in each of these orders."""
    shown = task.options_of(row)
    if shown.right is None:
        return [None] * len(variants)
    return [order_of(shown.order_key, variant, len(shown.texts)).index(shown.right) for variant in variants]


def _item(prompt: Prompt) -> str:
    return prompt.item.partition(":")[2]


def _difference(right: Sequence[float | None]) -> tuple[float, ...]:
    """The first value less the mean of the others; empty for an item that does not count."""
    values = [value for value in right if value is not None]
    if len(values) < len(right):
        return ()
    return (values[0] - sum(values[1:]) / (len(values) - 1),)


BEFORE = "Items of a data set, one after the other:"

FEWEST, MOST = 3, 8
"""Items that follow each other in one text. Short releases have shorter texts, to have some of them."""

WANTED = 20
"""Number of texts of a short release, about."""

LONGEST = 1500
"""Bytes of such a text, about: it has to fit into a small model's context in any language."""

SHARDS = 40
"""Texts at most; the paper has 50."""

SHUFFLES = 8
"""Other orders of each text; the paper has 250. One half is compared with the other."""


class ReleasedOrder(Signal):
    """How much likelier neighbours are in the order of the release than shuffled."""

    name: ClassVar[str] = "released-order"
    measures: ClassVar[tuple[Measure, ...]] = (Measure("log-probability", "nats"),)
    about: ClassVar[str] = (
        "How much likelier the items are in the order in which they were published than in others."
    )
    cannot_say: ClassVar[str] = (
        "anything about items that were seen in another order or one by one; and neighbours that belong "
        "together (one topic after the other) are likelier in order for a model that has seen none of them"
    )
    control: ClassVar[str] = "the same items in other orders"
    needs_logprobs: ClassVar[bool] = True

    def units(self, group: ItemGroup, told: Sequence[str]) -> list[Unit]:
        shards = list(_shards(group))
        step = max(1, len(shards) // SHARDS)
        units = []
        for shard in shards[::step][:SHARDS]:
            texts = [group.whole_text(row) for row in shard]
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
                    logprob_of=text,
                )
                for number, text in enumerate(["\n\n".join(texts), *shuffled])
            )
            units.append(Unit(first["item"], prompts))
        return units

    def values(
        self, group: ItemGroup, units: Sequence[Unit], replies: Sequence[Sequence[str]]
    ) -> list[tuple[float, ...]]:
        values: list[tuple[float, ...]] = []
        for replied in replies:
            released, *shuffled = map(float, replied)
            half = len(shuffled) // 2
            one, other = sum(shuffled[:half]) / half, sum(shuffled[half:]) / (len(shuffled) - half)
            values.append((released - (one + other) / 2, one - other))
        return values


def _shards(group: ItemGroup) -> Iterator[list[Row]]:
    """Neighbours of one culture and language that make a text of the wanted length, in the order of the
    release; none that says the same as the one before, as only items that differ have another order."""
    most = min(MOST, max(FEWEST, len(group.neighbour_rows) // WANTED))
    shard: list[Row] = []
    length, before, last = 0, None, ""
    for row in group.neighbour_rows:
        kind, text = (row["culture"], row["language"]), group.whole_text(row)
        size = len(text.encode())
        if kind != before or len(shard) == most or length + size > LONGEST:
            if len(shard) >= FEWEST:
                yield shard
            shard, length, last = [], 0, ""
        if not row["asked"] or text == last:
            continue
        shard.append(row)
        length, before, last = length + size, kind, text
    if len(shard) >= FEWEST:
        yield shard


def _shuffled(texts: Sequence[str], name: str) -> list[str]:
    """The texts in SHUFFLES orders other than the released one; with few texts an order may come twice."""
    random = Random(drawn(name, 2**32))  # noqa: S311 - nothing secret
    orders: list[str] = []
    while len(orders) < SHUFFLES:
        order = list(texts)
        random.shuffle(order)
        if order != list(texts):
            orders.append("\n\n".join(order))
    return orders


SIGNALS: tuple[Signal, ...] = (
    MaskedOption(),
    MaskedWord(),
    Continuation(),
    DataSetName(),
    OptionOrder(),
    Paraphrase(),
    ReleasedOrder(),
)


def signals(names: Sequence[str] | None = None) -> list[Signal]:
    """The signals of these names, in a fixed order; all for None. Raises UnknownNameError for any other
    name."""
    valid = [signal.name for signal in SIGNALS]
    for name in names or ():
        if name not in valid:
            raise UnknownNameError("signal", name, valid)
    return [signal for signal in SIGNALS if names is None or signal.name in names]


def control_task(task: Task) -> Task | None:
    """The task of folkways' own demo with items of the same kind; None for the demo itself.

    Its items are younger than most models, and of another kind than those of any benchmark: use items of
    your own if you have any.
    """
    task_of_demo = get_task("demo/mcq" if task.permutes_options else "demo/saq")
    return None if task.benchmark == task_of_demo.benchmark else task_of_demo
