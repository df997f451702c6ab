"""What a model scores under a task's other profile, where many of its replies cannot be read under the one in
use."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import polars as pl

from folkways.benchmarks.base import Task
from folkways.benchmarks.contract import scores_of
from folkways.display import count, number
from folkways.errors import FolkwaysError
from folkways.evidence.answers import MANY_UNREADABLE
from folkways.records import is_baseline
from folkways.runs.planning.plan import POPULATIONS, restore_options
from folkways.runs.sampled.scores import of_sample
from folkways.runs.scores.scoring import LEFT_OUT_OF_SAMPLES, NOT_SUMMARISED, judged_pages, release_of
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
                    else _judged(workspace, run, run_task, task, row["endpoint"], profile)
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
    workspace: Workspace,
    run: run_records.RunRecord,
    run_task: run_records.RunTask,
    task: Task,
    endpoint: str,
    profile: str,
) -> pl.DataFrame:
    """The headline of a model under the profile."""
    options, release = restore_options(run_task.options), release_of(run_task)
    unused = NOT_SUMMARISED if options.until is None else LEFT_OUT_OF_SAMPLES
    parts = (
        part for part in results.parts(workspace, run) if (part.task, part.endpoint) == (task.name, endpoint)
    )
    pages = (
        page.drop(unused)
        for part in parts
        for page, _ in judged_pages(
            task, release, options, results.response_pages(workspace, run, part), profile
        )
    )
    judged = pl.concat(pages, how="vertical_relaxed")
    scored = scores_of(task, judged)
    if options.until is not None:
        scored = of_sample(scored, task, judged, options, run_task.options[POPULATIONS])
    return scored.filter((pl.col("facet") == "all") & (pl.col("metric") == task.metrics[0].name))
