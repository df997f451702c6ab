"""The engine at work on a server that is none, in a clock that jumps: hours of asking in a second, the same
each time.

Everything that decides is the engine's own (``EndpointRunner``: limiter, server, retries); the server is a model of
one, the request queue a list, and the event loop sleeps by setting the clock forward.
"""

from __future__ import annotations

import asyncio
import random
import selectors
import time
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

from folkways.endpoints.base import Completion, EndpointFailure, EndpointOptions, Request, Settings
from folkways.engine import asking as asking_module
from folkways.engine.asking import EndpointJob, EndpointRunner, Limits
from folkways.engine.budget import Budget
from folkways.engine.progress import ModelProgress
from folkways.workspace.queue.request_queue import Batch
from folkways.workspace.queue.request_rows import AnsweredRequest, FailedRequest

BEGIN = 1000.0

BATCH_SECONDS = 0.5
"""How often replies are stored: ten times as rarely as in earnest, since hours pass."""

SLICES = 8
"""Parts of a reply, each of which takes as long as the crowd of that moment makes it take."""


class _Sleepless(selectors.SelectSelector):
    """Waits by setting the clock forward."""

    def __init__(self) -> None:
        super().__init__()
        self.now = BEGIN

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """Nothing ever comes from outside."""
        if timeout is None:
            raise RuntimeError("everybody waits for somebody else")
        self.now += timeout
        return []


@contextmanager
def virtual_time() -> Iterator[asyncio.AbstractEventLoop]:
    """An event loop in a clock of its own, which ``time.monotonic`` and ``time.perf_counter`` show as
    well."""
    selector = _Sleepless()
    loop = asyncio.SelectorEventLoop(selector)
    real = time.monotonic, time.perf_counter
    time.monotonic = time.perf_counter = lambda: selector.now
    try:
        yield loop
    finally:
        time.monotonic, time.perf_counter = real
        loop.close()


class _Inline(Executor):
    """Works at once, in the loop's own thread."""

    def submit(self, work: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        """Do it."""
        future: Future[Any] = Future()
        future.set_result(work(*arguments, **named))
        return future


class _Queue:
    """The requests of a run that nobody else asks."""

    def __init__(self, count: int) -> None:
        self._requests = [Request(str(number), "a question", None, Settings()) for number in range(count)]
        self.left = {request.key for request in self._requests}
        self.most_held = 0

    def standing(self, endpoint_id: int) -> tuple[int, int]:
        """What is pending, and what is stored."""
        return len(self.left), 0

    def claim(self, endpoint_id: int, after: int, limit: int, in_flight: Collection[str]) -> Batch:
        """The next rows."""
        rows = tuple(self._requests[after : after + limit])
        self.most_held = max(self.most_held, len(in_flight) + len(rows))
        return Batch(rows, after + len(rows), len(rows))

    def save(self, endpoint_id: int, results: Sequence[AnsweredRequest | FailedRequest]) -> None:
        """They have ended."""
        self.left.difference_update(result.request.key for result in results)

    def awaited(self, endpoint_id: int, in_flight: Collection[str]) -> dict[int, set[str]]:
        """Nobody else holds any."""
        return {}

    def give_back(self, keys: Collection[str]) -> None:
        """Nobody else wants them."""

    def pending(self, endpoint_id: int) -> int:
        """What has not ended."""
        return len(self.left)


class ModelServer:
    """A server that is a formula, as an endpoint.

    slots:    requests that it works on at once; the others wait in its line. 0 for as many as come.
    seconds:  that it takes for a reply, alone.
    spread:   of these, as the standard deviation of their logarithm.
    share:    requests at once from which on all take longer, so that no more get done: what one GPU can
              compute.
    worse:    requests at once from which on less and less gets done.
    places:   requests at once beyond which it refuses; 0 for none. refusal: what it says then.
    flaws:    the share of requests that fail whatever else is going on.
    first:    requests to begin with, where the endpoint tells.
    """

    item_addressed = local = False
    name = identity = "http://server/v1#m"

    def __init__(
        self,
        *,
        seconds: float = 1.0,
        slots: int = 0,
        spread: float = 0.0,
        share: float = float("inf"),
        worse: float = float("inf"),
        places: int = 0,
        refusal: EndpointFailure | None = None,
        flaws: float = 0.0,
        first: int = 2,
        most: int = EndpointOptions.MOST_OF_OWN_SERVER,
        timeout: float = 120.0,
        seed: int = 0,
    ) -> None:
        self.default_concurrency, self.first_concurrency, self.timeout = most, first, timeout
        self.most_in_flight = self.asked = self.refused = self.timeouts = 0
        self._seconds, self._spread, self._share, self._worse = seconds, spread, share, worse
        self._places, self._refusal, self._flaws = places, refusal, flaws
        self._slots = slots
        self._slices = 1 if share == worse == float("inf") else SLICES
        self._seed = seed
        self._tries: Counter[str] = Counter()
        self._in_flight = self._busy = 0
        self._line: deque[asyncio.Future[None]] = deque()

    async def open(self, concurrency: int) -> None:
        """Nothing to open."""

    async def close(self) -> None:
        """Nothing to close."""

    async def complete(self, request: Request) -> Completion:
        """A reply when it is ready, or a failure."""
        self.asked += 1
        self._in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self._in_flight)
        try:
            async with asyncio.timeout(self.timeout):
                return await self._reply(request.key)
        except TimeoutError:
            self.timeouts += 1
            raise EndpointFailure("no reply in time", retryable=True, timed_out=True) from None
        finally:
            self._in_flight -= 1

    async def _reply(self, key: str) -> Completion:
        self._tries[key] += 1
        rng = random.Random(f"{self._seed} {key} {self._tries[key]}")
        if (self._places and self._in_flight > self._places) or rng.random() < self._flaws:
            self.refused += 1
            await asyncio.sleep(0.001)
            assert self._refusal is not None
            raise EndpointFailure(
                str(self._refusal),
                status=self._refusal.status,
                retryable=True,
                unreachable=self._refusal.unreachable,
            )
        await self._turn()
        try:
            seconds = self._seconds * rng.lognormvariate(-(self._spread**2) / 2, self._spread)
            for _ in range(self._slices):
                await asyncio.sleep(seconds / self._slices * self._crowd())
        finally:
            self._busy -= 1
            while self._line and self._busy < self._slots:
                turn = self._line.popleft()
                if not turn.done():
                    turn.set_result(None)
                    self._busy += 1  # nobody gets in before those who wait
        return Completion("a")

    def _crowd(self) -> float:
        """How many times as long everything takes as alone."""
        return max(
            1.0,
            self._busy / self._share,
            (self._busy / self._worse) ** 2 if self._busy > self._worse else 1.0,
        )

    async def _turn(self) -> None:
        """Wait for a slot."""
        if not self._slots or (self._busy < self._slots and not self._line):
            self._busy += 1
            return
        turn = asyncio.get_running_loop().create_future()
        self._line.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self._busy -= 1
            raise


@dataclass(frozen=True)
class Simulation:
    """How a simulated run went. seconds: of the virtual clock. most_held: requests claimed and not ended, at
    most."""

    seconds: float
    progress: ModelProgress
    server: ModelServer
    most_held: int


def simulate(server: ModelServer, count: int, limits: Limits | None = None) -> Simulation:
    """Ask ``server`` ``count`` questions."""
    with virtual_time() as loop, patch.object(asking_module, "BATCH_SECONDS", BATCH_SECONDS):
        queue: Any = _Queue(count)
        asking = EndpointRunner(EndpointJob(server, 1, limits or Limits()), queue, _Inline(), Budget())
        asking.rng = random.Random(1)
        progress = loop.run_until_complete(asking.run())
        return Simulation(loop.time() - BEGIN, progress, server, queue.most_held)
