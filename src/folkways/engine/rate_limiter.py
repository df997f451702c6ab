"""How many requests are on their way at once: as many as the server gets done sooner for being asked
together.

An unknown server gets few to begin with, and two or four times as many as long as more
replies per second come of it; what waits in a server's own queue only runs into the timeout. One that asks to
slow down, or does not answer in time, gets fewer; one that refuses some while it answers others gets half as
many as long as no fewer replies come of it. Every change is a trial: what it brings is measured over about
one round of replies, and it is taken back where it brought nothing.
"""

from __future__ import annotations

import asyncio
import math
import random
import time
from collections import deque
from dataclasses import dataclass

BACKOFF_FIRST = 0.5
BACKOFF_LONGEST = 30.0
RETRY_AFTER_LONGEST = 120.0
"""Seconds; a server that asks for a longer pause gets this one, so that a run cannot be put to sleep for a
day."""

SHRINK = 0.7
"""The share of requests in flight that goes on after the server asked to slow down."""

SHRINK_AFTER_TIMEOUT = 0.5
"""The share that goes on after requests had no reply in time: they stood in a queue, which takes longer to
empty."""

GAIN = 1.1
"""More requests at once must bring this many times the replies per second."""

LARGE_STEP, STEP = 4, 2
"""How many times as many are tried: the larger step where replies cannot come too late, or have come no later
for being more."""

FLAT = 0.8
"""A step that brings this share of what it could (four times the replies for four times the requests) has
made none later."""

WINDOW = 8
"""Replies at least before a trial is given up."""

LATE = 0.8
"""The share of the timeout that replies may come to take on average where requests wait for each other
already."""

ALONE = 1.3
"""Replies that take up to this many times as long as with fewer at once have not waited for each other."""

TROUBLE = 0.25
"""The share of requests that are refused, or have no reply in time, from which on there are fewer at once."""

SHORTEST_REST, LONGEST_REST = 2, 64
"""Rounds of replies until the next trial: twice as many after each one that brought nothing."""

REST_AFTER_TROUBLE = 8

FINDING = "finding out how many it takes"
MORE_IS_NO_MORE = "more bring no more"
TOO_LATE = "more come too late"


def backoff(attempt: int, retry_after: float | None, rng: random.Random) -> float:
    """Seconds to wait before attempt ``attempt`` + 1 (the first is 1): doubling with full jitter, never less
    than asked for."""
    ceiling = min(BACKOFF_LONGEST, BACKOFF_FIRST * 2.0 ** (attempt - 1))
    jittered = ceiling * (0.5 + 0.5 * rng.random())
    if retry_after is None:
        return jittered
    return min(RETRY_AFTER_LONGEST, retry_after) + 0.1 * jittered


@dataclass(frozen=True, slots=True)
class _Trial:
    """A larger number of places that is tried.

    before: places to go back to.
    least: what it has to be worth (``_worth``).
    step: how many times ``before`` it is.
    """

    before: float
    least: float
    step: float


class RateLimiter:
    """A bounded number of places: a request takes one before it is sent and gives it back when it has ended.

    limit: places at most.
    first: places to begin with; where these are fewer, more are tried by and by.
    timeout: seconds after which a request is given up.
    """

    def __init__(self, limit: int, first: int | None = None, timeout: float = math.inf) -> None:
        self.limit = limit
        self.timeout = timeout
        self.in_flight = 0
        # when places were taken, and how many at that moment; the earliest first
        self._taken: dict[float, int] = {}
        self.begin(first or limit)
        self.paused_until = 0.0
        """The moment of ``time.monotonic`` before which nobody gets a place."""
        self._shrunk_at = 0.0
        self._late = 0.0  # the share of the last round that came too late
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._closed = asyncio.Event()

    def begin(self, first: int) -> None:
        """Go on with ``first`` places, and try more from there if that is fewer than the limit."""
        self._learns = first < self.limit
        self.why = FINDING if self._learns else ""
        """Why there are no more places, in a few words for people; empty where it is the limit that holds."""
        self._trial: _Trial | None = None
        # whether the last step made no reply later; the first one is tried whatever it may cost
        self._flat = True
        self._stepped = False
        self._failed = math.inf  # places that were too many in the trial before
        self._quickest = math.inf  # seconds that replies took on average, when that was least
        self._rest = SHORTEST_REST
        self._go_on_with(float(min(first, self.limit)))

    def _go_on_with(self, places: float, rounds: int = 1) -> None:
        """Have ``places``, and try no other number for ``rounds`` rounds of replies."""
        self._ceiling = self.places = places
        self._restarting = False
        self._due = rounds * max(1, int(places))
        self._measure()

    def _measure(self) -> None:
        self._replies = self._refused = self._beside = 0
        self._seconds = self._slowest = 0.0
        self._since = time.monotonic()

    async def take(self) -> float | None:
        """Wait for a place, then return the time at which it was taken; None when the limiter was closed
        meanwhile."""
        while not self._closed.is_set():
            now = time.monotonic()
            if now < self.paused_until:
                await self.closed_within(self.paused_until - now)
            elif self.in_flight < self.places:
                self.in_flight += 1
                self._taken[now] = self._taken.get(now, 0) + 1
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
    def longest_at(self) -> float:
        """When the request that is on its way for longest took its place; infinity where none is."""
        return next(iter(self._taken), math.inf)

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

    def give_back(self, taken_at: float) -> None:
        """The request that took its place at ``taken_at`` has ended; the next one in line may go."""
        self.in_flight -= 1
        self._taken[taken_at] -= 1
        if not self._taken[taken_at]:
            del self._taken[taken_at]
        self._wake()

    def succeeded(self, seconds: float = 0.0) -> None:
        """A request came back in good order after ``seconds``, and has given back its place.

        After a decrease that is one more place for every round of successes, up to where it was; for every
        success where the server was away.
        """
        if self.places < self._ceiling:
            self.places = min(self._ceiling, self.places + (1.0 if self._restarting else 1.0 / self.places))
            if self.places >= self._ceiling:
                self._go_on_with(self._ceiling)
                self.why = self.why if self._learns else ""
            self._wake()
        elif self.in_flight >= self.places:  # those that were sent when there were more places
            self._measure()
        else:
            self._replies += 1
            self._due -= 1
            self._seconds += seconds
            self._slowest = max(self._slowest, seconds)
            self._late -= self._late / max(WINDOW, self.places)
            if self._trial is not None:
                self._judge(self._trial)
            elif self._due <= 0 and self._learns and self.places < self.limit:
                self._grow(self._worth())
            elif self._replies >= WINDOW * self.places and not 0 < self._due < self.places:
                self._measure()  # but not just before a trial, which is held against what was measured

    def refused(self, taken_at: float) -> None:
        """A request was refused while the server worked on others; it has given back its place."""
        if taken_at < self._shrunk_at:
            return
        self._refused += 1
        self._beside += self.in_flight
        if self._trial is not None:
            self._judge(self._trial)
        elif self._refused >= max(WINDOW, self.places) and self._full():
            self._shrunk_at = time.monotonic()
            self._learns = True
            self._settle(max(1.0, round(self._beside / self._refused)), "it refuses more")

    def _full(self) -> bool:
        """Whether many are refused, and that while far fewer than there are places are worked on: it is not
        by chance."""
        return (
            self._refused >= max(1, TROUBLE * (self._replies + self._refused))
            and self._beside <= SHRINK * self._refused * self.places
        )

    def _worth(self) -> float:
        """Good replies per second, less the share that is refused."""
        return (
            self._replies**2
            / max(1, self._replies + self._refused)
            / max(time.monotonic() - self._since, 1e-9)
        )

    def _judge(self, trial: _Trial) -> None:
        """Keep the number that is tried, or take it back, once the result is clear."""
        if self._replies >= self.places and self._worth() >= trial.least:
            self._accept(trial)
        elif self._replies >= max(WINDOW, self.places) or self._hurts(trial):
            self._take_back(trial)

    def _hurts(self, trial: _Trial) -> bool:
        """Whether a trial does such harm that its end need not be awaited: most of what it adds is refused,
        or half as many replies come as before.
        """
        if (
            self._full()
            and self._refused >= max(2.0, 0.75 * (self.places - trial.before)) + 2 * self._replies
        ):
            return True
        usual = trial.least / GAIN * (time.monotonic() - self._since)
        return usual >= 2 * max(WINDOW, trial.before) and self._replies < usual / 2

    def _grow(self, worth: float) -> None:
        """Try more places than those that were ``worth`` it, if replies can come in time."""
        mean = self._seconds / self._replies
        if self._replies >= WINDOW:
            self._quickest = min(self._quickest, mean)
        soon = self._flat or mean <= ALONE * self._quickest or STEP * mean <= LATE * self.timeout
        if soon or self.why == TOO_LATE:  # after a rest it is worth one timeout to know
            large = self._flat and (self._stepped or LARGE_STEP * self._slowest <= self.timeout)
            self._begin_trial(self.places, GAIN * worth, LARGE_STEP if large else STEP)
        else:
            self._settle(self.places, TOO_LATE, REST_AFTER_TROUBLE)

    def _begin_trial(self, before: float, least: float, step: int) -> None:
        places = min(float(self.limit), before * step)
        self._trial = _Trial(before, least, places / before)
        self._go_on_with(places)
        self._wake()

    def _accept(self, trial: _Trial) -> None:
        self._trial = None
        self._rest = SHORTEST_REST
        self._flat = GAIN * self._worth() >= FLAT * self.places / trial.before * trial.least
        self._stepped = True
        self.why = FINDING if self.places < self.limit else ""
        if STEP * self.places >= self._failed:
            self._settle(self.places, MORE_IS_NO_MORE)
        elif not self._flat:  # what it is worth is seen once those sent at the same moment have spread
            self._go_on_with(self.places)
        elif self.places < self.limit:
            self._grow(self._worth())

    def _take_back(self, trial: _Trial, why: str = MORE_IS_NO_MORE, rest: int = 0) -> None:
        self._shrunk_at = time.monotonic()  # what was sent before tells nothing of the number to go on with
        if self._full():
            why = "it refuses more"
        if trial.step > STEP:  # half of that may be right
            self._failed = self.places
            self._begin_trial(trial.before, trial.least, STEP)
        else:
            self._settle(trial.before, why, rest)

    def _settle(self, places: float, why: str, rest: int = 0) -> None:
        self.why = why
        self._trial = None
        self._failed = math.inf
        self._flat = False
        self._rest = max(rest, self._rest)
        self._go_on_with(places, self._rest)
        self._rest = min(LONGEST_REST, 2 * self._rest)

    def slow_down(self, taken_at: float, retry_after: float | None) -> None:
        """The server asked to slow down. Requests sent before the last decrease change nothing, but for the
        pause."""
        now = time.monotonic()
        if taken_at >= self._shrunk_at:
            self._shrink(SHRINK, "it asks for fewer")
        if retry_after is not None:
            self.paused_until = max(self.paused_until, now + min(RETRY_AFTER_LONGEST, retry_after))

    def timed_out(self, taken_at: float) -> None:
        """A request had no reply in time. Now and then that is one which takes longer; a quarter of a round
        stood in a line."""
        if taken_at < self._shrunk_at:
            return
        self._late += (1 - self._late) / max(WINDOW, self.places)
        if self._late >= TROUBLE:
            self._shrink(SHRINK_AFTER_TIMEOUT, TOO_LATE)

    def _shrink(self, share: float, why: str) -> None:
        self._shrunk_at = time.monotonic()
        self._late = 0.0
        if self._trial is not None:
            self._take_back(self._trial, why, REST_AFTER_TROUBLE)
        else:
            self.places, self._restarting = max(1.0, self.places * share), False
            if self._learns:
                self._settle(self.places, why, REST_AFTER_TROUBLE)
            self.why = why

    def hold(self, seconds: float) -> None:
        """The server is away: nobody goes for ``seconds``, then one request, and more by and by as replies
        come."""
        now = time.monotonic()
        if self._trial is not None:
            self._settle(self._trial.before, "")
        self.places, self._shrunk_at, self._restarting = 1.0, now, True
        self.paused_until = max(self.paused_until, now + seconds)

    def _wake(self) -> None:
        free = int(self.places) - self.in_flight
        while self._waiting and free > 0:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                free -= 1
