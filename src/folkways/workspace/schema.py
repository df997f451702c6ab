"""The tables of a workspace. Times are seconds since the epoch; hashes are 32 hexadecimal digits (BLAKE2b, 16
bytes)."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
)

from folkways.workspace.table_sets import TableSet

CONSTRAINT_NAMES = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "fk": "fk_%(table_name)s_%(column_0_name)s",
    "pk": "pk_%(table_name)s",
}
"""How indexes and constraints are named, so that migrations can refer to them."""

metadata = MetaData(naming_convention=CONSTRAINT_NAMES)

endpoints = Table(
    "endpoints",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("identity", String(512), nullable=False, unique=True),
    Column("name", String(512), nullable=False),
)

prompts = Table(
    "prompts",
    metadata,
    Column("prompt_hash", String(32), primary_key=True),
    Column("system", Text),
    Column("user", Text, nullable=False),
    Column("choices", Text),  # JSON list of the labels that may be answered; null for free text
)

settings = Table(
    "settings",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("json", String(512), nullable=False, unique=True),  # sampling settings with sorted keys
)

responses = Table(
    "responses",
    metadata,
    Column("key", String(32), primary_key=True),
    Column("endpoint_id", Integer, ForeignKey("endpoints.id"), nullable=False),
    Column("prompt_hash", String(32), ForeignKey("prompts.prompt_hash"), nullable=False),
    Column("settings_id", Integer, ForeignKey("settings.id"), nullable=False),
    Column("sample", Integer, nullable=False),
    Column("text", Text, nullable=False),
    Column("finish_reason", String(64)),
    Column("refusal", Text),
    Column("model", String(256)),
    Column("input_tokens", Integer),
    Column("output_tokens", Integer),
    Column("reasoning_tokens", Integer),
    Column("seconds", Float, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("created", Float, nullable=False),
    Column("thoughts", Text),  # what a reasoning model thought before the text; never judged
    # 1 where it came back in a batch, at the price of one
    Column("batched", Integer, nullable=False, server_default="0"),
)

runs = Table(
    "runs",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", String(128), nullable=False, unique=True),
    Column("config_hash", String(32), nullable=False, index=True),
    Column("config", Text, nullable=False),  # JSON: tasks, releases, options, endpoints, settings
    Column("version", String(32), nullable=False),  # folkways version that planned it
    # planning, planned, running, asked (not yet scored), finished, incomplete, interrupted, budget (would
    # have been crossed), stopped, waiting (for batches)
    Column("state", String(16), nullable=False),
    Column("reason", Text),  # why it stopped early
    Column("created", Float, nullable=False),
    Column("finished", Float),
    Column("seconds", Float, nullable=False, server_default="0"),  # asking time, summed over resumed sessions
    # what began it: run, judge-by-model, build mcq
    Column("command", String(64), nullable=False, server_default="run"),
    Column("recipe", Text),  # JSON: what a run was asked for, by the keys of a recipe file
    # folder of its files (workspace.archives), relative to the workspace's file; null where it is here
    Column("archive", Text),
    # JSON: requests, tokens and US dollars that its workers took out of a budget (queue.shared_budget)
    Column("taken", Text),
)

expected = Table(
    "expected",
    metadata,
    Column("run_id", Integer, ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True),
    Column("ordinal", Integer, primary_key=True),
    Column("endpoint_id", Integer, ForeignKey("endpoints.id"), nullable=False),
    Column("task", String(64), nullable=False),
    Column("item", String(256), nullable=False),
    Column("language", String(16), nullable=False),
    Column("variant", String(64), nullable=False),
    Column("sample", Integer, nullable=False),
    Column("key", String(32), nullable=False),
    Column("prompt_hash", String(32), ForeignKey("prompts.prompt_hash"), nullable=False),
    Column("prompt_source", String(64), nullable=False),
    Column("settings_id", Integer, ForeignKey("settings.id"), nullable=False),
)
Index("ix_expected_item", expected.c.item)

failures = Table(
    "failures",
    metadata,
    Column("run_id", Integer, ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True),
    Column("key", String(32), primary_key=True),
    Column("message", Text, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("created", Float, nullable=False),
)

workers = Table(
    "workers",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("host", String(256), nullable=False),
    Column("pid", BigInteger, nullable=False),
    # tells a process from a later one with the same number
    Column("pid_started", String(64), nullable=False),
    Column("heartbeat", Float, nullable=False),
)

claims = Table(
    "claims",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("worker_id", String(32), ForeignKey("workers.id", ondelete="CASCADE"), nullable=False, index=True),
    # keys of the requests that are claimed together, separated by blanks
    Column("requests", Text, nullable=False),
)

batches = Table(
    "batches",
    metadata,
    # goes with the batch to the provider, which is asked for it after a crash
    Column("name", String(64), primary_key=True),
    Column("run_id", Integer, ForeignKey("runs.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("endpoint_id", Integer, ForeignKey("endpoints.id"), nullable=False),
    Column("worker_id", String(32), nullable=False),  # who sends it; may be gone
    Column("state", String(16), nullable=False),  # workspace.queue.batches: leaving, out, collected
    Column("number", String(512)),  # the provider's own name of it, once it is known
    Column("requests", Text, nullable=False),  # their keys, separated by blanks
    Column("created", Float, nullable=False),
)

run_tasks = Table(
    "run_tasks",
    metadata,
    Column("run_id", Integer, ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True),
    Column("task", String(64), primary_key=True),
    Column("release", String(256), nullable=False),  # name of the release
    Column("root", Text, nullable=False),  # folder it was read from
    Column("fingerprint", String(32), nullable=False),  # of the release's files: scoring refuses other data
    Column("options", Text, nullable=False),  # JSON: what its prompts were made with
)

judgements = Table(
    "judgements",
    metadata,
    Column("run_id", Integer, ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True),
    Column("profile", String(32), primary_key=True),
    Column("ordinal", Integer, primary_key=True),
    Column("question", String(256), nullable=False),
    Column("culture", String(32), nullable=False),
    Column("counted", Boolean, nullable=False),
    Column("state", String(16), nullable=False),
    Column("answer", Text),
    Column("reason", Text),
    Column("details", Text, nullable=False),  # JSON: metrics and facets by name
)

scores = Table(
    "scores",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("run_id", Integer, ForeignKey("runs.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("endpoint", String(512), nullable=False),
    Column("task", String(64), nullable=False),
    Column("profile", String(32), nullable=False),
    Column("metric", String(64), nullable=False),
    Column("facet", String(64), nullable=False),
    Column("value", String(256), nullable=False),
    Column("score", Float),
    Column("low", Float),
    Column("high", Float),
    Column("interval", String(64), nullable=False),
    *(
        Column(name, Integer, nullable=False)
        for name in ("n", "questions", "answered", "refused", "unreadable", "failed", "missing")
    ),
    Column("coverage", Float, nullable=False),
    Column("at_best", Float),
    Column("signature", Text, nullable=False),  # JSON: its parts in order
    Column("left_out", Integer, nullable=False, server_default="0"),
    Column("why_left_out", Text),  # JSON: how many for which reason
    Column("effective_questions", Float),
    # records.Subject: of whom the score is
    Column("subject", String(16), nullable=False, server_default="model"),
    Column("truncated", Integer, nullable=False, server_default="0"),
    # replies that the token limit cut, whatever their state
    Column("cut", Integer, nullable=False, server_default="0"),
)

contrasts = Table(
    "contrasts",
    metadata,
    Column("run_id", Integer, ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True),
    Column("task", String(64), primary_key=True),
    Column("profile", String(32), primary_key=True),
    Column("metric", String(64), nullable=False),
    Column("version", String(32), nullable=False),  # folkways version that made them
    Column("pairs", LargeBinary, nullable=False),  # Parquet: evidence.contrasts.CONTRASTS
    Column("ranks", Text, nullable=False),  # JSON: model, value, low, high and level of each, best first
)
"""How the models of a run differ on a task: all that a verdict needs of its judgements."""

summaries = Table(
    "summaries",
    metadata,
    Column("run_id", Integer, ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True),
    Column("name", String(128), primary_key=True),
    Column("version", String(32), nullable=False),  # folkways version that made it
    Column("value", Text, nullable=False),  # JSON
)
"""What would have to be read from every reply of a run, as it was when the run was scored."""

TABLES = TableSet(
    owner="folkways",
    metadata=metadata,
    revisions=("0100", "0101", "0102"),
    migrations="folkways.workspace:migrations",
    version_table="alembic_version",
)
"""All tables of folkways. A test compares the revisions with the migration scripts."""
