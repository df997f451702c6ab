"""The papers' analyses and how questions ended, as a report shows them: every table, laid out and drawn as it
asks to be."""

from __future__ import annotations

import itertools
import re
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import polars as pl
import pytest

from folkways.benchmarks.results import Result, ResultTables
from folkways.benchmarks.tables import Layout, Plot, Table
from folkways.reports.data import ReportData
from folkways.reports.figures.analysis_figures import result_views
from folkways.reports.figures.drawings import outcome_figures
from folkways.reports.figures.forms import DIVERGING, heat_map, intervals
from folkways.reports.formats.html import render_html
from folkways.reports.formats.markdown import render_markdown
from folkways.reports.formats.write import write_report
from folkways.reports.views.grids import grids
from folkways.reports.views.views import ReportView
from tests.support.browser import axe_violations
from tests.support.report_page import undrawn

SHORT = {"lab/one": "one", "baseline/random": "baseline random"}
NAN = float("nan")


def _rows() -> pl.DataFrame:
    return pl.DataFrame(
        {
            "endpoint": ["baseline/random", "lab/one"] * 4,
            "culture": ["KR", "KR", "ET", "ET"] * 2,
            "topic": ["Food"] * 4 + ["Sport"] * 4,
            "gain": [0.0, 8.0, NAN, -4.0, 0.0, 2.0, 0.5, NAN],
            "low": [-1.0, 6.0, NAN, -6.0, -1.0, NAN, 0.0, NAN],
            "high": [1.0, 10.0, NAN, -2.0, 1.0, NAN, 1.0, NAN],
        }
    )


def gains_table(**layout: object) -> Table:
    asked = {"down": "culture", "across": "topic", "cell": "gain", "by": "endpoint", **layout}
    return Table(
        "gains", "Gains <b>", "The unit is the sentence.", _rows(), Layout(**asked), ("A note & more.",)
    )  # type: ignore[arg-type]


def test_a_table_is_laid_out_with_names_for_codes_and_models_first() -> None:
    one, random = grids(gains_table(decimals=1), SHORT)
    assert (one.heading, random.heading) == ("one", "baseline random")
    assert one.columns == ("culture", "Food", "Sport")
    assert [[cell.text for cell in row] for row in one.rows] == [
        ["South Korea", "8.0", "2.0"],
        ["Ethiopia", "−4.0", "–"],
    ]
    assert one.rows[0][1].interval == "6.0 to 10.0" and one.rows[0][2].interval == ""


def test_many_small_forms_become_few_wide_ones() -> None:
    found = grids(gains_table(across="endpoint", by="topic"), SHORT)
    assert [grid.heading for grid in found] == ["Food", "Sport"], "as many models as topics: as asked"
    lone = replace(
        gains_table(across="endpoint", by="topic"), rows=_rows().filter(pl.col("endpoint") == "lab/one")
    )
    (grid,) = grids(lone, SHORT)
    assert grid.heading == "one" and grid.columns == ("culture", "Food", "Sport")


def test_rows_without_a_layout_stay_rows() -> None:
    (grid,) = grids(replace(gains_table(), layout=None), SHORT)
    assert grid.columns == ("model", "culture", "topic", "gain", "95\u202f% low", "95\u202f% high")
    assert [cell.text for cell in grid.rows[1]] == ["one", "South Korea", "Food", "8.0", "6.0", "10.0"]
    assert grid.numeric == (False, False, False, True, True, True)


def test_a_heat_map_of_differences_has_a_colour_for_each_side() -> None:
    grid, _ = grids(gains_table(diverges=0.0), SHORT)
    assert grid.layout is not None
    cells = {(row["down"], row["across"]): row for row in heat_map(grid, grid.layout, 640)["data"]["values"]}
    assert cells["South Korea", "Food"]["fill"] == DIVERGING[-1]
    assert cells["Ethiopia", "Food"]["fill"] == DIVERGING[2], "half as far below as the furthest is above"
    assert ("Ethiopia", "Sport") not in cells, "what is not known has no colour"


@pytest.mark.parametrize(("value", "step"), [(0.0, 0), (9.9, 0), (50.0, 5), (100.0, 9)])
def test_a_heat_map_of_scores_spans_zero_to_a_hundred(value: float, step: int) -> None:
    rows = _rows().with_columns(score=pl.lit(value), gain=pl.lit(None, pl.Float64))
    table = replace(gains_table(cell="score"), rows=rows)
    grid, _ = grids(table, SHORT)
    assert grid.layout is not None
    assert {row["fill"] for row in heat_map(grid, grid.layout, 640)["data"]["values"]} == {
        f"var(--heat-{step})"
    }


def test_intervals_are_drawn_from_their_ends() -> None:
    grid, _ = grids(gains_table(), SHORT)
    assert grid.layout is not None
    points = intervals(grid, grid.layout, 640)["layer"][-1]["data"]["values"]
    assert {"group": "South Korea", "series": "Food", "score": 8.0, "low": 6.0, "high": 10.0} in points
    assert {"group": "South Korea", "series": "Sport", "score": 2.0, "low": 2.0, "high": 2.0} in points


def test_the_page_shows_every_table_with_its_unit_and_notes(one_task: ReportData) -> None:
    """Drawn in either form or not at all."""
    result = Result(
        "gains", "What is gained", lambda _: (), about="Is anything gained?", tasks=tuple(one_task.metrics)
    )
    forms = ("heatmap", "intervals", None)
    tables = [
        replace(
            gains_table(drawn=drawn),
            name=f"gains-{number}",
            title=f"Gains <b>{number}",
            unit=f"The unit is sentence {number}.",
            rows=_rows().with_columns(pl.col("high") + number),
            notes=(f"Note {number} & more.",),
        )
        for number, drawn in enumerate(forms)
    ]
    page = render_html(ReportView(replace(one_task, results=(ResultTables(result, tables),))))
    assert "What is gained" in page and "Is anything gained?" in page
    for number, drawn in enumerate(forms):
        for words in (
            f"Gains &lt;b&gt;{number}",
            f"The unit is sentence {number}.",
            f"Note {number} &amp; more.",
            f"6.00 to {10 + number}.00",
        ):
            assert words in page
        assert (f'id="figure-analysis-gains-gains-{number}"' in page) == (drawn is not None)


def test_what_is_of_several_benchmarks_has_a_section_of_its_own_before_the_tasks(
    one_task: ReportData,
) -> None:
    asked = gains_table(across="endpoint", by="topic", drawn="intervals", diverges=0.0)
    assert asked.layout is not None
    table = replace(asked, layout=None, plots=(Plot(asked.layout),))
    result = Result(
        "profile", "Culture profile", lambda _: (), about="Where is it better?", across_benchmarks=True
    )
    shown = ReportView(
        replace(one_task, results=(ResultTables(result, (table, replace(table, name="more", title="More"))),))
    )
    page = render_html(shown)
    (place,) = [at for at in range(len(page)) if page.startswith('<section id="analysis-profile"', at)]
    assert (
        place < page.index('class="task-section"')
        and '<a href="#analysis-profile">Culture profile</a>' in page
    )
    assert "What the papers ask" not in page
    section = page[place : page.index("</section>", place)]
    assert "<td>Food</td>" in section and "<td>Sport</td>" in section, "the table has the rows as they are"
    assert section.count('<details class="folded">') == 1 and section.index("Gains") < section.index(
        '<details class="folded">'
    )
    text = render_markdown(shown)
    assert (
        text.index("## Culture profile") < text.index("Where is it better?")
        and "What the papers ask" not in text
    )


def test_the_value_on_both_sides_of_which_marks_stand_is_drawn_and_said() -> None:
    table = gains_table(across="endpoint", by="topic", drawn="intervals", diverges=0.0)
    (view,) = result_views([ResultTables(Result("gains", "t", lambda _: (), about="a"), (table,))], SHORT)
    food, _ = view.tables[0].figures
    assert food.finding.endswith(
        "2 of 3 intervals leave 0 out."
    )  # 8.0 and -4.0 of a model, not 0.0 of the baseline
    rules = ElementTree.fromstring(food.wide).findall(
        ".//{*}g[@class='mark-rule role-mark layer_0_marks']/{*}line"
    )
    assert len(rules) == 1


def test_only_models_are_drawn_where_there_are_models() -> None:
    (view,) = result_views(
        [ResultTables(Result("gains", "t", lambda _: (), about="a"), (gains_table(drawn="heatmap"),))], SHORT
    )
    assert [figure.title for figure in view.tables[0].figures] == ["Gains <b>: one"]


def test_unanswered_questions_have_a_figure_of_their_task(data: ReportData) -> None:
    view = ReportView(data)
    slugs = {f"{task.slug}-without-answer" for task in view.tasks}
    outcomes = outcome_figures(view)
    assert {figure.slug for figure in outcomes} == slugs
    page = render_html(view, replace(undrawn(view), outcomes=outcomes))
    assert all(f'id="figure-{slug}"' in page for slug in slugs)


def test_a_task_that_was_answered_throughout_has_no_figure_of_losses(data: ReportData) -> None:
    answered = data.scores.with_columns(
        pl.lit(0, pl.Int64).alias(state)
        for state in ("refused", "unreadable", "truncated", "failed", "missing", "cut")
    )
    whole = answered.with_columns(answered=pl.col("n"))
    assert outcome_figures(ReportView(replace(data, scores=whole))) == []


@pytest.mark.browser
@pytest.mark.nightly
@pytest.mark.parametrize("scheme", ["dark", "light"])
def test_analyses_and_outcomes_stand_in_nobodys_way(
    new_page: Any, data: ReportData, tmp_path: Path, scheme: str
) -> None:
    result = Result(
        "gains", "What is gained", lambda _: (), about="Is anything gained?", tasks=("blend/saq",)
    )
    tables = [
        replace(gains_table(drawn=drawn, diverges=0.0), name=f"gains-{drawn}")
        for drawn in ("heatmap", "intervals", None)
    ]
    [page_file, *_] = write_report(
        replace(data, results=(ResultTables(result, tables),)), tmp_path, ("html",)
    )
    page = new_page(color_scheme=scheme).open(page_file)
    page.evaluate(
        "() => { for (const part of document.querySelectorAll('#analyses details, .task-section details')) "
        "part.open = true; }"
    )
    assert axe_violations(page) == []
    levels = page.eval_on_selector_all(
        "h1, h2, h3, h4", "headings => headings.map(heading => Number(heading.tagName[1]))"
    )
    assert levels[0] == 1 and all(after - before <= 1 for before, after in itertools.pairwise(levels))


GAINS = Result("gains", "t", lambda _: (), about="a")
LONG = "culture-specific items that are named in the sentence and have no equivalent in the other language"


def test_a_cell_of_one_or_two_items_has_no_colour_and_tells_how_many() -> None:
    rows = _rows().filter(pl.col("endpoint") == "lab/one").with_columns(n=pl.Series([2, 9, 9, 1]))
    (view,) = result_views(
        [ResultTables(GAINS, [replace(gains_table(by=None, drawn="heatmap", decimals=1), rows=rows)])], SHORT
    )
    (grid,) = view.tables[0].grids
    assert grid.layout is not None
    cells = {(row["down"], row["across"]): row for row in heat_map(grid, grid.layout, 640)["data"]["values"]}
    assert (cells["South Korea", "Food"]["text"], cells["South Korea", "Food"]["fill"]) == (
        "n=2",
        "var(--paper)",
    )
    assert cells["Ethiopia", "Food"]["text"] == "−4.0" and cells["Ethiopia", "Food"]["fill"].startswith(
        "var(--heat-"
    )
    (figure,) = view.tables[0].figures
    assert "A cell without colour rests on 2 items or fewer" in figure.caption
    assert "8.0" not in figure.finding, "the highest is of two items"


def test_long_names_of_rows_are_broken_and_not_cut() -> None:
    rows = (
        _rows().filter(pl.col("endpoint") == "lab/one").with_columns(culture=pl.lit(LONG) + pl.col("culture"))
    )
    (view,) = result_views(
        [ResultTables(GAINS, [replace(gains_table(by=None, drawn="heatmap", decimals=1), rows=rows)])], SHORT
    )
    (figure,) = view.tables[0].figures
    shown = re.sub(r"<[^>]+>", " ", figure.wide)
    assert "…" not in shown
    assert " ".join(shown.split()).count(LONG) == 2
