"""Claims and commits: nothing is handed out twice, and nothing of a dead process stays locked."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterable

import pytest
import sqlalchemy as sa

from folkways.endpoints.base import Completion, Request, Settings
from folkways.workspace import results, run_records, schema
from folkways.workspace.database import Workspace
from folkways.workspace.queue import request_queue as ledger_module
from folkways.workspace.queue.request_queue import Batch, RequestQueue
from folkways.workspace.queue.request_rows import AnsweredRequest, FailedRequest
from folkways.workspace.queue.workers import (
    STALE_SECONDS,
    WATCHED_SECONDS,
    QueueWorker,
    WorkerWatch,
    place,
    started,
)
from tests.support.planned_runs import plan_prompts

TEXTS = [f"question {number}" for number in range(10)]


def answer(request: Request, text: str = "A") -> AnsweredRequest:
    return AnsweredRequest(
        request, Completion(text=text, input_tokens=3, output_tokens=1), seconds=0.1, attempts=1
    )


def test_two_ledgers_share_the_work_without_overlap(any_workspace: Workspace) -> None:
    run, endpoint = plan_prompts(any_workspace, "m", TEXTS)
    first, second = RequestQueue(any_workspace, run.id), RequestQueue(any_workspace, run.id)
    first.enter()
    second.enter()
    mine = first.claim(endpoint, 0, 4, frozenset())
    theirs = second.claim(endpoint, 0, 100, frozenset())
    assert len(mine.requests) == 4
    assert len(theirs.requests) == 6
    assert not {request.key for request in mine.requests} & {request.key for request in theirs.requests}
    assert theirs.seen == 10


def test_equal_prompts_are_asked_once(any_workspace: Workspace) -> None:
    run, endpoint = plan_prompts(any_workspace, "m", ["same", "same", "other"])
    request_queue = RequestQueue(any_workspace, run.id)
    request_queue.enter()
    assert request_queue.pending(endpoint) == 2
    batch = request_queue.claim(endpoint, 0, 10, frozenset())
    assert sorted(request.user for request in batch.requests) == ["other", "same"]
    request_queue.save(endpoint, [answer(request) for request in batch.requests])
    assert request_queue.pending(endpoint) == 0


def test_what_is_saved_is_there_and_free_and_not_claimed_again(any_workspace: Workspace) -> None:
    run, endpoint = plan_prompts(any_workspace, "m", TEXTS)
    request_queue = RequestQueue(any_workspace, run.id)
    request_queue.enter()
    batch = request_queue.claim(endpoint, 0, 3, frozenset())
    request_queue.save(
        endpoint, [answer(batch.requests[0], "first"), FailedRequest(batch.requests[1], "no luck", 6)]
    )
    rest = request_queue.claim(endpoint, 0, 100, frozenset({batch.requests[2].key}))
    assert len(rest.requests) == 7  # ten without the answered, the failed and the one in flight
    part = results.parts(any_workspace, run)[0]
    states = results.responses(any_workspace, run, part)
    assert states["state"].to_list()[:3] == ["answered", "failed", "missing"]
    assert states["response"].to_list()[0] == "first"
    assert states["reason"].to_list()[1] == "no luck"


def test_what_no_database_holds_does_not_take_the_batch_with_it(any_workspace: Workspace) -> None:
    """Lone surrogates, NULs and endless words come from servers and from endpoints of somebody else's
    making."""
    run, endpoint = plan_prompts(any_workspace, "m", TEXTS[:3])
    request_queue = RequestQueue(any_workspace, run.id)
    request_queue.enter()
    plain, odd, failed = request_queue.claim(endpoint, 0, 3, frozenset()).requests
    completion = Completion("a\ud800b\0c", finish_reason="stop " * 40, model="m" * 1000, refusal="no\ud800")
    request_queue.save(
        endpoint,
        [answer(plain), AnsweredRequest(odd, completion, 0.1, 1), FailedRequest(failed, "lost \ud800\0", 6)],
    )
    (part,) = results.parts(any_workspace, run)
    told = results.responses(any_workspace, run, part)
    assert told["response"].to_list() == ["A", "a\ufffdb\ufffdc", None]
    assert told["reason"].to_list() == [None, "no\ufffd", "lost \ufffd\ufffd"]


def test_a_first_answer_is_never_overwritten(any_workspace: Workspace) -> None:
    run, endpoint = plan_prompts(any_workspace, "m", TEXTS[:1])
    request_queue = RequestQueue(any_workspace, run.id)
    request_queue.enter()
    (request,) = request_queue.claim(endpoint, 0, 1, frozenset()).requests
    request_queue.save(endpoint, [answer(request, "first")])
    request_queue.save(endpoint, [answer(request, "second")])
    with any_workspace.read() as connection:
        assert connection.scalars(sa.select(schema.responses.c.text)).all() == ["first"]


def test_failures_are_tried_again_in_the_next_session(any_workspace: Workspace) -> None:
    run, endpoint = plan_prompts(any_workspace, "m", TEXTS[:2])
    earlier = RequestQueue(any_workspace, run.id)
    earlier.enter()
    batch = earlier.claim(endpoint, 0, 10, frozenset())
    earlier.save(endpoint, [FailedRequest(request, "down", 6) for request in batch.requests])
    assert earlier.pending(endpoint) == 0
    earlier.leave()
    later = RequestQueue(any_workspace, run.id)
    later.enter()
    assert later.pending(endpoint) == 2


def test_claims_of_a_killed_process_are_free_at_once(any_workspace: Workspace) -> None:
    run, endpoint = plan_prompts(any_workspace, "m", TEXTS)
    ended = subprocess.run(
        [sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, text=True, check=True
    )
    dead = RequestQueue(any_workspace, run.id)
    dead.enter()
    dead.claim(endpoint, 0, 10, frozenset())
    with any_workspace.write() as connection:
        connection.execute(
            sa.update(schema.workers).where(schema.workers.c.id == dead.worker).values(pid=int(ended.stdout))
        )
    alive = RequestQueue(any_workspace, run.id)
    alive.enter()
    assert len(alive.claim(endpoint, 0, 10, frozenset()).requests) == 10


def test_another_process_with_a_dead_ones_number_does_not_keep_its_claims(any_workspace: Workspace) -> None:
    run, endpoint = plan_prompts(any_workspace, "m", TEXTS)
    dead = RequestQueue(any_workspace, run.id)
    dead.enter()
    dead.claim(endpoint, 0, 10, frozenset())
    with (
        any_workspace.write() as connection
    ):  # this very process has the number now, and began at another time
        connection.execute(
            sa.update(schema.workers).where(schema.workers.c.id == dead.worker).values(pid_started="1")
        )
    alive = RequestQueue(any_workspace, run.id)
    alive.enter()
    assert len(alive.claim(endpoint, 0, 10, frozenset()).requests) == 10


def test_claims_of_another_host_are_free_after_silence_and_not_before(any_workspace: Workspace) -> None:
    run, endpoint = plan_prompts(any_workspace, "m", TEXTS)
    far = RequestQueue(any_workspace, run.id)
    far.enter()
    far.claim(endpoint, 0, 10, frozenset())
    worker = schema.workers.c.id == far.worker
    with any_workspace.write() as connection:
        connection.execute(sa.update(schema.workers).where(worker).values(host="elsewhere", pid=1))
    seconds = [0.0]
    near = RequestQueue(any_workspace, run.id, WorkerWatch(lambda: seconds[0]))
    near.enter()
    assert near.claim(endpoint, 0, 10, frozenset()).requests == ()
    with any_workspace.write() as connection:
        connection.execute(
            sa.update(schema.workers).where(worker).values(heartbeat=time.time() - STALE_SECONDS - 1)
        )
    near.free_dead_claims()
    assert (
        near.claim(endpoint, 0, 10, frozenset()).requests == ()
    )  # it may have slept with its machine, and beat any moment
    seconds[0] += WATCHED_SECONDS + 1
    near.free_dead_claims()
    assert len(near.claim(endpoint, 0, 10, frozenset()).requests) == 10


def test_a_heartbeat_keeps_claims(any_workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    run, endpoint = plan_prompts(any_workspace, "m", TEXTS)
    far = RequestQueue(any_workspace, run.id)
    far.enter()
    far.claim(endpoint, 0, 10, frozenset())
    with any_workspace.write() as connection:
        connection.execute(
            sa.update(schema.workers).values(host="elsewhere", heartbeat=time.time() - STALE_SECONDS - 1)
        )
    seconds = [0.0]
    near = RequestQueue(any_workspace, run.id, WorkerWatch(lambda: seconds[0]))
    near.enter()
    with monkeypatch.context() as patch:
        patch.setattr("folkways.workspace.queue.request_queue.place", lambda: "elsewhere")
        far.heartbeat()
    for _ in range(2):
        seconds[0] += WATCHED_SECONDS + 1
        near.free_dead_claims()
    assert near.claim(endpoint, 0, 10, frozenset()).requests == ()


def test_a_process_of_this_host_that_was_stopped_for_long_keeps_its_claims(any_workspace: Workspace) -> None:
    """A laptop that slept, a process that was stopped: it is alive, whatever its last heartbeat says."""
    run, endpoint = plan_prompts(any_workspace, "m", TEXTS)
    slept = RequestQueue(any_workspace, run.id)
    slept.enter()
    slept.claim(endpoint, 0, 10, frozenset())
    with any_workspace.write() as connection:
        connection.execute(sa.update(schema.workers).values(heartbeat=time.time() - 10 * STALE_SECONDS))
    seconds = [0.0]
    other = RequestQueue(any_workspace, run.id, WorkerWatch(lambda: seconds[0]))
    other.enter()
    seconds[0] += WATCHED_SECONDS + 1
    other.free_dead_claims()
    assert other.claim(endpoint, 0, 10, frozenset()).requests == ()


def test_who_was_taken_for_dead_goes_on_when_it_wakes(any_workspace: Workspace) -> None:
    run, endpoint = plan_prompts(any_workspace, "m", TEXTS)
    slept = RequestQueue(any_workspace, run.id)
    slept.enter()
    (held,) = slept.claim(endpoint, 0, 1, frozenset()).requests
    with any_workspace.write() as connection:
        connection.execute(sa.delete(schema.workers))
    slept.save(endpoint, [answer(held)])
    assert len(slept.claim(endpoint, 0, 10, frozenset()).requests) == 9
    with any_workspace.write() as connection:
        connection.execute(sa.delete(schema.workers))
    slept.heartbeat()
    with any_workspace.read() as connection:
        assert connection.scalars(sa.select(schema.workers.c.id)).all() == [slept.worker]


def test_another_run_reuses_what_is_stored(any_workspace: Workspace) -> None:
    run, endpoint = plan_prompts(any_workspace, "m", TEXTS)
    request_queue = RequestQueue(any_workspace, run.id)
    request_queue.enter()
    batch = request_queue.claim(endpoint, 0, 10, frozenset())
    request_queue.save(endpoint, [answer(request) for request in batch.requests])
    other, same_endpoint = plan_prompts(any_workspace, "m", [*TEXTS, "one more"], config="another")
    assert same_endpoint == endpoint
    assert RequestQueue(any_workspace, other.id).pending(endpoint) == 1


def test_a_count_that_no_column_holds_does_not_take_the_batch_with_it(any_workspace: Workspace) -> None:
    run, endpoint = plan_prompts(any_workspace, "m", TEXTS[:2])
    request_queue = RequestQueue(any_workspace, run.id)
    request_queue.enter()
    plain, odd = request_queue.claim(endpoint, 0, 2, frozenset()).requests
    completion = Completion("B", input_tokens=3_000_000_000, output_tokens=-1, reasoning_tokens=2**31)
    request_queue.save(endpoint, [answer(plain), AnsweredRequest(odd, completion, 0.1, 1)])
    (used,) = results.usage(any_workspace, run)
    assert (used.responses, used.input_tokens, used.output_tokens, used.reasoning_tokens) == (2, 3, 1, 0)


def test_what_is_given_back_is_for_others(any_workspace: Workspace) -> None:
    run, endpoint = plan_prompts(any_workspace, "m", TEXTS)
    first, second = RequestQueue(any_workspace, run.id), RequestQueue(any_workspace, run.id)
    first.enter()
    second.enter()
    asked, *rest = first.claim(endpoint, 0, 10, frozenset()).requests
    first.save(endpoint, [answer(asked)])
    assert second.claim(endpoint, 0, 10, frozenset()).requests == ()
    first.give_back({request.key for request in rest})
    assert len(second.claim(endpoint, 0, 10, frozenset()).requests) == 9
    first.save(endpoint, [answer(rest[0])])  # one that was on its way after all
    assert first.pending(endpoint) == 8


def test_what_others_hold_is_awaited_until_it_has_ended_or_is_free(any_workspace: Workspace) -> None:
    run, endpoint = plan_prompts(any_workspace, "m", TEXTS[:6])
    one, two, three = (RequestQueue(any_workspace, run.id) for _ in range(3))
    for request_queue in (one, two, three):
        request_queue.enter()
    mine, a, b, c, d, free = one.claim(endpoint, 0, 6, frozenset()).requests
    one.give_back({mine.key})
    assert [request.key for request in one.claim(endpoint, 0, 1, frozenset()).requests] == [mine.key]
    assert two.claim(endpoint, 0, 3, frozenset()).requests == (a, b)
    assert three.claim(endpoint, 0, 5, frozenset()).requests == (c, d)
    awaited = one.awaited(endpoint, {mine.key})
    assert sorted(map(sorted, awaited.values())) == sorted(
        [sorted((a.key, b.key)), sorted((c.key, d.key)), [free.key]]
    )
    assert (awaited.pop(0), one.still_awaited(awaited)) == ({free.key}, awaited)
    assert one.still_awaited({0: {free.key}, **awaited}) == {}  # it can be asked here
    two.save(endpoint, [answer(a)])
    assert one.still_awaited(awaited) == awaited
    two.save(endpoint, [FailedRequest(b, "down", 1)])
    left = one.still_awaited(awaited)
    assert list(left.values()) == [{c.key, d.key}]
    three.save(endpoint, [answer(c)])
    three.leave()
    assert two.claim(endpoint, 5, 1, frozenset()).requests == (
        free,
    )  # by the number of the claim that has gone, on SQLite
    assert one.still_awaited(left) == {}  # d is free again
    assert (
        one.awaited(endpoint, {mine.key, d.key, free.key}),
        one.awaited(endpoint, {mine.key, d.key}).keys() & {0},
    ) == ({}, set())


def test_a_request_that_several_items_wait_for_fails_once(any_workspace: Workspace) -> None:
    """Items that are asked alike, of one task or of two, as those of two cultures with one language."""
    run, endpoint = plan_prompts(any_workspace, "m", ["a", "a", "b"], task="t/one")
    plan_prompts(any_workspace, "m", ["a", "c"], first=4, task="t/two")
    queue = RequestQueue(any_workspace, run.id)
    queue.enter()
    requests = {request.user: request for request in queue.claim(endpoint, 0, 9, frozenset()).requests}
    assert sorted(requests) == ["a", "b", "c"]
    why = {"a": "no luck", "b": "no luck", "c": "late"}
    queue.save(endpoint, [FailedRequest(requests[user], message, 6) for user, message in why.items()])
    told = results.failure_counts(any_workspace, run).sort("task")
    assert told.rows() == [("m", "t/one", "no luck", 2), ("m", "t/two", "late", 1)]


def test_the_failure_of_another_run_decides_nothing(any_workspace: Workspace) -> None:
    """Two runs that expect the same request: what failed in one is pending, asked and missing in the other,
    and stays failed."""
    first_run, endpoint = plan_prompts(any_workspace, "m", TEXTS[:2], config="first")
    second_run, _ = plan_prompts(any_workspace, "m", TEXTS[:2], config="second")
    first, second = RequestQueue(any_workspace, first_run.id), RequestQueue(any_workspace, second_run.id)
    first.enter()
    batch = first.claim(endpoint, 0, 2, frozenset())
    first.save(endpoint, [FailedRequest(request, "no luck", 6) for request in batch.requests])
    assert (first.pending(endpoint), second.pending(endpoint)) == (0, 2)
    second.enter()  # forgets failures of its own run, not of the first
    assert (first.pending(endpoint), second.pending(endpoint)) == (0, 2)
    assert states(any_workspace, first_run) == [("failed", "no luck"), ("failed", "no luck")]
    assert states(any_workspace, second_run) == [("missing", None), ("missing", None)]
    told = results.failure_counts(any_workspace, first_run)
    assert told.select("message", "count").rows() == [("no luck", 2)]
    assert results.failure_counts(any_workspace, second_run).height == 0
    claimed = second.claim(endpoint, 0, 2, frozenset())
    second.save(endpoint, [FailedRequest(claimed.requests[0], "other luck", 1), answer(claimed.requests[1])])
    assert states(any_workspace, first_run) == [("failed", "no luck"), ("answered", None)]
    assert states(any_workspace, second_run) == [("failed", "other luck"), ("answered", None)]
    first.enter()
    assert states(any_workspace, first_run) == [("missing", None), ("answered", None)]
    assert states(any_workspace, second_run) == [("failed", "other luck"), ("answered", None)]


def states(workspace: Workspace, run: run_records.RunRecord) -> list[tuple[str, str | None]]:
    """State and, of failed items, reason of every item of a run, in its order."""
    (part,) = results.parts(workspace, run)
    found = results.responses(workspace, run, part).select("state", "reason").rows()
    return [(state, reason if state == "failed" else None) for state, reason in found]


def table(workspace: Workspace, table: sa.Table, *columns: str) -> list[tuple[object, ...]]:
    """All rows of a table, ordered."""
    with workspace.read() as connection:
        return sorted(
            tuple(row)
            for row in connection.execute(sa.select(*(table.c[name] for name in columns or table.c.keys())))
        )


def test_a_request_is_what_was_written_down_and_a_reply_what_came_back(
    any_workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every column, of requests that differ in all of them."""
    monkeypatch.setattr(ledger_module.time, "time", lambda: 5000.0)
    monkeypatch.setattr(
        ledger_module, "database_time", lambda _connection: 5000.0
    )  # a server has a clock of its own
    run, _ = run_records.begin_run(any_workspace, {"config": "test"}, [], "test", None, "run")
    endpoint = [run_records.endpoint_id(any_workspace, name, name) for name in ("other", "m")][1]
    sent = [
        run_records.settings_id(any_workspace, text)
        for text in ('{"temperature":0.5,"top_p":0.9,"max_tokens":7,"seed":3}', "{}")
    ]
    prompts = [
        {"prompt_hash": "p1", "system": "be short", "user": "one", "choices": '["A","B"]'},
        {"prompt_hash": "p2", "system": None, "user": "two", "choices": None},
    ]
    rows = [
        ("t/a", "i1", "en", "v1", 0, "k1", "p1", sent[0]),
        ("t/b", "i2", "ko", "v2", 4, "k2", "p2", sent[1]),
    ]
    names = ("task", "item", "language", "variant", "sample", "key", "prompt_hash", "settings_id")
    expected = [
        {
            "run_id": run.id,
            "ordinal": ordinal,
            "endpoint_id": endpoint,
            "prompt_source": "x",
            **dict(zip(names, row, strict=True)),
        }
        for ordinal, row in enumerate(rows, 3)
    ]
    run_records.write_expected(any_workspace, prompts, expected)
    request_queue = RequestQueue(any_workspace, run.id)
    request_queue.enter()
    assert table(any_workspace, schema.workers) == [
        (request_queue.worker, place(), os.getpid(), started(os.getpid()), 5000.0)
    ]
    batch = request_queue.claim(endpoint, 0, 10, frozenset())
    first = Request(
        "k1",
        "one",
        "be short",
        Settings(0.5, 0.9, 3, 7),
        0,
        ("A", "B"),
        "t/a",
        "i1",
        "en",
        "v1",
        "p1",
        sent[0],
    )
    second = Request("k2", "two", None, Settings(None, None), 4, None, "t/b", "i2", "ko", "v2", "p2", sent[1])
    assert batch == Batch((first, second), 4, 2)
    full = Completion("<think>B?</think>\n\nA", "f" * 70, "no", "m" * 300, 0, 2**31 - 1, 7, "hm\0")
    request_queue.save(endpoint, [AnsweredRequest(first, full, 0.25, 2), FailedRequest(second, "lost", 6)])
    assert table(any_workspace, schema.responses) == [
        (
            "k1",
            endpoint,
            "p1",
            sent[0],
            0,
            "A",
            "f" * 64,
            "no",
            "m" * 256,
            0,
            2**31 - 1,
            7,
            0.25,
            2,
            5000.0,
            "hm\ufffd\n\nB?",
            0,
        )
    ]
    assert table(any_workspace, schema.failures) == [(run.id, "k2", "lost", 6, 5000.0)]
    request_queue.enter()
    assert request_queue.claim(endpoint, 0, 10, frozenset()) == Batch((second,), 4, 1)
    bare = Completion("B", None, None, None, None, None, None)
    request_queue.save(endpoint, [AnsweredRequest(second, bare, 1.0, 1)])
    assert table(any_workspace, schema.responses)[1] == (
        *("k2", endpoint, "p2", sent[1], 4, "B"), *[None] * 6, *(1.0, 1, 5000.0, None, 0)
    )  # fmt: skip
    assert request_queue.claim(endpoint, 1, 10, frozenset()) == Batch((), 1, 0)


def test_requests_are_claimed_in_order_a_limited_number_at_a_time(any_workspace: Workspace) -> None:
    """Of this run and endpoint alone; what is equal, in flight or held by others is looked at and left
    out."""
    run, endpoint = plan_prompts(any_workspace, "m", ["a", "b", "a", "c", "d", "e"])
    other, far = plan_prompts(any_workspace, "n", ["a", "x"], first=7)
    assert other.id == run.id
    plan_prompts(any_workspace, "m", ["a", "y"], config="another")
    one, two = RequestQueue(any_workspace, run.id), RequestQueue(any_workspace, run.id)
    one.enter()
    two.enter()
    assert [
        (request_queue.pending(number), request_queue.standing(number))
        for request_queue, number in ((one, endpoint), (one, far))
    ] == [(5, (5, 0)), (2, (2, 0))]
    batch = one.claim(endpoint, 0, 3, frozenset())
    assert ([request.user for request in batch.requests], batch.last, batch.seen) == (["a", "b"], 3, 3)
    assert [request.item for request in batch.requests] == ["item-1", "item-2"]
    first, second = batch.requests
    theirs = two.claim(endpoint, 1, 3, {second.key})
    assert ([request.user for request in theirs.requests], theirs.last, theirs.seen) == (["c"], 4, 3)
    rest = one.claim(endpoint, 4, 9, frozenset())
    assert ([request.user for request in rest.requests], rest.last, rest.seen) == (["d", "e"], 6, 2)
    claims = [(one, batch), (two, theirs), (one, rest)]
    held = [
        (request_queue.worker, " ".join(request.key for request in claimed.requests))
        for request_queue, claimed in claims
    ]
    assert table(any_workspace, schema.claims, "worker_id", "requests") == sorted(held)
    assert two.claim(far, 6, 1, frozenset()).last == 7
    # A claim is free once the last of its requests has ended, also when several end together and it is asked
    # twice.
    one.save(endpoint, [answer(first)])
    assert one.standing(endpoint) == (4, 1)
    assert one.standing(far) == (2, 0)
    assert RequestQueue(any_workspace, run.id + 1).standing(endpoint) == (1, 1)
    assert len(table(any_workspace, schema.claims)) == 4
    one.save(endpoint, [FailedRequest(second, "down", 1), answer(rest.requests[1])])
    assert sorted(
        row[0] for row in table(any_workspace, schema.claims, "requests") if row[0] in dict(held).values()
    ) == sorted([held[1][1], held[2][1]])
    assert one.standing(endpoint) == (2, 2)
    one.give_back({rest.requests[0].key, "unknown"})
    assert [row for row in table(any_workspace, schema.claims, "worker_id") if row != (two.worker,)] == []
    one.give_back({rest.requests[0].key})
    one.give_back(())
    one.save(endpoint, [answer(rest.requests[0]), answer(rest.requests[0])])
    two.leave()
    assert table(any_workspace, schema.claims) == []
    assert one.claims == {}  # nothing is kept in memory of what has ended
    assert table(any_workspace, schema.workers, "id") == [(one.worker,)]
    # What is given back may be claimed by oneself again.
    (again,) = one.claim(endpoint, 0, 9, frozenset()).requests
    assert again.user == "c"


def test_dead_owners_are_dropped_and_no_others(any_workspace: Workspace) -> None:
    """Not oneself, nobody who lives, and nobody who has beaten since he was looked at."""
    ended = subprocess.run(
        [sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, text=True, check=True
    )
    dead = {"host": place(), "pid": int(ended.stdout), "pid_started": "1"}
    alive, gone, woken = (RequestQueue(any_workspace, 1) for _ in range(3))

    class Late(WorkerWatch):
        """Somebody who beats between being found dead and being dropped."""

        def dead(self, workers: Iterable[QueueWorker], now: float) -> list[QueueWorker]:
            found = super().dead(workers, now)
            with any_workspace.write() as connection:
                connection.execute(
                    sa.update(schema.workers)
                    .where(schema.workers.c.id == woken.worker)
                    .values(heartbeat=now + 1)
                )
            return found

    me = RequestQueue(any_workspace, 1, watch=Late())
    for each in (me, alive, gone, woken):
        each.enter()
    with any_workspace.write() as connection:
        connection.execute(
            sa.update(schema.workers)
            .where(schema.workers.c.id.in_([me.worker, gone.worker, woken.worker]))
            .values(**dead)
        )
    me.free_dead_claims()
    assert {row[0] for row in table(any_workspace, schema.workers, "id")} == {
        me.worker,
        alive.worker,
        woken.worker,
    }


def test_a_worker_that_is_begun_again_under_its_name_frees_what_the_dead_one_held(
    any_workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, endpoint = plan_prompts(any_workspace, "m", ["one", "two", "three"])
    monkeypatch.setattr("folkways.workspace.queue.request_queue.place", lambda: "a node far away")
    dead = RequestQueue(any_workspace, run.id, name="node-7")
    dead.enter()
    assert len(dead.claim(endpoint, 0, 2, frozenset()).requests) == 2
    monkeypatch.undo()
    other = RequestQueue(any_workspace, run.id, name="node-8")
    other.enter(joins=True)
    assert other.others_at_work()
    assert len(other.claim(endpoint, 0, 3, frozenset()).requests) == 1
    again = RequestQueue(any_workspace, run.id, name="node-7")
    again.enter(joins=True)
    assert len(again.claim(endpoint, 0, 3, frozenset()).requests) == 2


def test_the_ordinal_at_a_share_is_between_the_first_and_last_of_a_model(any_workspace: Workspace) -> None:
    run, first = plan_prompts(any_workspace, "m", TEXTS)
    _, second = plan_prompts(any_workspace, "n", TEXTS, first=11)
    _, none = plan_prompts(any_workspace, "o", [], first=21)
    queue = RequestQueue(any_workspace, run.id)
    found = {name: [queue.ordinal_at(number, share) for share in (0.0, 0.5, 0.999, 1.0)]
             for name, number in (("m", first), ("n", second), ("o", none))}  # fmt: skip
    assert found == {"m": [1, 5, 9, 10], "n": [11, 15, 19, 20], "o": [0, 0, 0, 0]}
