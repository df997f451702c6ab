"""Analyses of variance against scipy, least squares, the paired t test, and sums done by hand."""

from __future__ import annotations

import itertools
import math

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats as reference
from scipy.linalg import helmert

from folkways.errors import DataError
from folkways.stats.hypotheses.anova import Anova, block_table, blocked, one_way, tukey

BY_HAND = pl.DataFrame(
    {
        "block": ["a", "a", "a", "b", "b", "b", "c", "c", "c"],
        "group": ["x", "y", "z"] * 3,
        "value": [1.0, 2.0, 3.0, 2.0, 4.0, 6.0, 3.0, 6.0, 6.0],
    }
)
"""Group means 2, 4, 5; block means 2, 4, 5; grand mean 11/3. Sums of squares: groups 14, blocks 14, all 30, so error 2."""


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
    return [part["value"].to_numpy() for part in rows.sort("group").partition_by("group", maintain_order=True)]


def error_by_least_squares(rows: pl.DataFrame, factors: list[str]) -> float:
    """What a linear model with these factors leaves unexplained."""
    design = rows.select(factors).to_dummies(drop_first=True).to_numpy() if factors else np.empty((rows.height, 0))
    design = np.column_stack([np.ones(rows.height), design])
    values = rows["value"].to_numpy()
    fitted = design @ np.linalg.lstsq(design, values, rcond=None)[0]
    return float(((values - fitted) ** 2).sum())


def test_blocked_by_hand() -> None:
    found = blocked(BY_HAND, "value", "group", ("block",))
    assert (found.df_groups, found.df_error, found.rows, found.blocks, found.groups) == (2, 4, 9, 3, 3)
    assert found.f == pytest.approx((14 / 2) / (2 / 4))
    assert found.eta_squared == pytest.approx(14 / 16)
    assert found.error == pytest.approx(0.5)
    assert found.p == pytest.approx(reference.f.sf(14, 2, 4))


def test_one_way_by_hand() -> None:
    found = one_way(BY_HAND, "value", "group")
    assert (found.df_groups, found.df_error, found.blocks, found.epsilon) == (2, 6, 0, None)
    assert found.f == pytest.approx((14 / 2) / (16 / 6))
    assert found.eta_squared == pytest.approx(14 / 30)


def unlike(seed: int, blocks: int, groups: int) -> np.ndarray:
    """Blocks by groups, with groups of which some vary more and together."""
    rng = np.random.default_rng(seed)
    mixed = rng.normal(size=(groups, groups)) * np.arange(1, groups + 1)
    return rng.normal(size=(blocks, groups)) @ mixed + rng.normal(0, 3, (blocks, 1)) + np.arange(groups)


def frame(table: np.ndarray) -> pl.DataFrame:
    rows = [(f"b{b:02}", f"g{g}", float(value)) for b, row in enumerate(table) for g, value in enumerate(row)]
    return pl.DataFrame(rows, schema=["block", "group", "value"], orient="row")


@pytest.mark.parametrize(("seed", "blocks", "groups"), [(1, 9, 4), (2, 2, 3), (3, 30, 5), (4, 5, 2), (5, 3, 7)])
def test_blocked_written_out(seed: int, blocks: int, groups: int) -> None:
    """Every residual of group and block; and Greenhouse and Geisser's epsilon by the variances of contrasts."""
    table = unlike(seed, blocks, groups) * 10.0 ** (1 - seed)  # in whatever unit
    gap = frame(table).vstack(frame(table[:1] * 2).with_columns(block=pl.lit("gap")).slice(1))
    found = blocked(gap, "value", "group", ("block",))
    mean = table.mean()
    levels, groups_of = table.mean(axis=1) - mean, table.mean(axis=0) - mean
    between = sum(blocks * own**2 for own in groups_of)
    error = sum((table[b, g] - mean - levels[b] - groups_of[g]) ** 2 for b in range(blocks) for g in range(groups))
    df, df_error = groups - 1, (groups - 1) * (blocks - 1)
    f = between / df / (error / df_error)
    eigenvalues = np.linalg.eigvalsh(helmert(groups) @ np.atleast_2d(np.cov(table.T)) @ helmert(groups).T)
    epsilon = eigenvalues.sum() ** 2 / (df * (eigenvalues**2).sum())
    expected = Anova(
        "blocked",
        pytest.approx(f),
        df,
        df_error,
        pytest.approx(reference.f.sf(f, df, df_error)),
        pytest.approx(between / (between + error)),
        pytest.approx(error / df_error),
        groups,
        blocks * groups,
        blocks,
        groups - 1,
        pytest.approx(epsilon),
        pytest.approx(reference.f.sf(f, df * epsilon, df_error * epsilon)),
    )
    assert found == expected


def test_two_groups_of_two_rows_and_one_are_enough_for_one_way() -> None:
    rows = pl.DataFrame({"group": ["y", "x", "x"], "value": [5, 1, 2]})
    found = one_way(rows, "value", "group")
    f = (1.5 - 8 / 3) ** 2 * 2 + (5 - 8 / 3) ** 2
    p = pytest.approx(reference.f.sf(f / 0.5, 1, 1))
    share = pytest.approx(f / (f + 0.5))
    assert found == Anova("one-way", pytest.approx(f / 0.5), 1, 1, p, share, pytest.approx(0.5), 2, 3)
    with_gaps = pl.DataFrame({"group": ["y", "x", None, "x", "z"], "value": [5, 1, 9, 2, None]})
    assert one_way(with_gaps, "value", "group") == found
    for few in (rows[:2], rows[1:]):
        with pytest.raises(DataError, match="2 rows in"):
            one_way(few, "value", "group")


def test_where_nothing_varies_nothing_is_told() -> None:
    rows = BY_HAND.with_columns(value=pl.lit(0.1))
    for found in (one_way(rows, "value", "group"), blocked(rows.with_columns(value=pl.lit(2.0)), "value", "group", ("block",))):
        assert found.epsilon in (None, 1.0)
    found = blocked(rows.with_columns(value=pl.lit(2.0)), "value", "group", ("block",))
    assert [math.isnan(each) for each in (found.f, found.p, found.eta_squared)] == [True] * 3
    assert (found.error, found.epsilon) == (0.0, 1.0)
    pairs = tukey(rows.with_columns(value=pl.lit(2.0)), "value", "group", found, ("block",))
    assert pairs.select("difference", "low", "high", "p", "differ").rows() == [(0.0, 0.0, 0.0, 1.0, False)] * 3


@pytest.mark.parametrize("seed", range(5))
def test_one_way_equals_scipy(seed: int) -> None:
    rows = random_rows(seed, 7, 4).slice(seed)  # groups of unequal size
    found, expected = one_way(rows, "value", "group"), reference.f_oneway(*samples(rows))
    assert found.f == pytest.approx(expected.statistic)
    assert found.p == pytest.approx(expected.pvalue)


@pytest.mark.parametrize("seed", range(5))
def test_blocked_equals_nested_linear_models(seed: int) -> None:
    rows = random_rows(seed, 9, 5)
    found = blocked(rows, "value", "group", ("block",))
    error, without = error_by_least_squares(rows, ["block", "group"]), error_by_least_squares(rows, ["block"])
    assert found.f == pytest.approx(((without - error) / 4) / (error / 32))
    assert found.error == pytest.approx(error / 32)


@pytest.mark.parametrize("seed", range(5))
def test_two_groups_in_blocks_are_a_paired_t_test(seed: int) -> None:
    rows = random_rows(seed, 8, 2)
    found, expected = blocked(rows, "value", "group", ("block",)), reference.ttest_rel(*samples(rows))
    assert found.f == pytest.approx(expected.statistic**2)
    assert found.p == pytest.approx(expected.pvalue)
    assert found.epsilon == pytest.approx(1.0), "two groups have one contrast, which cannot vary unequally"
    assert found.p_corrected == pytest.approx(expected.pvalue)


def test_greenhouse_geisser_is_one_where_contrasts_vary_alike_and_least_where_only_one_varies() -> None:
    rng = np.random.default_rng(0)
    assert blocked(random_rows(1, 400, 4), "value", "group", ("block",)).epsilon == pytest.approx(1.0, abs=0.02)
    one = [
        (f"b{b}", f"g{g}", float(g) + shift * (1 if g == 0 else -1 / 2))
        for b, shift in enumerate(rng.normal(size=30))
        for g in range(3)
    ]
    found = blocked(pl.DataFrame(one, schema=["block", "group", "value"], orient="row"), "value", "group", ("block",))
    assert found.epsilon == pytest.approx(0.5)
    assert found.p_corrected is not None and found.p_corrected > found.p


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


def test_tukey_in_blocks_by_hand() -> None:
    anova = blocked(BY_HAND, "value", "group", ("block",))
    table = tukey(BY_HAND, "value", "group", anova, ("block",))
    widest = table.filter(pl.col("first") == "x", pl.col("second") == "z").row(0, named=True)
    half = reference.studentized_range.ppf(0.95, 3, 4) * math.sqrt(0.5 / 3)
    assert widest["difference"] == pytest.approx(-3)
    assert (widest["low"], widest["high"]) == pytest.approx((-3 - half, -3 + half))


@pytest.mark.parametrize("design", ["blocked", "one-way"])
def test_tukeys_pairs_written_out(design: str) -> None:
    """Of unequal groups by Kramer; a pair differs where its p is below what the confidence leaves."""
    table = unlike(7, 6, 3)
    rows = frame(table) if design == "blocked" else frame(table).slice(2, 15)
    block = ("block",) if design == "blocked" else ()
    anova = blocked(rows, "value", "group", block) if block else one_way(rows, "value", "group")
    parts = samples(rows)
    found = tukey(rows, "value", "group", anova, block, 0.8)
    widest = reference.studentized_range.ppf(0.8, 3, anova.df_error)
    expected = []
    for first, second in itertools.combinations(range(3), 2):
        one, other = parts[first], parts[second]
        error = math.sqrt(anova.error * (1 / one.size + 1 / other.size) / 2)
        difference = one.mean() - other.mean()
        p = reference.studentized_range.sf(abs(difference) / error, 3, anova.df_error)
        expected.append(
            (f"g{first}", f"g{second}", difference, difference - widest * error, difference + widest * error, p, p < 0.2)
        )
    assert [row[:2] for row in found.rows()] == [row[:2] for row in expected]
    for row, own in zip(found.rows(), expected, strict=True):
        assert row[2:] == pytest.approx(own[2:], abs=1e-9)
    assert len(set(found["differ"])) == 2


def test_blocks_find_what_differences_between_blocks_hide() -> None:
    rows = random_rows(1, 30, 3)
    assert one_way(rows, "value", "group").p > 0.1
    assert blocked(rows, "value", "group", ("block",)).p < 0.001


def test_rows_of_incomplete_blocks_are_left_out_and_counted() -> None:
    rows = random_rows(2, 6, 3)
    whole = blocked(rows.slice(3), "value", "group", ("block",))
    with_a_gap = blocked(rows.slice(1), "value", "group", ("block",))
    assert (with_a_gap.f, with_a_gap.left_out, with_a_gap.blocks) == (whole.f, 2, 5)
    assert whole.left_out == 0


def test_what_cannot_be_analysed_says_why() -> None:
    with pytest.raises(DataError, match="one row per group and block"):
        blocked(pl.concat([BY_HAND, BY_HAND]), "value", "group", ("block",))
    with pytest.raises(DataError, match="1 complete blocks of 3"):
        blocked(BY_HAND.filter((pl.col("block") == "a") | (pl.col("group") == "x")), "value", "group", ("block",))
    with pytest.raises(DataError, match="9 rows in 1 groups"):
        one_way(BY_HAND.with_columns(group=pl.lit("x")), "value", "group")
    with pytest.raises(DataError, match="2 groups and 1 complete blocks of 1"):
        blocked(BY_HAND[:2], "value", "group", ("block",))
    with pytest.raises(DataError, match="1 groups and 3 complete blocks"):
        blocked(BY_HAND.filter(group="x"), "value", "group", ("block",))
    with pytest.raises(DataError, match="one row per group and block and topic"):
        block_table(pl.concat([BY_HAND, BY_HAND[:1]]).with_columns(topic=pl.lit(1)), "value", "group", ("block", "topic"))
    with pytest.raises(DataError, match="columns that make a block"):
        block_table(BY_HAND, "value", "group", ())
    with pytest.raises(DataError, match="lack the column topic"):
        one_way(BY_HAND, "value", "topic")


def test_groups_that_differ_without_any_error() -> None:
    rows = BY_HAND.with_columns(value=pl.col("group").replace_strict({"x": 1.0, "y": 2.0, "z": 2.0}))
    found = blocked(rows, "value", "group", ("block",))
    assert (found.f, found.p, found.eta_squared, found.p_corrected) == (math.inf, 0.0, 1.0, 0.0)
    pairs = tukey(rows, "value", "group", found, ("block",))
    assert pairs["differ"].to_list() == [True, True, False]


grid = st.integers(2, 5).flatmap(lambda k: st.lists(st.lists(st.integers(0, 100), min_size=k, max_size=k), min_size=2, max_size=8))


@given(grid, st.integers(-50, 50))
def test_blocks_may_be_shifted_and_rows_shuffled(table: list[list[int]], shift: int) -> None:
    rows = frame(np.array(table))
    found = blocked(rows, "value", "group", ("block",))
    assume(found.error > 1e-6)
    shifted = frame(np.array([[value + shift * b for value in row] for b, row in enumerate(table)]))
    for other in (shifted, rows.sample(fraction=1, shuffle=True, seed=1)):
        again = blocked(other, "value", "group", ("block",))
        assert again.f == pytest.approx(found.f, rel=1e-6, abs=1e-9)
        assert again.p == pytest.approx(found.p, rel=1e-6, abs=1e-9)
    assert found.epsilon is not None and 1 / (found.groups - 1) <= found.epsilon <= 1
    assert 0 <= found.eta_squared <= 1
