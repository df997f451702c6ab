"""Means over strata by hand, by the definition written out, and by how often their intervals hold the truth."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from folkways.stats.sequences import GRID, bet_sizes, betting_sequence
from folkways.stats.stratified import COARSE, CONTAINED, ENOUGH, Drawn, anytime_mean, mean_over_strata, stakes

TARGET = 0.15


def drawn(values: list[float], population: int, rows: list[float] | None = None) -> Drawn:
    return Drawn(np.array(values), np.array(rows if rows is not None else [1.0] * len(values)), population)


def test_rows_of_all_units_weigh_the_same() -> None:
    """3 units of 2 rows and 4 of 1: half of the first rows and three quarters of the second are right, (3 + 3) / 10 in all."""
    first, second = drawn([1.0, 1.0], 3, [2, 2]), drawn([1.0, 0.5], 4)
    assert mean_over_strata([first, second]) == pytest.approx(0.6)
    assert anytime_mean([first, second])[0] == pytest.approx(0.6)
    assert mean_over_strata([first, drawn([], 40)]) == pytest.approx(0.5)
    assert mean_over_strata([drawn([8.0], 3), second]) == pytest.approx((3 * 8 + 4 * 0.75) / 7)
    assert math.isnan(mean_over_strata([drawn([0.0], 3, [0])]))


def test_one_stratum_has_its_own_sequence() -> None:
    values = np.random.default_rng(0).random(30)
    mean, interval = anytime_mean([Drawn(values, np.ones(30), 90)], target=TARGET)
    found = betting_sequence(values, 90, target=TARGET)
    assert (interval.low, interval.high) == (found.low[-1], found.high[-1])
    assert (mean, interval.method) == (pytest.approx(values.mean()), "anytime 95% of 90")


def ruled_out(strata: list[Drawn], levels: np.ndarray, mean: np.ndarray) -> np.ndarray:
    """The definition, draw by draw: whether a stratum's own bounds, or what both sides have won, speak against ways to have a mean.

    levels: each stratum's mean, strata by ways; mean: what they come to.
    """
    weights = np.array([one.population for one in strata]) / sum(one.population for one in strata)
    room = math.log(2 / (0.05 * (1 - CONTAINED)))
    up, down, outside = np.zeros_like(mean), np.zeros_like(mean), np.zeros(mean.shape, dtype=bool)
    for one, scale, level in zip(strata, weights / math.hypot(*weights), levels, strict=True):
        values, counted = one.totals, one.rows
        bounds = betting_sequence(
            values, one.population, 1 - 0.05 * CONTAINED / len(strata), target=TARGET, shares=counted, grid=COARSE
        )
        share = counted.sum() / one.population
        shares = np.array([[1.0] if (counted == 1).all() else [share, share + 1 - values.size / one.population]])
        own = [np.multiply.outer(shares, bound[-1] - mean) for bound in (bounds.low, bounds.high)]
        outside |= (level - mean < own[0].min(axis=(0, 1))) | (level - mean > own[1].max(axis=(0, 1)))
        bets = stakes(values, counted, one.population, scale * TARGET, ENOUGH * 2 * room * scale / TARGET)
        for place, bet in enumerate(bets):
            # A unit that does not count has the mean for its value; the mean of all of these is the level.
            value = values[place] + (1 - counted[place]) * mean
            seen = values[:place].sum() + (place - counted[:place].sum()) * mean
            surprise = value - (one.population * level - seen) / (one.population - place)
            guess = (0.5 + values[:place].sum()) / (place + 1) + (1 - (1 + counted[:place].sum()) / (place + 1)) * mean
            price = (-math.log(1 - bet) - bet) * (value - guess) ** 2
            up += bet * surprise - price
            down -= bet * surprise + price
    return outside | (np.maximum(up, down) >= room)


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_a_mean_is_ruled_out_only_if_every_way_to_have_it_is(data: st.DataObject) -> None:
    sizes = data.draw(st.lists(st.integers(10, 60), min_size=2, max_size=4))
    applies = data.draw(st.sampled_from([1.0, 0.7]))
    rng = np.random.default_rng(data.draw(st.integers(0, 1000)))
    strata = []
    for size in sizes:
        rows = (rng.random(size // 2) < applies).astype(float)
        rows[0] = 1.0  # so that the fullest unit of every stratum has one
        level = data.draw(st.sampled_from([0.0, 0.05, 0.5, 1.0]))
        strata.append(Drawn(rows * (rng.random(size // 2) < level), rows, size))
    _, interval = anytime_mean(strata, target=TARGET)
    assert 0.0 <= interval.low < interval.high <= 1.0
    # Any way that what is left may be, and the mean that all have then; a unit that does not count has the mean for its value.
    weights, left = np.array(sizes) / sum(sizes), np.array([one.population - one.totals.size for one in strata])
    seen, idle = (
        np.array([part.sum() for part in parts]) for parts in zip(*((one.totals, 1 - one.rows) for one in strata), strict=True)
    )
    ways = seen[:, None] + left[:, None] * rng.random((len(sizes), 300))
    mean = (weights / sizes) @ ways / (1 - (weights / sizes) @ idle)
    beyond = (mean < interval.low) | (mean > interval.high)
    assert ruled_out(strata, (ways + idle[:, None] * mean) / np.array(sizes)[:, None], mean)[beyond].all()


@pytest.mark.parametrize("levels", [(0.3, 0.3), (0.1, 0.9)])
def test_the_ends_are_where_the_first_way_is_not_ruled_out(levels: tuple[float, float]) -> None:
    """All ways of two strata tried out: the interval is wider by a few steps of the grid at most."""
    strata = [
        drawn(np.resize(np.repeat([1.0, 0.0], [int(10 * level), 10 - int(10 * level)]), 40).tolist(), 200) for level in levels
    ]
    _, interval = anytime_mean(strata, target=TARGET)
    mean, first = np.meshgrid(np.linspace(interval.low - 0.02, interval.high + 0.02, 300), np.linspace(0, 1, 300))
    open_means = mean[~ruled_out(strata, np.array([first, 2 * mean - first]), mean)]
    assert interval.low <= open_means.min() <= interval.low + 6 / GRID
    assert interval.high - 6 / GRID <= open_means.max() <= interval.high


@settings(max_examples=60)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=20), st.lists(st.floats(0, 1), min_size=1, max_size=20), st.integers(0, 30))
def test_a_stake_knows_nothing_of_its_own_draw_or_of_later_ones(kept: list[float], other: list[float], more: int) -> None:
    population = len(kept) + len(other) + more

    def staked(values: list[float]) -> np.ndarray:
        return stakes(np.array(values), np.ones(len(values)), population, 0.1, 4.0)

    known = len(kept) + 1
    found = staked(kept + other)
    assert found[:known] == pytest.approx(staked([*kept, *(1 - value for value in other)])[:known], rel=1e-9, abs=1e-12)
    assert ((found >= 0) & (found < 1)).all()


@pytest.mark.parametrize(
    ("sizes", "share", "target", "applies"),
    [
        ((475, 472), 0.01, 0.15, 1.0),
        ((475, 472), 0.97, 0.15, 0.7),
        ((7, 40, 90), 0.5, 0.1, 1.0),
        ((60,) * 6, 0.03, 0.1, 0.8),
    ],
)
def test_the_truth_is_inside_at_every_look(sizes: tuple[int, ...], share: float, target: float, applies: float) -> None:
    """What nothing but normal intervals did in 41 to 79 of 100 samples; strata are drawn as far as differs, as in a run."""
    rng = np.random.default_rng(6)
    left = 0
    for _ in range(25):
        rows = [(rng.random(size) < applies).astype(float) for size in sizes]
        totals = [part * (rng.random(part.size) < share) for part in rows]
        truth = sum(part.sum() for part in totals) / sum(part.sum() for part in rows)
        missed = False
        for look in (1, 12, 48):
            ends = [min(size, look * (1 + place % 2)) for place, size in enumerate(sizes)]
            strata = [Drawn(a[:end], b[:end], a.size) for a, b, end in zip(totals, rows, ends, strict=True)]
            mean, interval = anytime_mean(strata, target=target)
            assert interval.low < interval.high
            assert interval.low >= 0.0
            assert interval.high <= 1.0
            assert math.isnan(mean) or interval.low <= mean <= interval.high
            missed |= not interval.low - 1e-9 <= truth <= interval.high + 1e-9
        left += missed
    assert left <= 3


def test_strata_together_are_known_better_than_each() -> None:
    """Half a width of 16 strata, each known to 10 points, is a third of that: halves added up would give more than 10."""
    rng = np.random.default_rng(7)
    strata = [drawn((rng.random(115) < 0.5).astype(float).tolist(), 465) for _ in range(16)]
    _, interval = anytime_mean(strata, target=0.1)
    assert (interval.high - interval.low) / 2 < 0.04
    assert interval.method == "anytime 95% of 7440 in 16 strata"


def test_it_closes_on_the_truth_when_everything_is_drawn_and_stays_open_where_nothing_is() -> None:
    rng = np.random.default_rng(8)
    parts = [rng.random(30), rng.random(50)]
    whole = [Drawn(part, np.ones(part.size), part.size) for part in parts]
    mean, interval = anytime_mean(whole)
    assert (interval.low, interval.high, mean) == pytest.approx((mean, mean, np.concatenate(parts).mean()))
    undrawn = drawn([], 80)
    _, interval = anytime_mean([*whole, undrawn])
    assert (interval.low, interval.high) == pytest.approx((mean / 2, (1 + mean) / 2), abs=2 / GRID)
    _, nothing = anytime_mean([undrawn, undrawn])
    assert (nothing.low, nothing.high) == (0.0, 1.0)


@pytest.mark.parametrize("strata", [[drawn([1.5], 4)], [drawn([1.0], 4), drawn([0.5, -0.5], 4)], [drawn([0.0] * 5, 4)]])
def test_what_cannot_be_drawn_is_refused(strata: list[Drawn]) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        anytime_mean(strata)
    with pytest.raises(ValueError, match="at least one"):
        anytime_mean([])


def test_bets_are_the_same_thing_in_units_of_the_fullest_unit() -> None:
    """Two rows that are both right or both wrong are worth what one is."""
    values = np.random.default_rng(9).integers(0, 2, 20).astype(float)
    single, double = anytime_mean([Drawn(values, np.ones(20), 50)])[1], anytime_mean([Drawn(2 * values, np.full(20, 2.0), 50)])[1]
    assert (single.low, single.high) == (double.low, double.high)
    assert (bet_sizes(values, 50, 0.1, np.ones(20)) > 0).all()
