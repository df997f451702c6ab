"""What the gold of the adaptations has: how many tagged items each version of a sentence has, culture by culture."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from folkways.benchmarks.xcr import data as xcr
from folkways.metrics.spans import tagged_spans
from folkways.releases.base import Release


def gold_items(release: Release, side: str, cultures: Sequence[str] = tuple(xcr.ADAPTATION_FILES)) -> pl.DataFrame:
    """question, culture and ``items``: the number of tagged items of each gold version, of the cultures that the release has.

    side: ``intra`` (within English) or ``inter`` (into the language).
    """
    parts = [
        xcr.adaptations(release, culture).select(
            pl.col("id").alias("question"),
            pl.lit(culture).alias("culture"),
            pl.col(side).map_elements(_count, return_dtype=pl.Int64).alias("items"),
        )
        for culture in cultures
        if release.has(xcr.ADAPTATION_FILES[culture])
    ]
    schema = {"question": pl.String, "culture": pl.String, "items": pl.Int64}
    return pl.concat([pl.DataFrame(schema=schema), *parts])


def _count(text: str) -> int:
    return len(tagged_spans(text, across_lines=False))
