"""What a signal is: a number for each item, in which what a model remembers of it would show."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import polars as pl

from folkways.benchmarks.base import PromptOptions, Task, has_free_answers
from folkways.benchmarks.build import Prompt
from folkways.benchmarks.templates import wordings
from folkways.releases.base import Release
from folkways.stats.clusters import clustered_difference, clustered_mean
from folkways.stats.differences import independent_difference
from folkways.stats.intervals import Interval, cluster_totals

PROBE = "probe"
"""What the requests of probes are stored under, in place of a task."""

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

Row = dict[str, Any]


def wording(name: str) -> str:
    """What a signal asks, with {names} for its parts."""
    return str(wordings("folkways.benchmarks.probing")[name])


@dataclass(frozen=True)
class ItemGroup:
    """Items of a task that are probed, or that they are held against.

    items: rows of ``task.items``. neighbours: rows as they follow each other in the release, for what needs
    that.
    """

    task: Task
    release: Release
    items: pl.DataFrame
    neighbours: pl.DataFrame

    @cached_property
    def rows(self) -> list[Row]:
        """The items, each with ``language``, the first that the task asks it in, and ``asked``, the question
        in it."""
        return self._asked(self.items)

    @cached_property
    def neighbour_rows(self) -> list[Row]:
        """The same of the neighbours."""
        return self._asked(self.neighbours)

    def _asked(self, items: pl.DataFrame) -> list[Row]:
        prompts = self.task.prompts(items, PromptOptions(), self.release).unique(
            "item", keep="first", maintain_order=True
        )
        languages = dict(prompts.select("item", "language").iter_rows())
        rows = [row for row in items.iter_rows(named=True) if row["item"] in languages]
        in_language = [{**row, "language": languages[row["item"]]} for row in rows]
        free = has_free_answers(self.task)
        return [
            {**row, "asked": self.task.question_in(row, row["language"]) if free else row["text"] or ""}
            for row in in_language
        ]

    def whole_text(self, row: Row) -> str:
        """An item as one text: the question, and its options with their letters."""
        options = self.task.options_of(row).texts
        lettered = (f"{label}. {option}" for label, option in zip(LETTERS, options, strict=False))
        return "\n".join([row["asked"], *lettered])

    def prompt(self, row: Row, part: str, text: str, most: int) -> Prompt:
        """A prompt about an item. part: what of the signal it is."""
        return Prompt(text, PROBE, f"{self.task.name}:{row['item']}", most, row["language"], part)


@dataclass(frozen=True)
class Unit:
    """What one value is made of: the prompts whose replies it needs, and whatever judges them.

    question: units of one question are no independent witnesses.
    """

    question: str
    prompts: tuple[Prompt, ...]
    about: Any = None


@dataclass(frozen=True)
class Measure:
    """A number of a signal.

    unit: ``%`` (a share or an overlap, 0 to 1), ``points`` (a difference of two of these, -1 to 1) or
    ``nats``.
    """

    name: str
    unit: str


class Signal(ABC):
    """A way to ask about items, and what the replies to one unit are worth.

    about: what it is, in a sentence; cannot_say: what it cannot.
    """

    name: ClassVar[str]
    measures: ClassVar[tuple[Measure, ...]]
    about: ClassVar[str]
    cannot_say: ClassVar[str]
    control: ClassVar[str] = ""  # what it is held against, where that is not other items
    needs_logprobs: ClassVar[bool] = False  # True where it needs a model that tells how likely a text is

    def lacks(self, task: Task) -> str:
        """Why a task cannot give it; empty where it can."""
        return ""

    def before(self, group: ItemGroup) -> list[Prompt]:
        """What has to be asked before it is known what the units are; nothing by default."""
        return []

    @abstractmethod
    def units(self, group: ItemGroup, told: Sequence[str]) -> list[Unit]:
        """What is asked about a group's items; an item in which it makes no sense has none.

        told: the replies to ``before``, empty where one is missing.
        """

    @abstractmethod
    def values(
        self, group: ItemGroup, units: Sequence[Unit], replies: Sequence[Sequence[str]]
    ) -> list[tuple[float, ...]]:
        """The measures of each unit, then those of its control where the signal has one of its own.

        Nothing for a unit that does not count. replies: what was said to each unit's prompts.
        """


SCALE = {"%": 100.0, "points": 100.0, "nats": 1.0}


@dataclass(frozen=True, slots=True)
class MeanEstimate:
    """A mean in the measure's unit with its 95 % interval; NaN where it cannot be told. n: values, of so many
    questions."""

    value: float = math.nan
    low: float = math.nan
    high: float = math.nan
    n: int = 0
    questions: int = 0
    method: str = "none: nothing was asked"


def estimate(measure: Measure, values: Sequence[float], questions: Sequence[str]) -> MeanEstimate:
    """The mean of a measure over units, some of which may be of one question."""
    if not values:
        return MeanEstimate()
    rows = np.array(values, dtype=np.float64)
    _, codes = np.unique(np.array(questions), return_inverse=True)
    sums, counts = cluster_totals(rows, codes)
    if measure.unit == "%":
        mean = clustered_mean(sums, counts, float(rows @ rows))
    else:
        mean = clustered_difference(rows, sums, counts, 1.0 if measure.unit == "points" else None)
    interval = mean.interval()
    scale = SCALE[measure.unit]
    return MeanEstimate(
        mean.mean * scale,
        interval.low * scale,
        interval.high * scale,
        rows.size,
        counts.size,
        interval.method,
    )


def difference(first: MeanEstimate, second: MeanEstimate) -> tuple[float, Interval]:
    """The first mean less the second, of other items, with its interval; NaN where one of them cannot be
    told."""
    return independent_difference(
        first.value,
        Interval(first.low, first.high, first.method),
        second.value,
        Interval(second.low, second.high, second.method),
    )
