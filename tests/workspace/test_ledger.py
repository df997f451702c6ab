"""Claims and commits: nothing is handed out twice, and nothing of a dead process stays locked."""

from __future__ import annotations

import subprocess
import sys
import time

import sqlalchemy as sa

from folkways.endpoints.base import Completion, Request
from folkways.workspace import plans, results, schema
from folkways.workspace.database import Workspace
from folkways.workspace.ledger import Answered, Failed, Ledger
from folkways.workspace.owners import STALE_SECONDS, WATCHED_SECONDS, Watch
from tests.support.planned import plan_prompts

TEXTS = [f"question {number}" for number in range(10)]


def answer(request: Request, text: str = "A") -> Answered:
    return Answered(request, Completion(text=text, input_tokens=3, output_tokens=1), seconds=0.1, attempts=1)


def test_two_ledgers_share_the_work_without_overlap(any_workspace: Workspace) -> None:
    run, endpoint = plan_prompts(any_workspace, "m", TEXTS)
    first, second = Ledger(any_workspace, run.id), Ledger(any_workspace, run.id)
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
    ledger = Ledger(any_workspace, run.id)
    ledger.enter()
    assert ledger.pending(endpoint) == 2
    batch = ledger.claim(endpoint, 0, 10, frozenset())
    assert sorted(request.user for request in batch.requests) == ["other", "same"]
    ledger.save(endpoint, [answer(request) for request in batch.requests])
    assert ledger.pending(endpoint) == 0


def test_what_is_saved_is_there_and_free_and_not_claimed_again(any_workspace: Workspace) -> None:
    run, endpoint = plan_prompts(any_workspace, "m", TEXTS)
    ledger = Ledger(any_workspace, run.id)
    ledger.enter()
    batch = ledger.claim(endpoint, 0, 3, frozenset())
    ledger.save(endpoint, [answer(batch.requests[0], "first"), Failed(batch.requests[1], "no luck", 6)])
    rest = ledger.claim(endpoint, 0, 100, frozenset({batch.requests[2].key}))
    assert len(rest.requests) == 7  # ten without the answered, the failed and the one in flight
    part = results.parts(any_workspace, run)[0]
    states = results.responses(any_workspace, run, part)
    assert states["state"].to_list()[:3] == ["answered", "failed", "missing"]
    assert states["response"].to_list()[0] == "first"
    assert states["reason"].to_list()[1] == "no luck"


def test_what_no_database_holds_does_not_take_the_batch_with_it(any_workspace: Workspace) -> None:
    """Lone surrogates, NULs and endless words come from servers and from endpoints of somebody else's making."""
    run, endpoint = plan_prompts(any_workspace, "m", TEXTS[:3])
    ledger = Ledger(any_workspace, run.id)
    ledger.enter()
    plain, odd, failed = ledger.claim(endpoint, 0, 3, frozenset()).requests
    completion = Completion("a\ud800b\0c", finish_reason="stop " * 40, model="m" * 1000, refusal="no\ud800")
    ledger.save(endpoint, [answer(plain), Answered(odd, completion, 0.1, 1), Failed(failed, "lost \ud800\0", 6)])
    (part,) = results.parts(any_workspace, run)
    told = results.responses(any_workspace, run, part)
    assert told["response"].to_list() == ["A", "a\ufffdb\ufffdc", None]
    assert told["reason"].to_list() == [None, "no\ufffd", "lost \ufffd\ufffd"]


def test_a_first_answer_is_never_overwritten(any_workspace: Workspace) -> None:
    run, endpoint = plan_prompts(any_workspace, "m", TEXTS[:1])
    ledger = Ledger(any_workspace, run.id)
    ledger.enter()
    (request,) = ledger.claim(endpoint, 0, 1, frozenset()).requests
    ledger.save(endpoint, [answer(request, "first")])
    ledger.save(endpoint, [answer(request, "second")])
    with any_workspace.read() as connection:
        assert connection.scalars(sa.select(schema.responses.c.text)).all() == ["first"]


def test_failures_are_tried_again_in_the_next_session(any_workspace: Workspace) -> None:
    run, endpoint = plan_prompts(any_workspace, "m", TEXTS[:2])
    earlier = Ledger(any_workspace, run.id)
    earlier.enter()
    batch = earlier.claim(endpoint, 0, 10, frozenset())
    earlier.save(endpoint, [Failed(request, "down", 6) for request in batch.requests])
    assert earlier.pending(endpoint) == 0
    earlier.leave()
    later = Ledger(any_workspace, run.id)
    later.enter()
    assert later.pending(endpoint) == 2


def test_claims_of_a_killed_process_are_free_at_once(any_workspace: Workspace) -> None:
    run, endpoint = plan_prompts(any_workspace, "m", TEXTS)
    ended = subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, text=True, check=True)
    dead = Ledger(any_workspace, run.id)
    dead.enter()
    dead.claim(endpoint, 0, 10, frozenset())
    with any_workspace.write() as connection:
        connection.execute(sa.update(schema.owners).where(schema.owners.c.id == dead.owner).values(pid=int(ended.stdout)))
    alive = Ledger(any_workspace, run.id)
    alive.enter()
    assert len(alive.claim(endpoint, 0, 10, frozenset()).requests) == 10


def test_another_process_with_a_dead_ones_number_does_not_keep_its_claims(any_workspace: Workspace) -> None:
    run, endpoint = plan_prompts(any_workspace, "m", TEXTS)
    dead = Ledger(any_workspace, run.id)
    dead.enter()
    dead.claim(endpoint, 0, 10, frozenset())
    with any_workspace.write() as connection:  # this very process has the number now, and began at another time
        connection.execute(sa.update(schema.owners).where(schema.owners.c.id == dead.owner).values(pid_started="1"))
    alive = Ledger(any_workspace, run.id)
    alive.enter()
    assert len(alive.claim(endpoint, 0, 10, frozenset()).requests) == 10


def test_claims_of_another_host_are_free_after_silence_and_not_before(any_workspace: Workspace) -> None:
    run, endpoint = plan_prompts(any_workspace, "m", TEXTS)
    far = Ledger(any_workspace, run.id)
    far.enter()
    far.claim(endpoint, 0, 10, frozenset())
    owner = schema.owners.c.id == far.owner
    with any_workspace.write() as connection:
        connection.execute(sa.update(schema.owners).where(owner).values(host="elsewhere", pid=1))
    seconds = [0.0]
    near = Ledger(any_workspace, run.id, Watch(lambda: seconds[0]))
    near.enter()
    assert near.claim(endpoint, 0, 10, frozenset()).requests == ()
    with any_workspace.write() as connection:
        connection.execute(sa.update(schema.owners).where(owner).values(heartbeat=time.time() - STALE_SECONDS - 1))
    near.free_dead_claims()
    assert near.claim(endpoint, 0, 10, frozenset()).requests == ()  # it may have slept with its machine, and beat any moment
    seconds[0] += WATCHED_SECONDS + 1
    near.free_dead_claims()
    assert len(near.claim(endpoint, 0, 10, frozenset()).requests) == 10


def test_a_heartbeat_keeps_claims(any_workspace: Workspace) -> None:
    run, endpoint = plan_prompts(any_workspace, "m", TEXTS)
    far = Ledger(any_workspace, run.id)
    far.enter()
    far.claim(endpoint, 0, 10, frozenset())
    with any_workspace.write() as connection:
        connection.execute(sa.update(schema.owners).values(host="elsewhere", heartbeat=time.time() - STALE_SECONDS - 1))
    far.heartbeat()
    near = Ledger(any_workspace, run.id)
    near.enter()
    assert near.claim(endpoint, 0, 10, frozenset()).requests == ()


def test_a_process_of_this_host_that_was_stopped_for_long_keeps_its_claims(any_workspace: Workspace) -> None:
    """A laptop that slept, a process that was stopped: it is alive, whatever its last heartbeat says."""
    run, endpoint = plan_prompts(any_workspace, "m", TEXTS)
    slept = Ledger(any_workspace, run.id)
    slept.enter()
    slept.claim(endpoint, 0, 10, frozenset())
    with any_workspace.write() as connection:
        connection.execute(sa.update(schema.owners).values(heartbeat=time.time() - 10 * STALE_SECONDS))
    other = Ledger(any_workspace, run.id)
    other.enter()
    assert other.claim(endpoint, 0, 10, frozenset()).requests == ()


def test_who_was_taken_for_dead_goes_on_when_it_wakes(any_workspace: Workspace) -> None:
    run, endpoint = plan_prompts(any_workspace, "m", TEXTS)
    slept = Ledger(any_workspace, run.id)
    slept.enter()
    (held,) = slept.claim(endpoint, 0, 1, frozenset()).requests
    with any_workspace.write() as connection:
        connection.execute(sa.delete(schema.owners))
    slept.save(endpoint, [answer(held)])
    assert len(slept.claim(endpoint, 0, 10, frozenset()).requests) == 9
    with any_workspace.write() as connection:
        connection.execute(sa.delete(schema.owners))
    slept.heartbeat()
    with any_workspace.read() as connection:
        assert connection.scalars(sa.select(schema.owners.c.id)).all() == [slept.owner]


def test_another_run_reuses_what_is_stored(any_workspace: Workspace) -> None:
    run, endpoint = plan_prompts(any_workspace, "m", TEXTS)
    ledger = Ledger(any_workspace, run.id)
    ledger.enter()
    batch = ledger.claim(endpoint, 0, 10, frozenset())
    ledger.save(endpoint, [answer(request) for request in batch.requests])
    other, same_endpoint = plan_prompts(any_workspace, "m", [*TEXTS, "one more"], config="another")
    assert same_endpoint == endpoint
    assert Ledger(any_workspace, other.id).pending(endpoint) == 1


def test_a_count_that_no_column_holds_does_not_take_the_batch_with_it(any_workspace: Workspace) -> None:
    run, endpoint = plan_prompts(any_workspace, "m", TEXTS[:2])
    ledger = Ledger(any_workspace, run.id)
    ledger.enter()
    plain, odd = ledger.claim(endpoint, 0, 2, frozenset()).requests
    completion = Completion("B", input_tokens=3_000_000_000, output_tokens=-1, reasoning_tokens=2**31)
    ledger.save(endpoint, [answer(plain), Answered(odd, completion, 0.1, 1)])
    (used,) = results.usage(any_workspace, run)
    assert (used.responses, used.input_tokens, used.output_tokens, used.reasoning_tokens) == (2, 3, 1, 0)


def test_what_is_given_back_is_for_others(any_workspace: Workspace) -> None:
    run, endpoint = plan_prompts(any_workspace, "m", TEXTS)
    first, second = Ledger(any_workspace, run.id), Ledger(any_workspace, run.id)
    first.enter()
    second.enter()
    asked, *rest = first.claim(endpoint, 0, 10, frozenset()).requests
    first.save(endpoint, [answer(asked)])
    assert second.claim(endpoint, 0, 10, frozenset()).requests == ()
    first.give_back({request.key for request in rest})
    assert len(second.claim(endpoint, 0, 10, frozenset()).requests) == 9
    first.save(endpoint, [answer(rest[0])])  # one that was on its way after all
    assert first.pending(endpoint) == 8


def test_the_failure_of_another_run_decides_nothing(any_workspace: Workspace) -> None:
    """Two runs that expect the same request: what failed in one is pending, asked and missing in the other, and stays failed."""
    first_run, endpoint = plan_prompts(any_workspace, "m", TEXTS[:2], config="first")
    second_run, _ = plan_prompts(any_workspace, "m", TEXTS[:2], config="second")
    first, second = Ledger(any_workspace, first_run.id), Ledger(any_workspace, second_run.id)
    first.enter()
    batch = first.claim(endpoint, 0, 2, frozenset())
    first.save(endpoint, [Failed(request, "no luck", 6) for request in batch.requests])
    assert (first.pending(endpoint), second.pending(endpoint)) == (0, 2)
    second.enter()  # forgets failures of its own run, not of the first
    assert (first.pending(endpoint), second.pending(endpoint)) == (0, 2)
    assert states(any_workspace, first_run) == [("failed", "no luck"), ("failed", "no luck")]
    assert states(any_workspace, second_run) == [("missing", None), ("missing", None)]
    told = results.failure_counts(any_workspace, first_run)
    assert told.select("message", "count").rows() == [("no luck", 2)]
    assert results.failure_counts(any_workspace, second_run).height == 0
    claimed = second.claim(endpoint, 0, 2, frozenset())
    second.save(endpoint, [Failed(claimed.requests[0], "other luck", 1), answer(claimed.requests[1])])
    assert states(any_workspace, first_run) == [("failed", "no luck"), ("answered", None)]
    assert states(any_workspace, second_run) == [("failed", "other luck"), ("answered", None)]
    first.enter()
    assert states(any_workspace, first_run) == [("missing", None), ("answered", None)]
    assert states(any_workspace, second_run) == [("failed", "other luck"), ("answered", None)]


def states(workspace: Workspace, run: plans.RunRecord) -> list[tuple[str, str | None]]:
    """State and, of failed items, reason of every item of a run, in its order."""
    (part,) = results.parts(workspace, run)
    found = results.responses(workspace, run, part).select("state", "reason").rows()
    return [(state, reason if state == "failed" else None) for state, reason in found]
