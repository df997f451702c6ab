"""Verification, from the invitation to the result, by five people in five browsers (CulturalBench 3.2,
3.3)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

pytest.importorskip("playwright.sync_api")
from playwright.sync_api import expect

from folkways_studio.work import judgements
from folkways_studio.work.assignments import NoWork
from studio.tests.support.studies import next_work
from studio.tests.web.conftest import ServedStudy, begin, send

pytestmark = pytest.mark.browser

QUESTIONS = [
    {"question": "설날 아침에 보통 무엇을 먹나요?", "options": ["떡국", "미역국", "냉면", "삼계탕"]},
    {"question": "What do guests take off at the door?", "options": ["hats", "shoes", "coats", "gloves"]},
    {
        "question": "Which soup is eaten in Jeju at weddings?",
        "options": ["gogi-guksu", "momguk", "seolleongtang", "kongguksu"],
    },
]
POPULATIONS = [
    {"name": "korea", "culture": "KR", "title": "South Korea"},
    {"name": "jeju", "culture": "KR", "title": "Jeju", "part_of": "korea"},
]


@pytest.fixture
def study(make_study: Callable[..., ServedStudy]) -> ServedStudy:
    return make_study(
        [{"name": "verify", "kind": "vote", "title": "Check questions"}], populations=POPULATIONS
    )


@pytest.mark.nightly
def test_five_people_settle_three_questions_and_a_finer_population_is_asked_what_they_did_not_know(
    study: ServedStudy,
) -> None:
    rice, shoes, jeju = study.add("verify", QUESTIONS)
    people = [study.guest() for _ in range(5)]
    for page in people:
        begin(page)
    for number, page in enumerate(people):
        expect(page.locator(".subject")).to_have_text(QUESTIONS[0]["question"])
        page.get_by_label("떡국").check()
        if number == 4:
            page.get_by_label("미역국").check()
        send(page)
        expect(page.get_by_text("1 of 3 done")).to_be_visible()
        page.get_by_label("shoes").check()
        if number:
            page.get_by_label("coats").check()
        send(page)
        page.get_by_label("I don't have the knowledge").check()
        send(page)
        expect(page.get_by_role("heading", name="Thank you")).to_be_visible()

    first, second, third = study.item(rice), study.item(shoes), study.item(jeju)
    assert (first.state, first.result["gold"], first.result["mode"]) == ("done", [0], "single")
    assert first.result["counts"] == [5, 1, 0, 0]
    assert (second.state, second.result["gold"], second.result["mode"]) == ("done", [1, 2], "multi")
    assert third.state == "dropped" and "subpopulation" in third.reason

    local = study.at_start("jeju")
    begin(local)
    expect(local.locator(".subject")).to_have_text(QUESTIONS[2]["question"])
    local.get_by_label("momguk").check()
    send(local)
    expect(local.get_by_role("heading", name="Thank you")).to_be_visible()
    assert study.errors == []


def test_a_vote_and_a_reason_for_none_exclude_each_other(study: ServedStudy) -> None:
    (number,) = study.add("verify", QUESTIONS[:1])
    page = study.at_task()
    page.get_by_label("떡국").check()
    page.get_by_label("This cannot be answered").check()
    expect(page.get_by_label("떡국")).not_to_be_checked()
    page.get_by_label("I don't have the knowledge").check()
    expect(page.get_by_label("This cannot be answered")).not_to_be_checked()
    page.get_by_label("냉면").check()
    expect(page.get_by_label("I don't have the knowledge")).not_to_be_checked()
    page.get_by_label("Anything to add?").fill("only in summer")
    send(page)
    (said,) = judgements.list_judgements(study.workspace, study.record.id, number)
    assert said.payload == {"choices": [2], "abstain": None, "comment": "only in summer"}


def test_an_empty_answer_is_not_sent_and_the_page_says_what_is_missing(study: ServedStudy) -> None:
    (number,) = study.add("verify", QUESTIONS[:1])
    page = study.at_task()
    page.get_by_role("button", name="Send and go on").click()
    expect(page.get_by_role("alert")).to_contain_text("Choose at least one answer")
    assert page.evaluate("document.activeElement.id") == "problems"
    assert judgements.list_judgements(study.workspace, study.record.id, number) == ()


@pytest.mark.nightly
def test_a_task_given_back_is_offered_to_somebody_else(make_study: Callable[..., ServedStudy]) -> None:
    study = make_study([{"name": "verify", "kind": "vote", "answers": 1, "majority": 1}])
    study.add("verify", QUESTIONS[:1])
    page = study.at_task()
    assert next_work(study.workspace, study.person().id) == NoWork("none_left")
    page.on("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Give back").click()
    expect(page.get_by_role("heading", name="There is nothing to do at the moment")).to_be_visible()
    other = study.at_task()
    expect(other.locator(".subject")).to_have_text(QUESTIONS[0]["question"])


@pytest.mark.nightly
def test_researchers_see_progress_votes_and_flags_and_settle_by_hand(study: ServedStudy) -> None:
    rice, _ = study.add("verify", QUESTIONS[:2])
    for choice in ("떡국", "미역국", "냉면", "떡국"):
        page = study.at_task()
        page.get_by_label(choice).check()
        send(page)
    researcher = study.researcher()
    row = researcher.get_by_role("row").filter(has_text="Check questions")
    expect(row).to_contain_text("4 / 10")
    researcher.get_by_role("link", name="Items").click()
    first = researcher.locator("table.items tbody tr").first
    expect(first).to_contain_text(QUESTIONS[0]["question"])
    expect(first).to_contain_text("50.0\u202f%")
    first.get_by_role("link", name=QUESTIONS[0]["question"]).click()
    researcher.get_by_label("떡국").check()
    researcher.get_by_label("Reason, kept on record").fill("Two of the four had the birthday in mind.")
    researcher.get_by_role("button", name="Decide").click()
    expect(researcher.get_by_role("status").first).to_contain_text("Your decision has been saved.")
    settled = study.item(rice)
    assert settled.state == "done" and settled.result["gold"] == [0] and settled.result["adjudicated"]
    assert study.errors == []
