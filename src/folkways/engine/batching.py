"""Asks one endpoint in batches: what is pending leaves, is waited for, collected and stored; what is left
then goes one by one."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Collection
from dataclasses import dataclass, field

from folkways.endpoints.base import EndpointFailure, Request
from folkways.endpoints.batches import Batches, UndecidedBatch
from folkways.endpoints.prices import Price
from folkways.engine.asking import FEED, ONE_REQUEST, EndpointRunner
from folkways.engine.budget import USED_UP, Amount, BudgetDecision, charged, worst_case
from folkways.engine.rate_limiter import RateLimiter, backoff
from folkways.engine.server import PATIENCE_SECONDS
from folkways.workspace.queue import batches
from folkways.workspace.queue.batches import LEAVING, BatchRecord
from folkways.workspace.queue.request_queue import RequestQueue
from folkways.workspace.queue.request_rows import AnsweredRequest

FIRST_LOOK_SECONDS = 1.0
LONGEST_LOOK_SECONDS = 60.0
"""How often batches that are out are looked at, ever less often."""


async def rest(limiter: RateLimiter, seconds: float) -> float:
    """Wait, until nobody is asked any more at the latest; the seconds to wait the next time."""
    await limiter.closed_within(seconds)
    return min(2 * seconds, LONGEST_LOOK_SECONDS)


@dataclass(slots=True)
class _Pack:
    """Requests that are to leave together."""

    requests: dict[str, Request] = field(default_factory=dict)
    lines: list[bytes] = field(default_factory=list)
    size: int = 0
    reserved: list[Amount] = field(default_factory=list)


class Batching:
    """The batches of one endpoint in one session. The workspace says what is out; nothing is remembered here
    but the budget."""

    def __init__(self, asking: EndpointRunner, api: Batches) -> None:
        self._asking = asking
        self._api = api
        self._queue = asking.request_queue
        self._workspace = asking.request_queue.workspace
        self._number = asking.endpoint_id
        self._price: Price | None = asking.price.in_batch() if asking.price is not None else None
        self._tried: set[str] = set()
        self._reserved: dict[str, list[Amount]] = {}  # of batches that left in this session
        self._failed: dict[str, int] = {}  # calls about a batch that went wrong one after the other
        # why something is pending still: the budget has no room for it now, or any more
        self._short: BudgetDecision | None = None

    async def run(self) -> bool:
        """Until nothing is out and nothing more may leave, or the session is stopped; whether the rest may be
        asked one by one. What is out still counts as spent from then on."""
        try:
            return await self._run()
        finally:
            for reserved in self._reserved.values():
                self._asking.budget.settle(_sum(reserved), _sum(reserved))

    async def _run(self) -> bool:
        asking, limiter = self._asking, self._asking.limiter
        asking.progress.total, asking.progress.stored = await asking.on_database(
            self._queue.standing, self._number
        )
        if self._api.waits:  # else there is perhaps no server, and what failed leaves in another file
            self._tried = await asking.on_database(
                batches.keys_tried, self._workspace, self._queue.run_id, self._number
            )
        seconds, news = FIRST_LOOK_SECONDS, True
        while not limiter.closed:
            if news:
                await self._fill()
            records = await asking.on_database(batches.open_batches, self._workspace, self._number)
            asking.progress.out = sum(len(record.keys) for record in records)
            asking.progress.batches = len(records)
            if limiter.closed:  # by what went wrong while they left, perhaps: then none of them leaves again
                break
            if not records and self._short is None:
                if not (self._api.waits and await self._others_may_send()):
                    # Another process may have written one down since the look above, and hold nothing now.
                    if await asking.on_database(batches.open_batches, self._workspace, self._number):
                        continue
                    return self._api.waits
                news, seconds = True, await rest(limiter, seconds)
                continue
            news = any([await self._follow(record) for record in records])
            if news:
                seconds = FIRST_LOOK_SECONDS
            elif not self._api.waits:
                return False
            elif not records and self._short is BudgetDecision.STOP:
                asking.stop(USED_UP)
            elif not records:
                await asking.budget.changed()
                news = True
            else:
                seconds = await rest(limiter, seconds)
        return False

    async def _others_may_send(self) -> bool:
        """Whether another process holds requests that were in no batch before, which it may be about to send
        in one."""
        await self._asking.on_database(self._queue.free_dead_claims)
        claims = await self._asking.on_database(self._queue.awaited, self._number, ())
        claimed = {key for number, keys in claims.items() if number for key in keys}
        if claimed <= self._tried:
            return False
        self._tried |= await self._asking.on_database(
            batches.keys_tried, self._workspace, self._queue.run_id, self._number
        )
        return not claimed <= self._tried

    # Leaving.

    async def _fill(self) -> None:
        """Send off everything that is pending, held by nobody, and was in no batch before, as far as the
        budget reaches."""
        self._short = None
        pack, claimed = _Pack(), set[str]()
        async for request in self._pending(claimed):
            try:
                line = self._api.line(request)
            except EndpointFailure as failure:
                self._asking.stop(str(failure))
                break
            if len(pack.lines) == self._api.most_requests or (
                pack.lines and pack.size + len(line) + 2 > self._api.most_bytes
            ):
                await self._leave(pack)
                pack = _Pack()
            amount = (
                worst_case(request, self._price) if self._asking.budget.limit is not None else ONE_REQUEST
            )
            decision = self._asking.budget.reserve(amount)
            if decision is not BudgetDecision.GO:
                self._short = decision
                break
            pack.requests[request.key] = request
            pack.lines.append(line)
            pack.size += len(line) + 2
            pack.reserved.append(amount)
        if pack.lines and not self._asking.limiter.closed:
            await self._leave(pack)
        elif pack.lines:
            self._settle(pack.reserved)
        await self._asking.on_database(self._queue.give_back, claimed)

    async def _pending(self, claimed: set[str]) -> AsyncIterator[Request]:
        after = 0
        while not self._asking.limiter.closed:
            chunk = await self._asking.on_database(self._queue.claim, self._number, after, FEED, claimed)
            claimed.update(request.key for request in chunk.requests)
            after = chunk.last
            for request in chunk.requests:
                if request.key not in self._tried:
                    yield request
            if chunk.seen == 0:
                return

    async def _leave(self, pack: _Pack) -> None:
        worker, run_id, keys = self._queue.worker, self._queue.run_id, list(pack.requests)
        record = await self._asking.on_database(
            batches.write_down, self._workspace, run_id, self._number, worker, keys
        )
        self._reserved[record.name] = pack.reserved
        await self._send(record, pack.lines, doubtful=False)

    async def _send(self, record: BatchRecord, lines: list[bytes], *, doubtful: bool) -> bool:
        """Hand a batch in; whether that worked. doubtful: it may have been already, so the provider is asked
        first."""
        asking = self._asking
        tries = attempts = 0
        patient_until = time.monotonic() + PATIENCE_SECONDS
        while True:
            tries += 1
            try:
                number = await self._find(record) if doubtful else None
                number = number or await self._api.send(record.name, lines)
            except UndecidedBatch as unknown:
                asking.progress.last_error = str(unknown)
                return False
            except EndpointFailure as failure:
                asking.progress.last_error = str(failure)
                doubtful = (
                    doubtful or failure.status in (None, 408) or failure.status >= 500 or failure.status < 400
                )
                if not (failure.rate_limited and time.monotonic() < patient_until):
                    attempts += 1
                over = failure.fatal or not failure.retryable or attempts >= asking.limits.attempts
                if over:
                    asking.stop(str(failure))
                asking.progress.retries += 1
                if over or await asking.limiter.closed_within(
                    backoff(tries, failure.retry_after, asking.rng)
                ):
                    # else the workspace keeps it as leaving, and the next session asks the provider
                    if not doubtful:
                        await self._forget(record)
                    return False
                continue
            await asking.on_database(batches.mark_out, self._workspace, record.name, number)
            asking.progress.notes.append(self._api.sent_message(record.name, number, len(record.keys)))
            return True

    async def _find(self, record: BatchRecord) -> str | None:
        others = await self._asking.on_database(batches.open_batches, self._workspace, self._number)
        other_numbers = {other.number for other in others if other.number is not None}
        return await self._api.find(record.name, record.keys, record.created, other_numbers)

    # Following what has left.

    async def _follow(self, record: BatchRecord) -> bool:
        """Take a batch one step further; whether anything of it may be asked again or paid for anew."""
        try:
            if record.state == LEAVING:
                return await self._take_over(record)
            standing = await self._api.look(str(record.number))
            if standing.refused is not None:
                await self._forget(record)
                self._asking.stop(
                    f"{self._asking.endpoint.name} refused batch {record.number}: {standing.refused}"
                )
                return False
            if standing.ended:
                await self._collect(record)
        except EndpointFailure as failure:
            self._asking.progress.last_error = str(failure)
            self._failed[record.name] = 0 if failure.rate_limited else self._failed.get(record.name, 0) + 1
            if (
                failure.fatal
                or not failure.retryable
                or self._failed[record.name] >= self._asking.limits.attempts
            ):
                self._asking.stop(str(failure))
            return False
        self._failed.pop(record.name, None)
        return standing.ended

    async def _take_over(self, record: BatchRecord) -> bool:
        """Send off what a process that died may have sent or not."""
        asking = self._asking
        await asking.on_database(self._queue.free_dead_claims)
        if not await asking.on_database(batches.take_over, self._workspace, record, self._queue.worker):
            return False
        requests = await self._requests(record)
        if not requests:  # all were answered meanwhile, by way of another run
            await self._forget(record)
            return True
        return await self._send(record, [self._api.line(request) for request in requests], doubtful=True)

    async def _collect(self, record: BatchRecord) -> None:
        """Store what came back. What did not, or as an error, is asked one by one from now on."""
        asking = self._asking
        wanted = {request.key: request for request in await self._requests(record)}
        answered: list[AnsweredRequest] = []
        failed = 0
        async for result in self._api.results(str(record.number)):
            request = wanted.pop(result.key, None)
            if request is None:
                continue
            try:
                completion = self._api.read(request, result)
            except EndpointFailure as failure:
                asking.progress.last_error = str(failure)
                failed += 1
                continue
            answered.append(
                AnsweredRequest(request, completion, time.time() - record.created, 1, batched=True)
            )
            if len(answered) >= FEED:
                await self._store(record, answered)
                answered = []
        await self._store(record, answered)
        await asking.on_database(batches.mark_collected, self._workspace, record.name)
        self._free(record, failed + len(wanted))
        if record.run_id == self._queue.run_id and self._api.waits:
            self._tried |= record.keys

    async def _store(self, record: BatchRecord, answered: list[AnsweredRequest]) -> None:
        asking = self._asking
        await asking.on_database(self._queue.save, self._number, answered)
        if record.run_id == self._queue.run_id:
            asking.progress.done += len(answered)
        for answer in answered:
            asking.progress.count(answer.completion, self._price)
        if reserved := self._reserved.get(record.name):
            each = Amount(
                1, max(amount.tokens for amount in reserved), max(amount.usd or 0.0 for amount in reserved)
            )
            spent = [charged(answer.completion, self._price, each) for answer in answered]
            asking.budget.settle(Amount(), _sum(spent))

    async def _requests(self, record: BatchRecord) -> list[Request]:
        return await self._asking.on_database(
            RequestQueue(self._workspace, record.run_id).requests, self._number, record.keys
        )

    async def _forget(self, record: BatchRecord) -> None:
        await self._asking.on_database(batches.forget, self._workspace, record.name)
        self._free(record)

    # The budget: a batch that leaves in this session counts with its worst case until all of it is stored. A
    # request in it that brought nothing is one request, and costs nothing.

    def _free(self, record: BatchRecord, in_vain: int = 0) -> None:
        self._settle(self._reserved.pop(record.name, []), in_vain)

    def _settle(self, reserved: Collection[Amount], in_vain: int = 0) -> None:
        if reserved:
            self._asking.budget.settle(_sum(reserved), Amount(in_vain))


def _sum(amounts: Collection[Amount]) -> Amount:
    usd = sum(amount.usd or 0.0 for amount in amounts)
    return Amount(sum(amount.requests for amount in amounts), sum(amount.tokens for amount in amounts), usd)
