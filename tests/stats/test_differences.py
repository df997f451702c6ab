"""Differences of means of proportions: Newcombe's published example, the intervals of one side, and what p means."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkways.stats.differences import difference_of_shares
from folkways.stats.intervals import interval_of_average, wilson


def test_newcombes_example() -> None:
    """Newcombe (1998), Statistics in Medicine 17, table II, method 10: 56 of 70 against 48 of 80."""
    found = difference_of_shares(np.array([56 / 70]), np.array([70.0]), np.array([48 / 80]), np.array([80.0]))
    assert found.difference == pytest.approx(0.2)
    assert (found.low, found.high) == pytest.approx((0.0524, 0.3339), abs=5e-5)


def test_against_a_side_that_hardly_varies_it_is_the_interval_of_the_other() -> None:
    shares, numbers = np.array([0.3, 0.8, 0.5]), np.array([20.0, 40.0, 30.0])
    found = difference_of_shares(shares, numbers, np.array([0.0]), np.array([1e12]))
    alone = interval_of_average(shares.tolist(), [wilson(share * n, n) for share, n in zip(shares, numbers, strict=True)])
    assert (found.low, found.high) == pytest.approx((alone.low, alone.high), abs=1e-5)


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


def test_p_holds_its_level_when_nothing_differs() -> None:
    """5 % of 600 tests of equal countries reject, within three and a half standard errors; the interval is known to be cautious."""
    rng = np.random.default_rng(5)
    numbers, other_numbers = np.array([20.0, 7.0]), np.array([35.0, 25.0, 22.0])
    rejected = 0
    for _ in range(600):
        first = rng.binomial(numbers.astype(int), 0.6) / numbers
        second = rng.binomial(other_numbers.astype(int), 0.6) / other_numbers
        rejected += difference_of_shares(first, numbers, second, other_numbers).p < 0.05
    assert 0.01 < rejected / 600 < 0.05 + 3.5 * (0.05 * 0.95 / 600) ** 0.5


def test_no_difference_and_a_great_one() -> None:
    ones, many = np.array([1.0]), np.array([5000.0])
    assert difference_of_shares(ones, many, ones, many).p == 1.0
    assert difference_of_shares(ones, many, 1 - ones, many).p < 1e-11
    with pytest.raises(ValueError, match="either side"):
        difference_of_shares(ones, many, np.array([]), np.array([]))


@given(st.integers(1, 40), st.integers(1, 40), st.data())
def test_the_other_way_round_it_is_the_same_with_the_other_sign(one: int, other: int, data: st.DataObject) -> None:
    first, second = data.draw(st.integers(0, one)) / one, data.draw(st.integers(0, other)) / other
    sides = np.array([first]), np.array([float(one)]), np.array([second]), np.array([float(other)])
    found, turned = difference_of_shares(*sides), difference_of_shares(*sides[2:], *sides[:2])
    assert (found.difference, found.low, found.high) == pytest.approx((-turned.difference, -turned.high, -turned.low))
    assert found.p == pytest.approx(turned.p)
    assert -1 - 1e-9 <= found.low <= found.difference <= found.high <= 1 + 1e-9
    assert found.high <= wilson(first * one, one).high - wilson(second * other, other).low + 1e-9
