"""How alike a model answers the same question asked in several ways, and which gaps between cultures could
come from that.

A benchmark opts in with a ``Result`` of ``consistency`` for each of its tasks.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import polars as pl

from folkways.benchmarks.multiple_choice.orders import split_variant
from folkways.benchmarks.results import Inputs, Result
from folkways.benchmarks.tables import DIFFERENCE, Layout, NotAvailableError, Table, with_holm
from folkways.cultures import name_of_code
from folkways.records import Schema
from folkways.stats.clusters import clustered_mean
from folkways.stats.differences import METHOD, difference_of_shares
from folkways.stats.intervals import cluster_totals

WAYS = ("order", "template", "language", "sample")
"""In what two askings of a question can differ; the others are kept equal."""

ASKED = ("endpoint", "item", "question", "culture", "language", "variant", "sample")

ALIKE: Schema = {
    "endpoint": pl.String,
    "over": pl.String,  # of WAYS
    "ways": pl.Int64,  # in how many ways a question was asked at most
    "agreement": pl.Float64,  # percent: the chance that two of the answers to a question are the same
    "low": pl.Float64,
    "high": pl.Float64,
    "turned": pl.Float64,  # percent of items that are right in one way and wrong in another
    "turned_low": pl.Float64,
    "turned_high": pl.Float64,
    "entropy": pl.Float64,  # bits, of the answers to a question, on average
    "entropy_low": pl.Float64,
    "entropy_high": pl.Float64,
    "spread": pl.Float64,  # points between the best and the worst way, over all questions
    "items": pl.Int64,
    "questions": pl.Int64,
}

GAPS: Schema = {
    "endpoint": pl.String,
    "culture": pl.String,
    "score": pl.Float64,  # percent of questions
    **DIFFERENCE,  # points from the mean of the other cultures
    # points: standard deviation of the culture's score between orders, templates and samples
    "wobble": pl.Float64,
    # p for no effect of the way of asking on the score; NaN where it cannot be tested
    "wobble_p": pl.Float64,
    "within_wobble": pl.Boolean,  # whether the difference could come from the way of asking
    "questions": pl.Int64,
}

ALPHA = 0.05
REACH = 1.96
"""Standard deviations within which the score of one way of asking lies of that of all ways, 95 times of
100."""

PIECE = 100_000
"""Answers that are compared at a time, because there may be a million."""

ROUNDING = 1e-12

HOW_TO_ASK = "--permute-options 4, --variants all, --samples 3 or --languages local,en"


def consistency(
    task: str, metric: str, chosen: str | None = "chosen_option", same: Sequence[str] = ("item",)
) -> Result:
    """The result that a benchmark opts in with; ``consistency-demo-mcq`` for demo/mcq.

    task: its name.
    metric: 1.0 for a right answer.
    chosen: the column with the answer, the same in every order; None for answers in words, which agree if
        both are right or both wrong.
    same: the columns that identify a question, if not the item alone: a benchmark may have another item in
        each language.
    """

    def make(inputs: Inputs) -> Sequence[Table]:
        columns = [name for name in (*ASKED, metric, chosen) if name is not None]
        options = _options(task) if chosen else None
        return consistency_tables(inputs.of(task, columns=columns), task, metric, chosen, same, options)

    asks = (
        "Does a model answer the same question alike in other words, orders of the options, languages "
        "and samples?"
    )
    return Result(name_of(task), f"Consistency: {task}", make, "", asks, (task,))


def _options(task: str) -> int | None:
    from folkways.benchmarks.registry import get_task

    labels = getattr(get_task(task), "labels", None)
    return len(labels) if labels else None


def name_of(task: str) -> str:
    """What the result of a task is called."""
    return f"consistency-{task.replace('/', '-')}"


def consistency_tables(
    judged: pl.DataFrame,
    task: str,
    metric: str,
    chosen: str | None = "chosen_option",
    same: Sequence[str] = ("item",),
    options: int | None = None,
) -> Sequence[Table]:
    """How alike the answers are, and the gaps between cultures.

    judged: judgements of one task, of any number of endpoints.
    task, metric, chosen, same: as for ``consistency``.
    options: how many a question has; None where there are none.

    Raises NotAvailableError where no question was asked in two ways.
    """
    columns = [name for name in (metric, chosen) if name in judged.columns]
    if metric not in columns:
        raise NotAvailableError(
            f"needs {metric}, which these judgements of {task} do not have; do it: folkways score RUN"
        )
    agreement_rows: list[dict[str, Any]] = []
    gaps: list[dict[str, Any]] = []
    # one after the other: there may be a million rows
    for endpoint in judged["endpoint"].unique(maintain_order=True):
        of_model = judged.filter(pl.col("endpoint") == endpoint).select(*ASKED, *columns).drop_nulls(metric)
        rows = _ways(of_model, pl.col(metric), pl.col(chosen if chosen in columns else metric))
        agreement_rows += _alike(rows, same)
        gaps += _gaps(rows)
        del rows, of_model  # before those of the next
    if not agreement_rows:
        raise NotAvailableError(f"each question was asked once; to measure it, add {HOW_TO_ASK}")
    alike_if = (
        "Replies without an answer (refused, unreadable) count as disagreement."
        if chosen in columns
        else "Answers in words agree where both are right or both are wrong, as replies without an answer "
        "are."
    )
    by_guessing = (
        f"; guessing among {options} options anew has an agreement of {100 / options:.3g} %"
        if options
        else ""
    )
    alike = Table(
        name_of(task),
        f"The same question asked in other ways ({task})",
        "Percent of pairs of answers that are the same, percent of items that turn round from right to "
        "wrong, and bits. The unit is the question.",
        pl.DataFrame(agreement_rows, schema=dict(ALIKE)),
        notes=(
            f"Each row varies one thing and holds the rest fixed. {alike_if} Agreement says nothing of being "
            f"right{by_guessing}.",
            "Wilson's interval of the effective answers, clustered by question; spread is between whole "
            "scores.",
        ),
    )
    return (alike, _gap_table(gaps, task)) if gaps else (alike,)


def _ways(judged: pl.DataFrame, right: pl.Expr, answer: pl.Expr) -> pl.DataFrame:
    """The judgements with WAYS, ``right`` and a number for each ``answer``."""
    split = {name: split_variant(name) for name in judged["variant"].cast(pl.String).unique()}
    templates, orders = ({name: parts[at] for name, parts in split.items()} for at in (0, 1))
    variant = pl.col("variant").cast(pl.String)
    return judged.select(
        *(name for name in ASKED if name != "variant"),
        template=variant.replace_strict(templates, return_dtype=pl.String).cast(pl.Categorical),
        order=variant.replace_strict(orders, return_dtype=pl.Int16),
        right=right,
        answer=answer.cast(pl.String).cast(pl.Categorical).to_physical().cast(pl.Int32),
    )


def _alike(rows: pl.DataFrame, same: Sequence[str]) -> Iterator[dict[str, Any]]:
    """ALIKE of one model."""
    rows = rows.with_row_index("row")
    pieces = rows.height // PIECE + 1
    piece = pl.col(same[0]).to_physical().hash() % pieces
    parts = [dict(_asked_again(rows.filter(piece == number), same)) for number in range(pieces)]
    for over in WAYS:
        asked_again = [part[over] for part in parts if over in part]
        if not asked_again:
            continue
        items = pl.concat(items for items, _ in asked_again).sort("row")
        by_way = (
            pl.concat(sums for _, sums in asked_again)
            .group_by("way")
            .sum()
            .select(pl.col("right") / pl.col("n"))
            .to_series()
        )
        questions = (
            items["cluster"].cast(pl.String).cast(pl.Categorical).to_physical().to_numpy().astype(np.int64)
        )
        ways = int(items["ways"].max())  # type: ignore[arg-type]
        yield {
            "endpoint": rows["endpoint"][0],
            "over": over,
            "ways": ways,
            **_mean(items["agreement"].to_numpy(), questions, "agreement", "", 100.0, 1.0),
            **_mean(items["turned"].to_numpy(), questions, "turned", "turned_", 100.0, 1.0),
            **_mean(items["entropy"].to_numpy(), questions, "entropy", "entropy_", 1.0, math.log2(ways)),
            "spread": 100 * float(np.ptp(by_way.to_numpy())),
            "items": items.height,
            "questions": np.unique(questions).size,
        }


def _asked_again(
    rows: pl.DataFrame, same: Sequence[str]
) -> Iterator[tuple[str, tuple[pl.DataFrame, pl.DataFrame]]]:
    """What differed -> a row for each item that was asked in several such ways, and of each way the right
    answers and all."""
    # One row for each way, also where a run was made again, and each answer that could not be read one of its
    # own.
    rows = rows.unique([*same, *WAYS], keep="last", maintain_order=True)
    rows = rows.with_columns(said=pl.col("answer").fill_null(-1 - pl.col("row").cast(pl.Int32)))
    for over in WAYS:
        fixed = [*same, *(way for way in WAYS if way != over)]
        each = rows.filter(pl.len().over(fixed) > 1)
        if each.is_empty():
            continue
        counts = each.group_by(*fixed, "said").agg(n=pl.len())
        total, share = pl.col("n").sum(), pl.col("n") / pl.col("n").sum()
        spoken = counts.group_by(fixed).agg(
            ways=total,
            agreement=(pl.col("n") * (pl.col("n") - 1)).sum() / (total * (total - 1)),
            entropy=-(share * share.log(2)).sum(),
        )
        turned = (pl.col("right").min() < pl.col("right").max()).cast(pl.Float64)
        right = each.group_by(fixed).agg(
            pl.col("row").first(), cluster=pl.col("question").first(), turned=turned
        )
        items = spoken.join(right, on=fixed, how="left", nulls_equal=True)
        by_way = each.group_by(way=pl.col(over).cast(pl.String)).agg(
            pl.col("right").cast(pl.Float64).sum(), n=pl.len()
        )
        yield over, (items.select("row", "cluster", "ways", "agreement", "entropy", "turned"), by_way)


def _mean(values: Any, questions: Any, name: str, prefix: str, scale: float, most: float) -> dict[str, float]:
    """A mean with its interval, under the names of the columns."""
    sums, counts = cluster_totals(values, questions)
    mean = clustered_mean(sums, counts, float(values @ values), (0.0, most))
    interval = mean.interval()
    return {
        name: scale * mean.mean,
        f"{prefix}low": scale * interval.low,
        f"{prefix}high": scale * interval.high,
    }


def _gaps(rows: pl.DataFrame) -> Iterator[dict[str, Any]]:
    """GAPS of one model, with p_holm; nothing where there is one culture, or one order, template and
    sample."""
    ways = ["order", "template", "sample"]
    if rows["culture"].n_unique() < 2 or rows.select(ways).unique().height < 2:
        return
    by_question = rows.group_by("culture", "question", maintain_order=True).agg(pl.col("right").mean())
    scores = (
        by_question.group_by("culture").agg(score=pl.col("right").mean(), questions=pl.len()).sort("culture")
    )
    way = pl.concat_str([pl.col(name).cast(pl.String).fill_null("") for name in ways], separator="\0").alias(
        "way"
    )
    gap_rows = []
    for culture, score, questions in scores.iter_rows():
        others = scores.filter(pl.col("culture") != culture)
        apart = difference_of_shares(
            np.array([score]),
            np.array([float(questions)]),
            others["score"].to_numpy(),
            others["questions"].to_numpy().astype(float),
        )
        # Culture by culture: with the names of the ways, the cells of all would take more than the rows.
        of_culture = rows.filter(pl.col("culture") == culture)
        cells = of_culture.group_by("question", *ways).agg(pl.col("right").mean())
        wobble, p = _wobble(cells.with_columns(way))
        gap_rows.append(
            {
                "endpoint": rows["endpoint"][0],
                "culture": culture,
                "score": 100 * score,
                **apart.columns(100),
                "wobble": 100 * wobble,
                "wobble_p": p,
                "within_wobble": p < ALPHA and abs(apart.difference) < REACH * wobble,
                "questions": questions,
            }
        )
    gaps = with_holm(pl.DataFrame(gap_rows, schema=dict(GAPS)))
    yield from gaps.with_columns(pl.col("within_wobble") & ~(pl.col("p_holm") < ALPHA)).iter_rows(named=True)


def _wobble(cells: pl.DataFrame) -> tuple[float, float]:
    """The standard deviation of the mean between ways of asking, without the noise of questions; and p for
    there being none.

    cells: ``question``, ``way`` and the share ``right``; questions that were not asked in every way are left
    out. By the analysis of variance of questions by ways: what neither explains is the noise (Searle, Casella
    and McCulloch 1992, 4.3). NaN of fewer than two questions or ways.
    """
    table = cells.pivot("way", index="question", values="right").drop("question").drop_nulls().to_numpy()
    n, ways = table.shape
    if n < 2 or ways < 2:
        return math.nan, math.nan
    from scipy.special import fdtrc

    by_way, by_question = table.mean(axis=0), table.mean(axis=1, keepdims=True)
    between = n * float(((by_way - table.mean()) ** 2).sum()) / (ways - 1)
    freedom = (n - 1) * (ways - 1)
    noise = float(((table - by_way - by_question + table.mean()) ** 2).sum()) / freedom
    if noise < ROUNDING:
        return math.sqrt(between / n), 0.0 if between > ROUNDING else 1.0
    return math.sqrt(max(0.0, between - noise) / n), float(fdtrc(ways - 1, freedom, between / noise))


def _gap_table(gaps: Sequence[dict[str, Any]], task: str) -> Table:
    rows = pl.DataFrame(gaps, schema={**GAPS, "p_holm": pl.Float64})
    sentences = []
    for (endpoint,), of_model in rows.group_by(["endpoint"], maintain_order=True):
        within = [name_of_code(code) for code in of_model.filter("within_wobble")["culture"]]
        sentences.append(
            f"{endpoint}: {len(within)} of {of_model.height} gaps could come from the way of asking: "
            f"{', '.join(within)}."
            if within
            else f"{endpoint}: no gap is shown to be within what the way of asking does."
        )
    return Table(
        f"{name_of(task)}-gaps",
        f"Gaps between cultures beside the model's own wobble ({task})",
        "Points from the mean of the other cultures. The unit is the question: its orders, templates and "
        "samples are averaged.",
        rows,
        Layout("culture", "endpoint", "difference", decimals=1, drawn="intervals", diverges=0.0),
        notes=(
            f"Interval: {METHOD} (Zou and Donner); p_holm is corrected for the cultures of a model. wobble: "
            "the standard deviation of the culture's own score between orders, templates and samples, "
            "without what the choice of questions adds; wobble_p is below .05 where the way of asking moves "
            f"the score. within_wobble: it does, the gap is below {REACH} wobbles, and p_holm is not below "
            ".05.",
            *sentences,
        ),
    )
