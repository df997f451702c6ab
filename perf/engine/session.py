"""One measuring session: a server process on one core, each client in turn on the others, every run checked
for correctness."""

from __future__ import annotations

import os
import shutil
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from perf.engine import measure, workload
from perf.engine.clients import Client
from perf.engine.measure import Usage
from perf.engine.workload import Workload
from tests.support.chat_server import ChatServer

START_REQUESTS = 64  # so few that their own cost is lost in the start


@dataclass(frozen=True)
class Result:
    """One client at one number of requests.

    start: CPU seconds of the same client at START_REQUESTS. first: seconds from the start of its process to
    its first request, at this number of requests; None if not measured. wrong: what did not add up; empty for
    a run that counts.
    """

    client: str
    title: str
    version: str
    requests: int
    usage: Usage
    start: float
    wrong: str
    first: float | None = None

    @property
    def per_request(self) -> float:
        """CPU milliseconds per request, start included."""
        return self.usage.cpu / self.requests * 1000

    @property
    def each_further(self) -> float:
        """CPU milliseconds that one more request costs: without the start."""
        return max(self.usage.cpu - self.start, 0.0) / max(self.requests - START_REQUESTS, 1) * 1000


class Session:
    """Holds the server, the working folder and the cores; ``measure`` runs one client once."""

    def __init__(self, server: ChatServer, folder: Path, concurrency: int, cores: set[int] | None) -> None:
        self.server = server
        self.folder = folder
        self.concurrency = concurrency
        self.cores = cores
        self._works: dict[int, Workload] = {}
        self._starts: dict[str, float] = {}

    def measure(self, client: Client, requests: int, repeat: int = 1) -> Result:
        """Run ``client`` over ``requests`` prompts and keep the best of ``repeat`` runs; a wrong run is
        reported at once.

        Its start is measured once per session. ClientError if the client fails or its start already goes
        wrong.
        """
        if client.name not in self._starts:
            self._run(client, START_REQUESTS)  # compiles byte code and fills the disk cache; not counted
            usage, wrong, _ = self._run(client, START_REQUESTS)
            if wrong:
                raise measure.ClientError(f"{client.name} at {START_REQUESTS} requests: {wrong}")
            self._starts[client.name] = usage.cpu
        runs: list[tuple[Usage, str, float]] = []
        while len(runs) < repeat and not any(wrong for _, wrong, _ in runs):
            runs.append(self._run(client, requests))
        usage, wrong, first = max(runs, key=lambda run: (run[1], -run[0].cpu))
        return Result(
            client.name,
            client.title,
            client.version,
            requests,
            usage,
            self._starts[client.name],
            wrong,
            first,
        )

    def _run(self, client: Client, requests: int) -> tuple[Usage, str, float]:
        if requests not in self._works:
            self._works[requests] = workload.write(self.folder / f"work-{requests}", requests)
        work = self._works[requests]
        home = self.folder / client.name
        shutil.rmtree(home, ignore_errors=True)
        home.mkdir()
        self.server.control(forget=True)
        command = client.command(f"{self.server.url}/v1", work, home, self.concurrency)
        began = time.monotonic()
        usage = measure.run(command, home / "output.log", client.environment(home), self.cores)
        stats = self.server.stats()
        return usage, self._wrong(client, work, home, stats), stats["first"] - began

    def _wrong(self, client: Client, work: Workload, home: Path, stats: Mapping[str, Any]) -> str:
        """What the server saw and what the client stored, against what was to be asked."""
        wrong = [
            f"server {name} {stats[name]}, expected {work.requests}"
            for name in ("total", "distinct", "answered")
            if stats[name] != work.requests
        ]
        stored = Counter(client.answers(home))
        if stored != work.expected:
            wrong.append(
                f"stored answers {dict(sorted(stored.items()))}, expected "
                f"{dict(sorted(work.expected.items()))}"
            )
        return "; ".join(wrong)


def split_cores() -> tuple[set[int], set[int]] | None:
    """The server's core and the clients' cores; None where there is only one."""
    available = sorted(os.sched_getaffinity(0))
    return ({available[0]}, set(available[1:])) if len(available) > 1 else None


@contextmanager
def opened(folder: Path, concurrency: int) -> Iterator[Session]:
    """A session with a server of its own, stopped at the end."""
    cores = split_cores()
    with ChatServer(mode="letter") as server:
        if cores:
            os.sched_setaffinity(server.process.pid, cores[0])
        yield Session(server, folder, concurrency, cores[1] if cores else None)


def help_seconds(client: Client, folder: Path, times: int = 5) -> float:
    """Least CPU seconds of ``folkways --help`` over ``times`` runs."""
    command: list[str | Path] = [client.programs / "folkways", "--help"]
    return min(
        measure.run(command, folder / "help.log", client.environment(folder)).cpu for _ in range(times)
    )
