"""What a person takes part in, and how far they are there."""

from __future__ import annotations

import sqlalchemy as sa

from folkways.sdk.workspace import Workspace
from folkways_studio.database import tables as schema
from folkways_studio.database.rows import read_first, read_values
from folkways_studio.errors import NotFoundError
from folkways_studio.people.sessions import token_hash
from folkways_studio.records import (
    Account,
    AssignmentState,
    Participant,
    ParticipantState,
    Population,
    Role,
    Study,
    StudyState,
    from_row,
)

_studies, _people, _populations = schema.studies, schema.participants, schema.populations
_PART = (
    sa.select(_studies, _people, _populations)
    .outerjoin(_people, sa.and_(_people.c.study_id == _studies.c.id, _people.c.account_id == sa.bindparam("account")))
    .outerjoin(_populations, _populations.c.id == _people.c.population_id)
    .where(_studies.c.name == sa.bindparam("name"), _studies.c.state != StudyState.DELETED)
)


def part_in(workspace: Workspace, study: str, account_id: int) -> tuple[Study, Participant | None, Population | None]:
    """The study of that name, an account's part in it, and the population that it has there; NotFoundError for no study."""
    with workspace.read() as connection:
        row = connection.execute(_PART, {"name": study, "account": account_id}).first()
    if row is None:
        raise NotFoundError("there is no study %(name)s", name=repr(study))
    person = from_row(Participant, row, _people) if row._mapping[_people.c.id] is not None else None
    population = from_row(Population, row, _populations) if row._mapping[_populations.c.id] is not None else None
    return from_row(Study, row, _studies), person, population


def answers_given(workspace: Workspace, person: Participant) -> int:
    """How many answers a person has given in their study, those of a test not counted."""
    table, items = schema.judgements, schema.items
    query = sa.select(sa.func.count()).select_from(table.join(items, items.c.id == table.c.item_id))
    query = query.where(table.c.participant_id == person.id, items.c.test.is_not(True))
    return int(read_values(workspace, query)[0])


def parts_of(workspace: Workspace, account_id: int) -> tuple[tuple[Study, Participant], ...]:
    """The studies that an account takes part in and has not left, newest first, with its part in each."""
    studies, participants = schema.studies, schema.participants
    query = (
        sa.select(participants)
        .where(participants.c.account_id == account_id, participants.c.state != ParticipantState.WITHDRAWN)
        .order_by(participants.c.id.desc())
    )
    with workspace.read() as connection:
        people = [from_row(Participant, row) for row in connection.execute(query)]
        ids = [person.study_id for person in people]
        by_id = {row.id: from_row(Study, row) for row in connection.execute(sa.select(studies).where(studies.c.id.in_(ids)))}
    return tuple((by_id[person.study_id], person) for person in people)


def study_of_invitation(workspace: Workspace, token: str) -> Study | None:
    """The study of an invitation, also of one that lets nobody in any more: those who came by it may come back."""
    invites, studies = schema.invites, schema.studies
    query = sa.select(studies).join(invites, invites.c.study_id == studies.c.id).where(invites.c.token_hash == token_hash(token))
    return read_first(workspace, Study, query)


def has_work_at_hand(workspace: Workspace, person: Participant) -> bool:
    """Whether a task is kept for this person."""
    table = schema.assignments
    query = sa.select(table.c.id).where(table.c.participant_id == person.id, table.c.state == AssignmentState.LEASED).limit(1)
    return bool(read_values(workspace, query))


def may_make_studies(workspace: Workspace, account: Account) -> bool:
    """Whether an account may make studies, which ask models with the server's keys: who runs a study already, and those whose
    account was made by whoever runs the server (they have no part in any study); nobody who came in as somebody else's reviewer.
    """
    if account.login is None:
        return False
    roles, people = schema.roles, schema.participants
    with workspace.read() as connection:
        mine = set(connection.scalars(sa.select(roles.c.role).where(roles.c.account_id == account.id)))
        came = connection.scalar(sa.select(people.c.id).where(people.c.account_id == account.id).limit(1))
    return bool(mine & {Role.OWNER, Role.RESEARCHER}) or (not mine and came is None)
