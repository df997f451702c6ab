"""One package that is broken costs a line of warning, and nothing of any other benchmark."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from folkways.benchmarks.results import Inputs, Result, make_results
from folkways.benchmarks.tables import Table
from tests.support.benchmark_packages import RECORD, installed, package
from tests.support.command_line import environment, folkways, folkways_process

INIT, TOML = "__init__.py", "records/NAME-1.toml"

BROKEN = {
    "no licence": ((TOML, 'licence = "Apache-2.0"\n', ""), "markets-1.toml", "lacks the key 'licence'"),
    "a key misspelt": ((TOML, "about =", "abuot ="), "unknown key 'abuot'; did you mean 'about'?", "in markets"),
    "no table of files": ((TOML, 'files = [{ path = "questions.csv", remote = "questions.csv" }]', 'files = ["questions.csv"]'), "key 'files', entry 1", "has to be a table"),
    "a key of a file misspelt": ((TOML, "remote =", "remot ="), "key 'files', entry 1: unknown key 'remot'", "did you mean 'remote'?"),
    "a number for a text": ((TOML, 'revision = "1"', "revision = 1"), "key 'revision': 1 has to be a text", "markets-1.toml"),
    "a text for a list": ((TOML, 'languages = ["en"]', 'languages = "en"'), "key 'languages': 'en' has to be a list", "markets-1.toml"),
    "a source of its own": ((TOML, 'source = "package"', 'source = "disk"'), "key 'source': 'disk' is not one of github, hub, package", "markets-1.toml"),
    "no TOML": ((TOML, "", "name = = 3"), "is not valid TOML", "markets-1.toml"),
    "the name of one of ours": ((TOML, 'name = "NAME@1"', 'name = "demo@1"'), "'demo@1' is a release of records/", "choose another name"),
    "an alias of one of ours": ((TOML, 'aliases = ["NAME"]', 'aliases = ["blend"]'), "'blend' is a release of records/", "choose another name"),
    "a syntax error": ((INIT, "class Words(ItemwiseTask):", "class Words(ItemwiseTask)"), "cannot be loaded (SyntaxError", "uninstall"),
    "an import that fails": ((INIT, "import csv", "import csvv"), "No module named 'csvv', markets/__init__.py, line 3", "uninstall"),
    "an exception at import": ((INIT, "import csv", "import csv\n\n1 / 0"), "ZeroDivisionError: division by zero, markets/__init__.py, line 5", "uninstall"),
    "an end of the program at import": ((INIT, "import csv", "import csv, sys\n\nsys.exit('no key')"), "SystemExit: no key", "uninstall"),
    "nothing of that name": ((INIT, "BENCHMARK = Benchmark", "BENCHMARKS = Benchmark"), "BENCHMARK", "uninstall"),
    "tasks that are classes": ((INIT, "(Choice(), Own(), Words())", "(Choice, Own, Words)"), "write Choice()", "uninstall"),
    "one task without its comma": ((INIT, "(Choice(), Own(), Words())", "(Words())"), "mind the comma", "uninstall"),
    "a method left out": ((INIT, "    def rows(self, release):\n        for row in read(release):\n            right =", "    def raws(self, release):\n        for row in read(release):\n            right ="), "abstract method", "rows"),
    "no metrics": ((INIT, '    metrics = (Metric("correct", "Accuracy", "The reply has the answer."),)\n', ""), "markets/words: declares no metrics", "uninstall"),
    "two metrics of one name": ((INIT, 'Metric("near"', 'Metric("correct"'), "two metrics are called 'correct'", "uninstall"),
    "a metric of a column's name": ((INIT, 'Metric("near"', 'Metric("state"'), "a metric cannot be called 'state'", "uninstall"),
}  # fmt: skip
OF_EACH_KIND = {"no TOML", "the name of one of ours", "an exception at import", "no metrics"}
"""One each in reading a record, a registry, a module and what is declared: beside these a run is tried every time."""


@pytest.mark.parametrize("why", BROKEN)
def test_a_broken_package_costs_one_line(tmp_path: Path, why: str) -> None:
    (file, old, new), *parts = BROKEN[why]
    package(tmp_path, edits={file: (old, new)})
    with installed(tmp_path):
        done = folkways(*(("data", "list") if file == TOML else ("tasks",)))
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    (line,) = [line for line in done.stderr.splitlines() if line.startswith("warning:")]
    for part in parts:
        assert part in line


@pytest.mark.parametrize(
    "why", [pytest.param(why, marks=() if why in OF_EACH_KIND else pytest.mark.nightly) for why in BROKEN]
)
def test_a_run_of_ours_goes_on_beside_a_broken_package(tmp_path: Path, why: str) -> None:
    (file, old, new), *_ = BROKEN[why]
    package(tmp_path, edits={file: (old, new)})
    run = ("run", "demo/mcq", "--model", "baseline/first", "--limit", "2", "--workspace", tmp_path / "w.db")
    with installed(tmp_path):
        done = folkways(*run)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    assert len([line for line in done.stderr.splitlines() if line.startswith("warning:")]) <= 1


def test_of_two_packages_with_one_name_the_first_stays_and_ours_before_all(tmp_path: Path) -> None:
    package(tmp_path / "a", "markets", distribution="aaa")
    package(tmp_path / "z", "markets", distribution="zzz")
    package(tmp_path / "d", "demo-taken", entry="[folkways.benchmarks]\ndemo = demo_taken:BENCHMARK\n")
    with installed(tmp_path / "z", tmp_path / "a", tmp_path / "d"):
        done = folkways("tasks", "demo", "markets")
    assert done.returncode == 0
    assert "Demo: multiple choice" in done.stdout
    first, second = done.stderr.splitlines()
    assert (
        "the benchmark 'demo' of the package demo-taken is left out: the package folkways has one of that name"
        in first
    )
    assert (
        "the benchmark 'markets' of the package zzz is left out: the package aaa has one of that name"
        in second
    )


def test_an_entry_point_to_nothing_is_told_and_a_name_of_ours_is_no_alias_of_others(tmp_path: Path) -> None:
    package(tmp_path, entry="[folkways.benchmarks]\nmarkets = \n")
    package(tmp_path / "b", "alias", {INIT: ('"Markets", (', '"Markets", aliases=("demo",), tasks=(')})
    with installed(tmp_path, tmp_path / "b"):
        demo = folkways("tasks", "demo", "--json")
    path = f"{tmp_path}:{tmp_path / 'b'}:{environment().get('PYTHONPATH', '')}"
    done = folkways_process("tasks", "demo/mcq", env=environment(PYTHONPATH=path))
    assert {task["benchmark"] for task in json.loads(demo.stdout)} == {"demo"}
    assert (done.returncode, "Demo: multiple choice" in done.stdout) == (0, True), done.stderr
    assert done.stderr.splitlines() == [
        "warning: the benchmark 'markets' of the package markets is left out: its entry point '' is not "
        "MODULE:NAME; repair or uninstall that package"
    ]


def test_the_traceback_is_shown_to_those_who_ask_for_it(tmp_path: Path) -> None:
    package(tmp_path, edits={INIT: ('row["topic"]', 'row["subject"]')})
    env = {**environment(), "FOLKWAYS_DEBUG": "1"}
    run = ("run", "markets/own", "--model", "baseline/first", "--workspace", tmp_path / "w.db")
    env["PYTHONPATH"] = f"{tmp_path}:{env.get('PYTHONPATH', '')}"
    done = folkways_process(*run, env=env)
    assert "Traceback" in done.stderr and "KeyError: 'subject'" in done.stderr
    assert done.stderr.splitlines()[-2].startswith(
        "error: markets/own of the package markets failed in rows()"
    )


def test_a_sound_record_is_read(tmp_path: Path) -> None:
    package(tmp_path, edits={TOML: ("", RECORD + "items_may_leave = false\n")})
    with installed(tmp_path):
        done = folkways("data", "list")
    assert "markets@1" in done.stdout and not done.stderr


def test_a_result_that_fails_is_left_out_and_named_and_the_others_are_made() -> None:
    def broken(_inputs: Inputs) -> Sequence[Table]:
        raise KeyError("culture")

    broken.__module__ = "markets.results"
    sound = Result("sound", "Sound", lambda _inputs: (), "")
    made, left_out = make_results([Result("shares", "Shares", broken, ""), sound], Inputs())
    assert [one.result.name for one in made] == ["sound"]
    assert left_out == {"shares": "its code failed: KeyError: 'culture'"}
