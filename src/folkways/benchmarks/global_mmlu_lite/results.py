"""How much worse a model is where culture matters: culturally sensitive against agnostic questions, with an interval."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from folkways.benchmarks.consistency import consistency
from folkways.benchmarks.results import Inputs, Result
from folkways.benchmarks.tables import Table, with_holm
from folkways.records import Schema
from folkways.stats.differences import METHOD, difference_of_shares
from folkways.stats.intervals import Floats

TASK = "global-mmlu-lite/mcq"
GAP: Schema = {
    "endpoint": pl.String,
    "language": pl.String,  # "all" for every language that was asked
    "sensitive": pl.Float64,  # percent
    "agnostic": pl.Float64,
    "difference": pl.Float64,  # points, sensitive minus agnostic
    "low": pl.Float64,
    "high": pl.Float64,
    "p": pl.Float64,
    "n_sensitive": pl.Int64,  # questions
    "n_agnostic": pl.Int64,
}


def sensitivity(inputs: Inputs) -> Sequence[Table]:
    """Both kinds and their difference, over all languages and in each."""
    judged = inputs.of(TASK).filter(pl.col("sensitivity").is_in(["CS", "CA"]))
    everywhere = judged.with_columns(language=pl.lit("all"))
    parts = [everywhere] if judged["language"].n_unique() < 2 else [everywhere, judged]
    rows = []
    for part in parts:
        keys = ["endpoint", "language"]
        for (endpoint, language), group in part.group_by(keys, maintain_order=True):
            values = group.group_by("sensitivity", "question", maintain_order=True).agg(pl.col("accuracy").mean())
            sides = [values.filter(sensitivity=kind)["accuracy"].to_numpy() for kind in ("CS", "CA")]
            if all(side.size for side in sides):
                rows.append({"endpoint": endpoint, "language": language, **_difference(*sides)})
    table = pl.DataFrame(rows, schema=dict(GAP)).sort("endpoint", pl.col("language") != "all", "language")
    return (
        Table(
            "sensitivity",
            "Culturally sensitive against culturally agnostic questions",
            "Percent of questions, and points between the two kinds, which are other questions. The unit is the question; the "
            "languages, templates and samples of one question are averaged first.",
            with_holm(table),
            notes=(
                f"Interval: {METHOD} (Newcombe); p_holm is corrected for all rows.",
                "The two kinds differ in more than culture: agnostic questions are of other subjects, more of science. Compare "
                "models by their difference rather than read one alone.",
            ),
        ),
    )


def _difference(sensitive: Floats, agnostic: Floats) -> dict[str, float | int]:
    means = [np.array([side.mean()]) for side in (sensitive, agnostic)]
    numbers = [np.array([float(side.size)]) for side in (sensitive, agnostic)]
    found = difference_of_shares(means[0], numbers[0], means[1], numbers[1])
    return {
        "sensitive": 100 * float(means[0][0]),
        "agnostic": 100 * float(means[1][0]),
        "difference": 100 * found.difference,
        "low": 100 * found.low,
        "high": 100 * found.high,
        "p": found.p,
        "n_sensitive": sensitive.size,
        "n_agnostic": agnostic.size,
    }


RESULTS = (
    Result(
        "sensitivity",
        "Culturally sensitive against agnostic",
        sensitivity,
        "",
        "How much worse is a model on questions that ask for knowledge of a culture?",
        (TASK,),
    ),
    consistency(TASK, "accuracy", same=("question",)),
)
