"""The bootstrap against scipy's, from the same resamples, and against how often it holds the truth."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats as reference

from folkways.stats.bootstrap import (
    REMEMBERED,
    Method,
    bounds_of_totals,
    clustered_bootstrap,
    draws,
    resampled_means,
    stratified_bounds,
)
from folkways.stats.intervals import cluster_totals

Floats = npt.NDArray[np.float64]

METHODS: dict[Method, str] = {"bca": "BCa", "percentile": "percentile"}


def ratio(*columns: Floats, axis: int = -1) -> Floats:
    sums, counts = columns
    found: Floats = sums.sum(axis=axis) / counts.sum(axis=axis)
    return found


def scipy_bounds(
    data: tuple[Floats, ...], means: Floats, method: Method, confidence: float, *, paired: bool
) -> tuple[float, float]:
    """scipy's interval of the same resamples, so that the two agree to the last digits and not only on the whole."""
    statistic = ratio if paired else mean_of_means
    before = reference.bootstrap(data, statistic, n_resamples=2, paired=paired, method="percentile", rng=1)
    before.bootstrap_distribution = means
    found = reference.bootstrap(
        data,
        statistic,
        n_resamples=0,
        paired=paired,
        method=METHODS[method],
        confidence_level=confidence,
        bootstrap_result=before,
    ).confidence_interval
    return float(found.low), float(found.high)


def mean_of_means(*strata: Floats, axis: int = -1) -> Floats:
    found: Floats = sum(stratum.mean(axis=axis) for stratum in strata) / len(strata)
    return found


@pytest.mark.parametrize("method", METHODS)
@given(data=st.data(), confidence=st.sampled_from([0.8, 0.95]))
def test_equals_scipy_on_the_same_resamples(method: Method, data: st.DataObject, confidence: float) -> None:
    rows = data.draw(st.lists(st.tuples(st.integers(0, 4), st.integers(4, 6)), min_size=3, max_size=30))
    sums, counts = (np.array(side, dtype=float) for side in zip(*rows, strict=True))
    assume(np.ptp(sums / counts) > 0)
    means = resampled_means(sums[:, None], counts, 500, 3)[:, 0]
    expected = scipy_bounds((sums, counts), means, method, confidence, paired=True)
    low, high = bounds_of_totals(sums[:, None], counts, method=method, confidence=confidence, resamples=500, seed=3)
    assert (low[0], high[0]) == pytest.approx(expected, abs=1e-9)


def test_strata_equal_scipys_several_samples() -> None:
    rng = np.random.default_rng(8)
    strata = [rng.exponential(size=size) for size in (9, 25, 14)]
    means = sum(resampled_means(part[:, None], np.ones(part.size), 2000, 5, number) for number, part in enumerate(strata))[:, 0] / 3  # type: ignore[index]
    expected = scipy_bounds(tuple(strata), means, "bca", 0.95, paired=False)
    totals = [(part, np.ones(part.size)) for part in strata]
    assert stratified_bounds(totals, np.full(3, 1 / 3), resamples=2000, seed=5) == pytest.approx(expected, abs=1e-9)


def test_without_weights_strata_are_weighted_by_their_rows() -> None:
    rng = np.random.default_rng(2)
    values, clusters = rng.random(300), np.arange(300) // 3
    strata = (np.arange(300) >= 90).astype(np.int64)
    found = clustered_bootstrap(values, clusters, strata=strata, resamples=4000)
    assert found.low < values.mean() < found.high
    assert found.method == "bca bootstrap 95% by question within stratum"
    given_weights = clustered_bootstrap(values, clusters, strata=strata, weights=np.array([0.3, 0.7]), resamples=4000)
    assert (given_weights.low, given_weights.high) == pytest.approx((found.low, found.high), abs=1e-12)


def test_strata_that_differ_make_the_interval_narrower() -> None:
    rng = np.random.default_rng(4)
    strata = np.repeat([0, 1], 200)
    values = (rng.random(400) < np.where(strata == 0, 0.1, 0.9)).astype(float)
    within = clustered_bootstrap(values, np.arange(400), strata=strata)
    across = clustered_bootstrap(values, np.arange(400))
    assert within.high - within.low < 0.75 * (across.high - across.low)


def test_as_many_weights_as_strata() -> None:
    with pytest.raises(ValueError, match="2 strata need as many weights, got 3"):
        clustered_bootstrap(np.arange(4.0), np.arange(4), strata=np.array([0, 0, 1, 1]), weights=np.ones(3))


def test_another_implementation_of_the_draws_gives_the_same_interval() -> None:
    """scipy's own resamples, of clusters with unequal numbers of rows: the two differ by what 9,999 resamples leave open."""
    rng = np.random.default_rng(6)
    clusters = np.repeat(np.arange(60), rng.integers(1, 6, 60))
    values = (rng.random(clusters.size) < 0.15).astype(float)
    sums, counts = cluster_totals(values, clusters)
    expected = reference.bootstrap((sums, counts), ratio, paired=True, rng=2, vectorized=True).confidence_interval
    found = clustered_bootstrap(values, clusters, resamples=9999)
    width = expected.high - expected.low
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=0.03 * width)


@given(n=st.integers(1, 40), resamples=st.integers(2, 30), seed=st.integers(-5, 5))
def test_every_resample_draws_as_many_clusters_as_there_are(n: int, resamples: int, seed: int) -> None:
    found = draws(n, resamples, seed)
    assert found.shape == (n, resamples)
    assert (found.sum(axis=0) == n).all()
    assert (found == draws(n, resamples, seed)).all()


def test_every_cluster_is_drawn_equally_often() -> None:
    """Numbers of draws are Poisson with mean 1 for many clusters; also for more than are remembered and drawn block by block."""
    for n in (200, REMEMBERED + 1):
        counts = np.bincount(draws(n, 2000, 0).ravel(), minlength=8)[:5] / (n * 2000)
        assert counts == pytest.approx(reference.poisson.pmf(np.arange(5), 1), abs=3e-3)
    assert (draws(200, 10, 0) != draws(200, 10, 1)).any()
    assert (draws(200, 10, 0) != draws(200, 10, 0, stream=1)).any()


def test_bca_holds_the_truth_of_skewed_data_more_evenly_than_percentiles() -> None:
    """Right for 6 of 100: percentile intervals miss high values more often than low ones, and BCa mends a part of that."""
    misses = {method: [0, 0] for method in METHODS}
    for trial in range(600):
        values = (np.random.default_rng(trial).random(120) < 0.06).astype(float)
        for method, (below, above) in misses.items():
            found = clustered_bootstrap(values, np.arange(120), method=method)
            misses[method] = [below + (found.high < 0.06), above + (found.low > 0.06)]
    lopsided = {method: below - above for method, (below, above) in misses.items()}
    assert abs(lopsided["bca"]) < abs(lopsided["percentile"])
    assert sum(misses["bca"]) / 600 < 0.1


@pytest.mark.parametrize("method", METHODS)
def test_what_does_not_vary_is_not_certain(method: Method) -> None:
    for values, clusters in ((np.full(6, 3.0), np.arange(6)), (np.array([0.0, 1.0]), np.zeros(2, dtype=np.int64))):
        found = clustered_bootstrap(values, clusters, method=method)
        assert math.isnan(found.low)
        assert math.isnan(found.high)


def test_several_means_at_once_are_those_of_each() -> None:
    rng = np.random.default_rng(0)
    sums, counts = rng.random((50, 3)), rng.integers(1, 4, 50).astype(float)
    low, high = bounds_of_totals(sums, counts)
    for column in range(3):
        alone = bounds_of_totals(sums[:, [column]], counts)
        assert (low[column], high[column]) == pytest.approx((alone[0][0], alone[1][0]))
