"""The studio as ``folkways studio`` runs it: real uvicorn on a real workspace, in a thread of the tests or as a
process of its own.

    with StudioServer(tmp_path / "folkways.db") as server:
        server.url          # http://127.0.0.1:PORT
        server.workspace    # the same database, for preparing and looking

A thread starts at once, where a process imports everything anew. ``StudioProcess`` can be killed as a power
cut would, and told to stop by a signal; it is also for tests that run commands in their own process, which
change its environment and close its connections (``tests.support.command_line.folkways``). ``start`` starts either
again on the same port.
"""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
from pathlib import Path
from threading import Event, Thread
from types import TracebackType
from typing import Any, Self

from folkways.workspace.database import Workspace
from folkways_studio.database.opening import open_workspace
from folkways_studio.models.offered import OfferedModel
from folkways_studio.web.serving import one_process, serve
from folkways_studio.web.settings import WebSettings
from studio.tests.support.studies import new_workspace
from tests.support.forked_programs import start_module

REPOSITORY = Path(__file__).resolve().parents[3]
START_SECONDS = 60


class StudioServer:
    """The server in a thread, as a context manager; keywords are fields of ``web.settings.WebSettings``
    (models: name -> [model, key]). host: where it listens; it is asked by IPv4 on "::" as well."""

    def __init__(self, location: Path, *, host: str = "127.0.0.1", **settings: Any) -> None:
        self.host = host
        self.location = str(location)
        self.settings = settings
        self.workspace: Workspace = open_workspace(location) if location.exists() else new_workspace(location)
        self.url = ""
        self.port = 0
        self.running = False

    def start(self) -> None:
        """Start it and wait until its address can be opened."""
        listener = socket.socket(socket.AF_INET6 if ":" in self.host else socket.AF_INET)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((self.host, self.port))
        self.port = listener.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        ready = Event()
        # Connections of its own, as a process has.
        self._workspace = open_workspace(self.location)
        self._server = one_process(self._workspace, web_settings(self.settings), ready.set)
        self._thread = Thread(target=self._server.run, args=([listener],), name="studio", daemon=True)
        self._thread.start()
        if not ready.wait(START_SECONDS):
            raise RuntimeError("the studio did not start")
        self.running = True

    def reconnect(self) -> None:
        """Have it open its database anew for the next request."""
        self._workspace.close()

    def stop(self) -> None:
        """Stop it once it has answered what is at hand."""
        self._server.should_exit = True
        self._thread.join(timeout=20)
        self._workspace.close()
        self.running = False

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.running:
            self.stop()
        self.workspace.close()


class StudioProcess(StudioServer):
    """The server as a process of its own."""

    def start(self) -> None:
        """Start the process and wait until its address can be opened."""
        arguments = (self.location, self.port, json.dumps(self.settings))
        self.process = start_module(
            "studio.tests.support.studio_server",
            *arguments,
            cwd=REPOSITORY,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout
        self.url = self.process.stdout.readline().strip()
        if not self.url:
            raise RuntimeError(f"the studio did not start: exit code {self.process.wait()}")
        self.port = int(self.url.rpartition(":")[2])
        self.running = True

    def stop(self, how: int = signal.SIGTERM) -> None:
        """Stop the process with a signal."""
        self.process.send_signal(how)
        self.process.wait(timeout=20)
        assert self.process.stdout
        self.process.stdout.close()
        self.running = False

    def kill(self) -> None:
        """Stop it without any warning."""
        self.stop(signal.SIGKILL)


def web_settings(fields: dict[str, Any]) -> WebSettings:
    """Settings from what JSON can hold."""
    models = {name: OfferedModel(*each) for name, each in fields.get("models", {}).items()}
    rates = {name: tuple(rate) for name, rate in fields.get("rates", {}).items()}
    return WebSettings(**{**fields, "models": models, "rates": rates or WebSettings().rates})


if __name__ == "__main__":
    location, port, settings = sys.argv[1:]
    serve(
        open_workspace(location),
        port=int(port),
        settings=web_settings(json.loads(settings)),
        ready=lambda address: print(address, flush=True),
    )
