"""Judgements of XCR-Bench's tasks with planted effects, as analyses take them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import polars as pl

from folkways.benchmarks.registry import get_task
from folkways.benchmarks.results import Inputs
from folkways.records import JUDGEMENTS, Metric
from folkways.releases.release_records import Release

CATEGORIES = (
    "Social Tradition",
    "Social Etiquette",
    "Cultural Reference",
    "Workplace Culture",
    "Cultural Stereotype",
    "Cultural Value",
    "Sports Tradition",
)
BERT = tuple(
    Metric(f"{what}_bert_{side}", f"{what}, {side}", "", "mean")
    for what in ("csi", "sent")
    for side in ("intra", "inter")
)
"""The paper's metrics of the adaptation."""


def row(
    task: str, question: str, category: str = CATEGORIES[0], culture: str = "ANGLO", **more: Any
) -> dict[str, Any]:
    """One judgement; ``more``: metrics, and what is not as usual."""
    return {
        "task": task,
        "item": f"{culture}/{question}" if task == "xcr/adaptation" else question,
        "question": question,
        "culture": culture,
        "language": "en",
        "variant": "authors",
        "sample": 0,
        "counted": True,
        "state": "answered",
        "endpoint": "model",
        "profile": "paper",
        "category": category,
        "hall_level": "Visible",
        "element": "Art",
        "prompt_example": "not in the prompt",
        **more,
    }


def findings(
    rows: Iterable[Mapping[str, Any]], release: Release | None = None, metrics: Iterable[Metric] = ()
) -> Inputs:
    """Inputs of these judgements; ``metrics``: besides those of the tasks."""
    frame = pl.DataFrame(list(rows), infer_schema_length=None)
    lacking = [
        pl.lit(None, dtype=kind).alias(name) for name, kind in JUDGEMENTS.items() if name not in frame.columns
    ]
    frame = frame.with_columns(lacking)
    tasks = frame["task"].unique().to_list()
    return Inputs(
        judged=frame,
        metrics={task: (*get_task(task).metrics, *metrics) for task in tasks},
        releases=dict.fromkeys(tasks, release) if release is not None else {},
    )
