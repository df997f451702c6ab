"""Coefficients of agreement against NLTK, against published worked examples, and where they are not defined."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from nltk.metrics.agreement import AnnotationTask
from nltk.metrics.distance import masi_distance

from folkways.stats import agreement

LABELS = st.sampled_from("abc")
SETS = st.frozensets(st.sampled_from("abcd"), min_size=1)


def units_of(labels: st.SearchStrategy[Hashable], people: int) -> st.SearchStrategy[list[dict[str, Hashable]]]:
    """Two to ten units that each of the people labelled."""
    rows = st.lists(labels, min_size=people, max_size=people)
    return st.lists(rows, min_size=2, max_size=10).map(
        lambda found: [{f"p{place}": label for place, label in enumerate(row)} for row in found]
    )


def task(units: list[dict[str, Hashable]], **options: object) -> AnnotationTask:
    data = [(person, str(number), label) for number, unit in enumerate(units) for person, label in unit.items()]
    return AnnotationTask(data, **options)


def varied(units: list[dict[str, Hashable]]) -> bool:
    return len({label for unit in units for label in unit.values()}) > 1


@given(units_of(LABELS, 3))
def test_nominal_alpha_is_that_of_nltk(units: list[dict[str, Hashable]]) -> None:
    assume(varied(units))
    assert agreement.krippendorff(units).value == pytest.approx(task(units).alpha())


@given(units_of(SETS, 3))
def test_alpha_with_masi_is_that_of_nltk(units: list[dict[str, Hashable]]) -> None:
    """With our distance to the last digit; with NLTK's, which writes two thirds as 0.67, to about one percent of its scale."""
    assume(varied(units))
    assert agreement.krippendorff(units, agreement.masi).value == pytest.approx(task(units, distance=agreement.masi).alpha())


@given(SETS, SETS)
def test_masi_is_that_of_nltk_but_for_its_rounding(one: frozenset[str], other: frozenset[str]) -> None:
    assert agreement.masi(one, other) == pytest.approx(masi_distance(one, other), abs=0.005)


@given(units_of(LABELS, 2))
def test_cohen_is_that_of_nltk(units: list[dict[str, Hashable]]) -> None:
    found = agreement.cohen(units)
    assume(found.value is not None)
    assert found.value == pytest.approx(task(units).kappa_pairwise("p0", "p1"))


def test_alpha_of_krippendorffs_own_example() -> None:
    """Krippendorff (2011), nominal data of four observers with missing values: alpha is 0.743."""
    rows = {
        "A": "1 2 3 3 2 1 4 1 2 * * *",
        "B": "1 2 3 3 2 2 4 1 2 5 * 3",
        "C": "* 3 3 3 2 3 4 2 2 5 1 *",
        "D": "1 2 3 3 2 4 4 1 2 5 1 *",
    }
    table: list[dict[str, Hashable]] = [{} for _ in range(12)]
    for person, labels in rows.items():
        for unit, label in zip(table, labels.split(), strict=True):
            if label != "*":
                unit[person] = label
    found = agreement.krippendorff(table)
    assert found.value == pytest.approx(0.743, abs=0.0005)
    assert (found.units, found.judgements) == (11, 40)


def test_kappa_of_fleiss_worked_example() -> None:
    """Ten units, fourteen raters, five categories: kappa is 0.210 (the worked example that is quoted for Fleiss 1971)."""
    counts = [
        (0, 0, 0, 0, 14), (0, 2, 6, 4, 2), (0, 0, 3, 5, 6), (0, 3, 9, 2, 0), (2, 2, 8, 1, 1),
        (7, 7, 0, 0, 0), (3, 2, 6, 3, 0), (2, 5, 3, 2, 2), (6, 5, 2, 1, 0), (0, 2, 2, 3, 7),
    ]  # fmt: skip
    units: list[Mapping[str, Hashable]] = []
    for row in counts:
        labels = [category for category, count in enumerate(row) for _ in range(count)]
        units.append({str(place): label for place, label in enumerate(labels)})
    assert agreement.fleiss(units).value == pytest.approx(0.210, abs=0.0005)


def test_percent_majority_and_largest_vote_by_hand() -> None:
    units: list[dict[str, Hashable]] = [
        {"p": "a", "q": "a", "r": "a"},  # 3 of 3 pairs, a majority
        {"p": "a", "q": "a", "r": "b"},  # 1 of 3 pairs, a majority
        {"p": "a", "q": "b", "r": "c"},  # 0 of 3 pairs
        {"p": "a"},  # no pair
    ]
    assert agreement.percent_agreement(units).value == pytest.approx((1 + 1 / 3 + 0) / 3)
    assert agreement.majority_share(units).value == pytest.approx(2 / 3)
    assert agreement.mean_largest_vote(units).value == pytest.approx((3 + 2 + 1 + 1) / 4)


@pytest.mark.parametrize("coefficient", [agreement.cohen, agreement.fleiss, agreement.krippendorff])
def test_without_variation_nothing_is_defined(coefficient: object) -> None:
    found = coefficient([{"p": "a", "q": "a"}] * 3)  # type: ignore[operator]
    assert found.value is None
    assert found.reason == agreement.ONE_LABEL


@pytest.mark.parametrize(
    "coefficient",
    [agreement.percent_agreement, agreement.majority_share, agreement.fleiss, agreement.krippendorff],
)
def test_without_shared_units_nothing_is_defined(coefficient: object) -> None:
    found = coefficient([{"p": "a"}, {"q": "b"}])  # type: ignore[operator]
    assert (found.value, found.reason) == (None, agreement.TOO_FEW)


def test_reasons_name_what_is_the_matter() -> None:
    assert "3 gave labels" in agreement.cohen([{"p": "a", "q": "a", "r": "b"}]).reason
    assert "2 to 3 labels" in agreement.fleiss([{"p": "a", "q": "a", "r": "b"}, {"p": "a", "q": "b"}]).reason


@given(units_of(LABELS, 4))
def test_bounds(units: list[dict[str, Hashable]]) -> None:
    share = agreement.percent_agreement(units).value
    assert share is not None
    assert 0 <= share <= 1
    for found in (agreement.fleiss(units), agreement.krippendorff(units)):
        assert found.value is None or found.value <= 1 + 1e-12
        assert share < 1 or found.value is None or found.value == pytest.approx(1)
