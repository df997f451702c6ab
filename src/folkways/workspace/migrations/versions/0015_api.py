"""Tokens of the studio's API, webhooks and their deliveries."""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"


def upgrade() -> None:
    """Three new tables; nothing that is there changes."""
    op.create_table(
        "studio_tokens",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("token_hash", sa.String(length=64), nullable=False, unique=True),
        sa.Column("study_id", sa.Integer(), sa.ForeignKey("studio_studies.id"), nullable=True),
        sa.Column("account_id", sa.Integer(), sa.ForeignKey("studio_accounts.id"), nullable=False),
        sa.Column("name", sa.String(length=128), nullable=False),
        sa.Column("scope", sa.String(length=8), nullable=False),
        sa.Column("created", sa.Float(), nullable=False),
        sa.Column("expires", sa.Float(), nullable=False),
        sa.Column("used", sa.Float(), nullable=True),
        sa.Column("revoked", sa.Boolean(), nullable=False),
    )
    op.create_index("ix_studio_tokens_study_id", "studio_tokens", ["study_id"])
    op.create_table(
        "studio_webhooks",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("study_id", sa.Integer(), sa.ForeignKey("studio_studies.id"), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("events", sa.Text(), nullable=False),
        sa.Column("secret", sa.String(length=128), nullable=False),
        sa.Column("enabled", sa.Boolean(), nullable=False),
        sa.Column("problem", sa.Text(), nullable=True),
        sa.Column("created", sa.Float(), nullable=False),
        sa.Column("created_by", sa.Integer(), sa.ForeignKey("studio_accounts.id"), nullable=True),
        sa.Column("succeeded", sa.Float(), nullable=True),
        sa.Column("resumes", sa.Float(), nullable=True),
    )
    op.create_index("ix_studio_webhooks_study_id", "studio_webhooks", ["study_id"])
    op.create_table(
        "studio_deliveries",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("webhook_id", sa.Integer(), sa.ForeignKey("studio_webhooks.id"), nullable=False),
        sa.Column("event_id", sa.Integer(), sa.ForeignKey("studio_events.id"), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("due", sa.Float(), nullable=False),
        sa.Column("status", sa.Integer(), nullable=True),
        sa.Column("problem", sa.Text(), nullable=True),
        sa.Column("created", sa.Float(), nullable=False),
        sa.Column("tried", sa.Float(), nullable=True),
        sa.UniqueConstraint("webhook_id", "event_id"),
    )
    op.create_index("ix_studio_deliveries_state_due", "studio_deliveries", ["state", "due"])
