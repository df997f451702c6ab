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
STAGES = [STAGE]
POPULATIONS = [{"name": "korea", "culture": "KR"}, {"name": "peru", "culture": "PE"}]


def write(study: StudyFixture, person: Participant, category: str) -> None:
    work = next_work(study.workspace, person.id, stage="write")
    assert isinstance(work, assignments.Work)
    study.submit(person, work, {"category": category, "question": "What is it?", "english": "What is it?"})


def counts(study: StudyFixture) -> list[CategoryCount]:
    populations = [each.id for each in studies.populations(study.workspace, study.record.id)]
    return category_counts(
        study.workspace, studies.get_stage(study.workspace, study.record.id, "write"), populations
    )


@ON_BOTH
def test_the_last_place_of_a_category_is_for_a_second_person(study: StudyFixture) -> None:
    kim, lee, ana = study.person(), study.person(), study.person("peru")
    write(study, kim, "Food")
    write(study, kim, "Food")
    with pytest.raises(SubmissionError, match=r"2 of 3 questions .* kept for other people"):
        write(study, kim, "Food")
    write(study, kim, "Sport")  # the same draft, with another category
    write(study, lee, "Food")
    for person in (kim, lee):
        with pytest.raises(SubmissionError, match="all 3 questions about it are there"):
            write(study, person, "Food")
    write(study, ana, "Food")
    korea, peru = studies.populations(study.workspace, study.record.id)
    assert counts(study) == [
        CategoryCount(korea.id, "Food", 3, 2, 0, 0),
        CategoryCount(korea.id, "Sport", 1, 1, 1, 1),
        CategoryCount(peru.id, "Food", 1, 1, 1, 1),
        CategoryCount(peru.id, "Sport", 0, 0, 2, 2),
    ]


def test_a_category_without_a_place_for_its_author_cannot_be_chosen(study: StudyFixture) -> None:
    """Nor is anybody given a question to write who has no place in any."""
    kim, lee, ana = study.person(), study.person(), study.person("peru")
    for category in ("Food", "Food", "Sport"):
        write(study, kim, category)

    def refused(person: Participant) -> list[str]:
        work = next_work(study.workspace, person.id, stage="write")
        assert isinstance(work, assignments.Work) and person.account_id is not None
        token = sessions.open_session(study.workspace, person.account_id)
        browser = AppClient(create_app(study.workspace), cookies={"folkways_session": token})
        number = shown_number(work.assignment.id, person.pseudonym)
        page = browser.get(f"/work/{study.record.name}/tasks/{number}").text
        closed = re.findall(r'name="category" value="(\w+)" disabled', page)
        assert page.count("No more questions about this are needed from you.") == len(closed)
        return closed

    assert (refused(kim), refused(lee), refused(ana)) == (["Food"], [], [])
    write(study, kim, "Sport")
    assert study.nothing(kim, "write") == "quota"
    write(study, lee, "Sport")
    assert (refused(lee), refused(ana)) == (["Sport"], [])


def test_who_wrote_fewer_than_the_least_is_flagged(study: StudyFixture) -> None:
    kim, lee = study.person(), study.person()
    write(study, kim, "Food")
    write(study, lee, "Food")
    write(study, lee, "Sport")
    flags = {each.participant_id: each.flags for each in progress.quality(study.workspace, study.record.id)}
    assert flags == {kim.id: ("few",), lee.id: ()}


def test_where_no_least_is_set_no_question_is_missing(studio_workspace: Workspace) -> None:
    stage = {
        name: value
        for name, value in STAGE.items()
        if name not in ("least_per_category", "people_per_category")
    }
    study = open_study(studio_workspace, [stage], populations=POPULATIONS[:1])
    write(study, study.person(), "Food")
    (korea,) = studies.populations(study.workspace, study.record.id)
    assert counts(study) == [
        CategoryCount(korea.id, "Food", 1, 1, 0, 0),
        CategoryCount(korea.id, "Sport", 0, 0, 0, 1),
    ]
