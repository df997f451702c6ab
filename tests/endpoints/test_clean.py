from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from folkways.endpoints.clean import quotable, scrub, storable
from folkways.endpoints.servers.failures import read_error
from folkways.endpoints.servers.http import count_of, from_json, text_of, to_json

ANY_TEXT = st.text(st.characters(codec=None))
SECRET = st.text("abcXYZ019-_", min_size=8, max_size=40)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | ANY_TEXT,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["error", "message", "code", "text"]) | ANY_TEXT, inner)
    ),
    max_leaves=12,
)


@given(ANY_TEXT)
def test_storable_text_fits_everywhere(text):
    found = storable(text)
    found.encode("utf-8")
    assert "\0" not in found
    assert len(found) == len(text)
    assert all(new == old or new == "\ufffd" for new, old in zip(found, text, strict=True))
    assert storable(found) == found


@given(ANY_TEXT, SECRET, ANY_TEXT, st.integers(5, 400))
def test_quotes_are_short_single_lines_without_secrets(before, secret, after, limit):
    found = quotable(before + secret + after, [secret], limit)
    assert secret not in found
    assert len(found) <= limit
    assert not any(unicodedata.category(character) in {"Cc", "Cs", "Zl", "Zp"} for character in found)


@given(SECRET, st.sampled_from(["\x00", "\u200b", "\n", "\u202e"]))
def test_a_secret_that_stands_between_controls_is_found(secret, control):
    assert secret not in quotable(f"key {control}{secret}{control}", [secret])


def test_the_longer_secret_goes_first():
    assert scrub("Basic abcdefgh1234", ["abcdefgh", "abcdefgh1234", ""]) == "Basic [key]"


@given(JSON)
def test_no_error_body_is_too_odd_to_read(payload):
    assert isinstance(read_error(payload, b"{}").message, str)


@given(JSON)
def test_no_content_is_too_odd_to_read(content):
    text_of(content).encode("utf-8")
    assert count_of(content, "text") is None or count_of(content, "text") >= 0


@given(st.binary())
def test_no_bytes_are_too_odd_to_read(raw):
    from_json(raw)


def test_deep_nesting_is_no_crash():
    assert from_json(b"[" * 200_000) is None


def test_a_byte_order_mark_is_no_part_of_the_reply() -> None:
    assert from_json(b'\xef\xbb\xbf{"a": "\xef\xbb\xbf"}') == {"a": "\ufeff"}


@given(ANY_TEXT)
def test_any_prompt_can_be_sent(text):
    sent = from_json(to_json({"content": text}))["content"]
    assert sent == text or any("\ud800" <= character <= "\udfff" for character in text)
