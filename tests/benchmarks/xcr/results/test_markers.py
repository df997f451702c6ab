"""Words that mark a side: counted by hand, and in the real adaptations of people."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from scipy import stats

from folkways.benchmarks.results import Inputs
from folkways.benchmarks.tables import NotAvailableError
from folkways.benchmarks.xcr import release as xcr
from folkways.benchmarks.xcr.results import RESULTS
from folkways.benchmarks.xcr.results.markers import PEOPLE, marker_tables
from folkways.errors import DataError
from folkways.runs.results.judgements import results_of_runs
from tests.support.xcr_data import xcr_release
from tests.support.xcr_judgements import findings, row

ADAPTATION = "xcr/adaptation"
MARKERS = "marker,side\nPuja,West\npuja-days,West\nEid,East\n"
ANSWERS = (
    "The puja.",
    "PUJA time",
    "Pujas and Eid",
    "eid, at last",
    "obscene deities",
    "Reid",
    "at puja",
    "Puja",
)


def listed(inputs: Inputs, folder: Path, text: str = MARKERS) -> Inputs:
    path = folder / "markers.csv"
    path.write_text(text, encoding="utf-8")
    return replace(inputs, files={"markers": path})


def judged(culture: str, questions: list[str], answers: tuple[str, ...]) -> Inputs:
    rows = [
        row(ADAPTATION, question, culture=culture, answer=answer, csi_edit_intra=0.5)
        for question, answer in zip(questions, answers, strict=True)
    ]
    return findings(rows)


def test_a_sentence_counts_for_the_side_whose_words_begin_one_of_its_words(tmp_path: Path) -> None:
    made = judged("BD", [f"q{n}" for n in range(8)], ANSWERS)
    shares, sides = (table.rows for table in marker_tables(listed(made, tmp_path)))
    assert shares.select("side", "sentences", "share", "n").rows() == [
        ("West", 5, 62.5, 8),
        ("East", 2, 25.0, 8),
    ]
    (line,) = sides.to_dicts()
    assert (line["only_first"], line["only_second"], line["share"]) == (4, 1, 80.0), "one has both"
    assert line["p"] == pytest.approx(stats.binomtest(4, 5).pvalue)
    interval = stats.binomtest(4, 5).proportion_ci(method="wilson")
    assert line["low"] <= 100 * interval.low < 80 < 100 * interval.high <= line["high"] + 1e-9, "or modified"


@pytest.mark.parametrize("text", ["marker,side\nPuja,West\nPuja,East\n", "marker,side\n,West\n"])
def test_a_word_marks_one_side(text: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="the one side that it marks"):
        marker_tables(listed(judged("BD", ["q"], ("Eid",)), tmp_path, text))


def test_without_a_list_it_says_how_to_give_one_and_is_made_by_name_alone() -> None:
    made = judged("BD", ["q"], ("Eid",))
    with pytest.raises(NotAvailableError, match=r"--markers FILE\.csv"):
        marker_tables(made)
    assert "markers" in {result.name for result in RESULTS}
    assert "markers" not in {result.name for result in results_of_runs(made)}
    assert [result.name for result in results_of_runs(made, ["markers"])] == ["markers"]


@pytest.mark.shared
def test_peoples_adaptations_of_the_same_sentences_are_counted_too(shared: Path, tmp_path: Path) -> None:
    release = xcr_release(shared / "data" / "xcr")
    gold = xcr.adaptations(release, "BD")
    made = judged("BD", gold["id"].to_list(), ("nothing",) * gold.height)
    made = replace(made, releases={ADAPTATION: release})
    shares = marker_tables(listed(made, tmp_path, "marker,side\nপূজা,West\nপুজা,West\nঈদ,East\n"))[0].rows
    eid = sum("ঈদ" in f"{intra}\n{inter}" for intra, inter in gold.select("intra", "inter").rows())
    assert shares.filter(endpoint=PEOPLE, side="East")["sentences"].item() == eid > 0
    assert shares.filter(endpoint="model")["sentences"].to_list() == [0, 0]
