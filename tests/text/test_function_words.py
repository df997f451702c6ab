"""Replies in another language of the same script."""

from __future__ import annotations

import pytest

from folkways.benchmarks.semeval2026.tasks import LANGUAGES
from folkways.cultures import cultures_of, get_language
from folkways.text.scripts import FUNCTION_WORDS, in_another_language


@pytest.mark.parametrize(
    ("text", "language", "other", "foreign"),
    [
        ("The most common snack is fruit and bread", "es", "en", True),
        ("El bocadillo es lo más común en los colegios", "es", "en", False),
        ("El bocadillo es lo más común en los colegios", "en", "es", True),
        ("Orang biasanya makan nasi dengan ayam di rumah", "en", "id", True),
        ("nasi goreng", "id", "en", False),
        ("fried rice", "id", "en", False),  # too short to tell
        ("Virgen de la Candelaria", "en", "es", False),  # a name
        ("the bread", "es", "en", False),
        ("Suna cin shinkafa da miya a gida", "ha", "en", False),
        ("They usually eat rice with the stew", "ha", "en", True),
        ("Bu çox vaxt plov və ya kabab olur", "az", "en", False),
        ("Les enfants mangent souvent du pain au chocolat", "fr", "en", False),
        ("The children often have bread for it", "fr", "en", True),
        ("Det är vanligt att äta bröd med ost", "sv", "en", False),
        ("barley tea", "ko", "en", True),  # by script
        ("보리차", "ko", "en", False),
        ("The Beatles", "en", "en", False),
        ("12:30", "es", "en", None),
    ],
)
def test_language_of_replies(text: str, language: str, other: str, foreign: bool | None) -> None:
    assert in_another_language(text, language, other) is foreign


def test_every_language_in_latin_script_has_words() -> None:
    asked = {*LANGUAGES, *(culture.languages[0] for culture in cultures_of("blend"))}
    assert {code for code in asked if get_language(code).script == "Latn"} == set(FUNCTION_WORDS)
