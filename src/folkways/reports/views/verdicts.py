"""The verdict of a report, and what each model took and lost, made of the report's data."""

from __future__ import annotations

import math
from dataclasses import dataclass

import polars as pl

from folkways.evidence.task_verdict import TaskEvidence
from folkways.evidence.verdict import Expense, Verdict, verdict
from folkways.names import WHOLE
from folkways.records import OTHER_LANGUAGE
from folkways.reports.views.leaderboard import Leaderboard
from folkways.reports.views.views import TaskView

OF_OPTIONS = ("gold_letter", "option_culture")
"""Facets of the options of a question, which are no subject that a model could be weak in."""


def verdict_of(leaderboard: Leaderboard, subject: str = "") -> Verdict:
    """The verdict on the scores of a report. subject: what these are, for sentences; by default the run, or
    the report where it is not of one."""
    view = leaderboard.view
    subject = subject or ("this run" if len(view.data.runs) == 1 else "this report")
    return verdict(
        [_evidence(leaderboard, task) for task in view.tasks], view.short, dict(view.data.expenses), subject
    )


def _evidence(leaderboard: Leaderboard, task: TaskView) -> TaskEvidence:
    view = leaderboard.view
    scores = view.data.scores.filter(
        pl.col("task") == task.task, pl.col("profile") == task.profile, pl.col("metric") == task.metric.name
    )
    people = task.people.get((WHOLE, WHOLE))
    languages = {
        language
        for signature in scores["signature"].unique()
        for language in view.made(signature).parts.get("lang", "").split("+")
    }
    topics = (facet.facet for facet in task.single_facets if facet.facet not in OF_OPTIONS)
    return TaskEvidence(
        task.task,
        task.title,
        task.metric,
        scores,
        leaderboard.contrasts(task),
        leaderboard.ranks(task),
        leaderboard.guessing(task),
        math.nan if people is None else people.score,
        tuple(sorted(languages - {""})),
        ("culture", "language", *topics),
        view.data.parts.get(task.task, ""),
        view.items_asked,
    )


@dataclass(frozen=True, slots=True)
class ModelCounts:
    """What a model took and what became of its replies, over all tasks, in the profile that each shows.

    expense: None where no run of the report asked it, or nothing was looked up.
    replies: answers that came and that folkways judged; refused, cut: how many of them were refused, and cut
        by the token limit. Other programs do not tell.
    other_language: of ``other_language_of`` replies, how many were in another language or script than asked;
    None where no task tells.
    """

    model: str
    expense: Expense | None
    replies: int
    refused: int
    cut: int
    other_language: int | None
    other_language_of: int


def model_counts(leaderboard: Leaderboard) -> dict[str, ModelCounts]:
    """Endpoint -> its counts, for models and baselines in the order of the view."""
    view, counts = leaderboard.view, {}
    for endpoint in view.endpoints:
        whole = [
            score
            for task in view.tasks
            for score in task.whole
            if score.endpoint == endpoint and score.profile == task.profile
        ]
        judged = [score for score in whole if score.refused is not None]  # logs may not tell
        others = [
            (score.score / 100 * (score.n - score.lost), score.n - score.lost)
            for task in view.tasks
            for score in task.others
            if (score.endpoint, score.profile, score.metric) == (endpoint, task.profile, OTHER_LANGUAGE)
            and score.score == score.score
        ]
        counts[endpoint] = ModelCounts(
            endpoint,
            view.data.expenses.get(endpoint),
            sum(score.n - score.lost for score in judged),
            sum(score.refused or 0 for score in judged),
            sum(score.cut or 0 for score in judged),
            round(sum(number for number, _ in others)) if others else None,
            sum(of for _, of in others),
        )
    return counts
