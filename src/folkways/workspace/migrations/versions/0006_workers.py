"""The processes that hold claims are workers, and the questions that come with folkways are the demo."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Claims last as long as a process and may be dropped: what they hold is then asked for again."""
    op.drop_table("claims")
    op.drop_table("owners")
    op.create_table(
        "workers",
        sa.Column("id", sa.String(length=32), primary_key=True),
        sa.Column("host", sa.String(length=256), nullable=False),
        sa.Column("pid", sa.BigInteger(), nullable=False),
        sa.Column("pid_started", sa.String(length=64), nullable=False),
        sa.Column("heartbeat", sa.Float(), nullable=False),
    )
    op.create_table(
        "claims",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("worker_id", sa.String(length=32), sa.ForeignKey("workers.id", ondelete="CASCADE"), nullable=False, index=True),
        sa.Column("requests", sa.Text(), nullable=False),
    )
    for name in ("expected", "run_tasks", "scores"):
        task: sa.ColumnClause[str] = sa.column("task", sa.String)
        renamed = sa.literal("demo/") + sa.func.substr(task, len("sample/") + 1)
        op.execute(sa.update(sa.table(name, task)).where(task.startswith("sample/")).values(task=renamed))
