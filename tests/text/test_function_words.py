"""Replies in another language of the same script."""

from __future__ import annotations

import pytest

from folkways.benchmarks.semeval2026.tasks import LANGUAGES
from folkways.cultures import cultures_of, get_language
from folkways.text.scripts import FUNCTION_WORDS, LEAST, in_another_language


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


def own_words(language: str, other: str) -> list[str]:
    """Words of grammar of one language that are none of another's."""
    return sorted(FUNCTION_WORDS[language] - FUNCTION_WORDS[other])


PAIRS = [
    (language, other)
    for language in sorted(FUNCTION_WORDS)
    for other in sorted(FUNCTION_WORDS)
    if min(len(own_words(language, other)), len(own_words(other, language))) >= LEAST
]


def test_all_languages_can_be_told_apart_but_indonesian_and_malay() -> None:
    together = {frozenset((one, other)) for one in FUNCTION_WORDS for other in FUNCTION_WORDS if one != other}
    assert together - {frozenset(pair) for pair in PAIRS} == {frozenset(("id", "ms"))}


def test_another_language_has_three_words_of_grammar_and_more_than_the_own() -> None:
    """Names and nouns count for neither, and a word of both for both."""
    for language, other in PAIRS:
        check_words(language, other)


def check_words(language: str, other: str) -> None:
    own, foreign = own_words(language, other), own_words(other, language)
    few, enough = " ".join(foreign[: LEAST - 1]), " ".join(foreign[:LEAST])
    assert in_another_language(f"Lima {few.upper()} Kinshasa", language, other) is False
    assert in_another_language(f"Lima {enough.title()}, Kinshasa", language, other) is True
    assert in_another_language(f"{enough} {' '.join(own[:LEAST])}", language, other) is False
    assert in_another_language(f"{enough} {' '.join(own[: LEAST - 1])}", language, other) is True
    shared = sorted(FUNCTION_WORDS[language] & FUNCTION_WORDS[other])
    read = in_another_language(" ".join([*shared, *foreign[:1]]), language, other)
    assert read is (len(shared) + 1 >= LEAST)


@pytest.mark.parametrize("language", ["de", "ko", "sr", "vi"])
def test_a_language_without_words_of_grammar_goes_by_its_script(language: str) -> None:
    text = " ".join(sorted(FUNCTION_WORDS["en"])[:8])
    letters = get_language(language).endonym
    assert in_another_language(f"{text} " + letters * 40, language, "en") is False
    assert in_another_language(text, "en", language) is False
