"""The matrix of models and tasks, and what each model took, as texts for terminals and notebooks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from folkways.display import NOT_A_NUMBER, count, duration, interval, number, percent, single_line
from folkways.evidence.verdict import Expense
from folkways.reports.data import PEOPLE
from folkways.reports.views.leaderboard import Leaderboard
from folkways.reports.views.matrix import Column, columns
from folkways.reports.views.verdicts import ModelCounts, model_counts

MARK = "*"
"""After the score of a model that no other is better than."""

MARKED = (
    f"{MARK} no other model is better beyond chance on that task by itself (paired by question, Holm over "
    "all pairs, 5 % level)"
)

EXPENSES = ("US$ per 1,000", "tokens per 1,000", "per request", "in all", "refused", "cut", "other language")
"""The columns of what a model took and lost; dollars and tokens for 1,000 requests."""


@dataclass(frozen=True)
class TextTable:
    """Texts in rows. heads: the titles of the columns, where the first names the row. rows: one text for
    each column."""

    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def matrix_table(leaderboard: Leaderboard) -> TextTable:
    """Each model's score and interval on each task, then guessing and people where they are known. Without
    models, baselines have rows instead."""
    view = leaderboard.view
    shown = columns(view, leaderboard)
    rows = [
        (single_line(view.short[model]), *(_cell(column, model) for column in shown))
        for model in view.models or view.baselines
    ]
    if any(column.chance == column.chance for column in shown):
        rows.append(("guessing", *(number(column.chance) for column in shown)))
    if any(column.people for column in shown):
        rows.append((PEOPLE, *(number(column.people.score if column.people else None) for column in shown)))
    heads = (
        single_line(f"{column.task.title}, {column.group}" if column.group else column.task.title)
        for column in shown
    )
    return TextTable(("model", *heads), tuple(rows))


def _cell(column: Column, model: str) -> str:
    score = column.scores.get(model)
    if score is None:
        return ""
    mark = f" {MARK}" if model in column.leading else ""
    ends = f" ({interval(score.low, score.high, '–')})" if score.low == score.low else ""
    return f"{number(score.score)}{ends}{mark}"


def expense_table(leaderboard: Leaderboard) -> TextTable:
    """What each model took and lost; only the columns in which something is known."""
    view = leaderboard.view
    rows = [(model, counts) for model, counts in model_counts(leaderboard).items() if model in view.models]
    texts = [_amounts(counts) for _, counts in rows]
    informative = [at for at, _ in enumerate(EXPENSES) if any(row[at] != NOT_A_NUMBER for row in texts)]
    return TextTable(
        ("model", *(EXPENSES[at] for at in informative)),
        tuple(
            (single_line(view.short[model]), *(row[at] for at in informative))
            for (model, _), row in zip(rows, texts, strict=True)
        )
        if informative
        else (),
    )


def _amounts(counts: ModelCounts) -> Sequence[str]:
    expense, replies = counts.expense, counts.replies
    expense = expense or Expense(0)
    dollars, tokens = (expense.per_thousand(amount) for amount in (expense.dollars, expense.tokens))
    seconds, wall = expense.seconds, expense.wall
    other = counts.other_language
    return (
        NOT_A_NUMBER if dollars is None else f"{dollars:,.2f}",
        NOT_A_NUMBER if tokens is None else count(round(tokens)),
        NOT_A_NUMBER if seconds is None else duration(seconds),
        NOT_A_NUMBER if wall is None else duration(wall),
        percent(counts.refused / replies) if replies else NOT_A_NUMBER,
        percent(counts.cut / replies) if replies else NOT_A_NUMBER,
        NOT_A_NUMBER if other is None or not replies else percent(other / counts.other_language_of),
    )
