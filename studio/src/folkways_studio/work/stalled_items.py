"""Assigned items that do not go on by themselves: their people have left, were excluded, paused or switched
off, cannot answer the item, or do not work."""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from folkways.sdk.workspace import Workspace
from folkways_studio.database import schema
from folkways_studio.records import AssignmentState, ItemState
from folkways_studio.work.assignees import (
    Assignee,
    StudyPeople,
    assignees_within,
    last_active,
    people_within,
    taken_slots,
)
from folkways_studio.work.counts import room

IDLE_DAYS = 7.0
"""After so long without a task, somebody does not work."""

NOBODY, FEW, IDLE = "nobody", "few", "idle"


@dataclass(frozen=True, slots=True)
class StalledItem:
    """An assigned item whose missing answers will not come. reason: ``nobody`` (none of its assignees can
    answer it), ``few`` (not as many as answers are missing), or ``idle`` (they could, and have done nothing
    for a while). missing: answers; able: assignees who can give one. working: those of them who do, or were
    assigned lately; working_assignees: they, and populations with one of them."""

    item_id: int
    key: str
    stage_id: int
    reason: str
    missing: int
    able: int
    assignees: tuple[Assignee, ...]
    working: int
    working_assignees: tuple[Assignee, ...]


@dataclass(frozen=True, slots=True)
class AssigneeLoad:
    """How much is assigned to a person by name. outstanding: open items that they can still answer; answered:
    assigned ones that they have answered. active: when they last took a task, None for never."""

    person: Assignee
    is_at_work: bool
    outstanding: int
    answered: int
    active: float | None


@dataclass(frozen=True, slots=True)
class AssignmentOverview:
    """All assigned items of a study that are open. stalled: those that do not go on; by item id."""

    items: int
    stalled: tuple[StalledItem, ...]
    loads: tuple[AssigneeLoad, ...]


def overview_of_assignments(
    workspace: Workspace, study_id: int, *, idle_days: float = IDLE_DAYS, now: float | None = None
) -> AssignmentOverview:
    """What is assigned in a study, to whom, and what of it is stalled. workspace, study_id: the study.
    idle_days: after how many days without a task somebody does not work. now: in seconds, for tests."""
    now = time.time() if now is None else now
    with workspace.read() as connection:
        since = _since(connection, study_id)
        if not since:  # most studies assign nothing
            return AssignmentOverview(0, (), ())
        people = people_within(connection, study_id)
        assignees = assignees_within(connection, study_id)
        missing = _missing(connection, study_id, now)
        seen, held = _seen(connection, study_id, now)
        stages = {row.id: row for row in connection.execute(_stages_of(study_id))}
        slots_taken = taken_slots(connection, study_id)
        active = last_active(connection, study_id)
    able_in = {
        number: _able(people, stage, {person: slots_taken[person, number] for person in people.people})
        for number, stage in stages.items()
    }
    stalled: list[StalledItem] = []
    outstanding: Counter[int] = Counter()
    members = {number: frozenset(people.members(number)) for number in people.populations}
    limit = now - idle_days * 86_400
    for row in missing:
        named = assignees.get(row.item_id, ())
        candidates: set[int] = set()
        for each in named:
            if each.participant_id is not None:
                candidates.add(each.participant_id)
            else:
                candidates |= members[each.population_id]
        able = {
            person
            for person in candidates & able_in[row.stage_id]
            if person not in seen.get(row.item_id, ())
            and person != row.author_id
            and people.may_work_on(people.people[person], row.population_id)
        }
        outstanding.update(able & {each.participant_id for each in named})
        fresh = since[row.item_id] >= limit
        working = {person for person in able if fresh or active.get(person, 0.0) >= limit}
        if len(working) < row.missing:
            reason = NOBODY if not able else FEW if len(able) < row.missing else IDLE
            at_work = tuple(
                each
                for each in named
                if working & ({each.participant_id} | members.get(each.population_id, frozenset()))
            )
            stalled.append(
                StalledItem(
                    row.item_id, row.key, row.stage_id, reason, row.missing, len(able), tuple(named),
                    len(working), at_work,
                )
            )  # fmt: skip
    answered = Counter(
        each.participant_id
        for number, named in assignees.items()
        for each in named
        if each.participant_id in held.get(number, ())
    )
    names = {each.participant_id for named in assignees.values() for each in named}
    loads = tuple(
        AssigneeLoad(
            person.assignee, person.is_at_work, outstanding[number], answered[number], active.get(number)
        )
        for number, person in people.people.items()
        if number in names
    )
    return AssignmentOverview(len(missing), tuple(stalled), loads)


def _able(people: StudyPeople, stage: sa.Row[Any], taken: dict[int, int]) -> set[int]:
    """Who is given items of a stage when they ask for work."""
    return {
        number
        for number, person in people.people.items()
        if person.is_at_work
        and stage.role in person.roles
        and stage.id not in person.failed
        and room(taken[number], stage.config["cap"]) != 0
    }


def _stages_of(study_id: int) -> sa.Select[Any]:
    return sa.select(schema.stages).where(schema.stages.c.study_id == study_id)


def _missing(connection: sa.Connection, study_id: int, now: float) -> list[sa.Row[Any]]:
    """Each open item that is assigned, with the number of slots that nobody works on."""
    slots, items = schema.assignments, schema.items
    free = sa.or_(
        slots.c.state == AssignmentState.OPEN,
        sa.and_(slots.c.state == AssignmentState.LEASED, slots.c.lease_until < now),
    )
    query = (
        sa.select(
            items.c.id.label("item_id"),
            *(items.c[name] for name in ("key", "stage_id", "author_id", "population_id")),
            sa.func.count().label("missing"),
        )
        .select_from(slots)
        .join(items, items.c.id == slots.c.item_id)
        .where(
            items.c.study_id == study_id,
            items.c.state == ItemState.OPEN,
            items.c.allocation_id.is_not(None),
            free,
        )
        .group_by(items.c.id)
        .order_by(items.c.id)
    )
    return list(connection.execute(query))


def _since(connection: sa.Connection, study_id: int) -> dict[int, float]:
    """Item id -> when it was assigned."""
    table, items = schema.allocations, schema.items
    query = (
        sa.select(items.c.id.label("item_id"), table.c.created.label("since"))
        .join(table, table.c.id == items.c.allocation_id)
        .where(items.c.study_id == study_id)
    )
    return {row.item_id: row.since for row in connection.execute(query)}


def _seen(
    connection: sa.Connection, study_id: int, now: float
) -> tuple[dict[int, set[int]], dict[int, set[int]]]:
    """Item id -> who answered it, is at it or gave it back, and who answered it; of assigned items. Somebody
    whose time ran out can still go on."""
    slots, skips, items = schema.assignments, schema.skips, schema.items
    assigned = sa.select(items.c.id).where(items.c.study_id == study_id, items.c.allocation_id.is_not(None))
    seen: dict[int, set[int]] = defaultdict(set)
    held: dict[int, set[int]] = defaultdict(set)
    query = sa.select(slots.c.item_id, slots.c.participant_id, slots.c.state).where(
        slots.c.item_id.in_(assigned),
        slots.c.participant_id.is_not(None),
        sa.or_(slots.c.state != AssignmentState.LEASED, slots.c.lease_until >= now),
    )
    for row in connection.execute(query):
        seen[row.item_id].add(row.participant_id)
        if row.state == AssignmentState.DONE:
            held[row.item_id].add(row.participant_id)
    for row in connection.execute(sa.select(skips).where(skips.c.item_id.in_(assigned))):
        seen[row.item_id].add(row.participant_id)
    return seen, held
