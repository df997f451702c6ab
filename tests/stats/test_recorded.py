"""Estimates, intervals and tests over small samples, ordinary ones and extreme ones, are what they were when
somebody last looked at them (tests/support/fingerprints.py). What a number means is tested beside this."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from folkways.stats import clusters, differences, distributions, factors, intervals, pairwise, sequences
from folkways.stats.combinations import combination_of_means
from folkways.stats.hypotheses import anova, corrections, correlation, paired_tests
from folkways.stats.inclusion import inclusion_chances
from folkways.stats.raters import agreement, calibration, graded, judge_quality, kappa, stratified_calibration
from folkways.stats.shrinkage import shrink, shrink_differences
from folkways.stats.stratified import StratumSample, anytime_mean, mean_over_strata
from folkways.stats.two_way import two_way_difference, two_way_mean
from folkways.stats.weighting import effective_people, rake
from tests.support.fingerprints import check_text

RECORDED = Path(__file__).parent / "recorded"
N = 24
RNG = np.random.default_rng(7)
SHARES = {
    "mixed": RNG.integers(0, 2, N).astype(float),
    "shares": np.round(RNG.random(N), 2),
    "ones": np.ones(N),
    "one zero": np.array([0.0] + [1.0] * (N - 1)),
}
SCORES = np.round(RNG.normal(3, 2, N), 1)
OTHERS = np.round(SCORES * 0.6 + RNG.normal(0, 1, N), 1)
BY = {
    "each": np.arange(N),
    "pairs": np.arange(N) // 2,
    "uneven": np.repeat([0, 1, 2, 3, 4, 5], [9, 5, 4, 3, 2, 1]),
}
GAPPED = np.where(np.arange(N) % 7 == 0, np.nan, SCORES)


def shown(value: Any) -> str:
    """A result with seven digits, on one line."""
    if is_dataclass(value) and not isinstance(value, type):
        return " ".join(f"{each.name}={shown(getattr(value, each.name))}" for each in fields(value))
    if isinstance(value, pl.DataFrame):
        return f"[{'; '.join(shown(row) for row in value.rows())}]"
    if isinstance(value, np.ndarray):
        return shown(value.tolist())
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(shown, value))}]"
    if isinstance(value, (float, np.floating)):
        return "0" if abs(value) < 1e-9 else f"{value:.7g}"
    return str(value)


def estimates() -> Iterator[tuple[str, Any]]:
    for (name, values), (of, groups) in product(SHARES.items(), BY.items()):
        sums, counts = intervals.cluster_totals(values, groups)
        squares = float(values @ values)
        yield f"mean of {name}, {of}", clusters.clustered_mean(sums, counts, squares)
        yield ("its interval", clusters.clustered_mean(sums, counts, squares).interval(0.9))
        yield "its p of a half", clusters.clustered_mean(sums, counts, squares).p(0.5)
        yield "clustered normal", intervals.clustered_normal(values, groups, population=40)
        yield (
            "predictions and labels",
            calibration.prediction_powered(
                values, np.where(np.arange(N) % 3 == 0, SHARES["mixed"], np.nan), groups
            ),
        )
    for (of, groups), paired in product(BY.items(), (False, True)):
        sums, counts = intervals.cluster_totals(SCORES, groups)
        mean = clusters.clustered_mean(sums, counts, float(SCORES @ SCORES), None, paired=paired)
        yield f"unbounded, {of}, paired={paired}", [mean, mean.interval(), mean.p(2.5)]
    for most in (None, 12.0):
        sums, counts = intervals.cluster_totals(SCORES - OTHERS, BY["pairs"])
        found = clusters.clustered_difference(SCORES - OTHERS, sums, counts, most)
        yield f"difference of at most {most}", [found, found.interval(), found.p()]
    yield "effective number", [clusters.effective_number(np.bincount(g)) for g in BY.values()]
    for ones, n, population in (
        (0, 10, None),
        (1, 10, None),
        (2, 10, 11),
        (9.5, 10, None),
        (10, 10, 10),
        (5, 10, 1000),
        (0, 0, None),
    ):
        yield (f"Wilson {ones} of {n} of {population}", intervals.wilson(ones, n, population=population))
    few = [intervals.wilson(3, 10), intervals.wilson(19, 20)]
    yield (
        "interval of an average",
        [intervals.interval_of_average([0.3, 0.95], few, n) for n in (None, [10.0, 20.0])],
    )
    yield (
        "Wilson of an average",
        intervals.wilson_of_average(np.array([0.3, 0.95]), np.array([10.0, 20.0]), 0.9),
    )
    yield "Student", [intervals.student(SCORES), intervals.student(SHARES["shares"], (0.0, 1.0), 0.9)]
    a, b = np.array([0.2, 0.5, 0.9, 1.0]), np.array([8.0, 20.0, 11.5, 30.0])
    yield "gaps of groups", [differences.gaps_of_groups(a[:n], b[:n]) for n in (2, 3, 4)]
    yield "difference of groups", differences.difference_of_groups(SHARES["shares"][:10], SHARES["mixed"])
    yield "difference of shares", differences.difference_of_shares(a, b, a[::-1], b[::-1])
    yield "independent difference", differences.independent_difference(0.3, few[0], 0.95, few[1])
    yield ("paired mean", [differences.paired_mean(SCORES, OTHERS, largest=most) for most in (None, 12.0)])
    draws, counted = np.array([0.5, 0.3, 0.2, 0.0]), np.array([5, 3, 2, 0])
    places = np.array([1.0, 2.0, 4.0, 5.0])
    yield (
        "divergence",
        [distributions.js_divergence(draws, draws[::-1]), distributions.js_distance(draws, draws[::-1])],
    )
    yield (
        "Wasserstein",
        [distributions.wasserstein(draws, draws[::-1], places), distributions.scale_mean(draws, places)],
    )
    yield (
        "draws",
        [distributions.similarity_of_draws(draws, 10, 1), distributions.similarity_of_halves(counted, 1)],
    )
    people = np.round(
        RNG.normal(0, 1, (N, 5)) + SCORES[:, None] * [1, 1, -1, 0, 0.5] + OTHERS[:, None] * [0, 1, 0, 1, 1], 2
    )
    yield "factors", factors.fit_factors(np.where(people > 7, np.nan, people), np.ones(N)).explained
    yield "varimax", factors.varimax(np.array([[1.0, 0.2], [0.5, 0.5], [0.1, 0.9]]))
    three = np.column_stack(
        [SHARES["mixed"], SHARES["shares"], np.where(np.arange(N) % 5 == 0, np.nan, SHARES["ones"])]
    )
    for largest in (1.0, None):
        yield f"contrasts {largest}", pairwise.paired_contrasts(three, BY["pairs"], largest)
    p = np.array([[np.nan, 0.01, 0.2], [0.01, np.nan, 0.05], [0.2, 0.05, np.nan]])
    gap = np.array([[np.nan, 1.0, 0.5], [-1.0, np.nan, -0.5], [-0.5, 0.5, np.nan]])
    apart = (
        pairwise.paired_contrasts(three, BY["pairs"], None),
        pairwise.paired_contrasts(three, BY["pairs"], 1.0),
    )
    yield (
        "detectable",
        [
            pairwise.detectable_differences(apart[0], None, 0.05),
            pairwise.detectable_differences(apart[1], 1.0, 0.01, 0.5),
        ],
    )
    yield "ranks", [pairwise.ranks_of_pairs(gap, p, alpha) for alpha in (0.05, 0.051, 0.3)]
    for name, values in SHARES.items():
        yield f"sequence of {name}", sequences.betting_sequence(values, 40, grid=100)
    yield "at any time", [sequences.at_any_time(n) for n in (1, 2, 100)]
    strata = [
        StratumSample(SHARES["mixed"], np.ones(N), 60),
        StratumSample(SHARES["one zero"], np.ones(N), 60),
    ]
    yield "strata", [anytime_mean(strata), anytime_mean(strata, 0.9), mean_over_strata(strata)]
    yield (
        "shrunk",
        [
            shrink(np.array([3.0, 9.0, 0.0, 5.0]), np.array([10.0, 10.0, 4.0, 20.0])),
            shrink_differences(np.array([1.0, -2.0, 0.1]), np.array([0.2, 0.1, 0.4])),
        ],
    )
    for name, values in SHARES.items():
        yield f"two ways, {name}", two_way_mean(values, BY["pairs"], np.arange(N) % 5)
        yield (
            "its difference",
            two_way_difference(values, np.arange(N) % 2 == 0, BY["pairs"], np.arange(N) % 5),
        )
    age, home = ["old"] * 9 + ["young"] * 14 + [None], ["town", "land", "land"] * 8
    raked = rake(
        {"age": age, "home": home}, {"age": {"old": 0.7, "young": 0.3}, "home": {"town": 0.5, "land": 0.5}}
    )
    yield "raked", [raked, effective_people(raked)]
    yield (
        "inclusion",
        inclusion_chances(np.array([[1.0, 2.0, 4.0, 0.0], [1.0, 1.0, 1.0, 1.0]]), np.array([2, 1])),
    )
    yield ("combination", combination_of_means(SCORES, np.arange(N) % 2, BY["pairs"], np.array([1.0, -1.0])))
    table = pl.DataFrame({"value": SCORES, "group": [str(number % 3) for number in range(N)]})
    one_way = anova.one_way(table, "value", "group")
    yield "one way", [one_way, anova.tukey(table, "value", "group", one_way)]
    levels = [0.01, 0.04, math.nan, 0.03, 1.0]
    yield "corrections", [corrections.holm(levels), corrections.benjamini_hochberg(levels)]
    yield ("correlation", [correlation.pearson(GAPPED, OTHERS), correlation.pearson(GAPPED[:4], OTHERS[:4])])
    for zeros in ("wilcox", "pratt"):
        yield (
            f"Wilcoxon {zeros}",
            [
                paired_tests.exact_wilcoxon(np.round(SCORES - OTHERS), side, zeros=zeros)
                for side in ("two-sided", "greater", "less")
            ],
        )
    yield "McNemar", [paired_tests.exact_mcnemar(*each) for each in ((0, 0), (3, 9), (9, 3), (5, 5))]
    units = [{"a": one % 3, "b": (one * one) % 3, **({"c": one % 2} if one % 4 else {})} for one in range(12)]
    yield (
        "agreement",
        [
            measure(units)
            for measure in (
                agreement.percent_agreement,
                agreement.majority_share,
                agreement.mean_largest_vote,
                agreement.cohen,
                agreement.fleiss,
                agreement.krippendorff,
            )
        ],
    )
    yield (
        "of two",
        [
            agreement.cohen([{"a": unit["a"], "b": unit["b"]} for unit in units]),
            agreement.fleiss([{"a": unit["a"], "b": unit["b"]} for unit in units]),
        ],
    )
    yield (
        "graded",
        [
            agreement.krippendorff(units, graded.interval),
            agreement.krippendorff(units, graded.ordinal(units)),
            graded.kendall_tau("abcd", "badc"),
            graded.marks_in_common([(0, 4)], [(2, 7)]),
        ],
    )
    yield (
        "kappa",
        [
            kappa.category_kappa("aabbccab", "aabbcaaa"),
            kappa.cohen_kappa(SHARES["mixed"] > 0.5, SHARES["shares"] > 0.5, BY["pairs"]),
        ],
    )
    yield (
        "Rogan and Gladen",
        calibration.rogan_gladen(
            30, 50, true_positive=18, labelled_positive=20, true_negative=15, labelled_negative=20
        ),
    )
    one = judge_quality.youden_index(SHARES["mixed"], (SHARES["shares"] > 0.5).astype(float), BY["pairs"])
    yield "Youden", one
    yield (
        "noisy but valid",
        judge_quality.noisy_but_valid(
            SHARES["mixed"],
            np.where(np.arange(N) % 2, np.where(np.arange(N) % 6 == 1, 0.0, SHARES["mixed"]), np.nan),
            np.arange(N) % 2,
            BY["each"],
            0.2,
        ),
    )
    yield (
        "strata of labels",
        stratified_calibration.stratified_ppi(
            SHARES["mixed"],
            np.where(np.arange(N) % 2, SHARES["shares"] > 0.5, np.nan),
            np.arange(N) // 12,
            BY["each"],
        ),
    )
    yield "allocation", list(stratified_calibration.allocate([0.3, 0.1, 0.6], [2, 0, 5], [9, 9, 3]))


def test_estimates_intervals_and_tests_of_small_samples() -> None:
    with np.errstate(all="ignore"):
        lines = [f"{name}: {shown(value)}" for name, value in estimates()]
    check_text("\n".join(lines) + "\n", RECORDED / "estimates.txt")
