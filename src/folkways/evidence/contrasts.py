"""The contrast of two models: by how much they differ on the rows that both replied to, how sure that is, and for which groups.

A contrast rests on the two models alone: a third changes nothing in it but what it is corrected for. The unit is the question.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt
import polars as pl

from folkways.benchmarks.judging.totals import Cells
from folkways.evidence.answers import Answers
from folkways.names import WHOLE, value_name
from folkways.records import Metric, Schema, is_baseline
from folkways.stats.clusters import clustered_difference
from folkways.stats.hypotheses.corrections import benjamini_hochberg, holm
from folkways.stats.hypotheses.mcnemar import exact_mcnemar
from folkways.stats.hypotheses.power import detectable_difference
from folkways.stats.intervals import Floats

ALPHA = 0.05

CULTURE = "culture"

FEWEST_QUESTIONS = 6
"""Below so many questions no pattern of answers can be told from chance: six that all differ one way give p = .03."""

TOO_FEW = f"none: under {FEWEST_QUESTIONS} questions"

CONTRASTS: Schema = {
    "first": pl.String,
    "second": pl.String,
    "facet": pl.String,  # "all", "culture", what was asked to be looked at by, or "variant"
    "value": pl.String,
    "first_score": pl.Float64,  # over the shared rows, in the unit of the metric's scores, as are the next four
    "second_score": pl.Float64,
    "difference": pl.Float64,  # first minus second
    "ahead": pl.String,  # the model with the better score; null where they are the same
    "low": pl.Float64,  # null where it cannot be told; "interval" has the reason then
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
    "effect": pl.Float64,  # mean over questions of the difference, over its standard deviation (Cohen's d of pairs)
    "detectable": pl.Float64,  # the true difference that these questions would find 4 times of 5, at p below .05
}
"""What contrasts have besides where it is asked for: it takes longer than all the others."""

REVERSALS: Schema = {
    **dict.fromkeys(("first", "second"), pl.String),
    "overall": pl.String,  # the model that is ahead over everything; null where no difference can be told
    **dict.fromkeys(("facet", "value"), pl.String),
    "name": pl.String,  # of the group, as people read it
    "ahead": pl.String,  # the model that is ahead in the group
    "difference": pl.Float64,  # first minus second, there
    **dict.fromkeys(("low", "high"), pl.Float64),
    "p_holm": pl.Float64,
}

Pair = tuple[int, int]
Groups = tuple[Sequence[str], npt.NDArray[np.int64]]
"""The names of a facet's groups, and the group of each row (-1 for rows in none)."""


def model_pairs(models: Sequence[str]) -> list[Pair]:
    """The pairs that are looked at: those with at least one model, or all where there are only baselines."""
    pairs = list(combinations(range(len(models)), 2))
    if all(map(is_baseline, models)):
        return pairs
    return [pair for pair in pairs if not all(is_baseline(models[index]) for index in pair)]


def contrasts(answers: Answers, metric: Metric, facets: Sequence[str] = (CULTURE,), *, tests: bool = False) -> pl.DataFrame:
    """CONTRASTS of every pair that shares a row: over everything, then by each facet; with TESTS where these are asked for."""
    schema = {**CONTRASTS, **(TESTS if tests else {})}
    groups = {WHOLE: ((WHOLE,), np.zeros(len(answers.questions), np.int64)), **{name: _groups(answers, name) for name in facets}}
    masks = ~np.isnan(answers.values)
    alike: dict[bytes, list[int]] = {}
    for model in range(len(answers.models)):
        alike.setdefault(np.packbits(masks[:, model]).tobytes(), []).append(model)
    of_mask = {model: mask for mask, models in alike.items() for model in models}
    found: dict[Pair, list[dict[str, object]]] = {}
    by_rows: dict[bytes | Pair, list[Pair]] = {}
    for pair in model_pairs(answers.models):  # models that replied to the same rows share all that depends on rows alone
        first, second = pair
        by_rows.setdefault(of_mask[first] if of_mask[first] == of_mask[second] else pair, []).append(pair)
    for pairs in by_rows.values():
        shared = np.flatnonzero(masks[:, pairs[0][0]] & masks[:, pairs[0][1]])
        for facet, of_facet in groups.items() if shared.size else ():
            for pair, row in _by_group(answers, metric, shared, pairs, facet, of_facet, tests):
                found.setdefault(pair, []).append(row)
    rows = pl.DataFrame([row for pair in sorted(found) for row in found[pair]], schema=dict(schema))
    lead = -pl.col("difference") if metric.lower_is_better else pl.col("difference")
    return _corrected(rows.with_columns(ahead=pl.when(lead > 0).then("first").when(lead < 0).then("second")))


def reversals(rows: pl.DataFrame, facets: Sequence[str] = (CULTURE,)) -> pl.DataFrame:
    """REVERSALS: the groups of these facets that differ significantly (Holm) the other way than their pair does over everything.

    Where a pair does not differ over everything, every group that differs is one: it does what the whole does not. Of each pair the
    largest differences come first. rows: CONTRASTS.
    """
    clear = pl.col("p_holm").is_not_nan() & (pl.col("p_holm") < ALPHA)
    whole = rows.filter(pl.col("facet") == WHOLE).select("first", "second", overall=pl.when(clear).then("ahead"))
    groups = rows.filter(pl.col("facet").is_in(list(facets)) & clear & pl.col("ahead").is_not_null())
    joined = whole.join(groups, on=["first", "second"], maintain_order="left_right")
    turned = joined.filter(pl.col("overall").is_null() | (pl.col("ahead") != pl.col("overall")))
    names = [value_name(facet, value) for facet, value in turned.select("facet", "value").iter_rows()]
    return (
        turned.with_columns(name=pl.Series(names, dtype=pl.String), order=pl.struct("first", "second").rle_id())
        .sort("order", -pl.col("difference").abs(), "value")
        .select(list(REVERSALS))
    )


def _groups(answers: Answers, facet: str) -> Groups:
    column = answers.groups[facet]
    names = column.drop_nulls().unique().cast(pl.String).sort().to_list()
    return names, column.cast(pl.Enum(names)).to_physical().cast(pl.Int64).fill_null(-1).to_numpy()


@dataclass(frozen=True)
class _Rows:
    """Shared rows of one group, sorted by nothing; ``cells`` are its questions."""

    values: Floats  # (rows, models)
    sums: Floats  # (questions, models)
    counts: Floats  # (questions,)


def _by_group(
    answers: Answers, metric: Metric, rows: npt.NDArray[np.int64], pairs: Sequence[Pair], facet: str, groups: Groups, tests: bool
) -> Iterator[tuple[Pair, dict[str, object]]]:
    names, of_row = groups
    models = sorted({model for pair in pairs for model in pair})
    column = {model: position for position, model in enumerate(models)}
    group = of_row[rows]
    order = np.argsort(group, kind="stable") if len(names) > 1 or (group < 0).any() else np.arange(rows.size)
    order = order[np.searchsorted(group[order], 0) :]
    rows, group = rows[order], group[order]
    cells = Cells.of(group, answers.questions[rows], len(names), answers.n_questions)
    values = answers.values[rows][:, models]
    sums = np.column_stack([cells.sums(values[:, position]) for position in range(len(models))])
    ends = np.searchsorted(group, np.arange(len(names) + 1))
    for number, name in enumerate(names):
        part, questions = values[ends[number] : ends[number + 1]], slice(cells.first[number], cells.first[number + 1])
        if not part.size:
            continue
        shared = _Rows(part, sums[questions], cells.rows[questions])
        for first, second in pairs:
            pair = {"first": answers.models[first], "second": answers.models[second], "facet": facet, "value": name}
            yield (first, second), {**pair, **_contrast(shared, column[first], column[second], metric, tests)}


def _contrast(rows: _Rows, first: int, second: int, metric: Metric, tests: bool) -> dict[str, object]:
    """The contrast of two columns of the rows."""
    between, counts = rows.sums[:, first] - rows.sums[:, second], rows.counts
    n = float(counts.sum())
    low, high, method, p = math.nan, math.nan, TOO_FEW, math.nan
    enough = counts.size >= FEWEST_QUESTIONS
    if enough:
        differences = rows.values[:, first] - rows.values[:, second]
        most = None if metric.bounds is None else metric.bounds[1] - metric.bounds[0]
        mean = clustered_difference(differences, between, counts, most)
        interval = mean.interval()
        low, high, p = interval.low, interval.high, mean.p()
        method = interval.method if math.isnan(low) else f"{interval.method} by question"
    sign = -1.0 if metric.lower_is_better else 1.0
    difference = between.sum() / n * metric.scale
    found: dict[str, object] = {
        "first_score": rows.sums[:, first].sum() / n * metric.scale,
        "second_score": rows.sums[:, second].sum() / n * metric.scale,
        "difference": difference,
        "low": low * metric.scale,
        "high": high * metric.scale,
        "interval": method,
        "p": p,
        "first_better": int((sign * between > 1e-12).sum()),
        "second_better": int((sign * between < -1e-12).sum()),
        "n": int(n),
        "questions": counts.size,
    }
    if tests:
        unlike, means = exact_mcnemar(between), between / counts
        spread = means.std(ddof=1) if counts.size > 1 else 0.0
        found |= {
            "same": unlike.same,
            "p_mcnemar": unlike.p,
            "effect": means.mean() / spread if spread > 0 else math.nan,
            "detectable": detectable_difference(between, counts) * metric.scale if enough else math.nan,
        }
    return found


def _corrected(rows: pl.DataFrame) -> pl.DataFrame:
    """Pairs of models are corrected for one another; the groups of a facet for those of all pairs."""
    columns = [
        (
            family.with_columns(
                p_holm=pl.Series(holm(family["p"].to_list()), dtype=pl.Float64),
                p_bh=pl.Series(benjamini_hochberg(family["p"].to_list()), dtype=pl.Float64),
                looks=pl.lit(family["p"].is_not_nan().sum(), dtype=pl.Int64),
            )
        )
        for family in rows.with_row_index("place").partition_by("facet", maintain_order=True)
    ]
    return pl.concat(columns).sort("place").drop("place") if columns else rows
