"""The paired permutation test against scipy's, exactly and by drawing."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as reference

from folkways.stats.permutation import EXACT_UP_TO, pairwise_permutation_p, permutation_p


def total(x: np.ndarray, axis: int = -1) -> np.ndarray:
    return x.sum(axis=axis)


@given(st.lists(st.integers(-4, 4), min_size=2, max_size=9))
def test_equals_scipy_where_every_pattern_is_counted(differences: list[int]) -> None:
    values = np.array(differences, dtype=float)
    expected = reference.permutation_test((values,), total, permutation_type="samples", n_resamples=np.inf, vectorized=True)
    assert permutation_p(values[:, None])[0] == pytest.approx(expected.pvalue)


def test_drawn_patterns_come_near_scipys() -> None:
    values = np.random.default_rng(1).normal(0.25, 1.0, size=60)
    expected = reference.permutation_test((values,), total, permutation_type="samples", n_resamples=20_000, vectorized=True, rng=2)
    assert permutation_p(values[:, None], permutations=20_000)[0] == pytest.approx(expected.pvalue, abs=0.01)


def test_both_ways_meet_where_one_ends() -> None:
    values = np.random.default_rng(3).normal(0.4, 1.0, size=EXACT_UP_TO)
    more = np.append(values, 0.0)  # a question without a difference adds nothing, and makes signs be drawn
    assert permutation_p(more[:, None], permutations=40_000)[0] == pytest.approx(permutation_p(values[:, None])[0], abs=0.01)


def test_pairs_of_models_are_tested_as_their_differences_alone() -> None:
    rng = np.random.default_rng(5)
    sums = rng.integers(0, 5, size=(80, 3)).astype(float)
    contrasts = np.array([[1.0, 1.0, 0.0], [-1.0, 0.0, 1.0], [0.0, -1.0, -1.0]])
    together = pairwise_permutation_p(sums, contrasts)
    alone = [permutation_p((sums @ contrasts)[:, [column]])[0] for column in range(3)]
    assert together == pytest.approx(alone)


def test_never_certain_and_never_below_what_was_drawn() -> None:
    assert permutation_p(np.ones((200, 1)), permutations=99)[0] == 0.01
    assert permutation_p(np.zeros((200, 1)))[0] == 1.0
    assert permutation_p(np.empty((0, 2))).tolist() == [1.0, 1.0]


def test_alike_models_are_told_apart_as_often_as_stated() -> None:
    rng = np.random.default_rng(7)
    p = permutation_p(rng.normal(size=(40, 600)), permutations=999)
    assert np.mean(p <= 0.05) == pytest.approx(0.05, abs=0.025)


@given(st.integers(13, 60), st.integers(-3, 3))
def test_same_seed_same_p(n: int, seed: int) -> None:
    values = np.arange(n, dtype=float)[:, None] - 3
    assert permutation_p(values, permutations=50, seed=seed) == permutation_p(values, permutations=50, seed=seed)
