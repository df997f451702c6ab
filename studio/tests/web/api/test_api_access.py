"""Every route of the API as every kind of person: who may use it is written down here, apart from the code.

A route that is not in the table fails the test. Tokens let in whom they are for, while they are good, and for
what they are.
"""

from __future__ import annotations

import json
import re
import sqlite3
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient
from openapi_spec_validator import validate

from folkways_studio.errors import NotFoundError
from folkways_studio.people import accounts, sessions
from folkways_studio.programs import tokens
from folkways_studio.programs.records import Scope
from folkways_studio.records import Role
from folkways_studio.web.api.app import document
from folkways_studio.web.app import create_app
from folkways_studio.web.settings import WebSettings
from studio.tests.support.studies import QUESTION
from studio.tests.support.studio_server import StudioServer
from studio.tests.web.api.bodies import BODIES
from studio.tests.web.api.conftest import Program, problem
from studio.tests.web.http import Client
from studio.tests.web.two_studies import (
    EXPERT,
    OTHER_OWNER,
    OTHER_STUDY_PERSON,
    OWNER,
    PERSON,
    RESEARCHER,
    REVIEWER,
    STRANGER,
    TwoStudies,
)
from tests.support.frozen_time import at_time

Make = Callable[..., Program]
ALL = frozenset({OWNER, RESEARCHER, REVIEWER, EXPERT, PERSON, STRANGER, OTHER_OWNER, OTHER_STUDY_PERSON})
OWNERS = frozenset({OWNER})
STAFF = OWNERS | {RESEARCHER}
ADJUDICATORS = STAFF | {REVIEWER, EXPERT}
MAKERS = STAFF | {STRANGER, OTHER_OWNER}  # a stranger's account was made by whoever runs the server

TABLE: dict[tuple[str, str], frozenset[str]] = {
    ("GET", "/studies"): ALL,
    ("POST", "/studies"): MAKERS,
    ("GET", "/templates"): ALL,
    ("GET", "/studies/{study}"): STAFF,
    ("PUT", "/studies/{study}/state"): STAFF,
    ("GET", "/studies/{study}/items"): ADJUDICATORS,
    ("POST", "/studies/{study}/items"): STAFF,
    ("GET", "/studies/{study}/items/{item}"): ADJUDICATORS,
    ("GET", "/studies/{study}/suggestions"): STAFF,
    ("POST", "/studies/{study}/suggestions"): STAFF,
    ("GET", "/studies/{study}/imports"): STAFF,
    ("GET", "/studies/{study}/imports/{import}"): STAFF,
    ("POST", "/studies/{study}/imports/{import}/cancel"): STAFF,
    ("DELETE", "/studies/{study}/imports/{import}"): STAFF,
    ("GET", "/studies/{study}/media"): STAFF,
    ("POST", "/studies/{study}/media"): STAFF,
    ("DELETE", "/studies/{study}/media/{file}"): STAFF,
    ("POST", "/studies/{study}/items/{item}/decisions"): ADJUDICATORS,
    ("POST", "/studies/{study}/judgements/{judgement}/redactions"): STAFF,
    ("POST", "/studies/{study}/draws"): STAFF,
    ("GET", "/studies/{study}/invites"): STAFF,
    ("POST", "/studies/{study}/invites"): STAFF,
    ("DELETE", "/studies/{study}/invites/{invite}"): STAFF,
    ("GET", "/studies/{study}/participants"): STAFF,
    ("GET", "/studies/{study}/participants/{person}"): STAFF,
    ("GET", "/studies/{study}/assignments"): STAFF,
    ("GET", "/studies/{study}/assignments/people"): STAFF,
    ("POST", "/studies/{study}/assignments"): STAFF,
    ("POST", "/studies/{study}/assignments/rule"): STAFF,
    ("GET", "/studies/{study}/participants/{person}/work"): STAFF,
    ("GET", "/studies/{study}/participants/{person}/work/{stage}"): STAFF,
    ("GET", "/studies/{study}/participants/{person}/personal"): STAFF,
    ("DELETE", "/studies/{study}/participants/{person}/personal"): STAFF,
    ("POST", "/studies/{study}/participants/{person}/waiver"): STAFF,
    ("POST", "/studies/{study}/participants/{person}/admission"): STAFF,
    ("POST", "/studies/{study}/participants/{person}/exclusion"): STAFF,
    ("DELETE", "/studies/{study}/participants/{person}/exclusion"): STAFF,
    ("POST", "/studies/{study}/participants/{person}/withdrawal"): STAFF,
    ("POST", "/studies/{study}/participants/{person}/hand-out"): STAFF,
    ("POST", "/studies/{study}/participants/{person}/take-in"): STAFF,
    ("GET", "/studies/{study}/members"): STAFF,
    ("POST", "/studies/{study}/members"): OWNERS,
    ("DELETE", "/studies/{study}/members/{account}/{role}"): OWNERS,
    ("GET", "/studies/{study}/progress"): STAFF,
    ("GET", "/studies/{study}/quality"): STAFF,
    ("GET", "/studies/{study}/agreement"): STAFF,
    ("GET", "/studies/{study}/suggestion-effects"): STAFF,
    ("GET", "/studies/{study}/payments"): STAFF,
    ("GET", "/studies/{study}/export"): STAFF,
    ("GET", "/studies/{study}/events"): STAFF,
    ("GET", "/studies/{study}/model-calls"): STAFF,
    ("GET", "/studies/{study}/webhooks"): OWNERS,
    ("POST", "/studies/{study}/webhooks"): OWNERS,
    ("POST", "/studies/{study}/webhooks/{webhook}/enable"): OWNERS,
    ("DELETE", "/studies/{study}/webhooks/{webhook}"): OWNERS,
    ("GET", "/studies/{study}/webhooks/{webhook}/deliveries"): OWNERS,
    ("GET", "/studies/{study}/suggestion-jobs"): STAFF,
    ("POST", "/studies/{study}/suggestion-jobs"): STAFF,
    ("POST", "/studies/{study}/suggestion-jobs/{job}/cancel"): STAFF,
    ("GET", "/studies/{study}/ml-backends"): OWNERS,
    ("POST", "/studies/{study}/ml-backends"): OWNERS,
    ("DELETE", "/studies/{study}/ml-backends/{backend}"): OWNERS,
    ("GET", "/studies/{study}/ml-backends/{backend}/jobs"): OWNERS,
    ("POST", "/studies/{study}/ml-backends/{backend}/jobs"): OWNERS,
    ("POST", "/studies/{study}/ml-backends/{backend}/jobs/{job}/cancel"): OWNERS,
}
OPERATIONS = [pytest.param(*each, id=" ".join(each)) for each in TABLE]

CHANGES = (
    "/personal",
    "/withdrawal",
    "/exclusion",
    "/invites/{invite}",
    "/state",
    "/{role}",
    "/enable",
    "/webhooks/{webhook}",
    "/ml-backends/{backend}",
    "/ml-backends/{backend}/jobs",
    "/imports/{import}",
    "/media/{file}",
)
"""What does change something for those who may: they are tried last, on two studies of their own."""


def filled(path: str, two_studies: TwoStudies) -> str:
    return path.format(**two_studies.values)


def everybody(program: Make, **how: Any) -> dict[str, Program]:
    return {kind: program(kind, **how) for kind in ALL}


@pytest.fixture(scope="module")
def anybody(program: Make) -> dict[str, Program]:
    """A program of each kind of person, with a token for everything that they may do."""
    return everybody(program, everywhere=True)


@pytest.fixture(scope="module")
def changes(server: StudioServer) -> Iterator[Callable[[], int]]:
    """A number that is another one as soon as anybody has changed anything in the database."""
    connection = sqlite3.connect(server.location)
    yield lambda: int(connection.execute("PRAGMA data_version").fetchone()[0])
    connection.close()


def test_every_route_is_in_the_table() -> None:
    found = {
        (method.upper(), path) for path, operations in document()["paths"].items() for method in operations
    }
    assert found == set(TABLE)


@pytest.mark.parametrize(("method", "path"), OPERATIONS)
def test_those_who_may_and_nobody_else(
    anybody: dict[str, Program], two_studies: TwoStudies, changes: Callable[[], int], method: str, path: str
) -> None:
    for kind in sorted(ALL - TABLE[method, path]):
        before = changes()
        reply = anybody[kind].ask(
            method, filled(path, two_studies), BODIES.get(path) if method != "GET" else None
        )
        problem(reply, 403 if path == "/studies" or kind in (REVIEWER, EXPERT, PERSON, RESEARCHER) else 404)
        assert changes() in (before, before + 1)  # the token's first use is noted
        assert QUESTION["question"] not in reply.text
    for kind in sorted(TABLE[method, path]) if not path.endswith(CHANGES) or method == "GET" else []:
        reply = anybody[kind].ask(
            method, filled(path, two_studies), BODIES.get(path) if method != "GET" else None
        )
        assert reply.status not in (401, 403) and reply.status < 500, f"{kind}: {reply.status} {reply.text}"
        if method == "GET" and not path.endswith("/export"):
            assert reply.status == 200, f"{kind}: {reply.status} {reply.text}"


OF_A_STUDY = [each for each in TABLE if each[1].count("{") > 1 and not each[1].endswith("{role}")]


@pytest.mark.parametrize(("method", "path"), OF_A_STUDY, ids=[" ".join(each) for each in OF_A_STUDY])
def test_an_owner_reaches_nothing_of_another_study(
    anybody: dict[str, Program], two_studies: TwoStudies, changes: Callable[[], int], method: str, path: str
) -> None:
    anybody[OTHER_OWNER].get("/studies")
    before = changes()
    address = filled(path.replace("{study}", two_studies.other.name), two_studies)
    problem(anybody[OTHER_OWNER].ask(method, address, BODIES.get(path) if method != "GET" else None), 404)
    assert changes() == before


def test_a_token_is_for_its_study_alone(program: Make, two_studies: TwoStudies) -> None:
    api = program(OWNER)
    everywhere = program(OTHER_OWNER, everywhere=True)
    accounts.give_role(two_studies.workspace, two_studies.other.id, two_studies.accounts[OWNER], Role.EXPERT)
    everywhere.post(
        f"/studies/{two_studies.other.name}/members", {"login": _login(two_studies), "role": "owner"}
    )
    assert [each["name"] for each in api.get("/studies")["data"]] == [two_studies.study.name]
    problem(api.ask("GET", f"/studies/{two_studies.other.name}"), 404)
    assert (
        program(OWNER, everywhere=True).get(f"/studies/{two_studies.other.name}")["name"]
        == two_studies.other.name
    )


def _login(two_studies: TwoStudies) -> str:
    return accounts.get_account(two_studies.workspace, two_studies.accounts[OWNER]).login or ""


def test_a_token_to_read_changes_nothing(
    program: Make, two_studies: TwoStudies, changes: Callable[[], int]
) -> None:
    api = program(scope=Scope.READ)
    api.get(f"/studies/{two_studies.study.name}")
    before = changes()
    for method, path in (each for each in TABLE if each[0] != "GET"):
        told = problem(api.ask(method, filled(path, two_studies), BODIES.get(path)), 403)
        assert "scope write" in told["detail"]
    assert changes() == before


def test_only_a_good_token_lets_in(server: StudioServer, program: Make, two_studies: TwoStudies) -> None:
    address = f"/studies/{two_studies.study.name}"
    expired = at_time(time.time() - 2 * 86400, program, days=1)
    assert "expired" in problem(expired.ask("GET", address), 401)["detail"]
    assert (
        "not known" in problem(Program(expired.client, "folkways_nothing").ask("GET", address), 401)["detail"]
    )
    reply = Program(expired.client, "").ask("GET", address)
    assert (
        "Authorization: Bearer" in problem(reply, 401)["detail"]
        and reply.headers["www-authenticate"] == "Bearer"
    )
    session = sessions.open_session(two_studies.workspace, two_studies.accounts[OWNER])
    signed_in = Client(server.url, cookies={"folkways_session": session})
    problem(signed_in.get(f"/api/v1{address}"), 401)
    problem(Program(expired.client, session).ask("GET", address), 401)


@pytest.mark.parametrize(("method", "path"), [each for each in TABLE if each[0] != "GET"])
def test_nothing_is_read_of_what_somebody_without_a_token_sends(
    program: Make, two_studies: TwoStudies, method: str, path: str
) -> None:
    """To parse twenty million brackets would keep everybody waiting for ten seconds."""
    reader = program(scope=Scope.READ)
    for api, status in ((Program(reader.client, ""), 401), (reader, 403)):
        sent = {"Authorization": f"Bearer {api.token}", "Content-Type": "application/json"}
        problem(api.client.ask(method, f"/api/v1{filled(path, two_studies)}", b"[" * 100, sent), status)


def test_a_token_is_revoked_in_its_study_alone_and_shows_when_it_was_used(
    program: Make, two_studies: TwoStudies
) -> None:
    api = program(name="nightly export")
    made = tokens.list_tokens(two_studies.workspace, study_id=two_studies.study.id)[0]
    assert (made.name, made.used) == ("nightly export", None)
    api.get("/studies")
    used = tokens.list_tokens(two_studies.workspace, study_id=two_studies.study.id)[0].used
    assert used is not None and abs(used - time.time()) < 60
    with pytest.raises(NotFoundError, match="no such token"):
        tokens.revoke_token(two_studies.workspace, made.id, study_id=two_studies.other.id)
    tokens.revoke_token(two_studies.workspace, made.id, study_id=two_studies.study.id)
    assert "revoked" in problem(api.ask("GET", "/studies"), 401)["detail"]


def test_an_owner_makes_and_revokes_tokens_and_webhooks_on_the_page(
    server: StudioServer, two_studies: TwoStudies
) -> None:
    client = Client(
        server.url,
        cookies={
            "folkways_session": sessions.open_session(two_studies.workspace, two_studies.accounts[OWNER])
        },
    )
    page = f"/studies/{two_studies.study.name}"
    made = client.post(f"{page}/tokens", {"note": "from the page", "scope": "write", "days": "7"})
    api = Program(client, re.findall(r"folkways_[\w-]{43}", made.text)[0])
    api.fine(api.ask("PUT", f"{page}/state", {"state": "open"}))
    shown = client.get(f"{page}/api").text
    assert api.token not in shown and "from the page" in shown
    number = tokens.list_tokens(two_studies.workspace, study_id=two_studies.study.id)[0].id
    assert client.post(f"{page}/tokens/{number}/revoke").status == 303
    problem(api.ask("GET", page), 401)
    hooked = client.post(
        f"{page}/webhooks", {"url": "http://127.0.0.1:9/hook", "events": "study.closed, item.done"}
    )
    assert re.search(r"whsec_[\w+/=]{44}", hooked.text)
    wrong = client.post(f"{page}/webhooks", {"url": "nowhere", "events": ""})
    assert wrong.status == 422 and "https://example.org/hook" in wrong.text
    page_of_all = client.get("/api").text
    assert all(f"{method} /api/v1{path}" in page_of_all for method, path in TABLE)


def test_no_table_holds_a_token(program: Make, server: StudioServer) -> None:
    text = program().token
    with sqlite3.connect(server.location) as connection:
        assert not any(text.removeprefix("folkways_") in line for line in connection.iterdump())


def test_a_token_may_ask_so_often(two_studies: TwoStudies) -> None:
    _, text = tokens.create_token(two_studies.workspace, two_studies.accounts[OWNER], study_id=None)
    web = TestClient(create_app(two_studies.workspace, WebSettings(rates={"api": (3, 60.0)})))

    def ask(token: str) -> Any:
        return web.get("/api/v1/studies", headers={"Authorization": f"Bearer {token}"})

    assert [ask(text).status_code for _ in range(4)] == [200, 200, 200, 429]
    replies = [ask("folkways_wrong") for _ in range(4)]
    assert [reply.status_code for reply in replies] == [401, 401, 401, 429]
    assert 1 <= int(replies[-1].headers["retry-after"]) <= 60


NASTY = (9**40, -1.5, "a\0b", "\ud800", "", None, {"a": [[]]})


@pytest.mark.parametrize(
    "values",
    [(9**40, "\ud800", {"a": [[]]}), pytest.param(NASTY, marks=pytest.mark.nightly)],
    ids=["few", "all"],
)
def test_whatever_is_sent_is_answered_in_words(
    program: Make, two_studies: TwoStudies, values: tuple[object, ...]
) -> None:
    api = program(everywhere=True)
    described = document()
    for method, path in (
        each for each in TABLE if not each[1].endswith(CHANGES) or each[1].endswith("/state")
    ):
        operation = described["paths"][path][method.lower()]
        schema = (
            operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
        )
        name = schema.get("$ref", "").rpartition("/")[2]
        fields = list(described["components"]["schemas"][name]["properties"]) if name else []
        for field in fields:
            for value in values:
                reply = api.ask(method, filled(path, two_studies), {**BODIES[path], field: value})
                assert reply.status < 500, f"{method} {path} {field}={value!r}: {reply.text}"
                assert reply.status < 400 or json.loads(reply.text)["detail"], f"{method} {path} {field}"
        for query in (each["name"] for each in operation.get("parameters", []) if each["in"] == "query"):
            for value in ("%C2%B2", "9" * 40, "-1", "a%00b"):
                reply = api.ask(method, f"{filled(path, two_studies)}?{query}={value}")
                assert reply.status < 500, f"{method} {path}?{query}={value}: {reply.text}"
                assert reply.status < 400 or json.loads(reply.text)["detail"], f"{method} {path}?{query}"
    for wrong in (b"", b"[]", b"null", b'"x"', b"[" * 100_000, b'{"state": NaN}', b"\xff"):
        sent = {"Authorization": f"Bearer {api.token}", "Content-Type": "application/json"}
        assert api.client.ask(
            "PUT", f"/api/v1/studies/{two_studies.study.name}/state", wrong, sent
        ).status in (400, 422), wrong[:20]


def test_the_document_is_open_and_names_no_server_but_its_own(server: StudioServer) -> None:
    reply = Client(server.url).get("/api/v1/openapi.json")
    found = json.loads(reply.text)
    assert reply.status == 200 and found["servers"] == [{"url": "/api/v1"}]
    validate(found)
