"""Means of signals, the control's and their difference: against figures by hand, and how often their
intervals hold the truth."""

from __future__ import annotations

import math

import numpy as np
import pytest

from folkways.benchmarks.probing.signal import MeanEstimate, Measure, difference, estimate
from folkways.stats.intervals import wilson

SHARE, POINTS, NATS = Measure("exact", "%"), Measure("right", "points"), Measure("log-probability", "nats")


def test_a_share_has_wilsons_interval() -> None:
    found = estimate(SHARE, [1.0] * 30 + [0.0] * 70, [str(number) for number in range(100)])
    by_hand = wilson(30, 100)
    assert (found.value, found.n, found.questions) == (30.0, 100, 100)
    assert (found.low, found.high) == pytest.approx((100 * by_hand.low, 100 * by_hand.high))


def test_rows_of_one_question_are_one_witness() -> None:
    values = [1.0] * 20 + [0.0] * 20
    alone = estimate(SHARE, values, [str(number) for number in range(40)])
    together = estimate(SHARE, values, [str(number // 4) for number in range(40)])
    assert together.questions == 10
    assert together.high - together.low > 1.5 * (alone.high - alone.low)


def test_a_difference_of_two_groups_is_newcombes() -> None:
    one = estimate(SHARE, [1.0] * 56 + [0.0] * 14, [str(number) for number in range(70)])
    other = estimate(SHARE, [1.0] * 48 + [0.0] * 32, [str(number) for number in range(80)])
    found, interval = difference(one, other)
    # Newcombe 1998, Table II, example (a), method 10: 56/70 against 48/80.
    assert found == pytest.approx(20.0)
    assert (interval.low, interval.high) == pytest.approx((5.24, 33.39), abs=0.01)


def test_what_cannot_be_told_is_not_made_up() -> None:
    nothing = estimate(SHARE, [], [])
    assert math.isnan(nothing.value) and nothing.n == 0
    assert math.isnan(difference(nothing, MeanEstimate(1.0, 0.0, 2.0))[1].low)
    few = estimate(NATS, [3.0, 5.0, 4.0], ["a", "b", "c"])
    assert few.value == 4.0 and math.isnan(few.low) and few.method == "none: under 10 questions"


def coverage(kind: str, probed: int, held: int, repetitions: int) -> float:
    """How often the interval of a difference holds the true one, of items as signals have them."""
    draw = np.random.default_rng(7)
    hits = 0
    for _ in range(repetitions):
        if kind == "overlap":  # most replies have little in common with what was hidden, some nearly all
            sides = [
                np.where(draw.random(n) < p, draw.beta(8, 2, n), draw.beta(1, 6, n))
                for n, p in ((probed, 0.2), (held, 0.1))
            ]
            truth, measure = 100 * 0.1 * (0.8 - 1 / 7), SHARE
        elif kind == "exact":
            sides = [(draw.random(n) < p).astype(float) for n, p in ((probed, 0.08), (held, 0.03))]
            truth, measure = 5.0, SHARE
        else:  # the first of four ways right or wrong, less the mean of the others
            sides = [
                (draw.random(n) < p) - (draw.random((3, n)) < 0.4).mean(axis=0)
                for n, p in ((probed, 0.55), (held, 0.4))
            ]
            truth, measure = 15.0, POINTS
        one, other = (
            estimate(measure, list(side), [str(number) for number in range(side.size)]) for side in sides
        )
        interval = difference(one, other)[1]
        hits += interval.low <= truth <= interval.high
    return hits / repetitions


@pytest.mark.parametrize("kind", ["overlap", "exact", "points"])
def test_intervals_hold_the_truth_as_often_as_they_say(kind: str) -> None:
    assert coverage(kind, 100, 18, 300) >= 0.92


@pytest.mark.nightly
@pytest.mark.parametrize("kind", ["overlap", "exact", "points"])
@pytest.mark.parametrize("sizes", [(100, 100), (100, 18), (30, 30), (400, 36)])
def test_intervals_hold_the_truth_in_many_draws(kind: str, sizes: tuple[int, int]) -> None:
    assert 0.93 <= coverage(kind, *sizes, 4000) <= 0.995
