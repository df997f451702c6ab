"""Reads what people say about replies: a file with a label per reply, matched to the replies of a run."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from folkways.errors import DataError
from folkways.text_tables import read_replies

VALUES = ("1", "0.5", "0")
NARROWING = ("task", "language", "variant", "sample", "endpoint")
"""Columns that say which reply to an item is meant, where there are several."""


def read_labels(path: Path, replies: pl.DataFrame) -> pl.Series:
    """One label per row of ``replies`` (task, item, language, variant, sample, endpoint), 0 to 1; null where
    nobody did.

    The file has ``item`` and ``label`` (1, 0.5 or 0) and, where an item has several replies, the columns of
    NARROWING that tell them apart (``model`` is another name for ``endpoint``). Several labels of one reply
    are averaged. Raises DataError with the row for a label that is none of VALUES, and for one that fits no
    reply or several.
    """
    table = read_replies(path)
    if "endpoint" not in table.columns and "model" in table.columns:
        table = table.rename({"model": "endpoint"})
    missing = [name for name in ("item", "label") if name not in table.columns]
    if missing:
        raise DataError(f"lacks the column {missing[0]!r}; it has: {', '.join(table.columns)}", file=path)
    values = table["label"].str.strip_chars().cast(pl.Float64, strict=False)
    wrong = (~values.is_in([0.0, 0.5, 1.0])).fill_null(True).arg_true()
    if wrong.len():
        row = int(wrong[0])
        raise DataError(
            f"label {table['label'][row]!r} is none of {', '.join(VALUES)}", file=path, row=row + 1
        )
    on = ["item", *(name for name in NARROWING if name in table.columns)]
    known = replies.select(pl.col(name).cast(pl.String) for name in on).with_columns(
        _reply=pl.int_range(pl.len(), dtype=pl.Int64)
    )
    told = table.select(on).with_columns(_label=values, _row=pl.int_range(1, pl.len() + 1, dtype=pl.Int64))
    joined = told.join(known, on=on, how="left", maintain_order="left")
    _check(joined, on, path)
    labels = joined.group_by("_reply").agg(pl.col("_label").mean())
    return known.join(labels, on="_reply", how="left", maintain_order="left")["_label"].rename("label")


def _check(joined: pl.DataFrame, on: list[str], path: Path) -> None:
    lost = joined.filter(pl.col("_reply").is_null())
    if lost.height:
        first = lost.row(0, named=True)
        what = ", ".join(f"{name} {first[name]!r}" for name in on)
        raise DataError(f"the run has no counted reply with {what}", file=path, row=first["_row"])
    counts = joined.group_by("_row").len().filter(pl.col("len") > 1).sort("_row")
    if counts.height:
        row, number = counts.row(0)
        rest = [name for name in NARROWING if name not in on]
        raise DataError(
            f"{number} replies of the run fit this label; say which with a column "
            f"{' or '.join(rest) or 'more'}",
            file=path,
            row=row,
        )
