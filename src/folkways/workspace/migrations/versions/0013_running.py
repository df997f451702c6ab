"""Running a study: imports that can be resumed and deleted, descriptions with their history, exclusions, links for passwords."""

import sqlalchemy as sa
from alembic import op

from folkways.workspace.columns import Json

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    """Items of before belong to no import; what a study was described by before is known from its row alone."""
    op.add_column("studio_jobs", sa.Column("content", sa.LargeBinary(), nullable=True))
    op.add_column("studio_jobs", sa.Column("seen", sa.Float(), nullable=True))
    op.add_column("studio_items", sa.Column("job_id", sa.Integer(), nullable=True))
    op.create_index("ix_studio_items_job_id", "studio_items", ["job_id"])
    op.add_column("studio_participants", sa.Column("exclusion", sa.Text(), nullable=True))
    op.create_table(
        "studio_descriptions",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("study_id", sa.Integer(), sa.ForeignKey("studio_studies.id"), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("changes", Json(), nullable=False),
        sa.Column("account_id", sa.Integer(), sa.ForeignKey("studio_accounts.id"), nullable=True),
        sa.Column("created", sa.Float(), nullable=False),
        sa.UniqueConstraint("study_id", "number"),
    )
    op.create_table(
        "studio_password_links",
        sa.Column("token_hash", sa.String(length=64), primary_key=True),
        sa.Column("account_id", sa.Integer(), sa.ForeignKey("studio_accounts.id"), nullable=False),
        sa.Column("created", sa.Float(), nullable=False),
        sa.Column("expires", sa.Float(), nullable=False),
    )
    op.create_index("ix_studio_password_links_account_id", "studio_password_links", ["account_id"])
