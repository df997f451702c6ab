"""``folkways analyse``: what runs allow, what they do not, and where it is written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from folkways.api import run
from folkways.benchmarks.registry import benchmarks
from folkways.cli.analyse import command
from folkways.endpoints.baselines import BaselineEndpoint
from folkways.errors import FolkwaysError, UnknownNameError
from folkways.evidence.groups import OF_ANY_BENCHMARK
from tests.support.blend_data import write_release


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A workspace with a run of two endpoints that always say the same; it is only read."""
    folder = tmp_path_factory.mktemp("analysed")
    target = str(folder / "folkways.db")
    release = str(write_release(folder / "made"))
    models = [
        BaselineEndpoint(f"lab/{word}", word, lambda _request, word=word: word) for word in ("tea", "coffee")
    ]  # type: ignore[misc]
    run("blend/saq", models=models, workspace=target, name="constants", releases={"blend": release})
    return target


@pytest.fixture
def workspace(stored: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """``stored``, where nothing was fetched, on a terminal of 140 columns."""
    monkeypatch.setenv("FOLKWAYS_DATA", str(tmp_path / "releases"))
    monkeypatch.setenv("COLUMNS", "140")
    return stored


def analyse(*arguments: str) -> Result:
    """What the command prints; errors are raised."""
    return CliRunner().invoke(command, list(arguments), catch_exceptions=False, standalone_mode=False)


def test_the_newest_run_is_analysed_and_what_is_left_out_is_said(workspace: str) -> None:
    result = analyse("--workspace", workspace)
    assert "Local language against English" in result.output
    assert "left out: formats" in result.output
    assert "blend/mcq" in result.output


def test_a_named_analysis_that_the_run_does_not_allow_is_an_error(workspace: str) -> None:
    with pytest.raises(FolkwaysError, match=r"formats: .*blend/mcq"):
        analyse("constants", "--workspace", workspace, "--only", "formats")


def test_an_unknown_analysis_names_those_there_are(workspace: str) -> None:
    with pytest.raises(UnknownNameError, match="languages"):
        analyse("--workspace", workspace, "--only", "langauges")


def test_json_has_every_row_with_its_unit(workspace: str, tmp_path: Path) -> None:
    out = tmp_path / "languages.json"
    analyse("--workspace", workspace, "--only", "languages", "--format", "json", "--out", str(out))
    table, scores, means = json.loads(out.read_text(encoding="utf-8"))["tables"]
    assert (scores["name"], means["name"]) == ("language-scores", "language-means")
    assert {row["endpoint"] for row in table["rows"]} == {"lab/tea", "lab/coffee"}
    assert "question" in table["unit"]


def test_figures_are_files_and_people_read_short_names(workspace: str, tmp_path: Path) -> None:
    folder = tmp_path / "figures"
    table = analyse("--workspace", workspace, "--only", "languages", "--figures", str(folder))
    assert {path.name for path in folder.iterdir()} >= {"language-scores-1.svg", "language-means.svg"}
    svg = (folder / "language-scores-1.svg").read_text(encoding="utf-8")
    assert "Figures 3a and 13" in svg and "SEM-B, %" in svg and "Runs: " in svg and "Data: " in svg
    assert "lab/tea" not in table.output and "tea" in table.output, (
        "a table for people, as the figures have it"
    )


def test_every_analysis_is_listed_and_unique_within_its_benchmark() -> None:
    listed = analyse("--list").output
    for benchmark in benchmarks().values():
        names = [result.name for result in benchmark.results]
        assert len(set(names)) == len(names)
        assert all(result.name in listed for result in benchmark.results if result.tasks)
    of = {
        row["analysis"]: (row["benchmark"], row["of"])
        for row in json.loads(analyse("--list", "--json").output)
    }
    for result in OF_ANY_BENCHMARK:
        several = result.across_benchmarks
        assert of[result.name] == (("several", "two benchmarks or more") if several else ("any", "any task"))
    assert {of[result.name][0] for result in OF_ANY_BENCHMARK} == {"several", "any"}


def test_an_analysis_of_several_tables_as_csv_needs_a_folder(workspace: str, tmp_path: Path) -> None:
    chosen = ("--workspace", workspace, "--only", "categories", "--format", "csv")
    with pytest.raises(FolkwaysError, match="need a folder"):
        analyse(*chosen)
    analyse(*chosen, "--out", str(tmp_path / "csv"))
    assert {path.name for path in (tmp_path / "csv").iterdir()} == {
        "category-means.csv",
        "categories.csv",
        "category-pairs.csv",
    }
