"""Requirements on the scores of a run, for continuous integration, decided on intervals.

A score is an estimate, and a build that breaks when a number moves within its interval teaches people to
ignore it. So a requirement *fails* only if the whole interval lies on the wrong side. If the interval lies on
both sides, or there is none, the check is *unsure* and passes with a warning; with ``strict`` it fails. A
score with too few replies always fails, and so does a task that the earlier run asked and this one did not. A
comparison with an earlier run that lacks a culture, or used other data, is unsure at best.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import polars as pl

from folkways.benchmarks.base import Task
from folkways.benchmarks.registry import expand_tasks
from folkways.cultures import select_cultures
from folkways.display import interval, named, number, plural
from folkways.errors import FolkwaysError, UnknownNameError, option
from folkways.evidence.answers import ENOUGH_REPLIES
from folkways.evidence.comparison import Comparison
from folkways.evidence.contrasts import CULTURE
from folkways.names import WHOLE, culture_name
from folkways.records import Metric, without_nan

DEFAULT_COVERAGE = 100 * ENOUGH_REPLIES
"""Percent of the expected items that need a reply before a check decides on the score."""


class Status(StrEnum):
    """The outcome of a check."""

    PASS = "pass"  # noqa: S105 - no password
    UNSURE = "unsure"
    FAIL = "fail"


@dataclass(frozen=True, slots=True)
class Check:
    """One requirement on one model. name: the requirement; message: the result, in one sentence."""

    name: str
    model: str
    status: Status
    message: str


@dataclass(frozen=True, slots=True)
class Minimum:
    """A score that must be reached.

    group: a culture (``ET``) or culture and language (``ET+am``); None for the whole task. bound: what the
    score must be at least, or at most where less of the metric is better.
    """

    task: str
    group: str | None
    bound: float

    @property
    def name(self) -> str:
        """The requirement as users write it: ``blend/saq:ET=30``."""
        return f"{self.task}{':' + self.group if self.group else ''}={self.bound:.15g}"


def parse_minimum(text: str) -> list[Minimum]:
    """Parse ``TASK[:CULTURE]=X``; a benchmark means each of its tasks. FolkwaysError for any other text."""
    what, value = _number(text, "TASK[:CULTURE]=X, for example blend/saq:ET=30")
    task, colon, group = what.partition(":")
    if colon and not group:
        raise FolkwaysError(
            f"{text!r} has no culture after the colon; valid: TASK[:CULTURE]=X, for example blend/saq:ET=30"
        )
    return [Minimum(member.name, group or None, value) for member in expand_tasks([task])]


def parse_drop(text: str) -> tuple[str, float]:
    """Parse ``RUN=Y``: the run to compare with, and by how much a score may be worse. FolkwaysError for any
    other text, or a negative Y."""
    run, most = _number(text, "RUN=Y, for example last-week=2")
    if most < 0:
        raise FolkwaysError(f"a drop must be 0 or more, got {text!r}")
    return run, most


def check_range(value: float, what: str, task: Task, metric: Metric, *, drop: bool = False) -> None:
    """FolkwaysError for a required value that ``metric`` of ``task`` cannot have.

    value: a score, or with ``drop`` a difference of two. what: the requirement as the user wrote it.
    """
    if not metric.has_direction:
        raise FolkwaysError(
            f"cannot require {what}: neither way of {metric.label} ({task.name}) is better; choose another "
            f"{option('metric')}"
        )
    if metric.bounds is None:
        return
    low, high = (metric.scale * bound for bound in metric.bounds)
    if drop:
        low, high = 0.0, high - low
    if not low <= value <= high:
        kind = "drops" if drop else "scores"
        raise FolkwaysError(
            f"cannot require {what}: {kind} of {metric.label} ({task.name}) lie between {low:g} and {high:g}"
        )


def _number(text: str, valid: str) -> tuple[str, float]:
    what, separator, value = text.rpartition("=")
    try:
        number = float(value)
    except ValueError:
        number = math.nan
    if not separator or not what:
        raise FolkwaysError(f"cannot read {text!r}; valid: {valid}")
    if not math.isfinite(number):
        raise FolkwaysError(
            f"cannot read {text!r}: {value!r} is not a finite number (most scores lie between 0 and 100); "
            f"valid: {valid}"
        )
    return what, number


def check_minimum(
    scores: pl.DataFrame,
    wanted: Minimum,
    metric: str,
    *,
    lower_is_better: bool = False,
    strict: bool = False,
    coverage: float = DEFAULT_COVERAGE,
    part: Sequence[str] = (),
) -> Iterator[Check]:
    """One check for each model in ``scores`` (records.SCORES, of one profile per task).

    wanted: the requirement.
    metric: name of the metric to check.
    lower_is_better: whether less of it is better: then the score may be ``wanted`` at most.
    strict: fail if unsure.
    coverage: percent of items that need a reply that counts in the score.
    part: clauses that say which part of the task this is, for the message. UnknownNameError
        for a task or group without scores.
    """
    of_task = without_nan(scores.filter(task=wanted.task))
    if of_task.is_empty():
        raise UnknownNameError("task of these scores", wanted.task, set(scores["task"]))
    if metric not in of_task["metric"]:
        raise UnknownNameError(f"metric of the scores of {wanted.task}", metric, set(of_task["metric"]))
    facet, value = group_of(of_task, wanted)
    measured = of_task.filter(facet=facet, value=value, metric=metric)
    for endpoint in of_task["endpoint"].unique(maintain_order=True):
        row = next(measured.filter(endpoint=endpoint).iter_rows(named=True), None)
        if row is None:
            message = "found nothing: none of its items has a value of this metric"
            yield Check(wanted.name, endpoint, Status.FAIL, message)
            continue
        score, low, high = row["score"], row["low"], row["high"]
        questions = plural(row["questions"], "question")
        score_text = "nothing" if score is None else f"{number(score)} ({_interval(low, high)}, {questions})"
        if 100 * row["coverage"] < coverage or score is None:
            status = Status.FAIL
            got = "are scored under this profile" if row["left_out"] else "got a reply"
            share = _percent(row["coverage"])
            decision = f"{share} % of the items {got}, less than {coverage:g} %: too few to decide on"
        else:
            status, decision = _decide(low, high, wanted.bound, lower_is_better, strict)
        note = f"; {'; '.join(part)}" if part else ""
        yield Check(wanted.name, row["endpoint"], status, f"found {score_text}; {decision}{note}")


def _percent(share: float) -> str:
    """A share in percent, with its decimal rounded down: 94.96 would be 95."""
    return f"{math.floor(round(1000 * share, 6)) / 10:g}"


def _interval(low: float | None, high: float | None) -> str:
    """The interval in words."""
    return "no interval" if low is None or high is None else f"95 % interval {interval(low, high, ' to ')}"


def _decide(
    low: float | None, high: float | None, required: float, lower_is_better: bool, strict: bool
) -> tuple[Status, str]:
    unsure = Status.FAIL if strict else Status.UNSURE
    if low is None or high is None:
        return (
            unsure,
            f"without an interval {required:g} is neither shown to be reached nor shown to be missed",
        )
    reached, missed = low >= required, high < required
    if lower_is_better:
        reached, missed = high <= required, low > required
    if reached:
        return Status.PASS, f"at {'most' if lower_is_better else 'least'} {required:g}, as required"
    if missed:
        return Status.FAIL, f"{'above' if lower_is_better else 'below'} {required:g} in the whole interval"
    return (
        unsure,
        f"{required:g} lies within the interval: it is neither shown to be reached nor shown to be missed",
    )


def group_of(of_task: pl.DataFrame, wanted: Minimum) -> tuple[str, str]:
    """Facet and value of the scores that a requirement is about; UnknownNameError for a group without
    scores."""
    if wanted.group is None:
        return "all", "all"
    facet = "culture+language" if "+" in wanted.group else "culture"
    values = of_task.filter(facet=facet)["value"].unique().to_list()
    if facet == "culture":
        return facet, select_cultures([wanted.group], values)[0]
    if wanted.group not in values:
        alone = f"{wanted.task}:{wanted.group.partition('+')[0]}"
        hint = "" if values else f"each culture was asked in one language alone; require {alone}"
        raise UnknownNameError("culture and language", wanted.group, values, hint=hint)
    return facet, wanted.group


def check_drop(
    comparison: Comparison,
    most: float,
    against: str,
    model: str,
    *,
    strict: bool = False,
    coverage: float = DEFAULT_COVERAGE,
) -> Check:
    """Check that the first model of a comparison is not worse than the second by more than ``most``.

    against: the earlier run.
    model: the first model, as a reader knows it.
    strict: fail if unsure.
    coverage: percent of the second model's rows, in the samples that the first was asked for as well, that
        both must have replied to. The message names another model, other settings or data, and cultures that
        are missing.
    """
    row = comparison.differences.filter(facet=WHOLE).row(0, named=True)
    answers, (first, second) = comparison.answers, comparison.models
    share = row["n"] / answers.expected_in_samples(second, of=first)
    gone = [culture_name(code) for code in answers.only_one(first, second, CULTURE).get(second, [])]
    message = (
        f"found {number(row['first_score'])} here and {number(row['second_score'])} there on "
        f"{plural(row['n'], 'shared row')}: "
        f"{number(row['difference'])} ({_interval(row['low'], row['high'])}); "
    )
    if 100 * share < coverage:
        status = Status.FAIL
        message += (
            f"{_percent(share)} % of what was asked there got a reply in both, less than {coverage:g} %: "
            "too few to decide on"
        )
    else:
        status, decision = _decide_drop(comparison, row, most, strict)
        message += decision
    if gone:
        message += f"; not compared: {named(gone)}, where no row got a reply both here and there"
    if "data" in comparison.unlike:
        message += "; the two were asked about other data"
    if status is Status.PASS and (gone or "data" in comparison.unlike):
        status = Status.FAIL if strict else Status.UNSURE
    notes = " ".join(comparison.notes)
    return Check(
        _drop_name(comparison.task, most, against), model, status, f"{message}. {notes}" if notes else message
    )


def _decide_drop(
    comparison: Comparison, row: Mapping[str, Any], most: float, strict: bool
) -> tuple[Status, str]:
    unsure = Status.FAIL if strict else Status.UNSURE
    lower = comparison.reversals.filter(ahead=row["second"])["name"].to_list()
    but = f"; but worse in {named(lower)}" if lower else ""
    drop = "rise" if comparison.metric.lower_is_better else "drop"
    if row["low"] is None:
        return (
            unsure,
            f"without an interval a {drop} of more than {most:g} is neither shown nor ruled out{but}",
        )
    low, high = (
        (-row["high"], -row["low"]) if comparison.metric.lower_is_better else (row["low"], row["high"])
    )
    if low >= -most:
        return Status.PASS, f"no {drop} of more than {most:g}{but}"
    if high < -most:
        return Status.FAIL, f"a {drop} of more than {most:g} in the whole interval"
    return (
        unsure,
        f"a {drop} of {most:g} lies within the interval: a larger one is neither shown nor ruled out{but}",
    )


def unknown_drop(task: str, most: float, against: str, model: str, status: Status, why: str) -> Check:
    """The check of a drop that cannot be computed.

    task, most, against, model: as in ``check_drop``. status: how to count it. why: the message.
    """
    return Check(_drop_name(task, most, against), model, status, why)


def lost_task(task: str, most: float, against: str, model: str) -> Check:
    """The failed check of a task that the earlier run asked and this one did not.

    task, most, against, model: as in ``check_drop``.
    """
    return Check(
        _drop_name(task, most, against),
        model,
        Status.FAIL,
        f"found nothing: {against} was asked {task}, this run was not",
    )


def _drop_name(task: str, most: float, against: str) -> str:
    return f"{task}: no more than {most:g} worse than {against}"


def failed(checks: Sequence[Check]) -> bool:
    """Whether any check failed."""
    return any(check.status is Status.FAIL for check in checks)
