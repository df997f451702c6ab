"""Whole words, perhaps with a particle or a plural grown onto them."""

from __future__ import annotations

import pytest

from folkways.text.normalise import has_phrase


@pytest.mark.parametrize(
    ("words", "phrase", "language", "there"),
    [
        (" fried rice ", " rice ", "en", True),
        (" green apples ", " apple ", "en", True),
        (" steak ", " tea ", "en", False),
        (" teapot ", " tea ", "en", False),
        (" 김치를 먹어요 ", " 김치 ", "ko", True),
        (" 학생들에게는 ", " 학생 ", "ko", True),
        (" 김치찌개 ", " 김치 ", "ko", False),
        (" 물김치 ", " 김치 ", "ko", False),
        (" çaydır ", " çay ", "az", True),
        (" çayxana ", " çay ", "az", False),
        (" tazas ", " taza ", "es", False),
        (" apple pies and apples ", " apple ", "en", True),
    ],
)
def test_words_with_endings(words: str, phrase: str, language: str, there: bool) -> None:
    assert has_phrase(words, phrase, language) is there


PLACES = {
    "en": ("tea", "teapot", "steak", "teas"),
    "ko": ("김치", "김치찌개", "물김치", "김치를"),
    "az": ("çay", "çayxana", "qaçay", "çaydır"),
}
"""Language -> a word, one that begins with it, one that ends in it, and the word with an ending."""


@pytest.mark.parametrize("language", PLACES)
@pytest.mark.parametrize("times", [1, 2])
def test_a_word_is_found_at_its_second_place(language: str, times: int) -> None:
    """Where it is only part of a word before, behind, and before once more."""
    word, longer, behind, ended = PLACES[language]
    others = f"{longer} {behind} " * times
    for words, there in (
        (others, False),
        (f"{others}{word} ", True),
        (f"{others}{ended} ", True),
        (f"{word} {others}", True),
        (f"{ended} {others}", True),
        (f"{others}{ended} {others}", True),
        (f"{others}{ended}{longer} ", False),
        (f"{longer}{ended} ", False),
        (f"{others}{ended}{ended[len(word) :]}{longer} ", False),
    ):
        assert has_phrase(f" {words}", f" {word} ", language) is there, words


@pytest.mark.parametrize(
    ("words", "there"),
    [
        (" rice with rice cakes ", True),
        (" rice and rice cake ", True),
        (" rice rice cake ", True),
        (" rice cakery rice cakes ", True),
        (" rice cakery rice cakewalk ", False),
        (" cake rice rice ", False),
        (" rice cake's rice cake'sx ", True),
    ],
)
def test_a_phrase_whose_first_word_stands_twice(words: str, there: bool) -> None:
    assert has_phrase(words, " rice cake ", "en") is there
