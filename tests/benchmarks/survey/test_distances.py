"""Distances between distributions, against scipy and by hand; and how sure a corrected similarity is."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial.distance import jensenshannon
from scipy.stats import wasserstein_distance

from folkways.benchmarks.survey.intervals import SampledAnswers, corrected_divergences, root_mean
from folkways.stats.differences import paired_mean
from folkways.stats.distributions import (
    js_distance,
    js_divergence,
    scale_mean,
    similarity_of_draws,
    similarity_of_halves,
    wasserstein,
)

P, Q = np.array([0.5, 0.3, 0.2, 0.0]), np.array([0.1, 0.2, 0.3, 0.4])
SCALE = np.arange(4.0)

weights = arrays(np.float64, 5, elements=st.sampled_from([0.0, 0.1, 1.0, 3.0, 40.0])).filter(
    lambda w: w.sum() > 0
)


def test_a_worked_example() -> None:
    assert js_divergence(P, Q) == pytest.approx(0.31952, abs=5e-6)
    assert js_distance(P, Q) == pytest.approx(0.56526, abs=5e-6)
    assert wasserstein(P, Q, SCALE) == pytest.approx(0.43333, abs=5e-6)
    assert scale_mean(P, SCALE) == pytest.approx((0.3 + 2 * 0.2) / 3)
    assert scale_mean(P, SCALE[::-1]) == pytest.approx(1 - (0.3 + 2 * 0.2) / 3)


@given(weights, weights)
def test_distances_are_those_of_scipy(first: np.ndarray, second: np.ndarray) -> None:
    p, q = first / first.sum(), second / second.sum()
    assert js_distance(p, q) == pytest.approx(jensenshannon(p, q, base=2), abs=1e-7)
    positions = np.array([1.0, 2.0, 3.0, 7.0, 11.0])
    expected = wasserstein_distance(positions, positions, p, q) / 10
    assert wasserstein(p, q, positions) == pytest.approx(expected, abs=1e-9)
    assert wasserstein(p[::-1], q[::-1], positions[::-1]) == pytest.approx(expected, abs=1e-9)


@given(weights)
def test_equal_answers_are_at_no_distance_and_disjoint_ones_at_the_largest(first: np.ndarray) -> None:
    p = first / first.sum()
    assert js_distance(p, p) == pytest.approx(0, abs=1e-7)
    disjoint = np.concatenate([p, np.zeros(5)]), np.concatenate([np.zeros(5), p])
    assert js_distance(*disjoint) == pytest.approx(1)
    ends = np.array([1.0, 0.0]), np.array([0.0, 1.0])
    assert wasserstein(*ends, np.array([3.0, 9.0])) == pytest.approx(1)


def test_few_draws_of_people_are_not_at_no_distance_from_them() -> None:
    few, many = (similarity_of_draws(Q, n, seed=3) for n in (8, 800))
    # the divergence of n draws is about (K - 1) / (8 n ln 2) bits
    assert 1 - np.sqrt(3 / (8 * 8 * np.log(2))) == pytest.approx(few, abs=0.05)
    assert few < many < 1 and many == pytest.approx(1 - np.sqrt(3 / (8 * 800 * np.log(2))), abs=0.01)
    assert similarity_of_draws(Q, 8, seed=3) == few


def test_halves_of_few_people_differ_more_than_halves_of_many() -> None:
    assert np.isnan(similarity_of_halves(np.array([1, 0, 0]), 0))
    assert similarity_of_halves(np.array([40, 0, 0]), 0) == pytest.approx(1)
    few, many = (similarity_of_halves(np.array([4, 3, 3]) * times, 0) for times in (1, 100))
    assert few < 0.75 < 0.95 < many < 1


def sampled(rng: np.random.Generator, shares: np.ndarray, n: int | None) -> SampledAnswers:
    return SampledAnswers(shares if n is None else rng.multinomial(n, shares) / n, n)


@pytest.mark.parametrize(
    ("questions", "options", "replies", "people", "spread", "samples"),
    [
        (12, 10, 16, 200, 0.5, 50),
        (40, 2, 50, None, 0.3, 50),
        (20, 4, None, 60, 1.0, 50),
        *(
            pytest.param(*kind, 200, marks=pytest.mark.nightly)
            for kind in (
                (40, 4, 8, 1000, 1.0),
                (40, 4, 8, 1000, 0.2),
                (12, 10, 16, 200, 0.5),
                (40, 2, 50, None, 0.3),
                (20, 4, None, 60, 1.0),
            )
        ),
    ],
)
def test_the_interval_of_a_corrected_similarity_has_the_coverage_it_says(
    questions: int, options: int, replies: int | None, people: int | None, spread: float, samples: int
) -> None:
    """The truth is the root mean divergence over all questions of this kind, with all replies and all people.
    A small spread (of Dirichlet's distribution) has shares near 0 and 1. 95 % of 200 samples are 184 to 196."""
    rng = np.random.default_rng(5)
    model, world = (rng.dirichlet(np.full(options, spread), 20_000) for _ in range(2))
    world = 0.5 * world + 0.5 * model
    truth = root_mean(float(js_divergence(model, world).mean()))
    inside = 0
    errors, halves = [], []
    for _ in range(samples):
        rows = rng.integers(0, model.shape[0], questions)
        pairs = [(sampled(rng, model[row], replies), sampled(rng, world[row], people)) for row in rows]
        mean = paired_mean(corrected_divergences(pairs), np.zeros(questions))
        low, high = root_mean(mean.high), root_mean(mean.low)
        inside += low <= truth <= high
        errors.append(root_mean(mean.difference) - truth)
        halves.append((high - low) / 2)
    print(questions, options, replies, people, spread, inside / samples, np.mean(errors), np.mean(halves))
    assert 178 <= inside <= 199 if samples == 200 else inside / samples >= 0.86  # 3 standard errors
    assert abs(np.mean(errors)) < np.mean(halves) / 4


def test_without_correction_few_replies_would_look_far_from_people() -> None:
    rng = np.random.default_rng(1)
    shares = rng.dirichlet(np.ones(4), 300)
    pairs = [(sampled(rng, row, 8), sampled(rng, row, 1000)) for row in shares]
    raw = np.mean([js_divergence(one.shares, other.shares) for one, other in pairs])
    assert root_mean(float(raw)) < 0.85
    assert root_mean(float(corrected_divergences(pairs).mean())) > 0.93
    exact = [(SampledAnswers(row), SampledAnswers(row)) for row in shares]
    assert corrected_divergences(exact) == pytest.approx(0, abs=1e-12)
