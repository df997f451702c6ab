"""Tables of analyses as charts: heat maps, in one direction or on both sides of a value, and marks with their
intervals."""

from __future__ import annotations

from collections.abc import Sequence

from folkways.benchmarks.tables import Layout
from folkways.reports.figures.chart_parts import (
    HEAT,
    INK,
    MAX_SERIES,
    MUTED,
    NARROW,
    PAPER,
    Spec,
    axis_y,
    label_lines,
    label_width,
    lanes_height,
    marks,
    named,
    row_height,
    series_legend,
    spec,
)
from folkways.reports.views.grids import Cell, Grid

SIDES = 4
DIVERGING = (
    *(f"var(--below-{step})" for step in range(SIDES, 0, -1)),
    "var(--level)",
    *(f"var(--above-{step})" for step in range(1, SIDES + 1)),
)
"""From far below the middle to far above it."""

PERCENTAGES = ("score", "share")
"""Columns whose colours span 0 to 100, so that they can be compared between charts."""

UNCOLOURED = {"fill": "var(--paper)", "ink": MUTED}

ROOM = 250
"""Pixels at most for the names of rows."""

MOST_WRITTEN = 24
"""Columns up to which the numbers stand in the cells; a map with more of them is colour alone, and its table
has the numbers."""

SMALL_STEP = {True: 10.0, False: 14.0}
"""Pixels of a cell without a number, on a chart of few pixels and on others."""

DARK_STEP = 6
"""From this of the ten steps on a cell is dark enough for light figures (in the dark theme: light enough for
dark ones)."""


def heat_map(grid: Grid, layout: Layout, width: int) -> Spec:
    """The grid with every cell coloured by its number, which is written in it where there is room.

    It is turned where it is wider than it is high.
    """
    known = [
        (row[0].text, column, cell)
        for row in grid.rows
        for column, cell in zip(grid.columns[1:], row[1:], strict=True)
    ]
    down, across = [row[0].text for row in grid.rows], list(grid.columns[1:])
    if len(across) > len(down) or max(map(label_width, across), default=0) > ROOM:
        known = [(column, name, cell) for name, column, cell in known]
        down, across = across, down
    paint = _Paint([cell.value for _, _, cell in known if cell.value is not None and not cell.few], layout)
    rows = [
        {
            "down": name,
            "across": column,
            **(UNCOLOURED | {"text": f"n={cell.n}"} if cell.few else paint.of(cell)),
        }
        for name, column, cell in known
        if cell.value is not None
    ]
    room = min(ROOM, max((label_width(name) for name in down), default=0))
    small = len(across) > MOST_WRITTEN
    least = SMALL_STEP[width < NARROW] if small else 30.0
    step = max(least, min(110.0, (width + ROOM - room) / max(1, len(across))))
    slanted = step < max((label_width(name) for name in across), default=0)
    axis: Spec = {
        "orient": "top",
        "labelAngle": -90 if small else -50 if slanted else 0,
        "labelAlign": "left" if slanted else "center",
        "labelColor": INK,
        "labelLimit": ROOM,
    }
    if small:
        axis |= {"minExtent": max(map(label_width, across)), "labelFontSize": min(12.0, step - 1)}
    of_rows = {
        "minExtent": room,
        **label_lines(down, ROOM - 12),
        **({"labelFontSize": axis["labelFontSize"]} if small else {}),
    }
    base = {"y": named("down", down, of_rows), "x": named("across", across, axis)}
    cells = {
        "mark": {"type": "rect", "stroke": PAPER, "strokeWidth": 1 if small else 2},
        "encoding": {**base, "fill": {"field": "fill", "type": "nominal", "scale": None}},
    }
    figures = {
        "mark": {"type": "text", "fontSize": 11 if step > 34 else 9.5},
        "encoding": {
            **base,
            "text": {"field": "text"},
            "color": {"field": "ink", "type": "nominal", "scale": None},
        },
    }
    return spec(
        width={"step": step},
        height={"step": step if small else row_height(down, ROOM - 12)},
        data={"values": rows},
        layer=[cells] if small else [cells, figures],
    )


class _Paint:
    """Colours of numbers: of percentages over their whole scale, of others over their range, or by distance
    from a middle."""

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
        """What is written in the cell, its colour and that of the figures in it."""
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
    """A mark with its interval for every cell: rows from top to bottom, the first columns as series."""
    names = list(grid.columns[1 : MAX_SERIES + 1])
    points = [
        {"group": row[0].text, "series": name, **ends}
        for row in grid.rows
        for name, cell in zip(names, row[1:], strict=False)
        if (ends := _ends(cell)) is not None
    ]
    x = {
        "type": "quantitative",
        "title": None,
        "axis": {"tickCount": 4 if width < NARROW else 8},
        "scale": {"zero": layout.diverges == 0},
    }
    y = axis_y([row[0].text for row in grid.rows])
    rule = {
        "mark": {"type": "rule", "color": MUTED, "strokeWidth": 1},
        "encoding": {"x": {**x, "datum": layout.diverges}},
    }
    middle = [{"data": {"values": [{}]}, **rule}]  # a layer without data draws nothing
    drawn = [
        *(middle if layout.diverges is not None else []),
        *marks(points, names, x, y, series_legend(len(names), width)),
    ]
    return spec(width=width, height=lanes_height(len(names)), layer=drawn)


def _ends(cell: Cell) -> Spec | None:
    """The numbers that a mark is drawn from; a cell without an interval has a point of no width."""
    if cell.value is None:
        return None
    low, high = (cell.value if end is None else end for end in (cell.low, cell.high))
    return {"score": cell.value, "low": low, "high": high}
