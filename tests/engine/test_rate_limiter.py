"""Concurrency follows what the server takes."""

from __future__ import annotations

import asyncio
import random
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkways.engine import rate_limiter as limiter_module
from folkways.engine.rate_limiter import BACKOFF_LONGEST, RETRY_AFTER_LONGEST, WINDOW, RateLimiter, backoff


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


def replies(rate_limiter: RateLimiter, clock: Clock, seconds: float) -> tuple[int, float, str]:
    """Let replies come that take so long each, as many at a time as there are places, until that number or the
    reason for it changes: how many came, and what it is then."""
    places, before = rate_limiter.places, (rate_limiter.places, rate_limiter.why)
    for number in range(1, 2000):
        clock.now += seconds / places
        rate_limiter.succeeded(seconds)
        if (rate_limiter.places, rate_limiter.why) != before:
            return number, rate_limiter.places, rate_limiter.why
    raise AssertionError("nothing changes")


FINDING, NO_MORE, LATE = "finding out how many it takes", "more bring no more", "more come too late"
STEPS: dict[str, tuple[dict[str, float], list[tuple[float, tuple[int, float, str]]]]] = {
    # seconds of each reply -> how many come until the next change, and what there is then
    "as many as there may be": (
        {"limit": 100, "first": 2},
        [
            (1.0, (2, 8.0, FINDING)),
            (1.0, (8, 32.0, FINDING)),
            (1.0, (32, 100.0, FINDING)),
            (1.0, (100, 100.0, "")),
        ],
    ),
    "no step makes them much later, though all together do": (
        {"limit": 1024, "first": 8, "timeout": 3.5},
        # four times one second would be longer than the timeout; once a step has done no harm four are tried
        [(1.0, (8, 16.0, FINDING)), (1.24, (16, 64.0, FINDING)), (1.53, (64, 256.0, FINDING))],
    ),
    "each step brings a little": (
        {"limit": 1024, "first": 8, "timeout": 12.0},
        # 8, then 10 a second: kept, seen once more, and doubled; 64 bring no more than 32, now and later
        [
            (1.0, (8, 32.0, FINDING)),
            (3.2, (64, 64.0, FINDING)),
            (6.4, (64, 32.0, NO_MORE)),
            (3.2, (64, 64.0, NO_MORE)),
            (6.4, (64, 32.0, NO_MORE)),
            (3.2, (128, 64.0, NO_MORE)),
        ],
    ),
    "more would come too late": (
        {"limit": 1024, "first": 8, "timeout": 8.0},
        # twice 3.4 seconds are more than four fifths of 8: after a long rest it is tried all the same
        [(1.0, (8, 32.0, FINDING)), (3.4, (64, 32.0, LATE)), (3.4, (256, 64.0, LATE))],
    ),
    "half of the large step is right": (
        {"limit": 1024, "first": 8},
        [
            (1.0, (8, 32.0, FINDING)),
            (4.0, (32, 16.0, FINDING)),
            (1.25, (16, 16.0, NO_MORE)),
            (1.25, (32, 32.0, NO_MORE)),
        ],
    ),
    "neither the large step nor half of it": (
        {"limit": 1024, "first": 8},
        [
            (1.0, (8, 32.0, FINDING)),
            (4.0, (32, 16.0, FINDING)),
            (2.0, (16, 8.0, NO_MORE)),
            (1.0, (16, 16.0, NO_MORE)),
            (1.0, (16, 64.0, FINDING)),
        ],
    ),
    "they come much slower": (
        {"limit": 1024, "first": 8},
        # at 16 replies' time fewer than half of them have come: the end need not be awaited
        [(1.0, (8, 32.0, FINDING)), (10.0, (7, 16.0, FINDING))],
    ),
}


@pytest.mark.parametrize(("limits", "steps"), STEPS.values(), ids=STEPS)
def test_more_are_tried_kept_or_taken_back_by_what_they_bring(
    clock: Clock, limits: dict[str, float], steps: list[tuple[float, tuple[int, float, str]]]
) -> None:
    rate_limiter = RateLimiter(**limits)  # type: ignore[arg-type]
    assert (rate_limiter.places, rate_limiter.why) == (limits["first"], FINDING)
    assert [replies(rate_limiter, clock, seconds) for seconds, _ in steps] == [after for _, after in steps]


@pytest.mark.parametrize(
    ("places", "beside", "answered", "left"),
    [
        (32, 2, 0, (32, 2.0)),  # it works on two while others are refused
        (32, 0, 0, (32, 1.0)),
        (4, 2, 0, (8, 2.0)),
        (32, 22, 0, (32, 22.0)),
        (32, 23, 0, None),  # so many that it is by chance
        (8, 2, 25, (9, 2.0)),  # less than a quarter is by chance
    ],
)
def test_as_many_are_left_as_a_server_works_on_while_it_refuses_others(
    clock: Clock, places: int, beside: int, answered: int, left: tuple[int, float] | None
) -> None:
    rate_limiter = RateLimiter(places)
    for _ in range(answered):
        rate_limiter.succeeded()
    rate_limiter.in_flight = beside
    for number in range(1, 200):
        rate_limiter.refused(clock.now)
        if rate_limiter.places != places:
            assert (number, rate_limiter.places) == left
            assert rate_limiter.why == "it refuses more"
            rate_limiter.refused(clock.now - 1)
            assert rate_limiter.places == (left or ())[1], "sent before there were fewer"
            return
    assert left is None and rate_limiter.why == ""


@pytest.mark.parametrize("first", [None, 8])
def test_refusals_are_noticed_however_long_all_went_well(clock: Clock, first: int | None) -> None:
    """Also of a server that took more and more, up to the limit."""
    rate_limiter = RateLimiter(32, first)
    for _ in range(5_000):
        clock.now += 1 / rate_limiter.places
        rate_limiter.succeeded(1.0)
    assert (rate_limiter.places, rate_limiter.why) == (32, "")
    rate_limiter.in_flight = 2
    refused = 0
    while rate_limiter.places == 32:
        rate_limiter.refused(clock.now)
        refused += 1
    assert refused <= 32 * WINDOW / 3 + 1  # a quarter of all since the last eight rounds


def test_requests_without_a_reply_in_time_halve_the_places_where_they_are_a_quarter(clock: Clock) -> None:
    rate_limiter = RateLimiter(8)
    for places in (8.0, 8.0, 4.0):  # 1/8, 15/64, 169/512
        rate_limiter.timed_out(clock.now)
        assert rate_limiter.places == places
    assert rate_limiter.why == "more come too late"
    rate_limiter.timed_out(clock.now)  # sent at that very moment: one of the next three
    clock.now += 1
    for _ in range(9):
        rate_limiter.timed_out(clock.now - 1.5)
    assert rate_limiter.places == 4.0, "sent before there were fewer"
    for places in (4.0, 2.0):  # a round is of eight replies at least
        rate_limiter.timed_out(clock.now)
        assert rate_limiter.places == places
    rare = RateLimiter(8)
    for _ in range(50):  # one in eight
        rare.timed_out(clock.now)
        for _ in range(7):
            rare.succeeded()
    assert (rare.places, rare.why) == (8.0, "")


def test_after_a_server_was_away_one_goes_and_each_reply_lets_one_more_go(clock: Clock) -> None:
    rate_limiter = RateLimiter(5)
    rate_limiter.hold(30.0)
    rate_limiter.hold(10.0)
    assert (rate_limiter.places, rate_limiter.paused_until) == (1.0, 1030.0)
    grown = []
    for _ in range(5):
        rate_limiter.succeeded()
        grown.append(rate_limiter.places)
    assert grown == [2.0, 3.0, 4.0, 5.0, 5.0]
    tried = RateLimiter(64, first=4)
    assert replies(tried, clock, 1.0) == (4, 16.0, FINDING)
    tried.hold(30.0)  # in the middle of a trial: back to what there was before
    assert (tried.places, tried.why) == (1.0, "")
    for _ in range(3):
        tried.succeeded()
    assert tried.places == 4.0


@pytest.mark.parametrize(("asks", "why"), [(True, "it asks for fewer"), (False, "more come too late")])
def test_trouble_in_a_trial_ends_it_and_the_next_one_is_long_after(
    clock: Clock, asks: bool, why: str
) -> None:
    rate_limiter = RateLimiter(1024, first=8, timeout=3.9)  # a step of two
    assert replies(rate_limiter, clock, 1.0) == (8, 16.0, FINDING)
    clock.now += 1
    if asks:
        rate_limiter.slow_down(clock.now, None)
    else:
        for _ in range(5):  # 1/16 + 15/16 of 1/16 + ...
            rate_limiter.timed_out(clock.now)
    assert (rate_limiter.places, rate_limiter.why) == (8.0, why)
    assert replies(rate_limiter, clock, 1.0)[:2] == (8 * 8, 16.0)
