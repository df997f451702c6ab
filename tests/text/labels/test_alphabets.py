"""Letters of other scripts: each series is read, what is ambiguous is not, and no reading of Latin letters
changes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkways.text.labels import chosen_label, first_label
from folkways.text.labels.choosing import SERIES, in_latin

ABCD = ("A", "B", "C", "D")
FIRST_SPELLINGS = [
    (letter.split("|")[0], ABCD[place]) for series in SERIES for place, letter in enumerate(series) if letter
]
LATIN = st.sampled_from(
    [
        *"ABCDabcd .,:()\n-*xyzq'",
        "answer is ",
        "Answer: ",
        "not ",
        " or ",
        "option ",
        "respuesta ",
        "É",
        "ñ",
        "A) ",
        "B. ",
    ]
)
OTHER = st.sampled_from(
    [letter for series in SERIES for letter in series if letter and "|" not in letter]
    + ["답", "答案", "в", "ответ ", "ы"]
)


@pytest.mark.parametrize(("letter", "label"), FIRST_SPELLINGS)
def test_every_letter_of_every_series_is_read_in_every_usual_dress(letter: str, label: str) -> None:
    for dress in ("{}", "({})", "**{}**", " {}.\n", "Answer: {}", "{}) x"):
        assert first_label(dress.format(letter), ABCD) == label, dress


@pytest.mark.parametrize(
    ("reply", "label"),
    [
        ("الإجابة الصحيحة هي (ج)", "C"),
        ("گزینه ب", "B"),
        ("جواب: الف", "A"),
        ("Правильный ответ — Г) рис", "D"),
        ("Ответ: С", "C"),
        ("Ответ не А", None),
        ("Η απάντηση είναι Β", "B"),
        ("התשובה היא ג.", "C"),
        ("सही उत्तर (ग) है", "C"),
        ("উত্তর: খ", "B"),
        ("விடை: ஆ", "B"),
        ("คำตอบคือ ค", "C"),
        ("答えはイです", "B"),
        ("정답: 나", "B"),
        ("መልስ: ሐ", "C"),
        ("Ｂ", "B"),
        ("જવાબ: બ", "B"),
        ("ਸਹੀ ਜਵਾਬ (ੲ) ਹੈ", "C"),
        ("ਜਵਾਬ: ਖ", "B"),
        ("ଉତ୍ତର: ଗ", "C"),
        ("පිළිතුර: ආ", "B"),
        # Words, not letters.
        ("А это не так", None),
        ("Ответ: С учётом всего", None),
        ("アイスです", None),
        ("나는 모르겠다", None),
        ("คำตอบคือ ข้าว", None),
        ("काम", None),
        ("କାମ", None),  # vowel signs belong to the word in every script
        ("ଗୋରୁ ଓ ଘୋଡ଼ା", None),
        ("બે", None),
        ("ਖਾਣਾ", None),
        ("ආපසු", None),
        ("ගෙදර අය", None),
        ("ב־גן", None),
        ("", None),
        # More languages announce an answer beside options that they dismiss.
        ("Die richtige Antwort ist B, A ist falsch", "B"),
        ("La réponse est B, pas A", "B"),
        ("Prawidłowa odpowiedź to C, nie A", "C"),
        ("Đáp án đúng là B, không phải A", "B"),
        ("Die Antwort ist nicht A, sondern B", "B"),
        ("A resposta é A casa", None),
    ],
)
def test_what_a_reply_in_another_script_settles_on(reply: str, label: str | None) -> None:
    assert first_label(reply, ABCD) == label


@pytest.mark.parametrize(
    ("reply", "label"),
    [
        ("В", None),
        ("Ответ: В", None),
        ("Ответ: В, а не Б", "C"),
        ("А) да\nОтвет: В. Не Г.", "C"),
        ("ક", None),
        ("જવાબ: ક", None),
        ("અ) હા\nજવાબ: ક", "C"),
    ],
)
def test_a_letter_of_two_series_is_read_only_where_one_of_them_is_told(reply: str, label: str | None) -> None:
    assert first_label(reply, ABCD) == label


def test_an_option_named_by_its_text_decides_what_no_letter_does() -> None:
    options = dict(zip(ABCD, ("рис", "чай", "хлеб", "суп"), strict=True))
    assert chosen_label("В) хлеб", options) == "C"
    assert chosen_label("Это чай.", options) == "B"
    assert chosen_label("чай или суп", options) is None


@pytest.mark.parametrize(
    ("reply", "label"),
    [
        ("A. library", None),  # as small models write: the first letter, and the text that they mean
        ("a) Library.", None),
        ("A. rice", "A"),
        ("A. Rice-cake", "A"),  # of no option
        ("C. sea side", "C"),  # another way to write its own
        ("A. library\n\nThe correct answer is B. library", "B"),
        ('Most people would say "By the sea, always" (song).', "D"),  # with other quotation marks
        ("by the sea always song", "D"),
        ("A. rice\nB. library\nC. sea-side", None),  # the options again
        ("A. ice\nB. library\nC. sea", None),  # also where only one is as it was shown
        ("A library", "B"),
        ("", None),
    ],
)
def test_letter_and_text_of_one_option_or_of_two(reply: str, label: str | None) -> None:
    options = dict(zip(ABCD, ("rice", "library", "sea-side", "“By the sea, always” (song)"), strict=True))
    assert chosen_label(reply, options) == label


def test_vowel_signs_tell_options_apart() -> None:
    assert chosen_label("கிளி", {"A": "காளி", "B": "கிளி"}) == "B"
    assert chosen_label("答えは緑茶です", {"A": "紅茶", "B": "緑茶"}) == "B"


@given(st.lists(LATIN | OTHER, max_size=14).map("".join))
def test_any_mixture_of_letters_is_a_label_or_nothing(reply: str) -> None:
    assert first_label(reply, ABCD) in {*ABCD, None}


@given(st.text(alphabet=st.characters(max_codepoint=0x24F), max_size=60))
def test_texts_in_latin_letters_alone_are_left_as_they_are(reply: str) -> None:
    assert in_latin(reply) == reply


@given(st.text(max_size=40))
def test_any_text_can_be_read(reply: str) -> None:
    assert first_label(reply, ABCD) in {*ABCD, None}


@pytest.mark.parametrize("reply", ["ఈ ప్రశ్న కష్టం", "ఆ రోజు", "ಈ ಪ್ರಶ್ನೆ ಕಷ್ಟ", "ಆ ದಿನ"])
def test_this_and_that_in_telugu_and_kannada_are_no_letters(reply: str) -> None:
    assert first_label(reply, ABCD) is None
