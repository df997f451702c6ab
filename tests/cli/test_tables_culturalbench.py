"""folkways tables culturalbench: counts of any release, and the people of one that was built here."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from click.testing import CliRunner, Result

from folkways.benchmarks.culturalbench.build.from_votes import build_from_votes
from folkways.benchmarks.culturalbench.votes_files import write_votes
from folkways.cli.tables import command
from folkways.errors import FolkwaysError, UnknownNameError
from tests.support.culturalbench_data import write_culturalbench
from tests.support.votes_data import large_collection


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("built")
    write_votes(large_collection(40), folder / "votes")
    build_from_votes("easy", [folder / "votes"], folder / "mine")
    return folder / "mine"


def tables(*arguments: object) -> Result:
    return CliRunner().invoke(command, ["culturalbench", *map(str, arguments)], catch_exceptions=False)


def test_all_that_can_be_made_of_a_build(built: Path) -> None:
    done = tables("--release", built, "--format", "json")
    assert done.exit_code == 0, done.output
    made = {table["name"]: table["rows"] for table in json.loads(done.stdout)["tables"]}
    assert list(made) == ["questions", "words", "people"]
    record = json.loads((built / "build.json").read_text())
    assert made["questions"][0]["questions"] == record["questions"]
    whole = made["people"][0]
    assert (whole["country"], whole["annotators"]) == ("all", 12)
    assert 70 < whole["low"] < whole["right"] < whole["high"] <= 100
    assert f"{whole['right']:.1f} % right" in (built / "README.md").read_text()


def test_a_release_without_votes_has_no_people(tmp_path: Path) -> None:
    write_culturalbench(tmp_path)
    done = tables("--release", tmp_path)
    assert done.exit_code == 0, done.output
    assert "left out: people (" in done.stderr
    assert "The human line" not in done.stdout
    with pytest.raises(FolkwaysError, match="does not tell what single people chose"):
        tables("people", "--release", tmp_path)


def test_topics_from_a_file_or_from_the_release(built: Path, tmp_path: Path) -> None:
    first = pl.read_csv(built / "CulturalBench-Easy.csv")["question_idx"][0]
    path = tmp_path / "topics.csv"
    path.write_text(f"question_idx,topic,head\n{first},Tea,Life\n")
    for folder in (None, built):
        if folder is not None:
            (folder / "topics.csv").write_text(path.read_text())
        options = ("--topics", path) if folder is None else ()
        done = tables("questions", "--release", built, "--format", "json", *options)
        rows = json.loads(done.stdout)["tables"][0]["rows"]
        assert [row["questions"] for row in rows if row["value"] == "Tea"] == [1]
    (built / "topics.csv").unlink()
    assert "Topics are not known" in tables("questions", "--release", built).stdout


def test_what_is_wrong_is_said(built: Path) -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'people'"):
        tables("poeple", "--release", built)
    with pytest.raises(FolkwaysError, match=r"there is no file of topics none\.csv"):
        tables("--release", built, "--topics", "none.csv")
