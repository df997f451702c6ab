"""A signal of contamination: a number for each item that would show if a model remembers it, and its mean
with an interval."""

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
from folkways.releases.release_records import Release
from folkways.stats.clusters import clustered_difference, clustered_mean
from folkways.stats.differences import independent_difference
from folkways.stats.intervals import Interval, cluster_totals

PROBE = "probe"
"""The task name under which the requests of probes are stored."""

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

Row = dict[str, Any]


def wording(name: str) -> str:
    """The prompt of a signal, with {names} for its parts."""
    return str(wordings("folkways.benchmarks.probing")[name])


@dataclass(frozen=True)
class ItemGroup:
    """Items of a task that are probed, or that serve as their control.

    items: rows of ``task.items``. neighbours: rows in the order of the release, for signals of that order.
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
        """The neighbours, with the same columns."""
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
        """A prompt about an item.

        row: of ``rows``.
        part: the part of the signal, stored as the variant.
        text: what is sent.
        most: output tokens of the reply at most.
        """
        return Prompt(text, PROBE, f"{self.task.name}:{row['item']}", most, row["language"], part)


@dataclass(frozen=True)
class Unit:
    """The prompts whose replies give one value, and whatever judges them.

    question: units of one question are not independent.
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
    """A way to ask about items, and the value of the replies to one unit.

    about: what it measures, in a sentence. cannot_say: what it cannot show.
    """

    name: ClassVar[str]
    measures: ClassVar[tuple[Measure, ...]]
    about: ClassVar[str]
    cannot_say: ClassVar[str]
    control: ClassVar[str] = ""  # what it is held against, where that is not other items
    needs_logprobs: ClassVar[bool] = False  # True where it needs a model that tells how likely a text is

    def lacks(self, task: Task) -> str:
        """Why a task cannot give the signal; empty if it can."""
        return ""

    def before(self, group: ItemGroup) -> list[Prompt]:
        """What has to be asked before the units are known; nothing by default."""
        return []

    @abstractmethod
    def units(self, group: ItemGroup, told: Sequence[str]) -> list[Unit]:
        """The units of a group's items; an item to which the signal does not apply has none.

        told: the replies to ``before``, empty where one is missing.
        """

    @abstractmethod
    def values(
        self, group: ItemGroup, units: Sequence[Unit], replies: Sequence[Sequence[str]]
    ) -> list[tuple[float, ...]]:
        """The measures of each unit, then those of its control if the signal has one of its own; empty for a
        unit that does not count.

        replies: to each unit's prompts, in order.
        """


SCALE = {"%": 100.0, "points": 100.0, "nats": 1.0}


@dataclass(frozen=True, slots=True)
class MeanEstimate:
    """A mean in the measure's unit with its 95 % interval; NaN where there is none.

    n: number of values. questions: number of questions that they belong to.
    """

    value: float = math.nan
    low: float = math.nan
    high: float = math.nan
    n: int = 0
    questions: int = 0
    method: str = "none: nothing was asked"


def estimate(measure: Measure, values: Sequence[float], questions: Sequence[str]) -> MeanEstimate:
    """The mean of a measure over units, several of which may belong to one question."""
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
    """The first mean less the second, of other items, with its interval; NaN if one of them is NaN."""
    return independent_difference(
        first.value,
        Interval(first.low, first.high, first.method),
        second.value,
        Interval(second.low, second.high, second.method),
    )
