"""Shrinkage against scipy's distributions, point by point, and against what it promises: better guesses, honest intervals."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy import stats as reference
from scipy.optimize import brentq

from folkways.records import SCORES, Metric
from folkways.stats.intervals import wilson
from folkways.stats.shrinkage import FEWEST_GROUPS, SHRUNK, shrink, shrunk_scores

RIGHT = Metric("right", "Right", "")
COUNT = Metric("count", "Count", "", kind="mean", scale=1.0, bounds=None)


def by_scipy(successes: np.ndarray, n: np.ndarray) -> list[tuple[float, float, float]]:
    """The same model on a fine grid of its own, with scipy's beta-binomial and the exact quantiles of the mixture."""
    points = []
    for spread in np.linspace(0.005, 0.98, 60):
        total = (1 - spread**2) / spread**2
        for mean in np.linspace(0.01, 0.99, 120):
            alpha, beta = mean * total, (1 - mean) * total
            points.append((alpha, beta, sum(reference.betabinom.logpmf(successes, n, alpha, beta))))
    alpha, beta, log = (np.array(side) for side in zip(*points, strict=True))
    weights = np.exp(log - log.max())
    weights /= weights.sum()
    found = []
    for s, size in zip(successes, n, strict=True):
        posterior = reference.beta(alpha + s, beta + size - s)
        bounds = [brentq(lambda x, p=posterior, q=level: float(weights @ p.cdf(x)) - q, 1e-9, 1 - 1e-9) for level in (0.025, 0.975)]
        found.append((float(weights @ posterior.mean()), *bounds))
    return found


@pytest.mark.parametrize(
    ("successes", "n"),
    [([20, 5, 40, 3], [27, 7, 150, 20]), ([1, 0, 2, 1, 0], [20, 7, 35, 25, 49]), ([50, 52, 49], [100, 100, 100])],
)
def test_equals_the_model_written_with_scipy(successes: list[int], n: list[int]) -> None:
    found = shrink(np.array(successes, dtype=float), np.array(n, dtype=float))
    expected = by_scipy(np.array(successes), np.array(n))
    for column, (mean, low, high) in zip(zip(found.mean, found.low, found.high, strict=True), expected, strict=True):
        assert column[0] == pytest.approx(mean, abs=0.004)
        assert column[1:] == pytest.approx((low, high), abs=0.012)


def test_intervals_hold_the_truth_and_guesses_are_nearer_to_it() -> None:
    """Forty-five countries of 7 to 50 questions, as in CulturalBench: the raw rates of the small ones are far off."""
    rng = np.random.default_rng(1)
    held, widths, errors, raw_errors, raw_widths = [], [], [], [], []
    for _ in range(60):
        n = rng.integers(7, 50, 45).astype(float)
        truth = rng.beta(9, 6, 45)
        successes = rng.binomial(n.astype(int), truth).astype(float)
        found = shrink(successes, n)
        held.append(((found.low <= truth) & (truth <= found.high)).mean())
        errors.append(((found.mean - truth) ** 2).mean())
        raw_errors.append(((successes / n - truth) ** 2).mean())
        widths.append((found.high - found.low).mean())
        raw_widths.append(np.mean([w.high - w.low for w in (wilson(s, int(k)) for s, k in zip(successes, n, strict=True))]))
    assert 0.93 <= np.mean(held) <= 0.97
    assert np.mean(errors) < 0.75 * np.mean(raw_errors)
    assert np.mean(widths) < 0.9 * np.mean(raw_widths)


def test_small_groups_are_drawn_to_the_others_and_large_ones_stay() -> None:
    n = np.array([7.0, 460.0, 460.0, 460.0, 460.0])
    rates = np.array([1.0, 0.30, 0.42, 0.38, 0.45])
    found = shrink(n * rates, n)
    assert found.mean[0] < 0.75
    assert found.mean[1:] == pytest.approx(rates[1:], abs=0.012)
    assert found.weight[0] < 0.5 < 0.85 < found.weight[1:].min()


def test_groups_that_do_not_differ_still_have_intervals() -> None:
    """The most likely spread is zero here, and taking it for certain would leave no interval at all."""
    found = shrink(np.array([50.0, 50.0, 50.0]), np.array([100.0, 100.0, 100.0]))
    assert found.mean == pytest.approx(0.5, abs=1e-6)
    assert (found.high - found.low > 0.08).all()


@pytest.mark.parametrize(
    ("successes", "n", "words"),
    [([1, 2], [3, 3], "at least 3 groups"), ([1, 2, 4], [3, 3, 3], "no more"), ([0, 0, 0], [1, 0, 1], "needs")],
)
def test_impossible_counts_are_refused(successes: list[int], n: list[int], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        shrink(np.array(successes, dtype=float), np.array(n, dtype=float))


def scores(rows: list[tuple[str, str, float, float, float, str, int, int]]) -> pl.DataFrame:
    columns = ("metric", "value", "score", "low", "high", "interval", "n", "questions")
    frame = pl.DataFrame(rows, schema={name: SCORES[name] for name in columns}, orient="row")
    fixed = {"left_out": 0, "endpoint": "m", "task": "x/y", "profile": "strict", "facet": "culture", "signature": ""}
    rest = [name for name in SCORES if name not in columns and name not in fixed]
    return frame.with_columns(
        **{name: pl.lit(value) for name, value in fixed.items()}, **{name: pl.lit(None, dtype=SCORES[name]) for name in rest}
    ).select(list(SCORES))


def wilson_row(value: str, successes: int, n: int) -> tuple[str, str, float, float, float, str, int, int]:
    bound = wilson(successes, n)
    return ("right", value, 100 * successes / n, 100 * bound.low, 100 * bound.high, bound.method, n, n)


def test_scores_of_cultures_with_their_raw_ones_beside() -> None:
    frame = scores([wilson_row("CA", 6, 7), wilson_row("US", 12, 20), wilson_row("MX", 20, 49), wilson_row("KR", 30, 60)])
    found = shrunk_scores(frame, {"x/y": (RIGHT,)})
    assert found.schema == SHRUNK
    expected = shrink(np.array([6.0, 12, 20, 30]), np.array([7.0, 20, 49, 60]))
    assert found["shrunk"].to_numpy() == pytest.approx(100 * expected.mean)
    assert found["effective_n"].to_list() == [7, 20, 49, 60]
    assert found.select("value", "score", "low", "high").equals(frame.select("value", "score", "low", "high"))


def test_rows_of_one_question_are_not_so_many_observations() -> None:
    """A clustered interval twice as wide as that of as many independent rows: a quarter of them."""
    half = 100 * 2 * 1.959964 * np.sqrt(0.25 / 400)
    frame = scores([("right", code, 50.0, 50 - half, 50 + half, "bca bootstrap 95% by question", 400, 90) for code in "ABC"])
    assert shrunk_scores(frame, {"x/y": (RIGHT,)})["effective_n"].to_list() == pytest.approx([100.0] * 3)


def test_no_shrinking_of_counts_of_nothing_or_of_too_few() -> None:
    rows = [wilson_row("KR", 3, 7), wilson_row("ET", 4, 9)]
    nothing = ("right", "US", float("nan"), float("nan"), float("nan"), "no reply", 9, 9)
    counts = [("count", code, 1.5, 1.2, 1.9, "bca bootstrap 95% by question", 9, 9) for code in "ABC"]
    found = shrunk_scores(scores([*rows, nothing, *counts]), {"x/y": (RIGHT, COUNT)})
    assert found["value"].to_list() == ["KR", "ET"]
    assert found["shrunk"].null_count() == 2 == FEWEST_GROUPS - 1
    assert shrunk_scores(scores([]), {}).is_empty()
