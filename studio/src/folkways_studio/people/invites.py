"""Links that let people into a study, in a role, for a population."""

from __future__ import annotations

import secrets
import time

import sqlalchemy as sa

from folkways.sdk.workspace import Workspace
from folkways_studio.database import audit, schema
from folkways_studio.database.rows import change_rows, changing, find_row, read_all
from folkways_studio.errors import InviteError, NotFoundError
from folkways_studio.people.sessions import token_hash
from folkways_studio.records import Invite, Role, from_row

DAY = 86400.0


def may_give(mine: frozenset[Role]) -> tuple[Role, ...]:
    """The roles that somebody with the roles ``mine`` may give; a researcher cannot give more than their
    own."""
    return tuple(Role) if Role.OWNER in mine else (Role.ANNOTATOR, Role.REVIEWER, Role.EXPERT)


def create_invite(
    workspace: Workspace,
    study_id: int,
    role: Role = Role.ANNOTATOR,
    *,
    population: str | None = None,
    uses: int | None = None,
    days: float = 30,
    note: str = "",
    by: int | None = None,
) -> tuple[Invite, str]:
    """The new invite of a study and the token for its link, which is returned only here.

    workspace, study_id: the study.
    role: what people get by it.
    population: its name; annotators need one.
    uses: how many people may use it (None: any number).
    days: how long it is valid.
    note: for staff.
    by: the account that acts.
    Raises NotFoundError if the population is missing or unknown.
    """
    now = time.time()
    token = secrets.token_urlsafe(24)
    with changing(workspace, study_id) as connection:
        population_id = None
        if population is not None:
            query = sa.select(schema.populations.c.id).filter_by(study_id=study_id, name=population)
            population_id = connection.scalar(query)
        if population_id is None and (population is not None or role == Role.ANNOTATOR):
            query = (
                sa.select(schema.populations.c.name)
                .filter_by(study_id=study_id)
                .order_by(schema.populations.c.id)
            )
            names = connection.scalars(query).all()
            raise NotFoundError(
                f"name the population that people come from; the study has: {', '.join(names) or '(none)'}"
            )
        row = {
            "token_hash": token_hash(token),
            "study_id": study_id,
            "population_id": population_id,
            "role": str(role),
            "uses_left": uses,
            "expires": now + days * DAY,
            "revoked": False,
            "note": note,
            "created": now,
            "created_by": by,
        }
        connection.execute(sa.insert(schema.invites).values(row))
        details = {"role": role, "population": population}
        audit.record_event(connection, "invite.created", study_id, by, details=details)
    return find_invite(workspace, token), token


def find_invite(workspace: Workspace, token: str) -> Invite:
    """The invite of a token. Raises InviteError, with the reason, if it lets nobody in."""
    with workspace.read() as connection:
        return usable_invite(connection, token)


def usable_invite(connection: sa.Connection, token: str) -> Invite:
    """``find_invite`` within the caller's transaction, which locks the row. Raises InviteError."""
    query = sa.select(schema.invites).where(schema.invites.c.token_hash == token_hash(token))
    if not connection.get_execution_options().get("read_only", False):
        query = query.with_for_update()
    row = connection.execute(query).first()
    if row is None:
        raise InviteError("this invitation is not known; check that the link is complete, or ask who sent it")
    if row.revoked:
        raise InviteError("this invitation was taken back; ask who sent it for another")
    if row.expires <= time.time():
        raise InviteError("this invitation has expired; ask who sent it for another")
    if row.uses_left == 0:
        raise InviteError("this invitation has been used as often as it may be; ask who sent it for another")
    return from_row(Invite, row)


def list_invites(workspace: Workspace, study_id: int) -> tuple[Invite, ...]:
    """All invites of a study, newest first."""
    query = sa.select(schema.invites).filter_by(study_id=study_id).order_by(schema.invites.c.id.desc())
    return read_all(workspace, Invite, query)


def revoke_invite(workspace: Workspace, study_id: int, invite_id: int, *, by: int | None = None) -> None:
    """Revoke an invite; people who joined by it stay. invite_id: of this study; else NotFoundError.
    workspace, study_id: the study."""
    invites = schema.invites
    with workspace.write() as connection:
        row = find_row(connection, invites, id=invite_id, study_id=study_id)
        if row is None:
            raise NotFoundError("there is no such invitation")
        if not row.revoked:
            change_rows(connection, invites, {"id": invite_id}, revoked=True)
            audit.record_event(connection, "invite.revoked", study_id, by, subject=f"invite:{invite_id}")
