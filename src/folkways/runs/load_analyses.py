"""What stored runs found, as analyses take it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import polars as pl

from folkways.benchmarks.analyses import Analysis, Findings
from folkways.benchmarks.base import Task
from folkways.benchmarks.registry import analyses, get_task
from folkways.endpoints.cards import cards_of
from folkways.errors import UnknownNameError
from folkways.records import ModelCard
from folkways.runs.scoring import release_of, stored_scores
from folkways.workspace import results, run_records
from folkways.workspace.database import Workspace


def load_findings(workspace: Workspace, runs: Sequence[run_records.RunRecord], profile: str | None = None) -> Findings:
    """The judgements of these runs; of an item that two runs have, what the later one says.

    profile: only this one of each task. Raises FolkwaysError for a run that has not been scored.
    """
    judgements, endpoints, releases = [], set[str](), {}
    for run in runs:
        stored = stored_scores(workspace, run)
        for run_task in run_records.run_tasks(workspace, run):
            of_task = stored.filter(pl.col("task") == run_task.task)
            if profile is not None:
                of_task = of_task.filter(pl.col("profile") == get_task(run_task.task).resolve_profile(profile))
            endpoints.update(of_task["endpoint"])
            releases[run_task.task] = release_of(run_task)
            judgements += [
                results.load_judgements(workspace, run, name, part).drop("ordinal").with_columns(profile=pl.lit(name))
                for part in results.parts(workspace, run)
                if part.task == run_task.task
                for name in of_task["profile"].unique(maintain_order=True)
            ]
    key = ["endpoint", "task", "profile", "item", "language", "variant", "sample"]
    return Findings(
        judged=pl.concat(judgements, how="diagonal_relaxed").unique(subset=key, keep="last", maintain_order=True),
        metrics={task: get_task(task).metrics for task in releases},
        releases=releases,
        cards=cards_of(endpoints),
        whole_questions=whole_questions(map(get_task, releases)),
    )


def known_cards(scores: pl.DataFrame) -> dict[str, ModelCard]:
    """Endpoint -> model card, for those endpoints of the scores that a table of cards knows."""
    return cards_of(set(scores["endpoint"]))


def whole_questions(tasks: Iterable[Task]) -> frozenset[str]:
    """The names of those of the tasks that score whole questions."""
    return frozenset(task.name for task in tasks if task.whole_questions)


def choose_analyses(findings: Findings, names: Sequence[str] = ()) -> list[Analysis]:
    """The analyses that the tasks of these findings have; only those named, if any are (UnknownNameError for others)."""
    offered = [
        analysis
        for members in analyses().values()
        for analysis in members
        if findings.asked.intersection(analysis.tasks)
    ]  # fmt: skip
    known = {analysis.name for analysis in offered}
    for name in names:
        if name not in known:
            raise UnknownNameError("analysis of these runs", name, known)
    return [analysis for analysis in offered if not names or analysis.name in names]
