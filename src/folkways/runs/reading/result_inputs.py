"""What the results of benchmarks are made of: what stored runs found, and released data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import polars as pl

from folkways.benchmarks.base import Benchmark, Task, needs_whole_questions
from folkways.benchmarks.culture_profile import PROFILE
from folkways.benchmarks.registry import benchmarks, get_task
from folkways.benchmarks.results import Inputs, Result
from folkways.endpoints.cards import cards_of
from folkways.errors import FolkwaysError, UnknownNameError
from folkways.releases.base import Release
from folkways.releases.registry import get_record
from folkways.releases.store import locate, open_release, state_of
from folkways.runs.planning.plan import release_of
from folkways.runs.scores.scoring import stored_scores
from folkways.workspace import results, run_records
from folkways.workspace.database import Workspace


def inputs_of(
    judged: pl.DataFrame, endpoints: Iterable[str], tasks: Iterable[Task], releases: Mapping[str, Release]
) -> Inputs:
    """The judgements of these tasks with all that is known beside them; releases: task -> the data that were
    used."""
    known = list(tasks)
    return Inputs(
        judged=judged,
        metrics={task.name: task.metrics for task in known},
        releases=releases,
        cards=cards_of(set(endpoints)),
        whole_questions=frozenset(task.name for task in known if needs_whole_questions(task)),
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
        stored, found = stored_scores(workspace, run), len(judgements)
        for run_task in run_records.run_tasks(workspace, run):
            of_task = stored.filter(pl.col("task") == run_task.task)
            if profile is not None:
                of_task = of_task.filter(
                    pl.col("profile") == get_task(run_task.task).resolve_profile(profile)
                )
            endpoints.update(of_task["endpoint"])
            releases[run_task.task] = release_of(run_task)
            judgements += [
                results.load_judgements(workspace, run, name, part)
                .drop("ordinal")
                .with_columns(profile=pl.lit(name))
                for part in results.parts(workspace, run)
                if part.task == run_task.task
                for name in of_task["profile"].unique(maintain_order=True)
            ]
        if len(judgements) == found:
            raise FolkwaysError(
                f"run {run.name} has not been judged in the profile {profile}; do it: folkways score "
                f"{run.name} --profile {profile}"
            )
    key = ["endpoint", "task", "profile", "item", "language", "variant", "sample"]
    judged = pl.concat(judgements, how="diagonal_relaxed").unique(
        subset=key, keep="last", maintain_order=True
    )
    return inputs_of(judged, endpoints, map(get_task, releases), releases)


def open_data(benchmark: Benchmark, named: Mapping[str, Sequence[str]]) -> dict[str, tuple[Release, ...]]:
    """Name of a DataNeed -> its releases: those that are ``named`` for it, else its defaults that are on this
    disk."""
    found = {}
    for need in {
        need.name: need for result in benchmark.results for need in result.needs if not need.file
    }.values():
        opened = [open_release(name, benchmark.name) for name in named.get(need.name, ())]
        here = [
            name
            for name in need.default
            if not opened and state_of(get_record(name)) in ("here", "part of folkways")
        ]
        found[need.name] = (*opened, *map(locate, here))
    return found


def results_of_runs(inputs: Inputs, names: Sequence[str] = ()) -> list[Result]:
    """The results that the tasks of these judgements have; only those named, if any are (UnknownNameError for
    others)."""
    declared = [result for benchmark in benchmarks().values() for result in benchmark.results]
    offered = [result for result in declared if inputs.asked.intersection(result.tasks)]
    if PROFILE.name in names or len({task.split("/")[0] for task in inputs.asked}) > 1:
        offered.append(replace(PROFILE, tasks=tuple(sorted(inputs.asked))))
    known = {result.name for result in offered}
    for name in names:
        if name not in known:
            raise UnknownNameError("analysis of these runs", name, known)
    return [result for result in offered if not names or result.name in names]
