"""The studio: accounts, studies, participants, items, assignments, judgements, audit events, jobs."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Create the tables of the studio."""
    op.create_table(
        "studio_accounts",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("login", sa.String(length=256), nullable=True, unique=True),
        sa.Column("password", sa.String(length=256), nullable=True),
        sa.Column("name", sa.String(length=256), nullable=False),
        sa.Column("locale", sa.String(length=16), nullable=False),
        sa.Column("created", sa.Float(), nullable=False),
        sa.Column("disabled", sa.Boolean(), nullable=False),
    )
    op.create_table(
        "studio_attempts",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("key", sa.String(length=128), nullable=False),
        sa.Column("at", sa.Float(), nullable=False),
    )
    op.create_index("ix_studio_attempts_key_at", "studio_attempts", ["key", "at"], unique=False)
    op.create_table(
        "studio_sessions",
        sa.Column("token_hash", sa.String(length=64), primary_key=True),
        sa.Column("account_id", sa.Integer(), sa.ForeignKey("studio_accounts.id"), nullable=False, index=True),
        sa.Column("csrf", sa.String(length=64), nullable=False),
        sa.Column("created", sa.Float(), nullable=False),
        sa.Column("seen", sa.Float(), nullable=False),
        sa.Column("expires", sa.Float(), nullable=False),
    )
    op.create_table(
        "studio_studies",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("name", sa.String(length=64), nullable=False, unique=True),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("workflow", sa.String(length=64), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("definition", sa.Text(), nullable=False),
        sa.Column("licence", sa.String(length=64), nullable=False),
        sa.Column("consent_text", sa.Text(), nullable=False),
        sa.Column("consent_version", sa.String(length=32), nullable=False),
        sa.Column("created", sa.Float(), nullable=False),
        sa.Column("created_by", sa.Integer(), sa.ForeignKey("studio_accounts.id"), nullable=True),
    )
    op.create_table(
        "studio_jobs",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("study_id", sa.Integer(), sa.ForeignKey("studio_studies.id"), nullable=False, index=True),
        sa.Column("account_id", sa.Integer(), sa.ForeignKey("studio_accounts.id"), nullable=True),
        sa.Column("kind", sa.String(length=32), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("details", sa.Text(), nullable=False),
        sa.Column("result", sa.Text(), nullable=True),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("created", sa.Float(), nullable=False),
        sa.Column("started", sa.Float(), nullable=True),
        sa.Column("finished", sa.Float(), nullable=True),
    )
    op.create_table(
        "studio_populations",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("study_id", sa.Integer(), sa.ForeignKey("studio_studies.id"), nullable=False),
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("culture", sa.String(length=32), nullable=False),
        sa.Column("language", sa.String(length=16), nullable=False),
        sa.Column("parent_id", sa.Integer(), sa.ForeignKey("studio_populations.id"), nullable=True),
        sa.Column("people", sa.Integer(), nullable=True),
        sa.Column("criteria", sa.Text(), nullable=False),
        sa.UniqueConstraint("study_id", "name", name=op.f("uq_studio_populations_study_id_name")),
    )
    op.create_table(
        "studio_roles",
        sa.Column("study_id", sa.Integer(), sa.ForeignKey("studio_studies.id"), primary_key=True),
        sa.Column("account_id", sa.Integer(), sa.ForeignKey("studio_accounts.id"), primary_key=True, index=True),
        sa.Column("role", sa.String(length=16), primary_key=True),
        sa.Column("since", sa.Float(), nullable=False),
    )
    op.create_table(
        "studio_stages",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("study_id", sa.Integer(), sa.ForeignKey("studio_studies.id"), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("kind", sa.String(length=32), nullable=False),
        sa.Column("role", sa.String(length=16), nullable=False),
        sa.Column("config", sa.Text(), nullable=False),
        sa.UniqueConstraint("study_id", "name", name=op.f("uq_studio_stages_study_id_name")),
    )
    op.create_table(
        "studio_invites",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("token_hash", sa.String(length=64), nullable=False, unique=True),
        sa.Column("study_id", sa.Integer(), sa.ForeignKey("studio_studies.id"), nullable=False, index=True),
        sa.Column("population_id", sa.Integer(), sa.ForeignKey("studio_populations.id"), nullable=True),
        sa.Column("role", sa.String(length=16), nullable=False),
        sa.Column("uses_left", sa.Integer(), nullable=True),
        sa.Column("expires", sa.Float(), nullable=False),
        sa.Column("revoked", sa.Boolean(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("created", sa.Float(), nullable=False),
        sa.Column("created_by", sa.Integer(), sa.ForeignKey("studio_accounts.id"), nullable=True),
    )
    op.create_table(
        "studio_participants",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("study_id", sa.Integer(), sa.ForeignKey("studio_studies.id"), nullable=False),
        sa.Column("account_id", sa.Integer(), sa.ForeignKey("studio_accounts.id"), nullable=False, index=True),
        sa.Column("population_id", sa.Integer(), sa.ForeignKey("studio_populations.id"), nullable=True, index=True),
        sa.Column("pseudonym", sa.String(length=32), nullable=False, unique=True),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("source", sa.String(length=32), nullable=False),
        sa.Column("consent_version", sa.String(length=32), nullable=True),
        sa.Column("consented", sa.Float(), nullable=True),
        sa.Column("eligible", sa.Boolean(), nullable=True),
        sa.Column("waiver", sa.Text(), nullable=True),
        sa.Column("joined", sa.Float(), nullable=False),
        sa.Column("left", sa.Float(), nullable=True),
        sa.UniqueConstraint("study_id", "account_id", name=op.f("uq_studio_participants_study_id_account_id")),
    )
    op.create_table(
        "studio_attributes",
        sa.Column("participant_id", sa.Integer(), sa.ForeignKey("studio_participants.id"), primary_key=True),
        sa.Column("name", sa.String(length=64), primary_key=True),
        sa.Column("value", sa.Text(), nullable=False),
    )
    op.create_table(
        "studio_events",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("study_id", sa.Integer(), sa.ForeignKey("studio_studies.id"), nullable=True, index=True),
        sa.Column("account_id", sa.Integer(), sa.ForeignKey("studio_accounts.id"), nullable=True),
        sa.Column("participant_id", sa.Integer(), sa.ForeignKey("studio_participants.id"), nullable=True),
        sa.Column("kind", sa.String(length=64), nullable=False),
        sa.Column("subject", sa.String(length=64), nullable=False),
        sa.Column("details", sa.Text(), nullable=False),
        sa.Column("at", sa.Float(), nullable=False),
    )
    op.create_table(
        "studio_items",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("study_id", sa.Integer(), sa.ForeignKey("studio_studies.id"), nullable=False),
        sa.Column("stage_id", sa.Integer(), sa.ForeignKey("studio_stages.id"), nullable=False),
        sa.Column("population_id", sa.Integer(), sa.ForeignKey("studio_populations.id"), nullable=True),
        sa.Column("parent_id", sa.Integer(), sa.ForeignKey("studio_items.id"), nullable=True, index=True),
        sa.Column("author_id", sa.Integer(), sa.ForeignKey("studio_participants.id"), nullable=True),
        sa.Column("key", sa.String(length=128), nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("check", sa.Text(), nullable=True),
        sa.Column("result", sa.Text(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("created", sa.Float(), nullable=False),
        sa.UniqueConstraint("stage_id", "key", "round", name=op.f("uq_studio_items_stage_id_key_round")),
    )
    op.create_index("ix_studio_items_stage_id_state", "studio_items", ["stage_id", "state"], unique=False)
    op.create_table(
        "studio_adjudications",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("item_id", sa.Integer(), sa.ForeignKey("studio_items.id"), nullable=False, index=True),
        sa.Column("account_id", sa.Integer(), sa.ForeignKey("studio_accounts.id"), nullable=False),
        sa.Column("decision", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("created", sa.Float(), nullable=False),
    )
    op.create_table(
        "studio_assignments",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("item_id", sa.Integer(), sa.ForeignKey("studio_items.id"), nullable=False),
        sa.Column("stage_id", sa.Integer(), sa.ForeignKey("studio_stages.id"), nullable=False),
        sa.Column("population_id", sa.Integer(), sa.ForeignKey("studio_populations.id"), nullable=True),
        sa.Column("slot", sa.Integer(), nullable=False),
        sa.Column("participant_id", sa.Integer(), sa.ForeignKey("studio_participants.id"), nullable=True),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("leased", sa.Float(), nullable=True),
        sa.Column("lease_until", sa.Float(), nullable=True),
        sa.Column("done", sa.Float(), nullable=True),
        sa.UniqueConstraint("item_id", "participant_id", name=op.f("uq_studio_assignments_item_id_participant_id")),
        sa.UniqueConstraint("item_id", "slot", name=op.f("uq_studio_assignments_item_id_slot")),
    )
    op.create_index("ix_studio_assignments_participant_id_state", "studio_assignments", ["participant_id", "state"], unique=False)
    op.create_index(
        "ix_studio_assignments_stage_id_state_item_id", "studio_assignments", ["stage_id", "state", "item_id"], unique=False
    )
    op.create_table(
        "studio_drafts",
        sa.Column("item_id", sa.Integer(), sa.ForeignKey("studio_items.id"), primary_key=True),
        sa.Column("participant_id", sa.Integer(), sa.ForeignKey("studio_participants.id"), primary_key=True),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("payload", sa.Text(), nullable=False),
        sa.Column("saved", sa.Float(), nullable=False),
    )
    op.create_table(
        "studio_model_calls",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("study_id", sa.Integer(), sa.ForeignKey("studio_studies.id"), nullable=False),
        sa.Column("item_id", sa.Integer(), sa.ForeignKey("studio_items.id"), nullable=True, index=True),
        sa.Column("participant_id", sa.Integer(), sa.ForeignKey("studio_participants.id"), nullable=True),
        sa.Column("purpose", sa.String(length=32), nullable=False),
        sa.Column("endpoint", sa.String(length=512), nullable=False),
        sa.Column("run", sa.String(length=128), nullable=False),
        sa.Column("prompt", sa.Text(), nullable=False),
        sa.Column("reply", sa.Text(), nullable=True),
        sa.Column("problem", sa.Text(), nullable=True),
        sa.Column("read", sa.Text(), nullable=True),
        sa.Column("created", sa.Float(), nullable=False),
    )
    op.create_table(
        "studio_revisions",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("item_id", sa.Integer(), sa.ForeignKey("studio_items.id"), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("step", sa.String(length=32), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("strategy", sa.String(length=64), nullable=True),
        sa.Column("participant_id", sa.Integer(), sa.ForeignKey("studio_participants.id"), nullable=True),
        sa.Column("created", sa.Float(), nullable=False),
        sa.UniqueConstraint("item_id", "number", name=op.f("uq_studio_revisions_item_id_number")),
    )
    op.create_table(
        "studio_skips",
        sa.Column("item_id", sa.Integer(), sa.ForeignKey("studio_items.id"), primary_key=True),
        sa.Column("participant_id", sa.Integer(), sa.ForeignKey("studio_participants.id"), primary_key=True),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("at", sa.Float(), nullable=False),
    )
    op.create_table(
        "studio_judgements",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("assignment_id", sa.Integer(), sa.ForeignKey("studio_assignments.id"), nullable=False, unique=True),
        sa.Column("item_id", sa.Integer(), sa.ForeignKey("studio_items.id"), nullable=False, index=True),
        sa.Column("stage_id", sa.Integer(), sa.ForeignKey("studio_stages.id"), nullable=False, index=True),
        sa.Column("participant_id", sa.Integer(), sa.ForeignKey("studio_participants.id"), nullable=False),
        sa.Column("key", sa.String(length=64), nullable=False),
        sa.Column("payload", sa.Text(), nullable=False),
        sa.Column("seconds", sa.Float(), nullable=True),
        sa.Column("revision", sa.Integer(), nullable=True),
        sa.Column("created", sa.Float(), nullable=False),
        sa.UniqueConstraint("participant_id", "key", name=op.f("uq_studio_judgements_participant_id_key")),
    )
