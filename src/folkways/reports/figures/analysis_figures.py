"""The tables of analyses and of a benchmark's data: their grids, and their figures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from folkways.benchmarks.results import Result, ResultTables
from folkways.benchmarks.tables import Layout, Table
from folkways.display import number, plural
from folkways.reports.figures.charts import FEW_TOLD, MAX_SERIES
from folkways.reports.figures.figure import MAX_FIGURES_PER_KIND, Figure, make_figure, slugged
from folkways.reports.figures.forms import FORMS
from folkways.reports.views.grids import Grid, drawn_grids, grids

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


def result_views(
    made: Sequence[ResultTables], short: Mapping[str, str], most: int | None = MAX_FIGURES_PER_KIND
) -> list[ResultView]:
    """Every result with its tables and figures, in order. short: endpoint -> its name in charts. most:
    figures of one kind, such as of single models; None for all."""
    return [
        ResultView(
            result.result,
            [
                TableView(table, grids(table, short), list(figures_of(table, short, result.result, most)))
                for table in result.tables
            ],
        )
        for result in made
    ]


def figures_of(
    table: Table, short: Mapping[str, str], result: Result | None = None, most: int | None = None
) -> Iterator[Figure]:
    """The figures of a table. result: the one that it belongs to, whose name begins the names of files;
    without one, figures are for files alone. short,
    most: as for ``result_views``."""
    names = [f"analysis-{slugged(result.name)}"] if result else []
    for plot in table.drawn:
        drawable = [grid for grid in drawn_grids(table, plot, short) if _fits(grid)]
        of_models = [grid for grid in drawable if not grid.of_baseline]
        drawable = of_models or drawable
        for position, grid in enumerate(drawable[:most], 1):
            parts = [*names, table.name, *([plot.name] if plot.name else [])]
            slug = "-".join(map(slugged, parts)) + (f"-{position}" if len(drawable) > 1 else "")
            yield _figure(grid, slug, plot.title or table.title, narrow=result is not None)


def _figure(grid: Grid, slug: str, title: str, *, narrow: bool) -> Figure:
    grid = _readable(grid)
    layout = grid.layout
    assert layout is not None and layout.drawn is not None  # noqa: S101 - of drawn_grids
    form = FORMS[layout.drawn]
    return make_figure(
        slug,
        f"{title}: {grid.heading}" if grid.heading else title,
        _caption(grid, layout),
        _finding(grid, layout),
        lambda width, _: form(grid, layout, width),
        of=grid.heading,
        measure=layout.measure,
        narrow=narrow,
    )


def _readable(grid: Grid) -> Grid:
    """The grid with its rows and columns swapped, or as a heat map, where it has more series than people can
    tell apart."""
    layout = grid.layout
    if layout is None or layout.drawn in ("heatmap", "scatter", "ellipses") or layout.dashed:
        return grid
    if len(grid.columns) - 1 <= MAX_SERIES:
        return grid
    if len(grid.rows) <= MAX_SERIES and layout.drawn != "lines":
        return grid.swapped
    return replace(grid, layout=replace(layout, drawn="heatmap"))


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
    if layout.drawn == "ellipses":
        return (
            "The ellipse holds the point with 95\u202f%; names that would cover others are left out, and the "
            "table has them."
        )
    if layout.drawn == "scatter":
        return "Both on one scale; names that would cover others are left out, and the table has them."
    if layout.drawn != "heatmap":
        intervals = any(cell.interval for row in grid.rows for cell in row)
        mark = "bar" if layout.drawn == "bars" else "mark"
        solid = {name.removesuffix(layout.dashed) for name in grid.columns[1:]}
        more = (
            f" The first {MAX_SERIES} are drawn; the table has the rest." if len(solid) > MAX_SERIES else ""
        )
        return (f"The {mark} is the value, the line its 95\u202f% interval." if intervals else "") + more
    few = f" {FEW_TOLD}" if any(cell.few for row in grid.rows for cell in row) else ""
    if layout.diverges is not None:
        return f"Blue is above {layout.diverges:g}, orange below; the stronger the colour, the further.{few}"
    return f"Darker is higher in the light theme, lighter in the dark one.{few}"


def _finding(grid: Grid, layout: Layout) -> str:
    """A sentence with the highest and the lowest number, of those with more than a few items; empty for
    points of a plane."""
    if layout.drawn == "ellipses":
        return ""
    values = [
        (cell.value, f"{row[0].text}, {column}")
        for row in grid.rows
        for column, cell in zip(grid.columns[1:], row[1:], strict=True)
        if cell.value is not None and not cell.few
    ]
    if not values:
        return ""
    (lowest, where_lowest), (highest, where_highest) = min(values), max(values)
    least, most = (number(value, layout.decimals) for value in (lowest, highest))
    if lowest == highest:
        return f"Every cell is {most}."
    return f"Highest {most} ({where_highest}), lowest {least} ({where_lowest}).{_apart(grid, layout)}"


def _apart(grid: Grid, layout: Layout) -> str:
    """A sentence on how many intervals exclude the middle value; empty without one."""
    if layout.diverges is None or layout.drawn != "intervals":
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
