"""Words of every language in ``words.toml``: each is found as a word of its own, and no part of another one is
taken for it."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from tomllib import loads
from unicodedata import category, name, normalize

import pytest

from folkways.text.labels import words
from folkways.text.labels.choosing import SERIES

SPELLINGS = sorted(
    {
        spelling
        for lines in loads(Path(words.__file__).with_suffix(".toml").read_text(encoding="utf-8")).values()
        for line in lines.values()
        for spelling in normalize("NFKC", line).split("|")
    }
)
UNSPACED = ("CJK", "HIRAGANA", "KATAKANA", "THAI", "LAO", "MYANMAR", "KHMER")
FURTHER = {"DEVANAGARI": "क", "BENGALI": "ক", "TAMIL": "க", "TELUGU": "క", "MALAYALAM": "ക", "GURMUKHI": "ਕ",
           "GUJARATI": "ક", "KANNADA": "ಕ", "ORIYA": "କ", "SINHALA": "ක", "ARABIC": "ب", "HEBREW": "ב",
           "LATIN": "m", "CYRILLIC": "ж", "GREEK": "μ", "GEORGIAN": "მ", "ARMENIAN": "մ", "ETHIOPIC": "መ", "HANGUL": "을"}  # fmt: skip
"""A letter that continues a word of the script."""


def script(spelling: str) -> str:
    """The first word of the names of its last letter, as Unicode has them."""
    letters = [letter for letter in spelling if category(letter)[0] in "LN"]
    return name(letters[-1]).split()[0] if letters else ""


@cache
def pattern(spelling: str) -> re.Pattern[str]:
    return re.compile(words.any_of([spelling]), re.I)


def is_in(spelling: str, text: str) -> bool:
    return pattern(spelling).search(text) is not None


def test_whatever_letters_are_read_in_a_script_answers_and_denials_are_too() -> None:
    roles = loads(Path(words.__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    letters = {script(letter) for series in SERIES for letter in series if letter}
    for of_roles in (("answer",), ("not", "not_behind")):
        spellings = "|".join("|".join(roles[role].values()) for role in of_roles).split("|")
        written = {
            name(letter).split()[0] for text in spellings for letter in text if category(letter)[0] == "L"
        }
        assert letters - {"KATAKANA"} <= written, "Japanese answers are not written in it"


def of_scripts(*, spaced: bool) -> list[str]:
    return [each for each in SPELLINGS if script(each) and script(each).startswith(UNSPACED) is not spaced]


@pytest.mark.parametrize("around", ["{}", "({}) ", "x {}, y", "“{}”", "1: {}."])
def test_each_is_a_word_between_spaces_and_signs(around: str) -> None:
    texts = {spelling: around.format(spelling.strip("*")) for spelling in SPELLINGS}
    assert [spelling for spelling, text in texts.items() if not is_in(spelling, text)] == []


def test_one_that_is_no_stem_ends_where_its_letters_and_vowel_signs_end() -> None:
    """But for Korean, whose particles are written to the word, and for signs that end a word themselves."""
    closed = [
        each
        for each in of_scripts(spaced=True)
        if not each.endswith("*")
        and category(each[-1])[0] in "LMN"
        and (script(each) != "HANGUL" or len(each) == 1)
    ]
    assert {"जवाब", "পছন্দ"} & {*closed} and any(category(each[-1])[0] == "M" for each in closed)
    assert [each for each in closed if is_in(each, each + FURTHER[script(each)])] == []


def test_a_stem_and_a_korean_word_may_go_on() -> None:
    open_ended = [
        each
        for each in of_scripts(spaced=True)
        if each.endswith("*") or (script(each) == "HANGUL" and len(each) > 1)
    ]
    assert {"HANGUL", "LATIN"} <= {script(each) for each in open_ended}
    assert [each for each in open_ended if not is_in(each, each.strip("*") + FURTHER[script(each)])] == []


def test_none_begins_within_a_word_but_one_that_says_so_and_one_behind_an_arabic_conjunction() -> None:
    begun = [each for each in of_scripts(spaced=True) if category(each[0])[0] == "L"]
    before = {each: FURTHER[script(each)] + each.strip("*") for each in begun}
    assert [each for each, text in before.items() if is_in(each, text)] == []
    assert [each for each in begun for mark in "'’" if is_in(each, f"m{mark}{each.strip('*')}")] == []
    arabic = [each for each in begun if script(each) == "ARABIC"]
    assert (
        arabic
        and [each for each in arabic for and_ in "وف" if not is_in(each, f"{and_}{each.strip('*')}")] == []
    )
    assert [
        each for each in SPELLINGS if each.startswith("*") and not is_in(each, "m" + each.strip("*"))
    ] == []


def test_scripts_without_spaces_are_found_anywhere() -> None:
    unspaced = of_scripts(spaced=False)
    assert unspaced and [each for each in unspaced if not is_in(each, f"เ中{each.strip('*')}あ")] == []


def test_spaces_and_apostrophes_may_be_of_any_kind() -> None:
    spaced = [each for each in SPELLINGS if " " in each or "'" in each]
    assert len(spaced) > 10
    other = {each: each.strip("*").replace(" ", "\u202f \n").replace("'", "’") for each in spaced}
    assert [each for each, text in other.items() if not is_in(each, text)] == []
