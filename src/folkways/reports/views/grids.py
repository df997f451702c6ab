"""Tables of analyses for display: wide by their layout, or row by row, with names instead of codes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from folkways.benchmarks.tables import ABBREVIATIONS, Layout, Plot, Table
from folkways.cultures import language_name
from folkways.display import NOT_A_NUMBER, count, figure, number, single_line
from folkways.names import culture_name
from folkways.records import BASELINE_PREFIX, is_baseline
from folkways.reports.figures.charts import FEW_ITEMS

HEADINGS = {**ABBREVIATIONS, "endpoint": "model", "low": "95\u202f% low", "high": "95\u202f% high"}
"""Headings of columns whose name is not the heading."""

SIZES = ("sentences", "questions", "n", "n_west_bengal", "n_bangladesh")
"""Columns with the number of items of a row; the smallest counts if there are several."""

ENDPOINT_AND = ", "
"""Between an endpoint and what else a column of a figure is about."""

WHOLE = "all"
WHOLE_NAMES = (None, "", "all")


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of a grid.

    text: the displayed text.
    value: the number; None for words and empty cells.
    low, high: ends of its 95 % interval; None without one.
    decimals: decimals of the displayed interval.
    n: number of items; None if unknown.
    """

    text: str
    value: float | None = None
    low: float | None = None
    high: float | None = None
    decimals: int = 1
    n: int | None = None

    @property
    def few(self) -> bool:
        """Whether it has too few items for a colour."""
        return self.n is not None and self.n <= FEW_ITEMS

    @property
    def interval(self) -> str:
        """``48.6 to 50.7``; empty without an interval."""
        if self.low is None or self.high is None:
            return ""
        return f"{number(self.low, self.decimals)} to {number(self.high, self.decimals)}"


@dataclass(frozen=True)
class Grid:
    """A table ready for display.

    heading: what distinguishes it from the other grids of its table; empty if it is the only one.
    columns: names; the first is that of the row headings.
    rows: one cell for each column.
    layout: the layout of the wide form; None for a grid row by row.
    part: the rows of the table that it shows.
    """

    heading: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    layout: Layout | None
    part: pl.DataFrame

    @property
    def of_baseline(self) -> bool:
        """Whether every row is of a baseline."""
        return "endpoint" in self.part.columns and all(map(is_baseline, self.part["endpoint"].unique()))

    @property
    def swapped(self) -> Grid:
        """Its rows as columns."""
        layout = self.layout and replace(self.layout, down=self.layout.across, across=self.layout.down)
        names = (heading(layout.down) if layout else "", *(row[0].text for row in self.rows))
        rows = tuple(
            (Cell(name), *(row[index] for row in self.rows)) for index, name in enumerate(self.columns[1:], 1)
        )
        return replace(self, columns=names, rows=rows, layout=layout)

    @property
    def numeric(self) -> tuple[bool, ...]:
        """For each column, whether it has only numbers."""
        return tuple(
            any(row[at].value is not None for row in self.rows)
            and all(row[at].value is not None or row[at].text in ("", NOT_A_NUMBER) for row in self.rows)
            for at in range(len(self.columns))
        )


WideRow = tuple[Any, list[dict[str, Any] | None]]
"""A value of ``down``, and its row (or None) for each value across."""


def grids(table: Table, short: Mapping[str, str]) -> list[Grid]:
    """The grids of a table. short: endpoint -> its name in the report.

    If a table has a grid for each value of ``by`` and few columns, ``by`` and the columns are swapped: a few
    wide grids instead of many narrow ones.
    """
    layout = table.layout
    if layout is None:
        columns = tuple(heading(name) for name in table.rows.columns)
        kinds = table.rows.schema
        rows = tuple(
            tuple(_plain(name, kinds[name], value, short) for name, value in row.items())
            for row in table.rows.iter_rows(named=True)
        )
        return [Grid("", columns, rows, None, table.rows)]
    return list(_laid_out(table.rows, _fewer(table.rows, layout), short))


def drawn_grids(table: Table, plot: Plot, short: Mapping[str, str]) -> list[Grid]:
    """The grids that a figure of the table draws, in the form of the plot: as the table is shown where the
    plot is its layout."""
    rows = table.rows if plot.rows is None else plot.rows
    layout = _fewer(rows, plot.layout) if plot.layout is table.layout else plot.layout
    return list(_laid_out(rows, replace(layout, measure=layout.title_of_axis), short))


def _fewer(rows: pl.DataFrame, layout: Layout) -> Layout:
    if layout.by is not None and rows[layout.by].n_unique() > rows[layout.across].n_unique():
        return replace(layout, across=layout.by, by=layout.across)
    return layout


def _laid_out(rows: pl.DataFrame, layout: Layout, short: Mapping[str, str]) -> Iterator[Grid]:
    ordered = (
        rows.sort(pl.col("endpoint").str.starts_with(BASELINE_PREFIX), maintain_order=True)
        if "endpoint" in rows.columns
        else rows
    )
    for part, across, group in wide_forms(ordered, layout):
        label = "" if layout.by is None else word(layout.by, part[layout.by][0], short)
        lines = tuple(
            (
                Cell(word(layout.down, name, short)),
                *(_measured(row, layout) if row else Cell("") for row in rows),
            )
            for name, rows in group
        )
        columns = (heading(layout.down), *(word(layout.across, column, short) for column in across))
        yield Grid(label, columns, lines, layout, part)


def wide_forms(rows: pl.DataFrame, layout: Layout) -> Iterator[tuple[pl.DataFrame, list[Any], list[WideRow]]]:
    """For each wide form: its rows, the values across, and the rows of the form."""
    for part in [rows] if layout.by is None else rows.partition_by(layout.by):
        across = part[layout.across].unique(maintain_order=True).to_list()
        cells = {(row[layout.down], row[layout.across]): row for row in part.iter_rows(named=True)}
        down = part[layout.down].unique(maintain_order=True)
        if set(across) == set(down):  # a square: the same order in both directions
            across = down.to_list()
        yield part, across, [(name, [cells.get((name, column)) for column in across]) for name in down]


def _measured(row: Mapping[str, Any], layout: Layout) -> Cell:
    """The cell of a row, with its interval if there is one."""
    value = row[layout.cell]
    if value is None:
        return Cell(NOT_A_NUMBER)
    low, high = (row.get(name) for name in ("low", "high"))
    has_interval = low is not None and high is not None
    sizes = [row[name] for name in SIZES if row.get(name) is not None]
    n = int(min(sizes)) if sizes else None
    return Cell(
        number(value, layout.decimals),
        float(value),
        *((low, high) if has_interval else (None, None)),
        layout.decimals,
        n,
    )


def heading(name: str) -> str:
    """The heading of a column."""
    return HEADINGS.get(name) or name.replace("_", " ")


def word(column: str, value: Any, short: Mapping[str, str]) -> str:
    """The displayed text of a value; cultures, languages and models by name."""
    if value in WHOLE_NAMES:
        return WHOLE
    if column in ("culture", "asked_culture", "other_culture"):
        return single_line(culture_name(str(value)))
    if column == "language":
        return single_line(language_name(str(value)))
    if column == "endpoint":
        name, comma, rest = str(value).partition(ENDPOINT_AND)
        return (
            f"{short[name]}{comma}{rest}" if name in short else short.get(str(value), single_line(str(value)))
        )
    return single_line(str(value))


def _plain(column: str, kind: pl.DataType, value: Any, short: Mapping[str, str]) -> Cell:
    if value is None:
        return Cell(NOT_A_NUMBER if kind.is_float() else "")
    if isinstance(value, bool):
        return Cell("yes" if value else "no")
    if isinstance(value, int):
        return Cell(count(value), value=value)
    if isinstance(value, float):
        return Cell(figure(value), value=value)
    return Cell(word(column, value, short))
