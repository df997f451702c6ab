"""The audit trail: who did what and when. Rows can only be added; the database refuses anything else."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa

from folkways.sdk.workspace import Workspace
from folkways_studio.activity import Event
from folkways_studio.database import tables as schema
from folkways_studio.database.rows import inserted_id, read_all
from folkways_studio.programs.deliveries import queue


def note(
    connection: sa.Connection,
    kind: str,
    *,
    study_id: int | None = None,
    account_id: int | None = None,
    participant_id: int | None = None,
    subject: str = "",
    details: Mapping[str, Any] | None = None,
) -> None:
    """Add an event within the caller's transaction: it happened exactly if the transaction is committed.

    kind: "judgement.submitted". details: nothing personal, and no text that a person may want deleted.
    """
    now = time.time()
    row = {
        "kind": kind,
        "study_id": study_id,
        "account_id": account_id,
        "participant_id": participant_id,
        "subject": subject,
        "details": dict(details or {}),
        "at": now,
    }
    number = inserted_id(connection, schema.events, row)
    if study_id is not None:
        queue(connection, study_id, number, kind, now)


def record(workspace: Workspace, kind: str, **about: Any) -> None:
    """``note`` in a transaction of its own, for what changes nothing else, such as an export."""
    with workspace.write() as connection:
        note(connection, kind, **about)


def events(workspace: Workspace, study_id: int, *, before: int | None = None, limit: int = 100) -> tuple[Event, ...]:
    """The newest events of a study, newest first; ``before`` an event's id for the page after it."""
    query = sa.select(schema.events).where(schema.events.c.study_id == study_id).order_by(schema.events.c.id.desc()).limit(limit)
    if before is not None:
        query = query.where(schema.events.c.id < before)
    return read_all(workspace, Event, query)
