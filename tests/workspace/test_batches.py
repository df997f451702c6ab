"""Batches as the workspace knows them, on both databases."""

from __future__ import annotations

import pytest
import sqlalchemy as sa

from folkways.endpoints.base import Completion
from folkways.workspace import schema
from folkways.workspace.database import Workspace
from folkways.workspace.queue import batches
from folkways.workspace.queue.request_queue import RequestQueue
from folkways.workspace.queue.request_rows import AnsweredRequest
from tests.support.planned_runs import plan_prompts


@pytest.fixture
def queue(any_workspace: Workspace) -> tuple[RequestQueue, int]:
    run, endpoint = plan_prompts(any_workspace, "m", ["one", "two", "three"])
    entered = RequestQueue(any_workspace, run.id)
    entered.enter()
    return entered, endpoint


def test_what_is_out_is_claimed_and_awaited_by_nobody(
    any_workspace: Workspace, queue: tuple[RequestQueue, int]
) -> None:
    mine, endpoint = queue
    first, second, third = mine.claim(endpoint, 0, 10, frozenset()).requests
    record = batches.write_down(any_workspace, mine.run_id, endpoint, mine.worker, [first.key, second.key])
    mine.give_back({first.key, second.key, third.key})
    other = RequestQueue(any_workspace, mine.run_id)
    other.enter()
    for one in (mine, other):
        assert (one.pending(endpoint), one.out(endpoint)) == (3, 2)
        assert one.awaited(endpoint, frozenset()) == {0: {third.key}}
    assert other.claim(endpoint, 0, 10, frozenset()).requests == (third,)
    assert batches.out_of_run(any_workspace, mine.run_id) == (2, 1)
    assert {request.key for request in other.requests(endpoint, record.keys)} == record.keys

    batches.mark_out(any_workspace, record.name, "batch_1")
    (known,) = batches.open_batches(any_workspace, endpoint)
    assert (known.state, known.number, known.keys, known.worker) == (
        "out",
        "batch_1",
        record.keys,
        mine.worker,
    )
    mine.save(endpoint, [AnsweredRequest(first, Completion("A"), 1.0, 1, batched=True)])
    batches.mark_collected(any_workspace, record.name)
    assert batches.open_batches(any_workspace, endpoint) == []
    assert batches.keys_tried(any_workspace, mine.run_id, endpoint) == record.keys
    # What came back without a reply is free again.
    assert (mine.out(endpoint), mine.claim(endpoint, 0, 10, frozenset()).requests) == (0, (second,))
    with any_workspace.read() as connection:
        assert connection.execute(sa.select(schema.responses.c.key, schema.responses.c.batched)).all() == [
            (first.key, 1)
        ]


def test_a_batch_that_is_leaving_is_taken_over_from_the_dead_alone(
    any_workspace: Workspace, queue: tuple[RequestQueue, int]
) -> None:
    mine, endpoint = queue
    (request, *_) = mine.claim(endpoint, 0, 1, frozenset()).requests
    record = batches.write_down(any_workspace, mine.run_id, endpoint, mine.worker, [request.key])
    assert batches.take_over(any_workspace, record, mine.worker)
    assert not batches.take_over(any_workspace, record, "other")
    mine.leave()
    assert batches.take_over(any_workspace, record, "other")
    assert not batches.take_over(any_workspace, record, "third"), "another was faster"
    batches.forget(any_workspace, record.name)
    assert batches.open_batches(any_workspace, endpoint) == []


def test_names_tell_batches_of_one_content_apart(
    any_workspace: Workspace, queue: tuple[RequestQueue, int]
) -> None:
    mine, endpoint = queue
    names = [
        batches.write_down(any_workspace, mine.run_id, endpoint, mine.worker, ["k1", "k2"]).name
        for _ in range(2)
    ]
    assert len(set(names)) == 2
    assert all(len(name) <= 64 for name in names)
