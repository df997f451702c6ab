"""What analyses of groups start from: every model's value on every question about a culture, as far as all
models have one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import polars as pl

from folkways.benchmarks.results import Inputs
from folkways.benchmarks.summary import ASKED_IN, with_asked_in
from folkways.benchmarks.tables import with_holm
from folkways.cultures import cultures
from folkways.display import plural
from folkways.records import Metric

KEY = ("culture", "question")

UNIT = (
    "The unit is the question: its prompts, orders and samples are averaged first, and only questions that "
    "all models here have are used."
)


@dataclass(frozen=True)
class Panel:
    """The values of one task, or of one part of it that is never pooled with the others.

    task: its name. part: the part's name; None for the whole task.
    metric: what the values are, in its unit.
    rows: endpoint, culture, question, value and the facets asked for; every endpoint has the same questions.
    once: the same with each model once (``Inputs.each_model_once``), for means over models.
    left_out: questions about a culture that some model lacks.
    """

    task: str
    part: str | None
    metric: Metric
    rows: pl.DataFrame
    once: pl.DataFrame
    left_out: int

    @property
    def endpoints(self) -> list[str]:
        """The endpoints, by name."""
        return self.rows["endpoint"].unique().sort().to_list()

    @property
    def models(self) -> list[str]:
        """The models, by name."""
        return self.once["endpoint"].unique().sort().to_list()

    def mean(self, facets: Sequence[str] = ()) -> pl.DataFrame:
        """culture, question, the facets and ``value``, the mean over models."""
        of_question = self.once.group_by(*KEY, *facets, maintain_order=True)
        return of_question.agg(pl.col("value").mean())

    def names(self) -> dict[str, str | None]:
        """The first columns of every row of its tables."""
        return {"task": self.task, "asked_in": self.part, "metric": self.metric.label}


NAMES = {"task": pl.String, "asked_in": pl.String, "metric": pl.String}
"""``Panel.names`` as columns: the task; the language asked in, where a task keeps these apart; the metric."""


def panels(inputs: Inputs, facets: Sequence[str] = (), *, every_metric: bool = False) -> Iterator[Panel]:
    """The panel of each task with a metric between bounds, of each part, and of each metric.

    facets: columns that rows keep, where the task has them. every_metric: also those after the headline, but
    those where lower is better.
    """
    for task in sorted(inputs.tasks):
        metrics = inputs.metrics.get(task, ())
        if all(metric.bounds is None for metric in metrics):
            continue
        headline = inputs.headline(task)
        bounded = [metric for metric in metrics[metrics.index(headline) :] if metric.bounds is not None]
        further = bounded[1:] if every_metric else []
        for metric in [*bounded[:1], *(one for one in further if not one.lower_is_better)]:
            yield from _of_metric(inputs, task, metric, headline.headline_by, facets)


def _of_metric(
    inputs: Inputs, task: str, metric: Metric, split: str | None, facets: Sequence[str]
) -> Iterator[Panel]:
    # What splits one task may be a facet of another.
    more = [name for name in (*facets, metric.mean_over) if name and name not in (*KEY, split)]
    columns = ("endpoint", *KEY, "language", split or "", metric.name, *more)
    judged = inputs.of(task, columns=columns)
    if metric.name not in judged.columns:
        return
    if split == ASKED_IN:
        judged = with_asked_in(judged)
    present = [name for name in dict.fromkeys(more) if name in judged.columns]
    splits = [split] if split in judged.columns else []
    # Texts are made of categories when a million rows have become a few thousand cells; to group all models
    # at once would take more memory than all else.
    every = (
        pl.concat(
            judged.filter(pl.col("endpoint") == name, pl.col(metric.name, "culture").is_not_null())
            .group_by("endpoint", *splits, *KEY, *present, maintain_order=True)
            .agg(value=(pl.col(metric.name).cast(pl.Float64) * metric.scale).mean())
            for name in judged["endpoint"].unique(maintain_order=True).cast(pl.String)
        )
        .with_columns(pl.col("endpoint", *splits, *KEY, *present).cast(pl.String))
        .sort("endpoint", *KEY, maintain_order=True)
    )
    parts: list[tuple[str | None, pl.DataFrame]] = [(None, every)]
    if splits:
        of_splits = every.sort(*splits, maintain_order=True).group_by(splits, maintain_order=True)
        parts = [(str(name), part.drop(splits)) for (name,), part in of_splits]
    for name, cells in parts:
        models = cells["endpoint"].n_unique()
        whole = pl.len().over(*KEY, *present) == models
        rows = cells.filter(whole)
        if rows.height:
            lacking = cells.filter(~whole).select(KEY).n_unique()
            once = inputs.each_model_once(rows, (*KEY, *present), pl.col("value").mean())
            yield Panel(task, name, metric, rows, once, lacking)


def notes(used: Sequence[Panel]) -> tuple[str, ...]:
    """A sentence on the questions that are left out, for the panels with any."""
    return tuple(
        f"{panel.task}{f' ({panel.part})' if panel.part else ''}, {panel.metric.label}: without "
        f"{plural(panel.left_out, 'question')} that some models lack."
        for panel in used
        if panel.left_out
    )


def mean_name(models: int) -> str:
    """The name in place of a model in rows of the mean over several."""
    return f"mean of {models} models"


def with_holm_apart(rows: pl.DataFrame) -> pl.DataFrame:
    """``with_holm`` of the rows that are means over models, and of those of single models: the former stay as
    sure as they are, however many models there are, and come first."""
    of_mean = pl.col("endpoint").str.contains(r"^mean of \d+ models$")
    return pl.concat([with_holm(part) for part in (rows.filter(of_mean), rows.filter(~of_mean))])


def usual_language(culture: str) -> str | None:
    """Code of the language that people of the culture are usually asked in; None where there is none."""
    entry = cultures().get(culture)
    return entry.languages[0] if entry and entry.languages else None
