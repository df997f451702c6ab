"""Culture profiles by hand: differences from each benchmark's own mean, over those that ask, and what is no
part of it."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from folkways.benchmarks.culture_profile import PROFILE
from folkways.benchmarks.results import Inputs, make_results
from folkways.benchmarks.tables import NotAvailableError
from folkways.records import Metric
from folkways.runs.results.judgements import results_of_runs
from folkways.stats.shrinkage import shrink, shrink_differences

RIGHT = Metric("correct", "Accuracy", "")
COUNT = Metric("correct", "Hits", "", bounds=None)
N = 10


def inputs(right: dict[str, dict[str, int]], metric: Metric = RIGHT, endpoint: str = "lab/a") -> Inputs:
    """Task -> culture -> how many of ten questions are right."""
    rows = [
        (endpoint, task, "strict", culture, "en", f"{culture}{n}", True, "answered", float(n < number))
        for task, cultures in right.items()
        for culture, number in cultures.items()
        for n in range(N)
    ]
    columns = (
        "endpoint",
        "task",
        "profile",
        "culture",
        "language",
        "question",
        "counted",
        "state",
        "correct",
    )
    return Inputs(
        judged=pl.DataFrame(rows, schema=list(columns), orient="row"), metrics=dict.fromkeys(right, (metric,))
    )


def made(known: Inputs) -> dict[str, pl.DataFrame]:
    return {table.name.removeprefix("culture-profile-"): table.rows for table in PROFILE.make(known)}


ONE = {"KR": 9, "ET": 5, "US": 1, "WORLD": 10}
TWO = {"KR": 8, "ET": 5, "US": 5, "FR": 6, "JP": 6}


def test_a_culture_is_compared_with_the_mean_of_each_benchmark_and_no_single_country_is_none() -> None:
    rows = made(inputs({"x/one": ONE, "y/one": TWO}))["cultures"]
    assert dict(rows.select("culture", "raw").rows()) == pytest.approx(
        {"KR": (40 + 20) / 2, "ET": (0 - 10) / 2, "US": (-40 - 10) / 2}
    )
    assert rows["benchmarks"].to_list() == [2] * 3 and rows["questions"].to_list() == [2 * N] * 3
    one, two = (
        shrink(np.array(found, float), np.full(len(found), float(N))).mean
        for found in ([9, 5, 1], [8, 5, 5, 6, 6])
    )
    squares = []
    for culture in range(3):
        parts = []
        for share in (one, two):
            own, k = share * (1 - share) / N, share.size
            parts.append(
                (1 - 1 / k) ** 2 * own[culture] + (own.sum() - own[culture]) / k**2
            )  # of x - mean, written out
        squares.append(1e4 * sum(parts) / 4)
    found = shrink_differences(np.array([30.0, -5.0, -25.0]), np.array(squares))
    for name, values in (
        ("difference", found.mean),
        ("low", found.low),
        ("high", found.high),
        ("weight", found.weight),
    ):
        assert rows[name].to_list() == pytest.approx(values.tolist()), name


def test_tasks_of_one_benchmark_are_one_and_do_not_make_it_surer() -> None:
    once, twice = (made(inputs({"x/one": ONE, "y/one": TWO, **more})) for more in ({}, {"x/two": ONE}))
    assert once["cultures"].equals(twice["cultures"])
    other = made(inputs({"x/one": ONE, "y/one": TWO, "x/two": {"KR": 1, "ET": 5, "US": 9}}))["cultures"]
    assert dict(other.select("culture", "raw").rows()) == pytest.approx({"KR": 10.0, "ET": -5.0, "US": -5.0})


def test_a_region_is_the_mean_of_its_cultures_in_each_benchmark() -> None:
    asian = {"KR": 9, "JP": 5, "ET": 4, "KE": 4, "US": 3, "FR": 5}
    tables = made(inputs({"x/one": asian, "y/one": {"KR": 8, "ET": 6, "US": 4}}))
    regions = {row["region"]: row for row in tables["regions"].to_dicts()}
    assert regions["East Asia"]["raw"] == pytest.approx((20 + 20) / 2)  # (70 - 50 and 80 - 60)
    assert regions["Africa"]["raw"] == pytest.approx((-10 + 0) / 2)
    assert [regions[name]["cultures"] for name in ("East Asia", "Africa", "North America")] == [2, 2, 1]
    assert "West Europe" not in regions  # one benchmark alone asks
    assert set(tables["region-benchmarks"]["region"]) >= {"West Europe"}


def test_what_cannot_be_compared_is_left_out_with_the_reason() -> None:
    few = {"KR": 4, "ET": 6}
    for known in (
        inputs({"x/one": ONE}),
        inputs({"x/one": ONE, "y/one": few}),
        inputs({"x/one": ONE, "y/one": TWO}, COUNT),
    ):
        with pytest.raises(
            NotAvailableError, match=r"3 cultures or more in 2 benchmarks or more.*culture-suite-lite"
        ):
            PROFILE.make(known)
    baseline = inputs({"x/one": ONE, "y/one": TWO}, endpoint="baseline/first")
    left_out = make_results(results_of_runs(baseline), baseline)[1]
    assert "not of baselines alone" in left_out["culture-profile"]


def test_it_is_offered_where_there_are_two_benchmarks_and_to_whoever_names_it() -> None:
    known = inputs({"x/one": ONE, "x/two": TWO})
    assert "culture-profile" not in [result.name for result in results_of_runs(known)]
    assert [result.name for result in results_of_runs(known, ["culture-profile"])] == ["culture-profile"]
    assert "culture-profile" in [
        result.name for result in results_of_runs(inputs({"x/one": ONE, "y/one": TWO}))
    ]
