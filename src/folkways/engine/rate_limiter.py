"""How many requests are on their way at once: as many as the server takes, fewer after it asked to slow down."""

from __future__ import annotations

import asyncio
import random
import time
from collections import deque

BACKOFF_FIRST = 0.5
BACKOFF_LONGEST = 30.0
RETRY_AFTER_LONGEST = 120.0
"""Seconds; a server that asks for a longer pause gets this one, so that a run cannot be put to sleep for a day."""

SHRINK = 0.7
"""The share of requests in flight that goes on after the server asked to slow down."""


def backoff(attempt: int, retry_after: float | None, rng: random.Random) -> float:
    """Seconds to wait before attempt ``attempt`` + 1 (the first is 1): doubling with full jitter, never less than asked for."""
    ceiling = min(BACKOFF_LONGEST, BACKOFF_FIRST * 2.0 ** (attempt - 1))
    jittered = ceiling * (0.5 + 0.5 * rng.random())
    if retry_after is None:
        return jittered
    return min(RETRY_AFTER_LONGEST, retry_after) + 0.1 * jittered


class RateLimiter:
    """Additive increase, multiplicative decrease over a bounded number of places.

    limit: places at most, and to begin with. A request takes a place before it is sent and gives it back when it has ended.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.places = float(limit)
        self.in_flight = 0
        self._paused_until = 0.0
        self._shrunk_at = 0.0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._closed = asyncio.Event()

    async def take(self) -> float | None:
        """Wait for a place, then return the time at which it was taken; None when the pace was closed meanwhile."""
        while not self._closed.is_set():
            now = time.monotonic()
            if now < self._paused_until:
                await self.closed_within(self._paused_until - now)
            elif self.in_flight < self.places:
                self.in_flight += 1
                return now
            else:
                turn = asyncio.get_running_loop().create_future()
                self._waiting.append(turn)
                await turn
        return None

    def close(self) -> None:
        """Let nobody take a place any more, and wake everyone who waits for one."""
        self._closed.set()
        for turn in self._waiting:
            if not turn.done():
                turn.set_result(None)
        self._waiting.clear()

    @property
    def closed(self) -> bool:
        """Whether ``close`` was called."""
        return self._closed.is_set()

    async def closed_within(self, seconds: float) -> bool:
        """Sleep, but wake up at once and return True when the pace is closed."""
        try:
            await asyncio.wait_for(self._closed.wait(), seconds)
        except TimeoutError:
            return False
        return True

    def give_back(self) -> None:
        """The request has ended; the next one in line may go."""
        self.in_flight -= 1
        self._wake()

    def succeeded(self) -> None:
        """A request came back in good order: one more place for every round of successes, up to the limit."""
        if self.places < self.limit:
            self.places = min(float(self.limit), self.places + 1.0 / self.places)

    def slow_down(self, taken_at: float, retry_after: float | None) -> None:
        """The server asked to slow down. Requests sent before the last decrease tell nothing new and change nothing."""
        now = time.monotonic()
        if taken_at >= self._shrunk_at:
            self.places = max(1.0, self.places * SHRINK)
            self._shrunk_at = now
        if retry_after is not None:
            self._paused_until = max(self._paused_until, now + min(RETRY_AFTER_LONGEST, retry_after))

    def _wake(self) -> None:
        free = int(self.places) - self.in_flight
        while self._waiting and free > 0:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                free -= 1
