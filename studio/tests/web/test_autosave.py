"""No word is lost: a connection that breaks, a tab that is closed, a server that dies, two windows, two
clicks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("playwright.sync_api")
from playwright.sync_api import expect

from folkways_studio.people import sessions
from folkways_studio.records import StudyState
from folkways_studio.studies import service as studies
from folkways_studio.work import judgements
from studio.tests.support.studio_server import StudioProcess
from studio.tests.web.conftest import ServedStudy, begin, send
from tests.support.browser import Watched

pytestmark = pytest.mark.browser

SHOWN = [{"field": "text", "type": "text"}]
QUESTIONS = [
    {"local": "소풍에 무엇을 싸 가나요?", "english": "What do people take on a picnic?"},
    {"local": "생일에 무엇을 먹나요?", "english": "What do people eat on their birthday?"},
]

NOTHING_WAITS = (
    "() => !Object.keys(localStorage).some((name) => name.endsWith('/queue') && localStorage[name] !== '[]')"
)


@pytest.fixture
def new_page(fresh_page: Callable[..., Watched]) -> Callable[..., Watched]:
    """Pages are cut off from the network, and one is told what time it is."""
    return fresh_page


@pytest.fixture
def study(make_study: Callable[..., ServedStudy]) -> ServedStudy:
    made = make_study([{"name": "answer", "kind": "short_answers", "title": "Answer", "answers": 5}])
    made.add("answer", QUESTIONS)
    return made


def said(study: ServedStudy, place: int) -> list[Any]:
    found = judgements.list_judgements(study.workspace, study.record.id, study.ids["answer"][place])
    return [each.payload["answers"] for each in found]


def saved(page: Any) -> None:
    expect(page.locator("#saved")).to_have_attribute("data-state", "saved")


def type_and_save(page: Any, label: str, words: str) -> None:
    """Type, and wait for the save of just this: a page that was saved before says so all the time."""
    with page.expect_response(lambda response: response.url.endswith("/draft") and response.ok):
        page.get_by_label(label).fill(words)
    saved(page)


def send_in_vain(page: Any) -> None:
    """Send the task at hand, which waits for a connection then."""
    page.get_by_role("button", name="Send and go on").click()
    expect(page.get_by_role("heading", name="No connection")).to_be_visible()


def send_offline(page: Any) -> None:
    """Write an answer and send it without a connection."""
    page.get_by_label("Answer 1").fill("김밥")
    page.context.set_offline(True)
    send_in_vain(page)


def test_what_is_typed_is_there_again_with_what_was_added_without_a_connection(study: ServedStudy) -> None:
    page = study.at_task()
    page.get_by_label("Answer 1").fill("김밥")
    saved(page)
    page.context.set_offline(True)
    page.get_by_label("Answer 2").fill("유부초밥")
    expect(page.locator("#saved")).to_have_text("No connection: kept on this device")
    address, context = page.url, page.context
    page.close()
    context.set_offline(False)
    again = context.new_page()
    again.goto(address)
    expect(again.get_by_label("Answer 1")).to_have_value("김밥")
    expect(again.get_by_label("Answer 2")).to_have_value("유부초밥")
    saved(again)


def lost(route: Any) -> None:
    """The server gets it, and the browser never hears of that."""
    route.fetch()
    route.abort()


@pytest.mark.parametrize(("label", "words"), [("Answer 3", "김밥"), ("Answer 1", " 김밥 ")])
def test_what_the_server_tidies_is_no_other_version(study: ServedStudy, label: str, words: str) -> None:
    page = study.at_task()
    page.route("**/draft", lost)
    page.get_by_label(label).fill(words)
    expect(page.locator("#saved")).to_have_text("No connection: kept on this device")
    page.route("**/draft", lambda route: route.abort())
    page.get_by_label("Answer 2").fill("떡")
    page.reload()
    page.wait_for_selector("form[data-ready]")
    expect(page.locator("#conflict")).to_be_hidden()
    expect(page.get_by_label(label)).to_have_value(words)
    expect(page.get_by_label("Answer 2")).to_have_value("떡")


@pytest.mark.parametrize("status", [403, 429, 500])
def test_an_error_after_a_lost_reply_makes_no_other_version(study: ServedStudy, status: int) -> None:
    page = study.at_task()
    page.route("**/draft", lost)
    page.get_by_label("Answer 1").fill("김밥")
    expect(page.locator("#saved")).to_have_text("No connection: kept on this device")
    page.route("**/draft", lambda route: route.fulfill(status=status, body=""))
    page.get_by_label("Answer 2").fill("떡")
    expect(page.locator("#saved")).to_have_text("Not saved on the server; kept on this device")
    page.unroute("**/draft")
    page.get_by_label("Answer 3").fill("국")
    saved(page)
    expect(page.locator("#conflict")).to_be_hidden()


@pytest.mark.parametrize("reply", ["lost", "in time"])
def test_a_page_made_before_the_last_save_has_what_was_saved_and_is_no_other_version(
    study: ServedStudy, reply: str
) -> None:
    """Whoever loads it again while a save is under way gets it as it was."""
    page = study.at_task()
    made = page.context.request.get(page.url).text()
    saves: list[Any] = []
    page.route("**/draft", lambda route: saves.append(route), times=1)
    with page.expect_request("**/draft"):
        page.get_by_label("Answer 1").fill("김밥")
    page.evaluate("dispatchEvent(new Event('beforeunload'))")
    lost(saves[0]) if reply == "lost" else saves[0].continue_()
    expect(page.locator("#saved")).to_have_attribute("data-state", "offline" if reply == "lost" else "saved")
    page.route(page.url, lambda route: route.fulfill(body=made, content_type="text/html"))
    page.reload()
    page.wait_for_selector("form[data-ready]")
    expect(page.get_by_label("Answer 1")).to_have_value("김밥")
    with page.expect_response(lambda response: "%EB%96%A1" in (response.request.post_data or "")):
        page.get_by_label("Answer 2").fill("떡")
    saved(page)
    expect(page.locator("#conflict")).to_be_hidden()


@pytest.mark.parametrize("again", [False, True])
def test_a_reply_that_is_lost_makes_no_other_version(study: ServedStudy, again: bool) -> None:
    page = study.at_task()
    page.route("**/draft", lost)
    page.get_by_label("Answer 1").fill("김밥")
    expect(page.locator("#saved")).to_have_text("No connection: kept on this device")
    page.route("**/draft", lambda route: route.abort())
    page.get_by_label("Answer 2").fill("떡")
    if again:
        page.reload()
    page.unroute("**/draft")
    page.get_by_label("Answer 3").fill("국")
    saved(page)
    expect(page.locator("#conflict")).to_be_hidden()
    page.reload()
    assert [page.get_by_label(f"Answer {number}").input_value() for number in (1, 2, 3)] == [
        "김밥",
        "떡",
        "국",
    ]


def test_what_is_typed_during_a_save_is_saved_after_it(study: ServedStudy) -> None:
    page = study.at_task()
    waiting: list[Any] = []
    page.route("**/draft", lambda route: route.continue_() if waiting else waiting.append(route))
    with page.expect_request("**/draft"):
        page.get_by_label("Answer 1").fill("김밥")
    page.get_by_label("Answer 2").fill("떡")
    with page.expect_response(lambda response: "%EB%96%A1" in (response.request.post_data or "")):
        waiting[0].continue_()
    saved(page)


def test_a_text_that_is_hidden_stays_in_the_draft_and_is_not_sent(
    make_study: Callable[..., ServedStudy],
) -> None:
    ask = [
        {"key": "fits", "type": "choice", "label": "Does it fit?", "options": ["yes", "no"]},
        {"key": "why", "type": "text", "label": "Why not?", "if": {"key": "fits", "is": "no"}},
        {"key": "more", "type": "text", "label": "What else?", "required": True},
    ]
    study = make_study([{"name": "judge", "kind": "form", "show": SHOWN, "ask": ask, "answers": 5}])
    study.add("judge", [{"text": "a"}])
    page = study.at_task()
    page.get_by_role("radio").nth(1).check()
    why = page.get_by_role("textbox", name="Why not?", include_hidden=True)
    why.fill("too salty")
    with page.expect_response(lambda response: response.url.endswith("/draft") and response.ok):
        page.get_by_role("radio").nth(0).check()
    saved(page)
    page.get_by_role("button", name="Send and go on").click()
    expect(page.locator("#problems")).to_contain_text("This has to be answered.")
    page.reload()
    expect(why).to_be_hidden()
    page.get_by_role("radio").nth(1).check()
    expect(why).to_have_value("too salty")
    page.get_by_role("radio").nth(0).check()
    page.get_by_role("textbox", name="What else?").fill("nothing")
    send(page)
    expect(page.locator("form[data-task]")).to_have_count(0)
    (sent,) = judgements.list_judgements(study.workspace, study.record.id, study.ids["judge"][0])
    assert sent.payload == {"choice": {"fits": "yes"}, "text": {"more": "nothing"}}


def test_an_answer_sent_without_a_connection_arrives_once_when_it_is_back(study: ServedStudy) -> None:
    page = study.at_task()
    send_offline(page)
    page.get_by_label("Answer 2").fill("유부초밥")
    assert said(study, 0) == []
    page.context.set_offline(False)
    expect(page.locator(".subject")).to_have_text(QUESTIONS[1]["local"], timeout=15_000)
    assert said(study, 0) == [["김밥", "유부초밥"]]


@pytest.mark.parametrize("how", ["lost", "during", "in the page loaded again"])
def test_what_is_changed_after_a_reply_was_lost_or_while_it_is_sent_is_sent_too(
    study: ServedStudy, how: str
) -> None:
    page = study.at_task()
    page.get_by_label("Answer 1").fill("김밥")
    page.route("**/submit", lambda route: lost(route) if how == "lost" else route.abort())
    send_in_vain(page)
    again: list[Any] = []
    page.route("**/submit", lambda route: route.continue_() if again else again.append(route))
    if how == "in the page loaded again":
        page.reload()
        page.wait_for_selector("form[data-ready]")
    if how != "lost" and not again:
        page.wait_for_event("request", lambda request: request.url.endswith("/submit"))
    page.get_by_label("Answer 2").fill("유부초밥")
    if again:
        again[0].continue_()
    again.append(None)
    expect(page.locator(".subject")).to_have_text(QUESTIONS[1]["local"], timeout=15_000)
    assert said(study, 0) == [["김밥", "유부초밥"]]
    assert page.evaluate("Object.keys(localStorage).filter((name) => name.includes('draft/'))") == []


def test_an_answer_waiting_in_a_closed_tab_is_sent_from_the_next_page(study: ServedStudy) -> None:
    page = study.at_task()
    send_offline(page)
    context = page.context
    page.close()
    context.set_offline(False)
    again = study.open(context.new_page(), f"/work/{study.record.name}")
    again.wait_for_function(NOTHING_WAITS)
    assert said(study, 0) == [["김밥"]]


def test_a_window_whose_answer_another_one_sends_shows_what_was_sent(study: ServedStudy) -> None:
    page = study.at_task()
    page.get_by_label("Answer 1").fill("김밥")
    page.route("**/submit", lambda route: route.abort())
    send_in_vain(page)
    study.open(page.context.new_page(), f"/work/{study.record.name}")
    expect(page.get_by_role("heading", name="You have sent this answer")).to_be_visible()
    expect(page.get_by_label("Answer 1")).to_have_value("김밥")
    assert page.evaluate("Object.keys(localStorage).filter((name) => name.includes('draft/'))") == []


def test_an_answer_outlives_the_session_it_was_written_in(study: ServedStudy) -> None:
    person = study.person()
    page = study.at_start(person=person)
    begin(page)
    send_offline(page)
    sessions.revoke_all(study.workspace, person.account_id)
    with page.expect_response(lambda response: response.status == 401):
        page.context.set_offline(False)
    expect(page.locator("#problems")).to_contain_text("You have been signed out.")
    token = sessions.open_session(study.workspace, person.account_id)
    page.context.add_cookies([{"name": "folkways_session", "value": token, "url": study.server.url}])
    study.open(page, f"/work/{study.record.name}")
    page.wait_for_function(NOTHING_WAITS)
    assert said(study, 0) == [["김밥"]]


def test_what_is_refused_after_it_waited_is_saved(study: ServedStudy) -> None:
    page = study.at_task()
    for place in ("draft", "submit"):
        page.route(f"**/{place}", lambda route: route.abort(), times=1)
    page.locator("[name=no_answer][value=other]").check()
    expect(page.locator("#saved")).to_have_text("No connection: kept on this device")
    page.route("**/draft", lambda route: route.abort(), times=1)
    page.get_by_role("button", name="Send and go on").click()
    expect(page.locator("#problems li")).not_to_have_count(0)
    saved(page)


def test_whoever_is_signed_out_while_writing_is_told_that_what_they_wrote_is_kept(study: ServedStudy) -> None:
    person = study.person()
    page = study.at_start(person=person)
    begin(page)
    sessions.revoke_all(study.workspace, person.account_id)
    page.get_by_label("Answer 1").fill("김밥")
    page.get_by_role("button", name="Send and go on").click()
    expect(page.locator("#problems li")).to_contain_text(
        ["You have been signed out.", "what you wrote is kept"]
    )
    token = sessions.open_session(study.workspace, person.account_id)
    page.context.add_cookies([{"name": "folkways_session", "value": token, "url": study.server.url}])
    page.reload()
    expect(page.get_by_label("Answer 1")).to_have_value("김밥")


@pytest.mark.parametrize("comes_back_to", ["home", "task"])
def test_an_answer_that_is_refused_for_good_while_it_waits_is_told_and_not_lost(
    study: ServedStudy, comes_back_to: str
) -> None:
    page = study.at_task()
    send_offline(page)
    address, context = page.url, page.context
    studies.set_state(
        study.workspace, study.record.id, StudyState.CLOSED
    )  # first: a page that closes is on line
    page.close()
    context.set_offline(False)
    again = study.open(context.new_page(), f"/work/{study.record.name}")
    told = again.locator("#refused")
    expect(told).to_contain_text("study was closed")
    again.reload()
    expect(told).to_contain_text("study was closed")
    studies.set_state(study.workspace, study.record.id, StudyState.OPEN)
    if comes_back_to == "home":
        told.get_by_role("link").click()
    else:
        again.goto(address)
        expect(again.locator("#problems")).to_contain_text("study was closed")
    expect(told).to_be_hidden()
    expect(again.get_by_label("Answer 1")).to_have_value("김밥")
    again.wait_for_selector("form[data-ready]")
    send(again)
    assert said(study, 0) == [["김밥"]]
    study.open(again, f"/work/{study.record.name}")
    expect(told).to_be_hidden()


def test_nothing_is_typed_into_an_answer_that_is_on_its_way(study: ServedStudy) -> None:
    page = study.at_task()
    page.get_by_label("Answer 1").fill("김밥")
    waiting: list[Any] = []
    page.route("**/submit", lambda route: waiting.append(route))
    with page.expect_request("**/submit"):
        page.keyboard.press("Control+Enter")
    page.keyboard.type("국")
    expect(page.locator("[inert]").get_by_label("Answer 1")).to_have_value("김밥")
    waiting[0].abort()
    expect(page.get_by_role("heading", name="No connection")).to_be_visible()
    expect(page.locator("[inert]")).to_have_count(0)
    address = page.url
    page.unroute("**/submit")
    page.wait_for_url(lambda url: url != address)
    assert said(study, 0) == [["김밥"]]


def test_nothing_is_called_kept_on_a_device_that_keeps_nothing(study: ServedStudy) -> None:
    page = study.at_task()
    page.evaluate("() => { Storage.prototype.setItem = () => { throw new Error('full'); }; }")
    page.context.set_offline(True)
    page.get_by_label("Answer 1").fill("김밥")
    status = page.locator("#saved")
    expect(status).to_have_attribute("data-state", "offline")
    expect(status).to_have_text("No connection")
    page.get_by_role("button", name="Send and go on").click()
    expect(page.get_by_role("button", name="Send and go on")).to_be_enabled()
    expect(page.locator("#waiting")).to_be_hidden()
    expect(status).to_have_text("No connection")


@pytest.mark.parametrize("status", [403, 429, 500, 507])
def test_an_answer_is_sent_again_after_a_refusal_that_is_not_for_good(
    study: ServedStudy, status: int
) -> None:
    person = study.person()
    page = study.at_start(person=person)
    begin(page)
    send_offline(page)
    page.route(
        "**/submit", lambda route: route.fulfill(status=status, json={"message": "Not at this moment."})
    )
    with page.expect_response(lambda response: response.status == status):
        page.context.set_offline(False)
    expect(page.locator("#problems")).to_contain_text("Not at this moment.")
    page.unroute("**/submit")
    address = page.url
    page.wait_for_url(lambda url: url != address)
    assert said(study, 0) == [["김밥"]]


def test_an_answer_that_comes_too_late_is_told_and_stays_on_the_page(study: ServedStudy) -> None:
    page = study.at_task()
    send_offline(page)
    over = {"message": "This task is not yours any more.", "next": f"/work/{study.record.name}"}
    page.route("**/submit", lambda route: route.fulfill(status=404, json=over))
    page.context.set_offline(False)
    expect(page.locator("#problems")).to_contain_text("This task is not yours any more.")
    expect(page.get_by_label("Answer 1")).to_have_value("김밥")
    page.locator("#problems").get_by_role("link", name="Go on").click()
    page.wait_for_url(f"**/work/{study.record.name}")


def test_whatever_is_sent_after_a_lost_reply_names_the_version_that_the_server_has(
    study: ServedStudy,
) -> None:
    page = study.at_task()
    page.route("**/draft", lost, times=1)
    page.get_by_label("Answer 1").fill("김밥")
    expect(page.locator("#saved")).to_have_text("No connection: kept on this device")
    with page.expect_request("**/submit") as sending:
        page.get_by_role("button", name="Send and go on").click()
    assert "revision=1" in (sending.value.post_data or "")


def test_what_was_taken_back_does_not_come_again(study: ServedStudy) -> None:
    page = study.at_task()
    page.get_by_label("Answer 1").fill("김밥")
    page.get_by_label("Answer 1").fill("")
    page.reload()
    page.wait_for_selector("form[data-ready]")
    expect(page.get_by_label("Answer 1")).to_have_value("")


def test_a_window_that_waits_takes_no_keys(make_study: Callable[..., ServedStudy]) -> None:
    ask = [{"key": "fits", "type": "choice", "label": "Does it fit?", "options": ["yes", "no"]}]
    study = make_study([{"name": "judge", "kind": "form", "show": SHOWN, "ask": ask, "answers": 5}])
    study.add("judge", [{"text": "a"}])
    first = study.at_task()
    second = first.context.new_page()
    second.goto(first.url)
    expect(second.locator("form[inert]")).to_be_attached()
    for page, chosen in ((second, 0), (first, 1)):
        page.keyboard.press("1")
        expect(page.locator("input:checked[type=radio]")).to_have_count(chosen)


@pytest.mark.nightly
def test_a_server_that_is_killed_and_comes_back_takes_the_answer(study: ServedStudy) -> None:
    study.server.stop()
    process = StudioProcess(Path(study.server.location))
    process.port = study.server.port
    with process:
        page = study.at_task()
        page.get_by_label("Answer 1").fill("김밥")
        saved(page)
        process.kill()
        page.get_by_label("Answer 2").fill("떡")
        page.get_by_role("button", name="Send and go on").click()
        expect(page.get_by_role("heading", name="No connection")).to_be_visible()
        process.start()
        expect(page.locator(".subject")).to_have_text(QUESTIONS[1]["local"], timeout=15_000)
        assert said(study, 0) == [["김밥", "떡"]]
    study.server.start()


def test_a_second_window_waits_until_it_is_told_to_go_on(study: ServedStudy) -> None:
    first = study.at_task()
    first.get_by_label("Answer 1").fill("김밥")
    saved(first)
    second = first.context.new_page()
    second.goto(first.url)
    expect(second.get_by_role("heading", name="This task is open in another window")).to_be_visible()
    expect(second.get_by_role("button", name="Send and go on")).to_be_disabled()
    expect(second.locator("form[data-task][inert]")).to_be_attached()
    second.keyboard.press("Control+Enter")
    second.get_by_role("button", name="Go on here").click()
    expect(second.get_by_role("button", name="Send and go on")).to_be_enabled()
    expect(second.get_by_label("Answer 1")).to_have_value("김밥")
    expect(first.get_by_role("heading", name="This task is open in another window")).to_be_visible()
    expect(first.get_by_role("button", name="Send and go on")).to_be_disabled()
    assert said(study, 0) == []


def test_two_devices_never_overwrite_each_other(study: ServedStudy) -> None:
    first = study.at_task()
    first.get_by_label("Answer 1").fill("김밥")
    saved(first)
    phone = study.page()
    phone.context.add_cookies(first.context.cookies())
    phone.goto(first.url)
    type_and_save(first, "Answer 1", "김밥 한 줄")
    phone.get_by_label("Answer 1").fill("빵")
    expect(phone.get_by_role("heading", name="There is a newer version of your answer")).to_be_visible()
    phone.get_by_role("button", name="Use the newer version").click()
    expect(phone.get_by_label("Answer 1")).to_have_value("김밥 한 줄")
    phone.wait_for_selector("form[data-ready]")
    type_and_save(phone, "Answer 1", "김밥 두 줄")
    first.get_by_label("Answer 2").fill("떡")
    first.get_by_role("button", name="Keep what is in this window").click()
    saved(first)
    send(first)
    assert said(study, 0) == [["김밥 한 줄", "떡"]]
    phone.get_by_role("button", name="Send and go on").click()
    expect(phone.locator(".subject")).to_have_text(QUESTIONS[1]["local"])
    assert said(study, 0) == [["김밥 한 줄", "떡"]]


def test_what_is_typed_before_the_script_is_there_is_saved_too(study: ServedStudy) -> None:
    """On a slow connection a page can be typed into long before its scripts have come."""
    page = study.at_start()
    waiting: list[Any] = []
    page.route("**/js/task.js*", lambda route: waiting.append(route))
    page.get_by_role("button", name="Go on", exact=True).click(no_wait_after=True)
    page.get_by_label("Answer 1").fill("김밥")
    with page.expect_response(lambda response: response.url.endswith("/draft") and response.ok):
        waiting[0].continue_()
    saved(page)
    page.unroute("**/js/task.js*")
    page.reload()
    expect(page.get_by_label("Answer 1")).to_have_value("김밥")
    assert study.errors == []


def test_two_clicks_and_the_back_button_send_once(study: ServedStudy) -> None:
    page = study.at_task()
    page.get_by_label("Answer 1").fill("김밥")
    page.get_by_role("button", name="Send and go on").dblclick()
    expect(page.locator(".subject")).to_have_text(QUESTIONS[1]["local"])
    page.go_back()
    page.wait_for_load_state()
    assert said(study, 0) == [["김밥"]]
    assert said(study, 1) == []
    assert study.errors == []


def test_without_scripts_a_task_is_answered_all_the_same(study: ServedStudy) -> None:
    page = study.at_start(java_script_enabled=False)
    begin(page, script=False)
    send(page)
    expect(page.locator("#problems")).to_contain_text("Write at least one answer")
    page.get_by_label("Answer 1").fill("김밥")
    page.get_by_role("button", name="Send and go on").click()
    expect(page.locator(".subject")).to_have_text(QUESTIONS[1]["local"])
    assert said(study, 0) == [["김밥"]]


def test_somebody_who_reads_keeps_the_task_and_a_page_left_open_does_not(study: ServedStudy) -> None:
    page = study.at_start()
    page.clock.install()
    begin(page)
    kept = []
    page.on("request", lambda request: kept.append(request.url) if request.url.endswith("/keep") else None)
    page.mouse.move(40, 40)
    page.clock.fast_forward("04:10")
    page.mouse.move(60, 60)
    page.clock.fast_forward("04:10")
    page.wait_for_timeout(300)
    assert len(kept) == 2
    page.clock.fast_forward("30:00")
    page.wait_for_timeout(300)
    assert len(kept) < 6, "nobody has moved for half an hour"
