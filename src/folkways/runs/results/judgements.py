"""The stored judgements of runs, with what was asked, and as inputs of the benchmarks' results."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import polars as pl

from folkways.benchmarks.base import Benchmark, Task, has_free_answers, needs_whole_questions
from folkways.benchmarks.registry import benchmarks, get_task
from folkways.benchmarks.released_data import open_release
from folkways.benchmarks.results import Inputs, Result
from folkways.benchmarks.treatments import with_length, without_treatments
from folkways.endpoints.cards import cards_of
from folkways.errors import FolkwaysError, UnknownNameError
from folkways.evidence.groups import OF_ANY_BENCHMARK
from folkways.records import JUDGED_ITEMS, Schema, compact, empty, of_rows, plain
from folkways.releases.registry import get_record
from folkways.releases.release_records import Release
from folkways.releases.stored_releases import locate, state_of
from folkways.runs.planning.plan import item_batches, release_of, restore_options
from folkways.runs.results.together import RunsTogether, each_once
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
    as_scored: bool = False,
) -> Iterator[pl.DataFrame]:
    """records.JUDGED_ITEMS of a task of the ``run``, in each of the ``profiles``, of each endpoint.

    workspace: where the run is.
    asked: the task.
    release: the data that it was asked of.
    small: as ``records.compact`` has them.
    as_scored: with ``ordinal`` and records.CUT, by which scores are made.
    """
    task = get_task(asked.task)
    batches = item_batches(task, release, restore_options(asked.options))
    if has_free_answers(task):
        items, texts = [*batches], empty(_TEXTS)
    else:
        texts = pl.concat(batch.select("item", "text", "gold") for batch in batches)
    for part in results.parts(workspace, run):
        if part.task == asked.task:
            for name in profiles:
                judged = results.load_judgements(workspace, run, name, part, small=small, with_cut=as_scored)
                judged = judged if as_scored else judged.drop("ordinal")
                if has_free_answers(task):
                    asked_in = plain(judged.select("item", "language").unique(maintain_order=True))
                    texts = pl.concat(
                        [texts, _as_asked(task, items, asked_in.join(texts, on=_KEY, how="anti"))]
                    )
                shared = [key for key in _KEY if key in texts.columns]
                joined = compact(texts) if small else texts
                frames = [judged.join(joined, on=shared, how="left", maintain_order="left")]
                del judged  # who takes the frame may drop its texts before the next is read
                yield frames.pop()


_KEY = ("item", "language")
_TEXTS: Schema = dict.fromkeys((*_KEY, "text", "gold"), pl.String)


def _as_asked(task: Task, batches: Sequence[pl.DataFrame], asked: pl.DataFrame) -> pl.DataFrame:
    """_TEXTS of these items in these languages: the question in the words of its language."""
    languages: dict[str, list[str]] = {}
    for name, language in asked.iter_rows():
        languages.setdefault(name, []).append(language)
    wanted = pl.col("item").is_in(pl.Series([*languages], dtype=pl.String).implode())
    rows = [
        (item["item"], language, task.question_in(item, language), item["gold"])
        for batch in batches
        for item in batch.filter(wanted).iter_rows(named=True)
        for language in languages[item["item"]]
    ]
    return of_rows(rows, _TEXTS)


def inputs_of(
    judged: pl.DataFrame, together: RunsTogether, tasks: Iterable[Task], releases: Mapping[str, Release]
) -> Inputs:
    """The judgements ``judged`` of these tasks with what the results need besides.

    together: the runs that they are of.
    releases: task -> the data that were used.
    """
    listed = list(tasks)
    control = without_treatments(judged)
    if control.height < judged.height:
        judged = with_length(judged)
    models = together.conditions()
    endpoints = {**together.endpoints(), **{model: model for model in models.values()}}
    cards = cards_of({*endpoints.values()})
    return Inputs(
        judged=control,
        treated=judged if control.height < judged.height else judged.head(0),
        metrics={task.name: task.metrics for task in listed},
        releases=releases,
        cards={name: cards[endpoint] for name, endpoint in endpoints.items() if endpoint in cards},
        whole_questions=frozenset(task.name for task in listed if needs_whole_questions(task)),
        facets={task.name: task.facets for task in listed},
        free_answers=frozenset(task.name for task in listed if has_free_answers(task)),
        models=models,
    )


def load_inputs(
    workspace: Workspace, runs: Sequence[run_records.RunRecord], profile: str | None = None
) -> Inputs:
    """The judgements of these runs; of an item that two runs asked a model in one condition, what the later
    reply says.

    profile: only this one of each task. Raises FolkwaysError for a run that has not been scored, or not in
    that profile.
    """
    judgements: list[pl.DataFrame] = []
    together, releases = RunsTogether(workspace, runs, profile), {}
    for run in runs:
        stored, before = together.scores(run), len(judgements)
        for run_task in together.tasks[run.name]:
            of_task = stored.filter(pl.col("task") == run_task.task)
            if profile is not None:
                resolved = get_task(run_task.task).resolve_profile(profile)
                of_task = of_task.filter(pl.col("profile") == resolved)
            releases[run_task.task] = release_of(run_task)
            judgements += [
                together.renamed(run, results.load_judgements(workspace, run, name, part).drop("ordinal"))
                for part in results.parts(workspace, run)
                if part.task == run_task.task
                for name in of_task["profile"].unique(maintain_order=True)
            ]
        if len(judgements) == before:
            raise FolkwaysError(
                f"run {run.name} has not been judged in the profile {profile}; do it: "
                f"{workspace.command('score', run.name, '--profile', str(profile))}"
            )
    return inputs_of(each_once(judgements)[0], together, map(get_task, releases), releases)


def open_data(benchmark: Benchmark, named: Mapping[str, Sequence[str]]) -> dict[str, tuple[Release, ...]]:
    """Name of a DataNeed -> its releases: those that are ``named`` for it, else its defaults that are on this
    disk."""
    data = {}
    for need in {
        need.name: need for result in benchmark.results for need in result.needs if not need.file
    }.values():
        opened = [open_release(name, benchmark.name) for name in named.get(need.name, ())]
        stored = [
            name
            for name in need.default
            if not opened and state_of(get_record(name)) in ("here", "part of folkways")
        ]
        data[need.name] = (*opened, *map(locate, stored))
    return data


def results_of_runs(inputs: Inputs, names: Sequence[str] = ()) -> list[Result]:
    """The results that the tasks of these judgements have; only those named, if any are (UnknownNameError for
    others)."""
    declared = [result for benchmark in benchmarks().values() for result in benchmark.results]
    offered = [result for result in declared if inputs.asked.intersection(result.tasks)]
    offered += [
        replace(result, tasks=tuple(sorted(inputs.asked)))
        for result in OF_ANY_BENCHMARK
        if result.name in names or result.fits(inputs)
    ]
    names_offered = {result.name for result in offered}
    for name in names:
        if name not in names_offered:
            raise UnknownNameError("analysis of these runs", name, names_offered)
    return [result for result in offered if (result.name in names if names else not result.if_named)]
