"""Servers that work on few requests at once, as those on somebody's own machine do: nothing waits there until
its time is over."""

from __future__ import annotations

import time

import pytest

from folkways.engine.asking import Limits
from folkways.workspace.database import Workspace
from tests.engine.test_session import ask_server, questions
from tests.support.chat_server import ChatServer


def test_a_server_that_tells_its_slots_gets_so_many(workspace: Workspace) -> None:
    with ChatServer(slots=4, tells_slots=True, latency=0.3) as server:
        began = time.monotonic()
        progress, states = ask_server(workspace, server, questions(20), timeout=1.0)
        took = time.monotonic() - began
        most = server.stats()["most_in_flight"]
    assert (states, progress.retries, most) == ({"answered": 20}, 0, 4)
    assert took < 2 * 20 / 4 * 0.3


@pytest.mark.parametrize(
    ("slots", "latency"), [pytest.param(1, 0.15, marks=pytest.mark.nightly), (4, 0.15)]
)  # in a clock that jumps, test_learning has both
def test_of_a_server_that_tells_nothing_the_slots_are_found(
    workspace: Workspace, slots: int, latency: float
) -> None:
    """With 64 requests at once each would wait for 64 / slots replies, longer than the timeout."""
    with ChatServer(slots=slots, latency=latency) as server:
        began = time.monotonic()
        progress, states = ask_server(workspace, server, questions(25 * slots), timeout=2.25)
        took = time.monotonic() - began
        most = server.stats()["most_in_flight"]
    assert (states, progress.retries) == ({"answered": 25 * slots}, 0)
    assert most <= 8 * max(slots, 2)
    assert took < 2 * 25 * latency + 1


@pytest.mark.parametrize("refusal", ["503", "drop"])
def test_a_server_of_two_places_fails_nothing(workspace: Workspace, refusal: str) -> None:
    with ChatServer(places=2, refusal=refusal, latency=0.1) as server:
        progress, states = ask_server(workspace, server, questions(20), timeout=20.0)
    assert (states, progress.failed) == ({"answered": 20}, 0)
    assert 0 < progress.retries < 40


def test_a_server_that_takes_many_soon_gets_many(workspace: Workspace) -> None:
    with ChatServer(latency=0.1) as server:
        _, states = ask_server(workspace, server, questions(400), timeout=5.0)
        most = server.stats()["most_in_flight"]
    assert states == {"answered": 400}
    assert most >= 16


@pytest.mark.parametrize(("waiting", "at_once"), [(0, True), (7, False)])
def test_vllm_tells_whether_anybody_waits_there(workspace: Workspace, waiting: int, at_once: bool) -> None:
    """Where nobody does, all are sent at once; elsewhere two to begin with, then four, and so on."""
    page = f"""# TYPE vllm:num_requests_waiting gauge
vllm:num_requests_waiting{{engine="0",model_name="m"}} 0.0
vllm:num_requests_waiting{{engine="1",model_name="m"}} {waiting:.1f}
"""
    with ChatServer(latency=0.4, metrics=page) as server:
        _, states = ask_server(workspace, server, questions(24), timeout=5.0)
        assert (states, server.stats()["most_in_flight"] > 16) == ({"answered": 24}, at_once)


def test_for_a_single_question_nobody_asks_how_many_it_takes(workspace: Workspace) -> None:
    with ChatServer(slots=4, tells_slots=True) as server:
        before = server.stats()["connections"]
        ask_server(workspace, server, questions(1), timeout=5.0)
        assert server.stats()["connections"] - before == 2, "that of the question, and that of these figures"


def test_what_the_user_says_is_what_is_sent_from_the_first_request_on(workspace: Workspace) -> None:
    with ChatServer(slots=4, tells_slots=True, latency=0.1) as server:
        ask_server(workspace, server, questions(30), limits=Limits(concurrency=12), timeout=5.0)
        assert server.stats()["most_in_flight"] == 12


def test_timeouts_are_congestion(workspace: Workspace) -> None:
    """Somebody asked for too many at once: the first ones run out of time, then fewer are sent, and all get
    their answer."""
    with ChatServer(slots=2, latency=0.15) as server:
        progress, states = ask_server(
            workspace, server, questions(26), limits=Limits(concurrency=16), timeout=0.54
        )
    assert states == {"answered": 26}
    assert 0 < progress.retries < 52  # a request may run out of time twice while places fall from 16 to 2
    assert progress.places < 8


def test_a_first_round_without_a_reply_is_told_at_once(workspace: Workspace) -> None:
    warnings: list[str | None] = []
    with ChatServer(latency=30) as server:
        progress, states = ask_server(
            workspace,
            server,
            questions(6),
            limits=Limits(attempts=1, concurrency=3),
            timeout=0.3,
            observer=lambda models: warnings.append(models[0].warning),
        )
    assert states == {"failed": 6}
    assert warnings[0] is None
    assert progress.warning == warnings[-1]
    for part in ("none of the first 3 requests", "timeout=", "concurrency="):
        assert part in str(progress.warning)
