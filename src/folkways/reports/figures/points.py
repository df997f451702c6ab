"""Forms of figures whose marks are points of a plane: scatter plots and maps, as Vega-Lite specifications."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from folkways.benchmarks.tables import Layout
from folkways.reports.figures.charts import (
    INK,
    MUTED,
    SERIES,
    SHAPES,
    Spec,
    key,
    layer,
    spec,
    text_width,
    title_lines,
)
from folkways.reports.views.grids import Cell, Grid

MOST_WIDE = 640
"""Greatest width in pixels of a map of points."""

WITHOUT_ROWS = 300
"""Least width in pixels of a chart that has no names of rows at its left."""


def scatter(grid: Grid, layout: Layout, width: int) -> Spec:
    """A mark for each row: its first column to the right, its second upwards, both on one scale with the line
    on which they are equal. A name is written next to its mark where it covers nothing."""
    size = min(max(width, WITHOUT_ROWS), 420)
    points: list[Spec] = [
        {"name": row[0].text, "x": row[1].value, "y": row[2].value}
        for row in grid.rows
        if row[1].value is not None and row[2].value is not None
    ]
    numbers = [value for point in points for value in (point["x"], point["y"])]
    low, high = (0.0, 100.0) if "%" in layout.measure else (min(numbers, default=0), max(numbers, default=1))

    def axis(column: int) -> Spec:
        title = title_lines(f"{grid.columns[column]} ({layout.measure})", size)
        return {
            "type": "quantitative",
            "title": title,
            "axis": {"tickCount": 8},
            "scale": {"domain": [low, high], "nice": False},
        }

    x, y = axis(1), axis(2)
    equal = [{"x": low, "y": low}, {"x": high, "y": high}]
    scale = size / (high - low or 1)
    pixels = [(point["name"], (point["x"] - low) * scale, (high - point["y"]) * scale) for point in points]
    names = [
        {"name": name, "x": low + left / scale, "y": high - top / scale}
        for name, left, top in placed_names(pixels, size, size)
    ]
    line = {"type": "line", "color": MUTED, "strokeDash": [4, 3], "strokeWidth": 1}
    point = {"type": "point", "filled": True, "size": 52, "opacity": 1, "color": SERIES[0]}
    text = {"type": "text", "align": "left", "baseline": "middle", "fontSize": 11, "color": INK}
    at = {"x": {**x, "field": "x"}, "y": {**y, "field": "y"}}
    drawn = [
        layer(equal, line, **at),
        layer(points, point, **at),
        layer(names, text, **at, text={"field": "name"}),
    ]
    return spec([key("equal on both", "line", MUTED, dashed=True)], width=size, height=size, layer=drawn)


ROUND = 48
"""Corners of an ellipse."""


def ellipses(grid: Grid, layout: Layout, width: int) -> Spec:
    """A mark for each row with its ellipse: its first column to the right, its second upwards, on axes with
    the same unit. Rows of the first ``of`` are drawn over the others and named first."""
    side = min(max(width, WITHOUT_ROWS), MOST_WIDE)
    kinds = grid.part["of"].unique(maintain_order=True).to_list()
    described = {row["name"]: row for row in grid.part.iter_rows(named=True)}
    points: list[Spec] = []
    corners: list[Spec] = []
    for name, (label, x, y, *_) in zip(described, grid.rows, strict=True):
        of = described[name]["of"]
        points.append({"name": label.text, "of": of, "x": x.value, "y": y.value})
        corners += [
            {"name": name, "of": of, "corner": corner, "x": right, "y": up}
            for corner, (right, up) in enumerate(_outline(x, y, described[name]["correlation"]))
        ]
    drawn = [*points, *corners]
    left, right = _reach([point["x"] for point in drawn])
    bottom, top = _reach([point["y"] for point in drawn])
    unit = side / (right - left)
    height = unit * (top - bottom)
    pixels = [(point["name"], (point["x"] - left) * unit, (top - point["y"]) * unit) for point in points]
    names = [
        {"name": name, "x": left + at_left / unit, "y": top - at_top / unit}
        for name, at_left, at_top in placed_names(pixels, side, height)
    ]

    def axis(column: int, domain: list[float]) -> Spec:
        title = title_lines(grid.columns[column], side if column == 1 else int(height))
        scale = {"domain": domain, "nice": False, "zero": False}
        return {"type": "quantitative", "title": title, "axis": {"tickCount": 8}, "scale": scale}

    at = {"x": {**axis(1, [left, right]), "field": "x"}, "y": {**axis(2, [bottom, top]), "field": "y"}}
    colours = {"domain": kinds, "range": list(SERIES[: len(kinds)])}
    colour = {"field": "of", "type": "nominal", "legend": None, "scale": colours}
    closed = {"type": "line", "interpolate": "linear-closed", "strokeWidth": 1, "fillOpacity": 0.12}
    mark = {"type": "point", "filled": True, "size": 36, "opacity": 1}
    shape = {**colour, "scale": {"domain": kinds, "range": list(SHAPES[: len(kinds)])}}
    text = {"type": "text", "align": "left", "baseline": "middle", "fontSize": 11, "color": INK}
    layers = [
        layer(
            [corner for corner in corners if corner["of"] == kind], closed, **at, color=colour, fill=colour,
            detail={"field": "name", "type": "nominal"}, order={"field": "corner", "type": "quantitative"},
        )
        for kind in reversed(kinds)
    ]  # fmt: skip
    layers += [
        layer([point for point in points if point["of"] == kind], mark, **at, color=colour, shape=shape)
        for kind in reversed(kinds)
    ]
    keys = [key(kind, SHAPES[number], SERIES[number]) for number, kind in enumerate(kinds)]
    return spec(
        keys if len(kinds) > 1 else (),
        width=side,
        height=height,
        layer=[*layers, layer(names, text, **at, text={"field": "name"})],
    )


def _outline(x: Cell, y: Cell, correlation: float) -> Iterator[tuple[float, float]]:
    """The corners of the ellipse that holds a point with 95 %, from the 95 % interval of each side."""
    # An interval reaches 1.96 standard deviations, and an ellipse with the same chance 2.45.
    wider = 2.4477468306808166 / 1.959963984540054
    right, up = (wider * ((side.high or 0.0) - (side.low or 0.0)) / 2 for side in (x, y))
    for corner in range(ROUND):
        cosine, sine = math.cos(2 * math.pi * corner / ROUND), math.sin(2 * math.pi * corner / ROUND)
        other = correlation * cosine + math.sqrt(max(0.0, 1 - correlation**2)) * sine
        yield (x.value or 0.0) + right * cosine, (y.value or 0.0) + up * other


def _reach(values: Sequence[float]) -> tuple[float, float]:
    """The ends of an axis with some room around the values."""
    low, high = min(values), max(values)
    room = 0.06 * (high - low) or 1.0
    return low - room, high + room


def placed_names(
    points: Sequence[tuple[str, float, float]], width: float, height: float
) -> Iterator[tuple[str, float, float]]:
    """The names of points (name, and pixels from the left and the top) where they cover no other name and no
    mark, with their left ends and middles; the first points' before the others'."""
    covered = [(left - 5, top - 5, 10.0, 10.0) for _, left, top in points]
    for name, left, top in points:
        wide = text_width(name, 11)
        beside, above = ((8.0, 0.0), (-8 - wide, 0.0)), ((-wide / 2, -14.0), (-wide / 2, 14.0))
        slanted = ((right, up) for right in (6.0, -6 - wide) for up in (-11.0, 11.0))
        for dx, dy in (*beside, *above, *slanted):
            box = (left + dx, top + dy - 7, wide, 14.0)
            inside = box[0] >= 0 and box[0] + wide <= width and box[1] >= 0 and box[1] + 14 <= height
            if inside and not any(_cover(box, other) for other in covered):
                covered.append(box)
                yield name, box[0], box[1] + 7
                break


def _cover(box: tuple[float, float, float, float], other: tuple[float, float, float, float]) -> bool:
    """Whether two boxes (left, top, width, height) cover each other."""
    return (
        box[0] < other[0] + other[2]
        and other[0] < box[0] + box[2]
        and box[1] < other[1] + other[3]
        and other[1] < box[1] + box[3]
    )
