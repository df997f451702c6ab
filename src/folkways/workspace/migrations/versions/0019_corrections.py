"""People may correct what they sent: a correction is a row beside the judgement, which stays as it is."""

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"


def upgrade() -> None:
    """Nothing has been corrected yet."""
    op.create_table(
        "studio_corrections",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("judgement_id", sa.Integer(), sa.ForeignKey("studio_judgements.id"), nullable=False),
        sa.Column("key", sa.String(length=64), nullable=False),
        sa.Column("payload", sa.Text(), nullable=False),
        sa.Column("created", sa.Float(), nullable=False),
        sa.UniqueConstraint("judgement_id", "key", name=op.f("uq_studio_corrections_judgement_id_key")),
    )
