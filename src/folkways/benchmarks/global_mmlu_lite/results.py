"""How much worse a model is where culture matters: culturally sensitive against agnostic questions, with an
interval."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from folkways.benchmarks.consistency import consistency
from folkways.benchmarks.results import Inputs, Result
from folkways.benchmarks.tables import DIFFERENCE, Table, with_holm
from folkways.records import Schema
from folkways.stats.differences import METHOD, difference_of_groups

TASK = "global-mmlu-lite/mcq"
GAP: Schema = {
    "endpoint": pl.String,
    "language": pl.String,  # "all" for every language that was asked
    "sensitive": pl.Float64,  # percent
    "agnostic": pl.Float64,
    **DIFFERENCE,  # points, sensitive minus agnostic
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
            values = group.group_by("sensitivity", "question", maintain_order=True).agg(
                pl.col("accuracy").mean()
            )
            sides = [values.filter(sensitivity=kind)["accuracy"].to_numpy() for kind in ("CS", "CA")]
            if all(side.size for side in sides):
                means = {
                    name: 100 * float(side.mean())
                    for name, side in zip(("sensitive", "agnostic"), sides, strict=True)
                }
                numbers = {"n_sensitive": sides[0].size, "n_agnostic": sides[1].size}
                found = difference_of_groups(*sides).columns(100)
                rows.append({"endpoint": endpoint, "language": language, **means, **found, **numbers})
    table = pl.DataFrame(rows, schema=dict(GAP)).sort("endpoint", pl.col("language") != "all", "language")
    return (
        Table(
            "sensitivity",
            "Culturally sensitive against culturally agnostic questions",
            "Percent of questions, and points between the two kinds, which are other questions. The unit "
            "is the question; the "
            "languages, templates and samples of one question are averaged first.",
            with_holm(table),
            notes=(
                f"Interval: {METHOD} (Newcombe); p_holm is corrected for all rows.",
                "The two kinds differ in more than culture: agnostic questions are of other subjects, more "
                "of science. Compare "
                "models by their difference rather than read one alone.",
            ),
        ),
    )


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
