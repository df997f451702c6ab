"""Corrections for many tests, by hand, against statsmodels, and by what they promise."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from folkways.stats.hypotheses.corrections import benjamini_hochberg, holm


def test_by_hand() -> None:
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.5, 0.9]) == pytest.approx([1.0, 1.0])
    assert holm([]) == []


def test_what_is_not_known_is_no_comparison() -> None:
    first, unknown, second = holm([0.01, math.nan, 0.02])
    assert (first, second) == pytest.approx((0.02, 0.02))
    assert math.isnan(unknown)


def test_refuses_what_is_no_probability() -> None:
    for correction in (holm, benjamini_hochberg):
        with pytest.raises(ValueError, match="between 0 and 1"):
            correction([0.1, 1.2])
        with pytest.raises(ValueError, match=r"between 0 and 1, got -0.1 to 0.5"):
            correction([0.5, -0.1])
        assert correction([0.0, 1.0]) == [0.0, 1.0]


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_equals_statsmodels(p_values: list[float]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        # For holm it collects garbage: a second each time among all that the other tests have imported.
        patch.setattr("gc.collect", lambda: None)
        for correction, name in ((holm, "holm"), (benjamini_hochberg, "fdr_bh")):
            assert correction(p_values) == pytest.approx(multipletests(p_values, method=name)[1].tolist())


def test_benjamini_and_hochberg_by_hand() -> None:
    assert benjamini_hochberg([0.01, 0.04, 0.03, math.nan]) == pytest.approx(
        [0.03, 0.04, 0.04, math.nan], nan_ok=True
    )
    assert benjamini_hochberg([]) == []


def rejected_step_by_step(p_values: list[float], alpha: float) -> set[int]:
    """Holm's procedure as he wrote it: from the smallest on, stop at the first that is not small enough."""
    rejected: set[int] = set()
    for rank, position in enumerate(sorted(range(len(p_values)), key=lambda place: p_values[place])):
        if p_values[position] * (len(p_values) - rank) > alpha:
            break
        rejected.add(position)
    return rejected


@given(st.lists(st.floats(0, 1), max_size=12), st.sampled_from([0.01, 0.05, 0.3]))
def test_rejects_what_the_procedure_rejects(p_values: list[float], alpha: float) -> None:
    assert {position for position, p in enumerate(holm(p_values)) if p <= alpha} == rejected_step_by_step(
        p_values, alpha
    )
