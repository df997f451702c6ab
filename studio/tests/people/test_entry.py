"""What is written down when people come into a study and leave it: whole rows, beside a study that looks the
same."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from typing import Any

import pytest

from folkways.workspace.database import Workspace
from folkways_studio.database import schema
from folkways_studio.errors import ConflictError, InviteError, NotFoundError, ReturnError, SubmissionError
from folkways_studio.people import accounts, invites, participants, personal, sessions
from folkways_studio.records import Participant, Role
from folkways_studio.studies import progress
from folkways_studio.work import drafts
from studio.tests.support.studies import ON_A_FILE, QUESTION, StudyFixture, open_study, stored
from tests.support.frozen_time import at_time

CRITERIA = [
    {"name": "nationality", "ask": "Your nationality?", "accept": ["Korean"]},
    {"name": "group", "ask": "Your group?", "optional": True},
]
POPULATIONS = [
    {"name": "peru", "culture": "PE"},
    {"name": "korea", "culture": "KR", "people": 2, "criteria": CRITERIA},
    {"name": "north", "culture": "KR", "criteria": CRITERIA[:1]},
]
STAGES = [{"name": "verify", "kind": "vote"}]
pytestmark = ON_A_FILE


@pytest.fixture
def two_studies(studio_workspace: Workspace) -> tuple[StudyFixture, StudyFixture]:
    """Two studies of the same people and stages: what is done in the second leaves the first alone."""
    first, second = (
        open_study(studio_workspace, STAGES, populations=POPULATIONS, name=name)
        for name in ("neighbour", "study")
    )
    return first, second


def come(
    study: StudyFixture, population: str | None = "korea", role: Role = Role.ANNOTATOR, **how: Any
) -> Participant:
    """Somebody new who has not agreed to anything."""
    _, token = invites.create_invite(study.workspace, study.record.id, role, population=population)
    return participants.join(study.workspace, token, **how)


def populations_of(study: StudyFixture) -> dict[str, int]:
    return {
        row["name"]: row["id"]
        for row in stored(study.workspace, schema.populations, study_id=study.record.id)
    }


def test_an_invitation_is_for_its_study_population_and_time(
    two_studies: tuple[StudyFixture, StudyFixture],
) -> None:
    neighbour, study = two_studies
    day = 86400.0
    first, token = at_time(
        100.0,
        invites.create_invite,
        study.workspace,
        study.record.id,
        population="korea",
        uses=2,
        days=2,
        note="by post",
        by=study.owner,
    )
    assert len(token) == 32, "24 random bytes"
    other, other_token = at_time(
        200.0, invites.create_invite, study.workspace, study.record.id, Role.REVIEWER
    )
    elsewhere, _ = at_time(
        300.0, invites.create_invite, study.workspace, neighbour.record.id, population="peru"
    )
    before = [
        {
            "id": first.id,
            "token_hash": hashlib.sha256(token.encode()).hexdigest(),
            "study_id": study.record.id,
            "population_id": populations_of(study)["korea"],
            "role": "annotator",
            "uses_left": 2,
            "expires": 100.0 + 2 * day,
            "revoked": False,
            "note": "by post",
            "created": 100.0,
            "created_by": study.owner,
        },
        {
            "id": other.id,
            "token_hash": hashlib.sha256(other_token.encode()).hexdigest(),
            "study_id": study.record.id,
            "population_id": None,
            "role": "reviewer",
            "uses_left": None,
            "expires": 200.0 + 30 * day,
            "revoked": False,
            "note": "",
            "created": 200.0,
            "created_by": None,
        },
    ]
    assert stored(study.workspace, schema.invites)[:2] == before
    assert invites.list_invites(study.workspace, study.record.id) == (other, first)
    for population, role in (("france", Role.ANNOTATOR), ("france", Role.REVIEWER), (None, Role.ANNOTATOR)):
        with pytest.raises(NotFoundError, match=r"the study has: peru, korea, north$"):
            invites.create_invite(study.workspace, study.record.id, role, population=population)
    for at in (100.0 + 2 * day, 100.0 + 3 * day):
        with pytest.raises(InviteError, match="expired"):
            at_time(at, invites.find_invite, study.workspace, token)
    assert at_time(99.0 + 2 * day, invites.find_invite, study.workspace, token) == first
    with pytest.raises(InviteError, match="expired"):
        invites.find_invite(study.workspace, token)
    for number in (elsewhere.id, elsewhere.id + 1):
        with pytest.raises(NotFoundError):
            invites.revoke_invite(study.workspace, study.record.id, number)
    invites.revoke_invite(study.workspace, study.record.id, other.id)
    assert [row["revoked"] for row in stored(study.workspace, schema.invites)] == [False, True, False]
    people = [at_time(150.0, participants.join, study.workspace, token) for _ in range(2)]
    assert people[0].id != people[1].id
    assert [row["uses_left"] for row in stored(study.workspace, schema.invites)] == [0, None, None]
    with pytest.raises(InviteError, match="as often as it may"):
        at_time(150.0, invites.find_invite, study.workspace, token)


def test_what_joining_writes_down(two_studies: tuple[StudyFixture, StudyFixture]) -> None:
    neighbour, study = two_studies
    workspace = study.workspace
    known = len(stored(workspace, schema.accounts))
    invite, token = invites.create_invite(workspace, study.record.id, population="korea", by=study.owner)
    external = {"prolific_pid": "p" * 2001, "prolific_study": "", "prolific_session": "s", "shoe_size": "43"}
    first = at_time(invite.created + 1, participants.join, workspace, token, external=external, locale="ar")
    second = participants.join(workspace, token, external={"prolific_session": "t"}, signed=True)
    third = at_time(invite.created + 2, participants.join, workspace, token)
    staff = come(study, None, Role.REVIEWER)
    expected = [
        {
            "id": person.id,
            "study_id": study.record.id,
            "account_id": person.account_id,
            "population_id": population,
            "pseudonym": person.pseudonym,
            "state": "joined",
            "source": source,
            "consent_version": None,
            "consented": None,
            "eligible": None,
            "waiver": None,
            "exclusion": None,
            "pause": None,
            "pay": None,
            "joined": person.joined,
            "left": None,
            "consent_sha256": None,
            "consent_language": None,
        }
        for person, population, source in (
            (first, populations_of(study)["korea"], "prolific"),
            (second, populations_of(study)["korea"], "invite"),
            (third, populations_of(study)["korea"], "invite"),
            (staff, None, "invite"),
        )
    ]
    assert stored(workspace, schema.participants) == expected
    assert (first.joined, third.joined) == (invite.created + 1, invite.created + 2)
    assert {len(person.pseudonym) for person in (first, second, third, staff)} == {14}
    made = stored(workspace, schema.accounts)[known:]
    assert [(row["id"], row["login"], row["locale"]) for row in made] == [
        (first.account_id, None, "ar"),
        (second.account_id, None, ""),
        (third.account_id, None, ""),
        (staff.account_id, None, ""),
    ]
    assert [row["created"] for row in (made[0], made[2])] == [invite.created + 1, invite.created + 2]
    kept = {
        (row["participant_id"], row["name"]): row["value"] for row in stored(workspace, schema.attributes)
    }
    code = kept.pop((first.id, "return_code"))
    assert kept == {
        (first.id, "prolific_pid"): "p" * 2000,
        (first.id, "prolific_session"): "s",
        (second.id, "prolific_session"): "t",
    }
    assert len(code) == 8
    given = [
        (row["account_id"], row["role"]) for row in stored(workspace, schema.roles, study_id=study.record.id)
    ]
    assert sorted(given) == sorted(
        [
            (study.owner, "owner"),
            (staff.account_id, "reviewer"),
            *((each.account_id, "annotator") for each in (first, second, third)),
        ]
    )
    assert participants.list_participants(workspace, study.record.id) == (first, second, third, staff)
    assert participants.list_participants(workspace, neighbour.record.id) == ()
    assert participants.get_participant(workspace, third.id) == third
    with pytest.raises(NotFoundError):
        participants.get_participant(workspace, staff.id + 1)


def test_who_comes_back_is_known_by_study_and_id(two_studies: tuple[StudyFixture, StudyFixture]) -> None:
    neighbour, study = two_studies
    workspace = study.workspace
    account = accounts.create_account(workspace, "kim", None).id
    pid = {"prolific_pid": "5f0c"}
    elsewhere = [come(neighbour, external=pid), come(neighbour, account_id=account)]
    other = come(study, external={"prolific_pid": "another", "prolific_session": "5f0c"})
    codes = {
        row["participant_id"]: row["value"]
        for row in stored(workspace, schema.attributes, name="return_code")
    }
    assert set(codes) == {elsewhere[0].id, other.id}
    first = come(study, external=pid, signed=True)  # of the same name as in the other study
    for begun in (first, other):
        participants.consent(workspace, begun.id, study.record.consent_version)
        participants.answer_eligibility(workspace, begun.id, {"nationality": "Korean"})
    mine = come(study, account_id=account)
    assert len({first.id, mine.id, other.id, *(each.id for each in elsewhere)}) == 5
    for code in ("", codes[other.id], codes[elsewhere[0].id]):
        with pytest.raises(ReturnError):
            come(study, external=pid, code=code)
    assert come(study, external=pid, signed=True).id == first.id
    assert come(study, external=pid, browser=first.account_id).id == first.id
    assert come(study, external={"prolific_pid": "another"}, code=codes[other.id]).id == other.id
    with pytest.raises(ReturnError):
        come(study, external={"prolific_pid": "another"}, code=codes[other.id][:-1])
    assert come(study, account_id=account).id == mine.id
    new = come(study, external={"prolific_session": "5f0c"})
    assert new.id > mine.id, "a visit is no person"
    participants.withdraw(workspace, study.record.id, first.id)
    with pytest.raises(ConflictError, match="you have left"):
        come(study, external=pid, signed=True)


@pytest.mark.parametrize(
    ("steps", "may_again"), [(0, True), (1, True), (2, False), (3, False), (4, False), (5, False)]
)
def test_who_has_said_nothing_comes_in_again_and_is_signed_out_elsewhere(
    two_studies: tuple[StudyFixture, StudyFixture], steps: int, may_again: bool
) -> None:
    """The reply to their first click may be lost, and they have not seen a code. steps: how far they are."""
    _, study = two_studies
    workspace, pid = study.workspace, {"prolific_pid": "5f0c"}
    first, bystander = come(study, external=pid), come(study, external={"prolific_pid": "another"})
    tokens = [sessions.open_session(workspace, each.account_id) for each in (first, bystander)]
    walk: list[Callable[[], object]] = [
        lambda: participants.consent(workspace, first.id, study.record.consent_version),
        lambda: participants.answer_eligibility(workspace, first.id, {"nationality": "French"}),
        lambda: participants.waive_eligibility(workspace, study.record.id, first.id, "why", by=study.owner),
        lambda: participants.finish(workspace, first.id),
        lambda: participants.withdraw(workspace, study.record.id, first.id),
    ]
    for step in walk[:steps]:
        step()
    if may_again:
        again = come(study, external=pid)
        assert again == participants.get_participant(workspace, first.id)
    else:
        with pytest.raises(ReturnError):
            come(study, external=pid)
    assert [sessions.find_session(workspace, token) is not None for token in tokens] == [not may_again, True]


def test_nobody_comes_in_again_to_an_account_that_is_in_another_study(
    two_studies: tuple[StudyFixture, StudyFixture],
) -> None:
    neighbour, study = two_studies
    pid = {"prolific_pid": "5f0c"}
    first = come(neighbour, external=pid)
    participants.consent(study.workspace, first.id, neighbour.record.consent_version)
    come(study, external=pid, browser=first.account_id)
    token = sessions.open_session(study.workspace, first.account_id)
    with pytest.raises(ReturnError):
        come(study, external=pid)
    assert sessions.find_session(study.workspace, token) is not None


@pytest.mark.parametrize("signed", [True, False])
@pytest.mark.parametrize(
    ("steps", "answers"),
    [
        ("1aa", {"1": 2}),
        ("1a2", {"1": 1, "2": 0}),
        ("1a1a2aa", {"1": 2, "2": 2}),
        ("12a", {"1": 0, "2": 1}),
        ("1a2a1a", {"1": 2, "2": 1}),
        ("-a", {"": 1}),
        ("-a2a", {"": 1, "2": 1}),
        ("1a-a", {"1": 2}),
    ],
)
def test_answers_belong_to_the_study_of_the_service_by_which_people_came_last(
    votes: StudyFixture, steps: str, answers: dict[str, int], signed: bool
) -> None:
    """steps: 1, 2: they come by this study there, a hyphen: by a link that names none; a: they answer."""
    votes.add("verify", [QUESTION] * 4)
    votes.answer(votes.person(), {"choices": [1]})
    _, token = invites.create_invite(votes.workspace, votes.record.id, population="korea")
    person = browser = None
    for step in steps:
        if step == "a":
            assert person is not None
            votes.answer(person, {"choices": [0]})
            continue
        external = {"prolific_pid": "5f0c", **({} if step == "-" else {"prolific_study": step})}
        person = participants.join(
            votes.workspace, token, external={**external, "prolific_session": f"s{step}"}, signed=signed,
            browser=browser,
        )  # fmt: skip
        participants.consent(votes.workspace, person.id, votes.record.consent_version)
        browser = person.account_id
    assert person is not None
    (paid,) = (
        row
        for row in progress.payments(votes.workspace, votes.record.id)
        if row.pseudonym == person.pseudonym
    )
    assert paid.answers_by_study == answers and paid.answers == sum(answers.values())
    last = personal.own_attributes(votes.workspace, person.id)
    arrivals = steps.replace("a", "")
    assert last["prolific_session"] == f"s{arrivals[-1]}"
    assert last.get("prolific_study", "-") == (arrivals.replace("-", "") or "-")[-1]


@pytest.mark.parametrize("role", Role)
def test_nobody_comes_in_again_to_an_account_with_a_login(
    two_studies: tuple[StudyFixture, StudyFixture], role: Role
) -> None:
    """Who opens a link of Prolific's form for staff has a login, which may be that of other studies too."""
    _, study = two_studies
    pid = {"prolific_pid": "5f0c"}
    make = accounts.prepare_account("ann@example.org", "a long password")
    first = come(study, role=role, external=pid, make_account=make)
    token = sessions.open_session(study.workspace, first.account_id)
    with pytest.raises(ReturnError):
        come(study, external=pid)
    assert sessions.find_session(study.workspace, token) is not None
    assert come(study, external=pid, browser=first.account_id).id == first.id


@pytest.mark.parametrize(
    ("pid", "whose", "same"),
    [("5f0c", "first", True), ("5f0d", "first", False), ("", "first", False), ("5f0c", "owner", False)],
)
@pytest.mark.parametrize("is_there", [False, True])
def test_a_browser_keeps_its_account_in_another_study_of_the_same_person(
    two_studies: tuple[StudyFixture, StudyFixture], pid: str, whose: str, same: bool, is_there: bool
) -> None:
    """is_there: the account takes part in the study already, without an id; it cannot twice."""
    neighbour, study = two_studies
    first = come(neighbour, external={"prolific_pid": "5f0c"})
    browser = {"first": first.account_id, "owner": study.owner}[whose]
    if is_there:
        come(study, account_id=browser)
    second = come(study, external={"prolific_pid": pid, "prolific_session": "s"}, browser=browser)
    assert second.id != first.id and (second.account_id == browser) == (same and not is_there)


def test_consent_lets_in_those_who_need_not_be_asked_more(
    two_studies: tuple[StudyFixture, StudyFixture],
) -> None:
    _, study = two_studies
    workspace, version = study.workspace, study.record.consent_version
    asked, free, staff, bystander = (
        come(study),
        come(study, "peru"),
        come(study, None, Role.REVIEWER),
        come(study),
    )
    for person, state, eligible in (
        (asked, "consented", None),
        (free, "active", True),
        (staff, "active", True),
    ):
        found = at_time(50.0, participants.consent, workspace, person.id, version)
        assert (found.state, found.eligible, found.consent_version, found.consented) == (
            state,
            eligible,
            version,
            50.0,
        )
    again = at_time(60.0, participants.consent, workspace, asked.id, version)
    assert (again.state, again.eligible, again.consented) == ("consented", None, 60.0)
    participants.answer_eligibility(workspace, asked.id, {"nationality": "French"})
    assert at_time(70.0, participants.consent, workspace, asked.id, version).state == "waiting"
    assert participants.get_participant(workspace, bystander.id) == bystander
    assert participants.consent(workspace, bystander.id, version).consented == pytest.approx(
        time.time(), abs=600
    )
    participants.withdraw(workspace, study.record.id, free.id)
    with pytest.raises(ConflictError, match="you have left"):
        participants.consent(workspace, free.id, version)


def test_answers_about_oneself_are_kept_and_judged_once(
    two_studies: tuple[StudyFixture, StudyFixture],
) -> None:
    neighbour, study = two_studies
    workspace = study.workspace

    def agreed(where: StudyFixture, population: str = "korea", **how: Any) -> Participant:
        return participants.consent(
            workspace, come(where, population, **how).id, where.record.consent_version
        )

    good = {"nationality": " Korean", "group": "", "age": "9"}
    for where in (neighbour, neighbour):
        participants.answer_eligibility(workspace, agreed(where).id, good)
    participants.answer_eligibility(workspace, agreed(study, "north").id, good)
    first, second = agreed(study, external={"prolific_pid": "x"}, signed=True), agreed(study)
    with pytest.raises(SubmissionError) as error:
        participants.answer_eligibility(workspace, first.id, {"nationality": " ", "group": "a"})
    assert set(error.value.problems) == {"nationality"}
    found = participants.answer_eligibility(workspace, first.id, {**good, "group": "g" * 2001})
    assert (found.state, found.eligible) == ("active", True)
    kept = personal.attributes(workspace, study.record.id, first.id)
    assert kept == {"prolific_pid": "x", "nationality": "Korean", "group": "g" * 2000}
    out = participants.answer_eligibility(workspace, second.id, {"nationality": "French"})
    assert (out.state, out.eligible) == ("waiting", None)
    assert personal.attributes(workspace, study.record.id, second.id) == {"nationality": "French"}
    participants.answer_eligibility(
        workspace, agreed(study).id, good
    )  # those elsewhere and those who are out take up no place
    for answers in (good, {"nationality": "French"}):  # nobody waits for nothing
        late = participants.answer_eligibility(workspace, agreed(study).id, answers)
        assert (late.state, late.eligible) == ("screened_out", False)


def test_a_waiver_is_for_one_person_who_is_not_in(two_studies: tuple[StudyFixture, StudyFixture]) -> None:
    neighbour, study = two_studies
    workspace = study.workspace
    people = [participants.consent(workspace, come(study).id, study.record.consent_version) for _ in range(3)]
    participants.answer_eligibility(workspace, people[1].id, {"nationality": "French"})
    before = stored(workspace, schema.participants)
    for person in people[:2]:
        participants.waive_eligibility(
            workspace, study.record.id, person.id, " grew up there ", by=study.owner
        )
    waived = {"state": "active", "eligible": False, "waiver": "grew up there"}
    assert stored(workspace, schema.participants) == [
        {**before[0], **waived},
        {**before[1], **waived},
        before[2],
    ]
    for person in (people[0], come(study)):
        with pytest.raises(ConflictError, match="needs no waiver"):
            participants.waive_eligibility(workspace, study.record.id, person.id, "why not", by=study.owner)
    with pytest.raises(NotFoundError):
        participants.waive_eligibility(
            workspace, neighbour.record.id, people[2].id, "why not", by=study.owner
        )


def test_staff_are_in_a_study_once(two_studies: tuple[StudyFixture, StudyFixture]) -> None:
    neighbour, study = two_studies
    workspace, since = study.workspace, time.time()
    helper, other = (accounts.create_account(workspace, name, None).id for name in ("helper", "other"))
    elsewhere = participants.add_staff(workspace, neighbour.record.id, helper, Role.EXPERT)
    beside = participants.add_staff(workspace, study.record.id, other, Role.EXPERT)
    first = participants.add_staff(workspace, study.record.id, helper, Role.REVIEWER)
    assert participants.add_staff(workspace, study.record.id, helper, Role.EXPERT) == first
    assert len({elsewhere.id, beside.id, first.id}) == 3
    assert since <= first.joined <= time.time()
    assert stored(workspace, schema.participants)[-1] == {
        "id": first.id, "study_id": study.record.id, "account_id": helper, "population_id": None,
        "pseudonym": first.pseudonym, "state": "active", "source": "staff", "consent_version": None,
        "consented": None, "eligible": True, "waiver": None, "exclusion": None, "pause": None, "pay": None,
        "joined": first.joined, "left": None, "consent_sha256": None, "consent_language": None,
    }  # fmt: skip
    assert len(first.pseudonym) == 14
    assert accounts.roles_of(workspace, study.record.id, helper) == {Role.REVIEWER, Role.EXPERT}


@pytest.fixture
def votes(studio_workspace: Workspace) -> StudyFixture:
    return open_study(studio_workspace, [{"name": "verify", "kind": "vote", "answers": 2, "majority": 2}])


def test_whoever_leaves_gives_back_what_was_theirs_and_nothing_else(votes: StudyFixture) -> None:
    """One is done, one withdraws; the third keeps the slot, the draft and the answers. What was answered is
    asked once more."""
    workspace = votes.workspace
    items = votes.add("verify", [QUESTION] * 3)
    gone, done, stays = (votes.person() for _ in range(3))
    for person in (gone, stays):
        for _ in range(2):
            votes.answer(person, {"choices": [0]})
    held = [votes.work(person) for person in (gone, stays)]
    for person, work in zip((gone, stays), held, strict=True):
        drafts.save_draft(workspace, person.id, work.assignment.id, {"choices": [1]}, 0)
    states = {row["id"]: row["state"] for row in stored(workspace, schema.items)}
    assert list(states.values()) == ["done", "done", "open"]
    since = time.time()
    found = participants.finish(workspace, done.id)
    assert found.left is not None and since <= found.left <= time.time()
    participants.finish(workspace, done.id)  # once more says nothing more
    assert len(stored(workspace, schema.events, kind="participant.finished")) == 1
    found = at_time(77.0, participants.withdraw, workspace, votes.record.id, gone.id)
    assert (found.state, found.left) == ("withdrawn", 77.0)
    assert at_time(78.0, participants.withdraw, workspace, votes.record.id, gone.id).left == 77.0
    assert participants.finish(workspace, gone.id).state == "withdrawn"
    assert [row["state"] for row in stored(workspace, schema.items)] == ["open"] * 3
    assert participants.get_participant(workspace, stays.id) == stays
    assert [row["participant_id"] for row in stored(workspace, schema.drafts)] == [stays.id]
    slots = [
        (row["item_id"], row["state"], row["participant_id"]) for row in stored(workspace, schema.assignments)
    ]
    assert slots == [
        (items[0], "done", gone.id), (items[0], "done", stays.id), (items[1], "done", gone.id),
        (items[1], "done", stays.id), (items[2], "open", None), (items[2], "leased", stays.id),
        (items[0], "open", None), (items[1], "open", None),
    ]  # fmt: skip


@pytest.mark.parametrize("needed", ["", "in another study", "as staff", "as staff of another study"])
def test_a_name_and_login_go_unless_they_are_needed(
    two_studies: tuple[StudyFixture, StudyFixture], needed: str
) -> None:
    neighbour, study = two_studies
    workspace = study.workspace
    kim, lee = (accounts.create_account(workspace, name, None, name=name).id for name in ("kim", "lee"))
    for account in (kim, lee):
        sessions.open_session(workspace, account)
    person, other = (
        come(study, account_id=kim, external={"prolific_session": "a"}),
        come(study, account_id=lee),
    )
    participants.consent(workspace, person.id, study.record.consent_version)
    participants.answer_eligibility(workspace, person.id, {"nationality": "Korean", "group": "g"})
    participants.consent(workspace, other.id, study.record.consent_version)
    participants.answer_eligibility(workspace, other.id, {"nationality": "Korean"})
    come(neighbour, account_id=lee)
    accounts.give_role(workspace, neighbour.record.id, lee, Role.EXPERT)
    if needed == "in another study":
        come(neighbour, account_id=kim)
    elif needed:
        accounts.give_role(
            workspace, (study if needed == "as staff" else neighbour).record.id, kim, Role.EXPERT
        )
    deleted = personal.delete_attributes(workspace, study.record.id, person.id)
    assert deleted == 4, "session, return code, nationality and group"
    assert personal.attributes(workspace, study.record.id, other.id) == {"nationality": "Korean"}
    row, beside = stored(workspace, schema.accounts, "created", "id", "locale")[2:4]
    whole = {"login": "kim", "password": None, "name": "kim", "disabled": False}
    assert row == ({"login": None, "password": None, "name": "", "disabled": True} if not needed else whole)
    assert beside == {**whole, "login": "lee", "name": "lee"}
    assert {each["account_id"] for each in stored(workspace, schema.sessions)} == (
        {lee} if not needed else {kim, lee}
    )
