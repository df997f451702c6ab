"""The stored judgements of a run, with what was asked beside what was said."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from folkways.benchmarks.base import Task, has_free_answers
from folkways.benchmarks.registry import get_task
from folkways.records import JUDGED_ITEMS, compact, empty
from folkways.releases.base import Release
from folkways.runs.planning.plan import item_batches, release_of, restore_options
from folkways.runs.scores.scoring import stored_scores
from folkways.workspace import results, run_records
from folkways.workspace.database import Workspace


def judged_items(
    workspace: Workspace, run: run_records.RunRecord, profile: str | None = None
) -> pl.DataFrame:
    """records.JUDGED_ITEMS of every task and endpoint; facets and metrics as further columns (null where a
    task lacks them).

    profile: only this one of each task, where several were scored. FolkwaysError if the run has not been
    scored.
    """
    frames = [empty(JUDGED_ITEMS)]
    stored = stored_scores(workspace, run)
    for run_task in run_records.run_tasks(workspace, run):
        task = get_task(run_task.task)
        scored = stored.filter(pl.col("task") == task.name)["profile"].unique(maintain_order=True).to_list()
        wanted = (
            scored if profile is None else [name for name in scored if name == task.resolve_profile(profile)]
        )
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
    """records.JUDGED_ITEMS of a task in each profile, of each endpoint. release: the one that it was asked
    of.

    small: as ``records.compact`` has them.
    """
    task, kind = get_task(asked.task), pl.Categorical if small else pl.String
    batches = item_batches(task, release, restore_options(asked.options))
    if has_free_answers(task):
        items = {row["item"]: row for batch in batches for row in batch.iter_rows(named=True)}
    else:
        texts = pl.concat(batch.select("item", "text", "gold") for batch in batches)
        texts = compact(texts) if small else texts
    for part in results.parts(workspace, run):
        if part.task == asked.task:
            for name in profiles:
                judged = results.load_judgements(workspace, run, name, part, small=small).drop("ordinal")
                judged = judged.with_columns(profile=pl.lit(name, dtype=kind))
                if has_free_answers(task):
                    texts = _as_asked(
                        task, items, judged.select("item", "language").unique(maintain_order=True)
                    )
                    texts = compact(texts) if small else texts
                shared = [key for key in ("item", "language") if key in texts.columns]
                yield judged.join(texts, on=shared, how="left", maintain_order="left")


def _as_asked(task: Task, items: Mapping[str, Mapping[str, Any]], asked: pl.DataFrame) -> pl.DataFrame:
    """item, language, text and gold of these items in these languages: the question in the words of its
    language."""
    rows = [
        (item, language, task.question_in(items[item], language), items[item]["gold"])
        for item, language in asked.iter_rows()
        if item in items
    ]
    return pl.DataFrame(
        rows, schema=dict.fromkeys(("item", "language", "text", "gold"), pl.String), orient="row"
    )
