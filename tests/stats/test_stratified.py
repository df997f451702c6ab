"""Means over strata by hand, against a plain mean, and against how often their intervals hold the truth."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
import pytest

from folkways.stats.intervals import clustered_normal, wilson
from folkways.stats.stratified import mean_of_wilsons, stratified_mean

Z = NormalDist().inv_cdf(0.975)


def test_two_strata_by_hand() -> None:
    """Means 1/2 and 1 of 4 and 2 questions; variances 1/3 and 0 within; weights 2/3 and 1/3 by rows."""
    values, clusters, strata = np.array([0.0, 1.0, 0.0, 1.0, 1.0, 1.0]), np.arange(6), np.array([0, 0, 0, 0, 1, 1])
    found = stratified_mean(values, clusters, strata)
    assert found.mean == pytest.approx(values.mean())
    assert found.error == pytest.approx(2 / 3 * math.sqrt(1 / 3 / 4))
    assert found.interval.high == pytest.approx(found.mean + Z * found.error)
    equal = stratified_mean(values, clusters, strata, weights=np.array([0.5, 0.5]))
    assert (equal.mean, equal.error) == pytest.approx((0.75, 0.5 * math.sqrt(1 / 12)))
    asked = stratified_mean(values, clusters, strata, populations=[8, 2])
    assert asked.error == pytest.approx(found.error * math.sqrt(1 - 4 / 8))
    assert asked.interval.method == "normal 95% by question within stratum of 10"
    whole = stratified_mean(values, clusters, strata, populations=[4, 2])
    assert whole.error == 0.0


def test_one_stratum_is_the_mean_of_clusters() -> None:
    rng = np.random.default_rng(0)
    values, clusters = rng.random(90), np.arange(90) // 3
    found, expected = stratified_mean(values, clusters, np.zeros(90, dtype=np.int64)), clustered_normal(values, clusters)
    assert (found.interval.low, found.interval.high) == pytest.approx((expected.low, expected.high))


def test_a_stratum_of_one_question_leaves_the_error_open() -> None:
    values, strata = np.array([0.0, 1.0, 1.0]), np.array([0, 0, 1])
    assert math.isnan(stratified_mean(values, np.arange(3), strata).error)
    assert not math.isnan(stratified_mean(values, np.arange(3), strata, populations=[9, 1]).error)


@pytest.mark.parametrize("name", ["weights", "populations"])
def test_as_many_numbers_as_strata(name: str) -> None:
    with pytest.raises(ValueError, match=f"2 strata need as many {name}, got 1"):
        stratified_mean(np.arange(4.0), np.arange(4), np.array([0, 0, 1, 1]), **{name: [1]})  # type: ignore[arg-type]


def test_the_interval_holds_the_truth_of_a_stratified_population_about_that_often() -> None:
    rng = np.random.default_rng(3)
    levels = np.array([0.2, 0.5, 0.9])
    sizes, asked = np.array([300, 200, 100]), np.array([60, 40, 30])
    everyone = [(rng.random(size) < level).astype(float) for size, level in zip(sizes, levels, strict=True)]
    truth = float(np.concatenate(everyone).mean())
    held = 0
    for _ in range(400):
        drawn = [rng.choice(part, size, replace=False) for part, size in zip(everyone, asked, strict=True)]
        values, strata = np.concatenate(drawn), np.repeat(np.arange(3), asked)
        found = stratified_mean(values, np.arange(values.size), strata, weights=sizes / sizes.sum(), populations=sizes.tolist())
        held += found.interval.low <= truth <= found.interval.high
    assert 0.91 <= held / 400 <= 0.985


def test_the_mean_of_one_wilson_interval_is_that_interval() -> None:
    single, found = wilson(3, 7), mean_of_wilsons([3 / 7], [7])
    assert (found.low, found.high) == pytest.approx((single.low, single.high))


def test_the_mean_of_two_equal_wilson_intervals_is_narrower_by_the_root_of_two() -> None:
    single, found = wilson(3, 7), mean_of_wilsons([3 / 7, 3 / 7], [7, 7])
    assert found.high - 3 / 7 == pytest.approx((single.high - 3 / 7) / math.sqrt(2))


def test_no_share_has_no_mean() -> None:
    with pytest.raises(ValueError, match="at least one"):
        mean_of_wilsons([], [])
