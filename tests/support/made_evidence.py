"""The evidence on a task, of made answers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cache

import polars as pl

from folkways.benchmarks.summary import summarise_means
from folkways.evidence.answers import answers_of
from folkways.evidence.contrasts import CONTRASTS, contrasts
from folkways.evidence.order import order
from folkways.evidence.task_verdict import TaskEvidence
from folkways.records import JUDGEMENTS, LEFT_OUT, Metric, is_baseline

RIGHT = Metric("right", "Accuracy", "")
CULTURES = ("ET", "KR", "MX")

Answers = Mapping[str, Sequence[float | None]]
"""Model -> a value for each question; None where no reply came, NaN where the rule leaves it out."""


def judged(
    answers: Sequence[float | None], cultures: Sequence[str] = CULTURES, samples: int = 1
) -> pl.DataFrame:
    """Judgements of one model, whose questions are about the cultures in turn."""
    rows = [
        {
            "task": "t/t", "item": f"{number}", "question": f"{number}", "culture": cultures[number % len(cultures)],
            "language": "en", "variant": "plain", "sample": sample, "counted": True,
            "state": "failed" if value is None else "answered", "answer": None, "reason": None,
            "right": value or 0.0, LEFT_OUT: None,
            **({"right": None, LEFT_OUT: "unreadable"} if value is not None and math.isnan(value) else {}),
        }
        for number, value in enumerate(answers)
        for sample in range(samples)
    ]  # fmt: skip
    return pl.DataFrame(rows, schema={**JUDGEMENTS, "right": pl.Float64, LEFT_OUT: pl.String})


def evidence(
    answers: Answers,
    metric: Metric = RIGHT,
    title: str = "Task",
    cultures: Sequence[str] = CULTURES,
    samples: int = 1,
    **known: object,
) -> TaskEvidence:
    """The evidence on a task, made as a report makes it."""
    values = tuple((model, tuple(each)) for model, each in answers.items())
    scores, rows, ranks = _made(values, metric, tuple(cultures), samples)
    titled = scores.with_columns(task=pl.lit(title))
    return TaskEvidence(title, title, metric, titled, rows, {**ranks}, **{"people": 90.0, **known})  # type: ignore[arg-type]


@cache  # many tasks of a run are alike but for their titles
def _made(
    answers: tuple[tuple[str, tuple[float | None, ...]], ...],
    metric: Metric,
    cultures: tuple[str, ...],
    samples: int,
) -> tuple[pl.DataFrame, pl.DataFrame, dict[str, int]]:
    frames = {model: judged(values, cultures, samples) for model, values in answers}
    models = {name: frame for name, frame in frames.items() if not is_baseline(name)}
    scores = pl.concat(
        summarise_means(frame, "", [metric], []).with_columns(
            endpoint=pl.lit(name), profile=pl.lit("strict"), signature=pl.lit("")
        )
        for name, frame in frames.items()
    )
    if len(models) < 2:
        return scores, pl.DataFrame(schema=dict(CONTRASTS)), {}
    matched = answers_of(models, metric, ("culture",))
    rows = contrasts(matched, metric)
    return scores, rows, order(matched, rows, metric)


def first(right: int, of: int = 60) -> list[float | None]:
    """The first ``right`` of the questions right, the others wrong."""
    return [float(number < right) for number in range(of)]
