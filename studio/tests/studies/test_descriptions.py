"""Editing a study: what nobody has met may change, texts always may; what was before is kept, as it was
written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import yaml

from folkways.workspace.database import Workspace
from folkways_studio.database import audit, schema
from folkways_studio.database.rows import inserted_id
from folkways_studio.errors import ConflictError
from folkways_studio.people import accounts, participants
from folkways_studio.studies import descriptions
from folkways_studio.studies import service as studies
from folkways_studio.workflows.definition import DefinitionError, read_definition
from folkways_studio.workflows.yaml_text import as_json, parse_yaml
from studio.tests.support.studies import ON_A_FILE, QUESTION, StudyFixture, described, open_study, stored
from tests.support.frozen_time import at_time

pytestmark = ON_A_FILE

TEXT = """\
# Made for the tests.
name: test-study
title: A study of the tests   # to be found again
licence: CC-BY-4.0
consent: You agree to be a test.
populations:
- {name: korea, culture: KR, criteria: [{name: years, ask: "Years there?", least: 5}]}
# the part that works
stages:
- {name: verify, kind: vote, answers: 2, majority: 2}
"""

VOTE: dict[str, Any] = {"kind": "vote", "answers": 2, "majority": 2}
Edit = Callable[..., tuple[str, ...]]


@pytest.fixture
def study(studio_workspace: Workspace) -> StudyFixture:
    owner = accounts.create_account(studio_workspace, "owner@example.org", None)
    study = at_time(
        1.0,
        studies.create_study,
        studio_workspace,
        read_definition(parse_yaml(TEXT)),
        owner=owner.id,
        text=TEXT,
    )
    return StudyFixture(
        studio_workspace, studies.set_state(studio_workspace, study.id, studies.StudyState.OPEN), owner.id, {}
    )


@pytest.fixture
def edit(study: StudyFixture) -> Edit:
    def change(*pairs: tuple[str, str], **options: object) -> tuple[str, ...]:
        text = descriptions.description_of(study.workspace, study.record)
        for old, new in pairs:
            assert old in text
            text = text.replace(old, new)
        return descriptions.edit_study(study.workspace, study.record.id, text, by=study.owner)

    return change


def refusals(edit: Edit, *pairs: tuple[str, str]) -> tuple[str, ...]:
    with pytest.raises(DefinitionError) as error:
        edit(*pairs)
    return error.value.problems


STAGE = "name: verify, kind: vote, answers: 2, majority: 2"


def test_before_anybody_has_come_everything_may_change_but_the_name(study: StudyFixture, edit: Edit) -> None:
    assert refusals(edit, ("name: test-study", "name: other")) == (
        "name: stays test-study: it stands in links and files; change the title instead",
    )
    changes = edit(
        ("CC-BY-4.0", "CC0-1.0"),
        ("name: korea, culture: KR", "name: wales, culture: GB"),
        (STAGE, "name: check, kind: vote, answers: 5}\n- {name: judge, kind: judge_answer"),
    )
    assert set(changes) == {
        *("licence: changed", "population korea: taken out", "population wales: added"),
        *("stage verify: taken out", "stage check: added", "stage judge: added"),
    }
    record = studies.get_study(study.workspace, study.record.id)
    assert record.licence == "CC0-1.0"
    assert [each.name for each in studies.populations(study.workspace, record.id)] == ["wales"]
    assert [(each.name, each.config["answers"]) for each in studies.stages(study.workspace, record.id)] == [
        ("check", 5),
        ("judge", 1),
    ]


def test_what_people_have_met_stays_and_every_reason_is_told(study: StudyFixture, edit: Edit) -> None:
    study.add("verify", [QUESTION])
    study.person()
    problems = refusals(
        edit,
        ("licence: CC-BY-4.0", "licence: CC0-1.0\nlanguage: ko"),
        ("culture: KR", "culture: KP"),
        ("least: 5", "least: 9"),
        (STAGE, "name: verify, kind: vote, answers: 1, majority: 1, role: reviewer"),
    )
    assert [problem.partition(": ")[0] for problem in problems] == [
        *("language", "licence", "population korea, culture", "population korea, criteria"),
        *("stage verify, role", "stage verify, answers", "stage verify, majority"),
    ]
    assert "somebody has agreed to take part" in problems[0] and "stays 2 or grows" in problems[5]
    assert refusals(edit, (f"- {{{STAGE}}}", "- {name: other, kind: vote}")) == (
        "stage verify: it has items",
    )
    call = {"study_id": study.record.id, "purpose": "verifier", "endpoint": "small", "run": "", "prompt": "?"}
    with study.workspace.write() as connection:
        inserted_id(connection, schema.model_calls, {**call, "created": 1.0})
    (asked,) = refusals(edit, ("populations:", "models: {verifier: large}\npopulations:"))
    assert asked.startswith("models: models have been asked already")
    assert descriptions.description_of(study.workspace, study.record) == TEXT
    assert len(stored(study.workspace, schema.descriptions)) == 1


def test_texts_and_limits_may_change_at_any_time_and_more_answers_be_asked_for(
    study: StudyFixture, edit: Edit
) -> None:
    done, open_one, fresh = study.add("verify", [QUESTION] * 3)
    kim, lee = (
        participants.answer_eligibility(study.workspace, study.person().id, {"years": "7"}) for _ in range(2)
    )
    study.answer(kim, {"choices": [0]})
    study.answer(lee, {"choices": [0]})
    study.answer(kim, {"choices": [0]})
    changes = edit(
        ("a test.", "a test, and to be paid."),
        ("Years there?", "Years in the country?"),
        (
            STAGE,
            "name: verify, kind: vote, answers: 3, majority: 2, guidelines: Look twice., lease_minutes: 5",
        ),
    )
    assert changes == (
        "consent: changed; whoever has agreed already has agreed to the text that they saw",
        "population korea, criteria: changed",
        "stage verify, guidelines: changed",
        "stage verify, answers: 2 is now 3",
        "stage verify, lease_minutes: 30.0 is now 5",
    )
    states = {
        number: [slot["state"] for slot in stored(study.workspace, schema.assignments, item_id=number)]
        for number in (done, open_one, fresh)
    }
    assert states == {done: ["done", "done"], open_one: ["done", "open", "open"], fresh: ["open"] * 3}
    study.answer(lee, {"choices": [0]})
    assert stored(study.workspace, schema.items, id=open_one)[0]["state"] == "open"
    record = studies.get_study(study.workspace, study.record.id)
    assert (
        record.consent_text.endswith("to be paid.") and record.consent_version != study.record.consent_version
    )
    event, *_ = (each for each in audit.events(study.workspace, record.id) if each.kind == "study.edited")
    assert (event.account_id, event.details) == (study.owner, {"description": 2, "changes": list(changes)})


def test_more_answers_are_asked_for_in_the_stage_that_wants_them(studio_workspace: Workspace) -> None:
    """Not in another stage, nor in the stage of that name of another study."""
    stages = [{**VOTE, "name": name} for name in ("first", "second", "third")]
    study, other = (open_study(studio_workspace, stages, name=name) for name in ("mine", "theirs"))
    items = {
        (each.record.name, stage["name"]): each.add(stage["name"], [QUESTION])[0]
        for each in (study, other)
        for stage in stages
    }
    stages[1]["answers"] = 3
    descriptions.edit_study(studio_workspace, study.record.id, as_json(described(stages, name="mine")))
    slots = {
        about: len(stored(studio_workspace, schema.assignments, item_id=item))
        for about, item in items.items()
    }
    assert slots == {about: 3 if about == ("mine", "second") else 2 for about in items}


def test_the_text_stays_as_it_was_written_and_each_before_it_is_kept(study: StudyFixture, edit: Edit) -> None:
    assert edit(("# the part that works", "# the part that works best")) == ()
    assert edit() == ()  # nothing at all has changed
    edit(("A study of the tests", "Another title"))
    found = descriptions.history(study.workspace, study.record.id)
    assert [(each.number, list(each.changes), each.account_id) for each in found] == [
        (3, ["title: changed"], study.owner),
        (2, [], study.owner),
        (1, [], study.owner),
    ]
    assert found[2].text == TEXT and "Another title   # to be found again" in found[0].text


def test_a_text_made_from_an_older_description_undoes_nothing(study: StudyFixture) -> None:
    workspace, record = study.workspace, study.record
    first, second = TEXT.replace("A study of", "Soup in"), TEXT.replace("You agree", "You all agree")
    descriptions.edit_study(workspace, record.id, first, since=1)
    with pytest.raises(ConflictError, match="saved version 2"):
        descriptions.edit_study(workspace, record.id, second, since=1)
    assert descriptions.description_of(workspace, record) == first
    descriptions.edit_study(workspace, record.id, second, since=2)
    assert descriptions.description_of(workspace, record) == second


def test_a_study_of_before_gets_its_history_with_its_first_change(study: StudyFixture) -> None:
    owner = accounts.create_account(study.workspace, "before@example.org", None)
    raw = {**parse_yaml(TEXT), "name": "before"}
    record = at_time(3.0, studies.create_study, study.workspace, read_definition(raw), owner=owner.id)
    text = descriptions.description_of(study.workspace, record)
    assert yaml.safe_load(text) == raw
    at_time(
        5.0,
        descriptions.edit_study,
        study.workspace,
        record.id,
        text.replace("A study of the tests", "New"),
        by=study.owner,
    )
    found = descriptions.history(study.workspace, record.id)
    assert [(each.number, each.text == text, each.account_id, each.created) for each in found] == [
        (2, False, study.owner, 5.0),
        (1, True, owner.id, 3.0),
    ]
