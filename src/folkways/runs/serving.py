"""A model's server on this machine: started with a command, and stopped whatever happens to the process that
asks it."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
import time
from collections import deque
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from threading import Thread

from folkways.endpoints.base import NotServedError
from folkways.endpoints.clean import quotable
from folkways.runs.options import PORT, words_of

START_SECONDS = 1800.0
"""How long a server may take until it lists its models: weights of a large one come over the network."""

LOOK_SECONDS, LAST_LINES_SECONDS, STOP_SECONDS = 0.1, 0.5, 25.0
MOST_BYTES = 1 << 20

TAIL_LINES, TAIL_LENGTH = 5, 600
"""What is shown of the last words of a server that failed."""

GUARD = Path(__file__).with_name("server_guard.py")


class ModelServer:
    """A server, as its guard runs it. command: a command line with ``{port}``; no shell reads it. It is begun
    at once.

    environment: variables for it, in addition to those of this process. port: where it listens; a free one if
    None.
    """

    def __init__(self, command: str, environment: Mapping[str, str], port: int | None = None) -> None:
        self.command = command
        self.port = port or _free_port()
        self.process = subprocess.Popen(  # noqa: S603 - the command that the user gave
            [sys.executable, str(GUARD), *(word.replace(PORT, str(self.port)) for word in words_of(command))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={**os.environ, **environment},
            start_new_session=True,
        )
        self._lines: deque[str] = deque(maxlen=20)
        lines = self.process.stdout
        assert lines is not None  # noqa: S101 - it is a pipe
        self._reader = Thread(
            target=lambda: self._lines.extend(line.decode(errors="replace").rstrip() for line in lines),
            daemon=True,
        )
        self._reader.start()

    @property
    def url(self) -> str:
        """The address that its models are asked at."""
        return f"http://127.0.0.1:{self.port}/v1"

    async def listens(self) -> None:
        """Wait until it lists its models; NotServedError with its last lines where it ends before, or takes
        too long."""
        until = time.monotonic() + START_SECONDS
        while time.monotonic() < until:
            if self.process.poll() is not None:
                raise NotServedError(f"its server ended before it listened: {await self.last_words()}")
            if await asyncio.to_thread(self.answers):
                return
            await asyncio.sleep(LOOK_SECONDS)
        raise NotServedError(
            f"its server did not listen within {START_SECONDS / 60:.0f} minutes: {await self.last_words()}"
        )

    def answers(self) -> bool:
        """Whether it is up: it may want a key, or keep its list to itself; one that loads says 503."""
        # aiohttp: a run that starts no server does without
        from folkways.http import NoReplyError, ReplyTooLargeError, ask_once

        try:
            reply = ask_once("GET", f"{self.url}/models", most_bytes=MOST_BYTES, seconds=5)
        except (NoReplyError, ReplyTooLargeError, ValueError):
            return False
        return reply.status < 500

    async def has_ended(self, within: float) -> bool:
        """Whether the process has ended, or does so ``within`` seconds: its connections break a moment before
        that is known."""
        with suppress(subprocess.TimeoutExpired):
            await asyncio.to_thread(self.process.wait, within)
        return self.process.poll() is not None

    async def last_words(self) -> str:
        """The last lines that it wrote, its exit code and its command, on one line."""
        code = self.process.poll()
        if code is not None:
            await asyncio.to_thread(self._reader.join, LAST_LINES_SECONDS)
        lines = " | ".join(quotable(line) for line in list(self._lines)[-TAIL_LINES:] if line.strip())
        ended = "" if code is None else f"exit code {code}, "
        return f"{lines[-TAIL_LENGTH:] or 'it wrote nothing'} ({ended}command: {quotable(self.command)})"

    async def stop(self) -> None:
        await asyncio.to_thread(self._stop)

    def _stop(self) -> None:
        assert self.process.stdin is not None  # noqa: S101 - it is a pipe
        with suppress(OSError):
            self.process.stdin.close()
        try:
            self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])
