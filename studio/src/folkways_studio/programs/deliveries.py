"""Deliveries of events to webhooks: queued with the event itself and retried until accepted or failed too
often.

A sender claims a delivery by postponing it, so that only one of several processes sends it; if that one dies,
the delivery is due again after LEASE_SECONDS. A receiver may thus get an event twice, with the same id.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from folkways.sdk.workspace import Workspace
from folkways_studio.database import schema
from folkways_studio.database.rows import change_rows, find_row, get_row, read_all
from folkways_studio.programs.records import Delivery, DeliveryState

PAUSES = (5.0, 60.0, 300.0, 1800.0, 7200.0, 28800.0)
"""Seconds from each failed attempt to the next; when one more attempt fails, the delivery has failed."""

LONGEST_REST = 300.0
"""Maximum seconds for which a failing webhook gets nothing, so that queued deliveries are not all tried."""

LEASE_SECONDS = 60.0
AT_ONCE = 5
"""Concurrent deliveries per webhook; a slow one does not block the others."""

KEPT_SECONDS = 30 * 86400.0
"""How long finished deliveries are listed."""

GONE = 410


_LISTENING = sa.select(schema.webhooks.c.id, schema.webhooks.c.events).where(
    schema.webhooks.c.study_id == sa.bindparam("study"), schema.webhooks.c.enabled.is_(True)
)
"""Built once, because every event runs it."""


@dataclass(frozen=True, slots=True)
class ClaimedDelivery:
    """A delivery to send. attempt: from 1."""

    id: int
    webhook_id: int
    event_id: int
    attempt: int
    url: str
    secret: str
    body: Mapping[str, Any]


def queue(connection: sa.Connection, study_id: int, event_id: int, kind: str, now: float) -> None:
    """Queue an event for its webhooks within the caller's transaction (connection). study_id, event_id, kind:
    the event. now: when it is due."""
    listening = connection.execute(_LISTENING, {"study": study_id})
    hooks = [row.id for row in listening if not row.events or kind in row.events]
    if hooks:
        fresh = {
            "event_id": event_id,
            "state": str(DeliveryState.WAITING),
            "attempts": 0,
            "due": now,
            "created": now,
        }
        connection.execute(
            sa.insert(schema.deliveries), [{"webhook_id": number, **fresh} for number in hooks]
        )


def claim_due(workspace: Workspace) -> list[ClaimedDelivery]:
    """Claim due deliveries for LEASE_SECONDS, up to AT_ONCE per enabled webhook."""
    now = time.time()
    table, hooks, events = schema.deliveries, schema.webhooks, schema.events
    # those that failed before first, or they would never be over
    order = (table.c.attempts.desc(), table.c.due, table.c.id)
    position = sa.func.row_number().over(partition_by=table.c.webhook_id, order_by=order).label("place")
    ready = hooks.c.enabled.is_(True), sa.or_(hooks.c.resumes.is_(None), hooks.c.resumes <= now)
    due = (
        sa.select(table.c.id, position)
        .join(hooks, hooks.c.id == table.c.webhook_id)
        .where(table.c.state == DeliveryState.WAITING, table.c.due <= now, *ready)
        .subquery()
    )
    query = (
        sa.select(
            table, hooks.c.url, hooks.c.secret, events.c.kind, events.c.subject, events.c.details, events.c.at
        )
        .add_columns(schema.studies.c.name.label("study"), schema.participants.c.pseudonym)
        .join(due, due.c.id == table.c.id)
        .join(hooks, hooks.c.id == table.c.webhook_id)
        .join(events, events.c.id == table.c.event_id)
        .join(schema.studies, schema.studies.c.id == hooks.c.study_id)
        .outerjoin(schema.participants, schema.participants.c.id == events.c.participant_id)
        .where(due.c.place <= AT_ONCE)
    )
    with workspace.read() as connection:
        rows = connection.execute(query).all()
    if not rows:
        return []
    with workspace.claim() as connection:
        return [_parcel(row) for row in rows if _take(connection, row, now)]


def _take(connection: sa.Connection, row: sa.Row[Any], now: float) -> bool:
    """Whether this process got the delivery: nobody has changed it since it was read."""
    table = schema.deliveries
    unchanged = (table.c.id == row.id, table.c.state == DeliveryState.WAITING, table.c.due == row.due)
    values = {"due": now + LEASE_SECONDS, "attempts": row.attempts + 1, "tried": now}
    return bool(connection.execute(sa.update(table).where(*unchanged).values(values)).rowcount)


def _parcel(row: sa.Row[Any]) -> ClaimedDelivery:
    data = {
        "event": row.event_id,
        "study": row.study,
        "participant": row.pseudonym,
        "subject": row.subject,
        "details": row.details,
    }
    body = {"type": row.kind, "timestamp": row.at, "data": data}
    return ClaimedDelivery(row.id, row.webhook_id, row.event_id, row.attempts + 1, row.url, row.secret, body)


def settle(workspace: Workspace, delivery: ClaimedDelivery, status: int | None, problem: str | None) -> None:
    """Store the result of an attempt in the workspace. delivery: which. status: the receiver's reply;
    problem: why it was not accepted (None: it was).

    A webhook that has accepted nothing since the delivery was queued rests too. It is disabled when that
    delivery fails for good, or at once if its receiver is gone (410).
    """
    now = time.time()
    table, hooks = schema.deliveries, schema.webhooks
    over = delivery.attempt > len(PAUSES) or status == GONE
    state = DeliveryState.DONE if problem is None else DeliveryState.FAILED if over else DeliveryState.WAITING
    due = now + PAUSES[delivery.attempt - 1] if state == DeliveryState.WAITING else now
    with workspace.write() as connection:
        change_rows(
            connection, table, {"id": delivery.id}, state=str(state), status=status, problem=problem, due=due
        )
        hook = find_row(connection, hooks, id=delivery.webhook_id)
        if hook is None:  # deleted meanwhile
            return
        if problem is None:
            change_rows(connection, hooks, {"id": hook.id}, succeeded=now, resumes=None)
        elif status == GONE or not _taken_since(hook, get_row(connection, table, id=delivery.id)):
            changes = (
                {"enabled": False, "problem": problem} if over else {"resumes": min(due, now + LONGEST_REST)}
            )
            change_rows(connection, hooks, {"id": hook.id}, **changes)


def _taken_since(hook: sa.Row[Any], delivery: sa.Row[Any]) -> bool:
    """Whether a webhook accepted anything since this delivery was queued; if so, only the delivery fails."""
    return hook.succeeded is not None and bool(hook.succeeded >= delivery.created)


def forget_old(workspace: Workspace) -> None:
    """Delete finished deliveries older than KEPT_SECONDS."""
    table = schema.deliveries
    with workspace.claim() as connection:
        old = (table.c.state != DeliveryState.WAITING, table.c.created < time.time() - KEPT_SECONDS)
        connection.execute(sa.delete(table).where(*old))


def list_deliveries(
    workspace: Workspace, webhook_ids: Sequence[int], *, before: int | None = None, limit: int = 100
) -> tuple[Delivery, ...]:
    """At most ``limit`` deliveries of the webhooks ``webhook_ids`` in the workspace, newest first; ``before``
    the delivery of that id, for the next page."""
    table = schema.deliveries
    joined = sa.select(table, schema.events.c.kind).join(
        schema.events, schema.events.c.id == table.c.event_id
    )
    query = joined.where(table.c.webhook_id.in_(list(webhook_ids))).order_by(table.c.id.desc()).limit(limit)
    return read_all(workspace, Delivery, query if before is None else query.where(table.c.id < before))
