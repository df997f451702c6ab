"""A budget that any number of workers of a run share: each takes parts out of it, and puts back what it did
not spend.

What a worker that was killed had taken counts as spent: nobody knows what it had on its way.
"""

from __future__ import annotations

import orjson
import sqlalchemy as sa

from folkways.workspace import schema
from folkways.workspace.database import Workspace

PARTS = 64
"""The share of each unit that is taken at a time, at least."""

Units = tuple[float, float, float]
"""Requests, tokens, US dollars."""


def taken(workspace: Workspace, run_id: int) -> Units:
    """What the workers of a run have taken and not put back, since the run was planned."""
    with workspace.read() as connection:
        return _read(connection, run_id)


class SharedBudget:
    """limit: what may be taken in all, infinity for any amount of a unit."""

    def __init__(self, workspace: Workspace, run_id: int, limit: Units) -> None:
        self._workspace, self._run_id, self._limit = workspace, run_id, limit

    def take(self, least: Units) -> Units | None:
        """A part that holds ``least``, larger where there is room for more; None where not so much is
        left."""
        with self._workspace.write() as connection:
            before = _read(connection, self._run_id)
            left = tuple(limit - out for limit, out in zip(self._limit, before, strict=True))
            if any(need > rest for need, rest in zip(least, left, strict=True)):
                return None
            requests, tokens, usd = (
                min(rest, max(need, limit / PARTS))
                for need, rest, limit in zip(least, left, self._limit, strict=True)
            )
            _add(connection, self._run_id, before, (requests, tokens, usd))
        return requests, tokens, usd

    def put_back(self, rest: Units) -> None:
        """What was taken and not spent."""
        with self._workspace.write() as connection:
            _add(connection, self._run_id, _read(connection, self._run_id), (-rest[0], -rest[1], -rest[2]))


def _read(connection: sa.Connection, run_id: int) -> Units:
    text = connection.scalar(sa.select(schema.runs.c.taken).where(schema.runs.c.id == run_id))
    requests, tokens, usd = orjson.loads(text) if text else (0.0, 0.0, 0.0)
    return (requests, tokens, usd)


def _add(connection: sa.Connection, run_id: int, before: Units, more: Units) -> None:
    """Of what is not limited everybody has as much as they like, and nothing is counted."""
    sums = [
        out + (part if abs(part) != float("inf") else 0.0) for out, part in zip(before, more, strict=True)
    ]
    text = orjson.dumps(sums).decode()
    connection.execute(sa.update(schema.runs).where(schema.runs.c.id == run_id).values(taken=text))
