"""A cluster of SLURM as far as a job array needs one: each task runs in namespaces of its own, as on a node
of its own.

``Sbatch(script).submit()`` reads ``#SBATCH --array=A-B`` and starts the script once per task, with SLURM's
variables. Where the machine allows it a task has its own network (with a localhost of its own) and its own
processes; ``requeue`` kills one, as a node that is lost does, and starts it again under its number.
``time_is_short`` sends what ``#SBATCH --signal`` asks for, as SLURM does: with ``B:`` to the batch shell, and
otherwise to steps of srun alone, of which there are none.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
from functools import cache
from pathlib import Path

_LOOPBACK_UP = """
import fcntl, os, socket, struct, sys
with socket.socket() as device:
    fcntl.ioctl(device, 0x8914, struct.pack("16sh", b"lo", 1))  # SIOCSIFFLAGS, IFF_UP
os.execvp(sys.argv[1], sys.argv[1:])
"""


@cache
def node() -> tuple[str, ...]:
    """The command that makes a node of its own of what follows; empty where the machine allows no
    namespaces."""
    apart = (
        "unshare",
        "--user",
        "--map-root-user",
        "--net",
        "--pid",
        "--fork",
        "--kill-child",
        "--mount-proc",
    )
    whole = (*apart, shutil.which("python3") or "python3", "-c", _LOOPBACK_UP)
    allowed = (
        shutil.which("unshare") and subprocess.run([*whole, "true"], capture_output=True).returncode == 0
    )
    return whole if allowed else ()


class Sbatch:
    """One job array."""

    def __init__(self, script: Path, environment: dict[str, str]) -> None:
        self.script = script
        self._environment = environment
        first, last = map(
            int, re.search(r"^#SBATCH --array=(\d+)-(\d+)$", script.read_text(), re.MULTILINE).groups()
        )
        self.numbers = range(first, last + 1)
        wanted = re.search(r"^#SBATCH --signal=(B:)?([A-Z]+)@\d+$", script.read_text(), re.MULTILINE)
        self._signal = getattr(signal, f"SIG{wanted[2]}") if wanted and wanted[1] else None
        self.tasks: dict[int, subprocess.Popen[str]] = {}

    def submit(self) -> None:
        for number in self.numbers:
            self._start(number, restarts=0)

    def _start(self, number: int, restarts: int) -> None:
        told = {
            "SLURM_CLUSTER_NAME": "test",
            "SLURM_JOB_ID": str(1000 + number),
            "SLURM_ARRAY_JOB_ID": "1000",
            "SLURM_ARRAY_TASK_ID": str(number),
            "SLURM_PROCID": "0",
            "SLURM_RESTART_COUNT": str(restarts),
        }
        self.tasks[number] = subprocess.Popen(
            [*node(), "bash", str(self.script)],
            env={**self._environment, **told},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def time_is_short(self, number: int) -> None:
        """What happens some seconds before a task's time is over."""
        if self._signal is not None:
            os.kill(self._shell(number), self._signal)

    def _shell(self, number: int) -> int:
        """The process that the script runs in: the one that was started, or the first in a node of its
        own."""
        started = self.tasks[number].pid
        return (
            int(Path(f"/proc/{started}/task/{started}/children").read_text().split()[0])
            if node()
            else started
        )

    def requeue(self, number: int) -> None:
        os.killpg(self.tasks[number].pid, signal.SIGKILL)
        self.tasks[number].wait(30)
        self._start(number, restarts=1)

    def wait(self, timeout: float) -> dict[int, tuple[int, str]]:
        """Task -> its exit code and what it printed."""
        return {number: (task.wait(timeout), task.stdout.read()) for number, task in self.tasks.items()}
