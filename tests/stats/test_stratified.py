"""Means over strata by hand, by the definition written out, and by how often their intervals hold the
truth."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from folkways.stats.sequences import GRID, bet_sizes, betting_sequence
from folkways.stats.stratified import (
    COARSE,
    CONTAINED,
    ENOUGH,
    StratumSample,
    anytime_mean,
    mean_over_strata,
    stakes,
)

TARGET = 0.15


def drawn(values: list[float], population: int, rows: list[float] | None = None) -> StratumSample:
    return StratumSample(
        np.array(values), np.array(rows if rows is not None else [1.0] * len(values)), population
    )


def test_rows_of_all_units_weigh_the_same() -> None:
    """3 units of 2 rows and 4 of 1: half of the first rows and three quarters of the second are right, (3 +
    3) / 10 in all."""
    first, second = drawn([1.0, 1.0], 3, [2, 2]), drawn([1.0, 0.5], 4)
    assert mean_over_strata([first, second]) == pytest.approx(0.6)
    assert anytime_mean([first, second])[0] == pytest.approx(0.6)
    assert mean_over_strata([first, drawn([], 40)]) == pytest.approx(0.5)
    assert mean_over_strata([drawn([8.0], 3), second]) == pytest.approx((3 * 8 + 4 * 0.75) / 7)
    assert math.isnan(mean_over_strata([drawn([0.0], 3, [0])]))


def test_groups_of_strata_count_alike() -> None:
    """3 units of 2 rows and 4 of 1 are one group, 100 units the other: half of (3 + 3) / 10 and 0.2."""
    first, second = drawn([1.0, 1.0], 3, [2, 2]), drawn([1.0, 0.5], 4)
    third = drawn([1.0, 0.0, 0.0, 0.0, 0.0], 100)
    strata = [replace(first, group="a"), replace(second, group="a"), replace(third, group="b")]
    assert mean_over_strata(strata) == pytest.approx((0.6 + 0.2) / 2)
    mean, interval = anytime_mean(strata)
    assert mean == pytest.approx(0.4) and interval.low < mean < interval.high


@pytest.mark.parametrize("share", [0.1, 0.5])
def test_the_mean_of_unequal_groups_is_inside_at_every_look(share: float) -> None:
    rng, left = np.random.default_rng(12), 0
    sizes = (12, 20, 60, 200)
    for _ in range(25):
        levels = (0.9 - share, share, share, 0.9 - share)
        totals = [(rng.random(size) < level).astype(float) for size, level in zip(sizes, levels, strict=True)]
        truth, missed = float(np.mean([part.mean() for part in totals])), False
        for look in (2, 12, 48):
            strata = [
                StratumSample(part[:look], np.ones(part[:look].size), part.size, str(place))
                for place, part in enumerate(totals)
            ]
            _, interval = anytime_mean(strata, target=TARGET)
            missed |= not interval.low - 1e-9 <= truth <= interval.high + 1e-9
        left += missed
    assert left <= 3


def test_one_stratum_has_its_own_sequence() -> None:
    values = np.random.default_rng(0).random(30)
    mean, interval = anytime_mean([StratumSample(values, np.ones(30), 90)], target=TARGET)
    found = betting_sequence(values, 90, target=TARGET)
    assert (interval.low, interval.high) == (found.low[-1], found.high[-1])
    assert (mean, interval.method) == (pytest.approx(values.mean()), "anytime 95% of 90")


def ruled_out(strata: list[StratumSample], levels: np.ndarray, mean: np.ndarray) -> np.ndarray:
    """The definition, draw by draw: whether a stratum's own bounds, or what both sides have won, speak
    against ways to have a mean.

    levels: each stratum's mean, strata by ways; mean: what they come to.
    """
    weights = np.array([one.population for one in strata]) / sum(one.population for one in strata)
    room = math.log(2 / (0.05 * (1 - CONTAINED)))
    up, down, outside = np.zeros_like(mean), np.zeros_like(mean), np.zeros(mean.shape, dtype=bool)
    for one, scale, level in zip(strata, weights / math.hypot(*weights), levels, strict=True):
        values, counted = one.totals, one.rows
        bounds = betting_sequence(
            values,
            one.population,
            1 - 0.05 * CONTAINED / len(strata),
            target=TARGET,
            shares=counted,
            grid=COARSE,
        )
        share = counted.sum() / one.population
        shares = np.array(
            [[1.0] if (counted == 1).all() else [share, share + 1 - values.size / one.population]]
        )
        own = [np.multiply.outer(shares, bound[-1] - mean) for bound in (bounds.low, bounds.high)]
        outside |= (level - mean < own[0].min(axis=(0, 1))) | (level - mean > own[1].max(axis=(0, 1)))
        bets = stakes(values, counted, one.population, scale * TARGET, ENOUGH * 2 * room * scale / TARGET)
        for place, bet in enumerate(bets):
            # A unit that does not count has the mean for its value; the mean of all of these is the level.
            value = values[place] + (1 - counted[place]) * mean
            seen = values[:place].sum() + (place - counted[:place].sum()) * mean
            surprise = value - (one.population * level - seen) / (one.population - place)
            guess = (0.5 + values[:place].sum()) / (place + 1) + (
                1 - (1 + counted[:place].sum()) / (place + 1)
            ) * mean
            price = (-math.log(1 - bet) - bet) * (value - guess) ** 2
            up += bet * surprise - price
            down -= bet * surprise + price
    return outside | (np.maximum(up, down) >= room)


def written_out(strata: list[StratumSample], confidence: float, target: float) -> tuple[float, float, float]:
    """The mean and the ends by definition: bets draw by draw, and ways to have a mean by all corners that
    they have.

    In units of the fullest unit: a stratum is off a mean by its values less its shares times that mean, on
    the average over units.
    """
    fullest = [max(one.rows, default=0.0) for one in strata]
    units = [own or max(fullest) or 1.0 for own in fullest]
    sizes = [one.population for one in strata]
    weights = [
        unit * size / sum(map(math.prod, zip(units, sizes, strict=True)))
        for unit, size in zip(units, sizes, strict=True)
    ]
    means, errors = np.arange(1001) / 1000, 1 - confidence
    room = math.log(2 / (0.9 * errors))
    bounds, bets = [], []
    for one, unit, size, weight in zip(strata, units, sizes, weights, strict=True):
        values, shares = one.totals / unit, one.rows / unit
        left = size - values.size
        sequence = betting_sequence(
            values, size, 1 - 0.1 * errors / len(strata), target=target, shares=shares, grid=200
        )
        own = (sequence.low[-1], sequence.high[-1]) if values.size else (0.0, 1.0)
        in_all = [1.0] if (shares == 1).all() else [shares.sum() / size, (shares.sum() + left) / size]
        seen = values.sum() - means * shares.sum()
        lowest = np.max(
            [np.min([part * (own[0] - means) for part in in_all], axis=0), (seen - left * means) / size],
            axis=0,
        )
        highest = np.min(
            [
                np.max([part * (own[1] - means) for part in in_all], axis=0),
                (seen + left * (1 - means)) / size,
            ],
            axis=0,
        )
        bounds.append((lowest, highest))
        scale, staked, own_bets = weight / math.sqrt(sum(each**2 for each in weights)), 0.0, []
        for place, (value, share) in enumerate(zip(values, shares, strict=True)):
            more = size / (size - place)
            known = [(0.5 + values[: n + 1].sum()) / (1 + shares[: n + 1].sum()) for n in range(place)]
            variance = (0.25 + sum((values[n] - shares[n] * known[n]) ** 2 for n in range(place))) / (
                place + 1
            )
            wanted = scale * target * more / (variance + scale * target * more)
            bet = max(0.0, min(wanted, (0.8 * 2 * room * scale / target - staked) / more))
            staked += wanted * more
            guess = (0.5 + values[:place].sum()) / (place + 1) - means * (1 + shares[:place].sum()) / (
                place + 1
            )
            before = values[:place].sum() - means * shares[:place].sum()
            own_bets.append((bet, value - means * share, before, guess, size, place))
        bets.append(own_bets)
    price = sum(
        (-math.log(1 - bet) - bet) * (value - guess) ** 2
        for own in bets
        for bet, value, _, guess, _, _ in own
    )
    least, most = np.full(means.size, np.inf), np.full(means.size, -np.inf)
    # What a stratum's own sequence said early may be ruled out by what was drawn since.
    consistent = np.all([lowest <= highest + 1e-9 for lowest, highest in bounds], axis=0)
    for free in range(len(strata)):  # the one that makes weights times offsets zero
        others = [place for place in range(len(strata)) if place != free]
        for corner in itertools.product((0, 1), repeat=len(others)):
            offsets = {place: bounds[place][end] for place, end in zip(others, corner, strict=True)}
            offsets[free] = (
                -sum((weights[place] * offsets[place] for place in others), np.zeros(means.size))
                / weights[free]
            )
            won = sum(
                bet * (value - (size * offsets[stratum] - before) / (size - place))
                for stratum, own in enumerate(bets)
                for bet, value, before, _, size, place in own
            )
            possible = (
                (offsets[free] >= bounds[free][0] - 1e-9)
                & (offsets[free] <= bounds[free][1] + 1e-9)
                & consistent
            )
            least, most = (
                np.where(possible, np.minimum(least, won), least),
                np.where(possible, np.maximum(most, won), most),
            )
    alive = means[(least <= room + price) & (most >= -room - price)]
    amount = [one.totals / unit for one, unit in zip(strata, units, strict=True)]
    counted = [one.rows / unit for one, unit in zip(strata, units, strict=True)]
    parts = [weight / size for weight, size in zip(weights, sizes, strict=True)]
    total = sum(part * own.sum() for part, own in zip(parts, amount, strict=True))
    left = sum(part * (size - own.size) for part, own, size in zip(parts, amount, sizes, strict=True))
    in_all = left + sum(part * own.sum() for part, own in zip(parts, counted, strict=True))
    low, high = total / in_all, (total + left) / in_all
    if alive.size:
        low, high = max(low, min(high, alive.min() - 0.001)), min(high, max(low, alive.max() + 0.001))
    known = [(weight, *own) for weight, *own in zip(weights, amount, counted, strict=True) if own[0].size]
    mean = sum(weight * own.mean() for weight, own, _ in known) / sum(
        weight * own.mean() for weight, _, own in known
    )
    return mean, min(low, mean), max(high, mean)


LOOKS = {
    "of one size": ([(40, 200, 0.3), (40, 200, 0.3)], (1.0,)),
    "far apart": ([(50, 90, 0.05), (20, 300, 0.9), (31, 45, 0.4)], (1.0,)),
    "some do not count": ([(60, 150, 0.4), (35, 100, 0.7)], (0.0, 1.0)),
    "of several rows": ([(12, 40, 0.5), (25, 30, 0.8), (18, 60, 0.1)], (1.0, 2.0, 3.0)),
    "one drawn, one not": ([(30, 30, 0.4), (0, 20, 0.0), (25, 70, 0.6)], (1.0, 2.0)),
    "all drawn": ([(7, 7, 0.4), (13, 13, 0.8)], (0.0, 1.0, 2.0)),
    "of one draw": ([(1, 5, 1.0), (1, 90, 0.0)], (1.0,)),
    "everything right": ([(60, 100, 1.0), (40, 80, 1.0)], (1.0,)),
}


@pytest.mark.parametrize(("confidence", "target"), [(0.95, 0.15), (0.8, 0.3), (0.5, 0.05)])
@pytest.mark.parametrize("look", LOOKS)
def test_equals_the_bets_written_out(look: str, confidence: float, target: float) -> None:
    rng = np.random.default_rng(len(look))
    sizes, rows = LOOKS[look]
    strata = []
    for size, population, rate in sizes:
        counted = rng.choice(rows, size)
        strata.append(StratumSample(np.floor(rng.binomial(4, rate, size)) / 4 * counted, counted, population))
    mean, interval = anytime_mean(strata, confidence, target=target)
    assert (mean, interval.low, interval.high) == pytest.approx(
        written_out(strata, confidence, target), abs=1e-9
    )
    assert (
        interval.method
        == f"anytime {confidence:.0%} of {sum(size for _, size, _ in sizes)} in {len(sizes)} strata"
    )


RUNS = [
    (
        [(1, 3, 0, 0, 14), (0, 4, 0, 0, 14)],
        0.5,
        3.0,
    ),  # nothing but the strata's own bounds rules out, at points of the grid
    ([(1, 12, 0, 0, 19), (1, 0, 0, 0, 31)], 0.95, 0.05),
    ([(0, 9, 4, 0, 27), (0, 0, 1, 0, 27), (1, 2, 14, 0, 27)], 0.8, 1.0),
    (
        [(1, 0, 47, 0, 70), (0, 14, 14, 0, 70), (1, 41, 14, 0, 70)],
        0.5,
        0.01,
    ),  # what came late contradicts what came early
    ([(0, 1, 1, 0, 45), (1, 7, 17, 0, 48), (1, 17, 27, 0, 49)], 0.95, 0.05),
    ([(1, 1, 4, 0, 5), (1, 9, 8, 0, 34)], 0.5, 3.0),  # everything was drawn of one
    ([(0, 10, 3, 7, 18), (0, 15, 3, 0, 18), (0, 5, 1, 0, 18)], 0.95, 0.15),
    ([(0, 6, 1, 5, 18), (0, 3, 1, 2, 11), (0, 3, 5, 7, 16)], 0.5, 0.15),  # what is left can be little
    ([(1, 17, 1, 0, 22), (1, 3, 4, 0, 46), (1, 14, 41, 37, 62)], 0.5, 1.0),
]
"""Of each stratum: the first value, how often it came, how often the other then did, how many of the last do
not count, units."""


@pytest.mark.parametrize(("runs", "confidence", "target"), RUNS)
def test_equals_the_bets_written_out_where_limits_meet(
    runs: list[tuple[int, int, int, int, int]], confidence: float, target: float
) -> None:
    strata = []
    for value, first, then, idle, population in runs:
        counted = np.repeat([1.0, 0.0], [first + then - idle, idle])
        strata.append(
            StratumSample(
                np.repeat([float(value), 1.0 - value], [first, then]) * counted, counted, population
            )
        )
    mean, interval = anytime_mean(strata, confidence, target=target)
    assert (mean, interval.low, interval.high) == pytest.approx(
        written_out(strata, confidence, target), abs=1e-9
    )


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
        strata.append(StratumSample(rows * (rng.random(size // 2) < level), rows, size))
    _, interval = anytime_mean(strata, target=TARGET)
    assert 0.0 <= interval.low < interval.high <= 1.0
    # Any way that what is left may be, and the mean that all have then; a unit that does not count has the
    # mean for its value.
    weights, left = (
        np.array(sizes) / sum(sizes),
        np.array([one.population - one.totals.size for one in strata]),
    )
    seen, idle = (
        np.array([part.sum() for part in parts])
        for parts in zip(*((one.totals, 1 - one.rows) for one in strata), strict=True)
    )
    ways = seen[:, None] + left[:, None] * rng.random((len(sizes), 300))
    mean = (weights / sizes) @ ways / (1 - (weights / sizes) @ idle)
    beyond = (mean < interval.low) | (mean > interval.high)
    assert ruled_out(strata, (ways + idle[:, None] * mean) / np.array(sizes)[:, None], mean)[beyond].all()


@settings(max_examples=60)
@given(
    st.lists(st.floats(0, 1), min_size=1, max_size=20),
    st.lists(st.floats(0, 1), min_size=1, max_size=20),
    st.integers(0, 30),
)
def test_a_stake_knows_nothing_of_its_own_draw_or_of_later_ones(
    kept: list[float], other: list[float], more: int
) -> None:
    population = len(kept) + len(other) + more

    def staked(values: list[float]) -> np.ndarray:
        return stakes(np.array(values), np.ones(len(values)), population, 0.1, 4.0)

    known = len(kept) + 1
    found = staked(kept + other)
    assert found[:known] == pytest.approx(
        staked([*kept, *(1 - value for value in other)])[:known], rel=1e-9, abs=1e-12
    )
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
def test_the_truth_is_inside_at_every_look(
    sizes: tuple[int, ...], share: float, target: float, applies: float
) -> None:
    """What nothing but normal intervals did in 41 to 79 of 100 samples; strata are drawn as far as differs,
    as in a run."""
    rng = np.random.default_rng(6)
    left = 0
    for _ in range(25):
        rows = [(rng.random(size) < applies).astype(float) for size in sizes]
        totals = [part * (rng.random(part.size) < share) for part in rows]
        truth = sum(part.sum() for part in totals) / sum(part.sum() for part in rows)
        missed = False
        for look in (1, 12, 48):
            ends = [min(size, look * (1 + place % 2)) for place, size in enumerate(sizes)]
            strata = [
                StratumSample(a[:end], b[:end], a.size) for a, b, end in zip(totals, rows, ends, strict=True)
            ]
            mean, interval = anytime_mean(strata, target=target)
            assert interval.low < interval.high
            assert interval.low >= 0.0
            assert interval.high <= 1.0
            assert math.isnan(mean) or interval.low <= mean <= interval.high
            missed |= not interval.low - 1e-9 <= truth <= interval.high + 1e-9
        left += missed
    assert left <= 3


def test_strata_together_are_known_better_than_each() -> None:
    """Half a width of 16 strata, each known to 10 points, is a third of that: halves added up would give more
    than 10."""
    rng = np.random.default_rng(7)
    strata = [drawn((rng.random(115) < 0.5).astype(float).tolist(), 465) for _ in range(16)]
    _, interval = anytime_mean(strata, target=0.1)
    assert (interval.high - interval.low) / 2 < 0.04
    assert interval.method == "anytime 95% of 7440 in 16 strata"


def test_it_closes_on_the_truth_when_everything_is_drawn_and_stays_open_where_nothing_is() -> None:
    rng = np.random.default_rng(8)
    parts = [rng.random(30), rng.random(50)]
    whole = [StratumSample(part, np.ones(part.size), part.size) for part in parts]
    mean, interval = anytime_mean(whole)
    assert (interval.low, interval.high, mean) == pytest.approx((mean, mean, np.concatenate(parts).mean()))
    undrawn = drawn([], 80)
    _, interval = anytime_mean([*whole, undrawn])
    assert (interval.low, interval.high) == pytest.approx((mean / 2, (1 + mean) / 2), abs=2 / GRID)
    for strata in ([undrawn], [undrawn, undrawn]):
        mean, nothing = anytime_mean(strata)
        assert (math.isnan(mean), nothing.low, nothing.high) == (True, 0.0, 1.0)


@pytest.mark.parametrize(
    "strata", [[drawn([1.5], 4)], [drawn([1.0], 4), drawn([0.5, -0.5], 4)], [drawn([0.0] * 5, 4)]]
)
def test_what_cannot_be_drawn_is_refused(strata: list[StratumSample]) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        anytime_mean(strata)
    with pytest.raises(ValueError, match="at least one"):
        anytime_mean([])


def test_bets_are_the_same_thing_in_units_of_the_fullest_unit() -> None:
    """Two rows that are both right or both wrong are worth what one is."""
    values = np.random.default_rng(9).integers(0, 2, 20).astype(float)
    single, double = (
        anytime_mean([StratumSample(values, np.ones(20), 50)])[1],
        anytime_mean([StratumSample(2 * values, np.full(20, 2.0), 50)])[1],
    )
    assert (single.low, single.high) == (double.low, double.high)
    assert (bet_sizes(values, 50, 0.1, np.ones(20)) > 0).all()
