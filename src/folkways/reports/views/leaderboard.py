"""What stands beside the scores of a leaderboard: ranks with their range, and the shrunk scores of small cultures."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
import polars as pl

from folkways.reports.names import WHOLE, provider, value_name
from folkways.reports.views.published import PublishedView
from folkways.reports.views.views import ReportView, Score, TaskView
from folkways.stats.ranks import rank_intervals
from folkways.stats.shrinkage import shrunk_scores

ASKED = ("item", "language", "variant", "sample")
"""What two models must both have been asked for it to count in a comparison of their ranks."""


MOST_IN_SUMMARY = 3
"""Models of a task that a summary shows; the task's own leaderboard has all."""


@dataclass(frozen=True, slots=True)
class Standing:
    """A model's place in a task: 1 is best, ties share the better rank; ``low`` to ``high`` in 95 % of bootstrap resamples.

    level: the questions do not tell it apart from the model of rank 1 (``folkways.stats.ranks``); that one is not marked itself.
    """

    rank: int
    low: int
    high: int
    level: bool = False

    @property
    def span(self) -> str:
        """``2`` where the questions leave no doubt, else ``1–3``."""
        return str(self.low) if self.low == self.high else f"{self.low}–{self.high}"


LEVEL = "not told apart from the first (paired bootstrap by question, all pairs of models at once, 5 % level)"
"""What a dagger behind a model says."""


@dataclass(frozen=True, slots=True)
class Shrunk:
    """A culture's score drawn towards the others', the more the fewer its questions; see ``folkways.stats.shrinkage``."""

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
    """Ranks, shrunk scores and published figures of a report's tasks, each made when it is first asked for."""

    def __init__(self, view: ReportView) -> None:
        self.view = view
        self.published = PublishedView(view)
        self._rows: dict[str, list[Row]] = {}
        self._ranked: dict[str, Mapping[str, Standing]] = {}
        self._drawn_in: dict[str, Mapping[tuple[str, str], Shrunk]] = {}

    def rows(self, task: TaskView) -> list[Row]:
        """The lines of a task, as far as there are any: models by score, people, published figures, then baselines."""
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
        """The first models of a task in the profile shown, for a summary; baselines where there is no model."""
        rows = [row for row in self.rows(task) if row.counted and row.counted.profile == task.profile]
        models = [row for row in rows if row.kind == "model"] or [row for row in rows if row.kind == "baseline"]
        names = list(dict.fromkeys(row.counted.endpoint for row in models if row.counted))[:MOST_IN_SUMMARY]
        return [row for row in models if row.counted and row.counted.endpoint in names]

    def guessing(self, task: TaskView) -> float:
        """What the best baseline scores; NaN where none is known."""
        scores = [row.score for row in self.rows(task) if row.kind == "baseline" and row.score == row.score]
        return max(scores, default=math.nan)

    def _row(self, score: Score, standing: Standing | None) -> Row:
        name = self.view.short[score.endpoint]
        source = provider(score.endpoint) if name != score.endpoint else ""
        name += f", {value_name(score.facet, score.value)}" if score.facet != WHOLE else ""
        return _row("baseline" if score.baseline else "model", name, source, score, standing)

    def standings(self, task: TaskView) -> Mapping[str, Standing]:
        """Model -> its standing; empty for fewer than two models, and where they share no question."""
        if task.task not in self._ranked:
            self._ranked[task.task] = self._standings(task)
        return self._ranked[task.task]

    def shrunk(self, task: TaskView) -> Mapping[tuple[str, str], Shrunk]:
        """(culture, endpoint) -> its shrunk score, for the endpoints that tables show; empty for fewer than three cultures."""
        if task.task not in self._drawn_in:
            self._drawn_in[task.task] = self._shrunk(task)
        return self._drawn_in[task.task]

    def _standings(self, task: TaskView) -> Mapping[str, Standing]:
        judged = self.view.data.judgements
        if len(task.models) < 2 or task.metric.name not in judged.columns:
            return {}
        wanted = judged.lazy().filter(
            (pl.col("task") == task.task) & (pl.col("profile") == task.profile) & pl.col("counted"),
            pl.col(task.metric.name).is_not_null(),
            pl.col("endpoint").is_in(task.models),
        )
        rows = wanted.select("endpoint", "question", *ASKED, value=pl.col(task.metric.name).cast(pl.Float64)).collect()
        present = [name for name in task.models if name in set(rows["endpoint"].unique())]
        not_by_all = rows.lazy().group_by(ASKED).len().filter(pl.col("len") != len(present)).collect(engine="streaming")
        rows = rows.join(not_by_all, on=ASKED, how="anti", maintain_order="left") if not_by_all.height else rows
        rows = rows if len(present) > 1 else rows.clear()
        if rows.is_empty():
            return {}
        sums = rows.pivot("endpoint", index="question", values="value", aggregate_function="sum", sort_columns=False).sort(
            "question"
        )
        counts = rows.filter(pl.col("endpoint") == present[0]).group_by("question").len().sort("question")
        found = rank_intervals(sums.select(present).to_numpy(), counts["len"].to_numpy().astype(np.float64))
        ends = zip(present, found.rank, found.low, found.high, found.level, strict=True)
        return {name: Standing(rank, low, high, level and rank > 1) for name, rank, low, high, level in ends}

    def _shrunk(self, task: TaskView) -> Mapping[tuple[str, str], Shrunk]:
        own = self.view.data.scores.filter(
            (pl.col("task") == task.task) & (pl.col("profile") == task.profile) & (pl.col("metric") == task.metric.name),
            pl.col("endpoint").is_in(task.shown),
        )
        frame = shrunk_scores(own, {task.task: task.metrics}).drop_nulls("shrunk")
        columns = frame.select("value", "endpoint", "shrunk", "shrunk_low", "shrunk_high").iter_rows()
        return {(value, endpoint): Shrunk(*numbers) for value, endpoint, *numbers in columns}


def _row(
    kind: Literal["model", "people", "baseline"], name: str, source: str, score: Score, standing: Standing | None = None
) -> Row:
    return Row(kind, name, source, score.score, score.low, score.high, score, standing)
