"""How long people worked and what they are owed by the study's rate, with breaks taken out.

The time of an answer runs from taking the task to sending it, so that it counts the lunch in between. An
answer that took many times as long as is usual in its stage counts as long as this person usually takes
there, and so does one that was not timed because it was written off line.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import NamedTuple, TypeVar

import sqlalchemy as sa

from folkways.sdk.workspace import Workspace
from folkways_studio.database import schema
from folkways_studio.studies import service as studies

T = TypeVar("T")

BREAK_FACTOR, BREAK_SECONDS = 5.0, 120.0
"""An answer holds a break if it took this many times the stage's median, and this long at least."""

ENOUGH = 5
"""Answers of a person in a stage from which on their own median stands for what they usually take."""


@dataclass(frozen=True, slots=True)
class Rate:
    """What a study pays. per_hour, per_answer: in ``currency``; both may be given. training: whether the
    training before the work is paid as well, a case like an answer."""

    per_hour: float
    per_answer: float
    currency: str
    training: bool = False

    def worth(self, hours: float, answers: int) -> float:
        """What so much work is paid."""
        return self.per_hour * hours + self.per_answer * answers


@dataclass(frozen=True, slots=True)
class WorkingTime:
    """One person. answers: of all kinds, attention checks too, for they were work. median_seconds: per
    answer, over all stages.

    hours: of work, without breaks, and of training where that is paid; breaks: answers that held one. pay:
    None where the study has no rate.
    """

    participant_id: int
    pseudonym: str
    state: str
    answers: int
    median_seconds: float
    hours: float
    breaks: int
    pay: float | None


def rate_of(definition: Mapping[str, object]) -> Rate | None:
    """The rate in the description of a study (``pay``); None for none."""
    pay = definition.get("pay")
    if not isinstance(pay, Mapping):
        return None
    per_hour, per_answer = (float(pay.get(key) or 0) for key in ("per_hour", "per_answer"))
    return Rate(per_hour, per_answer, str(pay["currency"]), bool(pay.get("training")))


class WorkedAnswer(NamedTuple):
    """One answer as work. seconds: without breaks; None where nobody knows what an answer of its stage takes.
    is_check: a question of known answer."""

    participant_id: int
    stage_id: int
    item_id: int
    seconds: float | None
    had_break: bool
    is_check: bool


def worked_answers(workspace: Workspace, study_id: int) -> tuple[WorkedAnswer, ...]:
    """Every answer of everybody but staff, in order of arrival; attention checks and people who withdrew
    too."""
    judgements, people, items = schema.judgements, schema.participants, schema.items
    sent = (
        sa.select(
            judgements.c.participant_id, judgements.c.stage_id, judgements.c.item_id, judgements.c.seconds
        )
        .where(studies.judged_in(study_id))
        .order_by(judgements.c.id)
    )
    of_staff = sa.select(people.c.id).where(people.c.study_id == study_id, people.c.source == "staff")
    of_checks = sa.select(items.c.id).where(items.c.study_id == study_id, items.c.check.is_not(None))
    with workspace.read() as connection:
        rows = connection.execute(sent).all()  # first, as others may answer meanwhile
        staff, checks = ({*connection.scalars(query)} for query in (of_staff, of_checks))
    rows = [row for row in rows if row[0] not in staff]
    by_stage: defaultdict[int, list[float]] = defaultdict(list)
    times: defaultdict[tuple[int, int], list[float]] = defaultdict(list)
    for person, stage, _, seconds in rows:
        if seconds is not None:
            by_stage[stage].append(seconds)
            times[person, stage].append(seconds)
    usual = {stage: median(seconds) for stage, seconds in by_stage.items()}
    cleaned = {key: without_breaks(seconds, usual[key[1]]) for key, seconds in times.items()}
    expected = {
        stage.id: 60 * minutes
        for stage in studies.stages(workspace, study_id)
        if (minutes := stage.config["minutes"]) is not None
    }
    in_order = {key: iter(seconds) for key, seconds in cleaned.items()}
    answers = []
    for person, stage, item, seconds in rows:
        if seconds is None:
            worked = _typical(cleaned.get((person, stage), ()), usual.get(stage, expected.get(stage)))
        else:
            worked = next(in_order[person, stage])
        had_break = seconds not in (None, worked)
        answers.append(WorkedAnswer(person, stage, item, worked, had_break, item in checks))
    return tuple(answers)


def working_times(
    workspace: Workspace, study_id: int, worked: Sequence[WorkedAnswer] | None = None
) -> tuple[WorkingTime, ...]:
    """Everybody who sent an answer but staff, people who withdrew too: work is paid. workspace, study_id: the
    study. worked: its ``worked_answers``, where they were read already."""
    people = schema.participants
    rate = rate_of(studies.get_study(workspace, study_id).definition)
    answers: defaultdict[int, list[WorkedAnswer]] = defaultdict(list)
    for answer in worked_answers(workspace, study_id) if worked is None else worked:
        answers[answer.participant_id].append(answer)
    with workspace.read() as connection:
        rows = connection.execute(
            sa.select(people.c.id, people.c.pseudonym, people.c.state)
            .where(people.c.study_id == study_id, people.c.source != "staff")
            .order_by(people.c.id)
        ).all()
        trained = paid_training(connection, study_id, rate)
    working = []
    for person, pseudonym, state in rows:
        sent, training = answers[person], trained.get(person, PaidTraining(0, 0.0))
        if not sent and not training.cases:
            continue
        timed = [answer.seconds for answer in sent if answer.seconds is not None]
        hours = sum(timed) / 3600 + training.hours
        pay = None if rate is None else round(rate.worth(hours, len(sent) + training.cases), 2)
        usual = median(timed) if timed else 0.0
        breaks = sum(answer.had_break for answer in sent)
        working.append(WorkingTime(person, pseudonym, state, len(sent), usual, hours, breaks, pay))
    return tuple(working)


class PaidTraining(NamedTuple):
    """Training as work: cases that somebody answered, and the hours of them."""

    cases: int
    hours: float


def paid_training(connection: sa.Connection, study_id: int, rate: Rate | None) -> Mapping[int, PaidTraining]:
    """Id of each person of the study who answered a case of a training -> what of it is paid; empty where the
    rate pays none."""
    if rate is None or not rate.training:
        return {}
    standings, people = schema.standings, schema.participants
    query = (
        sa.select(standings.c.participant_id, standings.c.training)
        .join(people, people.c.id == standings.c.participant_id)
        .where(people.c.study_id == study_id, standings.c.training.is_not(None))
    )
    trained: dict[int, PaidTraining] = {}
    for person, training in connection.execute(query):
        if training["answered"]:
            before = trained.get(person, PaidTraining(0, 0.0))
            trained[person] = PaidTraining(
                before.cases + training["answered"], before.hours + training["seconds"] / 3600
            )
    return trained


def without_breaks(seconds: Sequence[float], usual: float) -> list[float]:
    """One person's times in a stage, those with a break shortened. usual: the median of the stage over all
    people."""
    longest = max(BREAK_FACTOR * usual, BREAK_SECONDS)
    typical = _typical([each for each in seconds if each <= longest], usual)
    return [each if each <= longest else typical for each in seconds]


def _typical(seconds: Sequence[float], usual: T) -> float | T:
    """What an answer takes somebody whose times these are; ``usual``, that of their stage, where they are
    few."""
    return median(seconds) if len(seconds) >= ENOUGH else usual


def longest_of(seconds: Sequence[float]) -> float:
    """How long an answer of a stage can count at most. seconds: of its answers, without breaks; one at
    least."""
    return max(BREAK_FACTOR * median(seconds), BREAK_SECONDS, *seconds)
