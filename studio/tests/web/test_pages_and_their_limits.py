"""What pages show and take at the limits that they name: numbers, lists, roles, and how often somebody may ask."""

from __future__ import annotations

import html
import io
import json
import re
import time
from collections.abc import Callable, Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import httpx2
import pytest
import sqlalchemy as sa
from openpyxl import load_workbook

from folkways.workspace.database import Workspace
from folkways_studio.database import schema
from folkways_studio.items.service import NewItem, add_items
from folkways_studio.models import modelling
from folkways_studio.models.offered import OfferedModel
from folkways_studio.people import accounts, invites, participants, sessions
from folkways_studio.programs import tokens
from folkways_studio.records import Participant, Role
from folkways_studio.studies.new_study_pages import HOME
from folkways_studio.web.api.app import document
from folkways_studio.web.app import create_app
from folkways_studio.web.rendering.i18n import catalogue
from folkways_studio.web.settings import WebSettings
from folkways_studio.work import assignments
from folkways_studio.work.task_numbers import shown_number
from folkways_studio.workflows.definition import parse_yaml, read_definition
from folkways_studio.workflows.manuals import cases_of
from studio.tests.support.app_client import AppClient
from studio.tests.support.studies import PASSWORD, QUESTION, StudyFixture, new_workspace, open_study, stored
from studio.tests.web.conftest import PLENTY
from studio.tests.web.http import CSRF
from tests.support.frozen_time import at_time

HOST = "http://localhost"
DAY = 86400.0
STEPS = 3
VOTES = [{"name": name, "kind": "vote", "answers": 1, "majority": 1} for name in ("first", "second")]


class Browser:
    """A browser in which somebody has signed in."""

    def __init__(self, app: Any, workspace: Workspace, account: int) -> None:
        self.client = AppClient(app, HOST)
        session = sessions.open_session(workspace, account)
        self.client.cookies.set("folkways_session", session, domain="localhost.local", path="/")

    def get(self, path: str) -> httpx2.Response:
        return self.client.get(path)

    def post(
        self, path: str, fields: Mapping[str, Any] | None = None, files: Any = None, **headers: str
    ) -> httpx2.Response:
        """A form of the studio's own."""
        token = CSRF.search(self.get("/account").text)
        assert token
        sent = {"csrf": token[1], **(fields or {})}
        return self.client.post(path, data=sent, files=files, headers={"Origin": HOST, **headers})


Open = Callable[[int], Browser]


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """A workspace of this module; each test makes a study of its own in it."""
    made = new_workspace(tmp_path_factory.mktemp("pages") / "studio.db")
    yield made
    made.close()


@pytest.fixture(scope="module")
def browser_of(workspace: Workspace) -> Open:
    """A function that opens the browser of an account, where a model may be asked three times a minute."""
    app = create_app(workspace, WebSettings(rates={**PLENTY, "models": (STEPS, 60.0)}))
    return lambda account: Browser(app, workspace, account)


def task_of(study: StudyFixture, person: Participant, stage: str) -> str:
    number = shown_number(study.work(person, stage).assignment.id, person.pseudonym)
    return f"/work/{study.record.name}/tasks/{number}"


def test_the_reference_of_the_api_has_every_address_under_its_heading(
    workspace: Workspace, browser_of: Open
) -> None:
    page = AppClient(create_app(workspace, WebSettings()), HOST).get("/api").text
    listed = {
        part.partition("</h2>")[0].rpartition(">")[2]: re.findall(r"<dt><code>(\w+ [^<]+)</code>", part)
        for part in page.split("<h2")[1:]
    }
    assert {*listed} == {
        *("studies", "people", "items", "assignments", "results", "webhooks", "ml backends"),
    }  # fmt: skip
    addresses = sorted(line for lines in listed.values() for line in lines)
    assert addresses == sorted(
        f"{method.upper()} /api/v1{path}" for path, each in document()["paths"].items() for method in each
    )
    assert "GET /api/v1/studies/{study}/items" in listed["items"]
    query = page.partition("<code>GET /api/v1/studies/{study}/items</code>")[2].partition("</dd>")[0]
    assert re.findall(r"<code>(\w+)</code>", query) == ["stage", "population", "state", "limit", "cursor"]
    body = page.partition("<code>POST /api/v1/studies/{study}/state</code>")[2].partition("</dd>")[0]
    assert re.findall(r"Body: <code>(\w+)</code>", body) == []
    body = page.partition("<code>POST /api/v1/studies/{study}/webhooks</code>")[2].partition("</dd>")[0]
    assert re.findall(r"Body: <code>(\w+)</code>, <code>(\w+)</code>", body) == [("url", "events")]


def test_a_token_of_the_page_lasts_1_to_366_days_and_90_unless_something_else_is_said(
    workspace: Workspace, browser_of: Open
) -> None:
    study = open_study(workspace, VOTES, name="token-days")
    owner, path = browser_of(study.owner), f"/studies/{study.record.name}/tokens"
    for days in ("0", "367", "1.5", "-1", "many"):
        reply = owner.post(path, {"days": days})
        assert reply.status_code == 422 and "Give a whole number from 1 to 366." in reply.text
    assert tokens.list_tokens(workspace, study_id=study.record.id) == ()
    for days in ("1", "366", None):
        reply = owner.post(path, {"scope": "write" if days == "1" else "admin", "note": "mine"} | (
            {} if days is None else {"days": days}
        ))  # fmt: skip
        assert reply.status_code == 200
        made = tokens.list_tokens(workspace, study_id=study.record.id)[0]
        assert made.expires - made.created == float(days or 90) * DAY
        assert (made.scope, made.name) == ("write" if days == "1" else "read", "mine")


@pytest.mark.parametrize(
    ("ago", "wait"),
    [(890, "1 minute."), (860, "1 minute."), (790, "2 minutes."), (750, "2 minutes."), (1, "15 minutes.")],
)
def test_who_failed_too_often_is_told_for_how_many_minutes_to_wait(
    workspace: Workspace, browser_of: Open, ago: float, wait: str
) -> None:
    login = f"late-{ago}@example.org"
    account = accounts.create_account(workspace, login, PASSWORD).id
    for _ in range(accounts.ATTEMPTS):
        at_time(time.time() - ago, accounts.verify_password, workspace, login, "wrong", key="127.0.0.1")
    reply = browser_of(account).post("/signin", {"login": login, "password": PASSWORD})
    assert reply.status_code == 429
    assert f"Too many attempts have failed. Try again in {wait}" in reply.text


def test_a_refused_form_says_why_in_a_sentence_and_leads_back_to_its_own_page_alone(
    workspace: Workspace, browser_of: Open
) -> None:
    study = open_study(workspace, VOTES, name="refused-form")
    page = f"/studies/refused-form/people/{study.person().id}"
    browser = browser_of(study.owner)
    refused = browser.post(f"{page}/exclude", Referer=f"{HOST}{page}?personal=show")
    assert refused.status_code == 422
    assert "Say why: they read it, and it is kept on record." in html.unescape(refused.text)
    assert f'<a class="button primary" href="{page}?personal=show">Back</a>' in refused.text
    for elsewhere in (f"https://elsewhere.example.org{page}", f"{HOST}//elsewhere.example.org/"):
        assert ">Back</a>" not in browser.post(f"{page}/exclude", Referer=elsewhere).text
    # Who takes another language there comes back to the page of the form, or else to where it was sent.
    for referer, back in ((f"{HOST}{page}?personal=show", f"{page}?personal=show"), ("", f"{page}/exclude")):
        refused = browser.post(f"{page}/exclude", Referer=referer)
        assert f'name="next" value="{back}"' in refused.text


def test_the_page_of_a_person_tells_their_test_and_nobody_elses(
    workspace: Workspace, browser_of: Open
) -> None:
    test = {"questions": 2, "pass_mark": 1, "tries": 1}
    study = open_study(workspace, [{**VOTES[0], "qualification": test}], name="two-tested")
    known = [NewItem(f"test-{number}", QUESTION, "korea", {"choices": [2]}, True) for number in range(2)]
    add_items(workspace, study.record.id, "first", known)
    study.add("first", [QUESTION])
    people, owner = [study.person() for _ in range(3)], browser_of(study.owner)
    for person, said in zip(people, ([2, 2], [2, 0], [0, 0]), strict=True):
        for choice in said:
            study.answer(person, {"choices": [choice]})
    told = [
        re.findall(r"Right answers: (\d of \d)", owner.get(f"/studies/two-tested/people/{person.id}").text)
        for person in people
    ]
    assert told == [[], ["1 of 2"], ["0 of 2"]]


def test_who_sends_an_answer_again_goes_on_in_its_stage_and_is_told_so(
    workspace: Workspace, browser_of: Open
) -> None:
    study = open_study(workspace, VOTES, name="sent-again")
    for stage in ("first", "second"):
        study.add(stage, [{**QUESTION, "question": f"{stage} {number}?"} for number in range(3)])
    person = study.person()
    browser, task = browser_of(person.account_id), task_of(study, person, "second")
    study.answer(person, {"choices": [1]}, "second")
    again = browser.post(f"{task}/submit", {"key": "another", "choices": "1"})
    assert again.status_code == 303
    page = browser.get(again.headers["location"]).text
    assert "second 1?" in page and "You had answered this before" in page
    onward = browser.post(f"{again.headers['location']}/submit", {"key": "next", "choices": "1"})
    assert "second 2?" in browser.get(onward.headers["location"]).text


def test_cases_of_a_training_are_answered_one_by_one_where_there_is_one(
    workspace: Workspace, browser_of: Open
) -> None:
    trained = {"name": "verify", "kind": "vote", "manual": "verification/verify"}
    plain = {"name": "second", "kind": "vote", "manual": "verification/verify", "training": False}
    study = open_study(workspace, [trained, plain], name="training-pages")
    study.add("verify", [QUESTION])
    person, home = study.person(), f"/work/{study.record.name}"
    browser, path = browser_of(person.account_id), f"{home}/training/verify"
    cases = cases_of("verification/verify")
    for wrong in ("0", str(len(cases) + 1), "", "2"):
        reply = browser.post(path, {"case": wrong, "option": "0"})
        assert (reply.status_code, reply.headers["location"]) == (303, path), wrong
    for option in (None, str(len(cases[0].options)), "x"):
        reply = browser.post(path, {"case": "1"} if option is None else {"case": "1", "option": option})
        assert reply.status_code == 422 and "This has to be answered." in reply.text
    right = sorted(cases[0].right)
    chosen = ",".join(map(str, right))
    reply = browser.post(path, {"case": "1", "option": [str(each) for each in [*right[::-1], right[0]]]})
    assert reply.headers["location"] == f"{path}?case=1&chose={chosen}"
    assert "<h1>Right</h1>" in browser.get(f"{path}?case=1&chose={chosen}").text
    assert "<h1>Not right</h1>" in browser.get(f"{path}?case=1&chose={len(cases[0].options) - 1}").text
    assert f"2 of {len(cases)}" in re.sub(r"\s+", " ", browser.get(path).text)
    assert "<h1>Not right</h1>" in browser.get(f"{path}?case=1&chose=0,{chosen}").text, "one too many"
    assert "right</h1>" not in browser.get(f"{path}?case=2&chose=0").text.lower(), "no look ahead"
    without = f"{home}/training/second"
    assert browser.post(without, {"case": "1", "option": "0"}).headers["location"] == without
    assert browser.get(without).headers["location"] == home
    for number in range(2, len(cases) + 1):
        reply = browser.post(path, {"case": str(number), "option": "0"})
        assert reply.headers["location"] == f"{path}?case={number}&chose=0"
    assert browser.get(path).headers["location"] == home
    assert "The work can begin." in browser.get(f"{path}?case={len(cases)}&chose=0").text
    assert "The work can begin." not in browser.get(f"{path}?case=1&chose=0").text
    assert browser.get(f"{path}?case={len(cases) + 1}&chose=0").headers["location"] == home


def test_the_page_of_quality_shows_the_fifty_latest_calls_of_models(
    workspace: Workspace, browser_of: Open
) -> None:
    study = open_study(workspace, VOTES, name="many-calls")
    page = f"/studies/{study.record.name}/quality"
    call = {"study_id": study.record.id, "purpose": "helper", "endpoint": "e#m", "run": "r", "prompt": "?"}
    for many, words in ((1, "The latest call."), (51, "The latest 50 calls.")):
        rows = [{**call, "reply": f"reply-{n:02}", "created": float(n)} for n in range(many)]
        with workspace.write() as connection:
            mine = schema.model_calls.c.study_id == study.record.id
            connection.execute(sa.delete(schema.model_calls).where(mine))
            connection.execute(sa.insert(schema.model_calls), rows)
        text = browser_of(study.owner).get(page).text
        assert words in text
        assert re.findall(r"reply-\d\d", text) == [each["reply"] for each in rows[::-1][:50]]


def test_an_owner_is_offered_the_roles_that_stages_need_and_they_lack(
    workspace: Workspace, browser_of: Open
) -> None:
    stages = [
        {"name": name, "kind": "vote", "role": role, "answers": 1, "majority": 1}
        for name, role in (
            ("one", "reviewer"),
            ("two", "expert"),
            ("three", "reviewer"),
            ("four", "annotator"),
        )
    ]
    study = open_study(workspace, stages, name="lacking-roles")
    page, researcher = f"/studies/{study.record.name}", accounts.create_account(workspace, "lacking", None).id
    accounts.give_role(workspace, study.record.id, researcher, Role.RESEARCHER)

    def offered(account: int) -> list[str]:
        return re.findall(r"Take part as (\w+)", browser_of(account).get(page).text)

    assert offered(study.owner) == ["reviewer", "expert"]
    assert offered(researcher) == []
    owner = browser_of(study.owner)
    assert owner.post(f"{page}/take-part", {"role": "annotator"}).status_code == 422
    for role, left in ((Role.REVIEWER, ["expert"]), (Role.EXPERT, [])):
        assert owner.post(f"{page}/take-part", {"role": role}).status_code == 303
        assert offered(study.owner) == left
    given = stored(workspace, schema.events, study_id=study.record.id, kind="role.given")[-2:]
    assert [(row["account_id"], row["subject"], row["details"]) for row in given] == [
        (study.owner, f"account:{study.owner}", {"role": role}) for role in ("reviewer", "expert")
    ]


def test_nobody_asks_models_more_often_than_they_may_and_nobody_else_waits_for_that(
    workspace: Workspace, browser_of: Open
) -> None:
    study = open_study(workspace, [{"name": "write", "kind": "write_question"}], name="many-steps")

    def statuses(person: Participant, times: int) -> list[int]:
        browser, task = browser_of(person.account_id), task_of(study, person, "write")
        fields = {"step": "suggest", "scenario": ""}
        return [browser.post(f"{task}/step", fields).status_code for _ in range(times)]

    assert statuses(study.person(), STEPS + 2) == [422] * STEPS + [429] * 2
    assert statuses(study.person(), 1) == [422]
    assert stored(workspace, schema.model_calls, study_id=study.record.id) == []


SCENARIO = "A colleague hands you an envelope with both hands."
MADE = {"question": "What is in it?", "options": ["money", "a letter", "tea", "seeds"], "right": [2]}


class Model:
    """A model that says what it is told to say; None: it fails."""

    def __init__(self) -> None:
        self.reply: str | None = None
        model = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                self.rfile.read(int(self.headers["content-length"]))
                message = {"role": "assistant", "content": model.reply}
                choice = {"index": 0, "message": message, "finish_reason": "stop"}
                body = json.dumps({"model": "m", "choices": [choice]}).encode()
                self.send_response(400 if model.reply is None else 200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                """Quiet."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1#m"


@pytest.fixture
def model() -> Iterator[Model]:
    made = Model()
    yield made
    made.server.shutdown()
    made.server.server_close()


def test_each_step_of_writing_against_models_keeps_what_is_written_and_tells_what_came_of_it(
    workspace: Workspace, model: Model
) -> None:
    offered = {"small": OfferedModel(model.url)}
    app = create_app(workspace, WebSettings(rates=PLENTY, models=offered))
    study = open_study(
        workspace,
        [{"name": "write", "kind": "write_question"}],
        name="steps",
        models={"helper": "small", "verifier": "small"},
        offered=offered,
    )
    person = study.person()
    browser, task = Browser(app, workspace, person.account_id), task_of(study, person, "write")

    def step(accept: str = "text/html", **fields: Any) -> httpx2.Response:
        revision = re.search(r'name="revision" value="(\d+)"', browser.get(task).text)
        assert revision
        return browser.post(f"{task}/step", {"revision": revision[1], **fields}, Accept=accept)

    def content() -> Mapping[str, Any]:
        return assignments.get_work(
            workspace, person.id, study.work(person, "write").assignment.id
        ).item.content

    def draft() -> Any:
        return {
            name: stored(workspace, schema.drafts, participant_id=person.id)[-1]["payload"][name]
            for name in ("question", "options")
        }

    reply = step(step="suggest", scenario="Short")
    assert reply.status_code == 422 and content().get("scenario") is None
    assert modelling.list_calls(workspace, study.record.id) == ()
    reply = step(step="suggest", scenario=SCENARIO, question="Mine?")
    assert reply.status_code == 422 and "The helper gave no question." in reply.text
    assert content()["scenario"] == SCENARIO and draft()["question"] == "Mine?", "it is kept"
    reply = step("application/json", step="suggest", scenario=SCENARIO, question="Mine?")
    (kept,) = stored(workspace, schema.drafts, participant_id=person.id)
    words = "The helper gave no question."
    assert reply.status_code == 422 and words in reply.json()["problems"][""]
    assert reply.json()["kept"] == kept["revision"], "for the script that goes on writing"
    model.reply = f"Here it is: {json.dumps(MADE)}"
    assert step(step="suggest", scenario=SCENARIO, question="Mine?").status_code == 303
    assert draft() == {"question": MADE["question"], "options": MADE["options"]}, "what the helper made"
    assert content()["intended"] == [1]
    written = {"scenario": SCENARIO, "question": "What is in the envelope?", "options": [*"abcd"]}
    reply = step(step="challenge", **written | {"options": ["a", "b", "c", ""]}, intended=["0"])
    assert reply.status_code == 422 and "Write four options." in reply.text
    model.reply = None
    reply = step(step="suggest", scenario=f"{SCENARIO} Today.", question="Mine again?")
    assert reply.status_code == 422 and draft()["question"] == "Mine again?", "nothing was made"
    reply = step(step="challenge", **written, intended=["0"], strategy="negate")
    assert stored(workspace, schema.drafts, participant_id=person.id)[-1]["payload"]["strategy"] is None, (
        "it was of this revision"
    )
    assert reply.status_code == 422 and "The model could not be asked." in reply.text
    model.reply = "C"
    assert step(step="challenge", **written, intended=["0"]).status_code == 303
    (challenge,) = content()["challenges"]
    assert (challenge["question"], challenge["chosen"], challenge["fooled"]) == (written["question"], 2, True)
    assert draft() == {name: written[name] for name in ("question", "options")}
    purposes = [each.purpose for each in modelling.list_calls(workspace, study.record.id)]
    assert purposes == ["helper"] * 4 + ["verifier"] * 2
    kinds = [
        (row["step"], row["strategy"])
        for row in stored(workspace, schema.revisions, participant_id=person.id)
    ]
    assert [each for each in kinds if each[0] == "revision"] == [("revision", "negate")], "one new wording"


def test_suggested_groups_stand_in_the_form_once_somebody_says_so_and_what_was_there_comes_back(
    workspace: Workspace, model: Model
) -> None:
    offered = {"small": OfferedModel(model.url)}
    app = create_app(workspace, WebSettings(rates=PLENTY, models=offered))
    stages = [{"name": "group", "kind": "group_answers", "role": "reviewer"}]
    study = open_study(workspace, stages, name="grouped", models={"suggester": "small"}, offered=offered)
    answers = {"a": ["떡국"], "b": ["떡국", "떡 국"], "c": ["<b>"]}
    study.add("group", [{"local": "무엇을 먹나요?", "english": "What do people eat?", "answers": answers}])
    reviewer = study.person(role=Role.REVIEWER)
    browser, task = Browser(app, workspace, reviewer.account_id), task_of(study, reviewer, "group")
    made = {"groups": [{"answers": [1, 2], "english": ["<i>rice cake soup</i>"]}], "invalid": [3]}
    model.reply = json.dumps(made)

    def shown(name: str) -> str:
        value = re.search(rf'name="{name}" value="([^"]*)"', browser.get(task).text)
        assert value
        return html.unescape(value[1])

    offers = ("Have groups suggested", "Put it into my form", "Put back what was there")
    for step, english, offer in (
        ("suggest", "soup", 0), ("take", "<i>rice cake soup</i>", 1), ("back", "soup", 2)
    ):  # fmt: skip
        assert [words in browser.get(task).text for words in offers] == [at == offer for at in range(3)]
        fields = {"step": step, "revision": shown("revision"), "en-0": "soup"}
        assert browser.post(f"{task}/suggest", fields).status_code == 303
        assert shown("en-0") == english, step


def test_a_new_study_has_people_of_the_cultures_that_were_chosen(
    workspace: Workspace, browser_of: Open
) -> None:
    owner = accounts.create_account(workspace, "maker@example.org", None)
    study = open_study(workspace, VOTES, name="of-a-maker")
    accounts.give_role(workspace, study.record.id, owner.id, Role.OWNER)
    browser = browser_of(owner.id)
    form = {"template": "verification", "name": "new-one", "title": " New "}
    for wrong in ({"template": "none"}, {"name": "1a"}, {"name": "a" * 49}, {"title": " "}):
        assert browser.post("/studies/new", {**form, **wrong}).status_code == 422
    page = browser.post("/studies/new", {**form, "culture": ["CI", "GB", "EG", "nowhere"]})
    assert page.status_code == 200
    text = html.unescape(
        re.sub(r"<[^>]+>", "", page.text.partition("<textarea")[2].partition("</textarea>")[0])
    )
    described_as = parse_yaml(text.partition(">")[2].strip())
    people = described_as["populations"]
    assert [(each["culture"], each["name"]) for each in people] == [
        ("CI", "cote-d-ivoire"),
        ("GB", "united-kingdom"),
        ("EG", "egypt"),
    ]
    (home,) = people[2]["criteria"]
    assert home["ask"] == {"en": str(HOME), "ar": catalogue("ar").gettext(HOME)} != {"en": HOME, "ar": HOME}
    assert home["options"][0] == {"en": "Egypt", "ar": "مصر"} and home["accept"] == ["Egypt"]
    assert "until you write it in theirs as well: French, Arabic." in page.text
    read_definition(described_as)
    assert people[1]["criteria"][0]["options"] == ["United Kingdom", "Another one"]
    assert people[1]["criteria"][0]["accept"] == ["United Kingdom"]
    assert (described_as["name"], described_as["title"], people[1]["language"]) == ("new-one", "New", "en")


def test_stages_of_a_template_have_titles_in_the_language_of_the_page(
    workspace: Workspace, browser_of: Open
) -> None:
    own = {"name": "mine", "title": "Write questions, please", "kind": "vote"}
    both = {"name": "both", "title": {"en": "Verify questions", "ar": "أسئلة"}, "kind": "vote"}
    plain = {"name": "plain", "title": "Verify questions", "kind": "vote"}
    study = open_study(workspace, [own, both, plain], name="titled", language="en")
    browser = browser_of(study.person().account_id)

    def titles(language: str) -> list[str]:
        page = browser.client.get("/work/titled", headers={"Accept-Language": language}).text
        return re.findall(r'name="stage"[^>]*><bdi lang="(\w+)">([^<]*)', page)

    english = [("en", "Write questions, please"), ("en", "Verify questions"), ("en", "Verify questions")]
    assert titles("en") == titles("") == titles("yo") == english, "as the rest of the page"
    arabic = catalogue("ar").gettext("Verify questions")
    assert titles("ar") == [english[0], ("ar", "أسئلة"), ("ar", arabic)] and arabic != "Verify questions"


def test_a_new_study_names_models_of_the_server_and_no_address(workspace: Workspace) -> None:
    study = open_study(workspace, VOTES, name="with-models")
    offered = {"mine": OfferedModel("http://127.0.0.1:9/v1#m", None)}
    browser = Browser(create_app(workspace, WebSettings(models=offered)), workspace, study.owner)
    form = {"template": "red-teaming", "name": "against-mine", "title": "New", "verifier": "mine"}
    page = browser.post("/studies/new", form).text
    description = html.unescape(page.partition("<textarea")[2].partition(">")[2].partition("</textarea>")[0])
    assert "verifier: mine" in description
    for named, words in (
        ("http://127.0.0.1:9/v1#m", "has to be the name of a model of the server's list"),
        ("replay:/etc/passwd", "has to be the name of a model of the server's list"),
        ("another", "unknown model of this server: 'another'"),
    ):
        changed = description.replace("verifier: mine", f"verifier: '{named}'")
        reply = browser.post("/studies/make", {"description": changed})
        assert reply.status_code == 422 and words in html.unescape(reply.text), named
    assert browser.post("/studies/make", {"description": description}).status_code == 303


def test_personal_details_are_shown_on_request_alone_which_is_noted_and_are_gone_once_deleted(
    workspace: Workspace, browser_of: Open
) -> None:
    criterion = {"name": "grew_up", "ask": "Where did you grow up?", "accept": ["Korea"]}
    korea = {"name": "korea", "culture": "KR", "criteria": [criterion]}
    study = open_study(workspace, VOTES, name="personal", populations=[korea])
    person = study.person()
    participants.answer_eligibility(workspace, person.id, {"grew_up": "Atlantis"})
    owner, page = browser_of(study.owner), f"/studies/personal/people/{person.id}"

    def readers() -> list[int]:
        kind = "participant.attributes_read"
        rows = stored(workspace, schema.events, study_id=study.record.id, kind=kind)
        return [row["account_id"] for row in rows]

    assert "Atlantis" not in owner.get(page).text and readers() == []
    assert "Atlantis" in owner.get(f"{page}?personal=show").text and readers() == [study.owner]
    owner.post(f"{page}/erase")
    assert "Atlantis" not in owner.get(f"{page}?personal=show").text


def test_invitations_of_the_page_have_the_limits_that_it_names(
    workspace: Workspace, browser_of: Open
) -> None:
    study = open_study(workspace, VOTES, name="invitations")
    page = f"/studies/{study.record.name}"
    owner = browser_of(study.owner)
    for wrong, words in (
        ({"uses": "0"}, "nothing for no limit"),
        ({"uses": "100001"}, "nothing for no limit"),
        ({"uses": "some"}, "nothing for no limit"),
        ({"days": "0"}, "from 1 to 365"),
        ({"days": "366"}, "from 1 to 365"),
        ({"days": "1.5"}, "from 1 to 365"),
    ):
        reply = owner.post(f"{page}/invites", {"population": "korea", **wrong})
        assert reply.status_code == 422 and words in reply.text, wrong
    assert invites.list_invites(workspace, study.record.id) == ()
    for fields, uses, days, population in (
        ({"population": "korea"}, None, 30, True),
        ({"population": "korea", "uses": "1", "days": "1", "note": "n" * 201}, 1, 1, True),
        ({"population": "korea", "uses": "100000", "days": "365"}, 100_000, 365, True),
        ({"population": "korea", "role": "reviewer"}, None, 30, False),
    ):
        reply = owner.post(f"{page}/invites", fields)
        link = re.search(r"http://localhost/join/([\w-]+)", reply.text)
        assert link
        made = invites.find_invite(workspace, link[1])
        assert (made.uses_left, round((made.expires - made.created) / DAY)) == (uses, days)
        assert (made.population_id is not None) == population and len(made.note) <= 200
    researcher = accounts.create_account(workspace, "invites-researcher", None).id
    accounts.give_role(workspace, study.record.id, researcher, Role.RESEARCHER)
    assert browser_of(researcher).post(f"{page}/invites", {"role": "owner"}).status_code == 422
    for login, status in (("nobody-here", 422), ("invites-researcher", 303)):
        assert owner.post(f"{page}/roles", {"login": login, "role": "reviewer"}).status_code == status
    assert accounts.roles_of(workspace, study.record.id, researcher) == {Role.RESEARCHER, Role.REVIEWER}


FORMS: Mapping[str, tuple[str, str, int, Mapping[str, str]]] = {
    "tokens": ("tokens", "days", 366, {"scope": "read"}),
    "invitations": ("invites", "days", 365, {"population": "korea"}),
    "drawing": ("data/draw", "per_culture", 10_000, {"stage": "first", "run": "none"}),
    "handing out": ("data/hand-out", "count", 500, {"stage": "first"}),
}
"""By what it is for: the address of a form with a number, its field, the most, and what else is sent."""


@pytest.mark.parametrize("form", FORMS)
def test_a_number_of_a_form_is_taken_from_1_to_the_most_that_its_page_names(
    workspace: Workspace, browser_of: Open, form: str
) -> None:
    study = open_study(workspace, VOTES, name=f"numbers-{form.replace(' ', '-')}")
    address, field, most, others = FORMS[form]
    others = {**others, "person": str(study.person().id)}
    owner, page = browser_of(study.owner), f"/studies/{study.record.name}/{address}"
    words = f"Give a whole number from 1 to {most}."
    for wrong in ("0", str(most + 1), "", "-1", "1.5", "many", "٣", "9" * 10):
        reply = owner.post(page, {**others, field: wrong})
        assert (reply.status_code, words in reply.text) == (422, True), wrong
    for right in ("1", str(most)):
        assert words not in owner.post(page, {**others, field: right}).text, right
    assert words not in owner.post(page, others).text, "a usual number stands for one that is not sent"


@pytest.mark.parametrize(
    ("name", "table", "has_header"),
    [
        ("rows.csv", "assignment,choices\nx,A\n", True),
        ("rows.TSV", "assignment\tchoices\nx\tA\n", True),
        ("rows.json", '[{"assignment": "x"}]', False),
        ("rows.jsonl", '{"assignment": "x"}\n', False),
    ],
)
def test_rows_are_counted_from_a_header_where_there_is_one(
    workspace: Workspace, browser_of: Open, name: str, table: str, has_header: bool
) -> None:
    study = open_study(workspace, VOTES, name=f"rows-{name.lower().replace('.', '-')}")
    owner, data = browser_of(study.owner), f"/studies/{study.record.name}/data"
    for address, fields in (("take-in", {"person": str(study.person().id)}), ("items", {"stage": "first"})):
        reply = owner.post(f"{data}/{address}", fields, files={"file": (name, table.encode())})
        if reply.status_code == 303:  # the page of the import
            reply = owner.get(reply.headers["location"])
        assert "Row 1: " in reply.text
        assert ("Row 1 is the first one below the header." in reply.text) is has_header


def test_a_file_for_saving_has_its_name_and_type(workspace: Workspace, browser_of: Open) -> None:
    study = open_study(workspace, VOTES, name="saved")
    study.add("first", [QUESTION] * 51)
    person = study.person()
    owner, page = browser_of(study.owner), "/studies/saved"
    sheet = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
    handed_out = owner.post(f"{page}/data/hand-out", {"stage": "first", "person": str(person.id)})
    for reply, name, media_type, begins in (
        (owner.get(f"{page}/data/export?format=csv"), "saved-csv.zip", "application/zip", b"PK"),
        (owner.get(f"{page}/description.yaml"), "saved.yaml", "text/yaml; charset=utf-8", b"consent: "),
        (owner.get(f"{page}/payments.csv"), "saved-payments.csv", "text/csv; charset=utf-8", b"participant,"),
        (handed_out, f"saved-first-{person.pseudonym}.xlsx", sheet, b"PK"),
    ):
        headers = reply.headers["content-disposition"], reply.headers["content-type"]
        assert headers == (f'attachment; filename="{name}"', media_type)
        assert reply.content.startswith(begins), name
    rows = list(load_workbook(io.BytesIO(handed_out.content)).worksheets[0].iter_rows(values_only=True))
    assert len(rows) == 1 + 50, "as many as a person is handed out unless another number is sent"
