"""Whose pages may send forms, and which tokens they carry."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.requests import Request

from folkways_studio.web.security.origin import (
    FIELD,
    HEADER,
    from_own_page,
    masked,
    tokens_match,
    visitor_token,
)


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
def test_a_form_comes_from_a_page_of_this_server_or_not(
    origin: str | None, headers: dict[str, str], own: bool
) -> None:
    scope = {"type": "http", "headers": [(name.encode(), value.encode()) for name, value in headers.items()]}
    assert from_own_page(Request(scope), origin) is own


@pytest.mark.parametrize(
    ("expected", "given", "match"),
    [("abc", "abc", True), ("abc", "abd", False), ("abc", "ab", False), ("abc", None, False)],
)
def test_tokens_match_or_not(expected: str, given: str | None, match: bool) -> None:
    assert tokens_match(expected, given) is match


@given(st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=64))
def test_a_masked_token_is_the_token_and_looks_like_another_each_time(token: str) -> None:
    first, second = masked(token), masked(token)
    assert first != second or len(token) < 4
    assert tokens_match(token, first) and tokens_match(token, second)
    assert (
        not tokens_match(token + "x", first)
        and not tokens_match(token, first[:-4])
        and not tokens_match(token, "")
    )


@pytest.mark.parametrize("sent", ["", "====", "é", "a", "AAAA", "AAA", "\ud800"])
def test_whatever_is_sent_in_place_of_a_token_is_refused(sent: str) -> None:
    assert not tokens_match("abc", sent)


def test_tokens_of_visitors_and_their_names() -> None:
    assert visitor_token("v") == hashlib.sha256(b"form of v").hexdigest()
    assert (FIELD, HEADER) == ("csrf", "x-csrf-token")
