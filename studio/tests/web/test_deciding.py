"""An expert decides between versions: side by side, one of them taken and changed; what all agree on is not
asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

pytest.importorskip("playwright.sync_api")
from playwright.sync_api import expect

from folkways_studio.items import service as items
from folkways_studio.records import Role
from studio.tests.web.conftest import ServedStudy, begin, send
from tests.support.browser import axe_violations

pytestmark = pytest.mark.browser

STAGES = [
    {
        "name": "adapt",
        "kind": "adapt",
        "answers": 2,
        "for_each_population": False,
        "next": {"done": "decide"},
    },
    {"name": "decide", "kind": "adjudicate", "title": "Decide", "role": "expert", "next": {"done": "check"}},
    {"name": "check", "kind": "adapt", "answers": 1, "for_each_population": False},
]
POPULATIONS = [{"name": "arab", "culture": "ARAB", "language": "ar", "title": "Arabic"}]
SENTENCE = {"sentence": "She sent a thank-you note & left.", "spans": [[11, 25]]}
EID = {
    "strategies": ["functional_equivalent"],
    "intra": "She sent an <CSI>Eid greeting</CSI> & left.",
    "inter": "أرسلت <CSI>تهنئة العيد</CSI> ثم غادرت.",
}
COFFEE = {
    "strategies": ["functional_equivalent"],
    "intra": "She sent <CSI>coffee and dates</CSI> & left.",
    "inter": "أرسلت <CSI>القهوة والتمر</CSI> ثم غادرت.",
}


def adapt(study: ServedStudy, *versions: Mapping[str, Any]) -> int:
    """A sentence that people have adapted, one after the other; its id."""
    (number,) = study.add("adapt", [SENTENCE], "arab")
    for version in versions:
        study.answer(study.person("arab"), version, "adapt")
    return number


def decided(study: ServedStudy) -> Any:
    (item,) = items.list_items(study.workspace, study.record.id, "decide")
    return item


def test_a_version_is_taken_by_keyboard_then_changed_and_saved(
    make_study: Callable[..., ServedStudy],
) -> None:
    study = make_study(STAGES, populations=POPULATIONS)
    adapt(study, EID, COFFEE)
    page = study.at_start(role=Role.EXPERT)
    begin(page)
    first, second = page.locator(".versions article").all()
    expect(first).to_contain_text("Functional equivalent")
    expect(first.locator("mark")).to_have_text(["Eid greeting", "تهنئة العيد"])
    expect(second.locator("mark")).to_have_text(["coffee and dates", "القهوة والتمر"])
    directions = second.locator(".sentence").evaluate_all(
        "(all) => all.map((each) => getComputedStyle(each).direction)"
    )
    assert directions == ["ltr", "rtl"]
    assert (
        "functional_equivalent" not in page.locator("main").inner_text()
        and "CSI" not in page.locator("main").inner_text()
    )
    expect(page.get_by_label("Functional equivalent")).to_be_checked()  # on which both agree
    expect(page.get_by_label("In English, for your culture")).to_have_value("")
    assert axe_violations(page) == []

    page.get_by_label("Why do you decide so?").fill("Both are said.")
    page.get_by_label("In English, for your culture").fill("What I had begun")
    second.get_by_role("button", name="Take this one").press("Enter")
    expect(page.get_by_role("heading", name="Your decision")).to_be_focused()
    expect(page.get_by_label("In English, for your culture")).to_have_value(
        "She sent coffee and dates & left."
    )
    expect(page.locator("[data-marker] [data-marks] bdi")).to_have_text(["coffee and dates", "القهوة والتمر"])
    expect(page.get_by_label("Why do you decide so?")).to_have_value("Both are said.")
    page.get_by_role("button", name="Put back what was there").press("Enter")
    expect(page.get_by_label("In English, for your culture")).to_have_value("What I had begun")
    second.get_by_role("button", name="Take this one").press("Enter")
    expect(page.locator("#saved")).to_have_attribute("data-state", "saved")
    page.reload()
    page.wait_for_selector("form[data-ready]")
    english = page.get_by_label("In English, for your culture")
    expect(english).to_have_value("She sent coffee and dates & left.")
    english.fill("She sent some coffee and dates & left.")
    send(page)
    item = decided(study)
    assert item.state == "done" and item.result["adjudicated"]
    assert item.result["intra"] == "She sent some <CSI> coffee and dates </CSI> & left."
    assert item.result["inter"] == "أرسلت <CSI> القهوة والتمر </CSI> ثم غادرت."
    assert study.errors == []


@pytest.mark.nightly
def test_where_all_say_the_same_nobody_is_asked(make_study: Callable[..., ServedStudy]) -> None:
    study = make_study(STAGES, populations=POPULATIONS)
    adapt(study, EID, {**EID, "intra": "She sent an <CSI> Eid  greeting </CSI> & left."})
    item = decided(study)
    assert (item.state, item.reason) == ("done", "everybody said the same")
    assert item.result["intra"] == "She sent an <CSI> Eid greeting </CSI> & left." and item.result["agreed"]
    (onward,) = items.list_items(study.workspace, study.record.id, "check")
    assert onward.parent_id == item.id and onward.state == "open"
    page = study.at_start(role=Role.EXPERT)
    page.get_by_role("button", name="Go on", exact=True).click()
    page.wait_for_url("**/done")
    researcher = study.researcher(f"/items/{item.id}")
    expect(researcher.locator("main")).to_contain_text("everybody said the same")
    expect(researcher.get_by_role("heading", name="Everybody said the same")).to_be_visible()
    assert "<CSI>" not in researcher.locator("main").inner_text()
    expect(researcher.get_by_label("In English, for your culture")).to_have_value(
        "She sent an Eid greeting & left."
    )
    assert axe_violations(researcher) == []
    assert study.errors == []


@pytest.mark.nightly
def test_what_nothing_stands_for_is_said_in_words(make_study: Callable[..., ServedStudy]) -> None:
    study = make_study(STAGES, populations=POPULATIONS)
    adapt(study, EID, {"strategies": ["non_transferable"]})
    page = study.at_start(role=Role.EXPERT)
    begin(page)
    _, second = page.locator(".versions article").all()
    expect(second).to_contain_text("Non-transferable")
    assert "transferrable" not in page.locator("main").inner_text()
    second.get_by_role("button", name="Take this one").click()
    send(page)
    assert decided(study).result["strategies"] == ["non_transferable"]


def test_a_question_that_repeats_another_is_said_so_by_a_click(
    make_study: Callable[..., ServedStudy],
) -> None:
    study = make_study([{"name": "curate", "kind": "curate", "role": "researcher"}])
    asked = (
        "What do people in Korea eat for breakfast?",
        "What is eaten in Korea for <b>breakfast</b>?",
        "Which sport is liked?",
    )
    numbers = study.add("curate", [{"category": "Food", "english": each} for each in asked])
    page = study.at_start(role=Role.RESEARCHER)
    begin(page)
    similar = page.locator(".similar li")
    expect(similar).to_have_count(1)
    expect(similar).to_contain_text(asked[1])
    pick = similar.get_by_role("button", name="It repeats this one")
    pick.press("Enter")
    expect(pick).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_label("Key of the question that it repeats")).to_have_value("q1")
    expect(page.locator("#saved")).to_have_attribute("data-state", "saved")
    page.reload()
    page.wait_for_selector("form[data-ready]")
    expect(pick).to_have_attribute("aria-pressed", "true")
    send(page)
    item = study.item(numbers[0])
    assert (item.state, item.reason) == ("dropped", "a duplicate of q1")
    page.wait_for_selector("form[data-ready]")
    expect(page.locator(".similar")).to_have_count(0)  # what was dropped repeats nothing
    assert study.errors == []


@pytest.mark.nightly
def test_an_expert_asks_beside_the_task_and_a_researcher_answers_and_no_participant_sees_it(
    make_study: Callable[..., ServedStudy],
) -> None:
    study = make_study(STAGES, populations=POPULATIONS)
    adapt(study, EID, COFFEE)
    page = study.at_start(role=Role.EXPERT)
    begin(page)
    page.get_by_label("Why do you decide so?").fill("Half a sentence")
    expect(page.locator("#saved")).to_have_text("Saved")
    task = page.url
    page.get_by_role("textbox", name="Add to the discussion").fill("Is <b>Eid</b> meant?")
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.get_by_role("status").first).to_have_text("Your comment has been added.")
    assert page.url.removesuffix("#discussion") == task
    expect(page.get_by_label("Why do you decide so?")).to_have_value("Half a sentence")
    said = page.locator(".comments li")
    expect(said).to_contain_text("Is <b>Eid</b> meant?")
    expect(said).to_contain_text("expert (you)")

    researcher = study.researcher("/items")
    researcher.get_by_role("link", name="1 comment").click()
    researcher.get_by_role("textbox", name="Add to the discussion").fill("It is.")
    researcher.get_by_role("button", name="Add", exact=True).click()
    expect(researcher.locator(".comments li").last).to_contain_text("researcher (you)")
    researcher.get_by_text("Change or delete").click()
    researcher.locator(".comments").get_by_role("textbox").fill("It is, and coffee too.")
    researcher.get_by_role("button", name="Save").click()
    researcher.get_by_text("Earlier wordings").click()
    expect(researcher.locator(".comments details").first).to_contain_text("It is.")
    researcher.get_by_role("button", name="Mark as resolved").click()
    expect(researcher.locator("#discussion .badge")).to_have_text("resolved")
    page.reload()
    expect(said).to_have_count(2)
    assert f"{study.record.name}@example.org" not in page.content(), "names are for those who run the study"
    person = study.at_start("arab")
    study.add("adapt", [SENTENCE], "arab")
    begin(person)
    assert "Discussion" not in person.content()
    assert study.errors == []
