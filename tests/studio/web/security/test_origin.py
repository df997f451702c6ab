"""Whose pages may send forms, and which tokens they carry."""

from __future__ import annotations

import hashlib

import pytest
from starlette.requests import Request

from folkways.studio.web.security.origin import FIELD, HEADER, from_own_page, tokens_match, visitor_token


@pytest.mark.parametrize(
    ("origin", "headers", "own"),
    [
        (None, {"host": "lab:8000", "origin": "http://lab:8000"}, True),
        (None, {"host": "lab:8000", "origin": "https://lab:8000"}, True),
        (None, {"host": "lab:8000", "origin": "http://lab"}, False),
        (None, {"host": "lab:8000", "referer": "http://lab:8000/work"}, True),
        (None, {"host": "lab:8000", "origin": "http://evil", "referer": "http://lab:8000/work"}, False),
        (None, {"host": "lab:8000", "referer": "lab:8000/work"}, False),
        (None, {"host": "lab:8000", "referer": "//lab:8000/work"}, False),
        (None, {"host": "lab:8000", "referer": "http:/work"}, False),
        (None, {"host": "lab:8000"}, False),
        (None, {"host": "", "origin": "null"}, False),
        (None, {"origin": "null"}, False),
        (None, {"origin": "http://lab"}, False),
        (None, {}, False),
        ("https://lab/", {"host": "inner", "origin": "https://lab"}, True),
        ("https://lab", {"host": "inner", "origin": "http://inner"}, False),
        ("https://lab", {"host": "lab"}, False),
    ],
)
def test_a_form_comes_from_a_page_of_this_server_or_not(origin: str | None, headers: dict[str, str], own: bool) -> None:
    scope = {"type": "http", "headers": [(name.encode(), value.encode()) for name, value in headers.items()]}
    assert from_own_page(Request(scope), origin) is own


@pytest.mark.parametrize(
    ("expected", "given", "match"), [("abc", "abc", True), ("abc", "abd", False), ("abc", "ab", False), ("abc", None, False)]
)
def test_tokens_match_or_not(expected: str, given: str | None, match: bool) -> None:
    assert tokens_match(expected, given) is match


def test_tokens_of_visitors_and_their_names() -> None:
    assert visitor_token("v") == hashlib.sha256(b"form of v").hexdigest()
    assert (FIELD, HEADER) == ("csrf", "x-csrf-token")
