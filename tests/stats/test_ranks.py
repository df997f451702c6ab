"""Ranks by hand and from every contrast, and how often equal models are told apart where questions are
few."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata

from folkways.stats.hypotheses.corrections import holm
from folkways.stats.pairwise import Ranks, paired_contrasts, ranks_of_pairs

NAN = math.nan


def models(seed: int, levels: list[float], questions: int) -> np.ndarray:
    return (np.random.default_rng(seed).random((questions, len(levels))) < levels).astype(float)


def ranks(values: np.ndarray) -> Ranks:
    """Of models that were asked the same questions, each question a row."""
    contrasts = paired_contrasts(values, np.arange(len(values)), 1.0)
    p = contrasts.matrix(np.array(holm(contrasts.p.tolist())))
    return ranks_of_pairs(contrasts.matrix(contrasts.difference, opposite=True), p)


def pairs(upper: dict[tuple[int, int], tuple[float, float]], size: int) -> tuple[np.ndarray, np.ndarray]:
    """Matrices of differences and p of (first, second) -> (difference, p)."""
    difference, p = np.full((size, size), NAN), np.full((size, size), NAN)
    for (i, j), (apart, chance) in upper.items():
        difference[i, j], difference[j, i], p[i, j], p[j, i] = apart, -apart, chance, chance
    return difference, p


def test_four_models_by_hand() -> None:
    """The first is above all but the second, the second above the last alone."""
    found = ranks_of_pairs(
        *pairs(
            {
                (0, 1): (0.1, 0.2),
                (0, 2): (0.2, 0.01),
                (0, 3): (0.3, 0.001),
                (1, 2): (0.1, 0.05),
                (1, 3): (0.2, 0.049),
                (2, 3): (0.1, NAN),
            },
            4,
        )
    )
    assert found == Ranks([1, 2, 3, 4], [1, 1, 2, 3], [2, 3, 4, 4], [True, True, False, False])


def test_a_model_tied_for_the_first_place_counts_as_first() -> None:
    """The third is told apart from one of the two, and not from the other."""
    difference, p = pairs({(0, 1): (0.0, 1.0), (0, 2): (0.1, 0.01), (1, 2): (0.1, 0.2)}, 3)
    assert ranks_of_pairs(difference, p) == Ranks([1, 1, 3], [1, 1, 2], [2, 3, 3], [True, True, True])
    assert ranks_of_pairs(difference, p, 0.3) == Ranks([1, 1, 3], [1, 1, 3], [2, 2, 3], [True, True, False])


def test_models_that_share_nothing_are_not_told_apart() -> None:
    found = ranks_of_pairs(*pairs({(0, 1): (0.4, 0.001), (1, 2): (NAN, NAN), (0, 2): (NAN, NAN)}, 3))
    assert (found.low, found.high) == ([1, 2, 1], [2, 3, 3])
    assert found.level == [True, False, True]


def test_no_rank_is_outside_its_range() -> None:
    """Contrasts on different rows may go round in a circle, or against the mean of all."""
    found = ranks_of_pairs(*pairs({(0, 1): (0.9, 0.2), (0, 2): (-0.1, 0.01), (1, 2): (0.2, 0.3)}, 3))
    assert (found.rank, found.low, found.high) == ([2, 3, 2], [2, 1, 1], [3, 3, 2])


@given(st.integers(0, 500), st.integers(2, 6), st.integers(1, 40))
def test_ranks_say_what_the_contrasts_say(seed: int, size: int, questions: int) -> None:
    levels = np.random.default_rng(seed).random(size).tolist()
    values = models(seed, levels, questions).repeat(2, axis=0)
    contrasts = paired_contrasts(values, np.arange(2 * questions) // 2, 1.0)
    p = holm(contrasts.p.tolist())
    found = ranks_of_pairs(
        contrasts.matrix(contrasts.difference, opposite=True), contrasts.matrix(np.array(p))
    )
    assert found.rank == rankdata(-values.mean(axis=0), method="min").astype(int).tolist()
    above = [0] * size
    below = [0] * size
    for at, (i, j) in enumerate(combinations(range(size), 2)):
        if p[at] < 0.05:
            winner, loser = (i, j) if contrasts.difference[at] > 0 else (j, i)
            above[loser] += 1
            below[winner] += 1
            assert found.rank[winner] < found.rank[loser]
            if found.rank.count(1) == 1 and found.rank[winner] == 1:
                assert not found.level[loser]
    assert found.low == [1 + each for each in above]
    assert found.high == [size - each for each in below]
    assert all(low <= rank <= high for low, rank, high in zip(found.low, found.rank, found.high, strict=True))


def test_a_model_far_ahead_is_first_and_close_ones_share_ranks() -> None:
    found = ranks(models(2, [0.9, 0.4, 0.41, 0.1], 400))
    assert (found.low[0], found.high[0]) == (1, 1)
    assert (found.low[1], found.high[1]) == (found.low[2], found.high[2]) == (2, 3)
    assert (found.rank[3], found.level) == (4, [True, False, False, False])


@pytest.mark.parametrize(
    "questions", [6, *(pytest.param(number, marks=pytest.mark.nightly) for number in (10, 20)), 30]
)
@pytest.mark.parametrize("common", [False, True])
def test_equal_models_are_hardly_ever_told_apart(questions: int, common: bool) -> None:
    """Five equal models; a bootstrap of the largest difference tells one apart from the first in 12 to 22 of
    100 studies."""
    random, wrong, studies = np.random.default_rng(questions), 0, 200
    for _ in range(studies):
        chance = random.random((questions, 1)) if common else 0.5
        wrong += not all(ranks((random.random((questions, 5)) < chance).astype(float)).level)
    assert wrong <= 20  # 5 % of 200 are 10, with 3.2 standard errors


@pytest.mark.nightly
@pytest.mark.parametrize("questions", [6, 10, 20, 30, 200])
def test_equal_models_are_told_apart_in_one_of_twenty_studies_at_most(questions: int) -> None:
    """Ten equal models on questions of unequal difficulty, each with one row or with four that resemble one
    another."""
    random, studies = np.random.default_rng(questions), 400
    for rows in (1, 4):
        wrong, numbers = 0, np.arange(questions * rows) // rows
        for _ in range(studies):
            alike = random.standard_normal((questions, 1)) + 0.7 * random.standard_normal((questions, 10))
            values = (alike[numbers] + random.standard_normal((numbers.size, 10)) < 0.3).astype(float)
            contrasts = paired_contrasts(values, numbers, 1.0)
            wrong += min(holm(contrasts.p.tolist())) < 0.05
        assert wrong / studies < 0.09  # 0.05, with 3.7 standard errors of 400 studies


def test_ranges_hold_the_true_ranks() -> None:
    """Models a little apart: those of a bootstrap hold a model's rank in 86 of 100 studies of ten
    questions."""
    levels, held, studies = np.array([0.60, 0.58, 0.56, 0.54, 0.52]), 0, 100
    random = np.random.default_rng(1)
    for _ in range(studies):
        found = ranks((random.random((10, 5)) < levels).astype(float))
        held += sum(
            low <= rank <= high for rank, low, high in zip(range(1, 6), found.low, found.high, strict=True)
        )
    assert held / studies / 5 >= 0.95


def test_under_six_questions_none_is_told_apart() -> None:
    always, never = np.ones((5, 1)), np.zeros((5, 1))
    assert ranks(np.hstack([always, never])).level == [True, True]
    assert ranks(np.vstack([np.hstack([always, never])] * 2)).level == [True, False]


def test_models_with_one_score_share_the_better_rank() -> None:
    sums = models(3, [0.5], 50).repeat(3, axis=1)
    found = ranks(sums)
    assert (found.rank, found.level) == ([1, 1, 1], [True] * 3)


def test_scores_that_differ_by_rounding_alone_are_ties() -> None:
    """Twelve decimals count."""
    found = ranks(np.array([[0.5, 0.5 + 3e-13, 0.5 + 3e-12, 0.1]]))
    assert (found.rank, found.low, found.high) == ([2, 2, 1, 4], [1] * 4, [4] * 4)
