"""Seeing that a reply came in another script."""

from __future__ import annotations

import re

import pytest

from folkways.cultures import languages
from folkways.text.scripts import RANGES, in_another_script, letters_of, script_counts


def test_the_most_frequent_script_comes_first() -> None:
    assert script_counts("김치 kimchi") == {"Latn": 6, "Hang": 2}
    assert script_counts("123 …") == {}


@pytest.mark.parametrize(
    ("text", "language", "another"),
    [
        ("김치", "ko", False),
        ("kimchi", "ko", True),
        ("KFC 치킨 가게", "ko", False),
        ("茶", "zh", False),
        ("চাহ", "as", False),
        ("ቡና", "am", False),
        ("چای", "fa", False),
        ("чай", "az", True),
        ("çay", "az", False),
        ("ƙwai", "ha", False),
        ("42", "ko", None),
    ],
)
def test_scripts_of_replies(text: str, language: str, another: bool | None) -> None:
    assert in_another_script(text, language) is another


def test_every_language_is_written_in_a_script_that_is_known() -> None:
    for code, language in languages().items():
        assert in_another_script(language.endonym, code) is False, code
    assert len(RANGES) > 10


def test_letters_of_a_language_are_those_of_every_script_it_is_written_in() -> None:
    serbian = re.compile(f"[{letters_of('sr')}]")
    assert serbian.fullmatch("ж") and serbian.fullmatch("ž") and not serbian.fullmatch("ж".upper() + "ক")
    assert re.fullmatch(f"[{letters_of('ja')}]+", "日本のカナ") and not re.search(
        f"[{letters_of('bn')}]", "Dhaka"
    )
    assert all(re.search(f"[{letters_of(code)}]", language.endonym) for code, language in languages().items())


OTHER_LETTER = {"Latn": "ж"}
"""A letter that is not of the script; a Latin one for all others."""


@pytest.mark.parametrize("code", sorted(languages()))
def test_exactly_half_is_not_another_script(code: str) -> None:
    """As many letters of the own script as of another: not fewer than half. One more is."""
    entry = languages()[code]
    own = next(letter for letter in entry.endonym if in_another_script(letter, code) is False)
    other = OTHER_LETTER.get(entry.script, "x")
    for letters in (1, 2, 5):
        assert in_another_script(own * letters + other * letters, code) is False
        assert in_another_script(f"{other * letters} 42 {own * letters}!", code) is False
        assert in_another_script(own * letters + other * (letters + 1), code) is True
        assert in_another_script(own * (letters + 1) + other * letters, code) is False
    assert in_another_script(other, code) is True


@pytest.mark.parametrize(
    ("text", "language", "another"),
    [
        ("日カab", "ja", False),  # two scripts of one language count together
        ("日カabc", "ja", True),
        ("日カxжx", "ja", True),  # and two others as well
        ("日カxж", "ja", False),
        ("日カ한글", "ja", False),
        ("日カ한글x", "ja", True),
        ("ab, 12 (жэ)", "en", False),
    ],
)
def test_scripts_are_summed_on_both_sides(text: str, language: str, another: bool) -> None:
    assert in_another_script(text, language) is another
