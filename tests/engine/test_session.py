"""Sessions against a real server process: everything ends, everything is stored, nothing is asked twice."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path

import pytest

from folkways.endpoints.base import EndpointOptions
from folkways.endpoints.prices import Price
from folkways.endpoints.registry import open_name
from folkways.engine.asking import Limits
from folkways.engine.budget import Amount, Budget, parse_budget
from folkways.engine.progress import ModelProgress
from folkways.engine.session import Crew, EndpointJob, Observer, ask
from folkways.workspace import results
from folkways.workspace.database import Workspace, WorkspaceError, open_workspace
from folkways.workspace.queue.request_queue import RequestQueue
from folkways.workspace.run_records import list_runs
from tests.support.chat_server import ChatServer
from tests.support.planned_runs import plan_prompts

PRICE = Price(1.0, 1.0)


def ask_server(
    workspace: Workspace,
    server: ChatServer,
    texts: Sequence[str],
    *,
    limits: Limits | None = None,
    budget: Amount | None = None,
    timeout: float = 30.0,
    max_body: int = 1024 * 1024,
    observer: Observer | None = None,
) -> tuple[ModelProgress, dict[str, int]]:
    """Plan ``texts``, ask the server, return the count and how many items ended in which state."""
    endpoint = open_name(f"{server.url}/v1#test-model", EndpointOptions(timeout=timeout, max_body=max_body))
    run, number = plan_prompts(workspace, endpoint.identity, texts)
    (progress,) = ask(
        workspace,
        run.id,
        [EndpointJob(endpoint, number, limits or Limits(), PRICE)],
        budget=Budget(budget),
        observer=observer,
        every=0.02,
    )
    (part,) = results.parts(workspace, run)
    states = results.responses(workspace, run, part)["state"].to_list()
    return progress, {state: states.count(state) for state in set(states)}


pytestmark = pytest.mark.usefixtures("quick_backoff")


def questions(count: int) -> list[str]:
    return [f"Question {number}: which one?\nA. a\nB. b\nC. c\nD. d" for number in range(count)]


def test_asks_everything_once_and_nothing_again(workspace: Workspace) -> None:
    with ChatServer() as server:
        progress, states = ask_server(workspace, server, questions(1000))
        again, _ = ask_server(workspace, server, questions(1000))
        stats = server.stats()
    assert states == {"answered": 1000}
    assert (progress.done, progress.failed, again.total) == (1000, 0, 0)
    assert (stats["total"], stats["distinct"]) == (1000, 1000)
    assert progress.input_tokens > 0
    assert progress.usd == pytest.approx((progress.input_tokens + progress.output_tokens) / 1e6)


BREAKS = ["cut", "drop"]
"""What ends a connection: replies that were open on it are asked for again."""
PASSES = [
    "429+after=0.2",
    "429+date=1",
    "429",
    "408",
    "500",
    "503",
    "truncated",
    "empty-choices",
    "wrong-type",
]


@pytest.mark.parametrize(
    "faults",
    [PASSES, BREAKS, *(pytest.param([one], marks=pytest.mark.nightly) for one in (*PASSES, *BREAKS))],
    ids="|".join,
)
def test_passing_trouble_is_overcome(workspace: Workspace, faults: list[str]) -> None:
    chances = {fault: 0.2 / len(faults) for fault in faults}
    with ChatServer(faults={"script": faults, "chances": chances, "seed": 5}) as server:
        progress, states = ask_server(
            workspace, server, questions(60), limits=Limits(concurrency=16, attempts=8)
        )
        stats = server.stats()
    assert states == {"answered": 60}
    assert progress.retries > 0
    assert {fault.split("+")[0] for fault in faults} <= set(stats["kinds"])
    assert stats["answered_again"] <= (30 if faults[0] in BREAKS else 0)


def test_a_burst_of_429_lowers_the_number_in_flight(workspace: Workspace) -> None:
    with ChatServer(latency=0.01, faults={"script": ["ok"] * 100 + ["429"] * 40}) as server:
        places: list[float] = []
        progress, states = ask_server(
            workspace,
            server,
            questions(1500),
            limits=Limits(concurrency=32, attempts=8),
            observer=lambda progresses: places.append(progresses[0].places),
        )
    assert states == {"answered": 1500}
    assert progress.rate_limited == 40
    assert min(place for place in places if place) < 24
    assert places[-1] == 32


def test_a_server_that_is_down_ends_the_run_with_a_reason(workspace: Workspace) -> None:
    with ChatServer() as server:
        pass  # its port is closed again, so nothing listens there
    progress, states = ask_server(
        workspace, server, questions(200), limits=Limits(concurrency=8, attempts=2, max_errors=5, wait=0)
    )
    assert progress.stopped is not None
    assert "more than 5 requests failed" in progress.stopped
    assert 5 < states["failed"] <= 5 + 8, "those on their way are waited for, and nothing new is sent"
    assert states["failed"] + states["missing"] == 200


def test_to_be_told_to_slow_down_uses_up_no_attempt(workspace: Workspace) -> None:
    with ChatServer(faults={"script": ["429"] * 3}) as server:
        progress, states = ask_server(
            workspace, server, questions(1), limits=Limits(concurrency=1, attempts=2)
        )
    assert states == {"answered": 1}
    assert progress.rate_limited == 3


@pytest.mark.parametrize(
    ("fault", "words"),
    [("401", "key"), ("404", "model"), ("400+setting=temperature", "temperature=none"), ("quota", "quota")],
)
def test_what_can_never_work_stops_at_once(workspace: Workspace, fault: str, words: str) -> None:
    with ChatServer(faults={"chances": {fault: 1.0}}) as server:
        progress, states = ask_server(workspace, server, questions(500), limits=Limits(concurrency=8))
        stats = server.stats()
    assert progress.stopped is not None
    assert words in progress.stopped
    assert stats["total"] <= 16
    assert states["missing"] >= 480


def test_stalls_and_huge_bodies_become_failures(workspace: Workspace) -> None:
    texts = [*questions(20), "[[fault:stall+seconds=3600]] slow", "[[fault:big+megabytes=50]] big"]
    with ChatServer() as server:
        progress, states = ask_server(workspace, server, texts, limits=Limits(attempts=1), timeout=1.5)
    assert states == {"answered": 20, "failed": 2}
    assert progress.failed == 2


def test_rubbish_is_stored_as_text(workspace: Workspace) -> None:
    texts = ["[[fault:rubbish]] one", "[[fault:bad-utf8]] two"]
    with ChatServer() as server:
        _, states = ask_server(workspace, server, texts, limits=Limits(attempts=2))
    assert states == {"answered": 2}
    (run,) = list_runs(workspace)
    (part,) = results.parts(workspace, run)
    rubbish, unreadable = results.responses(workspace, run, part)["response"]
    assert rubbish == "A \ufffd \ufffd \ufffd \u202e \x1b[31m \uffff end"
    assert unreadable == "A \ufffd\ufffd\ufffd"


@pytest.mark.parametrize(
    ("text", "spent"), [("100requests", "requests"), ("6ktokens", "tokens"), ("0.006usd", "usd")]
)
def test_a_budget_is_not_crossed(workspace: Workspace, text: str, spent: str) -> None:
    budget = parse_budget(text)
    with ChatServer(latency=0.005) as server:
        progress, states = ask_server(workspace, server, questions(800), budget=budget)
        stats = server.stats()
    used = {
        "requests": stats["total"],
        "tokens": progress.input_tokens + progress.output_tokens,
        "usd": progress.usd or 0.0,
    }
    limit = getattr(budget, spent)
    assert used[spent] <= limit
    assert used[spent] > 0.8 * limit
    assert progress.stopped is not None
    assert "budget" in progress.stopped
    assert states["missing"] == 800 - progress.done


def test_two_processes_worth_of_sessions_share_one_run(tmp_path: Path) -> None:
    """Two sessions at once, each with its own connection to the workspace, ask every question once between
    them."""
    path = tmp_path / "w.db"
    texts = questions(800)
    with ChatServer(latency=0.002) as server:
        workspaces = [open_workspace(path), open_workspace(path)]
        counts: list[ModelProgress] = []
        threads = [
            threading.Thread(target=lambda own=own: counts.append(ask_server(own, server, texts)[0]))
            for own in workspaces
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        stats = server.stats()
    assert (stats["total"], stats["distinct"]) == (800, 800)
    assert sum(progress.done for progress in counts) == 800


def test_a_broken_model_loses_nothing_of_the_other(workspace: Workspace) -> None:
    orders = []
    with ChatServer(latency=0.02) as good, ChatServer(faults={"chances": {"401": 1.0}}) as broken:
        for server, first in ((good, 1), (broken, 301)):
            endpoint = open_name(f"{server.url}/v1#m")
            run, number = plan_prompts(workspace, endpoint.identity, questions(300), first=first)
            orders.append(EndpointJob(endpoint, number, Limits()))
        progresses = ask(workspace, run.id, orders, every=0.02)
        stats = broken.stats()
    assert (progresses[0].done, progresses[0].stopped) == (300, None)
    assert progresses[0].usd is None
    assert "key" in (progresses[1].stopped or "")
    assert (progresses[1].done, stats["total"]) == (0, progresses[1].failed)


def test_a_heartbeat_that_fails_once_is_not_the_last(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without heartbeats another host takes this process for dead and asks again what it is asking."""
    beats: list[bool] = []

    def fails_first(_: RequestQueue) -> None:
        beats.append(True)
        if len(beats) == 1:
            raise WorkspaceError("another process has been writing for over 60 s")

    monkeypatch.setattr(RequestQueue, "heartbeat", fails_first)
    monkeypatch.setattr("folkways.engine.session.STALE_SECONDS", 0.1)
    with ChatServer(latency=0.1) as server:
        progress, _ = ask_server(workspace, server, questions(40), limits=Limits(concurrency=4))
    assert progress.done == 40
    assert len(beats) > 1


@pytest.mark.postgres
def test_a_database_server_that_drops_its_connections_costs_nothing(postgres_url: str) -> None:
    """As when it is restarted: replies wait for it, nothing is asked again and nothing is lost."""
    workspace, other = open_workspace(postgres_url), open_workspace(postgres_url)
    ended = (
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() "
        "AND "
        "pid <> pg_backend_pid()"
    )
    dropped: list[object] = []

    def drop(progresses: Sequence[ModelProgress]) -> None:
        if 0 < progresses[0].done < 150 and len(dropped) < 3:
            with other.read() as connection:
                dropped.extend(connection.exec_driver_sql(ended).all())

    with ChatServer(latency=0.05) as server:
        progress, states = ask_server(
            workspace, server, questions(200), limits=Limits(concurrency=8), observer=drop
        )
        stats = server.stats()
    assert len(dropped) >= 3
    assert (progress.done, states) == (200, {"answered": 200})
    assert (stats["total"], stats["distinct"]) == (200, 200)
    with other.read() as connection:
        assert connection.exec_driver_sql("SELECT count(*) FROM claims").scalar() == 0
    workspace.close()
    other.close()


def test_workers_of_a_crew_begin_at_places_of_their_own_and_come_round(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    claimed: list[tuple[float, int]] = []
    claim = RequestQueue.claim

    def noted(queue, endpoint, after, limit, in_flight):
        batch = claim(queue, endpoint, after, limit, in_flight)
        claimed.append((after, len(batch.requests)))
        return batch

    monkeypatch.setattr(RequestQueue, "claim", noted)
    endpoint = open_name("baseline/first")
    run, number = plan_prompts(workspace, endpoint.identity, questions(3000))
    (progress,) = ask(workspace, run.id, [EndpointJob(endpoint, number, Limits(), None)], crew=Crew("one"))
    assert (progress.done, progress.left) == (3000, 0)
    assert claimed[0][0] > 0
    assert any(after == 0 for after, _ in claimed[1:])
    assert sum(count for _, count in claimed) == 3000
