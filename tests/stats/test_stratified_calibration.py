"""Rates corrected culture by culture: against glide, against the definition written out, and how often
intervals hold the truth."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t as student

from folkways.stats.intervals import wilson
from folkways.stats.raters.judge_quality import noisy_but_valid, youden_difference, youden_index
from folkways.stats.raters.stratified_calibration import (
    PRIOR_LABELS,
    effective_wilson,
    ppi_difference,
    stratified_ppi,
)
from folkways.stats.sequences import at_any_time

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
NAN = math.nan

CASES = np.arange(60)
CULTURES = np.minimum(CASES % 5, 2)
VERDICTS = ((CASES * 7) % 11 < 3 + 2 * CULTURES).astype(float)
LABELS = np.where(CASES % 4 == 0, ((CASES * 5) % 13 < 6).astype(float), NAN)


@pytest.mark.parametrize(("tuning", "glide"), [(1.0, 0.3777777777777777), (0.0, 0.4666666666666667)])
def test_with_a_fixed_weight_the_rate_is_that_of_glide(tuning: float, glide: float) -> None:
    """StratifiedPPIMeanEstimator without power tuning, and StratifiedClassicalMeanEstimator, of glide-py 0.11
    on these cases."""
    assert stratified_ppi(VERDICTS, LABELS, CULTURES, CASES, tuning=tuning).corrected.rate == pytest.approx(
        glide
    )


def written_out(
    verdicts: Sequence[float], labels: Sequence[float], strata: Sequence[int], clusters: Sequence[int]
) -> tuple[float, float, float, list[float]]:
    """Rate, interval and weights, stratum by stratum and case by case; every stratum has two labels and
    unlabelled cases."""
    every, names = range(len(verdicts)), sorted(set(strata))
    seen = {
        name: [case for case in every if strata[case] == name and not math.isnan(labels[case])]
        for name in names
    }
    unseen = {
        name: [
            case
            for case in every
            if strata[case] == name and math.isnan(labels[case]) and not math.isnan(verdicts[case])
        ]
        for name in names
    }
    cases = {name: [case for case in every if strata[case] == name] for name in names}
    n = sum(map(len, seen.values()))

    def mean(values: Sequence[float]) -> float:
        return sum(values) / len(values)

    def about(name: int, values: Sequence[float]) -> dict[int, float]:
        middle = mean([values[case] for case in seen[name]])
        return {case: values[case] - middle for case in seen[name]}

    rate, moved, freely, weights, squares, scales = 0.0, dict.fromkeys(clusters, 0.0), [], [], [], []
    corrections = []
    labelled_variance = 0.0
    for name in names:
        others = [other for other in names if other != name] or [name]
        pairs = [
            (about(other, verdicts)[case], about(other, labels)[case])
            for other in others
            for case in seen[other]
        ]
        # A case of each kind: verdicts and labels of 0 and 1 are half from their middle, and do not vary
        # together.
        together, alone = sum(f * y for f, y in pairs), sum(f * f for f, _ in pairs) + 4 * 0.25
        part = len(unseen[name]) / (len(unseen[name]) + len(seen[name]))
        weight = min(1.0, max(0.0, together / alone * part))
        weights.append(weight)
        wrong = [labels[case] - weight * verdicts[case] for case in seen[name]]
        elsewhere = mean([verdicts[case] for case in unseen[name]])
        judged = len(seen[name]) + len(unseen[name])
        share, of_judged = judged / len(cases[name]), mean(wrong) + weight * elsewhere
        corrections.append(mean(wrong))
        rate += len(cases[name]) / len(verdicts) * share * of_judged
        scale = len(cases[name]) * share / len(verdicts)
        scales.append(scale**2 / len(seen[name]))
        squares.append(sum((value - mean(wrong)) ** 2 for value in wrong))
        for case in cases[name]:
            there = not math.isnan(verdicts[case])
            rest = of_judged * (there - share) / len(verdicts)
            if case in unseen[name]:
                rest += scale * weight * (verdicts[case] - elsewhere) / len(unseen[name])
            own = (
                scale * (wrong[seen[name].index(case)] - mean(wrong)) / len(seen[name])
                if case in seen[name]
                else 0.0
            )
            moved[clusters[case]] += own + rest
            freely.append(own + rest)
            labelled_variance += rest**2
    counts = [len(seen[name]) for name in names]
    weight, correction = (
        sum(c * v for c, v in zip(counts, values, strict=True)) / n for values in (weights, corrections)
    )
    imagined = sum((y - weight * f - correction) ** 2 for f in (0, 1) for y in (0, 1))
    pooled = mean([square / (count - 1) for square, count in zip(squares, counts, strict=True)])
    variance = labelled_variance + max(0.0, sum(v * v for v in moved.values()) - sum(v * v for v in freely))
    for square, count, scale in zip(squares, counts, scales, strict=True):
        variance += scale * ((square + PRIOR_LABELS * pooled) / (count - 1 + PRIOR_LABELS) + imagined / n)
    labelled_pairs = {(strata[case], clusters[case]) for name in names for case in seen[name]}
    freedom = max(
        1, min(len({cluster for _, cluster in labelled_pairs}) - 1, len(labelled_pairs) - len(names))
    )
    wider = student.ppf(0.975, freedom) / NormalDist().inv_cdf(0.975)
    middle = (rate * n + 1) / (n + 2)
    worth = middle * (1 - middle) / (variance * wider**2)
    interval = wilson(rate * worth, worth)
    return rate, interval.low, interval.high, weights


@pytest.mark.parametrize(("strata", "per", "blank"), [(4, 1, 0.0), (4, 3, 0.2), (1, 2, 0.1), (9, 5, 0.0)])
def test_equals_the_estimate_written_out(strata: int, per: int, blank: float) -> None:
    rng = np.random.default_rng(strata)
    places = np.repeat(np.arange(strata), 40)
    truth = (rng.random(places.size) < 0.3 + 0.05 * places).astype(float)
    verdicts = np.where(rng.random(places.size) < 0.85, truth, 1 - truth)
    verdicts[rng.random(places.size) < blank] = NAN
    labels = np.where((rng.random(places.size) < 0.3) & ~np.isnan(verdicts), truth, NAN)
    clusters = rng.permutation(places.size) // per
    found = stratified_ppi(verdicts, labels, places, clusters)
    rate, low, high, weights = written_out(
        verdicts.tolist(), labels.tolist(), places.tolist(), clusters.tolist()
    )
    assert (
        found.corrected.rate,
        found.corrected.interval.low,
        found.corrected.interval.high,
    ) == pytest.approx((rate, low, high))
    assert min(weights) - 1e-9 <= found.corrected.tuning <= max(weights) + 1e-9
    assert found.joined == ()
    assert found.influence.sum() == pytest.approx(0.0, abs=1e-12)


def test_strata_with_too_few_labels_are_joined_and_told() -> None:
    strata = np.repeat(np.arange(5), 10)
    labels = np.full(50, NAN)
    labels[[0, 1, 2, 10, 11, 12, 20]] = 1.0  # three, three, one, none, none
    found = stratified_ppi(np.ones(50), labels, strata, np.arange(50))
    assert found.joined == (2, 3, 4)
    assert found.corrected.labelled == 7
    alone = stratified_ppi(np.ones(50), labels, np.repeat([0, 1, 1, 1, 1], 10), np.arange(50))
    other = stratified_ppi(np.ones(50), labels, np.repeat([0, 1, 0, 0, 0], 10), np.arange(50))
    assert found.corrected.interval in (alone.corrected.interval, other.corrected.interval), (
        "with the next smallest"
    )


@given(
    st.lists(
        st.tuples(
            st.sampled_from([0.0, 1.0, NAN]),
            st.sampled_from([0.0, 0.5, 1.0, NAN]),
            st.integers(0, 4),
            st.integers(0, 6),
        ),
        min_size=2,
        max_size=40,
    )
)
def test_rates_are_rates(rows: list[tuple[float, float, int, int]]) -> None:
    verdicts, labels, strata, clusters = (np.array(column) for column in zip(*rows, strict=True))
    labels = np.where(np.isnan(verdicts), NAN, labels)
    found = stratified_ppi(verdicts, labels, strata, clusters)
    if not math.isnan(found.corrected.rate):
        assert 0 <= found.corrected.interval.low <= found.corrected.rate <= found.corrected.interval.high <= 1
        assert 0 <= found.corrected.tuning <= 1
        assert found.variance > 0
        difference, interval, p = ppi_difference(found, found)
        assert (difference, interval.low <= 0 <= interval.high, p) == (0.0, True, 1.0)
    for required in (0.0, 0.3, 1.0):
        assert sum(noisy_but_valid(verdicts, labels, strata, clusters, required)) in (2.0, pytest.approx(1.0))


def test_labels_that_cannot_be() -> None:
    with pytest.raises(ValueError, match="without a verdict"):
        stratified_ppi(np.array([NAN, 1.0]), np.array([1.0, NAN]), np.zeros(2, int), np.arange(2))
    with pytest.raises(ValueError, match="at least one"):
        at_any_time(0)
    none = stratified_ppi(np.ones(4), np.full(4, NAN), np.zeros(4, int), np.arange(4))
    assert math.isnan(none.corrected.rate)
    assert all(math.isnan(value) for value in (ppi_difference(none, none)[0], ppi_difference(none, none)[2]))


def world(
    rng: np.random.Generator, rate: float, kindness: float, *, cultures: int = 16, per: int = 60
) -> tuple[Floats, Floats, Integers]:
    """Truth, verdicts and cultures. A judge that calls 95 % of right replies right, and of wrong ones
    ``kindness``, in the last culture twice as many as in the first.
    """
    strata = np.repeat(np.arange(cultures), per)
    truth = rng.random(strata.size) < rate
    false_alarms = kindness * (2 / 3 + 2 / 3 * strata / max(1, cultures - 1))
    verdicts = np.where(truth, rng.random(strata.size) < 0.95, rng.random(strata.size) < false_alarms)
    return truth.astype(float), verdicts.astype(float), strata


def drawn(rng: np.random.Generator, truth: Floats, strata: Integers, numbers: Sequence[int]) -> Floats:
    labels = np.full(truth.size, NAN)
    for place, n in enumerate(numbers):
        chosen = rng.choice(np.flatnonzero(strata == place), n, replace=False)
        labels[chosen] = truth[chosen]
    return labels


@pytest.mark.parametrize(("rate", "numbers"), [(0.5, [5] * 16), (0.02, [15] * 16), (0.9, [2] * 8 + [12] * 8)])
def test_intervals_hold_the_truth_nineteen_times_in_twenty(rate: float, numbers: list[int]) -> None:
    """The last with many labels where the judge is kindest: unweighted, it would be corrected too far."""
    rng = np.random.default_rng(3)
    held = []
    for _ in range(200):
        truth, verdicts, strata = world(rng, rate, 0.2)
        found = stratified_ppi(
            verdicts, drawn(rng, truth, strata, numbers), strata, np.arange(truth.size)
        ).corrected
        held.append(found.interval.low <= rate <= found.interval.high)
    assert np.mean(held) >= 0.92


def test_a_judge_kinder_to_one_model_does_not_decide_which_is_better() -> None:
    """The second model is better by ten points; the judge lets through three times as many wrong replies of
    the first."""
    rng = np.random.default_rng(4)
    raw, held, found_better = [], [], []
    for _ in range(100):
        models = []
        for rate, kindness in ((0.5, 0.45), (0.6, 0.15)):
            truth, verdicts, strata = world(rng, rate, kindness)
            labels = drawn(rng, truth, strata, [12] * 16)
            models.append(stratified_ppi(verdicts, labels, strata, np.arange(truth.size)))
            raw.append(verdicts.mean())
        _, interval, p = ppi_difference(*models)
        held.append(interval.low <= -0.1 <= interval.high)
        found_better.append(p < 0.05 and interval.high < 0)
    assert np.mean(raw[::2]) > np.mean(raw[1::2])
    assert np.mean(held) >= 0.91
    assert np.mean(found_better) > 0.3


def test_labels_of_the_same_replies_make_differences_surer() -> None:
    rng = np.random.default_rng(5)
    truth, verdicts, strata = world(rng, 0.5, 0.2)
    labels = drawn(rng, truth, strata, [10] * 16)
    elsewhere = drawn(rng, truth, strata, [10] * 16)
    one = stratified_ppi(verdicts, labels, strata, np.arange(truth.size))
    same, other = (
        stratified_ppi(verdicts, each, strata, np.arange(truth.size)) for each in (labels, elsewhere)
    )
    widths = [
        (interval.high - interval.low)
        for _, interval, _ in (ppi_difference(one, same), ppi_difference(one, other))
    ]
    assert widths[0] < widths[1]


def test_youdens_j_by_hand() -> None:
    """Nine of ten right ones called right, four of twenty wrong ones: J = 0.9 - 0.2.

    Newcombe's interval of the difference of these proportions, with the limits of the modified Wilson (0.5958, 0.9949)
    and (0.0683, 0.4160).
    """
    labels = np.array([1.0] * 10 + [0.0] * 20)
    verdicts = np.array([1.0] * 9 + [0.0] + [1.0] * 4 + [0.0] * 16)
    found = youden_index(verdicts, labels, np.arange(30))
    assert found is not None
    assert found.index.difference == pytest.approx(0.7)
    assert found.index.low == pytest.approx(0.7 - math.hypot(0.9 - 0.5958, 0.4160 - 0.2), abs=2e-4)
    assert found.index.high == pytest.approx(0.7 + math.hypot(0.9949 - 0.9, 0.2 - 0.0683), abs=2e-4)
    together = youden_index(np.repeat(verdicts, 3), np.repeat(labels, 3), np.repeat(np.arange(30), 3))
    assert together is not None
    assert together.right == pytest.approx(found.right, rel=0.01), "three wordings of a question are one"
    useless = youden_index(np.array([1.0] * 5 + [0.0] * 5 + [1.0] * 10 + [0.0] * 10), labels, np.arange(30))
    assert useless is not None
    assert useless.index.difference == pytest.approx(0.0)
    difference = youden_difference(found, useless)
    assert difference.difference == pytest.approx(0.7)
    assert difference.low > 0
    assert youden_difference(useless, found).high == pytest.approx(-difference.low)
    assert youden_index(verdicts, np.ones(30), np.arange(30)) is None


def test_noisy_but_valid_by_hand() -> None:
    """A judge with sensitivity 0.9 and false alarms 0.2, of ten labels each, calls 550 of 1,000 right; is the
    rate above 0.4?

    0.4 would bring 0.4 x 0.9 + 0.6 x 0.2 = 0.48. The variance: 0.2475/999, and with half a case of either
    kind twice, 0.16 x (10/12)(2/12)/12 and 0.36 x (3/12)(9/12)/12. (0.55 - 0.48)/0.0880 = 0.796 of Student's
    with 18 degrees of freedom.
    """
    verdicts, labels = np.array([1.0] * 550 + [0.0] * 450), np.full(1000, NAN)
    labels[:9], labels[550], labels[9:11], labels[551:559] = 1.0, 1.0, 0.0, 0.0
    variance = 0.2475 / 999 + 0.16 * 10 / 12 * 2 / 12 / 12 + 0.36 * 3 / 12 * 9 / 12 / 12
    above, below = noisy_but_valid(verdicts, labels, np.zeros(1000, int), np.arange(1000), 0.4)
    assert above == pytest.approx(student.sf(0.07 / math.sqrt(variance), 18), abs=1e-6)
    assert above + below == pytest.approx(1.0)
    assert noisy_but_valid(1 - verdicts, labels, np.zeros(1000, int), np.arange(1000), 0.4) == (1.0, 1.0)
    assert noisy_but_valid(
        verdicts, np.where(labels == 0, NAN, labels), np.zeros(1000, int), np.arange(1000), 0.4
    ) == (1.0, 1.0)


def test_noisy_but_valid_errs_once_in_forty_at_most() -> None:
    rng = np.random.default_rng(6)
    found = []
    for _ in range(200):
        truth, verdicts, strata = world(rng, 0.5, 0.2)
        labels = drawn(rng, truth, strata, [6] * 16)
        found.append(noisy_but_valid(verdicts, labels, strata, np.arange(truth.size), 0.5))
    assert (
        np.mean(np.array(found) <= 0.025, axis=0).max() <= 0.05
    )  # 0.025 and two standard errors of 200 draws
    stricter = noisy_but_valid(verdicts, labels, strata, np.arange(truth.size), 0.2)
    assert stricter[0] < 0.025 < stricter[1]


def test_at_any_time_is_wider_than_once_and_about_as_wide_from_a_quarter_to_four_times() -> None:
    """At the number it is made for: t = -2 log .05 + log(1 - 2 log .05) = 7.937, and the root of 2 (t+1)/t
    log(20 sqrt(t+1)); at a quarter and four times of it t is a quarter and four times as large."""
    t = -2 * math.log(0.05) + math.log(1 - 2 * math.log(0.05))
    for n, times in ((25, t / 4), (100, t), (400, 4 * t)):
        expected = math.sqrt(2 * (times + 1) / times * math.log(20 * math.sqrt(times + 1)))
        assert at_any_time(n) == pytest.approx(expected, rel=1e-9)
    assert at_any_time(100) == pytest.approx(3.0345, abs=1e-3)
    assert all(3.0 < at_any_time(n) < 3.35 for n in (25, 50, 200, 400))
    assert at_any_time(100, 0.99) > at_any_time(100)
    rng = np.random.default_rng(7)
    sums = rng.standard_normal((1000, 800)).cumsum(axis=1)
    limits = np.array([at_any_time(n) * math.sqrt(n) for n in range(1, 801)])
    ever = (np.abs(sums) > limits)[:, 19:].any(axis=1).mean()
    once = (np.abs(sums) > 1.96 * np.sqrt(np.arange(1, 801)))[:, 19:].any(axis=1).mean()
    assert ever <= 0.06 < 0.2 < once


def test_the_interval_of_a_rate_beyond_its_ends_is_that_of_the_end() -> None:
    """A judge that is often wrong may be corrected to less than nothing, or to more than all."""
    of = {rate: effective_wilson(rate, 0.001, 20, 50, 0.95, "") for rate in (-0.2, 0.0, 1.0, 1.2)}
    assert of[-0.2] == of[0.0] and of[1.2] == of[1.0]
    assert 0.0 == of[0.0].low < of[0.0].high < of[1.0].low < of[1.0].high == 1.0
