"""Scores count the replies that the token limit cut, and responses keep apart what a model thought."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    """Earlier scores count cut replies as unreadable or answered until the run is scored again."""
    op.add_column("responses", sa.Column("thoughts", sa.Text(), nullable=True))
    for name in ("truncated", "cut"):
        op.add_column("scores", sa.Column(name, sa.Integer(), nullable=False, server_default="0"))
