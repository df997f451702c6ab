"""Normal forms: what the authors take for the same, and what readers do."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from folkways.text.normalise import paper_tokens, plain_text, strict_text, strict_token


def test_the_paper_removes_the_acute_accent_and_no_other() -> None:
    assert paper_tokens(["CAFÉ", "ñu", ",", "é"]) == ["cafe", "n\u0303u", "e"]


@pytest.mark.parametrize(
    ("one", "other", "language"),
    [
        ("CAFÉ", "cafe", "es"),
        ("pingüino", "PINGUINO", "es"),
        ("Καφές", "καφες", "el"),
        ("ＡＢＣ　１２", "abc 12", "zh"),
        ("۱۲", "12", "fa"),
        ("১২", "12", "as"),
        ("پنير", "پنیر", "fa"),
        ("كَبَاب", "کباب", "fa"),
        ("IŞIQ", "ışıq", "az"),
        ("İçki", "içki", "az"),
        ("tea\u200b", "tea", "en"),
        ("ড়া", "ড\u09bcা", "as"),
        ("don’t", "don't", "en"),
        ("don`t", "don't", "en"),
        ("DON`T 5PM", "don't 17:00", "en"),
        ("5 pm", "17:00 ", "en"),
        ("12:30 a.m.", "0:30 ", "en"),
        ("1 am", "1:00", "en"),
        ("12:05 pm", "12:05", "en"),
    ],
)
def test_what_readers_take_for_the_same(one: str, other: str, language: str) -> None:
    assert strict_text(one, language).split() == strict_text(other, language).split()


@pytest.mark.parametrize(
    ("one", "other", "language"),
    [("ı", "i", "az"), ("কি", "কী", "as"), ("3", "13", "en"), ("가", "나", "ko")],
)
def test_what_they_do_not(one: str, other: str, language: str) -> None:
    assert strict_text(one, language) != strict_text(other, language)


@pytest.mark.parametrize(
    ("written", "number"),
    [
        ("1,000", "1000"),
        ("07:00", "7:00"),
        ("3.0", "3"),
        ("2.50", "2.5"),
        ("01/05", "1/5"),
        ("007", "7"),
        ("01:02:03", "1:2:3"),
        ("03.x", "03.x"),
        ("12,5", "12,5"),
        ("tea", "tea"),
    ],
)
def test_numbers_have_one_form(written: str, number: str) -> None:
    assert strict_token(written) == number


def test_a_number_of_any_length_is_one_form() -> None:
    """Models that repeat themselves write more digits than Python takes for a number."""
    ones = "1" * 9_000
    for written, form in ((f"00{ones}", ones), (f"0{ones}.50", f"{ones}.5"), (f"0{ones}:30", f"{ones}:30")):
        assert strict_token(written) == form
    assert strict_token(f"{ones}/05") == f"{ones}/5" and strict_token("0" * 9_000) == "0"


@pytest.mark.parametrize("text", ["0 am", "0:30 pm", "13 am", "13 pm"])
def test_what_no_clock_shows_stays(text: str) -> None:
    assert strict_text(text, "en") == text


def test_numbers_stand_apart_from_letters() -> None:
    assert strict_text("7시 15kg", "ko").split() == ["7", "시", "15", "kg"]


@given(st.text(), st.sampled_from(["en", "ko", "az", "fa", "as"]))
def test_any_text_has_a_form_in_lower_case(text: str, language: str) -> None:
    form = strict_text(text, language)
    assert not any("A" <= char <= "Z" for char in form)


ODD = "0123459:.apm ،éأİIıiকি가.ς'’ʼ\u200c\u0301"


@example("İ\u0300", "az")
@given(st.text() | st.text(st.sampled_from(ODD)), st.sampled_from(["en", "ko", "az", "fa", "ar", "as"]))
def test_a_normal_form_is_its_own(text: str, language: str) -> None:
    for form in (plain_text, strict_text):
        once = form(text, language)
        assert form(once, language) == once


@given(st.text(st.sampled_from("ABÉáñŌ,.١3"), max_size=8))
def test_the_papers_normal_form_is_its_own(token: str) -> None:
    once = paper_tokens([token])
    assert paper_tokens(once) == once


@pytest.mark.parametrize(
    ("text", "language", "plain"),
    [
        ("Los NIÑOS", "es", "los niños"),
        ("IŞIQ", "az", "ışıq"),
        ("كيك", "fa", "کیک"),
        ("A\u200b\u0300", "en", "\u00e0"),
    ],
)
def test_lemmatisers_get_accents_and_lower_case(text: str, language: str, plain: str) -> None:
    assert plain_text(text, language) == plain
