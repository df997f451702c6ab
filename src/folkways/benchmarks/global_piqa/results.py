"""Varieties of 100 situations each: their scores, and the same shrunk towards the other varieties."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from folkways.benchmarks.consistency import consistency
from folkways.benchmarks.global_piqa.task import TASK
from folkways.benchmarks.results import Inputs, Result
from folkways.benchmarks.summary import summarise_means
from folkways.benchmarks.tables import Table
from folkways.stats.shrinkage import shrunk_scores

METRIC = TASK.metrics[0]


def varieties(inputs: Inputs) -> Sequence[Table]:
    """Every variety of every model: score, shrunk score, and how much the variety's own replies weigh in
    that."""
    scores = []
    for (endpoint,), judged in inputs.of(TASK.name).group_by(["endpoint"], maintain_order=True):
        own = summarise_means(judged, TASK.name, (METRIC,), ("variety",), [("variety",)])
        scores.append(
            own.with_columns(endpoint=pl.lit(endpoint), profile=pl.lit("strict"), signature=pl.lit(""))
        )
    found = shrunk_scores(pl.concat(scores), {TASK.name: (METRIC,)}, "variety")
    columns = ("score", "low", "high", "n", "shrunk", "shrunk_low", "shrunk_high", "weight")
    return (
        Table(
            "varieties",
            "Language varieties, shrunk",
            "Percent of situations, which are the unit. Shrunk scores move a variety towards the others of "
            "the same model, more so "
            "with fewer situations (a hierarchical beta-binomial model); weight is the share of its own "
            "replies.",
            found.select("endpoint", pl.col("value").alias("variety"), *columns),
            notes=(
                "A shrunk score is a better estimate of how a model does in a variety, and a worse summary "
                "of what was measured. "
                "There is none for fewer than three varieties.",
                "Chance is 50 %. Situations of different varieties are different ones: a lower score may "
                "be a harder hundred.",
            ),
        ),
    )


RESULTS = (
    Result(
        "varieties",
        "Language varieties, shrunk",
        varieties,
        "",
        "In which varieties is a model better or worse?",
        (TASK.name,),
    ),
    consistency(TASK.name, "accuracy"),
)
