"""How many questions of a category a population writes, and by how many people."""

from __future__ import annotations

import re

import pytest

from folkways.sdk.workspace import Workspace
from folkways_studio.errors import SubmissionError
from folkways_studio.people import sessions
from folkways_studio.records import Participant
from folkways_studio.studies import progress
from folkways_studio.studies import service as studies
from folkways_studio.web.app import create_app
from folkways_studio.work import assignments
from folkways_studio.work.categories import CategoryCount, category_counts
from folkways_studio.work.task_numbers import shown_number
from studio.tests.support.app_client import AppClient
from studio.tests.support.studies import ON_BOTH, StudyFixture, next_work, open_study

STAGE = {
    "name": "write",
    "kind": "collect_question",
    "categories": ["Food", "Sport"],
    "per_category": 3,
    "least_per_category": 2,
    "people_per_category": 2,
    "least": 2,
}
POPULATIONS = [{"name": "korea", "culture": "KR"}, {"name": "peru", "culture": "PE"}]


@pytest.fixture
def desk(studio_workspace: Workspace) -> StudyFixture:
    return open_study(studio_workspace, [STAGE], populations=POPULATIONS)


def write(desk: StudyFixture, person: Participant, category: str) -> None:
    work = next_work(desk.workspace, person.id, stage="write")
    assert isinstance(work, assignments.Work)
    desk.submit(person, work, {"category": category, "question": "What is it?", "english": "What is it?"})


def counts(desk: StudyFixture) -> list[CategoryCount]:
    populations = [each.id for each in studies.populations(desk.workspace, desk.study.id)]
    return category_counts(
        desk.workspace, studies.get_stage(desk.workspace, desk.study.id, "write"), populations
    )


@ON_BOTH
def test_the_last_place_of_a_category_is_for_a_second_person(desk: StudyFixture) -> None:
    kim, lee, ana = desk.person(), desk.person(), desk.person("peru")
    write(desk, kim, "Food")
    write(desk, kim, "Food")
    with pytest.raises(SubmissionError, match=r"2 of 3 questions .* kept for other people"):
        write(desk, kim, "Food")
    write(desk, kim, "Sport")  # the same draft, with another category
    write(desk, lee, "Food")
    for person in (kim, lee):
        with pytest.raises(SubmissionError, match="all 3 questions about it are there"):
            write(desk, person, "Food")
    write(desk, ana, "Food")
    korea, peru = studies.populations(desk.workspace, desk.study.id)
    assert counts(desk) == [
        CategoryCount(korea.id, "Food", 3, 2, 0, 0),
        CategoryCount(korea.id, "Sport", 1, 1, 1, 1),
        CategoryCount(peru.id, "Food", 1, 1, 1, 1),
        CategoryCount(peru.id, "Sport", 0, 0, 2, 2),
    ]


def test_a_category_without_a_place_for_its_author_cannot_be_chosen(desk: StudyFixture) -> None:
    """Nor is anybody given a question to write who has no place in any."""
    kim, lee, ana = desk.person(), desk.person(), desk.person("peru")
    for category in ("Food", "Food", "Sport"):
        write(desk, kim, category)

    def refused(person: Participant) -> list[str]:
        work = next_work(desk.workspace, person.id, stage="write")
        assert isinstance(work, assignments.Work) and person.account_id is not None
        token = sessions.open_session(desk.workspace, person.account_id)
        browser = AppClient(create_app(desk.workspace), cookies={"folkways_session": token})
        number = shown_number(work.assignment.id, person.pseudonym)
        page = browser.get(f"/work/{desk.study.name}/tasks/{number}").text
        closed = re.findall(r'name="category" value="(\w+)" disabled', page)
        assert page.count("No more questions about this are needed from you.") == len(closed)
        return closed

    assert (refused(kim), refused(lee), refused(ana)) == (["Food"], [], [])
    write(desk, kim, "Sport")
    assert desk.nothing(kim, "write") == "quota"
    write(desk, lee, "Sport")
    assert (refused(lee), refused(ana)) == (["Sport"], [])


def test_who_wrote_fewer_than_the_least_is_flagged(desk: StudyFixture) -> None:
    kim, lee = desk.person(), desk.person()
    write(desk, kim, "Food")
    write(desk, lee, "Food")
    write(desk, lee, "Sport")
    flags = {each.participant_id: each.flags for each in progress.quality(desk.workspace, desk.study.id)}
    assert flags == {kim.id: ("few",), lee.id: ()}


def test_where_no_least_is_set_no_question_is_missing(studio_workspace: Workspace) -> None:
    stage = {
        name: value
        for name, value in STAGE.items()
        if name not in ("least_per_category", "people_per_category")
    }
    desk = open_study(studio_workspace, [stage], populations=POPULATIONS[:1])
    write(desk, desk.person(), "Food")
    (korea,) = studies.populations(desk.workspace, desk.study.id)
    assert counts(desk) == [
        CategoryCount(korea.id, "Food", 1, 1, 0, 0),
        CategoryCount(korea.id, "Sport", 0, 0, 0, 1),
    ]
