"""The shipped fonts have every letter of our own texts: of the interface in each language, and of what stands
in its pages."""

from __future__ import annotations

import re
import unicodedata
from functools import cache

import pytest
from babel import Locale

from folkways.cultures import languages
from folkways_studio.translation.catalogues import read_catalogue, texts
from folkways_studio.web.rendering.i18n import DEFAULT, LOCALES, endonyms, po_path
from folkways_studio.workflows.manuals import shipped, shipped_languages

WEB = po_path("ko").parents[3]
FONTS = WEB / "static" / "fonts"
FACE = re.compile(r"src: url\(([^)]+)\).*?unicode-range: ([^;]+);", re.DOTALL)
RUN_AGAIN = "write it otherwise, or run scripts/vendor_studio_assets.py"


def span(part: str) -> range:
    first, _, last = part.strip().removeprefix("U+").partition("-")
    return range(int(first, 16), int(last or first, 16) + 1)


@cache
def glyphs_of(file: str) -> frozenset[int]:
    """The characters for which a font has a glyph."""
    from fontTools.ttLib import TTFont

    return frozenset(TTFont(FONTS / file).getBestCmap())


@cache
def letters_of_fonts() -> frozenset[str]:
    """Characters that a browser finds in some shipped font: in its range in the style sheet, and with a glyph
    in its file."""
    found: set[str] = set()
    for sheet in ("fonts.css", "han-hangul.css"):
        for file, parts in FACE.findall((FONTS / sheet).read_text(encoding="utf-8")):
            glyphs = glyphs_of(file)
            found.update(chr(code) for part in parts.split(",") for code in span(part) if code in glyphs)
    return frozenset(found)


def without(words: str) -> str:
    """The letters, numbers and punctuation of a text that no shipped font has; signs such as ✓ only accompany
    words."""
    needed = {letter for letter in words if unicodedata.category(letter)[0] in "LMNP"}
    return "".join(sorted(needed - letters_of_fonts()))


@pytest.mark.parametrize("locale", LOCALES)
def test_every_letter_of_the_guidelines_is_in_a_font(locale: str) -> None:
    for name in (name for name, codes in shipped_languages().items() if locale in codes):
        manual = shipped(name, locale)
        cases = "".join(each.text + each.reason for case in manual.cases for each in case.options)
        assert without(manual.text + cases + "".join(case.text for case in manual.cases)) == "", name


@pytest.mark.parametrize("locale", LOCALES)
def test_every_letter_of_the_interface_is_in_a_font(locale: str) -> None:
    names = [name for code, name in Locale.parse(locale).languages.items() if code in languages()]
    # Any catalogue has all English texts: to read the sources for them takes two seconds.
    of = "ko" if locale == DEFAULT else locale
    catalog = read_catalogue(po_path(of), of)
    for message in texts(catalog):
        words = message.id if locale == DEFAULT else message.string
        lacking = without("".join(words if isinstance(words, (tuple, list)) else (words or "",)))
        assert lacking == "", f"no font has {lacking} of {words}: {RUN_AGAIN}"
    assert without("".join((*names, *endonyms().values()))) == "", RUN_AGAIN


@pytest.mark.parametrize("pattern", ["*/templates/**/*.j2", "web/static/js/*"])
def test_every_letter_that_stands_in_a_page_is_in_a_font(pattern: str) -> None:
    files = [path for path in WEB.parent.glob(pattern) if path.is_file()]
    assert len(files) > 10
    lacking = {str(path.relative_to(WEB.parent)): without(path.read_text(encoding="utf-8")) for path in files}
    assert {name: letters for name, letters in lacking.items() if letters} == {}


def test_a_sheet_says_what_its_fonts_have() -> None:
    """Of Han and Hangul, whose slices are cut for our texts: no file is fetched in vain, and none twice for a
    letter."""
    seen: dict[str, set[int]] = {"sc": set(), "kr": set()}
    for file, parts in FACE.findall((FONTS / "han-hangul.css").read_text(encoding="utf-8")):
        ranges = {code for part in parts.split(",") for code in span(part)}
        assert ranges <= glyphs_of(file), file
        family = seen[file.split("-")[2]]
        assert not ranges & family, f"{file} has letters of another slice"
        family |= ranges


@pytest.mark.parametrize(("locale", "words"), [("ko", "섣믐쭙뺄텼잽"), ("zh", "剔簿")])
def test_rare_letters_of_our_texts_are_there(locale: str, words: str) -> None:
    assert without(words) == "", locale
    assert without("\U00020000") == "\U00020000", "the test can tell a letter that is missing"


@pytest.mark.parametrize("sheet", ["base.css", "desk.css", "task.css"])
def test_a_space_at_one_side_only_is_at_the_start_or_the_end_of_a_line(sheet: str) -> None:
    """Four lengths are of fixed sides: where left and right differ, a page from right to left has them wrong."""
    rules = (WEB / "static" / sheet).read_text("utf-8")
    sides = re.findall(r"(?:padding|margin|inset): ([^\s;}]+) ([^\s;}]+) ([^\s;}]+) ([^\s;}]+) *[;}]", rules)
    assert [each for each in sides if each[1] != each[3]] == []
