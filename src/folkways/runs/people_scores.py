"""What people of the cultures score under the rule that models are judged by: the line that figures draw beside the models."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from folkways import __version__
from folkways.benchmarks.base import Task
from folkways.errors import FolkwaysError
from folkways.records import SCORES, Signature
from folkways.releases.base import Release
from folkways.releases.registry import get_record
from folkways.releases.store import locate, state_of
from folkways.reports.data import PEOPLE
from folkways.reports.formats.methods import parse_signature


def people_scores(task: Task, items: pl.DataFrame, release: Release, scores: pl.DataFrame) -> Iterator[pl.DataFrame]:
    """records.SCORES of people, for each profile of ``scores`` (a run's, of this task): the same items, rule and text tools.

    Single answers come from the run's own release, or else from the one that the task names, if it is on this disk. Nothing comes
    where neither has them.
    """
    for profile, signature in scores.group_by("profile", maintain_order=True).agg(pl.col("signature").first()).iter_rows():
        judge = _with_tools_of(task, signature)
        for source in _sources(task, release):
            judged = judge.people(items, source, profile)
            if judged is None or not judged["counted"].any():
                continue
            made = Signature(
                {"task": task.name, "data": source.label, "people": task.people_by, "profile": profile}
                | {f"text-{name}": version for name, version in sorted(judge.text_tools().items())}
                | {"folkways": __version__}
            )
            scored = judge.summarise(judged.drop("task", "item", "sample", "answer", "reason"))
            yield scored.with_columns(endpoint=pl.lit(PEOPLE), profile=pl.lit(profile), signature=pl.lit(made.text())).select(
                list(SCORES)
            )
            break


def _sources(task: Task, release: Release) -> Iterator[Release]:
    yield release
    if task.people_release and state_of(get_record(task.people_release)) == "here":
        yield locate(task.people_release)


def _with_tools_of(task: Task, signature: str) -> Task:
    """The task with the text tools that a score's signature names; as it is where no set of ours has them."""
    named = {key: value for key, value in parse_signature(signature).items() if key.startswith("text-")}
    for tool_set in task.tool_sets:
        try:
            candidate = task.with_text_tools(tool_set)
            tools = {f"text-{name}": version for name, version in candidate.text_tools().items()}
        except FolkwaysError:  # a set whose tools are not installed here
            continue
        if tools == named:
            return candidate
    return task
