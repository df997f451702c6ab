"""Two factors of items with gaps, against closed forms and a likelihood written down otherwise."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, stats

from folkways.stats.factors import TwoFactors, bootstrap_means, fit_factors, varimax

TRUE = np.array([[0.8, 0.0], [0.7, 0.1], [0.75, -0.1], [0.1, 0.8], [0.0, 0.7], [-0.1, 0.75], [0.4, 0.4]])


def made(people: int, seed: int, missing: float = 0.0, loadings: np.ndarray = TRUE) -> np.ndarray:
    rng = np.random.default_rng(seed)
    factors = rng.normal(size=(people, 2))
    noise = rng.normal(size=(people, len(loadings))) * 0.6
    answers = 3 + 2 * (factors @ loadings.T + noise)
    answers[rng.random(answers.shape) < missing] = np.nan
    return answers


def ones(answers: np.ndarray) -> np.ndarray:
    return np.ones(len(answers))


def criterion(loadings: np.ndarray) -> np.ndarray:
    """Of varimax: the variance of the squared loadings, of each factor; one for each of stacked loadings."""
    return (loadings**2).var(axis=-2).sum(axis=-1)


def turns(angles: int) -> np.ndarray:
    """The rotations by so many angles of a quarter turn."""
    turned = np.linspace(0, math.pi / 2, angles)
    matrices = np.array([[np.cos(turned), -np.sin(turned)], [np.sin(turned), np.cos(turned)]])
    return np.moveaxis(matrices, -1, 0)


@given(st.integers(0, 10_000), st.integers(3, 12))
@settings(max_examples=60)
def test_varimax_is_the_best_of_all_angles(seed: int, items: int) -> None:
    loadings = np.random.default_rng(seed).normal(size=(items, 2))
    best = criterion(loadings @ turns(4001)).max()
    rotation = varimax(loadings)
    assert rotation @ rotation.T == pytest.approx(np.eye(2))
    assert criterion(loadings @ rotation) >= best - 1e-12


def test_without_gaps_it_is_the_closed_form_of_tipping_and_bishop() -> None:
    answers = made(500, 1)
    fit = fit_factors(answers, ones(answers))
    values, vectors = np.linalg.eigh(np.corrcoef(answers, rowvar=False))
    noise = values[:-2].mean()
    loadings = vectors[:, -2:] * np.sqrt(values[-2:] - noise)
    assert fit.noise == pytest.approx(noise, abs=1e-6)
    assert fit.intercept == pytest.approx(np.zeros(7), abs=1e-9)
    assert fit.loadings @ fit.loadings.T == pytest.approx(loadings @ loadings.T, abs=1e-6)
    normal = loadings / np.linalg.norm(loadings, axis=1, keepdims=True)
    rotations = turns(20_001)
    rotated = loadings @ rotations[np.argmax(criterion(normal @ rotations))]
    order = [int(np.argmax(np.abs(fit.loadings.T @ column))) for column in rotated.T]
    assert sorted(order) == [0, 1]
    assert np.abs(fit.loadings[:, order]) == pytest.approx(np.abs(rotated), abs=3e-4)
    raw = loadings @ rotations[np.argmax(criterion(loadings @ rotations))]
    assert np.abs(np.abs(raw) - np.abs(rotated)).max() > 3e-3, "Kaiser's rows of length 1"
    standard = (answers - answers.mean(axis=0)) / answers.std(axis=0)
    expected = standard @ np.linalg.inv(fit.loadings @ fit.loadings.T + noise * np.eye(7)) @ fit.loadings
    expected /= expected.std(axis=0)
    assert fit.scores(answers) == pytest.approx(expected, abs=1e-5)
    assert fit.explained.sum() == pytest.approx((loadings**2).sum() / 7, abs=1e-6)


def test_with_gaps_and_weights_no_other_parameters_are_likelier() -> None:
    loadings = TRUE[[0, 1, 3, 4]]
    answers = made(300, 2, 0.25, loadings)
    answers = answers[(~np.isnan(answers)).sum(axis=1) >= 2]
    weights = np.random.default_rng(3).uniform(0.3, 3.0, len(answers))
    fit = fit_factors(answers, weights)
    seen = ~np.isnan(answers)
    mean = [np.average(answers[seen[:, at], at], weights=weights[seen[:, at]]) for at in range(4)]
    spread = [
        math.sqrt(np.average((answers[seen[:, at], at] - mean[at]) ** 2, weights=weights[seen[:, at]]))
        for at in range(4)
    ]
    assert (fit.mean, fit.scale) == (pytest.approx(mean), pytest.approx(spread))
    standard = (answers - mean) / spread

    def loss(parameters: np.ndarray) -> float:
        middle, load = parameters[:4], parameters[4:12].reshape(4, 2)
        covariance = load @ load.T + math.exp(parameters[12]) * np.eye(4)
        total = 0.0
        for at in np.unique(seen, axis=0):
            rows = (seen == at).all(axis=1)
            part = stats.multivariate_normal(middle[at], covariance[np.ix_(at, at)])
            total -= weights[rows] @ part.logpdf(standard[np.ix_(rows, at)])
        return total

    ours = np.concatenate([fit.intercept, fit.loadings.ravel(), [math.log(fit.noise)]])
    gradient = optimize.approx_fprime(ours, loss, 1e-5)
    assert np.abs(gradient).max() < 0.02, loss(ours)
    moved = [loss(ours + step) for step in np.random.default_rng(4).normal(size=(20, 13)) * 0.05]
    assert min(moved) > loss(ours)


def test_a_known_structure_is_found_again_with_a_quarter_of_the_answers_missing() -> None:
    answers = made(20_000, 5, 0.25)
    answers = answers[~np.isnan(answers).all(axis=1)]
    fit = fit_factors(answers, ones(answers))
    spread = np.sqrt((TRUE**2).sum(axis=1) + 0.36)
    order = np.argsort(-np.abs(fit.loadings[0]))
    signs = np.sign([fit.loadings[0, order[0]], fit.loadings[3, order[1]]])
    found = fit.loadings[:, order] * signs
    truth = TRUE / spread[:, None]
    cosines = (found * truth).sum(axis=0) / np.linalg.norm(found, axis=0) / np.linalg.norm(truth, axis=0)
    assert cosines.min() > 0.995
    scores = fit.scores(answers)
    assert scores.mean(axis=0) == pytest.approx([0, 0], abs=1e-9)
    assert scores.std(axis=0) == pytest.approx([1, 1])


def test_an_item_that_goes_with_no_other_loads_on_nothing() -> None:
    """Two pairs and one alone: eigenvalues 2, 2, 1, 0, 0, so that the noise is 1/3 and a pair's loading the root
    of (2 - 1/3) / 2."""
    first, second, alone = np.array([*itertools.product((0.0, 1.0), repeat=3)]).T
    fitted = fit_factors(np.column_stack([first, first, second, second, alone]), np.ones(8))
    of_pair = math.sqrt(5 / 6)
    loadings = sorted(map(sorted, np.abs(fitted.loadings).tolist()))
    assert np.array(loadings) == pytest.approx(np.array([[0, 0], *[[0, of_pair]] * 4]), abs=1e-6)


def test_scores_are_by_what_is_there_and_not_given_for_too_little() -> None:
    answers = made(400, 6, 0.2)
    fit = fit_factors(answers, ones(answers))
    scores = fit.scores(answers, fewest=6)
    few = (~np.isnan(answers)).sum(axis=1) < 6
    assert 0 < few.sum() < 400
    assert np.isnan(scores).all(axis=1).tolist() == few.tolist()
    row = answers[~few][0]
    seen = ~np.isnan(row)
    standard = ((row - fit.mean) / fit.scale - fit.intercept)[seen]
    covariance = fit.loadings[seen] @ fit.loadings[seen].T + fit.noise * np.eye(seen.sum())
    expected = (
        fit.loadings[seen].T @ np.linalg.solve(covariance, standard) - fit.score_mean
    ) / fit.score_scale
    assert scores[~few][0] == pytest.approx(expected)


@pytest.mark.parametrize("rotation", [[[0, 1], [1, 0]], [[-1, 0], [0, 1]], [[0, -1], [1, 0]]])
def test_turned_factors_turn_the_scores(rotation: list[list[int]]) -> None:
    answers = made(200, 7, 0.1)
    answers[:, :3] *= 3
    fit = fit_factors(answers, np.linspace(0.5, 2, 200))
    turn = np.array(rotation, dtype=float)
    assert fit.turned(turn).scores(answers) == pytest.approx(fit.scores(answers) @ turn)


def test_a_person_of_weight_two_is_two_people() -> None:
    answers = made(150, 8, 0.15)
    weights = np.repeat([1.0, 2.0], 75)
    twice = np.concatenate([answers, answers[75:]])
    one, two = fit_factors(answers, weights), fit_factors(twice, ones(twice))
    for name in ("mean", "scale", "intercept", "loadings", "score_mean", "score_scale"):
        assert getattr(one, name) == pytest.approx(getattr(two, name), abs=1e-6), name


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        (np.zeros((5, 2)), "three items or more"),
        (np.column_stack([made(5, 1), np.full(5, np.nan)]), "nobody answered item 7"),
        (np.column_stack([np.full(5, 2.0), made(5, 1)]), "all answered item 0 alike"),
    ],
)
def test_what_has_no_factors_is_an_error(answers: np.ndarray, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        fit_factors(answers, ones(answers))


def test_means_of_people_drawn_again_spread_as_a_weighted_mean_does() -> None:
    rng = np.random.default_rng(9)
    values, weights = rng.normal(size=(400, 2)) @ [[1, 0.5], [0, 0.7]], rng.uniform(0.2, 3, 400)
    draws = bootstrap_means(values, weights, 4000, rng)
    mean = np.average(values, axis=0, weights=weights)
    residuals = (values - mean) * weights[:, None]
    expected = residuals.T @ residuals / weights.sum() ** 2
    assert draws.mean(axis=0) == pytest.approx(mean, abs=0.01)
    assert np.cov(draws, rowvar=False) == pytest.approx(expected, rel=0.1, abs=2e-4)


def test_the_stored_fit_places_others_without_a_new_one() -> None:
    answers = made(300, 11)
    fit = fit_factors(answers, ones(answers))
    (one,) = fit.scores(answers[:1])
    both = fit.scores(np.concatenate([answers[:1], answers[100:140] + 5]))
    assert both[0] == pytest.approx(one)
    assert isinstance(fit, TwoFactors)
