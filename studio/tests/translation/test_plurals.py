"""A text with a number in it has plural forms, since languages differ in which numbers take which; or it is
worded so that nothing in it depends on the number ("Empty rows: 3").
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import pytest
from babel.messages.catalog import Message

from folkways_studio.translation.catalogues import first, read_catalogue, texts
from folkways_studio.web.rendering.i18n import DEFAULT, LOCALES, po_path

PLACEHOLDER = re.compile(r"%\((\w+)\)")
WORDS = {
    *(
        "address",
        "amount",
        "answer",
        "answers",
        "change",
        "cost",
        "earlier",
        "email",
        "endings",
        "high",
        "items",
        "languages",
        "language",
        "later",
        "letter",
        "licence",
        "limit",
        "low",
        "model",
        "name",
        "population",
        "problem",
    ),
    *(
        "pay",
        "purpose",
        "roles",
        "share",
        "spent",
        "stage",
        "state",
        "strategy",
        "texts",
        "time",
        "valid",
        "wage",
        "wanted",
        "words",
    ),
}
"""Placeholders that stand for words, a time, money or a percentage. Any other stands for a number."""

NUMBERED = "the number is a name (row 3, version 2), and counts nothing"
AFTER_A_COLON = (
    "the number stands by itself, after a colon or in brackets, and no word of the sentence depends on it"
)
OUT_OF = "one number out of another, without a noun that either counts"
BOUND = "a limit without a noun"
FIXED = "always the same large number, for which each translation has the right form"
UNIT = "a unit, abbreviated"
FACTOR = "a number with two decimals, never one of those that languages count with"

WITHOUT_PLURAL: Mapping[str, str] = {
    "this was changed in another window (saved version %(revision)s); take that one over, or save "
    "again on top of it": NUMBERED,
    "Row %(row)s: %(problem)s": NUMBERED,
    "round %(number)s": NUMBERED,
    "to version %(version)s": NUMBERED,
    "version %(number)s": NUMBERED,
    "Answer %(number)s": NUMBERED,
    "Group %(number)s": NUMBERED,
    "Option %(number)s": NUMBERED,
    "Version %(number)s": NUMBERED,
    "Version %(number)s is filled in below. Change what you like.": NUMBERED,
    "Write the %(version)s.": "the name of a version, in words",
    "Mark in the %(version)s what stands for the marked items: %(count)s in all.": AFTER_A_COLON,
    "Answers stored: %(stored)s; there already: %(repeated)s; empty rows: %(empty)s.": AFTER_A_COLON,
    "Right answers: %(right)s of %(asked)s.": AFTER_A_COLON,
    "Rows added so far: %(added)s of %(rows)s.": AFTER_A_COLON,
    "Answers still needed: %(number)s.": AFTER_A_COLON,
    "Needed: %(needed)s.": AFTER_A_COLON,
    "Only items that are in both studies count for agreement, “I don't know” and time: "
    "%(number)s.": AFTER_A_COLON,
    "items in both: %(number)s": AFTER_A_COLON,
    "items: %(here)s and %(there)s": AFTER_A_COLON,
    "people in both: %(number)s": AFTER_A_COLON,
    "people: %(here)s and %(there)s": AFTER_A_COLON,
    "This is too long; characters allowed: %(most)s.": AFTER_A_COLON,
    "This is too short; characters needed: %(least)s.": AFTER_A_COLON,
    "Before it comes a test. Questions: %(questions)s. Right answers needed: %(needed)s.": AFTER_A_COLON,
    "This is a test before the work begins. Questions: %(questions)s. Right answers needed: "
    "%(needed)s.": AFTER_A_COLON,
    "The test of %(stage)s for %(population)s has too few questions (%(has)s of %(needs)s): until it "
    "has enough, nobody is given "
    "work there.": AFTER_A_COLON,
    "this study has asked models as often as it may (%(most)s); go on without them": AFTER_A_COLON,
    "you have asked models as often as one may (%(most)s); go on without them": AFTER_A_COLON,
    "this question has been tried as often as it may (%(most)s); submit it as it is, "
    "or write another": AFTER_A_COLON,
    "Tasks for you at this moment, at most: %(number)s.": AFTER_A_COLON,
    "That is %(times)s times the local wage stated below.": FACTOR,
    "That is less than the local wage stated below: %(times)s times as much.": FACTOR,
    "Training: %(number)s of %(total)s": OUT_OF,
    "%(done)s of %(total)s done": OUT_OF,
    "The first %(shown)s of %(all)s.": OUT_OF,
    "of %(all)s who came": OUT_OF,
    "of %(all)s asked for so far": OUT_OF,
    "From %(first)s at first to %(last)s at last; the numbers are in the table below.": OUT_OF,
    "Choose at least %(least)s.": BOUND,
    "Choose at most %(most)s.": BOUND,
    "Give a number of at least %(least)s.": BOUND,
    "Give a number of at most %(most)s.": BOUND,
    "Give a whole number from 1 to %(most)s.": BOUND,
    "A comment has %(most)s characters at most.": FIXED,
    "At least %(count)s characters are needed.": FIXED,
    "Only the last %(most)s answers are shown.": FIXED,
    "Give the filter a name of at most %(most)s characters.": FIXED,
    "a study has at most %(most)s saved filters; delete one first": FIXED,
    "a study has up to %(most)s ML backends; delete one first": FIXED,
    "a study has up to %(most)s webhooks; delete one first": FIXED,
    "groups are suggested for 2 to %(most)s different answers": FIXED,
    "there are %(most)s comments on this item already; settle it": FIXED,
    "these are more than %(most)s items; choose fewer at a time": FIXED,
    "this comment was changed %(most)s times; write another": FIXED,
    "too many attempts; wait %(minutes)s min and try again": UNIT,
}
"""Text with a number and without plural forms -> why it needs none."""


def test_a_text_with_a_number_has_plural_forms() -> None:
    catalog = read_catalogue(po_path("ko"), "ko")  # which has every text, as test_languages.py sees
    single = [str(message.id) for message in texts(catalog) if not message.pluralizable]
    numbered = {text for text in single if {*PLACEHOLDER.findall(text)} - WORDS}
    assert numbered - WITHOUT_PLURAL.keys() == set(), (
        "use ngettext, or word it so that nothing depends on the number"
    )
    assert WITHOUT_PLURAL.keys() - numbered == set(), "these are gone: leave them out here"


@pytest.mark.parametrize("locale", [locale for locale in LOCALES if locale != DEFAULT])
def test_a_translation_has_the_numbers_and_names_of_its_text(locale: str) -> None:
    """Of a plural, each form at most those, since "one item" needs no number, and the last form all of
    them."""
    wrong = [
        first(message.id) for message in texts(read_catalogue(po_path(locale), locale)) if not fits(message)
    ]
    assert wrong == []


def fits(message: Message) -> bool:
    if not message.pluralizable:
        return not message.string or names(message.string) == names(message.id)
    singular, plural = message.id
    forms = [form for form in message.string if form]
    needed = names(plural)
    return all(names(form) <= needed | names(singular) for form in forms) and (
        not forms or names(forms[-1]) == needed
    )


def names(text: object) -> set[str]:
    return set(PLACEHOLDER.findall(str(text)))
