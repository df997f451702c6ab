"""Draws answers of models from a stored run, for people to judge (BLEnD, section 5: 120 wrong ones per
country)."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from folkways.sdk.benchmarks import free_answer_tasks, get_task
from folkways.sdk.errors import FolkwaysError, UnknownNameError
from folkways.sdk.runs import (
    State,
    choose_models,
    item_batches,
    release_of,
    restore_options,
    results,
    run_records,
)
from folkways.sdk.workspace import Workspace
from folkways_studio.items.service import NewItem, add_items, list_items
from folkways_studio.records import Item
from folkways_studio.studies import service as studies

PER_CULTURE = 120


@dataclass(frozen=True, slots=True)
class DrawResult:
    """The items that were made, and culture -> (how many were drawn, how many that had not been drawn before
    there were to draw from)."""

    items: tuple[Item, ...]
    counts: Mapping[str, tuple[int, int]]


def draw_answers(
    workspace: Workspace,
    study_id: int,
    stage: str,
    run: str,
    *,
    per_culture: int = PER_CULTURE,
    wrong_only: bool = True,
    models: Sequence[str] | None = None,
    source: Workspace | None = None,
    seed: int = 0,
    by: int | None = None,
) -> DrawResult:
    """Draw replies of a run to free-answer tasks at random and add them to a ``judge_answer`` stage, each
    for its culture's population.

    study_id, stage: where they go.
    run: its name;
    source: the workspace that has it, if it is another.
    per_culture: how many replies of each model.
    wrong_only: only counted replies that the task's rule calls wrong, as in the paper.
    models: names of endpoints; None for all.
    seed: of the draw.
    by: the account that asks for it, for the record.

    A reply that was drawn before (same stage) is not drawn again. FolkwaysError if the run has no free
    answers, or none in a culture of the study.
    """
    populations = studies.populations(workspace, study_id)
    cultures = dict.fromkeys(each.culture for each in populations if each.parent_id is None)
    replies: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in _replies(source or workspace, run, models, wrong_only):
        if row["culture"] in cultures:
            replies[row["culture"]].append(row)
    if not replies:
        kind = "wrong answer" if wrong_only else "answer"
        raise FolkwaysError(f"run {run} has no {kind} in a culture of this study ({', '.join(cultures)})")
    taken = {item.key for item in list_items(workspace, study_id, stage)}
    new: list[NewItem] = []
    counts: dict[str, tuple[int, int]] = {}
    for culture, rows in replies.items():
        rows = [row for row in rows if _key(row) not in taken]
        drawn = random.Random(f"{seed}|{culture}").sample(rows, min(per_culture, len(rows)))  # noqa: S311 - a sample, not a secret
        counts[culture] = (len(drawn), len(rows))
        for row in drawn:
            population = studies.natives_of(populations, culture, row["language"])
            new.append(NewItem(_key(row), _content(row, run), population.name if population else None))
    return DrawResult(add_items(workspace, study_id, stage, new, by=by), counts)


def _replies(
    workspace: Workspace, run: str, models: Sequence[str] | None, wrong_only: bool
) -> Iterator[dict[str, Any]]:
    """Counted items with a reply: where it is from, the question as it was asked, what people answered, the
    reply."""
    try:
        record = run_records.find_asked_run(workspace, run)
    except (
        UnknownNameError
    ) as error:  # without its hint: where the workspace is, people at a page need not know
        raise UnknownNameError(error.kind, error.name, error.valid) from None
    tasks = [each for each in run_records.run_tasks(workspace, record) if each.task in free_answer_tasks()]
    if not tasks:
        raise FolkwaysError(
            f"run {run} has no free answers; tasks with them: {', '.join(free_answer_tasks())}"
        )
    parts = results.parts(workspace, record)
    models = choose_models(models or (), dict.fromkeys(part.endpoint for part in parts), record.name)
    for run_task in tasks:
        task, release = get_task(run_task.task), release_of(run_task)
        metric = task.metrics[0].name
        batches = list(item_batches(task, release, restore_options(run_task.options)))
        for part in (
            part for part in parts if part.task == task.name and (not models or part.endpoint in models)
        ):
            responses = results.responses(workspace, record, part).filter(pl.col("state") == State.ANSWERED)
            for items in batches:
                share = responses.filter(pl.col("item").is_in(items["item"].to_list()))
                judged = task.judge(items, share, task.resolve_profile(None)).with_columns(
                    reply=share["response"]
                )
                by_item = {item["item"]: item for item in items.iter_rows(named=True)}
                for row in judged.filter(pl.col("counted")).iter_rows(named=True):
                    if row["reply"].strip() and not (wrong_only and row[metric] > 0):
                        yield {**row, "endpoint": part.endpoint, "_item": by_item[row["item"]]}


def _key(row: Mapping[str, Any]) -> str:
    return ":".join(str(row[name]) for name in ("endpoint", "task", "item", "language", "variant", "sample"))[
        -128:
    ]


def _content(row: Mapping[str, Any], run: str) -> dict[str, Any]:
    item, task = row["_item"], get_task(row["task"])
    groups = task.accepted_answers(item)
    same = ("reply", "language", "task", "variant", "sample", "endpoint")
    accepted = [" / ".join(group) for group in groups]
    question = task.question_in(item, row["language"])
    content = {"question": question, "accepted": accepted, "item_id": row["item"], "run": run}
    return content | {name: row[name] for name in same}
