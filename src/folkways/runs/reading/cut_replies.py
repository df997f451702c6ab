"""What a reader must know where the limit of output tokens cut replies: how many, and the command that asks for more."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import polars as pl

from folkways.benchmarks.base import Task
from folkways.records import Signature
from folkways.reports.text import count, plural

_LIMIT = re.compile(r"(?<!\w)max_tokens=(\d+)")
MORE, LEAST = 8, 256
"""The remedy names so many times the limit, and no fewer tokens than that."""


def cut_warnings(scores: pl.DataFrame, signatures: Mapping[str, Signature], tasks: Mapping[str, Task]) -> list[str]:
    """One sentence for each model and task (and profile, where there are several) of which the token limit cut replies.

    scores: records.SCORES. signatures: each of theirs -> its parts. tasks: by name.
    """
    profiles = scores.group_by("task").agg(pl.col("profile").n_unique())
    several = set(profiles.filter(pl.col("profile") > 1)["task"])
    whole = scores.filter((pl.col("facet") == "all") & (pl.col("cut") > 0)).sort("n", descending=True, maintain_order=True)
    found = whole.unique(["endpoint", "task", "profile"], keep="first", maintain_order=True).sort("task", "endpoint", "profile")
    return [
        _warning(row, signatures.get(row["signature"], Signature()), tasks[row["task"]], row["task"] in several)
        for row in found.iter_rows(named=True)
    ]


def _warning(row: Mapping[str, Any], made: Signature, task: Task, several: bool) -> str:
    limits = [int(limit) for limit in _LIMIT.findall(made.parts.get("settings", ""))]
    limit = max(limits, default=None)
    replies = row["n"] - row["failed"] - row["missing"]
    where = task.name + (f" ({row['profile']})" if several else "")
    at = f"at {plural(limit, 'token')}" if limit else "at the limit of its provider"
    unread = count(row["truncated"]) if row["truncated"] else "none"
    was = "was" if row["cut"] == 1 else "were"
    who = f"{count(row['cut'])} of {count(replies)} replies of {row['endpoint']} on {where}"
    told = f"{who} {was} cut {at}, {unread} of them unreadable"
    remedy = f"ask again with --max-tokens {max(LEAST, MORE * limit)}" if limit else "ask again with --max-tokens"
    if task.limit_by_design and limit == task.max_tokens:
        other = next((name for name in task.profiles if name != "paper"), None)
        profile = f" --profile {other}" if other else ""
        return (
            f"{told}. This limit cuts replies by design: it is the paper's ({task.limit_by_design}). "
            f"To let models talk or think first, {remedy}{profile}."
        )
    return f"{told}: {remedy}."
