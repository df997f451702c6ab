"""Which slots a person may be given: of their population, and of items that they have not seen, skipped or written."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from folkways_studio.database import tables as schema
from folkways_studio.records import Assignment, AssignmentState, Item, ItemState, Participant, Stage, from_row
from folkways_studio.stages.registry import stage_kind
from folkways_studio.work.counts import room
from folkways_studio.work.known_answer_rules import Gold
from folkways_studio.work.known_answers import count_fresh, gold_asked, known_slot, may_be_given, seed_of

Slot = tuple[Assignment, Item]
"""A slot with its item."""

# Statements are made once: making one costs more than running it.
_slots, _items, _skips, _others = schema.assignments, schema.items, schema.skips, schema.assignments.alias("others")
_person, _stage = sa.bindparam("person", type_=sa.Integer), sa.bindparam("stage", type_=sa.Integer)
_allowed = may_be_given(_slots.c.population_id, sa.bindparam("population", type_=sa.Integer))
_WITH_ITEM = sa.select(_slots, _items).join(_items, _items.c.id == _slots.c.item_id)
_SLOT = _WITH_ITEM.where(_slots.c.id == sa.bindparam("id"))
_AT_HAND = (
    _WITH_ITEM.where(_slots.c.stage_id == _stage, _slots.c.participant_id == _person, _slots.c.state == AssignmentState.LEASED)
    .order_by(_slots.c.id)
    .limit(sa.bindparam("most"))
    .with_for_update(of=_slots)
)
_OFFERED = (
    _WITH_ITEM.where(
        _slots.c.stage_id == _stage,
        _items.c.state == ItemState.OPEN,
        _items.c.check.is_(None),
        sa.or_(_items.c.author_id.is_(None), _items.c.author_id != _person),
        ~sa.exists().where(_others.c.item_id == _slots.c.item_id, _others.c.participant_id == _person),
        ~sa.exists().where(_skips.c.item_id == _slots.c.item_id, _skips.c.participant_id == _person),
        _allowed,
    )
    .order_by(_slots.c.item_id, _slots.c.slot)
    .limit(1)
    .with_for_update(of=_slots, skip_locked=True)
)
_FREE = (
    _OFFERED.where(_slots.c.state == AssignmentState.OPEN),
    _OFFERED.where(_slots.c.state == AssignmentState.LEASED, _slots.c.lease_until < sa.bindparam("now")),
)
_TAKEN = (
    sa.select(sa.func.count())
    .select_from(_slots.join(_items, _items.c.id == _slots.c.item_id))
    .where(
        _slots.c.participant_id == _person,
        _slots.c.stage_id == _stage,
        _slots.c.state.in_((AssignmentState.LEASED, AssignmentState.DONE)),
        _items.c.check.is_(None),
    )
)
# What a person cannot be given is little: it is named, and looked up once, so that no database comes to ask of every item whether
# it may be given.
_KEPT_BACK = sa.union_all(
    sa.select(_others.c.item_id).where(_others.c.participant_id == _person),
    sa.select(_skips.c.item_id).where(_skips.c.participant_id == _person),
    sa.select(_items.c.id).where(_items.c.stage_id == _stage, sa.or_(_items.c.author_id == _person, _items.c.check.is_not(None))),
)
_LEFT = sa.select(sa.func.count(sa.distinct(_slots.c.item_id))).where(
    _slots.c.stage_id == _stage, _slots.c.state == AssignmentState.OPEN, _allowed, _slots.c.item_id.not_in(_KEPT_BACK)
)


def _about(person: Participant, stage: Stage) -> dict[str, int | None]:
    return {"person": person.id, "stage": stage.id, "population": person.population_id}


def _found(row: sa.Row[Any] | None) -> Slot | None:
    return (from_row(Assignment, row, _slots), from_row(Item, row, _items)) if row is not None else None


def slot_with_item(connection: sa.Connection, assignment_id: int) -> Slot | None:
    """The slot with that id; None for none."""
    return _found(connection.execute(_SLOT, {"id": assignment_id}).first())


def slots_at_hand(connection: sa.Connection, person: Participant, stage: Stage, most: int) -> list[Slot]:
    """The first slots that are leased to this person, locked, even where the lease ran out, as long as nobody else took them."""
    rows = connection.execute(_AT_HAND, {"person": person.id, "stage": stage.id, "most": most})
    return [slot for row in rows if (slot := _found(row))]


def taken_by(connection: sa.Connection, participant_id: int, stage_id: int) -> int:
    """Slots of a stage that a person has answered or is at, attention checks not counted."""
    return int(connection.scalar(_TAKEN, {"person": participant_id, "stage": stage_id}) or 0)


def free_slot(connection: sa.Connection, person: Participant, stage: Stage, now: float) -> Slot | None:
    """The first slot that is open, or whose lease ran out, locked for this transaction."""
    for statement in _FREE:
        found = connection.execute(statement, {**_about(person, stage), "now": now}).first()
        if found is not None:
            return _found(found)
    return None


def count_left(connection: sa.Connection, person: Participant, stage: Stage) -> int | None:
    """How many items of a stage a person could still be given at this moment; None where they write their own without a cap."""
    cap = stage.config["cap"]
    left = None if cap is None else room(taken_by(connection, person.id, stage.id), cap)
    if stage_kind(stage.kind).authored or left == 0:
        return left
    offered = int(connection.scalar(_LEFT, _about(person, stage)) or 0)
    return offered if left is None else min(left, offered)


def attention_check(connection: sa.Connection, person: Participant, stage: Stage, taken: int) -> int | None:
    """A slot of a question of known answer that this person has not had, where it is the turn of one."""
    gold = Gold.of(stage.config)
    if gold is None or not gold.is_turn(taken + gold_asked(connection, person, stage) + 1, seed_of(person, stage)):
        return None
    return known_slot(connection, person, stage, test=False)


def count_known_ahead(connection: sa.Connection, person: Participant, stage: Stage, left: int) -> int:
    """How many questions of known answer are still to come among ``left`` other ones: pages count them as they count the others,
    so that nobody can tell them apart by a number that changes.
    """
    gold = Gold.of(stage.config)
    if gold is None:
        return 0
    taken = taken_by(connection, person.id, stage.id)
    if room(taken, stage.config["cap"]) == 0:
        return 0
    known = count_fresh(connection, person, stage, test=False)
    return gold.ahead(taken + gold_asked(connection, person, stage), left, known, seed_of(person, stage))
