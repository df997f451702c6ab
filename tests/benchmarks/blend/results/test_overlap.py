"""Figure 2: shared lemmas, by hand, and in the data of June."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from folkways.benchmarks.blend import data as blend
from folkways.benchmarks.blend.results.data_tables import overlap_table
from folkways.text.tools import get_tool
from tests.support.blend_data import release_at, write_release


def pairs_of(rows: pl.DataFrame) -> list[frozenset[str]]:
    return [frozenset(pair) for pair in rows.select("first", "second").iter_rows()]


def test_by_hand(tmp_path: Path) -> None:
    annotations = blend.read_annotations(release_at(write_release(tmp_path)))
    rows = overlap_table(annotations, get_tool("en", "simple")).rows
    shared = dict(zip(pairs_of(rows), rows["shared"], strict=True))
    assert shared == {
        frozenset({"KR", "ES"}): 1,  # tea
        frozenset({"KR", "US"}): 1,  # tea; base-ball is two words that nobody else has
        frozenset({"ES", "US"}): 2,  # coffee, tea
    }
    assert rows["shared"].to_list() == [2, 1, 1]
    assert set(rows["questions"]) == {4}


def test_a_lemma_counts_once_per_question_and_words_are_lemmatised_by_the_tool() -> None:
    class FirstLetters:
        name, version = "first-letters", "1"

        def tokens(self, text: str) -> list[str]:
            return [text[:3].upper()]

    def row(culture: str, key: str, *answers: str) -> dict[str, object]:
        return {"culture": culture, "id": key, "groups": [{"en_answers": list(answers)}]}

    annotations = pl.DataFrame(
        [
            row("KR", "1", "Walking, walks"),
            row("KR", "2", "rice"),
            row("US", "1", "the walker", "walk"),
            row("US", "3", "rice"),
        ]
    )
    rows = overlap_table(annotations, FirstLetters()).rows
    assert rows.select("shared", "questions").row(0) == (1, 1)


@pytest.fixture(scope="module")
def june(shared: Path) -> pl.DataFrame:
    """The annotations of June."""
    return blend.read_annotations(release_at(shared / "data" / "blend" / "3e4dcbd"))


@pytest.mark.shared
@pytest.mark.parametrize("tool_set", ["default", pytest.param("simple", marks=pytest.mark.nightly)])
def test_the_pairs_that_the_paper_names(june: pl.DataFrame, tool_set: str) -> None:
    """Top pairs in the paper's order, and Northern Nigeria with Greece, South Korea and Ethiopia among the
    lowest."""
    tool = get_tool("en", tool_set)
    rows = overlap_table(june, tool).rows
    assert rows.height == 120
    top, lowest = rows.head(3), rows.tail(4)
    assert pairs_of(top) == [frozenset({"ID", "ID-JB"}), frozenset({"US", "GB"}), frozenset({"ES", "MX"})]
    assert {frozenset({"NG-N", other}) for other in ("GR", "KR", "ET")} <= set(pairs_of(lowest))
    assert (rows["low"] <= rows["shared"]).all()
    assert (rows["shared"] <= rows["high"]).all()
    if tool.name == "simplemma":
        assert top["shared"].to_list() == [994, 894, 881]
        assert rows.tail(3)["shared"].to_list() == [299, 297, 295]
    else:
        assert top["shared"].to_list() == [977, 864, 843]


def test_the_figure_has_every_pair_in_both_directions(tmp_path: Path) -> None:
    annotations = blend.read_annotations(release_at(write_release(tmp_path)))
    table = overlap_table(annotations, get_tool("en", "simple"))
    (plot,) = table.plots
    assert plot.rows is not None and plot.rows.height == 2 * table.rows.height
    one = table.rows.row(0, named=True)
    for pair in ((one["first"], one["second"]), (one["second"], one["first"])):
        cell = plot.rows.filter(pl.col("culture") == pair[0], pl.col("other_culture") == pair[1])
        assert cell["value"].item() == one["shared"]
