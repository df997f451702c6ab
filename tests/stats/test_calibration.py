"""Corrected rates against hand computation, and how often their intervals hold the rate that the data were
made with."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm
from scipy.stats import t as student

from folkways.stats.raters.calibration import CorrectedRate, prediction_powered, rogan_gladen

Floats = npt.NDArray[np.float64]
NAN = math.nan

VERDICTS = np.array([1, 1, 0, 1, 1, 1, 0, 0], dtype=float)
LABELS = np.array([NAN, NAN, NAN, NAN, 1, 0, 0, 0])


def test_prediction_powered_inference_worked_out_by_hand() -> None:
    """Without labels the judge says 3/4; with them it is wrong by (0 - 1 + 0 + 0)/4.

    Squared influences: 3/256 + 9/256 in either half, times 8/7 for eight clusters. The four half cases have
    residuals 1/4, 5/4, -3/4, 1/4 from -1/4 and add (36/16)/2/16. The root of 0.1774554 is 0.4212545;
    Student's quartile with 3 degrees of freedom is 0.7648923.
    """
    found = prediction_powered(VERDICTS, LABELS, np.arange(8), tuning=1.0, confidence=0.5)
    assert found.rate == pytest.approx(0.5)
    assert found.interval.low == pytest.approx(0.5 - 0.3222143, abs=1e-6)
    assert found.interval.high == pytest.approx(0.5 + 0.3222143, abs=1e-6)
    assert found.labelled == 4


def by_definition(
    verdicts: list[float], labels: list[float], clusters: list[int], tuning: float | None, confidence: float
) -> tuple[float, float, float, float]:
    """Rate, ends and weight case by case: what each case moves the rate by, summed over its cluster, makes
    the variance."""
    cases = range(len(verdicts))
    seen = [case for case in cases if not math.isnan(labels[case])]
    unseen = [case for case in cases if math.isnan(labels[case]) and not math.isnan(verdicts[case])]
    imagined = [(0.0, 0.0), (0.0, 1.0), (1.0, 0.0), (1.0, 1.0)]
    weight = tuning or 0.0
    if tuning is None and unseen:
        rows = [(verdicts[case], labels[case], 1.0) for case in seen] + [(*pair, 0.5) for pair in imagined]
        size = sum(w for *_, w in rows)
        f, y = (sum(row[place] * row[2] for row in rows) / size for place in (0, 1))
        together, alone = (
            sum(w * (a - f) * (b - c) for a, b, w in ([*r] for r in part))
            for part, c in ((rows, y), ([(a, a, w) for a, _, w in rows], f))
        )
        weight = min(1.0, max(0.0, together / alone / (1 + len(seen) / len(unseen))))
    weight = weight if unseen else 0.0
    wrong = {case: labels[case] - weight * verdicts[case] for case in seen}
    correction = sum(wrong.values()) / len(seen)
    elsewhere = sum(verdicts[case] for case in unseen) / len(unseen) if unseen else 0.0
    of_judged, share = weight * elsewhere + correction, (len(seen) + len(unseen)) / len(verdicts)
    moved = dict.fromkeys(clusters, 0.0)
    for case in cases:
        own = (wrong[case] - correction) / len(seen) if case in seen else 0.0
        own += weight * (verdicts[case] - elsewhere) / len(unseen) if case in unseen else 0.0
        judged = 0.0 if math.isnan(verdicts[case]) else 1.0
        moved[clusters[case]] += share * own + of_judged * (judged - share) / len(verdicts)
    variance = sum(each**2 for each in moved.values()) * len(moved) / (len(moved) - 1)
    variance += share**2 * 0.5 * sum((y - weight * f - correction) ** 2 for f, y in imagined) / len(seen) ** 2
    half = student.ppf(0.5 + confidence / 2, len({clusters[case] for case in seen}) - 1) * math.sqrt(variance)
    rate = share * of_judged
    return min(1.0, max(0.0, rate)), max(0.0, rate - half), min(1.0, rate + half), weight


@pytest.mark.parametrize("confidence", [0.95, 0.3])
@pytest.mark.parametrize("tuning", [None, 0.0, 0.4, 1.0])
@pytest.mark.parametrize(
    ("cases", "labelled", "right", "per"),
    [
        (60, 0.5, 0.9, 3),
        (200, 0.1, 0.6, 1),
        (41, 0.3, 0.05, 4),  # the judge says the opposite
        (90, 0.6, 0.97, 2),
        (25, 1.0, 0.8, 2),  # all that could be judged has a label
        (14, 0.5, 0.9, 7),  # two questions
    ],
)
def test_equals_the_estimate_written_out(
    cases: int, labelled: float, right: float, per: int, tuning: float | None, confidence: float
) -> None:
    rng = np.random.default_rng(cases)
    truth = rng.choice([0.0, 0.5, 1.0], cases, p=[0.3, 0.1, 0.6])
    verdicts = np.where(rng.random(cases) < right, truth, 1 - truth) * rng.choice([1.0, 0.5], cases)
    verdicts[rng.random(cases) < 0.15] = NAN
    labels = np.where((rng.random(cases) < labelled) & ~np.isnan(verdicts), truth, NAN)
    clusters = rng.permutation(cases) // per * 5
    found = prediction_powered(verdicts, labels, clusters, tuning=tuning, confidence=confidence)
    expected = by_definition(verdicts.tolist(), labels.tolist(), clusters.tolist(), tuning, confidence)
    assert (found.rate, found.interval.low, found.interval.high, found.tuning) == pytest.approx(
        expected, abs=1e-9
    )
    assert found.labelled == (~np.isnan(labels)).sum()
    assert found.interval.method == f"prediction-powered {confidence:.0%} by question"
    if confidence == 0.95:
        assert prediction_powered(verdicts, labels, clusters, tuning=tuning) == found


@pytest.mark.parametrize("verdict", [1.0, 0.0])
def test_a_correction_beyond_what_a_rate_can_be_ends_there(verdict: float) -> None:
    """The judge is wrong throughout where people looked, and says the other thing elsewhere: twice over the
    end."""
    verdicts, labels = np.array([verdict] * 4 + [1 - verdict] * 8), np.array([1 - verdict] * 4 + [NAN] * 8)
    found = prediction_powered(verdicts, labels, np.arange(12), tuning=1.0)
    expected = by_definition(verdicts.tolist(), labels.tolist(), list(range(12)), 1.0, 0.95)
    assert (found.rate, found.interval.low, found.interval.high, found.tuning) == pytest.approx(
        expected, abs=1e-9
    )


def test_what_had_no_reply_counts_as_wrong() -> None:
    whole = prediction_powered(VERDICTS, LABELS, np.arange(8), tuning=1.0)
    half = prediction_powered(
        np.append(VERDICTS, [NAN] * 8), np.append(LABELS, [NAN] * 8), np.arange(16), tuning=1.0
    )
    assert half.rate == pytest.approx(whole.rate / 2)


def test_where_all_are_labelled_the_judge_has_no_say() -> None:
    labels = np.array([1, 0.5, 0, 0, 1, 1, 0.5, 0])
    found = prediction_powered(VERDICTS, labels, np.arange(8))
    assert found.rate == pytest.approx(0.5)
    assert found.tuning == 0.0


def test_a_judge_that_was_right_every_time_is_not_certain() -> None:
    """By the rule of three, 20 labels without an error leave room for about 14 % of errors."""
    verdicts = np.tile([1.0, 0.0], 5000)
    labels = np.full(10_000, NAN)
    labels[:20] = verdicts[:20]
    found = prediction_powered(verdicts, labels, np.arange(10_000))
    assert found.rate == pytest.approx(0.5, abs=0.02)
    assert 0.06 < found.interval.high - found.rate < 0.14


@pytest.mark.parametrize("labelled", [0, 1])
def test_labels_on_fewer_than_two_questions_correct_nothing(labelled: int) -> None:
    labels = np.full(8, NAN)
    labels[: 2 * labelled] = 1.0
    found = prediction_powered(VERDICTS, labels, np.arange(8) // 2)
    assert [math.isnan(each) for each in (found.rate, found.interval.low, found.interval.high)] == [True] * 3
    assert (found.labelled, found.interval.method) == (2 * labelled, "prediction-powered 95% by question")


def test_a_label_without_a_verdict_is_refused() -> None:
    with pytest.raises(ValueError, match="without a verdict"):
        prediction_powered(np.array([NAN, 1.0]), np.array([1.0, NAN]), np.arange(2))


@given(
    st.lists(
        st.tuples(st.sampled_from([0.0, 1.0, NAN]), st.sampled_from([0.0, 0.5, 1.0, NAN]), st.integers(0, 8)),
        min_size=2,
        max_size=40,
    )
)
def test_rates_are_rates(rows: list[tuple[float, float, int]]) -> None:
    verdicts, labels, clusters = (np.array(column) for column in zip(*rows, strict=True))
    found = prediction_powered(verdicts, np.where(np.isnan(verdicts), NAN, labels), clusters)
    if not math.isnan(found.rate):
        assert 0 <= found.interval.low <= found.rate <= found.interval.high <= 1
        assert 0 <= found.tuning <= 1


def test_rogan_and_gladen_worked_out_by_hand() -> None:
    """Sensitivity 9/10, specificity 18/20, half of 100 positive: (0.5 + 0.9 - 1) / (0.9 + 0.9 - 1).

    With Lang and Reiczigel's additions: 10/12, 19/22 and 0.5 of 103.84; Youden 0.69697, centre 0.521739,
    shift 0.026725, standard error 0.118163.
    """
    found = rogan_gladen(
        50, 100, true_positive=9, labelled_positive=10, true_negative=18, labelled_negative=20
    )
    assert found.rate == pytest.approx(0.5)
    assert found.interval.low == pytest.approx(0.316869, abs=2e-5)
    assert found.interval.high == pytest.approx(0.780059, abs=2e-5)


@pytest.mark.parametrize(("positive", "cases"), [(50, 100), (0, 30), (30, 30), (7, 19)])
@pytest.mark.parametrize(
    ("right", "of_right", "wrong", "of_wrong"),
    [(9, 10, 18, 20), (30, 31, 4, 7), (5, 9, 11, 12), (6, 6, 1, 3)],
)
@pytest.mark.parametrize("confidence", [0.95, 0.8])
def test_lang_and_reiczigels_interval_written_out(
    positive: int, cases: int, right: int, of_right: int, wrong: int, of_wrong: int, confidence: float
) -> None:
    options = {
        "true_positive": right,
        "labelled_positive": of_right,
        "true_negative": wrong,
        "labelled_negative": of_wrong,
    }
    found = rogan_gladen(positive, cases, **options, confidence=confidence)
    z = norm.ppf(0.5 + confidence / 2)
    p = (positive + z**2 / 2) / (cases + z**2)
    se, sp = (right + 1) / (of_right + 2), (wrong + 1) / (of_wrong + 2)
    centre = (p + sp - 1) / (se + sp - 1)
    by_se, by_sp = se * (1 - se) / (of_right + 2), sp * (1 - sp) / (of_wrong + 2)
    shift = 2 * z**2 * (centre * by_se - (1 - centre) * by_sp)
    width = (
        z
        / (se + sp - 1)
        * math.sqrt(p * (1 - p) / (cases + z**2) + centre**2 * by_se + (1 - centre) ** 2 * by_sp)
    )
    ends = [min(1.0, max(0.0, centre + shift + side)) for side in (-width, width)]
    rate = (positive / cases + wrong / of_wrong - 1) / (right / of_right + wrong / of_wrong - 1)
    assert (found.rate, found.interval.low, found.interval.high) == pytest.approx(
        (min(1.0, max(0.0, rate)), *ends), abs=1e-9
    )
    assert (found.labelled, found.interval.method) == (
        of_right + of_wrong,
        f"lang-reiczigel {confidence:.0%}",
    )
    assert math.isnan(found.tuning)
    if confidence == 0.95:
        assert rogan_gladen(positive, cases, **options).interval == found.interval


@pytest.mark.parametrize(
    ("true_positive", "positive", "true_negative", "negative"),
    [
        (5, 10, 5, 10),
        (0, 0, 5, 5),
        (5, 5, 0, 0),
        (2, 10, 3, 10),
        (1, 1, 1, 4),  # better than chance by a label, and with Lang and Reiczigel's additions by nothing
        (1, 1, 1, 10),
    ],
)
def test_a_judge_that_tells_nothing_corrects_nothing(
    true_positive: int, positive: int, true_negative: int, negative: int
) -> None:
    found = rogan_gladen(
        50,
        100,
        true_positive=true_positive,
        labelled_positive=positive,
        true_negative=true_negative,
        labelled_negative=negative,
    )
    assert math.isnan(found.rate)
    assert (found.interval.low, found.interval.high, found.labelled) == (0.0, 1.0, positive + negative)


def test_of_no_cases_nothing_is_corrected() -> None:
    found = rogan_gladen(0, 0, true_positive=9, labelled_positive=10, true_negative=9, labelled_negative=10)
    assert (math.isnan(found.rate), found.interval.low, found.interval.high, found.labelled) == (
        True,
        0.0,
        1.0,
        20,
    )


@dataclass(frozen=True)
class World:
    """Cases that people call right with probability ``rate``, a judge with its sensitivity and specificity,
    and how many labels.

    per: cases of one question, which share how easy the question is.
    """

    rate: float
    sensitivity: float
    specificity: float
    cases: int
    labels: int
    per: int = 1

    def draw(self, rng: np.random.Generator) -> tuple[Floats, Floats, npt.NDArray[np.int64]]:
        questions = self.cases // self.per
        clusters = np.repeat(np.arange(questions), self.per)
        easy = (
            rng.beta(self.rate, 1 - self.rate, questions)[clusters]
            if self.per > 1
            else np.full(self.cases, self.rate)
        )
        truth = rng.random(self.cases) < easy
        verdicts = np.where(
            truth, rng.random(self.cases) < self.sensitivity, rng.random(self.cases) >= self.specificity
        )
        seen = np.isin(clusters, rng.choice(questions, self.labels // self.per, replace=False))
        return verdicts.astype(float), np.where(seen, truth, NAN), clusters


def by_prediction(world: World, rng: np.random.Generator) -> CorrectedRate:
    return prediction_powered(*world.draw(rng))


def by_rogan_gladen(world: World, rng: np.random.Generator) -> CorrectedRate:
    verdicts, labels, _ = world.draw(rng)
    return rogan_gladen(
        int(verdicts.sum()),
        verdicts.size,
        true_positive=int(verdicts[labels == 1].sum()),
        labelled_positive=int((labels == 1).sum()),
        true_negative=int((1 - verdicts[labels == 0]).sum()),
        labelled_negative=int((labels == 0).sum()),
    )


GOOD = World(0.5, 0.9, 0.85, 1000, 100)
WORLDS = [
    GOOD,
    World(0.05, 0.9, 0.98, 1000, 50),
    World(0.9, 0.99, 0.9, 1000, 30),
    World(0.7, 0.6, 0.6, 500, 60),
    World(0.5, 0.9, 0.85, 100, 30),
    World(0.6, 1.0, 1.0, 1000, 30),
]
CLUSTERED = [World(0.5, 0.9, 0.85, 400, 200, 4), World(0.5, 0.95, 0.95, 600, 60, 2)]
REPEATS = 600
ALWAYS = (GOOD, World(0.6, 1.0, 1.0, 1000, 30), CLUSTERED[0])
"""One of each kind: a judge that errs, one that never does, and several cases of each question."""


@pytest.mark.parametrize(
    ("method", "world"),
    [
        *(
            pytest.param(by_prediction, world, marks=() if world in ALWAYS else pytest.mark.nightly)
            for world in WORLDS + CLUSTERED
        ),
        *((by_rogan_gladen, world) for world in WORLDS),
    ],
    ids=lambda value: value.__name__ if callable(value) else str(value),
)
def test_intervals_hold_the_truth_nineteen_times_in_twenty(
    method: Callable[[World, np.random.Generator], CorrectedRate], world: World
) -> None:
    """At least: with few labels, or a judge that is hardly ever wrong, they are wider than they need be."""
    rng = np.random.default_rng(11)
    found = [method(world, rng).interval for _ in range(REPEATS)]
    held = sum(interval.low <= world.rate <= interval.high for interval in found) / REPEATS
    assert held >= 0.93  # 0.95 less two standard errors of 600 draws


def test_the_judges_own_interval_does_not_hold_the_truth() -> None:
    """What is corrected is real: of a judge that calls a tenth of the wrong replies right, the uncorrected
    rate is off."""
    rng = np.random.default_rng(12)
    rates = [float(GOOD.draw(rng)[0].mean()) for _ in range(200)]
    assert abs(np.mean(rates) - GOOD.rate) > 0.02
    corrected = [by_prediction(GOOD, rng).rate for _ in range(200)]
    assert np.mean(corrected) == pytest.approx(GOOD.rate, abs=0.01)


def test_a_good_judge_spares_labels_and_a_bad_one_does_no_harm() -> None:
    rng = np.random.default_rng(13)
    for world, gain in ((World(0.5, 0.97, 0.97, 2000, 100), 0.7), (World(0.5, 0.5, 0.5, 2000, 100), 1.05)):
        widths = []
        for _ in range(100):
            data = world.draw(rng)
            powered, alone = (prediction_powered(*data, tuning=tuning).interval for tuning in (None, 0.0))
            widths.append((powered.high - powered.low) / (alone.high - alone.low))
        assert np.mean(widths) < gain


def test_cases_that_belong_together_widen_the_interval() -> None:
    verdicts, labels, clusters = World(0.5, 0.9, 0.85, 800, 200, 4).draw(np.random.default_rng(14))
    together = prediction_powered(verdicts, labels, clusters).interval
    apart = prediction_powered(verdicts, labels, np.arange(800)).interval
    assert together.high - together.low > apart.high - apart.low
