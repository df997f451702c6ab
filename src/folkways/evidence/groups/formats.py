"""The same fact asked in several formats (in words, with options, the other way round): how often a model
that is right in one is right in another."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import permutations
from typing import Any

import numpy as np
import polars as pl

from folkways.benchmarks.results import Inputs, Result
from folkways.benchmarks.tables import DIFFERENCE, NotAvailableError, Table, with_holm
from folkways.evidence.groups.panel import KEY, Panel, notes, panels
from folkways.records import Schema
from folkways.stats.clusters import clustered_mean
from folkways.stats.differences import Difference
from folkways.stats.intervals import Floats, Ints, cluster_totals

FEWEST_FACTS = 10
"""Facts that two formats must share."""

ONE_WAY, OTHER_WAY = np.array([[0.0, 0.0, 1.0, 1.0], [0.0, 1.0, 0.0, 1.0]])
IMAGINED = 0.5
"""Half a fact for each way in which two formats can agree or not is in the variance, and not in the excess
(Agresti and Min 2005): where none of the facts is wrong in both formats, others may be."""

FORMATS: Schema = {
    "endpoint": pl.String,
    "first": pl.String,  # the format in which the model is right: the task, and the language kept apart
    "second": pl.String,
    "culture": pl.String,  # null for all
    "first_score": pl.Float64,  # percent of the shared facts
    "second_score": pl.Float64,
    "given_right": pl.Float64,  # percent right in the second of what is right in the first
    "expected": pl.Float64,  # the same if the two were independent within a culture
    **DIFFERENCE,  # points, given_right minus expected
    "p_holm": pl.Float64,  # corrected for the cultures of all models and formats; rows of all apart
    "facts": pl.Int64,
}


@dataclass(frozen=True)
class FormatConsistency:
    """How facts that are right in one format fare in another.

    given_right, expected: between 0 and 1; ``excess`` is their difference. n: facts.
    """

    given_right: float
    expected: float
    excess: Difference
    n: int


def format_consistency(
    first: Floats, second: Floats, strata: Ints, clusters: Ints
) -> FormatConsistency | None:
    """The share of facts right in ``second`` given right in ``first``, and what independence would give.

    first, second: one value per fact, 0 to 1: the share of its askings that were right. strata: of each
    fact, the group within which the two would be independent (the culture), because easy cultures are easy
    in both formats. clusters: of each fact, what is sampled independently (the question, asked about
    several cultures).

    A fact is expected to be right in the second as often as the other facts of its stratum, so that the
    excess is 0 on average under independence. It is the covariance over the mean of ``first``; interval and
    p come from its linearised values, clustered (Student's; NaN with fewer than 10 effective clusters, or
    where nothing varies). Strata of one fact are left out; None where nothing is left, or nothing is right
    in ``first``.
    """
    _, codes, sizes = np.unique(strata, return_inverse=True, return_counts=True)
    several = sizes[codes] > 1
    first, second, codes, clusters = first[several], second[several], codes[several], clusters[several]
    if not first.size or not first.sum():
        return None
    numbers = np.maximum(sizes, 1)
    means = [np.bincount(codes, side, sizes.size) / numbers for side in (first, second)]
    n = sizes[codes]
    others = (means[1][codes] * n - second) / (n - 1)
    mean = float(first.mean())
    given_right, expected = (float(first @ side) / float(first.sum()) for side in (second, others))
    excess = given_right - expected
    apart = (first - means[0][codes]) * (second - means[1][codes]) * n / (n - 1)
    linear = (apart - excess * (first - mean)) / mean
    estimate = clustered_mean(*cluster_totals(linear, clusters), float(linear @ linear), None, paired=True)
    if estimate.error > 0:
        imagined = (ONE_WAY - mean) * (OTHER_WAY - second.mean() - excess) / float(first.sum())
        error = math.sqrt(estimate.error**2 + IMAGINED * float(imagined @ imagined))
        estimate = replace(estimate, error=error)
    interval = estimate.interval()
    difference = Difference(excess, interval.low, interval.high, estimate.p())
    return FormatConsistency(given_right, expected, difference, int(first.size))


def tables(inputs: Inputs) -> Sequence[Table]:
    """FORMATS of every model, each two formats of a benchmark, over all cultures and in each.

    Raises NotAvailableError where no two tasks of a benchmark share FEWEST_FACTS facts.
    """
    used = [panel for panel in panels(inputs) if _says_right(panel)]
    rows = [row for pair in permutations(used, 2) for row in _rows(*pair)]
    if not rows:
        raise NotAvailableError(
            f"no two tasks of a benchmark share {FEWEST_FACTS} facts: ask both formats of one, such as "
            "folkways run blend/saq blend/mcq"
        )
    frame = pl.DataFrame(rows, schema={name: kind for name, kind in FORMATS.items() if name != "p_holm"})
    whole = pl.col("culture").is_null()
    corrected = pl.concat(with_holm(frame.filter(part)) for part in (whole, ~whole))
    return [
        Table(
            "format-consistency",
            "The same fact in several formats",
            "The unit is the fact: a question about a culture, its prompts, orders and versions averaged; "
            "clustered by question.",
            corrected.select(list(FORMATS)),
            notes=(
                "Scores of two formats are not comparable: guessing, and what stands beside the right "
                "answer, differ. given_right is the share of facts right in the second of those right in "
                "the first; expected is what it would be if the one told nothing of the other within a "
                "culture. A difference near 0 says that the formats measure different things, or that one "
                "of them is guessed.",
                *notes(used),
            ),
        )
    ]


def _says_right(panel: Panel) -> bool:
    """Whether its values are shares of right answers."""
    return panel.metric.kind == "proportion" and panel.metric.bounds == (0.0, 1.0)


def _rows(one: Panel, other: Panel) -> Iterator[dict[str, Any]]:
    if not _formats_of_a_benchmark(one.task, other.task):
        return
    sides = [_by_fact(panel) for panel in (one, other)]
    shared = sides[0].join(sides[1], on=["endpoint", *KEY], how="inner", suffix="_other")
    names = {"first": _name(one), "second": _name(other)}
    for (endpoint,), facts in shared.sort("endpoint", *KEY).group_by(["endpoint"], maintain_order=True):
        parts = [
            (None, facts),
            *((str(c), part) for (c,), part in facts.group_by(["culture"], maintain_order=True)),
        ]
        for culture, part in parts:
            if part.height < FEWEST_FACTS:
                continue
            strata, questions = (part[name].rank("dense").cast(pl.Int64).to_numpy() for name in KEY)
            first, second = part["value"].to_numpy(), part["value_other"].to_numpy()
            consistency = format_consistency(first, second, strata, questions)
            if consistency is None:
                continue
            yield {
                "endpoint": endpoint,
                **names,
                "culture": culture,
                "first_score": 100 * float(first.mean()),
                "second_score": 100 * float(second.mean()),
                "given_right": 100 * consistency.given_right,
                "expected": 100 * consistency.expected,
                **consistency.excess.columns(100),
                "facts": consistency.n,
            }


def _formats_of_a_benchmark(one: str, other: str) -> bool:
    return one != other and one.split("/")[0] == other.split("/")[0]


def _by_fact(panel: Panel) -> pl.DataFrame:
    """endpoint, culture, question and value, 0 to 1."""
    of_fact = panel.rows.group_by("endpoint", *KEY).agg(pl.col("value").mean() / panel.metric.scale)
    return of_fact.with_columns(pl.col("endpoint", *KEY).cast(pl.String))


def _name(panel: Panel) -> str:
    return f"{panel.task} ({panel.part})" if panel.part else panel.task


def _fits(inputs: Inputs) -> bool:
    """Whether two tasks of a benchmark ask FEWEST_FACTS facts both."""
    facts: dict[str, pl.DataFrame] = {}
    right = [task for task, metrics in inputs.metrics.items() if metrics and metrics[0].kind == "proportion"]
    for task in inputs.asked.intersection(right):
        rows = (
            inputs.judged.lazy().filter(pl.col("task") == task, "counted").select(pl.col(KEY).cast(pl.String))
        )
        facts[task] = rows.drop_nulls().unique().collect()
    return any(
        _formats_of_a_benchmark(one, other)
        and facts[one].join(facts[other], on=KEY, how="semi").height >= FEWEST_FACTS
        for one, other in permutations(facts, 2)
    )


FORMAT_CONSISTENCY = Result(
    "format-consistency",
    "The same fact in several formats",
    tables,
    "",
    "Is a model that knows a fact in one format right about it in another?",
    fits=_fits,
)
