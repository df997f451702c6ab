"""All analyses of a real run: the parity set's systems, replayed on the released corpus, from the command
line's side."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from folkways.api import run
from folkways.benchmarks.results import make_results
from folkways.benchmarks.xcr import BENCHMARK
from folkways.benchmarks.xcr.release import sentence_ids
from folkways.cli.analyse import command
from folkways.runs.results.judgements import load_inputs
from folkways.workspace.database import open_workspace
from folkways.workspace.run_records import find_run

pytestmark = [pytest.mark.shared, pytest.mark.nightly]

OF_RUNS = [result for result in BENCHMARK.results if result.tasks]


@pytest.fixture(scope="module")
def workspace(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A run of two systems, one of them in two ways."""
    folder = tmp_path_factory.mktemp("systems")
    script = shared / "parity" / "xcr" / "make_inputs.py"
    subprocess.run(
        [sys.executable, str(script), str(shared / "data" / "xcr"), str(folder)],
        check=True,
        capture_output=True,
    )
    for name in ("mixA", "mixB"):
        lines = (json.dumps(reply, ensure_ascii=False) for reply in replies(folder / "inputs", name))
        (folder / f"{name}.jsonl").write_text("\n".join(lines), encoding="utf-8")
    first, second = (f"replay:{folder / name}.jsonl" for name in ("mixA", "mixB"))
    target = str(folder / "folkways.db")
    run(
        "xcr",
        models=[first, second, f"{first}?reasoning_effort=high"],
        workspace=target,
        name="systems",
        releases={"xcr": str(shared / "data" / "xcr")},
    )
    return target


def replies(inputs: Path, system: str) -> Iterator[dict[str, str]]:
    def table(path: str) -> tuple[list[str], list[dict[str, str]]]:
        with (inputs / path).open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        return sentence_ids([row["Sentence"] for row in rows]), rows

    for task, short in (("identification", "id"), ("prediction", "pr")):
        for item, row in zip(*table(f"{task}/{short}_{system}.csv"), strict=True):
            yield {"task": f"xcr/{task}", "item": item, "response": row["CSI Output"]}
    for cultures, name in ((["ARAB"], "arabic"), (["CN"], "chinese"), (["IN-WB", "BD"], "bengali")):
        for item, row in zip(*table(f"adaptation/{name}_{system}.csv"), strict=True):
            for culture in cultures:
                yield {"task": "xcr/adaptation", "item": f"{culture}/{item}", "response": row["Raw"]}


@pytest.fixture(scope="module")
def tables(workspace: str) -> dict[str, dict[str, Any]]:
    done = CliRunner().invoke(
        command, ["systems", "-w", workspace, "--format", "json"], catch_exceptions=False
    )
    assert done.exit_code == 0
    assert "left out" not in done.stderr
    return {table["name"]: table for table in json.loads(done.stdout)["tables"]}


def test_every_analysis_gives_tables_that_state_their_unit(tables: dict[str, dict[str, Any]]) -> None:
    assert len(tables) >= len(OF_RUNS)
    assert all("unit" in table["unit"].lower() and table["rows"] for table in tables.values())
    counts = ("n", "questions", "sentences", "n_west_bengal", "best_n")
    assert all(any(name in row for name in counts) for table in tables.values() for row in table["rows"])


@pytest.mark.parametrize("seeds", [1, pytest.param(5, marks=pytest.mark.nightly)])
def test_whatever_was_judged_gives_tables_or_says_what_is_lacking(workspace: str, seeds: int) -> None:
    database = open_workspace(workspace, create=False)
    whole = load_inputs(database, [find_run(database, "systems")])
    for size in (1, 2, 5, 20, 60):
        for seed in range(seeds):
            some = replace(whole, judged=whole.judged.sample(size, seed=seed))
            made, left_out = make_results(OF_RUNS, some)
            assert {one.result.name for one in made} | set(left_out) == {result.name for result in OF_RUNS}
            assert all(left_out.values())
            assert all(table.rows.height for one in made for table in one.tables)


def test_groups_add_up_to_the_corpus(tables: dict[str, dict[str, Any]]) -> None:
    rows = [
        row
        for row in tables["csi-categories"]["rows"]
        if row["metric"] == "si_csi" and "mixB" in row["endpoint"]
    ]
    assert sum(row["n"] for row in rows if row["category"] != "all") == 1034
    assert next(row for row in rows if row["category"] == "Cultural Value")["n"] == 26


def test_the_same_replies_make_no_difference_of_reasoning(tables: dict[str, dict[str, Any]]) -> None:
    assert {row["difference"] for row in tables["reasoning"]["rows"]} == {0.0}
    assert {row["more"] for row in tables["reasoning"]["rows"]} == {"high"}


def test_someone_equally_good_in_both_cultures_seems_biased(tables: dict[str, dict[str, Any]]) -> None:
    controls = {
        (row["endpoint"], row["measure"], row["who"]): row for row in tables["regional-control"]["rows"]
    }
    copies = [row for (_, _, who), row in controls.items() if who == "copies the gold"]
    assert copies and all(
        row["difference"] > 0 and row["no_items_bangladesh"] > row["no_items_west_bengal"] for row in copies
    )


def test_the_two_examples_are_left_out_of_every_task(tables: dict[str, dict[str, Any]]) -> None:
    rows = tables["prompt-examples"]["rows"]
    assert {row["task"] for row in rows} == {"xcr/identification", "xcr/prediction", "xcr/adaptation"}
    assert {row["examples"] for row in rows} == {2}
    assert {row["n"] - row["n_without"] for row in rows if row["task"] == "xcr/identification"} == {2}


def test_strategies_have_one_spelling(tables: dict[str, dict[str, Any]]) -> None:
    names = {row["strategy"] for row in tables["strategies"]["rows"]}
    assert "Label" in names
    assert not {"Labeling", "Cultural Equivalent (Method 2)", "2. Cultural Equivalent"} & names
    assert "Couplet (Label + Transference)" in names
