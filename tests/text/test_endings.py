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
