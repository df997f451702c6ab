"""Confidence sequences: that the truth never leaves them, whoever peeks, and that they close on it."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from folkways.stats.intervals import wilson
from folkways.stats.sequences import BOLDNESS, DEFAULT_TARGET, bet_sizes, betting_sequence


def by_definition(values: list[float], population: int, mean: float) -> bool:
    """Whether two bettors against one mean, written as in the paper, stay below 40 times their stake (for 95 %)."""
    up = down = 1.0
    seen, squares = 0.0, 0.0
    for number, value in enumerate(values):
        expected = min(1 - 1e-9, max(1e-9, (population * mean - seen) / (population - number)))
        variance = (0.25 + squares) / (number + 1)
        bet = DEFAULT_TARGET * population / (population - number) / variance
        up *= 1 + min(bet, BOLDNESS / expected) * (value - expected)
        down *= 1 - min(bet, BOLDNESS / (1 - expected)) * (value - expected)
        if up >= 40 or down >= 40:
            return False
        seen += value
        squares += (value - (0.5 + seen) / (number + 2)) ** 2
    return True


@settings(max_examples=25)
@given(st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=5, max_size=60), st.integers(0, 40))
def test_equals_the_bets_written_out(values: list[float], more: int) -> None:
    population = len(values) + more
    found = betting_sequence(np.array(values), population)
    least, most = sum(values) / population, (sum(values) + more) / population
    for mean in np.linspace(0, 1, 41):
        if found.low[-1] < mean < found.high[-1] and not least <= mean <= most:
            pytest.fail("a mean that the values rule out is inside")
        if least <= mean <= most and by_definition(values, population, float(mean)):
            assert found.low[-1] - 1e-9 <= mean <= found.high[-1] + 1e-9


units = st.lists(st.tuples(st.floats(0, 1), st.sampled_from([0.0, 0.5, 1.0])), min_size=1, max_size=20)
"""How right a unit is, and how much of it counts."""


@settings(max_examples=60)
@given(units, units, st.integers(0, 30))
def test_a_bet_knows_nothing_of_its_own_draw_or_of_later_ones(
    kept: list[tuple[float, float]], other: list[tuple[float, float]], more: int
) -> None:
    """Otherwise bettors would win against the truth, and the coverage tests are too few to see it."""

    def bets(drawn: list[tuple[float, float]]) -> np.ndarray:
        right, shares = np.array(drawn).T
        return bet_sizes(right * shares, population, 0.1, shares)

    population = len(kept) + len(other) + more
    upside_down = [(1 - right, 1 - share) for right, share in other]
    assert bets(kept + other)[: len(kept) + 1] == pytest.approx(bets(kept + upside_down)[: len(kept) + 1], rel=1e-12)


def test_a_bet_knows_the_draws_before_it() -> None:
    """Values that vary less are worth larger bets."""
    alike, varied = np.zeros(9), np.tile([0.0, 1.0, 1.0], 3)
    assert (bet_sizes(alike, 50, 0.1, np.ones(9))[2:] > bet_sizes(varied, 50, 0.1, np.ones(9))[2:]).all()


def test_what_does_not_count_leaves_the_mean_to_what_does() -> None:
    """Of units that count by half, or not at all, the ratio is inside at all times, and all that is left in the end."""
    rng = np.random.default_rng(5)
    left = 0
    for _ in range(80):
        shares = rng.choice([0.0, 0.5, 1.0], 120)
        values = shares * (rng.random(120) < 0.1)
        found = betting_sequence(values, 120, target=0.1, shares=shares)
        truth = values.sum() / shares.sum()
        missed = bool(((truth < found.low - 1e-9) | (truth > found.high + 1e-9)).any())
        assert missed or (found.low[-1], found.high[-1]) == pytest.approx((truth, truth))
        left += missed
    assert left / 80 <= 0.1
    nothing = betting_sequence(np.zeros(40), 40, shares=np.zeros(40))
    assert (nothing.low[-1], nothing.high[-1]) == (0.0, 1.0)


@pytest.mark.parametrize("share", [0.05, 0.5, 0.85])
def test_the_truth_is_inside_at_all_times_about_as_often_as_stated(share: float) -> None:
    rng = np.random.default_rng(1)
    left = 0
    for _ in range(150):
        population = (rng.random(200) < share).astype(float)
        found = betting_sequence(rng.permutation(population), 200)
        truth = population.mean()
        left += bool(((truth < found.low - 1e-9) | (truth > found.high + 1e-9)).any())
    assert left / 150 <= 0.085  # 5 % and what 150 trials leave open


def test_peeking_at_an_ordinary_interval_goes_wrong_far_more_often() -> None:
    """What the sequence is for: at some time on the way, Wilson's interval misses the truth in every fourth case or more."""
    rng = np.random.default_rng(2)
    missed = 0
    for _ in range(150):
        values = rng.permutation(np.repeat([0.0, 1.0], 100))
        totals = np.cumsum(values)
        intervals = [wilson(totals[n - 1], n, population=200) for n in range(10, 200)]
        missed += any(not interval.low <= 0.5 <= interval.high for interval in intervals)
    assert missed / 150 > 0.25


def test_it_only_narrows_and_closes_when_everything_is_drawn() -> None:
    values = np.random.default_rng(3).random(80)
    found = betting_sequence(values, 80)
    assert (np.diff(found.low) >= 0).all()
    assert (np.diff(found.high) <= 0).all()
    assert (found.low[-1], found.high[-1]) == pytest.approx((values.mean(), values.mean()))
    assert betting_sequence(np.empty(0), 80).low.size == 0


def test_extreme_scores_need_fewer_draws_than_middling_ones() -> None:
    rng = np.random.default_rng(4)
    needed = {}
    for share in (0.05, 0.5):
        population = rng.permutation(np.repeat([0.0, 1.0], [int(400 * (1 - share)), int(400 * share)]))
        found = betting_sequence(population, 400)
        needed[share] = int(np.argmax((found.high - found.low) / 2 <= 0.05))
    assert needed[0.05] < 0.6 * needed[0.5] < 300


@pytest.mark.parametrize(("values", "population"), [([0.5, 1.2], 5), ([0.5, math.nan], 5), ([0.5, 0.5], 1)])
def test_what_cannot_be_drawn_is_refused(values: list[float], population: int) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        betting_sequence(np.array(values), population)


def test_a_value_cannot_be_more_than_its_share() -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        betting_sequence(np.array([0.6]), 5, shares=np.array([0.5]))
