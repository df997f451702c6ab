"""What a request says of itself: where it came from, at which address it was sent, and what its browser takes."""

from __future__ import annotations

import asyncio
from dataclasses import fields
from typing import Any

import pytest
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from folkways_studio.web.prefix import PathPrefix, with_prefix
from folkways_studio.web.rendering.i18n import accepted_languages
from folkways_studio.web.rendering.static_files import SHORTEST, accepts_gzip, compressed
from folkways_studio.web.request_context import (
    ANYBODY,
    FLASH_COOKIE,
    LOCALE_COOKIE,
    SESSION_COOKIE,
    SIGN_ON_COOKIE,
    VISITOR_COOKIE,
    RequestContext,
    Studio,
)
from folkways_studio.web.routing import sentence
from folkways_studio.web.security.origin import local_address
from folkways_studio.web.settings import WebSettings


def request(method: str = "GET", path: str = "/work", query: str = "", **headers: str) -> Request:
    """A request to lab:8000."""
    named = {"host": "lab:8000", **{name.replace("_", "-"): value for name, value in headers.items()}}
    scope = {"type": "http", "method": method, "path": path, "query_string": query.encode(), "scheme": "http"}
    scope |= {"server": ("10.0.0.5", 8000), "headers": [(k.encode(), v.encode()) for k, v in named.items()]}
    return Request(scope)


def context(asked: Request, origin: str | None = None) -> RequestContext:
    """Of a studio whose settings alone are looked at."""
    parts: dict[str, Any] = dict.fromkeys(field.name for field in fields(Studio))
    return RequestContext(Studio(**parts | {"settings": WebSettings(origin=origin)}), asked, ANYBODY)


@pytest.mark.parametrize(
    ("method", "query", "referer", "here"),
    [
        ("GET", "", "http://lab:8000/other", "/work"),
        ("GET", "page=2&x=%20", "", "/work?page=2&x=%20"),
        ("HEAD", "", "http://lab:8000/other", "/work"),
        ("POST", "page=2", "http://lab:8000/other", "/other"),
        ("POST", "", "http://lab:8000/other?a=b#end", "/other?a=b"),
        ("POST", "page=2", "", "/work"),
        ("POST", "", "http://lab:8001/other", "/work"),
        ("POST", "", "http://evil.example/other", "/work"),
        ("POST", "", "http://lab:8000//evil.example", "/work"),
        ("DELETE", "", "http://lab:8000/other", "/other"),
    ],
)
def test_the_page_that_is_shown_is_the_one_that_was_asked_for_or_whose_form_was_sent(
    method: str, query: str, referer: str, here: str
) -> None:
    asked = request(method, query=query, **({"referer": referer} if referer else {}))
    assert context(asked).here == here
    assert context(asked).is_change is (method in ("POST", "DELETE"))
    assert context(asked).came_from == (here if here.startswith("/other") else "")


def test_pages_below_a_path_are_named_without_it() -> None:
    asked = request("POST", "/studio/work", referer="http://lab:8000/studio/other")
    assert (context(asked, "http://localhost/studio").path, context(asked, "http://localhost/studio").here) == (
        "/work", "/other"
    )  # fmt: skip


@pytest.mark.parametrize(
    ("origin", "name", "path"),
    [
        (None, "folkways_said", "/"),
        ("https://studio.example.org", "__Host-folkways_said", "/"),
        ("https://example.org/studio", "__Secure-folkways_said", "/studio"),
        ("http://localhost/studio", "folkways_said", "/studio"),
    ],
)
def test_cookies_are_bound_as_closely_as_the_address_allows(origin: str | None, name: str, path: str) -> None:
    made = context(request(cookie=f"{name}=saved"), origin)
    assert made.cookie(FLASH_COOKIE) == "saved" and made.cookie(VISITOR_COOKIE) == ""
    made.cookies = {FLASH_COOKIE: "x", VISITOR_COOKIE: "y"}
    said, visitor = made.set_cookies(Response()).headers.getlist("set-cookie")
    common = {"HttpOnly", f"Path={path}", "SameSite=lax", *(["Secure"] if name.startswith("__") else [])}
    assert {*said.split("; ")} == {f"{name}=x", "Max-Age=60", *common}
    assert {*visitor.split("; ")} == {f"{name.replace('said', 'visitor')}=y", *common}, (
        "as long as the browser"
    )
    made.cookies = dict.fromkeys((SESSION_COOKIE, LOCALE_COOKIE, SIGN_ON_COOKIE), "z")
    kept = [
        one.split("Max-Age=")[1].split(";")[0]
        for one in made.set_cookies(Response()).headers.getlist("set-cookie")
    ]
    assert kept == ["31536000", "31536000", "600"]
    made.cookies = {FLASH_COOKIE: None}
    assert "Max-Age=0" in made.set_cookies(Response()).headers["set-cookie"]


@pytest.mark.parametrize(
    ("host", "server", "address"),
    [
        ("localhost:8765", ("127.0.0.1", 8765), "http://localhost:8765"),
        ("127.0.0.1:1", ("127.0.0.1", 8765), "http://127.0.0.1:1"),
        ("evil.example", ("10.0.0.5", 8000), "http://10.0.0.5:8000"),
        ("evil.example", ("fe80::1", 8000), "http://[fe80::1]:8000"),
        ("evil.example", ("10.0.0.5", None), "http://10.0.0.5"),
        ("evil.example", None, "http://127.0.0.1"),
    ],
)
def test_a_forged_host_leads_nobody_elsewhere(
    host: str, server: tuple[str, int | None] | None, address: str
) -> None:
    asked = request(host=host)
    asked.scope["server"] = server
    assert local_address(asked) == context(asked).origin == address
    assert context(asked, "https://example.org/studio/").origin == "https://example.org/studio"


@pytest.mark.parametrize(
    ("accepted", "expected"),
    [
        ("gzip", True),
        ("br, GZIP;q=0.5", True),
        ("br;q=1.0, gzip ; q=0.1", True),
        ("gzip;q=1.0", True),
        ("gzip;q=0", False),
        ("gzip; q = 0.0", False),
        ("gzip;q=0.000", False),
        ("br, deflate", False),
        ("", False),
    ],
)
def test_what_is_compressed_is_long_and_taken_by_the_browser(accepted: str, expected: bool) -> None:
    asked = request(accept_encoding=accepted)
    assert accepts_gzip(asked) is expected
    for length in (SHORTEST - 1, SHORTEST):
        made = compressed(asked, HTMLResponse("x" * length))
        is_packed = expected and length == SHORTEST
        assert made.headers.get("content-encoding") == ("gzip" if is_packed else None)
        assert (
            made.headers["content-length"] == str(len(made.body))
            and made.headers["vary"] == "Accept-Encoding"
        )
        assert (len(made.body) < length) is is_packed


@pytest.mark.parametrize(
    ("header", "codes"),
    [
        ("ko-KR,ko;q=0.9,en;q=0.8", ("ko", "en")),
        ("en;q=0.1, fr ; q=0.9, am;q=0.9", ("fr", "am", "en")),
        ("EN-gb;q=0.5, , ;q=1, es;q=0, fr;q=-1, de;q=x", ("en",)),
        ("", ()),
        (",".join(["xx"] * 20 + ["ko"]), ("xx",)),
        (",".join(["xx"] * 19 + ["ko"]), ("xx", "ko")),
    ],
)
def test_languages_that_a_browser_asks_for_come_best_first(header: str, codes: tuple[str, ...]) -> None:
    assert accepted_languages(header) == codes


def test_addresses_of_the_studio_alone_get_the_prefix() -> None:
    page = (
        '<a href="/work">/work</a><form action="/join" hx-post="/x" formaction="/y"><img src="/s.png">'
        '<a href="//elsewhere/"><a href="https://e.org/"><a href="#top"><a data-href="/z"><i data-draft="/d">'
    )
    assert with_prefix(page, "") == page
    assert with_prefix(page, "/s") == (
        '<a href="/s/work">/work</a><form action="/s/join" hx-post="/s/x" formaction="/s/y"><img src="/s/s.png">'
        '<a href="//elsewhere/"><a href="https://e.org/"><a href="#top"><a data-href="/z"><i data-draft="/s/d">'
    )


@pytest.mark.parametrize(
    ("path", "served"), [("/studio", "/studio"), ("/studio/work", "/studio/work"), ("/work", "/studio/work"),
                         ("/studios", "/studio/studios"), ("/", "/studio/")]
)  # fmt: skip
def test_a_proxy_may_keep_the_prefix_or_leave_it_out(path: str, served: str) -> None:
    scopes: list[Any] = []

    async def application(scope: Any, receive: Any, send: Any) -> None:
        scopes.append(scope)

    nothing: Any = None
    below = PathPrefix(application, prefix="/studio")
    for scope in ({"type": "http", "path": path}, {"type": "lifespan"}):
        asyncio.run(below(scope, nothing, nothing))
    assert scopes == [{"type": "http", "path": served, "root_path": "/studio"}, {"type": "lifespan"}]


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ("there is none", "There is none."),
        ("Why?", "Why?"),
        ("لماذا؟", "لماذا؟"),
        ("stop!", "Stop!"),
        ("my own work.v2.xlsx: has no rows", "my own work.v2.xlsx: has no rows."),
        ("the file: has no rows.", "The file: has no rows."),
        ("", "."),
    ],
)
def test_an_error_is_a_sentence(words: str, shown: str) -> None:
    assert sentence(words) == shown
