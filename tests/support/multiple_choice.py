"""Replies to prompts of tasks with options, and one score out of what they are worth."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import polars as pl

from folkways.benchmarks.base import PromptOptions, Task
from folkways.records import RESPONSES
from folkways.releases.release_records import Release

Reply = Callable[[dict[str, Any]], str | None]


def judged(task: Task, release: Release, reply: Reply, options: PromptOptions | None = None) -> pl.DataFrame:
    """Judgements of a model that replies so to each prompt (which has the item's columns too); None is a
    missing reply."""
    items = task.items(release)
    prompts = task.prompts(items, options or PromptOptions(), release)
    shown = prompts.join(items.drop("task"), on="item", how="left", maintain_order="left")
    said = [reply(row) for row in shown.iter_rows(named=True)]
    states = ["missing" if text is None else "answered" for text in said]
    keys = prompts.select(
        "task", "item", "language", "variant", sample=pl.lit(0, pl.Int64), reason=pl.lit(None, pl.String)
    )
    responses = keys.with_columns(state=pl.Series(states), response=pl.Series(said, dtype=pl.String)).select(
        list(RESPONSES)
    )
    return task.judge(items, responses, task.scoring.profiles[0])


def score(
    task: Task, judgements: pl.DataFrame, metric: str, facet: str = "all", value: str = "all"
) -> dict[str, Any]:
    """The row of records.SCORES."""
    return task.summarise(judgements).row(
        by_predicate=(pl.col("metric") == metric) & (pl.col("facet") == facet) & (pl.col("value") == value),
        named=True,
    )
