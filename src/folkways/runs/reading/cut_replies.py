"""What a reader must know where the limit of output tokens cut replies: how many, and the command that asks
for more."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from folkways.benchmarks.base import Task
from folkways.display import count, plural
from folkways.records import Signature

_LIMIT = re.compile(r"(?<!\w)max_tokens=(\d+)")
MORE, LEAST = 8, 256
"""The remedy names so many times the limit, and no fewer tokens than that."""

FEW = 16
"""A task's own limit of so few tokens wants an answer and nothing else: cut replies are what it is for."""


def cut_warnings(
    scores: pl.DataFrame, signatures: Mapping[str, Signature], tasks: Mapping[str, Task]
) -> list[str]:
    """One sentence for each model and task of which the token limit cut replies: profiles judge the same
    replies.

    scores: records.SCORES. signatures: each of theirs -> its parts. tasks: by name.
    """
    whole = scores.filter((pl.col("facet") == "all") & (pl.col("cut") > 0)).sort(
        "n", descending=True, maintain_order=True
    )
    found = whole.unique(["endpoint", "task", "profile"], keep="first", maintain_order=True).sort(
        "task", "endpoint", "profile"
    )
    alike: dict[tuple[str, str, int, int, int | None], list[dict[str, Any]]] = {}
    for row in found.iter_rows(named=True):
        replies = row["n"] - row["failed"] - row["missing"]
        limit = _limit(signatures.get(row["signature"], Signature()))
        alike.setdefault((row["task"], row["endpoint"], row["cut"], replies, limit), []).append(row)
    return [
        _warning(rows, tasks[rows[0]["task"]], replies, limit) for (*_, replies, limit), rows in alike.items()
    ]


def _limit(made: Signature) -> int | None:
    return max(map(int, _LIMIT.findall(made.parts.get("settings", ""))), default=None)


def _warning(rows: Sequence[Mapping[str, Any]], task: Task, replies: int, limit: int | None) -> str:
    """rows: the same replies under one profile or more."""
    row = rows[0]
    at = f"at {plural(limit, 'token')}" if limit else "at the limit of its provider"
    unread = _unread(row)
    if any(_unread(other) != unread for other in rows):
        unread = ", ".join(f"{_unread(other)} ({other['profile']})" for other in rows)
    was = "was" if row["cut"] == 1 else "were"
    who = f"{count(row['cut'])} of {count(replies)} replies of {row['endpoint']} on {task.name}"
    told = f"{who} {was} cut {at}, {unread} of them unreadable"
    remedy = (
        f"ask again with --max-tokens {max(LEAST, MORE * limit)}" if limit else "ask again with --max-tokens"
    )
    if limit == task.max_tokens and limit <= FEW:
        other = next((name for name in task.scoring.profiles if name != "paper"), None)
        profile = f" --profile {other}" if other else ""
        return (
            f"{told}. This limit cuts replies by design: {task.name} asks for {plural(limit, 'token')}. "
            f"To let models talk or think first, {remedy}{profile}."
        )
    return f"{told}: {remedy}."


def _unread(row: Mapping[str, Any]) -> str:
    return count(row["truncated"]) if row["truncated"] else "none"
