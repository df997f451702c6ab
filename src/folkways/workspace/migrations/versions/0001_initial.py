"""The first schema: prompts, responses, runs, expected items, failures, claims, judgements, scores."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "endpoints",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("identity", sa.String(length=512), nullable=False, unique=True),
        sa.Column("name", sa.String(length=512), nullable=False),
    )
    op.create_table(
        "owners",
        sa.Column("id", sa.String(length=32), primary_key=True),
        sa.Column("host", sa.String(length=256), nullable=False),
        sa.Column("pid", sa.BigInteger(), nullable=False),
        sa.Column("pid_started", sa.String(length=64), nullable=False),
        sa.Column("heartbeat", sa.Float(), nullable=False),
    )
    op.create_table(
        "prompts",
        sa.Column("prompt_hash", sa.String(length=32), primary_key=True),
        sa.Column("system", sa.Text(), nullable=True),
        sa.Column("user", sa.Text(), nullable=False),
        sa.Column("choices", sa.Text(), nullable=True),
    )
    op.create_table(
        "runs",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("name", sa.String(length=128), nullable=False, unique=True),
        sa.Column("config_hash", sa.String(length=32), nullable=False, index=True),
        sa.Column("config", sa.Text(), nullable=False),
        sa.Column("version", sa.String(length=32), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("created", sa.Float(), nullable=False),
        sa.Column("finished", sa.Float(), nullable=True),
        sa.Column("seconds", sa.Float(), server_default="0", nullable=False),
    )
    op.create_table(
        "settings",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("json", sa.String(length=512), nullable=False, unique=True),
    )
    op.create_table(
        "claims",
        sa.Column("key", sa.String(length=32), primary_key=True),
        sa.Column("owner_id", sa.String(length=32), sa.ForeignKey("owners.id", ondelete="CASCADE"), nullable=False, index=True),
    )
    op.create_table(
        "expected",
        sa.Column("run_id", sa.Integer(), sa.ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("ordinal", sa.Integer(), primary_key=True),
        sa.Column("endpoint_id", sa.Integer(), sa.ForeignKey("endpoints.id"), nullable=False),
        sa.Column("task", sa.String(length=64), nullable=False),
        sa.Column("item", sa.String(length=256), nullable=False, index=True),
        sa.Column("language", sa.String(length=16), nullable=False),
        sa.Column("variant", sa.String(length=64), nullable=False),
        sa.Column("sample", sa.Integer(), nullable=False),
        sa.Column("key", sa.String(length=32), nullable=False),
        sa.Column("prompt_hash", sa.String(length=32), sa.ForeignKey("prompts.prompt_hash"), nullable=False),
        sa.Column("prompt_source", sa.String(length=64), nullable=False),
        sa.Column("settings_id", sa.Integer(), sa.ForeignKey("settings.id"), nullable=False),
    )
    op.create_table(
        "failures",
        sa.Column("run_id", sa.Integer(), sa.ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("key", sa.String(length=32), primary_key=True),
        sa.Column("message", sa.Text(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("created", sa.Float(), nullable=False),
    )
    op.create_table(
        "judgements",
        sa.Column("run_id", sa.Integer(), sa.ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("profile", sa.String(length=32), primary_key=True),
        sa.Column("ordinal", sa.Integer(), primary_key=True),
        sa.Column("question", sa.String(length=256), nullable=False),
        sa.Column("culture", sa.String(length=32), nullable=False),
        sa.Column("counted", sa.Boolean(), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("answer", sa.Text(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("details", sa.Text(), nullable=False),
    )
    op.create_table(
        "responses",
        sa.Column("key", sa.String(length=32), primary_key=True),
        sa.Column("endpoint_id", sa.Integer(), sa.ForeignKey("endpoints.id"), nullable=False),
        sa.Column("prompt_hash", sa.String(length=32), sa.ForeignKey("prompts.prompt_hash"), nullable=False),
        sa.Column("settings_id", sa.Integer(), sa.ForeignKey("settings.id"), nullable=False),
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
    )
    op.create_table(
        "run_tasks",
        sa.Column("run_id", sa.Integer(), sa.ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("task", sa.String(length=64), primary_key=True),
        sa.Column("release", sa.String(length=256), nullable=False),
        sa.Column("root", sa.Text(), nullable=False),
        sa.Column("fingerprint", sa.String(length=32), nullable=False),
        sa.Column("options", sa.Text(), nullable=False),
    )
    op.create_table(
        "scores",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("run_id", sa.Integer(), sa.ForeignKey("runs.id", ondelete="CASCADE"), nullable=False, index=True),
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
    )
