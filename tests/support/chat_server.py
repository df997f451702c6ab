"""A chat-completions server for tests and benchmarks: a process of its own, real HTTP/1.1 with keep-alive,
nothing mocked.

    python -m tests.support.chat_server --port 0 --mode letter
    {"url": "http://127.0.0.1:40123", "port": 40123, "pid": 4711}

It speaks OpenAI's POST /v1/chat/completions and GET /v1/models, Anthropic's POST /v1/messages and Google's
POST /v1beta/models/MODEL:generateContent. Replies depend only on model and messages (chat_layouts.answer).
GET /_stats says how often each request body came and was answered; POST /_control changes mode, latency and
faults (chat_faults) while it runs. Parsing is minimal on purpose: this server also serves benchmarks of
client overhead and must cost less than any client.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import json
import os
import signal
import time
from collections import Counter, deque
from collections.abc import Callable
from email.utils import formatdate
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any

import orjson

from tests.support.chat_faults import Fault, FaultPlan
from tests.support.chat_layouts import THINKING, Question, answer, error, read_question, reply
from tests.support.server_process import ServerProcess

_REASONS = {
    200: "OK",
    401: "Unauthorized",
    404: "Not Found",
    429: "Too Many Requests",
    500: "Internal Server Error",
}
_GOOD = {
    "ok",
    "stall",
    "json-as-text",
    "rubbish",
    "filter",
    "refusal",
    "parts",
    "length",
    "no-usage",
    *THINKING,
}


class State:
    """What the server is set to do and what it has seen. Bodies are counted by a 16-digit digest."""

    def __init__(self, settings: dict[str, Any]) -> None:
        self.mode = "letter"
        self.latency = 0.0
        self.slots, self.tells_slots = 0, False
        self.places, self.refusal = 0, "503"
        self.metrics = ""
        self.busy = 0
        self.line: deque[Callable[[], bool]] = deque()
        self.require_key: str | None = None
        self.plan = FaultPlan()
        self.forget()
        self.configure(settings)

    def configure(self, settings: dict[str, Any]) -> None:
        self.mode = settings.get("mode", self.mode)
        self.latency = float(settings.get("latency", self.latency))
        self.slots = int(settings.get("slots", self.slots))
        self.places = int(settings.get("places", self.places))
        self.refusal = settings.get("refusal", self.refusal)
        self.tells_slots = bool(settings.get("tells_slots", self.tells_slots))
        self.metrics = settings.get("metrics", self.metrics)
        self.require_key = settings.get("require_key", self.require_key)
        if "faults" in settings:
            self.plan = FaultPlan(settings["faults"])
        if settings.get("forget"):
            self.forget()

    def next_in_line(self) -> None:
        """Let those that wait begin, as far as slots are free."""
        while self.line and self.busy < self.slots:
            self.line.popleft()()

    def forget(self) -> None:
        self.asked: Counter[str] = Counter()
        self.answered: Counter[str] = Counter()
        self.kinds: Counter[str] = Counter()
        self.total = self.in_flight = self.most_in_flight = self.connections = 0
        self.first = 0.0
        self.last: tuple[str, bytes, bytes] = ("", b"", b"")

    def stats(self, bodies: bool = False) -> dict[str, Any]:
        path, head, body = self.last
        found = {
            "total": self.total,
            "distinct": len(self.asked),
            "asked_again": sum(count > 1 for count in self.asked.values()),
            "answered": sum(self.answered.values()),
            "answered_again": sum(count > 1 for count in self.answered.values()),
            "kinds": dict(self.kinds),
            "most_in_flight": self.most_in_flight,
            "connections": self.connections,
            # when the first request came, by the monotonic clock that processes share; 0.0 before
            "first": self.first,
            "last": {"path": path, "head": head.decode("latin-1"), "body": body.decode("utf-8", "replace")},
        }
        if bodies:
            found["bodies"] = {digest: [count, self.answered[digest]] for digest, count in self.asked.items()}
        return found


def pack(
    status: int,
    body: bytes,
    content_type: str = "application/json",
    extra: str = "",
    length: int | None = None,
) -> bytes:
    size = len(body) if length is None else length
    reason = _REASONS.get(status, "Status")
    return (
        f"HTTP/1.1 {status} {reason}\r\nContent-Type: {content_type}\r\nContent-Length: {size}\r\n{extra}\r\n"
    ).encode() + body


class Connection(asyncio.Protocol):
    """One client connection. Requests on it are answered in turn; clients here do not pipeline."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.buffer = b""
        self.transport: asyncio.Transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self.state.connections += 1

    def data_received(self, data: bytes) -> None:
        self.buffer = self.buffer + data if self.buffer else data
        while True:
            end = self.buffer.find(b"\r\n\r\n")
            if end < 0:
                return
            head = self.buffer[:end]
            lower = head.lower()
            at = lower.find(b"content-length:")
            size = int(lower[at + 15 :].split(b"\r\n", 1)[0]) if at >= 0 else 0
            if len(self.buffer) < end + 4 + size:
                return
            body = self.buffer[end + 4 : end + 4 + size]
            self.buffer = self.buffer[end + 4 + size :]
            method, path, _ = head.split(b" ", 2)
            self.request(method.decode(), path.decode(), head, body)

    def request(self, method: str, path: str, head: bytes, body: bytes) -> None:
        route = path.partition("?")[0]
        if route.endswith("/chat/completions"):
            protocol = "openai"
        elif route.endswith("/messages"):
            protocol = "anthropic"
        elif route.endswith(":generateContent"):
            protocol = "google"
        else:
            self.transport.write(self.other(method, path, body))
            return
        state = self.state
        digest = blake2b(body, digest_size=8).hexdigest()
        before = state.asked[digest]
        state.asked[digest] = before + 1
        state.last = (path, head, body)
        fault = state.plan.fault(body, digest, before, state.total)
        state.first = state.first or time.monotonic()
        state.total += 1
        state.kinds[fault.kind] += 1
        state.in_flight += 1
        state.most_in_flight = max(state.most_in_flight, state.in_flight)
        if state.places and state.in_flight > state.places:
            self.send(protocol, path, head, body, digest, Fault(state.refusal))
            return
        wait = state.latency + float(fault.args.get("seconds", 10) if fault.kind == "stall" else 0)
        said = (protocol, path, head, body, digest, fault)
        if state.slots:
            state.line.append(lambda: self.work(wait, *said))
            state.next_in_line()
        elif wait:
            asyncio.get_running_loop().call_later(wait, self.send, *said)
        else:
            self.send(*said)

    def work(self, wait: float, *said: Any) -> bool:
        """Take a slot for so many seconds; False where the client has gone meanwhile, as a server of few
        slots looks."""
        state = self.state
        if self.transport.is_closing():
            state.in_flight -= 1
            return False
        state.busy += 1

        def done() -> None:
            state.busy -= 1
            self.send(*said)
            state.next_in_line()

        asyncio.get_running_loop().call_later(wait, done)
        return True

    def send(self, protocol: str, path: str, head: bytes, body: bytes, digest: str, fault: Fault) -> None:
        state = self.state
        state.in_flight -= 1
        if self.transport.is_closing():
            return
        key = state.require_key
        if key and fault.kind == "ok" and key.encode() not in head:
            fault = Fault("401")
        if fault.kind == "drop":
            self.transport.abort()
            return
        if fault.kind in _GOOD:
            state.answered[digest] += 1
        self.transport.write(self.respond(protocol, path, head, body, fault))
        if fault.kind == "cut":
            self.transport.close()

    def respond(self, protocol: str, path: str, head: bytes, body: bytes, fault: Fault) -> bytes:
        kind = fault.kind
        question = read_question(protocol, path, orjson.loads(body))
        if kind[0].isdigit() or kind == "quota":
            return refuse(protocol, fault, head, question.model)
        if kind == "garbage":
            return b"it is late, come back tomorrow\r\n\r\n"
        if kind in ("big", "bomb"):
            megabytes = float(fault.args.get("megabytes", 50))
            return large(protocol, question.model, kind, megabytes, "chunked" in fault.args)
        packed = reply(protocol, question, answer(self.state.mode, question), kind)
        if kind == "truncated":
            return pack(200, packed[: len(packed) // 2])
        if kind == "cut":
            return pack(200, packed[: len(packed) // 2], length=len(packed))
        if kind == "wrong-type":
            return pack(200, b"<html><body>Welcome</body></html>", "text/html")
        if kind == "json-as-text":
            return pack(200, packed, "text/plain")
        if kind == "not-object":
            return pack(200, b"[1, 2]")
        if kind == "error-in-200":
            return pack(200, error(protocol, "the upstream model is overloaded", "overloaded", 200))
        return pack(200, packed)

    def other(self, method: str, path: str, body: bytes) -> bytes:
        if path.startswith("/_stats"):
            return pack(200, orjson.dumps(self.state.stats("bodies" in path)))
        if path == "/_control" and method == "POST":
            self.state.configure(orjson.loads(body))
            return pack(200, b"{}")
        if path == "/props" and self.state.tells_slots:
            return pack(200, orjson.dumps({"total_slots": self.state.slots, "chat_template": "x" * 20_000}))
        if path == "/metrics" and self.state.metrics:
            return pack(200, self.state.metrics.encode(), "text/plain; version=0.0.4")
        if path.endswith("/models"):
            return pack(
                200, orjson.dumps({"object": "list", "data": [{"id": "test-model", "object": "model"}]})
            )
        return pack(404, b'{"error": {"message": "no such path"}}')


@cache
def large(protocol: str, model: str, kind: str, megabytes: float, chunked: bool) -> bytes:
    """A ``big`` reply or a ``bomb``. Each is made once: it costs as much as thousands of others."""
    body = reply(protocol, Question(model, "", ""), "A" * int(megabytes * 1024 * 1024))
    if kind == "bomb":
        return pack(200, gzip.compress(body), extra="Content-Encoding: gzip\r\n")
    if chunked:
        start = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
        return start + b"%x\r\n" % len(body) + body + b"\r\n0\r\n\r\n"
    return pack(200, body)


def refuse(protocol: str, fault: Fault, head: bytes, model: str) -> bytes:
    """A status other than 200, with the headers and messages that real providers send."""
    status = 429 if fault.kind == "quota" else int(fault.kind)
    args = fault.args
    extra = ""
    if status == 307:
        extra += f"Location: http://127.0.0.1:9/?key={sent_key(head)}\r\n"
    if "after" in args:
        extra += f"Retry-After: {args['after']}\r\n"
    if "date" in args:
        extra += f"Retry-After: {formatdate(time.time() + float(args['date']), usegmt=True)}\r\n"
    if "ms" in args:
        extra += f"retry-after-ms: {args['ms']}\r\n"
    if "reset" in args:
        extra += f"x-ratelimit-reset-requests: {args['reset']}\r\n"
    if status == 502:
        return pack(502, b"<html><h1>502 Bad Gateway</h1></html>", "text/html")
    setting = args.get("setting")
    message, code = {
        400: ("bad request", "invalid_request_error"),
        401: (f"Incorrect API key provided: {sent_key(head)}", "invalid_api_key"),
        402: ("Insufficient balance", "insufficient_balance"),
        404: (f"The model `{model}` does not exist", "model_not_found"),
        429: ("slow down", "rate_limit_exceeded"),
    }.get(status, (f"status {status}", "server_error"))
    if setting:
        message = f"Unsupported value: '{setting}' does not support 0 with this model."
    if fault.kind == "quota":
        message, code = "You exceeded your current quota", "insufficient_quota"
    return pack(status, error(protocol, message, code, status, setting), extra=extra)


def sent_key(head: bytes) -> str:
    for line in head.decode("latin-1").split("\r\n"):
        name, _, value = line.partition(":")
        if name.lower() in ("authorization", "x-api-key", "x-goog-api-key"):
            return value.strip().removeprefix("Bearer ")
    return "(none)"


async def serve(port: int, state: State, stats_file: Path | None) -> None:
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Connection(state), "127.0.0.1", port, backlog=1024)
    port = server.sockets[0].getsockname()[1]
    print(json.dumps({"url": f"http://127.0.0.1:{port}", "port": port, "pid": os.getpid()}), flush=True)
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    await stop.wait()
    server.close()
    if stats_file:
        stats_file.write_bytes(orjson.dumps(state.stats(bodies=True)))


class ChatServer(ServerProcess):
    """The server as a context manager: ``with ChatServer(mode="letter") as server: server.url``.

    Settings: mode, latency (seconds), require_key, faults (see FaultPlan: script, chances, seed, bursts).
    """

    module = "tests.support.chat_server"

    def __init__(self, *, stats_file: Path | None = None, port: int = 0, **settings: Any) -> None:
        self.arguments = ["--port", str(port), "--settings", json.dumps(settings)]
        if stats_file:
            self.arguments += ["--stats-file", str(stats_file)]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--mode", help="letter, word, echo or fixed:TEXT")
    parser.add_argument("--latency", type=float, help="seconds before each reply")
    parser.add_argument("--settings", default="{}", help="JSON: mode, latency, require_key, faults")
    parser.add_argument("--stats-file", type=Path, help="where the counts go when the server is stopped")
    options = parser.parse_args()
    settings = json.loads(options.settings)
    settings |= {name: value for name in ("mode", "latency") if (value := getattr(options, name)) is not None}
    asyncio.run(serve(options.port, State(settings), options.stats_file))


if __name__ == "__main__":
    main()
