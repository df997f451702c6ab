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
