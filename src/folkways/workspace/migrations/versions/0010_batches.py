"""Requests leave in batches, too, and responses know whether they came back in one."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    """What was stored before was asked one by one."""
    op.create_table(
        "batches",
        sa.Column("name", sa.String(length=64), primary_key=True),
        sa.Column("run_id", sa.Integer(), sa.ForeignKey("runs.id", ondelete="CASCADE"), nullable=False, index=True),
        sa.Column("endpoint_id", sa.Integer(), sa.ForeignKey("endpoints.id"), nullable=False),
        sa.Column("worker_id", sa.String(length=32), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("number", sa.String(length=512), nullable=True),
        sa.Column("requests", sa.Text(), nullable=False),
        sa.Column("created", sa.Float(), nullable=False),
    )
    op.add_column("responses", sa.Column("batched", sa.Integer(), nullable=False, server_default="0"))
