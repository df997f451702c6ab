"""Analysis of variance over named groups, and which pairs of groups differ (Tukey); every row is an
observation of its own."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import polars as pl

from folkways.errors import DataError
from folkways.records import Schema, of_rows, require_columns
from folkways.stats.hypotheses.studentized_range import StudentizedRange
from folkways.stats.intervals import Floats


@dataclass(frozen=True, slots=True)
class Anova:
    """An F test of equal group means.

    f, df_groups, df_error, p: the test. ``f`` is infinite where groups differ and nothing else varies, NaN
        where nothing varies.
    eta_squared: share of the variation that groups account for.
    error: mean square of the error, which ``tukey`` needs.
    groups, rows: how many there were.
    """

    f: float
    df_groups: int
    df_error: int
    p: float
    eta_squared: float
    error: float
    groups: int
    rows: int


TUKEY: Schema = {
    "first": pl.String,
    "second": pl.String,
    "difference": pl.Float64,  # mean of first minus mean of second, in the unit of the values
    "low": pl.Float64,  # simultaneous interval: all of them hold at once with the stated confidence
    "high": pl.Float64,
    "p": pl.Float64,  # adjusted for the number of pairs
    "differ": pl.Boolean,  # p below 1 - confidence
}


def one_way(rows: pl.DataFrame, value: str, group: str) -> Anova:
    """One-way analysis of variance of the column ``value`` by ``group``; every row counts as independent of
    the others.

    DataError with fewer than two groups, or where no group has two rows.
    """
    names, samples = _samples(_complete_rows(rows, value, group), value, group)
    n, k = sum(sample.size for sample in samples), len(names)
    if k < 2 or n <= k:
        raise DataError(
            f"an analysis of variance needs two groups or more, and more rows than groups; got {n} rows in "
            f"{k} groups"
        )
    grand = float(np.concatenate(samples).mean())
    between = sum(sample.size * (float(sample.mean()) - grand) ** 2 for sample in samples)
    within = sum(float(((sample - sample.mean()) ** 2).sum()) for sample in samples)
    f, p = _f_test(between, k - 1, within, n - k)
    return Anova(f, k - 1, n - k, p, _share(between, within), within / (n - k), k, n)


def tukey(rows: pl.DataFrame, value: str, group: str, anova: Anova, confidence: float = 0.95) -> pl.DataFrame:
    """TUKEY: Tukey's honestly significant differences between all pairs of groups, with the error of
    ``anova`` of the same rows.

    value, group: columns of ``rows``. confidence: of the intervals. Unequal group sizes follow Kramer. Pairs
    are in the order of the groups' names.
    """
    names, samples = _samples(_complete_rows(rows, value, group), value, group)
    k = len(names)
    ranges = StudentizedRange(k, anova.df_error)
    critical = ranges.exceeded_by(1 - confidence)
    pairs = []
    for i in range(k):
        for j in range(i + 1, k):
            difference = float(samples[i].mean() - samples[j].mean())
            error = math.sqrt(anova.error / 2 * (1 / samples[i].size + 1 / samples[j].size))
            ratio = abs(difference) / error if error > 0 else math.inf if difference else 0.0
            p = ranges.above(ratio)
            half = critical * error
            pairs.append(
                (names[i], names[j], difference, difference - half, difference + half, p, p < 1 - confidence)
            )
    return of_rows(pairs, TUKEY)


def _complete_rows(rows: pl.DataFrame, value: str, *columns: str) -> pl.DataFrame:
    require_columns(rows, dict.fromkeys((value, *columns), pl.String), "the rows of an analysis of variance")
    return rows.with_columns(pl.col(value).cast(pl.Float64)).drop_nulls([value, *columns])


def _samples(known: pl.DataFrame, value: str, group: str) -> tuple[list[str], list[Floats]]:
    parts = known.sort(group).partition_by(group, as_dict=True)
    return [str(name) for (name,) in parts], [part[value].to_numpy() for part in parts.values()]


def _f_test(between: float, df_groups: int, error: float, df_error: int) -> tuple[float, float]:
    from scipy.special import fdtrc  # scipy.stats takes a second to import, and 50 MB

    unexplained = math.inf if between > 0 else math.nan
    f = between / df_groups / (error / df_error) if error > 0 else unexplained
    return f, float(fdtrc(df_groups, df_error, f))


def _share(part: float, rest: float) -> float:
    return part / (part + rest) if part + rest > 0 else math.nan
