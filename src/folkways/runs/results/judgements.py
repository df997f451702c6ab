"""The stored judgements of runs, with what was asked, and as inputs of the benchmarks' results."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import polars as pl

from folkways.benchmarks.base import Benchmark, Task, has_free_answers, needs_whole_questions
from folkways.benchmarks.contract import scores_of
from folkways.benchmarks.registry import benchmarks, get_task
from folkways.benchmarks.released_data import open_release
from folkways.benchmarks.results import Inputs, Result
from folkways.benchmarks.treatments import with_length, without_treatments
from folkways.endpoints.cards import cards_of
from folkways.errors import FolkwaysError, UnknownNameError
from folkways.evidence.groups import OF_ANY_BENCHMARK
from folkways.records import JUDGED_ITEMS, SCORES, Schema, compact, empty, plain
from folkways.releases.registry import get_record
from folkways.releases.release_records import Release
from folkways.releases.stored_releases import locate, state_of
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
    """records.JUDGED_ITEMS of a task of the ``run``, in each of the ``profiles``, of each endpoint.

    workspace: where the run is.
    asked: the task.
    release: the data that it was asked of.
    small: as ``records.compact`` has them.
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
                judged = results.load_judgements(workspace, run, name, part, small=small).drop("ordinal")
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
    return pl.DataFrame(rows, schema=dict(_TEXTS), orient="row")


def inputs_of(
    judged: pl.DataFrame, endpoints: Iterable[str], tasks: Iterable[Task], releases: Mapping[str, Release]
) -> Inputs:
    """The judgements ``judged`` of these tasks with what the results need besides.

    endpoints: whose model cards are wanted.
    releases: task -> the data that were used.
    """
    listed = list(tasks)
    control = without_treatments(judged)
    if control.height < judged.height:
        judged = with_length(judged)
    return Inputs(
        judged=control,
        treated=judged if control.height < judged.height else judged.head(0),
        metrics={task.name: task.metrics for task in listed},
        releases=releases,
        cards=cards_of(set(endpoints)),
        whole_questions=frozenset(task.name for task in listed if needs_whole_questions(task)),
        facets={task.name: task.facets for task in listed},
        free_answers=frozenset(task.name for task in listed if has_free_answers(task)),
    )


def load_inputs(
    workspace: Workspace, runs: Sequence[run_records.RunRecord], profile: str | None = None
) -> Inputs:
    """The judgements of these runs; of an item that two runs have, what the later one says.

    profile: only this one of each task. Raises FolkwaysError for a run that has not been scored, or not in
    that profile.
    """
    judgements: list[pl.DataFrame] = []
    endpoints, releases = set[str](), {}
    for run in runs:
        stored, before = stored_scores(workspace, run), len(judgements)
        for run_task in run_records.run_tasks(workspace, run):
            of_task = stored.filter(pl.col("task") == run_task.task)
            if profile is not None:
                of_task = of_task.filter(
                    pl.col("profile") == get_task(run_task.task).resolve_profile(profile)
                )
            endpoints.update(of_task["endpoint"])
            releases[run_task.task] = release_of(run_task)
            judgements += [
                results.load_judgements(workspace, run, name, part).drop("ordinal")
                for part in results.parts(workspace, run)
                if part.task == run_task.task
                for name in of_task["profile"].unique(maintain_order=True)
            ]
        if len(judgements) == before:
            raise FolkwaysError(
                f"run {run.name} has not been judged in the profile {profile}; do it: folkways score "
                f"{run.name} --profile {profile}"
            )
    judged = pl.concat(judgements, how="diagonal_relaxed")
    judged = judged[latest(judged)]
    return inputs_of(judged, endpoints, map(get_task, releases), releases)


def latest(judged: pl.DataFrame) -> pl.Series:
    """The numbers of the rows that stay where several runs asked a model the same: those of the last run."""
    key = ["endpoint", "task", "profile", "item", "language", "variant", "sample"]
    rows = judged.select(key).with_row_index("row")
    return rows.unique(subset=key, keep="last", maintain_order=True)["row"]


def scores_together(
    workspace: Workspace,
    runs: Sequence[run_records.RunRecord],
    scored: Mapping[str, pl.DataFrame],
    wanted: str | None = None,
) -> Iterator[pl.DataFrame]:
    """The scores of a model on a task that several of these runs of the ``workspace`` asked, over all that
    they asked: records.SCORES, with the signature of the last run.

    scored: name of a run -> its stored scores. wanted: only this profile of each task. Runs that drew a
    sample or treated prompts are left out: their scores are of the whole benchmark, or by arm.
    """
    parts_of: dict[tuple[str, str, str], list[tuple[run_records.RunRecord, results.Part, str]]] = {}
    for run in runs:
        options = {each.task: restore_options(each.options) for each in run_records.run_tasks(workspace, run)}
        for part in results.parts(workspace, run):
            if options[part.task].until is not None or options[part.task].treatments:
                continue
            of_part = scored[run.name].filter(task=part.task, endpoint=part.endpoint)
            for profile, signature in of_part.select("profile", "signature").unique().iter_rows():
                if wanted is None or profile == get_task(part.task).resolve_profile(wanted):
                    key = part.task, part.endpoint, profile
                    parts_of.setdefault(key, []).append((run, part, signature))
    for (task, endpoint, profile), of_runs in parts_of.items():
        if len(of_runs) > 1:
            judged = pl.concat(
                [results.load_judgements(workspace, run, profile, part) for run, part, _ in of_runs],
                how="diagonal_relaxed",
            ).drop("ordinal")
            *_, (_, _, signature) = of_runs
            yield (
                scores_of(get_task(task), judged[latest(judged)])
                .with_columns(endpoint=pl.lit(endpoint), profile=pl.lit(profile), signature=pl.lit(signature))
                .select(list(SCORES))
            )


def open_data(benchmark: Benchmark, named: Mapping[str, Sequence[str]]) -> dict[str, tuple[Release, ...]]:
    """Name of a DataNeed -> its releases: those that are ``named`` for it, else its defaults that are on this
    disk."""
    data = {}
    for need in {
        need.name: need for result in benchmark.results for need in result.needs if not need.file
    }.values():
        opened = [open_release(name, benchmark.name) for name in named.get(need.name, ())]
        here = [
            name
            for name in need.default
            if not opened and state_of(get_record(name)) in ("here", "part of folkways")
        ]
        data[need.name] = (*opened, *map(locate, here))
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
