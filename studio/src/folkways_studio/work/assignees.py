"""Items that a researcher assigns to people or to populations: only they are asked about them, and what is
assigned to nobody goes to anybody, as before.

An assignment never adds to what somebody may do. Whom it may name is checked when it is made; who may no
longer answer afterwards is passed over when work is given out (``eligible_slots``), and seen among the
stalled items (``stalled_items``).
"""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import sqlalchemy as sa

from folkways.sdk.workspace import Workspace, insert
from folkways_studio.database import audit, schema
from folkways_studio.database.rows import changing
from folkways_studio.errors import ConflictError, Message, NotFoundError
from folkways_studio.items.service import MOST_NAMED
from folkways_studio.records import AT_WORK, AssignmentState, Item, ItemState, ParticipantState, from_row
from folkways_studio.work.leases import OPEN_AGAIN

MOST_ITEMS = 20_000
"""Items that are assigned at once."""

CANNOT_COME_BACK = {
    ParticipantState.WITHDRAWN: Message("has left the study"),
    ParticipantState.EXCLUDED: Message("is excluded"),
    ParticipantState.SCREENED_OUT: Message("was screened out"),
    ParticipantState.FAILED: Message("did not pass the test"),
    ParticipantState.PAUSED: Message("is paused"),
}
"""Why people in these states are assigned nothing."""


@dataclass(frozen=True, slots=True)
class Assignee:
    """A person or a population of a study. name: the pseudonym, or the name of the population."""

    name: str
    participant_id: int | None = None
    population_id: int | None = None


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why an item cannot be assigned to somebody; assignee: None if it can be assigned to nobody."""

    item_id: int
    assignee: Assignee | None
    reason: Message


@dataclass(frozen=True, slots=True)
class AssignmentReceipt:
    """What an assignment did: items whose assignees changed, and tasks that were taken back from people who
    had them at hand. refusals: what was left out."""

    items: int
    taken_back: int
    refusals: tuple[Refusal, ...] = ()


@dataclass(frozen=True, slots=True)
class StudyPerson:
    """Somebody who may be assigned items. roles: of their account; disabled: it cannot sign in. failed: the
    ids of the stages whose test they did not pass."""

    assignee: Assignee
    state: str
    population_id: int | None
    roles: frozenset[str]
    disabled: bool
    failed: frozenset[int] = frozenset()

    @property
    def is_at_work(self) -> bool:
        """Whether they are given work when they ask for it."""
        return self.state in AT_WORK and not self.disabled


@dataclass(frozen=True, slots=True)
class StudyPeople:
    """Everybody of a study by participant id, the names of its populations by id, and each population with
    all that it is part of."""

    people: Mapping[int, StudyPerson]
    populations: Mapping[int | None, str]
    wider: Mapping[int, frozenset[int]]

    def named(self, name: str) -> Assignee | None:
        """The person of that pseudonym or, if there is none, the population of that name; None for
        neither."""
        for person in self.people.values():
            if person.assignee.name == name:
                return person.assignee
        for number, each in self.populations.items():
            if each == name:
                return Assignee(each, population_id=number)
        return None

    def assignees(self) -> dict[str, Assignee]:
        """Everybody and every population, by name."""
        populations = {name: Assignee(name, population_id=each) for each, name in self.populations.items()}
        return populations | {each.assignee.name: each.assignee for each in self.people.values()}

    def is_part(self, narrow: int | None, wide: int | None) -> bool:
        """Whether a population is another or part of it; None: of nobody in particular, and everybody."""
        return wide is None or (narrow is not None and wide in self.wider[narrow])

    def may_work_on(self, person: StudyPerson, population_id: int | None) -> bool:
        """Whether somebody is of the population of an item; staff, who have none, work on all."""
        return person.population_id is None or self.is_part(person.population_id, population_id)

    def is_among(self, participant_id: int, assignee: Assignee) -> bool:
        """Whether somebody is the assignee or of the population that it is."""
        if assignee.population_id is None:
            return participant_id == assignee.participant_id
        return self.is_part(self.people[participant_id].population_id, assignee.population_id)

    def members(self, population_id: int | None) -> list[int]:
        """The ids of the people of a population and of its parts."""
        return [
            number for number, each in self.people.items() if self.is_part(each.population_id, population_id)
        ]


Key = TypeVar("Key", int, str)


def in_parts(keys: Sequence[Key]) -> Iterator[Sequence[Key]]:
    """The keys in parts that one statement can name."""
    return (keys[start : start + MOST_NAMED] for start in range(0, len(keys), MOST_NAMED))


def people_within(connection: sa.Connection, study_id: int) -> StudyPeople:
    """Everybody of a study (study_id), in the caller's transaction (connection)."""
    people, accounts, roles, populations = (
        schema.participants, schema.accounts, schema.roles, schema.populations,
    )  # fmt: skip
    roles_of: dict[int, set[str]] = defaultdict(set)
    for row in connection.execute(
        sa.select(roles.c.account_id, roles.c.role).where(roles.c.study_id == study_id)
    ):
        roles_of[row.account_id].add(row.role)
    failed: dict[int, set[int]] = defaultdict(set)
    standings = schema.standings
    for row in connection.execute(
        sa.select(standings.c.participant_id, standings.c.stage_id)
        .join(people, people.c.id == standings.c.participant_id)
        .where(people.c.study_id == study_id, standings.c.test == "failed")
    ):
        failed[row.participant_id].add(row.stage_id)
    query = (
        sa.select(people, accounts.c.disabled)
        .join(accounts, accounts.c.id == people.c.account_id)
        .where(people.c.study_id == study_id)
        .order_by(people.c.id)
    )
    by_id = {
        row.id: StudyPerson(
            Assignee(row.pseudonym, participant_id=row.id),
            row.state,
            row.population_id,
            frozenset(roles_of[row.account_id]),
            row.disabled,
            frozenset(failed[row.id]),
        )
        for row in connection.execute(query)
    }
    rows = connection.execute(
        sa.select(populations).where(populations.c.study_id == study_id).order_by(populations.c.id)
    ).all()
    parent_of = {row.id: row.parent_id for row in rows}
    wider = {}
    for number in parent_of:
        line = [number]
        while (parent := parent_of[line[-1]]) is not None and parent not in line:
            line.append(parent)
        wider[number] = frozenset(line)
    return StudyPeople(by_id, {row.id: row.name for row in rows}, wider)


def people_of(workspace: Workspace, study_id: int) -> StudyPeople:
    """Everybody of a study (study_id) of the workspace."""
    with workspace.read() as connection:
        return people_within(connection, study_id)


Wanted = Mapping[int, Collection[Assignee]]
"""Item id -> to whom it is to be assigned; to nobody: it is for anybody again."""


def assign(
    workspace: Workspace,
    study_id: int,
    wanted: Wanted,
    *,
    add: bool = False,
    take_back: bool = False,
    strict: bool = False,
    by: int | None = None,
    how: str = "hand",
) -> AssignmentReceipt:
    """Assign items to people and populations, in place of those to whom they were assigned before. Slots that
    others have at hand stay theirs until their time is over; slots whose time is over are open at once.

    workspace, study_id: the study. wanted: see there; what cannot be is left out, and an item with
    nothing left stays as it was.
    add: keep those to whom an item is assigned already.
    take_back: take slots back from people who have them at hand and to whom the item is not assigned; their
    drafts are kept.
    strict: assign nothing at all if anything cannot be.
    by, how (hand, rule or file): for the audit trail.
    ConflictError for more than MOST_ITEMS; NotFoundError for an item of another study.
    """
    if len(wanted) > MOST_ITEMS:
        raise ConflictError("these are more than %(most)s items; choose fewer at a time", most=MOST_ITEMS)
    with changing(workspace, study_id) as connection:
        items = _locked(connection, study_id, sorted(wanted))
        people = people_within(connection, study_id)
        refused = refusals_within(connection, people, items, wanted)
        if refused and strict:
            return AssignmentReceipt(0, 0, tuple(refused))
        allowed = without(wanted, refused)
        if add:
            before = assignees_within(connection, study_id, items)
            allowed = {
                number: tuple(dict.fromkeys((*before.get(number, ()), *assignees))) if assignees else ()
                for number, assignees in allowed.items()
            }
        if not allowed:
            return AssignmentReceipt(0, 0, tuple(refused))
        taken_back = _store(connection, study_id, people, allowed, take_back=take_back)
        details = {
            "items": len(allowed),
            "assignees": len({each for assignees in allowed.values() for each in assignees}),
            "how": how,
            "taken_back": taken_back,
        }
        audit.record_event(connection, "items.assigned", study_id, by, details=details)
        return AssignmentReceipt(len(allowed), taken_back, tuple(refused))


def without(wanted: Wanted, refused: Collection[Refusal]) -> dict[int, tuple[Assignee, ...]]:
    """What is wanted without what is refused; items with nothing left are not among it."""
    pairs = {(each.item_id, each.assignee) for each in refused}
    allowed = {}
    for number, assignees in wanted.items():
        rest = tuple(each for each in dict.fromkeys(assignees) if (number, each) not in pairs)
        if (rest or not assignees) and (number, None) not in pairs:
            allowed[number] = rest
    return allowed


def refusals(workspace: Workspace, study_id: int, wanted: Wanted) -> list[Refusal]:
    """What of ``wanted`` cannot be assigned, and why. workspace, study_id: the study. NotFoundError for an
    item of another study."""
    with workspace.read() as connection:
        items = items_within(connection, study_id, sorted(wanted))
        return refusals_within(connection, people_within(connection, study_id), items, wanted)


def _locked(connection: sa.Connection, study_id: int, numbers: Sequence[int]) -> dict[int, Item]:
    """``items_within`` with their rows locked, in the order in which everybody locks several."""
    for some in in_parts(numbers):
        query = sa.select(schema.items.c.id).where(schema.items.c.id.in_(some)).order_by(schema.items.c.id)
        connection.execute(query.with_for_update()).all()
    return items_within(connection, study_id, numbers)


def items_within(connection: sa.Connection, study_id: int, numbers: Sequence[int]) -> dict[int, Item]:
    """Items of a study (study_id) by id (numbers), in the caller's transaction (connection). NotFoundError
    for any other."""
    items: dict[int, Item] = {}
    for some in in_parts(numbers):
        query = sa.select(schema.items).where(
            schema.items.c.id.in_(some), schema.items.c.study_id == study_id
        )
        items |= {row.id: from_row(Item, row) for row in connection.execute(query)}
    if len(items) != len(numbers):
        raise NotFoundError("there is no such item")
    return items


def refusals_within(
    connection: sa.Connection, people: StudyPeople, items: Mapping[int, Item], wanted: Wanted
) -> list[Refusal]:
    """``refusals`` (wanted) in the caller's transaction (connection). people: of the study; items: by id."""
    numbers = {item.stage_id for item in items.values()}
    query = sa.select(schema.stages).where(schema.stages.c.id.in_(numbers))
    stages = {row.id: row for row in connection.execute(query)}
    gave_back = _pairs(connection, schema.skips, list(items))
    refused = []
    for number, assignees in wanted.items():
        item = items[number]
        if assignees and (reason := _not_assignable(item)):
            refused.append(Refusal(number, None, reason))
            continue
        stage = stages[item.stage_id]
        for each in assignees:
            if each.participant_id is None:
                cannot = _population_refused(people, item, each)
            elif each.participant_id in gave_back.get(number, ()):
                cannot = Message("gave this item back, or has seen what others said")
            else:
                cannot = _person_refused(people, item, each.participant_id, stage)
            if cannot is not None:
                refused.append(Refusal(number, each, cannot))
    return refused


def _not_assignable(item: Item) -> Message | None:
    if item.check is not None:
        return Message("its answer is known: everybody is asked it")
    if item.state == ItemState.OPEN:
        return None
    if item.state == ItemState.DRAFT:
        return Message("it is still being written")
    return Message("it is settled") if item.state == ItemState.DONE else Message("it was dropped")


def _person_refused(
    people: StudyPeople, item: Item, participant_id: int, stage: sa.Row[Any]
) -> Message | None:
    person = people.people.get(participant_id)
    if person is None:
        return Message("is not in this study")
    if (why := CANNOT_COME_BACK.get(ParticipantState(person.state))) is not None:
        return why
    if person.disabled:
        return Message("has an account that is switched off")
    if stage.role not in person.roles:
        return Message("does not work on the stage %(stage)s", stage=stage.title)
    if stage.id in person.failed:
        return Message("did not pass the test")
    if not people.may_work_on(person, item.population_id):
        return Message(
            "is not of the population %(population)s", population=people.populations[item.population_id]
        )
    return Message("wrote it") if item.author_id == participant_id else None


def _population_refused(people: StudyPeople, item: Item, assignee: Assignee) -> Message | None:
    number = assignee.population_id
    if number not in people.populations:
        return Message("is not in this study")
    if people.is_part(number, item.population_id) or people.is_part(item.population_id, number):
        return None
    return Message(
        "is not part of the population %(population)s", population=people.populations[item.population_id]
    )


def _pairs(connection: sa.Connection, table: sa.Table, numbers: Sequence[int]) -> dict[int, set[int]]:
    """Item id -> the ids of people of a table's rows of the items with these ids."""
    people: dict[int, set[int]] = defaultdict(set)
    for some in in_parts(numbers):
        query = sa.select(table.c.item_id, table.c.participant_id).where(
            table.c.item_id.in_(some), table.c.participant_id.is_not(None)
        )
        for row in connection.execute(query):
            people[row.item_id].add(row.participant_id)
    return people


def _store(
    connection: sa.Connection, study_id: int, people: StudyPeople, allowed: Wanted, *, take_back: bool
) -> int:
    """Make these the only assignees of the items, whose rows are locked; returns how many slots were taken
    back."""
    items, slots, now = schema.items, schema.assignments, time.time()
    numbers = _allocations(connection, study_id, allowed, now)
    items_of: dict[int | None, list[int]] = defaultdict(list)
    for number, assignees in sorted(allowed.items()):
        items_of[numbers.get(frozenset(assignees))].append(number)
    for new, same in items_of.items():
        for some in in_parts(same):
            connection.execute(sa.update(items).where(items.c.id.in_(some)).values(allocation_id=new))
    live = slots.c.state.in_((AssignmentState.OPEN, AssignmentState.LEASED))
    allocation = sa.select(items.c.allocation_id).where(items.c.id == slots.c.item_id).scalar_subquery()
    taken_back = 0
    for some in in_parts(sorted(allowed)):
        # Locked in the order of their ids: people claim them meanwhile, and two must not wait for each other.
        rows = connection.execute(
            sa.select(slots).where(slots.c.item_id.in_(some), live).order_by(slots.c.id).with_for_update()
        ).all()
        connection.execute(
            sa.update(slots).where(slots.c.item_id.in_(some), live).values(allocation_id=allocation)
        )
        lost = [
            row
            for row in rows
            if row.state == AssignmentState.LEASED
            and allowed[row.item_id]
            and (take_back or row.lease_until < now)
            and not any(people.is_among(row.participant_id, each) for each in allowed[row.item_id])
        ]
        if lost:
            connection.execute(
                sa.update(slots).where(slots.c.id.in_([row.id for row in lost])).values(OPEN_AGAIN)
            )
        taken_back += sum(row.lease_until >= now for row in lost)
    _clear(connection, study_id)
    return taken_back


def _allocations(
    connection: sa.Connection, study_id: int, allowed: Wanted, now: float
) -> dict[frozenset[Assignee], int]:
    """A new allocation for each set of assignees, in the order of their first items: people are given items
    in that order."""
    sets = {frozenset(allowed[number]): allowed[number] for number in sorted(allowed, reverse=True)}
    ordered = [assignees for assignees in reversed(sets.values()) if assignees]
    if not ordered:
        return {}
    table = schema.allocations
    numbers = connection.scalars(
        sa.insert(table).returning(table.c.id, sort_by_parameter_order=True),
        [{"study_id": study_id, "created": now}] * len(ordered),
    ).all()
    rows = [
        {"allocation_id": number, "participant_id": each.participant_id, "population_id": each.population_id}
        for number, assignees in zip(numbers, ordered, strict=True)
        for each in assignees
    ]
    insert(connection, schema.assignees, rows, replace=False)
    return {frozenset(assignees): number for assignees, number in zip(ordered, numbers, strict=True)}


def _clear(connection: sa.Connection, study_id: int) -> None:
    """Delete the allocations that no item has any more."""
    table, assignees, items = schema.allocations, schema.assignees, schema.items
    unused = sa.select(table.c.id).where(
        table.c.study_id == study_id, ~sa.exists().where(items.c.allocation_id == table.c.id)
    )
    connection.execute(sa.delete(assignees).where(assignees.c.allocation_id.in_(unused)))
    connection.execute(sa.delete(table).where(table.c.id.in_(unused)))


def assignees_of(
    workspace: Workspace, study_id: int, numbers: Collection[int]
) -> dict[int, tuple[Assignee, ...]]:
    """Item id -> to whom it is assigned, of those items (numbers) of a study (study_id) of the workspace that
    are."""
    with workspace.read() as connection:
        return assignees_within(connection, study_id, numbers)


def assignee_names(workspace: Workspace, study_id: int) -> list[str]:
    """The names of the people and populations of a study (study_id) of the workspace to whom something is
    assigned: populations first."""
    table, people, populations, allocations = (
        schema.assignees,
        schema.participants,
        schema.populations,
        schema.allocations,
    )
    query = (
        sa.select(people.c.pseudonym, populations.c.name)
        .select_from(table)
        .join(allocations, allocations.c.id == table.c.allocation_id)
        .outerjoin(people, people.c.id == table.c.participant_id)
        .outerjoin(populations, populations.c.id == table.c.population_id)
        .where(allocations.c.study_id == study_id)
        .distinct()
    )
    with workspace.read() as connection:
        rows = connection.execute(query).all()
    named = sorted(row.name for row in rows if row.name)
    return named + sorted(row.pseudonym for row in rows if row.pseudonym)


def assignees_within(
    connection: sa.Connection, study_id: int, numbers: Collection[int] | None = None
) -> dict[int, tuple[Assignee, ...]]:
    """``assignees_of`` in the caller's transaction (connection); of every item of the study (study_id) if
    numbers is None."""
    by_item: dict[int, list[Assignee]] = defaultdict(list)
    for number, assignee in _assignees(connection, study_id, numbers):
        by_item[number].append(assignee)
    return {number: tuple(assignees) for number, assignees in by_item.items()}


def _assignees(
    connection: sa.Connection, study_id: int, numbers: Collection[int] | None
) -> Iterator[tuple[int, Assignee]]:
    table, people, populations, items = (
        schema.assignees, schema.participants, schema.populations, schema.items,
    )  # fmt: skip
    query = (
        sa.select(items.c.id.label("item_id"), table, people.c.pseudonym, populations.c.name)
        .join(items, items.c.allocation_id == table.c.allocation_id)
        .outerjoin(people, people.c.id == table.c.participant_id)
        .outerjoin(populations, populations.c.id == table.c.population_id)
        .where(items.c.study_id == study_id)
        .order_by(items.c.id, table.c.id)
    )
    queries = (
        [query]
        if numbers is None
        else [query.where(items.c.id.in_(some)) for some in in_parts(sorted(numbers))]
    )
    for each in queries:
        for row in connection.execute(each):
            yield row.item_id, Assignee(row.pseudonym or row.name, row.participant_id, row.population_id)


def taken_slots(connection: sa.Connection, study_id: int) -> Counter[tuple[int, int]]:
    """(participant id, stage id) -> slots that somebody has answered or is at, attention checks not
    counted; of a study (study_id), in the caller's transaction (connection)."""
    slots, items = schema.assignments, schema.items
    query = (
        sa.select(slots.c.participant_id, slots.c.stage_id, sa.func.count().label("n"))
        .join(items, items.c.id == slots.c.item_id)
        .where(
            items.c.study_id == study_id,
            items.c.check.is_(None),
            slots.c.participant_id.is_not(None),
            slots.c.state.in_((AssignmentState.LEASED, AssignmentState.DONE)),
        )
        .group_by(slots.c.participant_id, slots.c.stage_id)
    )
    return Counter({(row.participant_id, row.stage_id): row.n for row in connection.execute(query)})


def last_active(connection: sa.Connection, study_id: int) -> dict[int, float]:
    """Participant id -> when they last took or sent a task; of a study (study_id), in the caller's
    transaction (connection)."""
    slots, people = schema.assignments, schema.participants
    query = (
        sa.select(
            slots.c.participant_id,
            sa.func.max(slots.c.leased).label("leased"),
            sa.func.max(slots.c.done).label("done"),
        )
        .join(people, people.c.id == slots.c.participant_id)
        .where(people.c.study_id == study_id)
        .group_by(slots.c.participant_id)
    )
    return {row.participant_id: max(row.leased or 0.0, row.done or 0.0) for row in connection.execute(query)}
