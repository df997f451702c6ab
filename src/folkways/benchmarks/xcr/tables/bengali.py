"""The merged Bengali file, which the authors' scripts read and their release lacks: both Bengali versions of each sentence."""

from __future__ import annotations

import polars as pl

from folkways.benchmarks.xcr import data as xcr
from folkways.releases.base import Release

COLUMNS = (
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
"""The columns by the names that those scripts look for (Hindu: West Bengal, Muslim: Bangladesh), and our id."""


def merged_bengali(release: Release) -> pl.DataFrame:
    """COLUMNS, in the order of the Bangladesh file, with its sentences.

    Versions that the release has in each other's column stand in the right one. FolkwaysError if one of the two files is missing.
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
    order = ("Sentence", "intra_west", "inter_west", "intra", "inter", "csi_category", "csi_hall_mapping", "hall_level", "id")
    return merged.select(pl.col(ours).alias(theirs) for ours, theirs in zip(order, COLUMNS, strict=True))
