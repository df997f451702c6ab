"""Agreement of grades, numbers, orders, groupings and marks, against outside implementations and published
figures."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.metrics.agreement import AnnotationTask
from nltk.metrics.distance import interval_distance
from scipy.stats import kendalltau
from sklearn.metrics import adjusted_rand_score

from folkways.stats.raters.agreement import Coefficient, krippendorff
from folkways.stats.raters.graded import (
    adjusted_rand,
    fitting,
    interval,
    kendall_tau,
    marks_in_common,
    ordinal,
)

RELIABILITY = """
1 2 3 3 2 1 4 1 2 . . .
1 2 3 3 2 2 4 1 2 5 . 3
. 3 3 3 2 3 4 2 2 5 1 .
1 2 3 3 2 4 4 1 2 5 1 .
"""
"""Four observers of twelve units: the example of Krippendorff's paper (2011, section C)."""

ROWS = [line.split() for line in RELIABILITY.strip().splitlines()]
UNITS = [
    {str(who): int(value) for who, value in enumerate(column) if value != "."}
    for column in zip(*ROWS, strict=True)
]


def test_alpha_of_grades_and_numbers_is_that_of_the_paper() -> None:
    nominal, graded, numbers = (
        krippendorff(UNITS),
        krippendorff(UNITS, ordinal(UNITS)),
        krippendorff(UNITS, interval),
    )
    assert [round(each.value or 0, 3) for each in (nominal, graded, numbers)] == [0.743, 0.815, 0.849]


def test_alpha_of_numbers_is_that_of_nltk() -> None:
    units = [{"a": 1.5, "b": 2.0}, {"a": 4.0, "b": 4.0}, {"a": 2.0, "b": 7.5}]
    triples = [(who, str(number), value) for number, unit in enumerate(units) for who, value in unit.items()]
    assert krippendorff(units, interval).value == pytest.approx(
        AnnotationTask(triples, interval_distance).alpha()
    )


@given(st.permutations(range(6)), st.permutations(range(6)))
def test_tau_is_that_of_scipy(one: list[int], other: list[int]) -> None:
    places = [[order.index(thing) for thing in range(6)] for order in (one, other)]
    assert kendall_tau(one, other) == pytest.approx(kendalltau(*places).statistic)


GROUPS = st.lists(st.integers(0, 3), min_size=6, max_size=6)


@given(GROUPS, GROUPS)
def test_the_adjusted_rand_index_is_that_of_scikit_learn(one: list[int], other: list[int]) -> None:
    sets = [
        {frozenset(at for at, group in enumerate(each) if group == wanted) for wanted in set(each)}
        for each in (one, other)
    ]
    assert adjusted_rand(*sets) == pytest.approx(adjusted_rand_score(one, other))


def test_marks_share_characters() -> None:
    assert marks_in_common({(0, 10)}, {(5, 10), (20, 25)}) == pytest.approx(2 * 5 / 20)
    assert (marks_in_common(set(), set()), marks_in_common({(0, 2)}, set())) == (1.0, 0.0)


@pytest.mark.parametrize(
    ("one", "other", "name", "value"),
    [
        ("a", "b", "nominal α", 0.0),
        (1, 2, "ordinal α", 0.0),
        (1.0, 2.5, "interval α", 0.0),
        (frozenset("a"), frozenset("ab"), "MASI α", 0.0),
        (("a", "b", "c"), ("b", "a", "c"), "Kendall τ", 1 / 3),
        (frozenset({(0, 4)}), frozenset({(2, 4)}), "F1", 2 / 3),
        (frozenset({frozenset("ab"), frozenset("c")}), frozenset({frozenset("abc")}), "adjusted Rand", 0.0),
    ],
)
def test_what_labels_are_says_which_coefficient_fits(
    one: object, other: object, name: str, value: float
) -> None:
    found, coefficient = fitting([{"p": one, "q": other}])
    assert (found, coefficient.value) == (name, pytest.approx(value))


def test_the_mean_of_pairs_counts_every_unit_with_two_labels_once() -> None:
    """Three people of whom two agree have pairs of 1, -1 and -1; the two of the second unit have 1/3."""
    forth, back = ("a", "b", "c"), ("c", "b", "a")
    units = [{"p": forth, "q": forth, "r": back}, {"p": forth, "q": ("b", "a", "c")}, {"r": back}, {}]
    assert fitting(units) == ("Kendall τ", Coefficient(pytest.approx((-1 / 3 + 1 / 3) / 2), 2, 5))
    assert fitting([{"p": forth}, {"q": back}]) == (
        "Kendall τ",
        Coefficient(None, 0, 0, "no unit was labelled by two people or more"),
    )


def test_short_orders_and_whole_groupings_say_the_same() -> None:
    assert (kendall_tau("a", "a"), kendall_tau("ab", "ba")) == (1, -1)
    assert kendall_tau("abc", "acb") == pytest.approx(1 / 3)
    together, apart = [frozenset("abc")], [frozenset("a"), frozenset("b"), frozenset("c")]
    assert (adjusted_rand(together, together), adjusted_rand(apart, apart)) == (1, 1)
    assert adjusted_rand(together, apart) == 0


def test_labels_of_several_kinds_and_empty_sets_have_the_alpha_of_texts_or_sets() -> None:
    labels: list[tuple[object, object, str]] = [
        (1, "a", "nominal α"),
        (1, 2.5, "interval α"),
        (("a", "b"), "a", "nominal α"),
        (frozenset(), frozenset("a"), "MASI α"),
        (frozenset(), frozenset({(0, 2)}), "F1"),
        (frozenset({frozenset("a")}), frozenset({"a"}), "MASI α"),
    ]
    for one, other, name in labels:
        assert fitting([{"p": one, "q": other}])[0] == name, (one, other)
    assert fitting([])[0] == "nominal α"


def test_labels_that_only_one_person_gave_do_not_part_the_grades() -> None:
    """Grades 1, 2 and 2, 4 in two units; a 3 between them, and a 2, that one person gave count for nothing."""
    units: list[dict[str, int]] = [{"p": 1, "q": 2}, {"p": 2, "q": 4}]
    expected = ordinal(units)(1, 4)
    assert ordinal([*units, {"p": 3}, {"p": 2}])(1, 4) == expected == (0.5 - 3.5) ** 2
