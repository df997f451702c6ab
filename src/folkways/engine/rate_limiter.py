"""How many requests are on their way at once: as many as the server gets done sooner for being asked together.

A server that asks to slow down, or does not answer in time, gets fewer. A server of which nothing is known gets few to begin with,
and twice as many as long as more replies per second come of it: what waits in a server's own queue only runs into the timeout.
"""

from __future__ import annotations

import asyncio
import math
import random
import time
from collections import deque

BACKOFF_FIRST = 0.5
BACKOFF_LONGEST = 30.0
RETRY_AFTER_LONGEST = 120.0
"""Seconds; a server that asks for a longer pause gets this one, so that a run cannot be put to sleep for a day."""

SHRINK = 0.7
"""The share of requests in flight that goes on after the server asked to slow down."""

SHRINK_AFTER_TIMEOUT = 0.5
"""The share that goes on after a request had no reply in time: it stood in a queue, which takes longer to empty."""

GAIN = 1.1
"""Twice as many requests at once must bring this many times the replies per second, or they are half as many again."""

WINDOW = 8
"""Replies at least over which their number per second is taken."""

ROUNDS_BETWEEN_PROBES = 16
"""Rounds of replies until it is tried again whether the server gets more done with twice as many."""


def backoff(attempt: int, retry_after: float | None, rng: random.Random) -> float:
    """Seconds to wait before attempt ``attempt`` + 1 (the first is 1): doubling with full jitter, never less than asked for."""
    ceiling = min(BACKOFF_LONGEST, BACKOFF_FIRST * 2.0 ** (attempt - 1))
    jittered = ceiling * (0.5 + 0.5 * rng.random())
    if retry_after is None:
        return jittered
    return min(RETRY_AFTER_LONGEST, retry_after) + 0.1 * jittered


class RateLimiter:
    """A bounded number of places: a request takes one before it is sent and gives it back when it has ended.

    limit:   places at most.
    first:   places to begin with; where these are fewer, more are tried by and by.
    timeout: seconds after which a request is given up; places are never doubled where replies would come to need half of that.
    """

    def __init__(self, limit: int, first: int | None = None, timeout: float = math.inf) -> None:
        self.limit = limit
        self.timeout = timeout
        self.in_flight = 0
        self.begin(first or limit)
        self._paused_until = 0.0
        self._shrunk_at = 0.0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._closed = asyncio.Event()

    def begin(self, first: int) -> None:
        """Go on with ``first`` places, and try more from there if that is fewer than the limit."""
        self._learns = first < self.limit
        self._ceiling = self.places = float(min(first, self.limit))
        self._doubled_from: float | None = None  # places before they were doubled, for a try
        self._rate = 0.0  # replies per second with these
        self._measure_after(0)

    def _measure_after(self, replies: int) -> None:
        self._ignored = replies
        self._replies, self._seconds = 0, 0.0
        self._since = time.monotonic()

    async def take(self) -> float | None:
        """Wait for a place, then return the time at which it was taken; None when the limiter was closed meanwhile."""
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
        """Sleep, but wake up at once and return True when the limiter is closed."""
        try:
            await asyncio.wait_for(self._closed.wait(), seconds)
        except TimeoutError:
            return False
        return True

    def give_back(self) -> None:
        """The request has ended; the next one in line may go."""
        self.in_flight -= 1
        self._wake()

    def succeeded(self, seconds: float = 0.0) -> None:
        """A request came back in good order after ``seconds``.

        After a decrease that is one more place for every round of successes, up to where it was.
        """
        if self.places < self._ceiling:
            self.places = min(self._ceiling, self.places + 1.0 / self.places)
        elif self._learns:
            self._measure(seconds)

    def _measure(self, seconds: float) -> None:
        if self._ignored:
            self._ignored -= 1
            self._since = time.monotonic()
            return
        self._replies += 1
        self._seconds += seconds
        if self._replies < max(WINDOW, self._ceiling):
            return
        rate = self._replies / max(time.monotonic() - self._since, 1e-9)
        if self._doubled_from is not None and rate < GAIN * self._rate:
            self._settle(self._doubled_from)
        elif self._ceiling >= self.limit or 4 * self._seconds / self._replies > self.timeout:
            self._settle(self._ceiling)
        else:
            self._doubled_from, self._rate = self._ceiling, rate
            self._ceiling = self.places = min(float(self.limit), 2 * self._ceiling)
            self._measure_after(int(self._ceiling))
            self._wake()

    def _settle(self, places: float) -> None:
        self._ceiling = self.places = places
        self._doubled_from = None
        self._measure_after(int(ROUNDS_BETWEEN_PROBES * places))

    def slow_down(self, taken_at: float, retry_after: float | None, share: float = SHRINK) -> None:
        """The server asked to slow down, or let a request wait too long. Requests sent before the last decrease change nothing."""
        now = time.monotonic()
        if taken_at >= self._shrunk_at:
            self.places = max(1.0, self.places * share)
            self._shrunk_at = now
            if self._learns:
                self._settle(self.places)
        if retry_after is not None:
            self._paused_until = max(self._paused_until, now + min(RETRY_AFTER_LONGEST, retry_after))

    def hold(self, seconds: float) -> None:
        """The server is away: nobody goes for ``seconds``, then one request, and more by and by as replies come."""
        now = time.monotonic()
        self.places, self._shrunk_at = 1.0, now
        self._measure_after(int(self._ceiling))
        self._paused_until = max(self._paused_until, now + seconds)

    def _wake(self) -> None:
        free = int(self.places) - self.in_flight
        while self._waiting and free > 0:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                free -= 1
