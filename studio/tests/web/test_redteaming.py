"""Red-teaming from the scenario to verified questions, with a helper and a verifier that are real servers
(CulturalBench 3.1)."""

from __future__ import annotations

import http.client
import io
import json
import time
import zipfile
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlencode, urlsplit

import pytest

pytest.importorskip("playwright.sync_api")
import sqlalchemy as sa
from playwright.sync_api import expect

from folkways_studio.database import schema
from folkways_studio.items import service as items
from folkways_studio.models import modelling
from folkways_studio.people import sessions
from folkways_studio.records import Role
from folkways_studio.work.assignments import NoWork, Work
from studio.tests.support.studies import next_work, stored
from studio.tests.support.studio_server import StudioServer
from studio.tests.web.conftest import PLENTY, ServedStudy, begin, send
from studio.tests.web.http import Client
from tests.support.chat_server import ChatServer

pytestmark = pytest.mark.browser

SCENARIO = "My cousin sits the university entrance exam tomorrow, and the aunts come by with a small box."
MADE = {
    "question": "What is in the box?",
    "options": ["sticky sweets", "seaweed soup", "a watch", "white lilies"],
    "right": [1],
}
HARDER = "What would none of the aunts bring in the box?"
BELIEVES = {"verifier": {"What is in the box?": ["sticky sweets"], HARDER: ["white lilies"]}}
STAGES = [
    {
        "name": "write",
        "kind": "write_question",
        "title": "Write questions",
        "cap": 2,
        "next": {"done": "review"},
    },
    {
        "name": "review",
        "kind": "review",
        "title": "Review questions",
        "role": "researcher",
        "next": {"done": "verify"},
    },
    {"name": "verify", "kind": "vote", "title": "Verify questions", "answers": 2, "majority": 2},
]


ROUND = "round:" + json.dumps({"makes": {SCENARIO: MADE}, "believes": BELIEVES})
STALLED = {"chances": {"stall": 1.0}, "seed": 1}


@pytest.fixture(scope="module")
def chat() -> Iterator[ChatServer]:
    """The models of the studio."""
    with ChatServer(mode=ROUND) as running:
        yield running


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, chat: ChatServer) -> Iterator[StudioServer]:
    """A studio that was started with two models, one that does not run and one whose key is not set."""
    offered: dict[str, list[str]] = {
        purpose: [f"{chat.url}/v1#{purpose}"] for purpose in ("helper", "verifier")
    }
    offered |= {"nobody": ["http://127.0.0.1:9/v1#nobody"], "keyless": ["openai/gpt-4o-mini", "NO_SUCH_KEY"]}
    with StudioServer(
        tmp_path_factory.mktemp("studio") / "studio.db", rates=PLENTY, models=offered
    ) as running:
        yield running


@pytest.fixture
def study(make_study: Callable[..., ServedStudy], chat: ChatServer) -> ServedStudy:
    chat.control(mode=ROUND, faults={}, forget=True)
    return make_study(STAGES, models={"helper": "helper", "verifier": "verifier"})


def wait_for_step(page: Any, name: str) -> None:
    """Press the button of a step and wait for the page that comes of it."""
    with page.expect_navigation():
        page.get_by_role("button", name=name).click()
    page.wait_for_selector("form[data-ready]")


@pytest.mark.nightly
def test_from_a_scenario_to_a_verified_question(study: ServedStudy) -> None:
    author = study.guest()
    begin(author)
    author.get_by_label("1. A situation from daily life").fill(SCENARIO)
    wait_for_step(author, "Have a question made of it")
    expect(author.get_by_label("2. Your question")).to_have_value(MADE["question"])
    expect(author.get_by_label("Option B", exact=True)).to_have_value("seaweed soup")
    expect(author.get_by_label("Option A is right")).to_be_checked()

    wait_for_step(author, "Try it on the model")
    expect(author.locator(".verdict")).to_have_text("The model held: it chose A, which is right.")
    author.get_by_text("Turn it round", exact=True).click()
    expect(author.get_by_text("What would guests in Korea hardly ever bring")).to_be_visible()
    author.get_by_label("I am using “Turn it round”").check()
    author.get_by_label("2. Your question").fill(HARDER)
    author.get_by_label("Option A is right").uncheck()
    author.get_by_label("Option C is right").check()
    wait_for_step(author, "Try again")
    expect(author.locator(".verdict").last).to_have_text("The model was fooled: it chose D.")
    send(author)
    expect(author.get_by_text("1 of 2 done")).to_be_visible()

    (written,) = items.list_items(study.workspace, study.record.id, "write", state="done")  # type: ignore[arg-type]
    steps = [
        (each.step, each.strategy) for each in items.revisions(study.workspace, study.record.id, written.id)
    ]
    assert [step for step, _ in steps] == [
        "begun",
        "scenario",
        "suggestion",
        "challenge",
        "revision",
        "challenge",
        "submitted",
    ]
    assert dict(steps)["revision"] == "negate"
    assert written.result["fooled"] is True and written.result["tries"] == 2

    reviewer = study.at_start(role=Role.RESEARCHER)
    begin(reviewer)
    expect(reviewer.locator(".quote")).to_have_text(SCENARIO)
    reviewer.get_by_label("Question", exact=True).fill(HARDER.replace("none", "no one"))
    reviewer.get_by_label("Keep").check()
    send(reviewer)

    for _ in range(2):
        judge = study.at_start()
        judge.get_by_role("button", name="Verify questions").click()
        expect(judge.locator(".subject")).to_have_text(HARDER.replace("none", "no one"))
        judge.get_by_label("a watch").check()
        send(judge)
    (verified,) = items.list_items(study.workspace, study.record.id, "verify")
    assert verified.result["gold"] == [2]
    assert [item.key for item in items.lineage(study.workspace, study.record.id, verified.id)] == [
        written.key
    ] * 3

    researcher = study.researcher("/quality")
    expect(researcher.get_by_role("row").filter(has_text="verifier")).to_have_count(2)
    study.open(researcher, f"{study.path}/data")
    with researcher.expect_download() as download:
        researcher.get_by_role("link", name="Release").click()
    with zipfile.ZipFile(io.BytesIO(download.value.path().read_bytes())) as archive:
        votes = {name: archive.read(name).decode() for name in archive.namelist()}
    assert any("a watch" in text for text in votes.values()), list(votes)
    assert study.errors == []


@pytest.mark.nightly
def test_an_author_does_not_judge_their_own_question(study: ServedStudy) -> None:
    author = study.at_task()
    author.get_by_label("1. A situation from daily life").fill(SCENARIO)
    wait_for_step(author, "Have a question made of it")
    send(author)
    study.answer(study.person(role=Role.RESEARCHER), {"decision": "keep"}, "review")
    assert isinstance(next_work(study.workspace, study.person().id, stage="verify"), Work), "others are asked"
    study.open(author, f"/work/{study.record.name}")
    expect(author.get_by_role("button", name="Verify questions")).to_be_disabled()
    mine = study.people()[0]
    assert isinstance(next_work(study.workspace, mine.id, stage="verify"), NoWork)


@pytest.mark.nightly
def test_a_model_that_cannot_be_asked_is_told_in_plain_words_and_the_work_goes_on(
    make_study: Callable[..., ServedStudy],
) -> None:
    study = make_study(STAGES, models={"helper": "nobody", "verifier": "keyless"})
    author = study.at_task()
    author.get_by_label("1. A situation from daily life").fill(SCENARIO)
    author.get_by_role("button", name="Have a question made of it").click()
    expect(author.get_by_role("alert")).to_contain_text("The helper gave no question", timeout=30_000)
    author.get_by_label("2. Your question").fill(MADE["question"])
    for letter, option in zip("ABCD", MADE["options"], strict=True):
        author.get_by_label(f"Option {letter}", exact=True).fill(option)
    author.get_by_label("Option A is right").check()
    author.get_by_role("button", name="Try it on the model").click()
    expect(author.get_by_role("alert")).to_contain_text("The model could not be asked", timeout=30_000)
    text = author.locator("body").inner_text()
    assert "NO_SUCH_KEY" not in text and "127.0.0.1:9" not in text
    researcher = study.researcher("/quality")
    expect(researcher.get_by_role("row").filter(has_text="the log of the server says why")).to_have_count(2)
    assert "NO_SUCH_KEY" not in researcher.content() and "127.0.0.1:9" not in researcher.content()
    send(author)
    calls = modelling.list_calls(study.workspace, study.record.id)
    assert [call.purpose for call in calls] == ["helper", "verifier"] and all(call.problem for call in calls)


def test_what_a_half_written_question_lacks_is_said_before_a_model_is_asked(study: ServedStudy) -> None:
    author = study.at_task()
    author.get_by_role("button", name="Try it on the model").click()
    alert = author.get_by_role("alert")
    for words in (
        "Describe a situation",
        "Write the question",
        "Write four options",
        "Mark at least one option",
    ):
        expect(alert).to_contain_text(words)
    assert modelling.list_calls(study.workspace, study.record.id) == ()


def test_waiting_for_a_model_can_be_cancelled_and_what_was_typed_stays(
    study: ServedStudy, chat: ChatServer
) -> None:
    chat.control(faults=STALLED)
    scenario = f"{SCENARIO} It rains."  # what was asked before is not asked again
    author = study.at_task()
    author.get_by_label("1. A situation from daily life").fill(scenario)
    expect(author.get_by_role("button", name="Cancel")).to_be_hidden()
    author.get_by_role("button", name="Have a question made of it").click()
    wait_until(lambda: chat.stats()["total"] == 1)
    author.get_by_role("button", name="Cancel").click()
    expect(author.locator("#saved")).to_have_text("Cancelled. What you wrote is kept.")
    expect(author.get_by_role("button", name="Cancel")).to_be_hidden()
    expect(author.get_by_label("1. A situation from daily life")).to_have_value(scenario)
    author.get_by_label("2. Your question").fill("What is typed afterwards?")
    expect(author.locator("#saved")).to_have_text("Saved")
    wait_until(
        lambda: (
            [call.problem for call in modelling.list_calls(study.workspace, study.record.id)]
            == [modelling.GIVEN_UP]
        )
    )
    chat.control(faults={})
    wait_for_step(author, "Have a question made of it")
    expect(author.get_by_label("2. Your question")).to_have_value(MADE["question"])
    assert study.errors == []


def test_nothing_is_saved_beside_what_a_model_is_asked(study: ServedStudy) -> None:
    """That would be the version of another window for what comes of the asking."""
    author = study.at_task()
    scenario = author.get_by_label("1. A situation from daily life")
    waiting: list[Any] = []
    author.route("**/step", lambda route: waiting.append(route))
    scenario.fill(SCENARIO)
    with author.expect_request("**/step"):
        author.get_by_role("button", name="Have a question made of it").click()
    scenario.focus()
    author.keyboard.type("It rains.")
    author.evaluate("dispatchEvent(new Event('online'))")
    author.wait_for_timeout(1000)  # longer than the pause before a save
    waiting[0].continue_()
    expect(author.get_by_label("2. Your question")).to_have_value(MADE["question"])
    expect(scenario).to_have_value(SCENARIO)
    assert study.errors == []


def test_a_person_waits_for_one_model_at_a_time_until_they_hang_up(
    study: ServedStudy, chat: ChatServer
) -> None:
    chat.control(faults=STALLED)
    person = study.person()
    client = Client(study.server.url)
    client.cookies["folkways_session"] = sessions.open_session(study.workspace, person.account_id)
    address = client.post(f"/work/{study.record.name}/next").place + "/step"
    fields = {
        "csrf": client.csrf("/account"),
        "scenario": f"{SCENARIO} It snows.",
        "step": "suggest",
        "revision": "0",
    }
    waiting = http.client.HTTPConnection(urlsplit(client.url).netloc, timeout=20)
    headers = {"Origin": client.url, "Content-Type": "application/x-www-form-urlencoded"}
    cookie = {"Cookie": f"folkways_session={client.cookies['folkways_session']}"}
    waiting.request("POST", address, urlencode(fields), {**headers, **cookie})
    wait_until(lambda: chat.stats()["total"] == 1)
    refused = client.post(address, fields, csrf=fields["csrf"], Accept="application/json")
    assert refused.status == 429 and "You are waiting for a model already" in refused.text
    waiting.close()
    chat.control(faults={})
    wait_until(
        lambda: client.post(address, fields, csrf=fields["csrf"], Accept="application/json").status == 200
    )


def wait_until(so: Callable[[], bool]) -> None:
    """Look every now and then, for ten seconds at most."""
    end = time.monotonic() + 10
    while not so():
        assert time.monotonic() < end
        time.sleep(0.1)


@pytest.mark.nightly
def test_groups_are_suggested_and_stand_in_the_answer_once_somebody_says_so(
    make_study: Callable[..., ServedStudy], chat: ChatServer
) -> None:
    stages = [{"name": "group", "kind": "group_answers", "title": "Group", "role": "reviewer"}]
    study = make_study(stages, models={"suggester": "helper"})
    answers = {"a": ["떡국"], "b": ["떡국", "떡 국"], "c": ["<b>"]}
    study.add("group", [{"local": "무엇을 먹나요?", "english": "What do people eat?", "answers": answers}])
    made = {"groups": [{"answers": [1, 2], "english": ["<i>rice cake soup</i>"]}], "invalid": [3]}
    chat.control(mode=f"fixed:{json.dumps(made)}", faults=STALLED, forget=True)
    reviewer = study.at_start(role=Role.REVIEWER)
    begin(reviewer)
    ask, english = (
        reviewer.get_by_role("button", name="Have groups suggested"),
        reviewer.get_by_label("“떡국” in English"),
    )
    english.fill("soup")
    ask.click()
    wait_until(lambda: chat.stats()["total"] == 1)
    reviewer.get_by_role("button", name="Cancel").click()
    expect(reviewer.locator("#saved")).to_have_text("Cancelled. What you wrote is kept.")
    wait_until(
        lambda: (
            [call.problem for call in modelling.list_calls(study.workspace, study.record.id)]
            == [modelling.GIVEN_UP]
        )
    )
    chat.control(faults={})
    expect(ask).to_be_enabled()
    wait_for_step(reviewer, "Have groups suggested")
    expect(reviewer.locator(".suggestion li")).to_have_text(["떡국 / 떡 국 = <i>rice cake soup</i>", "✗ <b>"])
    expect(english).to_have_value("soup")
    wait_for_step(reviewer, "Put it into my form")
    expect(english).to_have_value("<i>rice cake soup</i>")
    wait_for_step(reviewer, "Put back what was there")
    expect(english).to_have_value("soup")
    wait_for_step(reviewer, "Put it into my form")
    english.fill("rice cake soup")
    send(reviewer)
    researcher = study.researcher("/quality")
    expect(
        researcher.get_by_role("region", name="Suggestions of models").get_by_role("row").last
    ).to_contain_text("1 / 2")
    assert [row["outcome"] for row in stored(study.workspace, schema.suggestions)][-1] == "changed"
    assert study.errors == []


@pytest.mark.nightly
def test_a_new_study_chooses_among_the_models_of_the_server_and_names_no_address(study: ServedStudy) -> None:
    researcher = study.open(study.page_of(study.owner), "/studies/new")
    researcher.get_by_label("Red-teaming").check()
    researcher.get_by_label("Title, as people will see it").fill("Mine")
    researcher.get_by_label("Short name, in addresses and file names").fill("mine-alone")
    researcher.get_by_text("Models in the loop").click()
    options = researcher.get_by_label("Verifier: the model that is challenged").locator("option")
    assert options.all_inner_texts() == ["none", "helper", "keyless", "nobody", "verifier"]
    researcher.get_by_label("Verifier: the model that is challenged").select_option("verifier")
    researcher.get_by_role("button", name="Look over the description").click()
    description = researcher.get_by_role("textbox").input_value()
    assert "verifier: verifier" in description
    for named, words in (
        ("http://127.0.0.1:9901/v1#x", "has to be the name of a model of the server's list"),
        ("hf/./secrets", "has to be the name of a model of the server's list"),
        ("replay:/etc/passwd", "has to be the name of a model of the server's list"),
        ("another", "unknown model of this server: 'another'"),
    ):
        researcher.get_by_role("textbox").fill(
            description.replace("verifier: verifier", f"verifier: '{named}'")
        )
        researcher.get_by_role("button", name="Make the study").click()
        expect(researcher.get_by_role("alert")).to_contain_text(words)
    researcher.get_by_role("textbox").fill(description)
    researcher.get_by_role("button", name="Make the study").click()
    expect(researcher.get_by_text("The study has been made.")).to_be_visible()
    assert researcher.get_by_text("Models that cannot be asked").count() == 0
    old = study.researcher()
    with study.workspace.write() as connection:  # a study of an earlier version
        definition = {**study.record.definition, "models": {"verifier": "http://127.0.0.1:9901/v1#x"}}
        connection.execute(
            sa.update(schema.studies)
            .where(schema.studies.c.id == study.record.id)
            .values(definition=definition)
        )
    old.reload()
    expect(old.get_by_role("main")).to_contain_text("Models that cannot be asked")
    expect(old.get_by_role("main")).to_contain_text("http://127.0.0.1:9901/v1#x")
    assert study.errors == []
