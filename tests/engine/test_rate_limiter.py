"""Concurrency follows what the server takes."""

from __future__ import annotations

import asyncio
import random
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkways.engine import rate_limiter as limiter_module
from folkways.engine.rate_limiter import BACKOFF_LONGEST, RETRY_AFTER_LONGEST, RateLimiter, backoff


@given(attempt=st.integers(1, 60), seed=st.integers())
def test_backoff_is_never_nothing_and_stays_bounded(attempt: int, seed: int) -> None:
    wait = backoff(attempt, None, random.Random(seed))
    assert 0 < wait <= BACKOFF_LONGEST


@given(attempt=st.integers(1, 60), asked=st.floats(0, 1e9))
def test_backoff_waits_at_least_as_long_as_asked_within_reason(attempt: int, asked: float) -> None:
    wait = backoff(attempt, asked, random.Random(0))
    assert min(asked, RETRY_AFTER_LONGEST) <= wait <= RETRY_AFTER_LONGEST + BACKOFF_LONGEST


def test_never_more_in_flight_than_places() -> None:
    async def scenario() -> int:
        rate_limiter, most = RateLimiter(5), 0

        async def worker() -> None:
            nonlocal most
            for _ in range(20):
                taken_at = await rate_limiter.take()
                assert taken_at is not None
                most = max(most, rate_limiter.in_flight)
                await asyncio.sleep(0)
                rate_limiter.give_back(taken_at)

        await asyncio.gather(*(worker() for _ in range(30)))
        assert rate_limiter.in_flight == 0
        return most

    assert asyncio.run(scenario()) == 5


def test_slows_down_once_per_round_and_recovers() -> None:
    rate_limiter = RateLimiter(32)
    sent_before = time.monotonic() - 1
    rate_limiter.slow_down(time.monotonic(), None)
    after_one = rate_limiter.places
    for _ in range(20):  # the rest of the same burst was sent before we slowed down
        rate_limiter.slow_down(sent_before, None)
    assert rate_limiter.places == after_one < 32
    for _ in range(2000):
        rate_limiter.succeeded()
    assert rate_limiter.places == 32


def test_never_slower_than_one_at_a_time() -> None:
    rate_limiter = RateLimiter(8)
    for _ in range(50):
        rate_limiter.slow_down(time.monotonic(), None)
    assert rate_limiter.places == 1


def test_retry_after_holds_everyone_back() -> None:
    async def scenario() -> float:
        rate_limiter = RateLimiter(4)
        rate_limiter.slow_down(time.monotonic(), 0.3)
        began = time.monotonic()
        await asyncio.gather(*(rate_limiter.take() for _ in range(2)))
        return time.monotonic() - began

    assert asyncio.run(scenario()) >= 0.29


@pytest.mark.parametrize("paused", [True, False])
def test_closing_wakes_those_who_wait(paused: bool) -> None:
    async def scenario() -> list[float | None]:
        rate_limiter = RateLimiter(1)
        if paused:
            rate_limiter.slow_down(time.monotonic(), 60)
        else:
            await rate_limiter.take()
        waiting = [asyncio.create_task(rate_limiter.take()) for _ in range(3)]
        await asyncio.sleep(0.05)
        rate_limiter.close()
        return await asyncio.wait_for(asyncio.gather(*waiting), 1)

    assert asyncio.run(scenario()) == [None, None, None]


class Lot(random.Random):
    """Draws the same number each time."""

    def __init__(self, number: float) -> None:
        super().__init__()
        self.number = number

    def random(self) -> float:
        """The number."""
        return self.number


@pytest.mark.parametrize(
    ("attempt", "ceiling"), [(1, 0.5), (2, 1.0), (3, 2.0), (6, 16.0), (7, 30.0), (60, 30.0)]
)
def test_waits_double_and_half_of_each_is_by_lot(attempt: int, ceiling: float) -> None:
    for number, share in ((0.0, 0.5), (0.5, 0.75), (1.0, 1.0)):
        assert backoff(attempt, None, Lot(number)) == pytest.approx(share * ceiling)
        assert backoff(attempt, 0.0, Lot(number)) == pytest.approx(0.1 * share * ceiling)
        assert backoff(attempt, 7.0, Lot(number)) == pytest.approx(7 + 0.1 * share * ceiling)
        assert backoff(attempt, 121.0, Lot(number)) == pytest.approx(120 + 0.1 * share * ceiling)


class Clock:
    """Seconds that go forward when a test says so."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 1000.0
        monkeypatch.setattr(limiter_module, "time", self)

    def monotonic(self) -> float:
        """Now."""
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


def test_places_shrink_once_a_round_and_grow_by_one_a_round(clock: Clock) -> None:
    rate_limiter = RateLimiter(20)
    rate_limiter.slow_down(1000.0, None)
    assert rate_limiter.places == pytest.approx(14)
    rate_limiter.slow_down(999.9, None)  # sent before we slowed down
    assert rate_limiter.places == pytest.approx(14)
    clock.now = 1010.0
    rate_limiter.slow_down(1000.0, None)  # sent at that very moment
    assert rate_limiter.places == pytest.approx(9.8)
    rate_limiter.slow_down(1009.9, None)
    rate_limiter.succeeded()
    assert rate_limiter.places == pytest.approx(9.8 + 1 / 9.8)
    for _ in range(300):
        rate_limiter.succeeded()
    assert (rate_limiter.places, RateLimiter(20).places) == (20.0, 20.0)
    small = RateLimiter(2)
    for _ in range(3):
        small.slow_down(clock.now, None)
    assert small.places == 1.0
    small.succeeded()
    assert small.places == 2.0


@pytest.mark.parametrize(("seconds", "places"), [(3.0, 32.0), (3.1, 16.0)])
def test_four_times_as_many_are_tried_unless_replies_could_then_come_too_late(
    clock: Clock, seconds: float, places: float
) -> None:
    """In four times as many requests at once the slowest reply may take four times as long."""
    rate_limiter = RateLimiter(512, first=8, timeout=12.0)
    for _ in range(7):
        clock.now += 0.1
        rate_limiter.succeeded(1.0)
    assert rate_limiter.places == 8.0
    clock.now += 0.1
    rate_limiter.succeeded(seconds)
    assert rate_limiter.places == places


def test_a_pause_lasts_as_long_as_the_longest_that_was_asked_for(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    slept: list[float] = []

    async def sleep(_limiter: RateLimiter, seconds: float) -> bool:
        slept.append(seconds)
        clock.now += seconds
        return False

    monkeypatch.setattr(RateLimiter, "closed_within", sleep)

    async def scenario() -> None:
        rate_limiter = RateLimiter(20)
        assert await rate_limiter.take() == 1000.0
        rate_limiter.slow_down(0.0, 10.0)
        rate_limiter.slow_down(0.0, 4.0)  # too old to make the places fewer, and as good a reason to wait
        assert await rate_limiter.take() == 1010.0
        assert await rate_limiter.take() == 1010.0
        rate_limiter.slow_down(1010.0, 500.0)
        assert await rate_limiter.take() == 1130.0
        assert (rate_limiter.in_flight, rate_limiter.places) == (4, pytest.approx(9.8))

    asyncio.run(scenario())
    assert slept == [10.0, 120.0]


def test_who_waits_goes_in_turn_when_places_are_free() -> None:
    async def scenario() -> None:
        rate_limiter, went, taken = RateLimiter(3), [], []

        async def go(name: str) -> None:
            taken_at = await rate_limiter.take()
            assert taken_at is not None
            went.append(name)
            taken.append(taken_at)

        for name in "abc":
            await go(name)
        waiting = {name: asyncio.create_task(go(name)) for name in "defgh"}
        await asyncio.sleep(0)
        waiting["d"].cancel()
        await asyncio.sleep(0)
        rate_limiter.give_back(taken.pop(0))
        await asyncio.sleep(0)
        assert (went, rate_limiter.in_flight) == (["a", "b", "c", "e"], 3)
        rate_limiter.places = (
            1.9  # the server asked to slow down: nobody goes until fewer than that are on their way
        )
        for left in (2, 1):
            rate_limiter.give_back(taken.pop(0))
            await asyncio.sleep(0)
            assert (went[4:], rate_limiter.in_flight) == ([], left)
        rate_limiter.give_back(taken.pop(0))
        await asyncio.sleep(0)
        assert (went[4:], rate_limiter.in_flight) == (["f"], 1)
        rate_limiter.places = 3.0
        rate_limiter.give_back(taken.pop(0))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert (went[4:], rate_limiter.in_flight) == (["f", "g", "h"], 2)

    asyncio.run(scenario())


def test_a_closed_pace_gives_no_place_and_wakes_those_who_sleep() -> None:
    async def scenario() -> None:
        rate_limiter = RateLimiter(1)
        assert await rate_limiter.closed_within(0.0) is False
        assert (rate_limiter.closed, await rate_limiter.take() is None) == (False, False)
        sleeping = asyncio.create_task(rate_limiter.closed_within(3600))
        waiting = [asyncio.create_task(rate_limiter.take()) for _ in range(3)]
        await asyncio.sleep(0)
        waiting[0].cancel()
        await asyncio.sleep(0)
        rate_limiter.close()
        rate_limiter.close()
        assert await sleeping is True
        assert await asyncio.gather(*waiting[1:]) == [None, None]
        assert (rate_limiter.closed, await rate_limiter.take(), rate_limiter.in_flight) == (True, None, 1)
        rate_limiter.give_back(rate_limiter.longest_at)
        assert await rate_limiter.take() is None

    asyncio.run(asyncio.wait_for(scenario(), 5))
