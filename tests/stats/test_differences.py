"""Differences of means of proportions: Newcombe's published example, the intervals of one side, and what p
means."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.stats import beta, binom, gamma, norm
from statsmodels.stats.proportion import proportion_confint

from folkways.stats.differences import difference_of_shares, gaps_of_groups, independent_difference
from folkways.stats.intervals import interval_of_average, wilson


def test_newcombes_example() -> None:
    """Newcombe (1998), Statistics in Medicine 17, table II, method 10: 56 of 70 against 48 of 80."""
    found = difference_of_shares(np.array([56 / 70]), np.array([70.0]), np.array([48 / 80]), np.array([80.0]))
    assert found.difference == pytest.approx(0.2)
    assert (found.low, found.high) == pytest.approx((0.0524, 0.3339), abs=5e-5)


def test_against_a_side_that_hardly_varies_it_is_the_interval_of_the_other() -> None:
    shares, numbers = np.array([0.3, 0.8, 0.5]), np.array([20.0, 40.0, 30.0])
    found = difference_of_shares(shares, numbers, np.array([0.0]), np.array([1e12]))
    alone = interval_of_average(
        shares.tolist(), [wilson(share * n, n) for share, n in zip(shares, numbers, strict=True)]
    )
    assert (found.low, found.high) == pytest.approx((alone.low, alone.high), abs=1e-5)


@pytest.mark.parametrize(
    ("first", "first_numbers", "second", "second_numbers"),
    [
        ([0.7, 0.6], [30, 40], [0.5, 0.4], [50, 25]),
        ([0.1, 0.0, 0.3], [12, 7, 100], [0.55], [31]),
        ([0.42], [19], [0.4, 0.5, 0.3, 0.41], [8, 90, 33, 2]),
        ([0.95, 1.0], [60, 45], [0.8], [15]),
    ],
)
def test_equals_the_parts_put_together_in_squares(
    first: list[float], first_numbers: list[float], second: list[float], second_numbers: list[float]
) -> None:
    """Wilson's limits of every share by statsmodels, modified by the quantiles of gamma distributions, and far out by Jeffreys'; p where a search for the confidence that just holds 0
    ends."""
    difference = sum(first) / len(first) - sum(second) / len(second)

    def ends(confidence: float) -> tuple[float, float]:
        below = above = 0.0
        for sign, shares, numbers in ((1, first, first_numbers), (-1, second, second_numbers)):
            for share, number in zip(shares, numbers, strict=True):
                low, high = proportion_confint(share * number, number, 1 - confidence, method="wilson")
                if norm.ppf(0.5 + confidence / 2) >= 2:  # Jeffreys'
                    ones, zeros = share * number, (1 - share) * number
                    least = beta.ppf(
                        0.5 - confidence / 2, [ones + 0.5, zeros + 0.5], [zeros + 0.5, ones + 0.5]
                    )
                    low = min(low, least[0]) if ones else low
                    high = max(high, 1 - least[1]) if zeros else high
                if 0 < share * number <= 4:
                    low = min(low, gamma.ppf(1 - confidence, share * number) / number)
                if 0 < (1 - share) * number <= 4:
                    high = max(high, 1 - gamma.ppf(1 - confidence, (1 - share) * number) / number)
                down, up = (share - low, high - share)[::sign]
                below, above = below + (down / len(shares)) ** 2, above + (up / len(shares)) ** 2
        return difference - math.sqrt(below), difference + math.sqrt(above)

    sides = (np.array(side, dtype=float) for side in (first, first_numbers, second, second_numbers))
    one, one_numbers, other, other_numbers = sides
    for confidence in (0.95, 0.7):
        found = difference_of_shares(one, one_numbers, other, other_numbers, confidence)
        assert (found.difference, found.low, found.high) == pytest.approx(
            (difference, *ends(confidence)), abs=1e-5
        )
    assert difference_of_shares(one, one_numbers, other, other_numbers).low == pytest.approx(
        ends(0.95)[0], abs=1e-5
    )
    p = 1 - brentq(
        lambda confidence: ends(confidence)[0 if difference > 0 else 1], 1e-9, 1 - 1e-12, xtol=1e-13
    )
    assert found.p == pytest.approx(p, abs=1e-5)


def test_p_is_at_the_level_at_which_the_interval_touches_nothing() -> None:
    shares, numbers, others, other_numbers = (
        np.array([0.7, 0.6]),
        np.array([30.0, 40.0]),
        np.array([0.5, 0.4]),
        np.array([50.0, 25.0]),
    )
    found = difference_of_shares(shares, numbers, others, other_numbers)
    assert 0 < found.p < 0.05
    edge = difference_of_shares(shares, numbers, others, other_numbers, confidence=1 - found.p)
    assert edge.low == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize("tests", [300, pytest.param(1200, marks=pytest.mark.nightly)])
def test_p_holds_its_level_when_nothing_differs(tests: int) -> None:
    """5 % of the tests of equal countries reject, within three and a half standard errors; the interval is
    known to be cautious."""
    rng = np.random.default_rng(5)
    numbers, other_numbers = np.array([20.0, 7.0]), np.array([35.0, 25.0, 22.0])
    rejected = 0
    for _ in range(tests):
        first = rng.binomial(numbers.astype(int), 0.6) / numbers
        second = rng.binomial(other_numbers.astype(int), 0.6) / other_numbers
        rejected += difference_of_shares(first, numbers, second, other_numbers).p < 0.05
    assert 0.01 < rejected / tests < 0.05 + 3.5 * (0.05 * 0.95 / tests) ** 0.5


def test_no_difference_and_a_great_one() -> None:
    ones, many = np.array([1.0]), np.array([5000.0])
    assert difference_of_shares(ones, many, ones, many).p == 1.0
    assert difference_of_shares(ones, many, 1 - ones, many).p == pytest.approx(
        2 * norm.sf(7.0), rel=1e-3
    )  # the smallest told
    nothing = np.array([])
    for sides in ((ones, many, nothing, nothing), (nothing, nothing, ones, many)):
        with pytest.raises(ValueError, match="either side"):
            difference_of_shares(*sides)


@given(st.integers(1, 40), st.integers(1, 40), st.data())
def test_the_other_way_round_it_is_the_same_with_the_other_sign(
    one: int, other: int, data: st.DataObject
) -> None:
    first, second = data.draw(st.integers(0, one)) / one, data.draw(st.integers(0, other)) / other
    sides = np.array([first]), np.array([float(one)]), np.array([second]), np.array([float(other)])
    found, turned = difference_of_shares(*sides), difference_of_shares(*sides[2:], *sides[:2])
    assert (found.difference, found.low, found.high) == pytest.approx(
        (-turned.difference, -turned.high, -turned.low)
    )
    assert found.p == pytest.approx(turned.p)
    assert -1 - 1e-9 <= found.low <= found.difference <= found.high <= 1 + 1e-9
    assert found.high <= wilson(first * one, one).high - wilson(second * other, other).low + 1e-9


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(1, 500)), min_size=2, max_size=6))
def test_the_gap_of_a_group_is_its_difference_from_the_others_as_strata(
    groups: list[tuple[float, float]],
) -> None:
    shares, numbers = np.array(groups).T
    for group, gap in enumerate(gaps_of_groups(shares, numbers)):
        others = np.arange(len(groups)) != group
        one = difference_of_shares(shares[~others], numbers[~others], shares[others], numbers[others])
        part = (len(groups) - 1) / len(groups)
        assert gap.difference == pytest.approx(shares[group] - shares.mean(), abs=1e-9)
        ends = (gap.difference, gap.low, gap.high)
        assert ends == pytest.approx((part * one.difference, part * one.low, part * one.high), abs=1e-9)
        if abs(gap.difference) > 1e-9:
            assert gap.p == pytest.approx(one.p, rel=1e-6, abs=1e-8)


def test_a_gap_needs_two_groups() -> None:
    with pytest.raises(ValueError, match="got 1"):
        gaps_of_groups(np.array([0.5]), np.array([10.0]))


def test_sides_that_differ_by_rounding_alone_do_not_differ() -> None:
    shares, numbers = np.array([0.1, 0.2, 0.3]), np.array([20.0, 40.0, 30.0])
    backwards = np.array([float(np.nextafter(share, 0)) for share in shares[::-1]])
    assert shares.mean() != backwards.mean()
    made = difference_of_shares(shares, numbers, backwards, numbers[::-1])
    assert (made.difference, made.p) == (0.0, 1.0)
    equal = np.full(6, 0.1)
    assert equal.sum() != 6 * 0.1
    assert [(gap.difference, gap.p) for gap in gaps_of_groups(equal, np.full(6, 9.0))] == [(0.0, 1.0)] * 6
    interval = wilson(3, 30)
    assert independent_difference(0.1 + 0.2, interval, 0.3, interval)[0] == 0.0
    assert independent_difference(0.3 + 1e-9, interval, 0.3, interval)[0] == pytest.approx(1e-9, rel=1e-3)
    assert gaps_of_groups(np.array([0.5, 0.5 + 1e-9]), numbers[:2])[1].difference > 0


@pytest.mark.parametrize(("right", "n", "share"), [(13, 20, 0.9), (12, 20, 0.9), (4, 10, 0.85), (3, 10, 0.8)])
def test_a_group_far_below_many_others_is_no_rarer_than_it_is(right: int, n: int, share: float) -> None:
    """Where many groups are looked at, p decides by the tail: Wilson's gave a tenth of the exact one."""
    shares, numbers = np.array([right / n, *[share] * 56]), np.array([float(n), *[1e6] * 56])
    exact = 2 * (binom.cdf(right, n, share) - 0.5 * binom.pmf(right, n, share))
    assert 0.5 < gaps_of_groups(shares, numbers)[0].p / exact < 2
