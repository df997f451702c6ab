"""The corpus in tables: its size, items per sentence, categories, Hall levels and elements, and how the
adaptation files join and look.

Everything is counted and nothing sampled.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import polars as pl

from folkways.benchmarks.published import beside_published
from folkways.benchmarks.tables import Layout, Table, in_order
from folkways.benchmarks.xcr import release as xcr
from folkways.benchmarks.xcr.labels import LEVELS, OF_OTHERS
from folkways.benchmarks.xcr.published import PUBLISHED
from folkways.benchmarks.xcr.release import JOIN_STEPS, SIDES
from folkways.metrics.spans import tagged_spans
from folkways.records import Schema, of_rows
from folkways.releases.release_records import Release

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
"""The columns by the names that the authors' scripts look for (Hindu: West Bengal, Muslim: Bangladesh), and
our id."""


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
        of_rows(rows, {"culture": pl.String, "step": pl.String, "value": pl.Int64}),
        Layout("step", "culture", "value", decimals=0),
    )


def cell_table(release: Release) -> Table:
    """How many cells of each adaptation file are odd, by kind and column, as ``release.check`` finds them."""
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
        of_rows(rows, schema),
        Layout("cell", "culture", "value", decimals=0),
        (
            "folkways data check names file and row of each. A swapped pair is counted once, at its "
            "English side.",
        ),
    )


def bengali_table(release: Release) -> Table:
    """MERGED, in the order of the Bangladesh file, with its sentences: the table that the authors' scripts
    read and their release lacks.

    Versions in each other's column are swapped back. Raises FolkwaysError if one of the two files is missing.
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
    """question, culture and ``items``: the number of tagged items of each gold version, of the cultures in
    the release.

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


CATEGORY, ELEMENT, LEVEL = "csi_category", "csi_hall_mapping", "hall_level"

SIZE: Schema = {
    "quantity": pl.String,
    "value": pl.Int64,
    "published": pl.Int64,  # null where the paper gives no number
    "deviation": pl.Int64,  # recomputed minus published
    "reproduced": pl.Boolean,
}

COUNTED = "Counts of sentences of the base corpus; nothing is sampled."
NOT_PRINTED = "The paper prints no numbers for this; its figure is a drawing."


def size_table(release: Release) -> Table:
    """SIZE: rows, distinct sentences and items, labels in use, and adapted sentences over all cultures."""
    base, cultures = xcr.corpus(release), cultures_of(release)
    items = pl.Series(
        "item", [span for sentence in base["sentence"] for span in tagged_spans(sentence, across_lines=True)]
    )
    values = {
        "sentences": base.height,
        "distinct-sentences": base["sentence"].n_unique(),
        "items": items.len(),
        "distinct-items": items.cast(pl.String).str.to_lowercase().n_unique(),
        "parallel-sentences": sum(xcr.adaptations(release, culture).height for culture in cultures),
        "target-cultures": len(cultures),
        "categories": base[CATEGORY].n_unique(),
        "levels": base[LEVEL].n_unique(),
        "elements": base[ELEMENT].n_unique(),
    }
    rows = pl.DataFrame({"quantity": list(values), "value": list(values.values())})
    cells = pl.concat(PUBLISHED.cells(table, "all") for table in ("section 2.3", "Table 8")).rename(
        {"metric": "quantity"}
    )
    return Table(
        "size",
        "Size of the corpus (section 2.3, Table 8)",
        "Counts; nothing is sampled. Items are compared in lower case.",
        beside_published(rows, cells, ["quantity"], decimals=0).cast(pl.Schema(SIZE)),
        notes=("The abstract speaks of 4.9k parallel sentences; section 2.3 has 4,136.",),
    )


def items_per_sentence(release: Release) -> Table:
    """How many sentences have how many tagged items, in each version."""
    texts = {"base": xcr.corpus(release)["sentence"].to_list()}
    for culture in cultures_of(release):
        joined = xcr.adaptations(release, culture)
        texts |= {f"{culture}, {side}": joined[side].to_list() for side in ("intra", "inter")}
    counts = of_rows(
        (
            (name, len(tagged_spans(text, across_lines=True)))
            for name, members in texts.items()
            for text in members
        ),
        {"version": pl.String, "items": pl.Int64},
    )
    rows = (
        counts.select(pl.col("version").unique(maintain_order=True))
        .join(counts.select(pl.col("items").unique().sort()), how="cross")
        .join(
            counts.group_by("version", "items").len("value"),
            on=["version", "items"],
            how="left",
            maintain_order="left",
        )
        .with_columns(pl.col("items").cast(pl.String), pl.col("value").fill_null(0).cast(pl.Int64))
    )
    return Table(
        "items-per-sentence",
        "Culture-specific items per sentence",
        "Counts of sentences, by version; nothing is sampled.",
        rows,
        Layout("version", "items", "value", decimals=0),
        (
            "A version without items is one that is said to be non-transferable, or that nobody tagged "
            "(see the table of cells).",
        ),
    )


def count_table(base: pl.DataFrame, column: str, name: str) -> Table:
    """How many sentences have each value of a label, the most frequent first."""
    rows = (
        base.group_by(pl.col(column).alias(name))
        .agg(value=pl.len().cast(pl.Int64))
        .with_columns(share=100 * pl.col("value") / base.height)
        .sort("value", name, descending=[True, False])
    )
    plural = "categories" if name == "category" else f"{name}s"
    return Table(
        plural,
        f"Sentences by {'Hall level' if name == 'level' else name}",
        COUNTED,
        rows,
        notes=(NOT_PRINTED,),
    )


def cross_table(base: pl.DataFrame, across: str) -> Table:
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
    if across == LEVEL:
        column, title = "level", "Figure 3: categories and Hall levels"
        layout = Layout("category", column, "value", decimals=0, drawn="bars", measure="Sentences")
    else:
        column, title = "element", "Figure 4: categories and elements"
        layout = Layout(column, "category", "value", decimals=0, drawn="heatmap", measure="Sentences")
    return Table(
        f"category-{column}s", title, COUNTED, rows.rename({"label": column}), layout, (NOT_PRINTED,)
    )


def other_typologies(base: pl.DataFrame) -> Table:
    """How many sentences each category has, with its categories by Newmark and Liu et al. (Table 5); null
    for a category that Table 5 lacks."""
    counts = base.group_by(category=pl.col(CATEGORY)).agg(value=pl.len().cast(pl.Int64))
    of_others = of_rows(
        ((category, *others) for category, others in OF_OTHERS.items()),
        dict.fromkeys(("category", "newmark", "liu"), pl.String),
    )
    return Table(
        "typologies",
        "Table 5: categories of Newmark, Liu et al. and XCR-Bench",
        COUNTED,
        of_others.join(counts, on="category", how="full", coalesce=True, maintain_order="left_right")
        .with_columns(pl.col("value").fill_null(0))
        .select("newmark", "liu", "category", "value"),
    )


def element_levels(base: pl.DataFrame) -> Table:
    """The level of each element in the data and in Table 8, including elements that only one of them has."""
    counts = base.group_by(pl.col(ELEMENT).alias("element"), pl.col(LEVEL).alias("level")).agg(
        value=pl.len().cast(pl.Int64)
    )
    printed = PUBLISHED.cells("Table 8", "element", "level").drop_nulls("level")
    published = printed.select("element", published="level")
    rows = (
        counts.join(published, on="element", how="full", coalesce=True)
        .with_columns(
            pl.col("value").fill_null(0), reproduced=(pl.col("level") == pl.col("published")).fill_null(False)
        )
        .sort(in_order("level", LEVELS), "element")
        .select("element", "level", "published", "reproduced", "value")
    )
    differing = rows.filter(~pl.col("reproduced"))["element"].unique().sort()
    note = (
        f"Differs from Table 8: {', '.join(differing)}."
        if differing.len()
        else "Every element stands where Table 8 has it."
    )
    return Table(
        "element-levels",
        "Table 8: Hall level of each element",
        "Counts of sentences; nothing is sampled.",
        rows,
        notes=(note, "An element without a published level is missing in Table 8."),
    )


def _most_frequent(column: pl.Series) -> list[str]:
    counts = pl.DataFrame({"label": column}).group_by("label").len()
    return counts.sort("len", "label", descending=[True, False])["label"].to_list()
