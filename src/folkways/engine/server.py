"""What replies and failures tell of a server: that it is busy, slow or away; and the wait for one that is away."""

from __future__ import annotations

import time
from collections.abc import Callable

from folkways.endpoints.base import EndpointFailure
from folkways.engine.progress import ModelProgress
from folkways.engine.rate_limiter import SHRINK_AFTER_TIMEOUT, RateLimiter

FIRST_PAUSE, LONGEST_PAUSE = 1.0, 10.0
"""Seconds until a server that is away is tried again: doubled each time, up to the longest."""

STARTING = (None, 502, 503, 504)
"""What comes of a server that is about to be back: it drops connections or loads its model, or a proxy finds nobody behind it."""


class Server:
    """The server behind one endpoint.

    While it refuses connections one request at a time is tried, by turns and after longer and longer pauses; all others wait, and
    none of them loses an attempt.

    wait: seconds after which ``stop`` is called with the reason; with 0 a refused connection is a failure like any other.
    """

    def __init__(self, limiter: RateLimiter, progress: ModelProgress, wait: float, stop: Callable[[str], None]) -> None:
        self.first_round = 0  # requests that are sent before any can have come back
        self._limiter = limiter
        self._progress = progress
        self._wait = wait
        self._stop = stop
        self._pause = FIRST_PAUSE
        self._held_at = 0.0
        self._timeouts = 0
        self._any_reply = False

    def answered(self, taken_at: float, seconds: float) -> None:
        """A request that took its place at ``taken_at`` came back in good order after ``seconds``."""
        self._any_reply = True
        if self._is_there(taken_at):
            self._limiter.succeeded(seconds)

    def failed(self, failure: EndpointFailure, taken_at: float) -> bool:
        """Whether the server is away, so that the request is to be sent again as if it never had been."""
        self._progress.last_error = str(failure)
        away = self._wait > 0 and self._is_away(failure, taken_at)
        if not away:
            self._is_there(taken_at)
            self._slow_down(failure, taken_at)
        self._progress.places = self._limiter.places
        return away

    def _is_away(self, failure: EndpointFailure, taken_at: float) -> bool:
        progress, now = self._progress, time.monotonic()
        after = taken_at >= self._held_at  # whether it was sent after the last sign that the server is away
        starting = after and failure.retryable and not failure.timed_out and failure.status in STARTING
        if not (failure.unreachable or (starting and progress.away is not None)):
            return False
        if progress.away is None:
            self._pause, progress.away_until = FIRST_PAUSE, now + self._wait
        elif after and now >= progress.away_until:
            self._stop(f"the server was waited for {self._wait:g} s and is not back; the last error was: {failure}")
        elif not after:
            return True
        progress.away = failure.unreachable or (f"HTTP {failure.status}" if failure.status else "the connection was lost")
        self._held_at = now
        self._limiter.hold(min(self._pause, max(0.0, progress.away_until - now)))
        self._pause = min(2 * self._pause, LONGEST_PAUSE)
        return True

    def _is_there(self, taken_at: float) -> bool:
        """Whether it is, as far as a request tells that was answered, well or badly: one sent before it went away tells nothing."""
        if self._progress.away is not None and taken_at >= self._held_at:
            self._progress.away = None
        return self._progress.away is None

    def _slow_down(self, failure: EndpointFailure, taken_at: float) -> None:
        if failure.rate_limited:
            self._progress.rate_limited += 1
            self._limiter.slow_down(taken_at, failure.retry_after)
        if failure.timed_out:
            self._timeouts += 1
            if self._timeouts == self.first_round and not self._any_reply:
                self._progress.warning = (
                    f"none of the first {self._timeouts} requests to {self._progress.endpoint} had a reply in time; "
                    "if the server is slow, give it more time (--timeout 600) or fewer requests at once (--concurrency 1)"
                )
            self._limiter.slow_down(taken_at, None, SHRINK_AFTER_TIMEOUT)
