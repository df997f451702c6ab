"""The studentized range against scipy's, which integrates adaptively, and against what holds of it exactly."""

from __future__ import annotations

import math

import pytest
from scipy import stats as reference

from folkways.stats.hypotheses.studentized_range import StudentizedRange


@pytest.mark.parametrize(("groups", "df"), [(2, 1), (3, 2), (3, 7), (16, 1), (16, 40), (40, 12), (5, 3000)])
def test_equals_scipy(groups: int, df: int) -> None:
    ours = StudentizedRange(groups, df)
    for q in (0.05, 0.8, 2.0, 3.5, 6.0, 25.0):
        assert ours.above(q) == pytest.approx(reference.studentized_range.sf(q, groups, df), abs=1e-10)


@pytest.mark.parametrize("confidence", [0.2, 0.95, 0.999])
def test_the_range_that_a_share_is_above_equals_scipys(confidence: float) -> None:
    expected = reference.studentized_range.ppf(confidence, 4, 9)
    assert StudentizedRange(4, 9).exceeded_by(1 - confidence) == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize("df", [1, 2, 30, 1_000_000])
def test_the_range_of_two_groups_is_students_t(df: int) -> None:
    ours = StudentizedRange(2, df)
    for q in (0.1, 1.5, 4.0):
        two_sided = 2 * reference.t.sf(q / math.sqrt(2), df)
        assert ours.above(q) == pytest.approx(two_sided, abs=1e-9)


def test_ends() -> None:
    ours = StudentizedRange(5, 20)
    assert [ours.above(q) for q in (0.0, math.inf)] == [1.0, 0.0]
    assert math.isnan(ours.above(math.nan))
