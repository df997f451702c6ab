"""Confidence sequences: that the truth never leaves them, whoever peeks, and that they close on it."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from folkways.stats.intervals import wilson
from folkways.stats.sequences import bet_sizes, betting_sequence


def by_definition(
    values: list[float],
    population: int,
    confidence: float = 0.95,
    target: float = 0.05,
    shares: list[float] | None = None,
    grid: int = 1000,
) -> tuple[list[float], list[float]]:
    """Two bettors against each mean of the grid, draw by draw as in the paper: what they have not ruled out
    after each draw."""
    fortunes = {place: [1.0, 1.0] for place in range(grid + 1)}
    shares = shares or [1.0] * len(values)
    lows, highs = [0.0], [1.0]
    for number, (value, share) in enumerate(zip(values, shares, strict=True)):
        seen, counted, left = sum(values[:number]), sum(shares[:number]), population - number
        # Each value before is compared with the mean as it was known when it had come.
        known = [(0.5 + sum(values[: n + 1])) / (1 + sum(shares[: n + 1])) for n in range(number)]
        squares = sum((values[n] - shares[n] * known[n]) ** 2 for n in range(number))
        bet = target * (population / left) / ((0.25 + squares) / (number + 1))
        for place, fortune in list(fortunes.items()):
            mean = place / grid
            # A unit that does not count is given the mean itself.
            expected = (population * mean - seen - (number - counted) * mean) / left
            expected = min(1 - 1e-9, max(1e-9, expected))
            surprise = value + (1 - share) * mean - expected
            fortune[0] *= 1 + min(bet, 0.75 / expected) * surprise
            fortune[1] *= 1 - min(bet, 0.75 / (1 - expected)) * surprise
            if max(fortune) >= 2 / (1 - confidence):
                del fortunes[place]
        seen, counted, left = seen + value, counted + share, left - 1
        least, most = (
            (seen / (counted + left), (seen + left) / (counted + left)) if counted + left else (0.0, 1.0)
        )
        low, high = (
            (min(fortunes) - 1) / grid if fortunes else least,
            (max(fortunes) + 1) / grid if fortunes else most,
        )
        lows.append(max(lows[-1], min(max(low, least), most)))
        highs.append(min(highs[-1], max(min(high, most), least)))
    return lows[1:], highs[1:]


@pytest.mark.parametrize(
    ("drawn", "more", "rate", "confidence", "target", "grid"),
    [
        (70, 0, 0.5, 0.95, 0.05, 1000),  # three blocks, and everything drawn in the end
        (33, 40, 0.1, 0.9, 0.3, 300),
        (40, 300, 0.9, 0.5, 1.5, 200),  # bets so high that boldness limits them
        (25, 5, 0.97, 0.8, 0.1, 40),
        (9, 3, 0.3, 0.6, 0.4, 2000),
        (1, 0, 0.4, 0.95, 0.05, 7),
    ],
)
@pytest.mark.parametrize("kind", ["ones", "shares", "counted in part", "counted or not"])
def test_equals_the_bets_written_out(
    drawn: int, more: int, rate: float, confidence: float, target: float, grid: int, kind: str
) -> None:
    rng = np.random.default_rng(drawn)
    shares = {
        "counted in part": rng.choice([0.0, 0.3, 1.0], drawn),
        "counted or not": rng.choice([0.0, 1.0], drawn),
    }.get(kind)
    values = (
        rng.beta(2 * rate, 2 - 2 * rate, drawn)
        if kind == "shares"
        else (rng.random(drawn) < rate).astype(float)
    )
    values *= 1.0 if shares is None else shares
    found = betting_sequence(values, drawn + more, confidence, target=target, shares=shares, grid=grid)
    listed = None if shares is None else shares.tolist()
    low, high = by_definition(values.tolist(), drawn + more, confidence, target, listed, grid)
    assert found.low == pytest.approx(low, abs=1e-9)
    assert found.high == pytest.approx(high, abs=1e-9)


def test_without_more_said_it_is_of_95_percent_and_aims_at_five_points_on_a_grid_of_a_thousand() -> None:
    values = (np.arange(60) * 7 % 10 < 2).astype(float)
    found, (low, high) = betting_sequence(values, 90), by_definition(values.tolist(), 90)
    assert (found.low, found.high) == (pytest.approx(low, abs=1e-9), pytest.approx(high, abs=1e-9))


def test_who_makes_exactly_the_fortune_has_ruled_the_mean_out() -> None:
    """The first bet is 0.8 / 0.25 = 3.2: a one against a mean of 1/16 makes 1 + 3.2 * 15/16 = 4, and a zero
    against 15/16 too."""
    one, zero = (betting_sequence(np.array([value]), 100, 0.5, target=0.8, grid=16) for value in (1.0, 0.0))
    assert (one.low[0], one.high[0], zero.low[0], zero.high[0]) == pytest.approx((1 / 16, 1.0, 0.0, 15 / 16))


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
    assert bets(kept + other)[: len(kept) + 1] == pytest.approx(
        bets(kept + upside_down)[: len(kept) + 1], rel=1e-12
    )


def test_a_bet_knows_the_draws_before_it() -> None:
    """Values that vary less are worth larger bets."""
    alike, varied = np.zeros(9), np.tile([0.0, 1.0, 1.0], 3)
    assert (bet_sizes(alike, 50, 0.1, np.ones(9))[2:] > bet_sizes(varied, 50, 0.1, np.ones(9))[2:]).all()


def test_what_does_not_count_leaves_the_mean_to_what_does() -> None:
    """Of units that count by half, or not at all, the ratio is inside at all times, and all that is left in
    the end."""
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


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("population", [1, 40])
def test_where_nothing_counts_everything_is_possible(population: int) -> None:
    nothing = betting_sequence(np.zeros(population), population, shares=np.zeros(population))
    assert (nothing.low.tolist(), nothing.high.tolist()) == ([0.0] * population, [1.0] * population)


@pytest.mark.parametrize("share", [0.05, pytest.param(0.5, marks=pytest.mark.nightly), 0.85])
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
    """What the sequence is for: at some time on the way, Wilson's interval misses the truth in every fourth
    case or more."""
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


@pytest.mark.parametrize(
    ("values", "population", "shares"),
    [
        ([0.5, 1.2], 5, None),
        ([0.5, -0.1], 5, None),
        ([0.5, math.nan], 5, None),
        ([0.5, 0.5], 1, None),
        ([0.6], 5, [0.5]),  # more than its share
        ([0.6], 5, [1.5]),
        ([-0.6], 5, [0.5]),
    ],
)
def test_what_cannot_be_drawn_is_refused(
    values: list[float], population: int, shares: list[float] | None
) -> None:
    with pytest.raises(ValueError, match=f"at most {population} values between 0 and 1"):
        betting_sequence(np.array(values), population, shares=None if shares is None else np.array(shares))
