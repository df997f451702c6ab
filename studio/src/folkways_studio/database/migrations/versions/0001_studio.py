"""The first schema that a released version has."""

import sqlalchemy as sa
from alembic import op

from folkways.sdk.workspace import Json

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Create every table."""
    op.create_table(
        "studio_accounts",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("login", sa.String(length=256), nullable=True),
        sa.Column("password", sa.String(length=256), nullable=True),
        sa.Column("name", sa.String(length=256), nullable=False),
        sa.Column("locale", sa.String(length=16), nullable=False),
        sa.Column("created", sa.Float(), nullable=False),
        sa.Column("disabled", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_studio_accounts")),
        sa.UniqueConstraint("login", name=op.f("uq_studio_accounts_login")),
    )
    op.create_table(
        "studio_attempts",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("key", sa.String(length=128), nullable=False),
        sa.Column("at", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_studio_attempts")),
    )
    op.create_index("ix_studio_attempts_key_at", "studio_attempts", ["key", "at"], unique=False)
    op.create_table(
        "studio_identities",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("account_id", sa.Integer(), nullable=False),
        sa.Column("issuer", sa.String(length=512), nullable=False),
        sa.Column("subject", sa.String(length=256), nullable=False),
        sa.Column("created", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"], ["studio_accounts.id"], name=op.f("fk_studio_identities_account_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_studio_identities")),
        sa.UniqueConstraint("account_id", "issuer", name=op.f("uq_studio_identities_account_id_issuer")),
        sa.UniqueConstraint("issuer", "subject", name=op.f("uq_studio_identities_issuer_subject")),
    )
    op.create_table(
        "studio_password_links",
        sa.Column("token_hash", sa.String(length=64), nullable=False),
        sa.Column("account_id", sa.Integer(), nullable=False),
        sa.Column("created", sa.Float(), nullable=False),
        sa.Column("expires", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"], ["studio_accounts.id"], name=op.f("fk_studio_password_links_account_id")
        ),
        sa.PrimaryKeyConstraint("token_hash", name=op.f("pk_studio_password_links")),
    )
    op.create_index(
        op.f("ix_studio_password_links_account_id"), "studio_password_links", ["account_id"], unique=False
    )
    op.create_table(
        "studio_sessions",
        sa.Column("token_hash", sa.String(length=64), nullable=False),
        sa.Column("account_id", sa.Integer(), nullable=False),
        sa.Column("csrf", sa.String(length=64), nullable=False),
        sa.Column("created", sa.Float(), nullable=False),
        sa.Column("seen", sa.Float(), nullable=False),
        sa.Column("expires", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"], ["studio_accounts.id"], name=op.f("fk_studio_sessions_account_id")
        ),
        sa.PrimaryKeyConstraint("token_hash", name=op.f("pk_studio_sessions")),
    )
    op.create_index(op.f("ix_studio_sessions_account_id"), "studio_sessions", ["account_id"], unique=False)
    op.create_table(
        "studio_studies",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("workflow", sa.String(length=64), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("definition", Json(), nullable=False),
        sa.Column("licence", sa.String(length=64), nullable=False),
        sa.Column("consent_text", sa.Text(), nullable=False),
        sa.Column("consent_version", sa.String(length=32), nullable=False),
        sa.Column("created", sa.Float(), nullable=False),
        sa.Column("created_by", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(
            ["created_by"], ["studio_accounts.id"], name=op.f("fk_studio_studies_created_by")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_studio_studies")),
        sa.UniqueConstraint("name", name=op.f("uq_studio_studies_name")),
    )
    op.create_table(
        "studio_descriptions",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("study_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("changes", Json(), nullable=False),
        sa.Column("account_id", sa.Integer(), nullable=True),
        sa.Column("created", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"], ["studio_accounts.id"], name=op.f("fk_studio_descriptions_account_id")
        ),
        sa.ForeignKeyConstraint(
            ["study_id"], ["studio_studies.id"], name=op.f("fk_studio_descriptions_study_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_studio_descriptions")),
        sa.UniqueConstraint("study_id", "number", name=op.f("uq_studio_descriptions_study_id_number")),
    )
    op.create_table(
        "studio_jobs",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("study_id", sa.Integer(), nullable=False),
        sa.Column("account_id", sa.Integer(), nullable=True),
        sa.Column("kind", sa.String(length=32), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("details", Json(), nullable=False),
        sa.Column("result", Json(), nullable=True),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("created", sa.Float(), nullable=False),
        sa.Column("started", sa.Float(), nullable=True),
        sa.Column("finished", sa.Float(), nullable=True),
        sa.Column("content", sa.LargeBinary(), nullable=True),
        sa.Column("seen", sa.Float(), nullable=True),
        sa.ForeignKeyConstraint(
            ["account_id"], ["studio_accounts.id"], name=op.f("fk_studio_jobs_account_id")
        ),
        sa.ForeignKeyConstraint(["study_id"], ["studio_studies.id"], name=op.f("fk_studio_jobs_study_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_studio_jobs")),
    )
    op.create_index(op.f("ix_studio_jobs_study_id"), "studio_jobs", ["study_id"], unique=False)
    op.create_table(
        "studio_media",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("study_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=128), nullable=False),
        sa.Column("type", sa.String(length=32), nullable=False),
        sa.Column("bytes", sa.Integer(), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("created", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(["study_id"], ["studio_studies.id"], name=op.f("fk_studio_media_study_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_studio_media")),
        sa.UniqueConstraint("study_id", "name", name=op.f("uq_studio_media_study_id_name")),
    )
    op.create_table(
        "studio_populations",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("study_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("culture", sa.String(length=32), nullable=False),
        sa.Column("language", sa.String(length=16), nullable=False),
        sa.Column("parent_id", sa.Integer(), nullable=True),
        sa.Column("people", sa.Integer(), nullable=True),
        sa.Column("criteria", Json(), nullable=False),
        sa.ForeignKeyConstraint(
            ["parent_id"], ["studio_populations.id"], name=op.f("fk_studio_populations_parent_id")
        ),
        sa.ForeignKeyConstraint(
            ["study_id"], ["studio_studies.id"], name=op.f("fk_studio_populations_study_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_studio_populations")),
        sa.UniqueConstraint("study_id", "name", name=op.f("uq_studio_populations_study_id_name")),
    )
    op.create_table(
        "studio_roles",
        sa.Column("study_id", sa.Integer(), nullable=False),
        sa.Column("account_id", sa.Integer(), nullable=False),
        sa.Column("role", sa.String(length=16), nullable=False),
        sa.Column("since", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"], ["studio_accounts.id"], name=op.f("fk_studio_roles_account_id")
        ),
        sa.ForeignKeyConstraint(["study_id"], ["studio_studies.id"], name=op.f("fk_studio_roles_study_id")),
        sa.PrimaryKeyConstraint("study_id", "account_id", "role", name=op.f("pk_studio_roles")),
    )
    op.create_index("ix_studio_roles_account_id", "studio_roles", ["account_id"], unique=False)
    op.create_table(
        "studio_stages",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("study_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("kind", sa.String(length=32), nullable=False),
        sa.Column("role", sa.String(length=16), nullable=False),
        sa.Column("config", Json(), nullable=False),
        sa.ForeignKeyConstraint(["study_id"], ["studio_studies.id"], name=op.f("fk_studio_stages_study_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_studio_stages")),
        sa.UniqueConstraint("study_id", "name", name=op.f("uq_studio_stages_study_id_name")),
    )
    op.create_table(
        "studio_tokens",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("token_hash", sa.String(length=64), nullable=False),
        sa.Column("study_id", sa.Integer(), nullable=True),
        sa.Column("account_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=128), nullable=False),
        sa.Column("scope", sa.String(length=8), nullable=False),
        sa.Column("created", sa.Float(), nullable=False),
        sa.Column("expires", sa.Float(), nullable=False),
        sa.Column("used", sa.Float(), nullable=True),
        sa.Column("revoked", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"], ["studio_accounts.id"], name=op.f("fk_studio_tokens_account_id")
        ),
        sa.ForeignKeyConstraint(["study_id"], ["studio_studies.id"], name=op.f("fk_studio_tokens_study_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_studio_tokens")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_studio_tokens_token_hash")),
    )
    op.create_index(op.f("ix_studio_tokens_study_id"), "studio_tokens", ["study_id"], unique=False)
    op.create_table(
        "studio_webhooks",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("study_id", sa.Integer(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("events", Json(), nullable=False),
        sa.Column("secret", sa.String(length=128), nullable=False),
        sa.Column("enabled", sa.Boolean(), nullable=False),
        sa.Column("problem", sa.Text(), nullable=True),
        sa.Column("created", sa.Float(), nullable=False),
        sa.Column("created_by", sa.Integer(), nullable=True),
        sa.Column("succeeded", sa.Float(), nullable=True),
        sa.Column("resumes", sa.Float(), nullable=True),
        sa.ForeignKeyConstraint(
            ["created_by"], ["studio_accounts.id"], name=op.f("fk_studio_webhooks_created_by")
        ),
        sa.ForeignKeyConstraint(
            ["study_id"], ["studio_studies.id"], name=op.f("fk_studio_webhooks_study_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_studio_webhooks")),
    )
    op.create_index(op.f("ix_studio_webhooks_study_id"), "studio_webhooks", ["study_id"], unique=False)
    op.create_table(
        "studio_invites",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("token_hash", sa.String(length=64), nullable=False),
        sa.Column("study_id", sa.Integer(), nullable=False),
        sa.Column("population_id", sa.Integer(), nullable=True),
        sa.Column("role", sa.String(length=16), nullable=False),
        sa.Column("uses_left", sa.Integer(), nullable=True),
        sa.Column("expires", sa.Float(), nullable=False),
        sa.Column("revoked", sa.Boolean(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("created", sa.Float(), nullable=False),
        sa.Column("created_by", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(
            ["created_by"], ["studio_accounts.id"], name=op.f("fk_studio_invites_created_by")
        ),
        sa.ForeignKeyConstraint(
            ["population_id"], ["studio_populations.id"], name=op.f("fk_studio_invites_population_id")
        ),
        sa.ForeignKeyConstraint(["study_id"], ["studio_studies.id"], name=op.f("fk_studio_invites_study_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_studio_invites")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_studio_invites_token_hash")),
    )
    op.create_index(op.f("ix_studio_invites_study_id"), "studio_invites", ["study_id"], unique=False)
    op.create_table(
        "studio_participants",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("study_id", sa.Integer(), nullable=False),
        sa.Column("account_id", sa.Integer(), nullable=False),
        sa.Column("population_id", sa.Integer(), nullable=True),
        sa.Column("pseudonym", sa.String(length=32), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("source", sa.String(length=32), nullable=False),
        sa.Column("consent_version", sa.String(length=32), nullable=True),
        sa.Column("consented", sa.Float(), nullable=True),
        sa.Column("eligible", sa.Boolean(), nullable=True),
        sa.Column("waiver", sa.Text(), nullable=True),
        sa.Column("joined", sa.Float(), nullable=False),
        sa.Column("left", sa.Float(), nullable=True),
        sa.Column("consent_sha256", sa.String(length=64), nullable=True),
        sa.Column("consent_language", sa.String(length=16), nullable=True),
        sa.Column("exclusion", sa.Text(), nullable=True),
        sa.Column("pause", sa.Text(), nullable=True),
        sa.Column("pay", sa.String(length=16), nullable=True),
        sa.ForeignKeyConstraint(
            ["account_id"], ["studio_accounts.id"], name=op.f("fk_studio_participants_account_id")
        ),
        sa.ForeignKeyConstraint(
            ["population_id"], ["studio_populations.id"], name=op.f("fk_studio_participants_population_id")
        ),
        sa.ForeignKeyConstraint(
            ["study_id"], ["studio_studies.id"], name=op.f("fk_studio_participants_study_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_studio_participants")),
        sa.UniqueConstraint("pseudonym", name=op.f("uq_studio_participants_pseudonym")),
        sa.UniqueConstraint(
            "study_id", "account_id", name=op.f("uq_studio_participants_study_id_account_id")
        ),
    )
    op.create_index(
        op.f("ix_studio_participants_account_id"), "studio_participants", ["account_id"], unique=False
    )
    op.create_index(
        op.f("ix_studio_participants_population_id"), "studio_participants", ["population_id"], unique=False
    )
    op.create_table(
        "studio_attributes",
        sa.Column("participant_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["participant_id"], ["studio_participants.id"], name=op.f("fk_studio_attributes_participant_id")
        ),
        sa.PrimaryKeyConstraint("participant_id", "name", name=op.f("pk_studio_attributes")),
    )
    op.create_table(
        "studio_events",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("study_id", sa.Integer(), nullable=True),
        sa.Column("account_id", sa.Integer(), nullable=True),
        sa.Column("participant_id", sa.Integer(), nullable=True),
        sa.Column("kind", sa.String(length=64), nullable=False),
        sa.Column("subject", sa.String(length=64), nullable=False),
        sa.Column("details", Json(), nullable=False),
        sa.Column("at", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"], ["studio_accounts.id"], name=op.f("fk_studio_events_account_id")
        ),
        sa.ForeignKeyConstraint(
            ["participant_id"], ["studio_participants.id"], name=op.f("fk_studio_events_participant_id")
        ),
        sa.ForeignKeyConstraint(["study_id"], ["studio_studies.id"], name=op.f("fk_studio_events_study_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_studio_events")),
    )
    op.create_index(op.f("ix_studio_events_study_id"), "studio_events", ["study_id"], unique=False)
    op.create_table(
        "studio_items",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("study_id", sa.Integer(), nullable=False),
        sa.Column("stage_id", sa.Integer(), nullable=False),
        sa.Column("population_id", sa.Integer(), nullable=True),
        sa.Column("parent_id", sa.Integer(), nullable=True),
        sa.Column("author_id", sa.Integer(), nullable=True),
        sa.Column("key", sa.String(length=128), nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("content", Json(), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("check", Json(), nullable=True),
        sa.Column("result", Json(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("created", sa.Float(), nullable=False),
        sa.Column("job_id", sa.Integer(), nullable=True),
        sa.Column("test", sa.Boolean(), nullable=True),
        sa.ForeignKeyConstraint(
            ["author_id"], ["studio_participants.id"], name=op.f("fk_studio_items_author_id")
        ),
        sa.ForeignKeyConstraint(["parent_id"], ["studio_items.id"], name=op.f("fk_studio_items_parent_id")),
        sa.ForeignKeyConstraint(
            ["population_id"], ["studio_populations.id"], name=op.f("fk_studio_items_population_id")
        ),
        sa.ForeignKeyConstraint(["stage_id"], ["studio_stages.id"], name=op.f("fk_studio_items_stage_id")),
        sa.ForeignKeyConstraint(["study_id"], ["studio_studies.id"], name=op.f("fk_studio_items_study_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_studio_items")),
        sa.UniqueConstraint("stage_id", "key", "round", name=op.f("uq_studio_items_stage_id_key_round")),
    )
    op.create_index(op.f("ix_studio_items_job_id"), "studio_items", ["job_id"], unique=False)
    op.create_index(op.f("ix_studio_items_parent_id"), "studio_items", ["parent_id"], unique=False)
    op.create_index("ix_studio_items_stage_id_state", "studio_items", ["stage_id", "state"], unique=False)
    op.create_table(
        "studio_standings",
        sa.Column("participant_id", sa.Integer(), nullable=False),
        sa.Column("stage_id", sa.Integer(), nullable=False),
        sa.Column("test", sa.String(length=16), nullable=True),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("right", sa.Integer(), nullable=True),
        sa.Column("asked", sa.Integer(), nullable=True),
        sa.Column("test_from", sa.Integer(), nullable=False),
        sa.Column("gold_from", sa.Integer(), nullable=False),
        sa.Column("warned", sa.Float(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["participant_id"], ["studio_participants.id"], name=op.f("fk_studio_standings_participant_id")
        ),
        sa.ForeignKeyConstraint(
            ["stage_id"], ["studio_stages.id"], name=op.f("fk_studio_standings_stage_id")
        ),
        sa.PrimaryKeyConstraint("participant_id", "stage_id", name=op.f("pk_studio_standings")),
    )
    op.create_table(
        "studio_adjudications",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("item_id", sa.Integer(), nullable=False),
        sa.Column("account_id", sa.Integer(), nullable=False),
        sa.Column("decision", Json(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("created", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"], ["studio_accounts.id"], name=op.f("fk_studio_adjudications_account_id")
        ),
        sa.ForeignKeyConstraint(
            ["item_id"], ["studio_items.id"], name=op.f("fk_studio_adjudications_item_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_studio_adjudications")),
    )
    op.create_index(
        op.f("ix_studio_adjudications_item_id"), "studio_adjudications", ["item_id"], unique=False
    )
    op.create_table(
        "studio_assignments",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("item_id", sa.Integer(), nullable=False),
        sa.Column("stage_id", sa.Integer(), nullable=False),
        sa.Column("population_id", sa.Integer(), nullable=True),
        sa.Column("slot", sa.Integer(), nullable=False),
        sa.Column("participant_id", sa.Integer(), nullable=True),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("leased", sa.Float(), nullable=True),
        sa.Column("lease_until", sa.Float(), nullable=True),
        sa.Column("done", sa.Float(), nullable=True),
        sa.ForeignKeyConstraint(["item_id"], ["studio_items.id"], name=op.f("fk_studio_assignments_item_id")),
        sa.ForeignKeyConstraint(
            ["participant_id"], ["studio_participants.id"], name=op.f("fk_studio_assignments_participant_id")
        ),
        sa.ForeignKeyConstraint(
            ["population_id"], ["studio_populations.id"], name=op.f("fk_studio_assignments_population_id")
        ),
        sa.ForeignKeyConstraint(
            ["stage_id"], ["studio_stages.id"], name=op.f("fk_studio_assignments_stage_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_studio_assignments")),
        sa.UniqueConstraint(
            "item_id", "participant_id", name=op.f("uq_studio_assignments_item_id_participant_id")
        ),
        sa.UniqueConstraint("item_id", "slot", name=op.f("uq_studio_assignments_item_id_slot")),
    )
    op.create_index(
        "ix_studio_assignments_participant_id_state",
        "studio_assignments",
        ["participant_id", "state"],
        unique=False,
    )
    op.create_index(
        "ix_studio_assignments_stage_id_state_item_id",
        "studio_assignments",
        ["stage_id", "state", "item_id"],
        unique=False,
    )
    op.create_table(
        "studio_comments",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("item_id", sa.Integer(), nullable=False),
        sa.Column("account_id", sa.Integer(), nullable=False),
        sa.Column("role", sa.String(length=16), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("history", Json(), nullable=False),
        sa.Column("created", sa.Float(), nullable=False),
        sa.Column("edited", sa.Float(), nullable=True),
        sa.Column("deleted", sa.Float(), nullable=True),
        sa.Column("resolved", sa.Float(), nullable=True),
        sa.ForeignKeyConstraint(
            ["account_id"], ["studio_accounts.id"], name=op.f("fk_studio_comments_account_id")
        ),
        sa.ForeignKeyConstraint(["item_id"], ["studio_items.id"], name=op.f("fk_studio_comments_item_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_studio_comments")),
    )
    op.create_index(op.f("ix_studio_comments_item_id"), "studio_comments", ["item_id"], unique=False)
    op.create_table(
        "studio_deliveries",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("webhook_id", sa.Integer(), nullable=False),
        sa.Column("event_id", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("due", sa.Float(), nullable=False),
        sa.Column("status", sa.Integer(), nullable=True),
        sa.Column("problem", sa.Text(), nullable=True),
        sa.Column("created", sa.Float(), nullable=False),
        sa.Column("tried", sa.Float(), nullable=True),
        sa.ForeignKeyConstraint(
            ["event_id"], ["studio_events.id"], name=op.f("fk_studio_deliveries_event_id")
        ),
        sa.ForeignKeyConstraint(
            ["webhook_id"], ["studio_webhooks.id"], name=op.f("fk_studio_deliveries_webhook_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_studio_deliveries")),
        sa.UniqueConstraint("webhook_id", "event_id", name=op.f("uq_studio_deliveries_webhook_id_event_id")),
    )
    op.create_index("ix_studio_deliveries_state_due", "studio_deliveries", ["state", "due"], unique=False)
    op.create_table(
        "studio_drafts",
        sa.Column("item_id", sa.Integer(), nullable=False),
        sa.Column("participant_id", sa.Integer(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("payload", Json(), nullable=False),
        sa.Column("saved", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(["item_id"], ["studio_items.id"], name=op.f("fk_studio_drafts_item_id")),
        sa.ForeignKeyConstraint(
            ["participant_id"], ["studio_participants.id"], name=op.f("fk_studio_drafts_participant_id")
        ),
        sa.PrimaryKeyConstraint("item_id", "participant_id", name=op.f("pk_studio_drafts")),
    )
    op.create_table(
        "studio_model_calls",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("study_id", sa.Integer(), nullable=False),
        sa.Column("item_id", sa.Integer(), nullable=True),
        sa.Column("participant_id", sa.Integer(), nullable=True),
        sa.Column("purpose", sa.String(length=32), nullable=False),
        sa.Column("endpoint", sa.String(length=512), nullable=False),
        sa.Column("run", sa.String(length=128), nullable=False),
        sa.Column("prompt", sa.Text(), nullable=False),
        sa.Column("reply", sa.Text(), nullable=True),
        sa.Column("problem", sa.Text(), nullable=True),
        sa.Column("read", Json(), nullable=True),
        sa.Column("created", sa.Float(), nullable=False),
        sa.Column("usd", sa.Float(), nullable=True),
        sa.ForeignKeyConstraint(["item_id"], ["studio_items.id"], name=op.f("fk_studio_model_calls_item_id")),
        sa.ForeignKeyConstraint(
            ["participant_id"], ["studio_participants.id"], name=op.f("fk_studio_model_calls_participant_id")
        ),
        sa.ForeignKeyConstraint(
            ["study_id"], ["studio_studies.id"], name=op.f("fk_studio_model_calls_study_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_studio_model_calls")),
    )
    op.create_index(op.f("ix_studio_model_calls_item_id"), "studio_model_calls", ["item_id"], unique=False)
    op.create_table(
        "studio_revisions",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("item_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("step", sa.String(length=32), nullable=False),
        sa.Column("content", Json(), nullable=False),
        sa.Column("strategy", sa.String(length=64), nullable=True),
        sa.Column("participant_id", sa.Integer(), nullable=True),
        sa.Column("created", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(["item_id"], ["studio_items.id"], name=op.f("fk_studio_revisions_item_id")),
        sa.ForeignKeyConstraint(
            ["participant_id"], ["studio_participants.id"], name=op.f("fk_studio_revisions_participant_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_studio_revisions")),
        sa.UniqueConstraint("item_id", "number", name=op.f("uq_studio_revisions_item_id_number")),
    )
    op.create_table(
        "studio_skips",
        sa.Column("item_id", sa.Integer(), nullable=False),
        sa.Column("participant_id", sa.Integer(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("at", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(["item_id"], ["studio_items.id"], name=op.f("fk_studio_skips_item_id")),
        sa.ForeignKeyConstraint(
            ["participant_id"], ["studio_participants.id"], name=op.f("fk_studio_skips_participant_id")
        ),
        sa.PrimaryKeyConstraint("item_id", "participant_id", name=op.f("pk_studio_skips")),
    )
    op.create_table(
        "studio_judgements",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("assignment_id", sa.Integer(), nullable=False),
        sa.Column("item_id", sa.Integer(), nullable=False),
        sa.Column("stage_id", sa.Integer(), nullable=False),
        sa.Column("participant_id", sa.Integer(), nullable=False),
        sa.Column("key", sa.String(length=64), nullable=False),
        sa.Column("payload", Json(), nullable=False),
        sa.Column("seconds", sa.Float(), nullable=True),
        sa.Column("revision", sa.Integer(), nullable=True),
        sa.Column("created", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(
            ["assignment_id"], ["studio_assignments.id"], name=op.f("fk_studio_judgements_assignment_id")
        ),
        sa.ForeignKeyConstraint(["item_id"], ["studio_items.id"], name=op.f("fk_studio_judgements_item_id")),
        sa.ForeignKeyConstraint(
            ["participant_id"], ["studio_participants.id"], name=op.f("fk_studio_judgements_participant_id")
        ),
        sa.ForeignKeyConstraint(
            ["stage_id"], ["studio_stages.id"], name=op.f("fk_studio_judgements_stage_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_studio_judgements")),
        sa.UniqueConstraint("assignment_id", name=op.f("uq_studio_judgements_assignment_id")),
        sa.UniqueConstraint("participant_id", "key", name=op.f("uq_studio_judgements_participant_id_key")),
    )
    op.create_index(op.f("ix_studio_judgements_item_id"), "studio_judgements", ["item_id"], unique=False)
    op.create_index(op.f("ix_studio_judgements_stage_id"), "studio_judgements", ["stage_id"], unique=False)
    op.create_table(
        "studio_suggestions",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("item_id", sa.Integer(), nullable=False),
        sa.Column("participant_id", sa.Integer(), nullable=False),
        sa.Column("call_id", sa.Integer(), nullable=False),
        sa.Column("model", sa.String(length=512), nullable=False),
        sa.Column("prompt_version", sa.String(length=32), nullable=False),
        sa.Column("content", Json(), nullable=False),
        sa.Column("before", Json(), nullable=True),
        sa.Column("taken", sa.Float(), nullable=True),
        sa.Column("outcome", sa.String(length=16), nullable=True),
        sa.Column("parts", sa.Integer(), nullable=True),
        sa.Column("kept", sa.Integer(), nullable=True),
        sa.Column("created", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(
            ["call_id"], ["studio_model_calls.id"], name=op.f("fk_studio_suggestions_call_id")
        ),
        sa.ForeignKeyConstraint(["item_id"], ["studio_items.id"], name=op.f("fk_studio_suggestions_item_id")),
        sa.ForeignKeyConstraint(
            ["participant_id"], ["studio_participants.id"], name=op.f("fk_studio_suggestions_participant_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_studio_suggestions")),
    )
    op.create_index(
        "ix_studio_suggestions_item_id_participant_id",
        "studio_suggestions",
        ["item_id", "participant_id"],
        unique=False,
    )
    op.create_table(
        "studio_corrections",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("judgement_id", sa.Integer(), nullable=False),
        sa.Column("key", sa.String(length=64), nullable=False),
        sa.Column("payload", Json(), nullable=False),
        sa.Column("created", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(
            ["judgement_id"], ["studio_judgements.id"], name=op.f("fk_studio_corrections_judgement_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_studio_corrections")),
        sa.UniqueConstraint("judgement_id", "key", name=op.f("uq_studio_corrections_judgement_id_key")),
    )
