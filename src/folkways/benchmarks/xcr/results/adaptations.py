"""The adaptation files: how their rows were joined to the base corpus, which cells are odd, and what their
gold has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import polars as pl

from folkways.benchmarks.tables import Layout, Table
from folkways.benchmarks.xcr import data as xcr
from folkways.benchmarks.xcr.data.check import SIDES
from folkways.benchmarks.xcr.data.reading import JOIN_STEPS
from folkways.metrics.spans import tagged_spans
from folkways.releases.base import Release

CELL_KINDS = (
    "non-transferable",
    "untagged",
    "unequal-csi-count",
    "unbalanced-tags",
    "cut-off",
    "latex",
    "not-nfc",
    "swapped-columns",
)
"""Kinds of data issues of single cells, in the order in which they are shown."""


MERGED = (
    "Sentence",
    "Intra-lingual (Hindu)",
    "Inter-lingual (Hindu)",
    "Intra-lingual (Muslim)",
    "Inter-lingual (Muslim)",
    "CSI Category",
    "CSI Sub-Category",
    "Hall's Level",
    "id",
)
"""The columns by the names that those scripts look for (Hindu: West Bengal, Muslim: Bangladesh), and our
id."""


def cultures_of(release: Release) -> list[str]:
    """The cultures whose adaptation file the release has."""
    return [culture for culture, file in xcr.ADAPTATION_FILES.items() if release.has(file)]


def join_table(release: Release) -> Table:
    """How many rows of each adaptation file each step joined, and how many are left over."""
    rows = []
    for culture in cultures_of(release):
        steps = Counter(xcr.adaptations(release, culture)["joined_by"])
        rows += [(culture, step, steps[step]) for step in JOIN_STEPS]
        rows.append((culture, "left over", xcr.read_adaptation(release, culture).height - steps.total()))
    return Table(
        "joins",
        "Adaptations joined to the base corpus, by the step that joined them",
        "Counts of rows of the adaptation files; nothing is sampled. Each step takes what the ones "
        "before it left over.",
        pl.DataFrame(rows, schema={"culture": pl.String, "step": pl.String, "value": pl.Int64}, orient="row"),
        Layout("step", "culture", "value", decimals=0),
    )


def cell_table(release: Release) -> Table:
    """How many cells of each adaptation file are odd, by kind and column, as ``data.check`` says."""
    counts = Counter((issue.file, issue.kind, issue.key) for issue in xcr.check(release))
    rows = [
        (culture, kind, side, f"{kind}, {side}", counts[xcr.ADAPTATION_FILES[culture], kind, column])
        for kind in CELL_KINDS
        for side, column in SIDES.items()
        for culture in cultures_of(release)
    ]
    schema = {
        "culture": pl.String,
        "kind": pl.String,
        "version": pl.String,
        "cell": pl.String,
        "value": pl.Int64,
    }
    return Table(
        "cells",
        "Odd cells of the adaptations",
        "Counts of cells; nothing is sampled. intra: within English, inter: into the language. A cell "
        "may be odd in several ways.",
        pl.DataFrame(rows, schema=schema, orient="row"),
        Layout("cell", "culture", "value", decimals=0),
        (
            "folkways data check names file and row of each. A swapped pair is counted once, at its "
            "English side.",
        ),
    )


def bengali_table(release: Release) -> Table:
    """MERGED, in the order of the Bangladesh file, with its sentences: the authors' scripts read it, and
    their release lacks it.

    Versions that the release has in each other's column stand in the right one. FolkwaysError if one of the
    two files is missing.
    """
    west = xcr.adaptations(release, "IN-WB").select("id", "intra", "inter")
    labels = xcr.corpus(release).select("id", "csi_category", "csi_hall_mapping", "hall_level")
    sentences = xcr.read_adaptation(release, "BD").select("row", Sentence="sentence")
    merged = (
        xcr.adaptations(release, "BD")
        .sort("row")
        .join(sentences, on="row", how="left", maintain_order="left")
        .join(west, on="id", how="inner", maintain_order="left", suffix="_west")
        .join(labels, on="id", how="left", maintain_order="left")
    )
    order = (
        "Sentence",
        "intra_west",
        "inter_west",
        "intra",
        "inter",
        "csi_category",
        "csi_hall_mapping",
        "hall_level",
        "id",
    )
    return Table(
        "bengali",
        "Both Bengali versions of each sentence, under the names of the authors' scripts",
        "Texts of the release; nothing is counted.",
        merged.select(pl.col(ours).alias(theirs) for ours, theirs in zip(order, MERGED, strict=True)),
    )


def gold_items(
    release: Release, side: str, cultures: Sequence[str] = tuple(xcr.ADAPTATION_FILES)
) -> pl.DataFrame:
    """question, culture and ``items``: the number of tagged items of each gold version, of the cultures that
    the release has.

    side: ``intra`` (within English) or ``inter`` (into the language).
    """
    parts = [
        xcr.adaptations(release, culture).select(
            pl.col("id").alias("question"),
            pl.lit(culture).alias("culture"),
            pl.col(side)
            .map_elements(lambda text: len(tagged_spans(text, across_lines=False)), return_dtype=pl.Int64)
            .alias("items"),
        )
        for culture in cultures
        if release.has(xcr.ADAPTATION_FILES[culture])
    ]
    schema = {"question": pl.String, "culture": pl.String, "items": pl.Int64}
    return pl.concat([pl.DataFrame(schema=schema), *parts])
