"""Scores say what a profile's rule leaves out of them, why, and how many questions of equal size would tell as much."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Earlier scores have what was left out in no column at all, not in ``n`` either, until the run is scored again."""
    with op.batch_alter_table("scores") as scores:
        scores.add_column(sa.Column("left_out", sa.Integer(), nullable=False, server_default="0"))
        scores.add_column(sa.Column("why_left_out", sa.Text(), nullable=True))
        scores.add_column(sa.Column("effective_questions", sa.Float(), nullable=True))
