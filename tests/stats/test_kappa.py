"""Cohen's kappa against hand computation, and how often its interval holds the truth."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkways.stats.raters.kappa import BinaryAgreement, cohen_kappa


def of_table(both: int, first_only: int, second_only: int, neither: int) -> BinaryAgreement:
    """Kappa of a table of counts, every case a cluster of its own."""
    pairs = (
        [(True, True)] * both
        + [(True, False)] * first_only
        + [(False, True)] * second_only
        + [(False, False)] * neither
    )
    first, second = (np.array([pair[place] for pair in pairs], dtype=bool) for place in (0, 1))
    return cohen_kappa(first, second, np.arange(len(pairs)))


def test_a_table_worked_out_by_hand() -> None:
    """0.7 of the cases agree; by chance 0.5 * 0.6 + 0.5 * 0.4 = 0.5 would: (0.7 - 0.5) / (1 - 0.5)."""
    found = of_table(20, 5, 10, 15)
    assert (found.both, found.first_only, found.second_only, found.neither) == (20, 5, 10, 15)
    assert found.share == pytest.approx(0.7)
    assert found.kappa == pytest.approx(0.4)
    assert found.interval.low < 0.4 < found.interval.high


def test_the_interval_is_of_the_variance_over_whole_questions() -> None:
    """Against leaving out one question of unequal size after the other, of so many that the imagined ones hardly
    count."""
    rng = np.random.default_rng(3)
    clusters = np.repeat(np.arange(400), rng.integers(1, 4, 400))
    truth = (rng.random(400) < 0.6)[clusters]
    first, second = (
        truth ^ (rng.random(400) < 0.1)[clusters] ^ (rng.random(truth.size) < 0.1) for _ in range(2)
    )
    found = cohen_kappa(first, second, clusters)
    without = np.array(
        [
            cohen_kappa(*(side[clusters != one] for side in (first, second, clusters))).kappa
            for one in range(400)
        ]
    )
    error = math.sqrt(399 / 400 * ((without - without.mean()) ** 2).sum())
    ends = found.kappa - 1.96 * error, found.kappa + 1.96 * error
    assert (found.interval.low, found.interval.high) == pytest.approx(ends, abs=0.01)
    assert found.interval.method == "wilson 95% by question"
    narrower = cohen_kappa(first, second, clusters, confidence=0.5).interval
    assert found.interval.low < narrower.low < found.kappa < narrower.high < found.interval.high


def test_judges_who_never_agree() -> None:
    assert of_table(0, 10, 10, 0).kappa == pytest.approx(-1)


@pytest.mark.parametrize("table", [(10, 0, 0, 0), (0, 0, 0, 10)])
def test_one_answer_for_everything_is_undefined(table: tuple[int, int, int, int]) -> None:
    found = of_table(*table)
    assert found.share == 1
    assert math.isnan(found.kappa)
    assert math.isnan(found.interval.low)


def test_perfect_agreement_is_not_certain() -> None:
    few, many = of_table(5, 0, 0, 5), of_table(50, 0, 0, 50)
    assert few.kappa == many.kappa == few.interval.high == many.interval.high == 1
    assert 0 < few.interval.low < many.interval.low < 1
    never = of_table(0, 5, 5, 0).interval
    assert (never.low, never.high) == pytest.approx((-1, -few.interval.low))


@pytest.mark.filterwarnings("error")
def test_no_cases() -> None:
    found = of_table(0, 0, 0, 0)
    assert [
        math.isnan(each) for each in (found.kappa, found.share, found.interval.low, found.interval.high)
    ] == [True] * 4
    assert (found.both, found.first_only, found.second_only, found.neither) == (0, 0, 0, 0)


def test_one_question_has_no_interval() -> None:
    judges = np.array([True, False, True]), np.array([True, False, False])
    found = cohen_kappa(*judges, np.array([8, 8, 8]))
    assert (found.kappa, math.isnan(found.interval.low)) == (pytest.approx(0.4), True)


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=60))
def test_the_order_of_judges_and_the_names_of_answers_do_not_matter(pairs: list[tuple[bool, bool]]) -> None:
    first, second = (np.array([pair[place] for pair in pairs]) for place in (0, 1))
    clusters = np.arange(len(pairs))
    kappas = [
        cohen_kappa(*judges, clusters).kappa
        for judges in ((first, second), (second, first), (~first, ~second))
    ]
    assert kappas == pytest.approx([kappas[0]] * 3, nan_ok=True)
    assert math.isnan(kappas[0]) or -1 <= kappas[0] <= 1


def _cases(rng: np.random.Generator, questions: int, per: int) -> tuple[npt.NDArray[np.bool_], ...]:
    truth = np.repeat(rng.random(questions) < 0.5, per)
    return truth ^ np.repeat(rng.random(questions) < 0.15, per), truth


@pytest.mark.parametrize("per", [1, 3])
def test_the_interval_holds_the_truth_nineteen_times_in_twenty(per: int) -> None:
    """Half of the cases are right and the first judge errs on 15 % of the questions, on all cases of one
    alike: kappa is 0.7."""
    rng = np.random.default_rng(5)
    held = 0
    for _ in range(400):
        first, second = _cases(rng, 120, per)
        interval = cohen_kappa(first, second, np.repeat(np.arange(120), per)).interval
        held += interval.low <= 0.7 <= interval.high
    assert 0.92 <= held / 400 <= 0.98


def held_of(cases: int, right: float, errs: float, samples: int) -> float:
    """How often the interval holds kappa, of two judges who err each by themselves in so many cases."""
    both, neither = (share * (1 - errs) ** 2 + (1 - share) * errs**2 for share in (right, 1 - right))
    says_right = right * (1 - errs) + (1 - right) * errs
    by_chance = says_right**2 + (1 - says_right) ** 2
    kappa = (both + neither - by_chance) / (1 - by_chance)
    rng, held, seen = np.random.default_rng(8), 0, 0
    for _ in range(samples):
        truth = rng.random(cases) < right
        interval = cohen_kappa(
            *(truth ^ (rng.random(cases) < errs) for _ in range(2)), np.arange(cases)
        ).interval
        seen += not math.isnan(interval.low)
        held += interval.low <= kappa <= interval.high
    return held / seen


FEW = [(10, 0.9, 0.1), (20, 0.5, 0.1), (20, 0.97, 0.02), (30, 0.9, 0.05)]


@pytest.mark.parametrize(("cases", "right", "errs"), FEW)
def test_the_interval_of_few_cases_that_are_mostly_alike_holds_the_truth(
    cases: int, right: float, errs: float
) -> None:
    """A percentile bootstrap holds it in 78 to 94 of 100 samples, and has none in up to 64."""
    assert held_of(cases, right, errs, 300) >= 0.92


@pytest.mark.nightly
@pytest.mark.parametrize("cases", [10, 20, 50, 200])
@pytest.mark.parametrize(("right", "errs"), [(0.5, 0.02), (0.5, 0.3), (0.8, 0.2), (0.9, 0.05), (0.97, 0.02)])
def test_the_interval_holds_the_truth_whatever_the_judges(cases: int, right: float, errs: float) -> None:
    assert held_of(cases, right, errs, 1000) >= 0.92
