"""Finds one item, or one question over all cultures, with everything that is known of it: what was asked,
what was said, how it was judged."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from folkways.benchmarks.base import PromptOptions, Task
from folkways.benchmarks.contract import items_of, prompts_of
from folkways.benchmarks.registry import benchmarks, get_task, tasks
from folkways.benchmarks.released_data import open_release
from folkways.benchmarks.treatments import without_treatments
from folkways.errors import FolkwaysError, UnknownNameError, option
from folkways.records import ITEMS
from folkways.releases.release_records import Release
from folkways.runs.planning.plan import release_of
from folkways.workspace import results, run_records
from folkways.workspace.database import Workspace


@dataclass(frozen=True)
class KnownItem:
    """One item: its row of the items frame, its prompts, and what endpoints said (with ``endpoint`` and
    ``thoughts``) and got."""

    task: Task
    item: Mapping[str, Any]
    prompts: pl.DataFrame
    responses: pl.DataFrame
    judgements: pl.DataFrame

    def _repr_html_(self) -> str:
        from folkways.reports.formats.item import EMPTY_JUDGEMENTS, EMPTY_RESPONSES
        from folkways.reports.formats.notebook import item_html

        responses = self.responses if self.responses.width else EMPTY_RESPONSES
        judgements = self.judgements if self.judgements.width else EMPTY_JUDGEMENTS
        return item_html(self.shown, self.prompts, responses, judgements, self.task.metrics)

    @property
    def shown(self) -> dict[str, Any]:
        """What people read of the item: records.ITEMS and the task's facets."""
        return {name: value for name, value in self.item.items() if name in ITEMS or name in self.task.facets}


@dataclass(frozen=True)
class KnownQuestion:
    """One question of a task about every culture: its items, and the judgements of what endpoints said (with
    ``endpoint`` and ``response``), without columns if no run is known."""

    task: Task
    items: pl.DataFrame
    judgements: pl.DataFrame


def find_question(
    workspace: Workspace | None, name: str, run_name: str | None = None, release: str | None = None
) -> list[KnownQuestion]:
    """The question ``BENCHMARK:QUESTION`` in each task of the benchmark that has it, about all cultures.

    workspace: where the newest run that asked it is looked for; None for the data alone.
    name: the question as items name it in ``question`` or ``release_id``, without its culture.
    run_name: only this run.
    release: name or folder of the data, instead of what the run or the benchmark uses.

    Raises UnknownNameError for an unknown benchmark, FolkwaysError if it has no such question.
    """
    benchmark, _, question = name.partition(":")
    if benchmark not in benchmarks():
        raise UnknownNameError("benchmark", benchmark, benchmarks())
    runs = [] if workspace is None else list(reversed(run_records.list_runs(workspace)))
    if workspace is not None and run_name:
        runs = [run_records.find_asked_run(workspace, run_name)]
    unasked: list[KnownQuestion] = []
    for run in runs:
        of_run = [*_of_run(workspace, run, benchmark, question, release)] if workspace is not None else []
        if any(one.judgements.width for one in of_run):
            return of_run
        unasked = unasked or of_run
    if run_name:
        raise FolkwaysError(
            f"run {run_name} asks no question {name!r}; leave {option('run')} out to look in the data itself"
        )
    problems: list[FolkwaysError] = []
    candidates = [task for task in tasks().values() if task.benchmark == benchmark and not unasked]
    for task in candidates:
        try:
            items = _of_question(task, open_release(release or task.release, benchmark), question)
        except FolkwaysError as error:
            problems.append(error)
            continue
        unasked += [KnownQuestion(task, items, pl.DataFrame())] if items.height else []
    if not unasked:
        if len(problems) == len(candidates) and not any(_asks(run, benchmark) for run in runs):
            raise problems[0]
        raise FolkwaysError(
            f"{benchmark} has no question {question!r}; write it as in an item's name, without the culture: "
            "blend:Al-en-01 for blend/saq:KR/Al-en-01"
        )
    return unasked


def _asks(run: run_records.RunRecord, benchmark: str) -> bool:
    return benchmark in {str(task).partition("/")[0] for task in run.config.get("tasks", ())}


def _of_run(
    workspace: Workspace, run: run_records.RunRecord, benchmark: str, question: str, release: str | None
) -> Iterator[KnownQuestion]:
    """The question in each task of a run, with its judgements in the first profile that it was scored in.

    workspace, run: where to look. benchmark, question: what. release: instead of the run's data.
    """
    scores = results.load_scores(workspace, run)
    for run_task in run_records.run_tasks(workspace, run):
        task = get_task(run_task.task)
        if task.benchmark != benchmark:
            continue
        items = _of_question(
            task, open_release(release, benchmark) if release else release_of(run_task), question
        )
        profile = next(iter(scores.filter(pl.col("task") == task.name)["profile"]), None)
        judged = [
            without_treatments(results.load_judgements(workspace, run, profile, part)).filter(
                pl.col("item").is_in(items["item"].implode())
            )
            for part in results.parts(workspace, run)
            if part.task == task.name and profile is not None
        ]
        if items.height:
            judgements = pl.concat(judged, how="diagonal_relaxed") if judged else pl.DataFrame()
            yield KnownQuestion(task, items, judgements if judgements.height else pl.DataFrame())


def _of_question(task: Task, release: Release, question: str) -> pl.DataFrame:
    """The items of a question, about every culture."""
    template = pl.col("question").str.split("/").list.last()
    same = (template == question) | (pl.col("question") == question) | (pl.col("release_id") == question)
    return pl.concat(batch.filter(same) for batch in items_of(task, release))


def find_item(
    workspace: Workspace | None, name: str, run_name: str | None = None, release: str | None = None
) -> KnownItem:
    """The item ``TASK:ITEM`` or ``ITEM``, from a run of the workspace that asked it, or from the default
    releases.

    run_name: only this run.
    release: name or folder of the data, instead of what the run or the task uses.
    Raises UnknownNameError when no run and no release has such an item, FolkwaysError when several tasks have
    it.
    """
    task_name, separator, item = name.rpartition(":")
    wanted = [task_name] if separator else []
    if separator and task_name not in tasks():
        raise UnknownNameError("task", task_name, tasks())
    if workspace is not None:
        runs = (
            [run_records.find_asked_run(workspace, run_name)]
            if run_name
            else list(reversed(run_records.list_runs(workspace)))
        )
        for run in runs:
            with_item = [
                task for task in results.tasks_with_item(workspace, run, item) if not wanted or task in wanted
            ]
            if len(with_item) > 1:
                named = ", ".join(f"{task}:{item}" for task in with_item)
                raise FolkwaysError(f"several tasks have an item {item!r}; say which: {named}")
            if with_item:
                return _from_run(workspace, run, with_item[0], item, release)
        if run_name:
            raise FolkwaysError(
                f"run {run_name} asks no item {name!r}; leave {option('run')} out to look in the data itself"
            )
    return _from_release(name, item, wanted, release)


def _from_run(
    workspace: Workspace, run: run_records.RunRecord, task_name: str, item: str, release_name: str | None
) -> KnownItem:
    task = tasks()[task_name]
    run_task = next(entry for entry in run_records.run_tasks(workspace, run) if entry.task == task_name)
    release = open_release(release_name, task.benchmark) if release_name else release_of(run_task)
    items = pl.concat(batch.filter(pl.col("item") == item) for batch in items_of(task, release))
    prompts = results.prompts_of(workspace, run, task_name, item)
    responses, judged = [], []
    shares = [share for share in results.parts(workspace, run) if share.task == task_name]
    profiles = (
        results.load_scores(workspace, run)
        .filter(pl.col("task") == task_name)["profile"]
        .unique(maintain_order=True)
    )
    for part in shares:
        replies = results.responses(workspace, run, part).filter(pl.col("item") == item)
        thought = results.thoughts(workspace, run, part, item)
        responses.append(
            replies.with_columns(endpoint=pl.lit(part.endpoint)).join(
                thought, on="ordinal", how="left", maintain_order="left"
            )
        )
        for profile in profiles:
            verdicts = results.load_judgements(workspace, run, profile, part)
            judged.append(verdicts.filter(pl.col("item") == item))
    judgements = pl.concat(judged, how="diagonal_relaxed") if judged else pl.DataFrame()
    return KnownItem(task, items.row(0, named=True), prompts, pl.concat(responses), judgements)


def _from_release(name: str, item: str, wanted: list[str], release_name: str | None) -> KnownItem:
    problems: list[FolkwaysError] = []
    candidates = [tasks()[task] for task in wanted] or list(tasks().values())
    for task in candidates:
        try:
            release = open_release(release_name or task.release, task.benchmark)
        except FolkwaysError as error:
            problems.append(error)
            continue
        items = pl.concat(batch.filter(pl.col("item") == item) for batch in items_of(task, release))
        if items.height:
            prompts = prompts_of(task, items, PromptOptions(), release, sent=False)
            return KnownItem(task, items.row(0, named=True), prompts, pl.DataFrame(), pl.DataFrame())
    if problems and len(problems) == len(candidates):
        raise problems[0]
    raise FolkwaysError(
        f"no run of the workspace and no release on this disk has an item {name!r}\n"
        "Write an item as reports do, for example blend/saq:KR/Al-en-01; they list all, and so does "
        "run.judgements() in Python"
    )
