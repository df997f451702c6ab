"""Questions of known answer as they are given and judged: the test before a stage, and those among its work.

An answer to one changes the status of the person, and nothing of the item: the person's row is locked first,
as when people get work.
"""

from __future__ import annotations

import time
from dataclasses import replace

import sqlalchemy as sa

from folkways.sdk.workspace import Workspace
from folkways_studio.database import audit, schema
from folkways_studio.database.rows import get_row, get_value
from folkways_studio.items.service import add_slots
from folkways_studio.people import accounts
from folkways_studio.people.quality_status import quality_status, save_quality_status
from folkways_studio.people.suspension import exclude_within, fail_within, pause_within
from folkways_studio.records import (
    AT_WORK,
    AssignmentState,
    Item,
    ItemState,
    Participant,
    QualificationStatus,
    Stage,
    from_row,
)
from folkways_studio.stages.registry import stage_kind
from folkways_studio.work.known_answer_rules import Gold, Qualification, action
from folkways_studio.work.known_counts import STAGE, about, asked_in_try, count_fresh, fresh, known_counts

HAS_PASSED = ("passed", "waived")


def test_of(connection: sa.Connection, person: Participant, stage: Stage) -> Qualification | None:
    """The test that a person has to pass before this stage, passed or not; None where they have none."""
    test = Qualification.of(stage.config)
    if test is None or not test.populations:
        return test
    name = (
        None
        if person.population_id is None
        else get_value(connection, schema.populations.c.name, id=person.population_id)
    )
    return test if test.is_for(name) else None


def test_slot(connection: sa.Connection, person: Participant, stage: Stage) -> int | str | None:
    """A slot of the test before the stage; or the reason for having none (``failed``, ``none_left``); None
    for a person who needs none."""
    test = test_of(connection, person, stage)
    if test is None:
        return None
    standing = quality_status(connection, person.id, stage.id)
    if standing.test in HAS_PASSED:
        return None
    if standing.test == "failed":
        return "failed"
    count = asked_in_try(connection, person.id, stage.id, standing)
    if count >= test.questions:  # the test was made shorter meanwhile, or the rest is at hand
        ended = _judge_test(connection, person, stage, standing)
        return test_slot(connection, person, stage) if ended else "none_left"
    if count == 0 and count_fresh(connection, person, stage, test=True) < test.questions:
        return "none_left"  # a try is begun where it can be ended
    slot = known_slot(connection, person, stage, test=True)
    return slot if slot is not None else "none_left"


def test_is_over(workspace: Workspace, person: Participant, stage: Stage) -> bool:
    """Whether a try of the test is over and no other has begun."""
    with workspace.read() as connection:
        counts = known_counts(connection, person, [stage])[stage.id]
    return counts.standing.test is not None and not counts.asked


def last_test(workspace: Workspace, person: Participant) -> tuple[Stage, QualificationStatus] | None:
    """The stage of which a person ended a try of the test last, and how they stand; None before the first."""
    table, stages = schema.standings, schema.stages
    query = sa.select(table).where(table.c.participant_id == person.id, table.c.test.is_not(None))
    with workspace.read() as connection:
        row = connection.execute(query.order_by(table.c.test_from.desc()).limit(1)).first()
        if row is None:
            return None
        return from_row(Stage, get_row(connection, stages, id=row.stage_id)), from_row(
            QualificationStatus, row
        )


def known_slot(connection: sa.Connection, person: Participant, stage: Stage, *, test: bool) -> int | None:
    """The slot of the least asked question of known answer that this person may be asked; None for none.
    connection: of the caller. test: of the test before the stage, not among its work."""
    items, table = schema.items, schema.assignments
    times = (
        sa.select(sa.func.count())
        .where(table.c.item_id == items.c.id, table.c.participant_id.is_not(None))
        .correlate(items)
        .scalar_subquery()
    )
    fresh_items = sa.select(items.c.id, items.c.population_id).where(*fresh(STAGE, test=test))
    chosen = fresh_items.order_by(times, items.c.id).limit(1).with_for_update(of=items)
    row = connection.execute(chosen, about(person, stage)).first()
    if row is None:
        return None
    free = (
        sa.select(table.c.id)
        .where(table.c.item_id == row.id, table.c.state == AssignmentState.OPEN)
        .order_by(table.c.slot)
    )
    slot = connection.scalar(free.limit(1))  # what somebody gave back
    if slot is None:
        add_slots(connection, row.id, stage.id, row.population_id, 1)
        slot = connection.scalar(free.limit(1))
    return slot


def seed_of(person: Participant, stage: Stage) -> str:
    """What places the known answers among one person's work in a stage."""
    return f"{person.pseudonym}|{stage.name}"


def judge_known(connection: sa.Connection, person: Participant, item: Item, stage: Stage) -> str:
    """What follows for a person from their latest answer to an item of a stage: ``passed``, ``again`` or
    ``failed`` at the end of a test, ``warn``, ``pause`` or ``exclude`` by a rule, empty for nothing.
    The caller's connection holds the person's row."""
    if person.state not in AT_WORK:
        return ""
    standing = quality_status(connection, person.id, stage.id)
    if item.test:
        return _judge_test(connection, person, stage, standing)
    return _judge_gold(connection, person, stage, standing)


def answers_right(
    connection: sa.Connection, participant_id: int, stage: Stage, after: int, *, test: bool
) -> list[tuple[int, bool]]:
    """Judgement -> whether it is right, for a person's (participant_id) answers to known ones of a stage
    after the judgement ``after``, in order. connection: of the caller. test: of the test before the
    stage, not among its work.

    Questions that were dropped do not count.
    """
    items, judgements = schema.items, schema.judgements
    query = (
        sa.select(judgements.c.id, judgements.c.payload, items.c.check)
        .join(items, items.c.id == judgements.c.item_id)
        .where(
            judgements.c.participant_id == participant_id,
            judgements.c.stage_id == stage.id,
            judgements.c.id > after,
            items.c.check.is_not(None),
            items.c.test.is_(True) if test else items.c.test.is_not(True),
            items.c.state != ItemState.DROPPED,
        )
        .order_by(judgements.c.id)
    )
    kind, overlap = stage_kind(stage.kind), overlap_of(stage)
    return [(row.id, kind.is_right(row.payload, row.check, overlap)) for row in connection.execute(query)]


def overlap_of(stage: Stage) -> float:
    """How much of two sets of marks has to be shared in this stage."""
    gold = Gold.of(stage.config)
    return gold.overlap if gold is not None else 1.0


def _judge_test(
    connection: sa.Connection, person: Participant, stage: Stage, standing: QualificationStatus
) -> str:
    test = test_of(connection, person, stage)
    if test is None or standing.test in HAS_PASSED:
        return ""
    answers = answers_right(connection, person.id, stage, standing.test_from, test=True)
    if len(answers) < test.questions:
        return ""
    right, tries = sum(each for _, each in answers), standing.tries + 1
    if right >= test.needed:
        outcome = "passed"
    elif tries < test.tries and count_fresh(connection, person, stage, test=True) >= test.questions:
        outcome = "again"
    else:
        outcome = "failed"
    updated = replace(
        standing, test=outcome, tries=tries, right=right, asked=len(answers), test_from=answers[-1][0]
    )
    save_quality_status(connection, updated)
    details = {"stage": stage.name, "right": right, "asked": len(answers), "try": tries}
    kind = "participant.test_passed" if outcome == "passed" else "participant.test_failed"
    audit.record_event(connection, kind, study_id=person.study_id, participant_id=person.id, details=details)
    if outcome == "failed" and not _has_another_stage(connection, person):
        fail_within(connection, person, test.pay)
    return outcome


def _has_another_stage(connection: sa.Connection, person: Participant) -> bool:
    """Whether there is a stage that a person may work on, or whose test they have not failed."""
    roles = [str(role) for role in accounts.roles_within(connection, person.study_id, person.account_id)]
    stages = sa.select(schema.stages).where(
        schema.stages.c.study_id == person.study_id, schema.stages.c.role.in_(roles)
    )
    for row in connection.execute(stages).all():
        stage = from_row(Stage, row)
        tested = test_of(connection, person, stage) is not None
        if not tested or quality_status(connection, person.id, stage.id).test != "failed":
            return True
    return False


def _judge_gold(
    connection: sa.Connection, person: Participant, stage: Stage, standing: QualificationStatus
) -> str:
    gold = Gold.of(stage.config)
    if gold is None or not gold.rules:
        return ""
    answers = answers_right(connection, person.id, stage, standing.gold_from, test=False)
    right, total = sum(each for _, each in answers), len(answers)
    rule = action(gold.rules, right, total)
    if rule is None:
        return ""
    why = f"{right} of {total} known answers right in {stage.name}"
    if rule.then == "exclude":
        exclude_within(connection, person, why, pay=rule.pay)
    elif rule.then == "pause":
        pause_within(connection, person, why)
    elif standing.warned is not None:
        return ""
    else:
        save_quality_status(connection, replace(standing, warned=time.time()))
        details = {"stage": stage.name, "right": right, "asked": total}
        audit.record_event(
            connection,
            "participant.warned",
            study_id=person.study_id,
            participant_id=person.id,
            details=details,
        )
    return rule.then
