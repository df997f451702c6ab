"""Excluding somebody: their answers count nowhere, others are asked in their place, and it can be undone."""

from __future__ import annotations

import pytest

from folkways.workspace.database import Workspace
from folkways_studio.database import audit, schema
from folkways_studio.errors import ConflictError, SubmissionError
from folkways_studio.exports import snapshot
from folkways_studio.items import search as item_search
from folkways_studio.items.service import get_item
from folkways_studio.people import invites, participants, suspension
from folkways_studio.records import Participant
from folkways_studio.studies import agreement
from studio.tests.support.studies import ON_A_FILE, QUESTION, StudyFixture, open_study, stored
from tests.support.frozen_time import at_time

pytestmark = ON_A_FILE


@pytest.fixture
def study(studio_workspace: Workspace) -> StudyFixture:
    made = open_study(studio_workspace, [{"name": "verify", "kind": "vote", "answers": 2, "majority": 2}])
    made.add("verify", [QUESTION, QUESTION])
    return made


def exclude(study: StudyFixture, person: Participant, reason: str = "a script answered") -> Participant:
    return at_time(
        50.0, suspension.exclude, study.workspace, study.record.id, person.id, reason, by=study.owner
    )


def include(study: StudyFixture, person: Participant) -> Participant:
    return at_time(60.0, suspension.include, study.workspace, study.record.id, person.id, by=study.owner)


def states(study: StudyFixture) -> list[str]:
    return [item["state"] for item in stored(study.workspace, schema.items)]


def slots(study: StudyFixture, item_id: int) -> list[str]:
    return [slot["state"] for slot in stored(study.workspace, schema.assignments, item_id=item_id)]


def test_the_answers_of_an_excluded_person_count_nowhere_until_it_is_undone(study: StudyFixture) -> None:
    kim, lee = study.person(), study.person()
    for person in (kim, lee):
        study.answer(person, {"choices": [1]})
    held = study.work(kim)
    first = study.workspace, study.record.id, stored(study.workspace, schema.items)[0]["id"]
    assert states(study) == ["done", "open"]

    found = exclude(study, kim)
    assert (found.state, found.exclusion, found.left) == ("excluded", "a script answered", 50.0)
    assert states(study) == ["open", "open"] and slots(study, first[2]) == ["done", "done", "open"]
    assert slots(study, held.item.id) == ["open", "open"]
    assert study.nothing(kim) == "not_active"
    gathered = snapshot.take_snapshot(study.workspace, study.record.id)
    assert (gathered.excluded, gathered.withdrawn, list(gathered.people)) == (1, 0, [lee.id])
    assert [each.percent.value for each in agreement.agreement(study.workspace, study.record.id)] == [None]
    assert [
        each.participant_id for each in item_search.judgements_of(study.workspace, [first[2]])[first[2]]
    ] == [lee.id]

    back = include(study, kim)
    assert (back.state, back.exclusion, back.left) == ("active", None, None)
    assert get_item(*first).state == "done" and slots(study, first[2]) == ["done", "done", "closed"]
    assert snapshot.take_snapshot(study.workspace, study.record.id).excluded == 0
    told = [
        (each.kind, each.account_id, each.participant_id, each.details)
        for each in audit.events(study.workspace, study.record.id)
    ]
    assert ("participant.excluded", study.owner, kim.id, {"was": "active"}) in told
    assert ("participant.included", study.owner, kim.id, {}) in told


def test_an_answer_that_came_in_between_stays_beside_the_one_that_counts_again(study: StudyFixture) -> None:
    kim, lee, park = study.person(), study.person(), study.person()
    for person in (kim, lee):
        study.answer(person, {"choices": [1]})
    exclude(study, kim)
    work = study.answer(park, {"choices": [1]})
    include(study, kim)
    assert get_item(study.workspace, study.record.id, work.item.id).state == "done"
    assert len(item_search.judgements_of(study.workspace, [work.item.id])[work.item.id]) == 3


def test_an_item_that_waits_has_no_more_slots_than_answers_are_missing_once_it_is_undone(
    study: StudyFixture,
) -> None:
    kim = study.person()
    work = study.answer(kim, {"choices": [1]})
    exclude(study, kim)
    assert slots(study, work.item.id) == ["done", "open", "open"]
    include(study, kim)
    assert slots(study, work.item.id) == ["done", "open", "closed"]


def test_who_is_let_in_again_goes_on_where_they_were(studio_workspace: Workspace) -> None:
    korea = {"name": "korea", "culture": "KR", "criteria": [{"name": "years", "ask": "Years?", "least": 5}]}
    study = open_study(studio_workspace, [{"name": "verify", "kind": "vote"}], populations=[korea])
    workspace, version = study.workspace, study.record.consent_version
    _, token = invites.create_invite(workspace, study.record.id, population="korea")
    joined, consented, out, waived, active = (
        participants.join(workspace, token, signed=True).id for _ in range(5)
    )
    for number in (consented, out, waived, active):
        participants.consent(workspace, number, version)
    for number, years in ((out, "2"), (waived, "2"), (active, "7")):
        participants.answer_eligibility(workspace, number, {"years": years})
    participants.waive_eligibility(workspace, study.record.id, waived, "a test", by=study.owner)
    states = {
        joined: "joined",
        consented: "consented",
        out: "screened_out",
        waived: "active",
        active: "active",
    }
    for number, state in states.items():
        person = participants.get_participant(workspace, number)
        assert person.state == state
        if state != "screened_out":
            exclude(study, person)
            assert include(study, person).state == state


def test_nobody_is_excluded_without_a_reason_or_twice_or_after_they_have_left(study: StudyFixture) -> None:
    kim = study.person()
    with pytest.raises(SubmissionError, match="say why"):
        exclude(study, kim, "  ")
    with pytest.raises(ConflictError, match="not excluded"):
        include(study, kim)
    exclude(study, kim)
    with pytest.raises(ConflictError, match="not in the study any more"):
        exclude(study, kim)
    participants.withdraw(
        study.workspace, study.record.id, kim.id
    )  # whoever is excluded can still leave for good
    with pytest.raises(ConflictError, match="not excluded"):
        include(study, kim)
    with pytest.raises(ConflictError, match="not in the study any more"):
        exclude(study, kim)
