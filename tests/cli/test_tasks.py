"""``folkways tasks``: what is listed is what is there, and nothing in a task's own words acts as markup."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from click.testing import CliRunner

from folkways.benchmarks.registry import all_suites, tasks
from folkways.cli.tasks import command
from folkways.errors import UnknownNameError


def printed(*arguments: str) -> str:
    return CliRunner().invoke(command, list(arguments), catch_exceptions=False).output


def listed(*arguments: str) -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = json.loads(printed(*arguments, "--json"))
    return entries


def test_every_task_of_every_benchmark_is_listed() -> None:
    names = [entry["name"] for entry in listed()]
    assert names == list(tasks())
    assert {"blend/saq", "blend/mcq", "culturalbench/easy", "culturalbench/hard"} <= set(names)
    assert {f"xcr/{task}" for task in ("identification", "prediction", "adaptation")} <= set(names)
    assert {name.split("/")[0] for name in names} >= {"blend", "culturalbench", "demo", "xcr"}


def test_json_says_what_a_task_measures() -> None:
    (entry,) = listed("demo/true-false")
    assert entry["benchmark"] == entry["release"] == "demo"
    assert [metric["name"] for metric in entry["metrics"]] == ["all_right", "right"]
    assert entry["profiles"] == ["strict"]
    assert entry["facets"] == ["topic"]


def test_the_table_has_one_row_per_task() -> None:
    lines = printed().splitlines()
    for name in tasks():
        assert sum(line.startswith(f"{name} ") for line in lines) == 1, name


def test_both_tables_have_headings_over_all_columns_and_every_suite_a_row() -> None:
    lines = printed().splitlines()
    headings = [line for line in lines if line.split()[:1] in (["task"], ["suite"])]
    assert [re.split(r"\s{2,}", line.strip()) for line in headings] == [
        ["task", "what it measures", "headline", "profiles"],
        ["suite", "what it is"],
    ]
    for name in all_suites():
        assert sum(line.startswith(f"{name} ") for line in lines[lines.index(headings[1]) :]) == 1, name


def test_a_benchmarks_name_stands_for_its_tasks_in_full() -> None:
    output = printed("demo")
    for task in tasks().values():
        assert (task.title in output) == (task.benchmark == "demo")
    assert "SI-CSI (si_csi): " in output
    assert "grouped by: culture, language, variant, topic" in output


def test_an_unknown_name_is_answered_with_the_valid_ones() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'demo/mcq'"):
        printed("demo/mqc")
