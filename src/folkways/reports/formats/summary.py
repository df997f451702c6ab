"""The sentences at the top of a report: its subject, and what a reader must know before the numbers."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence

import polars as pl

from folkways.display import count, number, percent, plural, reasons, single_line
from folkways.evidence.answers import MANY_UNREADABLE, part_of_replies
from folkways.evidence.completeness import asked_apart
from folkways.names import WHOLE
from folkways.records import Metric
from folkways.reports.views.matrix import Column
from folkways.reports.views.views import ReportView, Score, TaskView

MAX_NAMED = 3


def listing(parts: list[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}" if parts else ""


def lede(view: ReportView) -> str:
    """Models and tasks in two sentences."""
    models = [view.short[name] for name in view.models]
    who = listing(models) if 0 < len(models) <= MAX_NAMED else _counted(view) if models else ""
    if view.baselines:
        who += f"{' beside ' if who else ''}{plural(len(view.baselines), 'baseline')}"
    where = [plural(len(view.tasks), "task")] + (
        [plural(len(view.cultures), "culture")] if view.cultures else []
    )
    expected, lost = _totals(view)
    replies = "every one got a reply" if not lost else f"{percent(1 - lost / expected)} got a reply"
    answers = "1 answer was" if expected == 1 else f"{count(expected)} answers were"
    return f"{who or 'No model'}, on {listing(where)}. {answers} expected; {replies}."


def _counted(view: ReportView) -> str:
    """How many models there are, each counted once, and in how many conditions they were asked."""
    asked = len({view.data.conditions.get(name, name) for name in view.models})
    of_conditions = f" in {plural(len(view.models), 'condition')}" if asked < len(view.models) else ""
    return f"{plural(asked, 'model')}{of_conditions}"


def glosses(metrics: Iterable[Metric]) -> dict[str, str]:
    """Label of a metric -> what it measures in half a sentence, without the reference to its paper."""
    return {metric.label: gloss for metric in metrics if (gloss := _gloss(metric.about))}


def _gloss(about: str) -> str:
    words = re.sub(r"\s*\([^()]*\)", "", single_line(about)).partition(". ")[0].rstrip(".")
    return words[:1].lower() + words[1:]


def interval_example(view: ReportView, matrix: Sequence[Column]) -> str:
    """What an interval is, by the first score of a model that has one; empty without any."""
    for column in matrix:
        for name in column.task.models:
            score = column.scores.get(name)
            if score is not None and score.low < score.high:
                part = f", {column.group}" if column.group else ""
                return (
                    f"{view.short[name]} scored {number(score.score)} on {column.task.title}{part}. Other "
                    "questions of the same kind would have given another score: over all of them, it "
                    f"probably lies between {number(score.low)} and {number(score.high)}. That is the "
                    "95\u202f% interval; one in twenty is wrong."
                )
    return ""


def unasked(view: ReportView) -> list[str]:
    """The papers' analyses that these judgements do not allow, a sentence for each reason."""
    names: dict[str, list[str]] = {}
    for name, reason in view.data.without_results.items():
        names.setdefault(reason, []).append(name)
    return [f"Not measured: {listing(titles)} ({reason})." for reason, titles in names.items()]


def doubts(view: ReportView, uncertain: Iterable[str] = ()) -> list[str]:
    """Limits of the numbers, in the same order for every format: models that were asked different items,
    replies that rules leave out, replies that could not be read; then ``uncertain`` (``overview.uncertain``),
    and warnings of runs and data.
    """
    return [*_unequal(view), *_left_out(view), *_unreadable(view), *uncertain, *view.data.warnings]


def notices(view: ReportView, uncertain: Iterable[str] = ()) -> list[str]:
    """What a reader must know before the numbers: missing replies, then ``doubts``."""
    return [*coverage_notices(view), *doubts(view, uncertain)]


def _totals(view: ReportView) -> tuple[int, int]:
    """The number of items expected of models and of those without a reply, counted once for all profiles and
    metrics; without any model, those of baselines that were asked, which always reply."""
    of_profile = (score for task in view.tasks for score in task.whole if score.profile == task.profile)
    first = [score for score in of_profile if score.endpoint in (view.models or view.asked)]
    return sum(score.n for score in first), sum(score.lost for score in first)


def _incomplete(view: ReportView) -> list[Score]:
    """One headline score for each endpoint and task with a coverage below 1."""
    worst: dict[tuple[str, str], Score] = {}
    for score in view.incomplete:
        worst.setdefault((score.endpoint, score.task), score)
    return list(worst.values())


def _losses(failed: int, missing: int) -> str:
    return listing(
        [f"{count(amount)} {word}" for amount, word in ((failed, "failed"), (missing, "missing")) if amount]
    )


def gaps(view: ReportView) -> list[str]:
    """A short sentence for each endpoint with a coverage below 1, the worst first."""
    scores = _incomplete(view)
    by_endpoint: dict[str, list[Score]] = {}
    for score in sorted(scores, key=lambda score: -score.lost):
        by_endpoint.setdefault(score.endpoint, []).append(score)
    sentences = []
    for endpoint, group in list(by_endpoint.items())[:MAX_NAMED]:
        failed, missing = sum(score.failed for score in group), sum(score.missing for score in group)
        if failed + missing == sum(score.n for score in group):
            consequence = "No reply came, so that nothing is known of it."
        else:
            consequence = "It counts as not right." if failed + missing == 1 else "These count as not right."
        sentences.append(
            f"{view.short[endpoint]}: {_losses(failed, missing)} of {count(sum(score.n for score in group))} "
            f"expected answers, on {plural(len(group), 'task')} (lowest coverage "
            f"{percent(min(score.coverage for score in group))}). {consequence}"
        )
    if len(by_endpoint) > MAX_NAMED:
        sentences.append(f"{plural(len(by_endpoint) - MAX_NAMED, 'further endpoint')} without full coverage.")
    return sentences


def coverage_notices(view: ReportView) -> list[str]:
    """A sentence for each headline score with a coverage below 1, with its upper limit."""
    tasks = {task.task: task for task in view.tasks}
    sentences = []
    for score in _incomplete(view):
        lost = (
            f"{_losses(score.failed, score.missing)} of {count(score.n)} expected answers (coverage "
            f"{percent(score.coverage)})"
        )
        if score.lost == score.n:
            best = "No reply came: there is no score, and nothing is known about the model."
        else:
            best = f"The score is {number(score.score)}"
            if not math.isnan(score.at_best) and score.at_best != score.score:
                of_opinions = tasks[score.task].metric.kind == "distribution"
                they = "answered as people do" if of_opinions else "been right"
                best += f"; had all of these {they}, it would be {number(score.at_best)}"
            best += "."
        sentences.append(f"{view.short[score.endpoint]}, {tasks[score.task].title}: {lost}. {best}")
    return sentences


def _left_out(view: ReportView) -> list[str]:
    """A sentence for each headline score of a model from which the rule of the profile leaves replies out,
    and why."""
    return [
        f"{view.short[score.endpoint]}, {task.title} ({score.profile}): "
        + (
            f"the score is a mean of {score.shown_n} expected answers"
            if score.left_out < score.n
            else f"there is no score of {plural(score.n, 'answer')}"
        )
        + f"; the rule leaves out {reasons(score.why_left_out)}."
        for task in view.tasks
        for score in task.whole
        if score.left_out and not score.baseline
    ]


def _unreadable(view: ReportView) -> list[str]:
    """A sentence for each model with many unreadable replies, which baselines always have.

    Replies that the rule leaves out are in ``_left_out``.
    """
    by_model: dict[str, list[tuple[int, int, TaskView]]] = {}
    for task in view.tasks:
        for score in task.whole:
            replies = score.n - score.lost
            shown = score.profile == task.profile and not (score.baseline or score.left_out)
            unreadable = score.unreadable or 0
            if shown and unreadable > MANY_UNREADABLE * replies:
                by_model.setdefault(score.endpoint, []).append((unreadable, replies, task))
    return [
        f"{view.short[endpoint]}: no answer could be read out of {_shares(shares)}. They count as wrong: "
        "read a few replies before you trust this score."
        for endpoint, shares in by_model.items()
    ]


def _shares(shares: list[tuple[int, int, TaskView]]) -> str:
    """Unreadable and all replies for each task, or in total if there are many tasks."""
    if len(shares) <= MAX_NAMED:
        return listing(
            [
                f"{part_of_replies(unread, replies, task.metric.per)} ({task.title})"
                for unread, replies, task in shares
            ]
        )
    parts = []
    for per in dict.fromkeys(task.metric.per for *_, task in shares):
        unread, replies = zip(*(share[:2] for share in shares if share[2].metric.per == per), strict=True)
        parts.append(f"{part_of_replies(sum(unread), sum(replies), per)} on {plural(len(unread), 'task')}")
    return listing(parts)


def _unequal(view: ReportView) -> list[str]:
    """A sentence for each task whose endpoints were asked different items: a limit, other cultures, another
    release."""
    sentences = []
    for task in view.tasks:
        scores = view.data.scores.filter(
            pl.col("endpoint").is_in([*view.asked]),
            task=task.task,
            profile=task.profile,
            metric=task.metric.name,
        )
        if asked_apart(scores, view.items_asked):
            sizes = scores.filter(facet=WHOLE)["n"].unique().sort()
            how_many = f"n is from {count(sizes[0])} to {count(sizes[-1])}"
            if sizes.len() == 1:
                how_many = f"though n is {count(sizes[0])} for each"
            sentences.append(
                f"{task.title}: not everyone was asked the same, {how_many}. Compare only rows with the same "
                "signature."
            )
    return sentences
