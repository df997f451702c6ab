"""A server, two studies with people of every kind, and tokens for them."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from folkways_studio.programs import tokens
from folkways_studio.programs.records import Scope
from studio.tests.support.studio_server import StudioServer
from studio.tests.web.conftest import PLENTY
from studio.tests.web.http import Client, Reply
from studio.tests.web.two_studies import OTHER_OWNER, OWNER, REVIEWER, TwoStudies, build_two_studies

NUMBERS = itertools.count(500)


@dataclass(frozen=True)
class Program:
    """A program with a token (or none)."""

    client: Client
    token: str

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> Reply:
        sent = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        content = json.dumps(body).encode() if body is not None else None
        if content is not None:
            sent["Content-Type"] = "application/json"
        return self.client.ask(method, f"/api/v1{path}", content, {**sent, **headers})

    def get(self, path: str) -> Any:
        """The JSON of an answer that has to be fine."""
        return self.fine(self.ask("GET", path))

    def post(self, path: str, body: Any = None) -> Any:
        return self.fine(self.ask("POST", path, {} if body is None else body))

    @staticmethod
    def fine(reply: Reply) -> Any:
        assert reply.status < 300, f"{reply.status} {reply.text}"
        return json.loads(reply.text) if reply.text else None


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StudioServer]:
    """A running studio whose webhooks may call the tests."""
    with StudioServer(
        tmp_path_factory.mktemp("studio") / "studio.db", rates=PLENTY, private_webhooks=True
    ) as running:
        yield running


@pytest.fixture(scope="module")
def two_studies(server: StudioServer) -> TwoStudies:
    """The studies and people of one module."""
    made = build_two_studies(server.workspace, next(NUMBERS))
    made.values |= {
        "judgement": made.values["answer"],
        "account": str(made.accounts[REVIEWER]),
        "role": "reviewer",
    }
    return made


@pytest.fixture(scope="module")
def program(server: StudioServer, two_studies: TwoStudies) -> Callable[..., Program]:
    """A function that makes a program: for an account of the two studies, with a token for its study unless
    ``everywhere``."""

    def make(
        kind: str = OWNER, *, scope: Scope = Scope.WRITE, everywhere: bool = False, **more: Any
    ) -> Program:
        study = None if everywhere else two_studies.other.id if kind == OTHER_OWNER else two_studies.study.id
        _, text = tokens.create_token(
            two_studies.workspace, two_studies.accounts[kind], study_id=study, scope=scope, **more
        )
        return Program(Client(server.url), text)

    return make


def problem(reply: Reply, status: int) -> Mapping[str, Any]:
    """What a refusal says."""
    assert reply.status == status, f"{reply.status} {reply.text}"
    assert reply.headers["content-type"] == "application/problem+json"
    told: Mapping[str, Any] = json.loads(reply.text)
    assert told["status"] == status and told["detail"].endswith(".")
    return told
