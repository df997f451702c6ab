"""Who works on what. A slot is a row, and taking it is one statement on that row: an item can never be given to more people than it
has slots, whatever happens at the same time.

SQLite has one writer at a time (immediate transactions). On PostgreSQL people take different rows side by side: each asks for the
first free one that nobody else has locked (``FOR UPDATE SKIP LOCKED``).
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

import sqlalchemy as sa

from folkways.studio.errors import ConflictError
from folkways.studio.records import (
    Assignment,
    AssignmentState,
    Item,
    ItemState,
    Participant,
    ParticipantState,
    Stage,
    StudyState,
    from_row,
)
from folkways.studio.rules.counts import room
from folkways.studio.services.items import add_revision
from folkways.studio.services.people import accounts
from folkways.studio.services.rows import change_rows, count, get_row, get_value, inserted_id
from folkways.studio.services.work.eligible_slots import attention_check, free_slot, taken_by, test_first
from folkways.studio.services.work.leases import own_assignment, renewed
from folkways.studio.stages.registry import stage_kind
from folkways.workspace.database import Workspace
from folkways.workspace.studio import tables as schema


@dataclass(frozen=True, slots=True)
class Work:
    """What a person is to do now: the slot, its item and its stage."""

    assignment: Assignment
    item: Item
    stage: Stage


@dataclass(frozen=True, slots=True)
class NoWork:
    """Why there is nothing to do. reason: ``paused``, ``closed``, ``not_active``, ``cap``, ``quota``, ``failed`` (the test) or
    ``none_left``.
    """

    reason: str


def claim_next(
    workspace: Workspace, participant_id: int, *, stage: str | None = None, after: str | None = None, now: float | None = None
) -> Work | NoWork:
    """Give a person what they have at hand, or else the next free slot of a stage that they work on.

    stage: its name, None for the first stage (in order) that has something. after: the stage that they have just worked on, ""
    where it is not known: more of it comes first, and nobody is put to writing items of their own without asking. Whoever asks
    twice, in two tabs perhaps, is given the same slot twice. Nobody is given an item twice, or one that descends from their own,
    or one of another population.
    """
    now = time.time() if now is None else now
    with workspace.claim() as connection:
        person = _worker(connection, participant_id)
        if isinstance(person, NoWork):
            return person
        stages = _stages(connection, person, stage)
        if after is not None:
            stages = _going_on(stages, after)
        why = NoWork("none_left")
        for each in stages:
            taken = _at_hand(connection, person, each)
            if taken is not None:
                return _work(connection, taken, each, now)
        for each in stages:
            found = _take(connection, person, each, now, _lease_end(each, now))
            if isinstance(found, int):
                return _work(connection, found, each, now)
            why = found
        return why


def claim_batch(
    workspace: Workspace, participant_id: int, stage: str, count: int, *, seconds: float, now: float | None = None
) -> tuple[Work, ...] | NoWork:
    """Give a person what they have at hand in a stage and further slots up to ``count``, all leased for ``seconds``: to work
    off line.

    Not for stages in which people write items of their own. NoWork where there is not even one.
    """
    now = time.time() if now is None else now
    with workspace.claim() as connection:
        person = _worker(connection, participant_id)
        if isinstance(person, NoWork):
            return person
        stages = _stages(connection, person, stage)
        if not stages or stage_kind(stages[0].kind).authored:
            return NoWork("none_left")
        table = schema.assignments
        held = sa.select(table.c.id).where(
            table.c.stage_id == stages[0].id, table.c.participant_id == person.id, table.c.state == AssignmentState.LEASED
        )
        found = list(connection.scalars(held.order_by(table.c.id).with_for_update()))[:count]
        why = NoWork("none_left")
        while len(found) < count:
            taken = _take(connection, person, stages[0], now, now + seconds)
            if isinstance(taken, NoWork):
                why = taken
                break
            found.append(taken)
        works = tuple(_work(connection, each, stages[0], now, seconds) for each in found)
        return works or why


def _worker(connection: sa.Connection, participant_id: int) -> Participant | NoWork:
    """The person, who may work at this moment. Their row is locked: two tabs of one person take turns, so that caps hold and both
    are given the same slot.
    """
    person = from_row(Participant, get_row(connection, schema.participants, id=participant_id, lock="key"))
    if person.state == ParticipantState.FINISHED:
        values = {"state": str(ParticipantState.ACTIVE), "left": None}
        change_rows(connection, schema.participants, {"id": person.id}, **values)
    elif person.state != ParticipantState.ACTIVE:
        return NoWork("not_active")
    state = get_value(connection, schema.studies.c.state, id=person.study_id)
    if state != StudyState.OPEN:
        return NoWork("closed" if state == StudyState.CLOSED else "paused")
    return person


def _stages(connection: sa.Connection, person: Participant, name: str | None) -> list[Stage]:
    roles = accounts.roles_within(connection, person.study_id, person.account_id)
    query = sa.select(schema.stages).where(
        schema.stages.c.study_id == person.study_id, schema.stages.c.role.in_([str(role) for role in roles])
    )
    if name is not None:
        query = query.where(schema.stages.c.name == name)
    return [from_row(Stage, row) for row in connection.execute(query.order_by(schema.stages.c.position))]


def _going_on(stages: list[Stage], after: str) -> list[Stage]:
    return [each for each in stages if each.name == after] + [
        each for each in stages if each.name != after and not stage_kind(each.kind).authored
    ]


def _at_hand(connection: sa.Connection, person: Participant, stage: Stage) -> int | None:
    """A slot that is leased to this person, even if the lease ran out, as long as nobody else took it."""
    table = schema.assignments
    mine = sa.select(table.c.id).where(
        table.c.stage_id == stage.id, table.c.participant_id == person.id, table.c.state == AssignmentState.LEASED
    )
    return connection.scalar(mine.order_by(table.c.id).limit(1).with_for_update())


def _lease_end(stage: Stage, now: float) -> float:
    return now + 60.0 * float(stage.config["lease_minutes"])


def _take(connection: sa.Connection, person: Participant, stage: Stage, now: float, until: float) -> int | NoWork:
    taken = taken_by(connection, person.id, stage.id)
    if room(taken, stage.config["cap"]) == 0:
        return NoWork("cap")
    if stage_kind(stage.kind).authored:
        return _begin(connection, person, stage, now)
    found = test_first(connection, person, stage, now)
    if isinstance(found, str):
        return NoWork(found)
    if found is None:
        found = attention_check(connection, person, stage, taken)
    if found is None:
        found = free_slot(connection, person, stage, now)
    if found is None:
        return NoWork("none_left")
    # All in one statement: where a transaction changes a row twice, PostgreSQL can have it wait for one that waits for it, which
    # is what somebody does who sends their answer after the lease while the slot is given to another.
    values = {"participant_id": person.id, "state": str(AssignmentState.LEASED), "leased": now, "lease_until": until}
    change_rows(connection, schema.assignments, {"id": found}, **values)
    return found


def _begin(connection: sa.Connection, person: Participant, stage: Stage, now: float) -> int | NoWork:
    """A new item of which this person is the author, within the population's quota."""
    items = schema.items
    if stage.config["quota"] is not None:
        # The stage's row is locked: two people of one population cannot both take the last place.
        connection.execute(sa.select(schema.stages.c.id).filter_by(id=stage.id).with_for_update(key_share=True))
        written = (
            sa.select(sa.func.count())
            .select_from(items)
            .where(items.c.stage_id == stage.id, items.c.population_id == person.population_id, items.c.state != ItemState.DROPPED)
        )
        if room(count(connection, written), stage.config["quota"]) == 0:
            return NoWork("quota")
    row: dict[str, object] = {
        "study_id": person.study_id,
        "stage_id": stage.id,
        "population_id": person.population_id,
        "author_id": person.id,
        "key": person.pseudonym,  # until its number is known
        "round": 1,
        "content": {},
        "state": str(ItemState.DRAFT),
        "created": now,
    }
    item_id = inserted_id(connection, items, row)
    change_rows(connection, items, {"id": item_id}, key=f"{stage.name}-{item_id}")
    add_revision(connection, item_id, "begun", {}, participant_id=person.id, now=now)
    slot = {
        "item_id": item_id,
        "stage_id": stage.id,
        "population_id": person.population_id,
        "slot": 1,
        "participant_id": person.id,
        "state": str(AssignmentState.LEASED),
        "leased": now,
    }
    return inserted_id(connection, schema.assignments, slot)


def _work(connection: sa.Connection, assignment_id: int, stage: Stage, now: float, seconds: float | None = None) -> Work:
    """The work behind a slot, its lease renewed; never to an earlier end than it has."""
    assignment = from_row(Assignment, get_row(connection, schema.assignments, id=assignment_id))
    until = _lease_end(stage, now) if seconds is None else now + seconds
    until = renewed(assignment, until)
    if assignment.lease_until != until:
        change_rows(connection, schema.assignments, {"id": assignment_id}, lease_until=until)
        assignment = replace(assignment, lease_until=until)
    item = from_row(Item, get_row(connection, schema.items, id=assignment.item_id))
    return Work(assignment, item, stage)


def get_work(workspace: Workspace, participant_id: int, assignment_id: int) -> Work:
    """What is behind a slot that is this person's, done or not; NotFoundError for any other."""
    with workspace.read() as connection:
        assignment = own_assignment(connection, participant_id, assignment_id)
        item = from_row(Item, get_row(connection, schema.items, id=assignment.item_id))
        stage = from_row(Stage, get_row(connection, schema.stages, id=assignment.stage_id))
    return Work(assignment, item, stage)


def require_leased(work: Work) -> None:
    """ConflictError unless the slot is being worked on."""
    if work.assignment.state != AssignmentState.LEASED:
        raise ConflictError("this was submitted or closed")
