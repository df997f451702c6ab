"""The line that people draw: in every figure, in the tables beside them, and made of a run's own
questions."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from folkways import __version__
from folkways.api import Run, run
from folkways.records import empty
from folkways.reports.data import PEOPLE, ReportData
from folkways.reports.figures.drawings import draw
from folkways.reports.figures.figure import Figure
from folkways.reports.formats.markdown import render_markdown
from folkways.reports.formats.verdict_tables import matrix_table
from folkways.reports.views.leaderboard import Leaderboard
from folkways.reports.views.views import ReportView
from tests.support.blend_data import write_release
from tests.support.report_data import Shape, simulate
from tests.support.report_page import page_without_figures


@pytest.fixture(scope="module")
def without() -> ReportData:
    return simulate(Shape(saq=24), tasks=("blend/saq",))


@pytest.fixture(scope="module")
def data(without: ReportData) -> ReportData:
    """The simulated report, with people who score 71.5 everywhere."""
    one = without.scores.filter(pl.col("endpoint") == without.scores["endpoint"][0])
    told = {"score": 71.5, "low": 66.25, "high": 76.75}
    return replace(
        without,
        people=one.with_columns(
            endpoint=pl.lit(PEOPLE), **{name: pl.lit(value) for name, value in told.items()}
        ),
    )


def figures_of(data: ReportData) -> dict[str, list[Figure]]:
    return draw(ReportView(data)).tasks["blend/saq"]


def test_every_figure_has_the_line(data: ReportData) -> None:
    drawn = figures_of(data)
    assert all(drawn[section] for section in ("culture", "language", "facet", "map"))
    for section in ("culture", "language", "map"):
        for figure in drawn[section]:
            word = ">people<" if section == "map" else f">{PEOPLE}<"
            assert word in figure.wide, figure.slug
            assert word in figure.narrow, figure.slug
            assert "people of the culture" in figure.caption


def test_without_people_no_figure_speaks_of_them(without: ReportData) -> None:
    for figures in figures_of(without).values():
        for figure in figures:
            assert "people" not in figure.wide.lower()
            assert "people" not in figure.caption


def test_tables_say_what_the_figures_draw(data: ReportData, without: ReportData) -> None:
    view = ReportView(data)
    page, document = page_without_figures(view), render_markdown(view)
    cultures = view.tasks[0].cultures
    rows = page.count(f'<td class="who">{PEOPLE}</td>')
    assert rows >= 2 * cultures, "by culture, and by culture and language"
    assert "People of the culture" in document
    assert "71.5 [66.2, 76.8]" in document or "71.5 [66.3, 76.8]" in document
    nobody = ReportView(without)
    assert f'<td class="who">{PEOPLE}</td>' not in page_without_figures(nobody)
    assert view.signatures[data.people["signature"][0]] in page


def test_the_matrix_has_a_row_of_people_where_they_are_known(data: ReportData, without: ReportData) -> None:
    rows, of_models = (matrix_table(Leaderboard(ReportView(one))).rows for one in (data, without))
    assert rows[-1] == (PEOPLE, "71.5")
    assert rows[:-1] == of_models


def test_people_are_never_ranked(data: ReportData) -> None:
    view = ReportView(data)
    assert PEOPLE not in view.endpoints
    assert PEOPLE not in [score.endpoint for score in view.tasks[0].whole]


def with_raw_answers(folder: Path) -> Path:
    """The release in miniature as the raw state has it: two people who name the first group, one who names
    the last."""
    for file in (folder / "annotations").iterdir():
        content = json.loads(file.read_text(encoding="utf-8"))
        for entry in content.values():
            groups = entry.pop("annotations")
            entry["aggregated_answers"], entry["annotations"] = groups, {}
            said = (
                [groups[0]["answers"][0], groups[0]["answers"][0], groups[-1]["answers"][0]] if groups else []
            )
            entry["raw_annotations"] = {f"annot_{number}": [answer] for number, answer in enumerate(said)}
        file.write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")
    return folder


@pytest.fixture
def scored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setenv("FOLKWAYS_DATA", str(tmp_path / "nothing"))
    release = with_raw_answers(write_release(tmp_path / "made"))
    return run(
        "blend/saq",
        models="baseline/constant:tea",
        workspace=tmp_path / "w.db",
        releases={"blend": str(release)},
        cultures=["KR", "ES"],
    )


def test_a_run_on_data_with_raw_answers_brings_its_people(scored: Run) -> None:
    people = scored.report_data().people
    assert set(people["endpoint"]) == {PEOPLE}
    of_culture = people.filter(pl.col("facet") == "culture", pl.col("metric") == "sem_b")
    found = dict(of_culture.select("value", "score").iter_rows())
    assert set(found) == {"KR", "ES"}, "the cultures that the run asks about"
    assert found["KR"] == pytest.approx(100 * 7 / 9), (
        "two of three agree; the empty gold answer of Q-2 is in any reply"
    )
    assert dict(of_culture.select("value", "questions").iter_rows())["KR"] == 3, "Q-4 does not count"
    assert people["signature"].str.contains("people:", literal=True).all()
    assert people["signature"].str.ends_with(f"folkways:{__version__}").all()
    assert (people["profile"] == "paper").all()
    assert set(people.filter(pl.col("facet") == "topic")["value"]) >= {"Food", "Sport"}


def test_people_are_judged_with_the_text_tools_of_the_scores(scored: Run) -> None:
    scored.score(text_tools="simple")
    signature = scored.report_data().people["signature"][0]
    assert "text-simple:" in signature
    assert "text-simplemma" not in signature


def test_a_release_without_raw_answers_has_no_people(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOLKWAYS_DATA", str(tmp_path / "nothing"))
    release = str(write_release(tmp_path / "made"))
    plain = run(
        "blend/saq", models="baseline/constant:tea", workspace=tmp_path / "w.db", releases={"blend": release}
    )
    data = plain.report_data()
    assert data.people.schema == empty(dict(data.people.schema)).schema
    assert data.people.is_empty()
    assert "folkways data fetch blend-raw" in figures_of(data)["culture"][0].caption
