"""Ratios and goals from results whose answers are known."""

from __future__ import annotations

from dataclasses import replace

import pytest

from perf.engine.measure import Usage
from perf.engine.session import START_REQUESTS, Result
from perf.engine.table import Goal, goals_table, results_table


def result(client: str, requests: int, cpu: float, peak: float = 100.0, start: float = 1.0) -> Result:
    return Result(client, client, "1.0", requests, Usage(cpu, cpu, peak, peak, 1), start, "")


RESULTS = [
    result("floor", 10_000, 1.5),
    result("floor", 80_000, 10.0),
    result("folkways", 10_000, 4.0),
    result("folkways", 80_000, 18.0, peak=150.0),
    result("lm-eval", 80_000, 120.0, peak=1350.0),
    result("inspect", 2_000, 5.0 + 0.02 * (2_000 - START_REQUESTS), start=5.0),
]


def cells(table: str, beginning: str) -> list[str]:
    (line,) = [line for line in table.splitlines() if line.startswith(f"| {beginning}")]
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_goals_are_judged_at_the_largest_shared_number() -> None:
    table = goals_table(RESULTS, 0.05)
    assert cells(table, "CPU beside plain aiohttp")[1:] == ["1.80x", "at most 1.3x", "NO"]
    assert cells(table, "CPU saved beside lm-evaluation-harness")[1:] == ["6.67x", "at least 4x", "yes"]
    assert cells(table, "memory saved beside lm-evaluation-harness")[1:] == ["9.00x", "at least 6x", "yes"]
    assert cells(table, "CPU per request saved beside Inspect AI")[1:] == ["88.89x", "at least 40x", "yes"]
    assert cells(table, "peak memory")[1:] == ["150 MB", "at most 220 MB", "yes"]


def test_what_was_not_measured_is_not_met() -> None:
    table = goals_table([entry for entry in RESULTS if entry.client == "floor"], None)
    assert [line.split("|")[2:5] for line in table.splitlines()[2:]]
    assert all(line.endswith("| - |") for line in table.splitlines()[2:])


def test_floor_ratio_is_at_the_same_number_of_requests() -> None:
    table = results_table(RESULTS)
    ratios = {
        tuple(row[i].strip() for i in (1, 3)): row[8].strip()
        for row in (line.split("|") for line in table.splitlines()[2:])
    }
    assert ratios["folkways", "10,000"] == "2.67"
    assert ratios["folkways", "80,000"] == "1.80"
    assert ratios["inspect", "2,000"] == ""


def test_when_the_first_request_came() -> None:
    early = replace(RESULTS[0], first=0.254)
    of_table = [line.split("|")[10].strip() for line in results_table([early, RESULTS[2]]).splitlines()]
    assert of_table == ["first request after s", "---", "0.25", ""]


@pytest.mark.parametrize(("value", "met"), [(2.0, True), (2.01, False), (None, None)])
def test_bounds(value: float | None, met: bool | None) -> None:
    assert Goal("x", value, "x", most=2.0).met is met
