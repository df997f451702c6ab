"""Single-use links for choosing a new password.

The database stores only the hash of a link's token, so that a copy of it gives no access.
"""

from __future__ import annotations

import secrets
import time

import sqlalchemy as sa

from folkways.sdk.workspace import Workspace
from folkways_studio.database import audit, schema
from folkways_studio.database.rows import find_row
from folkways_studio.errors import InviteError, Message, NotAllowedError, NotFoundError
from folkways_studio.people import accounts
from folkways_studio.people.sessions import token_hash
from folkways_studio.records import Account, Role, from_row

HOURS = 24.0
MADE = "account.password_link_made"
"""The event of a link, by whom it was made."""
DEAD = Message("this link has been used or is too old; ask for another")


def make_link(workspace: Workspace, account_id: int, *, by: int | None = None, hours: float = HOURS) -> str:
    """The token of a new link for an account, returned only here; earlier links stop working.

    workspace, account_id: the account. by: the study owner who makes it; None for the people who run the
    server. hours: how long it works. Raises NotAllowedError if the account is disabled, or takes part in a
    study that the owner does not own, which the link would open too; NotFoundError without a login.
    """
    now = time.time()
    links = schema.password_links
    token = secrets.token_urlsafe(32)
    with workspace.write() as connection:
        row = find_row(connection, schema.accounts, id=account_id)
        if row is None or row.login is None:
            raise NotFoundError("there is no such account, or it is one without a password")
        if row.disabled:
            raise NotAllowedError("this account is disabled; whoever runs the server can let it in again")
        if by is not None and by != account_id and not _all_theirs(connection, account_id, by):
            raise NotAllowedError(
                "this account takes part in a study that is not yours; ask the people who run the server "
                "for a link"
            )
        connection.execute(
            sa.delete(links).where(sa.or_(links.c.account_id == account_id, links.c.expires < now))
        )
        values = {
            "token_hash": token_hash(token),
            "account_id": account_id,
            "created": now,
            "expires": now + hours * 3600,
        }
        connection.execute(sa.insert(links).values(values))
        audit.record_event(connection, MADE, account_id=by, subject=f"account:{account_id}")
    return token


def _all_theirs(connection: sa.Connection, account_id: int, owner: int) -> bool:
    """Whether the owner owns every study in which an account has a role."""
    roles = schema.roles
    owned = sa.select(roles.c.study_id).where(roles.c.account_id == owner, roles.c.role == Role.OWNER)
    others = sa.select(roles.c.study_id).where(
        roles.c.account_id == account_id, roles.c.study_id.not_in(owned)
    )
    return connection.execute(others.limit(1)).first() is None


def _is_too_old(connection: sa.Connection, account_id: int) -> bool:
    """Whether the owner who made the newest link of an account does not own all of its studies any more, as
    where it joined another one meanwhile."""
    events = schema.events
    newest = (
        sa.select(events.c.account_id)
        .where(events.c.kind == MADE, events.c.subject == f"account:{account_id}")
        .order_by(events.c.id.desc())
    )
    maker = connection.scalar(newest.limit(1))
    return maker not in (None, account_id) and not _all_theirs(connection, account_id, maker)


def account_of_link(workspace: Workspace, token: str) -> Account:
    """The account whose password a link changes; InviteError if the link is unknown, used or too old, or the
    owner who made it might not make it now."""
    with workspace.read() as connection:
        return _account_of_link(connection, token)


def _account_of_link(connection: sa.Connection, token: str) -> Account:
    links, table = schema.password_links, schema.accounts
    query = (
        sa.select(table)
        .join(links, links.c.account_id == table.c.id)
        .where(
            links.c.token_hash == token_hash(token),
            links.c.expires > time.time(),
            table.c.disabled.is_(False),
        )
    )
    row = connection.execute(query).first()
    if row is None or _is_too_old(connection, row.id):
        raise InviteError(DEAD)
    return from_row(Account, row)


def use_link(workspace: Workspace, token: str, password: str) -> Account:
    """Set a new password by a link and end all sessions of its account; the link stops working.

    Raises InviteError as ``account_of_link`` does; SubmissionError if the password is too short: the link
    then still works.
    """
    account = account_of_link(workspace, token)
    # Again in the transaction that ends the link: it may have been used in another window.
    accounts.set_password(
        workspace, account.id, password, first=lambda connection: _account_of_link(connection, token)
    )
    return account
