"""The matrix of models and tasks and the heat maps of cultures: what their cells say, draw and lead to."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as some

from folkways.display import number
from folkways.names import culture_name
from folkways.records import Metric
from folkways.reports.data import PEOPLE, ReportData
from folkways.reports.figures.charts import FEW_ITEMS
from folkways.reports.figures.sparklines import STEPS, bar, heat_step, rules
from folkways.reports.formats import html
from folkways.reports.formats.html import Read, render_html
from folkways.reports.formats.summary import glosses, interval_example
from folkways.reports.views.leaderboard import Leaderboard
from folkways.reports.views.matrix import columns
from folkways.reports.views.views import ReportView
from tests.support.report_data import Shape, simulate, small_report
from tests.support.report_page import page_without_figures, undrawn

METRIC = Metric("right", "Accuracy", "Share of right answers (Us 2026, section 4). More words.")


@dataclass(frozen=True)
class Score:
    score: float
    low: float = math.nan
    high: float = math.nan


def marks(drawn: str) -> dict[str, int]:
    """Mark -> its step."""
    return {name: int(step) for name, step in re.findall(r"\b([lwscp])(\d+)\b", drawn)}


def test_heat_maps_are_drawn_until_there_are_enough_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    view = ReportView(simulate(Shape(saq=2, easy=1, xcr=2)))
    cells = [len(task.facets["culture"].values) * len(task.models) for task in view.tasks]
    drawings, read = undrawn(view), Read.of(view)
    for most, drawn in ((0, 1), (sum(cells[:2]) - 1, 1), (sum(cells[:2]), 2), (sum(cells), 3)):
        monkeypatch.setattr(html, "CELLS_DRAWN", most)
        assert render_html(view, drawings, read).count('class="late"') == len(cells) - drawn, most


def test_what_is_drawn_late_is_what_is_drawn_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    data = simulate(Shape(saq=2, easy=1, xcr=2))
    first, *_ = data.scores["endpoint"]
    lost = (pl.col("endpoint") == first) & (pl.col("value") == "KR")
    few = pl.col("value").is_in(["KR", "ET", "CN"])
    scores = data.scores.with_columns(
        pl.when(lost).then(None).otherwise(pl.col("score", "low", "high")).name.keep(),
        questions=pl.when(few).then(FEW_ITEMS).otherwise(FEW_ITEMS + 1),
    )
    people = scores.filter(endpoint=data.scores["endpoint"][-1]).with_columns(endpoint=pl.lit(PEOPLE))
    view = ReportView(replace(data, scores=scores, people=people, homes={first: "CN"}))
    page = render_html(view, undrawn(view), Read.of(view))
    monkeypatch.setattr(html, "CELLS_DRAWN", 0)
    late = render_html(view, undrawn(view), Read.of(view))
    packed = [json.loads(text) for text in re.findall(r'<script[^>]*class="late">(.*?)</script>', late)]
    assert packed
    for table in packed:
        drawn = cells(page, table["id"])
        for name, _, *row in table["rows"]:
            for place, packed_cell in enumerate(row):
                score, *rest = packed_cell.split("|")
                cell = drawn[name, place]
                assert not packed_cell or rest[1] in (re.findall('title="n ([^"]*)"', cell) or [rest[1]])
                assert as_packed(cell) == (score, *rest[:1], *rest[2:]), (name, place)


def as_packed(cell: str) -> tuple[str, ...]:
    """A cell of a heat map as the script reads one that it draws late, but for n."""
    if not (words := text(re.sub("<abbr.*?</abbr>", "", cell)).split()):
        return ("",)
    heat, marks = (re.findall(pattern, cell) for pattern in (r'<td class="?(h\d)', r'class="bar ([^"]*)"'))
    home = "home" if 'class="home"' in cell else "-"
    return words[0], "".join(words[1:]), "".join(heat) or "-", home, "".join(marks)


@pytest.mark.parametrize(
    ("scored", "domain", "chance", "people", "expected"),
    [
        pytest.param(Score(52, 40, 64), (0, 100), math.nan, math.nan, {"s": 26, "l": 20, "w": 12}, id="interval"),
        pytest.param(Score(52, 40, 64), (0, 100), 25, 90, {"s": 26, "l": 20, "w": 12, "c": 12, "p": 45}, id="all marks"),
        pytest.param(Score(52), (0, 100), math.nan, math.nan, {"s": 26}, id="no interval"),
        pytest.param(Score(1.5, 1, 2), (1, 2), math.nan, math.nan, {"s": 25, "l": 0, "w": 50}, id="another scale"),
        pytest.param(Score(-5, -10, 120), (0, 100), math.nan, math.nan, {"s": 0, "l": 0, "w": 50}, id="beyond the scale"),
        pytest.param(Score(3, 3, 3), (3, 3), math.nan, math.nan, {"s": 0, "l": 0, "w": 0}, id="a scale of one value"),
        pytest.param(Score(math.nan), (0, 100), 25, 90, {}, id="unknown"),
    ],
)  # fmt: skip
def test_marks_of_a_bar_are_where_their_values_are(
    scored: Score, domain: tuple[float, float], chance: float, people: float, expected: dict[str, int]
) -> None:
    assert marks(bar(scored, domain, chance, people)) == expected


@given(*[some.floats(0, 100, allow_nan=False)] * 3)
def test_the_interval_of_a_bar_holds_its_score_and_no_mark_is_outside(a: float, b: float, c: float) -> None:
    low, score, high = sorted((a, b, c))
    drawn = marks(bar(Score(score, low, high), (0, 100)))
    assert 0 <= drawn["l"] <= drawn["s"] <= drawn["l"] + drawn["w"] <= STEPS
    assert abs(drawn["s"] * 100 / STEPS - score) <= 50 / STEPS + 1e-9


def test_every_class_of_a_bar_has_its_rule() -> None:
    drawn = rules()
    assert all(
        f".{name}{step}{{--{name}:{2 * step}%}}" in drawn for name in "lwscp" for step in range(STEPS + 1)
    )


@pytest.mark.parametrize(("score", "step"), [(0, 0), (9.8, 0), (10.2, 1), (55, 5), (99, 9), (100, 9)])
def test_colour_grows_by_tenths_of_the_scale(score: float, step: int) -> None:
    assert heat_step(score, (0, 100)) == step
    assert heat_step(score / 100, (0, 1)) == step


RIGHTS = {("m/a", "KR"): 55, ("m/a", "ET"): 50, ("m/b", "KR"): 20, ("m/b", "ET"): 15, ("baseline/first", "KR"): 12, ("baseline/first", "ET"): 14}  # fmt: skip


@pytest.fixture(scope="module")
def small() -> ReportData:
    """``m/a`` is far ahead of ``m/b``; of two cultures with 60 questions each."""
    return small_report(METRIC, RIGHTS, 60, "tea")


def cells(page: str, table: str) -> dict[tuple[str, int], str]:
    """(row heading, column) -> a cell of a table of the page, as HTML."""
    start = page.index(f'id="{table}"')
    body = page[start : page.index("</table>", start)]
    rows = re.findall(r"<tr[^>]*>(.*?)</tr>", body, re.S)
    found = {}
    for row in rows:
        head = re.search(r"<th[^>]*>(.*?)</th>", row, re.S)
        assert head
        for position, cell in enumerate(re.findall(r"<td.*?</td>", row, re.S)):
            found[re.sub(r"<[^>]+>", "", head[1]), position] = cell
    return found


def text(cell: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", cell).split())


def test_a_cell_has_score_interval_and_bar_of_its_model_and_column(small: ReportData) -> None:
    page = cells(page_without_figures(ReportView(small)), "matrix")
    for endpoint, name in (("m/a", "a"), ("m/b", "b"), ("baseline/first", "baseline first")):
        row = small.scores.filter(endpoint=endpoint, facet="all").row(0, named=True)
        cell = page[name, 0]
        assert text(cell) == f"{number(row['score'])} {number(row['low'], 0)}–{number(row['high'], 0)}"
        assert marks(cell)["s"] == round(row["score"] / 2)
    names = [name for name, position in page if position == 0]
    assert names == ["a", "b", "baseline first", "n"], "best first, baselines below"


def test_only_models_that_none_is_better_than_are_bold(small: ReportData) -> None:
    view = ReportView(small)
    (column,) = columns(view, Leaderboard(view))
    assert column.leading == {"m/a"}
    page = page_without_figures(view)
    assert [place for place, cell in cells(page, "matrix").items() if "class=best" in cell] == [("a", 0)]
    assert "<b>Bold</b>" in page
    alone = ReportView(replace(small, scores=small.scores.filter(endpoint="m/a")))
    assert columns(alone, Leaderboard(alone))[0].leading == set()
    assert "<b>Bold</b>" not in page_without_figures(alone)
    alike = ReportView(small_report(METRIC, {("m/a", "KR"): 30, ("m/b", "KR"): 31}, 60, "tea"))
    assert columns(alike, Leaderboard(alike))[0].leading == {"m/a", "m/b"}


def test_a_column_is_of_the_profile_that_its_task_shows(small: ReportData) -> None:
    other = small.scores.with_columns(profile=pl.lit("paper"), score=pl.lit(99.0))
    view = ReportView(replace(small, scores=pl.concat([small.scores, other])))
    (column,) = columns(view, Leaderboard(view))
    assert {score.profile for score in column.scores.values()} == {"strict"}


def test_guessing_and_people_are_rows_and_marks_of_every_cell(small: ReportData) -> None:
    people = small.scores.filter(endpoint="m/a").with_columns(endpoint=pl.lit(PEOPLE), score=pl.lit(90.0))
    page = page_without_figures(ReportView(replace(small, people=people, chance={"t/t": 25.0})))
    matrix = cells(page, "matrix")
    assert text(matrix["Guessing", 0]) == "25.0"
    assert text(matrix["People of the cultures", 0]).startswith("90.0")
    assert {(marks(matrix[name, 0])["c"], marks(matrix[name, 0])["p"]) for name in ("a", "b")} == {(12, 45)}
    without = cells(page_without_figures(ReportView(small)), "matrix")
    assert {name for name, _ in without} == {"a", "b", "baseline first", "n"}, "neither people nor guessing"
    assert not {"c", "p"} & {*marks(without["a", 0])}


def test_a_heat_map_has_every_model_and_culture_coloured_by_score(small: ReportData) -> None:
    heat = cells(page_without_figures(ReportView(small)), "t-t-cultures")
    shown = small.scores.filter(pl.col("endpoint").is_in(["m/a", "m/b"]), facet="culture")
    assert len(heat) == shown.height == 4
    for row in shown.iter_rows(named=True):
        cell = heat[culture_name(row["value"]), ["m/a", "m/b"].index(row["endpoint"])]
        assert text(cell) == f"{number(row['score'])} {number(row['low'], 0)}–{number(row['high'], 0)}"
        assert f'class="h{min(9, int(row["score"] // 10))}"' in cell


def test_a_score_of_few_questions_has_no_colour() -> None:
    few = small_report(METRIC, {("m/a", "KR"): 1, ("m/a", "ET"): 2}, 2, "tea")
    enough = small_report(METRIC, {("m/a", "KR"): 1, ("m/a", "ET"): 2}, 3, "tea")
    for data, coloured in ((few, False), (enough, True)):
        heat = cells(page_without_figures(ReportView(data)), "t-t-cultures")
        assert ['class="h' in cell for cell in heat.values()] == [coloured] * 2


def test_a_metric_is_explained_in_half_a_sentence_without_its_paper() -> None:
    assert glosses([METRIC, METRIC, Metric("x", "X", "")]) == {"Accuracy": "share of right answers"}


def test_an_interval_is_explained_once_by_a_score_of_the_page(small: ReportData) -> None:
    view = ReportView(small)
    row = small.scores.filter(endpoint="m/a", facet="all").row(0, named=True)
    sentence = interval_example(view, columns(view, Leaderboard(view)))
    assert sentence == (
        f"a scored {number(row['score'])} on Task. Other questions of the same kind would have given another "
        f"score: over all of them, it probably lies between {number(row['low'])} and {number(row['high'])}. "
        "That is the 95\u202f% interval; one in twenty is wrong."
    )
    assert page_without_figures(view).count(sentence) == 1
    unknown = small.scores.with_columns(low=pl.lit(None, pl.Float64), high=pl.lit(None, pl.Float64))
    none = ReportView(replace(small, scores=unknown))
    assert interval_example(none, columns(none, Leaderboard(none))) == ""


@pytest.mark.browser
def test_a_score_leads_to_its_items_and_columns_sort(
    new_page: Any, small: ReportData, tmp_path: Path
) -> None:
    file = tmp_path / "page.html"
    file.write_text(page_without_figures(ReportView(small)), encoding="utf-8")
    page = new_page().open(file)
    names = "#matrix tbody:first-of-type th .name"
    assert page.locator(names).all_inner_texts() == ["a", "b"]
    page.locator("#matrix .sort").nth(1).click()
    page.locator("#matrix .sort").nth(1).click()
    assert page.locator(names).all_inner_texts() == ["b", "a"]
    assert page.locator("#matrix th").nth(1).get_attribute("aria-sort") == "ascending"
    page.locator("#matrix .sort").first.click()
    assert page.locator(names).all_inner_texts() == ["a", "b"]
    page.locator("#t-t-cultures td a").last.click()
    page.locator("#list [role=option]").first.wait_for()
    chosen = {
        name: page.locator(f"#filter-{name}").input_value() for name in ("task", "endpoint", "culture_name")
    }
    assert chosen == {
        "task": "t/t",
        "endpoint": "b",
        "culture_name": page.locator("#t-t-cultures tbody th").last.inner_text(),
    }
    assert page.locator("#found").inner_text() == "60 of 240 items"
    page.locator("#matrix td a").first.click()
    page.locator(
        "#found", has_text="120 of 240 items"
    ).wait_for()  # the policy forbids polling a text as script
    assert page.locator("#filter-endpoint").input_value() == "a"


@pytest.mark.browser
def test_on_a_telephone_long_names_stay_in_their_cells_and_titles_beside_their_signs(
    new_page: Any, tmp_path: Path
) -> None:
    """A name of letters alone, which nothing else would break, and a title of two lines."""
    long = f"m/{'a' * 80}"
    shown = small_report(METRIC, {(long, "KR"): 55, (long, "ET"): 50}, 60, "tea")
    shown = replace(
        shown, task_titles=dict.fromkeys(shown.task_titles, "Finding culture-specific items in sentences")
    )
    file = tmp_path / "page.html"
    file.write_text(page_without_figures(ReportView(shown)), encoding="utf-8")
    page = new_page().open(file)
    page.set_viewport_size({"width": 390, "height": 800})
    cell, name = (page.locator(f"#matrix tbody th{end}").first.bounding_box() for end in ("", " .name"))
    assert name["x"] + name["width"] <= cell["x"] + cell["width"]
    title = "details.folded > summary:has(h2, h3)"
    below = page.eval_on_selector_all(
        title,
        "all => all.map(one => one.querySelector('h2, h3').getBoundingClientRect().top - one.getBoundingClientRect().top)",
    )
    assert below and max(below) < 8
