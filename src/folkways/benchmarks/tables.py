"""What a table of numbers is: long rows with a name, the unit that was sampled, and how people see it laid
out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

import polars as pl

from folkways.errors import FolkwaysError
from folkways.records import Schema, without_nan
from folkways.stats.hypotheses.corrections import holm

ABBREVIATIONS: Mapping[str, str] = {"sem_b": "SEM-B", "sem_w": "SEM-W", "p_holm": "p (Holm)"}
"""What people read for columns with names of their own, wherever a table is shown; GG is Greenhouse and
Geisser's correction."""


DIFFERENCE: Schema = {"difference": pl.Float64, "low": pl.Float64, "high": pl.Float64, "p": pl.Float64}
"""Columns that a row has of a difference: with its interval, and p for no difference
(``stats.differences.Difference.columns``)."""


def in_order(column: str, names: Iterable[str]) -> pl.Expr:
    """A key that sorts by the place in ``names``; what is not there comes last."""
    places = {name: index for index, name in enumerate(names)}
    return pl.col(column).replace_strict(places, default=len(places), return_dtype=pl.Int64)


def with_holm(rows: pl.DataFrame) -> pl.DataFrame:
    """The rows with ``p_holm``: their ``p``, corrected for the number of them."""
    return rows.with_columns(p_holm=pl.Series(holm(rows["p"].to_list()), dtype=pl.Float64))


class NotAvailableError(FolkwaysError):
    """What a table is made of is not at hand; the message says what to fetch, to run or to name."""


@dataclass(frozen=True)
class Layout:
    """A wide form for reading: one line per value of ``down``, one column per value of ``across``, ``cell``
    in the middle.

    decimals: of the cells. by:       a column each value of which has a wide form of its own. drawn:    how a
    report draws the same rows beside the table: cells coloured by value (``heatmap``), a mark per cell with
    its
              interval from the columns ``low`` and ``high`` (``intervals``), or not at all.
    diverges: the value on both sides of which a heat map takes another colour (0 for differences); None for
    one direction. only_drawn: whether people read the rows as they are, and this form is for the drawing
    alone.
    """

    down: str
    across: str
    cell: str
    decimals: int = 2
    by: str | None = None
    drawn: Literal["heatmap", "intervals"] | None = None
    diverges: float | None = None
    only_drawn: bool = False


@dataclass(frozen=True)
class Table:
    """One recomputed table, or the result of one analysis.

    name:   as it is asked for (``votes``).
    title:  with its place in the paper.
    unit:   what was sampled independently, and what a row's number is over: one sentence.
    rows:   one row per number, with its interval where it has one; what is not known is null.
    layout: how it is shown to people; None shows the rows as they are.
    notes:  what a reader must know to read it.
    """

    name: str
    title: str
    unit: str
    rows: pl.DataFrame
    layout: Layout | None = None
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "rows", without_nan(self.rows))
