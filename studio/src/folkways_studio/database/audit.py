"""The audit trail: who did what and when. Rows can only be added; the database refuses anything else."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import sqlalchemy as sa

from folkways.sdk.workspace import Workspace
from folkways_studio.activity import Event
from folkways_studio.database import schema
from folkways_studio.database.rows import read_all
from folkways_studio.programs.deliveries import queue
from folkways_studio.records import StudyState

_events, _webhooks = schema.events, schema.webhooks
_ADDED = sa.insert(_events).returning(
    _events.c.id,
    _events.c.study_id,
    _events.c.kind,
    _events.c.at,
    sa.select(_webhooks.c.id)
    .where(
        _webhooks.c.study_id == sa.literal_column("studio_events.study_id", sa.Integer),
        _webhooks.c.enabled.is_(True),
    )
    .exists()
    .label("has_webhooks"),
)
"""Built once, because every answer runs it."""

_GATHERED = "studio_events"
"""Key under which a connection collects the events of ``together``."""


def record_event(
    connection: sa.Connection,
    kind: str,
    study_id: int | None = None,
    account_id: int | None = None,
    *,
    participant_id: int | None = None,
    subject: str = "",
    details: Mapping[str, Any] | None = None,
) -> None:
    """Add an event within the caller's transaction (connection), with which it is committed.

    kind: "judgement.submitted". study_id, account_id, participant_id, subject: where, by whom, and about
    what. details: nothing personal, and no text that a person may want deleted.
    """
    row = {
        "kind": kind,
        "study_id": study_id,
        "account_id": account_id,
        "participant_id": participant_id,
        "subject": subject,
        "details": dict(details or {}),
        "at": time.time(),
    }
    gathered = connection.info.get(_GATHERED)
    if gathered is None:
        _add(connection, [row])
    else:
        gathered.append(row)


@contextmanager
def together(connection: sa.Connection) -> Iterator[None]:
    """Store the events that the block records when it ends, in their order, by one statement."""
    rows: list[dict[str, Any]] = []
    connection.info[_GATHERED] = rows
    try:
        yield
    finally:
        del connection.info[_GATHERED]
    if rows:
        _add(connection, rows)


def _add(connection: sa.Connection, rows: Sequence[dict[str, Any]]) -> None:
    for added in sorted(connection.execute(_ADDED, list(rows)).all()):
        if added.has_webhooks:
            queue(connection, added.study_id, added.id, added.kind, added.at)


def record_event_now(workspace: Workspace, kind: str, *who: int | None, **about: Any) -> None:
    """``record_event`` in its own transaction, for actions that change nothing else, such as an export."""
    with workspace.write() as connection:
        record_event(connection, kind, *who, **about)


def events(
    workspace: Workspace, study_id: int | None, *, before: int | None = None, limit: int = 100
) -> tuple[Event, ...]:
    """At most ``limit`` events, newest first; ``before`` the event of that id, for the next page.
    workspace, study_id: of this study; None: of no study, or of one that was deleted."""
    deleted = sa.select(schema.studies.c.id).where(schema.studies.c.state == StudyState.DELETED)
    of_none = sa.or_(_events.c.study_id.is_(None), _events.c.study_id.in_(deleted))
    query = (
        sa.select(schema.events)
        .where(_events.c.study_id == study_id if study_id is not None else of_none)
        .order_by(schema.events.c.id.desc())
        .limit(limit)
    )
    if before is not None:
        query = query.where(schema.events.c.id < before)
    return read_all(workspace, Event, query)
