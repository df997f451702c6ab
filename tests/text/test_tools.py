"""The registry of text tools, and the segmenter that works for every language."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkways.cultures import languages
from folkways.errors import UnknownNameError
from folkways.text.tools import get_tool

TEXTS = {
    "en": ("fish-and-chips, don't!", ["fish", "and", "chips", "don't"]),
    "es": ("¿Café con leche?", ["Café", "con", "leche"]),
    "id": ("nasi goreng (pedas)", ["nasi", "goreng", "pedas"]),
    "zh": ("喝茶，ABC。", ["喝", "茶", "ABC"]),
    "ko": ("김치를 먹는다.", ["김치를", "먹는다"]),
    "ar": ("شاي، قهوة", ["شاي", "قهوة"]),
    "el": ("Καφές· τσάι", ["Καφές", "τσάι"]),
    "fa": ("تخم\u200cمرغ و نان", ["تخم\u200cمرغ", "و", "نان"]),
    "az": ("çay, İçki", ["çay", "İçki"]),
    "su": ("béas jeung lauk", ["béas", "jeung", "lauk"]),
    "as": ("চাহ, ভাত।", ["চাহ", "ভাত"]),
    "bn": ("চা খাই।", ["চা", "খাই"]),
    "ha": ("shinkafa, 'ƙwai'", ["shinkafa", "ƙwai"]),
    "am": ("ቡና፣ ሻይ።", ["ቡና", "ሻይ"]),
}


@pytest.mark.parametrize("language", TEXTS)
def test_words_of_every_language(language: str) -> None:
    text, words = TEXTS[language]
    assert get_tool(language).tokens(text) == words


def test_every_language_of_the_table_has_a_tool() -> None:
    assert {get_tool(code).name for code in languages()} == {"simple"}


@pytest.mark.parametrize(
    ("text", "tokens"), [("10:30", ["10:30"]), ("1,000.5 g", ["1,000.5", "g"]), ("25/12", ["25/12"]), ("at 3.", ["at", "3"])]
)
def test_numbers_stay_whole(text: str, tokens: list[str]) -> None:
    assert get_tool("en").tokens(text) == tokens


@given(st.text())
def test_only_blank_texts_have_no_tokens_and_none_is_blank(text: str) -> None:
    tokens = get_tool("en").tokens(text)
    assert bool(tokens) == bool(text.split())
    assert all(token.strip() for token in tokens)


def test_unknown_names_list_the_valid_ones() -> None:
    with pytest.raises(UnknownNameError, match="simple"):
        get_tool("en", "spacy")
    with pytest.raises(UnknownNameError, match="ko"):
        get_tool("xx")
