"""Writes a run as logs of Inspect AI, which ``inspect view`` opens: one ``.eval`` file for each model and
task.

It does not need Inspect. The layout is that of log version 2, as in ``logs``; its members are deflated, which
every Python reads.
"""

from __future__ import annotations

import json
import zipfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import polars as pl

from folkways import __version__
from folkways.benchmarks.base import Task
from folkways.benchmarks.cut_replies import is_cut
from folkways.benchmarks.registry import get_task
from folkways.endpoints.servers.endings import WITHHELD
from folkways.files import WrittenFiles, whole_file
from folkways.integrations.inspect.logs import Json, registered_name
from folkways.integrations.scored_log import NUMBERS, SIGNATURE, STATED, scales_of
from folkways.integrations.stored_run import (
    ItemTexts,
    StoredRun,
    generation_arguments,
    metric_of,
    signature_part,
)
from folkways.records import LOST, Metric, State
from folkways.runs.results.model_names import ModelIdentity
from folkways.workspace import run_records
from folkways.workspace.database import Workspace
from folkways.workspace.judged_rows import JudgedRow, judged_rows
from folkways.workspace.results import Part

VERSION = 2
"""Of the layout."""

ENDED = ("finished", "incomplete", "asked")
"""States of a run that asked all that it wanted, whether or not all replied."""


def export_run(
    workspace: Workspace,
    run: run_records.RunRecord,
    out: Path,
    *,
    profile: str | None = None,
    unlicensed_items: bool = False,
) -> WrittenFiles:
    """Write ``out/TIME_TASK_ID.eval`` for each model and task of a run.

    A sample is a reply, with the id ``ITEM|LANGUAGE|VARIANT``; repeated samples are epochs. Its scores are
    the metrics of the reply. The log's scores are those of the run over everything, the headline first, in
    the unit of ``folkways score``; intervals, counts and the scores of cultures are in the metadata of each
    metric. A reply that never came has no score, and a task without any reply no score at all. The same run
    gives the same files.

    workspace: the database of ``run``.
    profile: the profile of every task; None for its default, or the first that it was scored in.
    unlicensed_items: whether the user may pass on items of data whose licence folkways does not know. Where
        items must stay, logs have verdicts without texts.

    Raises FolkwaysError if the run has not been scored, or has no model.
    """
    export = _Export(workspace, run, profile, unlicensed_items, out)
    files: list[Path] = []
    for task in export.tasks:
        texts = {} if export.why_items_stay(task) else export.texts(task)
        mine = (part for part in export.parts if part.task == task and part.endpoint in export.models)
        files += [export.write(part, texts) for part in mine]
    if not files:
        raise export.no_score_error()
    notes = [
        f"{task}: verdicts without texts of {export.record(task).name}: {why}"
        for task in export.tasks
        if (why := export.why_items_stay(task))
    ]
    return WrittenFiles(tuple(files), tuple(notes))


@dataclass(frozen=True)
class _Export(StoredRun):
    out: Path

    def write(self, part: Part, texts: Mapping[str, ItemTexts]) -> Path:
        """Write the log of one model on one task, with the ``texts`` of its items."""
        task, model, name = get_task(part.task), self.models[part.endpoint], self.names[part.endpoint]
        profile = self._profile(task)
        scores = self.scores.filter(
            (pl.col("endpoint") == part.endpoint)
            & (pl.col("task") == part.task)
            & (pl.col("profile") == profile)
        )
        whole = scores.filter(pl.col("facet") == "all")
        names = whole["metric"].unique(maintain_order=True)
        metrics = sorted((metric_of(task, name) for name in names), key=_place_in(task))
        start = self._start(part, task, profile, whole, metrics)
        key = start["eval"]["task_id"]
        target = self.out / f"{self.began.replace(':', '-')}_{task.name.replace('/', '-')}_{key}.eval"
        summaries = []
        scored: Counter[str] = Counter()
        usage: Counter[str] = Counter()
        with (
            whole_file(target) as unfinished,
            zipfile.ZipFile(unfinished, "w", zipfile.ZIP_DEFLATED) as archive,
        ):
            _add(archive, "_journal/start.json", start)
            for row in judged_rows(self.workspace, self.run, profile, part):
                if not row.counted:
                    continue
                sample = _sample(row, texts.get(row.item), metrics, model, name)
                scored.update(sample["scores"].keys())
                usage.update(sample["model_usage"].get(name, {}))
                _add(archive, f"samples/{sample['id']}_epoch_{sample['epoch']}.json", sample)
                summaries.append(_summary(sample))
            _add(archive, "summaries.json", summaries)
            results = _results(metrics, scores, len(summaries), scored)
            _add(archive, "header.json", self._header(start, results, {name: usage} if usage else {}))
        return target

    def _profile(self, task: Task) -> str:
        profiles = self.scores.filter(pl.col("task") == task.name)["profile"].unique(maintain_order=True)
        usual = task.resolve_profile(self.profile)
        return usual if usual in profiles.to_list() or profiles.is_empty() else str(profiles[0])

    def _start(
        self, part: Part, task: Task, profile: str, whole: pl.DataFrame, metrics: Sequence[Metric]
    ) -> Json:
        """What the log says before its first sample."""
        run_task = self.tasks[part.task]
        signature = whole["signature"][0] if whole.height else ""
        settings = signature_part(signature, "settings")
        key = json.dumps([self.run.name, self.run.created, part.endpoint, part.task, profile])
        config = generation_arguments(settings)
        return {
            "version": VERSION,
            "eval": {
                "eval_id": _short_id(f"eval {key}"),
                "run_id": _short_id(f"{self.run.name} {self.run.created}"),
                "task_id": _short_id(key),
                "created": self.began,
                "task": registered_name(task.name),
                "task_version": run_task.fingerprint,
                "task_args": {"profile": profile},
                "dataset": {"name": run_task.release, "location": self.record(part.task).homepage or None},
                "model": self.names[part.endpoint],
                "model_generate_config": config,
                "model_args": {},
                "config": {"epochs": run_task.options["samples"]},
                "packages": {"folkways": __version__},
                "metadata": {
                    "run": self.run.name,
                    "run_state": self.run.state,
                    "run_reason": self.without_hosts(self.run.reason),
                    "asked_by": self.run.version,
                    "part_of_task": "; ".join(self.part_of_whole(part.task)) or None,
                    "settings": settings,
                    SIGNATURE: signature,
                    STATED: scales_of(metrics),
                },
            },
            "plan": {"name": "folkways", "steps": [{"solver": "generate", "params": {}}], "config": config},
        }

    def _header(self, start: Json, results: Json, usage: Json) -> Json:
        end = datetime.fromtimestamp(self.run.finished or self.run.created, UTC).isoformat(timespec="seconds")
        failure: Json = {}
        status = "success" if self.run.state in ENDED else "cancelled"
        if not results["completed_samples"]:
            status, why = "error", "no reply came that could be scored"
            failure = {"error": {"message": why, "traceback": "", "traceback_ansi": ""}}
        return {
            **start,
            "status": status,
            **failure,
            "results": results,
            "stats": {"started_at": self.began, "completed_at": end, "model_usage": usage},
        }


def _place_in(task: Task) -> Any:
    order = [metric.name for metric in task.metrics]
    return lambda metric: order.index(metric.name) if metric.name in order else len(order)


def _sample(
    row: JudgedRow, item: ItemTexts | None, metrics: list[Metric], model: ModelIdentity, name: str
) -> Json:
    """A reply as a sample of the model of that ``name``; without texts where ``item`` is None."""
    lost = row.state in LOST
    about = {"item": row.item, "question": row.question, "culture": row.culture, "language": row.language}
    about |= {"variant": row.variant, "state": row.state}
    metric_names = {metric.name for metric in metrics}
    about |= {
        detail: value
        for detail, value in row.details.items()
        if detail not in metric_names and value is not None
    }
    scores: Json = {
        metric.name: {
            "value": float(value),
            "answer": row.answer if item is not None else None,
            "explanation": model.without_host(row.reason) if item is not None else None,
            "history": [],
        }
        for metric in metrics
        if not lost and (value := row.details.get(metric.name)) is not None
    }
    texts = {} if item is None else {"system": row.system, "user": row.user}
    prompt = [{"role": role, "content": text} for role, text in texts.items() if text]
    choices: list[Json] = []
    if row.response is not None and not lost:
        content: Any = row.response if item is not None else ""
        if row.thoughts and item is not None:
            thought = {"type": "reasoning", "reasoning": row.thoughts}
            content = [thought, {"type": "text", "text": row.response}]
        message = {"role": "assistant", "content": content, "source": "generate", "model": name}
        choices = [{"message": message, "stop_reason": _stop_reason(row)}]
    usage: Json = {}
    if row.input_tokens is not None and row.output_tokens is not None:
        total = row.input_tokens + row.output_tokens
        usage = {"input_tokens": row.input_tokens, "output_tokens": row.output_tokens, "total_tokens": total}
    sample: Json = {
        "id": f"{row.item}|{row.language}|{row.variant}",
        "epoch": row.sample + 1,
        "input": prompt or "",
        "choices": list(item.options.texts) or None if item is not None else None,
        "target": item.right if item is not None else "",
        "messages": [*prompt, *(choice["message"] for choice in choices)],
        "output": {
            "model": name,
            "choices": choices,
            "completion": row.response if choices and item is not None else "",
            **({"usage": usage} if usage else {}),
            **({} if row.seconds is None else {"time": row.seconds}),
        },
        "scores": scores,
        "metadata": about,
        "store": {},
        "events": [],
        "model_usage": {name: usage} if usage else {},
        "attachments": {},
    }
    if lost:
        why = model.without_host(row.failure or row.reason) or row.state
        sample["error"] = {"message": f"{row.state}: {why}", "traceback": "", "traceback_ansi": ""}
    return sample


def _stop_reason(row: JudgedRow) -> str:
    """Why a reply ended, in Inspect's words."""
    empty_refusal = row.state == State.REFUSED and not (row.response or "").strip()
    if empty_refusal or (row.finish_reason or "").lower() in WITHHELD:
        return "content_filter"
    return "max_tokens" if is_cut(row.finish_reason) else "stop"


def _summary(sample: Json) -> Json:
    """What the list of samples shows, and what a reader of scores alone needs."""
    fields = ("id", "epoch", "input", "choices", "target", "metadata", "scores", "model_usage")
    failure = {"error": sample["error"]["message"]} if "error" in sample else {}
    return {**{name: sample[name] for name in fields}, **failure, "completed": True}


def _results(metrics: list[Metric], scores: pl.DataFrame, samples: int, scored: Mapping[str, int]) -> Json:
    """The scores over everything; none for a metric without a number."""
    rows = {(row["metric"], row["facet"], row["value"]): row for row in scores.iter_rows(named=True)}
    entries = []
    for metric in metrics:
        row = rows[metric.name, "all", "all"]
        if row["score"] is None:
            continue
        shown = [each for (name, *_), each in rows.items() if name == metric.name]
        groups = [each for each in shown if each["facet"] in ("culture", metric.headline_by)]
        about = {**_stated(row), "groups": [_stated(each) for each in groups]}
        value = {"name": metric.name, "value": row["score"], "params": {}, "metadata": about}
        n_scored = scored.get(metric.name, 0)
        entries.append(
            {
                "name": metric.name,
                "scorer": metric.name,
                "scored_samples": n_scored,
                "unscored_samples": samples - n_scored,
                "params": {},
                "metrics": {metric.name: value},
            }
        )
    return {"total_samples": samples, "completed_samples": max(scored.values(), default=0), "scores": entries}


def _stated(row: Mapping[str, Any]) -> Json:
    return {name: row[name] for name in NUMBERS}


def _add(archive: zipfile.ZipFile, name: str, content: Any) -> None:
    """A member with a fixed date, so that the same run gives the same bytes."""
    member = zipfile.ZipInfo(name)  # of 1980, unless one says otherwise
    member.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(member, json.dumps(content, ensure_ascii=False).encode("utf-8", "backslashreplace"))


def _short_id(text: str) -> str:
    """22 letters and digits, the length of Inspect's ids."""
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
    number, letters = int.from_bytes(sha256(text.encode()).digest()[:20], "big"), ""
    for _ in range(22):
        number, rest = divmod(number, len(alphabet))
        letters += alphabet[rest]
    return letters
