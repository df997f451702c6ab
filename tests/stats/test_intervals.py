"""Intervals against scipy, by hand, and against how often they hold the truth."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable
from dataclasses import replace
from statistics import NormalDist

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, binomtest, gamma, hypergeom
from statsmodels.stats.proportion import proportion_confint

from folkways.stats.intervals import (
    EDGE,
    Interval,
    cluster_totals,
    clustered_normal,
    interval_of_average,
    squared_error,
    wilson,
    wilson_of_average,
    wilsons,
)

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@given(st.integers(1, 5000), st.data(), st.sampled_from([0.8, 0.9, 0.95, 0.99]))
def test_wilson_equals_scipy(n: int, data: st.DataObject, confidence: float) -> None:
    successes = data.draw(st.integers(0, n))
    expected = binomtest(successes, n).proportion_ci(confidence, method="wilson")
    found = wilson(successes, n, confidence)
    assert found.low == pytest.approx(expected.low, abs=1e-12) or (
        0 < successes <= EDGE and found.low < expected.low
    )
    assert found.high == pytest.approx(expected.high, abs=1e-12) or (
        0 < n - successes <= EDGE and found.high > expected.high
    )


@given(st.integers(1, 10_000), st.data())
def test_wilson_lies_in_the_unit_range_and_holds_the_estimate(n: int, data: st.DataObject) -> None:
    successes = data.draw(st.integers(0, n))
    found = wilson(successes, n)
    assert 0.0 <= found.low <= successes / n <= found.high <= 1.0
    assert found.low < found.high
    mirrored = wilson(n - successes, n)
    assert mirrored.low == pytest.approx(1 - found.high, abs=1e-9)


@pytest.mark.parametrize("confidence", [0.95, 0.8])
@pytest.mark.parametrize(
    ("successes", "n", "population"),
    [
        (0, 12, None),
        (12, 12, None),
        (4, 30, None),
        (4.01, 30, None),
        (26, 30, None),
        (25.99, 30, None),
        (0.3, 2.5, None),
        (3, 7, None),  # few of either
        (0, 12, 40),
        (12, 12, 40),
        (2, 20, 39),
        (19, 20, 21),
        (5, 11, 300),
    ],
)
def test_wilson_with_its_modification_written_out(
    successes: float, n: float, population: int | None, confidence: float
) -> None:
    size = n if population is None else n * (population - 1) / (population - n)
    low, high = proportion_confint(successes / n * size, size, 1 - confidence, method="wilson")
    ones, zeros = (population is None and 0 < count <= 4 for count in (successes, n - successes))
    if ones:
        low = min(low, gamma(successes).ppf(1 - confidence) / n)
    if zeros:
        high = max(high, 1 - gamma(n - successes).ppf(1 - confidence) / n)
    found = wilson(successes, n, confidence, population=population)
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-9)
    of = "" if population is None else f" of {population}"
    assert found.method == f"{'modified ' if ones or zeros else ''}wilson {confidence:.0%}{of}"
    if successes in (0, n):
        assert (found.low, found.high)[successes == n] == float(successes == n)


@pytest.mark.parametrize("hardly", [1e-10, 5e-324])
def test_hardly_any_ones_have_nothing_as_their_bound(hardly: float) -> None:
    assert wilson(hardly, 10).low == 0.0


def test_wilson_of_nothing_says_nothing() -> None:
    assert wilson(0, 0) == Interval(0.0, 1.0, "wilson 95%")
    assert wilson(0, 0, 0.8, population=5) == Interval(0.0, 1.0, "wilson 80% of 5")


@pytest.mark.parametrize("successes", [-1, 4])
def test_wilson_refuses_impossible_counts(successes: int) -> None:
    with pytest.raises(ValueError, match="between 0 and n=3"):
        wilson(successes, 3)


def clustered_data(seed: int, n_clusters: int, *, kind: str, spread: float = 0.25) -> tuple[Floats, Ints]:
    """Rows of clusters of one to five rows each; rows of a cluster resemble one another."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 6, n_clusters)
    clusters = np.repeat(np.arange(n_clusters), sizes)
    level = np.clip(0.4 + spread * rng.standard_normal(n_clusters), 0, 1)[clusters]
    noise = rng.random(clusters.size)
    return ((noise < level) if kind == "proportion" else level + 0.1 * noise).astype(np.float64), clusters


def share_that_holds_the_truth(
    interval_of: Callable[[Floats, Ints], Interval], kind: str, trials: int = 400
) -> float:
    everyone, _ = clustered_data(99, 400_000, kind=kind)
    truth = float(everyone.mean())
    held = 0
    for trial in range(trials):
        interval = interval_of(*clustered_data(trial, 60, kind=kind))
        held += interval.low <= truth <= interval.high
    return held / trials


@pytest.mark.parametrize("kind", ["proportion", "mean"])
def test_95_percent_intervals_hold_the_truth_about_that_often(kind: str) -> None:
    assert 0.90 <= share_that_holds_the_truth(clustered_normal, kind) <= 0.985


def test_ignoring_the_clusters_holds_the_truth_too_rarely() -> None:
    """The simulated case is one in which clustering matters; without this the test of coverage would pass for
    any method."""
    share = share_that_holds_the_truth(
        lambda values, _: clustered_normal(values, np.arange(values.size)), "mean"
    )
    assert share < 0.85


def test_the_normal_interval_by_hand() -> None:
    """Three questions of two rows each, with means 0, 1/2 and 1: the variance over questions is divided by n
    - 1."""
    interval = clustered_normal(np.array([0.0, 0.0, 0.0, 1.0, 1.0, 1.0]), np.array([1, 1, 2, 2, 3, 3]))
    half = NormalDist().inv_cdf(0.975) * statistics.stdev([0.0, 0.5, 1.0]) / math.sqrt(3)
    assert (interval.low, interval.high) == pytest.approx((0.5 - half, 0.5 + half))


@pytest.mark.parametrize(("confidence", "population"), [(0.95, None), (0.8, None), (0.95, 9), (0.6, 5)])
def test_the_normal_interval_of_questions_of_unequal_size(confidence: float, population: int | None) -> None:
    """Residuals of each question's sum from what its rows would have at the mean; numbers of questions are
    names alone."""
    questions = {7: [1.0, 0.0, 0.5], -2: [1.0], 30: [0.0, 0.25], 4: [1.0, 1.0, 1.0, 0.0], 9: [0.1]}
    rows = [(value, number) for number, part in questions.items() for value in part]
    rows = rows[3:] + rows[:3]
    mean = sum(value for value, _ in rows) / 11
    squared = 5 / 4 * sum((sum(part) - mean * len(part)) ** 2 for part in questions.values()) / 11**2
    squared *= 1 if population is None else 1 - 5 / population
    half = NormalDist().inv_cdf(0.5 + confidence / 2) * math.sqrt(squared)
    values, clusters = np.array([value for value, _ in rows]), np.array([number for _, number in rows])
    found = clustered_normal(values, clusters, confidence=confidence, population=population)
    assert (found.low, found.high) == pytest.approx((mean - half, mean + half), abs=1e-9)
    assert found.method == f"normal {confidence:.0%} by question" + (
        "" if population is None else f" of {population}"
    )
    sums, counts = cluster_totals(values, clusters)
    assert sums.tolist() == pytest.approx([1.0, 3.0, 1.5, 0.1, 0.25])
    assert counts.tolist() == [1, 4, 3, 1, 2]
    assert squared_error(sums, counts, population) == pytest.approx(squared, abs=1e-9)


def test_one_question_has_no_error_but_as_the_whole_population() -> None:
    one = np.array([3.0]), np.array([4.0])
    assert math.isnan(squared_error(*one))
    assert math.isnan(squared_error(*one, 2))
    assert squared_error(*one, 1) == 0.0
    nothing = np.empty(0), np.empty(0)
    assert math.isnan(squared_error(*nothing)) and math.isnan(squared_error(*nothing, 0))
    empty = clustered_normal(np.empty(0), np.empty(0, dtype=np.int64))
    assert math.isnan(empty.low) and math.isnan(empty.high)
    two = np.array([0.0, 2.0]), np.array([1.0, 1.0])
    assert squared_error(*two) == pytest.approx(1.0)  # residuals -1 and 1, doubled, over two rows squared


def test_a_part_of_a_finite_population_by_hand() -> None:
    """Cochran's correction: the variance of the mean of 3 of 4 questions is a quarter of that of 3 out of any
    number."""
    values, clusters = np.array([0.0, 0.0, 0.0, 1.0, 1.0, 1.0]), np.array([1, 1, 2, 2, 3, 3])
    free, within = clustered_normal(values, clusters), clustered_normal(values, clusters, population=4)
    assert within.high - 0.5 == pytest.approx((free.high - 0.5) / 2)
    assert within.method == f"{free.method} of 4"
    whole = clustered_normal(values, clusters, population=3)
    assert (whole.low, whole.high) == (0.5, 0.5)
    assert wilson(1, 3, population=3) == Interval(1 / 3, 1 / 3, "wilson 95% of 3")
    assert wilson(6, 20, population=39) == replace(
        wilson(12, 40), method="wilson 95% of 39"
    )  # 20 * 38 / 19 = 40
    assert wilson(6, 20, population=10**9).high == pytest.approx(wilson(6, 20).high, abs=1e-6)


@pytest.mark.parametrize("asked", [20, 60, 90])
def test_wilson_of_a_finite_population_holds_its_share_about_that_often(asked: int) -> None:
    """Every number of right answers that a sample of a population of 100 can have, weighted by its chance."""
    for right in (10, 40, 75):
        chances = hypergeom(100, right, asked).pmf(np.arange(asked + 1))
        intervals = [wilson(found, asked, population=100) for found in range(asked + 1)]
        held = sum(
            chance
            for chance, one in zip(chances, intervals, strict=True)
            if one.low - 1e-9 <= right / 100 <= one.high + 1e-9
        )
        assert held > 0.91


def test_a_population_is_not_smaller_than_its_part() -> None:
    with pytest.raises(ValueError, match="a population of 2 cannot have given 3"):
        clustered_normal(np.arange(3.0), np.arange(3), population=2)
    with pytest.raises(ValueError, match="a population of 2 cannot have given 3"):
        wilson(1, 3, population=2)


@pytest.mark.parametrize("n", [10, 30, 100])
@pytest.mark.parametrize("p", [0.01, 0.05, 0.5, 0.95, 0.99])
def test_few_independent_answers_hold_the_truth(n: int, p: float) -> None:
    """Every number of right answers there can be, weighted by its chance: Wilson's own holds 90.4 % at n = 10
    and p = .01."""
    chances = binom(n, p).pmf(np.arange(n + 1))
    intervals = [wilson(found, n) for found in range(n + 1)]
    assert (
        sum(chance for chance, one in zip(chances, intervals, strict=True) if one.low <= p <= one.high) > 0.93
    )


@given(st.floats(0.01, EDGE), st.integers(10, 300), st.sampled_from([0.9, 0.95]))
def test_near_the_edge_the_bound_is_that_of_a_poisson_count(ones: float, n: int, confidence: float) -> None:
    found, turned = wilson(ones, n, confidence), wilson(n - ones, n, confidence)
    assert found.low == pytest.approx(gamma(ones).ppf(1 - confidence) / n)
    assert (turned.low, turned.high) == pytest.approx((1 - found.high, 1 - found.low))
    assert found.method == turned.method == f"modified wilson {confidence:.0%}"


def test_the_average_of_many_alike_means_is_known_as_well_as_all_their_answers() -> None:
    assert wilson_of_average(np.array([0.4, 0.6]), np.array([30.0, 30.0])) == wilson(30, 60)
    uneven = wilson_of_average(np.array([0.5, 0.5]), np.array([10.0, 90.0]))
    assert uneven == wilson(18, 36)  # 4 / (1/10 + 1/90)
    with pytest.raises(ValueError, match="at least one"):
        wilson_of_average(np.empty(0), np.empty(0))


@pytest.mark.parametrize("share", [0.5, 0.95])
def test_the_average_of_many_small_groups_has_an_interval_that_holds(share: float) -> None:
    rng = np.random.default_rng(7)
    worth = np.full(136, 3.0)
    found = [wilson_of_average(rng.binomial(3, share, 136) / 3, worth) for _ in range(2000)]
    assert np.mean([one.low <= share <= one.high for one in found]) >= 0.93


AVERAGES = {
    "one culture of a single question": [1] + [30] * 15,
    "sixteen small ones": [5] * 16,
    "nine small ones": [5] * 9,
    "five": [30] * 5,
    "two": [5, 30],
}


@pytest.mark.parametrize("sizes", AVERAGES.values(), ids=list(AVERAGES))
@pytest.mark.parametrize("share", [0.9, 0.95])
def test_the_average_of_unequal_groups_near_the_top_has_an_interval_that_holds(
    sizes: list[int], share: float
) -> None:
    """The limits put together hold 89 of 100 here, Wilson's of all answers 89 where one group has a single
    question."""
    rng, held, runs = np.random.default_rng(7), 0, 500
    for _ in range(runs):
        right = rng.binomial(sizes, share).tolist()
        means = [each / size for each, size in zip(right, sizes, strict=True)]
        found = interval_of_average(
            means, [wilson(each, size) for each, size in zip(right, sizes, strict=True)], sizes
        )
        held += found.low - 1e-12 <= share <= found.high + 1e-12
    assert held / runs >= 0.93


def test_an_average_is_as_wide_as_the_wider_of_two_intervals_on_each_side() -> None:
    parts, means, worth = [wilson(27, 30)] * 5, [0.9] * 5, [30.0] * 5
    alone, together = interval_of_average(means, parts), wilson_of_average(np.array(means), np.array(worth))
    found = interval_of_average(means, parts, worth)
    assert (found.low, found.high) == (min(alone.low, together.low), max(alone.high, together.high))
    assert (alone.low < together.low, alone.high < together.high) == (
        True,
        True,
    )  # each is the wider one on a side
    assert interval_of_average([0.9], parts[:1], [3.0]) == parts[0]


def test_the_average_of_means_has_the_interval_that_their_own_give() -> None:
    """Two proportions, by hand: the distances from 3/10 and 6/10 down to their lower limits, as two sides of
    a triangle."""
    first, second = wilson(30, 100), wilson(60, 100)
    found = interval_of_average([0.3, 0.6], [first, second])
    assert found.low == pytest.approx(0.45 - math.sqrt((0.3 - first.low) ** 2 + (0.6 - second.low) ** 2) / 2)
    assert found.high == pytest.approx(
        0.45 + math.sqrt((first.high - 0.3) ** 2 + (second.high - 0.6) ** 2) / 2
    )
    assert found.method == "wilson 95%"
    few = wilson(3, 100)
    assert (
        interval_of_average([0.03, 0.3], [few, first]).method == "wilson 95%"
    )  # the plainest, though only one has it
    assert interval_of_average([0.3], [first]) == first
    with pytest.raises(ValueError, match="shorter"):
        interval_of_average([0.3, 0.6, 0.5], [first, second])
    with pytest.raises(ValueError, match="at least one"):
        interval_of_average([], [])


def test_many_proportions_at_once_have_the_intervals_of_each_alone_to_the_last_bit() -> None:
    pairs = [(share * n, n) for n in (0.5, 4.0, 7.3, 40.0, 1234.5) for share in (0.0, 0.01, 0.31, 0.99, 1.0)]
    successes, n = map(np.array, zip(*pairs, strict=True))
    for confidence in (0.8, 0.95):
        each = [wilson(*pair, confidence) for pair in pairs]
        low, high, method = wilsons(successes, n, confidence)
        assert [*zip(low, high, method, strict=True)] == [(one.low, one.high, one.method) for one in each]
        assert {one.split()[0] for one in method} == {"modified", "wilson"}
    for impossible in (-0.5, 8.0):
        with pytest.raises(ValueError, match="between 0 and its n"):
            wilsons(np.array([1.0, impossible]), np.array([7.0, 7.0]))
