"""The human line as a table: by country, over answers and over annotators."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl

from folkways.benchmarks.culturalbench.people import PEOPLE_JUDGEMENTS
from folkways.benchmarks.summary import interval_of_mean
from folkways.benchmarks.tables import Table
from folkways.cultures import cultures, name_of_code
from folkways.records import Metric, Schema, require_columns

RIGHT = Metric("right", "Accuracy", "The person chose what the others' votes make gold, and nothing else.")

PEOPLE: Schema = {
    "country": pl.String,  # "all" for the whole
    "right": pl.Float64,  # percent of answers, like its interval
    "low": pl.Float64,
    "high": pl.Float64,
    "mean_of_annotators": pl.Float64,  # percent: the mean over people of each one's share
    "answers": pl.Int64,
    "questions": pl.Int64,
    "annotators": pl.Int64,  # who gave an answer
    "without_answer": pl.Float64,  # percent of votes that were "I don't know" or "cannot be answered"
}


def people_table(judgements: pl.DataFrame) -> Table:
    """PEOPLE, from people's judgements on Easy; the interval draws questions with all their answers."""
    require_columns(judgements, {**PEOPLE_JUDGEMENTS, "right": pl.Float64}, "judgements of people")
    return Table(
        "people",
        "The human line: each annotator against the votes of the others",
        "The unit is the question: a score is over votes, and its interval draws questions with all "
        "their votes.",
        pl.DataFrame(list(_rows(judgements)), schema=dict(PEOPLE)),
        notes=(
            "A person is right who chose every option that the others' votes make gold, and no other: the "
            "same on Easy as Hard.",
            "Votes for no option (dont_know, cannot_answer) do not count; without_answer is their share.",
        ),
    )


def _rows(judgements: pl.DataFrame) -> Iterator[dict[str, Any]]:
    yield _row("all", judgements)
    order = {code: place for place, code in enumerate(cultures())}
    parts = judgements.partition_by("culture", as_dict=True)
    for (code,) in sorted(parts, key=lambda key: (order.get(str(key[0]), len(order)), str(key[0]))):
        yield _row(name_of_code(str(code)), parts[(code,)])


def _row(country: str, judgements: pl.DataFrame) -> dict[str, Any]:
    said = judgements.filter("counted").sort("question", "annotator")  # a sum of floats depends on its order
    values = said["right"].to_numpy()
    interval = interval_of_mean(values, said["question"].rank("dense").cast(pl.Int64).to_numpy(), RIGHT)
    by_person = said.group_by("annotator").agg(pl.col("right").mean()).sort("annotator")
    return {
        "country": country,
        "right": 100 * float(values.mean()) if values.size else float("nan"),
        "low": 100 * interval.low,
        "high": 100 * interval.high,
        "mean_of_annotators": 100 * float(np.mean(by_person["right"].to_numpy()))
        if values.size
        else float("nan"),
        "answers": said.height,
        "questions": said["question"].n_unique(),
        "annotators": by_person.height,
        "without_answer": 100 * (1 - said.height / judgements.height) if judgements.height else float("nan"),
    }
