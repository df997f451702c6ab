"""Coefficients of agreement against NLTK, against published worked examples, and where they are not
defined."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from itertools import permutations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from nltk.metrics.agreement import AnnotationTask
from nltk.metrics.distance import masi_distance

from folkways.stats.raters import agreement
from folkways.stats.raters.kappa import category_kappa

LABELS = st.sampled_from("abc")
SETS = st.frozensets(st.sampled_from("abcd"), min_size=1)


def units_of(
    labels: st.SearchStrategy[Hashable], people: int
) -> st.SearchStrategy[list[dict[str, Hashable]]]:
    """Two to ten units that each of the people labelled."""
    rows = st.lists(labels, min_size=people, max_size=people)
    return st.lists(rows, min_size=2, max_size=10).map(
        lambda found: [{f"p{place}": label for place, label in enumerate(row)} for row in found]
    )


def task(units: list[dict[str, Hashable]], **options: object) -> AnnotationTask:
    data = [
        (person, str(number), label) for number, unit in enumerate(units) for person, label in unit.items()
    ]
    return AnnotationTask(data, **options)


def varied(units: list[dict[str, Hashable]]) -> bool:
    return len({label for unit in units for label in unit.values()}) > 1


@given(units_of(LABELS, 3))
def test_nominal_alpha_is_that_of_nltk(units: list[dict[str, Hashable]]) -> None:
    assume(varied(units))
    assert agreement.krippendorff(units).value == pytest.approx(task(units).alpha())


@given(units_of(SETS, 3))
def test_alpha_with_masi_is_that_of_nltk(units: list[dict[str, Hashable]]) -> None:
    """With our distance to the last digit; with NLTK's, which writes two thirds as 0.67, to about one percent
    of its scale."""
    assume(varied(units))
    assert agreement.krippendorff(units, agreement.masi).value == pytest.approx(
        task(units, distance=agreement.masi).alpha()
    )


@given(SETS, SETS)
def test_masi_is_that_of_nltk_but_for_its_rounding(one: frozenset[str], other: frozenset[str]) -> None:
    assert agreement.masi(one, other) == pytest.approx(masi_distance(one, other), abs=0.005)


def test_masi_by_hand() -> None:
    sets = [frozenset(letters) for letters in ("a", "abc", "bcd", "e", "")]
    found = [[agreement.masi(one, other) for other in sets] for one in sets]
    part, across = 1 - 2 / 3 / 3, 1 - 1 / 3 * 2 / 4
    rows = [
        [0, part, 1, 1, 1],
        [part, 0, across, 1, 1],
        [1, across, 0, 1, 1],
        [1, 1, 1, 0, 1],
        [1, 1, 1, 1, 0],
    ]
    assert found == [pytest.approx(row) for row in rows]


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
    """Ten units, fourteen raters, five categories: kappa is 0.210 (the worked example that is quoted for
    Fleiss 1971)."""
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
        {"p": "a", "q": "a", "r": "b", "s": "c"},  # 1 of 6 pairs; half are no majority
        {"p": "a", "q": "b", "r": "a"},  # 1 of 3 pairs, a majority
        {"p": "b", "r": "c"},  # no pair
        {"p": "a"},  # nobody to agree with
        {},
    ]
    assert agreement.percent_agreement(units) == agreement.Coefficient(
        pytest.approx((1 + 1 / 6 + 1 / 3 + 0) / 4), 4, 12
    )
    assert agreement.majority_share(units) == agreement.Coefficient(2 / 4, 4, 12)
    assert agreement.mean_largest_vote(units) == agreement.Coefficient((3 + 2 + 2 + 1 + 1) / 5, 5, 13)


def test_kappa_and_alpha_tell_of_how_much_they_are() -> None:
    """Labels of a unit that only one person gave count for neither; Cohen's interval is that of the
    categories."""
    units: list[dict[str, Hashable]] = [
        {"p": one, "q": other} for one, other in zip("aabbbcabca", "abbbacabcb", strict=True)
    ]
    alone: list[dict[str, Hashable]] = [*units, {"q": "c"}, {}, {"p": "a"}]
    expected = category_kappa("aabbbcabca", "abbbacabcb")
    interval = expected.kappa_interval
    coefficient = agreement.Coefficient(expected.kappa, 10, 20, "", interval.low, interval.high)
    assert agreement.cohen(alone) == agreement.cohen(units) == coefficient
    for function in (agreement.fleiss, agreement.krippendorff):
        found = function(alone)
        assert (found.units, found.judgements, found.reason, found.low, found.high) == (
            10,
            20,
            "",
            None,
            None,
        )
        assert found.value == function(units).value
    perfect = agreement.cohen([{"p": "a", "q": "a"}, {"p": "b", "q": "b"}, {"p": "a", "q": "a"}])
    assert (perfect.value, perfect.units, perfect.judgements, perfect.high) == (1.0, 3, 6, 1.0)
    assert perfect.low is not None and perfect.low < 0  # three items say little


@given(st.lists(st.lists(st.sampled_from("abc"), max_size=5), min_size=1, max_size=8))
def test_alpha_and_kappa_pair_by_pair(rows: list[list[str]]) -> None:
    """Disagreement within units, each pair of labels written out, over that of all labels that are shared."""
    units: list[dict[str, Hashable]] = [
        {f"p{place}": label for place, label in enumerate(row)} for row in rows
    ]
    shared = [row for row in rows if len(row) > 1]
    labels = [label for row in shared for label in row]
    assume(len(set(labels)) > 1)
    distances = {("a", "b"): 1.0, ("a", "c"): 0.25, ("b", "c"): 0.5}

    def apart(one: Hashable, other: Hashable) -> float:
        return 0.0 if one == other else distances[min(one, other), max(one, other)]  # type: ignore[type-var, index]

    for distance in (agreement.nominal, apart):
        within = sum(
            sum(distance(*pair) for pair in permutations(row, 2)) / (len(row) - 1) for row in shared
        ) / len(labels)
        overall = sum(distance(*pair) for pair in permutations(labels, 2)) / (len(labels) * (len(labels) - 1))
        found = agreement.krippendorff(units, distance)
        assert found == agreement.Coefficient(
            pytest.approx(1 - within / overall, abs=1e-9), len(shared), len(labels)
        )
    found = agreement.fleiss(units)
    sizes = {len(row) for row in shared}
    if len(sizes) == 1:
        observed = sum(row.count(label) * (row.count(label) - 1) for row in shared for label in set(row))
        observed /= sum(len(row) * (len(row) - 1) for row in shared)
        chance = sum((labels.count(label) / len(labels)) ** 2 for label in set(labels))
        assert found == agreement.Coefficient(
            pytest.approx((observed - chance) / (1 - chance), abs=1e-9), len(shared), len(labels)
        )
    else:
        assert (found.value, found.units, found.judgements) == (None, len(shared), len(labels))


@pytest.mark.parametrize("coefficient", [agreement.cohen, agreement.fleiss, agreement.krippendorff])
def test_without_variation_nothing_is_defined(coefficient: object) -> None:
    found = coefficient([{"p": "a", "q": "a"}] * 3)  # type: ignore[operator]
    assert found == agreement.Coefficient(None, 3, 6, agreement.ONE_LABEL)


@pytest.mark.parametrize(
    "coefficient",
    [
        agreement.percent_agreement,
        agreement.majority_share,
        agreement.cohen,
        agreement.fleiss,
        agreement.krippendorff,
    ],
)
def test_without_shared_units_nothing_is_defined(coefficient: object) -> None:
    found = coefficient([{"p": "a"}, {"q": "b"}])  # type: ignore[operator]
    assert found == agreement.Coefficient(None, 0, 0, agreement.TOO_FEW)


def test_reasons_name_what_is_the_matter() -> None:
    three, one = agreement.cohen([{"p": "a", "q": "a", "r": "b"}]), agreement.cohen([{"p": "a"}])
    assert ("3 gave labels" in three.reason, "1 gave labels" in one.reason) == (True, True)
    assert (three.value, three.units, three.judgements, one.value) == (None, 0, 0, None)
    nobody = agreement.mean_largest_vote([{}, {}])
    assert (nobody.value, nobody.units, nobody.judgements, "no unit" in nobody.reason) == (None, 0, 0, True)
    assert "2 to 3 labels" in agreement.fleiss([{"p": "a", "q": "a", "r": "b"}, {"p": "a", "q": "b"}]).reason


@given(units_of(LABELS, 4))
def test_bounds(units: list[dict[str, Hashable]]) -> None:
    share = agreement.percent_agreement(units).value
    assert share is not None
    assert 0 <= share <= 1
    for found in (agreement.fleiss(units), agreement.krippendorff(units)):
        assert found.value is None or found.value <= 1 + 1e-12
        assert share < 1 or found.value is None or found.value == pytest.approx(1)
