"""The authors' match and the mended one, defect by defect."""

from __future__ import annotations

import pytest

from folkways.benchmarks.free_answers.matching import Match, PaperMatcher, StrictMatcher
from folkways.errors import FolkwaysError
from tests.support.blend_data import group

COMPARISONS = [
    # answer, reply (cleaned), language, paper, strict
    ("tea", "tea", "en", "substring", "words"),
    ("tea", "steak", "en", "substring", None),  # across word borders
    ("1", "15", "en", "substring", None),
    ("", "anything", "en", "substring", None),  # an empty answer
    ("Tea", "tea", "en", "tokens", "words"),  # a capital never matches as a substring
    ("ice-cream", "ice cream", "en", "substring", "words"),
    ("ice cream", "ice-cream", "en", "substring", "words"),
    ("base-ball bat", "a base-ball bat", "en", "substring", "words"),
    ("rice fried", "fried rice", "en", "tokens", "tokens"),
    ("té", "te", "es", "tokens", "words"),
    ("ñame", "name", "es", None, "words"),  # only the acute accent goes in the paper
    ("19:00", "at 7 pm", "en", None, "words"),
    ("1000", "1,000 won", "en", None, "words"),
    ("1000", "١٬٠٠٠ دينار", "ar", None, "words"),
    ("3.5", "۳٫۵", "fa", None, "words"),
    ("3", "٣٫٥", "ar", None, None),
    ("10", "10:30", "en", "substring", None),
    ("茶", "喝茶吧", "zh", "substring", "words"),
    ("绿茶", "茶是绿的", "zh", "tokens", None),  # characters in any order
    ("보리차", "보리차를", "ko", "substring", "words"),
    ("차", "기차", "ko", "substring", None),
    ("پنير", "پنیر", "fa", None, "words"),
    ("۱۲", "12", "fa", None, "words"),
    ("tea\u200b", "tea", "en", None, "words"),
    ("?", "anything", "en", "tokens", None),  # no tokens are left, so all of them are there
]


@pytest.mark.parametrize(("answer", "reply", "language", "paper", "strict"), COMPARISONS)
def test_one_answer(answer: str, reply: str, language: str, paper: str | None, strict: str | None) -> None:
    assert PaperMatcher("simple").compare(answer, reply, language) == paper
    assert StrictMatcher("simple").compare(answer, reply, language) == strict


GROUPS = [group(["보리차"], ["barley tea"], 3), group(["차", "녹차"], ["tea", "green tea"], 1)]


def test_local_variants_first_then_english_then_the_next_group() -> None:
    matcher = PaperMatcher()
    assert matcher.match(GROUPS, "보리차", "ko") == Match("substring_local", "보리차", 1.0)
    assert matcher.match(GROUPS, "barley tea", "ko") == Match("substring_en", "barley tea", 1.0)
    assert matcher.match(GROUPS, "green tea", "ko") == Match("substring_en", "tea", 1 / 3)
    assert matcher.match(GROUPS, "water", "ko") is None


def test_local_answers_are_not_tried_in_an_english_run() -> None:
    assert PaperMatcher().match(GROUPS, "보리차", "en") is None
    assert StrictMatcher().match(GROUPS, "보리차", "en") is None


def test_groups_of_empty_answers_are_of_no_use_to_the_strict_profile() -> None:
    empty = [group([" "], ["", "…"], 2)]
    assert not StrictMatcher().usable(empty, "ko")
    assert PaperMatcher().usable(empty, "ko")
    assert StrictMatcher().usable(GROUPS, "en")


@pytest.mark.parametrize(
    ("answer", "reply", "language", "paper", "strict"),
    [
        ("child", "children", "en", "substring", "lemmas"),
        ("boiled eggs", "egg, boiled", "en", "tokens", "lemmas"),
        ("niño", "niños", "es", "substring", "lemmas"),
        ("los niños", "el niño", "es", "tokens", "lemmas"),
        ("καφέδες", "ένας καφές", "el", "tokens", "lemmas"),
        ("绿茶", "茶是绿的", "zh", None, None),
        ("학교 급식", "학교에서 급식", "ko", "tokens", "tokens"),
        ("mota", "motoci", "ha", "tokens", "lemmas"),
        ("çay dəmləmək", "çayı dəmləməyi", "az", "tokens", "lemmas"),
        ("الكتب", "كتب", "ar", "tokens", "lemmas"),
        ("کتاب", "كتابها", "fa", None, "lemmas"),
        ("makanan", "dimakan", "id", "tokens", "lemmas"),
        ("tea", "steak", "en", "substring", None),
    ],
)
def test_one_answer_with_base_forms(
    answer: str, reply: str, language: str, paper: str | None, strict: str | None
) -> None:
    assert PaperMatcher().compare(answer, reply, language) == paper
    assert StrictMatcher().compare(answer, reply, language) == strict


@pytest.mark.parametrize(
    ("answer", "reply", "inside"),
    [
        ("tea", "steak", True),
        ("tea", "green tea", False),
        ("tea", "teas", False),
        ("1", "15", True),
        ("", "x", True),
    ],
)
def test_answers_within_longer_words_are_told_apart(answer: str, reply: str, inside: bool) -> None:
    matcher = PaperMatcher()
    groups = [group([], [answer], 2)]
    match = matcher.match(groups, reply, "en")
    assert match is not None
    assert match.stage == "substring_en"
    assert matcher.inside_word(groups, reply, "en") is inside


def test_another_answer_as_a_whole_word_is_enough() -> None:
    groups = [group([], ["tea"], 2), group([], ["steak"], 1)]
    assert not PaperMatcher().inside_word(groups, "steak", "en")


@pytest.mark.parametrize(
    ("local", "english", "reply", "language", "tools", "inside"),
    [
        ("los niños", "-", "el niño", "es", "default", False),  # by the base forms of the local answer
        (
            "-",
            "boiled eggs",
            "egg, boiled",
            "es",
            "default",
            False,
        ),  # by those of the English one, asked in either language
        ("-", "boiled eggs", "egg, boiled", "en", "default", False),
        (
            "boiled eggs",
            "-",
            "egg, boiled",
            "en",
            "default",
            True,
        ),  # local answers count for nothing in English
        ("보리차", "-", "보리차를", "ko", "simple", False),  # a word with its particle, which is no token
        ("차", "-", "기차를", "ko", "simple", True),
    ],
)
def test_inside_a_word_is_neither_a_word_nor_a_token(
    local: str, english: str, reply: str, language: str, tools: str, inside: bool
) -> None:
    groups = [
        group([text for text in (local,) if text != "-"], [text for text in (english,) if text != "-"], 1)
    ]
    assert PaperMatcher(tools).inside_word(groups, reply, language) is inside


def test_the_authors_arabic_tool_gives_letters_already(monkeypatch: pytest.MonkeyPatch) -> None:
    """It cannot be installed everywhere; here it is replaced by what it does."""

    class Letters:
        def tokens(self, text: str) -> list[str]:
            return list(text.split()[0])

    monkeypatch.setattr(
        "folkways.benchmarks.free_answers.matching.get_tool", lambda language, tool_set: Letters()
    )
    assert PaperMatcher("paper").compare("عيد", "عين", "ar") is None
    assert PaperMatcher("paper").compare("عيد", "ديع", "ar") == "tokens"


@pytest.mark.parametrize("tools", ["default", "simple"])
def test_arabic_in_paper_compares_the_letters_of_first_words(tools: str) -> None:
    """The authors take the base form of the first word for a list of words; so every letter of it is one."""
    assert PaperMatcher(tools).compare("عيد الاستقلال", "عيد ميلاد", "ar") == "tokens"
    assert PaperMatcher(tools).compare("عيد الاستقلال", "ميلاد عيد", "ar") is None
    assert StrictMatcher(tools).compare("عيد الاستقلال", "عيد ميلاد", "ar") is None


def test_letters_of_arabic_words_have_no_place_in_the_strict_profile() -> None:
    with pytest.raises(FolkwaysError, match="text_tools='default'"):
        StrictMatcher("paper").compare("شاي", "قهوة", "ar")


WRITTEN_OTHERWISE = """
th ข้าว กินข้าว
th ปลา ปลานิล
th นม ดื่มนม
th นม นมสด
th รถ รถไฟ
th ขนม ขนมจีน
th คน คนไทย
th น้ำ นํ้า
th ผัดไทย คำตอบคือผัดไทยครับ
th สงกรานต์ เทศกาลสงกรานต์
lo ເຂົ້າ ກິນເຂົ້າ
km បាយ ញ៉ាំបាយ
my ထမင်း ထမင်းစားတယ်
my သင်္ကြန် သင်္ကြန်ပွဲတော်
fa خانه خانهٔ
fa مدرسه مدرسۀ
ur ہفتہ هفته
ko 7시 7시쯤
ko 매일 매일씩
"""
"""Language, an answer of people, and a reply that has it."""


@pytest.mark.parametrize("line", WRITTEN_OTHERWISE.strip().splitlines())
def test_an_answer_that_is_written_otherwise(line: str) -> None:
    language, answer, reply = line.split(" ", 2)
    assert StrictMatcher().compare(answer, reply, language)


@pytest.mark.parametrize(
    ("language", "answer", "reply"),
    [
        ("th", "นม", "ขนม"),
        ("th", "มด", "ทั้งหมด"),
        ("th", "ปลา", "ปลาย"),
        ("th", "แก", "แกง"),
        ("th", "น้ำ", "น้าม"),
        ("my", "က", "ကန်"),
        ("km", "បា", "បាយ"),
    ],
)
def test_a_syllable_is_not_in_a_longer_one(language: str, answer: str, reply: str) -> None:
    assert StrictMatcher().compare(answer, reply, language) is None
