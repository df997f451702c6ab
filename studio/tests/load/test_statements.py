"""How many statements a person's requests cost: on a server, they are most of what a request costs.

BEGIN and COMMIT are not counted.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from folkways.workspace.database import Workspace
from folkways_studio.items.service import NewItem, add_items
from folkways_studio.people import invites, sessions
from folkways_studio.records import Stage
from folkways_studio.stages.registry import stage_kind
from folkways_studio.studies import service as studies
from folkways_studio.web.app import create_app
from folkways_studio.work import assignments
from folkways_studio.work.known_answer_rules import Gold, Qualification
from folkways_studio.workflows.templates import TEMPLATES
from studio.tests.support.app_client import AppClient
from studio.tests.support.studies import ON_A_FILE, ON_BOTH, QUESTION, StudyFixture, next_work, open_study
from studio.tests.web.test_templates_walked import answer_of, opened, people_of

MOST = {
    "page": 4,
    "draft": 7,
    "next": 3,
    "next of one's own": 9,
    "answer": 12,
    "answer that goes on": 15,
    "answer of one's own": 25,
}
"""By what is asked for. A draft takes 6, and 7 of those who decide: whose answers they see is looked up. An
answer comes with the next task: most take 9. Its item may go on to the next stage; where a stage has caps or
known answers, those are counted before the next task is given; and who writes items is given a new one with
every answer, once the categories have a place for them.
"""

FIELD = re.compile(r'name="(csrf|key|version)" value="([^"]*)"')


@dataclass
class CountedBrowsers:
    """Browsers of a study, in the process of the test, and what their requests cost."""

    workspace: Workspace
    statements: list[str] = field(default_factory=list)
    costs: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        sa.event.listen(self.workspace.engine, "before_cursor_execute", self._note)
        self.app = create_app(self.workspace)

    def _note(self, *arguments: Any) -> None:
        if not arguments[2].startswith("BEGIN"):
            self.statements.append(arguments[2])

    def browser(self) -> AppClient:
        return AppClient(self.app, headers={"Origin": "http://localhost"})

    def signed_in(self, account_id: int) -> tuple[AppClient, dict[str, str]]:
        """The browser of an account, and what every form in it carries."""
        browser, token = self.browser(), sessions.open_session(self.workspace, account_id)
        browser.cookies.set("folkways_session", token)
        session = sessions.find_session(self.workspace, token)
        assert session is not None
        return browser, {"csrf": session.csrf}

    def ask(self, name: str, browser: AppClient, method: str, address: str, **options: Any) -> Any:
        """What a request answers; the most statements that one of that name took are kept."""
        self.statements.clear()
        reply = browser.request(method, address, **options)
        self.costs[name] = max(self.costs.get(name, 0), len(self.statements))
        assert reply.status_code in (200, 303), f"{name}: {reply.status_code}"
        return reply


def sort_of(stage: Stage) -> str:
    """What an answer in a stage is, for MOST."""
    if stage_kind(stage.kind).authored:
        return "answer of one's own"
    counted = stage.config["cap"] is not None or Gold.of(stage.config) or Qualification.of(stage.config)
    return "answer that goes on" if stage.config["next"] or counted else "answer"


def walk(
    counted: CountedBrowsers, study: StudyFixture, stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Everybody of a stage is given work, looks at its page, and answers it. The first and the last also save
    drafts, and look at what they sent and at every other page: what these cost differs by how much is done."""
    authored, home = stage_kind(stage.kind).authored, f"/work/{study.record.name}"
    people = people_of(study, stage)
    for number, person in enumerate(people):
        thorough = person in (people[0], people[-1])
        browser, fields = counted.signed_in(person.account_id)
        plain = sort_of(stage) == "answer"
        name = "next" if plain else "next of one's own"
        address = counted.ask(
            name, browser, "POST", f"{home}/next", data={**fields, "stage": stage.name}
        ).headers["location"]
        for _ in range(1 if authored else 40):
            if "/tasks/" not in address:
                break
            page = counted.ask("page", browser, "GET", address)
            work = next_work(study.workspace, person.id)
            assert not isinstance(work, assignments.NoWork)
            payload = answer_of(work.stage, work.item.content, number if work.item.key.endswith("0") else 0)
            with monkeypatch.context() as patch:  # forms have tests of their own
                patch.setattr(
                    type(stage_kind(work.stage.kind)), "read_form", lambda *_, payload=payload: payload
                )
                fields = dict(FIELD.findall(page.text))
                if thorough:
                    draft = {**fields, "revision": "0"}
                    counted.ask("draft", browser, "POST", f"{address}/draft", data=draft)
                reply = counted.ask(sort_of(work.stage), browser, "POST", f"{address}/submit", data=fields)
            if thorough:
                counted.ask("page", browser, "GET", f"{address}/sent")
            address = reply.headers["location"]
        if thorough:
            more = ("sent", "done", "withdraw", "consent")
            for each in (address, home, *(f"{home}/{name}" for name in more), "/work"):
                counted.ask("page", browser, "GET", each)


OFTEN = {
    "sqlite": ("everyday-questions", "culture-specific-items", "judging", "naming-items"),
    "postgresql": ("red-teaming",),
}
"""Templates that are walked on every run: their stages, taken together, are of all kinds but that of surveys. All
others, and these on the other database, at night."""


@pytest.mark.parametrize(
    ("studio_workspace", "template"),
    [
        pytest.param(
            database,
            template,
            marks=[
                *([pytest.mark.postgres] if database == "postgresql" else []),
                *([] if template in often else [pytest.mark.nightly]),
            ],
        )
        for database, often in OFTEN.items()
        for template in TEMPLATES
    ],
    indirect=["studio_workspace"],
)
def test_pages_and_answers_of_every_stage_cost_few_statements(
    studio_workspace: Workspace, template: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FOLKWAYS_MEDIA", str(tmp_path / "media"))
    study = opened(studio_workspace, template)
    counted = CountedBrowsers(studio_workspace)
    for stage in studies.stages(studio_workspace, study.record.id):
        walk(counted, study, stage, monkeypatch)
    assert {name: cost for name, cost in counted.costs.items() if cost > MOST[name]} == {}
    assert {"page", "draft"} < counted.costs.keys()


@ON_BOTH
def test_coming_in_and_known_answers_and_corrections_cost_few_statements(studio_workspace: Workspace) -> None:
    test = {"questions": 2, "pass_mark": 1.0, "tries": 2, "feedback": True}
    stages = [{"name": "verify", "kind": "vote", "qualification": test, "gold": {"every": 3, "rules": []}}]
    criteria = [
        {"name": "home", "ask": "Where do you live?", "options": ["here", "there"], "accept": ["here"]}
    ]
    study = open_study(
        studio_workspace, stages, populations=[{"name": "korea", "culture": "KR", "criteria": criteria}]
    )
    known = [NewItem(f"test-{number}", QUESTION, check={"choices": [0]}, test=True) for number in range(3)]
    known += [NewItem(f"gold-{number}", QUESTION, check={"choices": [0]}) for number in range(3)]
    add_items(studio_workspace, study.record.id, "verify", known)
    study.add("verify", [QUESTION] * 4)
    _, token = invites.create_invite(studio_workspace, study.record.id, population="korea")
    counted = CountedBrowsers(studio_workspace)
    browser, home = counted.browser(), f"/work/{study.record.name}"
    fields = dict(FIELD.findall(counted.ask("page", browser, "GET", f"/join/{token}").text))
    counted.ask("join", browser, "POST", f"/join/{token}", data=fields)
    fields = dict(FIELD.findall(counted.ask("page", browser, "GET", f"{home}/consent").text))
    counted.ask("consent", browser, "POST", f"{home}/consent", data={**fields, "agree": "yes"})
    counted.ask("page", browser, "GET", f"{home}/eligibility")
    counted.ask(
        "eligibility", browser, "POST", f"{home}/eligibility", data={**fields, "criterion-home": "here"}
    )
    address = counted.ask("next of a test", browser, "POST", f"{home}/next", data=fields).headers["location"]
    answered: list[str] = []
    for _ in range(9):
        if "/tasks/" not in address:
            break
        page = counted.ask("page", browser, "GET", address)
        fields = dict(FIELD.findall(page.text))
        address = counted.ask(
            "known answer", browser, "POST", f"{address}/submit", data={**fields, "choices": "0"}
        ).headers["location"]
        if address.endswith("/answer"):
            assert "<h1>Right</h1>" in counted.ask("page", browser, "GET", address).text
            counted.ask("page", browser, "GET", f"{home}/test")
            address = counted.ask("next of a test", browser, "POST", f"{home}/next", data=fields).headers[
                "location"
            ]
        else:
            answered.append(page.url.path)
    counted.ask("page", browser, "GET", address)
    page = counted.ask("page", browser, "GET", f"{answered[0]}/sent")
    fields = dict(FIELD.findall(page.text))
    counted.ask("correction", browser, "POST", f"{answered[0]}/sent", data={**fields, "choices": "1"})
    most = {
        **MOST,
        "join": 17,
        "consent": 9,
        "eligibility": 10,
        "next of a test": 14,
        "known answer": 19,
        "correction": 10,
    }
    assert {name: cost for name, cost in counted.costs.items() if cost > most[name]} == {}


@pytest.mark.parametrize(
    ("budget", "reads"),
    [
        ({}, {"": 2, "/quality": 2, "/people": 2, "/time": 1, "/disagreement": 1, "/payments.csv": 1}),
        ({"budget": 9}, {"": 3, "/time": 1}),
    ],
)
@ON_A_FILE
def test_pages_of_a_study_read_all_its_answers_as_often_as_they_need_and_join_them_with_nobody(
    studio_workspace: Workspace, budget: dict[str, float], reads: dict[str, int]
) -> None:
    pay = {"per_hour": 12, "currency": "EUR", **budget}
    study = open_study(studio_workspace, [{"name": "verify", "kind": "vote"}], pay=pay)
    study.add("verify", [QUESTION])
    study.answer(study.person(), {"choices": [1]})
    counted = CountedBrowsers(studio_workspace)
    browser, _ = counted.signed_in(study.owner)
    found = {}
    for page in reads:
        counted.ask(page, browser, "GET", f"/studies/{study.record.name}{page}")
        found[page] = sum("ORDER BY studio_judgements.id" in each for each in counted.statements)
        assert not any(
            "JOIN studio_participants" in each and "payload" in each for each in counted.statements
        )
    assert found == reads
