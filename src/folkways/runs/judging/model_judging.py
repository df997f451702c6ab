"""Has the free answers of a run judged by a model, beside the lexical rule, and says how far that can be trusted.

Nothing here is stored as a judgement or a score: the numbers of the run stay those of the rule.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any

import polars as pl
import sqlalchemy as sa

from folkways import __version__
from folkways.benchmarks.base import Task
from folkways.benchmarks.build import Prompt, Reply
from folkways.benchmarks.judging import model_judge
from folkways.benchmarks.registry import free_answer_tasks, get_task
from folkways.endpoints.base import Settings
from folkways.errors import FolkwaysError, UnknownNameError
from folkways.records import Schema, Signature, State
from folkways.runs.asking import AskSession
from folkways.runs.judging.labels import read_labels
from folkways.runs.judging.model_summary import summarise
from folkways.runs.models import Model, split_name
from folkways.runs.options import AskOptions, RunOptions
from folkways.runs.plan import item_batches, restore_options, select_items
from folkways.runs.scores.scoring import release_of
from folkways.workspace import results, run_records, schema
from folkways.workspace.database import Workspace

KIND = "judge-by-model"

VERDICTS: Schema = {
    "task": pl.String,
    "endpoint": pl.String,  # whose reply it is
    "item": pl.String,
    "question": pl.String,
    "culture": pl.String,
    "language": pl.String,
    "variant": pl.String,
    "sample": pl.Int64,
    "response": pl.String,
    "lexical": pl.Float64,  # the rule's verdict, 0 or 1
    "verdict": pl.Float64,  # the judge's, 0 or 1; null where it gave none
    "ended": pl.String,  # judged, no reply, unreadable, failed, not asked
    "group": pl.Int64,  # of the gold groups shown to the judge, from 1; 0 for none of them
    "means": pl.String,  # the answers of that group
    "cut": pl.Boolean,  # the judge saw only the beginning of the reply
    "imitates_verdict": pl.Boolean,  # the reply holds something in the form of a verdict
    "why": pl.String,  # where the judge gave no verdict: what it said, or what went wrong
    "label": pl.Float64,  # what people say: 0 to 1; null where nobody judged it
}


@dataclass(frozen=True)
class ModelJudged:
    """verdicts: VERDICTS, one row per counted item of the run; summary: model_summary.SUMMARY; run: in which the judge was asked.

    notes: what a person should know before using the numbers.
    """

    verdicts: pl.DataFrame
    summary: pl.DataFrame
    run: run_records.RunRecord
    notes: tuple[str, ...]


@dataclass(frozen=True)
class _Share:
    """One endpoint's replies to one task: VERDICTS without what the judge adds, and each row's item."""

    task: Task
    release: str
    profile: str
    endpoint: str
    identity: str
    rows: list[dict[str, Any]]


def judge_run(
    workspace: Workspace,
    run: run_records.RunRecord,
    judge: Model,
    *,
    profile: str | None = None,
    text_tools: str | None = None,
    models: Sequence[str] | None = None,
    labels: Path | None = None,
    limit: int | None = None,
    asking: AskOptions | None = None,
) -> ModelJudged:
    """Ask ``judge`` about every reply of the run to a task with free answers, and compare.

    profile, text_tools: of the rule; None for each task's default. models: only replies of these; None for all. labels: people's
    (see ``runs.labels``). limit: at most so many items of each task, spread over cultures as in a run and the same for every
    model; None for all. What the judge says is stored and never asked for again. Raises FolkwaysError where the run has no free
    answers, UnknownNameError for a model that it did not ask, DataError for labels that do not fit; all before the judge is asked.
    """
    shares = list(_shares(workspace, run, profile, text_tools, models))
    rows = [row for share in shares for row in share.rows]
    if labels is not None:
        replied = (row for row in rows if row["_prompt"] is not None)
        for row, label in zip(replied, read_labels(labels, _labellable(rows)), strict=True):
            row["label"] = label
    if limit is not None:
        shares = [replace(share, rows=_drawn(share, shares, limit)) for share in shares]
        rows = [row for share in shares for row in share.rows]
    open_rows = [row for row in rows if row["_prompt"] is not None]
    config = {"run": run.name, "wording": model_judge.wording_digest(), "aside": KIND}
    with AskSession(workspace, config, [judge], KIND, asking, f"{KIND}-") as session:
        for row, reply in zip(open_rows, session.ask(judge, [_prompt(row) for row in open_rows]), strict=True):
            _settle(row, reply)
    verdicts = pl.DataFrame([{name: row[name] for name in VERDICTS} for row in rows], schema=VERDICTS)
    summary = pl.concat(
        summarise(
            verdicts.filter(pl.col("task") == share.task.name, pl.col("endpoint") == share.endpoint),
            share.task.metrics[0],
            _signature(share, judge, labels, limit).text(),
            self_judged=_is_same(share, judge),
        )
        for share in shares
    )
    return ModelJudged(verdicts, summary, session.run, tuple(_notes(shares, verdicts, judge, session.stopped)))


def _shares(
    workspace: Workspace, run: run_records.RunRecord, profile: str | None, text_tools: str | None, models: Sequence[str] | None
) -> Iterator[_Share]:
    run_tasks = [found for found in run_records.run_tasks(workspace, run) if found.task in free_answer_tasks()]
    if not run_tasks:
        names = ", ".join(task.task for task in run_records.run_tasks(workspace, run)) or "no tasks"
        raise FolkwaysError(
            f"run {run.name} has no free answers to judge ({names}); tasks with them: {', '.join(free_answer_tasks())}"
        )
    parts = results.parts(workspace, run)
    known = {part.endpoint for part in parts}
    for name in models or ():
        if name not in known:
            raise UnknownNameError(f"model of run {run.name}", name, known)
    for run_task in run_tasks:
        task, release = get_task(run_task.task), release_of(run_task)
        if text_tools is not None and task.tool_sets:
            task = task.with_text_tools(text_tools)
        resolved = task.resolve_profile(profile)
        batches = list(item_batches(task, release, restore_options(run_task.options)))
        for part in parts:
            if part.task != task.name or (models and part.endpoint not in models):
                continue
            responses = results.responses(workspace, run, part)
            rows = [row for items in batches for row in _rows(task, items, responses, resolved, part.endpoint)]
            with workspace.read() as connection:
                identity = connection.scalar(
                    sa.select(schema.endpoints.c.identity).where(schema.endpoints.c.id == part.endpoint_id)
                )
            yield _Share(task, f"{run_task.release}#{run_task.fingerprint}", resolved, part.endpoint, str(identity), rows)


def _rows(task: Task, items: pl.DataFrame, responses: pl.DataFrame, profile: str, endpoint: str) -> Iterator[dict[str, Any]]:
    """The counted items with the rule's verdicts; those without a reply are settled, the others have a ``_prompt``."""
    share = responses.join(items.select("item"), on="item", how="semi", maintain_order="left")
    judged = task.judge(items, share, profile).with_columns(_told=share["response"], _state=share["state"])
    by_item = {item["item"]: item for item in items.iter_rows(named=True)}
    for row in judged.filter(pl.col("counted")).iter_rows(named=True):
        item, reply = by_item[row["item"]], (row["_told"] or "") if row["_state"] == State.ANSWERED else ""
        groups = task.accepted_answers(item)
        there = bool(reply.strip() and groups)
        yield {
            **{name: row[name] for name in ("task", "item", "question", "culture", "language", "variant", "sample")},
            "endpoint": endpoint,
            "response": row["_told"],
            "lexical": row[task.metrics[0].name],
            "verdict": None if there else 0.0,
            "ended": "not asked" if there else "no reply",
            "group": None if there else 0,
            "means": None,
            "cut": there and len(reply) > model_judge.LONGEST_REPLY,
            "imitates_verdict": there and model_judge.imitates_verdict(reply),
            "why": None,
            "label": None,
            "_groups": groups,
            "_prompt": model_judge.prompt_for(task, item, row["language"], reply) if there else None,
        }


def _drawn(share: _Share, shares: Sequence[_Share], limit: int) -> list[dict[str, Any]]:
    """The rows of at most ``limit`` items of the task: of all that any model replied to, so that the models' are the same."""
    name = share.task.name
    asked = {row["item"]: row for other in shares if other.task.name == name for row in other.rows}
    items = pl.DataFrame([{key: row[key] for key in ("item", "question", "culture")} for row in asked.values()])
    chosen = set(select_items(items, RunOptions(tasks=(name,), limit=limit), whole_questions=share.task.whole_questions)["item"])
    return [row for row in share.rows if row["item"] in chosen]


def _labellable(rows: list[dict[str, Any]]) -> pl.DataFrame:
    columns = ("task", "item", "language", "variant", "sample", "endpoint")
    kept = [{name: row[name] for name in columns} for row in rows if row["_prompt"] is not None]
    return pl.DataFrame(kept, schema={name: VERDICTS[name] for name in columns})


def _prompt(row: dict[str, Any]) -> Prompt:
    item = f"{row['task']}:{row['item']}"
    return Prompt(row["_prompt"], KIND, item, model_judge.MAX_TOKENS, row["language"], row["variant"])


def _settle(row: dict[str, Any], reply: Reply) -> None:
    if reply.said is None:
        refused = reply.state is State.REFUSED
        why = f"the judge refused: {reply.reason}" if refused else reply.reason
        row.update(ended="not asked" if reply.state is State.MISSING else "failed", why=why)
        return
    verdict = model_judge.read_verdict(reply.said, len(row["_groups"]))
    if verdict is None:
        row.update(ended="unreadable", why=reply.said)
        return
    means = " / ".join(row["_groups"][verdict.group - 1]) if verdict.group else None
    row.update(ended="judged", verdict=verdict.value, group=verdict.group, means=means)


def _signature(share: _Share, judge: Model, labels: Path | None, limit: int | None) -> Signature:
    sent = asdict(Settings(**{"max_tokens": model_judge.MAX_TOKENS, **judge.settings}))
    parts = {
        "task": share.task.name,
        "data": share.release,
        "judge": judge.name,
        "judge-settings": ",".join(f"{name}={value}" for name, value in sorted(sent.items()) if value is not None),
        "prompts": f"folkways:{model_judge.wording_digest()}",
        "beside-profile": share.profile,
        **{f"beside-text-{name}": version for name, version in sorted(share.task.text_tools().items())},
        "labels": blake2b(labels.read_bytes(), digest_size=4).hexdigest() if labels is not None else "none",
        **({"limit": str(limit)} if limit is not None else {}),
        "folkways": __version__,
    }
    return Signature(parts)


def _is_same(share: _Share, judge: Model) -> bool:
    """Whether the judge wrote the replies itself; other settings make it no other model."""
    return split_name(share.identity)[0] == judge.endpoint.identity


def _notes(shares: Sequence[_Share], verdicts: pl.DataFrame, judge: Model, stopped: str | None) -> Iterator[str]:
    judges_itself = [share.endpoint for share in shares if _is_same(share, judge)]
    if judges_itself:
        yield (
            f"{', '.join(dict.fromkeys(judges_itself))} judges replies of its own: models prefer what they wrote themselves; "
            "take another --judge, or labels of people"
        )
    counts = dict(verdicts.group_by("ended").len().iter_rows())
    for ended, what in (("unreadable", "could not be read"), ("failed", "brought no reply")):
        if counts.get(ended):
            why = verdicts.filter(pl.col("ended") == ended)["why"].value_counts(sort=True)["why"][0]
            yield f"{counts[ended]:,} of {verdicts.height:,} verdicts {what}, most often: {(why or '(empty)')[:200]}"
    if counts.get("not asked"):
        yield f"{counts['not asked']:,} of {verdicts.height:,} replies were not judged: {stopped or 'another process asks'}"
    imitating = int(verdicts["imitates_verdict"].sum())
    if imitating:
        yield f"{imitating:,} replies hold something in the form of a verdict, as if to speak to the judge; look at them"
    cut = int(verdicts["cut"].sum())
    if cut:
        yield f"{cut:,} replies are longer than {model_judge.LONGEST_REPLY:,} characters; the judge saw their beginning"
    if verdicts["label"].is_not_null().any() and verdicts.filter(pl.col("label").is_not_null())["question"].n_unique() < FEW:
        yield f"labels on fewer than {FEW} questions: the correction is little better than a guess"


FEW = 30
"""Labelled questions below which a correction is called a guess."""
