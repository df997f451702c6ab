"""Runs know what their workers have taken out of a budget that they share."""

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"


def upgrade() -> None:
    """Workers of before had a budget each."""
    op.add_column("runs", sa.Column("taken", sa.Text(), nullable=True))
