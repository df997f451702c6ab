"""What webhooks are to be told: queued with the event itself, tried until it is taken or has failed too
often.

Whoever sends takes a delivery by pushing its time back, so that of several processes one does it; if that one
dies, the delivery is due again after LEASE_SECONDS. A receiver may thus be told twice and knows it by the
same id.
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
"""Seconds after each failed attempt until the next; after as many and one more, the delivery has failed."""

LONGEST_REST = 300.0
"""Seconds, at most, for which a webhook that fails is told nothing at all: what piles up is not tried each by
itself."""

LEASE_SECONDS = 60.0
AT_ONCE = 5
"""Deliveries of one webhook that are sent together: one that does not answer keeps no other waiting."""

KEPT_SECONDS = 30 * 86400.0
"""Deliveries that are over are listed for so long."""

GONE = 410


_LISTENING = sa.select(schema.webhooks.c.id, schema.webhooks.c.events).where(
    schema.webhooks.c.study_id == sa.bindparam("study"), schema.webhooks.c.enabled.is_(True)
)
"""Made once: every event asks it, and making it costs more than asking."""


@dataclass(frozen=True, slots=True)
class ClaimedDelivery:
    """A delivery as it is sent. attempt: from 1."""

    id: int
    webhook_id: int
    event_id: int
    attempt: int
    url: str
    secret: str
    body: Mapping[str, Any]


def queue(connection: sa.Connection, study_id: int, event_id: int, kind: str, now: float) -> None:
    """Note within the caller's transaction which webhooks are to be told of an event: told exactly if it
    happened."""
    listening = connection.execute(_LISTENING, {"study": study_id})
    wanted = [row.id for row in listening if not row.events or kind in row.events]
    if wanted:
        fresh = {
            "event_id": event_id,
            "state": str(DeliveryState.WAITING),
            "attempts": 0,
            "due": now,
            "created": now,
        }
        connection.execute(
            sa.insert(schema.deliveries), [{"webhook_id": number, **fresh} for number in wanted]
        )


def claim_due(workspace: Workspace) -> list[ClaimedDelivery]:
    """Deliveries that are due, taken for LEASE_SECONDS: up to AT_ONCE of each webhook that is switched on."""
    now = time.time()
    table, hooks, events = schema.deliveries, schema.webhooks, schema.events
    order = (
        table.c.attempts.desc(),
        table.c.due,
        table.c.id,
    )  # those that failed before first, or they would never be over
    place = sa.func.row_number().over(partition_by=table.c.webhook_id, order_by=order).label("place")
    ready = hooks.c.enabled.is_(True), sa.or_(hooks.c.resumes.is_(None), hooks.c.resumes <= now)
    due = (
        sa.select(table.c.id, place)
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
    """Whether the delivery is this process's: it is as it was when it was read."""
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


def settle(workspace: Workspace, parcel: ClaimedDelivery, status: int | None, problem: str | None) -> None:
    """Note what became of an attempt. status: what the receiver answered; problem: why it was not taken
    (None: it was).

    A webhook that has taken nothing since the delivery was queued rests as well. It is switched off when that
    delivery has failed as often as it may, or at once where its receiver is gone for good (410).
    """
    now = time.time()
    table, hooks = schema.deliveries, schema.webhooks
    over = parcel.attempt > len(PAUSES) or status == GONE
    state = DeliveryState.DONE if problem is None else DeliveryState.FAILED if over else DeliveryState.WAITING
    due = now + PAUSES[parcel.attempt - 1] if state == DeliveryState.WAITING else now
    with workspace.write() as connection:
        change_rows(
            connection, table, {"id": parcel.id}, state=str(state), status=status, problem=problem, due=due
        )
        hook = find_row(connection, hooks, id=parcel.webhook_id)
        if hook is None:  # deleted meanwhile
            return
        if problem is None:
            change_rows(connection, hooks, {"id": hook.id}, succeeded=now, resumes=None)
        elif status == GONE or not _taken_since(hook, get_row(connection, table, id=parcel.id)):
            changes = (
                {"enabled": False, "problem": problem} if over else {"resumes": min(due, now + LONGEST_REST)}
            )
            change_rows(connection, hooks, {"id": hook.id}, **changes)


def _taken_since(hook: sa.Row[Any], delivery: sa.Row[Any]) -> bool:
    """Whether a webhook took anything since this delivery was queued: then it is the delivery that fails, and
    not the webhook."""
    return hook.succeeded is not None and bool(hook.succeeded >= delivery.created)


def forget_old(workspace: Workspace) -> None:
    """Delete deliveries that are over and older than KEPT_SECONDS."""
    table = schema.deliveries
    with workspace.claim() as connection:
        old = (table.c.state != DeliveryState.WAITING, table.c.created < time.time() - KEPT_SECONDS)
        connection.execute(sa.delete(table).where(*old))


def list_deliveries(
    workspace: Workspace, webhook_ids: Sequence[int], *, before: int | None = None, limit: int = 100
) -> tuple[Delivery, ...]:
    """The deliveries of these webhooks, newest first; ``before`` a delivery's id for the page after it."""
    table = schema.deliveries
    told = sa.select(table, schema.events.c.kind).join(schema.events, schema.events.c.id == table.c.event_id)
    query = told.where(table.c.webhook_id.in_(list(webhook_ids))).order_by(table.c.id.desc()).limit(limit)
    return read_all(workspace, Delivery, query if before is None else query.where(table.c.id < before))
