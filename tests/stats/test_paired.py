"""Paired differences against scipy."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats as reference

from folkways.stats.clusters import clustered_difference
from folkways.stats.differences import PairedMean, paired_mean


@given(
    st.lists(st.tuples(st.integers(-20, 20), st.integers(-20, 20)), min_size=10, max_size=50),
    st.sampled_from([0.9, 0.95]),
)
def test_equals_scipy(data: list[tuple[int, int]], confidence: float) -> None:
    first, second = (np.array(side, dtype=float) for side in zip(*data, strict=True))
    assume(np.ptp(first - second) > 0)
    found, expected = paired_mean(first, second, confidence), reference.ttest_rel(first, second)
    interval = expected.confidence_interval(confidence)
    assert (found.low, found.high) == pytest.approx((interval.low, interval.high))
    assert found.p == pytest.approx(expected.pvalue)
    assert found.low < found.difference < found.high


@pytest.mark.parametrize(("largest", "confidence"), [(None, 0.95), (None, 0.7), (50.0, 0.95), (80.0, 0.7)])
def test_pairs_are_questions_of_a_row(largest: float | None, confidence: float) -> None:
    first, second = [30, 12.5, 40, 8, 9, 0, 44, 17, 20, 3, 31], [20, 30, 40, 2, 0, 5, 10, 17, 0, 1, 26]
    differences = np.array(first) - np.array(second)
    found = paired_mean(first, second, confidence, largest=largest)
    expected = clustered_difference(differences, differences, np.ones(11), largest)
    interval = expected.interval(confidence)
    assert found == PairedMean(expected.mean, interval.low, interval.high, expected.p(), 11, interval.method)
    assert found.difference == pytest.approx(63.5 / 11)
    if confidence == 0.95:
        assert found == paired_mean(first, second, largest=largest)


@pytest.mark.parametrize(
    ("pairs", "why"),
    [
        ([], "none: no pairs"),
        ([(1.0, 0.0), (3.0, 2.5)], "none: under 10 questions"),
        ([(3.0, 2.0)] * 12, "none: all alike"),
    ],
)
def test_no_certainty_where_nothing_can_be_told(pairs: list[tuple[float, float]], why: str) -> None:
    found = paired_mean([first for first, _ in pairs], [second for _, second in pairs])
    assert (found.n, found.method) == (len(pairs), why)
    assert math.isnan(found.low) and math.isnan(found.high) and math.isnan(found.p)
    assert (
        found.difference == pytest.approx(np.mean([one - other for one, other in pairs]))
        if pairs
        else math.isnan(found.difference)
    )


def test_percentages_that_never_differ_are_not_certain() -> None:
    found = paired_mean([100.0] * 20, [100.0] * 20, largest=100.0)
    assert found.low < -5 < 0 < 5 < found.high
    assert (found.difference, found.p) == (0.0, 1.0)
