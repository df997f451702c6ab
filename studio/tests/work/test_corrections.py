"""A correction is a row of its own: rules, results and exports take the last one, agreement takes the first
answer."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pytest
import sqlalchemy as sa

from folkways.workspace.database import Workspace
from folkways.workspace.database_errors import WorkspaceError
from folkways_studio.database import schema
from folkways_studio.errors import ConflictError, NotFoundError, SubmissionError
from folkways_studio.exports.archive import export_files
from folkways_studio.items import service as items
from folkways_studio.people import suspension
from folkways_studio.records import Participant, Role
from folkways_studio.studies.agreement import agreement
from folkways_studio.work import adjudications, blinding, corrections, judgements, redaction
from folkways_studio.work.assignments import Work
from studio.tests.support.studies import ON_A_FILE, ON_BOTH, QUESTION, StudyFixture, open_study, stored

LABELS = {"category": "Cultural Value", "level": "Invisible", "element": "Time"}
SENTENCE = {"sentence": "We had potluck.", "spans": [[7, 14]]}
STAGES = [
    {"name": "label", "kind": "label_item", "answers": 2, "next": {"done": "check", "disagree": "settle"}},
    {"name": "settle", "kind": "adjudicate", "role": "expert"},
    {"name": "check", "kind": "vote", "answers": 2, "majority": 2},
    {"name": "alone", "kind": "vote", "answers": 1, "majority": 1},
    {"name": "pair", "kind": "vote", "role": "reviewer", "answers": 2, "majority": 2},
]


def correct(
    study: StudyFixture, person: Participant, work: Work, said: dict[str, Any], key: str = "again"
) -> Any:
    return corrections.correct(study.workspace, person.id, work.assignment.id, said, key)


def test_the_rule_takes_the_correction_and_agreement_the_first_answer(study: StudyFixture) -> None:
    (number,) = study.add("label", [SENTENCE])
    first, second = study.person(), study.person()
    work = study.answer(first, {**LABELS, "element": "Food and Drink"}, "label")
    assert correct(study, first, work, LABELS).payload["element"] == "Time"
    assert (
        correct(study, first, work, {**LABELS, "element": "Customs"}, "again").payload["element"] == "Time"
    ), "the same form twice"
    study.answer(second, LABELS, "label")
    item = items.get_item(study.workspace, study.record.id, number)
    assert item.result == LABELS, "they agree by now, and nobody has to settle it"
    assert stored(study.workspace, schema.judgements)[0]["payload"]["element"] == "Food and Drink"
    (element,) = [each for each in agreement(study.workspace, study.record.id) if each.field == "element"]
    assert element.percent.value == 0.0, "agreement is of what each said unasked"
    rows = list(
        csv.DictReader(
            io.StringIO(
                export_files(study.workspace, study.record.id, "csv")["judgements.csv"].decode("utf-8-sig")
            )
        )
    )
    assert [json.loads(row["payload"])["element"] for row in rows] == ["Time", "Time"]
    assert (
        json.loads(rows[0]["first_payload"])["element"] == "Food and Drink" and rows[1]["first_payload"] == ""
    )


def test_it_ends_when_the_item_is_settled_and_others_have_answered(study: StudyFixture) -> None:
    study.add("check", [QUESTION])
    first, second = study.person(), study.person()
    work = study.answer(first, {"choices": [0]}, "check")
    assert corrections.sent_for(study.workspace, first.id, work.assignment.id)[1] == ""
    study.answer(second, {"choices": [1]}, "check")
    assert corrections.sent_for(study.workspace, first.id, work.assignment.id)[1] == corrections.SETTLED
    with pytest.raises(ConflictError, match="settled"):
        correct(study, first, work, {"choices": [1]})


def test_who_answers_alone_corrects_until_something_is_made_of_it(study: StudyFixture) -> None:
    (number,) = study.add("alone", [QUESTION])
    person = study.person()
    work = study.answer(person, {"choices": [0]}, "alone")
    correct(study, person, work, {"choices": [1]})
    assert items.get_item(study.workspace, study.record.id, number).result["gold"] == [1]
    adjudications.adjudicate(study.workspace, study.record.id, number, study.owner, {"gold": [2]}, "so it is")
    with pytest.raises(ConflictError, match="settled"):
        correct(study, person, work, {"choices": [3]}, "later")
    assert items.get_item(study.workspace, study.record.id, number).result["gold"] == [2]


@ON_A_FILE
def test_what_was_handed_on_stays(studio_workspace: Workspace) -> None:
    stages = [
        {"name": "mark", "kind": "tag_spans", "answers": 1, "next": {"done": "label"}},
        {"name": "label", "kind": "label_item", "answers": 1},
        {"name": "write", "kind": "collect_question"},
    ]
    study = open_study(studio_workspace, stages)
    study.add("mark", [{"sentence": "We had potluck."}])
    person = study.person()
    work = study.answer(person, {"spans": [[7, 14]]}, "mark")
    with pytest.raises(ConflictError, match="settled"):
        correct(study, person, work, {"spans": [[0, 2]]})
    written = study.answer(
        person, {"category": "Food", "question": "무엇을 먹나요?", "english": "What do you eat?"}, "write"
    )
    with pytest.raises(ConflictError, match="cannot be changed"):
        correct(
            study, person, written, {"category": "Food", "question": "무엇을?", "english": "What do you eat?"}
        )


@ON_A_FILE
def test_only_ones_own_answer_and_only_what_the_stage_takes(study: StudyFixture) -> None:
    study.add("check", [QUESTION])
    person, other = study.person(), study.person()
    work = study.work(person, "check")
    with pytest.raises(NotFoundError):
        correct(study, person, work, {"choices": [1]})  # nothing was sent yet
    study.submit(person, work, {"choices": [0]})
    with pytest.raises(NotFoundError):
        correct(study, other, work, {"choices": [1]})
    with pytest.raises(SubmissionError):
        correct(study, person, work, {"choices": [9]})
    correct(study, person, work, {"choices": [0]})
    assert stored(study.workspace, schema.corrections) == []
    suspension.exclude(study.workspace, study.record.id, person.id, "a test", by=study.owner)
    with pytest.raises(ConflictError, match="cannot be changed"):
        correct(study, person, work, {"choices": [1]})


@ON_A_FILE
def test_who_chose_to_look_corrects_nothing(study: StudyFixture) -> None:
    (number,) = study.add("pair", [QUESTION])
    first, second = study.person(role=Role.REVIEWER), study.person(role=Role.REVIEWER)
    work = study.answer(first, {"choices": [0]}, "pair")
    assert corrections.sent_for(study.workspace, first.id, work.assignment.id)[1] == ""
    blinding.look(study.workspace, study.record.id, first.account_id, number)
    assert blinding.blind_among(study.workspace, study.record.id, first.account_id, [number]) == frozenset()
    assert blinding.blind_among(study.workspace, study.record.id, second.account_id, [number]) == {number}
    with pytest.raises(ConflictError, match="cannot be changed"):
        correct(study, first, work, {"choices": [1]})


@ON_A_FILE
def test_so_often_and_no_more(study: StudyFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(corrections, "MOST_CORRECTIONS", 2)
    study.add("check", [QUESTION])
    person = study.person()
    work = study.answer(person, {"choices": [0]}, "check")
    for number in (1, 2):
        correct(study, person, work, {"choices": [number]}, f"key-{number}")
    with pytest.raises(ConflictError, match="cannot be changed"):
        correct(study, person, work, {"choices": [3]}, "key-3")
    (last,) = judgements.list_judgements(study.workspace, study.record.id, work.item.id)
    assert last.payload["choices"] == [2]


@ON_BOTH
def test_words_are_redacted_from_corrections_too_and_nothing_else_changes_them(study: StudyFixture) -> None:
    study.add("check", [QUESTION])
    person = study.person()
    work = study.answer(person, {"choices": [0], "comment": "my name is Unsayable"}, "check")
    correct(study, person, work, {"choices": [1], "comment": "I am Unsayable indeed"})
    (row,) = stored(study.workspace, schema.corrections)
    with (
        pytest.raises(WorkspaceError, match="can be added but not changed"),
        study.workspace.write() as connection,
    ):
        connection.execute(sa.update(schema.corrections).values(payload={}))
    redaction.redact(study.workspace, study.record.id, row["judgement_id"], ["comment"])
    assert "Unsayable" not in str(stored(study.workspace, schema.corrections)) + str(
        stored(study.workspace, schema.judgements)
    )
    (after,) = stored(study.workspace, schema.corrections)
    assert after["payload"]["choices"] == [1] and after["created"] == row["created"]
