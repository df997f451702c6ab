"""The contrasts of models are stored with their scores."""

import sqlalchemy as sa
from alembic import op

revision = "0101"
down_revision = "0100"


def upgrade() -> None:
    """Add the table; what is scored already has its contrasts made of the judgements."""
    op.create_table(
        "contrasts",
        sa.Column("run_id", sa.Integer(), nullable=False),
        sa.Column("task", sa.String(length=64), nullable=False),
        sa.Column("profile", sa.String(length=32), nullable=False),
        sa.Column("metric", sa.String(length=64), nullable=False),
        sa.Column("version", sa.String(length=32), nullable=False),
        sa.Column("pairs", sa.LargeBinary(), nullable=False),
        sa.Column("ranks", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["run_id"], ["runs.id"], name=op.f("fk_contrasts_run_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("run_id", "task", "profile", name=op.f("pk_contrasts")),
    )
