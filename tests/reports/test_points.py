"""Scatter plots and maps of points: where marks, names, axes and ellipses are, by hand."""

from __future__ import annotations

import math
from typing import Any

import polars as pl
import pytest

from folkways.benchmarks.tables import Layout
from folkways.reports.figures.charts import Spec, text_width
from folkways.reports.figures.forms import heat_map
from folkways.reports.figures.points import ellipses, placed_names, scatter
from folkways.reports.views.grids import Cell, Grid

SHARES = Layout("model", "language", "share", measure="Share, %")
POINTS = Layout("model", "language", "points", measure="Points")
Row = tuple[str, float | None, float | None]


def grid(*rows: Row) -> Grid:
    cells = tuple((Cell(name), Cell("", x), Cell("", y)) for name, x, y in rows)
    return Grid("", ("model", "English", "Korean"), cells, None, pl.DataFrame())


def values(chart: Spec, layer: int) -> list[dict[str, Any]]:
    return list(chart["layer"][layer]["data"]["values"])


def domains(chart: Spec) -> list[list[float]]:
    return [chart["layer"][0]["encoding"][axis]["scale"]["domain"] for axis in "xy"]


@pytest.mark.parametrize(
    ("layout", "rows", "domain"),
    [
        (POINTS, [("a", 2.0, 6.0), ("b", 10.0, 4.0)], [2.0, 10.0]),
        (POINTS, [("a", 2.0, 6.0), ("b", None, 40.0), ("c", -3.0, None)], [2.0, 6.0]),
        (POINTS, [("a", -3.0, -3.0)], [-3.0, -3.0]),
        (POINTS, [], [0, 1]),
        (SHARES, [("a", 2.0, 6.0)], [0.0, 100.0]),
    ],
)
def test_both_axes_of_a_scatter_plot_have_one_scale_and_its_line_goes_from_end_to_end(
    layout: Layout, rows: list[Row], domain: list[float]
) -> None:
    chart = scatter(grid(*rows), layout, 350)
    assert domains(chart) == [domain, domain]
    assert values(chart, 0) == [{"x": end, "y": end} for end in domain]
    whole = [{"name": name, "x": x, "y": y} for name, x, y in rows if x is not None and y is not None]
    assert values(chart, 1) == whole
    titles = [chart["layer"][1]["encoding"][axis]["title"] for axis in "xy"]
    assert titles == [[f"English ({layout.measure})"], [f"Korean ({layout.measure})"]]


@pytest.mark.parametrize(("width", "side"), [(200, 300), (350, 350), (900, 420)])
def test_a_scatter_plot_is_square_within_its_bounds(width: int, side: int) -> None:
    chart = scatter(grid(("a", 1.0, 2.0)), POINTS, width)
    assert (chart["width"], chart["height"]) == (side, side)


def test_names_stand_beside_their_marks_where_there_is_room() -> None:
    """On 400 pixels for 100 per cent: the first to the right of its mark, one at the edge to its left, one that is
    crowded on both sides above it, and one that is crowded on all sides nowhere."""
    wide = text_width("aa", 11)
    rows = [
        ("aa", 10.0, 90.0),
        ("bb", 100.0, 90.0),
        ("aa", 50.0, 20.0),
        ("aa", 54.0, 20.0),
        ("aa", 58.0, 20.0),
    ]
    placed = [(name["name"], name["x"], name["y"]) for name in values(scatter(grid(*rows), SHARES, 400), 2)]
    assert placed == [
        ("aa", pytest.approx(12.0), pytest.approx(90.0)),
        ("bb", pytest.approx(98.0 - text_width("bb", 11) / 4), pytest.approx(90.0)),
        ("aa", pytest.approx(48.0 - wide / 4), pytest.approx(20.0)),
        ("aa", pytest.approx(54.0 - wide / 8), pytest.approx(23.5)),
        ("aa", pytest.approx(60.0), pytest.approx(20.0)),
    ]
    middle = [("m", 50.0, 50.0)]
    ring = [("", 50.0 + x, 50.0 + y) for x in range(-8, 9, 2) for y in range(-8, 9, 2) if (x, y) != (0, 0)]
    assert "m" not in [name["name"] for name in values(scatter(grid(*middle, *ring), SHARES, 400), 2)]


def test_an_ellipse_holds_95_percent_of_a_normal_point_and_leans_with_its_correlation() -> None:
    """Standard deviations of 1 and 2: the ellipse reaches 2.45 of them to each side (the square root of the 95 %
    quantile of chi-square with 2 degrees of freedom, 5.991)."""
    z, reach = 1.959963984540054, math.sqrt(5.991464547107979)
    side = [Cell("", 10.0, 10 - z, 10 + z), Cell("", 20.0, 20 - 2 * z, 20 + 2 * z)]
    names, of = ["round", "leaning", "flat"], ["people", "models", "models"]
    part = pl.DataFrame({"name": names, "of": of, "correlation": [0.0, 0.6, 1.0]})
    shown = Grid(
        "", ("", "first", "second"), tuple((Cell(name.title()), *side) for name in names), None, part
    )
    chart = ellipses(shown, POINTS, 500)
    models, people, *marks, texts = [list(layer["data"]["values"]) for layer in chart["layer"]]
    at = {
        name: [(row["x"] - 10, (row["y"] - 20) / 2) for row in (*people, *models) if row["name"] == name]
        for name in names
    }
    assert {name: len(corners) for name, corners in at.items()} == dict.fromkeys(names, 48)
    assert all(math.hypot(x, y) == pytest.approx(reach) for x, y in at["round"])
    assert all((x * x - 1.2 * x * y + y * y) / 0.64 == pytest.approx(reach**2) for x, y in at["leaning"])
    assert all(x == pytest.approx(y) for x, y in at["flat"])
    assert [[row["name"] for row in rows] for rows in marks] == [["Leaning", "Flat"], ["Round"]], (
        "people on top"
    )
    room = 0.06 * 2 * reach
    across, upwards = domains(chart)
    assert across == pytest.approx([10 - reach - room, 10 + reach + room])
    assert upwards == pytest.approx([20 - 2 * (reach + room), 20 + 2 * (reach + room)])
    assert (chart["width"], chart["height"]) == (500, pytest.approx(1000)), "one unit on both axes"
    assert texts[0]["name"] == "Round"
    assert [entry["label"] for entry in chart["usermeta"]["keys"]] == ["people", "models"]
    alone = Grid("", shown.columns, shown.rows[:1], None, part.head(1))
    assert (
        ellipses(alone, POINTS, 900)["usermeta"]["keys"] == []
        and ellipses(alone, POINTS, 900)["width"] == 640
    )


def test_points_without_intervals_have_room_around_them() -> None:
    part = pl.DataFrame({"name": ["a"], "of": ["models"], "correlation": [0.0]})
    alone = Grid("", ("", "first", "second"), ((Cell("a"), Cell("", 3.0), Cell("", 5.0)),), None, part)
    assert domains(ellipses(alone, POINTS, 400)) == [[2.0, 4.0], [4.0, 6.0]]


WIDE = text_width("ab", 11)


@pytest.mark.parametrize(
    ("point", "field", "placed"),
    [
        ((50.0, 7.0), (58.0 + WIDE, 14.0), [(58.0, 7.0)]),  # beside its mark, and just within
        ((8.0 + WIDE, 7.0), (15.0 + WIDE, 14.0), [(0.0, 7.0)]),  # on the other side
        ((50.0, 6.9), (200.0, 200.0), [(50.0 - WIDE / 2, 20.9)]),  # below
        ((50.0, 21.0), (50.0 + WIDE / 2, 21.0), [(50.0 - WIDE / 2, 7.0)]),  # above
        ((50.0, 7.0), (200.0, 13.9), []),
        ((7.9 + WIDE, 7.0), (7.9 + WIDE, 14.0), []),
    ],
)
def test_a_name_is_beside_its_point_or_nowhere_and_within_the_figure(
    point: tuple[float, float], field: tuple[float, float], placed: list[tuple[float, float]]
) -> None:
    found = [where for _, *where in placed_names([("ab", *point)], *field)]
    assert found == [pytest.approx(where) for where in placed]


@pytest.mark.parametrize("text", ["7", "12.3", "−100.0"])
def test_numbers_of_a_heat_map_are_larger_where_they_have_room(text: str) -> None:
    columns = tuple(f"c{number}" for number in range(12))
    rows = tuple((Cell(f"r{number}"), *(Cell(text, 1.0) for _ in columns)) for number in range(13))
    sizes = {}
    for width in range(200, 700, 3):
        chart = heat_map(Grid("", ("model", *columns), rows, None, pl.DataFrame()), POINTS, width)
        sizes[chart["width"]["step"]] = chart["layer"][1]["mark"]["fontSize"]
    fits = {step: step > 34 and text_width(text, 11) + 4 < step for step in sizes}
    assert sizes == {step: 11 if large else 9.5 for step, large in fits.items()}
    assert {*fits.values()} == ({True, False} if len(text) > 4 else {True})
