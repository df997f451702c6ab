"""Charts are drawn as they were when somebody last looked at them: their whole specifications, in every form and
on both sides of each decision about room. ``FOLKWAYS_RECORD=1`` records them anew."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl

from folkways.benchmarks.tables import Layout
from folkways.reports.data import ReportData
from folkways.reports.figures.charts import CONFIG, Spec, by_group, heat, local_against_english
from folkways.reports.figures.forms import FORMS
from folkways.reports.figures.world import SHAPES
from folkways.reports.figures.world_chart import marked, world_spec
from folkways.reports.views.grids import Cell, Grid
from folkways.reports.views.views import ReportView
from tests.support.fingerprints import check_text

RECORDED = Path(__file__).parent / "recorded"

SHARES = Layout("group", "model", "share", measure="Share of the right answers, %")
POINTS = replace(SHARES, cell="points", measure="Points")
GAINS = replace(POINTS, diverges=0.0)
DASHED = replace(POINTS, dashed=", old")

LONG = "Central and Eastern Europe with the Caucasus"
WORDS = "a name of several words"
UNBROKEN = "Meta-Llama"


def cell(value: float | None, half: float | None = None, n: int | None = None) -> Cell:
    """A cell with an interval ``half`` wide to the left, twice that to the right."""
    text = "" if value is None else f"{value:g}"
    if value is None or half is None:
        return Cell(text, value, n=n)
    return Cell(text, value, value - half, value + 2 * half, n=n)


def grid(columns: Sequence[str], rows: Mapping[str, Sequence[Cell]], **part: Sequence[object]) -> Grid:
    cells = tuple((Cell(name), *row) for name, row in rows.items())
    return Grid("", ("group", *columns), cells, None, pl.DataFrame(part))


def counted(columns: int, rows: int, empty: int = 0) -> Grid:
    """Numbers that rise along the rows, without intervals; the last rows are ``empty``."""
    filled = rows - empty
    numbers = {
        f"r{row}": [cell(row * columns + at if row < filled else None) for at in range(columns)]
        for row in range(rows)
    }
    return grid([f"c{number}" for number in range(columns)], numbers)


ONE = grid(["m"], {"a": [cell(4, 1)], "b": [cell(7)], "c": [cell(None)]})
TWO = grid(
    [UNBROKEN, f"{UNBROKEN}, old"],
    {
        "a": [cell(4, 1), cell(5, 0.5)],
        f"{LONG}, {LONG}, {LONG}": [cell(-2, 1), cell(None)],
        "c": [cell(8), cell(6, 0)],
    },
)
FEW = grid(
    ["x", "y"],
    {"a": [cell(0), cell(59.9)], "b": [cell(60, n=2), cell(100, n=3)], "c": [cell(35), cell(None)]},
)

DRAWN: dict[str, tuple[str, Grid, Layout, int]] = {
    "heat map": ("heatmap", FEW, SHARES, 640),
    **{
        f"heat map, shares of {numbers}": (
            "heatmap", grid(["x"], {f"{number:g}": [cell(number)] for number in numbers}), SHARES, 640,
        )
        for numbers in ((-0.5, 40), (0, 50), (20, 60.4, 100), (40, 100.5))
    },
    "heat map, one number": ("heatmap", grid(["x"], {"a": [cell(5)]}), POINTS, 640),
    "heat map, nothing": ("heatmap", grid(["x"], {}), POINTS, 640),
    "heat map, more columns than rows": ("heatmap", counted(3, 2), POINTS, 300),
    "heat map, long names of columns": ("heatmap", grid([LONG], {"a": [cell(3)]}), POINTS, 640),
    "heat map, lines above columns": (
        "heatmap", grid([WORDS, "b"], {LONG: [cell(1), cell(2)], "d": [cell(3), cell(4)]}), POINTS, 300,
    ),
    "heat map, slanted": (
        "heatmap", grid(["b", UNBROKEN * 3], {name: [cell(1), cell(2)] for name in "abc"}), POINTS, 100,
    ),
    "heat map, wide numbers": (
        "heatmap", grid([*"xyz"], {name: [cell(123456.0)] * 3 for name in "abcd"}), POINTS, 120,
    ),
    "heat map, 24 columns": ("heatmap", counted(24, 24, 23), POINTS, 640),
    "heat map, 25 columns": ("heatmap", counted(25, 25, 24), POINTS, 640),
    "heat map, 60 columns, narrow": ("heatmap", counted(60, 60, 59), POINTS, 299),
    "heat map, 60 columns": ("heatmap", counted(60, 60, 59), POINTS, 300),
    "gains": ("heatmap", grid(["x"], {str(at): [cell(at / 2)] for at in range(-8, 9)}), GAINS, 640),
    "no gains": ("heatmap", grid(["x"], {"a": [cell(0)]}), GAINS, 640),
    "intervals": ("intervals", TWO, SHARES, 640),
    "intervals of one model, narrow": ("intervals", ONE, GAINS, 299),
    "intervals of seven": ("intervals", counted(7, 2), POINTS, 300),
    "bars": ("bars", TWO, SHARES, 640),
    "bars of one model, narrow": ("bars", ONE, POINTS, 20),
    "bars of zeros": ("bars", grid([*"abcdefg"], {"a": [cell(0)] * 7}), POINTS, 300),
    "bars of nothing": ("bars", grid(["x"], {"a": [cell(None)]}), POINTS, 300),
    "lines": ("lines", TWO, GAINS, 640),
    "lines, dashed": ("lines", TWO, DASHED, 200),
    "lines of eight": ("lines", counted(8, 2), POINTS, 301),
    "line": ("lines", ONE, replace(POINTS, measure=f"{LONG} {LONG}"), 299),
    "line through a long name": ("lines", grid(["m"], {UNBROKEN * 2: [cell(4)]}), POINTS, 300),
    "no line": ("lines", grid(["x"], {}), POINTS, 300),
    "scatter": ("scatter", grid(["x", "y"], {"a": [cell(2), cell(6)], "b": [cell(9), cell(3)]}), POINTS, 350),
    "scatter, one place": ("scatter", grid(["x", "y"], {"a": [cell(3), cell(3)]}), POINTS, 350),
    "scatter, shares": ("scatter", grid(["x", "y"], {"a": [cell(2), cell(6)]}), SHARES, 100),
    "ellipses": (
        "ellipses",
        grid(["x", "y"], {"a": [cell(0), cell(0)], "b": [cell(2), cell(3)]},
             name=["a", "b"], of=["people", "model"], correlation=[0.0, 0.5]),
        POINTS, 350,
    ),
}  # fmt: skip


def entries(chart: Spec) -> Iterator[str]:
    """A line for each part of a chart, for each channel and row of its layers; what an earlier layer has in the
    same words stands there alone."""
    told: set[str] = set()
    for name, part in chart.items():
        if name == "config":
            part = {key: value for key, value in part.items() if CONFIG.get(key) != value}
        if name != "layer":
            yield f" {name} {shown(part)}"
            continue
        for layer in part:
            yield " layer"
            for inner, value in layer.items():
                named = value.items() if inner == "encoding" else [(inner, value)]
                for what, line in ((f"  {key}", f"  {key} {shown(one)}") for key, one in named):
                    yield f"{what} as above" if line in told else line
                    told.add(line)


def shown(value: Any) -> str:
    return json.dumps(_rounded(value), ensure_ascii=False)


def _rounded(value: Any) -> Any:
    """Numbers to nine digits: the last ones are the machine's."""
    if isinstance(value, float):
        return float(f"{value:.9g}")
    if isinstance(value, Mapping):
        return {key: _rounded(part) for key, part in value.items()}
    return [*map(_rounded, value)] if isinstance(value, list | tuple) else value


def check(charts: Mapping[str, Spec], name: str) -> None:
    lines = [line for title, chart in charts.items() for line in (f"=== {title}", *entries(chart))]
    check_text("\n".join([shown(CONFIG), *lines, ""]), RECORDED / name)


def test_every_form_is_drawn_as_recorded() -> None:
    check({name: FORMS[form](*how) for name, (form, *how) in DRAWN.items()}, "forms.txt")  # type: ignore[index,arg-type]


def test_charts_of_a_task_are_drawn_as_recorded(data: ReportData) -> None:
    """On both sides of what depends on the width; people and baselines where there are some."""
    view = ReportView(data)
    charts = {}
    for task in view.tasks:
        model = task.endpoints[0]
        for facet, of in task.facets.items():
            if "+" not in facet and len(of.values) < 9:
                charts[f"{task.task}, {facet}"] = by_group(task, of, view.short, 299)
        if task.facets.keys() & {"culture+topic"}:
            for width in (59, 60):
                charts[f"{task.task}, heat, {width}"] = heat(task, task.facets["culture+topic"], model, width)
        charts[f"{task.task}, languages"] = local_against_english(task, model, 300)
    check(charts, "charts.txt")


def test_the_map_is_drawn_as_recorded() -> None:
    """Countries, points and groups of countries, in a wide and a narrow map; without the shapes."""
    charts = {}
    for cultures, width in (
        (("KR", "IN-AS", "ARAB"), 640),
        (("KR",), 319),
        (("IN-AS",), 320),
        (("ARAB",), 640),
    ):
        drawn = world_spec(cultures, width)
        charts[f"{', '.join(cultures)}, {width}"] = {**drawn, "datasets": [*drawn["datasets"]] == [SHAPES]}
    drawing = '<svg width="9"><path d="M1.25,3.75" aria-label="place:KR"/></svg>'
    check({**charts, "marks": {"drawn": marked(drawing)}}, "world.txt")
