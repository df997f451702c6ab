"""Free answers that no criterion recognises wait for a researcher, who lets people in or not; they may answer
again meanwhile."""

from __future__ import annotations

import pytest

from folkways.workspace.database import Workspace
from folkways_studio.database import schema
from folkways_studio.errors import ConflictError, NotFoundError
from folkways_studio.people import invites, participants, personal
from folkways_studio.people.eligibility import failed_criteria, unclear_criteria
from folkways_studio.records import Participant, ParticipantState
from studio.tests.support.studies import ON_A_FILE, StudyFixture, open_study, stored

CRITERIA = [
    {"name": "nationality", "ask": "Your nationality?", "accept": ["British"]},
    {"name": "years", "ask": "Years there?", "least": 5},
    {"name": "home", "ask": "Where did you live?", "options": ["Here", "Elsewhere"], "accept": ["Here"]},
]
GOOD = {"nationality": "British", "years": "30", "home": "Here"}
NEAR = {**GOOD, "nationality": "UK citizen"}


@pytest.fixture
def study(studio_workspace: Workspace) -> StudyFixture:
    population = {"name": "korea", "culture": "KR", "people": 1, "criteria": CRITERIA}
    return open_study(studio_workspace, [{"name": "verify", "kind": "vote"}], populations=[population])


def agreed(study: StudyFixture) -> Participant:
    _, token = invites.create_invite(study.workspace, study.record.id, population="korea")
    return participants.consent(
        study.workspace, participants.join(study.workspace, token).id, study.record.consent_version
    )


@pytest.mark.parametrize(
    ("answers", "failed", "unclear"),
    [
        (GOOD, [], []),
        ({**GOOD, "nationality": " british. "}, [], []),
        ({**GOOD, "nationality": "Ｂｒｉｔｉｓｈ"}, [], []),
        (NEAR, ["nationality"], ["nationality"]),
        ({**GOOD, "years": "five years"}, ["years"], ["years"]),
        ({**GOOD, "years": "4"}, ["years"], []),
        ({**GOOD, "home": "Elsewhere"}, ["home"], []),
        ({**NEAR, "home": "Elsewhere"}, ["nationality", "home"], ["nationality"]),
        ({**GOOD, "nationality": ""}, ["nationality"], []),
    ],
)
def test_what_was_written_freely_is_unclear_and_what_was_chosen_is_not(
    answers: dict[str, str], failed: list[str], unclear: list[str]
) -> None:
    assert failed_criteria(CRITERIA, answers) == failed
    assert unclear_criteria(CRITERIA, answers) == unclear


def test_who_waits_is_let_in_or_turned_away(study: StudyFixture) -> None:
    first, second = agreed(study), agreed(study)
    for person in (first, second):
        assert (
            participants.answer_eligibility(study.workspace, person.id, NEAR).state
            == ParticipantState.WAITING
        )
        assert study.nothing(person) == "not_active"
    seen = participants.list_waiting(study.workspace, study.record.id, by=study.owner)
    assert [(each.person.id, each.unclear) for each in seen] == [
        (person.id, [("Your nationality?", "UK citizen")]) for person in (first, second)
    ]
    participants.list_waiting(study.workspace, study.record.id, by=study.owner)
    read = stored(study.workspace, schema.events, kind="participant.attributes_read")
    assert [each["participant_id"] for each in read] == [first.id, second.id], (
        "that somebody looked is noted once for each"
    )
    found = participants.settle_waiting(
        study.workspace, study.record.id, first.id, let_in=True, by=study.owner
    )
    assert (found.state, found.eligible, found.waiver) == (ParticipantState.ACTIVE, True, None)
    with pytest.raises(ConflictError, match="all the people"):
        participants.settle_waiting(study.workspace, study.record.id, second.id, let_in=True, by=study.owner)
    out = participants.settle_waiting(
        study.workspace, study.record.id, second.id, let_in=False, by=study.owner
    )
    assert (out.state, out.eligible) == (ParticipantState.SCREENED_OUT, False)
    for person in (first, second):
        with pytest.raises(ConflictError, match="wait"):
            participants.settle_waiting(
                study.workspace, study.record.id, person.id, let_in=True, by=study.owner
            )
    assert (
        participants.answer_eligibility(study.workspace, second.id, GOOD).state
        == ParticipantState.SCREENED_OUT
    )


def test_who_waits_answers_again(study: StudyFixture) -> None:
    person = agreed(study)
    participants.answer_eligibility(study.workspace, person.id, NEAR)
    assert (
        participants.answer_eligibility(study.workspace, person.id, {**NEAR, "nationality": "Scottish"}).state
        == "waiting"
    )
    assert personal.attributes(study.workspace, study.record.id, person.id)["nationality"] == "Scottish"
    assert participants.answer_eligibility(study.workspace, person.id, GOOD).state == ParticipantState.ACTIVE
    assert participants.list_waiting(study.workspace, study.record.id, by=study.owner) == []


@ON_A_FILE
def test_nobody_decides_over_the_people_of_another_study(study: StudyFixture) -> None:
    person = agreed(study)
    participants.answer_eligibility(study.workspace, person.id, NEAR)
    neighbour = open_study(study.workspace, [{"name": "verify", "kind": "vote"}], name="neighbour")
    assert participants.list_waiting(study.workspace, neighbour.record.id, by=neighbour.owner) == []
    with pytest.raises(NotFoundError):
        participants.settle_waiting(
            study.workspace, neighbour.record.id, person.id, let_in=True, by=neighbour.owner
        )
    let_in = participants.waive_eligibility(
        study.workspace, study.record.id, person.id, "known to us", by=study.owner
    )
    assert (let_in.state, let_in.waiver) == (ParticipantState.ACTIVE, "known to us")
