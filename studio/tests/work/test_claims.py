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
from tests.support.forked_programs import start_module
from tests.support.frozen_time import at_time

REPOSITORY = Path(__file__).resolve().parents[3]
VOTE = {"name": "verify", "kind": "vote"}


def answers_per_item(workspace: Workspace) -> Counter[int]:
    with workspace.read() as connection:
        return Counter(connection.scalars(sa.select(schema.judgements.c.item_id)))


@ON_BOTH
def test_many_people_in_two_processes_fill_every_slot_exactly_once(study: StudyFixture) -> None:
    """This process and another, with six people each; every form is posted twice at once and every fifth slot
    is given back first."""
    people = [study.person() for _ in range(12)]
    items = study.add("verify", [QUESTION] * 12)
    url = study.workspace.engine.url
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
        outcomes = work_together(study.workspace, people[0].id, 6)
        outcomes.update(json.loads(other.stdout.read()))
    assert other.returncode == 0
    assert answers_per_item(study.workspace) == Counter(dict.fromkeys(items, 5))
    assert outcomes["stored"] == outcomes["repeated"] == 60
    assert set(outcomes) == {"stored", "repeated", "released"}
    with study.workspace.read() as connection:
        pairs = connection.execute(
            sa.select(schema.judgements.c.item_id, schema.judgements.c.participant_id)
        ).all()
        states = set(connection.scalars(sa.select(schema.assignments.c.state)))
    assert len(set(pairs)) == len(pairs) == 60
    assert states == {AssignmentState.DONE}


@ON_BOTH
def test_tabs_that_ask_at_once_are_given_the_same_slot(study: StudyFixture) -> None:
    person = study.person()
    study.add("verify", [QUESTION] * 6)
    found: list[Work | NoWork] = []
    tabs = [
        threading.Thread(target=lambda: found.append(next_work(study.workspace, person.id))) for _ in range(6)
    ]
    for tab in tabs:
        tab.start()
    for tab in tabs:
        tab.join()
    works = [work for work in found if isinstance(work, Work)]
    assert len(works) == 6
    assert len({work.assignment.id for work in works}) == 1


@ON_BOTH
def test_nobody_is_given_an_item_twice(study: StudyFixture) -> None:
    person = study.person()
    study.add("verify", [QUESTION] * 3)
    seen = [study.answer(person, {"choices": [0]}).item.id for _ in range(3)]
    assert len(set(seen)) == 3
    assert study.nothing(person) == "none_left"


@ON_BOTH
def test_a_lease_that_ran_out_goes_to_the_next_and_the_first_is_told(study: StudyFixture) -> None:
    early, late = study.person(), study.person()
    items = add_items(study.workspace, study.record.id, "verify", [NewItem("only", QUESTION, "korea")])
    with study.workspace.write() as connection:  # four of its five slots are gone
        ids = connection.scalars(sa.select(schema.assignments.c.id).filter_by(item_id=items[0].id)).all()
        connection.execute(
            sa.update(schema.assignments).where(schema.assignments.c.id.in_(ids[1:])).values(state="closed")
        )
    began = 1_000_000.0
    work = at_time(began, next_work, study.workspace, early.id)
    assert isinstance(work, Work)
    assert isinstance(at_time(began + 29 * 60, next_work, study.workspace, late.id), NoWork)
    taken = at_time(began + 31 * 60, next_work, study.workspace, late.id)
    assert isinstance(taken, Work)
    assert taken.assignment.id == work.assignment.id
    with pytest.raises(NotFoundError, match="kept for you too long"):
        at_time(
            began + 32 * 60,
            judgements.submit,
            study.workspace,
            early.id,
            work.assignment.id,
            {"choices": [0]},
            "k",
        )


@ON_BOTH
def test_a_lease_that_ran_out_still_counts_while_nobody_took_it(study: StudyFixture) -> None:
    person = study.person()
    study.add("verify", [QUESTION])
    work = at_time(1_000_000.0, next_work, study.workspace, person.id)
    assert isinstance(work, Work)
    found = at_time(
        1_100_000.0, judgements.submit, study.workspace, person.id, work.assignment.id, {"choices": [0]}, "k"
    )
    assert found.judgement.seconds == 100_000.0


@ON_BOTH
def test_a_heartbeat_keeps_the_slot(study: StudyFixture) -> None:
    person = study.person()
    study.add("verify", [QUESTION])
    work = at_time(1_000_000.0, next_work, study.workspace, person.id)
    assert isinstance(work, Work)
    assert (
        at_time(1_001_000.0, leases.heartbeat, study.workspace, person.id, work.assignment.id)
        == 1_001_000.0 + 1800
    )
    assert at_time(1_002_000.0, leases.expire, study.workspace, study.record.id) == 0, (
        "it is theirs for longer"
    )
    assert at_time(1_002_801.0, leases.expire, study.workspace, study.record.id) == 1


@ON_BOTH
def test_expired_slots_are_open_again_after_a_sweep(study: StudyFixture) -> None:
    person = study.person()
    study.add("verify", [QUESTION])
    at_time(1_000_000.0, next_work, study.workspace, person.id)
    assert at_time(1_000_001.0, leases.expire, study.workspace, study.record.id) == 0
    assert at_time(1_100_000.0, leases.expire, study.workspace, study.record.id) == 1
    with study.workspace.read() as connection:
        states = set(connection.scalars(sa.select(schema.assignments.c.state)))
    assert states == {AssignmentState.OPEN}


@ON_BOTH
def test_what_is_skipped_is_not_offered_again_to_the_same_person(study: StudyFixture) -> None:
    person, other = study.person(), study.person()
    study.add("verify", [QUESTION] * 2)
    first = study.work(person)
    leases.release(study.workspace, person.id, first.assignment.id, skip=True, reason="not my region")
    second = study.work(person)
    assert second.item.id != first.item.id
    assert study.work(other).item.id == first.item.id
    study.submit(person, second, {"choices": [0]})
    assert study.nothing(person) == "none_left"


@ON_BOTH
def test_a_second_tab_cannot_overwrite_a_judgement(study: StudyFixture) -> None:
    person = study.person()
    study.add("verify", [QUESTION])
    work = study.work(person)
    study.submit(person, work, {"choices": [1]})
    with pytest.raises(AlreadySubmittedError) as error:
        judgements.submit(study.workspace, person.id, work.assignment.id, {"choices": [3]}, "another key")
    assert error.value.judgement.payload["choices"] == [1]


@ON_BOTH
def test_the_same_key_for_another_item_is_refused(study: StudyFixture) -> None:
    person = study.person()
    study.add("verify", [QUESTION] * 2)
    first = study.work(person)
    judgements.submit(study.workspace, person.id, first.assignment.id, {"choices": [1]}, "same")
    second = study.work(person)
    with pytest.raises(ConflictError, match="another item"):
        judgements.submit(study.workspace, person.id, second.assignment.id, {"choices": [1]}, "same")


@ON_BOTH
def test_other_peoples_slots_are_not_there(study: StudyFixture) -> None:
    person, other = study.person(), study.person()
    study.add("verify", [QUESTION])
    work = study.work(person)
    for act in (
        lambda: assignments.get_work(study.workspace, other.id, work.assignment.id),
        lambda: leases.heartbeat(study.workspace, other.id, work.assignment.id),
        lambda: leases.release(study.workspace, other.id, work.assignment.id),
        lambda: drafts.save_draft(study.workspace, other.id, work.assignment.id, {}, 0),
        lambda: get_task_page(study.workspace, other, work.assignment.id).draft,
        lambda: judgements.submit(study.workspace, other.id, work.assignment.id, {"choices": [0]}, "k"),
    ):
        with pytest.raises(NotFoundError):
            act()


@ON_BOTH
@pytest.mark.parametrize(("state", "reason"), [(StudyState.PAUSED, "paused"), (StudyState.CLOSED, "closed")])
def test_a_study_that_rests_gives_out_nothing(study: StudyFixture, state: StudyState, reason: str) -> None:
    person = study.person()
    study.add("verify", [QUESTION])
    work = study.work(person)
    studies.set_state(study.workspace, study.record.id, state)
    assert study.nothing(person) == reason
    if state == StudyState.PAUSED:
        assert not study.submit(person, work, {"choices": [0]}).repeated
    else:
        with pytest.raises(ConflictError, match="closed"):
            study.submit(person, work, {"choices": [0]})


@ON_BOTH
def test_caps_hold(studio_workspace: Workspace) -> None:
    study = open_study(studio_workspace, [{**VOTE, "cap": 2}])
    person = study.person()
    study.add("verify", [QUESTION] * 3)
    for _ in range(2):
        study.answer(person, {"choices": [0]})
    assert study.nothing(person) == "cap"


@ON_BOTH
def test_people_are_given_items_of_their_population_and_of_wider_ones(studio_workspace: Workspace) -> None:
    populations = [
        {"name": "uk", "culture": "GB"},
        {"name": "wales", "culture": "GB", "part_of": "uk"},
        {"name": "korea", "culture": "KR"},
    ]
    study = open_study(studio_workspace, [VOTE], populations=populations)
    new = [NewItem(f"of-{name}", QUESTION, name) for name in ("uk", "wales", "korea")]
    add_items(study.workspace, study.record.id, "verify", [*new, NewItem("of-all", QUESTION)])
    given = {}
    for name in ("uk", "wales", "korea"):
        person, keys = study.person(name), []
        while isinstance(work := next_work(study.workspace, person.id), Work):
            study.submit(person, work, {"choices": [0]})
            keys.append(work.item.key)
        given[name] = set(keys)
    assert given == {
        "uk": {"of-uk", "of-all"},
        "wales": {"of-uk", "of-wales", "of-all"},
        "korea": {"of-korea", "of-all"},
    }


@ON_BOTH
def test_withdrawing_frees_slots_and_has_answers_replaced(study: StudyFixture) -> None:
    people = [study.person() for _ in range(6)]
    (item,) = study.add("verify", [QUESTION])
    for person in people[:5]:
        study.answer(person, {"choices": [0]})
    assert study.nothing(people[5]) == "none_left"
    participants.withdraw(study.workspace, study.record.id, people[0].id)
    assert study.work(people[5]).item.id == item
    assert study.nothing(people[0]) == "not_active"
    participants.withdraw(study.workspace, study.record.id, people[5].id)
    assert study.work(study.person()).item.id == item, "what they had at hand"


@ON_BOTH
def test_attention_checks_come_every_few_items_and_once_each(studio_workspace: Workspace) -> None:
    study = open_study(studio_workspace, [{**VOTE, "check_every": 3}])
    person = study.person()
    study.add("verify", [QUESTION] * 6)
    checks = [NewItem(f"check-{number}", QUESTION, "korea", check={"choices": [2]}) for number in range(2)]
    add_items(study.workspace, study.record.id, "verify", checks)
    keys = [study.answer(person, {"choices": [2]}).item.key for _ in range(8)]
    assert [place for place, key in enumerate(keys) if key.startswith("check")] == [2, 5]
    assert len(set(keys)) == 8


@ON_BOTH
def test_whoever_verifies_goes_on_verifying_and_is_not_put_to_writing(studio_workspace: Workspace) -> None:
    study = open_study(studio_workspace, [{"name": "write", "kind": "write_question"}, VOTE])
    person = study.person()
    first, second = study.add("verify", [QUESTION] * 2)
    assert study.answer(person, {"choices": [0]}, "verify").item.id == first
    found = next_work(study.workspace, person.id, after="verify")
    assert isinstance(found, Work)
    assert found.item.id == second
    study.submit(person, found, {"choices": [0]})
    assert next_work(study.workspace, person.id, after="verify") == NoWork("none_left")
    assert study.work(person).stage.name == "write", "who asks for anything may be asked to write"
    going_on = next_work(study.workspace, person.id, after="write")
    assert isinstance(going_on, Work)
    assert going_on.stage.name == "write", "the question that they write is at hand"


@ON_BOTH
def test_as_many_are_left_as_are_given(studio_workspace: Workspace) -> None:
    """Of one's population and wider ones, not seen, skipped or written by oneself, and without attention
    checks."""
    populations = [{"name": "uk", "culture": "GB"}, {"name": "wales", "culture": "GB", "part_of": "uk"}]
    study = open_study(studio_workspace, [{**VOTE, "check_every": 3}], populations=populations)
    person, other = study.person("wales"), study.person("uk")
    new = [NewItem(f"{name}-{number}", QUESTION, name) for name in ("uk", "wales") for number in range(3)]
    new += [NewItem("all", QUESTION), NewItem("check", QUESTION, check={"choices": [1]})]
    added = add_items(study.workspace, study.record.id, "verify", new)
    with study.workspace.write() as connection:
        connection.execute(sa.update(schema.items).filter_by(id=added[1].id).values(author_id=person.id))
    leases.release(study.workspace, person.id, study.work(person).assignment.id, skip=True)

    def left(each: Participant) -> int | None:
        with study.workspace.read() as connection:
            stage = studies.get_stage(study.workspace, study.record.id, "verify")
            return counts_of_person(connection, each, stage).left(stage)

    assert left(other) == 4
    expected = left(person)
    assert expected == 5, (
        "three of Wales, one of the country and one of all: one is skipped, and one is their own"
    )
    given = 0
    while isinstance(work := next_work(study.workspace, person.id), Work):
        given += work.item.check is None
        assert left(person) == expected - given
        study.submit(person, work, {"choices": [1]})
    assert given == expected
