"""The corpus of XCR-Bench in tables, and the analyses of its paper."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import polars as pl

from folkways.benchmarks.results import DataNeed, Result
from folkways.benchmarks.tables import Table
from folkways.benchmarks.xcr import release as xcr
from folkways.benchmarks.xcr.results.adaptation_scores import gain_tables, strategy_tables
from folkways.benchmarks.xcr.results.corpus import (
    CATEGORY,
    ELEMENT,
    LEVEL,
    bengali_table,
    cell_table,
    count_table,
    cross_table,
    element_levels,
    items_per_sentence,
    join_table,
    other_typologies,
    size_table,
)
from folkways.benchmarks.xcr.results.markers import LIST, marker_tables
from folkways.benchmarks.xcr.results.measures import ADAPTATION, TASKS
from folkways.benchmarks.xcr.results.regions import bias_tables, control_tables
from folkways.benchmarks.xcr.results.scores import example_tables, group_tables, reasoning_tables
from folkways.releases.release_records import Release

CORPUS = DataNeed("release", "The corpus.", ("xcr",))


def _of_release(
    name: str, title: str, make: Callable[[Release], Table], source: str = "", *alias: str
) -> Result:
    """A table of the whole release."""
    aliases = dict.fromkeys(alias, name)
    return Result(
        name,
        title,
        lambda inputs: [make(inputs.data_of(CORPUS)[0])],
        source,
        needs=(CORPUS,),
        aliases=aliases,
    )


def _of_corpus(
    name: str, title: str, make: Callable[[pl.DataFrame], Table], source: str = "", *alias: str
) -> Result:
    """A table of the base corpus alone."""
    return _of_release(name, title, lambda release: make(xcr.corpus(release)), source, *alias)


RESULTS = (
    _of_release("size", "Size of the corpus", size_table, "section 2.3, Table 8"),
    _of_release("items-per-sentence", "Culture-specific items per sentence", items_per_sentence),
    _of_corpus("categories", "Sentences by category", partial(count_table, column=CATEGORY, name="category")),
    _of_corpus("levels", "Sentences by Hall level", partial(count_table, column=LEVEL, name="level")),
    _of_corpus("elements", "Sentences by element", partial(count_table, column=ELEMENT, name="element")),
    _of_corpus(
        "category-levels",
        "Categories and Hall levels",
        partial(cross_table, across=LEVEL),
        "Figure 3",
        "figure-3",
    ),
    _of_corpus(
        "category-elements",
        "Categories and elements",
        partial(cross_table, across=ELEMENT),
        "Figure 4",
        "figure-4",
    ),
    _of_corpus("element-levels", "Hall level of each element", element_levels, "Table 8", "8"),
    _of_corpus("typologies", "Categories of other typologies", other_typologies, "Table 5", "5"),
    _of_release("joins", "Adaptations joined to the base corpus", join_table),
    _of_release("cells", "Odd cells of the adaptations", cell_table),
    replace(_of_release("bengali", "Both Bengali versions of each sentence", bengali_table), if_named=True),
    Result(
        "csi-categories",
        "Scores by category",
        partial(group_tables, facet="category"),
        "Figure 2",
        "In which categories of culture-specific items do models do well, and in which badly?",
        TASKS,
    ),
    Result(
        "hall-levels",
        "Scores by Hall level",
        partial(group_tables, facet="hall_level"),
        "Figures 5 and 6",
        "Do models do worse the less visible a cultural level is?",
        TASKS,
    ),
    Result(
        "hall-elements",
        "Scores by element",
        partial(group_tables, facet="element"),
        "Table 9",
        "In which of Hall's cultural elements do models do well, and in which badly?",
        TASKS,
    ),
    Result(
        "gains",
        "Into the language against within English",
        gain_tables,
        "section 4.2",
        "How much better are adaptations into the language of a culture than within English?",
        (ADAPTATION,),
    ),
    Result(
        "strategies",
        "Adaptation strategies",
        strategy_tables,
        "Table 10",
        "Which strategies do models name, and how well do adaptations go that they name them for?",
        (ADAPTATION,),
    ),
    Result(
        "regional-bias",
        "West Bengal against Bangladesh",
        bias_tables,
        "Table 4",
        "Do models adapt to one of the two Bengali cultures better than to the other?",
        (ADAPTATION,),
    ),
    Result(
        "regional-control",
        "What the gap between the Bengali cultures is made of",
        control_tables,
        "",
        "How much of the gap comes from sentences that one culture's gold has no items for?",
        (ADAPTATION,),
    ),
    Result(
        "markers",
        "Words that mark a side",
        marker_tables,
        "section 4.2",
        "Do models take the words of one side of a language's speakers more often than people do?",
        (ADAPTATION,),
        needs=(LIST,),
        tables=("markers", "marker-sides"),
        if_named=True,
    ),
    Result(
        "reasoning",
        "More against less reasoning",
        reasoning_tables,
        "section 4.1",
        "What does reasoning change, in one model that was asked with and without it?",
        TASKS,
    ),
    Result(
        "prompt-examples",
        "With and without the sentences that prompts show",
        example_tables,
        "",
        "How much of a score comes from sentences that the authors' prompts show, solved, as examples?",
        TASKS,
    ),
)
