"""Assigned items that do not go on: who of their people can still answer, and who does not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest
import sqlalchemy as sa

from folkways.workspace.database import Workspace
from folkways_studio.database import schema
from folkways_studio.items.service import NewItem, add_items
from folkways_studio.items.stage_assignments import assigned_items
from folkways_studio.people import accounts, participants, suspension
from folkways_studio.people.quality_status import quality_status, save_quality_status
from folkways_studio.records import AssignmentState, Participant, Role
from folkways_studio.studies import service as studies
from folkways_studio.work import leases
from folkways_studio.work.assignees import Assignee, assign
from folkways_studio.work.stalled_items import StalledItem, overview_of_assignments
from studio.tests.support.studies import QUESTION, StudyFixture, open_study
from tests.support.frozen_time import at_time

DAY = 86_400.0
NOW = 1_000_000_000.0
VOTE = {"name": "verify", "kind": "vote"}


def one_slot(study: StudyFixture, item: int, slots: int = 1) -> None:
    """Leave an item so many slots."""
    table = schema.assignments
    with study.workspace.write() as connection:
        connection.execute(
            sa.update(table)
            .where(table.c.item_id == item, table.c.slot > slots)
            .values(state=str(AssignmentState.CLOSED))
        )


def give(study: StudyFixture, wanted: Mapping[int, Sequence[Participant]], at: float = NOW) -> None:
    pairs = {
        item: [Assignee(each.pseudonym, participant_id=each.id) for each in people]
        for item, people in wanted.items()
    }
    at_time(at, assign, study.workspace, study.record.id, pairs)


def stalled(study: StudyFixture, now: float = NOW + 1) -> dict[int, StalledItem]:
    return {
        each.item_id: each
        for each in overview_of_assignments(study.workspace, study.record.id, now=now).stalled
    }


def reasons(study: StudyFixture, now: float = NOW + 1) -> dict[int, str]:
    return {number: each.reason for number, each in stalled(study, now).items()}


def test_assigned_items_are_listed_from_the_first_on(study: StudyFixture) -> None:
    kim = study.person()
    numbers = study.add("verify", [QUESTION] * 4)
    give(study, {number: [kim] for number in numbers[1:]})
    for stalled_ones in (False, True):
        for start, limit, shown in ((0, None, 3), (1, None, 2), (0, 2, 2), (1, 1, 1), (3, 5, 0)):
            listed = assigned_items(
                study.workspace, study.record.id, stalled=stalled_ones, start=start, limit=limit
            )
            assert [each.item for each in listed] == numbers[1 + start : 1 + start + shown]
        listed = assigned_items(study.workspace, study.record.id, stalled=stalled_ones)
        assert [each.item for each in listed] == numbers[1:]


def test_too_few_people_for_the_answers_that_are_missing(study: StudyFixture) -> None:
    kim, lee = study.person(), study.person()
    one, two, three = study.add("verify", [QUESTION] * 3)
    one_slot(study, one)
    give(study, {one: [kim], two: [kim, lee]})
    assert reasons(study) == {two: "few"}, "an item that is for anybody is not stalled"
    row = stalled(study)[two]
    assert (row.missing, row.able, [each.name for each in row.assignees]) == (
        5,
        2,
        [kim.pseudonym, lee.pseudonym],
    )
    at_time(NOW, study.answer, lee, {"choices": [0]})
    row = stalled(study)[two]
    assert (row.missing, row.able) == (4, 1), "who has answered gives no other answer"
    assert three not in reasons(study)


@pytest.mark.parametrize(
    "how", ["leave", "exclude", "pause", "off", "role", "skip", "failed", "cap", "author"]
)
def test_who_cannot_answer_any_more(studio_workspace: Workspace, how: str) -> None:
    study = open_study(studio_workspace, [{**VOTE, "cap": 1}])
    kim = study.person()
    one, two = study.add("verify", [QUESTION] * 2)
    one_slot(study, one)
    give(study, {one: [kim]})
    assert reasons(study) == {}
    workspace, study_id = study.workspace, study.record.id
    if how == "leave":
        participants.withdraw(workspace, study_id, kim.id)
    elif how == "exclude":
        suspension.exclude(workspace, study_id, kim.id, "why", by=study.owner)
    elif how == "pause":
        with workspace.write() as connection:
            suspension.pause_within(connection, kim, "why")
    elif how == "off":
        with workspace.write() as connection:
            connection.execute(
                sa.update(schema.accounts).where(schema.accounts.c.id == kim.account_id).values(disabled=True)
            )
    elif how == "role":
        accounts.take_role(workspace, study_id, kim.account_id, Role.ANNOTATOR, by=study.owner)
    elif how == "skip":
        leases.release(workspace, kim.id, at_time(NOW, study.work, kim).assignment.id, skip=True)
    elif how == "failed":
        with workspace.write() as connection:
            status = quality_status(connection, kim.id, studies.get_stage(workspace, study_id, "verify").id)
            save_quality_status(connection, type(status)(status.participant_id, status.stage_id, "failed"))
    elif how == "author":
        with workspace.write() as connection:
            connection.execute(sa.update(schema.items).filter_by(id=one).values(author_id=kim.id))
    else:
        give(study, {one: []})
        give(study, {two: [kim]})
        assert at_time(NOW, study.answer, kim, {"choices": [0]}).item.id == two
        give(study, {one: [kim], two: []})
    assert reasons(study) == {one: "nobody"}
    if how in ("leave", "exclude", "pause", "off", "role", "failed"):
        lee = study.person()
        give(study, {one: [lee]})
        assert reasons(study) == {}, "assigned anew"


def test_people_who_do_not_work(studio_workspace: Workspace) -> None:
    study = open_study(studio_workspace, [{**VOTE, "answers": 1, "majority": 1}])
    kim, lee = study.person(), study.person()
    one, two = study.add("verify", [QUESTION] * 2)
    give(study, {one: [kim], two: [lee]})
    assert reasons(study, NOW + 6.9 * DAY) == {}
    assert reasons(study, NOW + 7.1 * DAY) == {one: "idle", two: "idle"}
    at_time(NOW + 5 * DAY, study.work, kim)  # and goes away
    assert reasons(study, NOW + 7.1 * DAY) == {two: "idle"}
    assert reasons(study, NOW + 12.1 * DAY) == {one: "idle", two: "idle"}
    at_time(NOW + 12.0 * DAY, study.answer, lee, {"choices": [0]})
    assert reasons(study, NOW + 12.1 * DAY) == {one: "idle"}, "there is nothing left of the other"
    overview = overview_of_assignments(study.workspace, study.record.id, now=NOW + 12.1 * DAY)
    assert overview.items == 1
    assert [
        (each.person.name, each.is_at_work, each.outstanding, each.answered, each.active) for each in overview.loads
    ] == [
        (kim.pseudonym, True, 1, 0, NOW + 5 * DAY), (lee.pseudonym, True, 0, 1, NOW + 12.0 * DAY),
    ]  # fmt: skip
    few = overview_of_assignments(study.workspace, study.record.id, now=NOW + 7.1 * DAY, idle_days=30)
    assert few.stalled == ()


def test_a_task_that_somebody_is_at_is_not_missing(study: StudyFixture) -> None:
    kim, lee = study.person(), study.person()
    (one,) = study.add("verify", [QUESTION])
    one_slot(study, one)
    at_time(NOW, study.work, kim)
    give(study, {one: [lee]})
    participants.withdraw(study.workspace, study.record.id, lee.id)
    assert reasons(study) == {}, "kim goes on with it"
    assert reasons(study, NOW + 3600) == {one: "nobody"}, "and may not any more after the time is over"


def test_populations_have_their_members_of_now(studio_workspace: Workspace) -> None:
    populations = [{"name": "uk", "culture": "GB"}, {"name": "wales", "culture": "GB", "part_of": "uk"}]
    study = open_study(studio_workspace, [VOTE], populations=populations)
    (item,) = (
        each.id
        for each in add_items(study.workspace, study.record.id, "verify", [NewItem("q", QUESTION, "wales")])
    )
    one_slot(study, item, 2)
    number = studies.get_population(study.workspace, study.record.id, "uk").id
    at_time(NOW, assign, study.workspace, study.record.id, {item: [Assignee("uk", population_id=number)]})
    assert reasons(study) == {item: "nobody"}
    study.person("uk")
    assert reasons(study) == {item: "nobody"}, "the item is of a part of it"
    study.person("wales")
    assert reasons(study) == {item: "few"}
    study.person("wales")
    assert reasons(study) == {}
    assert overview_of_assignments(study.workspace, study.record.id, now=NOW).loads == (), "nobody by name"
