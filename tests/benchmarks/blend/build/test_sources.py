"""Which questions are built from, and in which words."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from folkways.benchmarks.blend import data as blend
from folkways.benchmarks.blend.build.sources import AnswerForm, SourceQuestion, select_sources
from folkways.errors import DataError
from tests.support.blend_data import NOT_KNOWING, group, release_at, write_csv

NAMES = {"UK": "the UK", "South_Korea": "South Korea"}


def read(
    folder: Path, entry: dict[str, Any], text: str = "What is it in your country?", **more: Any
) -> list[SourceQuestion]:
    """One question of two countries, of which the second has ``entry``."""
    whole = {
        "question": text,
        "en_question": text,
        "annotations": [group(["tea"], ["tea"], 3)],
        "idks": NOT_KNOWING,
    }
    for country, answers in (("UK", whole), ("South_Korea", {**whole, **entry})):
        (folder / "annotations").mkdir(parents=True, exist_ok=True)
        (folder / "annotations" / f"{country}_data.json").write_text(json.dumps({"Q-1": answers}))
        local = text.replace("your country", NAMES[country]) if country == "UK" else "무엇이에요?"
        rows = [
            (
                "Q-1",
                "Food",
                "English (US)",
                text.replace("your country", more.get("named", {}).get(country, "your country")),
                local,
            )
        ]
        write_csv(
            folder / "questions" / f"{country}_questions.csv",
            ["ID", "Topic", "Source", "Question", "Translation"],
            rows,
        )
    release = release_at(folder)
    return select_sources(
        blend.read_annotations(release), blend.read_questions(release), more.get("wanted")
    ).sources


@pytest.mark.parametrize(
    ("entry", "why"),
    [
        ({}, None),
        ({"idks": {"idk": 2, "no-answer": 0}}, None),
        ({"idks": {"idk": 2, "i forgot": 1}}, "in one country, more than 2 people did not know it"),
        ({"idks": {"not-applicable": 1}}, "somebody called it not applicable"),
        ({"idks": {"not-applicable": 1}, "annotations": []}, "somebody called it not applicable"),
        ({"annotations": [group(["차"], ["tea"], 1)]}, "in one country, no answer was given by 2 people"),
        ({"annotations": []}, "in one country, no answer was given by 2 people"),
    ],
)
def test_the_filter_of_the_paper_and_what_it_says(
    tmp_path: Path, entry: dict[str, Any], why: str | None
) -> None:
    assert [source.question for source in read(tmp_path, entry)] == ([] if why else ["Q-1"])
    release = release_at(tmp_path)
    annotations, questions = blend.read_annotations(release), blend.read_questions(release)
    assert select_sources(annotations, questions).filtered == ({why: 1} if why else {})
    assert select_sources(annotations, questions, ["Q-1"]).filtered == ({why: 1} if why else {})
    one_country = annotations.filter(pl.col("culture") == annotations["culture"][0])
    assert select_sources(one_country, questions, []).filtered == {}


def test_the_papers_text_lets_three_not_know_a_question_and_the_code_two(tmp_path: Path) -> None:
    filtered = {}
    for number in (2, 3, 4):
        read(tmp_path / str(number), {"idks": {"idk": number}})
        release = release_at(tmp_path / str(number))
        frames = blend.read_annotations(release), blend.read_questions(release)
        filtered[number] = [
            list(select_sources(*frames, exclusion=rule).filtered) for rule in ("code", "text")
        ]
    reason = "in one country, more than {} people did not know it"
    assert filtered == {2: [[], []], 3: [[reason.format(2)], []], 4: [[reason.format(2)], [reason.format(3)]]}


def test_answers_without_english_are_none(tmp_path: Path) -> None:
    (source,) = read(tmp_path, {"annotations": [group(["차"], ["tea", "cha"], 3), group(["물"], [], 2)]})
    assert [entry.variants for entry in source.groups["South_Korea"]] == [("tea", "cha")]
    assert source.annotations == {"tea", "cha"}


def test_your_country_gets_the_name(tmp_path: Path) -> None:
    (source,) = read(tmp_path, {}, "How old are they in your country? (Arabic numerals)")
    assert source.texts == {
        "UK": "How old are they in the UK? (Arabic numerals)",
        "South_Korea": "How old are they in South Korea? (Arabic numerals)",
    }
    assert source.form is AnswerForm.NUMBER


def test_texts_that_name_the_country_stay_each_countrys_own(tmp_path: Path) -> None:
    (source,) = read(tmp_path, {}, named={"UK": "UK", "South_Korea": "South Korea"})
    assert source.texts == {"UK": "What is it in the UK?", "South_Korea": "What is it in South Korea?"}
    assert source.text == "What is it in your country?"


def test_only_the_questions_that_are_wanted(tmp_path: Path) -> None:
    assert len(read(tmp_path, {}, wanted=("Q-1",))) == 1
    with pytest.raises(DataError, match=r"no question 'Q-9'; ids look like 'Q-1'"):
        read(tmp_path, {}, wanted=("Q-9",))
