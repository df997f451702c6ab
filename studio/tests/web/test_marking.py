"""Marking words in a sentence: offsets are code points of the text as stored, in every script, by mouse and
by keyboard."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("playwright.sync_api")
from playwright.sync_api import expect

from folkways_studio.work import judgements
from studio.tests.web.conftest import ServedStudy, send

pytestmark = pytest.mark.browser

SENTENCES = {
    "latin": ("On Boxing Day we go for a walk.", "Boxing Day"),
    "emoji": ("🎉🎉 On Boxing Day we party 👨‍👩‍👧.", "Boxing Day"),
    "bengali": ("পহেলা বৈশাখে আমরা ইলিশ ভাজা খাই।", "ইলিশ ভাজা"),
    "arabic": ("في العيد نأكل المعمول مع القهوة.", "المعمول"),
    "amharic": ("በመስቀል ቀን ደመራ እናበራለን።", "ደመራ"),
    "combining": ("U\u0301n cafe\u0301 con chocolate con churros.", "churros"),
    "rare-han": ("𠮷野家で牛丼を食べる。", "牛丼"),
}
OFTEN = ("emoji", "arabic", "combining")
"""Of two UTF-16 units each, from right to left, and of letters with marks of their own."""

SELECT = """([area, words]) => {
  const walker = document.createTreeWalker(area, NodeFilter.SHOW_TEXT);
  const node = walker.nextNode();
  const start = node.data.indexOf(words);
  const range = document.createRange();
  range.setStart(node, start);
  range.setEnd(node, start + words.length);
  getSelection().removeAllRanges();
  getSelection().addRange(range);
  for (const event of ['mousedown', 'mouseup']) area.dispatchEvent(new MouseEvent(event, {bubbles: true}));
}"""


@pytest.fixture
def study(make_study: Callable[..., ServedStudy]) -> ServedStudy:
    return make_study([{"name": "mark", "kind": "tag_spans", "title": "Mark", "answers": 1}])


def select(page: Any, words: str) -> None:
    page.evaluate(SELECT, [page.locator("[data-markable]").element_handle(), words])


def stored(study: ServedStudy, number: int) -> list[list[int]]:
    (answer,) = judgements.list_judgements(study.workspace, study.record.id, number)
    spans: list[list[int]] = answer.payload["spans"]
    return spans


@pytest.mark.parametrize("scripts", [OFTEN, pytest.param(tuple(SENTENCES), marks=pytest.mark.nightly)])
def test_what_is_selected_is_stored_in_code_points(study: ServedStudy, scripts: tuple[str, ...]) -> None:
    sentences = {script: SENTENCES[script] for script in scripts}
    added = study.add("mark", [{"sentence": text} for text, _ in sentences.values()])
    page = study.at_task()
    for _ in sentences:
        page.wait_for_selector("form[data-ready]")
        shown = page.locator("[data-markable]").text_content()
        words = next(words for sentence, words in sentences.values() if sentence in shown)
        select(page, words)
        expect(page.locator("[data-marks] bdi")).to_have_text([words])
        send(page)
    for number, (script, (sentence, words)) in zip(added, sentences.items(), strict=True):
        ((start, end),) = stored(study, number)
        assert sentence[start:end] == words, script
        tagged = study.item(number).result["tagged"]
        assert tagged == sentence.replace(words, f"<CSI> {words} </CSI>"), script


def test_marks_are_made_and_taken_back_by_keyboard(study: ServedStudy) -> None:
    sentence, _ = SENTENCES["latin"]
    (number,) = study.add("mark", [{"sentence": sentence}])
    page = study.at_task()
    area = page.locator("[data-markable]")
    area.press("ArrowRight")
    area.press("Enter")
    area.press("ArrowRight")
    area.press("Shift+ArrowRight")
    area.press("Enter")
    expect(page.locator("[data-marks] bdi")).to_have_text(["On", "Boxing Day"])
    page.get_by_role("button", name="Remove the mark: On").press("Enter")
    expect(page.locator("[data-marks] bdi")).to_have_text(["Boxing Day"])
    send(page)
    assert stored(study, number) == [[3, 13]]


KEYS: dict[str, tuple[str, list[str], str]] = {
    "an article": (SENTENCES["arabic"][0], ["ArrowLeft"] * 2 + ["Alt+Shift+ArrowRight"] * 2, "الع"),
    "a word without its article": (
        SENTENCES["arabic"][0], ["ArrowLeft"] * 3 + ["ArrowRight"] + ["Alt+Shift+ArrowLeft"] * 2,
        SENTENCES["arabic"][0].split()[1][2:],
    ),
    "a part of a word": ("東京都民です。", ["ArrowRight", "Alt+Shift+ArrowLeft"], "東"),
    "the end of a compound": (
        "Der Weihnachtsmarkt.", ["End", "ArrowLeft", "Shift+ArrowRight"] + ["Alt+Shift+ArrowLeft"] * 5,
        "Der Weihnachts",
    ),
    "an emoji whole": ("👨‍👩‍👧a cafe\u0301 🎉", ["End", "Alt+Shift+ArrowLeft"], "🎉"),
    "a letter with its mark": ("🎉 cafe\u0301s", ["End", "Alt+Shift+ArrowLeft"], "cafe\u0301"),
}  # fmt: skip


@pytest.mark.parametrize("case", KEYS)
def test_the_end_of_a_mark_moves_by_a_character(study: ServedStudy, case: str) -> None:
    sentence, keys, words = KEYS[case]
    (number,) = study.add("mark", [{"sentence": sentence}])
    page = study.at_task()
    area = page.locator("[data-markable]")
    for key in [*keys, "Enter"]:
        area.press(key)
    expect(page.locator("[data-marks] bdi")).to_have_text([words])
    send(page)
    ((start, end),) = stored(study, number)
    assert sentence[start:end] == words


def test_a_selection_that_ends_outside_of_the_sentence_marks_its_words_and_keys_reach_emoji(
    study: ServedStudy,
) -> None:
    sentence, _ = SENTENCES["emoji"]
    (number,) = study.add("mark", [{"sentence": sentence}])
    page = study.at_task()
    area = page.locator("[data-markable]")
    area.click(position={"x": 120, "y": 20}, click_count=3)  # the browser selects up to what follows
    expect(page.locator("[data-marks] bdi")).to_have_text([sentence])
    box = area.bounding_box()
    page.mouse.move(box["x"] + 60, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] + 60, box["y"] + box["height"] / 2, steps=3)
    page.mouse.up()
    expect(page.locator("[data-marks] bdi")).to_have_text([re.compile("👨‍👩‍👧.$")])
    expect(page.locator("[data-marks] bdi")).not_to_have_text([sentence])
    area.press("End")
    area.press("Enter")
    expect(page.locator("[data-marks] bdi")).to_have_text(["👨‍👩‍👧"])
    send(page)
    ((start, end),) = stored(study, number)
    assert sentence[start:end] == "👨‍👩‍👧"


def test_in_a_right_to_left_sentence_the_left_arrow_goes_on(study: ServedStudy) -> None:
    sentence, _ = SENTENCES["arabic"]
    (number,) = study.add("mark", [{"sentence": sentence}])
    page = study.at_task()
    area = page.locator("[data-markable]")
    assert area.evaluate("(area) => getComputedStyle(area).direction") == "rtl"
    for key in ("ArrowLeft", "ArrowLeft", "Enter"):
        area.press(key)
    send(page)
    ((start, end),) = stored(study, number)
    assert sentence[start:end] == "العيد"


def test_spaces_at_the_ends_of_a_selection_are_cut_and_a_mark_replaces_those_it_touches(
    study: ServedStudy,
) -> None:
    (number,) = study.add("mark", [{"sentence": SENTENCES["latin"][0]}])
    page = study.at_task()
    select(page, " Boxing ")
    expect(page.locator("[data-marks] bdi")).to_have_text(["Boxing"])
    page.locator("[data-markable]").press("Home")
    for key in ("ArrowRight", "Shift+ArrowRight", "Enter"):
        page.locator("[data-markable]").press(key)
    expect(page.locator("[data-marks] bdi")).to_have_text(["Boxing Day"])
    send(page)
    assert stored(study, number) == [[3, 13]]


def test_marks_of_a_draft_are_there_again(study: ServedStudy) -> None:
    study.add("mark", [{"sentence": SENTENCES["emoji"][0]}])
    page = study.at_task()
    select(page, "Boxing Day")
    expect(page.locator("#saved")).to_have_attribute("data-state", "saved")
    page.reload()
    expect(page.locator("[data-marks] bdi")).to_have_text(["Boxing Day"])
    expect(page.locator("[data-markable] mark")).to_have_text(["Boxing Day"])
