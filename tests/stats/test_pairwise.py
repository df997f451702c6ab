"""Contrasts of all pairs against the scalar functions pair by pair, and what no third model may change."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkways.stats.clusters import clustered_difference, effective_number
from folkways.stats.differences import paired_mean
from folkways.stats.intervals import cluster_totals
from folkways.stats.pairwise import Contrasts, paired_contrasts


def replies(
    seed: int, rows: int, models: int, questions: int, lost: float, continuous: bool = False
) -> tuple:
    """Values with lost replies, and questions in no order, of unequal size."""
    random = np.random.default_rng(seed)
    values = (
        random.random((rows, models)) if continuous else (random.random((rows, models)) < 0.5).astype(float)
    )
    values[random.random(values.shape) < lost] = math.nan
    return values, (random.random(rows) ** 2 * questions).astype(np.int64) * 7 - 3


def pair(
    values: np.ndarray,
    questions: np.ndarray,
    first: int,
    second: int,
    largest: float | None,
    confidence: float,
) -> dict:
    """One entry of Contrasts, by the functions for a single pair."""
    whole = ~np.isnan(values[:, first] - values[:, second])
    one, other, numbers = values[whole, first], values[whole, second], questions[whole]
    expected = dict.fromkeys(
        (
            "difference",
            "low",
            "high",
            "p",
            "first_mean",
            "second_mean",
            "error",
            "effect",
            "clusters",
            "mean_square",
        ),
        math.nan,
    )
    expected |= {
        "rows": one.size,
        "questions": np.unique(numbers).size,
        "first_better": 0,
        "second_better": 0,
        "most": 0.0,
    }
    if not one.size:
        return expected | {"method": "none: nothing shared"}
    sums, counts = cluster_totals(one - other, numbers)
    means = sums / counts
    expected |= {"first_mean": one.mean(), "second_mean": other.mean(), "difference": (one - other).mean()}
    expected |= {"first_better": int((sums > 1e-12).sum()), "second_better": int((sums < -1e-12).sum())}
    apart = one - other
    expected |= {
        "most": np.abs(apart).max(),
        "mean_square": (apart**2).mean(),
        "clusters": effective_number(counts),
    }
    if counts.size > 1 and means.std(ddof=1) > 0:
        expected["effect"] = means.mean() / means.std(ddof=1)
    if counts.size < 6:
        return expected | {"method": "none: under 6 questions"}
    found = clustered_difference(one - other, sums, counts, largest)
    interval = found.interval(confidence)
    if not math.isnan(interval.low):
        expected["error"] = found.error if largest is None else largest / math.sqrt(found.n_effective)
    return expected | {"low": interval.low, "high": interval.high, "p": found.p(), "method": interval.method}


def entry(found: Contrasts, at: int) -> dict:
    return {
        name: getattr(found, name)[at]
        for name in Contrasts.__dataclass_fields__
        if name not in ("first", "second")
    }


CASES = {
    "all replied": (1, 90, 4, 40, 0.0),
    "one row per question": (2, 50, 3, 10**6, 0.0),
    "a third lost": (3, 90, 5, 30, 0.33),
    "most lost": (4, 40, 4, 20, 0.8),
    "few questions": (5, 40, 3, 5, 0.1),
    "six questions": (6, 60, 3, 6, 0.0),
    "continuous": (7, 80, 4, 30, 0.2, True),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize(("largest", "confidence"), [(1.0, 0.95), (2.0, 0.8), (None, 0.95)])
def test_equals_the_contrast_of_each_pair_alone(case: str, largest: float | None, confidence: float) -> None:
    values, questions = replies(*CASES[case])
    found = paired_contrasts(values, questions, largest, confidence)
    pairs = list(combinations(range(values.shape[1]), 2))
    assert list(zip(found.first.tolist(), found.second.tolist(), strict=True)) == pairs
    for at, (first, second) in enumerate(pairs):
        expected = pair(values, questions, first, second, largest, confidence)
        assert entry(found, at) == pytest.approx(expected, abs=1e-12, nan_ok=True)
    if (largest, confidence) == (1.0, 0.95):
        assert repr(paired_contrasts(values, questions, largest)) == repr(found)


@given(st.integers(0, 1000), st.integers(2, 5), st.sampled_from([0.0, 0.3, 1.0]))
def test_a_third_model_changes_nothing_between_two(seed: int, others: int, lost: float) -> None:
    values, questions = replies(seed, 40, 2, 15, 0.2)
    more, _ = replies(seed + 1, 40, others, 15, lost)
    alone = entry(paired_contrasts(values, questions, 1.0), 0)
    assert entry(paired_contrasts(np.column_stack([values, more]), questions, 1.0), 0) == pytest.approx(
        alone, abs=1e-12, nan_ok=True
    )


@pytest.mark.parametrize("largest", [1.0, None])
@pytest.mark.parametrize("lost", [0.0, 0.2])
def test_groups_count_alike_however_many_rows_a_pair_shares_of_each(
    largest: float | None, lost: float
) -> None:
    values, questions = replies(9, 120, 3, 40, lost)
    groups = np.repeat([0, 1, 2, 3], [2, 8, 30, 80])
    values[groups == 0, 0] = math.nan  # two pairs share nothing of the first group
    found = paired_contrasts(values, questions, largest, groups=groups)
    for at, (first, second) in enumerate(combinations(range(3), 2)):
        shared = values[:, [first, second]][~np.isnan(values[:, first] - values[:, second])]
        of_row = groups[~np.isnan(values[:, first] - values[:, second])]
        means = np.mean([shared[of_row == group].mean(axis=0) for group in np.unique(of_row)], axis=0)
        assert (found.first_mean[at], found.second_mean[at]) == pytest.approx(means)
        assert found.difference[at] == pytest.approx(means[0] - means[1])
        assert found.low[at] < found.difference[at] < found.high[at]


def test_counts_of_questions_and_the_effect_are_the_same_whatever_groups_count_alike() -> None:
    values, questions = replies(12, 120, 3, 40, 0.1)
    alike = paired_contrasts(values, questions, 1.0, groups=np.repeat([0, 1, 2, 3], [2, 8, 30, 80]))
    pooled = paired_contrasts(values, questions, 1.0)
    for name in ("rows", "questions", "first_better", "second_better", "effect"):
        assert getattr(alike, name) == pytest.approx(getattr(pooled, name)), name
    assert alike.difference != pytest.approx(pooled.difference)


def test_groups_of_the_same_size_change_nothing() -> None:
    values, questions = replies(10, 120, 3, 40, 0.0)
    alike = paired_contrasts(values, questions, 1.0, groups=np.arange(120) % 4)
    for at in range(3):
        assert entry(alike, at) == pytest.approx(entry(paired_contrasts(values, questions, 1.0), at))


LOCALES = np.array([307, 410, 543, 1075, 1929, 2345, 2734, 3699]) // 12
"""Rows of eight locales of SemEval-2026, in proportion."""


@pytest.mark.parametrize(
    ("draws", "bounds"), [(150, (0.92, 0.99)), pytest.param(1200, (0.94, 0.985), marks=pytest.mark.nightly)]
)
@pytest.mark.parametrize(("questions", "apart"), [(60, 0.15), (2000, 0.0)])
def test_the_interval_over_unequal_groups_has_the_coverage_it_says(
    questions: int, apart: float, draws: int, bounds: tuple[float, float]
) -> None:
    """Also where questions are shared by groups, and groups differ."""
    rng, groups = np.random.default_rng(11), np.repeat(np.arange(LOCALES.size), LOCALES)
    chances = np.clip(0.6 + 0.2 * rng.standard_normal((2, LOCALES.size)), 0.2, 0.8)
    truth = float((chances[0] - chances[1]).mean())
    covered = widths = pooled = 0.0
    for _ in range(draws):
        asked = rng.integers(0, questions, groups.size)
        shift = np.clip(apart * rng.standard_normal((2, questions)), -0.2, 0.2)[:, asked]
        right = (rng.random((2, groups.size)) < chances[:, groups] + shift).astype(float).T
        found = paired_contrasts(right, asked, 1.0, groups=groups)
        covered += found.low[0] <= truth <= found.high[0]
        widths += found.high[0] - found.low[0]
        every = paired_contrasts(right, asked, 1.0)
        pooled += every.high[0] - every.low[0]
    assert bounds[0] <= covered / draws <= bounds[1]
    assert widths < 1.8 * pooled  # small groups tell less, and no row counts as if it were many questions


@pytest.mark.parametrize(
    ("draws", "most"), [(200, 0.085), pytest.param(2000, 0.06, marks=pytest.mark.nightly)]
)
@pytest.mark.parametrize("right", [0.5, 0.9])
@pytest.mark.parametrize("sizes", [[1, 1, 100, 100], [2] * 20 + [40] * 20])
def test_equal_models_differ_by_chance_alone_where_groups_of_few_rows_count_as_much(
    sizes: list[int], right: float, draws: int, most: float
) -> None:
    """Of models that are equal, some 5 in 100 differ: by their rows' spread alone it was 13 to
    62."""
    rng, groups = np.random.default_rng(5), np.repeat(np.arange(len(sizes)), sizes)
    rows = np.arange(groups.size)
    values = (rng.random((draws, groups.size, 2)) < right).astype(float)
    found = [paired_contrasts(drawn, rows, 1.0, groups=groups).p[0] < 0.05 for drawn in values]
    assert np.mean(found) < most


def test_matrices_of_pairs() -> None:
    values, questions = replies(8, 60, 3, 30, 0.0)
    found = paired_contrasts(values, questions, 1.0)
    apart = found.matrix(found.difference, opposite=True)
    means = values.mean(axis=0)
    assert apart == pytest.approx(np.where(np.eye(3) == 1, math.nan, means[:, None] - means), nan_ok=True)
    p = found.matrix(found.p, 1.0)
    assert (p[0, 1], p[1, 0], p[2, 0], p[1, 2], p[1, 1]) == (
        found.p[0],
        found.p[0],
        found.p[1],
        found.p[2],
        1.0,
    )


@pytest.mark.parametrize("shape", [(0, 2), (5, 1)])
def test_nothing_to_compare(shape: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="two models or more"):
        paired_contrasts(np.zeros(shape), np.arange(shape[0]), 1.0)


@pytest.mark.parametrize("groups", [None, np.arange(12) % 3])
@pytest.mark.parametrize("largest", [None, 1.0])
def test_what_differs_by_rounding_alone_does_not_differ(
    largest: float | None, groups: np.ndarray | None
) -> None:
    """Sums in another order: 0.1 + 0.2 is not 0.3 for a computer."""
    rng = np.random.default_rng(4)
    values = rng.random(12)
    same = values + rng.choice([-1, 1], 12) * np.spacing(values)
    assert (values != same).all()
    made = paired_contrasts(np.column_stack([values, same]), np.arange(12), largest, groups=groups)
    assert made.difference[0] == 0.0
    assert (made.first_better[0], made.second_better[0], math.isnan(made.effect[0])) == (0, 0, True)
    assert paired_mean(values, same, largest=largest).difference == 0.0
    small = paired_contrasts(np.column_stack([values + 1e-9, values]), np.arange(12), largest)
    assert small.difference[0] == pytest.approx(1e-9, rel=1e-3)
    assert paired_mean(values + 1e-9, values).difference == pytest.approx(1e-9, rel=1e-3)
