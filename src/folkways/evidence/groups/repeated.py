"""The wrong reply that a model gives most often about each culture ("Injera" for everything)."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from folkways.benchmarks.results import Inputs, Result
from folkways.benchmarks.tables import NotAvailableError, Table, with_holm
from folkways.cultures import name_of_code
from folkways.evidence.cultures import FEWEST_REPEATS, most_repeated, right_elsewhere, right_replies
from folkways.records import Metric, Schema

REPLIES: Schema = {
    "task": pl.String,
    "endpoint": pl.String,
    "culture": pl.String,
    "language": pl.String,  # that was asked in
    "reply": pl.String,  # as the model first gave it; untrusted
    "times": pl.Int64,  # questions with this wrong reply
    "questions": pl.Int64,  # with a readable wrong reply
    "share": pl.Float64,  # times of questions, in percent
    "elsewhere": pl.Float64,  # the same share about other cultures; null without any
    "p": pl.Float64,  # for no difference of the two, times the replies that could have come first
    "p_holm": pl.Float64,  # and for the rows of the table
    "right_about": pl.String,  # the cultures about which the reply counts as right to the same questions
}

COLUMNS = ("question", "culture", "language", "state", "answer", "counted")


def tables(inputs: Inputs) -> Sequence[Table]:
    """REPLIES of every model, culture and language.

    Raises NotAvailableError where no wrong reply comes FEWEST_REPEATS times, or may be shown.
    """
    parts = [part for task in sorted(inputs.free_answers & inputs.tasks) for part in _of_task(inputs, task)]
    if not parts:
        raise NotAvailableError(
            f"needs free answers that may be shown, and a wrong one that comes {FEWEST_REPEATS} times or more"
        )
    rows = with_holm(pl.concat(parts)).sort("task", "endpoint", "share", descending=[False, False, True])
    return [
        Table(
            "repeated-replies",
            "The most repeated wrong reply about each culture",
            "The unit is the question with a readable wrong reply; a question that several cultures share "
            "counts once elsewhere. p is of the difference between the share here and elsewhere.",
            rows.select(list(REPLIES)),
            notes=(
                "The reply was chosen because it is frequent: p is multiplied by the replies that could "
                "have been chosen (Bonferroni), and p_holm is corrected for the rows of this table as well.",
            ),
        )
    ]


def _of_task(inputs: Inputs, task: str) -> list[pl.DataFrame]:
    release, metric = inputs.releases.get(task), inputs.headline(task)
    if metric.bounds is None or (release is not None and release.record.items_may_leave is False):
        return []
    scored = inputs.of(task, columns=("endpoint", metric.name))
    if metric.name not in scored.columns:
        return []
    models = scored.drop_nulls()["endpoint"].unique(maintain_order=True).cast(pl.String)
    del scored
    repeated: dict[str, tuple[pl.DataFrame, pl.DataFrame]] = {}
    for name in models:
        rows, wrong = most_repeated(_of(inputs, task, metric, name), metric)
        if rows.height:
            repeated[name] = rows, wrong
    if not repeated:
        return []
    keys = pl.concat(rows["key"] for rows, _ in repeated.values()).unique()
    right = pl.concat(right_replies(_of(inputs, task, metric, name), metric, keys) for name in models)
    parts = []
    for name, (rows, wrong_rows) in repeated.items():
        about = (
            right_elsewhere(rows, wrong_rows, right)
            .group_by("culture", "language", "key", maintain_order=True)
            .agg(right_about=pl.col("other"))
        )
        named = [", ".join(map(name_of_code, codes)) for codes in about["right_about"]]
        about = about.with_columns(right_about=pl.Series(named, dtype=pl.String))
        joined = rows.join(about, on=["culture", "language", "key"], how="left", maintain_order="left")
        parts.append(
            joined.with_columns(
                pl.col("share", "elsewhere") * 100, task=pl.lit(task), endpoint=pl.lit(name, pl.String)
            ).select("task", "endpoint", *joined.columns)
        )
    return parts


def _of(inputs: Inputs, task: str, metric: Metric, endpoint: str) -> pl.DataFrame:
    """One model's judgements: all of a million replies would be copied together."""
    return inputs.of(task, columns=(*COLUMNS, metric.name), endpoint=endpoint)


REPEATED_REPLIES = Result(
    "repeated-replies",
    "Most repeated wrong replies",
    tables,
    "",
    "Which wrong reply does a model give again and again about a culture, and not about others?",
    fits=lambda inputs: bool(inputs.free_answers & inputs.asked),
)
