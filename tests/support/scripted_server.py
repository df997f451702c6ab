"""A server in the test's own loop that writes down every request and answers as a function of the test says."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType
from typing import Any


@dataclass(frozen=True)
class ReceivedRequest:
    """A request as it came. target: path and query. headers: names in lower case."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


Script = Callable[[ReceivedRequest], Any]
"""What a request is answered with: something for JSON, or bytes; with 200, or ``(status, it)``."""


class ScriptedServer:
    """``async with ScriptedServer(script) as server: server.url, server.requests``"""

    def __init__(self, script: Script) -> None:
        self._script = script
        self.requests: list[ReceivedRequest] = []
        self.url = ""
        self.open = 0
        """Connections that the client has not closed."""

    async def __aenter__(self) -> ScriptedServer:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.open += 1
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                first, *lines = head.decode("latin-1").rstrip().split("\r\n")
                method, target, _ = first.split(" ")
                headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
                body = await reader.readexactly(int(headers.get("content-length", 0)))
                received = ReceivedRequest(method, target, headers, body)
                self.requests.append(received)
                reply = self._script(received)
                status, content = reply if isinstance(reply, tuple) else (200, reply)
                raw = content if isinstance(content, bytes) else json.dumps(content).encode()
                writer.write(b"HTTP/1.1 %d Said\r\nContent-Length: %d\r\n\r\n%b" % (status, len(raw), raw))
        except (asyncio.IncompleteReadError, ConnectionError):
            pass  # the client is done
        finally:
            self.open -= 1
            writer.close()
