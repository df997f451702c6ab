"""Who works on what. A slot is a row, and taking it is one statement on that row: an item can never be given
to more people than it has slots, whatever happens at the same time.

SQLite has one writer at a time (immediate transactions). On PostgreSQL people take different rows side by
side: each asks for the first free one that nobody else has locked (``FOR UPDATE SKIP LOCKED``).
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import Any

import sqlalchemy as sa

from folkways.sdk.workspace import Workspace
from folkways_studio.database import schema
from folkways_studio.database.rows import change_rows, count, inserted_id, read_values
from folkways_studio.items.service import begin_revisions
from folkways_studio.records import (
    LEFT_OUT,
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
from folkways_studio.stages.registry import stage_kind
from folkways_studio.work.categories import full_categories
from folkways_studio.work.counts import room
from folkways_studio.work.eligible_slots import (
    attention_check,
    counts_of_person,
    give_slot,
    lease_at_hand,
    lease_slot,
    taken_by,
    with_item,
)
from folkways_studio.work.known_answer_rules import Gold, Qualification
from folkways_studio.work.known_answers import test_slot
from folkways_studio.work.leases import lease_end, not_theirs
from folkways_studio.work.training import needs_training

# Statements are made once: making one costs more than running it.
_WORK = (
    sa.select(schema.assignments, schema.items, schema.stages)
    .join(schema.items, schema.items.c.id == schema.assignments.c.item_id)
    .join(schema.stages, schema.stages.c.id == schema.assignments.c.stage_id)
    .where(
        schema.assignments.c.id.in_((sa.bindparam("slot"), sa.bindparam("instead"))),
        schema.assignments.c.participant_id == sa.bindparam("participant_id"),
    )
)
_people, _roles, _stages = schema.participants, schema.roles, schema.stages
_WORKER = (
    sa.select(_people, schema.studies.c.state.label("study_state"), _stages)
    .select_from(_people)
    .join(schema.studies, schema.studies.c.id == _people.c.study_id)
    .outerjoin(
        _roles, sa.and_(_roles.c.study_id == _people.c.study_id, _roles.c.account_id == _people.c.account_id)
    )
    .outerjoin(_stages, sa.and_(_stages.c.study_id == _people.c.study_id, _stages.c.role == _roles.c.role))
    .where(_people.c.id == sa.bindparam("person"))
    .order_by(_stages.c.position)
    .with_for_update(of=_people, key_share=True)
)

_KEPT_STAGE = (
    sa.select(_stages.c.id)
    .select_from(schema.studies)
    .join(_stages, _stages.c.study_id == schema.studies.c.id)
    .where(_stages.c.id == sa.bindparam("stage"))
    .with_for_update(of=(schema.studies, _stages), read=True, key_share=True)
)
"""A stage that nobody takes out until the transaction ends: one without items may have been taken out since
it was read. The study is locked first, as by whoever changes its description."""


@dataclass(frozen=True, slots=True)
class Work:
    """What a person is to do now: the slot, its item and its stage."""

    assignment: Assignment
    item: Item
    stage: Stage


@dataclass(frozen=True, slots=True)
class NoWork:
    """Why there is nothing to do. reason: ``paused``, ``closed``, ``not_active``, ``no_role`` (for the stage
    that is named), ``cap``, ``quota``, ``failed`` (the test), ``training`` (of ``stage``, which comes first)
    or ``none_left``.
    """

    reason: str
    stage: str = ""


@dataclass(frozen=True, slots=True)
class ClaimedSlot:
    """A slot that is leased to a person now, and its stage."""

    assignment: Assignment
    stage: Stage


def claim_slot(
    workspace: Workspace, participant_id: int, *, stage: str | None = None, after: str | None = None
) -> ClaimedSlot | NoWork:
    """Give a person (participant_id) of the workspace what they have at hand, or else the next free slot
    of a stage that they work on.

    stage: its name, None for the first stage (in order) that has something. after: the stage that they
    have just worked on, "" if it is unknown: more of it comes first, and nobody is put to writing items
    of their own without asking. Asking twice, perhaps in two tabs, gives the same slot twice. Nobody
    gets an item twice, or one that descends from their own, or one of another population.
    """
    now = time.time()
    with workspace.claim() as connection:
        worker = _worker(connection, participant_id, stage)
        if isinstance(worker, NoWork):
            return worker
        person, stages = worker
        if after is not None:
            stages = _going_on(stages, after)
        if not stages:
            return NoWork("none_left")
        untrained = {each.id for each in stages if needs_training(connection, person.id, each)}
        leases = [(each, lease_end(each, now)) for each in stages if each.id not in untrained]
        plain = not untrained and all(_is_plain(each) for each in stages)
        slot = give_slot(connection, person, leases, now, at_hand=True, free=plain) if leases else None
        if slot is not None:
            return ClaimedSlot(slot, next(each for each in stages if each.id == slot.stage_id))
        claimed: ClaimedSlot | NoWork = NoWork("none_left")
        for each in () if plain else stages:
            if each.id in untrained:
                counts = counts_of_person(connection, person, each)
                if counts.taken or counts.left(each) != 0:
                    return NoWork("training", each.name)
                continue
            claimed = _take(connection, person, each, now, lease_end(each, now))
            if isinstance(claimed, ClaimedSlot):
                break
        return claimed


def _is_plain(stage: Stage) -> bool:
    """Whether a free slot is all that somebody needs to be given work."""
    config = stage.config
    asks = stage_kind(stage.kind).authored or config["cap"] is not None
    return not asks and Gold.of(config) is None and Qualification.of(config) is None


def claim_batch(
    workspace: Workspace, participant_id: int, stage: str, count: int, *, seconds: float
) -> tuple[Work, ...] | NoWork:
    """Give a person (participant_id) of the workspace what they have at hand in a stage and further slots
    up to ``count``, all leased for ``seconds``: to work off line.

    Not for stages in which people write items of their own. NoWork if there is not even one.
    """
    now = time.time()
    with workspace.claim() as connection:
        worker = _worker(connection, participant_id, stage)
        if isinstance(worker, NoWork):
            return worker
        person, stages = worker
        if not stages:
            return NoWork("no_role")
        if stage_kind(stages[0].kind).authored:
            return NoWork("none_left")
        if needs_training(connection, person.id, stages[0]):
            return NoWork("training", stages[0].name)
        slots = lease_at_hand(connection, person, stages[0], count, now, now + seconds)
        while len(slots) < count:
            slot = _take(connection, person, stages[0], now, now + seconds)
            if isinstance(slot, NoWork):
                if not slots:
                    return slot
                break
            slots.append(slot.assignment.id)
        return tuple(Work(*with_item(connection, each), stages[0]) for each in slots)


def _worker(
    connection: sa.Connection, participant_id: int, stage: str | None
) -> tuple[Participant, list[Stage]] | NoWork:
    """The person, who may work at this moment, and the stages that they work on, of that name if one is
    given. Their row is locked: two tabs of one person take turns, so that caps hold and both are given the
    same slot.
    """
    rows = connection.execute(_WORKER, {"person": participant_id}).all()
    person = from_row(Participant, rows[0], _people)
    if person.state == ParticipantState.FINISHED:
        values = {"state": str(ParticipantState.ACTIVE), "left": None}
        change_rows(connection, schema.participants, {"id": person.id}, **values)
    elif person.state != ParticipantState.ACTIVE:
        return NoWork("not_active")
    state = rows[0].study_state
    if state != StudyState.OPEN:
        return NoWork("closed" if state == StudyState.CLOSED else "paused")
    stages = [from_row(Stage, row, _stages) for row in rows if row._mapping[_stages.c.id] is not None]
    return person, [each for each in stages if stage in (None, each.name)]


def _going_on(stages: list[Stage], after: str) -> list[Stage]:
    return [each for each in stages if each.name == after] + [
        each for each in stages if each.name != after and not stage_kind(each.kind).authored
    ]


def _take(
    connection: sa.Connection, person: Participant, stage: Stage, now: float, until: float
) -> ClaimedSlot | NoWork:
    cap, gold = stage.config["cap"], Gold.of(stage.config)
    # without them, nobody asks
    taken = 0 if cap is None and gold is None else taken_by(connection, person.id, stage.id)
    if room(taken, cap) == 0:
        return NoWork("cap")
    if stage_kind(stage.kind).authored:
        return _begin(connection, person, stage, now)
    check = test_slot(connection, person, stage)
    if isinstance(check, str):
        return NoWork(check)
    if check is None:
        check = attention_check(connection, person, stage, taken)
    if check is not None:
        if counts_of_person(connection, person, stage).left(stage) == 0:
            return NoWork("none_left")  # nobody is checked where no work follows
        return ClaimedSlot(lease_slot(connection, person, check, now, until), stage)
    slot = give_slot(connection, person, [(stage, until)], now, free=True)
    return ClaimedSlot(slot, stage) if slot is not None else NoWork("none_left")


def _begin(connection: sa.Connection, person: Participant, stage: Stage, now: float) -> ClaimedSlot | NoWork:
    """A new item whose author is this person, within the population's quota, and where one of the categories
    has a place for them."""
    items = schema.items
    if connection.scalar(_KEPT_STAGE, {"stage": stage.id}) is None:
        return NoWork("none_left")
    full = full_categories(connection, stage, person.population_id, person.id)
    if full and len(full) == len(stage.config["categories"]):
        return NoWork("quota")
    if stage.config["quota"] is not None:
        # The stage's row is locked: two people of one population cannot both take the last place.
        connection.execute(
            sa.select(schema.stages.c.id).filter_by(id=stage.id).with_for_update(key_share=True)
        )
        written = (
            items.c.stage_id == stage.id,
            items.c.population_id == person.population_id,
            items.c.state != ItemState.DROPPED,
        )
        if room(count(connection, items, *written), stage.config["quota"]) == 0:
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
    begin_revisions(connection, item_id, "begun", {}, participant_id=person.id)
    slot: dict[str, Any] = {
        "item_id": item_id,
        "stage_id": stage.id,
        "population_id": person.population_id,
        "slot": 1,
        "participant_id": person.id,
        "state": str(AssignmentState.LEASED),
        "leased": now,
        "lease_until": lease_end(stage, now),
    }
    return ClaimedSlot(
        Assignment(id=inserted_id(connection, schema.assignments, slot), **slot, done=None), stage
    )


def get_work(
    workspace: Workspace, participant_id: int, assignment_id: int, instead: int | None = None
) -> Work:
    """The work of a slot (assignment_id) that belongs to a person (participant_id) of the workspace, done
    or not; NotFoundError for any other. instead: the slot to look at if that one is not theirs."""
    slots = (assignment_id, assignment_id if instead is None else instead)
    with workspace.read() as connection:
        rows = connection.execute(
            _WORK, {"participant_id": participant_id, "slot": slots[0], "instead": slots[1]}
        ).all()
    by_assignment = {row._mapping[schema.assignments.c.id]: row for row in rows}
    row = by_assignment.get(slots[0], by_assignment.get(slots[1]))
    if row is None:
        raise not_theirs()
    stage = from_row(Stage, row, schema.stages)
    item = without_left(workspace, from_row(Item, row, schema.items), stage)
    return Work(from_row(Assignment, row, schema.assignments), item, stage)


def without_left(workspace: Workspace, item: Item, stage: Stage) -> Item:
    """The item of a stage of the workspace without the answers that it quotes of people who withdrew or are
    excluded: a decision that repeats one of them is redacted with it."""
    kind, people = stage_kind(stage.kind), schema.participants
    quoted = kind.quoted(item.content)
    if not quoted:
        return item
    gone = sa.select(people.c.pseudonym).where(
        people.c.study_id == item.study_id, people.c.pseudonym.in_(quoted), people.c.state.in_(LEFT_OUT)
    )
    return replace(item, content=kind.without_quotes(item.content, read_values(workspace, gone)))
