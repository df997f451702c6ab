"""``folkways studio`` as a process that can be killed and started again on its port, with the CPU time that it has used."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from types import TracebackType

TICKS = os.sysconf("SC_CLK_TCK")


class Server:
    """The studio on a workspace. A context manager; ``restart`` kills it without warning and starts it again.

    url: where it is. cpu: seconds of user and system time so far, of every process that it has been.
    """

    def __init__(self, location: str, log: Path) -> None:
        self.location = location
        self.log = log
        self.url = ""
        self.port = 0
        self._used = 0.0

    def start(self) -> None:
        """Start the process and wait until its address can be opened."""
        command = [sys.executable, "-m", "folkways.cli.main", "studio", "--port", str(self.port), "--workspace", self.location]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True)
        assert self.process.stdout
        line = self.process.stdout.readline()
        if "http://" not in line:
            raise RuntimeError(f"the studio did not start: {line}{self.log.read_text(encoding='utf-8', errors='replace')[-2000:]}")
        self.url = "http://" + line.partition("http://")[2].split()[0]
        self.port = int(self.url.rpartition(":")[2])

    def stop(self, how: int = signal.SIGTERM) -> None:
        """Stop it with a signal."""
        self._used += self._cpu()
        self.process.send_signal(how)
        self.process.wait(timeout=30)
        assert self.process.stdout
        self.process.stdout.close()

    def restart(self) -> None:
        """``kill -9``, and start again."""
        self.stop(signal.SIGKILL)
        self.start()

    @property
    def cpu(self) -> float:
        """CPU seconds used so far."""
        return self._used + (self._cpu() if self.process.poll() is None else 0.0)

    def _cpu(self) -> float:
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def __enter__(self) -> Server:
        self.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None) -> None:
        if self.process.poll() is None:
            self.stop()
