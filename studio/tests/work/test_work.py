"""What is written down when work is taken, kept, given back and sent, row by row; and whose work it is."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import pytest
import sqlalchemy as sa

from folkways.workspace.database import Workspace
from folkways_studio.database import schema
from folkways_studio.errors import (
    AlreadySubmittedError,
    ConflictError,
    DraftConflictError,
    NotFoundError,
    SubmissionError,
)
from folkways_studio.items.service import NewItem, add_items
from folkways_studio.people import accounts, participants
from folkways_studio.records import Draft, Judgement, Participant, Role, StudyState
from folkways_studio.studies import service as studies
from folkways_studio.work import assignments, drafts, judgements, leases
from folkways_studio.work.assignments import NoWork, Work
from folkways_studio.work.eligible_slots import (
    attention_check,
    counts_of_person,
    give_slot,
    taken_by,
    with_item,
)
from folkways_studio.work.task_pages import get_task_page
from studio.tests.support.studies import ON_A_FILE, QUESTION, StudyFixture, next_work, open_study, stored
from tests.support.frozen_time import at_time

VOTE = {"name": "verify", "kind": "vote"}
WRITE = {"name": "write", "kind": "write_question"}
WRITTEN = {"scenario": "Somebody rings the bell at noon.", **QUESTION, "intended": [1]}
SAID = {"choices": [0]}
pytestmark = ON_A_FILE


def take(study: StudyFixture, person: Participant, **how: Any) -> Work:
    found = next_work(study.workspace, person.id, **how)
    assert isinstance(found, Work), found
    return found


def slot(study: StudyFixture, work: Work) -> Mapping[str, Any]:
    (row,) = stored(study.workspace, schema.assignments, id=work.assignment.id)
    return row


def test_a_slot_from_hand_to_hand(study: StudyFixture) -> None:
    """Taken, asked for again, kept by a heartbeat and by a draft, given back, taken by another, sent."""
    workspace = study.workspace
    kim, lee = study.person(), study.person()
    (item,) = study.add("verify", [QUESTION])
    work = at_time(1000.0, take, study, kim)
    begun = {
        "id": work.assignment.id,
        "item_id": item,
        "stage_id": work.stage.id,
        "population_id": kim.population_id,
        "slot": 1,
        "participant_id": kim.id,
        "state": "leased",
        "leased": 1000.0,
        "lease_until": 2800.0,
        "done": None,
        "allocation_id": None,
    }
    assert slot(study, work) == begun
    assert work.assignment.lease_until == 2800.0
    assert at_time(1100.0, take, study, kim).assignment.lease_until == 2900.0
    assert at_time(1050.0, take, study, kim).assignment.lease_until == 2900.0, "never to an earlier end"
    assert slot(study, work) == {**begun, "lease_until": 2900.0}
    assert at_time(1200.0, leases.heartbeat, workspace, kim.id, work.assignment.id) == 3000.0
    assert at_time(1150.0, leases.heartbeat, workspace, kim.id, work.assignment.id) == 3000.0
    assert slot(study, work) == {**begun, "lease_until": 3000.0}
    at_time(1300.0, drafts.save_draft, workspace, kim.id, work.assignment.id, {}, 0)
    at_time(1250.0, drafts.save_draft, workspace, kim.id, work.assignment.id, {}, 1)
    assert slot(study, work) == {**begun, "lease_until": 3100.0}
    assert [row["lease_until"] for row in stored(workspace, schema.assignments)] == [
        3100.0,
        None,
        None,
        None,
        None,
    ]
    leases.release(workspace, kim.id, work.assignment.id)
    free = {**begun, "participant_id": None, "state": "open", "leased": None, "lease_until": None}
    assert slot(study, work) == free
    again = at_time(4000.0, take, study, lee)
    assert again.assignment.id == work.assignment.id
    at_time(4012.5, judgements.submit, workspace, lee.id, again.assignment.id, SAID, "k")
    assert slot(study, work) == {
        **begun,
        "participant_id": lee.id,
        "state": "done",
        "leased": 4000.0,
        "lease_until": None,
        "done": 4012.5,
    }
    for act in (
        lambda: leases.heartbeat(workspace, lee.id, again.assignment.id),
        lambda: leases.release(workspace, lee.id, again.assignment.id),
        lambda: drafts.save_draft(workspace, lee.id, again.assignment.id, {}, 0),
        lambda: leases.require_leased(
            assignments.get_work(workspace, lee.id, again.assignment.id).assignment
        ),
    ):
        with pytest.raises(ConflictError):
            act()
    found = assignments.get_work(workspace, lee.id, again.assignment.id)
    assert (found.item.id, found.stage, found.assignment.done) == (item, work.stage, 4012.5)


def test_what_is_sent_is_stored_once_and_whole(study: StudyFixture) -> None:
    workspace = study.workspace
    kim, lee = study.person(), study.person()
    first, second = study.add("verify", [QUESTION] * 2)
    with workspace.write() as connection:  # another item was changed since
        change = {"item_id": second, "number": 2, "step": "edit", "content": QUESTION, "created": 0.0}
        connection.execute(sa.insert(schema.revisions).values(**change))
    work = at_time(1000.0, take, study, kim)
    other = at_time(1000.0, take, study, lee)
    for person, each in ((kim, work), (lee, other)):
        drafts.save_draft(workspace, person.id, each.assignment.id, {"choices": [3]}, 0)
    for key in ("", "k" * 65):
        with pytest.raises(SubmissionError):
            judgements.submit(workspace, kim.id, work.assignment.id, SAID, key)
    with pytest.raises(SubmissionError) as error:
        judgements.check_submission(workspace, kim.id, work.assignment.id, {}, "k")
    assert set(error.value.problems) == {"choices"}
    judgements.check_submission(workspace, kim.id, work.assignment.id, SAID, "k")
    assert stored(workspace, schema.judgements) == []
    found = at_time(
        1007.5, judgements.submit, workspace, kim.id, work.assignment.id, {**SAID, "more": 1}, "k" * 64
    )
    payload = {"choices": [0], "abstain": None, "comment": ""}
    row = {
        "id": found.judgement.id,
        "assignment_id": work.assignment.id,
        "item_id": first,
        "stage_id": work.stage.id,
        "participant_id": kim.id,
        "key": "k" * 64,
        "payload": payload,
        "seconds": 7.5,
        "revision": 1,
        "created": 1007.5,
    }
    assert stored(workspace, schema.judgements) == [row]
    assert (found.judgement, found.repeated) == (Judgement(**row), False)
    assert [draft["participant_id"] for draft in stored(workspace, schema.drafts)] == [lee.id]
    again = judgements.submit(workspace, kim.id, work.assignment.id, {"choices": [1]}, "k" * 64)
    assert (again.judgement, again.repeated) == (found.judgement, True)
    judgements.check_submission(workspace, kim.id, work.assignment.id, {}, "k" * 64)
    for act in (judgements.submit, judgements.check_submission):
        with pytest.raises(AlreadySubmittedError) as refused:
            act(workspace, kim.id, work.assignment.id, SAID, "another")
        assert refused.value.judgement == found.judgement
    following = take(study, kim)
    for act in (judgements.submit, judgements.check_submission):
        with pytest.raises(ConflictError, match="another item"):
            act(workspace, kim.id, following.assignment.id, SAID, "k" * 64)
        with pytest.raises(NotFoundError):
            act(workspace, lee.id, following.assignment.id, SAID, "l")
    # A key is a browser's, and another person may have the same.
    assert not judgements.submit(workspace, lee.id, other.assignment.id, SAID, "k" * 64).repeated
    study.submit(kim, following, SAID)
    told = {
        item: [each.participant_id for each in judgements.list_judgements(workspace, study.record.id, item)]
        for item in (first, second)
    }
    assert told == {first: [kim.id, lee.id], second: [kim.id]}
    assert judgements.list_judgements(workspace, study.record.id + 1, first) == ()


def test_nothing_is_stored_where_the_slot_or_the_study_was_closed(study: StudyFixture) -> None:
    workspace = study.workspace
    kim, lee = study.person(), study.person()
    study.add("verify", [QUESTION])
    work, other = take(study, kim), take(study, lee)
    with workspace.write() as connection:
        connection.execute(
            sa.update(schema.assignments).filter_by(id=work.assignment.id).values(state="closed")
        )
    with pytest.raises(ConflictError, match="ask for the next one"):
        study.submit(kim, work, SAID)
    studies.set_state(workspace, study.record.id, StudyState.CLOSED)
    with pytest.raises(ConflictError, match="study was closed"):
        study.submit(lee, other, SAID)
    assert stored(workspace, schema.judgements) == []


def test_a_question_of_ones_own_from_its_beginning_to_its_end(studio_workspace: Workspace) -> None:
    study = open_study(studio_workspace, [VOTE, {**WRITE, "lease_minutes": 10}])
    kim = study.person()
    work = at_time(1000.0, take, study, kim, stage="write")
    begun = {
        "id": work.item.id,
        "study_id": study.record.id,
        "stage_id": work.stage.id,
        "population_id": kim.population_id,
        "parent_id": None,
        "author_id": kim.id,
        "key": f"write-{work.item.id}",
        "round": 1,
        "content": {},
        "state": "draft",
        "check": None,
        "result": None,
        "reason": None,
        "created": 1000.0,
        "job_id": None,
        "test": None,
        "allocation_id": None,
    }
    held = {
        "item_id": work.item.id,
        "stage_id": work.stage.id,
        "population_id": kim.population_id,
        "slot": 1,
        "participant_id": kim.id,
        "state": "leased",
        "leased": 1000.0,
        "lease_until": 1600.0,
        "done": None,
        "allocation_id": None,
    }
    first = {
        "item_id": work.item.id,
        "number": 1,
        "step": "begun",
        "content": {},
        "strategy": None,
        "participant_id": kim.id,
        "created": 1000.0,
    }
    assert stored(studio_workspace, schema.items) == [begun]
    assert stored(studio_workspace, schema.assignments, "id") == [held]
    assert stored(studio_workspace, schema.revisions, "id") == [first]
    assert at_time(1100.0, take, study, kim, stage="write").item.id == work.item.id
    found = at_time(
        1200.0, judgements.submit, studio_workspace, kim.id, work.assignment.id, WRITTEN, "k"
    ).judgement
    (item,) = stored(studio_workspace, schema.items)
    assert {**item, "result": None} == {**begun, "state": "done", "content": found.payload}
    assert found.payload["scenario"] == WRITTEN["scenario"]
    assert stored(studio_workspace, schema.revisions, "id") == [
        first, {**first, "number": 2, "step": "submitted", "content": found.payload, "created": 1200.0},
    ]  # fmt: skip
    assert (found.revision, found.seconds) == (2, 200.0)
    assert stored(studio_workspace, schema.assignments, "id") == [
        {**held, "state": "done", "lease_until": None, "done": 1200.0}
    ]


def test_what_somebody_was_writing_goes_when_they_give_it_back(studio_workspace: Workspace) -> None:
    study = open_study(studio_workspace, [VOTE, WRITE])
    kim, lee = study.person(), study.person()
    study.add("verify", [QUESTION] * 2)
    mine, theirs, vote = (
        take(study, kim, stage="write"),
        take(study, lee, stage="write"),
        take(study, kim, stage="verify"),
    )
    since = time.time()
    leases.release(studio_workspace, kim.id, mine.assignment.id, skip=True, reason="r" * 1001)
    leases.release(studio_workspace, kim.id, vote.assignment.id, skip=True)
    skips = stored(studio_workspace, schema.skips)
    assert [(row["item_id"], row["participant_id"], row["reason"]) for row in skips] == [
        (vote.item.id, kim.id, ""), (mine.item.id, kim.id, "r" * 1000),
    ]  # fmt: skip
    assert all(since <= row["at"] <= time.time() for row in skips)
    states = {row["id"]: (row["state"], row["reason"]) for row in stored(studio_workspace, schema.items)}
    assert states[mine.item.id] == ("dropped", "its author did not finish it")
    assert states[theirs.item.id] == ("draft", None)
    assert states[vote.item.id] == ("open", None)
    slots = {work.item.id: slot(study, work)["state"] for work in (mine, theirs, vote)}
    assert slots == {mine.item.id: "closed", theirs.item.id: "leased", vote.item.id: "open"}
    kept = take(study, kim, stage="verify")
    assert kept.item.id != vote.item.id
    finished = study.answer(lee, WRITTEN, "write")
    held = take(study, lee, stage="write")
    participants.finish(studio_workspace, lee.id)
    assert slot(study, kept)["participant_id"] == kim.id, "what somebody else has at hand stays theirs"
    assert [slot(study, work)["state"] for work in (finished, held)] == ["done", "closed"]
    assert take(study, lee, stage="write").item.id > held.item.id


def test_what_one_person_gives_back_goes_to_another(study: StudyFixture) -> None:
    kim, lee = study.person(), study.person()
    (item,) = study.add("verify", [QUESTION])
    leases.release(study.workspace, kim.id, take(study, kim).assignment.id, skip=True)
    assert next_work(study.workspace, kim.id) == NoWork("none_left")
    assert take(study, lee).item.id == item


@pytest.mark.parametrize("length", [200_000, 200_001])
def test_a_draft_has_200_000_bytes_at_most(study: StudyFixture, length: int) -> None:
    person = study.person()
    study.add("verify", [QUESTION])
    work = take(study, person)
    letters = length - len('{"c":""}')
    payload = {"c": "é" * (letters // 2) + "x" * (letters % 2)}  # two bytes each
    if length == 200_000:
        assert drafts.save_draft(study.workspace, person.id, work.assignment.id, payload, 0).revision == 1
    else:
        with pytest.raises(SubmissionError):
            drafts.save_draft(study.workspace, person.id, work.assignment.id, payload, 0)


def test_a_draft_is_of_one_person_and_one_item(study: StudyFixture) -> None:
    workspace = study.workspace
    kim, lee = study.person(), study.person()
    items = study.add("verify", [QUESTION] * 2)
    works = {person: take(study, person) for person in (kim, lee)}

    def save(person: Participant, payload: Mapping[str, Any], base: int, now: float) -> Draft:
        return at_time(
            now, drafts.save_draft, workspace, person.id, works[person].assignment.id, payload, base
        )

    first = Draft(items[0], kim.id, 1, {"comment": "a"}, 5.0)
    assert save(kim, {"comment": "a"}, 0, 5.0) == first
    other = save(lee, {"comment": "b"}, 0, 6.0)
    assert save(kim, {"comment": "a"}, 0, 7.0) == first, "a reply that was lost"
    second = Draft(items[0], kim.id, 2, {"comment": "c"}, 8.0)
    assert save(kim, {"comment": "c"}, 1, 8.0) == second
    for payload, base in (({"comment": "d"}, 1), ({"comment": "c"}, 0), ({"comment": "c"}, 3)):
        with pytest.raises(DraftConflictError) as error:
            save(kim, payload, base, 9.0)
        assert error.value.current == second
    study.submit(lee, works[lee], SAID)
    works[lee] = take(study, lee)
    assert get_task_page(workspace, lee, works[lee].assignment.id).draft is None, "of another item"
    third = save(lee, {"comment": "e"}, 0, 10.0)
    assert third == Draft(items[1], lee.id, 1, {"comment": "e"}, 10.0)
    assert other.item_id == items[0]
    assert get_task_page(workspace, kim, works[kim].assignment.id).draft == second
    rows = stored(workspace, schema.drafts)
    assert [Draft(**row) for row in rows] == [second, third]


def test_a_sweep_opens_what_ran_out_in_one_study_and_leaves_what_is_being_written(
    studio_workspace: Workspace,
) -> None:
    neighbour, study = (
        open_study(studio_workspace, [VOTE, WRITE], name=name) for name in ("neighbour", "study")
    )
    kim, lee, park = study.person(), study.person(), neighbour.person()
    study.add("verify", [QUESTION])
    neighbour.add("verify", [QUESTION])
    early, late = (
        at_time(1000.0, take, study, kim, stage="verify"),
        at_time(1001.0, take, study, lee, stage="verify"),
    )
    elsewhere, writing = (
        at_time(1000.0, take, neighbour, park, stage="verify"),
        at_time(1000.0, take, study, kim, stage="write"),
    )
    assert at_time(2800.0, leases.expire, studio_workspace, study.record.id) == 0
    assert at_time(2801.0, leases.expire, studio_workspace, study.record.id) == 1
    assert [slot(study, work)["state"] for work in (early, late, elsewhere, writing)] == [
        "open",
        "leased",
        "leased",
        "leased",
    ]
    with (
        studio_workspace.write() as connection
    ):  # as none of a service's are: done and closed slots have no end
        connection.execute(
            sa.update(schema.assignments).filter_by(id=late.assignment.id).values(state="closed")
        )
    assert leases.expire(studio_workspace, study.record.id) == 0


def test_why_there_is_nothing_to_do(studio_workspace: Workspace) -> None:
    """The reason of the last stage that one might work on; what is of other people, roles and studies is none
    of them."""
    neighbour = open_study(studio_workspace, [VOTE, {**WRITE, "cap": 1}], name="neighbour")
    neighbour.add("verify", [QUESTION])
    study = open_study(
        studio_workspace, [{**WRITE, "cap": 1}, VOTE, {**VOTE, "name": "review", "role": "reviewer"}]
    )
    study.add("review", [QUESTION])
    kim = study.person()
    assert study.nothing(kim, "verify") == "none_left"
    assert study.nothing(kim, "review") == "none_left"
    assert study.nothing(kim, "third") == "none_left"
    study.answer(kim, WRITTEN)
    assert study.nothing(kim, "write") == "cap"
    assert study.nothing(kim) == "none_left", "there may be something to verify later"
    accounts.give_role(studio_workspace, study.record.id, kim.account_id, Role.REVIEWER)
    assert take(study, kim).stage.name == "review"
    assert assignments.claim_batch(studio_workspace, kim.id, "write", 1, seconds=1.0) == NoWork("none_left")
    assert assignments.claim_batch(studio_workspace, kim.id, "third", 1, seconds=1.0) == NoWork("no_role")
    assert assignments.claim_batch(studio_workspace, kim.id, "verify", 1, seconds=1.0) == NoWork("none_left")
    with pytest.raises(NotFoundError):
        assignments.get_work(studio_workspace, kim.id, 10**6)
    capped = open_study(studio_workspace, [VOTE, {**WRITE, "cap": 1}], name="capped")
    lee, other = capped.person(), capped.person()
    capped.answer(lee, WRITTEN)
    assert capped.nothing(lee) == "cap"
    assert assignments.claim_batch(studio_workspace, lee.id, "verify", 2, seconds=1.0) == NoWork("none_left")
    joined = studies.set_state(studio_workspace, capped.record.id, StudyState.PAUSED)
    assert joined.state == "paused"
    assert assignments.claim_batch(studio_workspace, other.id, "verify", 2, seconds=1.0) == NoWork("paused")


def test_whoever_was_done_is_active_again_with_the_next_thing(study: StudyFixture) -> None:
    kim, lee = study.person(), study.person()
    study.add("verify", [QUESTION])
    for person in (kim, lee):
        participants.finish(study.workspace, person.id)
    take(study, kim)
    assert participants.get_participant(study.workspace, kim.id) == kim
    assert participants.get_participant(study.workspace, lee.id).state == "finished"


def test_a_population_writes_as_many_questions_as_its_quota(studio_workspace: Workspace) -> None:
    populations = [{"name": "korea", "culture": "KR"}, {"name": "peru", "culture": "PE"}]
    stages = [{**WRITE, "quota": 2}, {**WRITE, "name": "more", "quota": 2}]
    study = open_study(studio_workspace, stages, populations=populations)
    for person, stage in (
        (study.person("peru"), "write"),
        (study.person(), "more"),
        (study.person(), "write"),
    ):
        take(study, person, stage=stage)
    gives_up = study.person()
    leases.release(studio_workspace, gives_up.id, take(study, gives_up, stage="write").assignment.id)
    take(study, study.person(), stage="write")
    assert study.nothing(study.person(), "write") == "quota"
    take(study, study.person("peru"), stage="write")


def test_a_batch_is_what_is_at_hand_and_more(studio_workspace: Workspace) -> None:
    study = open_study(studio_workspace, [VOTE, {**VOTE, "name": "again"}])
    workspace = study.workspace
    kim, lee = study.person(), study.person()
    study.add("again", [QUESTION])
    at_time(1000.0, take, study, kim, stage="again")
    items = study.add("verify", [QUESTION] * 5)
    theirs = at_time(1000.0, take, study, lee, stage="verify")
    first = at_time(1000.0, take, study, kim, stage="verify")

    def batch(count: int, seconds: float, now: float) -> list[tuple[int, float | None]]:
        found = at_time(now, assignments.claim_batch, workspace, kim.id, "verify", count, seconds=seconds)
        assert isinstance(found, tuple)
        assert all(work.stage == first.stage for work in found)
        return [(work.item.id, slot(study, work)["lease_until"]) for work in found]

    assert batch(3, 9000.0, 1010.0) == [(item, 10010.0) for item in items[:3]]
    assert batch(2, 9500.0, 1020.0) == [(items[0], 10520.0), (items[1], 10520.0)]
    assert batch(9, 100.0, 1030.0) == [
        (items[0], 10520.0), (items[1], 10520.0), (items[2], 10010.0), (items[3], 1130.0), (items[4], 1130.0),
    ]  # fmt: skip
    assert slot(study, theirs)["lease_until"] == 2800.0
    assert at_time(2000.0, leases.heartbeat, workspace, kim.id, first.assignment.id) == 10520.0
    assert at_time(2000.0, drafts.save_draft, workspace, kim.id, first.assignment.id, {}, 0).revision == 1
    assert slot(study, first)["lease_until"] == 10520.0
    study.submit(kim, first, SAID)
    assert [item for item, _ in batch(2, 1.0, 2000.0)] == items[1:3]


def test_going_on_means_more_of_the_same_and_then_what_others_began(studio_workspace: Workspace) -> None:
    study = open_study(studio_workspace, [WRITE, VOTE, {**VOTE, "name": "again"}])
    kim = study.person()
    study.add("verify", [QUESTION])
    study.add("again", [QUESTION] * 2)
    found = []
    after = "again"
    for _ in range(3):
        work = take(study, kim, after=after)
        study.submit(kim, work, SAID)
        found.append(work.stage.name)
    assert found == ["again", "again", "verify"]
    assert next_work(studio_workspace, kim.id, after="") == NoWork("none_left")
    assert take(study, kim).stage.name == "write"


@pytest.fixture
def country(studio_workspace: Workspace) -> StudyFixture:
    """A study of two populations, one of them with a part, in two stages; with items of each, of everybody,
    and of a neighbour."""
    populations = [
        {"name": "uk", "culture": "GB"},
        {"name": "wales", "culture": "GB", "part_of": "uk"},
        {"name": "korea", "culture": "KR"},
    ]
    stages = [{**VOTE, "check_every": 3, "cap": 5}, {**VOTE, "name": "again"}]
    neighbour, study = (
        open_study(studio_workspace, stages, populations=populations, name=name)
        for name in ("neighbour", "study")
    )
    for each in (neighbour, study):
        for stage in ("verify", "again"):
            new = [
                NewItem(f"{name or 'all'}-{number}", QUESTION, name)
                for name in ("korea", "wales", "uk", None)
                for number in (0, 1)
            ]
            new += [
                NewItem(f"check-{name or 'all'}", QUESTION, name, {"choices": [1]})
                for name in ("korea", "wales", None)
            ]
            add_items(studio_workspace, each.record.id, stage, new)
    return study


def test_everybody_is_given_their_own_in_order_with_a_check_among_every_three(country: StudyFixture) -> None:
    """Naively: the items of one's population, wider ones and everybody, by number; five by the cap, and every
    third a check unless it would be the last."""
    expected = {
        "wales": ["wales-0", "wales-1", "check-wales", "uk-0", "uk-1", "check-all", "all-0"],
        "uk": ["uk-0", "uk-1", "check-all", "all-0", "all-1"],
        "korea": ["korea-0", "korea-1", "check-korea", "all-0", "all-1"],
    }
    workspace = country.workspace
    stage = studies.get_stage(workspace, country.record.id, "verify")
    left = {"wales": [5, 4, 3, 3, 2, 1, 1, 0], "uk": [4, 3, 2, 2, 1, 0], "korea": [4, 3, 2, 2, 1, 0]}
    for name, keys in expected.items():
        person = country.person(name)
        country.answer(person, SAID, "again")  # which counts for that stage
        given, counted = [], []
        for number in range(9):
            with workspace.read() as connection:
                counted.append(counts_of_person(connection, person, stage).left(stage))
                taken = taken_by(connection, person.id, stage.id)
            assert taken == sum(not key.startswith("check") for key in given)
            found = next_work(workspace, person.id, stage="verify")
            if isinstance(found, NoWork):
                break
            assert take(country, person, stage="verify").assignment.id == found.assignment.id
            assert found.item.study_id == country.record.id
            country.submit(person, found, SAID)
            given.append(found.item.key)
            assert number < 8
        assert given == keys
        assert counted == left[name]
        assert found == NoWork("cap" if name == "wales" else "none_left")


def test_what_a_person_is_not_given(country: StudyFixture) -> None:
    """Not what they wrote, had, or gave back; not what is done, nor what is held; not the slots of another
    stage or study."""
    workspace = country.workspace
    stage = studies.get_stage(workspace, country.record.id, "verify")
    kim, lee = country.person("uk"), country.person("uk")
    rows = {row["key"]: row["id"] for row in stored(workspace, schema.items, stage_id=stage.id)}
    with workspace.write() as connection:
        connection.execute(sa.update(schema.items).filter_by(id=rows["uk-0"]).values(author_id=kim.id))
        connection.execute(sa.update(schema.items).filter_by(id=rows["uk-1"]).values(author_id=lee.id))
        connection.execute(
            sa.insert(schema.skips).values(item_id=rows["all-0"], participant_id=kim.id, reason="", at=0.0)
        )
        connection.execute(
            sa.insert(schema.skips).values(item_id=rows["all-1"], participant_id=lee.id, reason="", at=0.0)
        )

    def offered(person: Participant, now: float) -> str | None:
        with workspace.claim() as connection, connection.begin_nested() as undone:
            slot = give_slot(connection, person, [(stage, now + 1)], now, free=True)
            key = with_item(connection, slot.id)[1].key if slot is not None else None
            undone.rollback()
            return key

    def left(person: Participant) -> int | None:
        with workspace.read() as connection:
            return counts_of_person(connection, person, stage).left(stage)

    assert (offered(kim, 0.0), left(kim)) == ("uk-1", 2)
    assert (offered(lee, 0.0), left(lee)) == ("uk-0", 2)
    with workspace.write() as connection:
        change = sa.update(schema.assignments).where(schema.assignments.c.stage_id == stage.id)
        mine = change.where(schema.assignments.c.item_id == rows["uk-1"])
        connection.execute(mine.values(state="leased", lease_until=50.0))
        connection.execute(
            change.where(schema.assignments.c.item_id == rows["all-1"]).values(
                state="closed", lease_until=40.0
            )
        )
    assert (offered(kim, 50.0), left(kim)) == (None, 0)
    assert (offered(kim, 50.5), left(kim)) == ("uk-1", 0)
    with workspace.write() as connection:
        connection.execute(sa.update(schema.items).filter_by(id=rows["uk-1"]).values(state="done"))
    assert offered(kim, 50.5) is None
    assert (offered(lee, 50.5), left(lee)) == ("uk-0", 2)
    with workspace.write() as connection:
        connection.execute(mine.values(state="open", participant_id=None, lease_until=None))
        connection.execute(sa.update(schema.items).filter_by(id=rows["uk-1"]).values(state="open", check={}))
    assert offered(kim, 50.5) is None


def test_a_check_is_given_once_while_it_is_open_and_to_whom_it_is_meant(country: StudyFixture) -> None:
    workspace = country.workspace
    stage = studies.get_stage(workspace, country.record.id, "verify")
    reviewer = country.person(role=Role.REVIEWER)
    wales = country.person("wales")
    rows = {row["key"]: row["id"] for row in stored(workspace, schema.items, stage_id=stage.id)}

    def given(person: Participant, taken: int) -> tuple[str, int] | None:
        with workspace.claim() as connection:
            found = attention_check(connection, person, stage, taken)
        if found is None:
            return None
        (row,) = stored(workspace, schema.assignments, id=found)
        assert (row["state"], row["stage_id"]) == ("open", stage.id)
        with workspace.write() as connection:
            connection.execute(
                sa.update(schema.assignments)
                .filter_by(id=found)
                .values(participant_id=person.id, state="done")
            )
        (key,) = (key for key, number in rows.items() if number == row["item_id"])
        return key, row["slot"]

    assert [given(reviewer, taken) for taken in (0, 1, 2, 3, 4)] == [
        None,
        None,
        ("check-korea", 1),
        None,
        ("check-wales", 1),
    ]
    assert given(reviewer, 6) == ("check-all", 1)
    assert given(reviewer, 8) is None, "there is none left"
    assert given(wales, 2) == ("check-wales", 2), "with a slot of its own"
    with workspace.write() as connection:
        connection.execute(sa.update(schema.items).filter_by(id=rows["check-all"]).values(state="dropped"))
    assert given(wales, 4) is None
    again = studies.get_stage(workspace, country.record.id, "again")
    with workspace.claim() as connection:
        assert [attention_check(connection, wales, again, taken) for taken in range(6)] == [None] * 6, (
            "that stage has none"
        )


def test_where_two_numbers_mean_tasks_of_ones_own_the_first_counts(studio_workspace: Workspace) -> None:
    """Numbers on pages are masked: as it is, one may be the number of another of their tasks."""
    vote = {"kind": "vote", "answers": 1, "majority": 1}
    study = open_study(studio_workspace, [{**vote, "name": name} for name in ("first", "second")])
    kim = study.person()
    for stage in ("first", "second"):
        study.add(stage, [QUESTION])
    one, other = (study.work(kim, stage).assignment.id for stage in ("first", "second"))
    for meant, instead in ((one, other), (other, one)):
        assert assignments.get_work(studio_workspace, kim.id, meant, instead).assignment.id == meant
        assert assignments.get_work(studio_workspace, kim.id, 10**6, instead).assignment.id == instead
    submission = {"choices": [0]}
    judgements.submit(studio_workspace, kim.id, other, submission, "key", instead=one)
    assert [row["assignment_id"] for row in stored(studio_workspace, schema.judgements)] == [other]
    judgements.submit(studio_workspace, kim.id, 10**6, submission, "another key", instead=one)
    assert [row["assignment_id"] for row in stored(studio_workspace, schema.judgements)] == [other, one]
