"""The corpus tables: the counts that are known of the released files, and by hand on a small corpus of our
own."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from folkways.benchmarks.results import Inputs, make_tables
from folkways.benchmarks.tables import Table
from folkways.benchmarks.xcr import release as xcr
from folkways.benchmarks.xcr.labels import OF_OTHERS
from folkways.benchmarks.xcr.results import RESULTS
from folkways.benchmarks.xcr.results.corpus import CATEGORY, count_table, other_typologies
from folkways.errors import FolkwaysError, UnknownNameError
from folkways.releases.release_records import Release
from tests.support.xcr_data import ARAB, write_csv


def test_values_are_counted_the_most_frequent_first_and_those_as_frequent_by_name() -> None:
    base = pl.DataFrame({"label": ["b", "c", "a", "c", "d", "c", "d", "b"]})
    counts = count_table(base, "label", "type").rows
    assert counts["type"].to_list() == ["c", "b", "d", "a"]
    assert counts["value"].to_list() == [3, 2, 2, 1] and counts["share"].to_list() == [37.5, 25.0, 25.0, 12.5]


NAMES = [result.name for result in RESULTS if not result.tasks and not result.if_named]


def make_table(name: str, release: Release) -> Table:
    ((table,), left_out) = make_tables(RESULTS, [name], Inputs(data={"release": (release,)}))
    assert not left_out
    return table


def cells(name: str, release: Release, *keys: str) -> dict[Any, int]:
    """Value by key, or by keys as a tuple."""
    rows = make_table(name, release).rows.select(*keys, "value").iter_rows()
    return {found[0] if len(keys) == 1 else found[:-1]: found[-1] for found in rows}


@pytest.mark.shared
def test_the_size_that_the_paper_gives(released_corpus: Release) -> None:
    rows = {row["quantity"]: row for row in make_table("size", released_corpus).rows.iter_rows(named=True)}
    assert {name: row["value"] for name, row in rows.items()} == {
        "sentences": 1034,
        "distinct-sentences": 1032,
        "items": 1201,
        "distinct-items": 1098,
        "parallel-sentences": 4136,
        "target-cultures": 4,
        "categories": 7,
        "levels": 3,
        "elements": 25,
    }
    assert rows["elements"]["deviation"] == 1, "Table 8 lacks Orientations"
    assert not rows["elements"]["reproduced"]
    assert all(
        rows[name]["reproduced"]
        for name in ("distinct-items", "parallel-sentences", "target-cultures", "categories", "levels")
    )
    assert rows["items"]["published"] is None


@pytest.mark.shared
def test_items_per_sentence_of_the_real_corpus(released_corpus: Release) -> None:
    counts = cells("items-per-sentence", released_corpus, "version", "items")
    assert {items: value for (version, items), value in counts.items() if version == "base"} == {
        "0": 1,
        "1": 870,
        "2": 159,
        "3": 3,
        "4": 1,
    }
    for culture in xcr.ADAPTATION_FILES:
        for side in ("intra", "inter"):
            assert (
                sum(value for (version, _), value in counts.items() if version == f"{culture}, {side}")
                == 1034
            )


@pytest.mark.shared
def test_labels_of_the_real_corpus(released_corpus: Release) -> None:
    assert cells("levels", released_corpus, "level") == {
        "Semi-visible": 506,
        "Invisible": 359,
        "Visible": 169,
    }
    assert cells("categories", released_corpus, "category")["Cultural Value"] == 26
    elements = cells("elements", released_corpus, "element")
    assert len(elements) == 25
    figure_3, figure_4 = (
        make_table("figure-3", released_corpus).rows,
        make_table("figure-4", released_corpus).rows,
    )
    assert (figure_3.height, figure_4.height) == (7 * 3, 7 * 25)
    for rows, column, whole in (
        (figure_3, "level", cells("levels", released_corpus, "level")),
        (figure_4, "element", elements),
    ):
        assert dict(rows.group_by(column).agg(pl.col("value").sum()).iter_rows()) == whole


@pytest.mark.shared
def test_elements_that_table_8_has_otherwise(released_corpus: Release) -> None:
    table = make_table("8", released_corpus)
    differing = {
        (row["element"], row["level"], row["published"])
        for row in table.rows.filter(~pl.col("reproduced")).to_dicts()
    }
    assert differing == {
        ("Orientations", "Invisible", None),
        ("Visible Behaviour", "Visible", "Semi-visible"),
        ("Environment", "Visible", "Invisible"),
    }
    assert "Orientations" in table.notes[0]


@pytest.mark.shared
def test_joins_and_cells_are_those_of_the_reference(released_corpus: Release) -> None:
    joins = cells("joins", released_corpus, "culture", "step")
    assert joins["IN-WB", "exact"] == 883
    assert all(joins[culture, "left over"] == 0 for culture in xcr.ADAPTATION_FILES)
    found = cells("cells", released_corpus, "culture", "kind", "version")
    assert (found["CN", "unequal-csi-count", "intra"], found["CN", "unequal-csi-count", "inter"]) == (46, 61)
    assert found["BD", "swapped-columns", "intra"] == 2


@pytest.mark.shared
def test_merged_bengali_is_what_the_parity_set_makes(released_corpus: Release, xcr_systems: Path) -> None:
    with (xcr_systems / "gt" / "bengali.csv").open(encoding="utf-8", newline="") as file:
        reference = pl.DataFrame(list(csv.DictReader(file)))
    merged = make_table("bengali", released_corpus).rows
    swapped = [157, 744]
    same = [place for place in range(1034) if place not in swapped]
    assert merged.drop("id")[same].equals(reference[same])
    intra, inter = "Intra-lingual (Muslim)", "Inter-lingual (Muslim)"
    assert merged[swapped][intra].to_list() == reference[swapped][inter].to_list()
    assert merged["id"].n_unique() == 1034


def test_a_small_corpus_counted_by_hand(small_corpus: Release) -> None:
    assert cells("size", small_corpus, "quantity") == {
        "sentences": 5,
        "distinct-sentences": 4,
        "items": 5,
        "distinct-items": 4,
        "parallel-sentences": 10,
        "target-cultures": 2,
        "categories": 3,
        "levels": 3,
        "elements": 3,
    }
    counts = cells("items-per-sentence", small_corpus, "version", "items")
    assert {items: value for (version, items), value in counts.items() if version == "base"} == {
        "0": 1,
        "1": 3,
        "2": 1,
    }
    assert cells("figure-3", small_corpus, "category", "level")["Social Etiquette", "Visible"] == 0
    assert cells("figure-3", small_corpus, "category", "level")["Social Tradition", "Semi-visible"] == 2


def test_a_row_that_joins_to_nothing_is_counted(small_corpus: Release) -> None:
    write_csv(small_corpus.root / xcr.ADAPTATION_FILES["ARAB"], [*ARAB, ("Nobody wrote this.", "a", "b")])
    assert cells("joins", small_corpus, "culture", "step")["ARAB", "left over"] == 1


def test_whole_numbers_are_shown_without_decimals(small_corpus: Release) -> None:
    tables = [make_table(name, small_corpus) for name in NAMES if name != "bengali"]
    shown = [(table.layout, table.rows) for table in tables if table.layout is not None]
    assert shown
    for layout, rows in shown:
        assert (layout.decimals == 0) is rows[layout.cell].dtype.is_integer()


def test_without_a_bengali_file_there_is_nothing_to_merge(small_corpus: Release) -> None:
    with pytest.raises(FolkwaysError, match="has no file"):
        make_table("bengali", small_corpus)


def test_unknown_tables_are_named(small_corpus: Release) -> None:
    with pytest.raises(UnknownNameError, match="figure-3"):
        make_table("figure-9", small_corpus)
    assert all(make_table(name, small_corpus).unit for name in NAMES)


def test_a_category_that_table_5_lacks_keeps_its_name_and_one_without_a_sentence_has_none() -> None:
    rows = other_typologies(pl.DataFrame({CATEGORY: ["Weather", "Weather", next(iter(OF_OTHERS))]})).rows
    assert rows.filter(pl.col("newmark").is_null()).rows() == [(None, None, "Weather", 2)]
    assert rows["category"].to_list() == [*OF_OTHERS, "Weather"]
    assert rows["value"].to_list() == [1, *[0] * (len(OF_OTHERS) - 1), 2]
