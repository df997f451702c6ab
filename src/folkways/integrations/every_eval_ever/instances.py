"""Judgements as the instance rows of the schema, one for each metric of a judgement."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import Any

from folkways.benchmarks.cut_replies import TOKEN_LIMIT
from folkways.integrations.every_eval_ever.aggregate import SCHEMA_VERSION, result_id
from folkways.integrations.models import StoredModel
from folkways.records import LOST, Metric, State
from folkways.workspace.judged_rows import JudgedRow

ALWAYS_TOLD = ("item", "question", "culture", "language", "variant", "sample", "state", "reason")


def instances(
    row: JudgedRow,
    text: str,
    gold: str,
    metrics: Sequence[Metric],
    task: str,
    profile: str,
    evaluation: str,
    model: StoredModel,
) -> Iterator[dict[str, Any]]:
    """One row for each metric that has a value for the judgement.

    text, gold: of the item. metrics: those whose scores over everything are in the aggregate. evaluation: its
    evaluation_id.
    """
    values = [(metric, row.details.get(metric.name)) for metric in metrics]
    scored = [(metric, float(value)) for metric, value in values if value is not None]
    if not scored:
        return
    reference = [gold] if gold else []
    said: dict[str, Any] = {"raw": [] if row.response is None else [row.response]}
    if row.thoughts:
        said["reasoning_trace"] = [row.thoughts]
    hashed = json.dumps({"raw": text, "reference": reference}, sort_keys=True, separators=(",", ":"))
    common = {
        "schema_version": SCHEMA_VERSION,
        "evaluation_id": evaluation,
        "model_id": model.id,
        "evaluation_name": task,
        "sample_id": f"{row.item}|{row.language}|{row.variant}|{row.sample}",
        "sample_hash": sha256(hashed.encode()).hexdigest(),
        "interaction_type": "single_turn",
        "input": {
            "raw": text,
            "formatted": f"{row.system}\n\n{row.user}" if row.system else row.user,
            "reference": reference,
        },
        "output": said,
        "messages": None,
        "answer_attribution": _attribution(row, f"folkways {task} {profile}"),
        "token_usage": _usage(row),
        "performance": None if row.seconds is None else {"latency_ms": row.seconds * 1000},
        "error": _error(row, model),
        "metadata": _metadata(row, {metric.name for metric in metrics}, model),
    }
    for metric, value in scored:
        best = None if metric.bounds is None else metric.bounds[0 if metric.lower_is_better else 1]
        yield common | {
            "evaluation_result_id": result_id(task, profile, metric.name),
            "evaluation": {"score": value, "is_correct": value == best},
        }


def _attribution(row: JudgedRow, method: str) -> list[dict[str, Any]]:
    if row.answer is None:
        return []
    read = {"extracted_value": row.answer, "extraction_method": method}
    return [{"turn_idx": 0, "source": "output.raw", **read, "is_terminal": True}]


def _usage(row: JudgedRow) -> dict[str, int] | None:
    if row.input_tokens is None or row.output_tokens is None:
        return None
    used = {"input_tokens": row.input_tokens, "output_tokens": row.output_tokens}
    more = {} if row.reasoning_tokens is None else {"reasoning_tokens": row.reasoning_tokens}
    return used | {"total_tokens": row.input_tokens + row.output_tokens} | more


def _error(row: JudgedRow, model: StoredModel) -> str | None:
    """Why there is no answer: the state and its reason; None where there is one."""
    if row.state == State.ANSWERED:
        return None
    why = model.without_host(row.failure if row.state in LOST and row.failure else row.reason)
    return f"{row.state}: {why}" if why else row.state


def _metadata(row: JudgedRow, metrics: set[str], model: StoredModel) -> dict[str, str]:
    """What the item is grouped by and how it ended, as strings; ``cut`` is there where the token limit cut
    the reply."""
    told: dict[str, Any] = {name: getattr(row, name) for name in ALWAYS_TOLD}
    told["reason"] = model.without_host(row.reason)
    told |= {name: value for name, value in row.details.items() if name not in metrics}
    if (row.finish_reason or "").lower() in TOKEN_LIMIT:
        told["cut"] = "true"
    return {name: str(value) for name, value in told.items() if value is not None}
