"""The resamples of clusters: every one has as many as there are, each cluster comes equally often, and means are of its rows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as reference

from folkways.stats.bootstrap import REMEMBERED, draws, resampled_means


@given(n=st.integers(1, 40), resamples=st.integers(2, 30), seed=st.integers(-5, 5))
def test_every_resample_draws_as_many_clusters_as_there_are(n: int, resamples: int, seed: int) -> None:
    found = draws(n, resamples, seed)
    assert found.shape == (n, resamples)
    assert (found.sum(axis=0) == n).all()
    assert (found == draws(n, resamples, seed)).all()


@pytest.mark.parametrize(("n", "resamples", "seed"), [(3, 7, 0), (7, 40, 1), (7, 40, -1), (900, 400, 5), (150_001, 2, -2)])
def test_equals_draws_counted_one_resample_after_the_other(n: int, resamples: int, seed: int) -> None:
    """However many are drawn at a time; a seed below 0 is another than the same above."""
    rng = np.random.default_rng([abs(seed), 1 if seed < 0 else 0, 0])
    expected = np.array([np.bincount(rng.integers(0, n, n), minlength=n) for _ in range(resamples)])
    assert (draws(n, resamples, seed) == expected.T).all()


def test_draws_of_up_to_1024_clusters_are_remembered() -> None:
    assert draws(1024, 2, 0) is draws(1024, 2, 0)
    assert draws(1025, 2, 0) is not draws(1025, 2, 0)


def test_every_cluster_is_drawn_equally_often() -> None:
    """Numbers of draws are Poisson with mean 1 for many clusters; also for more than are remembered and drawn block by block."""
    for n in (200, REMEMBERED + 1):
        counts = np.bincount(draws(n, 2000, 0).ravel(), minlength=8)[:5] / (n * 2000)
        assert counts == pytest.approx(reference.poisson.pmf(np.arange(5), 1), abs=3e-3)
    assert (draws(200, 10, 0) != draws(200, 10, 1)).any()


def test_means_are_those_of_the_rows_drawn() -> None:
    rng = np.random.default_rng(3)
    rows = [rng.random((size, 2)) for size in rng.integers(1, 5, 12)]
    sums, counts = np.array([part.sum(axis=0) for part in rows]), np.array([float(len(part)) for part in rows])
    means, drawn = resampled_means(sums, counts, 20, seed=4), draws(12, 20, 4)
    assert means.shape == (20, 2)
    for resample in range(20):
        expected = np.concatenate([part for part, times in zip(rows, drawn[:, resample], strict=True) for _ in range(times)])
        assert means[resample] == pytest.approx(expected.mean(axis=0))


def test_means_of_more_than_is_drawn_at_a_time() -> None:
    sums, counts = np.random.default_rng(5).random((900, 1)), np.resize([1.0, 2.0, 5.0], 900)
    drawn = draws(900, 400, 5)
    assert resampled_means(sums, counts, 400, seed=5) == pytest.approx((drawn.T @ sums) / (drawn.T @ counts)[:, None])
