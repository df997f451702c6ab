"""Kappa over any number of categories, against NLTK, statsmodels, hand computation, and the kappa of two answers."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.metrics.agreement import AnnotationTask
from statsmodels.stats import inter_rater

from folkways.stats.intervals import wilson
from folkways.stats.raters.kappa import category_kappa, cohen_kappa

PAIRS = st.lists(st.tuples(st.sampled_from("abcde"), st.sampled_from("abcde")), min_size=1, max_size=60)


def test_a_table_worked_out_by_hand() -> None:
    """Six of eight agree; by chance (3 * 2 + 3 * 5 + 2 * 1) / 64 = 23/64 would: (48 - 23) / (64 - 23)."""
    agreement = category_kappa("aaabbbcc", "aabbbbcb")
    assert (agreement.cases, agreement.share) == (8, 0.75)
    assert agreement.kappa == pytest.approx(25 / 41)
    assert agreement.kappa_interval.low < 25 / 41 < agreement.kappa_interval.high


@given(PAIRS)
def test_it_is_the_kappa_of_nltk(pairs: list[tuple[str, str]]) -> None:
    first, second = zip(*pairs, strict=True)
    agreement = category_kappa(first, second)
    if len({*first, *second}) == 1:
        assert math.isnan(agreement.kappa)
        return
    triples = [
        (judge, case, label)
        for judge, labels in (("1", first), ("2", second))
        for case, label in enumerate(labels)
    ]
    assert agreement.kappa == pytest.approx(AnnotationTask(triples).kappa(), abs=1e-12)


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=60))
def test_with_two_categories_it_is_the_kappa_of_yes_and_no(pairs: list[tuple[bool, bool]]) -> None:
    first, second = (np.array([pair[place] for pair in pairs]) for place in (0, 1))
    agreement, binary = (
        category_kappa(list(first), list(second)),
        cohen_kappa(first, second, np.arange(len(pairs))),
    )
    assert (agreement.kappa, agreement.share) == pytest.approx((binary.kappa, binary.share), nan_ok=True)


def test_the_interval_is_of_the_confidence_asked_for() -> None:
    rng = np.random.default_rng(2)
    first, second = rng.integers(0, 4, 60).tolist(), rng.integers(0, 2, 60).tolist()
    agreement, narrower = category_kappa(first, second), category_kappa(first, second, confidence=0.8)
    assert agreement == category_kappa(first, second, confidence=0.95)
    assert (agreement.share_interval, narrower.share_interval) == (
        wilson(agreement.share * 60, 60),
        wilson(agreement.share * 60, 60, 0.8),
    )
    assert (
        agreement.kappa_interval.low
        < narrower.kappa_interval.low
        < narrower.kappa_interval.high
        < agreement.kappa_interval.high
    )
    assert narrower.kappa_interval.method == "wilson 80% by question"


@pytest.mark.parametrize("categories", [2, 3, 6])
def test_the_error_of_many_cases_is_that_of_statsmodels(categories: int) -> None:
    rng = np.random.default_rng(categories)
    first = rng.integers(0, categories, 4000)
    second = np.where(rng.random(4000) < 0.5, first, rng.integers(0, categories, 4000) ** 2 // categories)
    table = np.zeros((categories, categories))
    np.add.at(table, (first, second), 1)
    expected = inter_rater.cohens_kappa(table)
    interval = category_kappa(first.tolist(), second.tolist()).kappa_interval
    assert (interval.low, interval.high) == pytest.approx((expected.kappa_low, expected.kappa_upp), abs=0.001)


def test_the_interval_holds_the_truth_about_as_often_as_it_says() -> None:
    """Judges who agree on purpose in 60 % of the cases and by chance in the rest: kappa is 0.6."""
    rng = np.random.default_rng(11)
    held = 0
    for _ in range(200):
        first = rng.integers(0, 5, 150)
        second = np.where(rng.random(150) < 0.6, first, rng.integers(0, 5, 150))
        interval = category_kappa(first.tolist(), second.tolist()).kappa_interval
        held += interval.low <= 0.6 <= interval.high
    assert 178 <= held <= 200


@pytest.mark.filterwarnings("error")
def test_what_cannot_be_said() -> None:
    nothing = category_kappa([], [])
    assert (nothing.cases, math.isnan(nothing.share), math.isnan(nothing.kappa)) == (0, True, True)
    assert (math.isnan(nothing.kappa_interval.low), nothing.share_interval) == (True, wilson(0, 0))
    for cases in ("a", "aaa"):
        same = category_kappa(cases, cases)
        assert (same.share, math.isnan(same.kappa), math.isnan(same.kappa_interval.high)) == (1.0, True, True)
    two, alike = category_kappa("ab", "ab"), category_kappa("abab", "abab")
    assert (alike.kappa, alike.share) == (1.0, 1.0)
    assert (
        two.kappa_interval.low < alike.kappa_interval.low < 1
    )  # it does not vary, which does not make it certain
    assert alike.share_interval.low < 1.0
    with pytest.raises(ValueError, match="2 and 1 cases"):
        category_kappa("ab", "a")
