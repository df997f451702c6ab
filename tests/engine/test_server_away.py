"""A server that refuses connections is waited for: with real processes that are stopped and started again."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack

import pytest

from folkways.endpoints.base import EndpointFailure, EndpointOptions
from folkways.endpoints.registry import open_name
from folkways.endpoints.servers.connections import LONGEST_STRETCH
from folkways.engine import server as module
from folkways.engine.asking import Limits
from folkways.engine.budget import Amount, Budget, BudgetDecision
from folkways.engine.progress import ModelProgress
from folkways.engine.rate_limiter import RateLimiter
from folkways.engine.server import Server, Sign
from folkways.engine.session import EndpointJob, ask
from folkways.workspace.database import Workspace
from tests.engine.test_session import ask_server, questions
from tests.support.chat_server import ChatServer
from tests.support.command_line import wait_for
from tests.support.planned_runs import plan_prompts

COUNT = 300


@pytest.fixture
def quick_retry(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that is away is tried again twice a second."""
    monkeypatch.setattr(module, "FIRST_PAUSE", 0.2)
    monkeypatch.setattr(module, "LONGEST_PAUSE", 0.5)


class RestartedServer:
    """A server that stops once ``when`` has come, and starts again at the same port after some seconds, with
    other settings."""

    def __init__(self, seconds: float, **settings: object) -> None:
        self.first = ChatServer(latency=0.02).__enter__()
        self.url = self.first.url
        self.totals: list[int] = []
        self._seconds, self._settings = seconds, settings
        self._ending = ExitStack()
        self._thread: threading.Thread | None = None

    def restart(self, when: Callable[[], bool]) -> None:
        self._thread = threading.Thread(target=self._restart, args=(when,))
        self._thread.start()

    def _restart(self, when: Callable[[], bool]) -> None:
        wait_for(when)
        self.totals.append(self.first.stats()["total"])
        self.first.__exit__(None, None, None)
        time.sleep(self._seconds)
        port = int(self.url.rpartition(":")[2])
        self.second = self._ending.enter_context(ChatServer(port=port, **self._settings))

    def close(self) -> None:
        if self._thread is not None:
            self._thread.join()
        self._ending.close()


@pytest.fixture
def closed_port() -> Iterator[int]:
    """A port at which nobody listens, nor begins to while the test runs."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield int(taken.getsockname()[1])


@pytest.mark.usefixtures("quick_retry")
@pytest.mark.parametrize(
    "settings",
    [
        pytest.param({}, id="at once", marks=pytest.mark.nightly),
        pytest.param({"faults": {"script": ["503"] * 3}}, id="while it loads"),
    ],
)
def test_a_server_that_is_restarted_costs_no_failure_and_no_attempt(
    workspace: Workspace, settings: dict[str, object]
) -> None:
    """What was on its way when it ended has used one attempt; what was refused, none."""
    server = RestartedServer(1.0, **settings)
    seen: list[tuple[str | None, int, int]] = []
    asked = threading.Event()

    def observe(models: Sequence[ModelProgress]) -> None:
        (model,) = models
        seen.append((model.away, model.in_flight, model.done))
        if model.done > 50:
            asked.set()

    try:
        server.restart(asked.is_set)
        limits = Limits(concurrency=8, attempts=2)
        progress, states = ask_server(
            workspace,
            server.first,
            questions(COUNT),
            limits=limits,
            budget=Amount(COUNT + 100, 10_000_000, 1000.0),
            observer=observe,
        )
        again = server.second.stats()
    finally:
        server.close()
    assert states == {"answered": COUNT}
    assert (progress.done, progress.failed, progress.stopped, progress.away) == (COUNT, 0, None, None)
    unsure = 8 * LONGEST_STRETCH  # replies at most that were open on the connections that broke
    assert progress.retries <= 8 + unsure
    assert {"connection refused"} <= {away for away, _, _ in seen if away}
    assert max(in_flight for away, in_flight, _ in seen if away) <= 8
    # Those on their way and those that were open are asked again, and those that the server did not yet take;
    # no other.
    assert COUNT <= server.totals[0] + again["total"] <= COUNT + 8 + 3 + unsure
    assert again["answered_again"] == 0
    assert again["most_in_flight"] <= 8


def test_after_the_wait_the_model_is_given_up_and_nothing_is_lost(
    workspace: Workspace, closed_port: int
) -> None:
    endpoint = open_name(f"http://127.0.0.1:{closed_port}/v1#m", EndpointOptions())
    run, number = plan_prompts(workspace, endpoint.identity, questions(40))
    budget, began = Budget(Amount(40, 1_000_000, 1000.0)), time.monotonic()
    (progress,) = ask(
        workspace, run.id, [EndpointJob(endpoint, number, Limits(attempts=1, wait=1.0))], budget=budget
    )
    assert time.monotonic() - began >= 1.0
    assert "the server was waited for 1 s and is not back" in str(progress.stopped)
    assert "no connection to http://127.0.0.1" in str(progress.stopped)
    assert (progress.done, progress.failed, progress.retries, progress.left) == (0, 0, 0, 40)
    assert (budget.requests, budget.tokens) == (0, 0)
    assert budget.reserve(Amount(*budget.unspent())) is BudgetDecision.GO, "nothing stays set aside"


@pytest.mark.usefixtures("quick_retry")
def test_the_other_model_goes_on_with_the_same_budget(workspace: Workspace, closed_port: int) -> None:
    """The one that waits keeps nothing of the budget from it: there is just enough for the other."""
    with ChatServer() as server:
        names = (f"http://127.0.0.1:{closed_port}/v1#m", f"{server.url}/v1#there")
        endpoints = [open_name(name, EndpointOptions()) for name in names]
        orders = []
        for place, endpoint in enumerate(endpoints):
            run, number = plan_prompts(workspace, endpoint.identity, questions(40), first=1 + 40 * place)
            orders.append(EndpointJob(endpoint, number, Limits(concurrency=4, wait=2.0)))
        moments: list[float] = []

        def observe(models: Sequence[ModelProgress]) -> None:
            if models[1].left == 0 and models[0].seconds_to_wait:
                moments.append(models[0].seconds_to_wait)

        budget = Budget(Amount(41, float("inf"), float("inf")))
        away, there = ask(workspace, run.id, orders, budget=budget, observer=observe, every=0.05)
    assert (there.done, there.failed, there.stopped) == (40, 0, None)
    assert "is not back" in str(away.stopped)
    assert moments, "the other one was done while this one was waited for"


def test_a_name_that_never_was_known_is_not_waited_for(workspace: Workspace) -> None:
    endpoint = open_name("http://no-such-host.invalid/v1#m", EndpointOptions())
    run, number = plan_prompts(workspace, endpoint.identity, questions(2))
    (progress,) = ask(workspace, run.id, [EndpointJob(endpoint, number, Limits(attempts=1))])
    assert (progress.failed, progress.away, progress.stopped) == (2, None, None)


GONE = EndpointFailure("gone", retryable=True, unreachable="connection refused")
LOST = EndpointFailure("lost", retryable=True)
LOADING = EndpointFailure("loading", retryable=True, status=503)
BAD = EndpointFailure("bad", status=400)
SLOW = EndpointFailure("slow", retryable=True, timed_out=True)


class Now:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.now = 1000.0

    def monotonic(self) -> float:
        """Now."""
        return self.now


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> Now:
    clock = Now()
    monkeypatch.setattr(module, "time", clock)
    monkeypatch.setattr("folkways.engine.rate_limiter.time", clock)
    return clock


def watched(wait: float = 300.0) -> tuple[Server, RateLimiter, ModelProgress, list[str]]:
    limiter, progress, reasons = RateLimiter(8), ModelProgress("m"), list[str]()
    return Server(limiter, progress, wait, reasons.append), limiter, progress, reasons


def test_pauses_grow_and_what_was_sent_before_changes_nothing(now: Now) -> None:
    server, limiter, progress, reasons = watched(60.0)
    early = now.now
    now.now += 1
    pauses = []
    while not reasons:
        assert server.failed(GONE, now.now) is Sign.AWAY
        held = limiter.paused_until
        for _ in range(7):
            now.now += 0.01
            assert server.failed(GONE, early) is Sign.AWAY, "it was on its way with the first one"
        server.answered(early, 1.0)
        assert (limiter.places, limiter.paused_until, progress.away) == (1.0, held, "connection refused")
        pauses.append(round(held - now.now + 0.07, 1))
        now.now = held
    assert pauses[:6] == [1, 2, 4, 8, 10, 10]
    assert sum(pauses) == pytest.approx(60.0)
    assert reasons[0].startswith("the server was waited for 60 s and is not back; the last error was: gone")


@pytest.mark.parametrize(
    ("failure", "still"), [(GONE, True), (LOST, True), (LOADING, True), (BAD, False), (SLOW, False)]
)
def test_only_while_it_is_waited_for_a_server_that_loads_is_away(
    now: Now, failure: EndpointFailure, still: bool
) -> None:
    server, limiter, progress, _ = watched()
    assert (server.failed(failure, now.now) is Sign.AWAY) == (failure is GONE)
    now.now += 100
    server.failed(GONE, now.now)
    before = now.now
    now.now = limiter.paused_until
    assert (server.failed(failure, before - 1) is Sign.AWAY) == (failure is GONE), (
        "one sent before tells nothing of now"
    )
    assert progress.away == "connection refused"
    assert (server.failed(failure, now.now) is Sign.AWAY) is still
    assert (progress.away is not None) is still


def test_after_the_wait_it_begins_with_one_request_and_comes_back_to_what_it_had(now: Now) -> None:
    server, limiter, progress, _ = watched()
    server.failed(GONE, now.now)
    assert (limiter.places, progress.places) == (1.0, 1.0)
    now.now += 2
    for _ in range(100):
        server.answered(now.now, 0.1)
    assert (limiter.places, progress.away) == (8.0, None)
    server.failed(GONE, now.now)
    assert progress.away_until == now.now + 300, "the next time it is waited for as long again"


def test_with_no_wait_a_refusal_is_a_failure_like_any_other(now: Now) -> None:
    server, limiter, progress, _ = watched(0.0)
    assert server.failed(GONE, now.now) is Sign.FAILED
    assert (limiter.places, progress.away, progress.last_error) == (8.0, None, "gone")
