"""Which studies people take part in, and how far they are."""

from __future__ import annotations

from dataclasses import dataclass

import sqlalchemy as sa

from folkways.sdk.workspace import Workspace
from folkways_studio.database import schema
from folkways_studio.database.rows import read_first
from folkways_studio.people.sessions import SESSION, about_token, session_of, token_hash
from folkways_studio.records import (
    Account,
    AssignmentState,
    Participant,
    ParticipantState,
    Population,
    Role,
    SignInSession,
    Study,
    StudyState,
    from_row,
)

_studies, _people, _populations, _roles = (
    schema.studies,
    schema.participants,
    schema.populations,
    schema.roles,
)
_ENTRY = (
    SESSION.add_columns(
        *_studies.c,
        *_people.c,
        *_populations.c,
        sa.select(sa.func.aggregate_strings(_roles.c.role, ","))
        .where(_roles.c.study_id == _studies.c.id, _roles.c.account_id == schema.accounts.c.id)
        .scalar_subquery()
        .label("roles"),
    )
    .outerjoin(
        _studies, sa.and_(_studies.c.name == sa.bindparam("study"), _studies.c.state != StudyState.DELETED)
    )
    .outerjoin(
        _people, sa.and_(_people.c.study_id == _studies.c.id, _people.c.account_id == schema.accounts.c.id)
    )
    .outerjoin(_populations, _populations.c.id == _people.c.population_id)
)
"""Built once, because every page runs it."""


_answers, _items, _slots = schema.judgements, schema.items, schema.assignments
_WORK_OF = sa.select(
    sa.select(sa.func.count())
    .select_from(_answers.join(_items, _items.c.id == _answers.c.item_id))
    .where(_answers.c.participant_id == sa.bindparam("person"), _items.c.test.is_not(True))
    .scalar_subquery()
    .label("answers"),
    sa.exists()
    .where(_slots.c.participant_id == sa.bindparam("person"), _slots.c.state == AssignmentState.LEASED)
    .label("at_hand"),
)


@dataclass(frozen=True, slots=True)
class StudyEntry:
    """A session and the account's part in one study; None and empty where there is nothing."""

    session: SignInSession
    study: Study | None
    person: Participant | None
    population: Population | None
    roles: frozenset[Role]


def find_entry(workspace: Workspace, token: str, study: str) -> StudyEntry | None:
    """The session of a token with its account's part in the study of that name; None without a session."""
    with workspace.read() as connection:
        row = connection.execute(_ENTRY, {**about_token(token), "study": study}).first()
    if row is None:
        return None
    values = row._mapping
    return StudyEntry(
        session_of(workspace, row),
        from_row(Study, row, _studies) if values[_studies.c.id] is not None else None,
        from_row(Participant, row, _people) if values[_people.c.id] is not None else None,
        from_row(Population, row, _populations) if values[_populations.c.id] is not None else None,
        frozenset(Role(role) for role in (row.roles or "").split(",") if role),
    )


@dataclass(frozen=True, slots=True)
class ParticipantWork:
    """What a person has done in their study. answers: without those of a test. at_hand: whether they hold a
    task."""

    answers: int
    at_hand: bool


def work_of(workspace: Workspace, person: Participant) -> ParticipantWork:
    """What a person has done and holds in their study."""
    with workspace.read() as connection:
        row = connection.execute(_WORK_OF, {"person": person.id}).one()
    return ParticipantWork(row.answers, bool(row.at_hand))


def parts_of(workspace: Workspace, account_id: int) -> tuple[tuple[Study, Participant], ...]:
    """The studies that an account takes part in and has not left, newest first, with its participant in
    each."""
    studies, participants = schema.studies, schema.participants
    query = (
        sa.select(participants)
        .where(participants.c.account_id == account_id, participants.c.state != ParticipantState.WITHDRAWN)
        .order_by(participants.c.id.desc())
    )
    with workspace.read() as connection:
        people = [from_row(Participant, row) for row in connection.execute(query)]
        ids = [person.study_id for person in people]
        by_id = {
            row.id: from_row(Study, row)
            for row in connection.execute(sa.select(studies).where(studies.c.id.in_(ids)))
        }
    return tuple((by_id[person.study_id], person) for person in people)


def study_of_invitation(workspace: Workspace, token: str) -> Study | None:
    """The study of an invitation, even an expired one: people who joined by it may come back."""
    invites, studies = schema.invites, schema.studies
    query = (
        sa.select(studies)
        .join(invites, invites.c.study_id == studies.c.id)
        .where(invites.c.token_hash == token_hash(token))
    )
    return read_first(workspace, Study, query)


def may_make_studies(workspace: Workspace, account: Account) -> bool:
    """Whether an account may make studies, which ask models with the server's keys.

    Owners and researchers may, and accounts without any study, which the people who run the server made;
    somebody who came in as another study's reviewer may not.
    """
    if account.login is None:
        return False
    roles, people = schema.roles, schema.participants
    with workspace.read() as connection:
        mine = set(connection.scalars(sa.select(roles.c.role).where(roles.c.account_id == account.id)))
        came = connection.scalar(sa.select(people.c.id).where(people.c.account_id == account.id).limit(1))
    return bool(mine & {Role.OWNER, Role.RESEARCHER}) or (not mine and came is None)
