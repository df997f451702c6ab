"""``folkways tables xcr``: what is shown, in every format, and the merged Bengali file."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import polars as pl
import pytest
from click.testing import CliRunner, Result

from folkways.benchmarks.xcr.release import ADAPTATION_FILES
from folkways.benchmarks.xcr.results import RESULTS
from folkways.cli.tables import command
from folkways.errors import FolkwaysError, UnknownNameError
from tests.support.xcr_data import ARAB, write_csv, write_small_corpus


@pytest.fixture
def corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("FOLKWAYS_DATA", str(tmp_path / "releases"))
    monkeypatch.setenv("COLUMNS", "140")
    folder = tmp_path / "corpus"
    folder.mkdir()
    write_small_corpus(folder)
    return str(folder)


def tables(*arguments: str) -> Result:
    return CliRunner().invoke(command, ["xcr", *arguments], catch_exceptions=False)


def test_all_tables_are_made(corpus: str) -> None:
    document = json.loads(tables("--release", corpus, "--format", "json").stdout)
    assert [table["name"] for table in document["tables"]] == [
        result.name for result in RESULTS if not result.tasks and not result.if_named
    ]
    assert all(table["rows"] and table["unit"] for table in document["tables"])


def test_the_same_numbers_for_people_and_for_programs(corpus: str) -> None:
    rows = list(
        csv.DictReader(tables("figure-3", "--release", corpus, "--format", "csv").stdout.splitlines())
    )
    semi_visible = next(
        row for row in rows if row["category"] == "Social Tradition" and row["level"] == "Semi-visible"
    )
    assert semi_visible["value"] == "2"
    line = next(
        line
        for line in tables("figure-3", "--release", corpus).stdout.splitlines()
        if line.startswith("Social Tradition")
    )
    assert line.split() == ["Social", "Tradition", "0", "2", "0"]


def test_the_merged_bengali_file_is_written(corpus: str, tmp_path: Path) -> None:
    for culture in ("IN-WB", "BD"):
        write_csv(Path(corpus) / ADAPTATION_FILES[culture], ARAB)
    target = tmp_path / "bengali.csv"
    done = tables("bengali", "--release", corpus, "--format", "csv", "--out", str(target))
    assert str(target) in done.stderr
    merged = pl.read_csv(target)
    assert merged["Sentence"].to_list() == [row[0] for row in ARAB[1:]]
    assert merged["Intra-lingual (Hindu)"].equals(
        merged["Intra-lingual (Muslim)"].alias("Intra-lingual (Hindu)")
    )


def test_figures_are_drawn_or_the_tables_without_any_are_an_error(corpus: str, tmp_path: Path) -> None:
    tables("figure-3", "--release", corpus, "--figures", str(tmp_path))
    assert "Figure 3: categories and Hall levels" in (tmp_path / "category-levels.svg").read_text("utf-8")
    with pytest.raises(FolkwaysError, match="none of these tables has a figure"):
        tables("size", "--release", corpus, "--figures", str(tmp_path))


def test_what_cannot_be_made_is_an_error(corpus: str, tmp_path: Path) -> None:
    with pytest.raises(FolkwaysError, match="folkways data fetch"):
        tables("size")
    with pytest.raises(UnknownNameError, match="figure-3"):
        tables("figure-2", "--release", corpus)
    with pytest.raises(FolkwaysError, match="has no file xcr_bench_bengali"):
        tables("bengali", "--release", corpus)


def test_categories_stand_where_table_5_has_them(corpus: str) -> None:
    rows = list(csv.DictReader(tables("5", "--release", corpus, "--format", "csv").stdout.splitlines()))
    by_category = {row["category"]: row for row in rows}
    assert by_category["Workplace Culture"]["liu"] == "Social.Communicative Goals"
    assert {row["newmark"] for row in rows} == {"Social Culture", "Organisations, Customs and Ideas"}
    assert [name for name, row in by_category.items() if row["newmark"] == "Social Culture"] == [
        "Social Etiquette",
        "Sports Tradition",
        "Workplace Culture",
    ]
    assert by_category["Social Tradition"]["value"] == "2"
