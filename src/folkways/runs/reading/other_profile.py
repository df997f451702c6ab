"""What a model scores under a task's other profile, where many of its replies cannot be read under the one in
use."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import polars as pl

from folkways.benchmarks.base import Task
from folkways.display import count, number
from folkways.errors import FolkwaysError
from folkways.evidence.answers import MANY_UNREADABLE
from folkways.records import is_baseline
from folkways.runs.planning.plan import TaskPlan, stored_plan
from folkways.runs.scores.scoring import judged_pages, scores_of_run, unsummarised
from folkways.workspace import results, run_records
from folkways.workspace.database import Workspace


def read_otherwise(
    workspace: Workspace,
    run: run_records.RunRecord,
    run_task: run_records.RunTask,
    task: Task,
    scores: pl.DataFrame,
) -> Iterator[str]:
    """One sentence for each model with many unreadable replies (MANY_UNREADABLE), on the profile that reads
    most of them.

    scores: records.SCORES of the run on the task. Where they lack another profile, replies are judged here,
    and nothing stored.
    """
    whole = scores.filter((pl.col("facet") == "all") & (pl.col("metric") == task.metrics[0].name))
    for row in whole.iter_rows(named=True):
        replies = row["n"] - row["failed"] - row["missing"]
        if is_baseline(row["endpoint"]) or replies - _read(row) <= MANY_UNREADABLE * replies:
            continue
        others = []
        for profile in task.scoring.profiles:
            stored = whole.filter((pl.col("endpoint") == row["endpoint"]) & (pl.col("profile") == profile))
            try:
                beside = (
                    stored
                    if stored.height
                    else _judged(workspace, run, stored_plan(run_task), row["endpoint"], profile)
                )
            except FolkwaysError:  # the data are not here any more; the report says so where it needs them
                continue
            others += beside.with_columns(profile=pl.lit(profile)).rows(named=True)
        best = max(others, key=_read, default=row)
        if _read(best) > _read(row):
            yield (
                f"{row['endpoint']} on {task.name}: {row['profile']} reads {count(_read(row))} of "
                f"{count(replies)} replies, which "
                f"gives {number(row['score'])}; {best['profile']} reads {count(_read(best))}, which gives "
                f"{number(best['score'])}: "
                f"folkways score {run.name} --profile {best['profile']}"
            )


def _read(row: Mapping[str, Any]) -> int:
    """The replies of a score that an answer, or a refusal, was read out of."""
    return int(row["answered"] + row["refused"])


def _judged(
    workspace: Workspace, run: run_records.RunRecord, plan: TaskPlan, endpoint: str, profile: str
) -> pl.DataFrame:
    """The headline of a model under the profile."""
    task = plan.task
    pages = (
        page.drop(unsummarised(plan.options))
        for part in results.parts(workspace, run)
        if (part.task, part.endpoint) == (task.name, endpoint)
        for page, _ in judged_pages(plan, results.response_pages(workspace, run, part), profile)
    )
    scored = scores_of_run(plan, pl.concat(pages, how="vertical_relaxed"))
    return scored.filter((pl.col("facet") == "all") & (pl.col("metric") == task.metrics[0].name))
