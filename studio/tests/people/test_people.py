"""Joining, consent, eligibility, leaving, and what is personal about people."""

from __future__ import annotations

import threading
from typing import Any

import pytest
import sqlalchemy as sa

from folkways.workspace.database import Workspace
from folkways_studio.database import schema
from folkways_studio.database.rows import change_rows
from folkways_studio.errors import ConflictError, InviteError, NotFoundError, SubmissionError
from folkways_studio.items import service as items
from folkways_studio.people import accounts, invites, participants, password_links, personal, sessions
from folkways_studio.programs import tokens
from folkways_studio.records import ItemState, Participant, ParticipantState, Role, StudyState
from folkways_studio.studies import deletion
from folkways_studio.studies import service as studies
from folkways_studio.work import adjudications, judgements
from studio.tests.support.studies import ON_BOTH, PASSWORD, QUESTION, StudyFixture, open_study, stored
from tests.support.frozen_time import at_time

CRITERIA = [
    {"name": "nationality", "ask": "Your nationality?", "accept": ["South Korean", "Korean"]},
    {"name": "years", "ask": "Years in the country?", "least": 5},
    {"name": "group", "ask": "Your group?", "optional": True},
    {
        "name": "side",
        "ask": "Which side?",
        "options": ["North", "South"],
        "accept": ["North"],
        "optional": True,
    },
]
POPULATIONS = [{"name": "korea", "culture": "KR", "people": 2, "criteria": CRITERIA}]
GOOD = {"nationality": " south korean ", "years": "30"}


def joined(study: StudyFixture, **external: str) -> Participant:
    _, token = invites.create_invite(study.workspace, study.record.id, population="korea")
    return participants.join(study.workspace, token, external=external)


def consented(study: StudyFixture) -> Participant:
    return participants.consent(study.workspace, joined(study).id, study.record.consent_version)


def test_the_way_in(study: StudyFixture) -> None:
    person = joined(study)
    assert person.state == ParticipantState.JOINED
    with pytest.raises(ConflictError, match="agree first"):
        participants.answer_eligibility(study.workspace, person.id, GOOD)
    assert (
        participants.consent(study.workspace, person.id, study.record.consent_version).state
        == ParticipantState.CONSENTED
    )
    assert study.nothing(person) == "not_active"
    person = participants.answer_eligibility(study.workspace, person.id, GOOD)
    assert (person.state, person.eligible) == (ParticipantState.ACTIVE, True)
    assert personal.attributes(study.workspace, study.record.id, person.id) == {
        "nationality": "south korean",
        "years": "30",
    }


def test_consent_is_to_the_text_that_was_seen(study: StudyFixture) -> None:
    with pytest.raises(ConflictError, match="changed while you read"):
        participants.consent(study.workspace, joined(study).id, "an older version")


@pytest.mark.parametrize(
    ("answers", "failed"), [({**GOOD, "years": "4"}, "years"), ({**GOOD, "side": "South"}, "side")]
)
def test_who_does_not_meet_the_criteria_is_screened_out_once(
    study: StudyFixture, answers: dict[str, str], failed: str
) -> None:
    person = participants.answer_eligibility(study.workspace, consented(study).id, answers)
    assert person.state == ParticipantState.SCREENED_OUT
    again = participants.answer_eligibility(study.workspace, person.id, GOOD)
    assert again.state == ParticipantState.SCREENED_OUT, "nobody tries answers until one fits"
    with study.workspace.read() as connection:
        details = connection.scalar(
            sa.select(schema.events.c.details).filter_by(kind="participant.screened_out")
        )
    assert details == {"failed": [failed]}


def test_questions_without_an_answer_are_named(study: StudyFixture) -> None:
    with pytest.raises(SubmissionError) as error:
        participants.answer_eligibility(
            study.workspace, consented(study).id, {"nationality": "Korean", "years": " "}
        )
    assert set(error.value.problems) == {"years"}


def test_a_waiver_needs_a_reason_and_is_kept(study: StudyFixture) -> None:
    person = participants.answer_eligibility(study.workspace, consented(study).id, {**GOOD, "years": "2"})
    with pytest.raises(SubmissionError):
        participants.waive_eligibility(study.workspace, study.record.id, person.id, " ", by=study.owner)
    person = participants.waive_eligibility(
        study.workspace, study.record.id, person.id, "grew up there", by=study.owner
    )
    assert (person.state, person.eligible, person.waiver) == (ParticipantState.ACTIVE, False, "grew up there")


@ON_BOTH
def test_a_population_takes_no_more_people_than_it_may(study: StudyFixture) -> None:
    people = [consented(study) for _ in range(5)]
    states: list[str] = []

    def answer(person: Participant) -> None:
        states.append(participants.answer_eligibility(study.workspace, person.id, GOOD).state)

    threads = [threading.Thread(target=answer, args=(person,)) for person in people]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(states) == ["active", "active", "screened_out", "screened_out", "screened_out"]


def test_who_comes_back_is_the_same_person(study: StudyFixture) -> None:
    _, token = invites.create_invite(study.workspace, study.record.id, population="korea", uses=1)
    account = accounts.create_account(study.workspace, "kim@example.org", PASSWORD)
    first = participants.join(study.workspace, token, account.id)
    assert participants.join(study.workspace, token, account.id).id == first.id, (
        "also by an invitation that is used up"
    )
    with pytest.raises(InviteError, match="as often as it may"):
        participants.join(study.workspace, token)


@ON_BOTH
def test_the_same_prolific_id_is_the_same_person(study: StudyFixture) -> None:
    _, token = invites.create_invite(study.workspace, study.record.id, population="korea")
    pid = {"prolific_pid": "5f0c", "prolific_session": "s1", "shoe_size": "43"}
    first = participants.join(study.workspace, token, external=pid)
    participants.consent(study.workspace, first.id, study.record.consent_version)
    participants.waive_eligibility(study.workspace, study.record.id, first.id, "why", by=study.owner)
    again = {**pid, "prolific_session": "s2"}
    assert participants.join(study.workspace, token, external=again, signed=True).id == first.id
    assert participants.join(study.workspace, token, external=again, browser=first.account_id).id == first.id
    with pytest.raises(InviteError, match="in the browser that you began in"):
        participants.join(study.workspace, token, external={**pid, "prolific_session": "s3"})
    with pytest.raises(InviteError, match="in the browser that you began in"):
        participants.join(
            study.workspace, token, external={**pid, "prolific_session": "s3"}, browser=study.owner
        )
    assert participants.join(study.workspace, token, external={"prolific_pid": "6a1d"}).id != first.id
    kept = dict(personal.attributes(study.workspace, study.record.id, first.id))
    code = kept.pop("return_code")
    assert kept == {"prolific_pid": "5f0c", "prolific_session": "s2"}
    assert participants.join(study.workspace, token, external=again, code=code).id == first.id
    assert first.source == "prolific"


def test_invitations_that_let_nobody_in(study: StudyFixture) -> None:
    invite, token = invites.create_invite(study.workspace, study.record.id, population="korea", days=1)
    with pytest.raises(InviteError, match="not known"):
        participants.join(study.workspace, token + "x")
    with pytest.raises(InviteError, match="expired"):
        at_time(invite.expires + 1, participants.join, study.workspace, token)
    invites.revoke_invite(study.workspace, study.record.id, invite.id)
    with pytest.raises(InviteError, match="taken back"):
        participants.join(study.workspace, token)


def test_a_closed_study_lets_nobody_in(study: StudyFixture) -> None:
    _, token = invites.create_invite(study.workspace, study.record.id, population="korea")
    studies.set_state(study.workspace, study.record.id, StudyState.CLOSED)
    with pytest.raises(ConflictError, match="closed"):
        participants.join(study.workspace, token)


@ON_BOTH
def test_an_invitation_is_used_as_often_as_it_may_and_no_more(study: StudyFixture) -> None:
    _, token = invites.create_invite(study.workspace, study.record.id, population="korea", uses=3)
    told: list[str] = []

    def come() -> None:
        try:
            told.append(participants.join(study.workspace, token).state)
        except InviteError:
            told.append("refused")

    threads = [threading.Thread(target=come) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(told) == ["joined"] * 3 + ["refused"] * 5


def test_annotators_need_a_population(study: StudyFixture) -> None:
    with pytest.raises(NotFoundError, match="the study has: korea"):
        invites.create_invite(study.workspace, study.record.id)
    assert invites.create_invite(study.workspace, study.record.id, Role.REVIEWER)[0].population_id is None


@ON_BOTH
def test_deleting_what_is_personal_leaves_judgements_whole(study: StudyFixture) -> None:
    account = accounts.create_account(study.workspace, "kim@example.org", PASSWORD, name="Kim")
    _, token = invites.create_invite(study.workspace, study.record.id, population="korea")
    person = participants.join(study.workspace, token, account.id)
    participants.consent(study.workspace, person.id, study.record.consent_version)
    participants.answer_eligibility(study.workspace, person.id, GOOD)
    (item,) = study.add("verify", [QUESTION])
    study.answer(person, {"choices": [0]})
    accounts.verify_password(study.workspace, "Kim@example.org", "a wrong guess", key="192.0.2.7")
    password_links.make_link(study.workspace, account.id)
    tokens.create_token(study.workspace, account.id, study_id=None, name="Kim's laptop")
    sessions.open_session(study.workspace, account.id)
    with study.workspace.write() as connection:
        connection.execute(
            sa.insert(schema.identities).values(account_id=account.id, issuer="x", subject="Kim", created=1.0)
        )
    assert personal.delete_attributes(study.workspace, study.record.id, person.id, by=study.owner) == 2
    assert personal.attributes(study.workspace, study.record.id, person.id) == {}
    erased = accounts.get_account(study.workspace, account.id)
    assert (erased.login, erased.name, erased.disabled) == (None, "", True)
    assert len(judgements.list_judgements(study.workspace, study.record.id, item)) == 1
    with study.workspace.read() as connection:
        everything = str([connection.execute(sa.select(table)).all() for table in schema_tables()])
    assert "Kim" not in everything
    assert "kim@example.org" not in everything
    assert "south korean" not in everything
    for table in (schema.password_links, schema.tokens, schema.sessions):
        assert stored(study.workspace, table, account_id=account.id) == []
    assert "192.0.2.7" not in everything
    left = [row["key"].partition(":")[0] for row in stored(study.workspace, schema.attempts)]
    assert sorted(left) == ["from", "pair"], "none by the login alone, which a hash of a guess would find"


def test_a_study_that_was_deleted_keeps_nobody_from_being_forgotten(
    studio_workspace: Workspace, study: StudyFixture
) -> None:
    account = accounts.create_account(studio_workspace, "kim@example.org", PASSWORD)
    other = open_study(studio_workspace, [{"name": "verify", "kind": "vote"}], name="other")
    people = []
    for each in (study, other):
        _, token = invites.create_invite(studio_workspace, each.record.id, population="korea")
        people.append(participants.join(studio_workspace, token, account.id))
    personal.delete_attributes(studio_workspace, study.record.id, people[0].id)
    assert accounts.get_account(studio_workspace, account.id).login == "kim@example.org"
    deletion.delete_study(studio_workspace, other.record.id, "other")
    personal.delete_attributes(studio_workspace, study.record.id, people[0].id)
    assert accounts.get_account(studio_workspace, account.id).login is None


def schema_tables() -> list[sa.Table]:
    left_out = (schema.populations, schema.studies)
    return [table for table in vars(schema).values() if isinstance(table, sa.Table) and table not in left_out]


def test_other_studies_people_are_not_there(studio_workspace: Workspace, study: StudyFixture) -> None:
    other = open_study(studio_workspace, [{"name": "verify", "kind": "vote"}], name="other")
    person = other.person()
    for act in (personal.attributes, personal.delete_attributes, participants.withdraw):
        with pytest.raises(NotFoundError):
            act(study.workspace, study.record.id, person.id)


def test_who_withdrew_cannot_come_back_by_the_link(study: StudyFixture) -> None:
    _, token = invites.create_invite(study.workspace, study.record.id, population="korea")
    account = accounts.create_account(study.workspace, "kim@example.org", PASSWORD)
    person = participants.join(study.workspace, token, account.id)
    participants.withdraw(study.workspace, study.record.id, person.id)
    with pytest.raises(ConflictError, match="you have left"):
        participants.join(study.workspace, token, account.id)


def test_who_says_they_are_done_can_go_on_later(studio_workspace: Workspace) -> None:
    study = open_study(studio_workspace, [{"name": "verify", "kind": "vote"}])
    person, other = study.person(), study.person()
    study.add("verify", [QUESTION])
    held = study.work(person)
    assert participants.finish(study.workspace, person.id).state == ParticipantState.FINISHED
    assert study.work(other).assignment.id == held.assignment.id, "what was at hand is free at once"
    study.work(person)
    assert participants.get_participant(study.workspace, person.id).state == ParticipantState.ACTIVE


def test_whoever_is_done_still_takes_up_a_place(study: StudyFixture) -> None:
    """Of the two people that the population takes, one has finished and been paid for: there is room for one
    more, not for two."""
    for _ in range(2):
        person = participants.answer_eligibility(study.workspace, consented(study).id, GOOD)
        participants.finish(study.workspace, person.id)
    late = participants.answer_eligibility(study.workspace, consented(study).id, GOOD)
    assert (late.state, late.eligible) == (ParticipantState.SCREENED_OUT, False)


def test_whoever_withdrew_or_was_screened_out_takes_up_none(study: StudyFixture) -> None:
    participants.answer_eligibility(study.workspace, consented(study).id, {**GOOD, "years": "1"})
    gone = participants.answer_eligibility(study.workspace, consented(study).id, GOOD)
    participants.withdraw(study.workspace, study.record.id, gone.id)
    for _ in range(2):
        assert (
            participants.answer_eligibility(study.workspace, consented(study).id, GOOD).state
            == ParticipantState.ACTIVE
        )


@pytest.mark.parametrize("full", ["population", "quota", "population that is asked nothing"])
@pytest.mark.parametrize("state", ParticipantState)
def test_whoever_has_been_let_in_takes_up_a_place_until_they_leave(
    studio_workspace: Workspace, state: ParticipantState, full: str
) -> None:
    """Also a person whom a rule has paused: they may go on."""
    criterion: dict[str, Any] = {"name": "side", "ask": "Which side?", "options": ["North", "South"]}
    korea: dict[str, Any] = {"name": "korea", "culture": "KR"}
    if full.startswith("population"):
        korea["people"] = 1
    if full == "quota":
        criterion["quota"] = {"North": 1}
    if full != "population that is asked nothing":
        korea["criteria"] = [criterion]
    study = open_study(studio_workspace, [{"name": "verify", "kind": "vote"}], populations=[korea])
    first = participants.answer_eligibility(study.workspace, consented(study).id, {"side": "North"})
    assert first.state == ParticipantState.ACTIVE
    with study.workspace.write() as connection:
        change_rows(connection, schema.participants, {"id": first.id}, state=str(state))
    second = participants.answer_eligibility(study.workspace, consented(study).id, {"side": "North"}).state
    is_in = state in (ParticipantState.ACTIVE, ParticipantState.FINISHED, ParticipantState.PAUSED)
    assert second == (ParticipantState.SCREENED_OUT if is_in else ParticipantState.ACTIVE)


def live_slots(workspace: Workspace, item: int) -> tuple[int, int]:
    """How many slots of an item are open, and how many are being worked on."""
    table = schema.assignments
    query = (
        sa.select(table.c.state, sa.func.count().label("n"))
        .where(table.c.item_id == item)
        .group_by(table.c.state)
    )
    with workspace.read() as connection:
        counts = {row.state: row.n for row in connection.execute(query)}
    return counts.get("open", 0), counts.get("leased", 0)


@pytest.fixture
def votes(studio_workspace: Workspace) -> StudyFixture:
    return open_study(studio_workspace, [{"name": "verify", "kind": "vote"}])


@pytest.mark.parametrize("withdrawn", [1, 2])
def test_each_answer_that_is_withdrawn_is_asked_for_once_more(votes: StudyFixture, withdrawn: int) -> None:
    """Five answers were wanted and paid for; for each that goes one slot opens, also where others work on the
    item."""
    (item,) = votes.add("verify", [QUESTION])
    people = [votes.person() for _ in range(5)]
    for person in people:
        votes.answer(person, {"choices": [0]})
    assert live_slots(votes.workspace, item) == (0, 0)
    for person in people[:withdrawn]:
        participants.withdraw(votes.workspace, votes.record.id, person.id)
    assert live_slots(votes.workspace, item) == (withdrawn, 0)
    for _ in range(withdrawn):
        votes.answer(votes.person(), {"choices": [0]})
    assert items.get_item(votes.workspace, votes.record.id, item).state == ItemState.DONE
    assert live_slots(votes.workspace, item) == (0, 0)


@ON_BOTH
def test_a_withdrawal_counts_who_is_at_work(votes: StudyFixture) -> None:
    (item,) = votes.add("verify", [QUESTION])
    first, second, third = (votes.person() for _ in range(3))
    votes.answer(first, {"choices": [0]})
    votes.answer(second, {"choices": [0]})
    votes.work(third)
    assert live_slots(votes.workspace, item) == (2, 1)
    participants.withdraw(votes.workspace, votes.record.id, first.id)
    assert live_slots(votes.workspace, item) == (3, 1)
    participants.withdraw(votes.workspace, votes.record.id, third.id)
    assert live_slots(votes.workspace, item) == (4, 0)


def test_a_withdrawal_leaves_an_experts_decision_alone(votes: StudyFixture) -> None:
    (item,) = votes.add("verify", [QUESTION])
    people = [votes.person() for _ in range(5)]
    for person in people:
        votes.answer(person, {"choices": [0]})
    decided = adjudications.adjudicate(
        votes.workspace, votes.record.id, item, votes.owner, {"right": [2]}, "they misread it"
    )
    participants.withdraw(votes.workspace, votes.record.id, people[0].id)
    after = items.get_item(votes.workspace, votes.record.id, item)
    assert (after.state, after.result, after.reason) == (ItemState.DONE, decided.result, "they misread it")
    assert live_slots(votes.workspace, item) == (0, 0)


def test_a_withdrawal_leaves_alone_what_others_have_built_on(studio_workspace: Workspace) -> None:
    stages = [
        {"name": "verify", "kind": "vote", "next": {"done": "again"}},
        {"name": "again", "kind": "vote"},
    ]
    study = open_study(studio_workspace, stages)
    (item,) = study.add("verify", [QUESTION])
    people = [study.person() for _ in range(5)]
    for person in people:
        study.answer(person, {"choices": [0]}, "verify")
    (child,) = items.list_items(study.workspace, study.record.id, "again")
    participants.withdraw(study.workspace, study.record.id, people[0].id)
    assert items.get_item(study.workspace, study.record.id, item).state == ItemState.DONE
    assert live_slots(study.workspace, item) == (0, 0)
    assert items.get_item(study.workspace, study.record.id, child.id).state == ItemState.OPEN
