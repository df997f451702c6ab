"""Judgements as the rows of an Every Eval Ever file of instances."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import Any

from folkways.benchmarks.cut_replies import is_cut
from folkways.benchmarks.multiple_choice.orders import order_of
from folkways.integrations.stored_run import ItemTexts
from folkways.records import LOST, Metric, State
from folkways.runs.results.model_names import ModelIdentity
from folkways.workspace.judged_rows import JudgedRow

SCHEMA_VERSION = "0.3.0"

ALWAYS_TOLD = ("item", "question", "culture", "language", "variant", "sample", "state", "reason")


def instances(
    row: JudgedRow,
    item: ItemTexts,
    metrics: Sequence[Metric],
    task: str,
    profile: str,
    evaluation: str,
    model: ModelIdentity,
) -> Iterator[dict[str, Any]]:
    """A row for each metric that has a value for the judgement ``row``.

    item: its texts. metrics: those with a score over everything in the aggregate. task, profile: of
    the judgement. evaluation: the evaluation_id of the aggregate. model: the model that replied.
    """
    values = [(metric, row.details.get(metric.name)) for metric in metrics]
    scored = [(metric, float(value)) for metric, value in values if value is not None]
    if not scored:
        return
    reference = list(item.answers)
    output: dict[str, Any] = {"raw": [] if row.response is None else [row.response]}
    if row.thoughts:
        output["reasoning_trace"] = [row.thoughts]
    hashed = json.dumps({"raw": item.text, "reference": reference}, sort_keys=True, separators=(",", ":"))
    common = {
        "schema_version": SCHEMA_VERSION,
        "evaluation_id": evaluation,
        "model_id": model.id,
        "evaluation_name": task,
        "sample_id": f"{row.item}|{row.language}|{row.variant}|{row.sample}",
        "sample_hash": sha256(hashed.encode()).hexdigest(),
        "interaction_type": "single_turn",
        "input": {
            "raw": item.text,
            "formatted": f"{row.system}\n\n{row.user}" if row.system else row.user,
            "reference": reference,
            **_choices(row, item),
        },
        "output": output,
        "messages": None,
        "answer_attribution": _attribution(row, f"folkways {task} {profile}"),
        "token_usage": _usage(row),
        "performance": None if row.seconds is None else {"latency_ms": row.seconds * 1000},
        "error": _error(row, model),
        "metadata": _metadata(row, {metric.name for metric in metrics}, model),
    }
    for metric, value in scored:
        yield common | {
            "evaluation_result_id": result_id(task, profile, metric.name),
            "evaluation": {"score": value, "is_correct": value == metric.best},
        }


def result_id(task: str, profile: str, metric: str, facet: str = "all", value: str = "all") -> str:
    """The id of a score, equal in every run: ``blend/saq|strict|sem_b|culture=KR``.

    task, profile, metric, facet and value: as in records.SCORES.
    """
    return f"{task}|{profile}|{metric}|{facet}={value}"


def _choices(row: JudgedRow, item: ItemTexts) -> dict[str, list[str]]:
    """The options in the order in which this variant shows them; empty for an item without options."""
    texts = item.options.texts
    if not texts:
        return {}
    return {"choices": [texts[index] for index in order_of(item.options.order_key, row.variant, len(texts))]}


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


def _error(row: JudgedRow, model: ModelIdentity) -> str | None:
    """The state and its reason, if the row has no answer; otherwise None."""
    if row.state == State.ANSWERED:
        return None
    why = model.without_host(row.failure if row.state in LOST and row.failure else row.reason)
    return f"{row.state}: {why}" if why else row.state


def _metadata(row: JudgedRow, metrics: set[str], model: ModelIdentity) -> dict[str, str]:
    """The facets and the state of the item as strings; ``cut`` only if the token limit cut the reply."""
    metadata: dict[str, Any] = {name: getattr(row, name) for name in ALWAYS_TOLD}
    metadata["reason"] = model.without_host(row.reason)
    metadata |= {name: value for name, value in row.details.items() if name not in metrics}
    if is_cut(row.finish_reason):
        metadata["cut"] = "true"
    return {name: str(value) for name, value in metadata.items() if value is not None}
