"""Correlation against scipy."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats as reference

from folkways.stats.correlation import pearson

pairs = st.lists(st.tuples(st.integers(-100, 100), st.integers(-100, 100)), min_size=4, max_size=40)


@given(pairs, st.sampled_from([0.8, 0.95, 0.99]))
def test_equals_scipy(data: list[tuple[int, int]], confidence: float) -> None:
    x, y = (np.array(side, dtype=float) for side in zip(*data, strict=True))
    assume(np.ptp(x) > 0 and np.ptp(y) > 0)
    found, expected = pearson(x, y, confidence), reference.pearsonr(x, y)
    assert found.r == pytest.approx(expected.statistic, abs=1e-9)
    assume(abs(found.r) < 0.999999)
    interval = expected.confidence_interval(confidence)
    assert (found.low, found.high) == pytest.approx((interval.low, interval.high), abs=1e-7)
    assert found.low <= found.r <= found.high


def test_pairs_without_a_value_do_not_count() -> None:
    with_gap = pearson([1, 2, math.nan, 3, 5], [2, 1, 7, 4, math.nan])
    assert with_gap == pearson([1, 2, 3], [2, 1, 4])
    assert with_gap.n == 3
    assert math.isnan(with_gap.low)


@pytest.mark.parametrize(("x", "y"), [([], []), ([1], [2]), ([1, 1, 1, 1], [1, 2, 3, 4])])
def test_nothing_is_told_where_nothing_varies(x: list[float], y: list[float]) -> None:
    found = pearson(x, y)
    assert math.isnan(found.r)
    assert math.isnan(found.low)


def test_a_perfect_line_has_no_width() -> None:
    found = pearson([1, 2, 3, 4, 5], [2, 4, 6, 8, 10])
    assert (found.r, found.low, found.high) == pytest.approx((1.0, 1.0, 1.0))


def test_pairs_are_needed() -> None:
    with pytest.raises(ValueError, match="one length"):
        pearson([1, 2], [1, 2, 3])
