"""A form with a picture, a recording and a ranking, filled in without a mouse."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("playwright.sync_api")

from folkways_studio.media import service as media
from folkways_studio.work.judgements import list_judgements
from studio.tests.stages.test_form import ASK, CONTENT
from studio.tests.web.conftest import ServedStudy, begin
from studio.tests.web.test_own_forms import MEDIA, SHOW, picture, recording
from tests.support.browser import axe_violations

pytestmark = pytest.mark.browser

STAGE = {"name": "judge", "kind": "form", "show": SHOW, "ask": ASK}
PHONE = {"viewport": {"width": 360, "height": 740}, "is_mobile": True, "has_touch": True}


def press(page: Any, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def test_a_form_is_filled_in_by_keyboard(make_study: Callable[..., ServedStudy]) -> None:
    study = make_study([{**STAGE, "answers": 9 if "SHOTS" in os.environ else 1}])
    files = {"soup bowl.png": ("image/png", picture()), "hello.wav": ("audio/wav", recording())}
    media.add_media(study.workspace, study.record.id, files)
    (item,) = study.add("judge", [{**CONTENT, **MEDIA}])
    page = study.at_task()
    assert (
        page.get_by_alt_text("A bowl of soup").evaluate(
            "image => image.decode().then(() => image.naturalWidth)"
        )
        == 1
    )
    page.wait_for_function("document.querySelector('audio').duration > 0.09")
    assert axe_violations(page) == []
    # Sent too early, the first problem is one key away from its question.
    press(page, "Control+Enter")
    page.locator("#problems:not([hidden])").wait_for()
    press(page, "Tab", "Enter")
    problem = page.get_by_role("group", name="Is it polite?").get_by_text("This has to be answered.")
    assert problem.is_visible()
    assert axe_violations(page) == []
    press(page, "Space")
    assert not problem.is_visible()
    assert not page.get_by_label("Why not?").is_visible()
    press(page, "ArrowDown")  # from yes to no, which asks why
    assert page.get_by_role("textbox", name="Why not?").is_visible()
    press(page, "Tab", "Tab", "Space")  # guests
    press(page, "Tab", "Tab", "ArrowRight", "ArrowRight")  # the scale, which begins at its lowest
    press(page, "Tab", "7", ".", "5", "Tab")
    page.keyboard.type("It is too loud.")
    press(page, "Tab", "ArrowRight", "ArrowRight", "ArrowRight", "Enter")  # the third word
    press(page, "Tab", "Tab", "Space")  # past the mark's own button, to the first of the pair
    press(page, "Tab", "2", "Tab", "3", "Tab", "1")
    press(page, "Tab", "G", "Tab", "G", "Tab", "G", "G", "G")
    page.locator("#saved[data-state=saved]").wait_for()
    if "SHOTS" in os.environ:
        shoot(study, page, Path(os.environ["SHOTS"]))
    before = page.url
    page.reload()
    page.wait_for_selector("form[data-ready]")
    press(page, "Control+Enter")
    page.wait_for_url(lambda url: url != before)
    (judgement,) = list_judgements(study.workspace, study.record.id, item)
    payload = judgement.payload
    assert payload["several"] == {"who": ["guests"]}
    assert (payload["scale"], payload["number"], payload["text"]) == (
        {"fit": 0},
        {"age": 7.5},
        {"why": "It is too loud."},
    )
    assert payload["spans"] == {"words": [[7, 12, "Küche"]]}
    assert payload["ranking"] == {"order": ["cake", "soup", "broth"]}
    assert payload["grouping"] == {"groups": [["soup", "broth"], ["cake"]]}
    assert payload["pairwise"]["better"] in ("one", "two")
    assert study.errors == []


def shoot(study: ServedStudy, page: Any, folder: Path) -> None:
    page.screenshot(path=folder / "desktop.png", full_page=True)
    for name, options in (
        ("phone", PHONE),
        ("arabic", {**PHONE, "locale": "ar"}),
        ("dark", {"color_scheme": "dark"}),
    ):
        other = study.at_start(**options)
        begin(other) if name != "arabic" else (
            other.locator("form button.primary").first.click(),
            other.wait_for_selector("form[data-ready]"),
        )
        other.screenshot(path=folder / f"{name}.png", full_page=True)
        assert (
            other.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0
        )
    other = study.researcher("/data")
    other.screenshot(path=folder / "data.png", full_page=True)
    assert axe_violations(other) == []
