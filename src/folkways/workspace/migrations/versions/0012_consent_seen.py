"""Participants carry the text that they agreed to as they saw it: its hash and its language."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    """Who agreed before saw the study's only text, which their ``consent_version`` names."""
    op.add_column("studio_participants", sa.Column("consent_sha256", sa.String(length=64), nullable=True))
    op.add_column("studio_participants", sa.Column("consent_language", sa.String(length=16), nullable=True))
