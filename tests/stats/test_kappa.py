"""Cohen's kappa against hand computation, and how often its interval holds the truth."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from folkways.stats.raters.kappa import BinaryAgreement, cohen_kappa


def of_table(both: int, first_only: int, second_only: int, neither: int, **options: float) -> BinaryAgreement:
    """Kappa of a table of counts, every case a cluster of its own."""
    pairs = (
        [(True, True)] * both
        + [(True, False)] * first_only
        + [(False, True)] * second_only
        + [(False, False)] * neither
    )
    first, second = (np.array([pair[place] for pair in pairs], dtype=bool) for place in (0, 1))
    return cohen_kappa(first, second, np.arange(len(pairs)), **options)  # type: ignore[arg-type]


def test_a_table_worked_out_by_hand() -> None:
    """0.7 of the cases agree; by chance 0.5 * 0.6 + 0.5 * 0.4 = 0.5 would: (0.7 - 0.5) / (1 - 0.5)."""
    found = of_table(20, 5, 10, 15)
    assert (found.both, found.first_only, found.second_only, found.neither) == (20, 5, 10, 15)
    assert found.share == pytest.approx(0.7)
    assert found.kappa == pytest.approx(0.4)
    assert found.interval.low < 0.4 < found.interval.high


def test_whole_questions_are_drawn() -> None:
    """As with cases of their own that are drawn as often: a question of two rows counts twice in every
    resample.

    Of five questions three have two rows alike and one of each answer, two a row on which the judges differ.
    """
    first = np.array([True, False, True, True, False, True, False, True])
    second = np.array([True, False, False, True, False, True, False, False])
    clusters = np.array([30, 30, 4, 7, 7, 2, 2, 5])
    chances: Counter[float] = Counter()
    for alike in range(1, 6):  # of none, kappa is not defined
        by_chance = ((alike + 5 - alike) * alike + alike * (alike + 5 - alike)) / (alike + 5) ** 2
        kappa = (2 * alike / (alike + 5) - by_chance) / (1 - by_chance)
        chances[kappa] += binom.pmf(alike, 5, 3 / 5)
    chances[0.0] += binom.pmf(0, 5, 3 / 5)  # all yes and all no: as chance would have it
    found = cohen_kappa(first, second, clusters, confidence=0.8, resamples=20_000, seed=4)
    assert (found.both, found.first_only, found.second_only, found.neither) == (3, 2, 0, 3)
    for tail, bound in ((0.1, found.interval.low), (0.9, found.interval.high)):
        at_most = [
            kappa
            for kappa in sorted(chances)
            if sum(chances[each] for each in chances if each <= kappa) >= tail
        ]
        assert bound == pytest.approx(at_most[0])
    assert found.interval.method == "bootstrap 80% by question"


def test_without_more_said_it_is_of_95_percent_of_a_thousand_resamples() -> None:
    rng = np.random.default_rng(6)
    first, second, clusters = rng.random(90) < 0.4, rng.random(90) < 0.5, rng.integers(0, 40, 90)
    found = cohen_kappa(first, second, clusters)
    assert found == cohen_kappa(first, second, clusters, confidence=0.95, resamples=1000, seed=0)
    assert found.interval != cohen_kappa(first, second, clusters, seed=1).interval


def test_judges_who_never_agree() -> None:
    assert of_table(0, 10, 10, 0).kappa == pytest.approx(-1)


@pytest.mark.parametrize("table", [(10, 0, 0, 0), (0, 0, 0, 10)])
def test_one_answer_for_everything_is_undefined(table: tuple[int, int, int, int]) -> None:
    found = of_table(*table)
    assert found.share == 1
    assert math.isnan(found.kappa)
    assert math.isnan(found.interval.low)


def test_perfect_agreement_is_not_certain() -> None:
    found = of_table(10, 0, 0, 10)
    assert found.kappa == 1
    assert math.isnan(found.interval.low)
    assert math.isnan(found.interval.high)


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
        cohen_kappa(*judges, clusters, resamples=10).kappa
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
        interval = cohen_kappa(first, second, np.repeat(np.arange(120), per), resamples=400).interval
        held += interval.low <= 0.7 <= interval.high
    assert 0.92 <= held / 400 <= 0.98
