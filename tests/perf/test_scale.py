"""The simulation of crews: figures that can be worked out by hand, and what must hold whatever the crew."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perf.scale.simulation import Costs, Setting, simulate

COSTS = Costs((0.002, 0.001), (0.0, 1e-5), (1e-6, 0.0), (0.0, 1e-6), (0.001, 0.0005), (0.0, 2e-5))
ONE = Setting(workers=1, requests=1000, feed=100, latency=0.0, cores=1.0, shared=True)


def test_one_worker_waits_for_nobody() -> None:
    """Ten claims of 100 with a save each, and an eleventh claim that finds nothing, from behind the last
    row."""
    found = simulate(COSTS, ONE)
    claims = 11 * 0.003 + 1000 * 1e-5
    saves = 10 * 0.0015 + 1000 * 2e-5
    assert (found.requests, found.claims, found.empty, found.saves) == (1000, 11, 0, 10)
    assert found.seconds == pytest.approx(claims + saves) == pytest.approx(found.client + found.server)
    assert found.busy == pytest.approx(claims)


def test_replies_take_their_time_and_are_saved_on_the_way() -> None:
    """32 at once in .2 s each are 160 a second: 8 every 50 ms."""
    found = simulate(COSTS, replace(ONE, latency=0.2, shared=False))
    assert (found.saves, found.requests) == (10 * 13, 1000)
    assert 1000 / 160 < found.seconds < 1000 / 160 + 11 * 0.004 + 10 * 0.003


def test_who_begins_where_others_are_passes_by_what_they_hold() -> None:
    """The second finds the first hundred held, the third two hundred, the fourth three: six claims for
    nothing before all work."""
    together = simulate(COSTS, replace(ONE, workers=4, requests=4000, latency=0.2))
    apart = simulate(COSTS, replace(ONE, workers=4, requests=4000, latency=0.2, ordered=False))
    assert together.empty >= 6
    assert apart.empty < 6
    assert apart.claims < together.claims


@given(
    workers=st.integers(1, 12),
    requests=st.integers(1, 700),
    feed=st.integers(1, 200),
    latency=st.sampled_from([0.0, 0.2]),
    ordered=st.booleans(),
)
def test_every_request_is_asked_once(
    workers: int, requests: int, feed: int, latency: float, ordered: bool
) -> None:
    assert (
        simulate(COSTS, Setting(workers, requests, feed, latency, 4.0, ordered=ordered)).requests == requests
    )
