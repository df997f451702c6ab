"""The detectable difference against statsmodels, and against how often a difference of that size is found."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import norm, ttest_1samp
from statsmodels.stats.power import NormalIndPower

from folkways.stats.differences import detectable_difference
from folkways.stats.intervals import squared_error


def detectable(sums: np.ndarray, counts: np.ndarray, **options: float) -> float:
    return detectable_difference(math.sqrt(squared_error(sums, counts)), **options)


def test_equals_statsmodels() -> None:
    """One sample of differences with standard deviation 1: statsmodels gives the standardised effect."""
    values = np.random.default_rng(0).normal(size=150)
    values = (values - values.mean()) / values.std(ddof=1)
    expected = NormalIndPower().solve_power(nobs1=150, alpha=0.05, power=0.8, ratio=0)
    assert detectable(values, np.ones(150)) == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize(("alpha", "power"), [(0.05, 0.8), (0.01, 0.95), (0.2, 0.6)])
def test_questions_of_unequal_size(alpha: float, power: float) -> None:
    """The root of n / (n - 1) times the squared residuals of sums, over all rows: written out."""
    sums, counts = [1.0, -2.0, 0.5, 3.0], [2, 3, 1, 7]
    mean = sum(sums) / 13
    squared = 4 / 3 * sum((one - mean * count) ** 2 for one, count in zip(sums, counts, strict=True)) / 13**2
    expected = (norm.ppf(1 - alpha / 2) + norm.ppf(power)) * math.sqrt(squared)
    found = detectable(np.array(sums), np.array(counts, dtype=float), alpha=alpha, power=power)
    assert found == pytest.approx(expected, abs=1e-9)
    if alpha == 0.05:
        assert found == detectable(np.array(sums), np.array(counts, dtype=float))


def test_a_difference_of_that_size_is_found_four_times_of_five() -> None:
    rng = np.random.default_rng(4)
    noise = rng.normal(size=(80, 300))
    wanted = np.mean([detectable(column, np.ones(80)) for column in noise.T])
    found = ttest_1samp(noise + wanted, 0.0).pvalue < 0.05
    assert found.mean() == pytest.approx(0.8, abs=0.07)


def test_nothing_is_known_of_what_does_not_vary() -> None:
    assert math.isnan(detectable(np.zeros(9), np.ones(9)))
    assert math.isnan(detectable(np.ones(1), np.ones(1)))
