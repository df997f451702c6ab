"""What an analysis is: a pure function from the judgements of one or more runs to tables, shown by commands and reports."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import polars as pl

from folkways.benchmarks.tables import NotAvailableError, Table
from folkways.cultures import cultures, languages
from folkways.records import BASELINE_PREFIX, JUDGEMENTS, LOST, Metric, ModelCard
from folkways.releases.base import Release

LEAST_COVERAGE = 0.9
"""Share of what was expected of a model, in every culture and language, that must have got a reply for analyses to take it.

Below it, what was not asked may be another kind of question than what was, and a difference between groups one of what is missing.
"""

GROUP = ("endpoint", "culture", "language")
"""What coverage is looked at by."""

ASKING = ("task", "profile", "endpoint", "question", "language", "variant", "sample")
"""What the rows have in common that one question of a task with ``whole_questions`` is made of."""


@dataclass(frozen=True)
class Findings:
    """What analyses are made of.

    judged:   records.JUDGEMENTS with ``endpoint``, ``profile``, facets and metrics, of any endpoints, tasks and profiles.
    metrics:  task -> its metrics; the first is the headline.
    releases: task -> the data that were used.
    cards:    endpoint -> what is known about the model apart from its scores; without those of which nothing is.
    whole_questions: the tasks in which a question is made of several rows and stands only with all of them (``Task``).
    """

    judged: pl.DataFrame
    metrics: Mapping[str, tuple[Metric, ...]] = field(default_factory=dict)
    releases: Mapping[str, Release] = field(default_factory=dict)
    cards: Mapping[str, ModelCard] = field(default_factory=dict)
    whole_questions: frozenset[str] = frozenset()

    @property
    def asked(self) -> set[str]:
        """The tasks of which there are judgements, whether or not they are enough."""
        return set(self.judged["task"].unique())

    @property
    def tasks(self) -> set[str]:
        """The tasks of which an analysis has judgements."""
        return set(self.judgements["task"].unique())

    @cached_property
    def judgements(self) -> pl.DataFrame:
        """Those of the judgements that analyses may use: counted, with a reply, of models that replied to enough; no baselines.

        A refused or unreadable reply is one, and counts as the benchmark's rule has it. What failed or is missing says nothing of
        a model: it is left out, and where it is too much of a group (LEAST_COVERAGE), so is the model, in that task.
        """
        rows, thin = self._of_models, self._thin
        kept = rows.filter(~pl.col("_lost")).join(thin, on=["task", "endpoint"], how="anti", maintain_order="left")
        return kept.drop("_lost")

    @cached_property
    def _of_models(self) -> pl.DataFrame:
        """The counted judgements of models, with ``_lost`` where nothing is known."""
        lost = pl.col("state").is_in(LOST)
        whole = pl.col("task").is_in(self.whole_questions) & lost.any().over(ASKING)
        rows = self.judged.filter(pl.col("counted") & ~pl.col("endpoint").str.starts_with(BASELINE_PREFIX))
        return rows.with_columns(_lost=lost | whole)

    @cached_property
    def _thin(self) -> pl.DataFrame:
        """task, endpoint, and where its coverage is least, with what was expected and replied to there; of models left out."""
        groups = self._of_models.group_by("task", "profile", *GROUP, maintain_order=True).agg(
            expected=pl.len(), replied=(~pl.col("_lost")).sum()
        )
        share = pl.col("replied") / pl.col("expected")
        below = groups.filter(share < LEAST_COVERAGE).sort(share, "culture", "language")
        return below.unique(["task", "endpoint"], keep="first", maintain_order=True)

    def left_out(self, tasks: Sequence[str]) -> list[str]:
        """One sentence for each model of which judgements of these tasks are left out, or some of them are: which and why."""
        return [sentence for task in tasks for sentence in (*self.too_few(task), *self._without_reply(task))]

    def too_few(self, task: str) -> Iterator[str]:
        """One sentence for each model that is left out of a task."""
        for row in self._thin.filter(pl.col("task") == task).iter_rows(named=True):
            culture, language = cultures().get(row["culture"]), languages().get(row["language"])
            where = f"{culture.name if culture else row['culture']} ({language.name if language else row['language']})"
            share = int(100 * row["replied"] / row["expected"])
            yield (
                f"{row['endpoint']} is left out of {task}: in {where} {row['replied']:,} of {row['expected']:,} rows got a reply "
                f"({share} %), and an analysis needs {LEAST_COVERAGE:.0%} in every culture and language.".replace("90%", "90 %")
            )

    def _without_reply(self, task: str) -> Iterator[str]:
        rows = self._of_models.filter(pl.col("task") == task).join(self._thin, on=["task", "endpoint"], how="anti")
        counts = rows.group_by("endpoint", "profile", maintain_order=True).agg(pl.len(), pl.col("_lost").sum())
        for endpoint, _, expected, lost in counts.unique("endpoint", keep="first", maintain_order=True).iter_rows():
            if lost:
                yield f"{endpoint}: {lost:,} of {expected:,} rows of {task} have no reply and are left out."

    def lacking(self, task: str) -> NotAvailableError:
        """Why nothing of a task can be analysed, and what to do."""
        too_few = list(self.too_few(task))
        if too_few:
            return NotAvailableError(f"{' '.join(too_few)} Ask what is missing: run the same command again")
        if task in self.asked:
            return NotAvailableError(f"needs judgements of a model on {task}, not of baselines alone")
        return NotAvailableError(f"needs judgements of {task}; run it: folkways run {task} --model NAME")

    def of(self, task: str, profile: str | None = None) -> pl.DataFrame:
        """The judgements of a task in one profile (by default the first that was judged), without columns that are empty.

        NotAvailableError where there are none.
        """
        found = self.judgements.filter(pl.col("task") == task)
        if found.is_empty():
            raise self.lacking(task)
        chosen = profile if profile is not None else str(found["profile"][0])
        found = found.filter(pl.col("profile") == chosen)
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
    """Every analysis that these findings allow with its tables, and name -> why it was left out for the others.

    Each table says in its notes which models, or which of their rows, it does without.
    """
    made: list[Made] = []
    left_out: dict[str, str] = {}
    for analysis in analyses:
        asked = [task for task in analysis.tasks if task in findings.asked]
        if not asked:
            continue
        too_few = [sentence for task in asked for sentence in findings.too_few(task)]
        try:
            if not findings.tasks.intersection(asked):
                raise findings.lacking(asked[0])
            notes = findings.left_out(asked)
            made.append(Made(analysis, [replace(table, notes=(*table.notes, *notes)) for table in analysis.make(findings)]))
        except NotAvailableError as reason:
            left_out[analysis.name] = " ".join([str(reason), *(told for told in too_few if told not in str(reason))])
    return made, left_out
