"""What replies and failures tell of a server: that it is busy, full, slow or away; and the wait for one that
is away."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable
from enum import Enum

from folkways.endpoints.base import EndpointFailure
from folkways.engine.progress import ModelProgress
from folkways.engine.rate_limiter import BACKOFF_LONGEST, RateLimiter, backoff
from folkways.errors import option

FIRST_PAUSE, LONGEST_PAUSE = 1.0, 10.0
"""Seconds until a server that is away is tried again: doubled each time, up to the longest."""

STARTING = (None, 502, 503, 504)
"""What comes of a server that is about to be back: it drops connections or loads its model, or a proxy finds
nobody behind it."""

PATIENCE_SECONDS, PATIENCE_REPLIES = 120.0, 10
"""How long a request may be refused without that counting as an attempt: so many seconds, or as long as so
many replies take."""


class Sign(Enum):
    """What a failure tells: the server is AWAY (the request is sent again as if it never had been), it is
    FULL (sent again after a pause, without losing an attempt), or nothing but that the request FAILED.
    """

    AWAY = "away"
    FULL = "full"
    FAILED = "failed"


class Server:
    """The server of one endpoint.

    While it refuses connections one request at a time is tried, by turns and after longer and longer pauses;
    all others wait, and none of them loses an attempt.

    wait: seconds after which ``stop`` is called with the reason; with 0 a refused connection is a failure
    like any other.
    """

    def __init__(
        self, limiter: RateLimiter, progress: ModelProgress, wait: float, stop: Callable[[str], None]
    ) -> None:
        self.first_round = 0  # requests that are sent before any can have come back
        self._limiter = limiter
        self._progress = progress
        self._wait = wait
        self._stop = stop
        self._pause = FIRST_PAUSE
        self._held_at = 0.0
        self._timeouts = 0
        self.any_reply = False
        """Whether a request came back in good order."""
        self.seconds = 0.0
        """That a reply takes, more or less."""
        self._answered_at = -math.inf

    def answered(self, taken_at: float, seconds: float) -> None:
        """A request that took its place at ``taken_at`` came back in good order after ``seconds``."""
        self.any_reply = True
        self.seconds += (seconds - self.seconds) / 8 if self.seconds else seconds
        self._answered_at = time.monotonic()
        if self._is_there(taken_at):
            self._limiter.succeeded(seconds)

    def patience(self) -> float:
        """Seconds during which a request may be turned away without losing an attempt."""
        return max(PATIENCE_SECONDS, PATIENCE_REPLIES * self.seconds)

    def pause(self, rng: random.Random) -> float:
        """Seconds until a request that it refused, full as it was, is sent again."""
        return max(backoff(1, None, rng), min(BACKOFF_LONGEST, self.seconds / 4) * (0.5 + 0.5 * rng.random()))

    def failed(self, failure: EndpointFailure, taken_at: float) -> Sign:
        """What a failure tells of the server. The request has given back its place."""
        self._progress.last_error = str(failure)
        if self._is_full(failure, taken_at):
            sign = Sign.FULL
            self._limiter.refused(taken_at)
        elif self._wait > 0 and self._is_away(failure, taken_at):
            sign = Sign.AWAY
        else:
            sign = Sign.FAILED
            self._is_there(taken_at)
            self._slow_down(failure, taken_at)
        self.tell()
        return sign

    def tell(self) -> None:
        """Say in the progress how many are on their way at most, and why."""
        self._progress.places, self._progress.why = self._limiter.places, self._limiter.why

    def _is_full(self, failure: EndpointFailure, taken_at: float) -> bool:
        """Whether it refuses a request while it works on others: within twice the time that the refusal took
        it has answered one, or one that is on its way for longer has not been refused.
        """
        refuses = failure.retryable and (failure.status is None or failure.status >= 500)
        if not refuses or failure.rate_limited or failure.timed_out or self._progress.away is not None:
            return False
        since = 2 * taken_at - time.monotonic()
        return self._answered_at > since or self._limiter.longest_at < since

    def _is_away(self, failure: EndpointFailure, taken_at: float) -> bool:
        progress, now = self._progress, time.monotonic()
        after = taken_at >= self._held_at  # whether it was sent after the last sign that the server is away
        starting = after and failure.retryable and not failure.timed_out and failure.status in STARTING
        if not (failure.unreachable or (starting and progress.away is not None)):
            return False
        if progress.away is None:
            self._pause, progress.away_until = FIRST_PAUSE, now + self._wait
        elif after and now >= progress.away_until:
            self._stop(
                f"the server was waited for {self._wait:g} s and is not back; the last error was: {failure}"
            )
        elif not after:
            return True
        progress.away = failure.unreachable or (
            f"HTTP {failure.status}" if failure.status else "the connection was lost"
        )
        self._held_at = now
        self._limiter.hold(min(self._pause, max(0.0, progress.away_until - now)))
        self._pause = min(2 * self._pause, LONGEST_PAUSE)
        return True

    def _is_there(self, taken_at: float) -> bool:
        """Whether it is, as far as a request tells that was answered, well or badly: one sent before it went
        away tells nothing."""
        if self._progress.away is not None and taken_at >= self._held_at:
            self._progress.away = None
        return self._progress.away is None

    def _slow_down(self, failure: EndpointFailure, taken_at: float) -> None:
        if failure.rate_limited:
            self._progress.rate_limited += 1
            self._limiter.slow_down(taken_at, failure.retry_after)
        if failure.timed_out:
            self._timeouts += 1
            if self._timeouts == self.first_round and not self.any_reply:
                self._progress.warning = (
                    f"none of the first {self._timeouts} requests to {self._progress.endpoint} had a reply "
                    f"in time; if the server is slow, give it more time ({option('timeout', 600)}) or fewer "
                    f"requests at once ({option('concurrency', 1)})"
                )
            self._limiter.timed_out(taken_at)
