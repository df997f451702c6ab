"""Which processes hold claims, and which of them are gone: on this machine the kernel knows, elsewhere
silence has to do.

A process is known by its place, its number there and when it started. A place is a kernel with one numbering
of processes: two containers may have the same host name, and the same number for different processes.
"""

from __future__ import annotations

import os
import socket
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

STALE_SECONDS = 90.0
"""Silence after which a process elsewhere counts as dead."""

WATCHED_SECONDS = 30.0
"""How long it must have been silent under our eyes besides: a process that slept with its machine beats again
within that time."""


@dataclass(frozen=True, slots=True)
class QueueWorker:
    """A process as it registered. heartbeat: seconds since the epoch, by the clock of the database's server
    where it has one."""

    id: str
    host: str
    pid: int
    pid_started: str
    heartbeat: float


@cache
def place() -> str:
    """This boot of this kernel and this process's PID namespace; the host name alone where the system does
    not tell."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        return f"{socket.gethostname()[:150]} {boot} {Path('/proc/self/ns/pid').readlink()}"
    except OSError:
        return socket.gethostname()[:250]


def started(pid: int) -> str:
    """When the process started, in the kernel's ticks since boot; empty where the system does not tell or it
    has ended."""
    try:
        state, *rest = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except (OSError, IndexError, ValueError):
        return ""
    # one that has ended stays listed until its parent looks after it, which may be never
    return "" if state in "ZX" else rest[18]


class WorkerWatch:
    """Looks at the other workers again and again, and says which are dead. clock: seconds that only go
    forward."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        # owner -> its last heartbeat, and when we first saw that one
        self._seen: dict[str, tuple[float, float]] = {}

    def dead(self, workers: Iterable[QueueWorker], now: float) -> list[QueueWorker]:
        """Those that are gone. now: by the clock of the heartbeats."""
        workers = list(workers)
        self._seen = {worker.id: self._first_seen(worker) for worker in workers}
        return [worker for worker in workers if self._is_dead(worker, now)]

    def _first_seen(self, worker: QueueWorker) -> tuple[float, float]:
        last = self._seen.get(worker.id)
        return last if last is not None and last[0] == worker.heartbeat else (worker.heartbeat, self._clock())

    def _is_dead(self, worker: QueueWorker, now: float) -> bool:
        if worker.host == place() and sys.platform != "win32":
            verdict = is_dead_here(worker.pid, worker.pid_started)
            if verdict is not None:
                return verdict
        watched = self._clock() - self._seen[worker.id][1]
        # Clocks are set now and then, and machines sleep: being old is not enough, nor does a beat from the
        # future last for ever.
        return watched > STALE_SECONDS or (
            watched > WATCHED_SECONDS and now - worker.heartbeat > STALE_SECONDS
        )


def is_dead_here(pid: int, since: str) -> bool | None:
    """What this kernel knows, however long a process was stopped or the machine slept; None where it does not
    tell us.

    pid: number of the process. since: when it began, as ``started`` says it.
    """
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except PermissionError:  # somebody else's process, perhaps a later one with the same number
        return started(pid) != since if started(pid) else None
    return started(pid) != since
