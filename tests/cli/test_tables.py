"""``folkways tables blend``: what is shown, in every format, and what is said where data are lacking."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from click.testing import CliRunner, Result

from folkways.api import run
from folkways.benchmarks.blend.results import RESULTS
from folkways.benchmarks.tables import NotAvailableError
from folkways.cli.tables import command
from folkways.endpoints.baselines import BaselineEndpoint
from folkways.errors import FolkwaysError, UnknownNameError
from tests.support.blend_data import write_mcq, write_release

FROM_RUN = ("languages", "category-means", "categories", "category-pairs")

LATER = (
    *FROM_RUN[1:],
    "whose-blend-saq",
    "whose-blend-mcq",
    "consistency-blend-saq",
    "consistency-blend-mcq",
)
"""What only a run gives."""


@pytest.fixture(autouse=True)
def _nothing_fetched(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("FOLKWAYS_DATA", str(tmp_path / "releases"))
    monkeypatch.setenv("COLUMNS", "140")


@pytest.fixture
def release(tmp_path: Path) -> str:
    return str(write_mcq(write_release(tmp_path / "made")))


@pytest.fixture
def workspace(tmp_path: Path, release: str) -> str:
    """A workspace with a run of two endpoints that always say the same."""
    target = str(tmp_path / "folkways.db")
    models = [
        BaselineEndpoint(f"lab/{word}", word, lambda _request, word=word: word) for word in ("tea", "coffee")
    ]  # type: ignore[misc]
    run("blend/saq", models=models, workspace=target, name="constants", releases={"blend": release})
    return target


def invoke(*arguments: str) -> Result:
    return CliRunner().invoke(command, ["blend", *arguments], catch_exceptions=False)


def tables_of(*arguments: str) -> dict[str, dict[str, Any]]:
    return {
        table["name"]: table for table in json.loads(invoke(*arguments, "--format", "json").stdout)["tables"]
    }


def test_everything_that_can_be_made_is_made(release: str) -> None:
    result = invoke("--release", release, "--format", "json")
    made = [table["name"] for table in json.loads(result.stdout)["tables"]]
    assert made == [name for one in RESULTS for name in one.names if name not in (*LATER, "people")]
    for names, remedy in ((", ".join(LATER), "--run"), ("people", "folkways data fetch blend-raw")):
        assert any(
            line.startswith(f"left out: {names} ") and remedy in line for line in result.stderr.splitlines()
        )


def test_without_any_data_the_papers_own_scores_are_left() -> None:
    result = invoke("--format", "json")
    assert [table["name"] for table in json.loads(result.stdout)["tables"]] == [
        "published-means",
        "published-gaps",
        "languages",
        "language-scores",
        "language-means",
        "formats",
    ]
    assert "folkways data fetch blend-june blend" in result.stderr


def test_each_state_stands_beside_the_published_cells(release: str, tmp_path: Path) -> None:
    other = str(write_release(tmp_path / "other"))
    table = tables_of("votes", "--release", release, "--release", other)["votes"]
    rows = pl.DataFrame(table["rows"], infer_schema_length=None)
    assert rows["release"].n_unique() == 2
    assert {"published", "deviation", "reproduced", "low", "high", "n"} <= set(rows.columns)
    assert len([note for note in table["notes"] if "published cells differ" in note]) == 2


def test_numbers_of_the_paper_are_names_too(release: str) -> None:
    assert list(tables_of("2", "8", "--release", release)) == ["statistics", "answers"]
    statistics = tables_of("2", "--release", release)["statistics"]
    wanted = {"format": "mcq", "culture": "KR", "category": "Food", "value": 2}
    assert any(wanted.items() <= row.items() for row in statistics["rows"])


def test_a_cell_that_differs_is_followed_by_the_published_one(release: str) -> None:
    lines = invoke("answers", "--release", release).stdout.splitlines()
    spain = next(line for line in lines if line.startswith("ES"))
    assert "1.00 (4.80)" in spain, "Food"
    assert not any(line.endswith(" ") for line in lines)


def test_the_same_numbers_in_every_format(release: str, tmp_path: Path) -> None:
    rows = tables_of("answers", "--release", release)["answers"]["rows"]
    as_csv = list(
        csv.DictReader(invoke("answers", "--release", release, "--format", "csv").stdout.splitlines())
    )
    assert [float(row["value"]) for row in as_csv] == [row["value"] for row in rows]
    markdown = invoke("answers", "--release", release, "--format", "md").stdout
    assert "| ES | 1.00 (4.80) |" in markdown
    assert "The unit is the question" in markdown
    target = tmp_path / "answers.md"
    result = invoke("answers", "--release", release, "--format", "md", "--out", str(target))
    assert target.read_text(encoding="utf-8") == markdown
    assert result.stdout == ""


def test_several_tables_as_csv_go_to_a_folder(release: str, tmp_path: Path) -> None:
    with pytest.raises(FolkwaysError, match="need a folder"):
        invoke("--release", release, "--format", "csv")
    invoke("votes", "formats", "--release", release, "--format", "csv", "--out", str(tmp_path / "csv"))
    assert {path.name for path in (tmp_path / "csv").iterdir()} == {"votes.csv", "formats.csv"}
    assert pl.read_csv(tmp_path / "csv" / "formats.csv").height == 3 * 17


def test_models_of_a_run(release: str, workspace: str) -> None:
    made = tables_of(*FROM_RUN, "--run", "constants", "-w", workspace, "--release", release)
    assert list(made) == list(FROM_RUN)
    languages = made["languages"]["rows"]
    assert {row["endpoint"] for row in languages} == {"lab/tea", "lab/coffee"}
    coffee = next(row for row in languages if row["endpoint"].endswith("coffee") and row["culture"] == "ES")
    assert coffee["n"] == 3, "the fourth question does not count"
    assert {row["topic"] for row in made["category-means"]["rows"]} == {"Food", "Sport", "Family"}
    assert [row["design"] for row in made["categories"]["rows"]] == ["by question", "as the paper"]


def test_what_is_asked_for_and_cannot_be_made_is_an_error(release: str, workspace: str) -> None:
    with pytest.raises(NotAvailableError, match=r"people: .*blend-raw"):
        invoke("people", "--release", release)
    with pytest.raises(NotAvailableError, match="needs judgements of blend/mcq"):
        invoke("formats", "--run", "constants", "-w", workspace)
    with pytest.raises(UnknownNameError, match="did you mean 'people'"):
        invoke("poeple")
    with pytest.raises(UnknownNameError, match="set of text tools"):
        invoke("overlap", "--text-tools", "best")
    with pytest.raises(UnknownNameError, match="profile of blend/saq"):
        invoke("people", "--profile", "lenient")
    with pytest.raises(FolkwaysError, match="does not exist"):
        invoke("languages", "--out", "nowhere/here/tables.txt")
    with pytest.raises(FolkwaysError, match="profile strict"):
        invoke("languages", "--run", "constants", "-w", workspace, "--profile", "strict")


@pytest.mark.shared
@pytest.mark.nightly
def test_the_human_line_of_the_real_data(shared: Path) -> None:
    table = tables_of(
        "people", "--raw", str(shared / "data" / "blend" / "3c00d45"), "--text-tools", "simple"
    )["people"]
    assert len(table["rows"]) == 16
    assert all(55 < row["low"] < row["sem_b"] < row["high"] < 85 for row in table["rows"])
    assert any("blend@3c00d45" in note for note in table["notes"])
