"""Links that Prolific signed: whose signature is believed, for how long, and where its keys come from."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from threading import Thread
from typing import Any

import pytest
from joserfc import jwt
from joserfc.jwk import RSAKey
from joserfc.jws import JWSRegistry

from folkways.errors import FolkwaysError
from folkways_studio.errors import InviteError
from folkways_studio.people.prolific_entry import check_entry, read_parameters
from folkways_studio.records import Study
from folkways_studio.web.settings import WebSettings
from tests.support.frozen_time import at_time

MEGABYTE = 2**20
ORIGIN = "https://studio.example.org"
KEY = RSAKey.generate_key(2048)
PERSON = {"PROLIFIC_PID": "5f8d0a", "STUDY_ID": "s1", "SESSION_ID": "x1"}
DEFINITION = {"prolific": {"signed": True}}
SIGNED = Study(1, "one", "One", "own", "open", DEFINITION, "CC-BY-4.0", "Agree.", "v1", 0.0, None)
NUMBERS = count()
NOW = 1_800_000_000.0
CHANGED = "this link was changed on its way"
EXPIRED = "this link has expired or was changed"


@dataclass
class KeyServer:
    """A server that gives the keys to anybody, or what it is told to give."""

    url: str = ""
    status: int = 200
    body: bytes = b""
    requests: list[str] = field(default_factory=list)


def jwks() -> bytes:
    public = KEY.as_dict(private=False)
    return json.dumps({"keys": [{**public, "kid": "one", "alg": "RS256", "use": "sig"}]}).encode()


@pytest.fixture
def server() -> Iterator[KeyServer]:
    state = KeyServer(body=jwks())

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            state.requests.append(f"{self.command} {self.path}")
            self.send_response(state.status)
            self.send_header("Content-Length", str(len(state.body)))
            self.end_headers()
            self.wfile.write(state.body)

        def do_CONNECT(self) -> None:
            state.requests.append(f"{self.command} {self.path}")
            self.send_error(502)

        def log_message(self, *_: object) -> None:
            """Quiet."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as listening:
        Thread(target=listening.serve_forever, args=(0.01,), daemon=True).start()
        # A path of its own: what was read from an address is kept.
        state.url = f"http://127.0.0.1:{listening.server_port}/keys-{next(NUMBERS)}"
        yield state
        listening.shutdown()


def token(**claims: Any) -> str:
    whole = {"aud": ORIGIN, "exp": NOW + 600, "prolific": PERSON, **claims}
    wanted = {name: value for name, value in whole.items() if value is not None}
    return str(jwt.encode({"alg": "RS256", "kid": "one"}, wanted, KEY))


def enter(place: str, signature: str, at: float = NOW, study: Study = SIGNED, **changes: str) -> bool:
    """Whether somebody's link is signed."""
    sent = {**PERSON, **changes}
    settings = WebSettings(origin=ORIGIN, prolific_keys=place)
    return at_time(
        at, check_entry, study, {**sent, "prolific_token": signature}, read_parameters(sent), settings
    )


@pytest.mark.parametrize(
    ("claims", "changes", "problem"),
    [
        ({}, {}, None),
        ({"exp": NOW - 59}, {}, None),  # clocks differ by up to a minute
        ({"exp": NOW - 61}, {}, EXPIRED),
        ({"exp": None}, {}, EXPIRED),
        ({"aud": "https://elsewhere.example"}, {}, EXPIRED),
        ({"aud": None}, {}, EXPIRED),
        ({}, {"STUDY_ID": "s2"}, CHANGED),
        ({}, {"SESSION_ID": "", "utm": "x"}, None),  # what the link does not say cannot be wrong
        ({"prolific": {"PROLIFIC_PID": "5f8d0a"}}, {}, CHANGED),
        ({"prolific": ["5f8d0a"]}, {}, CHANGED),
        ({"prolific": None}, {}, CHANGED),
    ],
)
def test_a_link_is_believed_as_far_as_it_is_signed(
    server: KeyServer, claims: dict[str, Any], changes: dict[str, str], problem: str | None
) -> None:
    if problem is None:
        assert enter(server.url, token(**claims), **changes)
        return
    with pytest.raises(InviteError, match=problem):
        enter(server.url, token(**claims), **changes)


def test_a_header_that_prolific_adds_is_passed_over_and_another_way_of_signing_is_not(
    server: KeyServer,
) -> None:
    claims = {"aud": ORIGIN, "exp": NOW + 600, "prolific": PERSON}
    for way in ("RS256", "PS256"):
        signing = JWSRegistry(algorithms=[way], strict_check_header=False)
        signed = str(jwt.encode({"alg": way, "kid": "one", "env": "live"}, claims, KEY, registry=signing))
        if way == "RS256":
            assert enter(server.url, signed)
            continue
        with pytest.raises(InviteError, match=EXPIRED):
            enter(server.url, signed)


def test_a_study_that_wants_no_signature_asks_for_none_and_one_that_does_wants_the_ids(
    server: KeyServer,
) -> None:
    for definition in ({}, {"prolific": None}, {"prolific": {"signed": False}}):
        assert not enter(server.url, "", study=replace(SIGNED, definition=definition))
    with pytest.raises(InviteError, match="open to people who come by Prolific"):
        enter(server.url, token(), PROLIFIC_PID="", STUDY_ID="", SESSION_ID="")
    assert server.requests == []


@pytest.mark.parametrize(
    ("value", "fits"), [("a" * 64, True), ("a-B_9", True), ("a" * 65, False), ("a b", False), ("ä", False)]
)
def test_an_id_of_prolific_has_up_to_64_plain_letters(value: str, fits: bool) -> None:
    if fits:
        assert read_parameters({"PROLIFIC_PID": value, "STUDY_ID": "", "other": "a b"}) == {
            "prolific_pid": value
        }
        return
    with pytest.raises(InviteError, match="not as Prolific makes it"):
        read_parameters({"PROLIFIC_PID": value})


def test_keys_are_fetched_once_an_hour(server: KeyServer) -> None:
    hour = NOW - NOW % 3600
    for at, requests in ((hour, 1), (hour + 3599, 1), (hour + 3600, 2), (hour + 3601, 2)):
        assert enter(server.url, token(exp=at + 600), at)
        assert server.requests == [f"GET /keys-{server.url.rpartition('-')[2]}"] * requests


def missing(server: KeyServer) -> None:
    server.status = 404


def no_json(server: KeyServer) -> None:
    server.body = b"<html>"


def no_keys(server: KeyServer) -> None:
    server.body = b'{"other": []}'


def a_list(server: KeyServer) -> None:
    server.body = b"[1]"


def huge(server: KeyServer) -> None:
    server.body = jwks().ljust(MEGABYTE + 1)


@pytest.mark.parametrize("spoil", [missing, no_json, no_keys, a_list, huge])
def test_keys_that_cannot_be_read_are_a_fault_of_the_server_and_tried_again(
    server: KeyServer, spoil: Callable[[KeyServer], None]
) -> None:
    spoil(server)
    with pytest.raises(FolkwaysError, match=f"cannot be read from {server.url}") as caught:
        enter(server.url, token())
    assert not isinstance(caught.value, InviteError)
    assert ("it answered 404 Not Found" in str(caught.value)) == (spoil is missing)
    server.status, server.body = 200, jwks().ljust(MEGABYTE)
    assert enter(server.url, token())


def test_keys_elsewhere_are_fetched_through_the_proxy_of_the_environment(
    server: KeyServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("https_proxy", server.url.rpartition("/")[0])
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    with pytest.raises(FolkwaysError, match=r"cannot be read from https://keys\.invalid/jwks"):
        enter("https://keys.invalid/jwks", token(), time.time())
    assert server.requests == ["CONNECT keys.invalid:443"]
