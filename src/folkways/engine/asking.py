"""Asks one endpoint everything that a run still expects of it."""

from __future__ import annotations

import asyncio
import math
import random
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import TypeVar

from folkways.endpoints.base import (
    Completion,
    Confirmation,
    Endpoint,
    EndpointFailure,
    NotServedError,
    Request,
)
from folkways.endpoints.batches import Batches
from folkways.endpoints.prices import Price
from folkways.endpoints.python.completions import completion_of, failure_of
from folkways.engine.budget import (
    USED_UP,
    Amount,
    Budget,
    BudgetDecision,
    charged,
    charged_for_failure,
    used,
    worst_case,
)
from folkways.engine.progress import ModelProgress
from folkways.engine.rate_limiter import RateLimiter, backoff
from folkways.engine.server import Server, Sign
from folkways.errors import FolkwaysError
from folkways.workspace.database_errors import OUTAGE_SECONDS, POLL_SECONDS, WorkspaceGoneError
from folkways.workspace.queue.request_queue import RequestQueue
from folkways.workspace.queue.request_rows import AnsweredRequest, FailedRequest

T = TypeVar("T")

FEED, FEED_SECONDS = 512, 2.0
"""Requests that are claimed at a time, at most: as many as end in these seconds, so that those who ask
together end together."""

BATCH, BATCH_LENGTH, BATCH_SECONDS = 256, 4 * 1024 * 1024, 0.05
"""Results are committed when there are this many, of so many characters, or when the first has waited this
long.

A commit costs about 1 ms of CPU and a result 0.01 ms. ``kill -9`` loses the replies of the last moment, and
those that await confirmation; they are asked for again.
"""

BACKLOG = 4
"""Batches that may wait for the disk before new requests wait too."""

OPEN_LENGTH = 64 * 1024 * 1024
"""Characters of replies that may await confirmation before no new request is sent."""

ONE_REQUEST = Amount(1)
FEW_FAILURES = 50

UNSURE = "replies whose connection broke, or on which one came that nobody asked for, are asked for again"

LOOK_SECONDS = 0.2
"""How often it is looked at what an endpoint that is being opened waits for, and whether the session
stopped."""

LONGEST_POLL_SECONDS = 5.0
"""The longest time between two looks at requests that another process holds."""

OUTAGE_AT_END_SECONDS = 10.0
"""How long a database's server may be away while replies wait for it, once the session was stopped;
OUTAGE_SECONDS before."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How hard to try.

    concurrency: requests on their way at once, at most and to begin with; None for what suits the endpoint.
    attempts: tries per request, the first included; for some time a reply of "slow down" does not count, nor
        a refusal while others are answered (``Server.patience``).
    max_errors: requests that may fail for good before the endpoint is given up; None: FEW_FAILURES, or a
        tenth of the run if that is more and any was answered; any number where replies are looked up.
    wait: seconds for which a server that refuses connections is waited for; 0: that is a failure like any
        other.
    """

    concurrency: int | None = None
    attempts: int = 6
    max_errors: int | None = None
    wait: float = 300.0


@dataclass(frozen=True, slots=True)
class EndpointJob:
    """An endpoint to be asked, with the number it has in the workspace.

    price: of its tokens; None where it is not known (the cost is then not known either).
    name: what progress calls it; None for the endpoint's own name.
    batch: how it is asked in batches; None to ask one request at a time.
    """

    endpoint: Endpoint
    endpoint_id: int
    limits: Limits
    price: Price | None = None
    name: str | None = None
    batch: Batches | None = None


class EndpointRunner:
    """One endpoint, one run, one session.

    Coroutines take requests that come from the request queue in chunks; results go to a buffer that is
    committed in batches by the database thread, so that the event loop never waits for a disk. A reply whose
    ``confirmation`` is open stays out of the buffer until its endpoint has settled it; a request whose reply
    was not its answer is sent again.
    """

    def __init__(
        self,
        job: EndpointJob,
        request_queue: RequestQueue,
        database: Executor,
        budget: Budget,
        *,
        anywhere: bool = False,
    ) -> None:
        """anywhere: begin somewhere in the run and come round, so that many who ask it together do not claim
        the same rows."""
        self.endpoint, self.endpoint_id = job.endpoint, job.endpoint_id
        self.request_queue = request_queue
        self.limits = limits = job.limits
        self.budget = budget
        self.price = job.price
        self.progress = ModelProgress(
            job.name or job.endpoint.name, usd=0.0 if job.price is not None else None
        )
        self._database = database
        most = limits.concurrency or job.endpoint.default_concurrency
        self.limiter = RateLimiter(most, timeout=getattr(job.endpoint, "timeout", math.inf))
        self._server = Server(self.limiter, self.progress, limits.wait, self.stop)
        self._queue: deque[Request] = deque()
        self._held: set[str] = set()
        self._buffer: list[AnsweredRequest | FailedRequest] = []
        self._length = 0  # of the replies in it
        self._open: dict[Confirmation, list[AnsweredRequest]] = {}
        self._open_length = 0  # of the replies in it
        self._saving: asyncio.Future[None] | None = None
        self.rng = random.Random()  # noqa: S311 - jitter, not a secret
        self._feeding = asyncio.Lock()
        self._workers: asyncio.TaskGroup
        self._hired = 0
        self._after = 0
        self._anywhere = anywhere
        self._exhausted = False
        self._error: BaseException | None = None

    def stop(self, reason: str) -> None:
        """Send nothing new; what is on its way is still waited for and stored."""
        if self.progress.stopped is None:
            self.progress.stopped = reason
        self.limiter.close()
        self.budget.wake()

    async def run(self) -> ModelProgress:
        """Ask until everything has ended or a reason to stop came up; returns the final count. Everything
        answered is stored.

        Raises WorkspaceError when responses could not be stored, and FolkwaysError when the endpoint cannot
        be opened.
        """
        pending, stored = await self.on_database(self.request_queue.standing, self.endpoint_id)
        self.progress.total, self.progress.stored = pending + self.progress.done, stored - self.progress.done
        if pending == 0:
            return self.progress
        if self._anywhere:
            self._after = await self.on_database(
                self.request_queue.ordinal_at, self.endpoint_id, self.rng.random()
            )
        if not await self._opened(self.limiter.limit if pending > 1 else 1):
            return self.progress
        self.progress.about = getattr(self.endpoint, "about", None)
        if self.limits.concurrency is None:
            self.limiter.limit = self.endpoint.default_concurrency  # it may know better now
            self.limiter.begin(getattr(self.endpoint, "first_concurrency", self.limiter.limit))
        self._server.first_round = min(int(self.limiter.places), self.progress.total)
        flusher = asyncio.create_task(self._flush_regularly())
        try:
            while not self._hired or (self._queue and not self.limiter.closed):
                self._hired = 0
                async with asyncio.TaskGroup() as self._workers:
                    self._hire()
                await self._settle()
        finally:
            flusher.cancel()
            await asyncio.gather(flusher, return_exceptions=True)
            await asyncio.shield(self._last_flush())
            self.progress.open = 0  # those that nobody could settle are asked for again in the next session
            await self.endpoint.close()
        if self._error is not None:
            raise self._error
        # other models may go on here for hours
        await self.on_database(self.request_queue.give_back, frozenset(self._held))
        still = await self.on_database(self.request_queue.pending, self.endpoint_id)
        self.progress.by_others = max(
            0, self.progress.total - self.progress.done - self.progress.failed - still
        )
        return self.progress

    async def _opened(self, concurrency: int) -> bool:
        """Open the endpoint, which may wait for a GPU for hours. False where it cannot be opened, or the
        session stops before."""
        self.progress.notes = getattr(self.endpoint, "notes", self.progress.notes)
        opening = asyncio.ensure_future(self.endpoint.open(concurrency))
        try:
            while not (await asyncio.wait({opening}, timeout=LOOK_SECONDS))[0] and not self.limiter.closed:
                self.progress.wait(getattr(self.endpoint, "waits", None))
            if not opening.done():
                opening.cancel()
                await asyncio.wait({opening})
                return False
            await opening
        except asyncio.CancelledError:
            opening.cancel()
            await asyncio.wait({opening})
            raise
        except Exception as error:
            if isinstance(error, FolkwaysError) and not isinstance(error, NotServedError):
                raise
            failure = str(error if isinstance(error, NotServedError) else self._failure(error))
            self.progress.notes.append(failure)
            self.stop(failure)
            return False
        finally:
            self.progress.wait(None)
        return True

    async def on_database(self, work: Callable[..., T], *arguments: object) -> T:
        """Do ``work`` in the database's thread, again while its server is away: what is sent to the
        request queue can be repeated."""
        gone_at: float | None = None
        while True:
            try:
                return await asyncio.get_running_loop().run_in_executor(self._database, work, *arguments)
            except WorkspaceGoneError as error:
                gone_at = time.monotonic() if gone_at is None else gone_at
                patience = OUTAGE_SECONDS if self.progress.stopped is None else OUTAGE_AT_END_SECONDS
                if time.monotonic() - gone_at > patience:
                    raise
                self.progress.last_error = str(error)
                await asyncio.sleep(POLL_SECONDS)

    # Feeding: from the request queue into the queue.

    async def _next(self) -> Request | None:
        """The next request to send, or None when there is nothing more to do for this worker."""
        while not self.limiter.closed:
            if self._open_length > OPEN_LENGTH:  # connections without requests come to rest, and settle it
                await self.limiter.closed_within(BATCH_SECONDS)
                continue
            if self._queue:
                return self._queue.popleft()
            if self._exhausted:
                return None
            async with self._feeding:
                if not self._queue and not self._exhausted:
                    await self._feed()
        return None

    async def _feed(self) -> None:
        wanted = min(FEED, max(2 * int(self.limiter.places), int(FEED_SECONDS * self.progress.rate)))
        batch = await self.on_database(
            self.request_queue.claim, self.endpoint_id, self._after, wanted, frozenset(self._held)
        )
        self._after = batch.last
        self._held.update(request.key for request in batch.requests)
        self._queue.extend(batch.requests)
        if batch.seen == 0:
            await self._end_of_pass()

    async def _end_of_pass(self) -> None:
        """Behind the last row: what is still pending is ours and on its way, or another process holds it."""
        if self._anywhere:
            self._anywhere, self._after = False, 0
            return
        await self._flush()
        awaited = await self.on_database(self.request_queue.awaited, self.endpoint_id, frozenset(self._held))
        if not awaited:
            self._exhausted = True
            return
        # Only claims are looked at until they have ended or something is free: a pass reads the whole run.
        seconds = POLL_SECONDS
        while awaited and not self._queue and not await self.limiter.closed_within(seconds):
            left = await self.on_database(self.request_queue.still_awaited, awaited)
            seconds = POLL_SECONDS if len(left) < len(awaited) else min(2 * seconds, LONGEST_POLL_SECONDS)
            awaited = left
        self._after = 0

    # Working: one request after the other, each with its attempts.

    def _hire(self) -> None:
        """Have a worker for each place: one that waits for a place holds a request that another process could
        send."""
        while self._hired < min(int(self.limiter.places), self.progress.total):
            self._hired += 1
            self._workers.create_task(self._work())

    async def _work(self) -> None:
        try:
            while (request := await self._next()) is not None:
                result = await self._ask(request)
                if result is None:
                    return
                self._hire()
                if (
                    isinstance(result, AnsweredRequest)
                    and result.completion.confirmation is not None
                    and hasattr(self.endpoint, "look")
                ):
                    self._open.setdefault(result.completion.confirmation, []).append(result)
                    self._open_length += _length(result)
                    self.progress.open += 1
                else:
                    self._buffer.append(result)
                    self._length += _length(result)
                batches = max(len(self._buffer) / BATCH, self._length / BATCH_LENGTH)
                if batches >= 1:
                    flush = self._start_flush()
                    if batches >= BACKLOG:
                        await asyncio.shield(flush)
        except asyncio.CancelledError:
            raise
        except BaseException as error:  # noqa: BLE001 - kept for run(), which raises it after everything is stored
            self._give_up(error)

    async def _look(self) -> float | None:
        """Take up what the endpoint has settled: answers are stored, the others are asked for again. As
        ``Endpoint.look``."""
        if not self._open:
            return None
        wait: float | None = await self.endpoint.look()  # type: ignore[attr-defined]
        for confirmation in [confirmation for confirmation in self._open if confirmation.clean is not None]:
            results = self._open.pop(confirmation)
            self.progress.open -= len(results)
            length = sum(map(_length, results))
            self._open_length -= length
            if confirmation.clean:
                self._buffer += results
                self._length += length
            else:
                self.progress.retries += len(results)
                self.progress.last_error = f"{self.endpoint.name}: {UNSURE}"
                self._queue.extend(result.request for result in results)
        return wait

    async def _settle(self) -> None:
        """Wait until no reply is open: for as long as a reply takes. A second Ctrl-C ends it."""
        wait = await self._look()
        while wait is not None:
            await asyncio.sleep(wait)
            wait = await self._look()

    async def _ask(self, request: Request) -> AnsweredRequest | FailedRequest | None:
        """The request's end, or None when the session stops before it has one."""
        tries = attempts = waits = 0
        asked_at = time.monotonic()
        while True:
            # The place before the money: who waits for a server that is away keeps none from other models.
            taken_at = await self.limiter.take()
            if taken_at is None:
                return None
            reserved = ONE_REQUEST if self.budget.limit is None else await self._reserve(request)
            if reserved is None:
                self.limiter.give_back(taken_at)
                return None
            began = time.perf_counter()
            try:
                completion = await self._completion(request)
            except EndpointFailure as failure:
                self.limiter.give_back(taken_at)
                self.budget.settle(
                    reserved, Amount(1) if self.endpoint.local else charged_for_failure(failure, reserved)
                )
                sign = self._server.failed(failure, taken_at)
                if sign is Sign.AWAY:
                    continue
                tries += 1
                early = failure.rate_limited or sign is Sign.FULL
                patient = early and time.monotonic() < asked_at + self._server.patience()
                attempts = 0 if patient and sign is Sign.FULL else attempts + (not patient)
                if failure.fatal:
                    self.stop(str(failure))
                if failure.fatal or not failure.retryable or attempts >= self.limits.attempts:
                    return self._fail(request, failure, tries)
                self.progress.retries += 1
                waits += sign is not Sign.FULL
                pause = (
                    self._server.pause(self.rng)
                    if sign is Sign.FULL
                    else backoff(waits, failure.retry_after, self.rng)
                )
                if await self.limiter.closed_within(pause):
                    return None
                continue
            except BaseException:
                self.limiter.give_back(taken_at)
                self.budget.settle(reserved, reserved)
                raise
            self.limiter.give_back(taken_at)
            self._server.answered(taken_at, time.perf_counter() - began)
            spent = (
                used(completion, self.price)
                if self.endpoint.local
                else charged(completion, self.price, reserved)
            )
            self.budget.settle(reserved, spent)
            return AnsweredRequest(request, completion, time.perf_counter() - began, tries + 1)

    async def _completion(self, request: Request) -> Completion:
        """What the endpoint said. Whatever else it returns or raises is a failed request: it may be somebody
        else's code."""
        try:
            return completion_of(await self.endpoint.complete(request), self.endpoint.name)
        except (EndpointFailure, FolkwaysError):
            raise
        except Exception as error:
            raise self._failure(error) from error

    def _failure(self, error: Exception) -> EndpointFailure:
        return failure_of(error, self.endpoint.name, type(self.endpoint).__module__)

    async def _reserve(self, request: Request) -> Amount | None:
        amount = worst_case(request, self.price)
        while not self.limiter.closed:
            decision = self.budget.reserve(amount)
            if decision is not BudgetDecision.GO and self.budget.shared is not None:
                part = await self.on_database(
                    self.budget.shared.take, (amount.requests, amount.tokens, amount.usd or 0.0)
                )
                if part is not None:
                    self.budget.enlarge(part)
                decision = self.budget.reserve(amount)
            if decision is BudgetDecision.GO:
                return amount
            if decision is BudgetDecision.STOP:
                self.stop(USED_UP)
                return None
            await self.budget.changed()
        return None

    def _fail(self, request: Request, failure: EndpointFailure, attempts: int) -> FailedRequest:
        self.progress.failed += 1
        allowed = self._allowed_failures()
        if self.progress.failed > allowed:
            self.stop(f"more than {allowed} requests failed; the last error was: {failure}")
        return FailedRequest(request, str(failure), attempts)

    def _allowed_failures(self) -> float:
        """A table of replies is asked to its end: what it lacks tells nothing of the rest, and costs nothing.
        Of a server that answers nothing at all no tenth of the run is tried in vain."""
        if self.limits.max_errors is not None:
            return self.limits.max_errors
        if self.endpoint.local and not getattr(self.endpoint, "runs_here", False):
            return math.inf
        return max(FEW_FAILURES, self.progress.total // 10) if self._server.any_reply else FEW_FAILURES

    # Storing: from the buffer to the disk, one commit at a time.

    def _start_flush(self) -> asyncio.Future[None]:
        if self._saving is None or self._saving.done():
            self._saving = asyncio.ensure_future(self._save())
        return self._saving

    async def _save(self) -> None:
        results, self._buffer, self._length = self._buffer, [], 0
        try:
            if results:
                await self.on_database(self.request_queue.save, self.endpoint_id, results)
        except Exception as error:  # noqa: BLE001 - a full disk or worse ends the session; what is in hand is tried again at its end
            self._buffer = results + self._buffer
            self._give_up(error)
            return
        self._held.difference_update(result.request.key for result in results)
        progress = self.progress
        for result in results:
            if isinstance(result, AnsweredRequest):
                progress.done += 1
                progress.count(result.completion, self.price)
        self._tell()

    def _tell(self) -> None:
        self.progress.in_flight = self.limiter.in_flight
        if not self.endpoint.local:
            self._server.tell()

    async def _flush(self) -> None:
        while self._error is None and self._unsaved():
            await self._start_flush()

    def _unsaved(self) -> bool:
        return bool(self._buffer) or (self._saving is not None and not self._saving.done())

    async def _last_flush(self) -> None:
        await self._look()
        if self._saving is not None:
            await self._saving
        if self._buffer:
            await self._save()

    async def _flush_regularly(self) -> None:
        while True:
            await asyncio.sleep(BATCH_SECONDS)
            await self._look()
            if self._unsaved():
                await asyncio.shield(self._start_flush())
            else:
                self._tell()

    def _give_up(self, error: BaseException) -> None:
        self._error = self._error or error
        self.stop(str(error))


def _length(result: AnsweredRequest | FailedRequest) -> int:
    """Characters that a result takes in memory, more or less."""
    if isinstance(result, FailedRequest):
        return len(result.message)
    return len(result.completion.text) + len(result.completion.thoughts or "")
