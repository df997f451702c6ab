"""Which slots a person may be given: of their population, and of items that they have not seen, skipped or
written. An item that a researcher assigned to people or populations is given to nobody else.

What was assigned to a person or to a population of theirs comes first, then what is for anybody.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import sqlalchemy as sa
from sqlalchemy.sql.dml import ReturningUpdate

from folkways_studio.database import schema
from folkways_studio.records import Assignment, AssignmentState, Item, ItemState, Participant, Stage, from_row
from folkways_studio.stages.registry import stage_kind
from folkways_studio.work.counts import room
from folkways_studio.work.known_answer_rules import Gold
from folkways_studio.work.known_answers import known_slot, seed_of
from folkways_studio.work.known_counts import (
    PERSON,
    SECONDS,
    STAGE,
    about,
    as_seconds,
    gold_asked,
    is_within,
    may_be_given,
)

Slot = tuple[Assignment, Item]
"""A slot with its item."""

# Statements are made once: making one costs more than running it.
_slots, _items, _skips, _others, _assignees = (
    schema.assignments,
    schema.items,
    schema.skips,
    schema.assignments.alias("others"),
    schema.assignees,
)
_allowed = may_be_given(_slots.c.population_id)
_NOW = sa.bindparam("now", type_=sa.Float)
_THEIRS = sa.union(
    sa.select(_assignees.c.allocation_id).where(_assignees.c.participant_id == PERSON),
    sa.select(_assignees.c.allocation_id).where(is_within(_assignees.c.population_id)),
)
"""The allocations of items that were assigned to a person or to a population of theirs. An allocation never
changes: who assigns an item anew gives it and its slots another one. So where somebody waits for a slot that
is reassigned at this moment, the slot's row alone says that it is not theirs any more."""
_FOR_ANYBODY = _slots.c.allocation_id.is_(None)
_FOR_THEM = _slots.c.allocation_id.in_(_THEIRS)
_SLOT = (
    sa.select(_slots, _items)
    .join(_items, _items.c.id == _slots.c.item_id)
    .where(_slots.c.id == sa.bindparam("id"))
)


def _at_hand(stage: sa.ColumnElement[int]) -> sa.Select[Any]:
    """What is leased to the person, even where the lease ran out, as long as nobody else took it and it was
    not assigned to others meanwhile."""
    return (
        sa.select(_slots.c.id)
        .where(
            _slots.c.stage_id == stage,
            _slots.c.participant_id == PERSON,
            _slots.c.state == AssignmentState.LEASED,
            sa.or_(_slots.c.lease_until >= _NOW, _FOR_ANYBODY, _FOR_THEM),
        )
        .order_by(_slots.c.id)
        .limit(1)
        .with_for_update(of=_slots)
    )


def _offered(stage: sa.ColumnElement[int], *free: sa.ColumnElement[bool]) -> sa.Select[Any]:
    """The first slot that the person may be given, of those that are free: no two people come to lock the
    same."""
    return (
        sa.select(_slots.c.id)
        .join(_items, _items.c.id == _slots.c.item_id)
        .where(
            _slots.c.stage_id == stage,
            _items.c.state == ItemState.OPEN,
            _items.c.check.is_(None),
            sa.or_(_items.c.author_id.is_(None), _items.c.author_id != PERSON),
            ~sa.exists().where(_others.c.item_id == _slots.c.item_id, _others.c.participant_id == PERSON),
            ~sa.exists().where(_skips.c.item_id == _slots.c.item_id, _skips.c.participant_id == PERSON),
            _allowed,
            *free,
        )
        # In the order of the index: nothing is sorted to find the first.
        .order_by(_slots.c.allocation_id, _slots.c.item_id, _slots.c.slot)
        .limit(1)
        .with_for_update(of=_slots, skip_locked=True)
    )


@cache
def _giving(stages: int, *, at_hand: bool, free: bool) -> ReturningUpdate[Any]:
    """Gives a person the first slot of so many stages that they have at hand or else may be given, if they
    are looked for.

    It is one statement: a slot is found, locked and theirs at once. Where a transaction changes a row twice,
    PostgreSQL can have it wait for one that waits for it, which is what somebody does who sends their answer
    after the lease while the slot is given to another.
    """
    numbers = [sa.bindparam(f"stage_{each}", type_=sa.Integer) for each in range(stages)]
    lasts = [sa.bindparam(f"until_{each}", type_=sa.Float) for each in range(stages)]
    chosen = [_at_hand(stage).scalar_subquery() for stage in numbers] if at_hand else []
    is_open = _slots.c.state == AssignmentState.OPEN
    is_late = sa.and_(_slots.c.state == AssignmentState.LEASED, _slots.c.lease_until < _NOW)
    for stage in numbers if free else ():
        for whose in (_FOR_THEM, _FOR_ANYBODY):
            chosen += [_offered(stage, whose, each).scalar_subquery() for each in (is_open, is_late)]
    theirs = sa.and_(_slots.c.participant_id == PERSON, _slots.c.state == AssignmentState.LEASED)
    until = sa.case(*((_slots.c.stage_id == stage, last) for stage, last in zip(numbers, lasts, strict=True)))
    values = {
        "participant_id": PERSON,
        "state": sa.literal(str(AssignmentState.LEASED), sa.String),
        "leased": sa.case((theirs, _slots.c.leased), else_=_NOW),
        "lease_until": sa.case(
            (sa.and_(theirs, _slots.c.lease_until > until), _slots.c.lease_until), else_=until
        ),
    }
    return (
        sa.update(_slots)
        .where(_slots.c.id == (sa.func.coalesce(*chosen) if len(chosen) > 1 else chosen[0]))
        .values(values)
        .returning(*_slots.c)
    )


def _taken(stage: sa.ColumnElement[int]) -> sa.Select[Any]:
    return (
        sa.select(sa.func.count())
        .select_from(_slots.join(_items, _items.c.id == _slots.c.item_id))
        .where(
            _slots.c.participant_id == PERSON,
            _slots.c.stage_id == stage,
            _slots.c.state.in_((AssignmentState.LEASED, AssignmentState.DONE)),
            _items.c.check.is_(None),
        )
        .correlate(schema.stages)
    )


def _open_to_them(stage: sa.ColumnElement[int]) -> tuple[sa.ColumnElement[bool], ...]:
    # What a person cannot be given is little: it is named, and looked up once, so that no database comes to
    # ask of every item whether it may be given.
    kept_back = sa.union_all(
        sa.select(_others.c.item_id).where(_others.c.participant_id == PERSON),
        sa.select(_skips.c.item_id).where(_skips.c.participant_id == PERSON),
        # Of the whole study: were it of the stage of an outer row, SQLite would gather all of this anew for
        # every open slot.
        sa.select(_items.c.id).where(
            _items.c.study_id
            == sa.select(schema.participants.c.study_id)
            .where(schema.participants.c.id == PERSON)
            .scalar_subquery(),
            sa.or_(_items.c.author_id == PERSON, _items.c.check.is_not(None)),
        ),
    )
    return (
        _slots.c.stage_id == stage,
        _slots.c.state == AssignmentState.OPEN,
        _allowed,
        sa.or_(_FOR_ANYBODY, _FOR_THEM),
        _slots.c.item_id.not_in(kept_back),
    )


def _left(stage: sa.ColumnElement[int]) -> sa.Select[Any]:
    return (
        sa.select(sa.func.count(sa.distinct(_slots.c.item_id)))
        .where(*_open_to_them(stage))
        .correlate(schema.stages)
    )


def _answers(stage: sa.ColumnElement[int], counted: sa.ColumnElement[Any]) -> sa.Select[Any]:
    judgements = schema.judgements
    return (
        sa.select(counted)
        .select_from(judgements.join(_items, _items.c.id == judgements.c.item_id))
        .where(
            judgements.c.participant_id == PERSON, judgements.c.stage_id == stage, _items.c.test.is_not(True)
        )
        .correlate(schema.stages)
    )


_TAKEN = _taken(STAGE)


@dataclass(frozen=True, slots=True)
class Counts:
    """One person in one stage, as ``counts_of`` counts. seconds: of each answer that was timed. taken: slots
    that they have answered or are at, attention checks not counted. offered: items that they could be given,
    whatever the cap.
    """

    answered: int
    seconds: tuple[float, ...]
    taken: int
    offered: int

    def left(self, stage: Stage) -> int | None:
        """How many items they could still be given at this moment; None where they write their own without a
        cap."""
        cap = stage.config["cap"]
        left = None if cap is None else room(self.taken, cap)
        if stage_kind(stage.kind).authored or left == 0:
            return left
        return self.offered if left is None else min(left, self.offered)


def counts_of(stage: sa.ColumnElement[int]) -> tuple[sa.ColumnElement[Any], ...]:
    """The columns that ``counts_within`` reads, for a statement that is given ``about`` a person. stage: the
    column of its id."""
    return (
        _answers(stage, sa.func.count()).scalar_subquery().label("answered"),
        _answers(stage, SECONDS).scalar_subquery().label("seconds_of_answers"),
        _taken(stage).scalar_subquery().label("taken_slots"),
        _left(stage).scalar_subquery().label("offered_items"),
    )


def counts_within(row: Any) -> Counts:
    """What a row of a statement with ``counts_of`` says."""
    return Counts(row.answered, as_seconds(row.seconds_of_answers), row.taken_slots, row.offered_items)


def with_item(connection: sa.Connection, assignment_id: int) -> Slot:
    """The slot with that id."""
    row = connection.execute(_SLOT, {"id": assignment_id}).one()
    return from_row(Assignment, row, _slots), from_row(Item, row, _items)


def give_slot(
    connection: sa.Connection,
    person: Participant,
    stages: Sequence[tuple[Stage, float]],
    now: float,
    *,
    at_hand: bool = False,
    free: bool = False,
) -> Assignment | None:
    """Lease the first slot of some stages to a person; None if there is none.

    connection: of the caller, who holds the person's row.
    stages: in order, each with the time until which its slots are leased.
    now: in seconds.
    at_hand: look for what they have at hand, which is leased anew, never to an earlier end than it has.
    free: look, after that, for open slots and those whose lease ran out.
    """
    parameters: dict[str, Any] = {"person": person.id, "population": person.population_id, "now": now}
    for number, (stage, until) in enumerate(stages):
        parameters |= {f"stage_{number}": stage.id, f"until_{number}": until}
    row = connection.execute(_giving(len(stages), at_hand=at_hand, free=free), parameters).first()
    return from_row(Assignment, row) if row is not None else None


def lease_slot(
    connection: sa.Connection, person: Participant, assignment_id: int, now: float, until: float
) -> Assignment:
    """Lease a slot (assignment_id) to a person from ``now`` until ``until`` (seconds). The caller's
    connection holds it, or whatever keeps others from it."""
    values = {
        "participant_id": person.id,
        "state": str(AssignmentState.LEASED),
        "leased": now,
        "lease_until": until,
    }
    leasing = sa.update(_slots).where(_slots.c.id == assignment_id).values(values).returning(*_slots.c)
    return from_row(Assignment, connection.execute(leasing).one())


def lease_at_hand(
    connection: sa.Connection, person: Participant, stage: Stage, most: int, now: float, until: float
) -> list[int]:
    """The ids of the first ``most`` slots that a person has at hand in a stage, leased anew from ``now``
    until ``until`` (seconds), never to an earlier end, on the caller's connection."""
    parameters = {**about(person, stage), "now": now}
    slots = list(connection.scalars(_at_hand(STAGE).limit(most), parameters))
    longer = sa.case((_slots.c.lease_until > until, _slots.c.lease_until), else_=until)
    connection.execute(sa.update(_slots).where(_slots.c.id.in_(slots)).values(lease_until=longer))
    return slots


def taken_by(connection: sa.Connection, participant_id: int, stage_id: int) -> int:
    """Slots of a stage that a person has answered or is at, attention checks not counted."""
    return int(connection.execute(_TAKEN, {"person": participant_id, "stage": stage_id}).scalar_one())


_COUNTS = sa.select(*counts_of(STAGE))
_COUNT_ASSIGNED = sa.select(sa.func.count(sa.distinct(_slots.c.item_id))).where(
    *_open_to_them(STAGE), _slots.c.allocation_id.is_not(None)
)
_OFFERED_ITEMS = (
    sa.select(_items)
    .where(_items.c.id.in_(sa.select(_slots.c.item_id).where(*_open_to_them(STAGE))))
    .order_by(_items.c.allocation_id.is_(None), _items.c.allocation_id, _items.c.id)
)


def count_assigned(connection: sa.Connection, person: Participant, stage: Stage) -> int:
    """Of the items of a stage that a person could be given, those that are assigned to them or to a
    population of theirs."""
    return int(connection.execute(_COUNT_ASSIGNED, about(person, stage)).scalar_one())


def offered_items(
    connection: sa.Connection, person: Participant, stage: Stage, start: int, limit: int
) -> list[Item]:
    """The items of a stage that a person could be given, whatever the cap, from ``start`` on and at most
    ``limit``: those that are assigned to them first. connection: of the caller."""
    query = _OFFERED_ITEMS.offset(start).limit(limit)
    return [from_row(Item, row) for row in connection.execute(query, about(person, stage))]


def counts_of_person(connection: sa.Connection, person: Participant, stage: Stage) -> Counts:
    """How far a person is in a stage."""
    return counts_within(connection.execute(_COUNTS, about(person, stage)).one())


def attention_check(connection: sa.Connection, person: Participant, stage: Stage, taken: int) -> int | None:
    """A slot of a question of known answer that this person has not had, if it is the turn of one.
    connection: of the caller. taken: how many slots of the stage the person has had."""
    gold = Gold.of(stage.config)
    if gold is None or not gold.is_turn(
        taken + gold_asked(connection, person, stage) + 1, seed_of(person, stage)
    ):
        return None
    return known_slot(connection, person, stage, test=False)
