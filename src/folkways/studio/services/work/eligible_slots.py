"""Which slots a person may be given: of their population, and of items that they have not seen, skipped or written."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from folkways.studio.records import AssignmentState, ItemState, Participant, Stage
from folkways.studio.rules.counts import room
from folkways.studio.rules.known_answers import Gold
from folkways.studio.services.rows import count, get_value
from folkways.studio.services.work.known_answers import count_fresh, gold_asked, known_slot, seed_of, test_slot
from folkways.studio.stages.registry import stage_kind
from folkways.workspace.studio import tables as schema

_OTHERS = schema.assignments.alias("others")  # made once: it costs more than the rest of the query


def taken_by(connection: sa.Connection, participant_id: int, stage_id: int) -> int:
    """Slots of a stage that a person has answered or is at, attention checks not counted."""
    table, items = schema.assignments, schema.items
    query = (
        sa.select(sa.func.count())
        .select_from(table.join(items, items.c.id == table.c.item_id))
        .where(
            table.c.participant_id == participant_id,
            table.c.stage_id == stage_id,
            table.c.state.in_((AssignmentState.LEASED, AssignmentState.DONE)),
            items.c.check.is_(None),
        )
    )
    return count(connection, query)


def free_slot(connection: sa.Connection, person: Participant, stage: Stage, now: float) -> int | None:
    """The first slot that is open, or whose lease ran out, locked for this transaction."""
    table = schema.assignments
    slots = (
        _offered(connection, sa.select(table.c.id), person, stage)
        .order_by(table.c.item_id, table.c.slot)
        .limit(1)
        .with_for_update(of=table, skip_locked=True)
    )
    late = sa.and_(table.c.state == AssignmentState.LEASED, table.c.lease_until < now)
    for free in (table.c.state == AssignmentState.OPEN, late):
        found = connection.scalar(slots.where(free))
        if found is not None:
            return int(found)
    return None


def count_left(connection: sa.Connection, person: Participant, stage: Stage) -> int | None:
    """How many items of a stage a person could still be given at this moment; None where they write their own without a cap."""
    left = room(taken_by(connection, person.id, stage.id), stage.config["cap"])
    if stage_kind(stage.kind).authored:
        return left
    table, items, skips = schema.assignments, schema.items, schema.skips
    # Open slots lie together in an index, and what a person cannot be given is little: it is named, so that no database comes to
    # ask of every item whether it may be given. This is asked for every page.
    slots = sa.select(sa.func.count(sa.distinct(table.c.item_id))).where(
        table.c.stage_id == stage.id, table.c.state == AssignmentState.OPEN, *_within(connection, person)
    )
    every = count(connection, slots)
    if not every:
        return 0
    kept_back = sa.union_all(
        sa.select(table.c.item_id).where(table.c.participant_id == person.id),
        sa.select(skips.c.item_id).where(skips.c.participant_id == person.id),
        sa.select(items.c.id).where(
            items.c.stage_id == stage.id, sa.or_(items.c.author_id == person.id, items.c.check.is_not(None))
        ),
    )
    numbers = set(connection.scalars(kept_back))
    offered = every - (count(connection, slots.where(table.c.item_id.in_(numbers))) if numbers else 0)
    return offered if left is None else min(left, offered)


def _offered(connection: sa.Connection, query: sa.Select[Any], person: Participant, stage: Stage) -> sa.Select[Any]:
    """``query`` over the slots of items that a person may be given: of their population, not seen, skipped or written by them."""
    table, items, skips = schema.assignments, schema.items, schema.skips
    return query.join(items, items.c.id == table.c.item_id).where(
        table.c.stage_id == stage.id,
        items.c.state == ItemState.OPEN,
        items.c.check.is_(None),
        sa.or_(items.c.author_id.is_(None), items.c.author_id != person.id),
        ~sa.exists().where(_OTHERS.c.item_id == table.c.item_id, _OTHERS.c.participant_id == person.id),
        ~sa.exists().where(skips.c.item_id == table.c.item_id, skips.c.participant_id == person.id),
        *_within(connection, person),
    )


def _within(connection: sa.Connection, person: Participant) -> list[sa.ColumnElement[bool]]:
    """That a slot is of a population whose items this person may be given."""
    populations, column = allowed_populations(connection, person), schema.assignments.c.population_id
    return [] if populations is None else [sa.or_(column.is_(None), column.in_(populations))]


def allowed_populations(connection: sa.Connection, person: Participant) -> list[int] | None:
    """The person's population and the wider ones that it is part of; None for staff, who work on every one."""
    if person.population_id is None:
        return None
    found = [person.population_id]
    while True:
        parent = get_value(connection, schema.populations.c.parent_id, id=found[-1])
        if parent is None:
            return found
        found.append(parent)


def attention_check(connection: sa.Connection, person: Participant, stage: Stage, taken: int) -> int | None:
    """A slot of a question of known answer that this person has not had, where it is the turn of one."""
    gold = Gold.of(stage.config)
    if gold is None or not gold.is_turn(taken + gold_asked(connection, person, stage) + 1, seed_of(person, stage)):
        return None
    return known_slot(connection, person, stage, allowed_populations(connection, person), test=False)


def test_first(connection: sa.Connection, person: Participant, stage: Stage, now: float) -> int | str | None:
    """``known_answers.test_slot`` for this person: a slot of the stage's test, why there is none, or None where none is needed."""
    return test_slot(connection, person, stage, lambda: allowed_populations(connection, person), now)


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
    known = count_fresh(connection, person, stage, allowed_populations(connection, person), test=False)
    return gold.ahead(taken + gold_asked(connection, person, stage), left, known, seed_of(person, stage))
