"""Sessions of signed-in browsers. The database stores only the hash of a session's token, so that a copy of
it gives no access."""

from __future__ import annotations

import hashlib
import secrets
import time
from typing import Any

import sqlalchemy as sa

from folkways.sdk.workspace import Workspace
from folkways_studio.database import schema
from folkways_studio.database.rows import change_rows
from folkways_studio.records import Account, SignInSession, from_row

LIFETIME_SECONDS = 14 * 86400.0
"""From the sign-in; of people without a login, known by nothing else, from their last visit."""

SEEN_EVERY_SECONDS = 300.0
"""Minimum seconds between two updates of ``seen``, so that reading pages rarely writes."""

SESSION = (
    sa.select(schema.sessions, schema.accounts)
    .join(schema.accounts, schema.accounts.c.id == schema.sessions.c.account_id)
    .where(
        schema.sessions.c.token_hash == sa.bindparam("hash"),
        schema.sessions.c.expires > sa.bindparam("now"),
        schema.accounts.c.disabled.is_(False),
    )
)
"""The live session of a token with its account; ``about_token`` gives the parameters, ``session_of`` reads
the row."""


def token_hash(token: str) -> str:
    """The SHA-256 of a token, in hexadecimal. Tokens are random, so a slow hash is unnecessary."""
    return hashlib.sha256(token.encode()).hexdigest()


def open_session(workspace: Workspace, account_id: int) -> str:
    """The token for the cookie of a new session, which lasts LIFETIME_SECONDS."""
    now = time.time()
    token = secrets.token_urlsafe(32)
    row = {
        "token_hash": token_hash(token),
        "account_id": account_id,
        "csrf": secrets.token_urlsafe(32),
        "created": now,
        "seen": now,
        "expires": now + LIFETIME_SECONDS,
    }
    with workspace.write() as connection:
        connection.execute(sa.delete(schema.sessions).where(schema.sessions.c.expires < now))
        connection.execute(sa.insert(schema.sessions).values(row))
    return token


def about_token(token: str) -> dict[str, str | float]:
    """The parameters of ``SESSION``."""
    return {"hash": token_hash(token), "now": time.time()}


def find_session(workspace: Workspace, token: str) -> SignInSession | None:
    """The session of a token, with its account; None if it is unknown, expired or revoked, or the account
    disabled."""
    with workspace.read() as connection:
        row = connection.execute(SESSION, about_token(token)).first()
    return session_of(workspace, row) if row is not None else None


def session_of(workspace: Workspace, row: sa.Row[Any]) -> SignInSession:
    """The session of a row of ``SESSION``; updates ``seen``, and ``expires`` for people without a login."""
    now, values = time.time(), row._mapping
    table = schema.sessions
    if now - values[table.c.seen] > SEEN_EVERY_SECONDS:
        until = {"expires": now + LIFETIME_SECONDS} if values[schema.accounts.c.login] is None else {}
        with workspace.claim() as connection:
            change_rows(connection, table, {"token_hash": values[table.c.token_hash]}, seen=now, **until)
    times = (values[column] for column in (table.c.created, table.c.seen, table.c.expires))
    return SignInSession(from_row(Account, row, schema.accounts), values[table.c.csrf], *times)


def revoke(workspace: Workspace, token: str) -> None:
    """End one session."""
    with workspace.write() as connection:
        connection.execute(
            sa.delete(schema.sessions).where(schema.sessions.c.token_hash == token_hash(token))
        )


def revoke_all(workspace: Workspace, account_id: int) -> None:
    """End every session of an account."""
    with workspace.write() as connection:
        connection.execute(sa.delete(schema.sessions).where(schema.sessions.c.account_id == account_id))
