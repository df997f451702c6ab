"""What a model scores under a task's other profile, where many of its replies cannot be read under the one in use."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from folkways.benchmarks.base import Task
from folkways.benchmarks.contract import scores_of
from folkways.display import count, number
from folkways.errors import FolkwaysError
from folkways.records import is_baseline
from folkways.runs.planning.plan import restore_options
from folkways.runs.scores.scoring import NOT_SUMMARISED, judged_pages, release_of
from folkways.workspace import results, run_records
from folkways.workspace.database import Workspace

MANY = 0.2
"""Share of replies from which on the score under the other profile stands beside."""


def read_otherwise(
    workspace: Workspace, run: run_records.RunRecord, run_task: run_records.RunTask, task: Task, scores: pl.DataFrame
) -> Iterator[str]:
    """One sentence for each model of which more than MANY of the replies are unreadable, where another profile reads more of them.

    scores: records.SCORES of the run on the task. Where they lack the other profile, replies are judged here, and nothing stored.
    """
    whole = scores.filter((pl.col("facet") == "all") & (pl.col("metric") == task.metrics[0].name))
    for row in whole.iter_rows(named=True):
        replies, unread = row["n"] - row["failed"] - row["missing"], row["unreadable"] + row["truncated"]
        other = next((name for name in task.scoring.profiles if name != row["profile"]), None)
        if other is None or is_baseline(row["endpoint"]) or unread <= MANY * replies:
            continue
        stored = whole.filter((pl.col("endpoint") == row["endpoint"]) & (pl.col("profile") == other))
        try:
            beside = stored if stored.height else _judged(workspace, run, run_task, task, row["endpoint"], other)
        except FolkwaysError:  # the data are not here any more; the report says so where it needs them
            continue
        for found in beside.iter_rows(named=True):
            if found["unreadable"] + found["truncated"] < unread:
                yield (
                    f"{count(unread)} of {count(replies)} replies of {row['endpoint']} on {task.name} cannot be read under "
                    f"{row['profile']}, which gives {number(row['score'])}; {other} reads "
                    f"{count(unread - found['unreadable'] - found['truncated'])} of them and gives {number(found['score'])}: "
                    f"folkways score {run.name} --profile {other}"
                )


def _judged(
    workspace: Workspace, run: run_records.RunRecord, run_task: run_records.RunTask, task: Task, endpoint: str, profile: str
) -> pl.DataFrame:
    """The headline of a model under the profile."""
    options, release = restore_options(run_task.options), release_of(run_task)
    parts = (part for part in results.parts(workspace, run) if (part.task, part.endpoint) == (task.name, endpoint))
    judged = [
        page.drop(NOT_SUMMARISED)
        for part in parts
        for page, _ in judged_pages(task, release, options, results.response_pages(workspace, run, part), profile)
    ]
    scored = scores_of(task, pl.concat(judged, how="vertical_relaxed"))
    return scored.filter((pl.col("facet") == "all") & (pl.col("metric") == task.metrics[0].name))
