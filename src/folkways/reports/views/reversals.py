"""Where a comparison of two models turns round: groups in which the one that is behind over everything is ahead."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from folkways.records import Schema
from folkways.reports.names import WHOLE, value_name
from folkways.reports.views.comparison_words import ALPHA

REVERSALS: Schema = {
    **dict.fromkeys(("task", "metric", "first", "second"), pl.String),
    "overall": pl.String,  # the model that is ahead over everything; null where no difference can be told
    **dict.fromkeys(("facet", "value"), pl.String),
    "name": pl.String,  # of the group, as people read it
    "ahead": pl.String,  # the model that is ahead in the group
    "difference": pl.Float64,  # first minus second, there
    **dict.fromkeys(("low", "high"), pl.Float64),
    "p_holm": pl.Float64,  # corrected for the number of groups
}


def find_reversals(differences: pl.DataFrame, facets: Sequence[str]) -> pl.DataFrame:
    """REVERSALS: the groups of these facets that differ significantly (Holm) the other way than their pair does over everything.

    Where a pair does not differ over everything, every group that differs is one: it does what the whole does not. Of each pair the
    largest differences come first. differences: ``comparison.DIFFERENCES``, as far as it has come.
    """
    clear = pl.col("p_holm").is_not_nan() & (pl.col("p_holm") < ALPHA)
    leader = pl.when(pl.col("difference") > 0).then("first").otherwise("second")
    whole = differences.filter(pl.col("facet") == WHOLE).select("first", "second", overall=pl.when(clear).then(leader))
    groups = differences.filter(pl.col("facet").is_in(list(facets)) & clear & (pl.col("difference") != 0))
    joined = whole.join(groups.with_columns(ahead=leader), on=["first", "second"], maintain_order="left_right")
    found = joined.filter(pl.col("overall").is_null() | (pl.col("ahead") != pl.col("overall")))
    names = [value_name(facet, value) for facet, value in found.select("facet", "value").iter_rows()]
    return (
        found.with_columns(name=pl.Series(names, dtype=pl.String))
        .sort("first", "second", -pl.col("difference").abs(), "value")
        .select(list(REVERSALS))
    )
