"""What every page says and offers to each role, what comes of every form, and what each route of the API answers,
in one rich study: as it was when somebody last read it. ``FOLKWAYS_RECORD=1`` records it anew
(tests/support/fingerprints.py)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from folkways.workspace.database import Workspace
from folkways_studio.people import sessions
from folkways_studio.programs import tokens
from folkways_studio.programs.records import Scope
from folkways_studio.records import Participant, Role, Stage
from folkways_studio.web.api.app import PARTS
from folkways_studio.web.app import create_app
from folkways_studio.web.request_context import Access
from folkways_studio.web.routes import all_routes
from folkways_studio.web.security.origin import masked, visitor_token
from folkways_studio.web.settings import WebSettings
from folkways_studio.work.assignments import Work
from folkways_studio.work.task_numbers import shown_number
from studio.tests.support.app_client import AppClient
from studio.tests.support.fixed_clock import fixed_clock
from studio.tests.support.rich_study import BEGIN, RichStudy, neighbour_of, rich_study
from studio.tests.support.studies import content_of, filled, new_workspace
from studio.tests.web.api.bodies import BODIES
from studio.tests.web.conftest import PLENTY
from tests.support.fingerprints import check_text
from tests.support.page_text import astray, page_text, what_differs

RECORDED = Path(__file__).parents[1] / "recorded"
NOBODY, NEWCOMER, OWNER = "nobody", "newcomer", "owner"
NOT_READ = {
    **dict.fromkeys(("/healthz", "/signin/sso", "/signin/sso/callback"), "no pages"),
    **dict.fromkeys(("/work/{study}/media/{file}", "/studies/{study}/media/{file}"), "what was uploaded"),
    "/studies/{study}/description.yaml": "what the study was made from",
    "/studies/{study}/data/export": "studio/tests/exports",
    "/work/{study}/tasks/{assignment}": "test_what_the_page_of_a_task_says_at_each_stage",
    "/api": "studio/tests/web/api",
    "/languages": "changes with each string of the interface",
    "/studies/{study}/log": "a part of it below",
}
"""Routes whose answers are not recorded here, and why."""

MORE = ("/studies/rich/items?state=done&order=disputed&stage=norms-rate", "/studies/rich/log?before=20")
"""Pages of the owner that say something else with a question in their address."""

FORMS: tuple[tuple[str, str, Mapping[str, str]], ...] = (
    (NOBODY, "/signin", {"login": "olga@example.org", "password": "wrong"}),
    (NOBODY, "/language", {"locale": "xx"}),
    (NOBODY, "/join/{token}", {}),
    (NEWCOMER, "/work/{study}/consent", {}),
    (NEWCOMER, "/work/{study}/consent", {"agree": "yes", "version": "another"}),
    (NEWCOMER, "/work/{study}/consent", {"agree": "yes", "version": "{version}"}),
    (NEWCOMER, "/work/{study}/eligibility", {}),
    (NEWCOMER, "/work/{study}/eligibility", {"criterion-nationality": "Korean", "criterion-age": "old"}),
    (NEWCOMER, "/work/{study}/eligibility", {"criterion-nationality": "Another", "criterion-age": "30"}),
    (Role.ANNOTATOR, "/work/{study}/finish", {}),
    (Role.ANNOTATOR, "/work/{study}/training/{stage}", {}),
    (Role.ANNOTATOR, "/work/{study}/tasks/{assignment}/sent", {}),
    (Role.ANNOTATOR, "/work/{study}/tasks/{assignment}/submit", {"key": "k"}),
    (Role.ANNOTATOR, "/work/{study}/tasks/{assignment}/draft", {"revision": "0"}),
    (OWNER, "/account/password", {"current": "wrong", "password": "short", "again": "other"}),
    (OWNER, "/studies/new", {"template": "norms"}),
    (OWNER, "/studies/make", {"description": "name: A"}),
    (OWNER, "/studies/{study}/settings", {"description": "name: rich"}),
    (OWNER, "/studies/{study}/delete", {"typed": "rihc"}),
    (OWNER, "/studies/{study}/invites", {"role": "annotator"}),
    (OWNER, "/studies/{study}/invites", {"role": "annotator", "population": "korea", "days": "400"}),
    (
        OWNER,
        "/studies/{study}/invites",
        {"role": "annotator", "population": "korea", "days": "3", "uses": "2"},
    ),
    (OWNER, "/studies/{study}/invites/{invite}/revoke", {}),
    (OWNER, "/studies/{study}/people/{person}/waive", {}),
    (OWNER, "/studies/{study}/people/{person}/let-in", {}),
    (OWNER, "/studies/{study}/people/{person}/resume", {}),
    (OWNER, "/studies/{study}/people/{person}/test", {"stage": "verification-verify"}),
    (OWNER, "/studies/{study}/people/{person}/test", {"stage": "verification-verify", "reason": "no sound"}),
    (OWNER, "/studies/{study}/people/{person}/exclude", {}),
    (OWNER, "/studies/{study}/roles", {"login": "nobody@example.org", "role": "reviewer"}),
    (OWNER, "/studies/{study}/roles", {"login": "olga@example.org", "role": "reviewer"}),
    (OWNER, "/studies/{study}/roles/take", {}),
    (OWNER, "/studies/{study}/take-part", {"role": "researcher"}),
    (OWNER, "/studies/{study}/password-link", {}),
    (OWNER, "/studies/{study}/tokens", {"days": "0"}),
    (OWNER, "/studies/{study}/tokens", {"days": "3", "note": "nightly", "scope": "read"}),
    (OWNER, "/studies/{study}/tokens/{api_token}/revoke", {}),
    (OWNER, "/studies/{study}/webhooks", {"url": "nowhere"}),
    (OWNER, "/studies/{study}/webhooks", {"url": "https://hooks.invalid/", "events": "study.created"}),
    (OWNER, "/studies/{study}/webhooks/{webhook}/enable", {}),
    (OWNER, "/studies/{study}/webhooks/{webhook}/delete", {}),
    (OWNER, "/studies/{study}/ml-backends", {"stage": "norms-rate", "model": "m", "backend_url": "ftp://x"}),
    (OWNER, "/studies/{study}/ml-backends/{backend}/jobs", {}),
    (OWNER, "/studies/{study}/ml-backends/{backend}/delete", {}),
    (OWNER, "/studies/{study}/items/change", {}),
    (OWNER, "/studies/{study}/items/change", {"item": "{item}"}),
    (OWNER, "/studies/{study}/items/filters", {}),
    (OWNER, "/studies/{study}/items/filters", {"name": "open ones", "state": "open"}),
    (OWNER, "/studies/{study}/items/assign", {}),
    (OWNER, "/studies/{study}/items/assign", {"item": "{item}", "how": "hand", "to": "korea"}),
    (OWNER, "/studies/{study}/items/assignments/file", {}),
    (OWNER, "/studies/{study}/items/{item}/settle", {}),
    (OWNER, "/studies/{study}/items/{item}/gold", {}),
    (OWNER, "/studies/{study}/items/{item}/gold/drop", {}),
    (OWNER, "/studies/{study}/items/{item}/comments", {"comment": " "}),
    (OWNER, "/studies/{study}/items/{item}/comments", {"comment": "x" * 4001}),
    (OWNER, "/studies/{study}/items/{item}/comments", {"comment": "Then keep it."}),
    (OWNER, "/studies/{study}/comments/{comment}/edit", {"comment": ""}),
    (OWNER, "/studies/{study}/comments/{comment}/delete", {}),
    (OWNER, "/studies/{study}/items/{item}/discussion", {"resolved": "yes"}),
    (OWNER, "/studies/{study}/answers/{answer}/redact", {}),
    (OWNER, "/studies/{study}/data/items", {}),
    (OWNER, "/studies/{study}/data/imports/{import}/cancel", {}),
    (OWNER, "/studies/{study}/data/imports/{import}/delete", {}),
    (OWNER, "/studies/{study}/data/draw", {}),
    (OWNER, "/studies/{study}/data/hand-out", {}),
    (OWNER, "/studies/{study}/data/take-in", {}),
    (OWNER, "/studies/{study}/data/media", {}),
    (OWNER, "/studies/{study}/media/{file}/delete", {}),
    (OWNER, "/studies/{study}/people/{person}/exclude", {"exclusion": "a machine"}),
    (OWNER, "/studies/{study}/people/{person}/include", {}),
    (OWNER, "/studies/{study}/people/{person}/erase", {}),
    (Role.REVIEWER, "/work/{study}/withdraw", {}),
    (OWNER, "/studies/{study}/state", {"state": "melted"}),
    (OWNER, "/studies/{study}/state", {"state": "closed"}),
)
"""Who sends which form where, one after the other."""


@dataclass
class Site:
    """The studio in this process with the rich study in it. tasks: the pages of first tasks, by stage. accounts: by
    role."""

    app: Any
    workspace: Workspace
    tasks: dict[str, list[str]] = field(default_factory=dict)
    accounts: dict[str, int] = field(default_factory=dict)
    numbers: dict[str, Any] = field(default_factory=dict)

    def browser(self, account: int | None) -> AppClient:
        """Of somebody who has signed in, or of nobody."""
        client = AppClient(self.app, base_url="http://testserver", headers={"Origin": "http://testserver"})
        if account is not None:
            session = sessions.open_session(self.workspace, account)
            client.cookies.set("folkways_session", session, domain="testserver.local", path="/")
        return client

    def form_token(self, client: AppClient) -> str:
        """What the forms of a browser carry."""
        session = sessions.find_session(self.workspace, client.cookies.get("folkways_session", ""))
        if session is not None:
            return masked(session.csrf)
        return masked(visitor_token(client.cookies.get("folkways_visitor", "")))


@pytest.fixture(scope="module")
def beginning(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Site, bytes]]:
    """The site, and the workspace as it was then."""
    workspace = new_workspace(tmp_path_factory.mktemp("rich") / "studio.db")
    site = Site(create_app(workspace, WebSettings(rates=PLENTY)), workspace)

    def look(rich: RichStudy, stage: Stage, person: Participant, work: Work) -> None:
        number = shown_number(work.assignment.id, person.pseudonym)
        if stage.name == "norms-rate":
            rich.numbers["assignment"] = number
        reply = site.browser(person.account_id).get(f"/work/rich/tasks/{number}")
        assert astray(reply.text) == [], stage.name
        site.tasks[stage.name] = page_text(reply.text)

    with fixed_clock(BEGIN) as clock:
        rich = rich_study(workspace, clock, look)
        staff = {str(role): people[0].account_id for role, people in rich.people.items()}
        site.accounts = {OWNER: rich.study.owner, **staff}
        site.numbers = {
            **rich.numbers,
            **{
                "study": "rich",
                "template": "norms",
                "stage": "judging-judge",
                "file": "door.jpg",
                "answer": 1,
            },
            **{"person": rich.people[Role.ANNOTATOR][0].id, "version": rich.study.record.consent_version},
        }
    yield site, content_of(workspace)
    workspace.close()


@pytest.fixture
def site(beginning: tuple[Site, bytes]) -> Iterator[Site]:
    """The site as it was in the beginning, an hour later."""
    site, content = beginning
    filled(site.workspace, content)
    with fixed_clock(BEGIN + 3600):
        yield site


FRAMED = ("/signin", "/studies", "/work")
"""Pages of which the frame is read as well."""


def told(reply: Any) -> list[str]:
    """What a browser gets: status, where it is sent, the message for the next page, and what it shows."""
    head = [str(reply.status_code), reply.headers.get("location", ""), reply.cookies.get("folkways_said", "")]
    is_page = reply.headers.get("content-type", "").startswith("text/html")
    assert not is_page or astray(reply.text) == [], reply.url.path
    return [
        " ".join(filter(None, head)),
        *(page_text(reply.text, frame=reply.url.path in FRAMED) if is_page else reply.text.splitlines()),
    ]


def test_what_the_page_of_a_task_says_at_each_stage(site: Site) -> None:
    check_text(what_differs(site.tasks), RECORDED / "tasks.txt")


def shortened(fields: Mapping[str, str]) -> str:
    return ", ".join(
        f"{name}={value if len(value) < 99 else f'({len(value)} letters)'}" for name, value in fields.items()
    )


def readers(path: str, access: Access) -> list[str]:
    """The roles for which a page is read."""
    if access.participant:
        return [Role.ANNOTATOR]
    if access.roles is not None:
        return [OWNER, *([Role.REVIEWER] if Role.REVIEWER in access.roles and "{item}" in path else [])]
    return [OWNER, Role.ANNOTATOR] if access.signed_in else [NOBODY]


def test_what_each_page_says_to_each_role_and_what_comes_of_each_form(site: Site) -> None:
    pages: dict[str, list[str]] = {}
    browsers = {role: site.browser(site.accounts.get(role)) for role in (NOBODY, *site.accounts)}
    for route in all_routes():
        if route.method == "GET" and route.path not in NOT_READ:
            address = route.path.format(**site.numbers)
            for role in readers(route.path, route.access):
                pages[f"{role}: {address}"] = told(browsers[role].get(address))
    for address in MORE:
        pages[f"{OWNER}: {address}"] = told(browsers[OWNER].get(address))
    browsers[NEWCOMER] = browsers[NOBODY]
    for number, (role, path, form) in enumerate(FORMS, 1):
        address = path.format(**site.numbers)
        fields = {name: value.format(**site.numbers) for name, value in form.items()}
        reply = browsers[role].post(address, data={"csrf": site.form_token(browsers[role]), **fields})
        pages[f"{number}. {role}: {address} {shortened(fields)}"] = told(reply)
    pages[f"{OWNER}: with a saved filter"] = told(browsers[OWNER].get("/studies/rich/items?size=1"))
    check_text(what_differs(pages), RECORDED / "pages.txt")


def test_what_the_page_says_that_compares_the_study_with_another(site: Site) -> None:
    with fixed_clock(BEGIN + 7200) as clock:
        neighbour_of(site.workspace, site.accounts[OWNER], clock, "neighbour")
    reply = site.browser(site.accounts[OWNER]).get("/studies/rich/compare?other=neighbour")
    check_text("\n".join([*told(reply), ""]), RECORDED / "compared.txt")


def test_what_each_route_of_the_api_answers(site: Site) -> None:
    """Those to read in full, two rows of each list; the others what is wrong with a body."""
    _, token = tokens.create_token(site.workspace, site.accounts[OWNER], study_id=None, scope=Scope.WRITE)
    client = AppClient(site.app, headers={"Authorization": f"Bearer {token}"})
    numbers = {**site.numbers, "judgement": 1, "account": site.accounts[Role.REVIEWER], "role": "reviewer"}
    answers = {}
    for route in [route for part in PARTS for route in part.router.routes]:
        (method,) = route.methods
        address = "/api/v1" + route.path.format(**numbers)
        if route.path.endswith("/export") or (method == "DELETE" and not route.path.endswith(GONE)):
            continue
        query = "?limit=2" if method == "GET" else ""
        body = BODIES.get(route.path, {}) if method in ("POST", "PUT") else None
        reply = client.request(method, address + query, json=body)
        lines = [*written(reply.json())] if reply.text else []
        answers[f"{method} {address}{query} {reply.status_code}"] = lines
    check_text(what_differs(answers), RECORDED / "api.txt")


def written(value: Any, inside: str = "") -> Iterator[str]:
    """JSON, a line for each part that fits into one; of a long list the first two, of a long text the beginning."""
    line = json.dumps(value, ensure_ascii=False)
    if len(line) < 160 or not isinstance(value, dict | list):
        yield inside + (line if len(line) < 999 else f"{line[:99]} … {len(line)} letters")
        return
    named = value if isinstance(value, dict) else dict(enumerate(value))
    for number, (name, each) in enumerate(named.items()):
        if isinstance(value, list) and number == 2:
            yield f"{inside}… {len(value)} of them"
            return
        yield from written(
            each, f"{inside}{name}: " if not isinstance(each, dict | list) else f"{inside}{name}."
        )


GONE = ("/{role}", "/invites/{invite}")
"""What is deleted in the order of the document without taking from others what they show."""
