"""The replies of a run that a model can judge, with the rule's verdicts and the labels of people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

import polars as pl
import sqlalchemy as sa

from folkways.benchmarks.base import Task, needs_whole_questions
from folkways.benchmarks.contract import judgements_of
from folkways.benchmarks.free_answers import model_judge
from folkways.benchmarks.registry import free_answer_tasks
from folkways.errors import DataError, FolkwaysError
from folkways.records import Schema, State, headline_of
from folkways.runs.options import RunOptions
from folkways.runs.planning.plan import select_items, stored_plan
from folkways.runs.results.model_names import choose_models
from folkways.text_tables import read_replies
from folkways.workspace import results, run_records, schema
from folkways.workspace.database import Workspace

VERDICTS: Schema = {
    "task": pl.String,
    "endpoint": pl.String,  # whose reply it is
    **dict.fromkeys(("item", "question", "culture", "language", "variant"), pl.String),
    "sample": pl.Int64,
    **dict.fromkeys(("judge", "response"), pl.String),
    "lexical": pl.Float64,  # the rule's verdict, 0 or 1
    "verdict": pl.Float64,  # the judge's, 0 or 1; null where it gave none
    "ended": pl.String,  # judged, no reply, unreadable, failed, not asked
    "group": pl.Int64,  # of the gold groups shown to the judge, from 1; 0 for none of them
    "means": pl.String,  # the answers of that group
    # the verdict with the groups in reverse order; null where that was not asked, or brought none
    "swapped": pl.Float64,
    "swapped_group": pl.Int64,  # its group, numbered as in ``group``
    "cut": pl.Boolean,  # the judge saw only the beginning of the reply
    "imitates_verdict": pl.Boolean,  # the reply holds something in the form of a verdict
    "why": pl.String,  # where the judge gave no verdict: what it said, or what went wrong
    "label": pl.Float64,  # what people say: 0 to 1; null where nobody judged it
}


@dataclass(frozen=True)
class JudgeableReplies:
    """One endpoint's replies to one task: VERDICTS without what the judge adds, and each row's item."""

    task: Task
    release: str
    profile: str
    endpoint: str
    identity: str
    rows: list[dict[str, Any]]


def shares_of(
    workspace: Workspace,
    run: run_records.RunRecord,
    profile: str | None,
    text_tools: str | None,
    models: Sequence[str] | None,
) -> Iterator[JudgeableReplies]:
    """Each model's replies to each task with free answers.

    workspace, run, profile, text_tools and models are those of ``model_judging.judge_run``, and so are the
    errors: FolkwaysError for a run without free answers, UnknownNameError for a model that it did not ask.
    """
    of_run = run_records.run_tasks(workspace, run)
    run_tasks = [run_task for run_task in of_run if run_task.task in free_answer_tasks()]
    if not run_tasks:
        names = ", ".join(run_task.task for run_task in of_run) or "no tasks"
        raise FolkwaysError(
            f"run {run.name} has no free answers to judge ({names}); tasks with them: "
            f"{', '.join(free_answer_tasks())}"
        )
    parts = results.parts(workspace, run)
    models = choose_models(models or (), dict.fromkeys(part.endpoint for part in parts), run.name)
    for run_task in run_tasks:
        plan = stored_plan(run_task)
        task = plan.task
        if task.scoring.text_tools:
            task = task.with_tools(text_tools)
        resolved = task.resolve_profile(profile)
        batches = [
            (batch, {item["item"]: item for item in batch.iter_rows(named=True)}) for batch in plan.batches()
        ]
        for part in parts:
            if part.task != task.name or (models and part.endpoint not in models):
                continue
            responses = results.responses(workspace, run, part)
            rows = [
                row
                for items, by_item in batches
                for row in _rows(task, items, by_item, responses, resolved, part.endpoint)
            ]
            with workspace.read() as connection:
                identity = connection.scalar(
                    sa.select(schema.endpoints.c.identity).where(schema.endpoints.c.id == part.endpoint_id)
                )
            yield JudgeableReplies(
                task,
                f"{run_task.release}#{run_task.fingerprint}",
                resolved,
                part.endpoint,
                str(identity),
                rows,
            )


def _rows(
    task: Task,
    items: pl.DataFrame,
    by_item: Mapping[str, Mapping[str, Any]],
    responses: pl.DataFrame,
    profile: str,
    endpoint: str,
) -> Iterator[dict[str, Any]]:
    """The counted items with the rule's verdicts; those without a reply are settled, the others ``_replied``.

    by_item: the rows of ``items``, which all endpoints share. Prompts are made when they are asked.
    """
    share = responses.join(items.select("item"), on="item", how="semi", maintain_order="left")
    judged = judgements_of(task, items, share, profile).with_columns(
        _told=share["response"], _state=share["state"]
    )
    headline = headline_of(task.metrics, judged.columns).name
    for row in judged.filter(pl.col("counted")).iter_rows(named=True):
        item, reply = by_item[row["item"]], (row["_told"] or "") if row["_state"] == State.ANSWERED else ""
        groups = task.accepted_answers(item)
        judgeable = bool(reply.strip() and groups)
        yield {
            **{
                name: row[name]
                for name in ("task", "item", "question", "culture", "language", "variant", "sample")
            },
            **dict.fromkeys(("means", "why", "label", "swapped", "swapped_group")),
            "endpoint": endpoint,
            "response": row["_told"],
            "lexical": row[headline],
            "verdict": None if judgeable else 0.0,
            "ended": "not asked" if judgeable else "no reply",
            "group": None if judgeable else 0,
            "cut": judgeable and len(reply) > model_judge.LONGEST_REPLY,
            "imitates_verdict": judgeable and model_judge.imitates_verdict(reply),
            "_groups": groups,
            "_replied": judgeable,
            "_task": task,
            "_item": item,
        }


def drawn(share: JudgeableReplies, shares: Sequence[JudgeableReplies], limit: int) -> list[dict[str, Any]]:
    """The rows of at most ``limit`` items of the task: of all that any model replied to, so that the models'
    are the same."""
    name = share.task.name
    by_item = {row["item"]: row for other in shares if other.task.name == name for row in other.rows}
    items = pl.DataFrame(
        [{key: row[key] for key in ("item", "question", "culture")} for row in by_item.values()]
    )
    chosen = set(
        select_items(
            items, RunOptions(tasks=(name,), limit=limit), whole_questions=needs_whole_questions(share.task)
        )["item"]
    )
    return [row for row in share.rows if row["item"] in chosen]


def labellable(rows: list[dict[str, Any]]) -> pl.DataFrame:
    """What tells the replies apart that people can judge."""
    columns = ("task", "item", "language", "variant", "sample", "endpoint")
    identities = [{name: row[name] for name in columns} for row in rows if row["_replied"]]
    return pl.DataFrame(identities, schema={name: VERDICTS[name] for name in columns})


def drawing_order(row: dict[str, Any], seed: int) -> str:
    """What sorts replies in random order: the same of every model, so that labels of two models are of the
    same items."""
    of = (str(row[name]) for name in ("task", "item", "language", "variant", "sample"))
    return blake2b("|".join((str(seed), *of)).encode(), digest_size=8).hexdigest()


VALUES = ("1", "0.5", "0")
NARROWING = ("task", "language", "variant", "sample", "endpoint")
"""Columns that say which reply to an item is meant, where there are several."""


def read_labels(path: Path, replies: pl.DataFrame) -> pl.Series:
    """One label per row of ``replies`` (task, item, language, variant, sample, endpoint), 0 to 1; null where
    nobody did.

    The file has ``item`` and ``label`` (1, 0.5 or 0) and, where an item has several replies, the columns of
    NARROWING that tell them apart (``model`` is another name for ``endpoint``). Several labels of one reply
    are averaged. Raises DataError with the row for a label that is not one of VALUES, and for one that fits
    no reply or several.
    """
    table = read_replies(path)
    if "endpoint" not in table.columns and "model" in table.columns:
        table = table.rename({"model": "endpoint"})
    missing = [name for name in ("item", "label") if name not in table.columns]
    if missing:
        raise DataError(f"lacks the column {missing[0]!r}; it has: {', '.join(table.columns)}", file=path)
    values = table["label"].str.strip_chars().cast(pl.Float64, strict=False)
    wrong = (~values.is_in([0.0, 0.5, 1.0])).fill_null(True).arg_true()
    if wrong.len():
        row = int(wrong[0])
        raise DataError(
            f"label {table['label'][row]!r} is not one of {', '.join(VALUES)}", file=path, row=row + 1
        )
    on = ["item", *(name for name in NARROWING if name in table.columns)]
    identities = replies.select(pl.col(name).cast(pl.String) for name in on).with_columns(
        _reply=pl.int_range(pl.len(), dtype=pl.Int64)
    )
    labelled = table.select(on).with_columns(
        _label=values, _row=pl.int_range(1, pl.len() + 1, dtype=pl.Int64)
    )
    joined = labelled.join(identities, on=on, how="left", maintain_order="left")
    _check(joined, on, path)
    labels = joined.group_by("_reply").agg(pl.col("_label").mean())
    return identities.join(labels, on="_reply", how="left", maintain_order="left")["_label"].rename("label")


def _check(joined: pl.DataFrame, on: list[str], path: Path) -> None:
    lost = joined.filter(pl.col("_reply").is_null())
    if lost.height:
        first = lost.row(0, named=True)
        what = ", ".join(f"{name} {first[name]!r}" for name in on)
        raise DataError(f"the run has no counted reply with {what}", file=path, row=first["_row"])
    counts = joined.group_by("_row").len().filter(pl.col("len") > 1).sort("_row")
    if counts.height:
        row, number = counts.row(0)
        rest = [name for name in NARROWING if name not in on]
        raise DataError(
            f"{number} replies of the run fit this label; say which with a column "
            f"{' or '.join(rest) or 'more'}",
            file=path,
            row=row,
        )
