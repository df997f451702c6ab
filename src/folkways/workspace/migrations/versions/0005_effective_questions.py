"""Scores tell the effective number of their questions where it is far below the number."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Scores that are stored have none: it is told when they are made again."""
    op.add_column("scores", sa.Column("effective_questions", sa.Float(), nullable=True))


def downgrade() -> None:
    """Without it."""
    op.drop_column("scores", "effective_questions")
