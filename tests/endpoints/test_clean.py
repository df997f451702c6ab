from __future__ import annotations

import unicodedata

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from folkways.endpoints.clean import quotable, scrub, storable, thoughts_apart
from folkways.endpoints.servers.chat_completions import count_of, text_of
from folkways.endpoints.servers.failures import read_error
from folkways.endpoints.servers.http import from_json, to_json

ANY_TEXT = st.text(st.characters(codec=None))
SECRET = st.text("abcXYZ019-_", min_size=8, max_size=40)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | ANY_TEXT,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["error", "message", "code", "text"]) | ANY_TEXT, inner)
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


@pytest.mark.parametrize(
    ("value", "count"),
    [
        (0, 0),
        (7, 7),
        (7.0, 7),
        (2**53 - 1, 2**53 - 1),
        *(
            (odd, None)
            for odd in (7.5, -1, -1.0, 2**53, 1e300, float("nan"), float("inf"), True, "7", None, [7])
        ),
    ],
)
def test_a_count_is_a_whole_number_however_it_is_written(value, count):
    assert count_of({"n": value}, "n") == count
    assert count_of([value], "n") is None


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


@pytest.mark.parametrize(
    ("text", "thoughts", "reply"),
    [
        ("A", None, "A"),
        ("I think <b>A</b>", None, "I think <b>A</b>"),
        ("<think>B?</think>A", "B?", "A"),
        ("\n<think>\nB?\nC?\n</think>\n\nThe answer is A.\n", "B?\nC?", "The answer is A.\n"),
        ("<thinking>B?</thinking> A", "B?", "A"),
        ("B? No.\n</think>\nA", "B? No.", "A"),  # the prompt of its template ends with <think>
        ("<think></think>\n\nA", "", "A"),
        ("<think>B?</think><think>C?</think>A", "B?\n\nC?", "A"),
        ("<think>The answer is B", "The answer is B", ""),  # cut before the end
        ("<think>B?</think><think>The answer is C", "B?\n\nThe answer is C", ""),
        ("<think>", "", ""),
        ("A, I said <think>", None, "A, I said <think>"),
        ("<think>B?</think>", "B?", ""),
        ("<think>B?</think>A, by my <think>tags</think>", "B?", "A, by my <think>tags</think>"),
        ("A: write <think>so</think>", None, "A: write <think>so</think>"),
    ],
)
def test_thoughts_before_a_reply_stand_apart(text, thoughts, reply):
    assert thoughts_apart(text) == (thoughts, reply)
    assert thoughts_apart(reply) == (None, reply)


MARKS = [  # as the templates of these models write them
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<thought>", "</thought>"),
    ("<seed:think>", "</seed:think>"),
    ("[THINK]", "[/THINK]"),
    ("◁think▷", "◁/think▷"),
    ("<|START_THINKING|>", "<|END_THINKING|>"),
    ("<|inner_prefix|>", "<|inner_suffix|>"),
    ("<|START_THINKING|>", "<|END_THINKING|><|START_RESPONSE|>"),
    ("<|channel|>analysis<|message|>", "<|end|><|start|>assistant<|channel|>final<|message|>"),
]


@pytest.mark.parametrize(("begin", "end"), MARKS, ids=[begin for begin, _ in MARKS])
def test_each_models_marks_end_its_own_thoughts_and_no_others(begin: str, end: str) -> None:
    assert thoughts_apart(f"{begin}\nB?\n{end}\n\nA") == ("B?", "A")
    assert thoughts_apart(f"B?{end}A") == ("B?", "A")
    assert thoughts_apart(f"{begin}The answer is B") == ("The answer is B", "")
    assert thoughts_apart(f"A: write {begin}so{end}") == (None, f"A: write {begin}so{end}")
    assert thoughts_apart(f"{begin}B?{end}{begin}C?{end}A", "D?") == ("D?\n\nB?\n\nC?", "A")
    for other, other_end in MARKS:
        if "think" not in {other.strip("<ing>"), begin.strip("<ing>")}:
            both = f"{other}B?{other_end}" if other != begin else ""
            assert thoughts_apart(f"{begin}{both}{end}A") == (both, "A")
        if other != begin:
            assert thoughts_apart(f"{begin}B?{end}{other}C?{other_end}A") == ("B?\n\nC?", "A")


@pytest.mark.parametrize("closing", ["<|END_RESPONSE|>", "<|return|>"])
def test_what_closes_a_reply_after_thoughts_is_no_part_of_it(closing: str) -> None:
    for begin, end in MARKS:
        assert thoughts_apart(f"{begin}B?{end}A{closing}\n") == ("B?", "A")
    assert thoughts_apart(f"<think>B?</think>A {closing} B") == ("B?", f"A {closing} B")
    assert thoughts_apart(f"A{closing}") == (None, f"A{closing}")


@given(st.text(), st.text())
def test_a_reply_is_what_follows_the_thoughts(thoughts, reply):
    assume("think>" not in thoughts and "<think" not in thoughts and "think" not in reply)
    found, said = thoughts_apart(f"<think>{thoughts}</think>{reply}")
    assert (found, said) == (thoughts.strip(), reply.lstrip())
    assert thoughts_apart(reply) == (None, reply)


def test_endless_thoughts_are_taken_apart_in_no_time():
    """Each of these would be slow for a pattern that tries again at every character."""
    for text in (
        "<think>" * 20_000,
        "<think>" + "</" * 100_000,
        " " * 100_000 + "think",
        "think</thin" * 20_000,
        "<think></think>" * 20_000,
    ):
        assert thoughts_apart(text)[1] in ("", text)
