"""The page of a study as people who answer see it: how far they are in each stage, and what comes next."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("playwright.sync_api")

from studio.tests.support.studies import QUESTION, next_work
from studio.tests.web.conftest import Field, begin, send
from tests.support.browser import axe_violations

pytestmark = pytest.mark.browser


def home(field: Field, page: Any) -> dict[str, list[str]]:
    """Stage -> how far the person is, and whether it comes next."""
    field.open(page, f"/work/{field.study.name}")
    return {
        each.locator("button").inner_text(): each.locator("span:not(button *)").all_inner_texts()
        for each in page.locator(".parts > li").all()
    }


def test_people_see_how_far_they_are_and_what_comes_next(make_field: Callable[..., Field]) -> None:
    field = make_field(
        [
            {"name": "verify", "kind": "vote", "title": "Check"},
            {"name": "tell", "kind": "form", "title": "Tell"},
            {"name": "write", "kind": "collect_question", "title": "Write"},
        ]
    )
    field.add("verify", [QUESTION] * 3)
    field.add("tell", [{"text": "Guests call first."}] * 2)
    next_work(field.workspace, field.arrived().id, stage="tell")  # what another holds is no task of theirs
    page = field.person()
    check, tell, write = ["0 of 3 done"], ["0 of 2 done"], ["0 done"]
    assert home(field, page) == {"Check": ["comes next", *check], "Tell": tell, "Write": write}
    assert axe_violations(page) == []
    begin(page)
    page.keyboard.press("1")
    send(page)
    check = ["1 of 3 done", "about 1 minute left"]
    assert home(field, page) == {"Check": ["comes next", *check], "Tell": tell, "Write": write}
    begin(page)
    for answer in ("2", "3"):
        page.wait_for_selector("form[data-ready]")
        page.keyboard.press(answer)
        send(page)
    assert "/tasks/" in page.url, "the next stage follows without asking"
    check = ["3 of 3 done"]
    told = {"Check": check, "Tell": ["comes next", *tell], "Write": write}
    assert home(field, page) == told, "the task at hand is one of the two"
    page.get_by_role("button", name="Write").click()
    page.wait_for_selector("form[data-ready]")
    assert home(field, page) == told, "they hold two tasks now"
    for _ in range(2):
        page.get_by_role("button", name="Tell").click()
        page.get_by_role("textbox").fill("So it is.")
        send(page)
        field.open(page, f"/work/{field.study.name}")
    assert home(field, page)["Write"] == ["comes next", *write]
    assert field.errors == []


def test_one_stage_has_its_line_and_no_list(make_field: Callable[..., Field]) -> None:
    field = make_field([{"name": "verify", "kind": "vote"}])
    field.add("verify", [QUESTION] * 2)
    page = field.person()
    assert page.locator(".progress .words").inner_text() == "0 of 2 done"
    begin(page)
    field.open(page, f"/work/{field.study.name}")
    assert page.locator(".progress .words").inner_text() == "0 of 2 done"
    assert page.locator(".parts").count() == 0 and axe_violations(page) == []


def test_what_people_write_comes_next_where_nothing_else_is_left(make_field: Callable[..., Field]) -> None:
    field = make_field(
        [
            {"name": "verify", "kind": "vote", "title": "Check"},
            {"name": "write", "kind": "collect_question", "title": "Write"},
        ]
    )
    assert home(field, field.person()) == {"Check": ["0 done"], "Write": ["comes next", "0 done"]}


def test_the_task_that_somebody_holds_comes_next(make_field: Callable[..., Field]) -> None:
    field = make_field(
        [
            {"name": "verify", "kind": "vote", "title": "Check"},
            {"name": "tell", "kind": "form", "title": "Tell"},
        ]
    )
    field.add("verify", [QUESTION])
    field.add("tell", [{"text": "Guests call first."}])
    page = field.person()
    page.get_by_role("button", name="Tell").click()
    page.wait_for_selector("form[data-ready]")
    assert home(field, page) == {"Check": ["0 of 1 done"], "Tell": ["comes next", "0 of 1 done"]}
    begin(page)
    assert page.get_by_role("heading", name="Tell").is_visible()
