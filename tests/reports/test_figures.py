"""Every figure in a real browser: nothing covers or cuts another, in any form; and what a file says of itself."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import polars as pl
import pytest

from folkways import __version__
from folkways.benchmarks.registry import benchmarks
from folkways.benchmarks.results import ResultTables, make_results
from folkways.benchmarks.tables import Form, Layout, Plot, Table
from folkways.reports.data import ReportData
from folkways.reports.figures.analysis_figures import figures_of, result_views
from folkways.reports.figures.drawings import draw, outcome_figures
from folkways.reports.figures.figure import Figure, task_figures
from folkways.reports.figures.framing import with_legend
from folkways.reports.palette import LIGHT
from folkways.reports.views.views import ReportView
from tests.support.figure_data import LEVELS, MODELS, made_inputs
from tests.support.report_data import Shape, simulate

NEED_DATA = ("whose", "guessing", "consistency")
"""Beginnings of the names of results that look at a release."""

FAULTS = """
() => {
  const faults = [];
  const boxes = (root, selector) => [...root.querySelectorAll(selector)]
    .filter(each => each.getClientRects().length && (each.tagName !== 'text' || each.textContent.trim()))
    .map(each => [each, each.getBoundingClientRect()]);
  const meet = (a, b, by) => a.left + by < b.right && b.left + by < a.right && a.top + by < b.bottom && b.top + by < a.bottom;
  const turned = each => { const m = each.getScreenCTM(); return Math.abs(m.b) > 0.01; };
  for (const figure of document.querySelectorAll('.drawn')) {
    const svg = figure.querySelector('svg'), whole = svg.getBoundingClientRect(), name = figure.dataset.name;
    const texts = boxes(svg, 'text');
    for (const [each, box] of texts)
      if (box.left < whole.left - 1 || box.right > whole.right + 1 || box.top < whole.top - 1 || box.bottom > whole.bottom + 1)
        faults.push(`${name}: cut: ${each.textContent}`);
    const level = texts.filter(([each]) => !turned(each));
    for (let i = 0; i < level.length; i++)
      for (let j = i + 1; j < level.length; j++)
        if (level[i][0] !== level[j][0] && meet(level[i][1], level[j][1], 2))
          faults.push(`${name}: over each other: ${level[i][0].textContent} | ${level[j][0].textContent}`);
    const legend = svg.querySelector('.legend');
    if (!legend) continue;
    const marks = boxes(svg, '.mark-symbol path, .mark-rect path');
    for (const [label, box] of boxes(legend, 'text'))
      for (const [, mark] of [...marks, ...boxes(legend, 'circle, rect, path')])
        if (mark.width < 60 && meet(box, mark, 1)) faults.push(`${name}: under a mark: ${label.textContent}`);
  }
  return faults;
}
"""
"""Texts that are cut, that cover each other, and labels of legends under marks. Slanted names are only looked at for
being cut: their boxes are larger than they."""


@pytest.fixture(scope="module")
def results() -> list[ResultTables]:
    inputs = made_inputs()
    every = [result for benchmark in benchmarks().values() for result in benchmark.results]
    chosen = [result for result in every if result.tasks and not result.name.startswith(NEED_DATA)]
    made, _ = make_results(chosen, inputs)
    return made


@pytest.fixture(scope="module")
def figures(data: ReportData, results: list[ResultTables]) -> list[Figure]:
    """Those of a report with every analysis, one of a kind."""
    short = {name: name if "405b" in name else name.rsplit("/", 1)[-1] for name in MODELS}
    of_results = [
        figure
        for view in result_views(results, short, 1)
        for table in view.tables
        for figure in table.figures
    ]
    return [*draw(ReportView(data)), *of_results]


def page_of(drawings: Sequence[tuple[str, str]], folder: Path) -> Path:
    """A page with these drawings (name, SVG) below each other."""
    colours = "".join(f"--{name}:{colour};" for name, colour in LIGHT.items())
    parts = (f'<div class="drawn" data-name="{name}">{svg}</div>' for name, svg in drawings)
    page = folder / "figures.html"
    page.write_text(f"<!doctype html><style>:root{{{colours}}}</style>{''.join(parts)}", encoding="utf-8")
    return page


@pytest.mark.browser
def test_no_figure_has_a_text_that_is_cut_or_covered(
    browser_page: Any, figures: list[Figure], tmp_path: Path
) -> None:
    drawings = [
        (f"{figure.slug} ({form})", svg)
        for figure in figures
        for form, svg in (("wide", figure.wide), ("narrow", figure.narrow), ("file", figure.file()))
    ]
    assert browser_page.open(page_of(drawings, tmp_path)).evaluate(FAULTS) == []


@pytest.mark.browser
def test_the_page_of_figures_finds_what_is_cut_or_covered(browser_page: Any, tmp_path: Path) -> None:
    def text(x: int, words: str) -> str:
        return f'<text x="{x}" y="20" font-size="12">{words}</text>'

    def svg(inner: str) -> str:
        return f'<svg width="200" height="40" viewBox="0 0 200 40">{inner}</svg>'

    mark = '<g class="mark-symbol"><path d="M5,15h8v8h-8Z"/></g>'
    drawings = [
        ("a", svg(text(150, "a name that leaves"))),
        ("b", svg(text(5, "first") + text(20, "second"))),
        ("c", svg(f'<g class="legend">{text(2, "people")}</g>{mark}')),
    ]
    found = browser_page.open(page_of(drawings, tmp_path)).evaluate(FAULTS)
    assert [fault.partition(":")[0] + fault.split(":")[1] for fault in found] == [
        "a cut", "b over each other", "c under a mark",
    ]  # fmt: skip


def test_a_file_names_what_it_shows_its_unit_and_its_source(figures: list[Figure]) -> None:
    for figure in figures:
        root = ElementTree.fromstring(figure.file())
        texts = [element.text or "" for element in root.iter("{http://www.w3.org/2000/svg}text")]
        written = "".join("".join(texts).split())  # lines break where they must
        assert figure.title.replace(" ", "") in written, figure.slug
        assert figure.measure and figure.measure in texts, figure.slug
        assert f"folkways{__version__}" in written, figure.slug
        title = root.find("{http://www.w3.org/2000/svg}title")
        assert title is not None and title.text == figure.title
        assert "var(" not in figure.file() and "darkone" not in written


def test_people_that_are_not_there_are_missed_in_the_figure_of_cultures_alone() -> None:
    made = simulate(Shape(saq=12, easy=4, xcr=3, loss=0), tasks=("blend/saq",))
    for release in ("", "blend-june"):
        view = ReportView(replace(made, unknown_people={"blend/saq": release} if release else {}))
        drawn = task_figures(view.tasks[0], view.short)
        hints = {
            part: ["folkways data fetch blend-june" in each.caption for each in drawn[part]] for part in drawn
        }
        assert hints["culture"] == [bool(release)] and len(hints["facet"]) > 0 and not any(hints["facet"])


def test_of_unanswered_questions_there_is_a_figure_where_there_are_some_in_several_cultures(
    one_task: ReportData,
) -> None:
    assert outcome_figures(ReportView(one_task)) == []
    lost = pl.when(value="ET", endpoint="lab/weak").then(pl.col("answered") - 3).otherwise("answered")
    some = replace(one_task, scores=one_task.scores.with_columns(answered=lost))
    (figure,) = outcome_figures(ReportView(some))
    assert figure.finding == "Most of all 15.0\u202f% (Ethiopia, weak)."
    assert "They count as not right." in figure.caption
    one = replace(some, scores=some.scores.filter(pl.col("value").is_in(["all", "ET"])))
    assert outcome_figures(ReportView(one)) == []


def test_marks_along_a_scale_have_its_title(figures: list[Figure]) -> None:
    scales = [figure for figure in figures if "role-axis-title" in figure.wide]
    assert len(scales) > 20
    gridded = [figure for figure in figures if "role-axis-grid" in figure.wide]
    assert gridded and [figure.slug for figure in gridded if figure not in scales] == []


def test_every_mark_can_be_seen(figures: list[Figure]) -> None:
    for figure in figures:
        shares = re.findall(r'opacity="([^"]*)"', figure.wide)
        assert all(0 < float(share) <= 1 for share in shares), figure.slug


def test_every_figure_of_the_papers_has_its_counterpart(results: list[ResultTables]) -> None:
    titles = " ".join(
        plot.title or table.title for one in results for table in one.tables for plot in table.drawn
    )
    for place in (
        "Figures 3a and 13", "Figure 3b", "Figure 4", "Figure 14", "Figure 15", "Figure 5, left", "Figure 5, right",
        "Figure 2", "Figures 5 and 6", "Figures 7 and 8", "Figures 9 and 10",
    ):  # fmt: skip
        assert place in titles


def _names_along(figure: Figure, names: Sequence[str]) -> list[str]:
    """Those of the names that the drawing has, in the order of its texts."""
    texts = [
        element.text or ""
        for element in ElementTree.fromstring(figure.wide).iter("{http://www.w3.org/2000/svg}text")
    ]
    return [text for text in texts if text in names]


def test_levels_and_sizes_stand_in_their_own_order(results: list[ResultTables]) -> None:
    tables = {table.name: table for one in results for table in one.tables}
    drawn = {
        name: list(figures_of(tables[name], {}, None, 1))[-1]
        for name in ("hall-levels", "gains-by-level", "sizes", "dates")
    }
    for name in ("hall-levels", "gains-by-level"):
        assert _names_along(drawn[name], LEVELS) == list(LEVELS)
    assert _names_along(drawn["sizes"], ("8 B", "70 B", "405 B")) == ["8 B", "70 B", "405 B"]
    dates = ("2023-11-06", "2024-05-13")
    assert _names_along(drawn["dates"], dates) == list(dates)


def test_groups_with_an_order_of_their_own_keep_it_in_figures_and_tables(data: ReportData) -> None:
    task = ReportView(data).tasks[-1]
    facet = "category"
    values = sorted(task.facets[facet].values)
    view = ReportView(replace(data, ordered={task.task: {facet: tuple(values)}}))
    assert view.tasks[-1].facets[facet].values == tuple(values)
    assert view.tasks[-1].facets["culture"].values == task.facets["culture"].values, "the others go by score"
    (figure,) = draw(view).tasks[task.task]["facet"]
    assert _names_along(figure, values) == values
    leading = task.facets[facet].scores
    best = max(values, key=lambda value: leading[value, task.endpoints[0]].score)
    assert f"scores highest for {best} " in figure.finding


def _table(form: Form, models: int, groups: int) -> Table:
    rows = [
        {"group": f"group {group}", "endpoint": f"lab/model-{model}", "score": 10.0 * group + model}
        for group in range(groups)
        for model in range(models)
    ]
    layout = Layout("group", "endpoint", "score", drawn=form, measure="Score, %")
    return Table("made", "Made", "The unit is the question.", pl.DataFrame(rows), layout)


@pytest.mark.parametrize("form", ["intervals", "lines", "bars"])
def test_more_series_than_can_be_told_apart_become_a_heat_map_of_all(form: Form) -> None:
    (few,) = figures_of(_table(form, 6, 8), {})
    (many,) = figures_of(_table(form, 7, 8), {})
    assert 'class="legend"' in few.wide and 'class="legend"' not in many.wide
    assert all(f"lab/model-{model}<" in many.wide for model in range(7))
    texts = re.findall(">([^<>]+)</", few.wide)
    assert texts[:6] == [f"lab/model-{model}" for model in range(6)], "no other series"


def test_few_groups_of_many_models_are_series() -> None:
    (figure,) = figures_of(_table("intervals", 9, 2), {})
    assert _names_along(figure, ("group 0", "group 1")) == ["group 0", "group 1"]
    assert all(f"lab/model-{model}<" in figure.wide for model in range(9))


def test_a_plot_draws_its_own_rows_in_its_own_form() -> None:
    table = _table("intervals", 2, 3)
    assert table.layout is not None
    plot = Plot(replace(table.layout, drawn="bars"), "bars", "Figure 9: bars", table.rows.head(2))
    own, more = figures_of(replace(table, plots=(plot,)), {})
    assert (own.slug, more.slug, more.title) == ("made", "made-bars", "Figure 9: bars")
    assert "group 2<" in own.wide and "group 2<" not in more.wide
    assert more.wide.count("mark-rect role-mark") == 1


def test_a_legend_takes_as_many_lines_as_it_needs_and_no_mark_stands_beside_it() -> None:
    svg = '<svg width="200" height="50" viewBox="0 0 200 50"><g/></svg>'
    keys = [
        {"label": f"series {number}", "mark": "circle", "colour": "red", "dashed": False}
        for number in range(6)
    ]
    root = ElementTree.fromstring(with_legend(svg, keys))
    assert float(root.attrib["width"]) == 200 and float(root.attrib["height"]) == 50 + 14 + 2 * 20 + 12
    assert with_legend(svg, []) == svg
