"""The tables of the studio's API: who may use it, whom it tells what happens, and what became of each
telling.

They stand beside those of ``tables``; times are seconds since the epoch.
"""

from __future__ import annotations

from sqlalchemy import Boolean, Column, Float, Index, Integer, String, Table, Text, UniqueConstraint

from folkways.sdk.workspace import Json, id_column, reference
from folkways_studio.database.tables import metadata

tokens = Table(
    "studio_tokens",
    metadata,
    id_column(),
    Column(
        "token_hash", String(64), nullable=False, unique=True
    ),  # SHA-256; the token itself is told once and not kept
    reference("studio_studies", "study_id", nullable=True, index=True),  # null: every study of the account
    reference("studio_accounts", "account_id"),  # as whom it acts
    Column("name", String(128), nullable=False),
    Column("scope", String(8), nullable=False),  # read, write
    Column("created", Float, nullable=False),
    Column("expires", Float, nullable=False),
    Column("used", Float),  # last, give or take some minutes; null for never
    Column("revoked", Boolean, nullable=False),
)

webhooks = Table(
    "studio_webhooks",
    metadata,
    id_column(),
    reference("studio_studies", "study_id", index=True),
    Column("url", Text, nullable=False),
    Column("events", Json, nullable=False),  # kinds of events that are told; empty for all
    Column("secret", String(128), nullable=False),  # with which every delivery is signed: it cannot be a hash
    Column("enabled", Boolean, nullable=False),
    Column("problem", Text),  # why it was switched off
    Column("created", Float, nullable=False),
    reference("studio_accounts", "created_by", nullable=True),
    Column("succeeded", Float),  # when the last delivery was taken
    Column("resumes", Float),  # nothing is sent before, as it fails at the moment
)

deliveries = Table(
    "studio_deliveries",
    metadata,
    id_column(),
    reference("studio_webhooks", "webhook_id"),
    reference("studio_events", "event_id"),
    Column("state", String(16), nullable=False),  # waiting, done, failed
    Column("attempts", Integer, nullable=False),
    Column("due", Float, nullable=False),  # not before; pushed back while somebody is at it
    Column("status", Integer),  # what the receiver answered last
    Column("problem", Text),  # why it was not taken
    Column("created", Float, nullable=False),
    Column("tried", Float),
    UniqueConstraint("webhook_id", "event_id"),
    Index("ix_studio_deliveries_state_due", "state", "due"),
)
