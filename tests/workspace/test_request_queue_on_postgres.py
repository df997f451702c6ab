"""Several workers on a PostgreSQL server: who saves waits for nobody, and yet nothing is handed out twice."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import Any

import pytest
import sqlalchemy as sa

from folkways.endpoints.base import Completion, Request
from folkways.workspace import insertions
from folkways.workspace.database import Workspace, open_workspace
from folkways.workspace.queue.request_queue import RequestQueue
from folkways.workspace.queue.request_rows import AnsweredRequest
from tests.support.planned_runs import plan_prompts

pytestmark = pytest.mark.postgres

WAIT_SECONDS = 20.0
SOON_SECONDS = 0.5


@pytest.fixture
def workspace(postgres_url: str) -> Iterator[Workspace]:
    opened = open_workspace(postgres_url)
    yield opened
    opened.close()


def enter(workspace: Workspace, run_id: int) -> RequestQueue:
    request_queue = RequestQueue(workspace, run_id)
    request_queue.enter()
    return request_queue


def answers(requests: tuple[Request, ...]) -> list[AnsweredRequest]:
    return [AnsweredRequest(request, Completion(text="A"), seconds=0.1, attempts=1) for request in requests]


@contextmanager
def after_query(
    workspace: Workspace, table: str, act: Callable[[sa.Connection, str, Any], None]
) -> Iterator[None]:
    """Do ``act`` once, when the next query of ``table`` has been answered and before anything else."""
    done = False

    def heard(
        connection: sa.Connection, _cursor: object, statement: str, parameters: Any, *_: object
    ) -> None:
        nonlocal done
        if not done and statement.startswith("SELECT") and f"FROM {table}" in statement.replace("\n", ""):
            done = True
            act(connection, statement, parameters)

    sa.event.listen(workspace.engine, "after_cursor_execute", heard)
    yield
    sa.event.remove(workspace.engine, "after_cursor_execute", heard)
    assert done


def test_saving_waits_for_no_other_writer(workspace: Workspace) -> None:
    run, endpoint = plan_prompts(workspace, "m", ["one", "two"])
    first, second = enter(workspace, run.id), enter(workspace, run.id)
    (mine,) = first.claim(endpoint, 0, 1, frozenset()).requests
    with ThreadPoolExecutor() as threads, workspace.write():
        threads.submit(first.save, endpoint, answers((mine,))).result(WAIT_SECONDS)
        threads.submit(first.heartbeat).result(WAIT_SECONDS)
        (theirs,) = threads.submit(second.claim, endpoint, 0, 2, frozenset()).result(WAIT_SECONDS).requests
        threads.submit(second.give_back, {theirs.key}).result(WAIT_SECONDS)
    assert first.standing(endpoint) == (1, 1)


@pytest.mark.parametrize("table", ["claims", "expected"])
def test_what_is_saved_while_another_claims_is_not_handed_out_again(workspace: Workspace, table: str) -> None:
    """The claim ends with its responses: whoever has seen neither would ask again."""
    run, endpoint = plan_prompts(workspace, "m", ["one", "two", "three"])
    first, second = enter(workspace, run.id), enter(workspace, run.id)
    mine = first.claim(endpoint, 0, 2, frozenset()).requests
    with after_query(workspace, table, lambda *_: first.save(endpoint, answers(mine))):
        theirs = second.claim(endpoint, 0, 9, frozenset()).requests
    assert [request.user for request in theirs] == ["three"]
    assert first.standing(endpoint) == (1, 2)


@pytest.mark.parametrize("table", ["claims", "expected"])
def test_who_claims_at_the_same_time_gets_other_requests(workspace: Workspace, table: str) -> None:
    """Also in another run that expects the same; requests to another endpoint are no matter of theirs."""
    run, endpoint = plan_prompts(workspace, "m", ["one", "two", "three"])
    _, far = plan_prompts(workspace, "n", ["one"], first=4)
    other, _ = plan_prompts(workspace, "m", ["one", "two", "three"], config="another")
    first, second, third = enter(workspace, run.id), enter(workspace, other.id), enter(workspace, run.id)
    with ThreadPoolExecutor() as threads:
        waiting = []

        def compete(*_: object) -> None:
            waiting.append(threads.submit(second.claim, endpoint, 0, 9, frozenset()))
            assert not wait(waiting, SOON_SECONDS).done
            assert len(threads.submit(third.claim, far, 0, 9, frozenset()).result(WAIT_SECONDS).requests) == 1

        with after_query(workspace, table, compete):
            mine = first.claim(endpoint, 0, 2, frozenset()).requests
        theirs = waiting[0].result(WAIT_SECONDS).requests
    assert [request.user for request in mine] == ["one", "two"]
    assert [request.user for request in theirs] == ["three"]


def test_two_who_save_the_same_in_another_order_do_not_lock_each_other_out(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As after a process that slept was taken for dead: its requests were asked by another one too."""
    monkeypatch.setattr(insertions, "ROWS_PER_STATEMENT", 1)  # they meet somewhere in the middle
    run, endpoint = plan_prompts(workspace, "m", [f"question {number}" for number in range(200)])
    first, second = enter(workspace, run.id), enter(workspace, run.id)
    requests = first.claim(endpoint, 0, 200, frozenset()).requests
    with ThreadPoolExecutor() as threads:
        for start in range(0, 200, 40):
            batch = answers(requests[start : start + 40])
            both = [
                threads.submit(first.save, endpoint, batch),
                threads.submit(second.save, endpoint, batch[::-1]),
            ]
            for saved in both:
                saved.result(WAIT_SECONDS)
    assert first.standing(endpoint) == (0, 200)


def test_a_claim_reads_no_more_than_it_takes(workspace: Workspace) -> None:
    """Of a run that was planned a moment ago, which PostgreSQL knows nothing about."""
    run, endpoint = plan_prompts(workspace, "m", [f"question {number}" for number in range(3000)])
    request_queue = enter(workspace, run.id)
    plans: list[str] = []

    def explain(connection: sa.Connection, statement: str, parameters: Any) -> None:
        rows = connection.exec_driver_sql(f"EXPLAIN (ANALYZE, TIMING OFF) {statement}", parameters)
        plans.append("\n".join(rows.scalars()))

    after = 0
    for _ in range(8):  # with the plan of a first time, and with that of a prepared statement
        with after_query(workspace, "expected", explain):
            after = request_queue.claim(endpoint, after, 20, frozenset()).last
    assert after == 160
    for plan in plans:
        assert "Sort" not in plan
        assert "Hash" not in plan
        assert "rows=20.00 loops=1" in next(line for line in plan.splitlines() if " on expected " in line), (
            plan
        )
