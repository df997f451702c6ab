"""How many requests are sent at once to servers of every kind, in a clock that jumps: nearly the best fixed
number's speed."""

from __future__ import annotations

from typing import Any

import pytest

from folkways.endpoints.base import EndpointFailure
from folkways.engine.asking import Limits
from tests.support.virtual_time import ModelServer, Simulation, simulate

WAVES = 50
BUSY = EndpointFailure("busy", status=503, retryable=True)
RESET = EndpointFailure("reset", retryable=True)
REFUSED = EndpointFailure("refused", retryable=True, unreachable="connection refused")

SERVERS: dict[str, tuple[dict[str, Any], int]] = {
    "one slot": ({"slots": 1, "seconds": 1.0}, 1),
    "one slot, slow": ({"slots": 1, "seconds": 2.0, "timeout": 12.0}, 1),
    "4 slots": ({"slots": 4, "seconds": 1.5}, 4),
    "4 slots, slow": ({"slots": 4, "seconds": 2.0, "timeout": 12.0}, 4),
    "saturates at 16, worse from 48": ({"share": 16.0, "worse": 48.0, "seconds": 2.0}, 16),
    "60 s each, in tenths, room for 32": ({"slots": 32, "seconds": 6.0, "timeout": 12.0}, 32),
    "2 places, 503": ({"places": 2, "refusal": BUSY, "seconds": 0.5}, 2),
    "2 places, reset": ({"places": 2, "refusal": RESET, "seconds": 0.5}, 2),
    "2 places, refused": ({"places": 2, "refusal": REFUSED, "seconds": 0.5}, 2),
    "2 places, slow": ({"places": 2, "refusal": BUSY, "seconds": 5.0, "timeout": 20.0}, 2),
}
LARGE: dict[str, tuple[dict[str, Any], int]] = {
    "room for 256": ({"slots": 256, "seconds": 3.0}, 256),
    "room for 256, told by /metrics": ({"slots": 256, "seconds": 0.3, "first": 32}, 256),
    "60 s each, in tenths": ({"seconds": 6.0, "timeout": 12.0}, 512),
}


def compared(settings: dict[str, Any], best: int, spread: float) -> tuple[float, Simulation]:
    """How many times as long it took as with the best number from the start, and how it went."""
    fixed = simulate(ModelServer(spread=spread, **settings), WAVES * best, Limits(concurrency=best))
    found = simulate(ModelServer(spread=spread, **settings), WAVES * best)
    return found.seconds / fixed.seconds, found


@pytest.mark.parametrize(
    ("spread", "most"), [pytest.param(0.05, 1.15, marks=pytest.mark.nightly), (0.2, 1.2)]
)
@pytest.mark.parametrize("name", SERVERS)
def test_it_takes_hardly_longer_than_with_the_best_number_from_the_start(
    name: str, spread: float, most: float
) -> None:
    times, found = compared(*SERVERS[name], spread)
    assert times <= most
    assert (found.progress.done, found.progress.failed) == (WAVES * SERVERS[name][1], 0)


@pytest.mark.nightly
@pytest.mark.parametrize("name", LARGE)
def test_so_it_is_with_hundreds_at_once(name: str) -> None:
    times, found = compared(*LARGE[name], 0.05)
    assert times <= 1.15
    assert (found.progress.failed, found.server.most_in_flight >= LARGE[name][1]) == (0, True)


def test_a_large_server_gets_512_and_the_line_says_what_is_going_on() -> None:
    found = simulate(ModelServer(seconds=1.0), 3000)
    assert (found.server.most_in_flight, found.progress.places, found.progress.why) == (512, 512.0, "")
    small = simulate(ModelServer(seconds=1.0, slots=4), 300)
    assert small.server.most_in_flight <= 32
    assert small.progress.why == "more bring no more"
    full = simulate(ModelServer(seconds=0.5, places=2, refusal=BUSY), 100)
    assert (full.progress.places, full.progress.why, full.server.most_in_flight <= 8) == (
        2.0,
        "it refuses more",
        True,
    )


@pytest.mark.parametrize("refusal", [BUSY, RESET, REFUSED])
@pytest.mark.parametrize(("concurrency", "seconds"), [(4, 0.5), (32, 0.5), (32, 30.0)])
def test_what_is_refused_while_others_are_answered_costs_no_attempt(
    refusal: EndpointFailure, concurrency: int, seconds: float
) -> None:
    """Somebody has asked for more at once than the server takes, and requests have few attempts."""
    count = 200 if seconds < 1 else 60
    found = simulate(
        ModelServer(seconds=seconds, places=2, refusal=refusal),
        count,
        Limits(concurrency=concurrency, attempts=3),
    )
    assert (found.progress.failed, found.progress.done, found.progress.places <= 4) == (0, count, True)
    assert found.seconds < 1.15 * count / 2 * seconds + 10
    assert found.server.refused < 120


@pytest.mark.parametrize("flaws", [0.1, 0.3, 0.5])
def test_failures_by_chance_make_nobody_slower(flaws: float) -> None:
    """A provider that fails so often whatever it is asked at once: fewer at once would bring less, and no
    fewer failures."""
    found = simulate(ModelServer(seconds=1.0, spread=0.3, first=32, most=32, flaws=flaws, refusal=BUSY), 1600)
    assert (found.progress.failed, found.progress.places) == (0, 32.0)
    assert found.seconds < 1600 / 32 * (1 + flaws)


def test_a_server_that_answers_nobody_costs_the_attempts_there_are() -> None:
    found = simulate(
        ModelServer(seconds=1.0, flaws=1.0, refusal=BUSY), 40, Limits(attempts=3, max_errors=100)
    )
    assert (found.progress.failed, found.server.asked) == (40, 120)


def test_a_prompt_that_always_fails_ends_while_the_others_are_answered() -> None:
    """Patience has an end: what a server cannot answer is not asked for as long as the run lasts."""

    class PoisonedServer(ModelServer):
        tries = 0

        async def complete(self, request):  # type: ignore[no-untyped-def]
            if request.key == "3":
                self.tries += 1
                raise EndpointFailure("boom", status=500, retryable=True)
            return await super().complete(request)

    server = PoisonedServer(seconds=1.0, slots=4)
    found = simulate(server, 1500)
    assert (found.progress.failed, found.progress.done) == (1, 1499)
    assert server.tries < 200


def test_replies_that_take_longer_than_others_do_not_make_it_slower_and_slower() -> None:
    """One in a hundred comes too late whatever is done: that is no line of requests that wait for each
    other."""
    fixed = simulate(ModelServer(seconds=6.0, spread=0.3, timeout=12.0), 1920, Limits(concurrency=64))
    assert fixed.server.timeouts > 5
    assert (fixed.progress.places, fixed.progress.failed) == (64.0, 0)
    assert fixed.seconds < 1.2 * 1920 / 64 * 6.0


@pytest.mark.parametrize("places", [2, 16])
def test_a_worker_holds_no_more_requests_than_it_has_places(places: int) -> None:
    """What it held beyond them nobody else who asks the run could send."""
    server = ModelServer(seconds=1.0, slots=1 if places == 2 else 16, most=512, first=places)
    found = simulate(server, 20 * places)
    assert (
        found.most_held
        <= FEED_ROUNDS * max(places, found.server.most_in_flight) + found.server.most_in_flight
    )


FEED_ROUNDS = 3
"""Twice the places are claimed at a time, and those on their way are held as well."""
