"""Chances of being in a set of known size: by writing out every set."""

from __future__ import annotations

from itertools import combinations
from math import prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkways.stats.inclusion import inclusion_chances


def test_figures_computed_by_hand() -> None:
    weights = np.array(
        [[1.0, 2.0, 3.0, 0.0], [1.0, 2.0, 3.0, 0.0], [1.0, 2.0, 3.0, 0.0], [5.0, 5.0, 0.0, 0.0]]
    )
    found = inclusion_chances(weights, np.array([1, 2, 0, 2]))
    # Two of three: {1,2} weighs 2, {1,3} 3, {2,3} 6.
    assert found == pytest.approx(
        np.array([[1 / 6, 2 / 6, 3 / 6, 0], [5 / 11, 8 / 11, 9 / 11, 0], [0, 0, 0, 0], [1, 1, 0, 0]])
    )


@given(st.lists(st.integers(0, 6), min_size=1, max_size=7), st.data())
def test_every_set_written_out(weights: list[int], data: st.DataObject) -> None:
    drawn = data.draw(st.integers(0, sum(weight > 0 for weight in weights)))
    sets = {chosen: prod(weights[at] for at in chosen) for chosen in combinations(range(len(weights)), drawn)}
    expected = [
        sum(weight for chosen, weight in sets.items() if at in chosen) / sum(sets.values())
        for at in range(len(weights))
    ]
    found = inclusion_chances(np.array([weights], dtype=np.float64), np.array([drawn]))[0]
    assert found == pytest.approx(np.array(expected), abs=1e-9)
    assert found.sum() == pytest.approx(drawn)


def test_more_than_there_are() -> None:
    with pytest.raises(ValueError, match="more things are drawn"):
        inclusion_chances(np.array([[1.0, 0.0]]), np.array([2]))
