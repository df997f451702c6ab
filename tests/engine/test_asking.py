"""One endpoint asked by the rules: what is tried again, what ends it, what it costs, and what the count says
of it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace
from typing import Any

import pytest
import sqlalchemy as sa

from folkways.endpoints.base import Completion, Confirmation, EndpointFailure, Request, Settings
from folkways.endpoints.prices import Price
from folkways.engine import asking as module
from folkways.engine.asking import EndpointJob, EndpointRunner, Limits
from folkways.engine.budget import Amount, Budget, BudgetDecision, worst_case
from folkways.engine.rate_limiter import RateLimiter
from folkways.errors import FolkwaysError
from folkways.workspace import schema
from folkways.workspace.database import Workspace
from folkways.workspace.database_errors import WorkspaceError, WorkspaceGoneError
from folkways.workspace.queue.request_queue import RequestQueue
from folkways.workspace.queue.request_rows import AnsweredRequest, FailedRequest
from tests.support.planned_runs import plan_prompts

DOWN = EndpointFailure("down", status=500, retryable=True)
LOST = EndpointFailure("lost", retryable=True)
SLOW = EndpointFailure("slow down", status=429, retryable=True, rate_limited=True, retry_after=7.0)
NO = EndpointFailure("no", status=400)
NEVER = EndpointFailure("never", status=401, fatal=True)
GOOD = Completion("A", input_tokens=3, output_tokens=2)
UNCOUNTED = Completion("B")
UNLIMITED = float("inf")

Said = Completion | BaseException


class ScriptedEndpoint:
    """An endpoint that says what is written for it, in turn; the last again and again."""

    item_addressed = False
    default_concurrency = 8
    name = identity = "m"

    def __init__(self, says: Sequence[Said], *, local: bool = False) -> None:
        self.says = list(says)
        self.local = local
        self.asked: list[str] = []
        self.events: list[object] = []

    async def open(self, concurrency: int) -> None:
        """Is noted."""
        self.events.append(("open", concurrency))

    async def close(self) -> None:
        """Is noted."""
        self.events.append("close")

    async def complete(self, request: Request) -> Completion:
        """What comes next."""
        self.asked.append(request.user)
        await asyncio.sleep(0)
        said = self.says.pop(0) if len(self.says) > 1 else self.says[0]
        if isinstance(said, BaseException):
            raise said
        return said


class Clock:
    """Seconds that go forward when a test says so, and when something waits."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 1000.0
        self.waits: list[float] = []
        monkeypatch.setattr(module, "time", self)

        async def wait(limiter: RateLimiter, seconds: float) -> bool:
            self.waits.append(seconds)
            self.now += seconds
            await asyncio.sleep(0)
            return limiter.closed

        monkeypatch.setattr(RateLimiter, "closed_within", wait)
        monkeypatch.setattr(module, "backoff", lambda tries, asked, rng: 100.0 * tries + (asked or 0.0))
        monkeypatch.setattr(
            RateLimiter,
            "slow_down",
            lambda limiter, _taken_at, asked: setattr(limiter, "places", limiter.places - (asked or 1)),
        )

    def monotonic(self) -> float:
        """Now."""
        return self.now

    def perf_counter(self) -> float:
        """Now."""
        return self.now

    def time(self) -> float:
        """Now."""
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


@pytest.fixture
def database() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(1) as executor:
        yield executor


def prepared(
    workspace: Workspace,
    database: ThreadPoolExecutor,
    says: Sequence[Said],
    count: int = 1,
    *,
    limits: Limits | None = None,
    budget: Amount | None = None,
    price: Price | None = None,
    local: bool = False,
) -> tuple[EndpointRunner, ScriptedEndpoint]:
    endpoint = ScriptedEndpoint(says, local=local)
    run, number = plan_prompts(workspace, "m", [f"q{place}" for place in range(count)])
    request_queue = RequestQueue(workspace, run.id)
    request_queue.enter()
    one = limits or Limits(concurrency=1, attempts=3)
    return EndpointRunner(
        EndpointJob(endpoint, number, one, price), request_queue, database, Budget(budget)
    ), endpoint


def rows(workspace: Workspace, table: sa.Table, *columns: str) -> list[tuple[object, ...]]:
    with workspace.read() as connection:
        return [tuple(row) for row in connection.execute(sa.select(*(table.c[name] for name in columns)))]


def told(asking: EndpointRunner) -> dict[str, object]:
    """What the count says, without what is as it was."""
    return {
        name: value
        for name, value in asdict(asking.progress).items()
        if value and name not in ("endpoint", "began", "places")
    }


def test_a_request_is_tried_until_it_is_answered_and_the_count_tells_how(
    workspace: Workspace, database: ThreadPoolExecutor, clock: Clock
) -> None:
    says = [DOWN, SLOW, LOST, GOOD, UNCOUNTED]
    asking, endpoint = prepared(
        workspace, database, says, 2, price=Price(1e6, 2e6), limits=Limits(concurrency=30, attempts=4)
    )
    assert asyncio.run(asking.run()) is asking.progress
    assert told(asking) == {
        "total": 2,
        "done": 2,
        "retries": 3,
        "rate_limited": 1,
        "input_tokens": 3,
        "output_tokens": 2,
        "last_error": "lost",
    }
    assert endpoint.events == [("open", 30), "close"]
    assert sorted(endpoint.asked)[0] == "q0" and len(endpoint.asked) == 5
    assert sum(int(str(tries)) for (tries,) in rows(workspace, schema.responses, "attempts")) == 5
    assert (asking.budget.requests, asking.limiter.in_flight) == (5, 0)
    assert asking.limiter.places == pytest.approx(23 + 2 / 23, abs=0.01)
    assert rows(workspace, schema.claims, "id") == []
    again, other = prepared(workspace, database, [NEVER], 2)
    asyncio.run(again.run())
    assert (other.events, told(again)) == ([], {"stored": 2})


@pytest.mark.parametrize(
    ("says", "attempts", "tries", "waits", "answered"),
    [
        ([DOWN], 3, 3, [100, 200], False),
        ([DOWN], 1, 1, [], False),
        ([DOWN, DOWN, GOOD], 3, 3, [100, 200], True),
        ([NO, GOOD], 3, 1, [], False),
        ([LOST, NO], 3, 2, [100], False),
        # Slow down: no attempt until 120 seconds have passed since the first; 107 of them after the first
        # try.
        ([SLOW, DOWN, GOOD], 2, 3, [107, 200], True),
        ([SLOW, SLOW, GOOD], 2, 3, [107, 207], True),
        ([SLOW, SLOW, SLOW, GOOD], 2, 4, [107, 207, 307], True),
        ([SLOW, SLOW, SLOW, SLOW, GOOD], 2, 4, [107, 207, 307], False),
    ],
)
def test_how_often_a_request_is_tried(
    workspace: Workspace,
    database: ThreadPoolExecutor,
    clock: Clock,
    says: list[Said],
    attempts: int,
    tries: int,
    waits: list[float],
    answered: bool,
) -> None:
    asking, endpoint = prepared(workspace, database, says, limits=Limits(concurrency=1, attempts=attempts))
    asking.limiter.places = 100.0
    asyncio.run(asking.run())
    assert (len(endpoint.asked), clock.waits) == (tries, waits)
    assert (asking.progress.done, asking.progress.failed, asking.progress.retries) == (
        int(answered),
        int(not answered),
        tries - 1,
    )
    table = schema.responses if answered else schema.failures
    assert rows(workspace, table, "attempts") == [(tries,)]
    assert asking.progress.stopped is None


@pytest.mark.parametrize(("seconds", "tries"), [(119.9, 2), (120.0, 1)])
def test_for_two_minutes_slowing_down_is_no_attempt(
    workspace: Workspace, database: ThreadPoolExecutor, clock: Clock, seconds: float, tries: int
) -> None:
    asking, endpoint = prepared(workspace, database, [SLOW, GOOD], limits=Limits(concurrency=9, attempts=1))
    complete = endpoint.complete

    async def slowly(request: Request) -> Completion:
        if not endpoint.asked:
            clock.now += seconds
        return await complete(request)

    endpoint.complete = slowly  # type: ignore[method-assign]
    asyncio.run(asking.run())
    assert len(endpoint.asked) == tries


@pytest.mark.parametrize("local", [False, True])
@pytest.mark.parametrize(
    ("count", "max_errors", "answered", "allowed"),
    [(5, 2, 0, 2), (4, 0, 0, 0), (530, 52, 0, 52), (60, None, 1, 50), (530, None, 0, 50), (531, None, 1, 53)],
)
def test_after_so_many_failures_a_model_is_given_up(
    workspace: Workspace,
    database: ThreadPoolExecutor,
    count: int,
    max_errors: int | None,
    answered: int,
    allowed: int,
    local: bool,
) -> None:
    limits = Limits(concurrency=1, attempts=1, max_errors=max_errors)
    says = [GOOD] * answered + [NO]
    asking, endpoint = prepared(workspace, database, says, count, limits=limits, local=local)
    asyncio.run(asking.run())
    if local and max_errors is None:  # a table of replies is looked up to its end
        assert (asking.progress.failed, asking.progress.stopped) == (count - answered, None)
        return
    assert len(endpoint.asked) - answered == asking.progress.failed == allowed + 1
    assert str(asking.progress.stopped).startswith(
        f"more than {allowed} requests failed; the last error was: no"
    )
    assert len(rows(workspace, schema.failures, "key")) == allowed + 1
    exactly, _ = prepared(workspace, database, [*says[:-1], *[NO] * allowed, GOOD], count, limits=limits)
    asyncio.run(exactly.run())
    assert (exactly.progress.failed, exactly.progress.stopped) == (allowed, None)


def test_what_can_never_work_ends_with_its_reason_and_gives_back_what_was_not_asked(
    workspace: Workspace, database: ThreadPoolExecutor
) -> None:
    asking, endpoint = prepared(workspace, database, [GOOD, NEVER], 5)
    asyncio.run(asking.run())
    asking.stop("later")
    assert (asking.progress.done, asking.progress.failed, asking.progress.stopped, endpoint.asked) == (
        1,
        1,
        "never",
        ["q0", "q1"],
    )
    assert rows(workspace, schema.claims, "id") == []
    assert (asking.progress.by_others, asking.progress.left) == (0, 3)


WORST = worst_case(Request("k", "q0", None, Settings(max_tokens=16)), None).tokens


@pytest.mark.parametrize(
    ("said", "local", "charge"),
    [
        (GOOD, False, 5),
        (GOOD, True, 5),
        (UNCOUNTED, False, WORST),
        (UNCOUNTED, True, 0),
        (NO, False, 0),
        (EndpointFailure("lost"), False, WORST),
        (EndpointFailure("lost"), True, 0),
    ],
)
def test_what_a_request_costs_of_a_budget(
    workspace: Workspace, database: ThreadPoolExecutor, said: Said, local: bool, charge: float
) -> None:
    asking, _ = prepared(workspace, database, [said], local=local, budget=Amount(1, 1000, UNLIMITED))
    asyncio.run(asking.run())
    budget = asking.budget
    assert (budget.requests, budget.tokens) == (1, charge)
    assert budget.reserve(Amount(*budget.unspent())) is BudgetDecision.GO, "nothing stays set aside"
    assert asking.progress.usd is None


@pytest.mark.parametrize("limit", [Amount(2, UNLIMITED, UNLIMITED), Amount(9, 2 * WORST, UNLIMITED)])
def test_a_budget_that_is_used_up_says_so(
    workspace: Workspace, database: ThreadPoolExecutor, limit: Amount
) -> None:
    asking, endpoint = prepared(workspace, database, [UNCOUNTED], 4, budget=limit)
    asyncio.run(asking.run())
    assert (len(endpoint.asked), asking.progress.done) == (2, 2)
    assert "budget is used up" in str(asking.progress.stopped)


def test_an_error_of_ours_is_raised_once_everything_is_stored(
    workspace: Workspace, database: ThreadPoolExecutor
) -> None:
    asking, endpoint = prepared(
        workspace, database, [GOOD, FolkwaysError("odd")], 5, budget=Amount(9, 1000, 9)
    )
    with pytest.raises(FolkwaysError):
        asyncio.run(asking.run())
    assert (asking.progress.done, asking.progress.stopped, endpoint.events[-1]) == (1, "odd", "close")
    assert (asking.budget.requests, asking.budget.tokens, asking.limiter.in_flight) == (2, 5 + WORST, 0)
    assert asking.budget.reserve(Amount(*asking.budget.unspent())) is BudgetDecision.GO, (
        "nothing stays set aside"
    )


class Unsure(ScriptedEndpoint):
    """An endpoint that settles its replies when it is looked at: of each three it says what they are."""

    def __init__(self, clean: Sequence[bool]) -> None:
        super().__init__([GOOD])
        self.clean, self.confirmation = list(clean), Confirmation()
        self.settled = 0

    async def complete(self, request: Request) -> Completion:
        """As ever, but open."""
        return replace(await super().complete(request), confirmation=self.confirmation)

    async def look(self) -> float | None:
        """Settle what was said since the last time."""
        if self.clean and self.asked and len(self.asked) % 3 == 0 and len(self.asked) // 3 > self.settled:
            self.settled = len(self.asked) // 3
            self.confirmation.clean, self.confirmation = self.clean.pop(0), Confirmation()
        return None


@pytest.mark.parametrize(
    ("clean", "asked", "stored"),
    [([True], 3, 3), ([False, True], 6, 3), ([False, False, True], 9, 3), ([], 3, 0)],
)
def test_a_reply_counts_once_it_is_surely_the_answer(
    workspace: Workspace, database: ThreadPoolExecutor, clean: list[bool], asked: int, stored: int
) -> None:
    """What is no answer is asked for again; what nobody could settle is not stored, and pending still."""
    asking, _ = prepared(workspace, database, [GOOD], 3)
    asking.endpoint = endpoint = Unsure(clean)
    asyncio.run(asking.run())
    assert len(endpoint.asked) == asked
    assert (asking.progress.done, asking.progress.open, asking.progress.left) == (stored, 0, 3 - stored)
    assert asking.progress.retries == asked - 3
    assert len(rows(workspace, schema.responses, "key")) == stored
    assert asking.request_queue.pending(asking.endpoint_id) == 3 - stored


def test_a_reply_that_is_no_answer_is_not_asked_for_again_once_the_session_was_stopped(
    workspace: Workspace, database: ThreadPoolExecutor
) -> None:
    asking, _ = prepared(workspace, database, [GOOD], 3)
    asking.endpoint = endpoint = Unsure([False])
    asking.budget = Budget(Amount(3, 10**9, 10**9))
    asyncio.run(asking.run())
    assert (len(endpoint.asked), asking.progress.done, len(rows(workspace, schema.responses, "key"))) == (
        3,
        0,
        0,
    )
    assert "budget is used up" in str(asking.progress.stopped)


class Stalling(Unsure):
    """It settles what was said when the third request comes, and never answers that one."""

    async def complete(self, request: Request) -> Completion:
        """As ever, twice."""
        if len(self.asked) < 2:
            return await super().complete(request)
        self.confirmation.clean = self.clean[0]
        self.events.append("stalls")
        await asyncio.Event().wait()
        raise AssertionError


@pytest.mark.parametrize(("clean", "stored"), [(True, 2), (False, 0)])
def test_what_is_settled_when_everything_is_given_up_is_stored_where_it_is_the_answer(
    workspace: Workspace,
    database: ThreadPoolExecutor,
    monkeypatch: pytest.MonkeyPatch,
    clean: bool,
    stored: int,
) -> None:
    monkeypatch.setattr(module, "BATCH_SECONDS", 60.0)  # nobody has looked since it was settled
    asking, _ = prepared(workspace, database, [GOOD], 3)
    asking.endpoint = endpoint = Stalling([clean])

    async def interrupted_twice() -> None:
        session = asyncio.create_task(asking.run())
        while "stalls" not in endpoint.events:
            await asyncio.sleep(0.001)
        asking.stop("interrupted")
        session.cancel()
        with pytest.raises(asyncio.CancelledError):
            await session

    asyncio.run(interrupted_twice())
    assert (asking.progress.done, asking.progress.open, asking.progress.left) == (stored, 0, 3 - stored)
    assert len(rows(workspace, schema.responses, "key")) == stored


def test_what_another_process_holds_is_waited_for(
    workspace: Workspace, database: ThreadPoolExecutor, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It answers one, fails to answer another and gives it back: the first is not asked here, the second
    is."""
    asking, endpoint = prepared(workspace, database, [GOOD], 4)
    other = RequestQueue(workspace, asking.request_queue.run_id)
    other.enter()
    answered, _ = other.claim(asking.endpoint_id, 0, 2, ()).requests
    freed: list[int] = []

    def looked(_ledger: RequestQueue) -> None:
        freed.append(len(endpoint.asked))
        if len(freed) == 2:
            other.save(asking.endpoint_id, [AnsweredRequest(answered, GOOD, 0.1, 1)])
            other.leave()

    monkeypatch.setattr(RequestQueue, "free_dead_claims", looked)
    asyncio.run(asking.run())
    assert endpoint.asked == ["q2", "q3", "q1"]
    assert (asking.progress.total, asking.progress.done, asking.progress.by_others) == (4, 3, 1)
    assert (freed, clock.waits) == ([2, 2], [0.5, 1.0])


def test_requests_are_claimed_in_chunks(
    workspace: Workspace, database: ThreadPoolExecutor, monkeypatch: pytest.MonkeyPatch
) -> None:
    asking, endpoint = prepared(workspace, database, [GOOD], 600, limits=Limits(concurrency=700))
    chunks: list[tuple[int, int]] = []
    claim = RequestQueue.claim

    def noted(request_queue: RequestQueue, number: int, after: int, limit: int, held: Any) -> Any:
        batch = claim(request_queue, number, after, limit, held)
        chunks.append((after, len(batch.requests)))
        return batch

    monkeypatch.setattr(RequestQueue, "claim", noted)
    asyncio.run(asking.run())
    assert chunks[:2] == [(0, 512), (512, 88)]
    assert (asking.progress.done, len(set(endpoint.asked))) == (600, 600)


def test_a_databases_server_may_be_away_for_two_minutes_and_for_ten_seconds_at_the_end(
    workspace: Workspace, database: ThreadPoolExecutor, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    slept: list[float] = []
    step = 0.0

    async def sleep(seconds: float) -> None:
        slept.append(seconds)
        clock.now += step

    monkeypatch.setattr(module.asyncio, "sleep", sleep)
    asking, _ = prepared(workspace, database, [GOOD])

    def gone_until(moment: float) -> str:
        if clock.now < moment:
            raise WorkspaceGoneError("gone")
        return "back"

    for stopped, each, away, patient in (
        (None, 60.0, 120.0, True),
        (None, 60.0, 180.0, True),
        (None, 60.0, 181.0, False),
        (None, 120.1, 120.2, False),
        ("done", 5.0, 15.0, True),
        ("done", 5.0, 15.1, False),
    ):
        asking.progress.stopped, asking.progress.last_error = stopped, None
        slept.clear()
        step = each
        work = asking.on_database(gone_until, clock.now + away)
        if patient:
            assert asyncio.run(work) == "back"
        else:
            with pytest.raises(WorkspaceGoneError):
                asyncio.run(work)
        assert asking.progress.last_error == "gone"
        assert set(slept) == {0.5}


def test_what_cannot_be_stored_ends_the_session_and_is_tried_once_more(
    workspace: Workspace, database: ThreadPoolExecutor, monkeypatch: pytest.MonkeyPatch
) -> None:
    asking, endpoint = prepared(workspace, database, [GOOD], 3)
    save, saved = RequestQueue.save, []

    def full_once(
        request_queue: RequestQueue, number: int, results: Sequence[AnsweredRequest | FailedRequest]
    ) -> None:
        saved.append([result.request.user for result in results])
        if len(saved) == 1:
            raise WorkspaceError("the disk is full")
        save(request_queue, number, results)

    monkeypatch.setattr(RequestQueue, "save", full_once)
    with pytest.raises(WorkspaceError, match="full"):
        asyncio.run(asking.run())
    assert saved[0] == saved[-1][: len(saved[0])]
    assert sorted(saved[-1]) == sorted(endpoint.asked)
    assert asking.progress.done == len(endpoint.asked) == len(rows(workspace, schema.responses, "key"))
    assert asking.progress.stopped == "the disk is full"


@pytest.mark.parametrize(
    ("names", "sizes"),
    [
        ({"BATCH": 3}, {3, 4}),
        ({"BATCH_LENGTH": 3}, {3, 4}),
        ({"BATCH": 10, "BATCH_LENGTH": 3}, {3, 4}),
        ({}, {12}),
    ],
)
def test_so_many_replies_or_so_long_ones_are_stored_together(
    workspace: Workspace,
    database: ThreadPoolExecutor,
    monkeypatch: pytest.MonkeyPatch,
    names: dict[str, int],
    sizes: set[int],
) -> None:
    """Of one letter each."""
    for name, value in {"BATCH_SECONDS": 60, **names}.items():
        monkeypatch.setattr(module, name, value)
    asking, _ = prepared(workspace, database, [GOOD], 12)
    save, saved = RequestQueue.save, []

    def noted(
        request_queue: RequestQueue, number: int, results: Sequence[AnsweredRequest | FailedRequest]
    ) -> None:
        saved.append(len(results))
        save(request_queue, number, results)

    monkeypatch.setattr(RequestQueue, "save", noted)
    asyncio.run(asking.run())
    assert sum(saved) == asking.progress.done == 12
    assert saved[0] in sizes


def test_while_the_disk_is_slow_four_batches_wait_for_it_and_no_more_is_asked(
    workspace: Workspace, database: ThreadPoolExecutor, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {"BATCH_SECONDS": 60, "BATCH": 2}.items():
        monkeypatch.setattr(module, name, value)
    asking, endpoint = prepared(workspace, database, [GOOD], 40)
    save, claim, waiting = RequestQueue.save, RequestQueue.claim, []

    def slow(
        request_queue: RequestQueue, number: int, results: Sequence[AnsweredRequest | FailedRequest]
    ) -> None:
        if not waiting:
            time.sleep(0.2)
            waiting.append(len(endpoint.asked) - len(results))
        save(request_queue, number, results)

    def everything(request_queue: RequestQueue, number: int, after: int, limit: int, held: Any) -> Any:
        return claim(request_queue, number, after, limit * 40, held)

    monkeypatch.setattr(RequestQueue, "save", slow)
    monkeypatch.setattr(RequestQueue, "claim", everything)
    asyncio.run(asking.run())
    assert asking.progress.done == 40
    assert waiting == [8]
