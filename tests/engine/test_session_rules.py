"""What a session does beside asking: it ends together, beats, shows its counts, and heeds signals. Without a
server."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import sqlalchemy as sa

from folkways.endpoints.base import Completion, Request
from folkways.endpoints.prices import Price
from folkways.engine import session
from folkways.engine.asking import Limits
from folkways.engine.budget import Budget, parse_budget
from folkways.engine.progress import ModelProgress
from folkways.engine.session import EndpointJob, ask
from folkways.errors import FolkwaysError
from folkways.workspace import schema
from folkways.workspace.database import Workspace
from folkways.workspace.database_errors import WorkspaceError
from folkways.workspace.queue.request_queue import RequestQueue
from tests.support.planned_runs import plan_prompts

Answer = Callable[[Request], Awaitable[None]]


async def at_once(_request: Request) -> None:
    """Nothing to wait for."""
    await asyncio.sleep(0)


class Own:
    """An endpoint of the test's own."""

    item_addressed = local = False
    default_concurrency = 1

    def __init__(self, name: str, before: Answer = at_once, trouble: Exception | None = None) -> None:
        self.name = self.identity = name
        self.before = before
        self.trouble = trouble
        self.asked = 0

    async def open(self, concurrency: int) -> None:
        """As long as there is no trouble."""
        if self.trouble is not None:
            raise self.trouble

    async def close(self) -> None:
        """Nothing to release."""

    async def complete(self, request: Request) -> Completion:
        """A, after whatever comes before."""
        self.asked += 1
        await self.before(request)
        return Completion("A", input_tokens=1, output_tokens=1)


def ask_all(workspace: Workspace, *endpoints: Own, count: int = 20, **options: Any) -> list[ModelProgress]:
    orders = []
    for place, endpoint in enumerate(endpoints):
        texts = [f"question {number}" for number in range(count)]
        run, number = plan_prompts(workspace, endpoint.identity, texts, first=1 + place * count)
        orders.append(
            EndpointJob(
                endpoint,
                number,
                Limits(concurrency=1),
                Price(1.0, 1.0) if place else None,
                f"my {endpoint.name}",
            )
        )
    return ask(workspace, run.id, orders, **options)


def stored(workspace: Workspace, table: sa.Table = schema.responses) -> int:
    with workspace.read() as connection:
        return int(connection.scalar(sa.select(sa.func.count()).select_from(table)) or 0)


def test_models_are_asked_together_and_counted_each_by_its_name(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    beats: list[object] = []
    monkeypatch.setattr(RequestQueue, "heartbeat", beats.append)
    shown: list[list[int]] = []
    begun: set[str] = set()

    def waits_for_the_other(name: str) -> Answer:
        async def before(_request: Request) -> None:
            begun.add(name)
            async with asyncio.timeout(5):  # one after the other, the first would wait in vain
                while len(begun) < 2:
                    await asyncio.sleep(0.001)

        return before

    progresses = ask_all(
        workspace,
        Own("a", waits_for_the_other("a")),
        Own("b", waits_for_the_other("b")),
        observer=lambda progresses: shown.append([progress.done for progress in progresses]),
        every=3600.0,
    )
    assert [(progress.endpoint, progress.done, progress.usd) for progress in progresses] == [
        ("my a", 20, None),
        ("my b", 20, pytest.approx(4e-5)),
    ]
    assert shown == [[20, 20]]  # once at the end
    assert (beats, stored(workspace), stored(workspace, schema.workers)) == ([], 40, 0)


def test_a_budget_is_of_all_models_together(workspace: Workspace) -> None:
    one, other = Own("a"), Own("b")
    ask_all(workspace, one, other, budget=Budget(parse_budget("7requests")))
    assert one.asked + other.asked == 7 == stored(workspace)


def test_a_model_that_cannot_go_on_stops_the_others_and_is_the_error(workspace: Workspace) -> None:
    async def slowly(_request: Request) -> None:
        await asyncio.sleep(0.002)

    shown: list[list[ModelProgress]] = []
    good, broken = Own("good", slowly), Own("broken", trouble=FolkwaysError("no such model"))
    with pytest.raises(FolkwaysError, match="no such model"):
        ask_all(
            workspace, good, broken, count=500, observer=lambda progresses: shown.append(list(progresses))
        )
    assert stored(workspace) == good.asked == shown[-1][0].done < 500
    assert "another model" in str(shown[-1][0].stopped)
    assert stored(workspace, schema.workers) == 0


def test_it_works_from_inside_a_running_loop_too(workspace: Workspace) -> None:
    async def notebook() -> list[ModelProgress]:
        return ask_all(workspace, Own("a"))

    assert [progress.done for progress in asyncio.run(notebook())] == [20]


@pytest.mark.parametrize("signals", [1, 2, 3])
def test_the_first_signal_waits_for_what_is_on_its_way_and_the_second_gives_it_up(
    workspace: Workspace, default_signals: None, signals: int
) -> None:
    async def interrupted(_request: Request) -> None:
        if own.asked == 5:
            for _ in range(signals):
                signal.raise_signal(signal.SIGINT)
            await asyncio.sleep(0.01 if signals == 1 else 3600)

    own = Own("a", interrupted)
    (progress,) = ask_all(workspace, own)
    assert progress.stopped == "interrupted"
    assert (own.asked, progress.done, stored(workspace)) == ((5, 5, 5) if signals == 1 else (5, 4, 4))
    assert stored(workspace, schema.claims) == 0


def test_it_shows_its_counts_at_every_turn_and_beats_four_times_before_it_is_taken_for_dead(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ninety seconds without a beat are too many. A beat that cannot be written is not the last."""
    now = 0.0
    shown: list[float] = []
    beats: list[float] = []

    async def sleep(seconds: float) -> None:
        nonlocal now
        now += seconds
        if now > 100:
            raise asyncio.CancelledError

    def heartbeat(_ledger: RequestQueue) -> None:
        beats.append(now)
        raise WorkspaceError("locked")

    monkeypatch.setattr(session.time, "monotonic", lambda: now)
    monkeypatch.setattr(session.asyncio, "sleep", sleep)
    monkeypatch.setattr(RequestQueue, "heartbeat", heartbeat)

    async def tick(every: float, observed: bool) -> None:
        with ThreadPoolExecutor(1) as database, pytest.raises(asyncio.CancelledError):
            await session.show_and_beat(
                RequestQueue(workspace, 1),
                database,
                (lambda _: shown.append(now)) if observed else None,
                [],
                every,
            )

    asyncio.run(tick(7.5, True))
    assert (shown, beats) == ([7.5 * turn for turn in range(1, 14)], [30.0, 60.0, 90.0])
    now = 0.0
    beats.clear()
    asyncio.run(tick(22.6, False))
    assert (len(shown), beats) == (13, pytest.approx([22.6, 45.2, 67.8, 90.4]))
