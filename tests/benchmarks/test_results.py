"""Results by name, and the published figures beside them: of a benchmark made up here."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

import polars as pl
import pytest

from folkways.benchmarks.published import OF_PLACES, PRINTED, PublishedFigures, beside_published
from folkways.benchmarks.registry import benchmarks
from folkways.benchmarks.results import DataNeed, Inputs, Result, make_tables
from folkways.benchmarks.tables import NotAvailableError, Table
from folkways.errors import DataError, UnknownNameError

CORPUS = DataNeed("corpus", "The corpus.", ("a-corpus",))


def table(name: str) -> Table:
    return Table(name, name.title(), "Counts.", pl.DataFrame({"value": [1.0]}))


def of_no_data(inputs: Inputs) -> Sequence[Table]:
    return [table(str(inputs.data_of(CORPUS)))]


def test_tables_are_asked_for_by_name_or_number_and_a_result_is_made_once() -> None:
    made: list[Inputs] = []

    def several(inputs: Inputs) -> Sequence[Table]:
        made.append(inputs)
        return [table("votes"), table("answers")]

    results = [Result("people", "People", several, tables=("votes", "answers"), aliases={"8": "answers"})]
    for names, expected in ((["8", "votes"], ["answers", "votes"]), (["people"], ["votes", "answers"])):
        found, left_out = make_tables(results, names, Inputs())
        assert ([one.name for one in found], left_out) == (expected, {})
    assert len(made) == 2
    with pytest.raises(UnknownNameError, match="did you mean 'answers'"):
        make_tables(results, ["votes", "anwsers"], Inputs())


def test_what_is_lacking_is_said_under_the_name_that_was_asked_for() -> None:
    results = [Result("size", "Size", of_no_data, needs=(CORPUS,), aliases={"1": "size"})]
    found, left_out = make_tables(results, ["1"], Inputs())
    assert found == [] and "folkways data fetch a-corpus" in left_out["1"]


def test_a_result_of_scores_asks_for_a_run_unless_it_can_do_without() -> None:
    def own(inputs: Inputs) -> Sequence[Table]:
        return [table("asked" if inputs.asked else "published")]

    of_run = Result("one", "One", own, tasks=("demo/mcq",))
    of_paper = Result("two", "Two", own, tasks=("demo/mcq",), without_run=True)
    found, left_out = make_tables([of_run, of_paper], ["one", "two"], Inputs())
    assert [one.name for one in found] == ["published"]
    assert "folkways run demo/mcq" in left_out["one"]
    other = pl.DataFrame({"task": ["other/mcq"]}).join(Inputs().judged.drop("task"), how="cross")
    other = pl.concat(
        [other, pl.DataFrame({"task": ["other/mcq"], "endpoint": ["lab/m"], "counted": [True]})],
        how="diagonal",
    )
    assert make_tables([of_paper], ["two"], Inputs(judged=other))[0] == [], (
        "a run of something else is no reason to show the paper's"
    )


def test_heading() -> None:
    assert Result("one", "One", of_no_data, "Table 1").heading == "One (Table 1)"
    assert Result("one", "One", of_no_data).heading == "One"


@pytest.fixture
def figures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Path:
    """The folder of a package with two printed numbers, and its name."""
    folder = tmp_path / f"figures_{abs(hash(request.node.name))}"
    folder.mkdir()
    rows = [
        "Table 1,,size,data,,culture+topic,KR+Food,,1.25,mean",
        "Table 2,demo/mcq,accuracy,model,M,all,all,en,50,percent",
    ]
    (folder / "figures.csv").write_text("\n".join([",".join(PRINTED), *rows]) + "\n")
    (folder / "places.toml").write_text(
        'data = "demo@1"\nprofile = "paper"\n[places."Table 2"]\nprofile = "strict"\nnote = "odd"\n'
    )
    (folder / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    return folder


def test_figures_have_what_is_said_of_their_place(figures: Path) -> None:
    found = PublishedFigures(figures.name).figures()
    assert list(found.columns) == [*PRINTED, *OF_PLACES]
    assert found.select("data", "profile", "variants", "note").rows() == [
        ("demo@1", "paper", "", ""),
        ("demo@1", "strict", "", "odd"),
    ]
    assert PublishedFigures(figures.name).figures("Table 2")["model"].to_list() == ["M"]


def test_cells_stand_beside_what_was_recomputed(figures: Path) -> None:
    cells = PublishedFigures(figures.name).cells("Table 1", "culture", "topic")
    rows = pl.DataFrame({"culture": ["KR", "KR"], "topic": ["Food", "Sport"], "value": [1.254, 2.0]})
    compared = beside_published(rows, cells, ["culture", "topic"])
    assert compared["published"].to_list() == [1.25, None]
    assert compared["reproduced"].to_list() == [True, None]
    assert beside_published(rows, cells, ["culture", "topic"], decimals=3)["reproduced"].to_list() == [
        False,
        None,
    ]
    with pytest.raises(DataError, match="topic"):
        beside_published(rows.drop("topic"), cells, ["culture", "topic"])


def test_figures_that_cannot_be_read_name_their_package(figures: Path) -> None:
    (figures / "places.toml").write_text("data = ")
    with pytest.raises(DataError, match=figures.name):
        PublishedFigures(figures.name).figures()


def test_data_that_nobody_publishes_is_named_by_its_option() -> None:
    with pytest.raises(NotAvailableError, match="--corpus"):
        Inputs().data_of(DataNeed("corpus", "The corpus."))


def test_a_benchmark_with_published_figures_names_them() -> None:
    for name, benchmark in benchmarks().items():
        folder = files(f"folkways.benchmarks.{name.replace('-', '_')}")
        has = folder.joinpath("published", "figures.csv").is_file()
        assert has == (benchmark.published is not None), name
