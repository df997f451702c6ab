"""Sentences with culture-specific items: chosen, marked, labelled, settled by an expert, adapted (XCR-Bench,
section 2)."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("playwright.sync_api")
from playwright.sync_api import expect

from folkways_studio.items import service as items
from folkways_studio.records import Role
from studio.tests.web.conftest import ServedStudy, begin, send
from studio.tests.web.test_marking import SELECT

pytestmark = pytest.mark.browser

STAGES = [
    {
        "name": "choose",
        "kind": "choose_best",
        "title": "Choose",
        "role": "reviewer",
        "answers": 1,
        "next": {"done": "mark"},
    },
    {
        "name": "mark",
        "kind": "tag_spans",
        "title": "Mark",
        "role": "reviewer",
        "answers": 1,
        "next": {"done": "label"},
    },
    {
        "name": "label",
        "kind": "label_item",
        "title": "Label",
        "answers": 2,
        "next": {"done": "adapt", "disagree": "settle"},
    },
    {"name": "settle", "kind": "adjudicate", "title": "Settle", "role": "expert", "next": {"done": "adapt"}},
    {"name": "adapt", "kind": "adapt", "title": "Adapt", "answers": 1, "for_each_population": False},
]
POPULATIONS = [{"name": "bangladesh", "culture": "BD", "language": "bn", "title": "Bengali of Bangladesh"}]
CONTENT = {
    "item": "Boxing Day",
    "fact": "In England, the day after Christmas is a holiday on which families visit one another.",
    "candidates": [
        {"text": "On Boxing Day boxers box.", "by": "model-one"},
        {"text": "On Boxing Day we visit my aunt.", "by": "model-two"},
        {"text": "We was having a Boxing Day.", "by": "model-three"},
    ],
}
BENGALI = "ঈদের পরদিন আমরা খালার বাড়ি যাই।"


def start(page: Any, stage: str) -> None:
    page.get_by_role("button", name=stage).click()
    page.wait_for_selector("form[data-ready]")


def mark(page: Any, name: str, words: str) -> None:
    area = page.locator(f"[data-marker]:has([name={name}]) [data-markable]")
    page.evaluate(SELECT, [area.element_handle(), words])


@pytest.mark.nightly
def test_from_three_sentences_to_an_adaptation(make_study: Callable[..., ServedStudy]) -> None:
    study = make_study(STAGES, populations=POPULATIONS)
    study.add("choose", [CONTENT], "bangladesh")
    judge = study.at_start(role=Role.REVIEWER)
    start(judge, "Choose")
    text = judge.locator("main").inner_text()
    assert "model-one" not in text and "model-two" not in text
    judge.get_by_role("button", name="Send and go on").click()
    expect(judge.get_by_role("alert")).to_contain_text("Rate every sentence")
    for candidate in judge.locator(".candidate").all():
        good = "aunt" in candidate.inner_text()
        for criterion in ("Accuracy", "Fluency", "Realism"):
            candidate.get_by_role("radiogroup", name=criterion).get_by_label("5" if good else "2").check()
        if good:
            candidate.get_by_label("This one is the best").check()
    send(judge)
    (chosen,) = items.list_items(study.workspace, study.record.id, "choose")
    assert (
        chosen.result["sentence"] == "On Boxing Day we visit my aunt." and chosen.result["by"] == "model-two"
    )

    judge.wait_for_selector("form[data-ready]")
    mark(judge, "spans", "Boxing Day")
    send(judge)

    for element in ("Rituals", "Customs"):
        person = study.at_start("bangladesh")
        start(person, "Label")
        expect(person.locator(".subject mark")).to_have_text("Boxing Day")
        for label in ("Social Tradition", "Semi-visible", element):
            person.get_by_role("radio", name=label, exact=True).check()
        send(person)

    expert = study.at_start(role=Role.EXPERT)
    begin(expert)
    expect(expert.locator(".versions article")).to_contain_text(["Rituals", "Customs"])
    for name in ("Social Tradition", "Semi-visible", "Rituals"):
        expert.get_by_role("radio", name=name, exact=True).check()
    expert.get_by_label("Why do you decide so?").fill("The sentence is about what is done every year.")
    send(expert)
    (settled,) = items.list_items(study.workspace, study.record.id, "settle")
    assert settled.result["element"] == "Rituals" and settled.result["adjudicated"]

    native = study.guest("bangladesh")
    start(native, "Adapt")
    native.get_by_label("Functional equivalent").check()
    native.get_by_label("In English, for your culture").fill(" \ufeffOn the day after Eid we visit my aunt. ")
    mark(native, "intra_spans", "the day after Eid")
    native.get_by_label("In your language: Bangla").fill(BENGALI)
    native.get_by_role("button", name="Send and go on").click()
    expect(native.get_by_role("alert")).to_contain_text("Mark in the version in your language")
    mark(native, "inter_spans", "ঈদের পরদিন")
    native.get_by_label("In your language: Bangla").fill("প্রতি বছর " + BENGALI)
    send(native)
    (adapted,) = items.list_items(study.workspace, study.record.id, "adapt")
    (version,) = adapted.result["adaptations"]
    assert version["strategies"] == ["functional_equivalent"]
    assert version["intra"] == "\ufeffOn <CSI> the day after Eid </CSI> we visit my aunt."
    assert version["inter"] == "প্রতি বছর <CSI> ঈদের পরদিন </CSI> আমরা খালার বাড়ি যাই।"

    researcher = study.researcher("/quality")
    row = researcher.get_by_role("row").filter(has_text="element")
    expect(row).to_contain_text("undefined")
    (why,) = set(
        row.locator("a[href^='#why-']").evaluate_all("(links) => links.map((link) => link.hash)")[:1]
    )
    assert len(researcher.locator(why).inner_text()) > 10, "the reason stands below, where the number leads"
    study.open(researcher, f"{study.path}/data")
    with researcher.expect_download() as download:
        researcher.get_by_role("link", name="Release").click()
    with zipfile.ZipFile(io.BytesIO(download.value.path().read_bytes())) as archive:
        released = "\n".join(archive.read(name).decode() for name in archive.namelist())
    assert "functional" in released.lower() and "ঈদের পরদিন" in released
    assert study.errors == []


@pytest.mark.nightly
def test_what_does_not_exist_elsewhere_leaves_the_sentences_empty(
    make_study: Callable[..., ServedStudy],
) -> None:
    study = make_study(STAGES, populations=POPULATIONS)
    (number,) = study.add(
        "adapt", [{"sentence": "On Boxing Day we visit my aunt.", "spans": [[3, 13]]}], "bangladesh"
    )
    native = study.at_start("bangladesh")
    start(native, "Adapt")
    native.keyboard.press("4")
    send(native)
    assert study.item(number).result["adaptations"][0]["intra"] == "Non-transferrable"
