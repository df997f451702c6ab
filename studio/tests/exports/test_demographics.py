"""Counts of who took part: right, and never of so few people that they tell of one."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkways.workspace.database import Workspace
from folkways_studio.exports.demographics import (
    EVERYBODY,
    FEW,
    FEWEST,
    NOT_SAID,
    TOO_FEW,
    counted,
    demographic_table,
    without_small,
)
from folkways_studio.exports.snapshot import take_snapshot
from folkways_studio.items.service import NewItem, add_items
from folkways_studio.people import participants
from studio.tests.support.exports import export_study
from studio.tests.support.studies import QUESTION, open_study

GENDER = {"name": "gender", "ask": "?", "options": ["Female", "Male", "Non-binary"]}
AGE = {"name": "age", "ask": "?", "least": 18}


@pytest.mark.parametrize(
    ("answers", "criterion", "expected"),
    [
        (["Male"] * 5 + ["Female"] * 6, GENDER, [("Female", 6), ("Male", 5)]),
        (["Female"] * 9 + ["Male"] * 5 + ["Non-binary"], GENDER, [("Female", 9), (FEW, 6)]),
        (["Female"] * 9 + ["Non-binary"], GENDER, [(FEW, 10)]),
        (["Female"] * 9 + ["Non-binary"] * 3 + ["Male"] * 2, GENDER, [("Female", 9), (FEW, 5)]),
        (["female "] * 5 + [""] * 5, GENDER, [("Female", 5), (NOT_SAID, 5)]),
        (["25"] * 5 + ["31"] * 3 + ["39.5"] * 4, AGE, [("20-29", 5), ("30-39", 7)]),
        (["25"] * 6 + ["ask Kim"] * 5, AGE, [("20-29", 6), (FEW, 5)]),
    ],
)
def test_small_counts_are_pooled_until_nobody_stands_out(
    answers: list[str], criterion: dict[str, object], expected: list[tuple[str, int]]
) -> None:
    assert list(counted(answers, criterion)) == expected


@given(st.lists(st.sampled_from(["a", "b", "c", "d", "e", ""]), min_size=FEWEST, max_size=60))
def test_no_count_is_below_the_fewest_and_all_add_up(answers: Sequence[str]) -> None:
    counts = Counter(dict(counted(answers, {"name": "x", "ask": "?"})))
    assert sum(counts.values()) == len(answers)
    assert min(counts.values()) >= FEWEST


@pytest.mark.parametrize(("people", "left"), [(6, 0), (6, 2)])
def test_a_study_tells_how_many_said_what_of_those_whose_answers_count(
    workspace: Workspace, tmp_path: Path, people: int, left: int
) -> None:
    study = open_study(
        workspace,
        [{"name": "verify", "kind": "vote", "answers": 9, "majority": 6}],
        populations=[{"name": "korea", "culture": "KR", "criteria": [GENDER]}],
    )
    study.add("verify", [QUESTION])
    persons = []
    for _ in range(people):
        person = study.person("korea")
        persons.append(participants.answer_eligibility(workspace, person.id, {"gender": "Male"}))
        study.answer(person, {"choices": [1]})
    for person in persons[:left]:
        participants.withdraw(workspace, study.record.id, person.id)
    rows = demographic_table(workspace, take_snapshot(workspace, study.record.id)).rows()
    if left:
        assert rows == [("korea", EVERYBODY, TOO_FEW, None, None)]
        return
    assert rows == [("korea", EVERYBODY, EVERYBODY, 6, 100.0), ("korea", "gender", "Male", 6, 100.0)]
    export_study(workspace, study.record.id, tmp_path / "out", "csv")
    assert pl.read_csv(tmp_path / "out" / "demographics.csv").rows() == rows


@given(st.dictionaries(st.text("abc", max_size=3), st.integers(0, 12), max_size=6))
def test_counts_of_few_people_are_hidden_and_cannot_be_worked_out(counts: dict[str, int]) -> None:
    shown = without_small(counts)
    hidden = [counts[name] for name, number in shown.items() if number is None]
    assert all(number in (None, counts[name]) for name, number in shown.items())
    assert all(number is None or number == 0 or number >= FEWEST for number in shown.values())
    assert not hidden or sum(hidden) >= FEWEST or sum(hidden) == sum(counts.values())
    assert len(hidden) <= sum(number < FEWEST for number in counts.values()) + 1


def test_the_card_and_croissant_name_people_as_a_data_statement_and_no_small_group(
    workspace: Workspace, tmp_path: Path
) -> None:
    """Region, language, age bands, consent and pay; three Egyptians are fewer than five."""
    study = open_study(
        workspace,
        [{"name": "verify", "kind": "vote", "title": "Check", "answers": 9, "majority": 6}],
        populations=[
            {"name": "korea", "title": "Koreans", "culture": "KR", "language": "ko", "criteria": [AGE, GENDER]},
            {"name": "egypt", "title": "Egyptians", "culture": "EG", "language": "ar", "criteria": [AGE]},
        ],
        pay={
            "per_answer": 0.25, "currency": "EUR",
            "wages": [{"population": "korea", "per_hour": 10030, "currency": "KRW", "exchange": 0.0006, "source": "law"}],
        },
    )  # fmt: skip
    new = [NewItem(name, QUESTION, name) for name in ("korea", "egypt")]
    add_items(workspace, study.record.id, "verify", new)
    for name, people, ages in (("korea", 7, "25"), ("egypt", 3, "61")):
        for place in range(people):
            person = study.person(name)
            said = (
                {"age": ages, "gender": "Female" if place else "Male"} if name == "korea" else {"age": ages}
            )
            participants.answer_eligibility(workspace, person.id, said)
            study.answer(person, {"choices": [1]})
    export_study(workspace, study.record.id, tmp_path / "hub", "hub")
    croissant = json.loads((tmp_path / "hub/croissant.json").read_text())
    card = (tmp_path / "hub/README.md").read_text()
    who = croissant["rai:annotatorDemographics"]
    assert who[:2] == [
        "Koreans: South Korea, Korean, 7 people",
        "Egyptians: Egypt, Arabic, fewer than 5 people",
    ]
    assert who[2:] == ["korea, age: 20-29 100 %", "korea, gender: (other answers) 100 %"]
    paid = "Koreans: 0.25 EUR an answer; the local wage is 10030 KRW an hour (law)."
    for text in (*who, paid, "You agree to be a test."):
        assert text in card
    assert paid in croissant["rai:dataAnnotationProtocol"]
    assert croissant["rai:annotationsPerItem"] == "Check: 9"
    assert len(croissant["rai:dataCollectionTimeframe"]) == 2
    for text in (card, json.dumps(croissant)):
        assert "60-69" not in text and not re.search(r"\b[1-4] people", text)
        assert not any(
            person.pseudonym in text for person in participants.list_participants(workspace, study.record.id)
        )
    participants.withdraw(workspace, study.record.id, person.id)
    export_study(workspace, study.record.id, tmp_path / "after", "hub")
    assert "Fewer than 5 people withdrew." in (tmp_path / "after/README.md").read_text()
