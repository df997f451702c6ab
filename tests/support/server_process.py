"""A server of the tests as a process of its own, which prints its address and is steered and asked for its
counts over HTTP."""

from __future__ import annotations

import json
import subprocess
import urllib.request
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, ClassVar, Self

from tests.support.forked_programs import start_module

REPOSITORY = Path(__file__).resolve().parents[2]


class ServerProcess:
    """The server of a module as a context manager: ``with … as server: server.url``."""

    module: ClassVar[str]
    arguments: Sequence[str] = ()
    url = ""

    def __enter__(self) -> Self:
        self.process = start_module(
            self.module, *self.arguments, cwd=REPOSITORY, stdout=subprocess.PIPE, text=True
        )
        assert self.process.stdout
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"{self.module} did not start: exit code {self.process.wait()}")
        self.url = json.loads(line)["url"]
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.process.terminate()
        self.process.wait(timeout=10)
        assert self.process.stdout
        self.process.stdout.close()

    def control(self, **settings: Any) -> None:
        """Change settings while it runs; ``forget=True`` sets the counts of a chat server back to zero."""
        call = urllib.request.Request(
            f"{self.url}/_control", data=json.dumps(settings).encode(), method="POST"
        )
        urllib.request.urlopen(call, timeout=10).read()

    def stats(self, bodies: bool = False) -> dict[str, Any]:
        with urllib.request.urlopen(f"{self.url}/_stats{'?bodies' if bodies else ''}", timeout=30) as found:
            stats: dict[str, Any] = json.load(found)
            return stats
