"""The forms of figures of a grid as Vega-Lite specifications: heat maps, marks with intervals, bars, lines
and scatter plots."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from folkways.benchmarks.tables import Form, Layout
from folkways.reports.figures.charts import (
    HEAT,
    INK,
    LABEL_SIZE,
    MAX_SERIES,
    MUTED,
    NARROW_CHART,
    PAPER,
    SERIES,
    SHAPES,
    Spec,
    axis_y,
    column_lines,
    key,
    label_lines,
    label_width,
    lanes_height,
    layer,
    marks,
    named,
    right_of,
    row_height,
    series_keys,
    slanted_extent,
    slanted_overhang,
    spec,
    text_width,
    title_lines,
    words_fit,
)
from folkways.reports.figures.points import WITHOUT_ROWS, ellipses, scatter
from folkways.reports.views.grids import Cell, Grid

SIDES = 4
DIVERGING = (
    *(f"var(--below-{step})" for step in range(SIDES, 0, -1)),
    "var(--level)",
    *(f"var(--above-{step})" for step in range(1, SIDES + 1)),
)
"""Colours from far below the middle to far above it."""

PERCENTAGES = ("score", "share")
"""Columns with the same colours from 0 to 100 in all charts."""

UNCOLOURED = {"fill": "var(--paper)", "ink": MUTED}

ROOM = 250
"""Maximum width in pixels of the names of rows."""

MOST_WRITTEN = 24
"""Maximum number of columns with numbers in the cells; larger maps have colours only, and the table the
numbers."""

SMALL_STEP = {True: 10.0, False: 14.0}
"""Pixels of a cell without a number, on narrow charts and on others."""

DARK_STEP = 6
"""Step of ten from which a cell is dark enough for light figures (in the dark theme: light enough for dark
ones)."""


def heat_map(grid: Grid, layout: Layout, width: int) -> Spec:
    """The grid with every cell coloured by its number, which is written in it if there is room. Wide grids
    are transposed."""
    values = [
        (row[0].text, column, cell)
        for row in grid.rows
        for column, cell in zip(grid.columns[1:], row[1:], strict=True)
    ]
    down, across = [row[0].text for row in grid.rows], list(grid.columns[1:])
    if len(across) > len(down) or max(map(label_width, across), default=0) > ROOM:
        values = [(column, name, cell) for name, column, cell in values]
        down, across = across, down
    paint = _Paint([cell.value for _, _, cell in values if cell.value is not None and not cell.few], layout)
    rows = [
        {
            "down": name,
            "across": column,
            **(UNCOLOURED | {"text": f"n={cell.n}"} if cell.few else paint.of(cell)),
        }
        for name, column, cell in values
        if cell.value is not None
    ]
    room = min(ROOM, max((label_width(name) for name in down), default=0))
    small = len(across) > MOST_WRITTEN
    widest = max((text_width(row["text"], 1) for row in rows), default=0.0)  # in parts of the font's size
    least = SMALL_STEP[width < NARROW_CHART] if small else max(30.0, 4 + 9.5 * widest)
    step = max(least, min(110.0, (width + ROOM - room) / max(1, len(across))))
    slanted = not words_fit(across, step)
    size = min(12.0, step - 1) if small else LABEL_SIZE
    axis: Spec = {
        "orient": "top",
        "labelAngle": -90 if small else -50 if slanted else 0,
        "labelAlign": "left" if small or slanted else "center",
        "labelColor": INK,
        "labelLimit": 0,
        "labelFontSize": size,
    }
    if small:
        axis |= {"minExtent": 8 + max(text_width(name, size) for name in across)}
    elif slanted:
        axis |= {"minExtent": slanted_extent(across, 50)}
    else:
        axis |= column_lines(across, step)
    of_rows = {
        "minExtent": room,
        **label_lines(down, ROOM - 12),
        **({"labelFontSize": size} if small else {}),
    }
    overhang = slanted_overhang(across, step, 50) if slanted and not small else 0
    base = {"y": named("down", down, of_rows), "x": named("across", across, axis)}
    cells = {
        "mark": {"type": "rect", "stroke": PAPER, "strokeWidth": 1 if small else 2},
        "encoding": {**base, "fill": {"field": "fill", "type": "nominal", "scale": None}},
    }
    figures = {
        "mark": {"type": "text", "fontSize": 11 if step > max(34.0, 4 + 11 * widest) else 9.5},
        "encoding": {
            **base,
            "text": {"field": "text"},
            "color": {"field": "ink", "type": "nominal", "scale": None},
        },
    }
    return spec(
        width={"step": step},
        height={"step": step if small else row_height(down, ROOM - 12)},
        padding=right_of(overhang),
        data={"values": rows},
        layer=[cells] if small else [cells, figures],
    )


class _Paint:
    """Colours of numbers: percentages over their whole scale, others over their range or by distance from a
    middle."""

    def __init__(self, values: Sequence[float], layout: Layout) -> None:
        self.middle = middle = layout.diverges
        low, high = min(values, default=0.0), max(values, default=0.0)
        if middle is not None:
            self.reach = max(abs(low - middle), abs(high - middle))
        elif layout.cell in PERCENTAGES and low >= 0 and high <= 100:
            self.low, self.range = 0.0, 100.0
        else:
            self.low, self.range = low, high - low

    def of(self, cell: Cell) -> Spec:
        """The text of the cell, its colour and that of its text."""
        value = cell.value or 0.0
        if self.middle is not None:
            step = round(SIDES * (value - self.middle) / self.reach) if self.reach else 0
            fill, dark = DIVERGING[SIDES + step], abs(step) == SIDES
        else:
            step = min(9, int(10 * (value - self.low) / self.range)) if self.range else 0
            fill, dark = HEAT[step], step >= DARK_STEP
        return {
            "text": cell.text,
            "fill": fill,
            "ink": "var(--heat-light-ink)" if dark else "var(--heat-dark-ink)",
        }


def intervals(grid: Grid, layout: Layout, width: int) -> Spec:
    """A mark with an interval for every cell; rows from top to bottom, the first columns as series."""
    names = list(grid.columns[1 : MAX_SERIES + 1])
    points, groups = list(_points(grid, names)), [row[0].text for row in grid.rows]
    x = _axis(layout, width, zero=layout.diverges == 0)
    drawn = [*_middle(layout, "x", x), *marks(points, names, x, axis_y(groups))]
    return spec(series_keys(names), width=width, height=lanes_height(len(names), groups), layer=drawn)


def bars(grid: Grid, layout: Layout, width: int) -> Spec:
    """A bar from 0 for every cell, with its interval if it has one; rows from top to bottom, the first
    columns as series. The number is written at the end of each bar."""
    names = list(grid.columns[1 : MAX_SERIES + 1])
    points = list(_points(grid, names))
    texts = {
        (row[0].text, name): cell.text
        for row in grid.rows
        for name, cell in zip(names, row[1:], strict=False)
    }
    ends = [{**point, "text": texts[point["group"], point["series"]]} for point in points]
    longest = max((text_width(point["text"], 11) for point in ends), default=0) + 8
    highest = max((point["high"] for point in points), default=0)
    x = _axis(layout, width, zero=True)
    x["scale"] |= {
        "domainMin": 0,
        "domainMax": (highest or 1) / (1 - min(0.4, longest / width)),
        "nice": False,
    }
    y = axis_y([row[0].text for row in grid.rows])
    lane = {"field": "series", "type": "nominal", "scale": {"domain": names, "paddingInner": 0.1}}
    colour = {
        "field": "series",
        "type": "nominal",
        "legend": None,
        "scale": {"domain": names, "range": list(SERIES[: len(names)])},
    }
    bar = {"type": "bar", "opacity": 0.85}
    whisker = {"type": "rule", "color": INK, "strokeWidth": 1.2}
    number = {"type": "text", "align": "left", "baseline": "middle", "dx": 5, "fontSize": 11, "color": INK}
    some = [point for point in points if point["low"] < point["high"]]
    drawn = [
        layer(points, bar, x={**x, "field": "score"}, y=y, yOffset=lane, color=colour),
        *(
            [layer(some, whisker, x={**x, "field": "low"}, x2={"field": "high"}, y=y, yOffset=lane)]
            if some
            else []
        ),
        layer(ends, number, x={**x, "field": "high"}, y=y, yOffset=lane, text={"field": "text"}),
    ]
    keys = (
        [key(name, "bar", colour) for name, colour in zip(names, SERIES, strict=False)]
        if len(names) > 1
        else []
    )
    height = lanes_height(len(names), [row[0].text for row in grid.rows])
    return spec(keys, width=width, height=height, layer=drawn)


def lines(grid: Grid, layout: Layout, width: int) -> Spec:
    """A line for each of the first columns through the rows, which are in an order from left to right, with
    the interval of every point.

    A column whose name ends with ``layout.dashed`` has the colour of the column of that name without it.
    """
    names = list(grid.columns[1:])
    solid = list(dict.fromkeys(name.removesuffix(layout.dashed) for name in names))[:MAX_SERIES]
    names = [name for name in names if name.removesuffix(layout.dashed) in solid]
    looks = [solid.index(name.removesuffix(layout.dashed)) for name in names]
    dashed = [name not in solid for name in names]
    points = list(_points(grid, names))
    order = [row[0].text for row in grid.rows]
    width = max(width, WITHOUT_ROWS)
    step = width / max(1, len(order))
    turned = not words_fit(order, step)
    axis = (
        {"labelAngle": -50, "labelAlign": "right"}
        if turned
        else {"labelAngle": 0, **label_lines(order, step)}
    )
    x = {
        "field": "group",
        "type": "nominal",
        "sort": order,
        "title": title_lines(grid.columns[0], width),
        "axis": {**axis, "labelColor": INK, "labelLimit": 0},
        "scale": {"paddingInner": 0.75, "paddingOuter": 0.4},
    }
    series = {"field": "series", "type": "nominal", "legend": None}
    shared = {
        "x": x,
        "xOffset": {"field": "series", "type": "nominal", "scale": {"domain": names}},
        "color": {**series, "scale": {"domain": names, "range": [SERIES[look] for look in looks]}},
    }
    dash = {**series, "scale": {"domain": names, "range": [[4, 3] if each else [1, 0] for each in dashed]}}
    shape = {**series, "scale": {"domain": names, "range": [SHAPES[look] for look in looks]}}
    y = _axis(layout, 240, zero=layout.diverges == 0)
    some = [point for point in points if point["low"] < point["high"]]
    rule = {"type": "rule", "strokeWidth": 1.2, "opacity": 0.6}
    drawn = [
        *_middle(layout, "y", y),
        layer(
            points, {"type": "line", "strokeWidth": 1.8}, y={**y, "field": "score"}, **shared, strokeDash=dash
        ),
        *([layer(some, rule, y={**y, "field": "low"}, y2={"field": "high"}, **shared)] if some else []),
        layer(
            points,
            {"type": "point", "filled": True, "size": 52, "opacity": 1},
            y={**y, "field": "score"},
            **shared,
            shape=shape,
        ),
    ]
    keys = [
        key(name, SHAPES[look], SERIES[look], dashed=each)
        for name, look, each in zip(names, looks, dashed, strict=True)
    ]
    return spec(keys if len(names) > 1 else (), width=width, height=260, layer=drawn)


def _axis(layout: Layout, width: int, *, zero: bool) -> Spec:
    """A scale of numbers with its title."""
    return {
        "type": "quantitative",
        "title": title_lines(layout.measure, width),
        "axis": {"tickCount": 4 if width < NARROW_CHART else 8},
        "scale": {"zero": zero},
    }


def _middle(layout: Layout, side: str, axis: Spec) -> list[Spec]:
    """The line of the value that a layout diverges from, if there is one."""
    if layout.diverges is None:
        return []
    rule = {
        "mark": {"type": "rule", "color": MUTED, "strokeWidth": 1},
        "encoding": {side: {**axis, "datum": layout.diverges}},
    }
    return [{"data": {"values": [{}]}, **rule}]  # a layer without data draws nothing


def _points(grid: Grid, names: Sequence[str]) -> Iterator[Spec]:
    """The cells of these columns that have a number."""
    places = [grid.columns.index(name) for name in names]
    for row in grid.rows:
        for name, index in zip(names, places, strict=True):
            if (ends := _ends(row[index])) is not None:
                yield {"group": row[0].text, "series": name, **ends}


def _ends(cell: Cell) -> Spec | None:
    """The numbers of a mark; the interval of a cell without one has no width."""
    if cell.value is None:
        return None
    low, high = (cell.value if end is None else end for end in (cell.low, cell.high))
    return {"score": cell.value, "low": low, "high": high}


FORMS: Mapping[Form, Callable[[Grid, Layout, int], Spec]] = {
    "heatmap": heat_map,
    "intervals": intervals,
    "bars": bars,
    "lines": lines,
    "scatter": scatter,
    "ellipses": ellipses,
}
"""How each form is drawn: from a grid with its layout, and the width in pixels."""
