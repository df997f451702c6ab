"""The figure of points with ellipses: what is drawn where, and that no name covers another."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import combinations

import numpy as np
import polars as pl
import pytest

from folkways.benchmarks.tables import Layout, Plot, Table
from folkways.reports.figures.analysis_figures import figures_of
from folkways.reports.figures.charts import text_width
from folkways.reports.figures.points import ellipses
from folkways.reports.views.grids import drawn_grids

LAYOUT = Layout("name", "axis", "value", drawn="ellipses", measure="points")


def table(points: list[tuple[str, str, float, float, float, float, float]]) -> Table:
    """name, of, x, y, standard deviations of both, correlation."""
    rows = []
    for name, of, *numbers, correlation in points:
        for axis, value, spread in (("right", numbers[0], numbers[2]), ("up", numbers[1], numbers[3])):
            rows.append((name, of, correlation, axis, value, value - 1.96 * spread, value + 1.96 * spread))
    columns = ["name", "of", "correlation", "axis", "value", "low", "high"]
    rows = pl.DataFrame(rows, schema=columns, orient="row")
    return Table("points", "Points", "", rows, plots=(Plot(LAYOUT),))


def drawing(of: Table, width: int) -> dict:
    (grid,) = drawn_grids(of, of.plots[0], {})
    return ellipses(grid, LAYOUT, width)


def layers(spec: dict, mark: str) -> list[list[dict]]:
    return [layer["data"]["values"] for layer in spec["layer"] if layer["mark"]["type"] == mark]


def test_an_ellipse_holds_its_share_of_the_points_that_it_stands_for() -> None:
    spec = drawing(
        table([("a", "model", 1.0, -2.0, 0.5, 0.2, 0.8), ("b", "people", 3, 0, 0.0, 0.0, 0.0)]), 600
    )
    corners = [row for rows in layers(spec, "line") for row in rows]
    outline = np.array([(row["x"], row["y"]) for row in corners if row["name"] == "a"])
    covariance = np.array([[0.25, 0.08], [0.08, 0.04]])
    inverse = np.linalg.inv(covariance)
    distances = [float(step @ inverse @ step) for step in outline - [1.0, -2.0]]
    assert distances == pytest.approx([5.991] * len(outline), rel=1e-3)
    assert {(row["x"], row["y"]) for row in corners if row["name"] == "b"} == {(3, 0)}
    drawn = np.random.default_rng(1).multivariate_normal([0, 0], covariance, 20_000)
    assert (np.einsum("ni,ij,nj->n", drawn, inverse, drawn) <= max(distances)).mean() == pytest.approx(
        0.95, abs=0.01
    )


@pytest.mark.parametrize("width", [300, 640])
def test_both_axes_have_one_unit_and_names_cover_neither_names_nor_marks(width: int) -> None:
    rng = np.random.default_rng(3)
    points = [
        (f"{'model' if number < 6 else 'country'} {number}", "model" if number < 6 else "people",
         *rng.normal(size=2).round(3).tolist(), 0.1, 0.05, 0.3)
        for number in range(80)
    ]  # fmt: skip
    spec = drawing(table(points), width)
    encoding = spec["layer"][0]["encoding"]
    (left, right), (bottom, top) = (encoding[side]["scale"]["domain"] for side in ("x", "y"))
    unit = spec["width"] / (right - left)
    assert spec["height"] / (top - bottom) == pytest.approx(unit)
    (names,) = layers(spec, "text")
    marks = [row for rows in layers(spec, "point") for row in rows]
    assert len(marks) == 80
    boxes = [
        ((row["x"] - left) * unit, (top - row["y"]) * unit - 7, text_width(row["name"], 11), 14.0)
        for row in names
    ]
    for one, other in combinations(boxes, 2):
        apart = one[0] + one[2] <= other[0] + 1e-6 or other[0] + other[2] <= one[0] + 1e-6
        assert apart or one[1] + 14 <= other[1] + 1e-6 or other[1] + 14 <= one[1] + 1e-6
    for box in boxes:
        assert box[0] >= -1e-6
        assert box[0] + box[2] <= spec["width"] + 1e-6
        for mark in marks:
            x, y = (mark["x"] - left) * unit, (top - mark["y"]) * unit
            assert not (box[0] < x < box[0] + box[2] and box[1] < y < box[1] + 14)
    first = next(layer for layer in reversed(spec["layer"]) if layer["mark"]["type"] == "point")
    assert {row["of"] for row in first["data"]["values"]} == {"model"}, "models are over countries"
    named = {row["name"] for row in names}
    assert sum(f"model {number}" in named for number in range(6)) >= 3


@pytest.mark.parametrize("is_flat", [True, False])
def test_each_title_is_broken_where_its_own_axis_ends(is_flat: bool) -> None:
    reach = (9.0, 1.0) if is_flat else (1.0, 9.0)
    points = table([("a", "model", 0, 0, 0.1, 0.1, 0), ("b", "people", *reach, 0.1, 0.1, 0)])
    names = {
        "right": "traditional against secular values",
        "up": "survival against expression of the self, and more words than a short axis has room for",
    }
    titled = replace(points, rows=points.rows.with_columns(pl.col("axis").replace(names)))
    spec = drawing(titled, 300)
    assert (spec["width"] > spec["height"]) is is_flat
    encoding = spec["layer"][0]["encoding"]
    titles = [encoding[side]["title"] for side in ("x", "y")]
    assert [" ".join(lines) for lines in titles] == [*names.values()]
    rooms = (spec["width"] + 40, spec["height"] + 40)
    assert [len(lines) > 1 for lines in titles] == [
        text_width(name, 12) > room for name, room in zip(names.values(), rooms, strict=True)
    ]
    assert not is_flat or (len(titles[0]), len(titles[1]) > 1) == (1, True)


def test_it_is_drawn_as_a_file_with_a_key_and_both_titles() -> None:
    (figure,) = figures_of(
        table([("Korea", "people", 0, 1, 0.1, 0.1, 0), ("m", "model", 1, 0, 0.1, 0.2, -0.5)]), {}
    )
    svg = figure.file()
    for text in ("Korea", "right", "up", "people", "model"):
        assert re.search(rf">\s*{text}\s*<", svg), text
    assert "holds the point with 95" in figure.caption
    assert figure.finding == ""
