"""The first schema that a released version has."""

import sqlalchemy as sa
from alembic import op

revision = "0100"
down_revision = None


def upgrade() -> None:
    """Create every table."""
    op.create_table(
        "endpoints",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("identity", sa.String(length=512), nullable=False),
        sa.Column("name", sa.String(length=512), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_endpoints")),
        sa.UniqueConstraint("identity", name=op.f("uq_endpoints_identity")),
    )
    op.create_table(
        "prompts",
        sa.Column("prompt_hash", sa.String(length=32), nullable=False),
        sa.Column("system", sa.Text(), nullable=True),
        sa.Column("user", sa.Text(), nullable=False),
        sa.Column("choices", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("prompt_hash", name=op.f("pk_prompts")),
    )
    op.create_table(
        "runs",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=128), nullable=False),
        sa.Column("config_hash", sa.String(length=32), nullable=False),
        sa.Column("config", sa.Text(), nullable=False),
        sa.Column("version", sa.String(length=32), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("created", sa.Float(), nullable=False),
        sa.Column("finished", sa.Float(), nullable=True),
        sa.Column("seconds", sa.Float(), server_default="0", nullable=False),
        sa.Column("command", sa.String(length=64), server_default="run", nullable=False),
        sa.Column("recipe", sa.Text(), nullable=True),
        sa.Column("archive", sa.Text(), nullable=True),
        sa.Column("taken", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_runs")),
        sa.UniqueConstraint("name", name=op.f("uq_runs_name")),
    )
    op.create_index(op.f("ix_runs_config_hash"), "runs", ["config_hash"], unique=False)
    op.create_table(
        "settings",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("json", sa.String(length=512), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_settings")),
        sa.UniqueConstraint("json", name=op.f("uq_settings_json")),
    )
    op.create_table(
        "workers",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("host", sa.String(length=256), nullable=False),
        sa.Column("pid", sa.BigInteger(), nullable=False),
        sa.Column("pid_started", sa.String(length=64), nullable=False),
        sa.Column("heartbeat", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_workers")),
    )
    op.create_table(
        "batches",
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("run_id", sa.Integer(), nullable=False),
        sa.Column("endpoint_id", sa.Integer(), nullable=False),
        sa.Column("worker_id", sa.String(length=32), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("number", sa.String(length=512), nullable=True),
        sa.Column("requests", sa.Text(), nullable=False),
        sa.Column("created", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(["endpoint_id"], ["endpoints.id"], name=op.f("fk_batches_endpoint_id")),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_batches_run_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_batches")),
    )
    op.create_index(op.f("ix_batches_run_id"), "batches", ["run_id"], unique=False)
    op.create_table(
        "claims",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("worker_id", sa.String(length=32), nullable=False),
        sa.Column("requests", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["worker_id"], ["workers.id"], name=op.f("fk_claims_worker_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_claims")),
    )
    op.create_index(op.f("ix_claims_worker_id"), "claims", ["worker_id"], unique=False)
    op.create_table(
        "expected",
        sa.Column("run_id", sa.Integer(), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("endpoint_id", sa.Integer(), nullable=False),
        sa.Column("task", sa.String(length=64), nullable=False),
        sa.Column("item", sa.String(length=256), nullable=False),
        sa.Column("language", sa.String(length=16), nullable=False),
        sa.Column("variant", sa.String(length=64), nullable=False),
        sa.Column("sample", sa.Integer(), nullable=False),
        sa.Column("key", sa.String(length=32), nullable=False),
        sa.Column("prompt_hash", sa.String(length=32), nullable=False),
        sa.Column("prompt_source", sa.String(length=64), nullable=False),
        sa.Column("settings_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["endpoint_id"], ["endpoints.id"], name=op.f("fk_expected_endpoint_id")),
        sa.ForeignKeyConstraint(
            ["prompt_hash"], ["prompts.prompt_hash"], name=op.f("fk_expected_prompt_hash")
        ),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_expected_run_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["settings_id"], ["settings.id"], name=op.f("fk_expected_settings_id")),
        sa.PrimaryKeyConstraint("run_id", "ordinal", name=op.f("pk_expected")),
    )
    op.create_index("ix_expected_item", "expected", ["item"], unique=False)
    op.create_table(
        "failures",
        sa.Column("run_id", sa.Integer(), nullable=False),
        sa.Column("key", sa.String(length=32), nullable=False),
        sa.Column("message", sa.Text(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("created", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_failures_run_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("run_id", "key", name=op.f("pk_failures")),
    )
    op.create_table(
        "judgements",
        sa.Column("run_id", sa.Integer(), nullable=False),
        sa.Column("profile", sa.String(length=32), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("question", sa.String(length=256), nullable=False),
        sa.Column("culture", sa.String(length=32), nullable=False),
        sa.Column("counted", sa.Boolean(), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("answer", sa.Text(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("details", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["run_id"], ["runs.id"], name=op.f("fk_judgements_run_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("run_id", "profile", "ordinal", name=op.f("pk_judgements")),
    )
    op.create_table(
        "responses",
        sa.Column("key", sa.String(length=32), nullable=False),
        sa.Column("endpoint_id", sa.Integer(), nullable=False),
        sa.Column("prompt_hash", sa.String(length=32), nullable=False),
        sa.Column("settings_id", sa.Integer(), nullable=False),
        sa.Column("sample", sa.Integer(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("finish_reason", sa.String(length=64), nullable=True),
        sa.Column("refusal", sa.Text(), nullable=True),
        sa.Column("model", sa.String(length=256), nullable=True),
        sa.Column("input_tokens", sa.Integer(), nullable=True),
        sa.Column("output_tokens", sa.Integer(), nullable=True),
        sa.Column("reasoning_tokens", sa.Integer(), nullable=True),
        sa.Column("seconds", sa.Float(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("created", sa.Float(), nullable=False),
        sa.Column("thoughts", sa.Text(), nullable=True),
        sa.Column("batched", sa.Integer(), server_default="0", nullable=False),
        sa.ForeignKeyConstraint(["endpoint_id"], ["endpoints.id"], name=op.f("fk_responses_endpoint_id")),
        sa.ForeignKeyConstraint(
            ["prompt_hash"], ["prompts.prompt_hash"], name=op.f("fk_responses_prompt_hash")
        ),
        sa.ForeignKeyConstraint(["settings_id"], ["settings.id"], name=op.f("fk_responses_settings_id")),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_responses")),
    )
    op.create_table(
        "run_tasks",
        sa.Column("run_id", sa.Integer(), nullable=False),
        sa.Column("task", sa.String(length=64), nullable=False),
        sa.Column("release", sa.String(length=256), nullable=False),
        sa.Column("root", sa.Text(), nullable=False),
        sa.Column("fingerprint", sa.String(length=32), nullable=False),
        sa.Column("options", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["run_id"], ["runs.id"], name=op.f("fk_run_tasks_run_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("run_id", "task", name=op.f("pk_run_tasks")),
    )
    op.create_table(
        "scores",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("run_id", sa.Integer(), nullable=False),
        sa.Column("endpoint", sa.String(length=512), nullable=False),
        sa.Column("task", sa.String(length=64), nullable=False),
        sa.Column("profile", sa.String(length=32), nullable=False),
        sa.Column("metric", sa.String(length=64), nullable=False),
        sa.Column("facet", sa.String(length=64), nullable=False),
        sa.Column("value", sa.String(length=256), nullable=False),
        sa.Column("score", sa.Float(), nullable=True),
        sa.Column("low", sa.Float(), nullable=True),
        sa.Column("high", sa.Float(), nullable=True),
        sa.Column("interval", sa.String(length=64), nullable=False),
        sa.Column("n", sa.Integer(), nullable=False),
        sa.Column("questions", sa.Integer(), nullable=False),
        sa.Column("answered", sa.Integer(), nullable=False),
        sa.Column("refused", sa.Integer(), nullable=False),
        sa.Column("unreadable", sa.Integer(), nullable=False),
        sa.Column("failed", sa.Integer(), nullable=False),
        sa.Column("missing", sa.Integer(), nullable=False),
        sa.Column("coverage", sa.Float(), nullable=False),
        sa.Column("at_best", sa.Float(), nullable=True),
        sa.Column("signature", sa.Text(), nullable=False),
        sa.Column("left_out", sa.Integer(), server_default="0", nullable=False),
        sa.Column("why_left_out", sa.Text(), nullable=True),
        sa.Column("effective_questions", sa.Float(), nullable=True),
        sa.Column("subject", sa.String(length=16), server_default="model", nullable=False),
        sa.Column("truncated", sa.Integer(), server_default="0", nullable=False),
        sa.Column("cut", sa.Integer(), server_default="0", nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_scores_run_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_scores")),
    )
    op.create_index(op.f("ix_scores_run_id"), "scores", ["run_id"], unique=False)
