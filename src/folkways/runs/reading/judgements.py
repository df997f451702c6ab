"""The stored judgements of a run, with what was asked beside what was said."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import polars as pl

from folkways.benchmarks.registry import get_task
from folkways.records import JUDGED_ITEMS, compact, empty
from folkways.releases.base import Release
from folkways.runs.plan import item_batches, restore_options
from folkways.runs.scores.scoring import release_of, stored_scores
from folkways.workspace import results, run_records
from folkways.workspace.database import Workspace


def judged_items(workspace: Workspace, run: run_records.RunRecord, profile: str | None = None) -> pl.DataFrame:
    """records.JUDGED_ITEMS of every task and endpoint; facets and metrics as further columns (null where a task lacks them).

    profile: only this one of each task, where several were scored. FolkwaysError if the run has not been scored.
    """
    frames = [empty(JUDGED_ITEMS)]
    stored = stored_scores(workspace, run)
    for run_task in run_records.run_tasks(workspace, run):
        task = get_task(run_task.task)
        scored = stored.filter(pl.col("task") == task.name)["profile"].unique(maintain_order=True).to_list()
        wanted = scored if profile is None else [name for name in scored if name == task.resolve_profile(profile)]
        frames += judged_of_task(workspace, run, run_task, release_of(run_task), wanted)
    return pl.concat(frames, how="diagonal_relaxed")


def judged_of_task(
    workspace: Workspace,
    run: run_records.RunRecord,
    asked: run_records.RunTask,
    release: Release,
    profiles: Sequence[str],
    *,
    small: bool = False,
) -> Iterator[pl.DataFrame]:
    """records.JUDGED_ITEMS of a task in each profile, of each endpoint. release: the one that it was asked of.

    small: as ``records.compact`` has them.
    """
    batches = item_batches(get_task(asked.task), release, restore_options(asked.options))
    texts = pl.concat(batch.select("item", "text", "gold") for batch in batches)
    texts, kind = (compact(texts), pl.Categorical) if small else (texts, pl.String)
    for part in results.parts(workspace, run):
        if part.task == asked.task:
            for name in profiles:
                judged = results.load_judgements(workspace, run, name, part, small=small).drop("ordinal")
                yield judged.with_columns(profile=pl.lit(name, dtype=kind)).join(
                    texts, on="item", how="left", maintain_order="left"
                )
