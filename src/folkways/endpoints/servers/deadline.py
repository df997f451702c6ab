"""A time limit that many waits share, with one timer for all of them: ``asyncio.timeout`` costs each request
one of its own."""

from __future__ import annotations

import asyncio
from types import TracebackType
from typing import Any


class Deadline:
    """``with`` this around what is awaited, as with ``asyncio.timeout``: TimeoutError after ``seconds``. A
    task waits for one such block at a time.

    All have the same limit, so that the first to begin is the first to be late.
    """

    def __init__(self, seconds: float, loop: asyncio.AbstractEventLoop) -> None:
        self._seconds, self._loop = seconds, loop
        # when each began, and how often it had been cancelled
        self._waits: dict[asyncio.Task[Any], tuple[float, int]] = {}
        self._late: set[asyncio.Task[Any]] = set()
        self._timer: asyncio.TimerHandle | None = None

    def __enter__(self) -> None:
        task = asyncio.current_task()
        assert task is not None  # noqa: S101 - a coroutine runs in one
        now = self._loop.time()
        self._waits[task] = now, task.cancelling()
        if self._timer is None:
            self._timer = self._loop.call_at(now + self._seconds, self._look)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        task = asyncio.current_task()
        assert task is not None  # noqa: S101 - as above
        _, cancelled = self._waits.pop(task)
        if task in self._late:
            self._late.remove(task)
            if task.uncancel() <= cancelled and isinstance(error, asyncio.CancelledError):
                raise TimeoutError from error

    def _look(self) -> None:
        """Cancel what is late, and come back when the next one may be."""
        self._timer = None
        for task, (began, _) in self._waits.items():
            if self._loop.time() < began + self._seconds:
                self._timer = self._loop.call_at(began + self._seconds, self._look)
                return
            if task not in self._late:
                self._late.add(task)
                task.cancel()
