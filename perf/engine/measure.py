"""What one process and its children cost: CPU time, wall time and memory, as the kernel counts them. Linux
only."""

from __future__ import annotations

import os
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

_PAGE = os.sysconf("SC_PAGE_SIZE")
_SAMPLE_EVERY = 0.2  # seconds; a sample reads a few files of /proc


@dataclass(frozen=True)
class Usage:
    """Cost of one finished command.

    cpu:       user and system seconds of the process and of every descendant that was waited for.
    wall:      seconds from start to exit.
    peak:      greatest resident memory of its largest process, in MB of 10^6 bytes (``ru_maxrss``).
    tree_peak: greatest sum of resident memory over the whole tree, sampled; counts shared pages once per
    process. processes: most processes seen at once.
    """

    cpu: float
    wall: float
    peak: float
    tree_peak: float
    processes: int


class ClientError(Exception):
    """A client ended with an error; carries the end of what it printed."""


def run(
    command: Sequence[str | Path], log: Path, env: Mapping[str, str], cores: set[int] | None = None
) -> Usage:
    """Run ``command`` to its end in the folder of ``log``, both its outputs to that file; ClientError if it
    fails.

    cores: where it may run; None for anywhere. This process should stay small: the kernel counts memory from
    the fork on, so a child's peak is never below what its parent had.
    """
    with log.open("wb") as output:
        started = time.perf_counter()
        process = subprocess.Popen(
            [str(part) for part in command],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=dict(env),
            cwd=log.parent,
        )
        if cores:
            os.sched_setaffinity(process.pid, cores)
        sampler = _TreeSampler(process.pid)
        sampler.start()
        _, status, used = os.wait4(process.pid, 0)
        wall = time.perf_counter() - started
        sampler.stop()
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        tail = log.read_text(encoding="utf-8", errors="replace")[-3000:]
        raise ClientError(
            f"exit code {process.returncode} from: {' '.join(str(part) for part in command)}\n{tail}"
        )
    peak = used.ru_maxrss * 1024 / 1e6
    return Usage(
        used.ru_utime + used.ru_stime, wall, peak, max(sampler.peak / 1e6, peak), max(sampler.processes, 1)
    )


class _TreeSampler(threading.Thread):
    """Watches the resident memory of a process and its descendants until told to stop."""

    def __init__(self, root: int) -> None:
        super().__init__(daemon=True)
        self.root = root
        self.peak = 0
        self.processes = 0
        self._over = threading.Event()

    def run(self) -> None:
        while not self._over.wait(_SAMPLE_EVERY):
            tree = _descendants(self.root)
            self.peak = max(self.peak, sum(_resident(pid) for pid in tree))
            self.processes = max(self.processes, len(tree))

    def stop(self) -> None:
        self._over.set()
        self.join()


def _descendants(root: int) -> list[int]:
    found, queue = [], [root]
    while queue:
        pid = queue.pop()
        found.append(pid)
        for children in Path(f"/proc/{pid}/task").glob("*/children"):
            try:
                queue += [int(child) for child in children.read_text().split()]
            except OSError:  # the thread ended between listing and reading
                continue
    return found


def _resident(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * _PAGE
    except OSError:  # the process ended
        return 0
