"""Stored replies that a run uses and did not ask for: how old they are, which run asked for them, whether
other code gave them."""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sa

from folkways.runs.models import Model
from folkways.runs.options import Reused
from folkways.runs.planning.tasks import asked_afresh_since
from folkways.workspace import run_records, schema
from folkways.workspace.database import Workspace
from folkways.workspace.run_records import RunRecord


def reused_replies(workspace: Workspace, run: RunRecord, models: Sequence[Model]) -> list[Reused]:
    """What the run uses of before it began, model by model; nothing of models whose replies follow from their
    identity."""
    expected, replies = schema.expected, schema.responses
    since = asked_afresh_since(workspace, run)
    found = []
    for model in models:
        if model.endpoint.local and not getattr(model.endpoint, "runs_here", False):
            continue
        number = run_records.endpoint_id(workspace, model.identity, model.name)
        of_model = sa.select(expected.c.key).where(
            expected.c.run_id == run.id, expected.c.endpoint_id == number
        )
        stored = sa.select(replies.c.key, replies.c.created).where(
            replies.c.key.in_(of_model), replies.c.created < run.created
        )
        with workspace.read() as connection:
            rows = connection.execute(stored.order_by(replies.c.created)).all()
            count = connection.scalar(
                sa.select(sa.func.count(sa.distinct(expected.c.key))).where(expected.c.key.in_(of_model))
            )
        if rows:
            runs = dict.fromkeys(
                filter(None, (_asked_by(workspace, row.key, row.created) for row in (rows[0], rows[-1])))
            )
            found.append(
                Reused(
                    model.name,
                    len(rows),
                    int(count or 0),
                    rows[0].created,
                    rows[-1].created,
                    tuple(runs),
                    since.name if since else None,
                )
            )
    return found


def _asked_by(workspace: Workspace, key: str, created: float) -> str | None:
    """The newest run that expected the reply and had begun when it came: of those that only use it, none
    had."""
    expected, runs = schema.expected, schema.runs
    query = (
        sa.select(runs.c.name)
        .join(expected, expected.c.run_id == runs.c.id)
        .where(expected.c.key == key, runs.c.created <= created)
        .order_by(runs.c.id.desc())
        .limit(1)
    )
    with workspace.read() as connection:
        return connection.scalar(query)


def given_by_other_code(workspace: Workspace, run: RunRecord, model: Model) -> int:
    """How many stored replies that the run uses were given by other code than the model has now, where it
    tells which."""
    served = getattr(model.endpoint, "served", None)
    if served is None:
        return 0
    expected, replies = schema.expected, schema.responses
    number = run_records.endpoint_id(workspace, model.identity, model.name)
    of_model = sa.select(expected.c.key).where(expected.c.run_id == run.id, expected.c.endpoint_id == number)
    query = sa.select(sa.func.count()).where(replies.c.key.in_(of_model), replies.c.model != served)
    with workspace.read() as connection:
        return int(connection.scalar(query) or 0)
