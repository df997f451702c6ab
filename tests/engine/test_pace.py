"""Concurrency follows what the server takes."""

from __future__ import annotations

import asyncio
import random
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkways.engine.pace import BACKOFF_LONGEST, RETRY_AFTER_LONGEST, Pace, backoff


@given(attempt=st.integers(1, 60), seed=st.integers())
def test_backoff_grows_but_stays_bounded(attempt: int, seed: int) -> None:
    wait = backoff(attempt, None, random.Random(seed))
    assert 0 < wait <= BACKOFF_LONGEST


@given(attempt=st.integers(1, 60), asked=st.floats(0, 1e9))
def test_backoff_waits_at_least_as_long_as_asked_within_reason(attempt: int, asked: float) -> None:
    wait = backoff(attempt, asked, random.Random(0))
    assert min(asked, RETRY_AFTER_LONGEST) <= wait <= RETRY_AFTER_LONGEST + BACKOFF_LONGEST


def test_never_more_in_flight_than_places() -> None:
    async def scenario() -> int:
        pace, most = Pace(5), 0

        async def worker() -> None:
            nonlocal most
            for _ in range(20):
                assert await pace.take() is not None
                most = max(most, pace.in_flight)
                await asyncio.sleep(0)
                pace.give_back()

        await asyncio.gather(*(worker() for _ in range(30)))
        assert pace.in_flight == 0
        return most

    assert asyncio.run(scenario()) == 5


def test_slows_down_once_per_round_and_recovers() -> None:
    pace = Pace(32)
    sent_before = time.monotonic() - 1
    pace.slow_down(time.monotonic(), None)
    after_one = pace.places
    for _ in range(20):  # the rest of the same burst was sent before we slowed down
        pace.slow_down(sent_before, None)
    assert pace.places == after_one < 32
    for _ in range(2000):
        pace.succeeded()
    assert pace.places == 32


def test_never_slower_than_one_at_a_time() -> None:
    pace = Pace(8)
    for _ in range(50):
        pace.slow_down(time.monotonic(), None)
    assert pace.places == 1


def test_retry_after_holds_everyone_back() -> None:
    async def scenario() -> float:
        pace = Pace(4)
        pace.slow_down(time.monotonic(), 0.3)
        began = time.monotonic()
        await asyncio.gather(*(pace.take() for _ in range(2)))
        return time.monotonic() - began

    assert asyncio.run(scenario()) >= 0.29


@pytest.mark.parametrize("paused", [True, False])
def test_closing_wakes_those_who_wait(paused: bool) -> None:
    async def scenario() -> list[float | None]:
        pace = Pace(1)
        if paused:
            pace.slow_down(time.monotonic(), 60)
        else:
            await pace.take()
        waiting = [asyncio.create_task(pace.take()) for _ in range(3)]
        await asyncio.sleep(0.05)
        pace.close()
        return await asyncio.wait_for(asyncio.gather(*waiting), 1)

    assert asyncio.run(scenario()) == [None, None, None]
