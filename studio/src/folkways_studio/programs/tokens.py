"""Tokens of the API. The database stores only their hashes, so that a copy of it gives no access."""

from __future__ import annotations

import secrets
import time
from typing import Any

import sqlalchemy as sa

from folkways.sdk.workspace import Workspace
from folkways_studio.database import audit, schema
from folkways_studio.database.rows import change_rows, find_row, get_row, inserted, read_all, require_study
from folkways_studio.errors import NotFoundError, SubmissionError, TokenError
from folkways_studio.people.sessions import SEEN_EVERY_SECONDS, token_hash
from folkways_studio.programs.records import ApiToken, Scope
from folkways_studio.records import from_row

PREFIX = "folkways_"
"""Every token begins with this, so that scanners for leaked secrets recognise it."""

DAY = 86400.0
MOST_DAYS = 366


def create_token(
    workspace: Workspace,
    account_id: int,
    *,
    study_id: int | None,
    name: str = "",
    scope: Scope = Scope.READ,
    days: float = 90,
    by: int | None = None,
) -> tuple[ApiToken, str]:
    """A token with which a program acts as an account, and its text, which is returned only here.

    workspace, account_id: the account.
    study_id: the only study; None for all of the account's.
    name: a note.
    scope: what it allows.
    days: how long it is valid, up to MOST_DAYS, else SubmissionError.
    by: the account that makes it; None for the people who run the server.
    """
    now = time.time()
    if not 0 < days <= MOST_DAYS:
        raise SubmissionError({"days": f"a token lasts up to {MOST_DAYS} days"})
    text = PREFIX + secrets.token_urlsafe(32)
    row = {
        "token_hash": token_hash(text),
        "study_id": study_id,
        "account_id": account_id,
        "name": name.strip()[:128],
        "scope": str(scope),
        "created": now,
        "expires": now + days * DAY,
        "revoked": False,
    }
    with workspace.write() as connection:
        if study_id is not None:
            require_study(connection, study_id)
        made = inserted(connection, ApiToken, schema.tokens, row)
        details = {"scope": scope, **({"account": account_id} if by is None else {})}
        audit.record_event(
            connection, "token.created", study_id, by, subject=f"token:{made.id}", details=details
        )
        return made, text


def find_token(workspace: Workspace, text: str) -> ApiToken:
    """The token with this text. TokenError, with the reason, if it is not valid."""
    now = time.time()
    with workspace.read() as connection:
        row = find_row(connection, schema.tokens, token_hash=token_hash(text))
        account = get_row(connection, schema.accounts, id=row.account_id) if row is not None else None
    if row is None or account is None:
        raise TokenError(
            "this token is not known; check that it is whole, or make another on the study's page API"
        )
    if row.revoked or account.disabled:
        raise TokenError("this token was revoked; make another on the study's page API")
    if row.expires <= now:
        raise TokenError("this token has expired; make another on the study's page API")
    if row.used is None or now - row.used > SEEN_EVERY_SECONDS:
        with workspace.claim() as connection:
            change_rows(connection, schema.tokens, {"id": row.id}, used=now)
    return from_row(ApiToken, row)


def list_tokens(workspace: Workspace, *, study_id: int | None) -> tuple[ApiToken, ...]:
    """The tokens of a study, newest first; None: those for all studies of an account."""
    table = schema.tokens
    return read_all(
        workspace, ApiToken, sa.select(table).where(table.c.study_id == study_id).order_by(table.c.id.desc())
    )


def revoke_token(workspace: Workspace, token_id: int, *, study_id: int | None, by: int | None = None) -> None:
    """Revoke a token. token_id: of this study, else NotFoundError. workspace, study_id: the study. by: the
    account that acts, for the audit trail."""
    table = schema.tokens
    with workspace.write() as connection:
        row = find_row(connection, table, id=token_id)
        if row is None or row.study_id != study_id:
            raise NotFoundError("there is no such token")
        _revoke(connection, row, by)


def revoke_all(connection: sa.Connection, account_id: int) -> None:
    """Revoke every token of an account, within the caller's transaction."""
    for row in connection.execute(sa.select(schema.tokens).filter_by(account_id=account_id)).all():
        _revoke(connection, row)


def _revoke(connection: sa.Connection, row: sa.Row[Any], by: int | None = None) -> None:
    if not row.revoked:
        change_rows(connection, schema.tokens, {"id": row.id}, revoked=True)
        audit.record_event(connection, "token.revoked", row.study_id, by, subject=f"token:{row.id}")
