"""Guidelines in full: how they are read, what is wrong with one, and what is shipped."""

from __future__ import annotations

import re

import pytest

from folkways_studio.web.rendering.i18n import LOCALES, term, terms
from folkways_studio.workflows.definition import DefinitionError, read_definition
from folkways_studio.workflows.manuals import (
    COMMON,
    SECTIONS,
    Entry,
    Manual,
    cases_of,
    read_manual,
    shipped,
    shipped_for,
    shipped_languages,
)
from folkways_studio.workflows.templates import TEMPLATES, template
from folkways_studio.workflows.wordings import StudyTexts
from studio.tests.support.studies import described

CASE = "## training\n### What?\n- [x] This\n  For it is so.\n- [ ] That\n  For it is not.\n"
STAGE = {"name": "verify", "kind": "vote"}


def test_a_manual_is_read_line_by_line() -> None:
    manual = read_manual(
        "Short.\n\nAnd more.\n\n## Steps\n1. One\n2. Two\n## good\n- A case\n  and why,\n  in two lines\n## Our own\nWords.\n"
        + CASE,
        "en",
    )
    assert manual.short == "Short.\n\nAnd more."
    assert [(each.name, each.numbered) for each in manual.sections] == [
        ("steps", True), ("good", False), ("Our own", False),
    ]  # fmt: skip
    assert [(each.text, each.reason) for each in manual.sections[1].entries] == [
        ("A case", "and why, in two lines")
    ]
    assert manual.sections[2].lines == ("Words.",)
    (case,) = manual.cases
    assert (case.text, case.right, [each.text for each in case.options]) == ("What?", {0}, ["This", "That"])
    assert "What?" not in manual.text and "and why, in two lines" in manual.text


@pytest.mark.parametrize(
    ("value", "place", "problem"),
    [
        ("verification/nothing", "manual:", "no shipped manual; valid: .*verification/verify"),
        ("## training\n### What?\n- [ ] This\n  No.\n- [ ] That\n  No.\n", "manual:", "one of them right"),
        ("## training\n### What?\n- [x] This\n  Yes.\n", "manual:", "two or more answers"),
        ("## training\n### What?\n- [x] This\n  Yes.\n- That\n  No.\n", "manual:", "one of them right"),
        ("## training\n### What?\n- [x] This\n- [ ] That\n  No.\n", "manual:", "'This' .* needs its reason"),
        ({"en": CASE, "ar": CASE.replace("[x]", "[ ]", 1).replace("- [ ] That", "- [x] That")}, r"manual\.ar:", "another training"),
        ({"ar": CASE}, "manual:", "no text in en"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_manual_is_said_with_its_place(value: object, place: str, problem: str) -> None:
    with pytest.raises(DefinitionError, match=rf"stages\[0\]\.{place}.*{problem}"):
        read_definition(described([{**STAGE, "manual": value}]))


def test_a_stage_has_a_training_where_its_manual_has_cases_and_the_study_wants_it() -> None:
    def trains(**settings: object) -> bool:
        return bool(read_definition(described([{**STAGE, **settings}])).stages[0].config["training"])

    assert trains(manual=CASE)
    assert trains(manual="verification/verify")
    assert not trains(manual=CASE, training=False)
    assert not trains(manual="Only words.")
    assert not trains()


def test_readers_get_their_language_else_that_of_the_study() -> None:
    raw = described([{**STAGE, "manual": {"en": f"English.\n{CASE}", "ar": f"عربي\n{CASE}"}}])
    read_definition(raw)
    arabic, korean = (StudyTexts(raw, wanted).manual("verify") for wanted in (["ar"], ["ko"]))
    assert arabic is not None and korean is not None
    assert (arabic.short, arabic.language, korean.short, korean.language) == ("عربي", "ar", "English.", "en")
    assert StudyTexts(raw, ["ar"]).guidelines("verify").text == "عربي"  # type: ignore[union-attr]


@pytest.mark.parametrize("name", TEMPLATES)
def test_every_stage_of_every_template_has_full_guidelines_and_a_training(name: str) -> None:
    definition = template(name)
    for stage in definition.stages:
        manual = StudyTexts(definition.raw, ()).manual(stage.name)
        assert manual is not None and stage.config["training"], stage.name
        assert [each.name for each in manual.sections] == list(SECTIONS)
        assert all(each.entries for each in manual.sections)
        reasons = [each.reason for section in manual.sections[1:3] for each in section.entries]
        assert all(reasons) and len(reasons) >= 2, stage.name
        assert 2 <= len(manual.cases) <= 4 and len(manual.short.split()) <= 60, stage.name


def test_no_place_of_a_right_answer_can_be_guessed_over_the_shipped_cases() -> None:
    first = [min(case.right) for name in shipped_languages() for case in cases_of(name)]
    assert max(first.count(at) for at in set(first)) <= 0.6 * len(first)


def fields_of(text: str) -> list[str]:
    """What every language has to keep, in any order: what a page fills in, and the marks around an item."""
    return sorted(re.findall(r"%\(\w+\)s|[\[\]]", text))


LABELS = frozenset(each for each in terms() if 2 <= len(each.split()) <= 3)
"""Labels of two or three words, such as categories: they cannot be met by chance."""


def test_every_shipped_text_is_there_in_every_language_of_the_interface() -> None:
    lacking = {name: {*LOCALES} - {*codes} for name, codes in shipped_languages().items()}
    assert {name: codes for name, codes in lacking.items() if codes} == {}


def drafts_in(language: str) -> list[str]:
    """The shipped texts that there are in a language; the test above says which lack."""
    return [name for name, codes in shipped_languages().items() if language in codes]


@pytest.mark.parametrize("language", LOCALES)
def test_drafts_have_the_same_parts_and_right_answers_as_the_english(language: str) -> None:
    for name in drafts_in(language):
        english, other = shipped(name, "en"), shipped(name, language)
        assert [(each.name, len(each.entries), each.numbered) for each in other.sections] == [
            (each.name, len(each.entries), each.numbered) for each in english.sections
        ], name
        assert [(len(case.options), case.right) for case in other.cases] == [
            (len(case.options), case.right) for case in english.cases
        ], name
        assert other.is_draft == (language != "en")
        assert [bool(line.reason) for line in lines_of(other)] == [
            bool(line.reason) for line in lines_of(english)
        ], name
        for theirs, ours in zip(lines_of(other), lines_of(english), strict=True):
            assert fields_of(theirs.text) == fields_of(ours.text), f"{name}: {ours.text}"
            for label in LABELS:
                if label in ours.text:
                    shown = term(label, language)
                    assert shown.casefold() in theirs.text.casefold(), f"{name}: pages call {label} {shown}"
            if language != "en" and ours.reason:
                assert theirs.reason != ours.reason, f"{name}: {ours.reason} is not translated"
        if language != "en":
            assert other.short != english.short, f"{name}: {english.short} is not translated"


def lines_of(manual: Manual) -> list[Entry]:
    """Every line of a manual but its short form: of lists, and of cases with their answers."""
    cases = (each for case in manual.cases for each in (Entry(case.text), *case.options))
    return [*(each for section in manual.sections for each in section.entries), *cases]


def test_a_manual_without_a_draft_in_the_language_is_the_english_one() -> None:
    assert shipped_for("verification/verify", ["xx", "sw"]).language == "en"
    with pytest.raises(FileNotFoundError):
        shipped("verification/verify", "xx")
    assert COMMON not in shipped_languages()


def test_shipped_names_are_those_of_stages_or_shared() -> None:
    used = {
        re.sub(r"\s", "", str(stage.get("manual")))
        for name in TEMPLATES
        for stage in template(name).raw["stages"]
    }
    assert used == {*shipped_languages()}
