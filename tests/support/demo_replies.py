"""What every test of the sample does: ask, answer, judge."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import polars as pl

from folkways.benchmarks.base import PromptOptions, Task
from folkways.benchmarks.demo import BENCHMARK
from folkways.records import RESPONSES, State
from folkways.releases.release_records import Release

BY_NAME: dict[str, Task] = {task.name: task for task in BENCHMARK.tasks}

Answerer = Callable[[dict[str, Any], str], "str | State"]
"""Item and language -> the reply, or a state other than answered."""


def respond(task: Task, release: Release, answer: Answerer) -> pl.DataFrame:
    """Responses to every default prompt of the task."""
    items = task.items(release)
    by_item = {item["item"]: item for item in items.iter_rows(named=True)}
    rows = []
    for prompt in task.prompts(items, PromptOptions(), release).iter_rows(named=True):
        reply = answer(by_item[prompt["item"]], prompt["language"])
        address = {column: prompt[column] for column in ("task", "item", "language", "variant")}
        if isinstance(reply, State):
            rows.append(
                {
                    **address,
                    "sample": 0,
                    "state": str(reply),
                    "response": None,
                    "reason": "the server hung up",
                }
            )
        else:
            rows.append({**address, "sample": 0, "state": "answered", "response": reply, "reason": None})
    return pl.DataFrame(rows, schema=dict(RESPONSES))


def judge(task: Task, release: Release, answer: Answerer) -> pl.DataFrame:
    """The judgements on those responses."""
    return task.judge(task.items(release), respond(task, release, answer), "strict")


def gold_reply(item: dict[str, Any], language: str) -> str:
    """What a model that knows everything would reply."""
    if "answers" in item:
        group = item["answers"][0]
        return str(group["en"][0] if language == "en" else group["local"][0])
    if "options" in item:
        return str(item["answer"])
    if "gold_local" in item:
        return str(item["gold_en"] if language == "en" else item["gold_local"])
    return str(item["gold"])
