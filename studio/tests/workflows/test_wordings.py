"""Texts of a study in several languages: which one a reader gets, and what a description has to hold."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest

from folkways_studio.workflows.definition import DefinitionError, read_definition
from folkways_studio.workflows.wordings import StudyTexts, Wording
from studio.tests.support.studies import described

CONSENT = {"en": "You agree.\n", "ar": "أنت موافق.", "bn": "আপনি রাজি।"}
CRITERIA = [
    {
        "name": "home",
        "ask": {"en": "From here?", "ar": "من هنا؟"},
        "options": [{"en": "Yes", "ar": "نعم"}, "No"],
        "accept": ["Yes"],
    }
]
STAGE = {
    "name": "verify",
    "kind": "vote",
    "title": {"en": "Verify", "ar": "تحقق"},
    "guidelines": {"en": "Choose.", "bn": "বাছুন।"},
}


def description(**changes: Any) -> dict[str, Any]:
    populations = [
        {"name": "korea", "culture": "KR", "title": {"en": "Korea", "ko": "한국"}, "criteria": CRITERIA}
    ]
    return described(
        [STAGE], populations=populations, consent=CONSENT, title={"en": "A study", "ar": "دراسة"}, **changes
    )


def test_what_is_stored_is_in_the_studys_own_language() -> None:
    found = read_definition(description())
    assert (found.title, found.consent, found.stages[0].title) == ("A study", "You agree.", "Verify")
    assert found.stages[0].config["guidelines"] == "Choose."
    population = found.populations[0]
    assert (population.title, population.criteria[0]["ask"], population.criteria[0]["options"]) == (
        "Korea",
        "From here?",
        ["Yes", "No"],
    )
    assert found.consent_version == hashlib.sha256(b"You agree.").hexdigest()[:12]
    assert found.raw["consent"] == CONSENT, "nothing is lost"


@pytest.mark.parametrize(
    ("wanted", "title", "consent", "guidelines"),
    [
        (("ar",), "ar", "ar", "en"),
        (("bn", "ar"), "ar", "bn", "bn"),
        (("ko",), "en", "en", "en"),
        ((), "en", "en", "en"),
    ],
)
def test_a_reader_gets_the_first_language_they_want_or_the_studys_own(
    wanted: tuple[str, ...], title: str, consent: str, guidelines: str
) -> None:
    texts = StudyTexts(read_definition(description()).raw, wanted)
    found = texts.guidelines("verify")
    assert (texts.title.language, texts.consent.language, found and found.language) == (
        title,
        consent,
        guidelines,
    )
    assert texts.is_fallback(texts.title, "en") == bool(wanted and wanted[0] != title)


def test_options_say_what_they_stand_for() -> None:
    [(criterion, ask, options)] = StudyTexts(read_definition(description()).raw, ("ar",)).criteria("korea")
    assert (criterion["name"], ask) == ("home", Wording("من هنا؟", "ar"))
    assert options == [("Yes", Wording("نعم", "ar")), ("No", Wording("No", None))]


def test_a_plain_text_is_in_the_language_that_the_study_names_or_in_none() -> None:
    plain = described([{"name": "v", "kind": "vote"}])
    assert StudyTexts(plain, ("ar",)).consent == Wording("You agree to be a test.", None)
    assert not StudyTexts(plain, ("ar",)).is_fallback(StudyTexts(plain, ("ar",)).consent, "ar")
    named = StudyTexts({**plain, "language": "en"}, ("ar",))
    assert (
        named.is_fallback(named.consent, "ar") and named.stage_title("v").text == "v" and named.about is None
    )


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"consent": {"en": "a", "xx": "b"}}, "consent.xx: 'xx' is no language; valid: af, am, ar"),
        ({"title": {"en": "a", "ar": " "}}, "title.ar: has to be text, not ' '"),
        (
            {"title": {"ar": "a"}},
            "title: has no text in en, the study's own language; add one, or name another under language",
        ),
        ({"about": {"ar": "a"}}, "about: has no text in en"),
        ({"title": {}}, "title: has no text in en"),
        ({"language": "xx"}, "language: 'xx' is no language; valid: af, am"),
        (
            {"stages": [{"name": "v", "kind": "vote", "guidelines": {"en": 3}}]},
            r"stages\[0\].guidelines.en: has to be text, not 3",
        ),
    ],
)
def test_mistakes_in_languages_are_told_with_their_place(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(DefinitionError, match=message):
        read_definition({**described([{"name": "v", "kind": "vote"}]), **changes})
