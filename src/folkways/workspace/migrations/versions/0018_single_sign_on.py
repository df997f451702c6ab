"""Single sign-on: who an account is at an OpenID Connect provider."""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"


def upgrade() -> None:
    """Nobody has signed in through a provider yet."""
    op.create_table(
        "studio_identities",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("account_id", sa.Integer(), sa.ForeignKey("studio_accounts.id"), nullable=False),
        sa.Column("issuer", sa.String(length=512), nullable=False),
        sa.Column("subject", sa.String(length=256), nullable=False),
        sa.Column("created", sa.Float(), nullable=False),
        sa.UniqueConstraint("issuer", "subject"),
        sa.UniqueConstraint("account_id", "issuer"),
    )
