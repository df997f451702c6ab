"""Counts of who took part: right, and never of so few people that they tell of one."""

from __future__ import annotations

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
)
from folkways_studio.exports.snapshot import take_snapshot
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
        participants.withdraw(workspace, study.study.id, person.id)
    rows = demographic_table(workspace, take_snapshot(workspace, study.study.id)).rows()
    if left:
        assert rows == [("korea", EVERYBODY, TOO_FEW, None, None)]
        return
    assert rows == [("korea", EVERYBODY, EVERYBODY, 6, 100.0), ("korea", "gender", "Male", 6, 100.0)]
    export_study(workspace, study.study.id, tmp_path / "out", "csv")
    assert pl.read_csv(tmp_path / "out" / "demographics.csv").rows() == rows
