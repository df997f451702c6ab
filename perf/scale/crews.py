"""Measures what a queue costs: made runs, one claim under stated circumstances, and crews of real worker
processes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import sqlalchemy as sa

from folkways.workspace import run_records, schema
from folkways.workspace.database import Workspace, open_workspace
from folkways.workspace.keys import prompt_hash, request_key
from folkways.workspace.queue.request_queue import RequestQueue
from perf.scale.worker import Meter, replies

TEXT = (
    "Question {0}: what do people in this place usually take to a neighbour who has moved in next "
    "door, and when do they go? " * 3
)
TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class PendingRun:
    """A run of made prompts, all of them pending."""

    workspace: Workspace
    url: str
    run: run_records.RunRecord
    endpoint: int
    rows: int


def make_run(url: str, rows: int, name: str) -> tuple[PendingRun, float]:
    """A run that expects so many replies to prompts of 360 characters, and the processor's seconds per row of
    writing it down."""
    workspace = open_workspace(url)
    run, _ = run_records.begin_run(workspace, {"name": name}, [], "perf", name, "run")
    identity = f"made/{name}"
    endpoint = run_records.endpoint_id(workspace, identity, identity)
    sent = '{"max_tokens":64,"temperature":0.0}'
    settings = run_records.settings_id(workspace, sent)
    began = cpu_of(workspace) + time.process_time()
    for start in range(0, rows, 1000):
        prompts, expected = [], []
        for ordinal in range(start + 1, min(start + 1000, rows) + 1):
            user = TEXT.format(f"{name} {ordinal}")
            digest = prompt_hash(None, user, None)
            prompts.append({"prompt_hash": digest, "system": None, "user": user, "choices": None})
            key = request_key(identity, digest, sent, 0)
            row = (
                run.id,
                ordinal,
                endpoint,
                "blend/saq",
                f"KR/item-{ordinal}",
                "en",
                "inst-4",
                0,
                key,
                digest,
                "release",
                settings,
            )
            expected.append(row)
        run_records.write_expected(workspace, prompts, expected)
    took = (cpu_of(workspace) + time.process_time() - began) / rows
    run_records.set_state(workspace, run, "running")
    return PendingRun(workspace, url, run, endpoint, rows), took


def answer_all(made: PendingRun) -> None:
    """Store a reply to everything that the run expects."""
    queue, after = RequestQueue(made.workspace, made.run.id), 0
    queue.enter()
    while (batch := queue.claim(made.endpoint, after, 512, ())).seen:
        queue.save(made.endpoint, replies(batch.requests))
        after = batch.last
    queue.leave()


def cpu_of(workspace: Workspace) -> float:
    """Seconds that the processor has spent for a PostgreSQL server on this machine, its ended children
    included; 0 for a file."""
    if workspace.engine.dialect.name == "sqlite":
        return 0.0
    with workspace.read() as connection:
        first = connection.exec_driver_sql(
            "SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1)"
        ).scalar_one()
    total = sum(_spent(int(first)))
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if (folder / "stat").read_text().rsplit(")", 1)[1].split()[1] == first:
                total += _spent(int(folder.name))[0]
        except OSError:
            continue
    return total / TICKS


def _spent(pid: int) -> tuple[int, int]:
    """Ticks of a process, and of its children that have ended."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return int(fields[11]) + int(fields[12]), int(fields[13]) + int(fields[14])


@dataclass(frozen=True)
class Cost:
    """Processor's seconds of one transaction, on the client's side and on the server's, and seconds by the
    clock."""

    client: float
    server: float
    wall: float


def cost_of_claims(made: PendingRun, feed: int, held: int, after: int = 0, repeat: int = 40) -> Cost:
    """A claim of so many requests while others hold so many keys. Each is given back, so that the next one
    finds the same."""
    workspace, claims = made.workspace, schema.claims
    other = "f" * 32
    with workspace.write() as connection:
        workspace.insert_or_replace(connection, schema.workers, [_worker(other)])
        for start in range(0, held, feed):
            keys = " ".join(f"{number:032x}" for number in range(start, min(start + feed, held)))
            connection.execute(sa.insert(claims).values(worker_id=other, requests=keys))
    queue = RequestQueue(workspace, made.run.id)
    queue.enter()
    meter, server = Meter(), 0.0
    queue.give_back([request.key for request in queue.claim(made.endpoint, after, feed, ()).requests])
    for _ in range(repeat):
        before = cpu_of(workspace)
        batch = meter.of(queue.claim, made.endpoint, after, feed, ())
        server += cpu_of(workspace) - before
        queue.give_back([request.key for request in batch.requests])
    queue.leave()
    with workspace.write() as connection:
        connection.execute(sa.delete(schema.workers).where(schema.workers.c.id == other))
    return Cost(meter.cpu / repeat, server / repeat, meter.wall / repeat)


def _worker(name: str) -> dict[str, object]:
    return {"id": name, "host": "elsewhere", "pid": 1, "pid_started": "", "heartbeat": time.time() + 1e6}


def cost_of_saves(made: PendingRun, at_once: int, many: int) -> Cost:
    """A transaction that stores so many replies of the run that has none yet."""
    queue, meter, after = RequestQueue(made.workspace, made.run.id), Meter(), 0
    queue.enter()
    server = 0.0
    while meter.count * at_once < many and (batch := queue.claim(made.endpoint, after, 512, ())).seen:
        after = batch.last
        before = cpu_of(made.workspace)
        for start in range(0, len(batch.requests), at_once):
            meter.of(queue.save, made.endpoint, replies(batch.requests[start : start + at_once]))
        server += cpu_of(made.workspace) - before
    queue.leave()
    return Cost(meter.cpu / meter.count, server / meter.count, meter.wall / meter.count)


@dataclass(frozen=True)
class Crew:
    """What a crew of workers did together. cpu: of workers in transactions, and of the server."""

    workers: int
    requests: int
    claims: int
    empty: int
    saves: int
    seconds: float
    client: float
    server: float


def crew(made: PendingRun, workers: int, feed: int, latency: float, *, ordered: bool = True) -> Crew:
    """So many worker processes on one run until nothing is pending. latency: seconds per reply, 32 at once;
    0: at once.

    ordered: whether all begin at the run's beginning, or each at a place of its own.
    """
    begin = time.time() + 1.0 + 0.6 * workers
    words = [made.url, str(made.run.id), str(made.endpoint), str(feed), str(latency)]
    places = [0 if ordered else made.rows * number // workers for number in range(workers)]
    before = cpu_of(made.workspace)
    command = [sys.executable, "-m", "perf.scale.worker", *words]
    running = [
        subprocess.Popen([*command, str(place), str(begin)], stdout=subprocess.PIPE, text=True)
        for place in places
    ]
    told = [json.loads(process.communicate()[0]) for process in running]
    server = cpu_of(made.workspace) - before
    return Crew(
        workers,
        sum(one["done"] for one in told),
        sum(one["claims"]["count"] for one in told),
        sum(one["empty"] for one in told),
        sum(one["saves"]["count"] for one in told),
        max(one["ended"] for one in told) - min(one["started"] for one in told),
        sum(one["claims"]["cpu"] + one["saves"]["cpu"] for one in told),
        server,
    )
