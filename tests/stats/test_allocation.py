"""Which stratum is labelled next."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkways.stats.raters.stratified_calibration import allocate, errors_to_expect


def test_two_of_each_come_first_and_then_neymans_shares() -> None:
    """Standard deviations of 1, 2 and 4 in strata of equal size: Neyman gives one, two and four of seven
    labels."""
    worth = [1.0, 4.0, 16.0]
    order = list(islice(allocate(worth, [0, 0, 0], [500] * 3), 350))
    assert sorted(order[:6]) == [0, 0, 1, 1, 2, 2]
    assert np.bincount(order).tolist() == pytest.approx([50, 100, 200], abs=1)
    later = list(islice(allocate(worth, [50, 100, 0], [450, 400, 500]), 200))
    assert np.bincount(later, minlength=3).tolist() == pytest.approx([0, 0, 200], abs=1)


@given(st.lists(st.tuples(st.floats(0, 1), st.integers(0, 9), st.integers(0, 9)), max_size=6))
def test_everything_that_waits_comes_once(strata: list[tuple[float, int, int]]) -> None:
    worth, labelled, waiting = (
        (list(column) for column in zip(*strata, strict=True)) if strata else ([], [], [])
    )
    order = list(allocate(worth, labelled, waiting))
    assert [order.count(place) for place in range(len(strata))] == waiting


def test_labels_take_the_place_of_doubts() -> None:
    assert errors_to_expect(0, 0, 0.3) == pytest.approx(0.3)
    assert errors_to_expect(5, 50, 0.9) == pytest.approx((5 + 3.6) / 54)
