"""The sentences at the head of a report: what it is about, and what a reader must know before the numbers."""

from __future__ import annotations

from folkways.reports.text import count, number, percent, plural
from folkways.reports.views import ReportView, Score

STATE_WORDS = {"interrupted": "was interrupted before its end", "budget": "stopped before its budget was crossed"}


def lede(view: ReportView) -> str:
    """Who was asked what, in one or two sentences."""
    who = plural(len(view.models), "model")
    if view.baselines:
        who = f"{who} and {plural(len(view.baselines), 'baseline')}" if view.models else plural(len(view.baselines), "baseline")
    expected, lost = _totals(view)
    sentence = f"{who}, {plural(len(view.tasks), 'task')}"
    if view.cultures:
        sentence += f", {plural(len(view.cultures), 'culture')}"
    replies = "every one got a reply" if not lost else f"{percent(1 - lost / expected)} got a reply"
    return f"{sentence}. {count(expected)} answers were expected; {replies}."


def _totals(view: ReportView) -> tuple[int, int]:
    """Expected items and those without a reply, each counted once whatever the number of profiles and metrics."""
    first = [score for task in view.tasks for score in task.whole if score.profile == task.profile]
    return sum(score.n for score in first), sum(score.lost for score in first)


def coverage_notices(view: ReportView) -> list[str]:
    """One sentence for each headline score whose coverage is below 1."""
    titles = {task.task: task for task in view.tasks}
    seen: dict[tuple[str, str], Score] = {}
    for score in view.incomplete:
        seen.setdefault((score.endpoint, score.task), score)
    sentences = []
    for score in seen.values():
        lost = [
            f"{count(amount)} {word}"
            for amount, word in ((score.failed, "failed"), (score.missing, "never sent or still missing"))
            if amount
        ]
        sentences.append(
            f"{view.short[score.endpoint]} on {titles[score.task].title}: of {count(score.n)} expected answers {' and '.join(lost)} "
            f"(coverage {percent(score.coverage)}). They count as not right; had all of them been right, "
            f"the score would be {number(score.at_best)} instead of {number(score.score)}."
        )
    return sentences


def run_notices(view: ReportView) -> list[str]:
    """One sentence for each run that did not come to its end."""
    return [f"Run {run.name} {STATE_WORDS[run.state]}." for run in view.data.runs if run.state in STATE_WORDS]
