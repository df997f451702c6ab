"""What stands beside the scores of models for scale: what people of the cultures score, and what guessing
would."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from folkways import __version__
from folkways.benchmarks.base import HumanBaseline, Task, overrides
from folkways.benchmarks.contract import scores_of
from folkways.benchmarks.task_errors import failures_of
from folkways.records import ITEMS, SCORES, Signature, Subject
from folkways.releases.base import Release
from folkways.releases.registry import get_record
from folkways.releases.store import locate, state_of
from folkways.reports.data import PEOPLE
from folkways.runs.options import RunOptions
from folkways.runs.planning.plan import item_batches


def reference_scores(
    task: Task, release: Release, options: RunOptions, profile: str
) -> Iterator[pl.DataFrame]:
    """As ``results.save_scores`` takes them: of the task's baselines and of people, on the items that a run
    of these options asks.

    Baselines are exact expectations, made from the items alone: nobody is asked, nothing is drawn, and no
    profile changes them. People are judged by the profile's rule, with the task's text tools. Their single
    answers come from the run's own release, or else from the one that the task names, if it is on this disk;
    nothing comes of them where neither has any.
    """
    human = task.human_baseline()
    if human is None and not overrides(task, "baselines"):
        return
    items = pl.concat(item_batches(task, release, options))
    with failures_of(task, "baselines"):
        guessed = task.baselines(items)
    for name, judged in guessed.items():
        made = "expectation over the items asked, without asking"
        parts = {
            "task": task.name,
            "data": f"{release.name}#{release.fingerprint}",
            "baseline": made,
            "profile": profile,
        }
        yield labelled(
            scores_of(task, judged),
            Subject.BASELINE,
            name,
            profile,
            Signature({**parts, "folkways": __version__}),
        )
    if human is not None:
        yield from _of_people(task, human, items.select(*ITEMS, *task.facets), release, profile)


def people_elsewhere(task: Task) -> str | None:
    """The release that the task names for people's answers, if it is on this disk."""
    human = task.human_baseline()
    named = human.release if human else None
    return named if named and state_of(get_record(named)) == "here" else None


def _of_people(
    task: Task, human: HumanBaseline, items: pl.DataFrame, release: Release, profile: str
) -> Iterator[pl.DataFrame]:
    sources = [release]
    if elsewhere := people_elsewhere(task):
        sources.append(locate(elsewhere))
    for source in sources:
        with failures_of(task, "human_baseline"):
            judged = human.judge(items, source, profile)
        if judged is None or not judged["counted"].any():
            continue
        tools = {f"text-{name}": version for name, version in sorted(task.text_tools().items())}
        parts = {
            "task": task.name,
            "data": source.label,
            "people": human.how,
            "profile": profile,
            **tools,
            "folkways": __version__,
        }
        scored = scores_of(task, judged.drop("task", "item", "sample", "answer", "reason"))
        yield labelled(scored, Subject.PEOPLE, PEOPLE, profile, Signature(parts))
        return


def labelled(
    scored: pl.DataFrame, subject: Subject, endpoint: str, profile: str, signature: Signature
) -> pl.DataFrame:
    """Scores as a task's ``summarise`` gives them with what ``results.save_scores`` needs besides."""
    return scored.with_columns(
        subject=pl.lit(subject.value),
        endpoint=pl.lit(endpoint),
        profile=pl.lit(profile),
        signature=pl.lit(signature.json()),
    ).select("subject", *SCORES)
