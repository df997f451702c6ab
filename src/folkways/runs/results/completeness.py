"""How much of its tasks a run asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import polars as pl

from folkways.benchmarks.base import PromptOptions, Task
from folkways.benchmarks.contract import items_of, prompts_of
from folkways.benchmarks.multiple_choice.orders import split_variant
from folkways.benchmarks.registry import get_task
from folkways.errors import FolkwaysError
from folkways.evidence.completeness import ASKED_BY, CELLS, Completeness
from folkways.releases.release_records import Release
from folkways.runs.planning.plan import SLICE, release_of, restore_options
from folkways.workspace import results, run_records, run_rows
from folkways.workspace.database import Workspace

LACKING = "lacking "
"""How the names of summaries begin that say what a run lacks of a task."""


def lacking(workspace: Workspace, run: run_records.RunRecord, run_task: run_records.RunTask) -> list[str]:
    """What the run asked of what the task asks by default, and what not, in phrases without a full stop that
    follow "the run asked"; empty where it asked everything.

    Only a run with an option that might leave something out is looked at, and its data are read for that.
    """
    if _asks_by_default(run_task):
        return []
    stored = results.load_summary(workspace, run, LACKING + run_task.task)
    return if_data_are_here(lambda: _lacking(workspace, run, run_task)) if stored is None else stored


def if_data_are_here(lacking: Callable[[], list[str]]) -> list[str]:
    """What ``lacking`` says; where the data have gone since, that nobody can say."""
    try:
        return lacking()
    except FolkwaysError as error:
        return [f"an unknown part of the task ({str(error).splitlines()[0]})"]


def save_lacking(workspace: Workspace, run: run_records.RunRecord, run_task: run_records.RunTask) -> None:
    """Store what ``lacking`` says of a task that was just scored, unless that is nothing by its options."""
    if not _asks_by_default(run_task):
        results.save_summary(workspace, run, LACKING + run_task.task, _lacking(workspace, run, run_task))


def _lacking(workspace: Workspace, run: run_records.RunRecord, run_task: run_records.RunTask) -> list[str]:
    return list(completeness_of(workspace, run, run_task, get_task(run_task.task)).sentences())


def completeness_of(
    workspace: Workspace, run: run_records.RunRecord, run_task: run_records.RunTask, task: Task
) -> Completeness:
    """How complete the ``run`` of a ``workspace`` is on a ``task``, its ``run_task``: of the first model that
    it asked, as all of them expect the same rows."""
    part = next(part for part in results.parts(workspace, run) if part.task == task.name)
    profile = next(
        iter(results.load_scores(workspace, run).filter(task=task.name)["profile"]), task.scoring.profiles[0]
    )
    columns = (*ASKED_BY, "sample")
    about = {"endpoint_id": part.endpoint_id, "task": part.task}
    counts = run_rows.judged_counts(workspace, run, profile, columns, **about)
    return completeness_of_rows(counts, run_task, task)


def completeness_of_rows(counts: pl.DataFrame, run_task: run_records.RunTask, task: Task) -> Completeness:
    """How complete are rows of a ``task`` that a model was asked, of the data of ``run_task``.

    counts: ASKED_BY, ``sample`` and how many ``rows`` have them.
    """
    rows = counts.filter(pl.col("sample") == pl.col("sample").min())
    released = [name for name in rows["variant"].unique() if split_variant(name)[1] == 1]
    return Completeness.of(
        default_rows(task, release_of(run_task)), _cells(rows.filter(pl.col("variant").is_in(released)))
    )


def _asks_by_default(run_task: run_records.RunTask) -> bool:
    """Whether no option of the run could have made it ask less than the task does by default."""
    options = restore_options(run_task.options)
    chosen = (options.cultures, options.languages, options.variants, options.limit, options.until)
    return not options.prompt_texts and all(value is None for value in chosen)


def default_rows(task: Task, release: Release) -> pl.DataFrame:
    """CELLS of everything that the task asks of a release where no option says otherwise."""

    def cells() -> Iterator[pl.DataFrame]:
        for batch in items_of(task, release):
            for items in batch.iter_slices(SLICE):
                prompts = prompts_of(task, items, PromptOptions(), release, sent=False).select(
                    "item", "language", "variant"
                )
                with_culture = prompts.join(items.select("item", "culture"), on="item", how="left")
                yield _cells(with_culture.with_columns(rows=pl.lit(1)))

    return _cells(pl.concat(cells()))


def _cells(rows: pl.DataFrame) -> pl.DataFrame:
    """CELLS of counted ``rows``: ASKED_BY and ``rows``."""
    counted = rows.group_by(ASKED_BY, maintain_order=True).agg(pl.col("rows").sum().cast(pl.Int64))
    return counted.select(CELLS)
