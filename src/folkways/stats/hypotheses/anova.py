"""Analysis of variance over named groups, and which pairs of groups differ (Tukey).

Two designs. *One-way* takes every row as an observation of its own. *Blocked* takes rows that belong together (the six topics of
one model in one culture) as a block, and compares groups within blocks: repeated measures, in other words, whose correlation the
one-way test does not know of.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
import polars as pl

from folkways.errors import DataError
from folkways.records import Schema, require_columns
from folkways.stats.intervals import Floats

Design = Literal["one-way", "blocked"]


@dataclass(frozen=True, slots=True)
class Anova:
    """An F test of equal group means.

    f, df_groups, df_error, p: the test. ``f`` is infinite where groups differ and nothing else varies, NaN where nothing varies.
    eta_squared: share of the variation that groups account for; of all variation (one-way) or of that within blocks (blocked).
    error:       mean square of the error, which ``tukey`` needs.
    groups, rows, blocks: how many there were; ``blocks`` is 0 in a one-way design, and rows of incomplete blocks do not count.
    left_out:    rows of blocks that lack a group.
    epsilon, p_corrected: Greenhouse and Geisser's correction where differences between groups vary unequally; None if one-way.
    """

    design: Design
    f: float
    df_groups: int
    df_error: int
    p: float
    eta_squared: float
    error: float
    groups: int
    rows: int
    blocks: int = 0
    left_out: int = 0
    epsilon: float | None = None
    p_corrected: float | None = None


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
    """One-way analysis of variance of the column ``value`` by ``group``; every row counts as independent of the others.

    DataError with fewer than two groups, or where no group has two rows.
    """
    names, samples = _samples(_known(rows, value, group), value, group)
    n, k = sum(sample.size for sample in samples), len(names)
    if k < 2 or n <= k:
        raise DataError(f"an analysis of variance needs two groups or more, and more rows than groups; got {n} rows in {k} groups")
    grand = float(np.concatenate(samples).mean())
    between = sum(sample.size * (float(sample.mean()) - grand) ** 2 for sample in samples)
    within = sum(float(((sample - sample.mean()) ** 2).sum()) for sample in samples)
    f, p = _f_test(between, k - 1, within, n - k)
    return Anova("one-way", f, k - 1, n - k, p, _share(between, within), within / (n - k), k, n)


def blocked(rows: pl.DataFrame, value: str, group: str, block: tuple[str, ...]) -> Anova:
    """Analysis of variance of ``value`` by ``group`` within blocks (the columns ``block``): repeated measures on each block.

    A row is the only one of its block and group, else DataError. Blocks that lack a group cannot be compared within and are left
    out; ``left_out`` tells how many rows that were. DataError with fewer than two groups or two complete blocks.
    """
    table, _, left_out = block_table(rows, value, group, block)
    b, k = table.shape
    grand = table.mean()
    between = b * float(((table.mean(axis=0) - grand) ** 2).sum())
    blocks = k * float(((table.mean(axis=1) - grand) ** 2).sum())
    total = float(((table - grand) ** 2).sum())
    rest = total - between - blocks
    if rest < 1e-12 * total:  # nothing but rounding is left
        rest = 0.0
    df_error = (k - 1) * (b - 1)
    f, p = _f_test(between, k - 1, rest, df_error)
    epsilon = _greenhouse_geisser(table)
    _, corrected = _f_test(between, (k - 1) * epsilon, rest, df_error * epsilon, f)
    return Anova(
        "blocked", f, k - 1, df_error, p, _share(between, rest), rest / df_error, k, b * k, b, left_out, epsilon, corrected
    )


def tukey(
    rows: pl.DataFrame, value: str, group: str, anova: Anova, block: tuple[str, ...] = (), confidence: float = 0.95
) -> pl.DataFrame:
    """TUKEY: Tukey's honestly significant differences between all pairs of groups, with the error of ``anova`` of the same rows.

    Unequal group sizes follow Kramer. Pass the same ``block`` as to ``blocked``. Pairs are in the order of the groups' names.
    """
    from scipy.stats import studentized_range

    if anova.design == "blocked":
        table, names, _ = block_table(rows, value, group, block)
        samples = list(table.T)
    else:
        names, samples = _samples(_known(rows, value, group), value, group)
    k = len(names)
    critical = float(studentized_range.ppf(confidence, k, anova.df_error))
    pairs = []
    for i in range(k):
        for j in range(i + 1, k):
            difference = float(samples[i].mean() - samples[j].mean())
            error = math.sqrt(anova.error / 2 * (1 / samples[i].size + 1 / samples[j].size))
            ratio = abs(difference) / error if error > 0 else math.inf if difference else 0.0
            p = float(studentized_range.sf(ratio, k, anova.df_error))
            half = critical * error
            pairs.append((names[i], names[j], difference, difference - half, difference + half, p, p < 1 - confidence))
    return pl.DataFrame(pairs, schema=dict(TUKEY), orient="row")


def block_table(rows: pl.DataFrame, value: str, group: str, block: tuple[str, ...]) -> tuple[Floats, list[str], int]:
    """Complete blocks by groups as an array (one row per block), the groups' names, and how many rows were left out."""
    known = _known(rows, value, group, *block)
    if not block:
        raise DataError("a blocked design needs the columns that make a block, for example ('endpoint', 'culture')")
    if known.select(group, *block).is_duplicated().any():
        raise DataError(f"a blocked design takes one row per {group} and {' and '.join(block)}; average the rows of each first")
    names = known[group].unique().sort().to_list()
    wide = known.sort(*block).pivot(on=group, index=list(block), values=value)
    complete = wide.drop_nulls(names)
    if len(names) < 2 or complete.height < 2:
        raise DataError(
            f"a blocked analysis of variance needs two groups or more in two complete blocks or more; "
            f"got {len(names)} groups and {complete.height} complete blocks of {wide.height}"
        )
    return complete.select(names).to_numpy().astype(np.float64), names, known.height - complete.height * len(names)


def _known(rows: pl.DataFrame, value: str, *columns: str) -> pl.DataFrame:
    require_columns(rows, dict.fromkeys((value, *columns), pl.String), "the rows of an analysis of variance")
    return rows.with_columns(pl.col(value).cast(pl.Float64)).drop_nulls([value, *columns])


def _samples(known: pl.DataFrame, value: str, group: str) -> tuple[list[str], list[Floats]]:
    parts = known.sort(group).partition_by(group, maintain_order=True, as_dict=True)
    return [str(name) for (name,) in parts], [part[value].to_numpy() for part in parts.values()]


def _f_test(between: float, df_groups: float, error: float, df_error: float, f: float | None = None) -> tuple[float, float]:
    from scipy.stats import f as f_distribution

    if f is None:
        unexplained = math.inf if between > 0 else math.nan
        f = between / df_groups / (error / df_error) if error > 0 else unexplained
    return f, float(f_distribution.sf(f, df_groups, df_error))


def _share(part: float, rest: float) -> float:
    return part / (part + rest) if part + rest > 0 else math.nan


def _greenhouse_geisser(table: Floats) -> float:
    """Between 1/(k-1), where one contrast has all the variation, and 1, where all contrasts vary alike (sphericity)."""
    k = table.shape[1]
    covariance = np.cov(table, rowvar=False)
    centring = np.eye(k) - 1 / k
    centred = centring @ covariance @ centring
    squares = float((centred**2).sum())
    return min(1.0, max(1 / (k - 1), float(np.trace(centred)) ** 2 / ((k - 1) * squares))) if squares > 0 else 1.0
