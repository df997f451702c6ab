"""Which letters a model prefers: how often each one was named, and how often it was right."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from folkways.benchmarks.summary import summarise_means
from folkways.records import CUT, Metric

LETTER_CHOSEN = Metric("letter_chosen", "Letter chosen", "Share of readable replies that name the letter.")
LETTER_RIGHT = Metric("letter_right", "Letter right", "Share of the same items whose right letter it is.")
LETTER_BIAS = Metric(
    "letter_bias",
    "Letter bias",
    "How much oftener the letter was named than it is right, in points.",
    "mean",
    bounds=(-1.0, 1.0),
)
LETTER_METRICS = (LETTER_CHOSEN, LETTER_RIGHT, LETTER_BIAS)


def letter_scores(judgements: pl.DataFrame, task: str) -> Iterator[pl.DataFrame]:
    """Scores of LETTER_METRICS by ``letter``, from the counted judgements with ``chosen_letter`` and
    ``gold_letter``.

    Yields nothing if nobody names letters (people). These scores do not say what was right: their at-best
    value is the score itself.
    """
    if "chosen_letter" not in judgements.columns:
        return
    # Categories instead of texts: a benchmark may have 300,000 items.
    texts = pl.col("question", "state", "chosen_letter", "gold_letter").cast(pl.Categorical)
    read = judgements.filter(pl.col("counted") & pl.col("chosen_letter").is_not_null()).select(
        "counted", f"^{CUT}$", texts
    )
    for letter in sorted({*read["chosen_letter"], *read["gold_letter"]}):
        chosen, right = (
            (pl.col(name) == letter).cast(pl.Float64) for name in ("chosen_letter", "gold_letter")
        )
        with_shares = read.with_columns(letter_chosen=chosen, letter_right=right, letter_bias=chosen - right)
        scores = summarise_means(with_shares, task, LETTER_METRICS, (), [()])
        yield scores.with_columns(facet=pl.lit("letter"), value=pl.lit(letter), at_best="score")
