"""Slots: nobody is given what another has, nothing is given out twice or lost, whatever happens at the same
time."""

from __future__ import annotations

import json
import subprocess
import threading
from collections import Counter
from pathlib import Path

import pytest
import sqlalchemy as sa

from folkways.workspace.database import Workspace
from folkways_studio.database import schema
from folkways_studio.errors import AlreadySubmittedError, ConflictError, NotFoundError
from folkways_studio.items.service import NewItem, add_items
from folkways_studio.people import participants
from folkways_studio.records import AssignmentState, Participant, StudyState
from folkways_studio.studies import service as studies
from folkways_studio.work import assignments, drafts, judgements, leases
from folkways_studio.work.assignments import NoWork, Work
from folkways_studio.work.eligible_slots import counts_of_person
from folkways_studio.work.task_pages import get_task_page
from studio.tests.crowd import work_together
from studio.tests.support.studies import ON_BOTH, QUESTION, StudyFixture, next_work, open_study
from tests.support.forks import start_module
from tests.support.moments import at_time

REPOSITORY = Path(__file__).resolve().parents[3]
VOTE = {"name": "verify", "kind": "vote"}


@pytest.fixture
def desk(studio_workspace: Workspace) -> StudyFixture:
    return open_study(studio_workspace, [VOTE])


def answers_per_item(workspace: Workspace) -> Counter[int]:
    with workspace.read() as connection:
        return Counter(connection.scalars(sa.select(schema.judgements.c.item_id)))


@ON_BOTH
def test_many_people_in_two_processes_fill_every_slot_exactly_once(desk: StudyFixture) -> None:
    """This process and another, with six people each; every form is posted twice at once and every fifth slot
    is given back first."""
    people = [desk.person() for _ in range(12)]
    items = desk.add("verify", [QUESTION] * 12)
    url = desk.workspace.engine.url
    on_a_server = url.set(drivername="postgresql").render_as_string(hide_password=False)
    location = str(url.database) if url.get_backend_name() == "sqlite" else on_a_server
    with start_module(
        "studio.tests.crowd",
        location,
        people[6].id,
        6,
        cwd=REPOSITORY,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as other:
        assert other.stdout is not None and other.stdout.readline() == "ready\n"
        assert other.stdin is not None
        other.stdin.close()
        outcomes = work_together(desk.workspace, people[0].id, 6)
        outcomes.update(json.loads(other.stdout.read()))
    assert other.returncode == 0
    assert answers_per_item(desk.workspace) == Counter(dict.fromkeys(items, 5))
    assert outcomes["stored"] == outcomes["repeated"] == 60
    assert set(outcomes) == {"stored", "repeated", "released"}
    with desk.workspace.read() as connection:
        pairs = connection.execute(
            sa.select(schema.judgements.c.item_id, schema.judgements.c.participant_id)
        ).all()
        states = set(connection.scalars(sa.select(schema.assignments.c.state)))
    assert len(set(pairs)) == len(pairs) == 60
    assert states == {AssignmentState.DONE}


@ON_BOTH
def test_tabs_that_ask_at_once_are_given_the_same_slot(desk: StudyFixture) -> None:
    person = desk.person()
    desk.add("verify", [QUESTION] * 6)
    found: list[Work | NoWork] = []
    tabs = [
        threading.Thread(target=lambda: found.append(next_work(desk.workspace, person.id))) for _ in range(6)
    ]
    for tab in tabs:
        tab.start()
    for tab in tabs:
        tab.join()
    works = [work for work in found if isinstance(work, Work)]
    assert len(works) == 6
    assert len({work.assignment.id for work in works}) == 1


@ON_BOTH
def test_nobody_is_given_an_item_twice(desk: StudyFixture) -> None:
    person = desk.person()
    desk.add("verify", [QUESTION] * 3)
    seen = [desk.answer(person, {"choices": [0]}).item.id for _ in range(3)]
    assert len(set(seen)) == 3
    assert desk.nothing(person) == "none_left"


@ON_BOTH
def test_a_lease_that_ran_out_goes_to_the_next_and_the_first_is_told(desk: StudyFixture) -> None:
    early, late = desk.person(), desk.person()
    items = add_items(desk.workspace, desk.study.id, "verify", [NewItem("only", QUESTION, "korea")])
    with desk.workspace.write() as connection:  # four of its five slots are gone
        ids = connection.scalars(sa.select(schema.assignments.c.id).filter_by(item_id=items[0].id)).all()
        connection.execute(
            sa.update(schema.assignments).where(schema.assignments.c.id.in_(ids[1:])).values(state="closed")
        )
    began = 1_000_000.0
    work = at_time(began, next_work, desk.workspace, early.id)
    assert isinstance(work, Work)
    assert isinstance(at_time(began + 29 * 60, next_work, desk.workspace, late.id), NoWork)
    taken = at_time(began + 31 * 60, next_work, desk.workspace, late.id)
    assert isinstance(taken, Work)
    assert taken.assignment.id == work.assignment.id
    with pytest.raises(NotFoundError, match="kept for you too long"):
        at_time(
            began + 32 * 60,
            judgements.submit,
            desk.workspace,
            early.id,
            work.assignment.id,
            {"choices": [0]},
            "k",
        )


@ON_BOTH
def test_a_lease_that_ran_out_still_counts_while_nobody_took_it(desk: StudyFixture) -> None:
    person = desk.person()
    desk.add("verify", [QUESTION])
    work = at_time(1_000_000.0, next_work, desk.workspace, person.id)
    assert isinstance(work, Work)
    found = at_time(
        1_100_000.0, judgements.submit, desk.workspace, person.id, work.assignment.id, {"choices": [0]}, "k"
    )
    assert found.judgement.seconds == 100_000.0


@ON_BOTH
def test_a_heartbeat_keeps_the_slot(desk: StudyFixture) -> None:
    person = desk.person()
    desk.add("verify", [QUESTION])
    work = at_time(1_000_000.0, next_work, desk.workspace, person.id)
    assert isinstance(work, Work)
    assert (
        at_time(1_001_000.0, leases.heartbeat, desk.workspace, person.id, work.assignment.id)
        == 1_001_000.0 + 1800
    )
    assert at_time(1_002_000.0, leases.expire, desk.workspace, desk.study.id) == 0, "it is theirs for longer"
    assert at_time(1_002_801.0, leases.expire, desk.workspace, desk.study.id) == 1


@ON_BOTH
def test_expired_slots_are_open_again_after_a_sweep(desk: StudyFixture) -> None:
    person = desk.person()
    desk.add("verify", [QUESTION])
    at_time(1_000_000.0, next_work, desk.workspace, person.id)
    assert at_time(1_000_001.0, leases.expire, desk.workspace, desk.study.id) == 0
    assert at_time(1_100_000.0, leases.expire, desk.workspace, desk.study.id) == 1
    with desk.workspace.read() as connection:
        states = set(connection.scalars(sa.select(schema.assignments.c.state)))
    assert states == {AssignmentState.OPEN}


@ON_BOTH
def test_what_is_skipped_is_not_offered_again_to_the_same_person(desk: StudyFixture) -> None:
    person, other = desk.person(), desk.person()
    desk.add("verify", [QUESTION] * 2)
    first = desk.work(person)
    leases.release(desk.workspace, person.id, first.assignment.id, skip=True, reason="not my region")
    second = desk.work(person)
    assert second.item.id != first.item.id
    assert desk.work(other).item.id == first.item.id
    desk.submit(person, second, {"choices": [0]})
    assert desk.nothing(person) == "none_left"


@ON_BOTH
def test_a_second_tab_cannot_overwrite_a_judgement(desk: StudyFixture) -> None:
    person = desk.person()
    desk.add("verify", [QUESTION])
    work = desk.work(person)
    desk.submit(person, work, {"choices": [1]})
    with pytest.raises(AlreadySubmittedError) as error:
        judgements.submit(desk.workspace, person.id, work.assignment.id, {"choices": [3]}, "another key")
    assert error.value.judgement.payload["choices"] == [1]


@ON_BOTH
def test_the_same_key_for_another_item_is_refused(desk: StudyFixture) -> None:
    person = desk.person()
    desk.add("verify", [QUESTION] * 2)
    first = desk.work(person)
    judgements.submit(desk.workspace, person.id, first.assignment.id, {"choices": [1]}, "same")
    second = desk.work(person)
    with pytest.raises(ConflictError, match="another item"):
        judgements.submit(desk.workspace, person.id, second.assignment.id, {"choices": [1]}, "same")


@ON_BOTH
def test_other_peoples_slots_are_not_there(desk: StudyFixture) -> None:
    person, other = desk.person(), desk.person()
    desk.add("verify", [QUESTION])
    work = desk.work(person)
    for act in (
        lambda: assignments.get_work(desk.workspace, other.id, work.assignment.id),
        lambda: leases.heartbeat(desk.workspace, other.id, work.assignment.id),
        lambda: leases.release(desk.workspace, other.id, work.assignment.id),
        lambda: drafts.save_draft(desk.workspace, other.id, work.assignment.id, {}, 0),
        lambda: get_task_page(desk.workspace, other, work.assignment.id).draft,
        lambda: judgements.submit(desk.workspace, other.id, work.assignment.id, {"choices": [0]}, "k"),
    ):
        with pytest.raises(NotFoundError):
            act()


@ON_BOTH
@pytest.mark.parametrize(("state", "reason"), [(StudyState.PAUSED, "paused"), (StudyState.CLOSED, "closed")])
def test_a_study_that_rests_gives_out_nothing(desk: StudyFixture, state: StudyState, reason: str) -> None:
    person = desk.person()
    desk.add("verify", [QUESTION])
    work = desk.work(person)
    studies.set_state(desk.workspace, desk.study.id, state)
    assert desk.nothing(person) == reason
    if state == StudyState.PAUSED:
        assert not desk.submit(person, work, {"choices": [0]}).repeated
    else:
        with pytest.raises(ConflictError, match="closed"):
            desk.submit(person, work, {"choices": [0]})


@ON_BOTH
def test_caps_hold(studio_workspace: Workspace) -> None:
    desk = open_study(studio_workspace, [{**VOTE, "cap": 2}])
    person = desk.person()
    desk.add("verify", [QUESTION] * 3)
    for _ in range(2):
        desk.answer(person, {"choices": [0]})
    assert desk.nothing(person) == "cap"


@ON_BOTH
def test_people_are_given_items_of_their_population_and_of_wider_ones(studio_workspace: Workspace) -> None:
    populations = [
        {"name": "uk", "culture": "GB"},
        {"name": "wales", "culture": "GB", "part_of": "uk"},
        {"name": "korea", "culture": "KR"},
    ]
    desk = open_study(studio_workspace, [VOTE], populations=populations)
    new = [NewItem(f"of-{name}", QUESTION, name) for name in ("uk", "wales", "korea")]
    add_items(desk.workspace, desk.study.id, "verify", [*new, NewItem("of-all", QUESTION)])
    given = {}
    for name in ("uk", "wales", "korea"):
        person, keys = desk.person(name), []
        while isinstance(work := next_work(desk.workspace, person.id), Work):
            desk.submit(person, work, {"choices": [0]})
            keys.append(work.item.key)
        given[name] = set(keys)
    assert given == {
        "uk": {"of-uk", "of-all"},
        "wales": {"of-uk", "of-wales", "of-all"},
        "korea": {"of-korea", "of-all"},
    }


@ON_BOTH
def test_withdrawing_frees_slots_and_has_answers_replaced(desk: StudyFixture) -> None:
    people = [desk.person() for _ in range(6)]
    (item,) = desk.add("verify", [QUESTION])
    for person in people[:5]:
        desk.answer(person, {"choices": [0]})
    assert desk.nothing(people[5]) == "none_left"
    participants.withdraw(desk.workspace, desk.study.id, people[0].id)
    assert desk.work(people[5]).item.id == item
    assert desk.nothing(people[0]) == "not_active"
    participants.withdraw(desk.workspace, desk.study.id, people[5].id)
    assert desk.work(desk.person()).item.id == item, "what they had at hand"


@ON_BOTH
def test_attention_checks_come_every_few_items_and_once_each(studio_workspace: Workspace) -> None:
    desk = open_study(studio_workspace, [{**VOTE, "check_every": 3}])
    person = desk.person()
    desk.add("verify", [QUESTION] * 6)
    checks = [NewItem(f"check-{number}", QUESTION, "korea", check={"choices": [2]}) for number in range(2)]
    add_items(desk.workspace, desk.study.id, "verify", checks)
    keys = [desk.answer(person, {"choices": [2]}).item.key for _ in range(8)]
    assert [place for place, key in enumerate(keys) if key.startswith("check")] == [2, 5]
    assert len(set(keys)) == 8


@ON_BOTH
def test_whoever_verifies_goes_on_verifying_and_is_not_put_to_writing(studio_workspace: Workspace) -> None:
    desk = open_study(studio_workspace, [{"name": "write", "kind": "write_question"}, VOTE])
    person = desk.person()
    first, second = desk.add("verify", [QUESTION] * 2)
    assert desk.answer(person, {"choices": [0]}, "verify").item.id == first
    found = next_work(desk.workspace, person.id, after="verify")
    assert isinstance(found, Work)
    assert found.item.id == second
    desk.submit(person, found, {"choices": [0]})
    assert next_work(desk.workspace, person.id, after="verify") == NoWork("none_left")
    assert desk.work(person).stage.name == "write", "who asks for anything may be asked to write"
    going_on = next_work(desk.workspace, person.id, after="write")
    assert isinstance(going_on, Work)
    assert going_on.stage.name == "write", "the question that they write is at hand"


@ON_BOTH
def test_as_many_are_left_as_are_given(studio_workspace: Workspace) -> None:
    """Of one's population and wider ones, not seen, skipped or written by oneself, and without attention
    checks."""
    populations = [{"name": "uk", "culture": "GB"}, {"name": "wales", "culture": "GB", "part_of": "uk"}]
    desk = open_study(studio_workspace, [{**VOTE, "check_every": 3}], populations=populations)
    person, other = desk.person("wales"), desk.person("uk")
    new = [NewItem(f"{name}-{number}", QUESTION, name) for name in ("uk", "wales") for number in range(3)]
    new += [NewItem("all", QUESTION), NewItem("check", QUESTION, check={"choices": [1]})]
    added = add_items(desk.workspace, desk.study.id, "verify", new)
    with desk.workspace.write() as connection:
        connection.execute(sa.update(schema.items).filter_by(id=added[1].id).values(author_id=person.id))
    leases.release(desk.workspace, person.id, desk.work(person).assignment.id, skip=True)

    def left(each: Participant) -> int | None:
        with desk.workspace.read() as connection:
            stage = studies.get_stage(desk.workspace, desk.study.id, "verify")
            return counts_of_person(connection, each, stage).left(stage)

    assert left(other) == 4
    expected = left(person)
    assert expected == 5, (
        "three of Wales, one of the country and one of all: one is skipped, and one is their own"
    )
    given = 0
    while isinstance(work := next_work(desk.workspace, person.id), Work):
        given += work.item.check is None
        assert left(person) == expected - given
        desk.submit(person, work, {"choices": [1]})
    assert given == expected
