"""Assigned items that do not go on: who of their people can still answer, and who does not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest
import sqlalchemy as sa

from folkways.workspace.database import Workspace
from folkways_studio.database import schema
from folkways_studio.items.service import NewItem, add_items
from folkways_studio.people import accounts, participants, suspension
from folkways_studio.people.quality_status import quality_status, save_quality_status
from folkways_studio.records import AssignmentState, Participant, Role
from folkways_studio.studies import service as studies
from folkways_studio.work import leases
from folkways_studio.work.assignees import Assignee, assign
from folkways_studio.work.stalled_items import StalledItem, overview_of_assignments
from studio.tests.support.studies import QUESTION, StudyFixture, open_study
from tests.support.moments import at_time

DAY = 86_400.0
NOW = 1_000_000_000.0
VOTE = {"name": "verify", "kind": "vote"}


@pytest.fixture
def desk(studio_workspace: Workspace) -> StudyFixture:
    return open_study(studio_workspace, [VOTE])


def one_slot(desk: StudyFixture, item: int, slots: int = 1) -> None:
    """Leave an item so many slots."""
    table = schema.assignments
    with desk.workspace.write() as connection:
        connection.execute(
            sa.update(table)
            .where(table.c.item_id == item, table.c.slot > slots)
            .values(state=str(AssignmentState.CLOSED))
        )


def give(desk: StudyFixture, wanted: Mapping[int, Sequence[Participant]], at: float = NOW) -> None:
    pairs = {
        item: [Assignee(each.pseudonym, participant_id=each.id) for each in people]
        for item, people in wanted.items()
    }
    at_time(at, assign, desk.workspace, desk.study.id, pairs)


def stalled(desk: StudyFixture, now: float = NOW + 1) -> dict[int, StalledItem]:
    return {
        each.item_id: each for each in overview_of_assignments(desk.workspace, desk.study.id, now=now).stalled
    }


def reasons(desk: StudyFixture, now: float = NOW + 1) -> dict[int, str]:
    return {number: each.reason for number, each in stalled(desk, now).items()}


def test_too_few_people_for_the_answers_that_are_missing(desk: StudyFixture) -> None:
    kim, lee = desk.person(), desk.person()
    one, two, three = desk.add("verify", [QUESTION] * 3)
    one_slot(desk, one)
    give(desk, {one: [kim], two: [kim, lee]})
    assert reasons(desk) == {two: "few"}, "an item that is for anybody is not stalled"
    row = stalled(desk)[two]
    assert (row.missing, row.able, [each.name for each in row.assignees]) == (
        5,
        2,
        [kim.pseudonym, lee.pseudonym],
    )
    at_time(NOW, desk.answer, lee, {"choices": [0]})
    row = stalled(desk)[two]
    assert (row.missing, row.able) == (4, 1), "who has answered gives no other answer"
    assert three not in reasons(desk)


@pytest.mark.parametrize(
    "how", ["leave", "exclude", "pause", "off", "role", "skip", "failed", "cap", "author"]
)
def test_who_cannot_answer_any_more(studio_workspace: Workspace, how: str) -> None:
    desk = open_study(studio_workspace, [{**VOTE, "cap": 1}])
    kim = desk.person()
    one, two = desk.add("verify", [QUESTION] * 2)
    one_slot(desk, one)
    give(desk, {one: [kim]})
    assert reasons(desk) == {}
    workspace, study = desk.workspace, desk.study.id
    if how == "leave":
        participants.withdraw(workspace, study, kim.id)
    elif how == "exclude":
        suspension.exclude(workspace, study, kim.id, "why", by=desk.owner)
    elif how == "pause":
        with workspace.write() as connection:
            suspension.pause_within(connection, kim, "why")
    elif how == "off":
        with workspace.write() as connection:
            connection.execute(
                sa.update(schema.accounts).where(schema.accounts.c.id == kim.account_id).values(disabled=True)
            )
    elif how == "role":
        accounts.take_role(workspace, study, kim.account_id, Role.ANNOTATOR, by=desk.owner)
    elif how == "skip":
        leases.release(workspace, kim.id, at_time(NOW, desk.work, kim).assignment.id, skip=True)
    elif how == "failed":
        with workspace.write() as connection:
            status = quality_status(connection, kim.id, studies.get_stage(workspace, study, "verify").id)
            save_quality_status(connection, type(status)(status.participant_id, status.stage_id, "failed"))
    elif how == "author":
        with workspace.write() as connection:
            connection.execute(sa.update(schema.items).filter_by(id=one).values(author_id=kim.id))
    else:
        give(desk, {one: []})
        give(desk, {two: [kim]})
        assert at_time(NOW, desk.answer, kim, {"choices": [0]}).item.id == two
        give(desk, {one: [kim], two: []})
    assert reasons(desk) == {one: "nobody"}
    if how in ("leave", "exclude", "pause", "off", "role", "failed"):
        lee = desk.person()
        give(desk, {one: [lee]})
        assert reasons(desk) == {}, "assigned anew"


def test_people_who_do_not_work(studio_workspace: Workspace) -> None:
    desk = open_study(studio_workspace, [{**VOTE, "answers": 1, "majority": 1}])
    kim, lee = desk.person(), desk.person()
    one, two = desk.add("verify", [QUESTION] * 2)
    give(desk, {one: [kim], two: [lee]})
    assert reasons(desk, NOW + 6.9 * DAY) == {}
    assert reasons(desk, NOW + 7.1 * DAY) == {one: "idle", two: "idle"}
    at_time(NOW + 5 * DAY, desk.work, kim)  # and goes away
    assert reasons(desk, NOW + 7.1 * DAY) == {two: "idle"}
    assert reasons(desk, NOW + 12.1 * DAY) == {one: "idle", two: "idle"}
    at_time(NOW + 12.0 * DAY, desk.answer, lee, {"choices": [0]})
    assert reasons(desk, NOW + 12.1 * DAY) == {one: "idle"}, "there is nothing left of the other"
    overview = overview_of_assignments(desk.workspace, desk.study.id, now=NOW + 12.1 * DAY)
    assert overview.items == 1
    assert [
        (each.person.name, each.is_at_work, each.outstanding, each.answered, each.active) for each in overview.loads
    ] == [
        (kim.pseudonym, True, 1, 0, NOW + 5 * DAY), (lee.pseudonym, True, 0, 1, NOW + 12.0 * DAY),
    ]  # fmt: skip
    few = overview_of_assignments(desk.workspace, desk.study.id, now=NOW + 7.1 * DAY, idle_days=30)
    assert few.stalled == ()


def test_a_task_that_somebody_is_at_is_not_missing(desk: StudyFixture) -> None:
    kim, lee = desk.person(), desk.person()
    (one,) = desk.add("verify", [QUESTION])
    one_slot(desk, one)
    at_time(NOW, desk.work, kim)
    give(desk, {one: [lee]})
    participants.withdraw(desk.workspace, desk.study.id, lee.id)
    assert reasons(desk) == {}, "kim goes on with it"
    assert reasons(desk, NOW + 3600) == {one: "nobody"}, "and may not any more after the time is over"


def test_populations_have_their_members_of_now(studio_workspace: Workspace) -> None:
    populations = [{"name": "uk", "culture": "GB"}, {"name": "wales", "culture": "GB", "part_of": "uk"}]
    desk = open_study(studio_workspace, [VOTE], populations=populations)
    (item,) = (
        each.id
        for each in add_items(desk.workspace, desk.study.id, "verify", [NewItem("q", QUESTION, "wales")])
    )
    one_slot(desk, item, 2)
    number = studies.get_population(desk.workspace, desk.study.id, "uk").id
    at_time(NOW, assign, desk.workspace, desk.study.id, {item: [Assignee("uk", population_id=number)]})
    assert reasons(desk) == {item: "nobody"}
    desk.person("uk")
    assert reasons(desk) == {item: "nobody"}, "the item is of a part of it"
    desk.person("wales")
    assert reasons(desk) == {item: "few"}
    desk.person("wales")
    assert reasons(desk) == {}
    assert overview_of_assignments(desk.workspace, desk.study.id, now=NOW).loads == (), "nobody by name"
