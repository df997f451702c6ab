"""Batches of several processes, in the order that a test gives them. Without a server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Collection, Sequence
from pathlib import Path

import pytest

from folkways.endpoints.base import Completion, Request
from folkways.endpoints.batches import BatchResult, BatchStatus
from folkways.engine.asking import EndpointJob, Limits
from folkways.engine.budget import USED_UP, Budget, parse_budget
from folkways.engine.session import ask
from folkways.workspace.database import Workspace, open_workspace
from folkways.workspace.queue import batches
from folkways.workspace.queue.batches import BatchRecord
from folkways.workspace.queue.request_queue import RequestQueue
from tests.engine.test_session_rules import Own
from tests.support.planned import plan_prompts


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
