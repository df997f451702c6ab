"""Analyses of variance against scipy and sums done by hand."""

from __future__ import annotations

import itertools
import math

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats as reference

from folkways.errors import DataError
from folkways.stats.hypotheses.anova import Anova, one_way, tukey

BY_HAND = pl.DataFrame(
    {
        "block": ["a", "a", "a", "b", "b", "b", "c", "c", "c"],
        "group": ["x", "y", "z"] * 3,
        "value": [1.0, 2.0, 3.0, 2.0, 4.0, 6.0, 3.0, 6.0, 6.0],
    }
)
"""Group means 2, 4, 5; block means 2, 4, 5; grand mean 11/3. Sums of squares: groups 14, blocks 14, all 30,
so error 2."""


def random_rows(seed: int, blocks: int, groups: int) -> pl.DataFrame:
    """Values with large differences between blocks, and groups that differ less."""
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        [
            (f"b{b:02}", f"g{g}", 50 + level + 3 * g + rng.normal(0, 4))
            for b, level in enumerate(rng.normal(0, 20, blocks))
            for g in range(groups)
        ],
        schema=["block", "group", "value"],
        orient="row",
    )


def samples(rows: pl.DataFrame) -> list[np.ndarray]:
    return [
        part["value"].to_numpy() for part in rows.sort("group").partition_by("group", maintain_order=True)
    ]


def test_one_way_by_hand() -> None:
    found = one_way(BY_HAND, "value", "group")
    assert (found.df_groups, found.df_error, found.groups, found.rows) == (2, 6, 3, 9)
    assert found.f == pytest.approx((14 / 2) / (16 / 6))
    assert found.eta_squared == pytest.approx(14 / 30)


def test_two_groups_of_two_rows_and_one_are_enough_for_one_way() -> None:
    rows = pl.DataFrame({"group": ["y", "x", "x"], "value": [5, 1, 2]})
    found = one_way(rows, "value", "group")
    f = (1.5 - 8 / 3) ** 2 * 2 + (5 - 8 / 3) ** 2
    p = pytest.approx(reference.f.sf(f / 0.5, 1, 1))
    share = pytest.approx(f / (f + 0.5))
    assert found == Anova(pytest.approx(f / 0.5), 1, 1, p, share, pytest.approx(0.5), 2, 3)
    with_gaps = pl.DataFrame({"group": ["y", "x", None, "x", "z"], "value": [5, 1, 9, 2, None]})
    assert one_way(with_gaps, "value", "group") == found
    for few in (rows[:2], rows[1:]):
        with pytest.raises(DataError, match="2 rows in"):
            one_way(few, "value", "group")


def test_where_nothing_varies_nothing_is_told() -> None:
    rows = BY_HAND.with_columns(value=pl.lit(2.0))
    found = one_way(rows, "value", "group")
    assert [math.isnan(each) for each in (found.f, found.p, found.eta_squared)] == [True] * 3
    pairs = tukey(rows, "value", "group", found)
    assert (
        pairs.select("difference", "low", "high", "p", "differ").rows() == [(0.0, 0.0, 0.0, 1.0, False)] * 3
    )


@pytest.mark.parametrize("seed", range(5))
def test_one_way_equals_scipy(seed: int) -> None:
    rows = random_rows(seed, 7, 4).slice(seed)  # groups of unequal size
    found, expected = one_way(rows, "value", "group"), reference.f_oneway(*samples(rows))
    assert found.f == pytest.approx(expected.statistic)
    assert found.p == pytest.approx(expected.pvalue)


@pytest.mark.parametrize(("seed", "cut"), [(0, 0), (1, 3)])
def test_tukey_equals_scipy(seed: int, cut: int) -> None:
    rows = random_rows(seed, 6, 4).slice(cut)
    found = tukey(rows, "value", "group", one_way(rows, "value", "group"))
    expected = reference.tukey_hsd(*samples(rows))
    interval = expected.confidence_interval(0.95)
    names = sorted(rows["group"].unique())
    assert found.height == 6
    for first, second, difference, low, high, p, differ in found.iter_rows():
        i, j = names.index(first), names.index(second)
        assert difference == pytest.approx(expected.statistic[i, j])
        assert (low, high) == pytest.approx((interval.low[i, j], interval.high[i, j]))
        assert p == pytest.approx(expected.pvalue[i, j], abs=1e-9)
        assert differ == (p < 0.05)


def test_tukeys_pairs_written_out() -> None:
    """Of unequal groups by Kramer; a pair differs where its p is below what the confidence leaves."""
    rows = (
        random_rows(7, 9, 3).slice(2, 22).with_columns(value=pl.col("value") + 20 * (pl.col("group") == "g2"))
    )
    anova, parts = one_way(rows, "value", "group"), samples(rows)
    found = tukey(rows, "value", "group", anova, 0.8)
    widest = reference.studentized_range.ppf(0.8, 3, anova.df_error)
    expected = []
    for first, second in itertools.combinations(range(3), 2):
        one, other = parts[first], parts[second]
        error = math.sqrt(anova.error * (1 / one.size + 1 / other.size) / 2)
        difference = one.mean() - other.mean()
        p = reference.studentized_range.sf(abs(difference) / error, 3, anova.df_error)
        expected.append(
            (
                f"g{first}",
                f"g{second}",
                difference,
                difference - widest * error,
                difference + widest * error,
                p,
                p < 0.2,
            )
        )
    assert [row[:2] for row in found.rows()] == [row[:2] for row in expected]
    for row, own in zip(found.rows(), expected, strict=True):
        assert row[2:] == pytest.approx(own[2:], abs=1e-9)
    assert len(set(found["differ"])) == 2


def test_what_cannot_be_analysed_says_why() -> None:
    with pytest.raises(DataError, match="9 rows in 1 groups"):
        one_way(BY_HAND.with_columns(group=pl.lit("x")), "value", "group")
    with pytest.raises(DataError, match="lack the column topic"):
        one_way(BY_HAND, "value", "topic")


def test_groups_that_differ_without_any_error() -> None:
    rows = BY_HAND.with_columns(value=pl.col("group").replace_strict({"x": 1.0, "y": 2.0, "z": 2.0}))
    found = one_way(rows, "value", "group")
    assert (found.f, found.p, found.eta_squared) == (math.inf, 0.0, 1.0)
    pairs = tukey(rows, "value", "group", found)
    assert pairs["differ"].to_list() == [True, True, False]


@given(
    st.lists(st.lists(st.integers(0, 100), min_size=2, max_size=8), min_size=2, max_size=5),
    st.integers(-50, 50),
)
def test_all_values_may_be_shifted_and_rows_shuffled(groups: list[list[int]], shift: int) -> None:
    rows = pl.DataFrame(
        [(f"g{g}", float(each)) for g, part in enumerate(groups) for each in part],
        ["group", "value"],
        orient="row",
    )
    found = one_way(rows, "value", "group")
    assume(found.error > 1e-6)
    for other in (rows.with_columns(pl.col("value") + shift), rows.sample(fraction=1, shuffle=True, seed=1)):
        again = one_way(other, "value", "group")
        assert again.f == pytest.approx(found.f, rel=1e-6, abs=1e-9)
        assert again.p == pytest.approx(found.p, rel=1e-6, abs=1e-9)
    assert 0 <= found.eta_squared <= 1
