"""How far a study is, and how people work: counts per stage and population, time per item, flags,
payments."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from statistics import median
from typing import Any

import orjson
import sqlalchemy as sa

from folkways.sdk.workspace import Workspace
from folkways_studio.database import audit, schema
from folkways_studio.database.rows import get_value
from folkways_studio.people.participants import RETURNED, STUDY
from folkways_studio.records import (
    LEFT_OUT,
    AssignmentState,
    ItemState,
    Participant,
    ParticipantState,
    Stage,
    from_row,
)
from folkways_studio.stages.registry import stage_kind
from folkways_studio.studies import service as studies
from folkways_studio.studies.working_time import paid_training, rate_of
from folkways_studio.work.eligible_slots import Counts, counts_of, counts_of_person, counts_within
from folkways_studio.work.known_answer_rules import Gold, Qualification
from folkways_studio.work.known_answers import HAS_PASSED, seed_of
from folkways_studio.work.known_counts import KnownCounts, about, known_counts


@dataclass(frozen=True, slots=True)
class Progress:
    """One stage and population. items by state; slots by state, without answers that count nowhere because
    their people left; median_seconds: per answer, None where there is none yet."""

    stage: str
    population: str | None
    draft: int
    open: int
    done: int
    dropped: int
    slots_open: int
    slots_leased: int
    slots_done: int
    median_seconds: float | None


def progress(workspace: Workspace, study_id: int) -> tuple[Progress, ...]:
    """Every stage by population, in order; those that have no items yet are there with zeros (population
    None)."""
    items, table, judgements, people = (
        schema.items, schema.assignments, schema.judgements, schema.participants,
    )  # fmt: skip
    ours = items.c.study_id == study_id, items.c.check.is_(None)

    def counted(of: sa.Table, rows: sa.FromClause) -> sa.Select[Any]:
        same = (of.c.stage_id, of.c.population_id, of.c.state)
        return sa.select(*same, sa.func.count().label("n")).select_from(rows).where(*ours).group_by(*same)

    of_items, of_slots = (
        counted(items, items),
        counted(table, table.join(items, items.c.id == table.c.item_id)).where(
            table.c.participant_id.is_(None)
            | (table.c.state != AssignmentState.DONE)
            | table.c.participant_id.not_in(
                sa.select(people.c.id).where(people.c.study_id == study_id, people.c.state.in_(LEFT_OUT))
            )
        ),
    )
    of_time = sa.select(judgements.c.item_id, judgements.c.seconds).where(
        studies.judged_in(study_id), judgements.c.seconds.is_not(None)
    )
    of_places = sa.select(items.c.id, items.c.stage_id, items.c.population_id).where(*ours)
    names = {population.id: population.name for population in studies.populations(workspace, study_id)}
    with workspace.read() as connection:
        items_in = {
            (row.stage_id, row.population_id, row.state): row.n for row in connection.execute(of_items)
        }
        slots = {(row.stage_id, row.population_id, row.state): row.n for row in connection.execute(of_slots)}
        times: dict[tuple[int, int | None], list[float]] = {}
        place_of = {
            item: (stage, population) for item, stage, population in connection.execute(of_places).all()
        }
        for item, seconds in connection.execute(of_time).all():
            if item in place_of:
                times.setdefault(place_of[item], []).append(seconds)
    rows = []
    for stage in studies.stages(workspace, study_id):
        seen = {key[1] for key in items_in if key[0] == stage.id}
        places = [place for place in (None, *names) if place in seen]
        for place in places or [None]:
            timed = times.get((stage.id, place))
            counts = {str(state): items_in.get((stage.id, place, state), 0) for state in ItemState}
            counts |= {
                f"slots_{state}": slots.get((stage.id, place, state), 0)
                for state in AssignmentState
                if state != AssignmentState.CLOSED
            }
            population = names.get(place) if place is not None else None
            rows.append(
                Progress(stage.name, population, **counts, median_seconds=median(timed) if timed else None)
            )
    return tuple(rows)


STALLED_SECONDS = 2 * 86_400.0
"""A stage at which nobody works is stalled once its last answer is older than this."""


@dataclass(frozen=True, slots=True)
class StalledStage:
    """A stage that lacks answers and gets none. lacking: answers that are asked for; last: when the last one
    came, in seconds since the epoch, None for never."""

    stage: str
    lacking: int
    last: float | None


def stalled_stages(
    workspace: Workspace, study_id: int, rows: Sequence[Progress], now: float
) -> tuple[StalledStage, ...]:
    """The stages of a study of the workspace with open slots at which nobody works, whose last answer (or
    first item, where there is none) is older than STALLED_SECONDS.

    study_id: the study; rows: its ``progress``; now: seconds since the epoch.
    """
    stages, items, judgements = schema.stages, schema.items, schema.judgements
    last = sa.select(sa.func.max(judgements.c.created)).where(judgements.c.stage_id == stages.c.id)
    begun = sa.select(sa.func.min(items.c.created)).where(items.c.stage_id == stages.c.id)
    query = (
        sa.select(stages.c.name, last.scalar_subquery().label("last"), begun.scalar_subquery().label("begun"))
        .where(stages.c.study_id == study_id)
        .order_by(stages.c.position)
    )
    with workspace.read() as connection:
        moments = connection.execute(query).all()
    stalled = []
    for each in moments:
        of_stage = [row for row in rows if row.stage == each.name]
        lacking = sum(row.slots_open for row in of_stage)
        since = each.begun if each.last is None else each.last
        is_idle = not any(row.slots_leased for row in of_stage) and since is not None
        if lacking and is_idle and now - since > STALLED_SECONDS:
            stalled.append(StalledStage(each.name, lacking, each.last))
    return tuple(stalled)


_OWN_STAGES = (
    sa.select(
        schema.stages,
        *counts_of(schema.stages.c.id),
        sa.exists()
        .where(
            schema.assignments.c.stage_id == schema.stages.c.id,
            schema.assignments.c.participant_id == sa.bindparam("person"),
            schema.assignments.c.state == AssignmentState.LEASED,
        )
        .label("at_hand"),
    )
    .where(
        schema.stages.c.study_id == sa.bindparam("study"),
        schema.stages.c.role.in_(
            sa.select(schema.roles.c.role).where(
                schema.roles.c.study_id == sa.bindparam("study"),
                schema.roles.c.account_id == sa.bindparam("account"),
            )
        ),
    )
    .order_by(schema.stages.c.position)
)
"""Made once, as making it costs more than running it."""


@dataclass(frozen=True, slots=True)
class OwnProgress:
    """What one person did and has left in a stage. left: items that they could be given now; None where they
    write their own.

    seconds_left: at their own median speed; None before the first answer. at_hand: whether they hold a task,
    which is counted neither as done nor as left. answers: without those of a test; counted in
    ``own_progress_everywhere`` alone.
    """

    done: int
    left: int | None
    seconds_left: float | None
    at_hand: bool = True
    answers: int = 0

    @property
    def total(self) -> int | None:
        """All that they could give, with the task at hand; None for nobody knows."""
        return None if self.left is None else self.done + self.left + self.at_hand

    @property
    def minutes_left(self) -> int | None:
        """With the task at hand; None for nobody knows."""
        if not self.left or self.seconds_left is None:
            return None
        return max(1, round(self.seconds_left / self.left * (self.left + self.at_hand) / 60))

    @property
    def goes_on(self) -> bool:
        """Whether there is, or may be, something to do."""
        return self.at_hand or self.left != 0


def own_progress(
    workspace: Workspace, person: Participant, stage: Stage, counts: Counts | None = None
) -> OwnProgress:
    """How far one person of the workspace is in a stage, or in the test before it, for the line above
    their task. Questions of known answer among the work are counted like all others. counts: of them in
    the stage, if they were read before."""
    if counts is None:
        with workspace.read() as connection:
            counts = counts_of_person(connection, person, stage)
    return _progress(workspace, person, [(stage, counts)])[0]


def own_progress_everywhere(workspace: Workspace, person: Participant) -> list[tuple[Stage, OwnProgress]]:
    """The stages that the person works on, in order, with their ``own_progress``."""
    rows = _own_rows(workspace, person)
    stages = [(from_row(Stage, row), counts_within(row)) for row in rows]
    return [
        (stage, replace(each, at_hand=bool(row.at_hand), answers=counts.answered))
        for row, (stage, counts), each in zip(rows, stages, _progress(workspace, person, stages), strict=True)
    ]


def own_stages(workspace: Workspace, person: Participant) -> list[tuple[Stage, Counts]]:
    """The stages that a person works on, in order, and how far they are in each."""
    return [(from_row(Stage, row), counts_within(row)) for row in _own_rows(workspace, person)]


def _own_rows(workspace: Workspace, person: Participant) -> Sequence[Any]:
    values = {**about(person), "study": person.study_id, "account": person.account_id}
    with workspace.read() as connection:
        return connection.execute(_OWN_STAGES, values).all()


def tasks_ahead(workspace: Workspace, person: Participant) -> list[tuple[Stage, int | None]]:
    """The stages that a person of the workspace works on, in order, with how many tasks they could be given
    there now, those of known answer and of the test among them; None where they write as much as they
    like."""
    stages = own_stages(workspace, person)
    by_stage = _known_counts(workspace, person, stages)
    tasks = []
    for stage, counts in stages:
        of_known = by_stage.get(stage.id)
        test, left = _test_before(stage, counts, of_known), _left(person, stage, counts, of_known)
        tasks.append((stage, left if left is None or test is None else left + test))
    return tasks


def _known_counts(
    workspace: Workspace, person: Participant, stages: Sequence[tuple[Stage, Counts]]
) -> Mapping[int, KnownCounts]:
    checked = [stage for stage, _ in stages if Gold.of(stage.config) or Qualification.of(stage.config)]
    if not checked:  # most studies have no questions of known answer
        return {}
    with workspace.read() as connection:
        return known_counts(connection, person, checked)


def _progress(
    workspace: Workspace, person: Participant, stages: Sequence[tuple[Stage, Counts]]
) -> list[OwnProgress]:
    by_stage = _known_counts(workspace, person, stages)
    return [_mine(person, stage, counts, by_stage.get(stage.id)) for stage, counts in stages]


def _mine(person: Participant, stage: Stage, counts: Counts, known: KnownCounts | None) -> OwnProgress:
    left_of_test = _test_before(stage, counts, known)
    if known is not None and left_of_test is not None:
        done, seconds, left = known.answered, known.seconds, left_of_test
        return OwnProgress(done, left, median(seconds) * left if seconds else None)
    done, seconds, work = counts.answered, counts.seconds, _left(person, stage, counts, known)
    return OwnProgress(done, work, median(seconds) * work if seconds and work is not None else None)


def _left(person: Participant, stage: Stage, counts: Counts, known: KnownCounts | None) -> int | None:
    """How many items a person could be given, with those of known answer among them."""
    left, gold = counts.left(stage), Gold.of(stage.config)
    if left is None or known is None or gold is None:
        return left
    so_far, seed = counts.taken + known.gold_asked, seed_of(person, stage)
    return left + gold.ahead(so_far, left, known.fresh_gold, seed)


def _test_before(stage: Stage, counts: Counts, known: KnownCounts | None) -> int | None:
    """How many questions of the test before the work are left; None where there is none, or it is passed."""
    test = Qualification.of(stage.config)
    if known is None or test is None or not test.is_for(known.population):
        return None
    if known.standing.test in HAS_PASSED:
        return None
    return 0 if counts.left(stage) == 0 else _left_of_test(known, test.questions)


def _left_of_test(known: KnownCounts, questions: int) -> int:
    """How many questions of the test a person could still be given in this try; 0 where there are too few to
    begin."""
    if known.standing.test == "failed":
        return 0
    return 0 if known.asked == 0 and known.fresh < questions else min(questions - known.asked, known.fresh)


@dataclass(frozen=True, slots=True)
class Quality:
    """How one person works in one stage. Flags are reasons to look, not verdicts.

    speeding: share of answers under the stage's ``min_seconds`` (None where it has none). same: longest run
    of two or more equal answers, as a share of all. checks, checks_failed: known answers among the work.
    flags: ``speeding`` (a fifth or more), ``straight-lining`` (ten or more equal answers in a row, and half
    of all), ``attention`` (a check failed), ``few`` (fewer answers than the stage's ``least``).
    """

    participant_id: int
    pseudonym: str
    stage: str
    answers: int
    median_seconds: float | None
    speeding: float | None
    same: float
    checks: int
    checks_failed: int
    flags: tuple[str, ...]


Line = tuple[tuple[str, object], ...]
"""The labels of an answer, to be compared."""
_Answer = tuple[str, float | None, Mapping[str, Any] | None]
"""Payload as it is stored, seconds, and what is right where that is known."""
SPEEDING_SHARE = 0.2
STRAIGHT_LINE = 10


def quality(workspace: Workspace, study_id: int, participant_id: int | None = None) -> tuple[Quality, ...]:
    """Every person in every stage that they answered in, by participant and stage; of one person, if
    participant_id names one."""
    judgements, items, people = schema.judgements, schema.items, schema.participants
    select_answers = (
        sa.select(
            judgements.c.participant_id,
            judgements.c.stage_id,
            judgements.c.item_id,
            sa.type_coerce(judgements.c.payload, sa.Text),
            judgements.c.seconds,
        )
        .where(studies.judged_in(study_id))
        .order_by(judgements.c.id)
    )
    if participant_id is not None:
        select_answers = select_answers.where(judgements.c.participant_id == participant_id)
    select_checks = sa.select(items.c.id, items.c.check, items.c.test).where(
        items.c.study_id == study_id, items.c.check.is_not(None) | items.c.test
    )
    select_people = sa.select(people.c.id, people.c.pseudonym).where(people.c.study_id == study_id)
    stages = {stage.id: stage for stage in studies.stages(workspace, study_id)}
    groups: dict[tuple[int, int], list[_Answer]] = {}
    with workspace.read() as connection:
        answers = connection.execute(select_answers).all()  # first, as others may answer meanwhile
        checks = {row.id: row for row in connection.execute(select_checks)}
        pseudonyms = dict(connection.execute(select_people).all())
    for person, stage, item, payload, seconds in answers:
        row = checks.get(item)
        if row is None or not row.test:
            check = None if row is None else row.check
            groups.setdefault((person, stage), []).append((payload, seconds, check))
    lines: defaultdict[int, dict[str, Line]] = defaultdict(dict)
    return tuple(
        _quality_of(person, pseudonyms[person], stages[stage], groups[person, stage], lines[stage])
        for person, stage in sorted(groups, key=lambda key: (key[0], stages[key[1]].position))
    )


def _quality_of(
    participant_id: int, pseudonym: str, stage: Stage, rows: list[_Answer], lines: dict[str, Line]
) -> Quality:
    """How somebody works in a stage. rows: their answers. lines: payload -> labels, read once for all answers
    of the stage that say the same."""
    kind, config = stage_kind(stage.kind), stage.config
    checks = [(payload, check) for payload, _, check in rows if check is not None]
    answers = [(payload, seconds) for payload, seconds, check in rows if check is None]
    gold = Gold.of(config)
    overlap = gold.overlap if gold else 1.0
    failed = sum(not kind.is_right(orjson.loads(payload), check, overlap) for payload, check in checks)
    seconds = [each for _, each in answers if each is not None]
    least = config["min_seconds"]
    speeding = sum(each < least for each in seconds) / len(seconds) if least and seconds else None
    for payload, _ in answers:
        if payload not in lines:
            lines[payload] = tuple(sorted(kind.labels(orjson.loads(payload)).items()))
    labels = [lines[payload] for payload, _ in answers]
    run = longest_run(labels) if any(labels) else 0
    flags = []
    if speeding is not None and speeding >= SPEEDING_SHARE:
        flags.append("speeding")
    if run >= STRAIGHT_LINE and run * 2 >= len(answers):
        flags.append("straight-lining")
    if failed:
        flags.append("attention")
    if len(answers) < (config.get("least") or 0):
        flags.append("few")
    return Quality(
        participant_id=participant_id,
        pseudonym=pseudonym,
        stage=stage.name,
        answers=len(answers),
        median_seconds=median(seconds) if seconds else None,
        speeding=speeding,
        same=run / len(answers) if answers else 0.0,
        checks=len(checks),
        checks_failed=failed,
        flags=tuple(flags),
    )


def longest_run(values: list[Line]) -> int:
    """The most equal values that follow one another; 0 where no two do."""
    best = max((len([*run]) for _, run in groupby(values)), default=0)
    return best if best > 1 else 0


@dataclass(frozen=True, slots=True)
class Payment:
    """What one person is owed for: work, not attributes. external: the recruitment service's id, while it is
    not deleted. answers_by_study: of those, since the person came by each study there ("" where the link
    named none)."""

    pseudonym: str
    external: str | None
    state: str
    answers: int
    minutes: float
    code: str | None
    answers_by_study: Mapping[str, int]


def payments(workspace: Workspace, study_id: int) -> tuple[Payment, ...]:
    """Everybody who answered anything, was screened out, or went through training that is paid, with the
    completion code that they are to have; withdrawn people too."""
    judgements, participants, attributes = schema.judgements, schema.participants, schema.attributes
    work = (
        sa.select(
            judgements.c.participant_id,
            sa.func.count().label("n"),
            sa.func.sum(judgements.c.seconds).label("seconds"),
        )
        .group_by(judgements.c.participant_id)
        .subquery()
    )
    of_service = attributes.alias()
    query = (
        sa.select(participants, work.c.n, work.c.seconds, attributes.c.value, of_service.c.value.label("by"))
        .outerjoin(work, work.c.participant_id == participants.c.id)
        .outerjoin(
            attributes,
            sa.and_(attributes.c.participant_id == participants.c.id, attributes.c.name == "prolific_pid"),
        )
        .outerjoin(
            of_service, sa.and_(of_service.c.participant_id == participants.c.id, of_service.c.name == STUDY)
        )
        .where(participants.c.study_id == study_id, participants.c.source != "staff")
        .order_by(participants.c.id)
    )
    definition = studies.get_study(workspace, study_id).definition
    codes = definition.get("prolific") or {}
    with workspace.read() as connection:
        trained = paid_training(connection, study_id, rate_of(definition))
        returned = _answers_of_returned(connection, study_id)
        return tuple(
            Payment(
                row.pseudonym,
                row.value,
                row.state,
                row.n or 0,
                round(row.seconds / 60, 1) if row.seconds else 0.0,
                codes.get(row.pay or _earned(row.state, row.n or 0)),
                returned.get(row.id) or {row.by or "": row.n or 0},
            )
            for row in connection.execute(query)
            if row.n or row.state == ParticipantState.SCREENED_OUT or row.id in trained
        )


def _earned(state: str, answers: int) -> str | None:
    """The name of the code of somebody in that state who sent that many answers."""
    if state == ParticipantState.SCREENED_OUT:
        return "screened_out"
    return "completed" if answers else None


def has_answered_since_return(workspace: Workspace, person: Participant) -> bool:
    """Whether somebody who came by several studies of the recruitment service has answered for the one by
    which they came last; True for everybody else."""
    if person.source != "prolific":
        return True
    with workspace.read() as connection:
        now = get_value(connection, schema.attributes.c.value, participant_id=person.id, name=STUDY)
        answers = _answers_of_returned(connection, person.study_id, person.id).get(person.id)
    return answers is None or answers[now or ""] > 0


def _answers_of_returned(
    connection: sa.Connection, study_id: int, person_id: int | None = None
) -> dict[int, Counter[str]]:
    """Id of each person (or only person_id) who came by several studies of the recruitment service -> study
    there -> answers since they came by it."""
    events, judgements = schema.events, schema.judgements
    query = sa.select(events).where(events.c.study_id == study_id, events.c.kind == RETURNED)
    if person_id is not None:
        query = query.where(events.c.participant_id == person_id)
    arrivals: defaultdict[int, list[tuple[float, str]]] = defaultdict(list)
    for event in connection.execute(query.order_by(events.c.id)):
        if event.participant_id not in arrivals:
            arrivals[event.participant_id].append((0.0, event.details["before"] or ""))
        arrivals[event.participant_id].append((event.at, event.details["now"]))
    answers = {person: Counter({study: 0 for _, study in times}) for person, times in arrivals.items()}
    of_stages = sa.select(schema.stages.c.id).where(schema.stages.c.study_id == study_id)
    answered_at = sa.select(judgements.c.participant_id, judgements.c.created).where(
        judgements.c.stage_id.in_(of_stages)
    )
    if person_id is not None:
        answered_at = answered_at.where(judgements.c.participant_id == person_id)
    for row in connection.execute(answered_at) if arrivals else ():
        if row.participant_id in arrivals:
            studies_before = [study for at, study in arrivals[row.participant_id] if at <= row.created]
            answers[row.participant_id][studies_before[-1]] += 1
    return answers


def read_payments(
    workspace: Workspace, study_id: int, *, by: int | None = None, shown: slice = slice(None)
) -> tuple[Payment, ...]:
    """``payments`` for somebody who reads them, which the audit trail tells, because the service's ids are
    personal details. workspace, study_id: the study. by: the account that reads them. shown: which of them
    it is shown."""
    rows = payments(workspace, study_id)
    audit.record_event_now(workspace, "payments.read", study_id, by, details={"n": len(rows[shown])})
    return rows
