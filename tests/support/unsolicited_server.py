"""A chat-completions server on raw sockets that sends responses nobody asked for, as broken proxies and
servers do.

Every reply says the last word of the prompt it belongs to, so that a reply stored under another prompt gives
itself away.
"""

from __future__ import annotations

import json
import random
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from types import TracebackType

import sqlalchemy as sa

from folkways.workspace import schema
from folkways.workspace.database import open_workspace

KINDS = {
    "with": "the reply once more, in the same segment",
    "idle": "the reply once more, 3 ms later",
    "before": "when the next request is there: the last reply once more, and right behind it the next one",
    "ahead": "when the next request is there: the last reply once more, and the next one after a gap",
    "loose": "the reply once more at any time in the next 30 ms, whatever else goes on",
    "408": "a 408 and the end, 3 ms later",
    "400": "a 400 and the end, 3 ms later",
    "part": "the first bytes of a response, 3 ms later; the rest when the next request is there",
    "400 instead": "a 400 without a reason in its place",
    "504": "a 504 in its place, and when the next request is there the reply after all",
}


class UnsolicitedServer:
    """``with UnaskedServer("idle") as server: server.url``.

    every: of this many replies on a connection, the last is followed by what nobody asked for. at: only the
    reply of this number is. named: whether replies have an id. digests: whether they are digests of the
    prompts. latency: seconds before each reply. gap: how many seconds the gap of "ahead" has.
    answered: replies so far. unasked: how often that happened.
    connections: how many were opened.
    """

    def __init__(
        self,
        kind: str,
        every: int = 2,
        latency: float = 0.0,
        at: int = 0,
        *,
        named: bool = False,
        digests: bool = False,
        gap: float = 0.005,
    ) -> None:
        assert kind in KINDS
        self.gap = gap
        self.kind, self.every, self.latency, self.at, self.named = kind, every, latency, at, named
        self.digests, self.answered = digests, 0
        self.connections = self.unasked = 0
        self._open: list[socket.socket] = []

    def __enter__(self) -> UnsolicitedServer:
        self._listening = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.url = f"http://127.0.0.1:{self._listening.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        for held in (self._listening, *self._open):
            with suppress(OSError):
                held.shutdown(socket.SHUT_RDWR)
            held.close()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listening.accept()
            except OSError:
                return
            self.connections += 1
            self._open.append(connection)
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        chance = random.Random(self.kind)
        owed = b""
        asked = 0
        try:
            for body in _requests(connection):
                if not body:  # somebody asks for the server's properties
                    self.connections -= 1
                    connection.sendall(
                        b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
                    )
                    return
                asked += 1
                prompt = json.loads(body)["messages"][-1]["content"]
                word = digest(prompt) if self.digests else prompt.split()[-1]
                reply = _response(word, {"id": f"reply-{word}"} if self.named else {})
                if self.kind == "before":
                    reply, owed = owed + reply, b""
                elif owed:
                    connection.sendall(owed)
                    owed = b""
                    time.sleep(self.gap)
                time.sleep(self.latency)
                if asked == self.at or (not self.at and asked % self.every == 0):
                    self.unasked += 1
                    owed = self._follow(connection, reply, chance)
                else:
                    connection.sendall(reply)
                self.answered += 1
        except OSError:
            return

    def _follow(self, connection: socket.socket, reply: bytes, chance: random.Random) -> bytes:
        """Send the reply and what comes unasked; returns what is kept until the next request is there."""
        if self.kind == "with":
            connection.sendall(reply * 2)
            return b""
        if self.kind == "400 instead":
            connection.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
            return b""
        if self.kind == "504":
            connection.sendall(b"HTTP/1.1 504 Gateway Time-out\r\nContent-Length: 0\r\n\r\n")
            return reply
        connection.sendall(reply)
        if self.kind in ("before", "ahead"):
            return reply
        if self.kind == "loose":
            threading.Timer(chance.uniform(0, 0.03), _send, (connection, reply)).start()
            return b""
        time.sleep(0.003)
        if self.kind == "idle":
            connection.sendall(reply)
        elif self.kind == "part":
            connection.sendall(reply[:20])
            return reply[20:]
        else:
            connection.sendall(
                b"HTTP/1.1 %s Go away\r\nContent-Length: 0\r\nConnection: close\r\n\r\n" % self.kind.encode()
            )
            connection.shutdown(socket.SHUT_RDWR)
        return b""


def digest(prompt: str) -> str:
    """What tells a prompt from all others."""
    return blake2b(prompt.encode(), digest_size=8).hexdigest()


def stored_and_wrong(workspace: str | Path) -> tuple[int, list[tuple[str, str]]]:
    """How many replies a workspace holds, and the prompts and replies of those that are not the digest of
    their prompt."""
    opened = open_workspace(workspace, create=False)
    responses, prompts = schema.responses, schema.prompts
    query = sa.select(prompts.c.user, responses.c.text).join(
        responses, responses.c.prompt_hash == prompts.c.prompt_hash
    )
    try:
        with opened.read() as connection:
            pairs = [(user, text) for user, text in connection.execute(query)]
    finally:
        opened.close()
    return len(pairs), [(user, text) for user, text in pairs if digest(user) != text]


def _send(connection: socket.socket, data: bytes) -> None:
    with suppress(OSError):
        connection.sendall(data)


def _requests(connection: socket.socket) -> Iterator[bytes]:
    """The bodies of the requests that come, until the end of the connection."""
    data = b""
    while True:
        while b"\r\n\r\n" not in data:
            more = connection.recv(65536)
            if not more:
                return
            data += more
        head, _, data = data.partition(b"\r\n\r\n")
        lengths = [
            int(line.split(b":")[1])
            for line in head.split(b"\r\n")
            if line.lower().startswith(b"content-length")
        ]
        length = lengths[0] if lengths else 0
        while len(data) < length:
            more = connection.recv(65536)
            if not more:
                return
            data += more
        yield data[:length]
        data = data[length:]


def _response(word: str, more: dict[str, str]) -> bytes:
    body = json.dumps({"choices": [{"message": {"content": word}, "finish_reason": "stop"}], **more}).encode()
    return b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s" % (
        len(body),
        body,
    )
