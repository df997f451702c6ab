"""Scores by category, Hall level and element, and as maps of groups by models (Figures 2, 5 and 6, Table
9)."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from folkways.benchmarks.results import Inputs
from folkways.benchmarks.summary import summarise_means
from folkways.benchmarks.tables import Layout, NotAvailableError, Table
from folkways.benchmarks.xcr.results.corpus import LEVELS
from folkways.benchmarks.xcr.results.measures import ADAPTATION, by_items, measures, task_by_task
from folkways.cultures import cultures

FACETS = {"category": "category", "hall_level": "level", "element": "element"}
"""Column of the judgements -> what the tables call it."""

TABLES = {
    "category": ("csi-categories", "Scores by category (Figure 2)"),
    "hall_level": ("hall-levels", "Scores by Hall level (Figures 5 and 6)"),
    "element": ("hall-elements", "Scores by element (Table 9)"),
}
"""Column of the judgements -> name and title of its table."""

WHOLE = "all"
"""The group of all."""

FEW = 20
"""Below so many sentences a group's score is a rough guess, whatever its interval says; notes name such
groups."""

UNIT = (
    "The unit is the sentence: intervals are for drawing other sentences. n counts judged rows "
    "(strict prediction: gold items), "
    "sentences the sentences that they are of."
)


def group_tables(inputs: Inputs, facet: str) -> Sequence[Table]:
    """Scores of all judged tasks by one of FACETS."""
    rows = pl.concat(task_by_task(inputs, lambda task: _scores(inputs, task, facet)))
    column = FACETS[facet]
    if rows[column].n_unique() < 3:  # one group beside the whole
        raise NotAvailableError(f"the judged sentences are of a single {column}; judge more of them")
    layout = Layout(column, "endpoint", "score", decimals=1, by="measure", drawn="heatmap")
    return [Table(*TABLES[facet], UNIT, in_order(rows, column, "sentences"), layout, _notes(rows, column))]


def in_order(rows: pl.DataFrame, column: str, size: str) -> pl.DataFrame:
    """The rows with their groups in one order everywhere: levels as Hall has them, others by ``size``, the
    whole at the end."""
    if column == "level":
        groups = list(LEVELS)
    else:
        sizes = rows.group_by(column).agg(pl.col(size).max()).sort(size, column, descending=[True, False])
        groups = [group for group in sizes[column] if group != WHOLE]
    places = {group: place for place, group in enumerate([*groups, WHOLE])}
    order = rows.select(pl.col("measure").unique(maintain_order=True)).with_row_index("__measure")
    return (
        rows.join(order, on="measure", how="left", maintain_order="left")
        .sort("__measure", pl.col(column).replace_strict(places, default=len(places)), maintain_order=True)
        .drop("__measure")
    )


def _scores(inputs: Inputs, task: str, facet: str) -> pl.DataFrame:
    judged = inputs.of(task)
    looked_at = measures(inputs, task, judged)
    needed = [
        "endpoint",
        "culture",
        "question",
        "counted",
        "state",
        facet,
        *(measure.name for measure in looked_at),
    ]
    rows = by_items(judged, task).select(needed).drop_nulls(facet)
    if rows.is_empty():
        raise NotAvailableError(f"no judged sentence of {task} has a {FACETS[facet]}")
    found = []
    for (endpoint, culture), part in rows.group_by(["endpoint", "culture"], maintain_order=True):
        scores = summarise_means(
            part, task, [measure.metric for measure in looked_at], (), groupings=((), (facet,))
        )
        found.append(scores.with_columns(endpoint=pl.lit(endpoint), culture=pl.lit(culture)))
    labels = {measure.name: measure.label for measure in looked_at}
    place = pl.col("culture").replace_strict(
        {code: f", {culture.name}" for code, culture in cultures().items()}, default=""
    )
    return pl.concat(found).select(
        "endpoint",
        "task",
        "culture",
        "metric",
        (pl.col("metric").replace_strict(labels) + (place if task == ADAPTATION else pl.lit(""))).alias(
            "measure"
        ),
        pl.col("value").alias(FACETS[facet]),
        "score",
        "low",
        "high",
        "n",
        pl.col("questions").alias("sentences"),
    )


def sizes_told(rows: pl.DataFrame, column: str, size: str) -> str:
    """A note on how many sentences the groups' scores are of: maps show no n, and every row of the table has
    its own."""
    sizes = (
        rows.filter(pl.col(column) != WHOLE)
        .group_by(column)
        .agg(pl.col(size).min().alias("least"), pl.col(size).max())
    )
    told = (
        f"{group} {least}" + (f" to {most}" if most > least else "")
        for group, least, most in sizes.sort(size, column, descending=[True, False])
        .select(column, "least", size)
        .iter_rows()
    )
    return f"Sentences: {', '.join(told)}."


def _notes(rows: pl.DataFrame, column: str) -> tuple[str, ...]:
    small = rows.filter((pl.col("sentences") < FEW) & (pl.col(column) != WHOLE))[column].unique().sort()
    few = (f"A rough guess, of fewer than {FEW} sentences: {', '.join(small)}.",) if small.len() else ()
    return (f"{WHOLE}: every group together. {sizes_told(rows, column, 'sentences')}", *few)
