"""Raking by hand, against iterative fitting of a table, and what no weight can make up for."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from folkways.stats.weighting import effective_people, rake


def test_one_margin_is_a_ratio() -> None:
    weights = rake({"sex": ["w", "w", "m", "m", "m", "m"]}, {"sex": {"w": 50, "m": 50}})
    assert weights == pytest.approx([1.5, 1.5, 0.75, 0.75, 0.75, 0.75])
    assert effective_people(weights) == pytest.approx(6**2 / (2 * 1.5**2 + 4 * 0.75**2))


def test_two_margins_are_those_of_a_table_fitted_cell_by_cell() -> None:
    counts = np.array([[20.0, 10.0, 5.0], [8.0, 30.0, 27.0]])
    rows, columns = np.array([0.4, 0.6]), np.array([0.2, 0.5, 0.3])
    people = [(r, c) for r in range(2) for c in range(3) for _ in range(int(counts[r, c]))]
    table = counts.copy()
    for _ in range(500):
        table *= (rows * counts.sum() / table.sum(axis=1))[:, None]
        table *= columns * counts.sum() / table.sum(axis=0)
    weights = rake(
        {"row": [f"r{r}" for r, _ in people], "column": [f"c{c}" for _, c in people]},
        {"row": {"r0": 4, "r1": 6}, "column": {"c0": 0.2, "c1": 0.5, "c2": 0.3}},
    )
    expected = [table[cell] / counts[cell] for cell in people]
    assert weights == pytest.approx(expected, abs=1e-6)


@settings(max_examples=20)
@given(
    st.lists(st.sampled_from("abc"), min_size=3, max_size=60).filter(lambda x: {*x} == {*"abc"}), st.data()
)
def test_weighted_shares_are_the_margins_and_the_mean_is_1(groups: list[str], data: st.DataObject) -> None:
    shares = {name: data.draw(st.floats(0.1, 10), label=name) for name in "abc"}
    weights = rake({"group": groups}, {"group": shares}, heaviest=1e9)
    assert weights.mean() == pytest.approx(1) and weights.min() > 0
    for name, share in shares.items():
        inside = np.array([group == name for group in groups])
        assert weights[inside].sum() / weights.sum() == pytest.approx(share / sum(shares.values()))


def test_who_did_not_say_keeps_a_weight_of_1() -> None:
    weights = rake({"sex": ["w", "m", "m", None]}, {"sex": {"w": 1, "m": 1}})
    assert weights == pytest.approx([1.5, 0.75, 0.75, 1])


def test_heavy_weights_are_cut() -> None:
    groups = {"sex": ["w"] + ["m"] * 99}
    uncut = rake(groups, {"sex": {"w": 1, "m": 1}}, heaviest=1e9)
    assert uncut[0] == pytest.approx(50)
    cut = rake(groups, {"sex": {"w": 1, "m": 1}})
    assert cut[0] == pytest.approx(5, rel=0.05) and cut.mean() == pytest.approx(1)


@pytest.mark.parametrize(
    ("groups", "margins", "why"),
    [
        (["w", "w"], {"w": 1, "m": 1}, "nobody is in 'm'"),
        (["w", "x"], {"w": 1}, "no share is given for 'x'"),
        (["w", "m"], {"w": 1, "m": 0}, "the share of 'm' is 0"),
        (["w", "m"], {"w": 1, "m": float("nan")}, "the share of 'm' is nan"),
    ],
)
def test_what_cannot_be_weighted_is_named(groups: list[str], margins: dict[str, float], why: str) -> None:
    with pytest.raises(ValueError, match=f"sex: {why}"):
        rake({"sex": groups}, {"sex": margins})
