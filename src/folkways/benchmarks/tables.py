"""A table of numbers: long rows with a name, the unit that was sampled, and how it is laid out for people."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

import polars as pl

from folkways.errors import FolkwaysError
from folkways.records import Schema, without_nan
from folkways.stats.hypotheses.corrections import holm

ABBREVIATIONS: Mapping[str, str] = {"sem_b": "SEM-B", "sem_w": "SEM-W", "p_holm": "p (Holm)"}
"""Column name -> what people read in its place, wherever a table is shown; GG is Greenhouse and Geisser's
correction."""


DIFFERENCE: Schema = {"difference": pl.Float64, "low": pl.Float64, "high": pl.Float64, "p": pl.Float64}
"""Columns of a difference: its interval, and p for no difference
(``stats.differences.Difference.columns``)."""


def in_order(column: str, names: Iterable[str]) -> pl.Expr:
    """A key that sorts by the position in ``names``; other values come last."""
    places = {name: index for index, name in enumerate(names)}
    return pl.col(column).replace_strict(places, default=len(places), return_dtype=pl.Int64)


def with_holm(rows: pl.DataFrame) -> pl.DataFrame:
    """The rows with ``p_holm``: their ``p``, corrected for the number of rows."""
    return rows.with_columns(
        p_holm=pl.Series(holm(rows["p"].fill_null(float("nan")).to_list()), dtype=pl.Float64)
    )


class NotAvailableError(FolkwaysError):
    """The inputs of a table are not available; the message says what to fetch, to run or to name."""


Form = Literal["heatmap", "intervals", "bars", "lines", "scatter", "ellipses"]
"""Forms of figures. heatmap: cells coloured by value. intervals: a mark per cell with its interval from the
columns ``low`` and ``high``. bars: a bar per cell, from 0. lines: the rows are points in an order, the
columns lines through them. scatter: the first column against the second, a mark per row. ellipses: the same
on axes with one unit, each mark with the ellipse that holds it with 95 %, from the columns ``low``, ``high``
and ``correlation``, and the colour of its ``of``."""


@dataclass(frozen=True)
class Layout:
    """A wide form for reading: one line per value of ``down``, one column per value of ``across``, ``cell``
    at each crossing.

    decimals: of the cells.
    by: a column; each of its values has a wide form of its own.
    drawn: the form of its figure; None for none.
    diverges: the value at which a heat map changes its colour (0 for differences); None for one direction.
    measure: what a cell is, with its unit: the title of an axis ("Accuracy, %").
    dashed: ending of the columns whose lines are dashed, in the colour of the column that is called the same
        without it; for ``lines``.
    """

    down: str
    across: str
    cell: str
    decimals: int = 2
    by: str | None = None
    drawn: Form | None = None
    diverges: float | None = None
    measure: str = ""
    dashed: str = ""

    @property
    def title_of_axis(self) -> str:
        """``measure``, or what its cells are called."""
        return self.measure or _MEASURES.get(self.cell, self.cell.replace("_", " "))


_MEASURES = {
    "score": "Score, %",
    "published": "Score, %",
    "share": "Share, %",
    "difference": "Difference, points",
    "gain": "Gain, points",
}
"""Column -> what it is, with its unit, where a layout says nothing else."""


@dataclass(frozen=True)
class Plot:
    """A figure of a table in another form, or of other rows, than the table is shown in.

    layout: how it is drawn.
    name: ends the name of its file, where a table has several.
    title: what it shows, with its place in the paper; by default the table's.
    rows: what is drawn; by default the table's rows.
    """

    layout: Layout
    name: str = ""
    title: str = ""
    rows: pl.DataFrame | None = None


@dataclass(frozen=True)
class Table:
    """One recomputed table, or the result of one analysis.

    name: as users write it (``votes``).
    title: with its place in the paper.
    unit: what was sampled independently, and what a row's number is over: one sentence.
    rows: one row per number, with its interval if it has one; unknown values are null.
    layout: how it is shown to people; None shows the rows as they are.
    notes: what a reader must know to read it.
    plots: its figures besides that of its layout.
    """

    name: str
    title: str
    unit: str
    rows: pl.DataFrame
    layout: Layout | None = None
    notes: tuple[str, ...] = ()
    plots: tuple[Plot, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "rows", without_nan(self.rows))

    @property
    def drawn(self) -> tuple[Plot, ...]:
        """All its figures: that of its layout first."""
        of_layout = (Plot(self.layout),) if self.layout is not None and self.layout.drawn else ()
        return (*of_layout, *self.plots)
