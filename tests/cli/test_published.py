"""``folkways published`` as a person asks it."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path

import polars as pl
import pytest

from folkways.benchmarks.published import FIGURES
from tests.support.command_line import folkways
from tests.support.culturalbench_data import rows_of, write_culturalbench


def test_figures_of_a_culture_by_name() -> None:
    done = folkways(
        "published", "--task", "blend/saq", "--culture", "Ethiopia", "--model", "gpt-4", "--format", "csv"
    )
    rows = pl.read_csv(StringIO(done.stdout))
    assert rows.columns == list(FIGURES)
    assert rows.select("place", "language", "score").rows() == [
        ("Table 10", "am", 25.85),
        ("Table 11", "en", 45.97),
    ]


def test_tables_for_people_with_what_is_odd_about_them() -> None:
    text = folkways("published", "--paper", "xcr", "--place", "table 9", "--metric", "hi_csi").stdout
    assert text.startswith("XCR-Bench, Table 9: xcr/identification, hi_csi\nFacts of the paper")
    assert "* The numbers of rows that these scores imply add up to about half of the corpus." in text
    (table,) = json.loads(folkways("published", "--place", "leaderboard", "--format", "json").stdout)[
        "tables"
    ]
    assert len(table["rows"]) == 2 * 11 * 16


@pytest.mark.parametrize(("paper", "place"), [("blend", "table 1"), ("blend", "table 2"), ("xcr", "table 8")])
def test_counts_have_no_decimals(paper: str, place: str) -> None:
    text = folkways("published", "--paper", paper, "--place", place).stdout
    numbers = [word for line in text.split("\n\n")[1].splitlines()[1:] for word in line.split()[1:]]
    assert any(word.isdecimal() for word in numbers) and not any("." in word for word in numbers)


def test_figures_of_the_data_stand_in_one_table_for_each_place() -> None:
    text = folkways("published", "--paper", "blend", "--place", "table 13").stdout
    assert text.startswith("BLEnD, Table 13: of the data (GPT-4)\nFacts of the paper")
    assert "value  score  unnatural  stereotypical  partially correct  refusal  nonsensical" in text
    (row,) = (line.split() for line in text.splitlines() if line.startswith("ET "))
    assert row == ["ET", "27.92", "1.67", "48.33", "15.83", "8.33", "24.17", "4.17"]
    assert text.count("Facts of the paper") == 1


def test_a_run_of_other_data_is_not_put_between_published_models(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    write_culturalbench(tmp_path / "data", *rows_of("Japan"))
    run = (
        "culturalbench/easy",
        "--model",
        "baseline/first",
        "--release",
        str(tmp_path / "data"),
        "-w",
        tmp_path / "w.db",
    )
    assert folkways("run", *run).returncode == 0
    done = folkways("published", "--run", "last", "-w", tmp_path / "w.db")
    assert done.returncode == 0
    assert "baseline/first, culturalbench/easy: published scores are of another state (data " in done.stderr
    assert "No published figure is comparable with these scores." in done.stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--task", "nope"), "unknown task or benchmark 'nope'"),
        (("--metric", "nope"), "unknown metric of published figures: 'nope'"),
        (("--culture", "nope"), "nope"),
        (("--model", "no such model"), "no published figure matches"),
        (("--run", "last", "-w", "nowhere.db"), "there is no workspace"),
    ],
)
def test_wrong_input_is_one_message(arguments: tuple[str, ...], words: str) -> None:
    done = folkways("published", *arguments)
    assert done.returncode == 2
    assert words in done.stderr
    assert "Traceback" not in done.stderr
