"""Reasoning on and off: two endpoints of one model that differ in ``reasoning_effort`` alone (section
4.1)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import polars as pl

from folkways.benchmarks.results import Inputs
from folkways.benchmarks.tables import DIFFERENCE, NotAvailableError, Table, with_holm
from folkways.benchmarks.xcr.results.measures import TASKS, measures, per_sentence, task_by_task
from folkways.records import Schema
from folkways.stats.differences import paired_mean

SETTING = "reasoning_effort"
NOT_SET = "provider's own"
"""The effort of an endpoint that is asked without the setting."""

EFFORTS = (NOT_SET, "none", "off", "minimal", "low", "medium", "high")
"""From least to most; efforts that are not here come last. What the provider does without the setting, only
the provider knows."""

REASONING: Schema = {
    "model": pl.String,
    "task": pl.String,
    "culture": pl.String,
    "measure": pl.String,
    "less": pl.String,  # effort
    "more": pl.String,
    "score_less": pl.Float64,
    "score_more": pl.Float64,
    **DIFFERENCE,  # more minus less effort, in points; p is two-sided, paired t over sentences
    "p_holm": pl.Float64,  # over the rows of this table
    "sentences": pl.Int64,
}


@dataclass(frozen=True, slots=True)
class ModelAtEffort:
    """An endpoint's name taken apart: the model with all its settings but one, and that one."""

    endpoint: str
    model: str
    effort: str

    @classmethod
    def of(cls, endpoint: str) -> ModelAtEffort:
        """From the name as runs write it: ``openai/gpt-5?reasoning_effort=low&temperature=1``."""
        name, _, tail = endpoint.rpartition("?")
        settings = [pair.partition("=") for pair in tail.split("&")] if name else []
        effort = next((value for key, _, value in settings if key == SETTING), None)
        if effort is None:
            return cls(endpoint, endpoint, NOT_SET)
        others = "&".join(f"{key}={value}" for key, _, value in settings if key != SETTING)
        return cls(endpoint, f"{name}?{others}" if others else name, effort)

    @property
    def rank(self) -> tuple[int, str]:
        """Sorts from least to most effort."""
        return (EFFORTS.index(self.effort) if self.effort in EFFORTS else len(EFFORTS), self.effort)


def pairs(endpoints: Sequence[str]) -> list[tuple[ModelAtEffort, ModelAtEffort]]:
    """Every two endpoints of one model, the one with less effort first."""
    models: dict[str, list[ModelAtEffort]] = {}
    for endpoint in endpoints:
        asked = ModelAtEffort.of(endpoint)
        models.setdefault(asked.model, []).append(asked)
    return [
        pair
        for members in models.values()
        for pair in combinations(sorted(members, key=lambda asked: asked.rank), 2)
    ]


def reasoning_tables(inputs: Inputs) -> Sequence[Table]:
    """The difference that more reasoning makes, task by task, metric by metric and culture by culture."""
    of_xcr = inputs.judgements.filter(pl.col("task").is_in(TASKS))
    found = pairs(of_xcr["endpoint"].unique(maintain_order=True).to_list())
    if not found:
        raise NotAvailableError(
            f"needs one model asked with different {SETTING}: folkways run xcr --model NAME --model "
            f"'NAME?{SETTING}=high'"
        )
    rows = [
        row
        for compared in task_by_task(inputs, lambda task: list(_compared(inputs, task, found)))
        for row in compared
    ]
    if not rows:
        raise NotAvailableError("the two endpoints of one model were not asked the same sentences")
    return [
        Table(
            "reasoning",
            "More against less reasoning of one model (section 4.1)",
            "The unit is the sentence that both endpoints answered: difference, interval and p are of a "
            "paired t test.",
            with_holm(pl.DataFrame(rows, schema=dict(REASONING), orient="row")),
            notes=(
                f"'{NOT_SET}' leaves the effort to the provider, who may reason or not.",
                "The paper compares two models, DeepSeek-R1 and V3.2; these rows are of one.",
            ),
        )
    ]


def _compared(
    inputs: Inputs, task: str, found: list[tuple[ModelAtEffort, ModelAtEffort]]
) -> Iterator[tuple[Any, ...]]:
    judged = inputs.of(task)
    for measure in measures(inputs, task, judged):
        sentences = per_sentence(judged, ["endpoint", "culture"], {"score": measure.name}).drop_nulls("score")
        for less, more in found:
            one, other = (sentences.filter(pl.col("endpoint") == asked.endpoint) for asked in (less, more))
            both = one.join(
                other, on=["culture", "question"], how="inner", maintain_order="left", suffix="_more"
            )
            for (culture,), part in both.group_by(["culture"], maintain_order=True):
                mean = paired_mean(part["score_more"].to_numpy(), part["score"].to_numpy())
                key = (less.model, task, culture, measure.label, less.effort, more.effort)
                scores = (part["score"].mean(), part["score_more"].mean())
                yield (*key, *scores, mean.difference, mean.low, mean.high, mean.p, None, mean.n)
