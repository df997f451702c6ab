"""The registry of text tools, and the segmenter that works for every language."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from folkways.cultures import cultures_of, languages
from folkways.errors import FolkwaysError, MissingExtraError, UnknownNameError
from folkways.text.authors import SOURCES, UNAVAILABLE
from folkways.text.tools import TOOL_SETS, get_tool, has_tool, signed_effects

TEXTS = {
    "en": ("fish-and-chips, don't!", ["fish", "and", "chips", "don't"]),
    "es": ("¿Café con leche?", ["Café", "con", "leche"]),
    "id": ("nasi goreng (pedas)", ["nasi", "goreng", "pedas"]),
    "zh": ("喝茶，ABC。", ["喝", "茶", "ABC"]),
    "ko": ("김치를 먹는다.", ["김치를", "먹는다"]),
    "ar": ("شاي، قهوة", ["شاي", "قهوة"]),
    "el": ("Καφές· τσάι", ["Καφές", "τσάι"]),
    "fa": ("تخم\u200cمرغ و نان", ["تخم\u200cمرغ", "و", "نان"]),
    "az": ("çay, İçki", ["çay", "İçki"]),
    "su": ("béas jeung lauk", ["béas", "jeung", "lauk"]),
    "as": ("চাহ, ভাত।", ["চাহ", "ভাত"]),
    "bn": ("চা খাই।", ["চা", "খাই"]),
    "ha": ("shinkafa, 'ƙwai'", ["shinkafa", "ƙwai"]),
    "am": ("ቡና፣ ሻይ።", ["ቡና", "ሻይ"]),
    "bg": ("кафе, баница.", ["кафе", "баница"]),
    "eu": ("sagardoa, ura", ["sagardoa", "ura"]),
    "fr": ("du pain (frais)", ["du", "pain", "frais"]),
    "ga": ("tae agus arán!", ["tae", "agus", "arán"]),
    "ja": ("お茶、コーヒー。", [*"お茶コ", "ー", *"ヒー"]),
    "ms": ("nasi lemak, teh", ["nasi", "lemak", "teh"]),
    "sv": ("kaffe & kaka", ["kaffe", "kaka"]),
    "ta": ("இட்லி, தோசை.", ["இட்லி", "தோசை"]),
    "tl": ("kanin, tubig", ["kanin", "tubig"]),
}


@pytest.mark.parametrize("language", TEXTS)
def test_words_of_every_language(language: str) -> None:
    text, words = TEXTS[language]
    assert get_tool(language, "simple").tokens(text) == words


def test_every_language_of_the_table_has_a_tool() -> None:
    assert {get_tool(code, "simple").name for code in languages()} == {"simple"}
    assert {get_tool(culture.languages[0]).name for culture in cultures_of("blend")} == {
        "jieba",
        "simple",
        "simplemma",
        "stems",
        "stems-simplemma",
    }


def test_no_package_is_imported_before_the_first_text() -> None:
    code = f"""if True:
        import sys
        from folkways.text.tools import get_tool
        for language in {list(TEXTS)}:
            get_tool(language).version
            packages = {{"jieba", "simplemma", "konlpy", "spacy", "fugashi", "snowballstemmer"}} & set(sys.modules)
            assert not packages, (language, packages)
    """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("10:30", ["10:30"]), ("1,000.5 g", ["1,000.5", "g"]), ("25/12", ["25/12"]), ("at 3.", ["at", "3"])],
)
def test_numbers_stay_whole(text: str, tokens: list[str]) -> None:
    assert get_tool("en").tokens(text) == tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("คนไทยกินข้าวผัด", ["คน", "ไทย", "กิน", "ข้าว", "ผัด"]),
        ("น้ำปลา 5 บาท", ["น้ำ", "ป", "ลา", "5", "บาท"]),
        ("ຕຳຫມາກຮຸ່ງ", ["ຕຳ", "ຫ", "ມາກ", "ຮຸ່ງ"]),
        ("បាយឆា ខ្មែរ", ["បាយ", "ឆា", "ខ្មែរ"]),
        ("မုန့်ဟင်းခါး သင်္ကြန်", ["မုန့်", "ဟင်း", "ခါး", "သ", "င်္ကြန်"]),
    ],
)
def test_scripts_without_spaces_are_cut_by_syllables(text: str, tokens: list[str]) -> None:
    assert get_tool("th", "simple").tokens(text) == tokens


LETTERS = "".join(text for text, _ in TEXTS.values())


@settings(max_examples=settings().max_examples * 2 // 5)  # each is divided in 23 languages
@given(text=st.text() | st.text(st.sampled_from(LETTERS)))
def test_only_blank_texts_have_no_tokens_and_none_is_empty(text: str) -> None:
    for language in TEXTS:
        tokens = get_tool(language).tokens(text)
        assert bool("".join(tokens).split()) == bool(text.split()), language
        assert all(tokens), language
        assert get_tool(language).tokens(text) == tokens, language


@given(text=st.text(st.sampled_from(LETTERS)))
def test_a_reply_that_repeats_the_answer_has_all_its_tokens(text: str) -> None:
    assume(any(char.isalnum() for char in text))
    for language in sorted(set(TEXTS) - {"ja", "zh"}):
        tool = get_tool(language)
        assert set(tool.tokens(text)) <= set(tool.tokens(f"x {text} x")), language


def test_a_dotted_capital_is_lowered_as_the_authors_do() -> None:
    """Their code makes İ an i; a reply that Python has lowered keeps the dot as a character of its own, and
    does not match."""
    tool = get_tool("az")
    assert tool.tokens("İçki") == tool.tokens("içki") != tool.tokens("İçki".lower())


def test_a_list_of_base_words_is_part_of_a_version() -> None:
    assert get_tool("id").version == get_tool("fa").version != get_tool("ko").version
    assert get_tool("el").version in get_tool("id").version


def test_measured_effects_are_small_and_inside_their_intervals() -> None:
    assert set(signed_effects()) <= set(languages())
    assert {"ar", "az", "en", "fa", "ha", "id", "ko", "su", "zh"} <= set(signed_effects())
    for language, effect in signed_effects().items():
        assert abs(effect.points) <= 0.7, language
        assert effect.low <= effect.points <= effect.high, language


def test_unknown_names_list_the_valid_ones() -> None:
    with pytest.raises(UnknownNameError, match="simple"):
        get_tool("en", "konlpy")
    with pytest.raises(UnknownNameError, match=r"valid: ko, .*folkways cultures lists them"):
        get_tool("kox")


@pytest.mark.parametrize("tool_set", TOOL_SETS)
def test_a_language_has_a_tool_where_one_is_given_and_no_other(tool_set: str) -> None:
    given = {}
    for language in languages():
        try:
            get_tool(language, tool_set)
        except FolkwaysError:
            given[language] = False
        else:
            given[language] = True
    assert {language: has_tool(language, tool_set) for language in languages()} == given
    assert any(given.values())


@pytest.mark.parametrize("language", sorted(UNAVAILABLE))
def test_an_authors_tool_that_cannot_be_had_says_why(language: str) -> None:
    with pytest.raises(FolkwaysError, match=r"the authors use .*\n.*text_tools='default'"):
        get_tool(language, "paper")


@pytest.mark.parametrize("language", sorted(SOURCES))
def test_an_authors_tool_is_there_or_says_how_to_install_it(language: str) -> None:
    if SOURCES[language].installed:
        assert get_tool(language, "paper").version != "none"
        return
    with pytest.raises(FolkwaysError, match="install it with: pip install"):
        get_tool(language, "paper")


def test_the_authors_chinese_is_always_there() -> None:
    assert get_tool("zh", "paper").name == "jieba"
    assert get_tool("zh", "paper").tokens("喝绿茶") == get_tool("zh").tokens("喝绿茶")


@pytest.fixture
def tools_anew() -> Iterator[None]:
    """No tool of this test stays for others."""
    get_tool.cache_clear()
    yield
    get_tool.cache_clear()


@pytest.mark.usefixtures("tools_anew")
def test_a_tool_of_the_authors_that_cannot_be_loaded_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As spaCy without its model: an OSError with neither number nor file, which is no trouble with the
    output."""
    (tmp_path / "hausastemmer.py").write_text("raise OSError('[E050] no model')")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(
        FolkwaysError,
        match=r"(?s)'hausastemmer' for 'ha' .* cannot be loaded: \[E050\] no model\ninstall it again with: "
        r"pip",
    ):
        get_tool("ha", "paper").tokens("ruwa")


@pytest.mark.parametrize(
    ("language", "form", "base"),
    [
        ("bg", "книги", "книга"),
        ("fr", "gâteaux", "gâteau"),
        ("ga", "páistí", "páiste"),
        ("sv", "bullar", "bulle"),
        ("tl", "pagkaing", "pagkain"),
        ("ja", "食べました", "食べる"),
        ("ja", "テーブル", "テーブル"),  # in UniDic with its English origin
    ],
)
def test_lemmas_of_further_languages(language: str, form: str, base: str) -> None:
    assert get_tool(language).tokens(form)[0] == base


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [
        ("eu", "etxean", "etxea"),
        ("eu", "etxeetan", "etxe"),
        ("eu", "laguna", "lagunekin"),
        ("eu", "haurrak", "haur"),
        ("eu", "amak", "ama"),
        ("eu", "ogirik", "ogia"),
        ("ta", "தோசைகள்", "தோசை"),
        ("ms", "berjalan", "jalan"),
    ],
)
def test_forms_of_a_word_meet(language: str, one: str, other: str) -> None:
    assert get_tool(language).tokens(one) == get_tool(language).tokens(other)


@pytest.mark.usefixtures("tools_anew")
@pytest.mark.parametrize(
    ("language", "name", "module", "extra"),
    [
        ("ja", "Japanese", "unidic_lite", "japanese"),
        ("zh", "Chinese", "jieba", "text"),
        ("en", "English", "simplemma", "text"),
        ("id", "Indonesian", "simplemma", "text"),
    ],
)
def test_a_language_whose_extra_is_missing_names_the_line_that_installs_it(
    language: str, name: str, module: str, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert has_tool(language)
    monkeypatch.setitem(sys.modules, module, None)  # as if it were not installed
    with pytest.raises(MissingExtraError, match=rf"{name}.*simple.*\n.*pip install 'folkways\[{extra}\]'"):
        get_tool(language)
    assert not has_tool(language)
    assert has_tool(language, "simple") and get_tool(language, "simple").tokens("a b") == ["a", "b"]
    assert get_tool("ko").name == "stems" and has_tool("ko")


@pytest.mark.usefixtures("tools_anew")
def test_the_authors_chinese_needs_the_extra_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jieba", None)
    with pytest.raises(MissingExtraError, match=r"'folkways\[text\]'"):
        get_tool("zh", "paper")
    assert not has_tool("zh", "paper")
