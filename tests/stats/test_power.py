"""The detectable difference: how often a true difference of that size is found, by the very test."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import norm
from statsmodels.stats.power import TTestPower

from folkways.stats.pairwise import FEWEST_QUESTIONS, detectable_differences, paired_contrasts


def answers(
    right: float, questions: int, rows: int, rng: np.random.Generator, ease: np.ndarray
) -> np.ndarray:
    """Zeros and ones, a row after the other of each question: as easy as for the other model to three fifths, and a
    fifth is the question's for this model alone."""
    own = rng.standard_normal(questions)
    latent = np.repeat(math.sqrt(0.6) * ease + math.sqrt(0.2) * own, rows)
    return np.asarray(latent + math.sqrt(0.2) * rng.standard_normal(latent.size) < norm.ppf(right)).astype(
        float
    )


def models(
    right: tuple[float, float], questions: int, rows: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    ease = rng.standard_normal(questions)
    values = np.stack([answers(one, questions, rows, rng, ease) for one in right], axis=1)
    return values, np.repeat(np.arange(questions), rows)


def how_often_found(questions: int, rows: int, right: float, looks: int, studies: int) -> tuple[float, int]:
    """What two equal models' answers say is detectable is what a further study, of models that far apart, finds: its
    share; and how many such studies there can be."""
    rng, alpha, found, tried = np.random.default_rng(4), 0.05 / looks, 0, 0
    for _ in range(studies):
        pairs = paired_contrasts(*models((right, right), questions, rows, rng), 1.0)
        apart = float(detectable_differences(pairs, 1.0, alpha)[0])
        if math.isnan(apart) or right - apart < 0.005:
            continue
        tried += 1
        found += paired_contrasts(*models((right, right - apart), questions, rows, rng), 1.0).p[0] < alpha
    return found / max(tried, 1), tried


@pytest.mark.parametrize(
    ("questions", "rows", "right", "looks"), [(10, 1, 0.8, 1), (30, 4, 0.8, 1), (30, 1, 0.9, 16)]
)
def test_what_is_detectable_is_found_four_times_of_five(
    questions: int, rows: int, right: float, looks: int
) -> None:
    share, tried = how_often_found(questions, rows, right, looks, 100)
    assert tried >= 50 and share >= 0.8


@pytest.mark.nightly
@pytest.mark.parametrize("looks", [1, 16])
@pytest.mark.parametrize("right", [0.5, 0.8, 0.95])
@pytest.mark.parametrize("rows", [1, 4])
@pytest.mark.parametrize("questions", [10, 20, 60, 300])
def test_what_is_detectable_is_found_whatever_the_models_and_questions(
    questions: int, rows: int, right: float, looks: int
) -> None:
    share, tried = how_often_found(questions, rows, right, looks, 300)
    assert not tried or share >= 0.8 - 2 * math.sqrt(0.16 / tried)


def test_of_values_without_bounds_it_is_that_of_the_test_of_pairs() -> None:
    """One row per question: statsmodels gives the size in standard deviations."""
    apart = np.random.default_rng(0).normal(size=150)
    pairs = paired_contrasts(np.column_stack([apart, np.zeros(150)]), np.arange(150), None)
    expected = TTestPower().solve_power(nobs=150, alpha=0.05, power=0.8)
    assert detectable_differences(pairs, None, 0.05)[0] / apart.std(ddof=1) == pytest.approx(
        expected, rel=0.01
    )


def test_more_questions_find_less_and_more_looks_take_more() -> None:
    def detectable(questions: int, looks: int) -> float:
        apart = np.resize([1.0, 0.0, -1.0, 0.0, 0.0], questions)
        pairs = paired_contrasts(np.column_stack([apart, np.zeros(questions)]), np.arange(questions), 1.0)
        return float(detectable_differences(pairs, 1.0, 0.05 / looks)[0])

    assert 1 > detectable(20, 1) > detectable(40, 1) > detectable(400, 1) > 0
    assert detectable(40, 1) < detectable(40, 4) < detectable(40, 16) < 1


def test_the_size_of_rows_in_other_units_is_in_their_units() -> None:
    apart = np.resize([1.0, 0.0, -1.0, 0.0, 0.5], 40)
    of_one, of_four = (
        detectable_differences(
            paired_contrasts(np.column_stack([scale * apart, np.zeros(40)]), np.arange(40), scale),
            scale,
            0.05,
        )[0]
        for scale in (1.0, 4.0)
    )
    assert of_four == pytest.approx(4 * of_one)


def test_nothing_is_detectable_where_no_question_differs_or_there_are_too_few() -> None:
    equal, apart = np.ones((9, 2)), np.column_stack([np.ones(9), np.resize([1.0, 0.0], 9)])
    assert math.isnan(detectable_differences(paired_contrasts(equal, np.arange(9), 1.0), 1.0, 0.05)[0])
    few = FEWEST_QUESTIONS - 1
    for largest in (1.0, None):
        pairs = paired_contrasts(apart[:few], np.arange(few), largest)
        assert math.isnan(detectable_differences(pairs, largest, 0.05)[0])
    of_six = paired_contrasts(apart[:6], np.arange(6), 1.0)
    assert 0 < detectable_differences(of_six, 1.0, 0.05)[0] < 1
    assert math.isnan(detectable_differences(of_six, 1.0, 0.05 / 16)[0]), "not even 100 points"
