"""Known answers: items of the test before a stage, how people stand with them, and what somebody who is held back is paid."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    """Attention checks of before are known answers among the work; nobody was tested, warned or paused by them."""
    op.add_column("studio_items", sa.Column("test", sa.Boolean(), nullable=True))
    op.add_column("studio_participants", sa.Column("pause", sa.Text(), nullable=True))
    op.add_column("studio_participants", sa.Column("pay", sa.String(length=16), nullable=True))
    op.create_table(
        "studio_standings",
        sa.Column("participant_id", sa.Integer(), sa.ForeignKey("studio_participants.id"), primary_key=True),
        sa.Column("stage_id", sa.Integer(), sa.ForeignKey("studio_stages.id"), primary_key=True),
        sa.Column("test", sa.String(length=16), nullable=True),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("right", sa.Integer(), nullable=True),
        sa.Column("asked", sa.Integer(), nullable=True),
        sa.Column("test_from", sa.Integer(), nullable=False),
        sa.Column("gold_from", sa.Integer(), nullable=False),
        sa.Column("warned", sa.Float(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
    )
