"""The same fact in several formats: by hand, by simulation, and through the judgements of two tasks."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import product

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from folkways.benchmarks.blend_vis import BENCHMARK
from folkways.benchmarks.results import Inputs
from folkways.benchmarks.tables import NotAvailableError
from folkways.evidence.groups.formats import FORMAT_CONSISTENCY, format_consistency
from folkways.records import Metric
from folkways.runs.results.judgements import results_of_runs

ORIGINAL, REPHRASED = (task.name for task in BENCHMARK.tasks)
RIGHT = Metric("accuracy", "Accuracy", "")
OTHER = Metric("sem_b", "SEM-B", "")
MEAN = Metric("f1", "F1", "", "mean")


def inputs(values: dict[str, np.ndarray], cultures: tuple[str, ...], metric: Metric = RIGHT) -> Inputs:
    """One model's answers to the same facts, task by task; values: shape (cultures, facts)."""
    parts = []
    for task, table in values.items():
        rows = [
            (c, f"q{n}", float(table[i, n]))
            for (i, c), n in product(enumerate(cultures), range(table.shape[1]))
        ]
        parts.append(
            pl.DataFrame(rows, schema=["culture", "question", metric.name], orient="row").with_columns(
                item=pl.col("culture") + "/" + pl.col("question"),
                **{
                    name: pl.lit(value)
                    for name, value in {
                        "endpoint": "lab/a", "task": task, "profile": "strict", "language": "en",
                        "variant": "local", "sample": 0, "counted": True, "state": "answered", "answer": "A",
                    }.items()
                },
                reason=pl.lit(None, pl.String),
            )
        )  # fmt: skip
    return Inputs(pl.concat(parts), dict.fromkeys(values, (metric,)))


def drawn(seed: int, shape: tuple[int, int], share: float = 0.5) -> np.ndarray:
    return (np.random.default_rng(seed).random(shape) < share).astype(float)


def test_by_hand_in_one_culture() -> None:
    first, second = np.array([1.0, 1, 1, 0, 0]), np.array([1.0, 1, 0, 1, 0])
    consistency = format_consistency(first, second, np.zeros(5, int), np.arange(5))
    assert consistency is not None and consistency.n == 5
    assert consistency.given_right == pytest.approx(2 / 3)
    # each is expected as often as the other four: 2/4, 2/4, 3/4
    assert consistency.expected == pytest.approx((0.5 + 0.5 + 0.75) / 3)
    covariance = np.cov(first, second)[0, 1]
    assert consistency.excess.difference == pytest.approx(covariance / first.mean())
    assert math.isnan(consistency.excess.p)  # five facts


def test_independence_is_within_a_culture_and_a_culture_of_one_fact_says_nothing() -> None:
    """An easy and a hard culture, right in both formats as a whole: nothing is left beyond that."""
    easy = np.repeat([1.0, 0.0], 20)
    consistency = format_consistency(easy, easy, np.repeat([0, 1], 20), np.arange(40))
    assert consistency is not None
    assert (consistency.given_right, consistency.expected, consistency.excess.difference) == (1.0, 1.0, 0.0)
    pooled = format_consistency(easy, easy, np.zeros(40, int), np.arange(40))
    assert pooled is not None and pooled.expected == pytest.approx(19 / 39) and pooled.excess.p < 1e-6
    alone = np.append(np.repeat([0, 1], 20), 2)
    more = format_consistency(np.append(easy, 1.0), np.append(easy, 0.0), alone, np.arange(41))
    assert more == consistency
    assert format_consistency(np.zeros(12), easy[:12], np.zeros(12, int), np.arange(12)) is None
    assert format_consistency(np.ones(3), np.ones(3), np.arange(3), np.arange(3)) is None


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=3, max_size=20), st.randoms())
def test_the_excess_is_the_covariance_whatever_the_order_of_facts_and_formats(pairs, random) -> None:  # type: ignore[no-untyped-def]
    strata = np.array([random.randrange(2) for _ in pairs])
    first, second = (np.array(side) for side in zip(*pairs, strict=True))
    order = np.array(random.sample(range(len(pairs)), len(pairs)))
    clusters = np.arange(len(pairs))
    one = format_consistency(first, second, strata, clusters)
    moved = format_consistency(first[order], second[order], strata[order], clusters[order])
    back = format_consistency(second, first, strata, clusters)
    if one is None or moved is None or min(first.mean(), second.mean()) < 1e-3:
        return
    assert one.excess.difference == pytest.approx(moved.excess.difference, abs=1e-9)
    assert one.given_right - one.expected == pytest.approx(one.excess.difference, abs=1e-12)
    kept = np.isin(strata, [s for s in (0, 1) if (strata == s).sum() > 1])
    if back is not None and second[kept].sum() > 1e-3:
        scaled = one.excess.difference * first[kept].mean()
        assert back.excess.difference * second[kept].mean() == pytest.approx(scaled, abs=1e-9)


@pytest.mark.parametrize("shared", [False, True])
def test_intervals_hold_the_truth_and_clusters_widen_them(shared: bool) -> None:
    """300 samples of 120 facts, a given_right of 0.8 of a second share of 0.6; shared: each fact three times."""
    rng = np.random.default_rng(5)
    held = 0
    for _ in range(300):
        facts = 40 if shared else 120
        first = (rng.random(facts) < 0.5).astype(float)
        second = (rng.random(facts) < np.where(first == 1, 0.8, 0.4)).astype(float)
        clusters, repeats = np.arange(facts), 3 if shared else 1
        sides = (np.repeat(side, repeats) for side in (first, second))
        consistency = format_consistency(*sides, np.zeros(120, int), np.repeat(clusters, repeats))
        assert consistency is not None
        held += consistency.excess.low <= 0.2 <= consistency.excess.high
    assert 0.92 <= held / 300 <= 0.98


def significant_of(facts: int, ease: tuple[float, ...], studies: int) -> float:
    """How often two formats that are independent within cultures, of so many facts each, are said not to be."""
    rng = np.random.default_rng(6)
    strata = np.repeat(np.arange(len(ease)), facts)
    shares, ps = np.array(ease)[strata], []
    for _ in range(studies):
        sides = ((rng.random(strata.size) < shares).astype(float) for _ in range(2))
        consistency = format_consistency(*sides, strata, np.arange(strata.size))
        ps.append(math.nan if consistency is None else consistency.excess.p)
    return float(np.mean(np.array(ps) < 0.05))


def test_under_independence_one_in_twenty_is_significant() -> None:
    assert 0.025 <= significant_of(25, (0.2, 0.4, 0.6, 0.9), 400) <= 0.08


@pytest.mark.parametrize(
    ("facts", "ease"), [(12, (0.3,)), (30, (0.95,) * 16), (100, (0.95,) * 4), (30, (0.9,))]
)
def test_formats_that_are_easy_or_have_few_facts_are_no_more_often_significant(
    facts: int, ease: tuple[float, ...]
) -> None:
    """With the jackknife's error alone, a third of the studies of two easy formats are."""
    assert significant_of(facts, ease, 200) <= 0.08


def test_a_table_has_both_directions_over_all_and_by_culture() -> None:
    cultures = ("CL", "GB", "ID-JB")
    first, noise = drawn(1, (3, 40)), drawn(2, (3, 40), 0.2)
    second = np.where(noise == 1, 1 - first, first)
    known = inputs({ORIGINAL: first, REPHRASED: second}, cultures)
    assert "format-consistency" in {result.name for result in results_of_runs(known)}
    (table,) = FORMAT_CONSISTENCY.make(known)
    rows = table.rows
    assert rows.height == 2 * (1 + 3) and rows["culture"].null_count() == 2
    assert set(rows.select("first", "second").unique().rows()) == {
        (ORIGINAL, REPHRASED),
        (REPHRASED, ORIGINAL),
    }
    whole = rows.filter(pl.col("culture").is_null(), first=ORIGINAL).row(0, named=True)
    assert whole["given_right"] == pytest.approx(100 * second[first == 1].mean())
    assert whole["first_score"] == pytest.approx(100 * first.mean())
    assert whole["second_score"] == pytest.approx(100 * second.mean()) and whole["facts"] == 120
    chile = rows.filter(culture="CL", first=REPHRASED).row(0, named=True)
    assert (
        chile["given_right"] == pytest.approx(100 * first[0][second[0] == 1].mean()) and chile["facts"] == 40
    )
    of_cultures = rows.filter(pl.col("culture").is_not_null())
    assert of_cultures["p_holm"].min() == pytest.approx(6 * of_cultures["p"].min())  # type: ignore[operator]
    of_all = rows.filter(pl.col("culture").is_null())
    assert of_all["p_holm"].min() == pytest.approx(2 * of_all["p"].min())  # type: ignore[operator]


def test_versions_of_a_question_are_averaged_first() -> None:
    first, second = drawn(3, (1, 30)), drawn(4, (1, 30))
    known = inputs({ORIGINAL: first, REPHRASED: second}, ("CL",))
    again = known.judged.filter(task=ORIGINAL).with_columns(
        item=pl.col("item") + "/2", accuracy=1 - pl.col("accuracy"), variant=pl.lit("local~order-2")
    )
    rows = FORMAT_CONSISTENCY.make(Inputs(pl.concat([known.judged, again]), known.metrics))[0].rows
    row = rows.filter(pl.col("culture").is_null(), first=ORIGINAL).row(0, named=True)
    assert row["first_score"] == pytest.approx(50.0)
    assert row["given_right"] == pytest.approx(100 * second.mean()) and row["facts"] == 30


def test_only_formats_of_one_benchmark_that_say_right_or_wrong_are_compared() -> None:
    values = {ORIGINAL: drawn(1, (1, 30)), REPHRASED: drawn(2, (1, 30))}
    apart = {"x/one": values[ORIGINAL], "y/one": values[REPHRASED]}
    few = {name: table[:, :9] for name, table in values.items()}
    for known in (inputs(apart, ("CL",)), inputs(values, ("CL",), MEAN), inputs(few, ("CL",))):
        assert "format-consistency" not in {result.name for result in results_of_runs(known)}
        with pytest.raises(NotAvailableError, match="share 10 facts"):
            FORMAT_CONSISTENCY.make(known)
    words = inputs({"blend/saq": drawn(1, (1, 30))}, ("CL",), OTHER)
    options = inputs({"blend/mcq": drawn(2, (1, 30))}, ("CL",))
    judged = pl.concat([words.judged, options.judged], how="diagonal")
    both = Inputs(judged, {**words.metrics, **options.metrics})
    assert FORMAT_CONSISTENCY.make(both)[0].rows["second"].unique().sort().to_list() == [
        "blend/mcq",
        "blend/saq",
    ]


def test_the_interval_is_that_of_leaving_one_fact_out_and_half_a_fact_of_each_kind() -> None:
    """Against the jackknife, where the first format is rarely right and much depends on it."""
    rng = np.random.default_rng(8)
    strata = np.repeat([0, 1, 2], 30)
    first = (rng.random(90) < 0.3).astype(float)
    second = (rng.random(90) < np.where(first == 1, 0.95, 0.25)).astype(float)
    facts = np.arange(90)

    def excess(kept: np.ndarray) -> float:
        consistency = format_consistency(first[kept], second[kept], strata[kept], facts[kept])
        assert consistency is not None
        return consistency.excess.difference

    whole = format_consistency(first, second, strata, facts)
    assert whole is not None
    without = np.array([excess(facts != fact) for fact in facts])
    variance = 89 / 90 * ((without - without.mean()) ** 2).sum()
    ways = product((0.0, 1.0), repeat=2)
    pulls = [
        (a - first.mean()) * (b - second.mean() - whole.excess.difference) / first.sum() for a, b in ways
    ]
    error = math.sqrt(variance + 0.5 * sum(pull**2 for pull in pulls))
    assert (whole.excess.low + whole.excess.high) / 2 == pytest.approx(whole.excess.difference, abs=1e-12)
    half = (whole.excess.high - whole.excess.low) / 2
    assert half == pytest.approx(stats.t.ppf(0.975, 89) * error, rel=0.04)


def test_ten_facts_are_enough_and_a_task_is_not_compared_with_itself() -> None:
    values = {ORIGINAL: drawn(1, (1, 10)), REPHRASED: drawn(2, (1, 10))}
    assert FORMAT_CONSISTENCY.make(inputs(values, ("CL",)))[0].rows["facts"].to_list() == [10] * 4
    known = inputs({ORIGINAL: values[ORIGINAL]}, ("CL",))
    local = known.judged.with_columns(language=pl.lit("es"), item=pl.col("item") + "/es")
    apart = Inputs(pl.concat([known.judged, local]), {ORIGINAL: (replace(RIGHT, headline_by="asked_in"),)})
    with pytest.raises(NotAvailableError):
        FORMAT_CONSISTENCY.make(apart)
