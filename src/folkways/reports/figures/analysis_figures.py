"""The analyses of a report: each table's grids, and the figures that are drawn of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from folkways.benchmarks.results import Result, ResultTables
from folkways.benchmarks.tables import Layout, Table
from folkways.display import number, plural
from folkways.reports.figures.analysis_charts import heat_map, intervals
from folkways.reports.figures.chart_parts import FEW_TOLD, MAX_SERIES
from folkways.reports.figures.figure import MAX_FIGURES_PER_KIND, NARROW, WIDE, Figure, render, slugged
from folkways.reports.views.grids import Grid, grids

MOST_COLUMNS, MOST_ROWS = 24, 45
"""Larger grids are tables alone: nobody reads a chart of them. A chart of fewer series than it may have can
have more rows."""

MOST_CELLS = 64
"""Rows and columns of a heat map, which is colour alone where it has many
(``analysis_charts.MOST_WRITTEN``)."""


SHORT = 30
"""Rows up to which a table without a figure stands open."""


@dataclass(frozen=True)
class TableView:
    """A table as a report shows it: laid out, and its figures with the grid that each is of."""

    table: Table
    grids: Sequence[Grid]
    figures: Sequence[Figure]

    @property
    def opened(self) -> bool:
        """Whether the table stands open: where no figure shows what it says, and it is short."""
        return not self.figures and self.table.rows.height <= SHORT

    @property
    def anchor(self) -> str:
        """Its name in the page."""
        return f"table-{slugged(self.table.name)}"


@dataclass(frozen=True)
class ResultView:
    """A result as a report shows it."""

    result: Result
    tables: Sequence[TableView]

    @property
    def anchor(self) -> str:
        """Its name in the page."""
        return f"analysis-{slugged(self.result.name)}"


def result_views(made: Sequence[ResultTables], short: Mapping[str, str]) -> list[ResultView]:
    """Every result with its tables and figures, in their order. ``short`` has the endpoints' names for
    charts."""
    return [
        ResultView(found.result, [_table_view(found.result, table, short) for table in found.tables])
        for found in made
    ]


def _table_view(result: Result, table: Table, short: Mapping[str, str]) -> TableView:
    return TableView(
        table, grids(table, short), list(_figures(result, table, grids(table, short, drawn=True)))
    )


def _figures(result: Result, table: Table, laid_out: Sequence[Grid]) -> Iterator[Figure]:
    drawable = [(grid, grid.layout) for grid in laid_out if grid.layout and grid.layout.drawn and _fits(grid)]
    of_models = [(grid, layout) for grid, layout in drawable if not grid.of_baseline]
    drawable = of_models or drawable
    for place, (grid, layout) in enumerate(drawable[:MAX_FIGURES_PER_KIND], 1):
        slug = f"analysis-{slugged(result.name)}-{slugged(table.name)}" + (
            f"-{place}" if len(drawable) > 1 else ""
        )
        chart = heat_map if layout.drawn == "heatmap" else intervals
        wide, narrow = (
            render(chart(grid, layout, width), f"{slug}-{size}")
            for width, size in ((WIDE, "w"), (NARROW, "n"))
        )
        title = f"{table.title}: {grid.heading}" if grid.heading else table.title
        yield Figure(slug, title, _caption(grid, layout), _finding(grid), wide, narrow, of=grid.heading)


def _fits(grid: Grid) -> bool:
    """Whether there is something to draw, and not more than can be read."""
    known = sum(cell.value is not None for row in grid.rows for cell in row[1:])
    columns, rows = len(grid.columns) - 1, len(grid.rows)
    if grid.layout is not None and grid.layout.drawn == "heatmap":
        return known > 1 and max(columns, rows) <= MOST_CELLS
    return known > 1 and columns <= MOST_COLUMNS and rows * min(columns, MAX_SERIES) <= MOST_ROWS * MAX_SERIES


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
    """Where the highest and the lowest number stand, of those that rest on more than a few items."""
    known = [
        (cell.value, f"{row[0].text}, {column}")
        for row in grid.rows
        for column, cell in zip(grid.columns[1:], row[1:], strict=True)
        if cell.value is not None and not cell.few
    ]
    if not known:
        return ""
    decimals = grid.layout.decimals if grid.layout else 1
    (lowest, where_lowest), (highest, where_highest) = min(known), max(known)
    if lowest == highest:
        return f"Every cell is {number(lowest, decimals)}."
    told = (
        f"Highest {number(highest, decimals)} ({where_highest}), lowest {number(lowest, decimals)} "
        f"({where_lowest})."
    )
    return f"{told}{_apart(grid)}"


def _apart(grid: Grid) -> str:
    """How many intervals leave out the value on both sides of which marks are drawn; empty where none is."""
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
