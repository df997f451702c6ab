"""McNemar's exact test against statsmodels and scipy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest
from statsmodels.stats.contingency_tables import mcnemar

from folkways.stats.hypotheses.mcnemar import Discordant, exact_mcnemar


@given(st.lists(st.tuples(st.booleans(), st.booleans()), max_size=60))
def test_equals_statsmodels(answers: list[tuple[bool, bool]]) -> None:
    first, second = (np.array([pair[side] for pair in answers], dtype=float) for side in (0, 1))
    table = [[sum(pair == (a, b) for pair in answers) for b in (True, False)] for a in (True, False)]
    found = exact_mcnemar(first - second)
    assert (found.first_better, found.second_better, found.same) == (table[0][1], table[1][0], table[0][0] + table[1][1])
    expected = mcnemar(table, exact=True).pvalue if table[0][1] + table[1][0] else 1.0
    assert found.p == pytest.approx(expected)


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=40))
def test_questions_with_several_rows_are_a_sign_test(differences: list[int]) -> None:
    found = exact_mcnemar(np.array(differences, dtype=float))
    above, below = sum(d > 0 for d in differences), sum(d < 0 for d in differences)
    assert found.p == pytest.approx(binomtest(above, above + below).pvalue if above + below else 1.0)


def test_rounding_is_no_difference() -> None:
    assert exact_mcnemar(np.array([0.1 + 0.2 - 0.3, 0.0, 1e-12, -1e-12])) == Discordant(0, 0, 4, 1.0)
