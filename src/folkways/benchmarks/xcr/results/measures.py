"""The metrics that the analyses use, and how judgements become one value per sentence.

The neural metrics of the paper (SP-CSI, BERTScore) are analysed if the judgements have them; otherwise the
edit similarities, which need no model, and every row names its metric.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import polars as pl

from folkways.benchmarks.results import Inputs
from folkways.benchmarks.tables import NotAvailableError
from folkways.records import Metric

T = TypeVar("T")

IDENTIFICATION, PREDICTION, ADAPTATION = "xcr/identification", "xcr/prediction", "xcr/adaptation"
TASKS = (IDENTIFICATION, PREDICTION, ADAPTATION)
SIDES: Mapping[str, str] = {"intra": "in English", "inter": "in the language"}

CSI, SENTENCE = "items", "sentences"
"""What a metric of the adaptation compares: the tagged items, or whole sentences."""

_SIDED: Mapping[str, tuple[str, ...]] = {CSI: ("csi_bert", "csi_edit"), SENTENCE: ("sent_bert", "sent_edit")}
"""What is compared -> the metrics of each version; the first one with values is used."""

_PLAIN: Mapping[str, tuple[tuple[str, ...], ...]] = {
    IDENTIFICATION: (("hi_csi",), ("si_csi",)),
    PREDICTION: (("hp_csi",), ("sp_csi",)),
}

WEIGHT = "hp_weight"
"""The number of gold items of a row of the prediction, if the profile takes shares of items."""


@dataclass(frozen=True, slots=True)
class AnalysedMetric:
    """One metric as an analysis uses it; ``side`` and ``compares`` belong to the adaptation alone."""

    metric: Metric
    side: str | None = None
    compares: str | None = None

    @property
    def name(self) -> str:
        """The column of the judgements."""
        return self.metric.name

    @property
    def label(self) -> str:
        """What people read."""
        return self.metric.label

    @property
    def family(self) -> str:
        """The common part of the labels of both versions."""
        return self.label.split(",", 1)[0]


def measures(inputs: Inputs, task: str, judged: pl.DataFrame) -> list[AnalysedMetric]:
    """The metrics of ``task`` that the analyses use and that have values in ``judged``, in the paper's order.

    Raises NotAvailableError if there are none.
    """
    if task == ADAPTATION:
        chosen = [
            AnalysedMetric(metric, side, compares)
            for compares, families in _SIDED.items()
            for side in SIDES
            if (metric := _first(inputs, task, judged, [f"{family}_{side}" for family in families]))
        ]
    else:
        chosen = [
            AnalysedMetric(metric)
            for names in _PLAIN[task]
            if (metric := _first(inputs, task, judged, names))
        ]
    if not chosen:
        names = {metric.name for metric in inputs.metrics.get(task, ())}
        raise NotAvailableError(
            f"no reply to {task} counts here; in strict, all do: folkways score RUN --profile strict"
            if names & {*inputs.judged.columns}
            else f"the judgements of {task} have none of its metrics; judge them again: folkways score RUN"
        )
    return chosen


def task_by_task(inputs: Inputs, make: Callable[[str], T]) -> list[T]:
    """The results of ``make`` for the judged tasks, without those for which it is not available.

    Raises the last NotAvailableError if it is available for none.
    """
    made: list[T] = []
    lacking = NotAvailableError(f"needs judgements of {', '.join(TASKS)}")
    for task in TASKS:
        if task in inputs.tasks:
            try:
                made.append(make(task))
            except NotAvailableError as reason:
                lacking = reason
        elif task in inputs.asked:
            lacking = inputs.lacking(task)
    if not made:
        raise lacking
    return made


def sided(inputs: Inputs, judged: pl.DataFrame) -> list[tuple[str, AnalysedMetric, AnalysedMetric]]:
    """What is compared, and the metric of each version of an adaptation, if both versions have the same kind
    of metric."""
    chosen = measures(inputs, ADAPTATION, judged)
    pairs = []
    for compares in _SIDED:
        of_kind = {measure.side: measure for measure in chosen if measure.compares == compares}
        if set(of_kind) == set(SIDES):
            pairs.append((compares, of_kind["intra"], of_kind["inter"]))
    return pairs


def per_sentence(judged: pl.DataFrame, keys: Sequence[str], values: Mapping[str, str]) -> pl.DataFrame:
    """One row per sentence and ``keys``: the mean of each metric over prompts and samples, times 100.

    values: name of the new column -> metric. Null if a metric applies to none of the sentence's rows.
    """
    means = [(100 * pl.col(metric)).mean().alias(name) for name, metric in values.items()]
    return judged.group_by(*keys, "question", maintain_order=True).agg(*means)


def by_items(judged: pl.DataFrame, task: str) -> pl.DataFrame:
    """A row for each unit of the profile's shares: gold items of the prediction in ``strict``, else
    sentences."""
    if task != PREDICTION or WEIGHT not in judged.columns:
        return judged
    return judged.select(pl.exclude(WEIGHT).repeat_by(WEIGHT).explode())


def _first(inputs: Inputs, task: str, judged: pl.DataFrame, names: Sequence[str]) -> Metric | None:
    by_name = {metric.name: metric for metric in inputs.metrics.get(task, ())}
    for name in names:
        if name in judged.columns and judged[name].null_count() < judged.height:
            return by_name.get(name, Metric(name, name, "", "mean"))
    return None
