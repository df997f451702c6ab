"""Shortcuts: by keyboard alone, with input methods and with keyboards that write no Latin letters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("playwright.sync_api")
from playwright.sync_api import expect

from folkways_studio.work import judgements
from studio.tests.web.conftest import Field, begin

pytestmark = pytest.mark.browser

QUESTION = {
    "question": "What do guests take off at the door?",
    "options": ["hats", "shoes", "coats", "gloves"],
}


@pytest.fixture
def field(make_field: Callable[..., Field]) -> Field:
    made = make_field([{"name": "verify", "kind": "vote", "title": "Check"}])
    made.add("verify", [QUESTION, {**QUESTION, "question": "And in summer?"}])
    return made


@pytest.fixture
def page(field: Field) -> Any:
    made = field.person()
    begin(made)
    return made


def press(page: Any, selector: str, **event: Any) -> None:
    """A key as an input method or another keyboard reports it, which Playwright's own keyboard cannot."""
    page.eval_on_selector(
        selector,
        "(target, event) => target.dispatchEvent(new KeyboardEvent('keydown', {bubbles: true, "
        "cancelable: true, ...event}))",
        event,
    )


def test_a_whole_item_is_answered_without_a_mouse(field: Field, page: Any) -> None:
    page.keyboard.press("2")
    page.keyboard.press("3")
    page.keyboard.press("3")
    page.keyboard.press("Control+Enter")
    expect(page.locator(".subject")).to_have_text("And in summer?")
    page.wait_for_selector("form[data-ready]")
    page.keyboard.press("n")
    expect(page.get_by_label("I don't have the knowledge")).to_be_checked()
    assert judgements.list_judgements(field.workspace, field.study.id, field.ids[0])[0].payload[
        "choices"
    ] == [1]


def test_tab_reaches_every_control_in_the_order_of_the_page(page: Any) -> None:
    page.locator("body").press("Tab")
    names = []
    for _ in range(40):
        names.append(
            page.evaluate("(document.activeElement.name || document.activeElement.textContent).trim()")
        )
        page.keyboard.press("Tab")
    order = [
        names.index(name) for name in ("Skip to the content", "choices", "abstain", "comment", "Give back")
    ]
    assert order == sorted(order)


def test_letters_typed_into_a_field_are_letters(page: Any) -> None:
    page.get_by_label("Anything to add?").press_sequentially("n1x")
    expect(page.get_by_label("Anything to add?")).to_have_value("n1x")
    expect(page.get_by_label("I don't have the knowledge")).not_to_be_checked()
    expect(page.get_by_label("hats")).not_to_be_checked()


@pytest.mark.parametrize(
    "event", [{"key": "n", "isComposing": True}, {"key": "Process", "code": "KeyN", "keyCode": 229}]
)
def test_a_key_that_an_input_method_has_taken_is_not_a_shortcut(page: Any, event: dict[str, Any]) -> None:
    press(page, "body", **event)
    expect(page.get_by_label("I don't have the knowledge")).not_to_be_checked()


@pytest.mark.parametrize(("key", "code"), [("ㅜ", "KeyN"), ("ى", "KeyN"), ("ን", "KeyN"), ("N", "KeyN")])
def test_keys_that_write_other_scripts_go_by_their_place(page: Any, key: str, code: str) -> None:
    press(page, "body", key=key, code=code)
    expect(page.get_by_label("I don't have the knowledge")).to_be_checked()


@pytest.mark.parametrize("key", ["١", "&", "৩"])
def test_digits_of_other_scripts_and_of_a_french_keyboard_go_by_their_place(page: Any, key: str) -> None:
    press(page, "body", key=key, code="Digit1")
    expect(page.get_by_label("hats")).to_be_checked()


def test_a_latin_letter_goes_by_what_it_writes(page: Any) -> None:
    press(page, "body", key="n", code="KeyL")  # as on a Dvorak keyboard
    expect(page.get_by_label("I don't have the knowledge")).to_be_checked()


def test_shortcuts_without_ctrl_can_be_switched_off_and_stay_off(page: Any) -> None:
    page.get_by_label("Use keys without Ctrl").uncheck()
    page.locator("h1").click()
    page.keyboard.press("1")
    expect(page.get_by_label("hats")).not_to_be_checked()
    page.reload()
    expect(page.get_by_label("Use keys without Ctrl")).not_to_be_checked()
    page.keyboard.press("1")
    expect(page.get_by_label("hats")).not_to_be_checked()


def test_ctrl_with_a_key_belongs_to_the_browser(page: Any) -> None:
    press(page, "body", key="n", code="KeyN", ctrlKey=True)
    expect(page.get_by_label("I don't have the knowledge")).not_to_be_checked()
