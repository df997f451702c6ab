"""What was read out of texts has columns: who began a run, why it stopped, of whom a score is, the parts of its signature."""

import json

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Scores of people and baselines were never stored; scoring a run again adds them."""
    with op.batch_alter_table("runs") as table:
        table.add_column(sa.Column("command", sa.String(length=64), nullable=False, server_default="run"))
    with op.batch_alter_table("scores") as table:
        table.add_column(sa.Column("subject", sa.String(length=16), nullable=False, server_default="model"))
    runs = sa.table("runs", *map(sa.column, ("id", "config", "command", "state", "reason")))
    scores = sa.table("scores", sa.column("signature"))
    connection = op.get_bind()
    for number, config in connection.execute(sa.select(runs.c.id, runs.c.config)).all():
        began = json.loads(config)
        if "build" in began or "aside" in began:
            command = f"build {began['build']}" if "build" in began else began["aside"].replace("build-", "build ")
            connection.execute(sa.update(runs).where(runs.c.id == number).values(command=command))
    crossed = sa.and_(runs.c.state == "stopped", runs.c.reason.contains("budget"))
    connection.execute(sa.update(runs).where(crossed).values(state="budget"))
    for signature in connection.scalars(sa.select(scores.c.signature).distinct()).all():
        parts = dict(part.partition(":")[::2] for part in signature.split("|") if part)
        stored = json.dumps(parts, ensure_ascii=False)
        connection.execute(sa.update(scores).where(scores.c.signature == signature).values(signature=stored))
