"""Tables 2, 7, 8 and 9: by hand on a release in miniature, and against every published cell on the real
data."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from folkways.benchmarks.blend import data as blend
from folkways.benchmarks.blend.published import PUBLISHED
from folkways.benchmarks.blend.results.data_tables import (
    ABOUT,
    MEAN,
    Measure,
    annotation_table,
    question_counts,
    statistics_table,
)
from folkways.benchmarks.blend.results.published_means import published_means
from folkways.benchmarks.published import beside_published
from folkways.benchmarks.results import Inputs
from tests.support.blend_data import release_at, write_mcq, write_release

MEASURES: tuple[Measure, ...] = ("votes", "answers", "unknown")


def beside(rows: pl.DataFrame, number: int, decimals: int = 2) -> pl.DataFrame:
    cells = PUBLISHED.cells(f"Table {number}", "culture", "category").rename({"metric": "format"})
    return beside_published(rows, cells, ["culture", "category", *({"format"} & set(rows.columns))], decimals)


def counts_of(root: Path) -> pl.DataFrame:
    release = release_at(root)
    return question_counts(blend.read_annotations(release), blend.read_questions(release))


def test_counts_by_hand(tmp_path: Path) -> None:
    counts = counts_of(write_release(tmp_path))
    found = {
        (row["culture"], row["id"]): (row["votes"], row["answers"], row["unknown"])
        for row in counts.iter_rows(named=True)
    }
    assert found["KR", "Q-1"] == (3, 2, 0)
    assert found["KR", "Q-2"] == (4, 2, 1), "free text in place of an answer is not knowing"
    assert found["KR", "Q-3"] == (2, 2, 2)
    assert found["KR", "Q-4"] == (2, 1, 3), "two kinds of not knowing are two votes and one, not three"
    assert found["ES", "Q-3"] == (5, 1, 0), "six votes count as five"
    assert found["ES", "Q-4"] == (5, 0, 5), "a question without answers counts"


def test_means_by_hand(tmp_path: Path) -> None:
    rows = annotation_table(counts_of(write_release(tmp_path)), "unknown").rows
    korea = dict(rows.filter(pl.col("culture") == "KR").select("category", "value").iter_rows())
    assert korea == {"Food": 1.5, "Sport": 1.0, "Family": 2.0, "all": 1.5}
    assert rows.filter(pl.col("culture") == "KR", pl.col("category") == "all")["n"].item() == 4
    whole = rows.filter(pl.col("category") == "all")
    of_each = whole.filter(pl.col("culture") != MEAN)["value"]
    (over,) = whole.filter(pl.col("culture") == MEAN).to_dicts()
    assert (over["value"], over["sd"]) == pytest.approx((of_each.mean(), of_each.std()))
    assert rows.select(
        ((pl.col("low") <= pl.col("value")) & (pl.col("value") <= pl.col("high")))
        .filter(pl.col("n") > 1)
        .all()
    ).item()


@given(
    st.lists(
        st.tuples(st.sampled_from(["KR", "ES"]), st.sampled_from(["Food", "Sport"]), st.integers(0, 9)),
        min_size=1,
    )
)
def test_the_mean_over_everything_weighs_topics_by_their_questions(data: list[tuple[str, str, int]]) -> None:
    counts = pl.DataFrame(
        [
            (culture, f"q{place}", topic, value, value, value)
            for place, (culture, topic, value) in enumerate(data)
        ],
        schema=["culture", "id", "topic", *MEASURES],
        orient="row",
    )
    rows = annotation_table(counts, "votes").rows
    for culture in {culture for culture, _, _ in data}:
        mine = rows.filter(pl.col("culture") == culture)
        parts, whole = mine.filter(pl.col("category") != "all"), mine.filter(pl.col("category") == "all")
        assert parts["n"].sum() == whole["n"].item()
        assert (parts["value"] * parts["n"]).sum() / parts["n"].sum() == pytest.approx(whole["value"].item())


@pytest.mark.shared
@pytest.mark.parametrize(
    ("state", "differing"),
    [("3e4dcbd", (0, 0, 0)), pytest.param("24e7d73", (63, 45, 14), marks=pytest.mark.nightly)],
)
def test_published_cells(shared: Path, state: str, differing: tuple[int, ...]) -> None:
    """All 336 cells reproduce from the state of June, which the paper was written with; the newest one was
    corrected since."""
    counts = counts_of(shared / "data" / "blend" / state)
    over = {
        measure: annotation_table(counts, measure).rows.row(
            by_predicate=(pl.col("culture") == MEAN) & (pl.col("category") == "all"), named=True
        )
        for measure in MEASURES
    }
    if state == "3e4dcbd":
        assert round(over["votes"]["value"], 2) == 3.16, "section 3"
        assert [round(over["unknown"][name], 2) for name in ("value", "sd")] == [1.01, 0.35], "section 3"
    for measure, expected in zip(MEASURES, differing, strict=True):
        rows = annotation_table(counts, measure).rows
        compared = beside(rows.filter(pl.col("culture") != MEAN), ABOUT[measure][0])
        assert compared.height == 112
        assert compared["published"].null_count() == 0
        assert (~compared["reproduced"]).sum() == expected, measure


def test_means_over_the_papers_models_are_those_of_its_text() -> None:
    """Section 1: the averages of six cultures, and GPT-4's gap between the two Koreas."""
    means, gaps = (table.rows for table in published_means(Inputs()))
    local = PUBLISHED.figures("Table 10")
    printed = {"US": 79.22, "ES": 69.08, "IR": 50.78, "KP": 41.92, "NG-N": 21.18, "ET": 12.18}
    without = local.filter(pl.col("model") != "Llama-3.1-70B").group_by("value").agg(pl.col("score").mean())
    assert {code: score for code, score in without.iter_rows() if code in printed} == pytest.approx(
        printed, abs=0.012
    )
    korea = local.filter(pl.col("value") == "KR")["score"].to_numpy()
    row = means.row(by_predicate=(pl.col("place") == "Table 10") & (pl.col("culture") == "KR"), named=True)
    expected = stats.t.interval(0.95, 16, korea.mean(), stats.sem(korea))
    assert (row["score"], row["low"], row["high"]) == pytest.approx((korea.mean(), *expected))
    of_model = dict(local.filter(model="GPT-4").select("value", "score").iter_rows())
    assert of_model["KR"] - of_model["KP"] == pytest.approx(31.63)
    paired = stats.ttest_rel(korea, local.filter(pl.col("value") == "KP")["score"].to_numpy())
    gap = gaps.row(by_predicate=(pl.col("place") == "Table 10") & (pl.col("pair") == "KR − KP"), named=True)
    assert (gap["p"], gap["low"]) == pytest.approx((paired.pvalue, paired.confidence_interval().low))
    assert means.filter(culture="mean over cultures").height == 3


def test_a_wrong_cell_is_told(tmp_path: Path) -> None:
    rows = annotation_table(counts_of(write_release(tmp_path)), "answers").rows
    compared = beside(rows, 8)
    spain = compared.filter(pl.col("culture") == "ES", pl.col("category") == "Food").row(0, named=True)
    assert (spain["published"], spain["reproduced"]) == (4.80, False)
    assert spain["deviation"] == pytest.approx(1.0 - 4.80)


def test_ties_in_rounding_reproduce_either_way() -> None:
    cell = PUBLISHED.figures("Table 9").filter(value="KR+Food")
    assert cell["score"].item() == 0.23
    rows = pl.DataFrame(
        {"culture": ["KR"] * 4, "category": ["Food"] * 4, "value": [0.225, 0.235, 0.2249, 0.2351]}
    )
    assert beside(rows, 9)["reproduced"].to_list() == [True, True, False, False]


def test_published_figures_are_as_many_as_the_paper_has() -> None:
    expected = {1: 34, 2: 102, 7: 112, 8: 112, 9: 112, 10: 272, 11: 238, 12: 256, 13: 112}
    counts = dict(PUBLISHED.figures().group_by("place").len().iter_rows())
    of_tables = {f"Table {number}": count for number, count in expected.items()}
    assert counts == {**of_tables, "section 3, of Table 7": 1, "section 3, of Table 9": 1}
    for place, saq in (("Table 1", 15_000), ("Table 2", 500)):
        cells = PUBLISHED.figures(place).filter(pl.col("value") != "+all")
        sums = cells.group_by("metric").agg(pl.col("score").sum())
        assert dict(sums.iter_rows()) == {"mcq": 37_557, "saq": saq}


@pytest.mark.shared
def test_published_scores_are_those_of_the_reference(shared: Path) -> None:
    reference = pl.read_csv(shared / "data" / "published" / "published_blend.csv")
    codes = {"JB": "ID-JB", "AS": "IN-AS", "NG": "NG-N"}
    expected = reference.select(
        pl.col("table").alias("place"),
        "model",
        pl.col("country").replace(codes).alias("value"),
        "language",
        "score",
    )
    assert (
        PUBLISHED.figures("Table 10", "Table 11", "Table 12").select(expected.columns).rows()
        == expected.rows()
    )


def test_table_2(tmp_path: Path) -> None:
    release = release_at(write_mcq(write_release(tmp_path)))
    rows = statistics_table(
        blend.read_questions(release), blend.read_mcq(release).select("culture", "id")
    ).rows
    found = {
        (row["format"], row["culture"], row["category"]): row["value"] for row in rows.iter_rows(named=True)
    }
    assert found["saq", "", "Food"] == 2
    assert found["saq", "", "all"] == 4
    assert found["mcq", "ES", "Sport"] == 1
    assert found["mcq", "KR", "all"] == 2
    alone = statistics_table(blend.read_questions(release))
    assert set(alone.rows["format"]) == {"saq"}
    assert "blend-mcq" in alone.notes[0]


@pytest.mark.shared
@pytest.mark.parametrize("state", ["3e4dcbd", "24e7d73"])
def test_table_2_of_the_release(shared: Path, state: str) -> None:
    rows = statistics_table(blend.read_questions(release_at(shared / "data" / "blend" / state))).rows
    compared = beside(rows, 2, decimals=0).filter(pl.col("category") != "all")
    assert compared.height == 6
    assert compared["reproduced"].all()
    assert rows.filter(pl.col("category") == "all")["value"].item() == 500
