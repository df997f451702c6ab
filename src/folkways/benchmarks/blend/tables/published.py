"""The figures that the paper printed, and how far what was recomputed is from them.

Source: Myung et al. (2024), arXiv:2406.09948. Tables 2, 7, 8 and 9 are of the data, 10 and 11 of short answers (in the local
language; in English), 12 of multiple choice. Only the numbers are here.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files

import polars as pl

from folkways.records import Schema, require_columns

PUBLISHED: Schema = {
    "table": pl.Int64,
    "measure": pl.String,  # "votes", "answers", "unknown"; "saq" or "mcq" for counts (Table 2) and scores (10 to 12)
    "model": pl.String,  # as the paper writes it; null in tables of the data
    "culture": pl.String,  # null for the short-answer questions of Table 2
    "language": pl.String,  # in which models were asked; null in tables of the data
    "category": pl.String,  # a topic, or "all"
    "value": pl.Float64,
}

WITHOUT_MULTIPLE_CHOICE = "Llama-3.1-70B"
"""The model that Table 12 lacks, and that the means in the paper's text leave out."""


@cache
def _published() -> pl.DataFrame:
    text = files("folkways").joinpath("data", "published", "blend.csv").read_bytes()
    return pl.read_csv(text, schema=dict(PUBLISHED))


def published(*tables: int) -> pl.DataFrame:
    """PUBLISHED of the tables with these numbers, in the paper's order; of all if none is named."""
    frame = _published()
    return frame.filter(pl.col("table").is_in(tables)) if tables else frame


def compare_with_published(rows: pl.DataFrame, table: int, decimals: int = 2) -> pl.DataFrame:
    """``rows`` (culture, category, value, perhaps ``format``) with ``published``, ``deviation`` and ``reproduced``.

    deviation: recomputed minus published; null where the paper has no such cell. reproduced: whether the two agree once rounded to
    ``decimals`` places, a tie either way.
    """
    require_columns(rows, dict.fromkeys(("culture", "category", "value"), pl.String), "recomputed rows")
    keys = ["culture", "category"] + (["format"] if "format" in rows.columns else [])
    cells = published(table).select(
        pl.col("culture").fill_null(""), "category", pl.col("measure").alias("format"), pl.col("value").alias("published")
    )
    tolerance = 0.5 * 10.0**-decimals + 1e-9
    return (
        rows.join(cells.select(*keys, "published"), on=keys, how="left", maintain_order="left")
        .with_columns(deviation=pl.col("value") - pl.col("published"))
        .with_columns(reproduced=pl.col("deviation").abs() <= tolerance)
    )
