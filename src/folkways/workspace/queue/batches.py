"""Batches of requests that are out at a provider, as the workspace knows them: written down before they
leave.

A batch is ``leaving`` from before it is sent until the provider's number for it is stored, then ``out``, and
``collected`` once its results are stored. A process that dies while a batch is leaving may have sent it or
not: who takes it over asks the provider.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import sqlalchemy as sa

from folkways.workspace import schema
from folkways.workspace.database import Workspace
from folkways.workspace.keys import config_hash

LEAVING, OUT, COLLECTED = "leaving", "out", "collected"


@dataclass(frozen=True, slots=True)
class BatchRecord:
    """A batch as the workspace knows it.

    name: ours; it goes with the batch to the provider.
    worker: the process that sends it.
    number: the provider's name for it; None while it is leaving.
    created: seconds since the epoch.
    """

    name: str
    run_id: int
    endpoint_id: int
    worker: str
    state: str
    number: str | None
    keys: frozenset[str]
    created: float


def keys_out(connection: sa.Connection, endpoint_id: int) -> set[str]:
    """The requests to an endpoint that are in a batch which is not collected."""
    batches = schema.batches
    query = sa.select(batches.c.requests).where(
        batches.c.endpoint_id == endpoint_id, batches.c.state != COLLECTED
    )
    return {key for keys in connection.scalars(query) for key in keys.split()}


def open_batches(workspace: Workspace, endpoint_id: int) -> list[BatchRecord]:
    """The batches to an endpoint that are not collected, of whichever run, oldest first."""
    batches = schema.batches
    query = sa.select(batches).where(batches.c.endpoint_id == endpoint_id, batches.c.state != COLLECTED)
    with workspace.read() as connection:
        rows = connection.execute(query.order_by(batches.c.created, batches.c.name)).all()
    return [
        BatchRecord(name, run_id, endpoint, worker, state, number, frozenset(keys.split()), created)
        for name, run_id, endpoint, worker, state, number, keys, created in rows
    ]


def keys_tried(workspace: Workspace, run_id: int, endpoint_id: int) -> set[str]:
    """The requests of a run that were in a batch which has been collected: what has no response still is
    asked one by one."""
    batches = schema.batches
    mine = (batches.c.run_id == run_id, batches.c.endpoint_id == endpoint_id, batches.c.state == COLLECTED)
    with workspace.read() as connection:
        return {
            key
            for keys in connection.scalars(sa.select(batches.c.requests).where(*mine))
            for key in keys.split()
        }


def out_of_run(workspace: Workspace, run_id: int) -> tuple[int, int]:
    """How many requests of a run have left in how many batches that are not collected."""
    batches = schema.batches
    query = sa.select(batches.c.requests).where(batches.c.run_id == run_id, batches.c.state != COLLECTED)
    with workspace.read() as connection:
        counts = [keys.count(" ") + 1 for keys in connection.scalars(query)]
    return sum(counts), len(counts)


def write_down(
    workspace: Workspace, run_id: int, endpoint_id: int, worker: str, keys: list[str]
) -> BatchRecord:
    """Record a batch that is about to be sent, named after its run and contents; it is on disk when this
    returns.

    workspace, run_id, endpoint_id: where it belongs. worker: who sends it. keys: of its requests.

    The name tells batches of one content apart: by when the run was begun, and by how many batches went
    before in the run.
    """
    batches, runs = schema.batches, schema.runs
    with workspace.write() as connection:
        begun = connection.scalar(sa.select(runs.c.created).where(runs.c.id == run_id))
        before = connection.scalar(
            sa.select(sa.func.count()).select_from(batches).where(batches.c.run_id == run_id)
        )
        name = f"folkways-{config_hash([run_id, begun, endpoint_id, before, sorted(keys)])}"
        record = BatchRecord(name, run_id, endpoint_id, worker, LEAVING, None, frozenset(keys), time.time())
        row = {
            "name": name,
            "run_id": run_id,
            "endpoint_id": endpoint_id,
            "worker_id": worker,
            "state": LEAVING,
        }
        connection.execute(sa.insert(batches).values(**row, requests=" ".join(keys), created=record.created))
    return record


def take_over(workspace: Workspace, record: BatchRecord, worker: str) -> bool:
    """Make a batch that is leaving this worker's own; False where the process that sends it is alive, or
    another was faster."""
    batches, workers = schema.batches, schema.workers
    if record.worker == worker:
        return True
    alive = sa.select(workers.c.id).where(workers.c.id == record.worker).exists()
    same = (batches.c.name == record.name, batches.c.worker_id == record.worker, batches.c.state == LEAVING)
    with workspace.write() as connection:
        return (
            connection.execute(sa.update(batches).where(*same, ~alive).values(worker_id=worker)).rowcount == 1
        )


def mark_out(workspace: Workspace, name: str, number: str) -> None:
    """The provider has the batch, under this number."""
    _change(workspace, name, state=OUT, number=number)


def mark_collected(workspace: Workspace, name: str) -> None:
    """Its results are stored; what has none may be asked by anybody."""
    _change(workspace, name, state=COLLECTED)


def forget(workspace: Workspace, name: str) -> None:
    """The provider does not have the batch, or refused it as a whole: its requests may leave in another."""
    with workspace.write() as connection:
        connection.execute(sa.delete(schema.batches).where(schema.batches.c.name == name))


def _change(workspace: Workspace, name: str, **values: str) -> None:
    with workspace.write() as connection:
        connection.execute(sa.update(schema.batches).where(schema.batches.c.name == name).values(**values))
