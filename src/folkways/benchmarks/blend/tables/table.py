"""What a recomputed table is: long rows with a name, the unit that was sampled, and how people see it laid out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from folkways.stats.intervals import Interval, clustered_normal

TOPICS = ("Food", "Sport", "Family", "Education", "Holidays/Celebration/Leisure", "Work life")
"""The release's names of the topics, in the paper's order."""

CULTURES = ("US", "GB", "ES", "MX", "ID", "CN", "KR", "DZ", "GR", "IR", "KP", "AZ", "ID-JB", "IN-AS", "NG-N", "ET")
"""The cultures in the order of the paper's tables."""

EVERY = "all"
"""The category over all topics."""


@dataclass(frozen=True)
class Layout:
    """A wide form for reading: one line per value of ``down``, one column per value of ``across``, ``cell`` in the middle.

    by: a column each value of which has a wide form of its own.
    """

    down: str
    across: str
    cell: str
    decimals: int = 2
    by: str | None = None


@dataclass(frozen=True)
class Table:
    """One recomputed table.

    name:   as it is asked for (``votes``).
    title:  with its place in the paper.
    unit:   what was sampled independently, and what a row's number is over: one sentence.
    rows:   one row per number, with its interval where it has one.
    layout: how it is shown to people; None shows the rows as they are.
    notes:  what a reader must know to read it.
    """

    name: str
    title: str
    unit: str
    rows: pl.DataFrame
    layout: Layout | None = None
    notes: tuple[str, ...] = ()


def mean_over_questions(values: npt.NDArray[np.float64]) -> tuple[float, Interval]:
    """The mean of one value per question, and its normal interval; NaN of nothing."""
    mean = float(values.mean()) if values.size else float("nan")
    return mean, clustered_normal(values, np.arange(values.size))


def in_order(column: str, names: tuple[str, ...]) -> pl.Expr:
    """A key that sorts by the place in ``names``; what is not there comes last, by name."""
    return pl.col(column).replace_strict({name: place for place, name in enumerate(names)}, default=len(names))
