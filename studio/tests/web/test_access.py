"""Every route as every kind of person: who may use it is written down here, apart from the code, and nothing
else is allowed.

A route that is not in the table fails the test. Whoever is refused changes nothing, and learns nothing: what
belongs to another study or person looks like what is not there.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

import pytest
import sqlalchemy as sa

from folkways.workspace.database import Workspace
from folkways_studio.database import schema
from folkways_studio.items.imports import AT_WORK
from folkways_studio.people import accounts, participants, sessions, suspension
from folkways_studio.records import Role
from folkways_studio.web.app import create_app
from studio.tests.support.studies import QUESTION
from studio.tests.support.studio_server import StudioServer
from studio.tests.web.http import Client, Reply
from studio.tests.web.two_studies import (
    ANONYMOUS,
    EXPERT,
    OTHER_OWNER,
    OTHER_PERSON,
    OTHER_STUDY_PERSON,
    OWNER,
    PERSON,
    RESEARCHER,
    REVIEWER,
    STRANGER,
    TwoStudies,
    build_two_studies,
)

ALL = frozenset({
    ANONYMOUS, STRANGER, OWNER, RESEARCHER, REVIEWER, EXPERT, PERSON, OTHER_PERSON, OTHER_OWNER, OTHER_STUDY_PERSON,
})  # fmt: skip
SIGNED_IN = ALL - {ANONYMOUS}
MAKERS = frozenset(
    {OWNER, RESEARCHER, OTHER_OWNER, STRANGER}
)  # a stranger's account was made by whoever runs the server
STAFF = frozenset({OWNER, RESEARCHER})
ADJUDICATORS = STAFF | {REVIEWER, EXPERT}
IN_STUDY = frozenset({PERSON, OTHER_PERSON, REVIEWER, EXPERT})
HIS = frozenset({PERSON})
ANNOTATORS = frozenset({PERSON, OTHER_PERSON})
AUTHOR = frozenset({REVIEWER})
NOBODY: frozenset[str] = frozenset()
"""On a server without single sign-on; on one with it, test_single_sign_on.py says who."""

TABLE: dict[tuple[str, str], frozenset[str]] = {
    ("GET", "/"): ALL,
    ("GET", "/healthz"): ALL,
    ("GET", "/theme.css"): ALL,
    ("GET", "/static"): ALL,
    ("GET", "/api"): ALL,
    ("GET", "/api/v1"): ALL,  # an application of its own: studio/tests/web/api
    ("GET", "/signin"): ALL,
    ("POST", "/signin"): ALL,
    ("GET", "/signin/sso"): NOBODY,
    ("GET", "/signin/sso/callback"): NOBODY,
    ("POST", "/signout"): SIGNED_IN,
    ("POST", "/language"): ALL,
    ("GET", "/languages"): ALL,
    ("GET", "/account"): SIGNED_IN,
    ("POST", "/account/password"): SIGNED_IN,
    ("POST", "/account/signout-everywhere"): SIGNED_IN,
    ("GET", "/password/{token}"): ALL,
    ("POST", "/password/{token}"): ALL,
    ("GET", "/join/{token}"): ALL,
    ("POST", "/join/{token}"): ALL,
    ("GET", "/work"): SIGNED_IN,
    ("GET", "/work/{study}"): IN_STUDY,
    ("GET", "/work/{study}/consent"): IN_STUDY,
    ("POST", "/work/{study}/consent"): IN_STUDY,
    ("GET", "/work/{study}/eligibility"): IN_STUDY,
    ("POST", "/work/{study}/eligibility"): IN_STUDY,
    ("GET", "/work/{study}/withdraw"): IN_STUDY,
    ("POST", "/work/{study}/withdraw"): IN_STUDY,
    ("POST", "/work/{study}/finish"): IN_STUDY,
    ("GET", "/work/{study}/done"): IN_STUDY,
    ("GET", "/work/{study}/rest"): IN_STUDY,
    ("POST", "/work/{study}/next"): IN_STUDY,
    ("GET", "/work/{study}/tasks/{assignment}"): HIS,
    ("POST", "/work/{study}/tasks/{assignment}/draft"): HIS,
    ("POST", "/work/{study}/tasks/{assignment}/submit"): HIS,
    ("POST", "/work/{study}/tasks/{assignment}/keep"): HIS,
    ("POST", "/work/{study}/tasks/{assignment}/skip"): HIS,
    ("POST", "/work/{study}/tasks/{assignment}/step"): HIS,
    ("GET", "/work/{study}/offer"): IN_STUDY,
    ("GET", "/work/{study}/guidelines/{stage}"): ANNOTATORS,
    ("GET", "/work/{study}/training/{stage}"): ANNOTATORS,
    ("POST", "/work/{study}/training/{stage}"): ANNOTATORS,
    ("GET", "/work/{study}/media/{file}"): IN_STUDY,
    ("GET", "/studies/{study}/media/{file}"): ADJUDICATORS,
    ("POST", "/studies/{study}/data/media"): STAFF,
    ("POST", "/studies/{study}/media/{file}/delete"): STAFF,
    ("GET", "/work/{study}/tasks/{assignment}/answer"): HIS,
    ("GET", "/work/{study}/sent"): IN_STUDY,
    ("GET", "/work/{study}/tasks/{assignment}/sent"): HIS,
    ("POST", "/work/{study}/tasks/{assignment}/sent"): HIS,
    ("GET", "/work/{study}/test"): IN_STUDY,
    ("POST", "/work/{study}/tasks/{assignment}/suggest"): HIS,
    ("GET", "/studies"): SIGNED_IN,
    ("GET", "/studies/new"): MAKERS,
    ("GET", "/gallery"): MAKERS,
    ("GET", "/gallery/{template}"): MAKERS,
    ("POST", "/studies/new"): MAKERS,
    ("POST", "/studies/make"): MAKERS,
    ("GET", "/studies/{study}"): STAFF,
    ("POST", "/studies/{study}/state"): STAFF,
    ("GET", "/studies/{study}/description.yaml"): STAFF,
    ("GET", "/studies/{study}/compare"): STAFF,
    ("GET", "/studies/{study}/payments.csv"): STAFF,
    ("GET", "/studies/{study}/quality"): STAFF,
    ("GET", "/studies/{study}/disagreement"): STAFF,
    ("GET", "/studies/{study}/time"): STAFF,
    ("GET", "/studies/{study}/log"): STAFF,
    ("GET", "/studies/{study}/people"): STAFF,
    ("GET", "/studies/{study}/people/{person}"): STAFF,
    ("GET", "/studies/{study}/people/{person}/items"): STAFF,
    ("POST", "/studies/{study}/people/{person}/waive"): STAFF,
    ("POST", "/studies/{study}/people/{person}/let-in"): STAFF,
    ("POST", "/studies/{study}/people/{person}/erase"): STAFF,
    ("POST", "/studies/{study}/people/{person}/withdraw"): STAFF,
    ("POST", "/studies/{study}/people/{person}/resume"): STAFF,
    ("POST", "/studies/{study}/people/{person}/test"): STAFF,
    ("POST", "/studies/{study}/items/{item}/gold"): STAFF,
    ("POST", "/studies/{study}/items/{item}/gold/drop"): STAFF,
    ("POST", "/studies/{study}/people/{person}/exclude"): STAFF,
    ("POST", "/studies/{study}/people/{person}/include"): STAFF,
    ("POST", "/studies/{study}/password-link"): frozenset({OWNER}),
    ("GET", "/studies/{study}/settings"): STAFF,
    ("POST", "/studies/{study}/settings"): STAFF,
    ("POST", "/studies/{study}/delete"): frozenset({OWNER}),
    ("POST", "/studies/{study}/invites"): STAFF,
    ("POST", "/studies/{study}/invites/{invite}/revoke"): STAFF,
    ("POST", "/studies/{study}/roles"): frozenset({OWNER}),
    ("POST", "/studies/{study}/roles/take"): frozenset({OWNER}),
    ("POST", "/studies/{study}/take-part"): frozenset({OWNER}),
    ("GET", "/studies/{study}/api"): frozenset({OWNER}),
    ("POST", "/studies/{study}/tokens"): frozenset({OWNER}),
    ("POST", "/studies/{study}/tokens/{api_token}/revoke"): frozenset({OWNER}),
    ("POST", "/studies/{study}/webhooks"): frozenset({OWNER}),
    ("POST", "/studies/{study}/webhooks/{webhook}/enable"): frozenset({OWNER}),
    ("POST", "/studies/{study}/webhooks/{webhook}/delete"): frozenset({OWNER}),
    ("POST", "/studies/{study}/ml-backends"): frozenset({OWNER}),
    ("POST", "/studies/{study}/ml-backends/{backend}/jobs"): frozenset({OWNER}),
    ("POST", "/studies/{study}/ml-backends/{backend}/delete"): frozenset({OWNER}),
    ("GET", "/studies/{study}/items"): ADJUDICATORS,
    ("GET", "/studies/{study}/items/{item}"): ADJUDICATORS,
    ("POST", "/studies/{study}/items/change"): STAFF,
    ("POST", "/studies/{study}/items/filters"): STAFF,
    ("GET", "/studies/{study}/items/assignments"): STAFF,
    ("POST", "/studies/{study}/items/assign"): STAFF,
    ("POST", "/studies/{study}/items/assignments/file"): STAFF,
    ("POST", "/studies/{study}/items/{item}/settle"): ADJUDICATORS,
    ("POST", "/studies/{study}/items/{item}/look"): ADJUDICATORS,
    ("POST", "/studies/{study}/items/{item}/comments"): ADJUDICATORS,
    ("POST", "/studies/{study}/items/{item}/discussion"): ADJUDICATORS,
    ("POST", "/studies/{study}/comments/{comment}/edit"): AUTHOR,
    ("POST", "/studies/{study}/comments/{comment}/delete"): AUTHOR,
    ("POST", "/studies/{study}/answers/{answer}/redact"): STAFF,
    ("GET", "/studies/{study}/data"): STAFF,
    ("GET", "/studies/{study}/data/export"): STAFF,
    ("POST", "/studies/{study}/data/items"): STAFF,
    ("GET", "/studies/{study}/data/imports/{import}"): STAFF,
    ("POST", "/studies/{study}/data/imports/{import}/cancel"): STAFF,
    ("POST", "/studies/{study}/data/imports/{import}/delete"): STAFF,
    ("POST", "/studies/{study}/data/draw"): STAFF,
    ("POST", "/studies/{study}/data/hand-out"): STAFF,
    ("POST", "/studies/{study}/data/take-in"): STAFF,
}

FIELDS: dict[str, Callable[[TwoStudies], dict[str, str]]] = {
    "/account/password": lambda two_studies: {"current": "wrong", "password": "wrong"},
    "/work/{study}/consent": lambda two_studies: {
        "agree": "yes",
        "version": two_studies.study.consent_version,
    },
    "/work/{study}/tasks/{assignment}/draft": lambda two_studies: {"revision": "0", "choices": "1"},
    "/work/{study}/tasks/{assignment}/submit": lambda two_studies: {"key": "k", "choices": "1"},
    "/studies/{study}/state": lambda two_studies: {"state": "paused"},
    "/studies/{study}/people/{person}/waive": lambda two_studies: {"reason": "a good one"},
    "/studies/{study}/people/{person}/resume": lambda two_studies: {"reason": "a good one"},
    "/studies/{study}/people/{person}/test": lambda two_studies: {"stage": "verify", "reason": "a good one"},
    "/studies/{study}/items/{item}/gold/drop": lambda two_studies: {"reason": "a good one"},
    "/studies/{study}/people/{person}/exclude": lambda two_studies: {"exclusion": "a good one"},
    "/studies/{study}/password-link": lambda two_studies: {"account": str(two_studies.accounts[REVIEWER])},
    "/studies/{study}/settings": lambda two_studies: {"description": f"name: {two_studies.study.name}"},
    "/studies/{study}/delete": lambda two_studies: {"typed": two_studies.study.name},
    "/studies/{study}/items/assign": lambda two_studies: {
        "item": two_studies.values["item"],
        "how": "hand",
        "to": "korea",
        "sure": "yes",
    },
    "/studies/{study}/items/filters": lambda two_studies: {"name": "open ones", "state": "open"},
    "/studies/{study}/items/change": lambda two_studies: {
        "item": two_studies.values["item"],
        "sure": "yes",
        "reason_why": "because",
    },
    "/studies/{study}/invites": lambda two_studies: {"role": "annotator", "population": "korea", "days": "3"},
    "/studies/{study}/roles": lambda two_studies: {"login": two_studies.stranger_login, "role": "reviewer"},
    "/studies/{study}/take-part": lambda two_studies: {"role": "reviewer"},
    "/studies/{study}/roles/take": lambda two_studies: {
        "account": str(two_studies.accounts[REVIEWER]),
        "role": "reviewer",
    },
    "/studies/{study}/tokens": lambda two_studies: {"days": "3"},
    "/studies/{study}/webhooks": lambda two_studies: {
        "url": "https://hooks.invalid/",
        "events": "study.created",
    },
    "/studies/{study}/ml-backends": lambda two_studies: {
        "stage": "verify",
        "model": "by page",
        "backend_url": "https://models.invalid/",
    },
    "/studies/{study}/items/{item}/comments": lambda two_studies: {"comment": "Is it meant?"},
    "/studies/{study}/items/{item}/discussion": lambda two_studies: {"resolved": "yes"},
    "/studies/{study}/comments/{comment}/edit": lambda two_studies: {"comment": "It is meant."},
    "/studies/{study}/items/{item}/settle": lambda two_studies: {"choices": "1", "reason_why": "because"},
    "/studies/{study}/data/hand-out": lambda two_studies: {
        "person": str(two_studies.person.id),
        "stage": "verify",
        "count": "1",
    },
    "/studies/{study}/data/take-in": lambda two_studies: {"person": str(two_studies.person.id)},
}
"""What the form of a route carries, so that nothing but permission is missing."""

LOOSE = ("/signin", "/account/password", "/studies/new", "/studies/make")
"""Routes whose own rules refuse what is sent here, with a page that says so, after permission has been
given."""


@dataclass(frozen=True)
class InitialState:
    """The database as it was when the two studies had been made in it, and everybody had come with a browser."""

    server: StudioServer
    two_studies: TwoStudies
    visitors: Mapping[str, Visitor]
    saved: sqlite3.Connection
    """In memory: to copy it costs a twentieth of making them."""
    live: sqlite3.Connection

    def changes(self) -> int:
        """Another number as soon as anybody has changed anything in the database (SQLite counts commits of
        others)."""
        return int(self.live.execute("PRAGMA data_version").fetchone()[0])

    def visitor(self, kind: str) -> Visitor:
        """A browser of that kind of person, in which nothing has been done yet."""
        made = self.visitors[kind]
        return Visitor(Client(self.server.url, cookies=dict(made.client.cookies)), made.csrf)

    def restore(self) -> TwoStudies:
        """Undo whatever was changed since, once the server has done what it does in the background."""
        until = time.monotonic() + 20
        while at_work(self.live) > at_work(self.saved) and time.monotonic() < until:
            time.sleep(0.01)
        self.saved.backup(self.live)
        return self.two_studies


def at_work(database: sqlite3.Connection) -> int:
    """How many jobs and deletions of studies are not over."""
    states = database.execute("SELECT state FROM studio_jobs").fetchall()
    deleting = "SELECT count(*) FROM studio_studies WHERE state = 'deleted' AND licence != ''"
    return sum(state in AT_WORK for (state,) in states) + int(database.execute(deleting).fetchone()[0])


@pytest.fixture(scope="module")
def initial_state(server: StudioServer) -> Iterator[InitialState]:
    two_studies = build_two_studies(server.workspace, 0)
    visitors = {kind: Visitor.of(server, two_studies, kind) for kind in sorted(ALL)}
    with closing(sqlite3.connect(":memory:")) as saved, closing(sqlite3.connect(server.location)) as live:
        with (
            live
        ):  # these tests may outlast the time in which nobody notes who was seen or gives an import up
            live.execute("UPDATE studio_sessions SET seen = expires")
            live.execute("UPDATE studio_jobs SET seen = seen + 86400")
        live.backup(saved)
        yield InitialState(server, two_studies, visitors, saved, live)


@pytest.fixture
def two_studies(initial_state: InitialState) -> TwoStudies:
    """Two studies and their people, whom nothing has happened to yet."""
    return initial_state.restore()


@dataclass
class Visitor:
    """A client that is one kind of person."""

    client: Client
    csrf: str

    @classmethod
    def of(cls, server: StudioServer, two_studies: TwoStudies, kind: str) -> Visitor:
        client = Client(server.url)
        if kind == ANONYMOUS:
            return cls(client, client.csrf())
        token = sessions.open_session(two_studies.workspace, two_studies.accounts[kind])
        client.cookies["folkways_session"] = token
        session = sessions.find_session(two_studies.workspace, token)
        assert session is not None
        return cls(client, session.csrf)

    def ask(self, method: str, path: str, fields: dict[str, str]) -> Reply:
        return self.client.get(path) if method == "GET" else self.client.post(path, fields, csrf=self.csrf)


def refused(reply: Reply) -> bool:
    return reply.status in (401, 403, 404) or (
        reply.status == 303 and reply.place.startswith("/signin?next=")
    )


def everything(workspace: Workspace) -> dict[str, list[Any]]:
    """All rows of the studio but those of sessions, which every request may touch."""
    tables = [table for table in vars(schema).values() if isinstance(table, sa.Table)]
    with workspace.read() as connection:
        return {
            table.name: sorted(map(repr, connection.execute(sa.select(table))))
            for table in tables
            if table.name not in ("studio_sessions", "studio_attempts")
        }


def routes_of_the_app(workspace: Workspace) -> Iterator[tuple[str, str]]:
    for route in create_app(workspace).routes:
        for method in {*(getattr(route, "methods", None) or ("GET",))} - {
            "HEAD"
        }:  # of a static file it is as GET
            yield method, route.path  # type: ignore[attr-defined]


def filled(path: str, values: dict[str, str]) -> str:
    return {"/static": "/static/base.css", "/api/v1": "/api/v1/openapi.json"}.get(path) or path.format(
        **values
    )


def test_every_route_of_the_application_is_in_the_table(server: StudioServer) -> None:
    found = list(routes_of_the_app(server.workspace))
    assert sorted(found) == sorted(TABLE)


EVERY_ROUTE = pytest.mark.parametrize(
    ("method", "path"), TABLE, ids=[f"{method} {path}" for method, path in TABLE]
)


@EVERY_ROUTE
def test_nobody_else_gets_through(
    initial_state: InitialState, two_studies: TwoStudies, method: str, path: str
) -> None:
    fields = FIELDS.get(path, lambda _: {})(two_studies)
    for kind in sorted(ALL - TABLE[method, path]):
        before = initial_state.changes()
        reply = initial_state.visitor(kind).ask(method, filled(path, two_studies.values), fields)
        assert refused(reply), f"{kind}: {reply.status} {reply.place}"
        assert initial_state.changes() == before, kind
        assert QUESTION["question"] not in reply.text, kind


@EVERY_ROUTE
def test_those_who_may_get_through(
    initial_state: InitialState, two_studies: TwoStudies, method: str, path: str
) -> None:
    for kind in sorted(TABLE[method, path]):
        reply = initial_state.visitor(kind).ask(
            method, filled(path, two_studies.values), FIELDS.get(path, lambda _: {})(two_studies)
        )
        if path in LOOSE and method == "POST":
            assert reply.status in (403, 422, 429) and "<form" in reply.text, f"{kind}: {reply.status}"
        else:
            assert not refused(reply) and reply.status < 500, f"{kind}: {reply.status} {reply.text[-900:]}"
        if method == "POST":
            initial_state.restore()  # the study may have been paused, left or settled


ENDED: dict[str, tuple[str, Callable[[TwoStudies, int], object]]] = {
    "disabled": (
        ANONYMOUS,
        lambda two_studies, who: accounts.set_disabled(two_studies.workspace, who, disabled=True),
    ),
    "signed out everywhere": (
        ANONYMOUS,
        lambda two_studies, who: sessions.revoke_all(two_studies.workspace, who),
    ),
    "without their role": (
        STRANGER,
        lambda two_studies, who: accounts.take_role(
            two_studies.workspace, two_studies.study.id, who, Role.RESEARCHER
        ),
    ),
}
"""How a researcher's work can end -> as whom they come back in the browser that they had open."""


@pytest.mark.parametrize("how", ENDED)
def test_a_researcher_whose_work_has_ended_gets_through_nowhere(
    initial_state: InitialState, two_studies: TwoStudies, how: str
) -> None:
    like, end = ENDED[how]
    end(two_studies, two_studies.accounts[RESEARCHER])
    visitor = initial_state.visitor(RESEARCHER)
    for method, path in (route for route in TABLE if like not in TABLE[route]):
        before = initial_state.changes()
        reply = visitor.ask(
            method, filled(path, two_studies.values), FIELDS.get(path, lambda _: {})(two_studies)
        )
        assert refused(reply), f"{method} {path}: {reply.status} {reply.place}"
        assert initial_state.changes() == before, f"{method} {path}"


@pytest.mark.parametrize("how", ["withdrawn", "excluded", "paused"])
def test_a_participant_whose_work_has_ended_reads_and_answers_nothing(
    initial_state: InitialState, two_studies: TwoStudies, how: str
) -> None:
    """Who is paused may go on with the task at hand, and gets no other."""
    about = two_studies.workspace, two_studies.study.id, two_studies.person.id
    if how == "withdrawn":
        participants.withdraw(*about)
    elif how == "excluded":
        suspension.exclude(*about, "a good one", by=two_studies.accounts[OWNER])
    else:
        with two_studies.workspace.write() as connection:
            suspension.pause_within(connection, two_studies.person, "rule")
    kept = ["studio_judgements", "studio_drafts", "studio_assignments", "studio_training"]
    if how != "paused":
        kept.append("studio_participants")  # nobody agrees to anything any more
    before, visitor = everything(two_studies.workspace), initial_state.visitor(PERSON)
    assert {"studio_participants", "studio_judgements"} <= before.keys()
    for method, path in (route for route in TABLE if route[1].startswith("/work/{study}")):
        if how == "paused" and ("{assignment}" in path or "{file}" in path):
            continue
        if path.endswith(("/withdraw", "/finish")) and method == "POST":
            continue
        reply = visitor.ask(
            method, filled(path, two_studies.values), FIELDS.get(path, lambda _: {})(two_studies)
        )
        assert reply.status < 500, f"{method} {path}: {reply.status}"
        assert QUESTION["question"] not in reply.text, f"{method} {path}"
        assert "a picture" not in reply.text, f"{method} {path}"
    after = everything(two_studies.workspace)
    assert {name: after[name] for name in kept if name in after} == {
        name: before[name] for name in kept if name in before
    }


OF_A_STUDY = [
    (method, path) for method, path in TABLE if path.startswith("/studies/{study}/") and path.count("{") > 1
]


@pytest.mark.parametrize(
    ("method", "path"), OF_A_STUDY, ids=[f"{method} {path}" for method, path in OF_A_STUDY]
)
def test_an_owner_reaches_nothing_of_another_study_through_their_own(
    initial_state: InitialState, two_studies: TwoStudies, method: str, path: str
) -> None:
    before = initial_state.changes()
    reply = initial_state.visitor(OTHER_OWNER).ask(
        method,
        filled(path, {**two_studies.values, "study": two_studies.other.name}),
        FIELDS.get(path, lambda _: {})(two_studies),
    )
    assert reply.status == 404, f"{reply.status} {reply.text[-500:]}"
    assert initial_state.changes() == before


@pytest.mark.parametrize(
    "path",
    [
        "/studies/{study}/data/hand-out",
        "/studies/{study}/data/take-in",
        "/studies/{study}/roles/take",
        "/studies/{study}/items/change",
        "/studies/{study}/items/assign",
        "/studies/{study}/password-link",
    ],
)
def test_forms_name_nobody_of_another_study(
    initial_state: InitialState, two_studies: TwoStudies, path: str
) -> None:
    before = everything(two_studies.workspace)
    reply = initial_state.visitor(OTHER_OWNER).ask(
        "POST",
        filled(path, {**two_studies.values, "study": two_studies.other.name}),
        FIELDS[path](two_studies),
    )
    after = everything(two_studies.workspace)
    assert reply.status in (303, 404, 422)
    assert {name: rows for name, rows in after.items() if name != "studio_events"} == {
        name: rows for name, rows in before.items() if name != "studio_events"
    }


def test_a_participant_reaches_the_task_of_another_by_no_study_of_theirs(
    initial_state: InitialState, two_studies: TwoStudies
) -> None:
    values = {**two_studies.values, "study": two_studies.other.name}
    for method, path in ((method, path) for method, path in TABLE if "{assignment}" in path):
        before = initial_state.changes()
        reply = initial_state.visitor(OTHER_STUDY_PERSON).ask(
            method, filled(path, values), FIELDS.get(path, lambda _: {})(two_studies)
        )
        assert reply.status == 404
        assert initial_state.changes() == before


def test_a_researcher_makes_nobody_more_than_a_researcher_is(
    initial_state: InitialState, two_studies: TwoStudies
) -> None:
    visitor, address = initial_state.visitor(RESEARCHER), f"/studies/{two_studies.study.name}/invites"
    for role in ("owner", "researcher", "emperor"):
        assert visitor.ask("POST", address, {"role": role, "days": "3"}).status == 422
    assert visitor.ask("POST", address, {"role": "reviewer", "days": "3"}).status == 200


def test_the_last_owner_stays(initial_state: InitialState, two_studies: TwoStudies) -> None:
    fields = {"account": str(two_studies.accounts[OWNER]), "role": "owner"}
    reply = initial_state.visitor(OWNER).ask("POST", f"/studies/{two_studies.study.name}/roles/take", fields)
    assert reply.status == 403 and "only owner" in reply.text
    assert Role.OWNER in accounts.roles_of(
        two_studies.workspace, two_studies.study.id, two_studies.accounts[OWNER]
    )


NAMES = (
    *(
        "account",
        "before",
        "field",
        "choices",
        "comment",
        "count",
        "culture",
        "days",
        "draft",
        "intended",
        "key",
        "locale",
        "login",
        "next",
        "options",
    ),
    *(
        "field",
        "page",
        "per_culture",
        "person",
        "population",
        "reason",
        "reason_why",
        "revision",
        "role",
        "run",
        "stage",
        "state",
    ),
    *("account", "all", "description", "do", "exclusion", "item", "only", "q", "sure", "typed"),
    *("step", "template", "title", "uses", "verdict", "version", "scope", "url", "events", "note"),
)
"""Fields that some route reads."""

ENDS = ("/withdraw", "/finish", "/signout", "/signout-everywhere", "/erase", "/password")
"""Routes after which there is little left to try."""

LONGEST_QUERY = 8000


@pytest.mark.parametrize(
    "value",
    [
        *("\u00b2", "9" * 40, "a\0b"),
        *(
            pytest.param(value, marks=pytest.mark.nightly)
            for value in ("\u0663", "-1", "1e3", "%(x)s", "x" * 5000, "")
        ),
    ],
    ids=repr,
)
def test_whatever_is_sent_is_answered_in_words(
    initial_state: InitialState, two_studies: TwoStudies, value: str
) -> None:
    fields = dict.fromkeys(NAMES, value)
    for method, path in (route for route in TABLE if not route[1].endswith(ENDS)):
        for kind in {OWNER, PERSON} & (TABLE[method, path] or {OWNER}):
            address = filled(path, two_studies.values)
            query = f"?{urlencode(fields)}" if method == "GET" else ""
            if len(query) > LONGEST_QUERY:
                continue  # no browser sends such an address
            reply = initial_state.visitor(kind).ask(method, address + query, fields)
            assert reply.status < 500, f"{kind}: {method} {path}: {reply.status}"
            assert reply.status < 400 or reply.text.strip(), f"{kind}: {method} {path}: {reply.status}"
    for name in (
        "assignment",
        "item",
        "answer",
        "person",
        "invite",
        "import",
        "api_token",
        "webhook",
        "backend",
        "comment",
    ):
        for method, path in (route for route in TABLE if f"{{{name}}}" in route[1]):
            for kind in {OWNER, PERSON} & TABLE[method, path]:
                address = filled(path, {**two_studies.values, name: quote(value[:50] or "0", safe="")})
                assert 400 <= initial_state.visitor(kind).ask(method, address, fields).status < 500, address
