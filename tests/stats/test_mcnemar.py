"""McNemar's exact test against statsmodels."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.contingency_tables import mcnemar

from folkways.stats.hypotheses.paired_tests import exact_mcnemar


@given(st.integers(0, 60), st.integers(0, 60))
def test_equals_statsmodels(first: int, second: int) -> None:
    expected = mcnemar([[3, first], [second, 5]], exact=True).pvalue if first + second else 1.0
    assert exact_mcnemar(first, second) == pytest.approx(expected)
