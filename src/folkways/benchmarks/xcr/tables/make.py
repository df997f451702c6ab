"""Makes the corpus tables by name."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from folkways.benchmarks.tables import Table
from folkways.benchmarks.xcr import data as xcr
from folkways.benchmarks.xcr.tables.adaptations import cell_table, cultures_of, join_table
from folkways.benchmarks.xcr.tables.corpus import (
    CATEGORY,
    ELEMENT,
    LEVEL,
    count_table,
    cross_table,
    element_levels,
    items_per_sentence,
    size_table,
)
from folkways.errors import UnknownNameError
from folkways.releases.base import Release


def make_table(name: str, release: Release) -> Table:
    """The table of that name (a key of MAKERS, or a figure or table of the paper: ``figure-3``, ``8``).

    UnknownNameError for a name that is not known, DataError where the release cannot be read.
    """
    known = NUMBERS.get(name, name)
    if known not in MAKERS:
        raise UnknownNameError("table of xcr", name, {*MAKERS, *NUMBERS})
    return MAKERS[known](release)


def _size(release: Release) -> Table:
    cultures = cultures_of(release)
    parallel = sum(xcr.adaptations(release, culture).height for culture in cultures)
    return size_table(xcr.corpus(release), parallel, len(cultures))


def _items(release: Release) -> Table:
    texts = {"base": xcr.corpus(release)["sentence"].to_list()}
    for culture in cultures_of(release):
        joined = xcr.adaptations(release, culture)
        texts |= {f"{culture}, {side}": joined[side].to_list() for side in ("intra", "inter")}
    return items_per_sentence(texts)


def _labels(column: str, name: str, title: str, release: Release) -> Table:
    return count_table(xcr.corpus(release), column, name, title)


def _cross(column: str, name: str, title: str, release: Release) -> Table:
    return cross_table(xcr.corpus(release), column, name, title)


MAKERS: dict[str, Callable[[Release], Table]] = {
    "size": _size,
    "items-per-sentence": _items,
    "categories": partial(_labels, CATEGORY, "category", "Sentences by category"),
    "levels": partial(_labels, LEVEL, "level", "Sentences by Hall level"),
    "elements": partial(_labels, ELEMENT, "element", "Sentences by element"),
    "category-levels": partial(_cross, LEVEL, "category-levels", "Figure 3: categories and Hall levels"),
    "category-elements": partial(_cross, ELEMENT, "category-elements", "Figure 4: categories and elements"),
    "element-levels": lambda release: element_levels(xcr.corpus(release)),
    "joins": join_table,
    "cells": lambda release: cell_table(release, xcr.check(release)),
}
"""Name -> what makes the table, in the order in which they are shown."""

NUMBERS = {"figure-3": "category-levels", "figure-4": "category-elements", "8": "element-levels"}
"""Figure or table of the paper -> its name."""
