"""The adaptation files: how their rows were joined to the base corpus, and which cells are odd, culture by culture."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import polars as pl

from folkways.benchmarks.tables import Layout, Table
from folkways.benchmarks.xcr import data as xcr
from folkways.benchmarks.xcr.data.check import SIDES
from folkways.benchmarks.xcr.data.reading import JOIN_STEPS
from folkways.records import DataIssue
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
        "Counts of rows of the adaptation files; nothing is sampled. Each step takes what the ones before it left over.",
        pl.DataFrame(rows, schema={"culture": pl.String, "step": pl.String, "value": pl.Int64}, orient="row"),
        Layout("step", "culture", "value", decimals=0),
    )


def cell_table(release: Release, found: Sequence[DataIssue]) -> Table:
    """How many cells of each adaptation file are odd, by kind and column; ``found``: what ``data.check`` says."""
    counts = Counter((issue.file, issue.kind, issue.key) for issue in found)
    rows = [
        (culture, kind, side, f"{kind}, {side}", counts[xcr.ADAPTATION_FILES[culture], kind, column])
        for kind in CELL_KINDS
        for side, column in SIDES.items()
        for culture in cultures_of(release)
    ]
    schema = {"culture": pl.String, "kind": pl.String, "version": pl.String, "cell": pl.String, "value": pl.Int64}
    return Table(
        "cells",
        "Odd cells of the adaptations",
        "Counts of cells; nothing is sampled. intra: within English, inter: into the language. A cell may be odd in several ways.",
        pl.DataFrame(rows, schema=schema, orient="row"),
        Layout("cell", "culture", "value", decimals=0),
        ("folkways data check names file and row of each. A swapped pair is counted once, at its English side.",),
    )
