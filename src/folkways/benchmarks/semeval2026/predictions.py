"""The competition's prediction files: read as its scorer reads them, and written for it."""

from __future__ import annotations

import re
from collections.abc import Sequence

import polars as pl

from folkways.benchmarks.base import Submission
from folkways.benchmarks.free_answers.matching import READ_AS_MISSING
from folkways.benchmarks.semeval2026.release import LABELS

_NUMBER = re.compile(r"\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\s*", re.ASCII)
_TRUTHS = {"True": 1.0, "TRUE": 1.0, "true": 1.0, "False": 0.0, "FALSE": 0.0, "false": 0.0}


def letters(table: pl.DataFrame) -> pl.DataFrame | None:
    """item, language and response (a letter, or nothing) of a file of track 2; None for other files.

    A row counts where one of the four columns is one and the others are zero, by what the organisers' scorer
    takes for numbers.
    """
    if not {"id", *LABELS} <= set(table.columns):
        return None
    rows = zip(*(_as_numbers(table[label].to_list()) for label in LABELS), strict=True)
    replies = [LABELS[row.index(1.0)] if sorted(row) == [0.0, 0.0, 0.0, 1.0] else "" for row in rows]
    return table.select(item="id", language=pl.lit("en"), response=pl.Series(replies, dtype=pl.String))


def _as_numbers(cells: Sequence[str]) -> list[float]:
    """0, 1, or -1 for any other. A column is numbers, or truth values, as a whole: one word in it, and no
    cell is a number."""
    filled = [cell for cell in cells if cell and cell not in READ_AS_MISSING]
    if all(_NUMBER.fullmatch(cell) for cell in filled):
        values = {cell: float(cell) for cell in set(filled)}
    else:
        values = _TRUTHS if all(cell in _TRUTHS for cell in filled) else {}
    return [value if (value := values.get(cell, -1.0)) in (0.0, 1.0) else -1.0 for cell in cells]


def short_replies(table: pl.DataFrame) -> pl.DataFrame | None:
    """item, language and response of a file of track 1; None for other files."""
    if not {"id", "prediction"} <= set(table.columns) or "response" in table.columns:
        return None
    return table.select(
        item="id", language=pl.col("id").str.extract("^([a-z]{2})-").fill_null("en"), response="prediction"
    )


def _track_1(replies: pl.DataFrame) -> pl.DataFrame:
    """One line for each reply, as the model gave it; a reply of several lines becomes one."""
    # a null is an empty cell
    reply = pl.col("response").str.replace_all(r"\s+", " ").str.strip_chars().replace("", None)
    return replies.select(id="item", prediction=reply)


def _track_2(replies: pl.DataFrame) -> pl.DataFrame:
    """A one in the column of the letter that was read, and only zeros where none was."""
    return replies.select(
        pl.col("item").alias("id"),
        *(pl.col("answer").eq_missing(pl.lit(label)).cast(pl.Int8).alias(label) for label in LABELS),
    )


SUBMISSIONS = {
    "semeval2026/saq": Submission("prediction/track_1_saq_prediction.tsv", _track_1),
    "semeval2026/mcq": Submission("prediction/track_2_mcq_prediction.tsv", _track_2),
}
