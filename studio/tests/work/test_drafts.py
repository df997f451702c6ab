"""Drafts survive closed tabs and lost replies, and no tab overwrites what it has not seen."""

from __future__ import annotations

import threading

import pytest

from folkways.workspace.database import Workspace
from folkways_studio.errors import ConflictError, DraftConflictError, SubmissionError
from folkways_studio.records import Draft
from folkways_studio.work import assignments, drafts
from folkways_studio.work.task_pages import get_task_page
from studio.tests.support.studies import ON_BOTH, QUESTION, StudyFixture, next_work, open_study
from tests.support.frozen_time import at_time


@pytest.fixture
def study(studio_workspace: Workspace) -> StudyFixture:
    study = open_study(studio_workspace, [{"name": "verify", "kind": "vote"}])
    study.add("verify", [QUESTION])
    return study


def test_saving_and_coming_back(study: StudyFixture) -> None:
    person = study.person()
    work = study.work(person)
    assert get_task_page(study.workspace, person, work.assignment.id).draft is None
    first = drafts.save_draft(study.workspace, person.id, work.assignment.id, {"choices": [1]}, 0)
    second = drafts.save_draft(
        study.workspace, person.id, work.assignment.id, {"choices": [1, 2]}, first.revision
    )
    assert second.revision == 2
    assert get_task_page(study.workspace, person, study.work(person).assignment.id).draft == second


def test_a_tab_that_is_behind_is_told_what_there_is(study: StudyFixture) -> None:
    person = study.person()
    work = study.work(person)
    newer = drafts.save_draft(
        study.workspace, person.id, work.assignment.id, {"comment": "from the first tab"}, 0
    )
    with pytest.raises(DraftConflictError) as error:
        drafts.save_draft(
            study.workspace, person.id, work.assignment.id, {"comment": "from the second tab"}, 0
        )
    assert error.value.current == newer
    over = drafts.save_draft(
        study.workspace, person.id, work.assignment.id, {"comment": "from the second tab"}, newer.revision
    )
    assert over.revision == 2


def test_a_save_whose_reply_was_lost_is_no_conflict(study: StudyFixture) -> None:
    person = study.person()
    work = study.work(person)
    first = drafts.save_draft(study.workspace, person.id, work.assignment.id, {"comment": "same"}, 0)
    assert drafts.save_draft(study.workspace, person.id, work.assignment.id, {"comment": "same"}, 0) == first


@ON_BOTH
def test_of_tabs_that_save_at_once_one_wins_and_the_others_know(study: StudyFixture) -> None:
    person = study.person()
    work = study.work(person)
    told: list[Draft | DraftConflictError] = []

    def save(number: int) -> None:
        try:
            told.append(
                drafts.save_draft(
                    study.workspace, person.id, work.assignment.id, {"comment": f"tab {number}"}, 0
                )
            )
        except DraftConflictError as error:
            told.append(error)

    tabs = [threading.Thread(target=save, args=(number,)) for number in range(6)]
    for tab in tabs:
        tab.start()
    for tab in tabs:
        tab.join()
    (winner,) = [each for each in told if isinstance(each, Draft)]
    assert all(
        each.current.payload == winner.payload for each in told if isinstance(each, DraftConflictError)
    )
    assert len(told) == 6


def test_saving_renews_the_lease(study: StudyFixture) -> None:
    person = study.person()
    work = at_time(1_000_000.0, next_work, study.workspace, person.id)
    assert isinstance(work, assignments.Work)
    at_time(1_001_000.0, drafts.save_draft, study.workspace, person.id, work.assignment.id, {}, 0)
    renewed = assignments.get_work(study.workspace, person.id, work.assignment.id).assignment
    assert renewed.lease_until == 1_001_000.0 + 1800


def test_a_draft_goes_with_the_submission_and_stays_shut(study: StudyFixture) -> None:
    person = study.person()
    work = study.work(person)
    drafts.save_draft(study.workspace, person.id, work.assignment.id, {"choices": [1]}, 0)
    study.submit(person, work, {"choices": [1]})
    assert get_task_page(study.workspace, person, work.assignment.id).draft is None
    with pytest.raises(ConflictError, match="submitted"):
        drafts.save_draft(study.workspace, person.id, work.assignment.id, {"choices": [2]}, 0)


def test_a_draft_of_any_length_is_not_taken(study: StudyFixture) -> None:
    person = study.person()
    work = study.work(person)
    with pytest.raises(SubmissionError, match="too long"):
        drafts.save_draft(
            study.workspace, person.id, work.assignment.id, {"comment": "x" * drafts.LARGEST_BYTES}, 0
        )
