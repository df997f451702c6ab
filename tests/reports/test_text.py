from __future__ import annotations

import json
import math
import unicodedata

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from folkways.display import (
    bound,
    count,
    duration,
    escape,
    figure,
    interval,
    json_for_html,
    json_for_terminal,
    number,
    p_value,
    percent,
    plural,
    reasons,
    sanitize,
    shorten,
    shown_n,
    single_line,
    size,
)

TEXT = st.text(alphabet=st.characters(codec="utf-8"))


@given(TEXT)
def test_visible_text_holds_no_control_but_newline_and_tab(text: str) -> None:
    for character in sanitize(text):
        assert unicodedata.category(character) != "Cc" or character in "\n\t"
        assert unicodedata.bidirectional(character) not in {
            "LRE",
            "RLE",
            "LRO",
            "RLO",
            "PDF",
            "LRI",
            "RLI",
            "FSI",
            "PDI",
        }


@given(TEXT)
def test_one_line_is_one_line(text: str) -> None:
    assert len(single_line(text).splitlines()) <= 1


@given(
    st.recursive(
        TEXT | st.integers(-(2**53), 2**53) | st.none(),
        lambda inner: st.lists(inner) | st.dictionaries(TEXT, inner),
    )
)
def test_json_for_html_is_the_same_json_and_cannot_end_its_element(value: object) -> None:
    text = json_for_html(value)
    assert json.loads(text) == value
    assert not set("<>&\u2028\u2029") & set(text)


def test_visible_writes_out_what_would_act_or_hide() -> None:
    assert sanitize("a\u202eb\x1b[2J\x00\u200b\U000e0041") == "a⟨U+202E⟩b⟨U+001B⟩[2J⟨U+0000⟩⟨U+200B⟩⟨U+E0041⟩"
    assert sanitize("می‌خورند") == "می‌خورند"
    assert sanitize("a\r\nb\rc") == "a\nb⟨U+000D⟩c"


@pytest.mark.parametrize(
    ("value", "shown"),
    [(61.25, "61.2"), (0.0, "0.0"), (-0.04, "0.0"), (-3.5, "\u22123.5"), (float("nan"), "–"), (None, "–")],
)
def test_numbers(value: float | None, shown: str) -> None:
    assert number(value) == shown


@pytest.mark.parametrize(
    ("share", "shown"),
    [
        (1.0, "100\u202f%"),
        (0.99999, "99.9\u202f%"),
        (0.0, "0\u202f%"),
        (0.00001, "<\u202f0.1\u202f%"),
        (0.5, "50.0\u202f%"),
    ],
)
def test_percentages_are_whole_only_when_they_are_exact(share: float, shown: str) -> None:
    assert percent(share) == shown


P_VALUES = [
    (None, "–"),
    (math.nan, "–"),
    (0.0004, "<.001"),
    (0.034, ".034"),
    (0.0496, ".0496"),
    (0.04999, ".04999"),
    (0.05, ".050"),
    (0.0504, ".0504"),
    (0.0506, ".051"),
    (0.9996, "1"),
]


@pytest.mark.parametrize(("value", "shown"), P_VALUES)
def test_a_p_says_on_which_side_of_five_percent_it_is(value: float | None, shown: str) -> None:
    assert p_value(value) == shown


@given(st.floats(0.001, 0.999))
def test_a_printed_p_is_significant_exactly_where_the_p_is(value: float) -> None:
    assert (float(p_value(value)) < 0.05) == (value < 0.05)


@pytest.mark.parametrize(
    ("value", "shown"),
    [(4.94, "4.9"), (0.0, "0.0"), (0.05, "0.1"), (0.049, "0.05"), (0.03, "0.03"), (-0.0004, "\u22120.0004")],
)
def test_a_bound_that_is_not_zero_is_not_written_as_zero(value: float, shown: str) -> None:
    assert bound(value) == shown


@given(st.floats(-50, 50))
def test_a_bound_keeps_its_side_of_zero(value: float) -> None:
    assume(not 0 < abs(value) < 1e-12)
    written = float(bound(value).replace("\u2212", "-"))
    assert (written > 0, written < 0) == (value > 0, value < 0)


def test_counts_durations_and_plurals() -> None:
    assert (count(999), count(9999), count(10_000)) == ("999", "9,999", "10,000")
    assert (duration(0.42), duration(9.96), duration(41.6)) == ("0.4 s", "10 s", "42 s")
    assert (duration(200), duration(7500)) == ("3 min 20 s", "2 h 5 min")
    assert (interval(9.04, 45.2), interval(None, None), interval(math.nan, math.nan)) == (
        "9.0 – 45.2",
        "–",
        "–",
    )
    assert (plural(1, "culture"), plural(2, "culture")) == ("1 culture", "2 cultures")
    assert shorten("abcdef", 4) == "abc…"


def test_a_figure_has_one_decimal_three_below_1_and_one_digit_where_three_would_show_nothing() -> None:
    shown = {
        0.0: "0.000",
        0.0096: "0.01",
        0.0004: "0.0004",
        -0.00123: "-0.001",
        0.01: "0.010",
        0.0123: "0.012",
        0.99: "0.990",
        -0.5: "\u22120.500",
        1.0: "1.0",
        -1.0: "\u22121.0",
        12.34: "12.3",
        math.nan: "–",
    }
    assert {value: figure(value) for value in shown} == shown


def test_characters_that_nobody_sees_are_written_as_escapes_of_two_four_or_eight_digits() -> None:
    text = "a\n\r\t b\x00\x9f\xad\xff\u0fff\u200d\u2028\ue000\uffff\U0001f600\U000e0041"
    assert escape(text) == (
        "a\\n\\r\\t b\\x00\\x9f\\xad\xff\\u0fff\\u200d\\u2028\\ue000\\uffff\U0001f600\\U000e0041"
    )
    assert (escape("abcd", 4), escape("abcde", 4), escape("a\nbc", 4)) == ("abcd", "abc…", "a\\n…")


def test_sizes_denominators_and_reasons_in_words() -> None:
    sizes = {
        0: "1 kB",
        499: "1 kB",
        1600: "2 kB",
        999_499: "999 kB",
        1_000_000: "1.0 MB",
        3_249_999: "3.2 MB",
    }
    assert {characters: size(characters).replace("\u202f", " ") for characters in sizes} == sizes
    assert (shown_n(1234), shown_n(1234, 34)) == ("1,234", "1,200 of 1,234")
    assert shown_n(3993, 0, 9.4) == "3,993 (worth 9 questions)"
    assert shown_n(10, 6, 0.9) == "4 of 10 (worth 1 question)"
    assert (
        reasons('{"refused": 195, "un\\nreadable": 2838, "cut": 7}')
        == "2,838 un readable, 195 refused, 7 cut"
    )
    assert (reasons(None), reasons("")) == ("", "")


@given(TEXT)
def test_json_for_a_terminal_is_exact_and_does_nothing_there(value: str) -> None:
    printed = json_for_terminal({"value": value, "more": ["\x9b31m\u202e\u200b\U000e0041", 1]})
    assert json.loads(printed) == {"value": value, "more": ["\x9b31m\u202e\u200b\U000e0041", 1]}
    assert sanitize(printed) == printed
