"""What people read before and beside the work: guidelines in full, the training with feedback, time and pay."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from folkways_studio.people import sessions
from studio.tests.support.studies import QUESTION
from studio.tests.web.conftest import ServedStudy
from studio.tests.web.http import Client, Reply
from tests.support.browser import axe_violations

pytestmark = pytest.mark.browser

WAGES = [{"per_hour": 15000, "currency": "KRW", "exchange": 0.001, "source": "Ministry of Labour, 2026"}]
PAY = {"per_answer": 0.5, "currency": "EUR", "wages": WAGES}
STAGES: list[dict[str, Any]] = [
    {
        "name": "verify",
        "kind": "vote",
        "answers": 2,
        "majority": 2,
        "minutes": 3,
        "manual": "verification/verify",
    },
    {"name": "settle", "kind": "vote", "role": "expert", "manual": "deciding/decide"},
]


@pytest.fixture
def study(make_study: Callable[..., ServedStudy]) -> ServedStudy:
    made = make_study(STAGES, pay=PAY)
    made.add("verify", [QUESTION])
    return made


def arrived(study: ServedStudy, account: int | None = None, locale: str = "en") -> Client:
    """A client of somebody who has agreed to take part and has chosen this language, if any."""
    client = Client(study.server.url)
    if locale:
        client.cookies["folkways_locale"] = locale
    client.cookies["folkways_session"] = sessions.open_session(
        study.workspace, study.person().account_id if account is None else account
    )
    return client


def send(client: Client, path: str, **fields: Any) -> Reply:
    """A form of the page at this path."""
    return client.post(path, {name: str(value) for name, value in fields.items()})


def words(reply: Reply) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", reply.text))


def test_people_are_trained_before_their_first_task_and_told_why_at_once(study: ServedStudy) -> None:
    client, home = arrived(study), f"/work/{study.record.name}"
    training = f"{home}/training/verify"
    assert send(client, f"{home}/next").place == training
    assert "1 of 3" in words(client.get(training)) and "are not kept" in words(client.get(training))
    assert send(client, training, case=1).status == 422  # nothing chosen
    assert send(client, training, case=1, option=7).status == 422
    assert send(client, training, case=2, option=2).place == training  # not the next
    assert "There may be several." not in client.get(f"{training}?case=1&chose=0").text  # no look ahead
    wrong = client.get(send(client, training, case=1, option=0).place)
    assert "<h1>Not right</h1>" in wrong.text
    assert "Your family is one of many." in wrong.text and "There may be several." in wrong.text
    assert "not right · your choice" in words(wrong)
    assert "2 of 3" in words(client.get(training))  # after a pause, or in another browser
    owner = arrived(study, study.owner)
    assert "verify – 1 of 3 done" in words(owner.get(f"{study.path}/people"))
    right = client.get(send(client, training, case=2, option=2).place)
    assert "<h1>Right</h1>" in right.text and "right · your choice" in words(right)
    over = client.get(send(client, training, case=3, option=0).place)
    assert "The work can begin." in over.text
    assert client.get(training).place == home
    assert "verify – passed. Right answers: 2 of 3." in words(owner.get(f"{study.path}/people"))
    task = send(client, f"{home}/next", stage="verify").place
    assert f'href="{home}/guidelines/verify"' in client.get(task).text


def test_guidelines_are_for_those_who_work_by_them(study: ServedStudy) -> None:
    client, home = arrived(study), f"/work/{study.record.name}"
    page = words(client.get(f"{home}/guidelines/verify"))
    for heading in ("Step by step", "Good examples", "Bad examples", "What not to write", "Before you send"):
        assert heading in page
    assert "by which a person could be recognised" in page and "What do you choose?" not in page
    for name in ("settle", "nothing"):
        assert client.get(f"{home}/guidelines/{name}").status == 404
        assert client.get(f"{home}/training/{name}").status == 404
        assert send(client, f"{home}/training/{name}", case=1, option=0).status == 404
    stranger = Client(study.server.url)
    assert stranger.get(f"{home}/guidelines/verify").status in (303, 401, 404)


def test_guidelines_come_in_the_readers_language_or_their_populations_as_drafts(study: ServedStudy) -> None:
    client, path = arrived(study, locale=""), f"/work/{study.record.name}/guidelines/verify"
    arabic = client.get(path, **{"Accept-Language": "ar"}).text
    assert '<div lang="ar" dir="rtl">' in arabic and 'class="draft"' in arabic
    english = client.get(path, **{"Accept-Language": "en"}).text
    assert '<div lang="en" dir="ltr">' in english and 'class="draft"' not in english
    swahili = client.get(path, **{"Accept-Language": "sw"})
    assert "The study has this text in Korean, and not in your language." in words(swahili)
    assert '<div lang="ko" dir="ltr">' in swahili.text and 'class="draft"' in swahili.text
    beside = client.get(f"/work/{study.record.name}/training/verify", **{"Accept-Language": "ko"}).text
    assert '<span class="subject" lang="ko" dir="ltr">' in beside and 'class="draft"' in beside


def test_before_they_agree_people_see_tasks_time_pay_and_the_local_wage(study: ServedStudy) -> None:
    client = arrived(study)
    told = words(client.get(f"/work/{study.record.name}/consent"))
    again = words(client.get(f"/work/{study.record.name}/offer"))
    offer = told.partition("What you will do")[2][:300]
    assert len(offer) == 300 and offer == again.partition("What you will do")[2][:300]
    for part in (
        "Tasks for you at this moment, at most: 1.", "about 3 min", "as the researchers expect", "a training of a few examples, which is not paid",
        "0.50 EUR per answer", "about 10.00 EUR an hour", "15000 KRW", "( 15.00 EUR )",
        "Ministry of Labour, 2026", "less than the local wage stated below: 0.67 times",
    ):  # fmt: skip
        assert part in told, part
    assert "settle" not in told
    owner = arrived(study, study.owner)
    overview = words(owner.get(study.path))
    assert (
        "The pay of verify for korea comes to about 10.00 EUR an hour" in overview and "15.00 EUR" in overview
    )
    assert "below the local wage" in words(owner.get(f"{study.path}/time"))


def test_without_pay_or_wage_that_is_said(make_study: Callable[..., ServedStudy]) -> None:
    unpaid = make_study(STAGES)
    assert "The study states no pay." in words(arrived(unpaid).get(f"/work/{unpaid.record.name}/consent"))
    plain = make_study(STAGES, pay={"per_hour": 12, "per_answer": 0.125, "currency": "EUR"})
    told = words(arrived(plain).get(f"/work/{plain.record.name}/consent"))
    assert "12.00 EUR per hour + 0.125 EUR per answer" in told and "states no local wage" in told
    desk = words(arrived(plain, plain.owner).get(f"{plain.path}/time"))
    assert "12.00 EUR per hour + 0.125 EUR per answer" in desk, "what people agree to has all its digits"


@pytest.mark.parametrize("theme", ["light", pytest.param("dark", marks=pytest.mark.nightly)])
def test_no_page_of_guidelines_training_or_pay_breaks_a_rule_of_wcag(study: ServedStudy, theme: str) -> None:
    pytest.importorskip("playwright.sync_api")
    home = f"/work/{study.record.name}"
    page = study.page_of(study.person().account_id, color_scheme=theme, locale="en")
    found = {}
    for path in ("/consent", "/offer", "/guidelines/verify", "/training/verify"):
        study.open(page, home + path)
        page.eval_on_selector_all("main details", "(all) => all.forEach((each) => { each.open = true; })")
        found[path] = axe_violations(page)
    page.get_by_label("The one that your family eats.").check()
    page.get_by_role("button", name="Check my answer").click()
    page.get_by_role("heading", name="Not right").wait_for()
    found["feedback"] = axe_violations(page)
    assert {name: broken for name, broken in found.items() if broken} == {}
