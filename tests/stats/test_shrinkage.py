"""Shrinkage against scipy's distributions, point by point, and against what it promises: better guesses,
honest intervals."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as reference
from scipy.optimize import brentq
from scipy.special import betainc, betaln

from folkways.records import SCORES, Metric
from folkways.stats.intervals import wilson
from folkways.stats.shrinkage import FEWEST_GROUPS, SHRUNK, shrink, shrink_differences, shrunk_scores

RIGHT = Metric("right", "Right", "")
COUNT = Metric("count", "Count", "", kind="mean", scale=1.0, bounds=None)


def by_scipy(successes: np.ndarray, n: np.ndarray) -> list[tuple[float, float, float]]:
    """The same model on a fine grid of its own, with scipy's beta-binomial and the exact quantiles of the
    mixture."""
    spread, mean = (
        axis.ravel() for axis in np.meshgrid(np.linspace(0.005, 0.98, 60), np.linspace(0.01, 0.99, 120))
    )
    total = (1 - spread**2) / spread**2
    alpha, beta = mean * total, (1 - mean) * total
    log = sum(
        reference.betabinom.logpmf(own, size, alpha, beta) for own, size in zip(successes, n, strict=True)
    )
    weights = spread * np.exp(log - log.max())
    weights /= weights.sum()
    found = []
    for s, size in zip(successes, n, strict=True):
        own = alpha + s, beta + size - s
        bounds = [
            brentq(lambda x, p=own, q=q: float(weights @ betainc(*p, x)) - q, 1e-30, 1 - 1e-12)
            for q in (0.025, 0.975)
        ]
        found.append((float(weights @ (own[0] / (own[0] + own[1]))), *bounds))
    return found


def point_by_point(
    successes: list[float], n: list[float], confidence: float
) -> list[tuple[float, float, float, float]]:
    """Mean, bounds and own weight of each group on the very grid that is stated, one point after the
    other."""
    groups, points = list(zip(successes, n, strict=True)), []
    for place in range(40):
        spread = 0.005 + place * (0.98 - 0.005) / 39
        alike, total = spread**2, 1 / spread**2 - 1
        information = [size / (1 + (size - 1) * alike) for size in n]
        likeliest = sum(own * s / size for own, (s, size) in zip(information, groups, strict=True)) / sum(
            information
        )
        likeliest = min(max(likeliest, 0.5 / sum(n)), 1 - 0.5 / sum(n))
        error = math.sqrt(likeliest * (1 - likeliest) / sum(information))
        for step in range(-7, 8):
            mean = likeliest + error * step / 2
            if 0 < mean < 1:
                a, b = mean * total, (1 - mean) * total
                points.append(
                    (
                        mean,
                        total,
                        spread * error,
                        sum(betaln(a + s, b + size - s) - betaln(a, b) for s, size in groups),
                    )
                )
    best = max(log for *_, log in points)
    weighted = [(mean, total, error * math.exp(log - best)) for mean, total, error, log in points]
    heaviest = max(weight for *_, weight in weighted)
    weighted = [point for point in weighted if point[2] > 1e-6 * heaviest]
    everything = sum(weight for *_, weight in weighted)
    found = []
    for s, size in groups:
        posteriors = [
            (mean_and_variance(mean * total + s, (1 - mean) * total + size - s), w / everything)
            for mean, total, w in weighted
        ]
        centre = sum(weight * own for (own, _), weight in posteriors)
        variance = sum(weight * (squared + (own - centre) ** 2) for (own, squared), weight in posteriors)
        a = centre * (centre * (1 - centre) / variance - 1)
        bounds = reference.beta.ppf([(1 - confidence) / 2, (1 + confidence) / 2], a, a / centre - a)
        own_weight = sum(weight * size / (size + total) for _, total, weight in weighted) / everything
        found.append((centre, *bounds.tolist(), own_weight))
    return found


def mean_and_variance(a: float, b: float) -> tuple[float, float]:
    """Of a beta distribution."""
    return a / (a + b), a * b / ((a + b) ** 2 * (a + b + 1))


@pytest.mark.parametrize("confidence", [0.95, 0.7])
@pytest.mark.parametrize(
    ("successes", "n"),
    [
        ([20, 5, 40, 3], [27, 7, 150, 20]),
        ([0, 0, 0], [4, 9, 2.5]),
        ([8, 3.5, 1, 0.7], [8, 3.5, 1, 0.7]),  # all right, of less than one too
        ([0, 30, 12.5, 1, 4], [25, 31, 40, 1, 9]),
    ],
)
def test_equals_the_grid_written_out(successes: list[float], n: list[float], confidence: float) -> None:
    found = shrink(np.array(successes, dtype=float), np.array(n, dtype=float), confidence)
    columns = zip(found.mean, found.low, found.high, found.weight, strict=True)
    expected = point_by_point(successes, n, confidence)
    assert [value for row in columns for value in row] == pytest.approx(
        [value for row in expected for value in row], abs=1e-9
    )


@pytest.mark.parametrize(
    ("successes", "n"),
    [
        pytest.param([20, 5, 40, 3], [27, 7, 150, 20], marks=pytest.mark.nightly),
        ([1, 0, 2, 1, 0], [20, 7, 35, 25, 49]),
        ([50, 52, 49], [100, 100, 100]),
    ],
)
def test_equals_the_model_written_with_scipy(successes: list[int], n: list[int]) -> None:
    found = shrink(np.array(successes, dtype=float), np.array(n, dtype=float))
    expected = by_scipy(np.array(successes), np.array(n))
    for column, (mean, low, high) in zip(
        zip(found.mean, found.low, found.high, strict=True), expected, strict=True
    ):
        assert column[0] == pytest.approx(mean, abs=0.004)
        assert column[1:] == pytest.approx((low, high), abs=0.012)


def test_intervals_hold_the_truth_and_guesses_are_nearer_to_it() -> None:
    """Forty-five countries of 7 to 50 questions, as in CulturalBench: the raw rates of the small ones are far
    off."""
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
        raw_widths.append(
            np.mean([w.high - w.low for w in (wilson(s, int(k)) for s, k in zip(successes, n, strict=True))])
        )
    assert 0.93 <= np.mean(held) <= 0.98
    assert np.mean(errors) < 0.75 * np.mean(raw_errors)
    assert np.mean(widths) < 0.9 * np.mean(raw_widths)


@pytest.mark.parametrize(("groups", "n", "spread"), [(45, 7, 0.1), (16, 30, 0.1), (16, 30, 0.05)])
def test_groups_that_differ_a_little_have_intervals_that_hold(groups: int, n: int, spread: float) -> None:
    """A flat prior of the spread holds 91 of 100: the most likely spread is too small in many samples."""
    rng, held = np.random.default_rng(9), []
    total = 0.85 * 0.15 / spread**2 - 1
    for _ in range(100):
        truth = rng.beta(0.85 * total, 0.15 * total, groups)
        found = shrink(rng.binomial(n, truth).astype(float), np.full(groups, float(n)))
        held.append(((found.low <= truth) & (truth <= found.high)).mean())
    assert np.mean(held) >= 0.93


def test_small_groups_are_drawn_to_the_others_and_large_ones_stay() -> None:
    n = np.array([7.0, 460.0, 460.0, 460.0, 460.0])
    rates = np.array([1.0, 0.30, 0.42, 0.38, 0.45])
    found = shrink(n * rates, n)
    assert found.mean[0] < 0.8
    assert found.mean[1:] == pytest.approx(rates[1:], abs=0.012)
    assert found.weight[0] < 0.65 < 0.85 < found.weight[1:].min()


def test_groups_that_do_not_differ_still_have_intervals() -> None:
    """The most likely spread is zero here, and taking it for certain would leave no interval at all."""
    found = shrink(np.array([50.0, 50.0, 50.0]), np.array([100.0, 100.0, 100.0]))
    assert found.mean == pytest.approx(0.5, abs=1e-6)
    assert (found.high - found.low > 0.08).all()


@pytest.mark.parametrize(
    ("successes", "n", "words"),
    [
        ([1, 2], [3, 3], "at least 3 groups"),
        ([1, 2, 4], [3, 3, 3], "no more"),
        ([0, 0, 0], [1, 0, 1], "needs"),
        ([1, 2, -1], [3] * 3, "needs"),
    ],
)
def test_impossible_counts_are_refused(successes: list[int], n: list[int], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        shrink(np.array(successes, dtype=float), np.array(n, dtype=float))


def scores(rows: list[tuple[str, str, float, float, float, str, int, int]]) -> pl.DataFrame:
    columns = ("metric", "value", "score", "low", "high", "interval", "n", "questions")
    frame = pl.DataFrame(rows, schema={name: SCORES[name] for name in columns}, orient="row")
    fixed = {
        "left_out": 0,
        "endpoint": "m",
        "task": "x/y",
        "profile": "strict",
        "facet": "culture",
        "signature": "",
    }
    rest = [name for name in SCORES if name not in columns and name not in fixed]
    return frame.with_columns(
        **{name: pl.lit(value) for name, value in fixed.items()},
        **{name: pl.lit(None, dtype=SCORES[name]) for name in rest},
    ).select(list(SCORES))


def wilson_row(value: str, successes: int, n: int) -> tuple[str, str, float, float, float, str, int, int]:
    bound = wilson(successes, n)
    return ("right", value, 100 * successes / n, 100 * bound.low, 100 * bound.high, bound.method, n, n)


def test_scores_of_cultures_with_their_raw_ones_beside() -> None:
    frame = scores(
        [wilson_row("CA", 6, 7), wilson_row("US", 12, 20), wilson_row("MX", 20, 49), wilson_row("KR", 30, 60)]
    )
    found = shrunk_scores(frame, {"x/y": (RIGHT,)})
    assert found.schema == SHRUNK
    expected = shrink(np.array([6.0, 12, 20, 30]), np.array([7.0, 20, 49, 60]))
    assert found["shrunk"].to_numpy() == pytest.approx(100 * expected.mean)
    assert found["effective_n"].to_list() == [7, 20, 49, 60]
    assert found.select("value", "score", "low", "high").equals(frame.select("value", "score", "low", "high"))


@pytest.mark.filterwarnings("error")
def test_every_way_to_tell_how_many_observations_a_score_is_worth() -> None:
    """p (1 - p) over the squared error; by rows where these are independent, and by questions where nothing
    is told."""
    half = 100 * reference.norm.ppf(0.975) * math.sqrt(0.16 / 50)
    clustered = "bca bootstrap 95% by question"
    rows = [
        ("right", "told", 20.0, 20 - half, 20 + half, clustered, 80, 60),
        ("right", "told of more than rows", 20.0, 20 - half, 20 + half, clustered, 40, 30),
        ("right", "independent", 20.0, 20 - half, 20 + half, "modified wilson 95%", 80, 80),
        ("right", "wilson of rows of a question", 20.0, 20 - half, 20 + half, "wilson 95%", 80, 60),
        ("right", "independent by another name", 20.0, 20 - half, 20 + half, clustered, 80, 80),
        ("right", "without a width", 20.0, 20.0, 20.0, clustered, 80, 60),
        ("right", "nothing right", 0.0, 0.0, 10.0, clustered, 80, 60),
        ("right", "nothing right, without a width", 0.0, 0.0, 0.0, clustered, 80, 60),
        ("right", "without an interval", 20.0, math.nan, math.nan, clustered, 80, 60),
        ("right", "hardly known", 20.0, 0.0, 3000.0, clustered, 80, 60),
        ("right", "a digit too much", 100.00000000001, 99.0, 100.0, clustered, 80, 60),
        ("right", "a digit too little", -0.00000000001, 0.0, 1.0, clustered, 80, 60),
    ]
    found = shrunk_scores(scores(rows), {"x/y": (RIGHT,)})
    expected = [50.0, 40.0, 80.0, 50.0, 50.0, 60.0, 60.0, 60.0, 60.0, 1.0, 60.0, 60.0]
    assert found["effective_n"].to_list() == pytest.approx(expected)
    assert found["questions"].to_list() == [row[-1] for row in rows]
    assert found["shrunk_high"].null_count() == 0
    for row, left_out, worth in ((rows[2], 30, 50.0), (rows[0], 45, 35.0)):
        frame = scores([row]).with_columns(left_out=pl.lit(left_out, dtype=SCORES["left_out"]))
        assert shrunk_scores(frame, {"x/y": (RIGHT,)})["effective_n"].to_list() == pytest.approx([worth])


def test_groups_of_an_endpoint_a_task_a_profile_and_a_metric_are_shrunk_by_themselves() -> None:
    """In the order of the scores; other facets, unbounded metrics, tasks that nobody named and scores of
    nothing are left out."""
    groups = [
        {},
        {"endpoint": "other"},
        {"task": "x/z"},
        {"profile": "lenient"},
        {"facet": "topic"},
        {"metric": "count"},
        {"metric": "gap"},
        {"task": "x/unknown"},
        {"metric": "share"},
    ]
    parts, counts = [], []
    for place, own in enumerate(groups):
        numbers = [(3 + place, 19), (2, 10 + place), (20, 31)]
        frame = scores([wilson_row(code, right, n) for code, (right, n) in zip("KUE", numbers, strict=True)])
        if own == {"metric": "share"}:
            frame = frame.with_columns(pl.col("score", "low", "high") / 100)
        parts.append(frame.with_columns(**{name: pl.lit(value) for name, value in own.items()}))
        counts.append(numbers)
    everything = pl.concat(parts)
    gap, share = Metric("gap", "Gap", "", bounds=(-1.0, 1.0)), Metric("share", "Share", "", scale=1.0)
    found = shrunk_scores(everything, {"x/y": (RIGHT, COUNT, gap, share), "x/z": (RIGHT,)})
    kept = [0, 1, 2, 3, 8]
    names = [
        "endpoint",
        "task",
        "profile",
        "metric",
        "facet",
        "value",
        "score",
        "low",
        "high",
        "n",
        "questions",
    ]
    assert found.select(names).equals(pl.concat([parts[place] for place in kept]).select(names))
    expected = [
        shrink(*(np.array(side, dtype=float) for side in zip(*counts[place], strict=True))) for place in kept
    ]
    scales = np.repeat([100.0, 100, 100, 100, 1], 3)
    for column, name in (("shrunk", "mean"), ("shrunk_low", "low"), ("shrunk_high", "high")):
        own = np.concatenate([getattr(one, name) for one in expected])
        assert found[column].to_numpy() == pytest.approx(scales * own, abs=1e-9)
    assert found["weight"].to_numpy() == pytest.approx(
        np.concatenate([one.weight for one in expected]), abs=1e-9
    )
    topics = shrunk_scores(everything, {"x/y": (RIGHT,)}, facet="topic")
    assert topics.select(names).equals(parts[4].select(names))
    assert shrunk_scores(everything, {}).schema == SHRUNK


def test_rows_of_one_question_are_not_so_many_observations() -> None:
    """A clustered interval twice as wide as that of as many independent rows: a quarter of them."""
    half = 100 * 2 * 1.959964 * np.sqrt(0.25 / 400)
    frame = scores(
        [
            ("right", code, 50.0, 50 - half, 50 + half, "bca bootstrap 95% by question", 400, 90)
            for code in "ABC"
        ]
    )
    assert shrunk_scores(frame, {"x/y": (RIGHT,)})["effective_n"].to_list() == pytest.approx([100.0] * 3)


def test_no_shrinking_of_counts_of_nothing_or_of_too_few() -> None:
    rows = [wilson_row("KR", 3, 7), wilson_row("ET", 4, 9)]
    nothing = ("right", "US", float("nan"), float("nan"), float("nan"), "no reply", 9, 9)
    counts = [("count", code, 1.5, 1.2, 1.9, "bca bootstrap 95% by question", 9, 9) for code in "ABC"]
    found = shrunk_scores(scores([*rows, nothing, *counts]), {"x/y": (RIGHT, COUNT)})
    assert found["value"].to_list() == ["KR", "ET"]
    assert found["shrunk"].null_count() == 2 == FEWEST_GROUPS - 1
    assert shrunk_scores(scores([]), {}).is_empty()


def test_differences_equal_the_model_written_with_scipy() -> None:
    found, variance = np.array([9.0, -3.0, -6.0, 1.0]), np.array([4.0, 16.0, 2.0, 30.0])
    widest = 3 * np.sqrt((found**2 + variance).mean())
    spread = np.linspace(0, widest, 20_001)[1:]
    likelihood = np.prod(
        [reference.norm.pdf(x, 0, np.sqrt(spread**2 + v)) for x, v in zip(found, variance, strict=True)],
        axis=0,
    )
    weights = spread * likelihood / (spread * likelihood).sum()
    shrunk = shrink_differences(found, variance)
    for place, (x, v) in enumerate(zip(found, variance, strict=True)):
        own = spread**2 / (spread**2 + v)
        assert shrunk.mean[place] == pytest.approx(weights @ (own * x), abs=0.02)
        assert shrunk.weight[place] == pytest.approx(weights @ own, abs=0.01)
        for level, bound in ((0.025, shrunk.low[place]), (0.975, shrunk.high[place])):
            assert weights @ reference.norm.cdf(bound, own * x, np.sqrt(own * v)) == pytest.approx(
                level, abs=0.002
            )


@given(st.lists(st.tuples(st.floats(-50, 50), st.floats(0.5, 400)), min_size=FEWEST_GROUPS, max_size=12))
def test_differences_are_drawn_towards_nothing_and_never_past_it(groups: list[tuple[float, float]]) -> None:
    found, variance = (np.array(column) for column in zip(*groups, strict=True))
    shrunk = shrink_differences(found, variance)
    assert (np.abs(shrunk.mean) <= np.abs(found) + 1e-9).all() and (shrunk.mean * found >= 0).all()
    assert (shrunk.low < shrunk.mean).all() and (shrunk.mean < shrunk.high).all()
    assert ((shrunk.weight > 0) & (shrunk.weight < 1)).all()
    mirrored = shrink_differences(-found, variance)
    assert mirrored.mean == pytest.approx(-shrunk.mean) and mirrored.low == pytest.approx(
        -shrunk.high, abs=1e-6
    )


@pytest.mark.parametrize(
    ("groups", "spread"),
    [(5, 8.0), (40, 0.0), *(pytest.param(40, spread, marks=pytest.mark.nightly) for spread in (6.0, 20.0))],
)
def test_intervals_of_differences_hold_the_truth_whether_groups_differ_or_not(
    groups: int, spread: float
) -> None:
    rng = np.random.default_rng(3)
    held = []
    for _ in range(60 if groups > 5 else 150):
        error, truth = rng.uniform(7, 16, groups), spread * rng.standard_normal(groups)
        shrunk = shrink_differences(truth + error * rng.standard_normal(groups), error**2)
        held.append(((shrunk.low <= truth) & (truth <= shrunk.high)).mean())
    assert np.mean(held) >= 0.93


def test_differences_of_too_few_groups_or_without_error_are_refused() -> None:
    for found, variance, words in (
        ([1.0, 2.0], [1.0, 1.0], "at least 3 groups"),
        ([1.0, 2.0, 3.0], [1.0, 0.0, 1.0], "above 0"),
    ):
        with pytest.raises(ValueError, match=words):
            shrink_differences(np.array(found), np.array(variance))
