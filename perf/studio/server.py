"""``folkways studio`` as a process that can be killed and started again on its port, with the CPU time that
it has used."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
from pathlib import Path
from types import TracebackType

import psutil


class Server:
    """The studio on a workspace. A context manager.

    workers: processes that answer. url: where it is. cpu: user and system seconds so far, of every process
    that it has been.
    """

    def __init__(self, location: str, log: Path, workers: int = 1) -> None:
        self.location = location
        self.log = log
        self.workers = workers
        self.url = ""
        self.port = 0
        self._used = 0.0

    def start(self) -> None:
        """Start the process and wait until its address can be opened."""
        command = [
            sys.executable,
            "-m",
            "folkways.cli.main",
            "studio",
            "--port",
            str(self.port),
            "--workspace",
            self.location,
        ]
        command += ["--workers", str(self.workers)]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True)
        assert self.process.stdout
        line = self.process.stdout.readline()
        if "http://" not in line:
            raise RuntimeError(
                "the studio did not start: "
                f"{line}{self.log.read_text(encoding='utf-8', errors='replace')[-2000:]}"
            )
        self.url = "http://" + line.partition("http://")[2].split()[0]
        self.port = int(self.url.rpartition(":")[2])

    def stop(self, how: int = signal.SIGTERM) -> None:
        """Stop it with a signal."""
        self._used += self._cpu()
        self.process.send_signal(how)
        self.process.wait(timeout=30)
        assert self.process.stdout
        self.process.stdout.close()

    def kill(self) -> None:
        """``kill -9``, and start again; of several processes one, which the others' parent starts again."""
        if self.workers > 1:
            random.choice([each for each in self._children() if "spawn_main" in each.cmdline()[-2]]).kill()
            return
        self.stop(signal.SIGKILL)
        self.start()

    @property
    def cpu(self) -> float:
        """CPU seconds used so far."""
        return self._used + (self._cpu() if self.process.poll() is None else 0.0)

    def _cpu(self) -> float:
        processes = (psutil.Process(self.process.pid), *self._children())
        return sum(sum(each.cpu_times()[:4]) for each in processes)

    def _children(self) -> list[psutil.Process]:
        return psutil.Process(self.process.pid).children(recursive=True)

    def __enter__(self) -> Server:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process.poll() is None:
            self.stop()
