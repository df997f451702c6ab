"""Batches of several processes, in the order that a test gives them. Without a server."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Collection, Sequence
from itertools import pairwise
from pathlib import Path

import pytest

from folkways.endpoints.base import Completion, EndpointFailure, Request
from folkways.endpoints.batches import BatchResult, BatchStatus, UndecidedBatch
from folkways.engine import batching
from folkways.engine.asking import EndpointJob, Limits
from folkways.engine.budget import USED_UP, Budget, parse_budget
from folkways.engine.progress import ModelProgress
from folkways.engine.rate_limiter import RateLimiter
from folkways.engine.session import ask
from folkways.workspace.database import Workspace, open_workspace
from folkways.workspace.queue import batches
from folkways.workspace.queue.batches import BatchRecord
from folkways.workspace.queue.request_queue import RequestQueue
from tests.engine.test_session_rules import Own
from tests.support.planned_runs import plan_prompts


class Provider:
    """Has carried out every batch at once; whatever it is handed in is the test's fault."""

    most_requests, most_bytes, waits = 100, 1_000_000, True

    def __init__(self) -> None:
        self.keys: list[str] = []

    def line(self, request: Request) -> bytes:
        """Its key."""
        return request.key.encode()

    async def send(self, name: str, lines: Sequence[bytes]) -> str:
        """Nothing should be sent twice."""
        raise AssertionError(f"{name} is sent, with {len(lines)} requests")

    async def find(
        self, name: str, keys: Collection[str], since: float, known: Collection[str]
    ) -> str | None:
        """Nothing was sent."""
        return None

    async def look(self, number: str) -> BatchStatus:
        """Done."""
        return BatchStatus(ended=True)

    async def results(self, number: str) -> AsyncIterator[BatchResult]:
        """A reply to every request."""
        for key in self.keys:
            yield BatchResult(key, 200, "A")

    def read(self, request: Request, result: BatchResult) -> Completion:
        """A."""
        return Completion(str(result.body))

    def sent_message(self, name: str, number: str, requests: int) -> str:
        """Its number."""
        return number


def test_a_batch_that_another_process_writes_down_after_the_look_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other one has let go of its requests by then, so that nothing but the batch tells of them."""
    workspace = open_workspace(tmp_path / "w.db")
    run, endpoint_id = plan_prompts(workspace, "own", ["one", "two", "three"])
    other, provider, endpoint = RequestQueue(workspace, run.id), Provider(), Own("own")
    other.enter()
    provider.keys = [request.key for request in other.claim(endpoint_id, 0, 10, frozenset()).requests]
    open_batches = batches.open_batches
    looks: list[int] = []

    def looked(at: Workspace, number: int) -> list[BatchRecord]:
        records = open_batches(at, number)
        looks.append(len(records))
        if len(looks) == 1:
            record = batches.write_down(workspace, run.id, endpoint_id, other.worker, provider.keys)
            batches.mark_out(workspace, record.name, "batch_1")
            other.give_back(provider.keys)
        return records

    monkeypatch.setattr(batches, "open_batches", looked)
    job = EndpointJob(endpoint, endpoint_id, Limits(concurrency=1), batch=provider)
    (progress,) = ask(workspace, run.id, [job])
    assert (progress.done, progress.out, endpoint.asked) == (3, 0, 0)
    assert looks == [0, 1, 1, 0, 0]
    other.leave()
    workspace.close()


def test_a_batch_that_the_budget_has_no_room_for_waits_without_looking_again_and_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another model's request has set aside what is left, and spends it."""
    workspace = open_workspace(tmp_path / "w.db")

    async def slowly(_request: Request) -> None:
        await asyncio.sleep(0.4)

    class Second(Own):
        """Opens once the first is being asked."""

        async def open(self, concurrency: int) -> None:
            while not first.asked:
                await asyncio.sleep(0.001)

    first, second = Own("first", slowly), Second("second")
    _, first_id = plan_prompts(workspace, "first", ["one"])
    run, second_id = plan_prompts(workspace, "second", ["two"], first=2)
    looks: list[int] = []
    open_batches = batches.open_batches

    def looked(at: Workspace, number: int) -> list[BatchRecord]:
        looks.append(first.asked)
        return open_batches(at, number)

    monkeypatch.setattr(batches, "open_batches", looked)
    jobs = [
        EndpointJob(first, first_id, Limits(concurrency=1)),
        EndpointJob(second, second_id, Limits(concurrency=1), batch=Provider()),
    ]
    asked, batched = ask(workspace, run.id, jobs, budget=Budget(parse_budget("1request")))
    assert (asked.done, batched.done, batched.stopped) == (1, 0, USED_UP)
    assert looks == [1, 1], "once while the other is asked, and once behind it"
    workspace.close()


def failure(status: int | None, **kind: bool) -> EndpointFailure:
    return EndpointFailure(
        f"said {status}", status=status, **{"retryable": True, "rate_limited": status == 429, **kind}
    )


BUSY, BROKEN, LOST = failure(429), failure(503), failure(None)


class Moody(Provider):
    """Takes a batch at the end of ``sending`` and has carried it out at the end of ``looking``: what it says
    before, call after call."""

    def __init__(self, sending: Sequence[Exception] = (), looking: Sequence[Exception | None] = ()) -> None:
        super().__init__()
        self.sending, self.looking = list(sending), list(looking)
        self.calls: list[str] = []
        self.looks: list[float] = []

    async def send(self, name: str, lines: Sequence[bytes]) -> str:
        """Take it when its turn has come."""
        self.calls.append("send")
        if self.sending:
            raise self.sending.pop(0)
        self.keys = [line.decode() for line in lines]
        return "batch_1"

    async def find(
        self, name: str, keys: Collection[str], since: float, known: Collection[str]
    ) -> str | None:
        """It was not taken."""
        self.calls.append("find")
        return None

    async def look(self, number: str) -> BatchStatus:
        """Done when its turn has come."""
        self.looks.append(time.monotonic())
        status = self.looking.pop(0) if self.looking else BatchStatus(ended=True)
        if isinstance(status, Exception):
            raise status
        return status or BatchStatus(ended=False)


def ask_moody(folder: Path, provider: Moody, attempts: int = 3) -> tuple[ModelProgress, list[BatchRecord]]:
    """How asking three questions went, and the batches that are out or leaving behind it."""
    workspace = open_workspace(folder / "w.db")
    run, number = plan_prompts(workspace, "own", ["one", "two", "three"])
    job = EndpointJob(Own("own"), number, Limits(concurrency=1, attempts=attempts), batch=provider)
    (progress,) = ask(workspace, run.id, [job])
    left = batches.open_batches(workspace, number)
    workspace.close()
    return progress, left


@pytest.fixture
def short_polling(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batching, "FIRST_LOOK_SECONDS", 0.005)
    monkeypatch.setattr(batching, "LONGEST_LOOK_SECONDS", 0.02)
    monkeypatch.setattr(batching, "backoff", lambda *_: 0.0)


NOT_YET = None
LOOKS = {
    "asked to slow down, however often": ([BUSY] * 6, 7, None),
    "one failure less than there are attempts": ([BROKEN] * 2, 3, None),
    "as many as there are attempts": ([BROKEN] * 3, 3, "said 503"),
    "not one after the other": ([LOST, BROKEN, NOT_YET, BROKEN, BROKEN], 6, None),
    "with a slow-down between": ([BROKEN, BROKEN, BUSY, BROKEN, BROKEN], 6, None),
    "fatal": ([failure(401, fatal=True)], 1, "said 401"),
    "not worth another try": ([failure(400, retryable=False)], 1, "said 400"),
    "not yet": ([NOT_YET] * 4, 5, None),
}


@pytest.mark.usefixtures("short_polling")
@pytest.mark.parametrize(("looking", "looks", "stopped"), LOOKS.values(), ids=LOOKS)
def test_a_batch_is_looked_at_until_it_has_ended_or_its_provider_failed_too_often(
    tmp_path: Path, looking: list[Exception | None], looks: int, stopped: str | None
) -> None:
    provider = Moody(looking=looking)
    progress, left = ask_moody(tmp_path, provider)
    assert (len(provider.looks), progress.stopped) == (looks, stopped)
    assert (progress.done, [record.state for record in left]) == (
        (3, []) if stopped is None else (0, ["out"])
    )
    pauses = [later - earlier for earlier, later in pairwise(provider.looks)]
    least = [min(0.005 * 2**number, 0.02) for number in range(looks - 1)]
    assert all(pause >= due for pause, due in zip(pauses, least, strict=True)), "ever less often"


def test_it_is_looked_twice_as_late_each_time_and_once_a_minute_in_the_end() -> None:
    async def rests() -> list[float]:
        limiter = RateLimiter(1)
        limiter.close()  # which wakes everybody at once
        made = [batching.FIRST_LOOK_SECONDS]
        while len(made) < 9:
            made.append(await batching.rest(limiter, made[-1]))
        return made

    assert asyncio.run(rests()) == [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 60.0, 60.0, 60.0]


@pytest.mark.usefixtures("short_polling")
def test_who_asks_to_slow_down_for_too_long_fails_as_others_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batching, "PATIENCE_SECONDS", 0.0)
    provider = Moody(sending=[BUSY] * 6)
    progress, _ = ask_moody(tmp_path, provider)
    assert (provider.calls, progress.stopped) == (["send"] * 3, "said 429")


SENDS = {
    "asked to slow down, however often": ([BUSY] * 6, ["send"] * 7, None, None),
    "one failure less than there are attempts": ([BROKEN] * 2, ["send", *["find", "send"] * 2], None, None),
    "as many as there are attempts": ([BROKEN] * 3, ["send", *["find", "send"] * 2], "said 503", "leaving"),
    "perhaps taken, 1": ([LOST], ["send", "find", "send"], None, None),
    "perhaps taken, 2": ([failure(408)], ["send", "find", "send"], None, None),
    "perhaps taken, 3": ([failure(500)], ["send", "find", "send"], None, None),
    "perhaps taken, 4": ([failure(302)], ["send", "find", "send"], None, None),
    "surely not taken": ([failure(409), failure(499)], ["send"] * 3, None, None),
    "once perhaps taken": ([BROKEN, BUSY], ["send", "find", "send", "find", "send"], None, None),
    "fatal": ([failure(401, fatal=True)], ["send"], "said 401", None),
    "not worth another try": ([failure(400, retryable=False)], ["send"], "said 400", None),
    "perhaps taken and not worth another try": (
        [failure(501, retryable=False)],
        ["send"],
        "said 501",
        "leaving",
    ),
    "not known": ([UndecidedBatch("look again")], ["send", "find", "send"], None, None),
}


@pytest.mark.usefixtures("short_polling")
@pytest.mark.parametrize(("sending", "calls", "stopped", "state"), SENDS.values(), ids=SENDS)
def test_a_batch_that_was_perhaps_taken_is_looked_for_before_it_is_sent_again(
    tmp_path: Path, sending: list[Exception], calls: list[str], stopped: str | None, state: str | None
) -> None:
    """And one that was surely not is forgotten, so that its requests can leave another time."""
    provider = Moody(sending=sending)
    progress, left = ask_moody(tmp_path, provider)
    assert (provider.calls, progress.stopped) == (calls, stopped)
    assert progress.retries == sum(isinstance(one, EndpointFailure) for one in sending)
    assert [record.state for record in left] == ([] if state is None else [state])
    assert progress.done == (0 if stopped else 3)


class Packing(Moody):
    """Takes at most so much at a time, and carries it all out but for what it loses."""

    def __init__(self, requests: int = 100, size: int = 1_000_000, loses: int = 0) -> None:
        super().__init__()
        self.most_requests, self.most_bytes, self.loses = requests, size, loses
        self.sent: dict[str, list[str]] = {}

    async def send(self, name: str, lines: Sequence[bytes]) -> str:
        """Take it."""
        number = f"batch_{len(self.sent)}"
        self.sent[number] = [line.decode() for line in lines]
        return number

    async def results(self, number: str) -> AsyncIterator[BatchResult]:
        """A reply to most requests, and one to a request that nobody sent."""
        for key in ["nobody's", *self.sent[number][self.loses :]]:
            yield BatchResult(key, 200, "A")


def ask_packing(workspace: Workspace, provider: Packing, name: str = "own") -> tuple[ModelProgress, Own]:
    """How asking a model of this name five questions went."""
    endpoint = Own(name)
    run, number = plan_prompts(workspace, name, [f"question {at}" for at in range(5)], config=name)
    job = EndpointJob(endpoint, number, Limits(concurrency=1), batch=provider)
    (progress,) = ask(workspace, run.id, [job])
    assert batches.open_batches(workspace, number) == []
    return progress, endpoint


def test_a_batch_holds_as_many_requests_and_bytes_as_its_provider_takes(tmp_path: Path) -> None:
    """Each line counts with the two bytes that may part it from the next."""
    workspace = open_workspace(tmp_path / "w.db")
    exactly = Packing(requests=5)
    ask_packing(workspace, exactly)
    (keys,) = exactly.sent.values()
    line = len(keys[0].encode()) + 2
    sizes = {
        "requests": (Packing(requests=2), [2, 2, 1]),
        "bytes": (Packing(size=3 * line), [3, 2]),
        "a byte less": (Packing(size=2 * line - 1), [1] * 5),
    }
    for name, (provider, expected) in sizes.items():
        progress, endpoint = ask_packing(workspace, provider, name)
        assert [len(sent) for sent in provider.sent.values()] == expected, name
        assert (progress.done, progress.out, endpoint.asked) == (5, 0, 0)
        assert len({key for sent in provider.sent.values() for key in sent}) == 5
    workspace.close()


def test_what_did_not_come_back_is_asked_one_by_one_and_in_no_other_batch(tmp_path: Path) -> None:
    workspace = open_workspace(tmp_path / "w.db")
    provider = Packing(requests=3, loses=2)
    progress, endpoint = ask_packing(workspace, provider)
    workspace.close()
    assert [len(sent) for sent in provider.sent.values()] == [3, 2]
    assert (progress.done, progress.failed, endpoint.asked) == (5, 0, 4)


def test_what_has_no_room_beside_a_file_that_is_out_is_not_asked_one_by_one(tmp_path: Path) -> None:
    """Somebody carries the file out: there may be no server."""

    class StillOut(Packing):
        waits = False

        async def look(self, number: str) -> BatchStatus:
            return BatchStatus(ended=False)

    workspace = open_workspace(tmp_path / "w.db")
    provider, endpoint = StillOut(requests=3), Own("own")
    run, number = plan_prompts(workspace, "own", [f"question {at}" for at in range(5)])
    job = EndpointJob(endpoint, number, Limits(concurrency=1), batch=provider)
    (progress,) = ask(workspace, run.id, [job], budget=Budget(parse_budget("4requests")))
    workspace.close()
    assert (progress.done, endpoint.asked, progress.stopped) == (0, 0, None)


@pytest.mark.usefixtures("short_polling")
@pytest.mark.parametrize(("loses", "budget", "asked"), [(0, 3, 0), (2, 5, 2), (2, 4, 1), (3, 3, 0)])
def test_what_a_batch_had_set_aside_is_free_again_though_its_results_came_at_the_second_try(
    tmp_path: Path, loses: int, budget: int, asked: int
) -> None:
    """The budget in requests counts the three that left in it, and those that are asked alone."""

    class Late(Packing):
        async def results(self, number: str) -> AsyncIterator[BatchResult]:
            """Some of them, and then an error; all of them the next time."""
            self.calls.append("results")
            async for result in super().results(number):
                yield result
            if len(self.calls) == 1:
                raise BROKEN

    workspace, endpoint, provider = open_workspace(tmp_path / "w.db"), Own("own"), Late(loses=loses)
    run, number = plan_prompts(workspace, "own", ["one", "two", "three"])
    spent = Budget(parse_budget(f"{budget}requests"))
    job = EndpointJob(endpoint, number, Limits(concurrency=1), batch=provider)
    (progress,) = ask(workspace, run.id, [job], budget=spent)
    workspace.close()
    assert (progress.done, endpoint.asked, spent.requests) == (3 - loses + asked, asked, budget)
    assert progress.stopped == (None if asked == loses else USED_UP)
    assert provider.calls == ["results"] * 2


@pytest.mark.usefixtures("short_polling")
def test_what_stays_out_counts_as_spent_for_the_other_models_of_the_session(tmp_path: Path) -> None:
    """They do not wait for a batch that nobody follows any more."""

    class After(Own):
        """Opens once the batch has left."""

        async def open(self, concurrency: int) -> None:
            while not provider.calls:
                await asyncio.sleep(0.001)

    workspace, alone = open_workspace(tmp_path / "w.db"), After("alone")
    _, number = plan_prompts(workspace, "own", ["one", "two", "three"])
    run, alone_number = plan_prompts(workspace, "alone", ["one", "two"], first=4)
    provider = Moody(looking=[failure(401, fatal=True)])
    jobs = [
        EndpointJob(Own("own"), number, Limits(concurrency=1), batch=provider),
        EndpointJob(alone, alone_number, Limits(concurrency=1)),
    ]
    budget = Budget(parse_budget("4requests"))
    batched, asked = ask(workspace, run.id, jobs, budget=budget)
    workspace.close()
    assert (batched.stopped, asked.stopped) == ("said 401", USED_UP)
    assert (alone.asked, budget.requests) == (1, 4)


def test_a_batch_that_its_provider_refuses_stops_the_model_and_may_leave_again(tmp_path: Path) -> None:
    class Refusing(Moody):
        async def look(self, number: str) -> BatchStatus:
            """It was read."""
            return BatchStatus(ended=True, refused="the file is too large")

    progress, left = ask_moody(tmp_path, Refusing())
    assert (progress.stopped, progress.done) == ("own refused batch batch_1: the file is too large", 0)
    assert left == []


def test_a_request_that_cannot_be_in_a_batch_stops_the_model_before_anything_leaves(tmp_path: Path) -> None:
    class Choosy(Moody):
        lines = 0

        def line(self, request: Request) -> bytes:
            """The third has a setting that batches have not."""
            self.lines += 1
            if self.lines == 3:
                raise EndpointFailure("batches have no such setting", fatal=True)
            return super().line(request)

    provider = Choosy()
    progress, left = ask_moody(tmp_path, provider)
    assert (progress.stopped, left, provider.calls) == ("batches have no such setting", [], [])


@pytest.mark.parametrize("taken", [True, False])
def test_a_batch_of_a_process_that_died_is_looked_for_and_sent_where_it_was_not_taken(
    tmp_path: Path, taken: bool
) -> None:
    class Finding(Packing):
        async def find(
            self, name: str, keys: Collection[str], since: float, known: Collection[str]
        ) -> str | None:
            """Its number, if it was taken."""
            self.calls.append("find")
            if taken:
                self.sent["batch_7"] = sorted(keys)
            return "batch_7" if taken else None

    workspace = open_workspace(tmp_path / "w.db")
    run, number = plan_prompts(workspace, "own", ["one", "two", "three"])
    other, provider, endpoint = RequestQueue(workspace, run.id), Finding(), Own("own")
    other.enter()
    keys = [request.key for request in other.claim(number, 0, 10, frozenset()).requests]
    batches.write_down(workspace, run.id, number, other.worker, keys)
    other.leave()
    job = EndpointJob(endpoint, number, Limits(concurrency=1), batch=provider)
    (progress,) = ask(workspace, run.id, [job])
    assert (provider.calls, list(provider.sent)) == (["find"], ["batch_7" if taken else "batch_0"])
    assert (progress.done, endpoint.asked, batches.open_batches(workspace, number)) == (3, 0, [])
    workspace.close()
