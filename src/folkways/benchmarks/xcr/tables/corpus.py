"""What the base corpus consists of: its size, items per sentence, and how categories, Hall levels and elements meet.

Functions on the frame of ``folkways.benchmarks.xcr.data.corpus``; everything is counted and nothing sampled.
"""

from __future__ import annotations

import polars as pl

from folkways.benchmarks.tables import Layout, Table
from folkways.benchmarks.xcr.tables.published import published_counts, published_levels
from folkways.metrics.spans import tagged_spans
from folkways.records import Schema

CATEGORY, ELEMENT, LEVEL = "csi_category", "csi_hall_mapping", "hall_level"

LEVELS = ("Visible", "Semi-visible", "Invisible")
"""Hall's levels, from what is seen to what is not."""

SIZE: Schema = {
    "quantity": pl.String,
    "value": pl.Int64,
    "published": pl.Int64,  # null where the paper gives no number
    "deviation": pl.Int64,  # recomputed minus published
    "reproduced": pl.Boolean,
}

COUNTED = "Counts of sentences of the base corpus; nothing is sampled."
NOT_PRINTED = "The paper prints no numbers for this; its figure is a drawing."


def size_table(base: pl.DataFrame, parallel: int, cultures: int) -> Table:
    """SIZE: rows, distinct sentences and items, labels in use; ``parallel``: adapted sentences over all cultures."""
    items = pl.Series("item", [span for sentence in base["sentence"] for span in tagged_spans(sentence, across_lines=True)])
    values = {
        "sentences": base.height,
        "distinct-sentences": base["sentence"].n_unique(),
        "items": items.len(),
        "distinct-items": items.cast(pl.String).str.to_lowercase().n_unique(),
        "parallel-sentences": parallel,
        "target-cultures": cultures,
        "categories": base[CATEGORY].n_unique(),
        "levels": base[LEVEL].n_unique(),
        "elements": base[ELEMENT].n_unique(),
    }
    published = published_counts()
    rows = [(name, value, published.get(name)) for name, value in values.items()]
    frame = pl.DataFrame(rows, schema={name: SIZE[name] for name in ("quantity", "value", "published")}, orient="row")
    return Table(
        "size",
        "Size of the corpus (section 2.3, Table 8)",
        "Counts; nothing is sampled. Items are compared in lower case.",
        _with_deviation(frame),
        notes=("The abstract speaks of 4.9k parallel sentences; section 2.3 has 4,136.",),
    )


def items_per_sentence(texts: dict[str, list[str]]) -> Table:
    """How many sentences have how many tagged items; ``texts``: name of a version -> its sentences."""
    counts = pl.DataFrame(
        [(name, len(tagged_spans(text, across_lines=True))) for name, members in texts.items() for text in members],
        schema={"version": pl.String, "items": pl.Int64},
        orient="row",
    )
    rows = (
        counts.select(pl.col("version").unique(maintain_order=True))
        .join(counts.select(pl.col("items").unique().sort()), how="cross")
        .join(counts.group_by("version", "items").len("value"), on=["version", "items"], how="left", maintain_order="left")
        .with_columns(pl.col("items").cast(pl.String), pl.col("value").fill_null(0).cast(pl.Int64))
    )
    return Table(
        "items-per-sentence",
        "Culture-specific items per sentence",
        "Counts of sentences, by version; nothing is sampled.",
        rows,
        Layout("version", "items", "value", decimals=0),
        ("A version without items is one that is said to be non-transferable, or that nobody tagged (see the table of cells).",),
    )


def count_table(base: pl.DataFrame, column: str, name: str, title: str) -> Table:
    """How many sentences have each value of a label, the most frequent first."""
    rows = (
        base.group_by(pl.col(column).alias(name))
        .agg(value=pl.len().cast(pl.Int64))
        .with_columns(share=100 * pl.col("value") / base.height)
        .sort("value", name, descending=[True, False])
    )
    return Table(f"{name}s" if not name.endswith("y") else f"{name[:-1]}ies", title, COUNTED, rows, notes=(NOT_PRINTED,))


def cross_table(base: pl.DataFrame, across: str, name: str, title: str) -> Table:
    """How many sentences of each category have each level or element, zeros included (Figures 3 and 4)."""
    labels = base.select(category=CATEGORY, label=across)
    order = _most_frequent(labels["category"])
    places = list(LEVELS) if across == LEVEL else _most_frequent(labels["label"])
    places += [label for label in labels["label"].unique().sort() if label not in places]
    grid = pl.DataFrame({"category": order}).join(pl.DataFrame({"label": places}), how="cross")
    counts = labels.group_by("category", "label").len("value")
    rows = grid.join(counts, on=["category", "label"], how="left", maintain_order="left").with_columns(
        pl.col("value").fill_null(0).cast(pl.Int64)
    )
    column = "level" if across == LEVEL else "element"
    layout = Layout("category", column, "value", decimals=0, drawn="heatmap")
    if column == "element":
        layout = Layout(column, "category", "value", decimals=0, drawn="heatmap")
    return Table(name, title, COUNTED, rows.rename({"label": column}), layout, (NOT_PRINTED,))


def element_levels(base: pl.DataFrame) -> Table:
    """On which level each element stands in the data, beside Table 8; elements that only one of the two has are rows too."""
    counts = base.group_by(pl.col(ELEMENT).alias("element"), pl.col(LEVEL).alias("level")).agg(value=pl.len().cast(pl.Int64))
    published = pl.DataFrame(list(published_levels().items()), schema={"element": pl.String, "published": pl.String}, orient="row")
    rows = (
        counts.join(published, on="element", how="full", coalesce=True)
        .with_columns(pl.col("value").fill_null(0), reproduced=(pl.col("level") == pl.col("published")).fill_null(False))
        .sort(pl.col("level").replace_strict({level: place for place, level in enumerate(LEVELS)}, default=len(LEVELS)), "element")
        .select("element", "level", "published", "reproduced", "value")
    )
    differing = rows.filter(~pl.col("reproduced"))["element"].unique().sort()
    told = f"Differs from Table 8: {', '.join(differing)}." if differing.len() else "Every element stands where Table 8 has it."
    return Table(
        "element-levels",
        "Table 8: Hall level of each element",
        "Counts of sentences; nothing is sampled.",
        rows,
        notes=(told, "An element without a published level is missing in Table 8."),
    )


def _with_deviation(rows: pl.DataFrame) -> pl.DataFrame:
    return rows.with_columns(deviation=pl.col("value") - pl.col("published")).with_columns(reproduced=pl.col("deviation") == 0)


def _most_frequent(column: pl.Series) -> list[str]:
    counts = pl.DataFrame({"label": column}).group_by("label").len()
    return counts.sort("len", "label", descending=[True, False])["label"].to_list()
