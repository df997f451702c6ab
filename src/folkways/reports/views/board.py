"""A leaderboard made of contributions: what shares a column as one report, and what is kept apart as small
ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import polars as pl

from folkways.benchmarks.registry import tasks as known_tasks
from folkways.evidence.contributions import Column, Contribution, Entry, columns_of, newest, told_apart
from folkways.evidence.verdict import Verdict
from folkways.records import JUDGED_ITEMS, SCORES, empty, of_rows
from folkways.reports.data import ReportData
from folkways.reports.views.leaderboard import Leaderboard
from folkways.reports.views.matrix import Column as MatrixColumn
from folkways.reports.views.matrix import columns
from folkways.reports.views.verdicts import verdict_of
from folkways.reports.views.views import ReportView

_PAIR = ("source", "endpoint", "task")


@dataclass(frozen=True)
class Apart:
    """Entries of a task that are kept apart: their own ranking, and why.

    models: with the run or file of each.
    """

    task: str
    models: tuple[str, ...]
    why: tuple[str, ...]
    leaderboard: Leaderboard


class Board:
    """A leaderboard. Everything on it is computed on first use.

    contributions: the runs, archives and records. entries: of all of them, as they came.
    replaced: the entries that a newer or more complete one of the same model, task and setting replaces.
    """

    def __init__(self, contributions: Sequence[Contribution], title: str) -> None:
        self.title = title
        self.entries = [entry for one in contributions for entry in one.entries()]
        names = told_apart(self.entries)
        self.contributions = [_renamed(one, names) for one in contributions]
        self.replaced: list[Entry] = []
        self._columns: dict[str, tuple[Column, ...]] = {}
        for task, of_task in columns_of(
            entry for one in self.contributions for entry in one.entries()
        ).items():
            columns_of_task = []
            for column in of_task:
                last, older = newest(column.entries)
                self.replaced += older
                columns_of_task.append(replace(column, entries=tuple(last)))
            self._columns[task] = tuple(columns_of_task)

    @property
    def kept(self) -> list[Entry]:
        """The entries that nothing replaces, those that share a column before those that are kept apart."""
        return [one for of_task in self._columns.values() for column in of_task for one in column.entries]

    @property
    def created(self) -> str:
        """When the newest entry was asked: the date of the leaderboard, so that the same runs give the same
        pages."""
        return max((entry.created for entry in self.entries), default="")

    @cached_property
    def shown(self) -> list[Entry]:
        """The entries that share a column, the newest first."""
        entries = [entry for of_task in self._columns.values() for entry in of_task[0].entries]
        return sorted(entries, key=lambda one: (one.created, one.source, one.model, one.task), reverse=True)

    @cached_property
    def leaderboard(self) -> Leaderboard:
        """Everything that shares a column."""
        return self._leaderboard([of_task[0] for of_task in self._columns.values()])

    @property
    def view(self) -> ReportView:
        """The scores of ``leaderboard``."""
        return self.leaderboard.view

    @cached_property
    def matrix(self) -> list[MatrixColumn]:
        """The columns of models and tasks."""
        return columns(self.view, self.leaderboard)

    @cached_property
    def verdict(self) -> Verdict:
        """The verdict on what shares a column."""
        return verdict_of(self.leaderboard, "this leaderboard")

    @cached_property
    def apart(self) -> list[Apart]:
        """What is kept apart, task by task."""
        return [
            Apart(
                task,
                tuple(f"{one.model} ({one.source})" for one in column.entries),
                column.why,
                self._leaderboard([column]),
            )
            for task, of_task in self._columns.items()
            for column in of_task[1:]
        ]

    def entry(self, model: str, task: str) -> Entry | None:
        """The entry of a model on a task that shares a column; None without one."""
        return self._by_pair.get((model, task))

    @cached_property
    def _by_pair(self) -> Mapping[tuple[str, str], Entry]:
        return {(one.model, one.task): one for one in self.shown}

    def _leaderboard(self, parts: Iterable[Column]) -> Leaderboard:
        wanted = of_rows(
            ((one.source, one.model, one.task) for part in parts for one in part.entries),
            dict.fromkeys(_PAIR, pl.String),
        )
        tasks = wanted["task"].unique(maintain_order=True).to_list()
        chosen = [one for one in self.contributions if (wanted["source"] == one.source).any()]
        scores = [_chosen(one.scores, one.source, wanted) for one in chosen]
        judged = [_chosen(one.judgements, one.source, wanted) for one in chosen if one.judgements.height]
        people = [one.people.filter(pl.col("task").is_in(tasks)) for one in chosen]
        judgements = pl.concat(judged, how="diagonal_relaxed") if judged else empty(JUDGED_ITEMS)
        lacking = [
            pl.lit(None, pl.String).alias(name) for name in JUDGED_ITEMS if name not in judgements.columns
        ]
        metrics = {
            task: one.metrics[task] for one in reversed(chosen) for task in one.metrics if task in tasks
        }
        every = known_tasks()
        return Leaderboard(
            ReportView(
                ReportData(
                    title=self.title,
                    created=self.created,
                    runs=(),
                    scores=pl.concat([empty(SCORES), *scores]),
                    judgements=judgements.with_columns(lacking),
                    metrics={task: (metrics[task],) for task in sorted(metrics)},
                    task_titles={task: title for one in chosen for task, title in one.titles.items()},
                    headline_by={task: by for task, one in metrics.items() if (by := one.headline_by)},
                    people=pl.concat([empty(SCORES), *people]).unique(
                        ["task", "profile", "metric", "facet", "value"], keep="last", maintain_order=True
                    ),
                    signatures={text: made for one in chosen for text, made in one.signatures.items()},
                    chance={
                        task: chance
                        for task in tasks
                        if task in every
                        and metrics[task].name == every[task].metrics[0].name  # chance is of the headline
                        and (chance := every[task].chance()) is not None
                    },
                )
            ),
            by=(),
        )


def _renamed(one: Contribution, names: Mapping[tuple[str, str], str]) -> Contribution:
    """The contribution with other names for its models. names: of source and model."""
    of_source = {model: name for (source, model), name in names.items() if source == one.source}
    if not of_source:
        return one
    renamed = pl.col("endpoint").cast(pl.String).replace(of_source)
    return replace(
        one,
        scores=one.scores.with_columns(renamed),
        judgements=one.judgements.with_columns(renamed),
        faults={(of_source.get(model, model), task): why for (model, task), why in one.faults.items()},
    )


def _chosen(frame: pl.DataFrame, source: str, wanted: pl.DataFrame) -> pl.DataFrame:
    """The rows of the models and tasks of one source that are wanted."""
    pairs = wanted.filter(pl.col("source") == source).select("endpoint", "task")
    plain = frame.with_columns(pl.col("endpoint", "task").cast(pl.String))
    return plain.join(pairs, on=["endpoint", "task"], how="semi", maintain_order="left")
