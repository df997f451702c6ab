"""Correlation against scipy."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats as reference

from folkways.stats.hypotheses.correlation import pearson

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
    four = pearson([1, 2, math.nan, 3, 5, None, 6], [2, 1, 7, 4, math.nan, 5, 5])  # type: ignore[arg-type]
    assert four == pearson([1, 2, 3, 6], [2, 1, 4, 5])
    three = pearson([1, 2, None, 3, 5], [2, 1, 7, 4, None])  # type: ignore[arg-type]
    assert (four.n, three.n) == (4, 3)
    assert three.r == pytest.approx(reference.pearsonr([1, 2, 3], [2, 1, 4]).statistic)
    assert (math.isnan(four.low), math.isnan(three.low), math.isnan(three.high)) == (False, True, True)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("x", "y"),
    [
        ([], []),
        ([1], [2]),
        ([0.1] * 6, [1, 2, 3, 4, 5, 7]),  # whose mean is not exactly 0.1
        ([1, 2, 3, 4, 5, 7], [0.1] * 6),
    ],
)
def test_nothing_is_told_where_nothing_varies(x: list[float], y: list[float]) -> None:
    found = pearson(x, y)
    assert [math.isnan(each) for each in (found.r, found.low, found.high)] == [True] * 3
    assert (found.n, found.method) == (len(x), "fisher 95%")


def test_two_pairs_are_on_a_line() -> None:
    assert pearson([1, 2], [4, 3]).r == pytest.approx(-1.0)


def test_a_perfect_line_has_no_width() -> None:
    for slope in (1, -1):
        for last in range(5, 60):  # of some lines, rounding gives more than 1
            x = [0.1 * place for place in (1, 2, 3, 4, last)]
            found = pearson(x, [slope * 3 * value for value in x])
            assert (found.r, found.low, found.high) == pytest.approx((slope, slope, slope))
            assert abs(found.r) <= 1


def test_pairs_are_needed() -> None:
    with pytest.raises(ValueError, match="one length"):
        pearson([1, 2], [1, 2, 3])
    with pytest.raises(ValueError, match="flat"):
        pearson([[1, 2], [2, 1]], [[1, 2], [2, 1]])
