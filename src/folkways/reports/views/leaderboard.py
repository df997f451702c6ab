"""What stands beside the scores of a leaderboard: ranks with their range, and the shrunk scores of small
cultures."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import polars as pl

from folkways.evidence.answers import answers_of
from folkways.evidence.contrasts import CONTRASTS, CULTURE, contrasts
from folkways.evidence.order import Standing, order
from folkways.names import WHOLE, provider, value_name
from folkways.reports.views.published import PublishedView
from folkways.reports.views.views import ReportView, Score, TaskView
from folkways.stats.shrinkage import shrunk_scores

MOST_IN_SUMMARY = 3
"""Models of a task that a summary shows; the task's own leaderboard has all."""


@dataclass(frozen=True, slots=True)
class Shrunk:
    """A culture's score drawn towards the others', the more the fewer its questions; see
    ``folkways.stats.shrinkage``."""

    score: float
    low: float
    high: float


@dataclass(frozen=True)
class Row:
    """One line of a task's leaderboard.

    kind:   who it is of; only models have a standing.
    name:   as it is written; source: where it is from, in small letters.
    score, low, high: as in records.SCORES; NaN where there is none.
    counted: the score with its counts; None for published figures, of which only the number is known.
    """

    kind: Literal["model", "people", "published", "baseline"]
    name: str
    source: str
    score: float
    low: float
    high: float
    counted: Score | None = None
    standing: Standing | None = None


class Leaderboard:
    """Ranks, shrunk scores and published figures of a report's tasks, each made when it is first asked
    for."""

    def __init__(self, view: ReportView) -> None:
        self.view = view
        self.published = PublishedView(view)
        self._rows: dict[str, list[Row]] = {}
        self._compared: dict[str, tuple[pl.DataFrame, Mapping[str, Standing]]] = {}
        self._drawn_in: dict[str, Mapping[tuple[str, str], Shrunk]] = {}

    def rows(self, task: TaskView) -> list[Row]:
        """The lines of a task, as far as there are any: models by score, people, published figures, then
        baselines."""
        if task.task not in self._rows:
            self._rows[task.task] = self._made_rows(task)
        return self._rows[task.task]

    def _made_rows(self, task: TaskView) -> list[Row]:
        standings = self.standings(task)
        people = [task.people[WHOLE, WHOLE]] if (WHOLE, WHOLE) in task.people else []
        published = [
            Row("published", name, f"published: {source}", score, math.nan, math.nan)
            for name, score, source in self.published.rows(task)
        ]
        unplaced = dict(standings)  # a model's rank, over everything, stands once: at the first of its groups
        rows = [
            self._row(score, unplaced.pop(score.endpoint, None) if score.profile == task.profile else None)
            for score in task.headline
        ]
        return [
            *(row for row in rows if row.kind == "model"),
            *(_row("people", score.endpoint, "first answers against the others’", score) for score in people),
            *published,
            *(row for row in rows if row.kind == "baseline"),
        ]

    def first(self, task: TaskView) -> list[Row]:
        """The first models of a task in the profile shown, for a summary; baselines where there is no
        model."""
        rows = [row for row in self.rows(task) if row.counted and row.counted.profile == task.profile]
        models = [row for row in rows if row.kind == "model"] or [
            row for row in rows if row.kind == "baseline"
        ]
        names = list(dict.fromkeys(row.counted.endpoint for row in models if row.counted))[:MOST_IN_SUMMARY]
        return [row for row in models if row.counted and row.counted.endpoint in names]

    def chance(self, task: TaskView) -> float:
        """What guessing among the task's options scores; NaN for a task without options."""
        return self.view.data.chance.get(task.task, math.nan)

    def best_baseline(self, task: TaskView) -> Row | None:
        """The best of the baselines that runs asked, in the profile shown; None where none was asked."""
        return max(
            (row for row in self._baselines(task) if row.counted and row.counted.endpoint in self.view.asked),
            key=lambda row: row.score,
            default=None,
        )

    def guessing(self, task: TaskView) -> float:
        """The score that needs no knowledge: chance; of a task without options the best baseline, asked or
        computed, or NaN."""
        return self.view.data.chance.get(
            task.task, max((row.score for row in self._baselines(task)), default=math.nan)
        )

    def _baselines(self, task: TaskView) -> list[Row]:
        """The baselines with a score in the profile shown."""
        rows = (row for row in self.rows(task) if row.kind == "baseline" and row.counted)
        return [
            row
            for row in rows
            if row.score == row.score and row.counted and row.counted.profile == task.profile
        ]

    def _row(self, score: Score, standing: Standing | None) -> Row:
        name = self.view.short[score.endpoint]
        source = provider(score.endpoint) if name != score.endpoint else ""
        name += f", {value_name(score.facet, score.value)}" if score.facet != WHOLE else ""
        return _row("baseline" if score.baseline else "model", name, source, score, standing)

    def standings(self, task: TaskView) -> Mapping[str, Standing]:
        """Model -> its standing, as far as models have one (``evidence.order``)."""
        return self._evidence(task)[1]

    def contrasts(self, task: TaskView) -> pl.DataFrame:
        """``evidence.contrasts.CONTRASTS`` of every pair of models, over everything and by culture."""
        return self._evidence(task)[0]

    def shrunk(self, task: TaskView) -> Mapping[tuple[str, str], Shrunk]:
        """(culture, endpoint) -> its shrunk score, for the endpoints that tables show; empty for fewer than
        three cultures."""
        if task.task not in self._drawn_in:
            self._drawn_in[task.task] = self._shrunk(task)
        return self._drawn_in[task.task]

    def _evidence(self, task: TaskView) -> tuple[pl.DataFrame, Mapping[str, Standing]]:
        if task.task not in self._compared:
            self._compared[task.task] = self._compare(task)
        return self._compared[task.task]

    def _compare(self, task: TaskView) -> tuple[pl.DataFrame, Mapping[str, Standing]]:
        judged = self.view.data.judgements
        nothing = pl.DataFrame(schema=dict(CONTRASTS))
        if len(task.models) < 2 or task.metric.name not in judged.columns:
            return nothing, {}
        of_task = judged.lazy().filter((pl.col("task") == task.task) & (pl.col("profile") == task.profile))
        present = set(of_task.select(pl.col("endpoint").unique()).collect()["endpoint"])
        frames = {name: of_task.filter(pl.col("endpoint") == name) for name in task.models if name in present}
        if len(frames) < 2:
            return nothing, {}
        answers = answers_of(frames, task.metric, (CULTURE,))
        rows = contrasts(answers, task.metric)
        return rows, order(answers, rows, task.metric)

    def _shrunk(self, task: TaskView) -> Mapping[tuple[str, str], Shrunk]:
        own = self.view.data.scores.filter(
            (pl.col("task") == task.task)
            & (pl.col("profile") == task.profile)
            & (pl.col("metric") == task.metric.name),
            pl.col("endpoint").is_in(task.shown),
        )
        frame = shrunk_scores(own, {task.task: task.metrics}).drop_nulls("shrunk")
        columns = frame.select("value", "endpoint", "shrunk", "shrunk_low", "shrunk_high").iter_rows()
        return {(value, endpoint): Shrunk(*numbers) for value, endpoint, *numbers in columns}


def _row(
    kind: Literal["model", "people", "baseline"],
    name: str,
    source: str,
    score: Score,
    standing: Standing | None = None,
) -> Row:
    return Row(kind, name, source, score.score, score.low, score.high, score, standing)
