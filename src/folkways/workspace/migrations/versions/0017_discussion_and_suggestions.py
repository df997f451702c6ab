"""Items are discussed, models suggest answers, and what a model in the loop costs is kept."""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"


def upgrade() -> None:
    """Nothing is known of the cost of earlier calls."""
    op.add_column("studio_model_calls", sa.Column("usd", sa.Float(), nullable=True))
    op.create_table(
        "studio_comments",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("item_id", sa.Integer(), sa.ForeignKey("studio_items.id"), nullable=False),
        sa.Column("account_id", sa.Integer(), sa.ForeignKey("studio_accounts.id"), nullable=False),
        sa.Column("role", sa.String(length=16), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("history", sa.Text(), nullable=False),
        sa.Column("created", sa.Float(), nullable=False),
        sa.Column("edited", sa.Float(), nullable=True),
        sa.Column("deleted", sa.Float(), nullable=True),
        sa.Column("resolved", sa.Float(), nullable=True),
    )
    op.create_index("ix_studio_comments_item_id", "studio_comments", ["item_id"])
    op.create_table(
        "studio_suggestions",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("item_id", sa.Integer(), sa.ForeignKey("studio_items.id"), nullable=False),
        sa.Column("participant_id", sa.Integer(), sa.ForeignKey("studio_participants.id"), nullable=False),
        sa.Column("call_id", sa.Integer(), sa.ForeignKey("studio_model_calls.id"), nullable=False),
        sa.Column("model", sa.String(length=512), nullable=False),
        sa.Column("prompt_version", sa.String(length=32), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("before", sa.Text(), nullable=True),
        sa.Column("taken", sa.Float(), nullable=True),
        sa.Column("outcome", sa.String(length=16), nullable=True),
        sa.Column("parts", sa.Integer(), nullable=True),
        sa.Column("kept", sa.Integer(), nullable=True),
        sa.Column("created", sa.Float(), nullable=False),
    )
    op.create_index("ix_studio_suggestions_item_id_participant_id", "studio_suggestions", ["item_id", "participant_id"])
