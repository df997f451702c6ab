"""Writes what a model replied in a run as the files that a competition on the benchmark takes
(``Benchmark.submissions``)."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from folkways.benchmarks.contract import items_of
from folkways.benchmarks.registry import benchmarks, get_task, present_name
from folkways.benchmarks.treatments import without_treatments
from folkways.errors import FolkwaysError, UnknownNameError
from folkways.files import WrittenFiles, write_bytes
from folkways.records import LOST
from folkways.runs.planning.plan import release_of
from folkways.runs.results.model_names import choose_models
from folkways.runs.scores.scoring import stored_scores
from folkways.workspace import results, run_records
from folkways.workspace.database import Workspace


def submit_run(
    workspace: Workspace, run: run_records.RunRecord, benchmark: str, out: Path, model: str | None = None
) -> WrittenFiles:
    """Write the file of each task of the benchmark that the ``run`` of a ``workspace`` asked into the folder
    ``out``, with one row for every item of the release.

    benchmark: with the submissions. model: whose replies; may be left out where the run asked one. Raises
    UnknownNameError for a benchmark without submissions or a model that the run did not ask, FolkwaysError
    for a run that asked none of the tasks, or several models.
    """
    competitions = {
        benchmark_of.name: benchmark_of for benchmark_of in benchmarks().values() if benchmark_of.submissions
    }
    if present_name(benchmark) not in competitions:
        raise UnknownNameError("benchmark with a competition", benchmark, competitions)
    chosen = competitions[present_name(benchmark)]
    run_tasks = [entry for entry in run_records.run_tasks(workspace, run) if entry.task in chosen.submissions]
    if not run_tasks:
        raise FolkwaysError(
            f"run {run.name} asked nothing of {chosen.name} that can be handed in; it takes: "
            f"{', '.join(chosen.submissions)}"
        )
    endpoint = model_to_submit(workspace, run, [entry.task for entry in run_tasks], model)
    files, notes = [], []
    for entry in run_tasks:
        submission = chosen.submissions[entry.task]
        replies = _replies(workspace, run, entry, endpoint)
        lost = replies["state"].is_in(LOST).sum()
        if lost:
            notes.append(
                f"{entry.task}: {lost:,} of {replies.height:,} items have no reply; their rows are in the "
                "file and say nothing"
            )
        separator = "\t" if submission.path.endswith(".tsv") else ","
        content = submission.table(replies).write_csv(separator=separator)
        files.append(write_bytes(out / submission.path, content.encode()))
    notes += [
        f"{name} is not in this run, and has no file"
        for name in chosen.submissions
        if name not in {e.task for e in run_tasks}
    ]
    return WrittenFiles(tuple(files), tuple(notes))


def model_to_submit(
    workspace: Workspace, run: run_records.RunRecord, tasks: list[str], wanted: str | None
) -> str:
    """The endpoint of the model whose replies are handed in.

    workspace, run: where it was asked ``tasks``. wanted: a name of it, or None where there is only one.
    Raises FolkwaysError for several models and no name, UnknownNameError for a name of none.
    """
    models = list(
        dict.fromkeys(part.endpoint for part in results.parts(workspace, run) if part.task in tasks)
    )
    if wanted is None and len(models) == 1:
        return models[0]
    if wanted is None:
        raise FolkwaysError(
            f"run {run.name} asked several models; say whose replies with --model: {', '.join(models)}"
        )
    return choose_models([wanted], models, run.name)[0]


def _replies(
    workspace: Workspace, run: run_records.RunRecord, asked: run_records.RunTask, endpoint: str
) -> pl.DataFrame:
    """item, state, answer and response of every item of the release, ``missing`` where the run did not ask
    it."""
    task = get_task(asked.task)
    profile = next(iter(stored_scores(workspace, run).filter(pl.col("task") == asked.task)["profile"]), None)
    part = next(
        (
            part
            for part in results.parts(workspace, run)
            if (part.task, part.endpoint) == (asked.task, endpoint)
        ),
        None,
    )
    if profile is None or part is None:
        raise FolkwaysError(
            f"run {run.name} has no judgement of {asked.task}; score it first: "
            f"{workspace.command('score', run.name)}"
        )
    columns = ("item", "state", "answer", "response")
    judged = without_treatments(results.load_judgements(workspace, run, profile, part)).select(columns)
    if judged["item"].is_duplicated().any():
        raise FolkwaysError(
            f"run {run.name} asked items of {task.name} several times (variants, samples), and a submission "
            "has one reply to each\nrun it with one of --variants and without --samples, and hand that in"
        )
    items = pl.concat(batch.select("item") for batch in items_of(task, release_of(asked)))
    return items.join(judged, on="item", how="left", maintain_order="left").with_columns(
        pl.col("state").fill_null("missing")
    )
