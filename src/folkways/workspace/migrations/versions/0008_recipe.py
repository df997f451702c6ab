"""A run keeps the recipe that it was begun with."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Runs that are there have none."""
    with op.batch_alter_table("runs") as table:
        table.add_column(sa.Column("recipe", sa.Text(), nullable=True))
