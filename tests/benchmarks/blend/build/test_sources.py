"""Which questions are built from, and in which words."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from folkways.benchmarks.blend import data as blend
from folkways.benchmarks.blend.build.sources import (
    NO_TEXT,
    NOT_ASKED,
    AnswerForm,
    Selection,
    SourceQuestion,
    select_sources,
    spoken_name,
)
from folkways.errors import DataError
from folkways.releases.release_records import Release
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


def two_files(folder: Path, asked: dict[str, list[str]], answered: dict[str, list[str]]) -> Release:
    """Questions and answers of the UK and South Korea, by country the ids of each, repeated as they are
    listed."""
    for country, ids in asked.items():
        english = [f"What is {key} in {NAMES[country]}?" for key in ids]
        local = english if country == "UK" else ["?"] * len(ids)
        rows = [
            (key, "Food", "English (US)", *texts) for key, *texts in zip(ids, english, local, strict=True)
        ]
        header = ["ID", "Topic", "Source", "Question", "Translation"]
        write_csv(folder / "questions" / f"{country}_questions.csv", header, rows)
    for country, ids in answered.items():
        entry = {
            "question": "?",
            "en_question": "?",
            "annotations": [group(["a"], [country], 1), group(["b"], [f"the {country}"], 3)],
            "idks": NOT_KNOWING,
        }
        (folder / "annotations").mkdir(exist_ok=True)
        text = json.dumps([{"ID": key, **entry} for key in ids])
        (folder / "annotations" / f"{country}_data.json").write_text(text)
    return release_at(folder)


def selected(release: Release, **more: Any) -> Selection:
    return select_sources(blend.read_annotations(release), blend.read_questions(release), **more)


def test_a_question_of_any_country_is_kept_or_counted_among_those_left_out(tmp_path: Path) -> None:
    asked = {"UK": ["Q-1"], "South_Korea": ["Q-1", "Q-2"]}
    release = two_files(tmp_path, asked, {"UK": ["Q-1", "Q-3"], "South_Korea": ["Q-1", "Q-2"]})
    together = selected(release)
    assert [source.question for source in together.sources] == ["Q-1"]
    assert together.filtered == {NOT_ASKED: 1, NO_TEXT: 1}
    apart = selected(release, by_culture=True)
    assert {source.question: [*source.groups] for source in apart.sources} == {
        "Q-1": ["UK", "South_Korea"],
        "Q-2": ["South_Korea"],
    }
    assert apart.filtered == {NO_TEXT: 1}


def test_where_each_culture_has_its_own_filter_what_it_keeps_out_is_counted_by_reason(tmp_path: Path) -> None:
    ids = {country: ["Q-1", "Q-2", "Q-3", "Q-4"] for country in NAMES}
    release = two_files(tmp_path, ids, ids)
    file = tmp_path / "annotations" / "South_Korea_data.json"
    entries = json.loads(file.read_text())
    entries[0]["idks"] = {"not-applicable": 1, "idk": 9}
    entries[1]["idks"] = {"idk": 3}
    entries[2]["annotations"] = []
    file.write_text(json.dumps(entries))
    apart = selected(release, by_culture=True)
    expected = {
        "somebody called it not applicable": 1,
        "more than 2 people did not know it": 1,
        "no answer was given by 2 people": 1,
    }
    assert apart.by_culture == {"South_Korea": expected}
    assert {source.question: len(source.groups) for source in apart.sources} == {
        "Q-1": 1,
        "Q-2": 1,
        "Q-3": 1,
        "Q-4": 2,
    }
    chosen = selected(release, by_culture=True, wanted=["Q-2", "Q-4"])
    assert chosen.by_culture == {"South_Korea": {"more than 2 people did not know it": 1}}


def test_no_country_is_asked_about_another(tmp_path: Path) -> None:
    asked = {"UK": ["Q-1", "Q-2"], "South_Korea": ["Q-3", "Q-1"]}
    every = ["Q-1", "Q-2", "Q-3"]
    for source in selected(two_files(tmp_path, asked, {"UK": every, "South_Korea": every})).sources:
        assert source.text == f"What is {source.question} in your country?"
        assert source.texts == {
            country: f"What is {source.question} in {name}?" for country, name in NAMES.items()
        }


def test_an_answer_counts_by_its_votes_wherever_it_is_listed(tmp_path: Path) -> None:
    ids = {"UK": ["Q-1"], "South_Korea": ["Q-1"]}
    (source,) = selected(two_files(tmp_path, ids, ids)).sources
    assert [entry.count for entry in source.groups["UK"]] == [1, 3]


@pytest.mark.parametrize("repeated", ["asked", "answered"])
def test_of_two_questions_with_one_id_none_is_chosen(tmp_path: Path, repeated: str) -> None:
    ids = {"UK": ["Q-1"], "South_Korea": ["Q-1"]}
    twice = {**ids, "South_Korea": ["Q-1", "Q-1"]}
    release = two_files(tmp_path, *((twice, ids) if repeated == "asked" else (ids, twice)))
    with pytest.raises(DataError, match="the question 'Q-1' of South_Korea is in its file twice"):
        selected(release)


def test_names_have_their_article() -> None:
    names = ("UK", "US", "South_Korea", "Netherlands", "United_Arab_Emirates", "Kenya")
    assert [*map(spoken_name, names)] == [
        "the UK",
        "the US",
        "South Korea",
        "the Netherlands",
        "the United Arab Emirates",
        "Kenya",
    ]
