"""Intervals against scipy, against the bootstrap written as a plain loop, and against how often they hold the truth."""

from __future__ import annotations

import math
import random
import statistics
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from statistics import NormalDist

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import binomtest, hypergeom
from statsmodels.regression.linear_model import OLS

from folkways.stats.bootstrap import clustered_bootstrap
from folkways.stats.intervals import Interval, cluster_robust, clustered_normal, wilson

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@given(st.integers(1, 5000), st.data(), st.sampled_from([0.8, 0.9, 0.95, 0.99]))
def test_wilson_equals_scipy(n: int, data: st.DataObject, confidence: float) -> None:
    successes = data.draw(st.integers(0, n))
    expected = binomtest(successes, n).proportion_ci(confidence, method="wilson")
    found = wilson(successes, n, confidence)
    assert found.low == pytest.approx(expected.low, abs=1e-12)
    assert found.high == pytest.approx(expected.high, abs=1e-12)


@given(st.integers(1, 10_000), st.data())
def test_wilson_lies_in_the_unit_range_and_holds_the_estimate(n: int, data: st.DataObject) -> None:
    successes = data.draw(st.integers(0, n))
    found = wilson(successes, n)
    assert 0.0 <= found.low <= successes / n <= found.high <= 1.0
    assert found.low < found.high
    mirrored = wilson(n - successes, n)
    assert mirrored.low == pytest.approx(1 - found.high, abs=1e-9)


def test_wilson_of_nothing_says_nothing() -> None:
    assert wilson(0, 0) == Interval(0.0, 1.0, "wilson 95%")


@pytest.mark.parametrize("successes", [-1, 4])
def test_wilson_refuses_impossible_counts(successes: int) -> None:
    with pytest.raises(ValueError, match="between 0 and n=3"):
        wilson(successes, 3)


def clustered_data(seed: int, n_clusters: int, *, kind: str, spread: float = 0.25) -> tuple[Floats, Ints]:
    """Rows of clusters of one to five rows each; rows of a cluster resemble one another."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 6, n_clusters)
    clusters = np.repeat(np.arange(n_clusters), sizes)
    level = np.clip(0.4 + spread * rng.standard_normal(n_clusters), 0, 1)[clusters]
    noise = rng.random(clusters.size)
    return ((noise < level) if kind == "proportion" else level + 0.1 * noise).astype(np.float64), clusters


def plain_bootstrap(values: Floats, clusters: Ints, resamples: int, seed: int) -> tuple[float, float]:
    """The same definition as a loop over rows, with the standard library's random numbers and quantiles by sorting."""
    rows_of: dict[int, list[float]] = {}
    for value, cluster in zip(values.tolist(), clusters.tolist(), strict=True):
        rows_of.setdefault(cluster, []).append(value)
    chance = random.Random(seed)
    names = list(rows_of)
    means = []
    for _ in range(resamples):
        drawn = [value for name in chance.choices(names, k=len(names)) for value in rows_of[name]]
        means.append(math.fsum(drawn) / len(drawn))
    means.sort()
    return means[round(0.025 * resamples)], means[round(0.975 * resamples)]


@pytest.mark.parametrize("kind", ["proportion", "mean"])
@pytest.mark.parametrize("n_clusters", [30, 400])
def test_the_bootstrap_equals_a_plain_loop(kind: str, n_clusters: int) -> None:
    values, clusters = clustered_data(5, n_clusters, kind=kind)
    low, high = plain_bootstrap(values, clusters, 4000, seed=1)
    found = clustered_bootstrap(values, clusters, method="percentile", resamples=40_000)
    tolerance = 0.06 * (high - low)  # the loop's own quantiles vary by about 2 % of the width
    assert found.low == pytest.approx(low, abs=tolerance)
    assert found.high == pytest.approx(high, abs=tolerance)


def test_repeating_every_row_adds_no_certainty() -> None:
    values, clusters = clustered_data(3, 200, kind="proportion")
    once = clustered_bootstrap(values, clusters, resamples=20_000)
    thrice = clustered_bootstrap(np.tile(values, 3), np.tile(clusters, 3), resamples=20_000)
    assert thrice.high - thrice.low == pytest.approx(once.high - once.low, rel=0.03)
    as_if_independent = clustered_bootstrap(np.tile(values, 3), np.arange(3 * values.size), resamples=20_000)
    assert as_if_independent.high - as_if_independent.low < 0.8 * (once.high - once.low)


def share_that_holds_the_truth(interval_of: Callable[[Floats, Ints], Interval], kind: str, trials: int = 400) -> float:
    everyone, _ = clustered_data(99, 400_000, kind=kind)
    truth = float(everyone.mean())
    held = 0
    for trial in range(trials):
        interval = interval_of(*clustered_data(trial, 60, kind=kind))
        held += interval.low <= truth <= interval.high
    return held / trials


@pytest.mark.parametrize("method", [clustered_bootstrap, clustered_normal, cluster_robust])
@pytest.mark.parametrize("kind", ["proportion", "mean"])
def test_95_percent_intervals_hold_the_truth_about_that_often(method: Callable[[Floats, Ints], Interval], kind: str) -> None:
    assert 0.90 <= share_that_holds_the_truth(method, kind) <= 0.985


def test_ignoring_the_clusters_holds_the_truth_too_rarely() -> None:
    """The simulated case is one in which clustering matters; without this the test of coverage would pass for any method."""
    share = share_that_holds_the_truth(lambda values, _: clustered_bootstrap(values, np.arange(values.size), resamples=400), "mean")
    assert share < 0.85


def test_the_normal_interval_by_hand() -> None:
    """Three questions of two rows each, with means 0, 1/2 and 1: the variance over questions is divided by n - 1."""
    interval = clustered_normal(np.array([0.0, 0.0, 0.0, 1.0, 1.0, 1.0]), np.array([1, 1, 2, 2, 3, 3]))
    half = NormalDist().inv_cdf(0.975) * statistics.stdev([0.0, 0.5, 1.0]) / math.sqrt(3)
    assert (interval.low, interval.high) == pytest.approx((0.5 - half, 0.5 + half))


@given(st.data())
def test_cluster_robust_equals_statsmodels(data: st.DataObject) -> None:
    """A regression on a constant alone, with clustered standard errors and Student's t."""
    size = data.draw(st.integers(4, 60))
    values = np.array(data.draw(st.lists(st.integers(0, 5), min_size=size, max_size=size)), dtype=float)
    clusters = np.array(data.draw(st.lists(st.integers(0, 9), min_size=size, max_size=size)))
    assume(len(set(clusters.tolist())) > 1)
    fitted = OLS(values, np.ones(size)).fit(cov_type="cluster", cov_kwds={"groups": clusters}, use_t=True)
    low, high = fitted.conf_int(0.1)[0]
    found = cluster_robust(values, clusters, confidence=0.9)
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-6)


def test_a_part_of_a_finite_population_by_hand() -> None:
    """Cochran's correction: the variance of the mean of 3 of 4 questions is a quarter of that of 3 out of any number."""
    values, clusters = np.array([0.0, 0.0, 0.0, 1.0, 1.0, 1.0]), np.array([1, 1, 2, 2, 3, 3])
    for method in (clustered_normal, cluster_robust):
        free, within = method(values, clusters), method(values, clusters, population=4)
        assert within.high - 0.5 == pytest.approx((free.high - 0.5) / 2)
        assert within.method == f"{free.method} of 4"
        whole = method(values, clusters, population=3)
        assert (whole.low, whole.high) == (0.5, 0.5)
    assert wilson(1, 3, population=3) == Interval(1 / 3, 1 / 3, "wilson 95% of 3")
    assert wilson(6, 20, population=39) == replace(wilson(12, 40), method="wilson 95% of 39")  # 20 * 38 / 19 = 40
    assert wilson(6, 20, population=10**9).high == pytest.approx(wilson(6, 20).high, abs=1e-6)


@pytest.mark.parametrize("asked", [20, 60, 90])
def test_wilson_of_a_finite_population_holds_its_share_about_that_often(asked: int) -> None:
    """Every number of right answers that a sample of a population of 100 can have, weighted by its chance."""
    for right in (10, 40, 75):
        chances = hypergeom(100, right, asked).pmf(np.arange(asked + 1))
        intervals = [wilson(found, asked, population=100) for found in range(asked + 1)]
        held = sum(
            chance for chance, one in zip(chances, intervals, strict=True) if one.low - 1e-9 <= right / 100 <= one.high + 1e-9
        )
        assert held > 0.91


@pytest.mark.parametrize("method", [clustered_normal, cluster_robust])
def test_a_population_is_not_smaller_than_its_part(method: Callable[..., Interval]) -> None:
    with pytest.raises(ValueError, match="a population of 2 cannot have given 3"):
        method(np.arange(3.0), np.arange(3), population=2)
    with pytest.raises(ValueError, match="a population of 2 cannot have given 3"):
        wilson(1, 3, population=2)


@pytest.mark.parametrize("kind", ["proportion", "mean"])
def test_with_many_clusters_normal_and_bootstrap_agree(kind: str) -> None:
    values, clusters = clustered_data(8, 10_000, kind=kind)
    normal = clustered_normal(values, clusters)
    bootstrap = clustered_bootstrap(values, clusters, resamples=4000)
    width = normal.high - normal.low
    assert bootstrap.low == pytest.approx(normal.low, abs=0.06 * width)
    assert bootstrap.high == pytest.approx(normal.high, abs=0.06 * width)


rows = st.lists(st.tuples(st.floats(0, 1, allow_subnormal=False), st.integers(-3, 8)), min_size=2, max_size=60)


def clustered_means(values: Floats, clusters: Ints) -> list[float]:
    return [float(values[clusters == number].mean()) for number in np.unique(clusters)]


@given(rows, st.integers(0, 5))
def test_the_bootstrap_is_repeatable_ordered_and_within_the_values(data: list[tuple[float, int]], seed: int) -> None:
    values, clusters = np.array([value for value, _ in data]), np.array([cluster for _, cluster in data])
    found = clustered_bootstrap(values, clusters, resamples=50, seed=seed)
    if math.isnan(found.low):
        assert len(set(clusters.tolist())) < 2 or np.ptp(clustered_means(values, clusters)) < 1e-9
        assert math.isnan(found.low)
        assert math.isnan(found.high)
        return
    assert values.min() - 1e-9 <= found.low <= found.high <= values.max() + 1e-9
    assert clustered_bootstrap(values, clusters, resamples=50, seed=seed) == found


@given(rows, st.integers(2, 100))
def test_the_numbers_given_to_clusters_do_not_matter(data: list[tuple[float, int]], factor: int) -> None:
    values, clusters = np.array([value for value, _ in data]), np.array([cluster for _, cluster in data])
    one, other = (clustered_bootstrap(values, numbers, resamples=50) for numbers in (clusters, clusters * factor - 7))
    assert (one.low, one.high) == pytest.approx((other.low, other.high), nan_ok=True)


def test_more_clusters_give_narrower_intervals() -> None:
    widths = []
    for n_clusters in (50, 200, 800, 3200):
        interval = clustered_bootstrap(*clustered_data(1, n_clusters, kind="proportion"))
        widths.append(interval.high - interval.low)
    assert all(later < 0.7 * earlier for earlier, later in pairwise(widths))
