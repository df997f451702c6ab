"""What keeps others out: headers, forged requests, sizes, rates, sessions, hostile text."""

from __future__ import annotations

import contextlib
import html
import re
import secrets
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from starlette.requests import Request

from folkways.errors import FolkwaysError
from folkways.workspace.database import Workspace
from folkways_studio.errors import BusyError, TooManyAttemptsError
from folkways_studio.people import accounts, sessions
from folkways_studio.web.app import create_app
from folkways_studio.web.routes import all_routes
from folkways_studio.web.security.origin import from_own_page
from folkways_studio.web.security.rates import RateLimits, WaitingPlaces
from folkways_studio.web.settings import WebSettings
from studio.tests.support.app_client import AppClient
from studio.tests.support.studies import PASSWORD
from studio.tests.support.studio_server import StudioServer
from studio.tests.web.conftest import ServedStudy, begin
from studio.tests.web.http import Client

STAGES = [{"name": "verify", "kind": "vote", "title": "Check"}]
HOSTILE = (
    "</textarea></script><script>window.pwned = 1</script><img src=x onerror='window.pwned = 1'>"
    "\"'><svg onload=window.pwned=1>{{ 7 * 7 }}\u202eabc\x1b[31m"
)


@pytest.fixture
def client(server: StudioServer) -> Client:
    return Client(server.url)


def new_login(server: StudioServer) -> str:
    """The login of a new account."""
    login = f"{secrets.token_hex(4)}@example.org"
    accounts.create_account(server.workspace, login, PASSWORD)
    return login


def sign_in(server: StudioServer, login: str | None = None) -> Client:
    client = Client(server.url)
    assert client.post("/signin", {"login": login or new_login(server), "password": PASSWORD}).status == 303
    return client


def test_monitors_may_ask_for_the_head_alone(studio_workspace: Workspace) -> None:
    app = AppClient(create_app(studio_workspace))
    assert app.head("/healthz").status_code == 200
    assert app.head("/signin").status_code == 405  # which would use up a message that is shown once


@pytest.mark.parametrize(
    "path", ["/signin", "/nowhere", "/static/base.css", "/theme.css", "/join/unknown", "/healthz"]
)
def test_every_answer_carries_the_headers_that_bind_browsers(client: Client, path: str) -> None:
    headers = client.get(path).headers
    assert "default-src 'self'" in headers["content-security-policy"]
    assert "unsafe" not in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert (
        "frame-ancestors 'none'" in headers["content-security-policy"]
        and headers["x-frame-options"] == "DENY"
    )
    assert headers["referrer-policy"] == "same-origin"
    assert "server" not in headers


def test_pages_are_kept_by_no_cache_and_static_files_by_their_version(client: Client) -> None:
    page = client.get("/signin")
    assert page.headers["cache-control"] == "no-store"
    named = page.text.split('href="/static/base.css?')[1].split('"')[0]
    assert "immutable" in client.get(f"/static/base.css?{named}").headers["cache-control"]
    assert client.get("/static/base.css").headers["cache-control"] == "public, no-cache"


def test_cookies_cannot_be_read_by_scripts_nor_sent_by_other_sites(server: StudioServer) -> None:
    reply = Client(server.url).post("/signin", {"login": new_login(server), "password": PASSWORD})
    cookie = reply.headers["set-cookie"].lower()
    assert "httponly" in cookie and "samesite=lax" in cookie


def test_over_tls_cookies_are_bound_to_the_host(tmp_path: Path) -> None:
    with StudioServer(tmp_path / "studio.db", origin="https://studio.example.org") as server:
        reply = Client(server.url).get("/signin")
    assert reply.headers["set-cookie"].startswith("__Host-folkways_visitor=")
    assert "Secure" in reply.headers["set-cookie"]
    assert "max-age" in reply.headers["strict-transport-security"]


@pytest.mark.parametrize(
    ("sent", "own"),
    [
        ({"Origin": "https://studio.example.org"}, True),
        ({"Referer": "https://studio.example.org/work/7"}, True),
        ({"Origin": "https://studio.example.org.evil.example"}, False),
        ({"Origin": "https://studio.example.or"}, False),
        ({"Origin": "https://studio.example.org:8443"}, False),
        ({"Origin": "http://studio.example.org"}, False),
        ({"Origin": "https://evil.example"}, False),
        ({"Origin": "https://evil.example", "Referer": "https://studio.example.org/"}, False),
        ({"Referer": "https://studio.example.org.evil.example/"}, False),
        ({"Origin": ""}, False),
    ],
)
def test_behind_a_proxy_only_pages_of_the_named_address_may_send_forms(
    named: StudioServer, sent: dict[str, str], own: bool
) -> None:
    """The server's own host and port, by which the proxy reaches it, are no address of its pages."""
    client = Client(named.url)
    reply = client.post(
        "/signin", {"login": "nobody@example.org", "password": "a wrong password"}, **{"Origin": "", **sent}
    )
    read = "do not fit together"
    assert (read in reply.text) is own
    assert read not in client.post("/signin", {"login": "a", "password": "b"}, Origin=named.url).text


@pytest.mark.parametrize(
    ("host", "origin", "hint"),
    [
        ("127.0.0.1:8765", "http://127.0.0.1:8765", True),
        ("studio.example.org:8443", "https://studio.example.org:8443", True),
        ("studio.example.org", "https://evil.example", False),
        ("studio.example.org", "https://studio.example.org", False),
    ],
)
def test_a_form_sent_at_another_address_is_refused_with_the_right_one(
    named: StudioServer, host: str, origin: str, hint: bool
) -> None:
    """To load the page again there would help nobody."""
    client = Client(named.url)
    reply = client.post("/signin", {"login": "a"}, csrf="of yesterday", Host=host, Origin=origin)
    assert reply.status == 403 and ("out of date" in reply.text) is not hint
    assert ("The studio is at https://studio.example.org. Open it there" in reply.text) is hint


@pytest.fixture(scope="module")
def named(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StudioServer]:
    """A server that is reached by another address than its own."""
    with StudioServer(
        tmp_path_factory.mktemp("named") / "studio.db", origin="https://studio.example.org"
    ) as server:
        yield server


@pytest.mark.parametrize(
    "origin",
    [
        "http://studio.example.org",
        "ftp://x",
        "https://a/b?c",
        "https://a/b#c",
        "https://a/b c",
        "https://me:secret@a",
        "https://a:99999",
        "https://127.1",
        "studio",
    ],
)
def test_an_address_that_would_send_answers_in_the_clear_is_refused(origin: str) -> None:
    with pytest.raises(FolkwaysError, match=r"https://|scheme and host"):
        WebSettings(origin=origin)


@pytest.mark.parametrize(
    ("given", "origin", "prefix"),
    [
        ("https://Studio.Example.ORG", "https://studio.example.org", ""),
        ("https://studio.example.org:443/", "https://studio.example.org", ""),
        ("https://studio.example.org:8443", "https://studio.example.org:8443", ""),
        ("https://b\xfccher.example/Field/", "https://xn--bcher-kva.example/Field", "/Field"),
        ("HTTP://LocalHost:80", "http://localhost", ""),
        ("http://[::1]:8765", "http://[::1]:8765", ""),
    ],
)
def test_the_studios_address_is_compared_as_browsers_send_it(given: str, origin: str, prefix: str) -> None:
    """However it is written; else no form could be sent."""
    settings = WebSettings(origin=given)
    assert (settings.origin, settings.prefix) == (origin, prefix)
    headers = [(b"origin", origin.removesuffix(prefix).encode()), (b"host", b"inner")]
    assert from_own_page(Request({"type": "http", "headers": headers}), settings.origin)


@pytest.mark.parametrize("headers", [{"Origin": "https://evil.example"}, {"Origin": "null"}, {"Origin": ""}])
def test_a_form_of_another_site_changes_nothing(server: StudioServer, headers: dict[str, str]) -> None:
    client = sign_in(server)
    token = client.csrf("/account")
    assert client.post("/signout", csrf=token, **headers).status == 403
    assert client.get("/account").status == 200
    assert client.post("/signout", csrf=token).status == 303


@pytest.mark.parametrize("token", ["", "wrong", "é"])
def test_a_form_without_the_token_of_the_session_changes_nothing(server: StudioServer, token: str) -> None:
    client = sign_in(server)
    assert client.post("/signout", csrf=token).status == 403
    assert (
        client.post("/signin", {"login": "x", "password": "y"}, csrf=Client(server.url).csrf()).status == 403
    )
    assert client.get("/account").status == 200


def test_too_large_a_body_is_refused_before_it_is_read(client: Client) -> None:
    headers = {"Origin": client.url, "Content-Type": "application/x-www-form-urlencoded"}
    assert client.ask("POST", "/signin", b"", {**headers, "Content-Length": str(2**20 + 1)}).status == 413
    assert (
        client.ask("POST", "/signin", b"x" * 2**20, headers).status == 403
    )  # small enough to be read, and then without a token


UPLOADS = [route.path for route in all_routes() if route.upload]


def test_files_are_read_beside_the_pages() -> None:
    """A workbook may take a quarter of an hour."""
    assert UPLOADS and [route.path for route in all_routes() if route.upload and not route.slow] == []


@pytest.mark.parametrize("path", UPLOADS)
def test_nobody_unknown_sends_a_file(client: Client, path: str) -> None:
    """They are refused before a byte of it has come."""
    parts = urlsplit(client.url)
    place = path.replace("{study}", "verification")
    head = (
        f"POST {place} HTTP/1.1\r\nHost: x\r\nAccept: application/json\r\n"
        "Content-Type: multipart/form-data; boundary=x\r\nContent-Length: 19000000\r\n\r\n"
    )
    with socket.create_connection((parts.hostname, parts.port), timeout=20) as connection:
        connection.sendall(head.encode())
        assert b" 401 " in connection.recv(200)


def test_a_body_that_does_not_say_its_length_is_cut_off(client: Client) -> None:
    parts = urlsplit(client.url)
    with socket.create_connection((parts.hostname, parts.port), timeout=20) as connection:
        connection.sendall(
            b"POST /signin HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\n"
        )
        connection.sendall(b"Transfer-Encoding: chunked\r\n\r\n")
        chunk = b"10000\r\n" + b"x" * 65536 + b"\r\n"
        with contextlib.suppress(OSError):
            for _ in range(40):
                connection.sendall(chunk)
        assert b" 413 " in connection.recv(200)


def test_guessing_passwords_is_slowed_down_for_the_account_and_for_the_address(
    own_server: StudioServer,
) -> None:
    login = new_login(own_server)
    client = Client(own_server.url)
    token = client.csrf()
    for _ in range(accounts.ATTEMPTS):
        assert client.post("/signin", {"login": login, "password": "wrong"}, csrf=token).status == 403
    refused = client.post("/signin", {"login": login, "password": PASSWORD}, csrf=token)
    assert refused.status == 429 and "Too many attempts" in refused.text
    for number in range(accounts.ATTEMPTS, accounts.ATTEMPTS_OF_ADDRESS):
        guess = {"login": f"nobody-{number}@example.org", "password": "wrong"}
        assert client.post("/signin", guess, csrf=token).status == 403
    other = client.post("/signin", {"login": new_login(own_server), "password": PASSWORD}, csrf=token)
    assert other.status == 429 and "Too many attempts" in other.text, "one address guesses at many accounts"


@pytest.mark.parametrize("host", ["127.0.0.1", "::"])
@pytest.mark.parametrize(
    ("proxies", "believed"),
    [
        ([], False),
        (["10.0.0.0/8"], False),
        (["10.0.0.0/8", "127.0.0.1"], True),
        (["127.0.0.0/29"], True),
        (["127.0.0.7/29"], True),
        (["127.0.0.8/29"], False),
        (["::1"], False),
    ],
)
def test_whoever_is_no_named_proxy_is_not_believed_where_a_request_came_from(
    tmp_path: Path, proxies: list[str], believed: bool, host: str
) -> None:
    """On loopback too: another program of the machine could dodge the bound of failed attempts. By IPv4 on a
    socket of both, addresses look otherwise."""
    with StudioServer(tmp_path / "studio.db", host=host, proxies=proxies) as server:
        login = new_login(server)
        client = Client(server.url)
        token = client.csrf()
        for number in range(accounts.ATTEMPTS):
            client.post(
                "/signin",
                {"login": login, "password": "wrong"},
                csrf=token,
                **{"X-Forwarded-For": f"192.0.2.{number}"},
            )
        last = client.post(
            "/signin", {"login": login, "password": PASSWORD}, csrf=token, **{"X-Forwarded-For": "192.0.2.99"}
        )
        assert last.status == (303 if believed else 429)


@pytest.mark.parametrize("proxy", ["*", "nginx", "10.0.0.0/64", "", "127.0.0.1:80"])
def test_a_proxy_is_an_address_or_a_network(proxy: str) -> None:
    with pytest.raises(FolkwaysError, match="is not an address or network"):
        WebSettings(proxies=(proxy,))


def test_the_typos_of_one_person_lock_nobody_else_out(own_server: StudioServer) -> None:
    login, neighbour = new_login(own_server), new_login(own_server)
    client = Client(own_server.url)
    token = client.csrf()
    for _ in range(accounts.ATTEMPTS + 1):
        last = client.post("/signin", {"login": login, "password": "wrong"}, csrf=token)
    assert last.status == 429
    sign_in(own_server, neighbour)


def test_places_for_those_who_wait_are_one_for_each_person_and_a_share_for_each_study() -> None:
    waiting = WaitingPlaces(most=3, of_a_study=2)
    with waiting.place(1, 10), waiting.place(1, 11):
        for study, person, words in (
            (2, 10, "waiting for a model already"),
            (1, 12, "many people are asking"),
        ):
            with pytest.raises(BusyError, match=words), waiting.place(study, person):
                pass
        with waiting.place(2, 12), pytest.raises(BusyError, match="many people"), waiting.place(3, 13):
            pass
    with pytest.raises(ZeroDivisionError), waiting.place(1, 10):
        _ = 1 / 0
    with waiting.place(1, 10), waiting.place(1, 11):
        pass


def test_one_address_may_do_something_only_so_often() -> None:
    now = [0.0]
    rates = RateLimits({"join": (2, 10.0)}, clock=lambda: now[0])
    rates.take("join", "a")
    now[0] = 6
    rates.take("join", "a")
    with pytest.raises(TooManyAttemptsError) as refused:
        rates.take("join", "a")
    assert refused.value.seconds == 4
    rates.take("join", "b")
    now[0] = 10
    rates.take("join", "a")
    with pytest.raises(TooManyAttemptsError):
        rates.take("join", "a")


def test_signing_in_gives_a_new_session_and_signing_out_ends_it_for_good(server: StudioServer) -> None:
    login = new_login(server)
    client = sign_in(server, login)
    token = client.cookies["folkways_session"]
    client.post("/signin", {"login": login, "password": PASSWORD})
    assert client.cookies["folkways_session"] != token
    assert sessions.find_session(server.workspace, token) is None
    kept = client.cookies["folkways_session"]
    client.post("/signout")
    client.cookies["folkways_session"] = kept
    assert client.get("/account").place.startswith("/signin")


def test_who_is_signed_out_comes_back_to_the_same_page_with_what_it_was_asked_for(
    server: StudioServer,
) -> None:
    client, asked = Client(server.url), "/studies/food/items?state=open&words=tea%20%26%20milk"
    page = client.get(client.get(asked).place)
    hidden = re.search(r'name="next" value="([^"]+)"', page.text)
    assert hidden and html.unescape(hidden[1]) == asked
    for accept in ("text/html", "application/json"):
        reply = client.post("/work/food/next", csrf="of yesterday", Accept=accept)
        assert reply.status == 401
        assert "have a password, sign in again" in reply.text and "open its link again" in reply.text


def test_all_devices_are_signed_out_by_a_word_and_by_a_new_password(own_server: StudioServer) -> None:
    login = new_login(own_server)
    here, there = sign_in(own_server, login), sign_in(own_server, login)
    here.post("/account/signout-everywhere")
    assert here.get("/account").status == 200
    assert there.get("/account").status == 303
    new = "another long password"
    assert here.post("/account/password", {"current": "wrong", "password": new}).status == 403
    assert here.post("/account/password", {"current": PASSWORD, "password": "short"}).status == 422
    assert here.post("/account/password", {"current": PASSWORD, "password": new}).status == 303
    assert here.get("/account").status == 303
    assert here.post("/signin", {"login": login, "password": new}).place == "/"


@pytest.mark.parametrize(
    "following",
    ["https://evil.example", "//evil.example", "/\\evil.example", "javascript:alert(1)", "/\n/evil"],
)
def test_signing_in_leads_to_pages_of_this_server_alone(server: StudioServer, following: str) -> None:
    fields = {"login": new_login(server), "password": PASSWORD, "next": following}
    assert Client(server.url).post("/signin", fields).place == "/"


def test_an_error_says_nothing_of_the_inside(client: Client) -> None:
    for path in (
        "/nowhere",
        "/studies/%00",
        "/join/" + "x" * 500,
        "/work/a%27b/tasks/1",
        "/studies/x/items/99999999999999999999",
    ):
        reply = client.get(path)
        assert reply.status in (303, 404, 410), path
        assert "Traceback" not in reply.text and "sqlalchemy" not in reply.text.lower()


@pytest.mark.browser
def test_hostile_text_of_people_and_models_is_shown_and_does_nothing(
    make_study: Callable[..., ServedStudy],
) -> None:
    pytest.importorskip("playwright.sync_api")
    study = make_study(
        STAGES, title=HOSTILE.replace("\x1b", ""), consent="Agree. " + HOSTILE.replace("\x1b", "")
    )
    (number,) = study.add("verify", [{"question": HOSTILE, "options": [HOSTILE, "b", "c", "d"]}])
    page: Any = study.at_start()
    begin(page)
    assert "<script>window.pwned = 1</script>" in page.locator(".subject").inner_text()
    assert (
        "⟨U+202E⟩" in page.locator(".subject").inner_text()
        and "⟨U+001B⟩" in page.locator(".subject").inner_text()
    )
    page.get_by_label("Anything to add?").fill(HOSTILE.replace("\x1b", ""))
    page.keyboard.press("Tab")
    page.locator(".choice").first.click()
    page.get_by_role("button", name="Send and go on").click()
    page.get_by_role("heading", name="Thank you").wait_for()
    researcher = study.researcher()
    for path in ("", "/people", "/items", f"/items/{number}", "/log", "/quality", "/data"):
        study.open(researcher, f"{study.path}{path}")
        assert researcher.evaluate("window.pwned") is None
        assert researcher.locator("main img, main svg").count() == 0
    assert page.evaluate("window.pwned") is None
    assert study.errors == []
