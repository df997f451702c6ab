"""Whose turn it is to judge a run: of several processes that asked it together one does, and the others wait
for what it stores."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

import sqlalchemy as sa

from folkways.workspace import schema
from folkways.workspace.database import Workspace
from folkways.workspace.queue.request_queue import RequestQueue

LOOK_SECONDS = 0.5


@contextmanager
def turn_to_judge(workspace: Workspace, run_id: int) -> Iterator[float | None]:
    """Hold the turn within the block, after a wait where another process has it; one that has died has it no
    longer.

    Yields when that process began to judge (seconds since the epoch), None where nobody had to be waited for.
    """
    queue, claims = RequestQueue(workspace, run_id), schema.claims
    name = f"judging-run-{run_id}"  # no key of a request looks like that
    began: float | None = None
    while True:
        queue.free_dead_claims()
        with workspace.write() as connection:
            claim = connection.scalar(
                sa.select(claims.c.requests).where(claims.c.requests.startswith(f"{name} "))
            )
            if claim is None:
                queue.register(connection)
                connection.execute(
                    sa.insert(claims).values(worker_id=queue.worker, requests=f"{name} {time.time()}")
                )
                break
        began = float(claim.split()[1])
        time.sleep(LOOK_SECONDS)
    try:
        yield began
    finally:
        queue.leave()
