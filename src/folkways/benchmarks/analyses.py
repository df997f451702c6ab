"""What an analysis is: a pure function from the judgements of one or more runs to tables, shown by commands and reports."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import polars as pl

from folkways.benchmarks.tables import NotAvailableError, Table
from folkways.records import JUDGEMENTS, SCORES, Metric, ModelCard, empty
from folkways.releases.base import Release


@dataclass(frozen=True)
class Findings:
    """What analyses are made of.

    judgements: records.JUDGEMENTS with ``endpoint``, ``profile``, facets and metrics, of any endpoints, tasks and profiles.
    scores:     records.SCORES of the same.
    metrics:    task -> its metrics; the first is the headline.
    releases:   task -> the data that were used.
    cards:      endpoint -> what is known about the model apart from its scores; without those of which nothing is.
    """

    judgements: pl.DataFrame
    scores: pl.DataFrame = field(default_factory=lambda: empty(SCORES))
    metrics: Mapping[str, tuple[Metric, ...]] = field(default_factory=dict)
    releases: Mapping[str, Release] = field(default_factory=dict)
    cards: Mapping[str, ModelCard] = field(default_factory=dict)

    @property
    def tasks(self) -> set[str]:
        """The tasks of which there are judgements."""
        return set(self.judgements["task"].unique())

    def of(self, task: str, profile: str | None = None) -> pl.DataFrame:
        """The counted judgements of a task in one profile (by default the first that was judged), without columns that are empty.

        NotAvailableError where there are none.
        """
        found = self.judgements.filter(pl.col("task") == task)
        if found.is_empty():
            raise NotAvailableError(f"needs judgements of {task}; run it: folkways run {task} --model NAME")
        chosen = profile if profile is not None else str(found["profile"][0])
        found = found.filter((pl.col("profile") == chosen) & pl.col("counted"))
        if found.is_empty():
            raise NotAvailableError(f"needs {task} judged in the profile {chosen}: folkways score RUN --profile {chosen}")
        return found.select(column for column in found if column.null_count() < found.height or column.name in JUDGEMENTS)


@dataclass(frozen=True)
class Analysis:
    """One analysis of a benchmark's results.

    name:  as it is asked for (``regional-bias``); unique within the benchmark.
    title: what people read, with its place in the paper.
    about: what it asks, in one sentence.
    tasks: those of which it needs judgements; it is offered where there are some of any of them.
    make:  its tables; raises NotAvailableError, saying what is lacking, where these findings do not allow it.
    """

    name: str
    title: str
    about: str
    tasks: tuple[str, ...]
    make: Callable[[Findings], Sequence[Table]]


@dataclass(frozen=True)
class Made:
    """An analysis and the tables it gave."""

    analysis: Analysis
    tables: Sequence[Table]


def analyse(analyses: Sequence[Analysis], findings: Findings) -> tuple[list[Made], dict[str, str]]:
    """Every analysis that these findings allow with its tables, and name -> why it was left out for the others."""
    made: list[Made] = []
    left_out: dict[str, str] = {}
    for analysis in analyses:
        if not findings.tasks.intersection(analysis.tasks):
            continue
        try:
            made.append(Made(analysis, analysis.make(findings)))
        except NotAvailableError as reason:
            left_out[analysis.name] = str(reason)
    return made, left_out
