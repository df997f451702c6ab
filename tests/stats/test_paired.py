"""Paired differences against scipy."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats as reference

from folkways.stats.paired import paired_mean


@given(st.lists(st.tuples(st.integers(-20, 20), st.integers(-20, 20)), min_size=10, max_size=50), st.sampled_from([0.9, 0.95]))
def test_equals_scipy(data: list[tuple[int, int]], confidence: float) -> None:
    first, second = (np.array(side, dtype=float) for side in zip(*data, strict=True))
    assume(np.ptp(first - second) > 0)
    found, expected = paired_mean(first, second, confidence), reference.ttest_rel(first, second)
    interval = expected.confidence_interval(confidence)
    assert (found.low, found.high) == pytest.approx((interval.low, interval.high))
    assert found.p == pytest.approx(expected.pvalue)
    assert found.low < found.difference < found.high


@pytest.mark.parametrize(
    ("pairs", "why"),
    [([], "none: no pairs"), ([(1.0, 0.0), (3.0, 2.5)], "none: under 10 questions"), ([(3.0, 2.0)] * 12, "none: all alike")],
)
def test_no_certainty_where_nothing_can_be_told(pairs: list[tuple[float, float]], why: str) -> None:
    found = paired_mean([first for first, _ in pairs], [second for _, second in pairs])
    assert (found.n, found.method) == (len(pairs), why)
    assert math.isnan(found.low) and math.isnan(found.high) and math.isnan(found.p)
    assert (
        found.difference == pytest.approx(np.mean([one - other for one, other in pairs])) if pairs else math.isnan(found.difference)
    )


def test_percentages_that_never_differ_are_not_certain() -> None:
    found = paired_mean([100.0] * 20, [100.0] * 20, largest=100.0)
    assert found.low < -5 < 0 < 5 < found.high
    assert (found.difference, found.p) == (0.0, 1.0)
