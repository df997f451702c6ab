"""Compares models on one task: the contrast of every pair, a ranking, and a verdict in words."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from folkways.benchmarks.averages import mean_over
from folkways.errors import FolkwaysError, option
from folkways.evidence.answers import Answers, answers_of
from folkways.evidence.contrasts import CONTRASTS, CULTURE, REVERSALS, TESTS, contrasts, reversals
from folkways.evidence.order import order
from folkways.evidence.sentences import Contrast, verdict
from folkways.names import WHOLE, value_name
from folkways.records import JUDGEMENTS, Frame, Metric, Schema, of_rows, require_columns, without_nan
from folkways.stats.clusters import clustered_mean
from folkways.stats.intervals import cluster_totals

_MADE_BY = dict.fromkeys(("task", "profile", "metric"), pl.String)

DIFFERENCES: Schema = {**_MADE_BY, **CONTRASTS, **TESTS, "verdict": pl.String}

RANKING: Schema = {
    **dict.fromkeys(("task", "metric", "model"), pl.String),
    "score": pl.Float64,  # over the rows that all ranked models replied to
    "low": pl.Float64,
    "high": pl.Float64,
    "rank": pl.Int64,
    "rank_low": pl.Int64,  # the better end of the ranks that the contrasts leave open
    "rank_high": pl.Int64,
    "level": pl.Boolean,  # below the first, but not significantly different from it
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


class NothingSharedError(FolkwaysError):
    """Models cannot be compared on a task because no two of them replied to the same row."""

    def __init__(self, task: str, answers: Answers) -> None:
        silent = [
            f"{model} replied to none of {expected:,}"
            if (expected := answers.expected[model])
            else f"no reply of {model} counts"
            for model, n in answers.replied.items()
            if not n
        ]
        reasons = f" ({'; '.join(silent)})" if silent else ""
        super().__init__(
            f"{', '.join(answers.models)} have no item of {task} in common that both of a pair replied "
            f"to{reasons}"
        )


@dataclass(frozen=True)
class Comparison:
    """Two models or more on one task.

    models: names as in the frames, in the order asked for.
    differences: DIFFERENCES of every pair that shares a row.
    ranking: RANKING, best first; empty for two models.
    spread: SPREAD.
    answers: the compared rows.
    unlike: parts of the signature in which the models differ.
    notes: sentences that a reader must know.
    """

    task: str
    profile: str
    metric: Metric
    models: tuple[str, ...]
    by: str
    differences: pl.DataFrame
    ranking: pl.DataFrame
    spread: pl.DataFrame
    answers: Answers
    unlike: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return "\n".join([f"<Comparison of {self.task}: {', '.join(self.models)}>", *self.verdicts])

    @property
    def reversals(self) -> pl.DataFrame:
        """REVERSALS with the task and the metric: cultures and groups of ``by`` that contradict the whole."""
        made_by = (pl.lit(self.task).alias("task"), pl.lit(self.metric.name).alias("metric"))
        return without_nan(reversals(self.differences, (CULTURE, self.by)).select(*made_by, *REVERSALS))

    @property
    def verdicts(self) -> list[str]:
        """One to five sentences for each pair of models, over everything they share."""
        return self.differences.filter(pl.col("facet") == WHOLE)["verdict"].to_list()


def compare_judgements(
    judgements: Mapping[str, pl.DataFrame],
    task: str,
    profile: str,
    metric: Metric,
    *,
    by: str = CULTURE,
    unlike: Sequence[str] = (),
    notes: Sequence[str] = (),
) -> Comparison:
    """Compare models by their judgements of one task and profile.

    judgements: model -> records.JUDGEMENTS with the metric's column. by: a further column of the judgements:
    differences are computed for each of its values, and always for each culture, because a verdict names the
    groups that contradict it. unlike, notes: as in Comparison.

    Each pair is compared on the rows that both replied to. Refused and unreadable replies count as the rule
    has it (as wrong); failed and missing ones are not replies. Raises FolkwaysError for fewer than two
    models, and for a metric without a better way; NothingSharedError if no pair shares a row.
    """
    if not metric.has_direction:
        raise FolkwaysError(
            f"models cannot be compared by {metric.name}: neither way of {metric.label} is better; choose "
            f"another {option('metric')}"
        )
    if len(judgements) < 2:
        raise FolkwaysError(f"a comparison needs two models or more, got {', '.join(judgements) or 'none'}")
    for frame in judgements.values():
        require_columns(frame, {**JUDGEMENTS, metric.name: pl.Float64, by: pl.String}, "judgements")
    answers = answers_of(judgements, metric, (by, CULTURE, "language", "variant"))
    by_variant = ["variant"] if answers.groups["variant"].n_unique() > 1 else []
    facets = list(dict.fromkeys((by, CULTURE, *by_variant)))
    rows = contrasts(answers, metric, facets, tests=True)
    if rows.is_empty():
        raise NothingSharedError(task, answers)
    made_by = {"task": task, "profile": profile, "metric": metric.name}
    verdicts = pl.Series(list(_verdicts(rows, answers, metric, by)), dtype=pl.String)
    differences = rows.with_columns(
        verdict=verdicts, **{name: pl.lit(value) for name, value in made_by.items()}
    )
    return Comparison(
        task,
        profile,
        metric,
        tuple(judgements),
        by,
        Frame(without_nan(differences.select(list(DIFFERENCES)))),
        Frame(without_nan(_ranking(answers, rows, task, metric))),
        Frame(of_rows(_spread(answers, task, metric, by), SPREAD)),
        answers,
        tuple(unlike),
        tuple(notes),
    )


def contrast_of(row: Mapping[str, Any], metric: Metric) -> Contrast:
    """A row of CONTRASTS as a Contrast, with NaN for null."""
    names = [name for name in Contrast.__dataclass_fields__ if name in row]
    values: dict[str, Any] = {name: math.nan if row[name] is None else row[name] for name in names}
    return Contrast(
        **values, lower_is_better=metric.lower_is_better, of_opinions=metric.kind == "distribution"
    )


def _verdicts(rows: pl.DataFrame, answers: Answers, metric: Metric, by: str) -> Iterator[str]:
    leads: dict[tuple[str, str], list[str | None]] = {}
    for first, second, ahead in (
        rows.filter(pl.col("facet") == "variant").select("first", "second", "ahead").iter_rows()
    ):
        leads.setdefault((first, second), []).append(ahead)
    turned: dict[tuple[str, str], dict[str, str]] = {}
    for first, second, name, ahead in (
        reversals(rows, (CULTURE, by)).select("first", "second", "name", "ahead").iter_rows()
    ):
        turned.setdefault((first, second), {})[name] = ahead
    for row in rows.iter_rows(named=True):
        pair, contrast, points = (
            (row["first"], row["second"]),
            contrast_of(row, metric),
            metric.scale == 100.0,
        )
        if row["facet"] != WHOLE:
            yield verdict(contrast, points=points)
            continue
        wordings = leads.get(pair, []) if by != "variant" else []
        yield verdict(
            contrast, points=points, leads=wordings, turned=turned.get(pair), alone=_alone(answers, pair)
        )


def _alone(answers: Answers, pair: tuple[str, str]) -> dict[str, list[str]]:
    """``Answers.only_one`` with the names of the cultures (or, if there are none, languages)."""
    for facet in (CULTURE, "language"):
        if only := answers.only_one(*pair, facet):
            return {model: [value_name(facet, value) for value in values] for model, values in only.items()}
    return {}


def _ranking(answers: Answers, rows: pl.DataFrame, task: str, metric: Metric) -> pl.DataFrame:
    ranks = order(answers, rows, metric) if len(answers.models) > 2 else {}
    columns = [answers.models.index(model) for model in ranks]
    shared = np.flatnonzero(~np.isnan(answers.values[:, columns]).any(axis=1))
    rows_of_models: list[tuple[object, ...]] = []
    for (model, rank), column in zip(ranks.items(), columns, strict=True):
        score = low = high = math.nan
        if shared.size:
            score, low, high = _score(answers, shared, column, metric)
        ends = (score * metric.scale, low * metric.scale, high * metric.scale)
        rows_of_models.append((task, metric.name, model, *ends, rank.value, rank.low, rank.high, rank.level))
    return of_rows(rows_of_models, RANKING)


def _score(
    answers: Answers, rows: npt.NDArray[np.int64], column: int, metric: Metric
) -> tuple[float, float, float]:
    """The score of a model over these rows, in the unit of the values, with both ends of its interval."""
    values, questions = answers.values[rows, column], answers.questions[rows]
    if metric.mean_over is None:
        mean = clustered_mean(*cluster_totals(values, questions), float(values @ values), metric.bounds)
        interval = mean.interval()
        return mean.mean, interval.low, interval.high
    judged = answers.groups[rows].with_columns(
        pl.Series(metric.name, values), question=questions, state=pl.lit("answered")
    )
    made = mean_over(judged, replace(metric, scale=1.0), metric.mean_over, metric.mean_over)
    return made["score"], made["low"], made["high"]


def _spread(answers: Answers, task: str, metric: Metric, by: str) -> Iterator[tuple[object, ...]]:
    for source in dict.fromkeys(("variant", by)):
        if answers.groups[source].n_unique() < 2:
            continue
        for column, model in enumerate(answers.models):
            values = pl.DataFrame(
                {"group": answers.groups[source].cast(pl.String), "value": answers.values[:, column]}
            )
            scores = (
                values.drop_nulls("group")
                .filter(pl.col("value").is_not_nan())
                .group_by("group")
                .agg(pl.col("value").mean())
            )
            if scores.is_empty():
                continue
            scores = scores.sort("value", "group").with_columns(pl.col("value") * metric.scale)
            least, most = scores.row(0), scores.row(-1)
            yield task, metric.name, model, source, scores.height, *least, *most, most[1] - least[1]
