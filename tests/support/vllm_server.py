"""A stand-in for ``vllm serve``: a real process that takes its time to load, batches continuously, and writes
down what it did.

    python -m tests.support.vllm_server NAME --port 8000 --journal FILE [--load 0.5] [--places 256] [--latency
    0.1] [--dies-after N] [--drops N]

It lists NAME under /v1/models once it is loaded, works on as many requests at once as it has places and lets
the others wait, tells both numbers under /metrics, and ends at SIGTERM. The journal is a file of JSON lines
that servers share: ``start``, ``ask`` (with a digest of the question) and ``stop``, each with its time,
process and the GPUs of CUDA_VISIBLE_DEVICES.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import sys
import time
from collections.abc import Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

CODE = Path(__file__).resolve().parents[2]
LENGTH = re.compile(r"^content-length: *(\d+)", re.IGNORECASE | re.MULTILINE)


def command(name: str, journal: Path, **settings: float) -> str:
    """The ``serve`` of a model, which runs in any folder."""
    options = " ".join(f"--{key.replace('_', '-')} {value}" for key, value in settings.items())
    return (
        f"env PYTHONPATH={CODE} {sys.executable} -m tests.support.vllm_server {name} --port {{port}} "
        f"--journal {journal} {options}"
    )


def write_vllm_command(folder: Path, gpus: int) -> Path:
    """A folder for PATH with a ``vllm`` that is this program, and an ``nvidia-smi`` that lists so many
    GPUs."""
    folder.mkdir()
    scripts = {
        "vllm": f'PYTHONPATH={CODE} exec {sys.executable} -m tests.support.vllm_server "$@"',
        "nvidia-smi": f"seq 0 {gpus - 1}",
    }
    for name, line in scripts.items():
        (folder / name).write_text(f"#!/bin/sh\n{line}\n")
        (folder / name).chmod(0o755)
    return folder


@dataclass(frozen=True)
class Life:
    """What one server did: which GPUs it had, from when to when (None: it was killed), and the digests of
    what it answered."""

    model: str
    pid: int
    gpus: tuple[str, ...]
    began: float
    ended: float | None
    asked: tuple[str, ...]


def lives(journal: Path) -> list[Life]:
    """The servers of a journal, in the order in which they were started."""
    if not journal.exists():
        return []
    lines = [json.loads(line) for line in journal.read_text().splitlines()]
    told = []
    for start in (line for line in lines if line["event"] == "start"):
        mine = [line for line in lines if line["pid"] == start["pid"]]
        ended = next((line["time"] for line in mine if line["event"] == "stop"), None)
        asked = tuple(line["what"] for line in mine if line["event"] == "ask")
        gpus = tuple(filter(None, start["gpus"].split(",")))
        told.append(Life(start["model"], start["pid"], gpus, start["time"], ended, asked))
    return told


def at_once(servers: Sequence[Life]) -> int:
    """The most servers of these that ran at one time; all of them must have ended."""
    changes = sorted(
        [(life.began, 1) for life in servers] + [(float(life.ended or "nan"), -1) for life in servers]
    )
    most = now = 0
    for _, change in changes:
        now += change
        most = max(most, now)
    return most


async def serve(options: argparse.Namespace) -> None:
    places = asyncio.Semaphore(options.places)
    running = waiting = answered = 0
    to_drop = options.drops

    def note(event: str, what: str = "") -> None:
        gpus = os.environ.get("CUDA_VISIBLE_DEVICES", "all")
        row = {
            "event": event,
            "model": options.name,
            "pid": os.getpid(),
            "gpus": gpus,
            "time": time.time(),
            "what": what,
        }
        with options.journal.open("a") as journal:  # one write, which other servers do not cut
            journal.write(json.dumps(row) + "\n")

    async def complete(body: bytes) -> str:
        nonlocal running, waiting, answered
        messages = json.loads(body)["messages"]
        waiting += 1
        async with places:
            waiting -= 1
            running += 1
            await asyncio.sleep(options.latency)
            running -= 1
        if options.dies_after and answered >= options.dies_after and not options.died.exists():
            options.died.touch()
            print("CUDA error: an illegal memory access was encountered", flush=True)
            os._exit(1)
        answered += 1
        note("ask", blake2b(json.dumps(messages).encode(), digest_size=8).hexdigest())
        message = {"role": "assistant", "content": "A"}
        usage = {"prompt_tokens": 9, "completion_tokens": 1, "total_tokens": 10}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        reply = {
            "id": f"chatcmpl-{answered}-{os.getpid()}",
            "object": "chat.completion",
            "model": options.name,
            "choices": [choice],
            "usage": usage,
        }
        return json.dumps(reply)

    def metrics() -> str:
        label = f'{{engine="0",model_name="{options.name}"}}'
        return (
            f"vllm:num_requests_running{label} {running:.1f}\n"
            f"vllm:num_requests_waiting{label} {waiting:.1f}\n"
        )

    async def respond(head: str, body: bytes) -> tuple[str, str, str]:
        """Status, kind of content, and content."""
        if head.startswith("POST /v1/chat/completions "):
            return "200 OK", "application/json", await complete(body)
        if head.startswith("GET /v1/models "):
            listed = {"object": "list", "data": [{"id": options.name, "object": "model", "owned_by": "vllm"}]}
            return "200 OK", "application/json", json.dumps(listed)
        if head.startswith("GET /metrics "):
            return "200 OK", "text/plain; version=0.0.4", metrics()
        return "404 Not Found", "application/json", '{"detail":"Not Found"}'

    async def converse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal to_drop
        with closing(writer), suppress(ConnectionError, asyncio.IncompleteReadError):
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
                size = LENGTH.search(head)
                body = await reader.readexactly(int(size[1]) if size else 0)
                if to_drop and head.startswith("POST "):
                    to_drop -= 1
                    return
                status, kind, text = await respond(head, body)
                content = text.encode()
                writer.write(
                    f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\n"
                    f"Content-Length: {len(content)}\r\n\r\n".encode()
                    + content
                )
                await writer.drain()

    note("start")
    await asyncio.sleep(options.load)
    await asyncio.start_server(converse, "127.0.0.1", options.port)
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(15, stop.set)
    await stop.wait()
    note("stop")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("name", nargs="+", help="of the model; 'serve' may come first, as for vllm itself")
    parser.add_argument("--served-model-name", help="as for vllm")
    parser.add_argument(
        "--tensor-parallel-size", type=int, default=1, help="as for vllm; so many GPUs must be visible"
    )
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--journal", type=Path, default=Path(os.devnull))
    parser.add_argument("--load", type=float, default=0.2, help="seconds until it listens")
    parser.add_argument("--places", type=int, default=256)
    parser.add_argument("--latency", type=float, default=0.02, help="seconds for a reply")
    parser.add_argument("--dies-after", type=int, default=0, help="replies after which it crashes, once")
    parser.add_argument("--drops", type=int, default=0, help="connections that break before a reply")
    options = parser.parse_args()
    options.name = options.served_model_name or options.name[-1]
    visible = os.environ.get("CUDA_VISIBLE_DEVICES", "")
    if len(visible.split(",")) < options.tensor_parallel_size:
        parser.error(
            f"World size ({options.tensor_parallel_size}) is larger than the number of available GPUs: "
            f"{visible!r}"
        )
    options.died = options.journal.with_suffix(f".{options.name}.died")
    asyncio.run(serve(options))


if __name__ == "__main__":
    main()
