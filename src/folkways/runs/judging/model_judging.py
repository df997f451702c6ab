"""Has the free answers of a run judged by models, compares that with the lexical rule, and says how far it
can be trusted.

Nothing here is stored as a judgement or a score: the numbers of the run stay those of the rule.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any

import polars as pl

from folkways import __version__
from folkways.benchmarks.build import ModelReply, Prompt
from folkways.benchmarks.free_answers import model_judge
from folkways.display import plural
from folkways.endpoints.base import Settings
from folkways.records import Signature, State
from folkways.runs.asking import NOT_ASKED, AskSession
from folkways.runs.judging.calibration import calibration_notes, differences, enough_labels, next_labels
from folkways.runs.judging.model_summary import (
    compare_judges,
    is_same,
    judges_notes,
    summarise,
    summarise_findings,
)
from folkways.runs.judging.replies import (
    VERDICTS,
    JudgeableReplies,
    drawing_order,
    drawn,
    labellable,
    read_labels,
    shares_of,
)
from folkways.runs.models import Model
from folkways.runs.options import AskOptions
from folkways.workspace import run_records
from folkways.workspace.database import Workspace

__all__ = ["VERDICTS", "ModelVerdicts", "judge_run"]

KIND = "judge-by-model"


@dataclass(frozen=True)
class ModelVerdicts:
    """verdicts: VERDICTS, one row per counted item of the run and judge. summary: ``model_summary.SUMMARY``.
    run: the one in which the judges were asked. notes: what to know before using the numbers. to_label:
    ``calibration.TO_LABEL``, the replies that people should judge next, the most informative first."""

    verdicts: pl.DataFrame
    summary: pl.DataFrame
    run: run_records.RunRecord
    notes: tuple[str, ...]
    to_label: pl.DataFrame


def judge_run(
    workspace: Workspace,
    run: run_records.RunRecord,
    judge: Model,
    *,
    more: Sequence[Model] = (),
    profile: str | None = None,
    text_tools: str | None = None,
    models: Sequence[str] | None = None,
    labels: Path | None = None,
    limit: int | None = None,
    swap: int = 0,
    until: float | None = None,
    label_next: int = 0,
    seed: int = 0,
    asking: AskOptions | None = None,
) -> ModelVerdicts:
    """Ask ``judge`` about every reply of the ``run`` of a ``workspace`` to a task with free answers, and
    compare.

    more: further judges of the same replies.
    profile, text_tools: of the rule; None for each task's default.
    models: only replies of these; None for all.
    labels: file with people's labels (see ``replies.read_labels``).
    limit: items of each task at most, spread over cultures as in a run and the same for every model; None for
        all.
    swap: replies of each model that are asked about again with the answers in reverse order.
    until: half a width, in points, at which labels are enough.
    label_next: replies to list for people.
    seed: of the order in which replies are listed and swapped.
    asking: how hard to try, and what may be spent.

    What judges say is stored and never asked for again. Raises FolkwaysError where the run has no free
    answers, UnknownNameError for a model that it did not ask, DataError for labels that do not fit; all
    before a judge is asked.
    """
    shares = list(shares_of(workspace, run, profile, text_tools, models))
    rows = [row for share in shares for row in share.rows]
    if labels is not None:
        replied = (row for row in rows if row["_replied"])
        for row, label in zip(replied, read_labels(labels, labellable(rows)), strict=True):
            row["label"] = label
    if limit is not None:
        shares = [replace(share, rows=drawn(share, shares, limit)) for share in shares]
        rows = [row for share in shares for row in share.rows]
    for row in rows:
        row["_order"] = drawing_order(row, seed)
    judges = (judge, *more)
    config = {"run": run.name, "wording": model_judge.wording_digest(), "aside": KIND}
    frames: list[pl.DataFrame] = []
    with AskSession(workspace, config, [*judges], KIND, asking, f"{KIND}-") as session:
        for one in judges:
            judged = [{**row, "judge": one.name} for row in rows]
            _ask(session, one, judged, swap)
            frames.append(
                pl.DataFrame([{name: row[name] for name in VERDICTS} for row in judged], schema=VERDICTS)
            )
    summaries, notes = [], []
    for one, verdicts in zip(judges, frames, strict=True):
        tables, remarks = _summed(verdicts, shares, one, labels, limit)
        summaries += tables
        notes += [*judging_notes(shares, verdicts, one), *remarks]
    if swap:
        notes += _never_swapped(shares)
    signatures = _signatures(shares, judge, labels, limit)
    for share in _by_task(shares):
        of_task = [verdicts.filter(pl.col("task") == share.task.name) for verdicts in frames]
        found_by_judges = compare_judges(of_task, judges, {one.endpoint: one.identity for one in shares})
        summaries.append(summarise_findings(found_by_judges, share.task.name, signatures))
        notes += judges_notes(found_by_judges)
        if until is not None:
            first = of_task[0].with_columns(
                _order=pl.Series([row["_order"] for row in rows if row["task"] == share.task.name])
            )
            stops = enough_labels(first, until / 100)
            labelled = [stop.finding(judge.name) for stop in stops if stop.rate.labelled]
            summaries.append(summarise_findings(labelled, share.task.name, signatures))
            notes += [stop.words for stop in stops]
    every = pl.concat(frames)
    to_label = next_labels(rows, frames, label_next, run.name)
    return ModelVerdicts(every, pl.concat(summaries), session.run, tuple(dict.fromkeys(notes)), to_label)


def _ask(session: AskSession, judge: Model, rows: list[dict[str, Any]], swap: int) -> None:
    replied = [row for row in rows if row["_replied"]]
    for row, reply in zip(replied, session.ask(judge, map(_prompt, replied)), strict=True):
        enter_verdict(row, reply)
    turned = list(_to_swap(replied, swap))
    prompts = (_prompt(row, backwards=True) for row in turned)
    for row, reply in zip(turned, session.ask(judge, prompts) if turned else (), strict=True):
        groups = len(row["_groups"])
        verdict = model_judge.read_verdict(reply.said, groups) if reply.said is not None else None
        if verdict is not None:
            group = groups + 1 - verdict.group if verdict.group else 0
            row.update(swapped=verdict.value, swapped_group=group)


def _to_swap(rows: list[dict[str, Any]], swap: int) -> Iterator[dict[str, Any]]:
    """At most ``swap`` judged replies of each model and task at random, of those whose accepted answers have
    an order."""
    for key in dict.fromkeys((row["task"], row["endpoint"]) for row in rows):
        judged = [
            row
            for row in rows
            if (row["task"], row["endpoint"]) == key and len(row["_groups"]) > 1 and row["ended"] == "judged"
        ]
        yield from sorted(judged, key=lambda row: str(row["_order"]))[:swap]


def _never_swapped(shares: Sequence[JudgeableReplies]) -> Iterator[str]:
    """Tasks whose answers have no order, so that there is nothing to swap."""
    for share in _by_task(shares):
        if not any(len(row["_groups"]) > 1 for row in share.rows):
            yield (
                f"{share.task.name}: no item has several accepted answers, so that their order was not "
                "reversed"
            )


def _summed(
    verdicts: pl.DataFrame,
    shares: Sequence[JudgeableReplies],
    judge: Model,
    labels: Path | None,
    limit: int | None,
) -> tuple[list[pl.DataFrame], list[str]]:
    """One judge's summaries, and what has to be said of its labels."""
    signatures = _signatures(shares, judge, labels, limit)
    summaries = []
    for share in shares:
        of_share = verdicts.filter(pl.col("task") == share.task.name, pl.col("endpoint") == share.endpoint)
        signature = signatures[share.task.name, share.endpoint]
        summaries.append(
            summarise(of_share, share.task.metrics[0], signature, self_judged=is_same(share.identity, judge))
        )
    notes: list[str] = []
    for share in _by_task(shares):
        of_task = verdicts.filter(pl.col("task") == share.task.name)
        gaps = differences(of_task, judge.name)
        summaries.append(summarise_findings(gaps, share.task.name, signatures))
        notes += calibration_notes(of_task, gaps)
    return summaries, notes


def _by_task(shares: Sequence[JudgeableReplies]) -> list[JudgeableReplies]:
    """The first of each task."""
    return list({share.task.name: share for share in reversed(shares)}.values())[::-1]


def _prompt(row: dict[str, Any], *, backwards: bool = False) -> Prompt:
    text = model_judge.prompt_for(
        row["_task"], row["_item"], row["language"], row["response"], backwards=backwards
    )
    item = f"{row['task']}:{row['item']}"
    return Prompt(text, KIND, item, model_judge.MAX_TOKENS, row["language"], row["variant"])


def enter_verdict(row: dict[str, Any], reply: ModelReply) -> None:
    """Note in the row of a judged reply what its judge said: ``ended`` with ``why``, or with ``verdict``,
    ``group`` and ``means`` of its ``_groups`` of accepted answers."""
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


def _signatures(
    shares: Sequence[JudgeableReplies], judge: Model, labels: Path | None, limit: int | None
) -> dict[tuple[str, str], str]:
    """Task and endpoint -> the signature of what a judge makes of the endpoint's replies, as text."""
    sent = asdict(Settings(**{"max_tokens": model_judge.MAX_TOKENS, **judge.settings}))
    digest = blake2b(labels.read_bytes(), digest_size=4).hexdigest() if labels is not None else "none"
    made = {}
    for share in shares:
        parts = {
            "task": share.task.name,
            "data": share.release,
            "judge": judge.name,
            "judge-settings": ",".join(
                f"{name}={value}" for name, value in sorted(sent.items()) if value is not None
            ),
            "prompts": f"folkways:{model_judge.wording_digest()}",
            "beside-profile": share.profile,
            **{f"beside-text-{name}": version for name, version in sorted(share.task.text_tools().items())},
            "labels": digest,
            **({"limit": str(limit)} if limit is not None else {}),
            "folkways": __version__,
        }
        made[share.task.name, share.endpoint] = Signature(parts).text()
    return made


def judging_notes(shares: Sequence[JudgeableReplies], verdicts: pl.DataFrame, judge: Model) -> Iterator[str]:
    """What a reader of a judge's verdicts has to know, in sentences.

    shares: the replies that were judged. verdicts: VERDICTS of this judge.
    """
    judges_itself = [share.endpoint for share in shares if is_same(share.identity, judge)]
    if judges_itself:
        yield (
            f"{', '.join(dict.fromkeys(judges_itself))} judges replies of its own: models prefer what they "
            "wrote themselves; take another --judge, or labels of people"
        )
    counts = dict(verdicts.group_by("ended").len().iter_rows())
    for ended, what in (
        ("unreadable", "verdicts could not be read, most often"),
        ("failed", "verdicts brought no reply, most often"),
        ("not asked", "replies were not judged"),
    ):
        if counts.get(ended):
            why = verdicts.filter(pl.col("ended") == ended)["why"].value_counts(sort=True)["why"][0]
            reason = (why or "(empty)").removeprefix(NOT_ASKED)
            yield f"{counts[ended]:,} of {verdicts.height:,} {what}: {reason[:200]}"
    imitating = int(verdicts["imitates_verdict"].sum())
    if imitating:
        yield (
            f"{plural(imitating, 'reply', 'replies')} had something in the form of a verdict, as if to speak "
            "to the judge; look there"
        )
    cut = int(verdicts["cut"].sum())
    if cut:
        yield (
            f"{plural(cut, 'reply', 'replies')} exceeded {model_judge.LONGEST_REPLY:,} characters; the judge "
            "saw the beginning"
        )
    if (
        verdicts["label"].is_not_null().any()
        and verdicts.filter(pl.col("label").is_not_null())["question"].n_unique() < FEW
    ):
        yield f"labels on fewer than {FEW} questions: the correction is little better than a guess"


FEW = 30
"""Labelled questions below which a correction is called a guess."""
