"""Judges replies that another program passes in one by one, and scores them as a run would."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import polars as pl

from folkways.benchmarks.base import Task
from folkways.benchmarks.contract import scores_of
from folkways.benchmarks.cut_replies import judge_replies
from folkways.records import RESPONSES, Metric, State


@dataclass(frozen=True)
class Reply:
    """The reply to one prompt. state: answered, refused or failed; response: None without a reply."""

    item: str
    language: str
    variant: str
    sample: int = 0
    state: str = State.ANSWERED.value
    response: str | None = None
    reason: str | None = None
    finish_reason: str | None = None


@dataclass(frozen=True)
class ReplyJudge:
    """Judges replies to items by the rule of a task. items: ``Task.items`` of all items that may be asked."""

    task: Task
    items: pl.DataFrame
    profile: str

    def __post_init__(self) -> None:
        object.__setattr__(
            self, "_places", {item: position for position, item in enumerate(self.items["item"])}
        )

    @property
    def single(self) -> tuple[Metric, ...]:
        """The metrics of a single reply: without those that need every reply to a question."""
        return tuple(metric for metric in self.task.metrics if metric.per == "item")

    def judge(self, replies: Iterable[Reply]) -> pl.DataFrame:
        """One judgement for each reply, in the order of the items."""
        places: Mapping[str, int] = self._places  # type: ignore[attr-defined]
        ordered = sorted(
            replies, key=lambda reply: (places[reply.item], reply.language, reply.variant, reply.sample)
        )
        responses = pl.DataFrame(
            [{"task": self.task.name, **asdict(reply)} for reply in ordered],
            schema={**RESPONSES, "finish_reason": pl.String},
        )
        items = self.items[sorted({places[reply.item] for reply in ordered})]
        return judge_replies(self.task, items, responses, self.profile)

    def one(self, reply: Reply) -> tuple[dict[str, Any], dict[str, float | None]]:
        """The judgement of one reply, and its ``single`` metrics, which are None where a metric does not
        apply or the item is not counted."""
        row = self.judge([reply]).row(0, named=True)
        values = {
            metric.name: row[metric.name] if row["counted"] else None
            for metric in self.single
            if metric.name in row
        }
        return row, values

    def scores(self, replies: Iterable[Reply]) -> pl.DataFrame:
        """The scores of all replies together (``Task.summarise``), equal to those of a run with the same
        replies."""
        return scores_of(self.task, self.judge(replies))
