"""Known answers as people meet them: a test, then work with known answers among it, then a pause; and the
researcher's side."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

pytest.importorskip("playwright.sync_api")
from playwright.sync_api import expect

from folkways_studio.items.service import NewItem, add_items
from folkways_studio.people import participants
from studio.tests.support.studies import QUESTION
from studio.tests.web.conftest import ServedStudy, begin, send
from tests.support.browser import axe_violations

pytestmark = pytest.mark.browser

STAGE = {
    "name": "verify", "kind": "vote", "title": "Check questions", "answers": 2, "majority": 2,
    "qualification": {"questions": 2, "pass_mark": 0.5, "feedback": True},
    "gold": {"every": 2, "rules": [{"then": "pause", "below": 0.9, "after": 5}]},
}  # fmt: skip


@pytest.mark.nightly
def test_from_the_test_through_the_work_to_a_pause_that_is_lifted(
    make_study: Callable[..., ServedStudy],
) -> None:
    study = make_study([STAGE])
    researcher = study.researcher()
    expect(researcher.get_by_text("has too few questions (0 of 2)")).to_be_visible()
    new = [NewItem(f"test-{number}", QUESTION, "korea", {"choices": [2]}, True) for number in range(2)]
    new += [NewItem(f"gold-{number}", QUESTION, "korea", {"choices": [2]}) for number in range(6)]
    add_items(study.workspace, study.record.id, "verify", new)
    study.add("verify", [QUESTION] * 12)
    person = study.person()
    page = study.at_start(person=person)

    begin(page)
    expect(page.get_by_text("Questions: 2. Right answers needed: 1.")).to_be_visible()
    page.get_by_label("soup").check()
    send(page)
    expect(page.get_by_role("heading", name="Not right")).to_be_visible()
    expect(page.get_by_text("fruit")).to_be_visible()
    assert axe_violations(page) == []
    page.get_by_role("button", name="Go on").click()
    page.get_by_label("fruit").check()
    send(page)
    expect(page.get_by_role("heading", name="Right", exact=True)).to_be_visible()
    page.get_by_role("link", name="Go on").click()
    expect(page.get_by_role("heading", name="You have passed the test")).to_be_visible()
    assert axe_violations(page) == []
    page.get_by_role("button", name="Go on").click()

    page.wait_for_selector("form[data-task][data-ready]")
    forms = set()
    for _ in range(20):
        if page.locator("form[data-task]").count() == 0:
            break
        page.wait_for_selector("form[data-task][data-ready]")
        markup = page.request.get(page.url).text()
        tokens = r'(csrf|key)" value="[^"]+"|data-csrf="[^"]+"|Token": "[^"]+"'
        link = r'<a href="/work/[^"]+/sent">[^<]+</a>'  # from the second task on
        numbers = r'/tasks/\d+|\d+ of \d+ done|value="\d+"|<span>about [^<]+</span>|\s'
        forms.add(re.sub(f"{tokens}|{link}|{numbers}", "", markup))
        page.get_by_label("soup").check()
        send(page)
    assert len(forms) == 1, "the page of a known answer is that of any other question, but for its numbers"
    expect(page.get_by_role("heading", name="Your work is paused")).to_be_visible()
    assert axe_violations(page) == []

    researcher = study.researcher("/quality")
    row = researcher.get_by_role("row").filter(has_text=person.pseudonym).filter(has_text="passed")
    expect(row).to_contain_text("paused")
    expect(row).to_contain_text("1 / 2")
    assert axe_violations(researcher) == []
    row.get_by_role("link", name=person.pseudonym).click()
    expect(researcher.get_by_text("0 of 5 known answers right in verify")).to_be_visible()
    assert axe_violations(researcher) == []
    researcher.get_by_label("Reason, kept on record").fill("The guidelines were not clear.")
    researcher.get_by_role("button", name="Let them go on").click()
    expect(researcher.get_by_role("heading", name="Paused by a rule")).to_have_count(0)
    assert participants.get_participant(study.workspace, person.id).state == "active"
    page.reload()
    begin(page)
    assert study.errors == []
