"""The page of a study as people who answer see it: how far they are in each stage, and what comes next."""

from __future__ import annotations

import re
from html import unescape

import pytest

from folkways.workspace.database import Workspace
from folkways_studio.records import Participant
from studio.tests.support.studies import QUESTION, StudyFixture, open_study
from studio.tests.web.test_own_forms import StudyApp

HOME = "/work/test-study"
VERIFY = {"name": "verify", "kind": "vote", "title": "Check"}
TELL = {"name": "tell", "kind": "form", "title": "Tell"}
WRITE = {"name": "write", "kind": "collect_question", "title": "Write"}
CUSTOM = {"text": "Guests call first."}


def page_of(study: StudyFixture, person: Participant) -> str:
    reply = StudyApp(study).browser(person.account_id).get(HOME)
    assert reply.status_code == 200
    return str(reply.text)


def words(text: str) -> str:
    return " ".join(unescape(re.sub("<[^>]*>", " ", text)).split())


def home(study: StudyFixture, person: Participant) -> dict[str, str]:
    """Stage -> whether it comes next, and how far the person is."""
    entries = (
        page_of(study, person).partition('<ol class="parts">')[2].partition("</ol>")[0].split("<li>")[1:]
    )
    parts = (entry.partition("</button>") for entry in entries)
    return {words(button): words(rest) for button, _, rest in parts}


def test_people_see_how_far_they_are_and_what_comes_next(workspace: Workspace) -> None:
    study = open_study(workspace, [VERIFY, TELL, WRITE])
    study.add("verify", [QUESTION] * 3)
    study.add("tell", [CUSTOM] * 2)
    study.work(study.person(), "tell")  # what another holds is no task of theirs
    person = study.person()
    tell, write = "0 of 2 done", "0 done"
    assert home(study, person) == {"Check": "comes next 0 of 3 done", "Tell": tell, "Write": write}
    study.answer(person, {"choices": [0]})
    check = "comes next 1 of 3 done about 1 minute left"
    assert home(study, person) == {"Check": check, "Tell": tell, "Write": write}
    for choice in (1, 2):
        study.answer(person, {"choices": [choice]})
    assert study.work(person).stage.name == "tell", "the next stage follows without asking"
    part_way = {"Check": "3 of 3 done", "Tell": f"comes next {tell}", "Write": write}
    assert home(study, person) == part_way, "the task at hand is one of the two"
    study.work(person, "write")
    assert home(study, person) == part_way, "they hold two tasks now"
    for _ in range(2):
        study.answer(person, {"answers": {"answer": "So it is."}}, "tell")
    assert home(study, person)["Write"] == f"comes next {write}"


def test_one_stage_has_its_line_and_no_list(workspace: Workspace) -> None:
    study = open_study(workspace, [VERIFY])
    study.add("verify", [QUESTION] * 2)
    person = study.person()
    for _ in range(2):
        page = page_of(study, person)
        assert "0 of 2 done" in words(page) and '<ol class="parts">' not in page
        study.work(person)


def test_who_has_answered_all_is_offered_to_look_for_more(workspace: Workspace) -> None:
    study = open_study(workspace, [VERIFY])
    study.add("verify", [QUESTION])
    person = study.person()
    assert "Go on" in words(page_of(study, person))
    study.answer(person, {"choices": [0]})
    page = words(page_of(study, person))
    assert "Look whether there is more to do" in page and "Go on" not in page


def test_who_comes_after_the_last_task_is_told_so(workspace: Workspace) -> None:
    page = words(page_of(study := open_study(workspace, [VERIFY]), study.person()))
    assert "There is nothing to do at the moment Look whether there is more to do" in page
    assert "0 done" not in page and "Go on" not in page


def test_what_people_write_comes_next_where_nothing_else_is_left(workspace: Workspace) -> None:
    study = open_study(workspace, [VERIFY, WRITE])
    assert home(study, study.person()) == {
        "Check": "There is nothing to do at the moment 0 done", "Write": "comes next 0 done",
    }  # fmt: skip


def test_the_task_that_somebody_holds_comes_next(workspace: Workspace) -> None:
    study = open_study(workspace, [VERIFY, TELL])
    study.add("verify", [QUESTION])
    study.add("tell", [CUSTOM])
    person = study.person()
    study.work(person, "tell")
    assert home(study, person) == {"Check": "0 of 1 done", "Tell": "comes next 0 of 1 done"}
    browser = StudyApp(study).browser(person.account_id)
    reply = browser.fill(f"{HOME}/next", {}, HOME)
    assert re.search(r"<h1[^>]*>.*Tell", browser.get(reply.headers["location"]).text)


@pytest.mark.parametrize(("role", "told"), [("annotator", True), ("reviewer", False), ("owner", False)])
def test_a_link_for_prolific_is_one_for_participants(workspace: Workspace, role: str, told: bool) -> None:
    study = open_study(workspace, [VERIFY])
    people = f"/studies/{study.record.name}/people"
    made = {"role": role, "population": "korea", "days": "3"}
    page = words(
        StudyApp(study).browser(study.owner).fill(f"/studies/{study.record.name}/invites", made, people).text
    )
    assert "The link is ready" in page and ("For Prolific" in page) == told
