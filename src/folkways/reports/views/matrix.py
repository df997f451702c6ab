"""The matrix of a report: every model on every task, a column for each score that headlines show."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from folkways.names import WHOLE, value_name
from folkways.reports.views.leaderboard import Leaderboard
from folkways.reports.views.views import ReportView, Score, TaskView


@dataclass(frozen=True)
class Column:
    """The scores of one column of the matrix: a task, or one group of a task whose headline is by a facet.

    group: the group in words; empty for a score over everything. scores: endpoint -> its score.
    leading: the models that no other model is better than beyond chance (``evidence.order``); empty without
    ranks. chance: what guessing among the options scores; NaN for a task without options. people: the score
    of people of the cultures, if it is known.
    """

    task: TaskView
    group: str
    scores: Mapping[str, Score]
    leading: frozenset[str]
    chance: float
    people: Score | None

    @property
    def counted(self) -> str:
        """How many answers the scores of models are means of; the fewest and the most where these differ."""
        models = [score for score in self.scores.values() if not score.baseline] or [*self.scores.values()]
        fewest, most = (end(models, key=lambda score: score.n - score.left_out) for end in (min, max))
        return " to ".join(dict.fromkeys((fewest.shown_n, most.shown_n)))


def columns(view: ReportView, leaderboard: Leaderboard) -> list[Column]:
    """The columns of the matrix in the order of tasks, each in the profile that its task shows."""
    return [column for task in view.tasks for column in _of_task(task, leaderboard)]


def _of_task(task: TaskView, leaderboard: Leaderboard) -> list[Column]:
    leading = frozenset(name for name, rank in leaderboard.ranks(task).items() if rank.low == 1)
    scores: dict[tuple[str, str], dict[str, Score]] = {}
    for score in task.headline:
        if score.profile == task.profile:
            scores.setdefault((score.facet, score.value), {})[score.endpoint] = score
    return [
        Column(
            task,
            "" if facet == WHOLE else value_name(facet, value),
            group,
            leading,
            leaderboard.view.data.chance.get(task.task, math.nan),
            task.people.get((facet, value)),
        )
        for (facet, value), group in scores.items()
    ]
