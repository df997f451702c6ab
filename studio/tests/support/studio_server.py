"""The studio as a process of its own, as ``folkways studio`` runs it: real uvicorn on a real workspace.

    with StudioServer(tmp_path / "folkways.db") as server:
        server.url          # http://127.0.0.1:PORT
        server.workspace    # the same database, for preparing and looking

``kill`` stops it as a power cut would, ``start`` starts it again on the same port.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Any

from folkways.workspace.database import Workspace
from folkways_studio.database.opening import open_workspace

REPOSITORY = Path(__file__).resolve().parents[3]
PROGRAM = """
import json, sys
from folkways_studio.models.offered import OfferedModel
from folkways_studio.web.settings import WebSettings
from folkways_studio.web.serving import serve
from folkways_studio.database.opening import open_workspace
location, port, settings = sys.argv[1], int(sys.argv[2]), json.loads(sys.argv[3])
settings["models"] = {name: OfferedModel(*each) for name, each in settings.get("models", {}).items()}
rates = {name: tuple(rate) for name, rate in settings.get("rates", {}).items()}
settings["rates"] = rates or WebSettings().rates
ready = lambda address: print(address, flush=True)
serve(open_workspace(location), port=port, settings=WebSettings(**settings), ready=ready)
"""


class StudioServer:
    """The server as a context manager; keywords are fields of ``web.settings.WebSettings`` (models: name
    -> [model, key])."""

    def __init__(self, location: Path | str, **settings: Any) -> None:
        self.location = str(location)
        self.settings = settings
        self.workspace: Workspace = open_workspace(location)
        self.url = ""
        self.port = 0

    def start(self) -> None:
        """Start the process and wait until its address can be opened."""
        command = [sys.executable, "-c", PROGRAM, self.location, str(self.port), json.dumps(self.settings)]
        self.process = subprocess.Popen(command, cwd=REPOSITORY, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout
        self.url = self.process.stdout.readline().strip()
        if not self.url:
            raise RuntimeError(f"the studio did not start: exit code {self.process.wait()}")
        self.port = int(self.url.rpartition(":")[2])

    def stop(self, how: int = signal.SIGTERM) -> int:
        """Stop the process with a signal; its exit code."""
        self.process.send_signal(how)
        code = self.process.wait(timeout=20)
        assert self.process.stdout
        self.process.stdout.close()
        return code

    def kill(self) -> None:
        """Stop it without any warning."""
        self.stop(signal.SIGKILL)

    def __enter__(self) -> StudioServer:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process.poll() is None:
            self.stop()
        self.workspace.close()
