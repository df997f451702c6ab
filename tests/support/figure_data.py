"""Judgements of the three papers' tasks with made-up replies, at a size that fills every figure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from typing import Any

import numpy as np
import polars as pl

from folkways.benchmarks.base import needs_whole_questions
from folkways.benchmarks.registry import benchmarks, get_task
from folkways.benchmarks.results import Inputs
from folkways.cultures import get_culture
from folkways.records import JUDGEMENTS, ModelCard
from folkways.releases.release_records import Release
from tests.support.report_data import BLEND, LOCAL, SKILL
from tests.support.xcr_judgements import BERT, CATEGORIES

MODELS = {
    "openai/gpt-4o-2024-05-13?reasoning_effort=high": ModelCard("OpenAI", "gpt-4", None, date(2024, 5, 13)),
    "openai/gpt-4-turbo": ModelCard("OpenAI", "gpt-4", None, date(2023, 11, 6)),
    "http://127.0.0.1:8000/v1#meta/llama-3.1-405b-instruct": ModelCard(
        "Meta", "llama-3.1", 405, date(2024, 7, 23)
    ),
    "http://127.0.0.1:8000/v1#meta/llama-3.1-8b-instruct": ModelCard(
        "Meta", "llama-3.1", 8, date(2024, 7, 23)
    ),
    "http://127.0.0.1:8000/v1#meta/llama-3.1-70b-instruct": ModelCard(
        "Meta", "llama-3.1", 70, date(2024, 7, 23)
    ),
}
"""Endpoint -> its card: two families, in dates and sizes that are not in order."""

TOPICS = ("Food", "Sport", "Family", "Education", "Holidays/Celebration/Leisure", "Work life")
LEVELS = ("Visible", "Semi-visible", "Invisible")
ELEMENTS = (
    "Rituals",
    "Appropriacy",
    "Customs",
    "Communication",
    "Food and Drink",
    "Styles of Discourse",
    "Art",
)
ADAPTED = {"ARAB": "ar", "CN": "zh", "IN-WB": "bn", "BD": "bn"}


def made_inputs(releases: dict[str, Release] | None = None, models: Sequence[str] = tuple(MODELS)) -> Inputs:
    """What results are made from: every model on every task of the papers. releases: task -> data, for results
    that look at them."""
    rng = np.random.default_rng(4)
    asked = [*_blend(), *_culturalbench(), *_xcr()]
    parts = []
    for number, endpoint in enumerate(models):
        for rows, metrics in asked:
            frame = pl.DataFrame(rows, infer_schema_length=None)
            level = frame["level"].to_numpy() / 100 + 0.06 * (2 - number)
            scores = {
                name: (rng.random(frame.height) < np.clip(level, 0.02, 0.98)).astype(float)
                if sharp
                else np.clip(level + 0.15 * rng.standard_normal(frame.height), 0, 1)
                for name, sharp in metrics.items()
            }
            parts.append(
                frame.drop("level").with_columns(
                    endpoint=pl.lit(endpoint), **{name: pl.Series(values) for name, values in scores.items()}
                )
            )
    judged = pl.concat(parts, how="diagonal_relaxed").with_columns(
        variant=pl.lit("plain"), sample=pl.lit(0, pl.Int64), counted=pl.lit(True), state=pl.lit("answered"),
        profile=pl.lit("paper"), prompt_example=pl.lit("not in the prompt"),
    )  # fmt: skip
    lacking = [
        pl.lit(None, kind).alias(name) for name, kind in JUDGEMENTS.items() if name not in judged.columns
    ]
    tasks = judged["task"].unique().to_list()
    every = [task for benchmark in benchmarks().values() for task in benchmark.tasks]
    return Inputs(
        judged=judged.with_columns(lacking),
        metrics={
            task: (*get_task(task).metrics, *(BERT if task == "xcr/adaptation" else ())) for task in tasks
        },
        releases=releases or {},
        cards={name: MODELS[name] for name in models},
        whole_questions=frozenset(task.name for task in every if needs_whole_questions(task)),
    )


Part = tuple[list[dict[str, Any]], dict[str, bool]]
"""Rows without scores, and metric -> whether it is right or wrong, and nothing between."""


def _row(
    task: str, question: str, culture: str, language: str, level: float, **facets: Any
) -> dict[str, Any]:
    item = f"{culture}/{question}"
    about = {"task": task, "item": item, "question": question, "culture": culture, "language": language}
    return {**about, "level": level, **facets}


def _blend() -> Iterator[Part]:
    short, choices = [], []
    for culture, skill in zip(BLEND, SKILL.values(), strict=True):
        for number in range(24):
            topic = TOPICS[number % 6]
            level = skill - 12 * (topic == "Food")
            for language in dict.fromkeys((LOCAL[culture], "en")):
                level_of = level - 8 * (language == "en" and skill > 60)
                short.append(_row("blend/saq", f"Q-{number}", culture, language, level_of, topic=topic))
            choices.append(_row("blend/mcq", f"Q-{number}", culture, "en", min(95, level + 20), topic=topic))
    yield short, {"sem_b": True}
    yield choices, {"accuracy": True}


def _culturalbench() -> Iterator[Part]:
    for task, metric, lower in (("culturalbench/easy", "right", 0), ("culturalbench/hard", "all_right", 35)):
        rows = [
            _row(
                task, f"{culture}-{number}", culture, "en", SKILL[culture] - lower + 15,
                region=get_culture(culture).region, mode="multi" if number % 4 == 0 else "single",
            )
            for culture in BLEND
            for number in range(16)
        ]  # fmt: skip
        yield rows, {metric: True}


def _xcr() -> Iterator[Part]:
    def facets(number: int) -> dict[str, str]:
        category, level = CATEGORIES[number % 7], LEVELS[number % 3]
        return {"category": category, "hall_level": level, "element": ELEMENTS[number % len(ELEMENTS)]}

    base = [(number, 80 - 5 * (number % 7) - 12 * (number % 3)) for number in range(126)]
    identified = [_row("xcr/identification", str(n), "ANGLO", "en", level, **facets(n)) for n, level in base]
    yield identified, {"hi_csi": True, "si_csi": False}
    predicted = [_row("xcr/prediction", str(n), "ANGLO", "en", level - 10, **facets(n)) for n, level in base]
    yield predicted, {"hp_csi": True, "sp_csi": False}
    adapted = [
        _row("xcr/adaptation", str(n), culture, language, level - 15, **facets(n))
        for culture, language in ADAPTED.items()
        for n, level in base
    ]
    yield adapted, {metric.name: False for metric in BERT}
