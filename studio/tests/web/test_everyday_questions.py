"""Everyday questions, from collecting them to the released schema with everybody's raw answers (BLEnD,
section 3)."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("playwright.sync_api")
from playwright.sync_api import expect

from folkways_studio.database import schema
from folkways_studio.items import service as items
from folkways_studio.records import Role
from folkways_studio.studies import service as studies
from studio.tests.support.studies import stored
from studio.tests.web.conftest import ServedStudy, begin, send

pytestmark = pytest.mark.browser

STAGES = [
    {
        "name": "collect",
        "kind": "collect_question",
        "title": "Collect questions",
        "cap": 1,
        "next": {"done": "curate"},
    },
    {
        "name": "curate",
        "kind": "curate",
        "title": "Choose questions",
        "role": "researcher",
        "next": {"done": "localise"},
    },
    {
        "name": "localise",
        "kind": "localise",
        "title": "Into a language",
        "role": "reviewer",
        "next": {"done": "answer"},
    },
    {
        "name": "answer",
        "kind": "short_answers",
        "title": "Answer questions",
        "answers": 3,
        "next": {"done": "review"},
    },
    {"name": "review", "kind": "group_answers", "title": "Review answers", "role": "reviewer"},
]
POPULATIONS = [
    {"name": "korea", "culture": "KR", "title": "South Korea"},
    {"name": "ethiopia", "culture": "ET", "title": "Ethiopia"},
]


def start(page: Any, stage: str) -> None:
    page.get_by_role("button", name=stage).click()
    page.wait_for_selector("form[data-ready]")


@pytest.fixture
def study(make_study: Callable[..., ServedStudy]) -> ServedStudy:
    return make_study(STAGES, populations=POPULATIONS)


@pytest.mark.nightly
def test_from_a_question_to_the_released_schema(study: ServedStudy) -> None:
    author = study.guest()
    start(author, "Collect questions")
    author.get_by_label("Food").check()
    author.get_by_label("The question, in your language").fill("한국에서 설날 아침에 무엇을 먹나요?")
    author.get_by_label("The same in English").fill("What do people in Korea eat on New Year's morning?")
    send(author)
    english = "What is eaten at New Year in Korea?"
    study.answer(
        study.person(), {"category": "Food", "question": "설에 먹는 음식은?", "english": english}, "collect"
    )
    first = items.list_items(study.workspace, study.record.id, "collect", state="done")[0]  # type: ignore[arg-type]

    curator = study.at_start(role=Role.RESEARCHER)
    begin(curator)
    curator.get_by_label("Keep").check()
    curator.get_by_label("Template").fill("What do people eat on New Year's morning?")
    curator.get_by_role("button", name="Send and go on").click()
    expect(curator.get_by_role("alert")).to_contain_text("your country")
    curator.get_by_label("Template").fill("What do people in your country eat on New Year's morning?")
    send(curator)
    curator.get_by_label("A duplicate").check()
    curator.get_by_label("Key of the question that it repeats").fill(first.key)
    send(curator)

    reviewer = study.at_start(role=Role.REVIEWER)
    start(reviewer, "Into a language")
    local = {
        "korea": "우리나라에서 설날 아침에 무엇을 먹나요?",
        "ethiopia": "በኢትዮጵያ በአዲስ ዓመት ጠዋት ሰዎች ምን ይበላሉ?",
    }
    asked = items.list_items(study.workspace, study.record.id, "localise")
    names = {
        population.id: population.name for population in studies.populations(study.workspace, study.record.id)
    }
    for item in asked:
        reviewer.get_by_label("The question for your country").fill(local[names[item.population_id or 0]])
        send(reviewer)
    assert {
        item.population_id for item in items.list_items(study.workspace, study.record.id, "answer")
    } == set(names)

    page = study.at_start()
    start(page, "Answer questions")
    expect(page.locator(".subject")).to_have_text(local["korea"])
    for number, answer in enumerate(["떡만둣국", "떡국"], 1):
        page.get_by_label(f"Answer {number}").fill(answer)
    send(page)
    for answer in ("떡국", "ㅋㅋ"):
        study.answer(study.person(), {"answers": [answer]}, "answer")

    start(study.open(reviewer, f"/work/{study.record.name}"), "Review answers")
    expect(reviewer.locator(".answer .said").first).to_contain_text("떡국 × 2")
    reviewer.get_by_label("Where does “떡만둣국” belong?").select_option(label="says the same as: 떡국")
    reviewer.get_by_label("Where does “ㅋㅋ” belong?").select_option("invalid")
    reviewer.get_by_label("“떡국” in English").fill("rice cake soup; tteokguk")
    send(reviewer)
    (reviewed,) = items.list_items(study.workspace, study.record.id, "review")
    assert reviewed.result["groups"] == [
        {"answers": ["떡국", "떡만둣국"], "en_answers": ["rice cake soup", "tteokguk"], "count": 2}
    ]
    assert reviewed.result["invalid"] == ["ㅋㅋ"]

    researcher = study.researcher("/data")
    with researcher.expect_download() as download:
        researcher.get_by_role("link", name="Release").click()
    with zipfile.ZipFile(io.BytesIO(download.value.path().read_bytes())) as archive:
        released = {name: archive.read(name).decode() for name in archive.namelist()}
    assert any("떡만둣국" in text and "tteokguk" in text for text in released.values()), list(released)
    assert study.errors == []


def test_what_is_wrong_says_of_which_text_and_leads_there(study: ServedStudy) -> None:
    author = study.guest()
    start(author, "Collect questions")
    author.get_by_role("button", name="Send and go on").click()
    author.locator("#problems a").filter(has_text="Choose what the question is about.").click()
    expect(author.get_by_label("Food")).to_be_focused()
    author.get_by_label("Food").check()
    author.get_by_label("The question, in your language").fill("음" * 501)
    author.get_by_label("The same in English").fill("e" * 501)
    author.get_by_role("button", name="Send and go on").click()
    said = author.locator("#problems a")
    expect(said).to_have_text(
        [re.compile("^The question, in your language – "), re.compile("^The same in English – ")]
    )
    expect(said.first.locator("bdi")).to_have_count(2)  # in either direction, whatever the page's
    said.nth(1).click()
    expect(author.get_by_label("The same in English")).to_be_focused()
    expect(author.locator("#saved[data-state=saved]")).to_be_visible()
    (draft,) = stored(study.workspace, schema.drafts)
    assert draft["payload"]["english"] == "e" * 501, "what is refused is saved"


@pytest.mark.nightly
def test_only_i_do_not_know_is_replaced_and_the_other_reasons_are_answers(study: ServedStudy) -> None:
    (number,) = study.add(
        "answer",
        [{"local": "소풍에 무엇을 싸 가나요?", "english": "What is taken on a picnic?", "category": "Food"}],
    )
    reasons = [
        "I don't know",
        "Not applicable to our culture",
        "There is no specific answer",
        "I don't know",
        "Other",
    ]
    for reason in reasons:
        page = study.at_start()
        start(page, "Answer questions")
        page.get_by_label("Answer 1").fill("something")
        page.get_by_label(reason).check()
        expect(page.get_by_label("Answer 1")).to_have_value("something")
        page.get_by_role("button", name="Send and go on").click()
        expect(page.get_by_role("alert")).to_contain_text("Either write answers")
        page.get_by_label("Answer 1").fill("")
        if reason == "Other":
            page.get_by_label("Why is there no answer?").fill("It depends on the season.")
        send(page)
    item = study.item(number)
    assert item.state == "done" and item.result == {"valid": 3, "idk": 2}


@pytest.mark.nightly
def test_amharic_is_written_and_shown_with_the_shipped_font(study: ServedStudy) -> None:
    study.add(
        "answer",
        [{"local": "ሰዎች ምን ይበላሉ?", "english": "What do people eat?", "category": "Food"}],
        "ethiopia",
    )
    page = study.at_start("ethiopia")
    start(page, "Answer questions")
    page.get_by_label("Answer 1").fill("እንጀራ")
    page.evaluate("document.fonts.ready")
    assert page.evaluate(
        "[...document.fonts].some((font) => font.family.includes('Ethiopic') && font.status === 'loaded')"
    )
