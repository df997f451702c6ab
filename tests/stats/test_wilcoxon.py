"""The signed-rank test against scipy, and against sign patterns counted one by one."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as reference
from scipy.stats import rankdata

from folkways.stats.hypotheses.paired_tests import EXACT_UP_TO, Alternative, Wilcoxon, Zeros, exact_wilcoxon

ALTERNATIVES: tuple[Alternative, ...] = ("greater", "less", "two-sided")


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@given(data=st.lists(st.integers(-500, 500).filter(bool), min_size=1, max_size=30, unique_by=abs))
def test_equals_scipy_without_ties(alternative: Alternative, data: list[int]) -> None:
    expected = reference.wilcoxon(data, alternative=alternative, method="exact")
    found = exact_wilcoxon(data, alternative)
    assert found.p == pytest.approx(expected.pvalue, rel=1e-9)
    above = exact_wilcoxon(data, "greater").statistic
    assert above == reference.wilcoxon(data, alternative="greater", method="exact").statistic
    assert (found.n, found.zeros, found.method) == (len(data), 0, "exact")


@pytest.mark.parametrize("zeros", ["wilcox", "pratt"])
@given(data=st.lists(st.integers(-3, 3), min_size=1, max_size=9))
def test_counts_sign_patterns_with_ties_and_zeros(zeros: Zeros, data: list[int]) -> None:
    """Every pattern of signs is written out: scipy's exact distribution knows no ties."""
    values = np.array([value for value in data if value or zeros == "pratt"], dtype=float)
    ranks = rankdata(np.abs(values))[values != 0]
    values = values[values != 0]
    observed = ranks[values > 0].sum()
    sums = [
        sum(rank for rank, up in zip(ranks, pattern, strict=True) if up)
        for pattern in product((0, 1), repeat=len(ranks))
    ]
    above, below = (
        sum(side) / len(sums) for side in ([s >= observed for s in sums], [s <= observed for s in sums])
    )
    for alternative, p in (
        ("greater", above),
        ("less", below),
        ("two-sided", min(1.0, 2 * min(above, below))),
    ):
        found = exact_wilcoxon(data, alternative, zeros=zeros)  # type: ignore[arg-type]
        assert found.p == pytest.approx(p)
        assert found.zeros == data.count(0)
        assert found.statistic == observed


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_many_pairs_equal_scipys_normal_approximation(alternative: Alternative) -> None:
    data = np.random.default_rng(4).integers(-20, 23, size=EXACT_UP_TO + 100)
    data = data[data != 0]
    expected = reference.wilcoxon(data, alternative=alternative, method="asymptotic", correction=True)
    found = exact_wilcoxon(data, alternative)
    assert found.method == "normal"
    assert found.p == pytest.approx(expected.pvalue, rel=1e-9)


def test_the_two_methods_meet() -> None:
    data = np.random.default_rng(5).normal(0.1, 1.0, size=EXACT_UP_TO)
    expected = reference.wilcoxon(data, alternative="greater", method="asymptotic", correction=True)
    assert exact_wilcoxon(data, "greater").p == pytest.approx(expected.pvalue, rel=5e-3)


@pytest.mark.parametrize(("n", "smallest"), [(4, 1 / 16), (5, 1 / 32), (7, 1 / 128)])
def test_no_p_below_what_the_pairs_allow(n: int, smallest: float) -> None:
    found = exact_wilcoxon(np.arange(1, n + 1), "greater")
    assert found.p == found.smallest_p == smallest
    assert (found.p < 0.05) == (n >= 5)
    assert found.effect == 1.0
    assert exact_wilcoxon(np.arange(1, n + 1)).smallest_p == 2 * smallest


def test_effect_is_the_share_of_ranks_in_favour_less_that_against() -> None:
    assert exact_wilcoxon([1.0, 2.0, -3.0, 4.0]).effect == pytest.approx((7 - 3) / 10)


def test_binary_fractions_break_no_tie() -> None:
    assert exact_wilcoxon([54.3 - 54.1, 33.3 - 33.5, 0.3 - (0.1 + 0.2)], "greater") == exact_wilcoxon(
        [0.2, -0.2, 0.0], "greater"
    )


@pytest.mark.parametrize(("scale", "ties"), [(0.999, True), (1.001, False)])
def test_differences_tie_where_ten_decimals_are_the_same(scale: float, ties: bool) -> None:
    """Half of the tenth decimal is the limit: below it a difference is zero, and two differences tie."""
    tenth = 0.5e-10 * scale
    found = exact_wilcoxon([3.0 + tenth, -3.0, tenth], "greater")
    assert (found.statistic, found.n, found.zeros) == ((1.5, 2, 1) if ties else (1.0 + 3.0, 3, 0))


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_p_is_counted_out_for_up_to_two_hundred_pairs(alternative: Alternative) -> None:
    data = np.arange(1.0, 202.0) * np.resize([1, 1, -1, -1, 1], 201)
    for n, method in ((200, "exact"), (201, "normal")):
        found = exact_wilcoxon(data[:n], alternative)
        own = {"method": "exact"} if method == "exact" else {"method": "asymptotic", "correction": True}
        expected = reference.wilcoxon(data[:n], alternative=alternative, **own)
        assert (found.method, found.n) == (method, n)
        assert found.p == pytest.approx(expected.pvalue, rel=1e-9)
        assert found.smallest_p == 2.0**-n * (2 if alternative == "two-sided" else 1)


@pytest.mark.parametrize("zeros", ["wilcox", "pratt"])
def test_nothing_to_rank(zeros: Zeros) -> None:
    found = exact_wilcoxon([0.0, math.nan, 0.0], "less", zeros=zeros)
    assert (found.p, found.n, found.zeros, found.smallest_p) == (1.0, 0, 2, 1.0)
    assert (found.statistic, found.alternative, found.method) == (0.0, "less", "exact")
    assert math.isnan(found.effect)


def test_missing_pairs_do_not_count() -> None:
    found = exact_wilcoxon([1.0, math.nan, None, 2.0])  # type: ignore[arg-type]
    assert found == exact_wilcoxon([1.0, 2.0])
    assert found == Wilcoxon(3.0, 0.5, "two-sided", 2, 0, 0.5, 1.0, "exact")
    assert exact_wilcoxon([-2.0]) == Wilcoxon(0.0, 1.0, "two-sided", 1, 0, 1.0, -1.0, "exact")


def test_no_p_is_above_one() -> None:
    """Far from either side, the half rank of the continuity correction would give more."""
    data = np.arange(1.0, 302.0) * np.resize([1, -1, -1, 1], 301)
    for alternative in ALTERNATIVES:
        assert 0 < exact_wilcoxon(data, alternative).p <= 1
    for data in ([1.0] * 300, [-1.0] * 300):
        assert max(exact_wilcoxon(data, "greater").p, exact_wilcoxon(data, "less").p) == 1.0


@pytest.mark.parametrize(
    ("differences", "alternative", "zeros", "words"),
    [
        ([1.0], "bigger", "wilcox", "greater, less, two-sided; got 'bigger'"),
        ([1.0], "less", "drop", "wilcox, pratt; got 'drop'"),
        ([math.inf], "less", "wilcox", "finite"),
        ([[1.0]], "less", "wilcox", "flat"),
    ],
)
def test_says_what_is_valid(
    differences: list[float], alternative: Alternative, zeros: Zeros, words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        exact_wilcoxon(differences, alternative, zeros=zeros)
