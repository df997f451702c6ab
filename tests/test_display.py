"""Untrusted text made safe to show, and numbers in the words of tables and sentences: tables written by hand."""

from __future__ import annotations

import json
import math

import pytest

from folkways import display

NAN = math.nan
THIN = "\u202f"


@pytest.mark.parametrize(
    ("text", "shown", "on_one_line"),
    [
        ("a\tb\nc", "a\tb\nc", "a\tb c"),
        ("a\r\nb", "a\nb", "a  b"),
        ("gone\rback", "gone⟨U+000D⟩back", "gone back"),
        (" padded ", " padded ", "padded"),
        ("\x1b[31mred", "⟨U+001B⟩[31mred", "⟨U+001B⟩[31mred"),
        (
            "\x08\x0b\x1f \x7f\x9f\xa0",
            "⟨U+0008⟩⟨U+000B⟩⟨U+001F⟩ ⟨U+007F⟩⟨U+009F⟩\xa0",
            "⟨U+0008⟩⟨U+000B⟩⟨U+001F⟩ ⟨U+007F⟩⟨U+009F⟩",
        ),
        ("\u202eevil\u2069", "⟨U+202E⟩evil⟨U+2069⟩", "⟨U+202E⟩evil⟨U+2069⟩"),
        ("\u061c\u200e\u200f\u200b", "⟨U+061C⟩⟨U+200E⟩⟨U+200F⟩⟨U+200B⟩", "⟨U+061C⟩⟨U+200E⟩⟨U+200F⟩⟨U+200B⟩"),
        (
            "\u2028\u2029\u2064\ufeff\ufff9",
            "⟨U+2028⟩⟨U+2029⟩⟨U+2064⟩⟨U+FEFF⟩⟨U+FFF9⟩",
            "⟨U+2028⟩⟨U+2029⟩⟨U+2064⟩⟨U+FEFF⟩⟨U+FFF9⟩",
        ),
        ("\U000e0041\U000e007f", "⟨U+E0041⟩⟨U+E007F⟩", "⟨U+E0041⟩⟨U+E007F⟩"),
        ("می\u200cخواهم क्\u200dष", "می\u200cخواهم क्\u200dष", "می\u200cخواهم क्\u200dष"),
    ],
)
def test_what_cannot_be_seen_is_shown_by_its_code(text: str, shown: str, on_one_line: str) -> None:
    assert display.sanitize(text) == shown
    assert display.single_line(text) == on_one_line


def test_escapes_are_those_of_python() -> None:
    text = "a\n\r\t\x00\x7f\xad\u200d\u202e\ue000\U000e0041\U0010ffff é한"
    assert display.escape(text) == (r"a\n\r\t\x00\x7f\xad\u200d\u202e\ue000\U000e0041\U0010ffff é한")
    assert display.escape("ab\ncd", 4) == r"ab\…" and display.escape("ab\n", 4) == r"ab\n"


def test_a_longer_text_ends_with_an_ellipsis_within_its_limit() -> None:
    assert [display.shorten("abcd", limit) for limit in (5, 4, 3, 1)] == ["abcd", "abcd", "ab…", "…"]


def test_json_has_no_number_that_json_lacks_and_no_character_that_acts() -> None:
    value = {"a": [1.5, NAN, (math.inf, 2)], "é": "\x1b\u202e\n", "none": None}
    shown = display.json_for_terminal(value)
    assert shown == (
        '{\n  "a": [\n    1.5,\n    null,\n    [\n      null,\n      2\n    ]\n  ],\n'
        '  "é": "\\u001b\\u202e\\n",\n  "none": null\n}'
    )
    assert json.loads(shown)["é"] == value["é"]
    page = display.json_for_html({"a": "</script><!-- & \u2028\u2029"})
    assert page == '{"a":"\\u003c/script\\u003e\\u003c!-- \\u0026 \\u2028\\u2029"}'


NUMBERS = [
    (display.figure, {0: "0.000", 0.0099: "0.01", 0.004: "0.004", 0.01: "0.010", 0.5: "0.500", 0.9994: "0.999"}),
    (display.figure, {1: "1.0", -1: "−1.0", 12.34: "12.3", -0.5: "−0.500"}),
    (display.number, {None: "–", NAN: "–", 12.34: "12.3", -3.25: "−3.2", -0.04: "0.0", 1234.5: "1234.5"}),
    (display.bound, {0: "0.0", 0.05: "0.1", 0.049: "0.05", -0.004: "−0.004", 12: "12.0", 0.01: "0.01"}),
    (display.count, {None: "–", 0: "0", 999: "999", 1234567: "1,234,567"}),
    (
        display.percent,
        {
            None: "–", NAN: "–", 0: f"0{THIN}%", 1: f"100{THIN}%", 0.9999: f"99.9{THIN}%", 0.998: f"99.8{THIN}%",
            0.0004: f"<{THIN}0.1{THIN}%", 0.001: f"0.1{THIN}%", 0.125: f"12.5{THIN}%", 0.5: f"50.0{THIN}%",
        },
    ),
    (
        display.signed,
        {None: "–", NAN: "–", -0.04: "0.0", 0.0: "0.0", 0.04: "0.0", 0.06: "+0.1", -0.06: "−0.1", 12: "+12.0"},
    ),
    (
        display.p_value,
        {
            None: "–", NAN: "–", 0.0009: "<.001", 0.001: ".001", 0.0344: ".034", 0.04996: ".04996", 0.05: ".050",
            0.05004: ".05004", 0.9994: ".999", 0.9995: "1", 1: "1",
        },
    ),
    (
        display.duration,
        {
            0.04: "0.0 s", 0.44: "0.4 s", 9.94: "9.9 s", 9.95: "10 s", 42.4: "42 s", 59.4: "59 s", 59.6: "1 min 0 s",
            200: "3 min 20 s", 3599: "59 min 59 s", 3600: "1 h 0 min", 7505: "2 h 5 min",
        },
    ),
    (
        display.size,
        {1: f"1{THIN}kB", 1600: f"2{THIN}kB", 640_000: f"640{THIN}kB", 999_499: f"999{THIN}kB",
         1_000_000: f"1.0{THIN}MB", 3_240_000: f"3.2{THIN}MB"},
    ),
    (
        display.reasons,
        {None: "", "": "", '{"refused": 195, "unreadable": 2838, "x\\ny": 1}': "2,838 unreadable, 195 refused, 1 x y"},
    ),
]  # fmt: skip


@pytest.mark.parametrize(("show", "cases"), NUMBERS, ids=lambda part: getattr(part, "__name__", ""))
def test_numbers_are_written_as_the_table_says(show, cases) -> None:  # type: ignore[no-untyped-def]
    assert {value: show(value) for value in cases} == cases


def test_numbers_in_company() -> None:
    assert (display.signed(0.004, 2), display.signed(0.006, 2), display.signed(-1, 0)) == (
        "0.00",
        "+0.01",
        "−1",
    )
    assert display.number(0.12345, 3) == "0.123" and display.number(7.6, 0) == "8"
    assert display.interval(9, 45.24) == "9.0 – 45.2" and display.interval(-1, 2, " to ") == "−1.0 to 2.0"
    assert [display.interval(*ends) for ends in ((None, 1), (1, None), (NAN, 1), (1, NAN))] == ["–"] * 4
    assert display.p_value(0.0104, 0.01) == ".0104" and display.p_value(0.00999, 0.01) == ".00999"
    assert [display.plural(amount, "culture") for amount in (0, 1, 1600)] == [
        "0 cultures",
        "1 culture",
        "1,600 cultures",
    ]
    assert (
        display.plural(2, "reply", "replies") == "2 replies"
        and display.plural(1, "reply", "replies") == "1 reply"
    )
    assert display.shown_n(1000) == "1,000" and display.shown_n(10, 6) == "4 of 10"
    assert display.shown_n(3993, effective_questions=9.4) == "3,993 (worth 9 questions)"
    assert display.shown_n(12, 2, 1.2) == "10 of 12 (worth 1 question)"
