"""Shortcuts: by keyboard alone, with input methods and with keyboards that write no Latin letters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("playwright.sync_api")
from playwright.sync_api import expect

from folkways_studio.work import judgements
from studio.tests.web.conftest import ServedStudy

pytestmark = pytest.mark.browser

QUESTION = {
    "question": "What do guests take off at the door?",
    "options": ["hats", "shoes", "coats", "gloves"],
}


@pytest.fixture
def study(make_study: Callable[..., ServedStudy]) -> ServedStudy:
    made = make_study([{"name": "verify", "kind": "vote", "title": "Check"}])
    made.add("verify", [QUESTION, {**QUESTION, "question": "And in summer?"}])
    return made


@pytest.fixture
def page(study: ServedStudy) -> Any:
    return study.at_task()


def press(page: Any, selector: str, **event: Any) -> None:
    """A key as an input method or another keyboard reports it, which Playwright's own keyboard cannot."""
    page.eval_on_selector(
        selector,
        "(target, event) => target.dispatchEvent(new KeyboardEvent('keydown', {bubbles: true, "
        "cancelable: true, ...event}))",
        event,
    )


def test_a_whole_item_is_answered_without_a_mouse(study: ServedStudy, page: Any) -> None:
    page.keyboard.press("2")
    page.keyboard.press("3")
    page.keyboard.press("3")
    page.keyboard.press("Control+Enter")
    expect(page.locator(".subject")).to_have_text("And in summer?")
    page.wait_for_selector("form[data-ready]")
    page.keyboard.press("n")
    expect(page.get_by_label("I don't have the knowledge")).to_be_checked()
    assert judgements.list_judgements(study.workspace, study.record.id, study.ids["verify"][0])[0].payload[
        "choices"
    ] == [1]


def test_tab_goes_from_control_to_control_in_the_order_of_the_page(page: Any) -> None:
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


def test_keys_that_are_no_shortcuts(page: Any) -> None:
    for event in (
        {"key": "n", "isComposing": True},  # an input method has taken it
        {"key": "Process", "code": "KeyN", "keyCode": 229},
        {"key": "n", "code": "KeyN", "ctrlKey": True},  # belongs to the browser
    ):
        press(page, "body", **event)
        assert not page.get_by_label("I don't have the knowledge").is_checked(), event
    press(page, "body", key="n", code="KeyN")
    expect(page.get_by_label("I don't have the knowledge")).to_be_checked()


KEYBOARDS = {
    # Those that write other scripts go by their place; a Latin letter goes by what it writes, as on Dvorak.
    "I don't have the knowledge": (
        *(("ㅜ", "KeyN"), ("ى", "KeyN"), ("ን", "KeyN"), ("N", "KeyN"), ("n", "KeyL")),
    ),
    "hats": (("١", "Digit1"), ("&", "Digit1"), ("৩", "Digit1")),  # "&": as on a French keyboard
}


def test_keys_of_other_scripts_and_keyboards(page: Any) -> None:
    for label, keys in KEYBOARDS.items():
        choice = page.get_by_label(label)
        for key, code in keys:
            choice.evaluate("(input) => { input.checked = false; }")
            press(page, "body", key=key, code=code)
            assert choice.is_checked(), (key, code)


def test_shortcuts_without_ctrl_can_be_switched_off_and_stay_off(page: Any) -> None:
    page.get_by_label("Use keys without Ctrl").uncheck()
    page.locator("h1").click()
    page.keyboard.press("1")
    expect(page.get_by_label("hats")).not_to_be_checked()
    page.reload()
    expect(page.get_by_label("Use keys without Ctrl")).not_to_be_checked()
    page.keyboard.press("1")
    expect(page.get_by_label("hats")).not_to_be_checked()


SENTENCES = {
    "item": "Boxing Day",
    "candidates": ["On Boxing Day we walk.", "Boxing Day is a day.", "It was."],
}
MARKED = {"sentence": "On Boxing Day we went to the match.", "spans": [[3, 13], [29, 34]]}
FITTING = [
    {"key": "fitting", "type": "scale", "label": "How fitting?", "least": 0, "most": 5},
    {"key": "depends", "type": "choice", "label": "Does it depend?", "options": ["no", "age", "rank"]},
    {"key": "how", "type": "text", "label": "In what way?", "if": {"key": "depends", "is": ["age"]}},
    {
        "key": "who",
        "type": "choice",
        "label": "Whose?",
        "options": ["mine", "theirs"],
        "if": {"key": "depends", "is": ["rank"]},
    },
    {"key": "where", "type": "several", "label": "Where?", "options": ["home", "work"]},
    {"key": "better", "type": "pairwise", "label": "Which is better?", "between": ["one", "two"]},
]


@pytest.fixture
def at_task(make_study: Callable[..., ServedStudy]) -> Callable[..., tuple[ServedStudy, Any]]:
    """A function that opens a task of a kind of stage: stage settings and the item."""

    def open_task(stage: dict[str, Any], content: dict[str, Any], **options: Any) -> tuple[ServedStudy, Any]:
        study = make_study([{"name": "it", "for_each_population": False, **stage}])
        study.add("it", [content])
        page = study.at_task(**options)
        return study, page

    return open_task


def said(study: ServedStudy, page: Any) -> Any:
    """Sends the answer by keyboard; its payload."""
    before = page.url
    page.keyboard.press("Control+Enter")
    page.wait_for_url(lambda url: url != before)
    assert study.errors == []
    return judgements.list_judgements(study.workspace, study.record.id, study.ids["it"][0])[0].payload


def marked(page: Any) -> str:
    """The name of the field of the row with the bar; empty if none has it."""
    return str(page.evaluate("document.querySelector('[data-current] input')?.name || ''"))


def test_digits_rate_every_sentence_by_every_criterion_and_letters_choose(at_task: Any) -> None:
    study, page = at_task({"kind": "choose_best"}, SENTENCES)
    shown = page.eval_on_selector_all("[name=best]", "(inputs) => inputs.map((input) => input.value)")
    assert marked(page) == f"rate-{shown[0]}-accuracy"
    assert page.get_by_text("A – C").count() == 1
    for digit in "123451234":
        page.keyboard.press(digit)
    page.keyboard.press("b")
    page.keyboard.press("Shift+Tab")  # to the rating above it, which is the last of that sentence
    assert marked(page) == f"rate-{shown[1]}-realism"
    page.keyboard.press("5")
    assert marked(page) == f"rate-{shown[2]}-accuracy"
    page.keyboard.press("6")  # no point
    assert page.evaluate("document.activeElement.value") == "2", "what is chosen there has the focus"
    payload = said(study, page)
    assert payload["best"] == shown[1]
    rated = [tuple(payload["ratings"][each].values()) for each in shown]
    assert rated == [(1, 2, 3), (4, 5, 5), (2, 3, 4)]


def test_digits_go_through_a_form_and_are_never_typed_into_a_text(at_task: Any) -> None:
    study, page = at_task({"kind": "form", "ask": FITTING, "show": []}, {"one": "Rice.", "two": "Soup."})
    page.keyboard.press("0")
    assert marked(page) == "ask-depends"
    page.keyboard.press("2")  # asks for a text next, so the bar stays
    assert page.get_by_role("textbox").is_visible() and marked(page) == "ask-depends"
    page.keyboard.press("1")  # no: the text is gone
    assert marked(page) == "ask-where"
    page.keyboard.press("1")
    page.keyboard.press("2")
    page.keyboard.press("1")  # not at home after all
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    first = page.locator("[name=ask-better]").first.get_attribute("value")
    page.keyboard.press("1")
    payload = said(study, page)
    assert payload["scale"] == {"fitting": 0} and payload["several"] == {"where": ["work"]}
    assert payload["choice"] == {"depends": "no"}
    assert payload["pairwise"] == {"better": ["one", "two"][int(first)]}


def test_labels_are_chosen_by_digits_from_row_to_row_and_by_letters_anywhere(at_task: Any) -> None:
    study, page = at_task({"kind": "label_item"}, MARKED)
    page.keyboard.press("2")
    assert marked(page) == "level"
    page.keyboard.press("3")
    assert marked(page) == "element"
    page.keyboard.press("v")
    expect(page.get_by_label("Visible", exact=False).first).to_be_checked()
    page.keyboard.press("Tab")
    page.keyboard.press("1")
    page.locator("h1").click()
    assert marked(page) == "element", "with every row answered it is the last"
    payload = said(study, page)
    assert payload["level"] == "Visible" and payload["category"] and payload["element"]


def test_every_marked_item_gets_its_strategy_by_a_digit(at_task: Any) -> None:
    _, page = at_task({"kind": "adapt"}, MARKED)
    page.keyboard.press("3")
    page.keyboard.press("4")
    expect(page.locator("[name=strategy-0][value=neutral_term]")).to_be_checked()
    expect(page.locator("[name=strategy-1][value=non_transferable]")).to_be_checked()


def test_a_verdict_keeps_its_digits_while_a_flag_has_the_focus(at_task: Any) -> None:
    _, page = at_task({"kind": "judge_answer"}, {"question": "What?", "reply": "Rice."})
    assert marked(page) == "", "there is one row alone"
    for key in ("1", "u", "3"):
        page.keyboard.press(key)
    expect(page.locator("[name=verdict][value=incorrect]")).to_be_checked()
    expect(page.locator("[name=flags][value=unnatural]")).to_be_checked()


def test_a_scale_of_ten_has_its_tenth_point_on_the_zero_and_one_below_zero_goes_by_place(
    at_task: Any,
) -> None:
    ask = [
        {"key": "ten", "type": "scale", "label": "Ten", "least": 1, "most": 10},
        {"key": "sides", "type": "scale", "label": "Sides", "least": -2, "most": 2},
        {"key": "eleven", "type": "scale", "label": "Eleven", "least": 0, "most": 10},
    ]
    study, page = at_task({"kind": "form", "ask": ask}, {"text": "Guests call first."})
    assert page.locator("[data-row] kbd").all_inner_texts() == ["0", "1", "2", "3", "4", "5"]
    for digit in "010":
        page.keyboard.press(digit)
    assert said(study, page)["scale"] == {"ten": 10, "sides": -2, "eleven": 0}


def test_without_keys_no_row_is_marked(at_task: Any) -> None:
    _, page = at_task({"kind": "choose_best"}, SENTENCES)
    page.get_by_label("Use keys without Ctrl").uncheck()
    assert marked(page) == ""
    page.locator("h1").click()
    page.keyboard.press("1")
    assert page.locator("input[type=radio]:checked").count() == 0


def test_a_touch_phone_shows_neither_the_keys_nor_the_bar(at_task: Any) -> None:
    phone = {"viewport": {"width": 390, "height": 800}, "is_mobile": True, "has_touch": True}
    _, page = at_task({"kind": "choose_best"}, SENTENCES, **phone)
    assert page.locator("details.keys, kbd").evaluate_all(
        "(all) => all.filter((each) => each.offsetParent).length"
    ) == 0  # fmt: skip
    bar = "getComputedStyle(document.querySelector('[data-current]'), '::before').display"
    assert page.evaluate(bar) == "none"


def test_a_sent_answer_is_corrected_by_keyboard_as_well(study: ServedStudy, page: Any) -> None:
    page.keyboard.press("2")
    page.keyboard.press("Control+Enter")
    expect(page.locator(".subject")).to_have_text("And in summer?")
    study.open(page, f"/work/{study.record.name}/sent")
    page.locator("ol a").first.click()
    page.wait_for_selector("form[data-ready]")
    page.keyboard.press("3")
    page.keyboard.press("Control+Enter")
    page.wait_for_url(lambda url: "/tasks/" not in url)
    first = judgements.list_judgements(study.workspace, study.record.id, study.ids["verify"][0])[0]
    assert first.payload["choices"] == [1, 2]
