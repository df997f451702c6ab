"""The World Values Survey's file with WorldValuesBench's codes: scales that rise, weights, and who answered."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from folkways.benchmarks.base import PromptOptions
from folkways.benchmarks.wvs import BENCHMARK
from folkways.benchmarks.wvs.survey_files import ADJUSTMENT, CODEBOOK, METADATA, PROBE, scale_of
from folkways.errors import DataError, FolkwaysError
from folkways.releases.release_records import Release
from tests.support.hub_benchmarks import release_over

VALUES, PROBED, _ = BENCHMARK.tasks

MISSING = {"-1": "Don't know", "-2": "No answer", "-4": "Not asked"}
CODES: dict[str, Any] = {
    "B_COUNTRY_ALPHA": {"choices": {"DEU": "Germany", "TWN": "Taiwan ROC", "XXX": "Atlantis"}},
    "Q1": {"choices": {"1": "Very", "2": "Rather", "3": "Not very", **MISSING}},
    "Q56": {"choices": {"1": "Better", "2": "Worse", "3": "The same", **MISSING}},
    "Q48": {
        "choices": {**{str(step): str(step) for step in range(2, 10)}, "10": "Much", "1": "None", **MISSING}
    },
    "Q241": {"choices": {"0": "Against it", "1": "Not at all", "2": "Very", **MISSING}},
    "Q260": {"choices": {"1": "Male", "2": "Female"}},
}


def about(text: str, use: str = "value", kind: str = "ordinal") -> dict[str, Any]:
    return {"question": text, "category": "Life", "use_case": use, "answer_data_type": kind}


QUESTIONS = {
    "Q1": about("On a scale of 1 to 3, 1 meaning 'Very' and 3 meaning 'Not very', how much do tests matter?"),
    "Q56": about("On a scale of 1 to 3, 1 meaning 'Better' and 3 meaning 'Worse', how is it?"),
    "Q48": about("On a scale of 1 to 10, 1 meaning 'None' and 10 meaning 'Much', how free are you?"),
    "Q241": about("How essential is it?"),
    "Q260": about("Are you a man?", "demographic", "non_ordinal"),
    "Q999": about("Not in the codebook"),
}
PEOPLE = [  # country, weight, Q1, Q56, Q48, Q241
    ("DEU", "2.0", "1", "1", "10", "0"),
    ("DEU", "1.0", "2", "2", "1", "1"),
    ("DEU", "1.0", "2", "3", "5", "2"),
    ("DEU", "4.0", "-1", "-2", "-4", "-1"),
    ("TWN", "", "3", "2", "2", "2"),
    ("XXX", "1.0", "3", "2", "2", "2"),
]


def write(
    folder: Path, header: str = "B_COUNTRY_ALPHA", people: Sequence[tuple[str, ...]] = PEOPLE
) -> Release:
    for path, content in (
        (CODEBOOK, CODES),
        (METADATA, QUESTIONS),
        (ADJUSTMENT, {"Q56": {"2": "3", "3": "2"}, "Q241": {"0": "1"}}),
    ):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(json.dumps(content), encoding="utf-8")
    with (folder / "WVS_Cross-National_Wave_7_csv_v5_0.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([(header, "W_WEIGHT", "Q1", "Q56", "Q48", "Q241"), *people])
    return release_over(folder, "wvs")


@pytest.fixture
def release(tmp_path: Path) -> Release:
    return write(tmp_path)


def test_shares_are_weighted_and_of_those_with_an_opinion(release: Release) -> None:
    items = {row["item"]: row for row in VALUES.items(release).iter_rows(named=True)}
    assert sorted(items) == [f"{key}/{code}" for key in ("Q1", "Q241", "Q48", "Q56") for code in ("DE", "TW")]
    first = items["Q1/DE"]
    assert first["shares"] == pytest.approx([0.5, 0.5, 0]) and first["respondents"] == 3
    assert first["no_opinion"] == ["Don't know"] and first["category"] == "Life"
    assert items["Q1/TW"]["shares"] == [0, 0, 1] and items["Q1/TW"]["respondents"] == 1


@pytest.mark.parametrize(
    ("weights", "counts_as"),
    [
        (["1"] * 40, 40),
        (["0.3"] * 40, 40),
        (["3"] * 10 + ["0.5"] * 30, 21),  # 45 squared over 97.5
        (["", "1", "1"], 3),
        (["0", "1", "1"], 2),
        (["1", "1e-9"], 1),
    ],
)
def test_people_count_as_many_as_tell_as_much(tmp_path: Path, weights: list[str], counts_as: int) -> None:
    release = write(tmp_path, people=[("DEU", weight, "1", "1", "1", "1") for weight in weights])
    assert set(VALUES.items(release)["respondents"]) == {counts_as}


@pytest.mark.parametrize(
    ("ends", "question"),
    [
        (("None", "Much"), "How free are you?"),
        (("1", "Much"), QUESTIONS["Q48"]["question"]),
        (("None", "10"), QUESTIONS["Q48"]["question"]),
    ],
)
def test_a_scale_is_told_in_the_question_unless_both_ends_are_told_by_options(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ends: tuple[str, str], question: str
) -> None:
    monkeypatch.setitem(CODES["Q48"], "choices", {**CODES["Q48"]["choices"], "1": ends[0], "10": ends[1]})
    assert VALUES.items(write(tmp_path)).filter(item="Q48/DE")["text"].to_list() == [question]


def test_scales_are_put_in_order(release: Release) -> None:
    items = {row["item"]: row for row in VALUES.items(release).iter_rows(named=True)}
    assert items["Q56/DE"]["options"] == ["Better", "The same", "Worse"]
    assert items["Q56/DE"]["shares"] == pytest.approx([0.5, 0.25, 0.25])
    folded = items["Q241/DE"]
    assert folded["options"] == ["Not at all", "Very"] and folded["shares"] == pytest.approx([0.75, 0.25])
    assert scale_of({"1": "a", "2": "b", "3": "c"}, {"3": ""}) == {1: ("a", [1]), 2: ("b", [2])}
    assert scale_of(
        {"0": "hard to say", "1": "a", "2": "b", "3": "c", "4": "d"}, {"0": "3", "3": "4", "4": "5"}
    ) == {1: ("a", [1]), 2: ("b", [2]), 3: ("hard to say", [0]), 4: ("c", [3]), 5: ("d", [4])}


def test_the_scale_is_said_once(release: Release) -> None:
    items = VALUES.items(release)
    texts = dict(items.select("question", "text").iter_rows())
    assert texts["Q1"] == "How much do tests matter?"
    assert texts["Q48"] == "How free are you?"
    prompts = VALUES.prompts(items.filter(item="Q48/DE"), PromptOptions(), release)
    shown = {row["variant"]: row["user"] for row in prompts.iter_rows(named=True)}["one-numbers-reversed"]
    assert "10. Much\n9\n8\n7\n6\n5\n4\n3\n2\n1. None\n99. Don't know" in shown


def test_the_probe_has_its_36_questions(release: Release) -> None:
    # WorldValuesBench/probe/value_questions.json of github.com/Demon702/WorldValuesBench
    published = """Q1 Q2 Q3 Q46 Q47 Q48 Q57 Q58 Q59 Q106 Q107 Q108 Q112 Q113 Q114 Q121 Q122 Q123 Q131 Q132 Q133
        Q158 Q159 Q160 Q164 Q165 Q166 Q176 Q177 Q178 Q199 Q200 Q201 Q235 Q236 Q237"""
    assert published.split() == [*PROBE]
    assert set(PROBED.items(release)["question"]) == {"Q1", "Q48"}


def test_the_survey_is_recognised_and_what_is_missing_is_said(release: Release, tmp_path: Path) -> None:
    assert BENCHMARK.reader is not None
    assert BENCHMARK.reader.looks_like(release.root) and not BENCHMARK.reader.looks_like(tmp_path / "none")
    assert [(issue.kind, issue.key) for issue in BENCHMARK.reader.check(release)] == [
        ("unknown-country", "Atlantis")
    ]
    (release.root / "WVS_Cross-National_Wave_7_csv_v5_0.csv").unlink()
    assert not BENCHMARK.reader.looks_like(release.root)
    with pytest.raises(FolkwaysError, match=r"worldvaluessurvey\.org"):
        VALUES.items(release)
    with pytest.raises(DataError, match="no column B_COUNTRY_ALPHA"):
        VALUES.items(write(tmp_path, header="country"))
    (tmp_path / CODEBOOK).write_text("[]", encoding="utf-8")
    with pytest.raises(DataError, match="not a JSON object"):
        VALUES.items(release)


def test_items_do_not_leave() -> None:
    from folkways.releases.registry import get_record

    for name in ("wvs", "global-opinion-qa"):
        assert get_record(name).items_may_leave is False
