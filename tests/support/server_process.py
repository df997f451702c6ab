"""A server of the tests as a process of its own, which prints its address and is steered and asked for its
counts over HTTP; and what those have in common that are written with ``http.server``."""

from __future__ import annotations

import json
import subprocess
import urllib.request
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
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

    def told(self, path: str) -> Any:
        """The JSON at a path."""
        with urllib.request.urlopen(self.url + path, timeout=30) as found:
            return json.load(found)

    def stats(self, bodies: bool = False) -> dict[str, Any]:
        stats: dict[str, Any] = self.told(f"/_stats{'?bodies' if bodies else ''}")
        return stats


class Handler(BaseHTTPRequestHandler):
    """Answers in JSON or in bytes, and writes nothing down."""

    protocol_version = "HTTP/1.1"
    url: ClassVar[str]
    """Of the process."""

    def log_message(self, *_: object) -> None:
        """Quiet."""

    def answer(self, body: bytes) -> None:
        """Answer a request of ``self.command`` for ``self.path`` with this body."""
        raise NotImplementedError

    def handle_all(self) -> None:
        self.answer(self.rfile.read(int(self.headers.get("Content-Length") or 0)))

    do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = handle_all  # noqa: N815 - names of http.server

    def say(self, status: int, content: Any, **headers: str) -> None:
        """Answer; ``_`` stands for ``-`` in the names of headers."""
        raw = content if isinstance(content, bytes) else json.dumps(content).encode()
        told = {"Content_Type": "application/json", "Content_Length": str(len(raw)), **headers}
        self.send_response(status)
        for name, value in told.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(raw)


def serve(handler: type[Handler], **more: str) -> None:
    """Print the address (and what else the tests have to know) and answer until the process is stopped."""
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.daemon_threads = True
        Handler.url = f"http://127.0.0.1:{server.server_port}"
        print(json.dumps({"url": Handler.url, **more}), flush=True)
        server.serve_forever()
