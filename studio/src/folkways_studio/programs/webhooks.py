"""Webhooks: addresses that receive a study's events as in Standard Webhooks
(https://www.standardwebhooks.com)."""

from __future__ import annotations

import base64
import secrets
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

import sqlalchemy as sa

from folkways.sdk.workspace import Workspace
from folkways_studio.addresses import AddressError, web_address
from folkways_studio.database import audit, schema
from folkways_studio.database.rows import changed, changing, find_row, inserted, read_all
from folkways_studio.errors import ConflictError, NotFoundError, SubmissionError
from folkways_studio.programs.records import Webhook
from folkways_studio.programs.sealing import seal
from folkways_studio.records import from_row

if TYPE_CHECKING:
    from yarl import URL

SECRET_PREFIX = "whsec_"  # noqa: S105 - what every secret begins with, not a secret
KINDS = (
    "study.created", "study.edited", "study.open", "study.paused", "study.closed", "study.exported",
    "items.added", "items.assigned", "items.deleted", "import.cancelled", "item.done", "item.dropped",
    "item.reopened", "item.adjudicated", "item.looked_at", "item.gold_made", "item.gold_dropped",
    "judgement.submitted", "judgement.corrected", "answer.redacted", "media.added", "media.deleted",
    "comment.added", "comment.edited",
    "comment.deleted", "discussion.resolved", "discussion.reopened", "participant.joined",
    "participant.consented", "participant.eligible", "participant.waiting", "participant.let_in",
    "participant.screened_out", "participant.waived", "participant.finished", "participant.withdrawn",
    "participant.returned", "participant.excluded", "participant.included", "participant.warned",
    "participant.paused",
    "participant.resumed", "participant.test_passed", "participant.test_failed", "participant.test_waived",
    "participant.trained", "participants.matched",
    "participant.attributes_read", "participant.attributes_deleted", "payments.read", "invite.created",
    "invite.revoked",
    "role.given", "role.taken", "token.created", "token.revoked", "webhook.created", "webhook.enabled",
    "webhook.deleted", "suggestions.added", "backend.created", "backend.deleted", "backend.predict",
    "backend.train", "backend.suggest",
)  # fmt: skip
"""Kinds of events that can be chosen; a webhook for all gets any other as well."""

MOST = 20
"""Webhooks per study."""


def create_webhook(
    workspace: Workspace,
    study_id: int,
    url: str,
    events: Sequence[str] = (),
    *,
    private: bool = True,
    by: int | None = None,
) -> tuple[Webhook, str]:
    """A new webhook of a study, and the secret that signs its deliveries, which is returned only here.

    workspace, study_id: the study.
    url: the address.
    events: of KINDS; none for all.
    private: the address may be in the server's own network, and without TLS.
    by: the account that acts.
    Raises SubmissionError for an unknown event or an unusable address, and ConflictError for more than MOST.
    """
    try:
        check_target(url, private=private)
    except AddressError as error:
        raise SubmissionError({"url": str(error)}) from None
    unknown = [kind for kind in events if kind not in KINDS]
    if unknown:
        raise SubmissionError({"events": f"there is no event {unknown[0]!r}; valid: {', '.join(KINDS)}"})
    secret = SECRET_PREFIX + base64.b64encode(secrets.token_bytes(32)).decode()
    row = {
        "study_id": study_id,
        "url": url,
        "events": list(dict.fromkeys(events)),
        "secret": seal(workspace, secret),
        "enabled": True,
        "created": time.time(),
        "created_by": by,
    }
    table = schema.webhooks
    with changing(workspace, study_id) as connection:
        if len(connection.execute(sa.select(table.c.id).filter_by(study_id=study_id)).all()) >= MOST:
            raise ConflictError("a study has up to %(most)s webhooks; delete one first", most=MOST)
        made = inserted(connection, Webhook, table, row)
        audit.record_event(connection, "webhook.created", study_id, by, subject=f"webhook:{made.id}")
        return made, secret


def check_target(url: str, *, private: bool) -> URL:
    """The address that deliveries go to; AddressError if it is not allowed. private: see
    ``create_webhook``."""
    return web_address(url, unencrypted="anywhere" if private else "nowhere", public=not private)


def list_webhooks(workspace: Workspace, study_id: int) -> tuple[Webhook, ...]:
    """The webhooks of a study, oldest first."""
    table = schema.webhooks
    return read_all(workspace, Webhook, sa.select(table).filter_by(study_id=study_id).order_by(table.c.id))


def get_webhook(workspace: Workspace, study_id: int, webhook_id: int) -> Webhook:
    """A webhook of this study; NotFoundError."""
    with workspace.read() as connection:
        return _of_study(connection, study_id, webhook_id)


def _of_study(connection: sa.Connection, study_id: int, webhook_id: int) -> Webhook:
    row = find_row(connection, schema.webhooks, id=webhook_id, study_id=study_id)
    if row is None:
        raise NotFoundError("there is no such webhook")
    return from_row(Webhook, row)


def enable_webhook(workspace: Workspace, study_id: int, webhook_id: int, *, by: int | None = None) -> Webhook:
    """Enable a webhook again that was disabled after failures; waiting deliveries are sent. webhook_id:
    which. workspace, study_id: the study. by: the account that acts, for the audit trail."""
    with workspace.write() as connection:
        before = _of_study(connection, study_id, webhook_id)
        made = changed(
            connection, Webhook, schema.webhooks, webhook_id, enabled=True, problem=None, resumes=None
        )
        if not before.enabled:
            audit.record_event(connection, "webhook.enabled", study_id, by, subject=f"webhook:{webhook_id}")
        return made


def delete_webhook(workspace: Workspace, study_id: int, webhook_id: int, *, by: int | None = None) -> None:
    """Delete a webhook with its deliveries. webhook_id: which. workspace, study_id: the study. by: the
    account that acts, for the audit trail."""
    table, deliveries = schema.webhooks, schema.deliveries
    with workspace.write() as connection:
        _of_study(connection, study_id, webhook_id)
        connection.execute(sa.delete(deliveries).filter_by(webhook_id=webhook_id))
        connection.execute(sa.delete(table).filter_by(id=webhook_id))
        audit.record_event(connection, "webhook.deleted", study_id, by, subject=f"webhook:{webhook_id}")
