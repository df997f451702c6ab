"""The analyses of a report: the grids of each table, and their figures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from folkways.benchmarks.results import Result, ResultTables
from folkways.benchmarks.tables import Layout, Table
from folkways.display import number, plural
from folkways.reports.figures.charts import (
    FEW_TOLD,
    HEAT,
    INK,
    MAX_SERIES,
    MUTED,
    NARROW_CHART,
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
    slanted_extent,
    spec,
)
from folkways.reports.figures.figure import MAX_FIGURES_PER_KIND, NARROW, WIDE, Figure, render, slugged
from folkways.reports.views.grids import Cell, Grid, grids

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
    least = SMALL_STEP[width < NARROW_CHART] if small else 30.0
    step = max(least, min(110.0, (width + ROOM - room) / max(1, len(across))))
    slanted = step < max((label_width(name) for name in across), default=0)
    axis: Spec = {
        "orient": "top",
        "labelAngle": -90 if small else -50 if slanted else 0,
        "labelAlign": "left" if slanted else "center",
        "labelColor": INK,
        "labelLimit": ROOM,
    }
    if slanted and not small:
        axis |= {"minExtent": slanted_extent(across, 50)}
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
    points = [
        {"group": row[0].text, "series": name, **ends}
        for row in grid.rows
        for name, cell in zip(names, row[1:], strict=False)
        if (ends := _ends(cell)) is not None
    ]
    x = {
        "type": "quantitative",
        "title": None,
        "axis": {"tickCount": 4 if width < NARROW_CHART else 8},
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
        *marks(points, names, x, y, series_legend(names, width)),
    ]
    return spec(width=width, height=lanes_height(len(names)), layer=drawn)


def _ends(cell: Cell) -> Spec | None:
    """The numbers of a mark; the interval of a cell without one has no width."""
    if cell.value is None:
        return None
    low, high = (cell.value if end is None else end for end in (cell.low, cell.high))
    return {"score": cell.value, "low": low, "high": high}


MOST_COLUMNS, MOST_ROWS = 24, 45
"""Larger grids get no chart, which nobody could read. A chart with few series can have more rows."""

MOST_CELLS = 64
"""Maximum number of rows and columns of a heat map."""


SHORT = 30
"""Maximum number of rows of a table without a figure that is open at first."""


@dataclass(frozen=True)
class TableView:
    """A table with its grids, and the figures of these."""

    table: Table
    grids: Sequence[Grid]
    figures: Sequence[Figure]

    @property
    def opened(self) -> bool:
        """Whether the table is open at first: if it is short and has no figure."""
        return not self.figures and self.table.rows.height <= SHORT

    @property
    def anchor(self) -> str:
        """Its name in the page."""
        return f"table-{slugged(self.table.name)}"


@dataclass(frozen=True)
class ResultView:
    """A result with its tables and figures."""

    result: Result
    tables: Sequence[TableView]

    @property
    def anchor(self) -> str:
        """Its name in the page."""
        return f"analysis-{slugged(self.result.name)}"


def result_views(made: Sequence[ResultTables], short: Mapping[str, str]) -> list[ResultView]:
    """Every result with its tables and figures, in order. short: endpoint -> its name in charts."""
    return [
        ResultView(result.result, [_table_view(result.result, table, short) for table in result.tables])
        for result in made
    ]


def _table_view(result: Result, table: Table, short: Mapping[str, str]) -> TableView:
    return TableView(
        table, grids(table, short), list(_figures(result, table, grids(table, short, drawn=True)))
    )


def _figures(result: Result, table: Table, laid_out: Sequence[Grid]) -> Iterator[Figure]:
    drawable = [(grid, grid.layout) for grid in laid_out if grid.layout and grid.layout.drawn and _fits(grid)]
    of_models = [(grid, layout) for grid, layout in drawable if not grid.of_baseline]
    drawable = of_models or drawable
    for position, (grid, layout) in enumerate(drawable[:MAX_FIGURES_PER_KIND], 1):
        slug = f"analysis-{slugged(result.name)}-{slugged(table.name)}" + (
            f"-{position}" if len(drawable) > 1 else ""
        )
        chart = heat_map if layout.drawn == "heatmap" else intervals
        wide, narrow = (
            render(chart(grid, layout, width), f"{slug}-{size}")
            for width, size in ((WIDE, "w"), (NARROW, "n"))
        )
        title = f"{table.title}: {grid.heading}" if grid.heading else table.title
        yield Figure(slug, title, _caption(grid, layout), _finding(grid), wide, narrow, of=grid.heading)


def _fits(grid: Grid) -> bool:
    """Whether the grid has something to draw, and not too much to read."""
    filled = sum(cell.value is not None for row in grid.rows for cell in row[1:])
    columns, rows = len(grid.columns) - 1, len(grid.rows)
    if grid.layout is not None and grid.layout.drawn == "heatmap":
        return filled > 1 and max(columns, rows) <= MOST_CELLS
    return (
        filled > 1 and columns <= MOST_COLUMNS and rows * min(columns, MAX_SERIES) <= MOST_ROWS * MAX_SERIES
    )


def _caption(grid: Grid, layout: Layout) -> str:
    if layout.drawn == "intervals":
        left_out = len(grid.columns) - 1 - MAX_SERIES
        more = f" The first {MAX_SERIES} are drawn; the table has the rest." if left_out > 0 else ""
        return f"The dot is the value, the line its 95\u202f% interval.{more}"
    few = f" {FEW_TOLD}" if any(cell.few for row in grid.rows for cell in row) else ""
    if layout.diverges is not None:
        return f"Blue is above {layout.diverges:g}, orange below; the stronger the colour, the further.{few}"
    return f"Darker is higher in the light theme, lighter in the dark one.{few}"


def _finding(grid: Grid) -> str:
    """A sentence with the highest and the lowest number, of those with more than a few items."""
    values = [
        (cell.value, f"{row[0].text}, {column}")
        for row in grid.rows
        for column, cell in zip(grid.columns[1:], row[1:], strict=True)
        if cell.value is not None and not cell.few
    ]
    if not values:
        return ""
    decimals = grid.layout.decimals if grid.layout else 1
    (lowest, where_lowest), (highest, where_highest) = min(values), max(values)
    if lowest == highest:
        return f"Every cell is {number(lowest, decimals)}."
    sentence = (
        f"Highest {number(highest, decimals)} ({where_highest}), lowest {number(lowest, decimals)} "
        f"({where_lowest})."
    )
    return f"{sentence}{_apart(grid)}"


def _apart(grid: Grid) -> str:
    """A sentence on how many intervals exclude the middle value; empty without one."""
    layout = grid.layout
    if layout is None or layout.diverges is None or layout.drawn != "intervals":
        return ""
    ends = [
        (cell.low, cell.high)
        for row in grid.rows
        for cell in row[1:]
        if cell.low is not None and cell.high is not None
    ]
    apart = sum(not low <= layout.diverges <= high for low, high in ends)
    return (
        f" {apart or 'None'} of {plural(len(ends), 'interval')} {'leaves' if apart < 2 else 'leave'} "
        f"{layout.diverges:g} out."
    )
