"""Signed-in browsers. The database knows only the hash of a session's token, so that a copy of it lets nobody in."""

from __future__ import annotations

import hashlib
import secrets
import time

import sqlalchemy as sa

from folkways.sdk.workspace import Workspace
from folkways_studio.database import tables as schema
from folkways_studio.database.rows import change_rows
from folkways_studio.records import Account, Session, from_row

LIFETIME_SECONDS = 14 * 86400.0
SEEN_EVERY_SECONDS = 300.0
"""``seen`` is written at most this often: reading pages does not keep the database writing."""

_SESSION = (
    sa.select(schema.sessions, schema.accounts)
    .join(schema.accounts, schema.accounts.c.id == schema.sessions.c.account_id)
    .where(
        schema.sessions.c.token_hash == sa.bindparam("hash"),
        schema.sessions.c.expires > sa.bindparam("now"),
        schema.accounts.c.disabled.is_(False),
    )
)


def token_hash(token: str) -> str:
    """What the database keeps of a token: SHA-256 in hexadecimal. Tokens are random, so nothing slower is needed."""
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


def find_session(workspace: Workspace, token: str) -> Session | None:
    """The session of a token, with its account; None for one that is unknown, expired or revoked, or whose account is disabled."""
    now = time.time()
    with workspace.read() as connection:
        row = connection.execute(_SESSION, {"hash": token_hash(token), "now": now}).first()
    if row is None:
        return None
    if now - row.seen > SEEN_EVERY_SECONDS:
        with workspace.claim() as connection:
            change_rows(connection, schema.sessions, {"token_hash": row.token_hash}, seen=now)
    created = row._mapping[schema.sessions.c.created]
    return Session(from_row(Account, row, schema.accounts), row.csrf, created, row.seen, row.expires)


def revoke(workspace: Workspace, token: str) -> None:
    """End one session."""
    with workspace.write() as connection:
        connection.execute(sa.delete(schema.sessions).where(schema.sessions.c.token_hash == token_hash(token)))


def revoke_all(workspace: Workspace, account_id: int) -> None:
    """End every session of an account."""
    with workspace.write() as connection:
        connection.execute(sa.delete(schema.sessions).where(schema.sessions.c.account_id == account_id))
