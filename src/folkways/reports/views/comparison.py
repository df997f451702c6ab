"""Models compared on the items that all of them were asked: paired by item, clustered by question, corrected for many looks.

Pure functions on judgements. Where models were asked different amounts (another limit, a run that stopped, requests that failed),
only what every one of them replied to is compared, and how much that leaves out is told.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt
import polars as pl

from folkways.benchmarks.judging.totals import Cells
from folkways.errors import FolkwaysError
from folkways.records import JUDGEMENTS, Frame, Metric, Schema, require_columns, without_nan
from folkways.reports.views.comparison_items import Shared, share_items
from folkways.reports.views.comparison_words import FEWEST_QUESTIONS, Found, verdict
from folkways.reports.views.reversals import find_reversals
from folkways.stats.clusters import clustered_difference, clustered_mean
from folkways.stats.hypotheses.corrections import benjamini_hochberg, holm
from folkways.stats.hypotheses.mcnemar import exact_mcnemar
from folkways.stats.hypotheses.power import detectable_difference
from folkways.stats.intervals import DEFAULT_RESAMPLES, Floats
from folkways.stats.ranks import rank_intervals

CULTURE = "culture"

DIFFERENCES: Schema = {
    **dict.fromkeys(("task", "profile", "metric", "first", "second"), pl.String),
    "facet": pl.String,  # "all", "culture", what was asked to be looked at by, or "variant"
    "value": pl.String,
    "first_score": pl.Float64,  # over the shared items, in the unit of the metric's scores, as are the next four
    "second_score": pl.Float64,
    "difference": pl.Float64,  # first minus second
    "low": pl.Float64,  # null where it cannot be told; "interval" has the reason then
    "high": pl.Float64,
    "interval": pl.String,
    "p": pl.Float64,  # two-sided, below .05 where the interval does not hold 0; NaN without an interval
    "p_holm": pl.Float64,  # for the pairs of models ("all"), or for the groups of one pair
    "p_bh": pl.Float64,
    "p_mcnemar": pl.Float64,  # exact, over the questions on which one is better
    "first_better": pl.Int64,  # questions on which the first has the higher mean
    "second_better": pl.Int64,
    "same": pl.Int64,
    "effect": pl.Float64,  # mean over questions of the difference, over its standard deviation (Cohen's d of pairs)
    "detectable": pl.Float64,  # the true difference that these questions would find 4 times of 5, at p below .05
    "n": pl.Int64,  # shared rows
    "questions": pl.Int64,
    "verdict": pl.String,
}

RANKING: Schema = {
    **dict.fromkeys(("task", "metric", "model"), pl.String),
    "score": pl.Float64,  # over the shared items
    "low": pl.Float64,
    "high": pl.Float64,
    "rank": pl.Int64,
    "rank_low": pl.Int64,  # the better end of the ranks that 95 % of resamples give
    "rank_high": pl.Int64,
    "first": pl.Float64,  # share of resamples in which no model was above it
}

SPREAD: Schema = {
    **dict.fromkeys(("task", "metric", "model"), pl.String),
    "source": pl.String,  # "variant": how the question was put; or what it was about (culture)
    "groups": pl.Int64,
    "lowest": pl.String,
    "lowest_score": pl.Float64,
    "highest": pl.String,
    "highest_score": pl.Float64,
    "range": pl.Float64,
}


TOO_FEW = f"none: under {FEWEST_QUESTIONS} questions"


class NothingSharedError(FolkwaysError):
    """Models cannot be compared on a task: there is no item that all of them replied to."""

    def __init__(self, task: str, shared: Shared) -> None:
        silent = [f"{model} replied to none of {shared.expected[model]:,}" for model, n in shared.replied.items() if not n]
        told = f" ({'; '.join(silent)})" if silent else ""
        super().__init__(f"{', '.join(shared.expected)} have no item of {task} in common that all of them replied to{told}")


@dataclass(frozen=True)
class Comparison:
    """Two models or more on one task.

    models: as they are called in the frames, in the order asked for. differences: DIFFERENCES of every pair. ranking: RANKING, best
    first; empty for two models. spread: SPREAD. shared: what was compared, and what was left out. notes: what a reader must know.
    """

    task: str
    profile: str
    metric: Metric
    models: tuple[str, ...]
    by: str
    differences: pl.DataFrame
    ranking: pl.DataFrame
    spread: pl.DataFrame
    shared: Shared
    notes: tuple[str, ...] = ()

    @property
    def reversals(self) -> pl.DataFrame:
        """``reversals.REVERSALS``: cultures, and groups of ``by``, that differ significantly the other way than the whole."""
        return find_reversals(self.differences, (CULTURE, self.by))

    @property
    def verdicts(self) -> list[str]:
        """One sentence or two for each pair of models, over everything they share."""
        return self.differences.filter(pl.col("facet") == "all")["verdict"].to_list()


def compare_judgements(
    judgements: Mapping[str, pl.DataFrame],
    task: str,
    profile: str,
    metric: Metric,
    *,
    by: str = "culture",
    seed: int = 0,
    resamples: int = DEFAULT_RESAMPLES,
    notes: Sequence[str] = (),
) -> Comparison:
    """Compare models by their judgements (model -> records.JUDGEMENTS with the metric's column, of one task and profile).

    by: a column of the judgements besides: differences are told for each of its values too, and for each culture in any case, for
    a verdict names those that turn it round. Rows are matched by item, language,
    variant and sample; refused and unreadable replies count as the rule has it (as wrong), failed and missing ones are no reply
    and leave the row out for all. FolkwaysError with fewer than two models, NothingSharedError where they share nothing.
    """
    if len(judgements) < 2:
        raise FolkwaysError(f"a comparison needs two models or more, got {', '.join(judgements) or 'none'}")
    for frame in judgements.values():
        require_columns(frame, {**JUDGEMENTS, metric.name: pl.Float64, by: pl.String}, "judgements")
    shared = share_items(judgements, metric.name, (by, CULTURE, "variant"))
    if not shared.n:
        raise NothingSharedError(task, shared)
    models = tuple(judgements)
    pairs = list(combinations(range(len(models)), 2))
    by_variant = ["variant"] if shared.groups["variant"].n_unique() > 1 else []
    facets = list(dict.fromkeys(("all", by, CULTURE, *by_variant)))
    rows = [
        {"task": task, "profile": profile, "metric": metric.name, "facet": facet, "value": value, **row}
        for facet in facets
        for value, members in _members(shared, facet)
        for row in _group_rows(shared, members, models, pairs, metric)
    ]
    differences = _corrected(pl.DataFrame(rows, schema={name: DIFFERENCES.get(name, pl.Float64) for name in rows[0]}))
    differences = without_nan(_with_verdicts(differences, metric, by).select(list(DIFFERENCES)))
    ranking = _ranking(shared, models, task, metric, resamples, seed) if len(models) > 2 else pl.DataFrame(schema=dict(RANKING))
    ranking = without_nan(ranking)
    spread = pl.DataFrame(list(_spread(shared, models, task, metric, by)), schema=dict(SPREAD), orient="row")
    return Comparison(task, profile, metric, models, by, Frame(differences), Frame(ranking), Frame(spread), shared, tuple(notes))


def _members(shared: Shared, facet: str) -> Iterator[tuple[str, npt.NDArray[np.int64]]]:
    if facet == "all":
        yield "all", np.arange(shared.n)
        return
    rows = shared.groups.select(facet, row=pl.int_range(pl.len(), dtype=pl.Int64)).drop_nulls()
    for (value,), group in sorted(rows.group_by(facet), key=lambda entry: str(entry[0][0])):
        yield str(value), group["row"].to_numpy()


def _totals(shared: Shared, members: npt.NDArray[np.int64]) -> tuple[Floats, Floats]:
    """Sum of each model's values in each question, and how many rows the question has."""
    questions = shared.questions[members]
    cells = Cells.of(np.zeros(questions.size, dtype=np.int64), questions, 1, shared.n_questions)
    return np.column_stack([cells.sums(shared.values[members, model]) for model in range(shared.values.shape[1])]), cells.rows


def _group_rows(
    shared: Shared,
    members: npt.NDArray[np.int64],
    models: Sequence[str],
    pairs: Sequence[tuple[int, int]],
    metric: Metric,
) -> Iterator[dict[str, object]]:
    sums, counts = _totals(shared, members)
    scores = sums.sum(axis=0) / counts.sum()
    values = shared.values[members].T.copy()  # a model's in one piece
    most = None if metric.bounds is None else metric.bounds[1] - metric.bounds[0]
    enough = len(counts) >= FEWEST_QUESTIONS
    for first, second in pairs:
        between = sums[:, first] - sums[:, second]
        low, high, method, p = math.nan, math.nan, TOO_FEW, math.nan
        if enough:
            found = clustered_difference(values[first] - values[second], between, counts, most)
            interval = found.interval()
            low, high, p = interval.low, interval.high, found.p()
            method = interval.method if math.isnan(low) else f"{interval.method} by question"
        unlike = exact_mcnemar(between)
        per_question = between / counts
        spread = per_question.std(ddof=1) if len(counts) > 1 else 0.0
        yield {
            "first": models[first],
            "second": models[second],
            "first_score": scores[first] * metric.scale,
            "second_score": scores[second] * metric.scale,
            "difference": (scores[first] - scores[second]) * metric.scale,
            "low": low * metric.scale,
            "high": high * metric.scale,
            "interval": method,
            "p": p,
            "p_mcnemar": unlike.p,
            "first_better": unlike.first_better,
            "second_better": unlike.second_better,
            "same": unlike.same,
            "effect": per_question.mean() / spread if spread > 0 else math.nan,
            "detectable": detectable_difference(between, counts) * metric.scale if enough else math.nan,
            "n": int(counts.sum()),
            "questions": len(counts),
        }


def _corrected(rows: pl.DataFrame) -> pl.DataFrame:
    """Pairs of models are corrected for one another; the groups of a pair for their number."""
    whole = pl.col("facet") == "all"
    families = [rows.filter(whole), *rows.filter(~whole).partition_by("first", "second", "facet")]
    return pl.concat(
        family.with_columns(
            p_holm=pl.Series(holm(family["p"].to_list()), dtype=pl.Float64),
            p_bh=pl.Series(benjamini_hochberg(family["p"].to_list()), dtype=pl.Float64),
        )
        for family in families
    )


def _with_verdicts(rows: pl.DataFrame, metric: Metric, by: str) -> pl.DataFrame:
    families = rows.group_by("first", "second", "facet").len()
    n_pairs = families.filter(pl.col("facet") == "all").height
    sizes = {(first, second, facet): n for first, second, facet, n in families.iter_rows()}
    signs = {
        (first, second): part["difference"].to_list()
        for (first, second), part in rows.filter(pl.col("facet") == "variant").group_by("first", "second")
    }
    turned = {
        pair: dict(part.select("name", "difference").iter_rows())
        for pair, part in find_reversals(rows, (CULTURE, by)).group_by(["first", "second"])
    }
    told = []
    for row in rows.iter_rows(named=True):
        pair = (row["first"], row["second"])
        looks = n_pairs if row["facet"] == "all" else sizes[*pair, row["facet"]]
        found = Found(**{name: row[name] for name in Found.__dataclass_fields__ if name in row}, looks=looks)
        whole = row["facet"] == "all"
        variants = signs.get(pair, []) if whole and by != "variant" else []
        turns = turned.get(pair) if whole else None
        told.append(verdict(found, points=metric.scale == 100.0, by_variant=variants, turned=turns))
    return rows.with_columns(verdict=pl.Series(told, dtype=pl.String))


def _ranking(shared: Shared, models: Sequence[str], task: str, metric: Metric, resamples: int, seed: int) -> pl.DataFrame:
    sums, counts = _totals(shared, np.arange(shared.n))
    ranks = rank_intervals(sums, counts, resamples=resamples, seed=seed)
    squares = (shared.values**2).sum(axis=0)
    intervals = [clustered_mean(sums[:, place], counts, squares[place], metric.bounds).interval() for place in range(len(models))]
    bounds = (metric.scale * np.array([(one.low, one.high) for one in intervals])).T
    columns = (sums.sum(axis=0) / counts.sum() * metric.scale, *bounds, ranks.rank, ranks.low, ranks.high, ranks.first)
    rows = [(task, metric.name, model, *values) for model, *values in zip(models, *columns, strict=True)]
    return pl.DataFrame(rows, schema=dict(RANKING), orient="row").sort("rank", "model")


def _spread(shared: Shared, models: Sequence[str], task: str, metric: Metric, by: str) -> Iterator[tuple[object, ...]]:
    for source in dict.fromkeys(("variant", by)):
        if shared.groups[source].n_unique() < 2:
            continue
        members = list(_members(shared, source))
        for place, model in enumerate(models):
            scores = [float(shared.values[rows, place].mean()) * metric.scale for _, rows in members]
            least, most = int(np.argmin(scores)), int(np.argmax(scores))
            ends = (members[least][0], scores[least], members[most][0], scores[most])
            yield task, metric.name, model, source, len(members), *ends, scores[most] - scores[least]
