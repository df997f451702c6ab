"""Signed-in browsers. The database knows only the hash of a session's token, so that a copy of it lets nobody in."""

from __future__ import annotations

import hashlib
import secrets
import time

import sqlalchemy as sa

from folkways.studio.records import Session, from_row
from folkways.workspace.database import Workspace
from folkways.workspace.studio import tables as schema

LIFETIME_SECONDS = 14 * 86400.0
SEEN_EVERY_SECONDS = 300.0
"""``seen`` is written at most this often: reading pages does not keep the database writing."""


def token_hash(token: str) -> str:
    """What the database keeps of a token: SHA-256 in hexadecimal. Tokens are random, so nothing slower is needed."""
    return hashlib.sha256(token.encode()).hexdigest()


def open_session(workspace: Workspace, account_id: int, *, now: float | None = None) -> str:
    """The token for the cookie of a new session, which lasts LIFETIME_SECONDS."""
    now = time.time() if now is None else now
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


def find_session(workspace: Workspace, token: str, *, now: float | None = None) -> Session | None:
    """The session of a token; None for one that is unknown, expired or revoked, or whose account is disabled."""
    now = time.time() if now is None else now
    sessions, accounts = schema.sessions, schema.accounts
    query = (
        sa.select(sessions)
        .join(accounts, accounts.c.id == sessions.c.account_id)
        .where(sessions.c.token_hash == token_hash(token), sessions.c.expires > now, accounts.c.disabled.is_(False))
    )
    with workspace.read() as connection:
        row = connection.execute(query).first()
    if row is None:
        return None
    if now - row.seen > SEEN_EVERY_SECONDS:
        with workspace.claim() as connection:
            connection.execute(sa.update(sessions).where(sessions.c.token_hash == row.token_hash).values(seen=now))
    return from_row(Session, row)


def revoke(workspace: Workspace, token: str) -> None:
    """End one session."""
    with workspace.write() as connection:
        connection.execute(sa.delete(schema.sessions).where(schema.sessions.c.token_hash == token_hash(token)))


def revoke_all(workspace: Workspace, account_id: int) -> None:
    """End every session of an account."""
    with workspace.write() as connection:
        connection.execute(sa.delete(schema.sessions).where(schema.sessions.c.account_id == account_id))
