"""Means of clustered rows: against formulas worked out elsewhere, and how often hard cases hold the truth."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.stats import norm, ttest_1samp
from scipy.stats import t as student
from statsmodels.regression.linear_model import OLS
from statsmodels.stats.proportion import proportion_confint

from folkways.stats.clusters import ClusteredMean, clustered_difference, clustered_mean, effective_number
from folkways.stats.intervals import Interval, wilson

Floats = npt.NDArray[np.float64]


def of_rows(rows: list[list[float]], bounds: tuple[float, float] | None = (0.0, 1.0)) -> ClusteredMean:
    sums, counts = np.array([sum(part) for part in rows]), np.array([float(len(part)) for part in rows])
    return clustered_mean(sums, counts, sum(value * value for part in rows for value in part), bounds)


@given(st.integers(0, 40), st.integers(0, 40))
def test_zeros_and_ones_that_are_independent_have_wilsons_interval(ones: int, zeros: int) -> None:
    assume(ones + zeros and not (0 < ones <= 4 or 0 < zeros <= 4))
    found = of_rows([[1.0]] * ones + [[0.0]] * zeros).interval()
    low, high = proportion_confint(ones, ones + zeros, method="wilson")
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-9)
    assert found.method == "wilson 95%"


def test_the_readmes_score_is_what_it_was() -> None:
    found = of_rows([[1.0]] * 5 + [[0.0]] * 13).interval()
    assert (round(100 * found.low, 1), round(100 * found.high, 1)) == (12.5, 50.9)


def test_four_clusters_by_hand() -> None:
    """Four questions of two rows, right 2, 1, 1 and 0 times, and the imagined 2 and 0: 12 rows, 6 of them
    right.

    Between: (4 + 1 + 1 + 0 + 4 + 0) / 2 - 12 / 4 = 2, over 5; within: 3 - 2 = 1, over 6. The intraclass
    correlation is (2/5 - 1/6) / (2/5 + 1/6) = 7/17, the design effect 24/17, and eight rows are worth 17/3.
    """
    found = of_rows([[1, 1], [1, 0], [0, 1], [0, 0]])
    assert found.n_effective == pytest.approx(17 / 3)
    low, high = proportion_confint(17 / 6, 17 / 3, method="wilson")
    interval = found.interval()
    assert interval.method == "modified wilson 95%"  # 17/6 are at most four
    assert (interval.low <= low, interval.high >= high) == (True, True)


def test_a_difference_by_hand() -> None:
    """Ten pairs, three of them for the first: +1 three times. As shares: 3 ones and 7 halves, and the
    imagined 1 and 0.

    Mean 7.5 / 12, squares (3 + 7/4 + 1) / 12: the variance is 5.75/12 - (7.5/12)^2, and a proportion's would
    be 7.5/12 * 4.5/12.
    """
    differences = np.array([1.0] * 3 + [0.0] * 7)
    found = clustered_difference(differences, differences, np.ones(10), 1.0)
    assert found.n_effective == pytest.approx(10 * (7.5 * 4.5 / 144) / (5.75 / 12 - 7.5**2 / 144))
    low, high = proportion_confint(0.65 * found.n_effective, found.n_effective, method="wilson")
    interval = found.interval()
    assert (interval.low, interval.high) == pytest.approx((2 * low - 1, 2 * high - 1))


def worth_by_definition(
    rows: list[list[float]], bounds: tuple[float, float], imagined: tuple[float, float] | None = None
) -> float:
    """Row by row, each with its weight; the two imagined clusters are one row each that weighs as much as an
    ordinary question."""
    lowest, span = bounds[0], bounds[1] - bounds[0]
    number, n = sum(len(part) for part in rows), len(rows)
    clusters = [[((value - lowest) / span, 1.0) for value in part] for part in rows]
    clusters += [[((end - lowest) / span, number / n)] for end in imagined or bounds]
    flat = [row for part in clusters for row in part]
    weight = sum(each for _, each in flat)
    mean = sum(value * each for value, each in flat) / weight
    total = sum(each * (value - mean) ** 2 for value, each in flat)
    sizes = [sum(each for _, each in part) for part in clusters]
    levels = [
        sum(value * each for value, each in part) / size for part, size in zip(clusters, sizes, strict=True)
    ]
    between = sum(size * (level - mean) ** 2 for size, level in zip(sizes, levels, strict=True))
    effect = 1.0
    if number > n:
        among, within = between / (n + 1), (total - between) / (weight - (n + 2))
        size = (weight - sum(size**2 for size in sizes) / weight) / (n + 1)
        alike = max(0.0, (among - within) / (among + (size - 1) * within))
        effect = 1 + alike * (sum(len(part) ** 2 for part in rows) / number - 1)
    values = {value for part in clusters[:-2] for value, _ in part}
    return number / effect * (1.0 if values <= {0.0, 1.0} else mean * (1 - mean) * weight / total)


ROWS = {
    "halves and quarters": [[1, 0.5], [0.25], [0, 0, 1], [0.5, 0.75, 1, 0.25, 0.5], [0], [0.25, 0.25]],
    "zeros and ones": [[1, 1, 0], [0], [0, 0], [1], [1, 1, 1, 1], [0, 1], [0, 0, 0, 0, 0, 1], [0]],
    "unlike within": [[0, 1, 0, 1], [1, 0, 1, 0], [1, 0], [0, 1, 0.5], [0.9, 0.1, 0.8]],
    "alike within": [[0.7, 0.7, 0.7], [0.2, 0.2], [0.6]],
    "one question": [[0.5, 1, 0.25]],
    "one row each": [[0.5], [1], [0.75], [0.1]],
    "one row": [[0.5]],
}


@pytest.mark.parametrize("name", ROWS)
@pytest.mark.parametrize(
    ("bounds", "paired"), [((0.0, 1.0), False), ((-1.0, 3.0), False), ((0.0, 2.0), True)]
)
def test_what_rows_are_worth_is_told_by_their_analysis_of_variance(
    name: str, bounds: tuple[float, float], paired: bool
) -> None:
    """Means of scores, and differences, for which other extremes are imagined; with their interval and p."""
    lowest, span = bounds[0], bounds[1] - bounds[0]
    rows = [[lowest + span * value for value in part] for part in ROWS[name]]
    flat = [value for part in rows for value in part]
    if paired:
        rows = [[value - 0.8 for value in part] for part in rows]
        flat = [value - 0.8 for value in flat]
        largest = max(abs(value) for value in flat)
        sums, counts = np.array([sum(part) for part in rows]), np.array([float(len(part)) for part in rows])
        found, bounds = clustered_difference(np.array(flat), sums, counts, 2.0), (-2.0, 2.0)
        worth = worth_by_definition(rows, bounds, (-largest, largest))
    else:
        found, worth = of_rows(rows, bounds), worth_by_definition(rows, bounds)
    mean = sum(flat) / len(flat)
    kish = len(flat) ** 2 / sum(len(part) ** 2 for part in rows)
    assert (found.mean, found.n_effective, found.clusters) == pytest.approx((mean, worth, kish), abs=1e-9)
    assert (found.bounds, math.isnan(found.error)) == (bounds, True)
    lowest, span = bounds[0], bounds[1] - bounds[0]
    share = (mean - lowest) / span
    for confidence in (0.8, 0.95):
        interval, own = found.interval(confidence), wilson(share * worth, worth, confidence)
        expected = (lowest + span * own.low, lowest + span * own.high)
        assert (interval.low, interval.high) == pytest.approx(expected, abs=1e-9)
        assert interval.method == own.method
    assert found.interval() == found.interval(0.95)
    for value in (lowest + 0.3 * span, lowest + 0.9 * span):
        true = (value - lowest) / span
        p = 2 * norm.sf(abs(share - true) / math.sqrt(true * (1 - true) / worth))
        assert found.p(value) == pytest.approx(p, abs=1e-9)
    if bounds[0] < 0:
        assert found.p() == found.p(0.0)


def test_where_nothing_differs_or_no_limit_is_known() -> None:
    """Of no difference the largest that can be is imagined; without a limit, Student's."""
    nothing = np.zeros(12)
    found = clustered_difference(nothing, nothing, np.ones(12), 4.0)
    assert found == of_rows([[0.0]] * 12, (-4.0, 4.0))
    assert found.n_effective == pytest.approx(worth_by_definition([[0.0]] * 12, (-4.0, 4.0)))
    values = np.arange(12.0) - 3
    free = clustered_difference(values, values, np.ones(12), None)
    assert (free.mean, free.error, free.bounds) == (
        2.5,
        of_rows([[value] for value in values.tolist()], None).error,
        None,
    )
    expected = ttest_1samp(values, 0.0)
    bounds = expected.confidence_interval(0.8)
    interval = free.interval(0.8)
    assert (interval.low, interval.high, free.p()) == pytest.approx(
        (bounds.low, bounds.high, expected.pvalue)
    )
    assert interval.method == "student 80%"
    assert free.clusters == 12.0
    assert math.isnan(free.n_effective)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("questions", "jackknife"), [([[1.0, 2.0]], math.nan), ([[0.0], [1.0, 5.0]], math.sqrt(2.5))]
)
def test_the_jackknife_takes_two_questions(questions: list[list[float]], jackknife: float) -> None:
    """The mean is 2; without the first question 3, without the second 0: half of 1 + 4 is the squared
    error."""
    assert of_rows(questions, None).error == pytest.approx(jackknife, nan_ok=True)


def test_with_many_questions_of_one_size_it_is_the_cluster_robust_error_of_statsmodels() -> None:
    rng = np.random.default_rng(1)
    rows = (rng.random((600, 5)) < rng.beta(1.2, 1.2, 600)[:, None]).astype(float)
    clusters = {"groups": np.repeat(np.arange(600), 5)}
    fitted = OLS(rows.ravel(), np.ones(3000)).fit(cov_type="cluster", cov_kwds=clusters)
    found = of_rows(rows.tolist())
    assert math.sqrt(found.mean * (1 - found.mean) / found.n_effective) == pytest.approx(
        fitted.bse[0], rel=0.01
    )


def test_repeating_every_row_adds_no_certainty() -> None:
    rng = np.random.default_rng(3)
    values = (rng.random(200) < 0.4).astype(float)
    once, thrice = of_rows([[value] for value in values]), of_rows([[value] * 3 for value in values])
    assert thrice.n_effective == pytest.approx(once.n_effective)


def test_nearly_the_same_answers_have_nearly_the_same_interval() -> None:
    """Six questions of 500 rows: one right answer of 3,000 is no more certain than none."""
    one, none = (of_rows([[first, *[0.0] * 499], *[[0.0] * 500] * 5]).interval() for first in (1.0, 0.0))
    assert one.high == pytest.approx(none.high, abs=0.01)
    assert none.high > 0.3


@given(
    st.lists(st.lists(st.sampled_from([0.0, 0.25, 1.0]), min_size=1, max_size=6), min_size=1, max_size=12),
    st.booleans(),
)
def test_intervals_hold_the_mean_within_the_bounds_and_are_never_of_width_zero(
    rows: list[list[float]], paired: bool
) -> None:
    bounds = (-1.0, 1.0) if paired else (0.0, 1.0)
    found = of_rows(rows, bounds)
    interval = found.interval()
    assert bounds[0] <= interval.low <= found.mean + 1e-12
    assert found.mean - 1e-12 <= interval.high <= bounds[1]
    assert interval.high - interval.low > 1e-3
    counts = np.array([float(len(part)) for part in rows])
    assert 1 <= effective_number(counts) <= len(rows) + 1e-9


@given(
    st.lists(st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=1, max_size=4), min_size=2, max_size=12),
    st.floats(0.1, 50),
)
def test_the_unit_does_not_matter(rows: list[list[float]], scale: float) -> None:
    one, other = of_rows(rows), of_rows([[scale * value for value in part] for part in rows], (0.0, scale))
    assert other.n_effective == pytest.approx(one.n_effective, rel=1e-6)
    assert other.interval().high == pytest.approx(scale * one.interval().high, rel=1e-6)


@given(st.lists(st.integers(-1, 1), min_size=6, max_size=40))
def test_p_is_below_five_percent_where_the_interval_does_not_hold_zero(differences: list[int]) -> None:
    values = np.array(differences, dtype=float)
    found = clustered_difference(values, values, np.ones(values.size), 1.0)
    interval = found.interval()
    assert (found.p() < 0.05) == (not interval.low <= 0 <= interval.high)
    for confidence in (0.8, 0.99):
        edge = found.interval(confidence)
        assert (found.p() < 1 - confidence) == (not edge.low <= 0 <= edge.high)


@given(st.lists(st.integers(0, 9), min_size=60, max_size=90), st.sampled_from([0.8, 0.95]))
def test_without_bounds_it_is_students_or_halls_where_that_is_wider(
    counts: list[int], confidence: float
) -> None:
    """Hall's transformation (1992, equation 1.8) is solved for the mean by halving."""
    assume(len(set(counts)) > 1)
    values = np.array(counts, dtype=float)
    n, mean, error = values.size, values.mean(), values.std(ddof=1) / math.sqrt(values.size)
    lopsided = ((values - mean) ** 3).mean() / ((values - mean) ** 2).mean() ** 1.5 / math.sqrt(n)
    found = clustered_mean(values, np.ones(n), float(values @ values), None)

    def halls(true: float) -> float:
        ratio = (mean - true) / error
        return ratio + lopsided * ratio**2 / 3 + lopsided**2 * ratio**3 / 27 + lopsided / 6

    limit = float(student.ppf(0.5 + confidence / 2, n - 1))
    ends = [
        brentq(lambda true, end=end: halls(true) - end, mean - 99 * error, mean + 99 * error)
        for end in (limit, -limit)
    ]
    interval, bounds = found.interval(confidence), ttest_1samp(values, 0).confidence_interval(confidence)
    assert interval.low == pytest.approx(min(ends[0], bounds.low), abs=1e-7)
    assert interval.high == pytest.approx(max(ends[1], bounds.high), abs=1e-7)
    for true in (4.0, mean + 2 * error):
        ratio = min(abs((mean - true) / error), abs(halls(true)))
        assert found.p(true) == pytest.approx(2 * student.sf(ratio, n - 1), abs=1e-9)


@pytest.mark.parametrize("kind", ["5 % zeros", "few lists", "lognormal"])
@pytest.mark.parametrize("n", [60, 100])
def test_skewed_values_without_bounds_have_intervals_that_hold(kind: str, n: int) -> None:
    """Student's hold 88 to 92 of 100."""
    rng, held, runs = np.random.default_rng(4), 0, 400
    for _ in range(runs):
        if kind == "5 % zeros":
            values, true = np.where(rng.random(n) < 0.05, 0.0, 0.8 + 0.1 * rng.random(n)), 0.95 * 0.85
        elif kind == "few lists":
            values, true = rng.choice([1.0, 2, 3, 5, 8], n, p=[0.85, 0.06, 0.04, 0.03, 0.02]), 1.40
        else:
            values, true = rng.lognormal(0, 1, n), math.exp(0.5)
        interval = clustered_mean(values, np.ones(n), float(values @ values), None).interval()
        held += interval.low <= true <= interval.high
    assert held / runs >= 0.93


@pytest.mark.parametrize("bounds", [(0.0, 1.0), (-0.5437, 1.0)])
@pytest.mark.parametrize("n", [10, 15, 30, 100])
def test_similarities_with_a_few_zeros_have_intervals_that_hold(n: int, bounds: tuple[float, float]) -> None:
    """Without bounds, Student's hold 40 of 100 at 10, 77 at 30: most samples have no zero."""
    rng, held, runs = np.random.default_rng(5), 0, 300
    for _ in range(runs):
        values = np.where(rng.random(n) < 0.05, 0.0, 0.8 + 0.1 * rng.random(n))
        interval = clustered_mean(values, np.ones(n), float(values @ values), bounds).interval()
        held += interval.low <= 0.95 * 0.85 <= interval.high
    assert held / runs >= 0.93


def test_the_jackknife_by_hand() -> None:
    """Ten questions of one and two rows: the mean without each of them, written out."""
    rows = [
        [1.0],
        [3.0, 5.0],
        [2.0],
        [0.0, 0.0],
        [4.0],
        [6.0, 2.0],
        [1.0],
        [2.0, 2.0],
        [3.0],
        [5.0],
        [1.0],
        [2.0],
    ]
    flat = [value for part in rows for value in part]
    without = [(sum(flat) - sum(part)) / (len(flat) - len(part)) for part in rows]
    mean = sum(flat) / len(flat)
    error = math.sqrt(11 / 12 * sum((each - mean) ** 2 for each in without))
    assert of_rows(rows, None).error == pytest.approx(error)


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        ([[1.0]] * 59, "none: under 60 questions"),
        ([[2.0]] * 60, "none: all alike"),
        ([[1.0]], "none: under 60 questions"),
    ],
)
def test_counts_that_tell_nothing_have_no_interval_and_say_why(rows: list[list[float]], why: str) -> None:
    found = of_rows(rows, None)
    interval = found.interval()
    assert interval.method == why
    assert math.isnan(interval.low) and math.isnan(interval.high) and math.isnan(found.p())
    differences = clustered_difference(np.arange(9.0), np.arange(9.0), np.ones(9), None)
    assert differences.interval().method == "none: under 10 questions"


def test_a_mean_needs_rows() -> None:
    nothing = np.array([])
    with pytest.raises(ValueError, match="at least one row"):
        clustered_mean(nothing, nothing, 0.0)
    for most in (None, 1.0):
        with pytest.raises(ValueError, match=r"row|zero-size"):
            clustered_difference(nothing, nothing, nothing, most)


def test_without_more_said_values_lie_between_zero_and_one() -> None:
    sums, counts = np.array([1.5, 0.25, 2.0]), np.array([2.0, 1.0, 4.0])
    assert clustered_mean(sums, counts, 2.5) == clustered_mean(sums, counts, 2.5, (0.0, 1.0))


def test_a_mean_that_rounding_brought_beyond_its_bounds_is_at_them() -> None:
    """Three times 0.1 is more than 0.3."""
    above, below = of_rows([[0.1]] * 3, (0.0, 0.1)), of_rows([[-0.1]] * 3, (-0.1, 0.0))
    assert (above.mean > 0.1, below.mean < -0.1) == (True, True)
    assert (above.interval().high, below.interval().low) == (0.1, -0.1)
    assert above.p(0.05) == pytest.approx(below.p(-0.05))


UNEQUAL = np.array(
    [252, 220, 165, 120, 120, 120, 84, 70, 56, 56, *[35] * 8, *[10] * 20, *[4] * 30, *[1] * 18], dtype=float
)
"""Sizes as of the questions of one culture in BLEnD's multiple choice: the largest five hold 43 % of 2,032
rows."""


def holding(sizes: Floats, p: float, alike: float, runs: int = 400) -> float:
    """The share of intervals that hold ``p``; the rows of a question have the intraclass correlation
    ``alike``."""
    rng = np.random.default_rng(7)
    spread = 1 / alike - 1
    held = 0
    for _ in range(runs):
        sums = rng.binomial(sizes.astype(int), rng.beta(p * spread, (1 - p) * spread, sizes.size)).astype(
            float
        )
        found = clustered_mean(sums, sizes, float(sums.sum())).interval()
        held += found.low <= p <= found.high
    return held / runs


@pytest.mark.parametrize("alike", [0.3, 0.8])
@pytest.mark.parametrize("p", [0.1, 0.5])
def test_few_large_questions_hold_the_truth(p: float, alike: float) -> None:
    assert effective_number(UNEQUAL) < 0.25 * UNEQUAL.size
    assert holding(UNEQUAL, p, alike) > 0.93


@pytest.mark.parametrize(("n", "p"), [(10, 0.05), (30, 0.05), (6, 0.5)])
def test_few_questions_of_four_rows_hold_the_truth(n: int, p: float) -> None:
    assert holding(np.full(n, 4.0), p, 0.6) > 0.93


def test_regions_that_share_templates_are_clustered_by_template() -> None:
    """Sixteen regions, 60 templates, 30 % of an answer is the template's: by region's question 62 of 100
    intervals hold."""
    rng, number, limit = np.random.default_rng(8), np.tile(np.arange(60), 16), norm.ppf(0.57)
    held, wrong, runs = np.zeros(2), np.zeros(2), 300
    for _ in range(runs):
        latent = math.sqrt(0.3) * rng.standard_normal((2, 60))[:, number] + math.sqrt(
            0.7
        ) * rng.standard_normal((2, number.size))
        values = (latent < limit).astype(float)
        for at, unit in enumerate((np.arange(number.size), number)):
            sums, counts = np.bincount(unit, weights=values[0]), np.bincount(unit).astype(float)
            found = clustered_mean(sums, counts, float(sums.sum())).interval()
            held[at] += found.low <= 0.57 <= found.high
            apart = values[0] - values[1]
            wrong[at] += clustered_difference(apart, np.bincount(unit, weights=apart), counts, 1.0).p() < 0.05
    assert held[0] / runs < 0.85 and held[1] / runs > 0.92
    assert wrong[0] / runs > 0.15 and wrong[1] / runs < 0.09


@pytest.mark.parametrize(("n", "shared"), [(10, 0.0), (10, 0.5), (30, 0.9)])
def test_differences_of_two_models_near_the_top_hold_the_truth(n: int, shared: float) -> None:
    """Both right 95 times of 100, independently or mostly on the same questions."""
    rng = np.random.default_rng(2)
    limit, held = norm.ppf(0.95), 0
    for _ in range(400):
        common = math.sqrt(shared) * rng.standard_normal(n)
        first, second = (common + math.sqrt(1 - shared) * rng.standard_normal(n) < limit for _ in range(2))
        difference = first.astype(float) - second
        found: Interval = clustered_difference(difference, difference, np.ones(n), 1.0).interval()
        held += found.low <= 0 <= found.high
    assert held / 400 > 0.93
