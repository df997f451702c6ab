"""Answers a task as a person does at the page: whatever its kind, with nothing but what the page shows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from studio.tests.web.test_marking import SELECT

WORDS: Mapping[str, str] = {
    "en": "Soup is eaten in your country",
    "ar": "نأكل الحساء في العيد",
    "ko": "설날에는 떡국을 먹습니다",
}
"""What is typed where words are asked for, by the language of the interface; in English where the field is
for English."""

FORM = "form[data-task][data-ready]"


def fill(page: Any, language: str) -> None:
    """Fill in the form: of each choice the first, in each empty text some words, in each sentence the first
    word marked; and where somebody has to decide among versions, the first version and a reason.
    """
    page.wait_for_selector(FORM)
    take = page.locator("[data-take]")
    if take.count():
        take.first.click()
    _choose(page)
    _write(page, language)
    _mark(page)


def send(page: Any) -> None:
    """Send it and wait for the next page; AssertionError with the page's words where it does not take the
    answer."""
    page.evaluate("document.documentElement.dataset.leaving = 'yes'")
    page.locator("#answer .send .primary").click()
    page.wait_for_selector("html:not([data-leaving]), #problems:not([hidden])", state="attached")
    refusal = page.locator("#problems:not([hidden]) li").all_inner_texts()
    assert refusal == [], f"the page does not take the answer: {refusal}"


def _choose(page: Any) -> None:
    """One of each group of buttons, the first, unless something of the group is chosen or excludes all
    others."""
    chosen: set[str] = set()
    for button in page.locator(f"{FORM} input:is([type=radio], [type=checkbox]):not([data-alone])").all():
        name = button.get_attribute("name")
        if name in chosen or not button.is_visible():
            continue
        chosen.add(name)
        if not page.locator(f"{FORM} input[name='{name}']:checked").count():
            button.check()


def _write(page: Any, language: str) -> None:
    """Words in each empty text that is visible, no two the same: options have to differ."""
    for number, text in enumerate(
        page.locator(f"{FORM} :is(textarea, input[type=text], input:not([type]))").all()
    ):
        if text.is_visible() and not text.input_value():
            words = WORDS["en" if text.get_attribute("lang") == "en" else language]
            text.fill(f"{words} {number + 1}")


def _mark(page: Any) -> None:
    """The first word of each sentence in which nothing is marked, by a selection with the mouse."""
    for marker in page.locator(f"{FORM} [data-marker]").all():
        sentence = marker.locator("[data-markable]")
        if not marker.locator("[data-spans]").input_value():
            page.evaluate(SELECT, [sentence.element_handle(), sentence.inner_text().split()[0]])
