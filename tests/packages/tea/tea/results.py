"""Two tables of the paper, one of the data and one of scores, and what it published."""

from __future__ import annotations

import polars as pl

from folkways.benchmarks.published import PublishedFigures, beside_published
from folkways.benchmarks.results import DataNeed, Inputs, Result
from folkways.benchmarks.tables import Table
from tea.data import read

PUBLISHED = PublishedFigures("tea.published")
DATA = DataNeed("release", "The questions.", ("tea",))


def _counted(inputs: Inputs) -> list[Table]:
    (release,) = inputs.data_of(DATA)
    rows = (
        pl.DataFrame(list(read(release)))
        .group_by("culture")
        .agg(value=pl.len().cast(pl.Float64))
        .sort("culture")
    )
    compared = beside_published(rows, PUBLISHED.cells("Table 1", "culture"), ["culture"], 0)
    return [Table("counted", "Table 1: questions", "Counts.", compared)]


def _shares(inputs: Inputs) -> list[Table]:
    means = inputs.of("tea/mcq").group_by("endpoint").agg(share=pl.col("correct").mean())
    return [Table("shares", "Shares of tea", "The unit is the question.", means)]


RESULTS = (
    Result("counted", "Counted", _counted, "Table 1", needs=(DATA,), aliases={"1": "counted"}),
    Result("shares", "Shares of tea", _shares, "section 2", "Who knows tea?", ("tea/mcq",)),
)
