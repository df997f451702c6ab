"""Differences of two samples and of the halves of one: by other implementations, by simulation, by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from folkways.evidence.samples import FEWEST_PER_HALF, Rows, compare_samples, course_of, mean_of_units
from folkways.stats.differences import difference_of_shares, paired_mean
from folkways.stats.intervals import wilson

SHARES = st.lists(st.floats(0, 1), min_size=1, max_size=4)
SAMPLES = st.dictionaries(st.integers(0, 12), SHARES, min_size=1, max_size=12)


@given(SAMPLES, SAMPLES)
def test_the_difference_turns_round_and_lies_in_its_interval(first: Rows, second: Rows) -> None:
    one, other = compare_samples(first, second), compare_samples(second, first)
    assert one.difference == pytest.approx(-other.difference)
    assert (one.low, one.high) == pytest.approx((-other.high, -other.low))
    assert one.low - 1e-9 <= one.difference <= one.high + 1e-9
    assert one.units == (len(first), len(second)) == other.units[::-1]
    assert one.low >= -1 - 1e-9 and one.high <= 1 + 1e-9
    shared = len(first.keys() & second.keys())
    assert one.paired == (shared if shared >= max(6, min(len(first), len(second)) / 2) else 0)


def test_units_of_both_samples_are_paired_by_their_means_and_the_others_left_out() -> None:
    first = {unit: [unit / 10, unit / 10 + 0.1] for unit in range(8)}
    second = {unit: [unit / 10] for unit in range(6)} | {f"other {number}": [1.0] for number in range(6)}
    difference = compare_samples(first, second)
    assert (difference.paired, difference.units) == (6, (8, 12))
    assert (difference.first, difference.second) == pytest.approx((0.3, 0.25))
    pairs = paired_mean(
        [unit / 10 + 0.05 for unit in range(6)], [unit / 10 for unit in range(6)], largest=1.0
    )
    assert (difference.low, difference.high) == pytest.approx((pairs.low, pairs.high))
    assert pairs.high - pairs.low < 0.5, "far narrower than of strangers"
    more = compare_samples(first, {unit: [0.5] for unit in range(2, 60)})
    assert more.paired == 6, "most of the smaller sample"
    five = compare_samples({unit: [0.5] for unit in range(5)}, {unit: [0.5] for unit in range(5)})
    assert five.paired == 0, "five pairs are too few"
    few = compare_samples({unit: [0.5] for unit in range(20)}, {unit: [0.5] for unit in range(14, 40)})
    assert few.paired == 0, "six of twenty are no half"


def test_strangers_are_compared_by_the_intervals_of_both_means() -> None:
    first, second = {n: [float(n < 3)] for n in range(20)}, {-n: [float(n < 31)] for n in range(1, 41)}
    difference = compare_samples(first, second)
    newcombe = difference_of_shares(
        np.array([3 / 20]), np.array([20.0]), np.array([30 / 40]), np.array([40.0])
    )
    assert (difference.first, difference.second) == (3 / 20, 30 / 40)
    assert (difference.low, difference.high) == pytest.approx((newcombe.low, newcombe.high), abs=0.02)
    interval = mean_of_units(second).interval()
    assert (interval.low, interval.high) == pytest.approx((wilson(30, 40).low, wilson(30, 40).high))
    alike = {n: [float(n < 3)] * 10 for n in range(20)}
    wide = compare_samples(alike, {-n: [float(n < 31)] * 10 for n in range(1, 41)})
    assert (wide.low, wide.high) == pytest.approx((difference.low, difference.high), abs=0.01), (
        "ten alike of a unit tell no more than one"
    )


def test_bounds_scale_with_the_values() -> None:
    rng = np.random.default_rng(3)
    rows = [{n + shift: list(rng.random(3)) for n in range(12)} for shift in (0, 100)]
    minutes = [{unit: [60 * value for value in values] for unit, values in sample.items()} for sample in rows]
    shares, times = compare_samples(*rows), compare_samples(*minutes, bounds=(0.0, 60.0))
    assert (times.difference, times.low, times.high) == pytest.approx(
        (60 * shares.difference, 60 * shares.low, 60 * shares.high)
    )
    strict = compare_samples(*rows, confidence=0.99)
    assert strict.low < shares.low and strict.high > shares.high
    pairs = [{unit % 100: values for unit, values in sample.items()} for sample in rows]
    assert compare_samples(*pairs).paired == 12
    assert compare_samples(*pairs, confidence=0.99).high > compare_samples(*pairs).high


def test_without_bounds_the_interval_is_students_and_shared_units_count_once() -> None:
    rng = np.random.default_rng(5)
    level = rng.normal(10, 3, 40)
    first = {n: [float(level[n] + rng.normal(0, 0.1))] for n in range(40)}
    second = {n: [float(level[n] + rng.normal(0, 0.1))] for n in range(40)}
    paired = compare_samples(first, second, None)
    differences = [first[n][0] - second[n][0] for n in range(40)]
    low, high = stats.ttest_1samp(differences, 0).confidence_interval()
    assert (paired.low, paired.high) == pytest.approx((low, high), abs=0.01)
    apart = compare_samples(first, {-1 - n: values for n, values in second.items()}, None)
    welch = stats.ttest_ind(*([v[0] for v in each.values()] for each in (first, second)), equal_var=False)
    low, high = welch.confidence_interval()
    assert (apart.low, apart.high) == pytest.approx((low, high), rel=0.03)
    assert paired.difference == pytest.approx(apart.difference)
    few = compare_samples({1: [2.0]}, {2: [3.0]}, None)
    assert few.difference == -1 and math.isnan(few.low) and few.method.startswith("none")


@pytest.mark.parametrize(("first", "second"), [({}, {1: [1.0]}), ({1: [1.0]}, {})])
def test_an_empty_sample_has_no_difference(first: Rows, second: Rows) -> None:
    with pytest.raises(ValueError, match="either side"):
        compare_samples(first, second)


def test_the_course_is_of_the_halves_of_every_stratum() -> None:
    half = FEWEST_PER_HALF
    assert course_of([[1.0] * (2 * half - 1)]) is None and course_of([]) is None
    falls = course_of([[1.0] * 60 + [0.2] * 61])
    assert falls is not None
    assert (falls.earlier, falls.later, falls.change, falls.n) == (
        1.0,
        pytest.approx(0.2),
        pytest.approx(-0.8),
        121,
    )
    assert -1 <= falls.low < -0.8 < falls.high < -0.4
    # A group that agrees less and came late is no change; one that is too small is left out.
    late = course_of([[0.9] * 100, [0.3] * 100, [0.0] * 19])
    assert late is not None and late.change == pytest.approx(0) and late.n == 200
    assert late.low < 0 < late.high and late.earlier == pytest.approx(0.6)
    risen = course_of([[0.2] * 60 + [1.0] * 60])
    assert risen is not None and (risen.low, risen.high) == pytest.approx((-falls.high, -falls.low), abs=0.01)


@pytest.mark.parametrize(("runs", "most"), [(20, 2), pytest.param(60, 5, marks=pytest.mark.nightly)])
def test_whoever_looks_again_and_again_is_rarely_told_of_a_fall_that_is_none(runs: int, most: int) -> None:
    rng = np.random.default_rng(11)
    alarms = 0
    for _ in range(runs):
        values = (rng.random(400) < 0.7).astype(float).tolist()
        courses = [course_of([values[:n]]) for n in range(20, 401, 20)]
        alarms += any(course is not None and course.high < 0 for course in courses)
    assert alarms <= most  # 95 % intervals would raise one in about every fourth
    fallen = course_of([[*(rng.random(150) < 0.85), *(rng.random(150) < 0.6)]])
    assert fallen is not None and fallen.high < 0
