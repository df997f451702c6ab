"""Contrasts of two models: by how much they differ on the rows that both replied to, how sure that is, and
for which groups.

A contrast depends on these two models alone; further models only change the correction for multiple tests.
The sampling unit is the question.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from folkways.evidence.answers import Answers
from folkways.names import WHOLE, value_name
from folkways.records import Metric, Schema, is_baseline
from folkways.stats.hypotheses.corrections import benjamini_hochberg, holm
from folkways.stats.hypotheses.paired_tests import exact_mcnemar
from folkways.stats.pairwise import Contrasts, detectable_differences, paired_contrasts

ALPHA = 0.05

CULTURE = "culture"

CONTRASTS: Schema = {
    "first": pl.String,
    "second": pl.String,
    "facet": pl.String,  # "all", "culture", the facet that the caller chose, or "variant"
    "value": pl.String,
    # over the shared rows, in the unit of the metric's scores, as are the next four
    "first_score": pl.Float64,
    "second_score": pl.Float64,
    "difference": pl.Float64,  # first minus second
    "ahead": pl.String,  # the model with the better score; null where they are the same
    "low": pl.Float64,  # null without an interval; "interval" then has the reason
    "high": pl.Float64,
    "interval": pl.String,
    "p": pl.Float64,  # two-sided, below .05 where the interval does not hold 0; NaN without an interval
    "p_holm": pl.Float64,  # corrected for all pairs of models ("all"), or for the groups of all pairs
    "p_bh": pl.Float64,
    "first_better": pl.Int64,  # questions on which the first has the better mean
    "second_better": pl.Int64,
    "n": pl.Int64,  # shared rows
    "questions": pl.Int64,
    "looks": pl.Int64,  # how many differences p_holm is corrected for
}

TESTS: Schema = {
    "same": pl.Int64,  # questions on which neither is better
    "p_mcnemar": pl.Float64,  # exact, over the questions on which one is better
    # mean over questions of the difference, over its standard deviation (Cohen's d of pairs)
    "effect": pl.Float64,
    # the true difference that these questions would find 4 times of 5: p below .05 times looks
    "detectable": pl.Float64,
}
"""Further columns on request: they take longer than all the others."""

REVERSALS: Schema = {
    **dict.fromkeys(("first", "second"), pl.String),
    # the model that is ahead over everything; null without a significant difference
    "overall": pl.String,
    **dict.fromkeys(("facet", "value"), pl.String),
    "name": pl.String,  # of the group, as people read it
    "ahead": pl.String,  # the model that is ahead in the group
    "difference": pl.Float64,  # first minus second, there
    **dict.fromkeys(("low", "high"), pl.Float64),
    "p_holm": pl.Float64,
}


def model_pairs(models: Sequence[str]) -> list[tuple[int, int]]:
    """Pairs of indices to compare: those with at least one model; all pairs if there are only baselines."""
    pairs = list(combinations(range(len(models)), 2))
    if all(map(is_baseline, models)):
        return pairs
    return [pair for pair in pairs if not all(is_baseline(models[index]) for index in pair)]


def contrasts(
    answers: Answers, metric: Metric, facets: Sequence[str] = (CULTURE,), *, tests: bool = False
) -> pl.DataFrame:
    """CONTRASTS of every pair of models that shares a row, over everything and then by each facet.

    answers: the rows of all models. metric: what is compared. facets: columns of ``answers.groups``. tests:
    also compute TESTS.
    """
    schema = {**CONTRASTS, **(TESTS if tests else {})}
    wanted = model_pairs(answers.models)
    is_wanted = np.array([pair in {*wanted} for pair in combinations(range(len(answers.models)), 2)])
    largest = None if metric.bounds is None else metric.bounds[1] - metric.bounds[0]
    table: dict[str, list[Any]] = {name: [] for name in schema}
    for facet in (WHOLE, *facets):
        groups = {
            value: paired_contrasts(
                answers.values[rows],
                answers.questions[rows],
                largest,
                # the only group of a facet is the whole, and differs as that does
                groups=_averaged(answers, metric) if len(rows) == len(answers.questions) else None,
            )
            for value, rows in _groups(answers, facet)
        }
        looks = sum(int((~np.isnan(pairs.p) & is_wanted).sum()) for pairs in groups.values())
        for value, pairs in groups.items():
            detectable = detectable_differences(pairs, largest, ALPHA / max(1, looks)) if tests else None
            for name, entries in _pairs(answers.models, metric, pairs, detectable).items():
                table[name].extend(entries)
            for name, entry in {"facet": facet, "value": value, "looks": looks}.items():
                table[name].extend([entry] * len(pairs.p))
    names = {
        "first": [answers.models[pair[0]] for pair in wanted],
        "second": [answers.models[pair[1]] for pair in wanted],
    }
    order = pl.DataFrame(names, schema={"first": pl.String, "second": pl.String})
    shared = pl.DataFrame(table, schema=schema).filter(pl.col("n") > 0)
    return _corrected(order.join(shared, on=["first", "second"], how="inner", maintain_order="left_right"))


def reversals(rows: pl.DataFrame, facets: Sequence[str] = (CULTURE,)) -> pl.DataFrame:
    """REVERSALS: groups in which a pair differs significantly (Holm), but not in the same direction as over
    everything.

    If a pair does not differ over everything, every group that differs is a reversal. The largest differences
    of each pair come first. rows: CONTRASTS.
    """
    clear = pl.col("p_holm").is_not_nan() & (pl.col("p_holm") < ALPHA)
    whole = rows.filter(pl.col("facet") == WHOLE).select(
        "first", "second", overall=pl.when(clear).then("ahead")
    )
    groups = rows.filter(pl.col("facet").is_in(list(facets)) & clear & pl.col("ahead").is_not_null())
    joined = whole.join(groups, on=["first", "second"], maintain_order="left_right")
    turned = joined.filter(pl.col("overall").is_null() | (pl.col("ahead") != pl.col("overall")))
    names = [value_name(facet, value) for facet, value in turned.select("facet", "value").iter_rows()]
    return (
        turned.with_columns(
            name=pl.Series(names, dtype=pl.String), order=pl.struct("first", "second").rle_id()
        )
        .sort("order", -pl.col("difference").abs(), "value")
        .select(list(REVERSALS))
    )


def _averaged(answers: Answers, metric: Metric) -> npt.NDArray[np.int64] | None:
    """The number of each row's group, where the score of the whole is the mean over groups."""
    if metric.mean_over is None:
        return None
    names = answers.groups[metric.mean_over].cast(pl.String).fill_null("")
    return names.rank("dense").cast(pl.Int64).to_numpy() - 1


def _groups(answers: Answers, facet: str) -> Iterator[tuple[str, npt.NDArray[np.int64]]]:
    """Each group of a facet with the indices of its rows, ordered by name."""
    if facet == WHOLE:
        if len(answers.questions):
            yield WHOLE, np.arange(len(answers.questions))
        return
    column = answers.groups[facet]
    names = column.drop_nulls().unique().cast(pl.String).sort().to_list()
    group = column.cast(pl.Enum(names)).to_physical().cast(pl.Int64).fill_null(-1).to_numpy()
    for number, name in enumerate(names):
        yield name, np.flatnonzero(group == number)


def _pairs(
    names: Sequence[str], metric: Metric, pairs: Contrasts, detectable: npt.NDArray[np.float64] | None
) -> dict[str, list[Any]]:
    """The columns of CONTRASTS that depend on the pair alone, and TESTS if ``detectable`` is given; p is not
    corrected yet."""
    sign = -1 if metric.lower_is_better else 1
    first, second = ([names[number] for number in numbers] for numbers in (pairs.first, pairs.second))
    better = (pairs.first_better, pairs.second_better)[::sign]
    leads = np.round(sign * pairs.difference * metric.scale, 9)
    has_interval = ~np.isnan(pairs.low)
    columns = {
        "first_score": pairs.first_mean * metric.scale,
        "second_score": pairs.second_mean * metric.scale,
        "difference": pairs.difference * metric.scale,
        "low": pairs.low * metric.scale,
        "high": pairs.high * metric.scale,
        "p": pairs.p,
        "first_better": better[0],
        "second_better": better[1],
        "n": pairs.rows,
        "questions": pairs.questions,
    }
    if detectable is not None:
        columns |= {
            "same": pairs.questions - better[0] - better[1],
            "p_mcnemar": np.array([exact_mcnemar(*each) for each in zip(*better, strict=True)]),
            "effect": pairs.effect,
            "detectable": detectable * metric.scale,
        }
    return {
        "first": first,
        "second": second,
        "ahead": [
            each[0] if lead > 0 else each[1] if lead < 0 else None
            for *each, lead in zip(first, second, leads, strict=True)
        ],
        "interval": [
            f"{method} by question" if has else method
            for method, has in zip(pairs.method, has_interval, strict=True)
        ],
        **dict.fromkeys(("p_holm", "p_bh"), [math.nan] * len(first)),
        **{name: column.tolist() for name, column in columns.items()},
    }


def _corrected(rows: pl.DataFrame) -> pl.DataFrame:
    """Correct p over all pairs of models, and over the groups of all pairs within a facet."""
    columns = [
        (
            family.with_columns(
                p_holm=pl.Series(holm(family["p"].to_list()), dtype=pl.Float64),
                p_bh=pl.Series(benjamini_hochberg(family["p"].to_list()), dtype=pl.Float64),
            )
        )
        for family in rows.with_row_index("place").partition_by("facet")
    ]
    return pl.concat(columns).sort("place").drop("place") if columns else rows
