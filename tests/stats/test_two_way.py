"""Rows clustered by items and by people: against statsmodels' two-way variance, and how often the truth is
held."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.regression.linear_model import OLS

from folkways.stats.clusters import clustered_mean
from folkways.stats.intervals import cluster_totals
from folkways.stats.two_way import two_way_difference, two_way_mean

ROWS = st.lists(
    st.tuples(st.floats(-9, 9), st.booleans(), st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=30
)


def grid(items: int, people: int) -> tuple[Any, Any]:
    first, second = np.meshgrid(np.arange(items), np.arange(people), indexing="ij")
    return first.ravel(), second.ravel()


def drawn(rng: np.random.Generator, items: int, people: int, effect: float) -> tuple[Any, ...]:
    """Values whose items and people differ, in level and in effect; half of the rows are treated."""
    first, second = grid(items, people)
    treated = rng.random(first.size) < 0.5
    level = rng.normal(0, 1, items)[first] + rng.normal(0, 0.5, people)[second]
    own = effect + rng.normal(0, 0.5, items)[first] + rng.normal(0, 0.5, people)[second]
    return level + treated * own + rng.normal(0, 1, first.size), treated, first, second


def test_with_many_clusters_it_is_the_two_way_variance_of_statsmodels() -> None:
    values, treated, first, second = drawn(np.random.default_rng(3), 120, 90, 1.0)
    found = two_way_difference(values, treated, first, second)
    fit = OLS(values, np.column_stack([np.ones(values.size), treated])).fit(
        cov_type="cluster", cov_kwds={"groups": np.column_stack([first, second])}
    )
    half = (found.interval.high - found.interval.low) / 2
    assert found.difference == pytest.approx(fit.params[1])
    assert half / 1.987 == pytest.approx(
        fit.bse[1], rel=0.03
    )  # Student's quantile with 89 degrees of freedom
    assert (found.n_treated, found.n_control) == (int(treated.sum()), int((~treated).sum()))


def test_by_hand_over_three_items_and_three_people() -> None:
    """Treated on the diagonal, where values are 1, 2 and 6; 0 elsewhere. To leave out an item or a person is
    the same: the differences are 4, 3.5 and 1.5 around 3, so that either variance is 2/3 of 1 + 1/4 + 9/4.
    That of single rows is 8/9 of 1 + 1/4 + 9/4, and six zeros leave nothing; 7/3 + 7/3 - 28/9 is less than
    7/3.
    """
    first, second = grid(3, 3)
    treated = first == second
    values = np.where(treated, np.array([1.0, 2.0, 6.0])[first], 0.0)
    found = two_way_difference(values, treated, first, second)
    half = 4.302653 * math.sqrt(7 / 3)
    assert (found.interval.low, found.interval.high) == pytest.approx((3 - half, 3 + half), rel=1e-6)
    ratio = 3 / math.sqrt(7 / 3)
    assert found.p == pytest.approx(
        1 - ratio / math.sqrt(2 + ratio**2)
    )  # Student's with two degrees of freedom
    assert found.interval.method == "student 95% two-way"


@given(ROWS)
def test_p_and_interval_agree_and_the_sides_and_clusterings_can_be_swapped(rows: Any) -> None:
    values, treated, first, second = (np.array(column) for column in zip(*rows, strict=True))
    if treated.all() or not treated.any():
        with pytest.raises(ValueError, match="either side"):
            two_way_difference(values, treated, first, second)
        return
    found = two_way_difference(values, treated, first, second)
    other = two_way_difference(values, ~treated, second, first)
    assert other.difference == pytest.approx(-found.difference)
    if math.isnan(found.interval.low):
        assert found.interval.method.startswith("none: ") and math.isnan(found.p)
        return
    assert other.interval.low == pytest.approx(-found.interval.high, abs=1e-9)
    assert found.interval.low <= found.difference <= found.interval.high
    if abs(found.p - 0.05) > 1e-6:
        assert (found.p < 0.05) == (found.interval.low > 0 or found.interval.high < 0)


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([(1.0, True, 0, 0), (0.0, False, 0, 1), (0.0, False, 1, 2)], "none: under 3 items or people"),
        ([(1.0, True, 0, 0), (1.0, False, 1, 1), (1.0, False, 2, 2)], "none: all of one side are of one item or person"),
        ([(1.0, t, i, p) for t in (True, False) for i in range(3) for p in range(3)], "none: all alike"),
    ],
)  # fmt: skip
def test_what_tells_nothing_has_no_interval_and_says_why(rows: Any, reason: str) -> None:
    found = two_way_difference(*(np.array(column) for column in zip(*rows, strict=True)))
    assert found.interval.method == reason and math.isnan(found.interval.low) and math.isnan(found.p)


@pytest.mark.parametrize(("items", "people"), [(30, 8), (100, 5), (40, 40)])
def test_ninety_five_of_a_hundred_intervals_hold_the_truth(items: int, people: int) -> None:
    rng, held = np.random.default_rng(items), 0
    for _ in range(400):
        found = two_way_difference(*drawn(rng, items, people, 0.7))
        held += found.interval.low <= 0.7 <= found.interval.high
    assert held >= 372  # of 400; of intervals that hold 95 %, fewer in one of 50


def test_a_mean_is_worth_no_more_than_by_either_clustering() -> None:
    rng = np.random.default_rng(5)
    first, second = grid(40, 12)
    chance = 0.5 + 0.3 * rng.choice([-1, 1], 40)[first] + 0.15 * rng.choice([-1, 1], 12)[second]
    values = (rng.random(first.size) < chance).astype(float)
    found = two_way_mean(values, first, second)
    alone = [
        clustered_mean(*cluster_totals(values, labels), float(values @ values)).n_effective
        for labels in (first, second)
    ]
    assert found.mean == values.mean() and found.n == 480
    assert found.n_effective < min(alone) and found.n_effective == pytest.approx(
        1 / (1 / alone[0] + 1 / alone[1] - 1 / 480)
    )
    assert found.interval.low < found.mean < found.interval.high


def test_a_mean_of_rows_that_share_no_cluster_is_that_of_the_rows() -> None:
    values = np.array([1.0] * 30 + [0.0] * 20)
    found = two_way_mean(values, np.arange(50), np.arange(50))
    assert found.n_effective == pytest.approx(50)
