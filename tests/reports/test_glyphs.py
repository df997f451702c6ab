"""Letters that a report quotes are in the report: they are drawn where no font of the machine has them."""

from __future__ import annotations

import base64
import io
import re
import tomllib
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from fontTools.ttLib import TTFont

from folkways.reports.formats import glyphs
from folkways.reports.formats.glyphs import LETTERS, SCRIPTS, faces, fonts
from folkways.toml_files import packaged_toml
from tests.support.browser import Watched
from tests.support.report_data import REPLIES

LANGUAGES = tomllib.loads(files("folkways.data").joinpath("languages.toml").read_text(encoding="utf-8"))
JAPANESE = "朝ごはんにパンとコーヒー、「いただきます」と言います。"
QUOTED = {
    **{code: entry["endonym"] for code, entry in LANGUAGES.items() if entry.get("endonym")},
    **REPLIES,
    "ja": JAPANESE,
}


def drawn_with(page: Any, selector: str) -> list[list[dict[str, Any]]]:
    """The fonts with which Chromium draws each element: their names, whether the page brought them, how many glyphs."""
    session = page.context.new_cdp_session(page)
    session.send("DOM.enable")
    session.send("CSS.enable")
    root = session.send("DOM.getDocument")["root"]["nodeId"]
    nodes = session.send("DOM.querySelectorAll", {"nodeId": root, "selector": selector})["nodeIds"]
    drawn = [session.send("CSS.getPlatformFontsForNode", {"nodeId": node})["fonts"] for node in nodes]
    session.detach()
    return drawn


def in_script(text: str) -> bool:
    return any(font.of(set(map(ord, text))) for font in fonts() if font.family == SCRIPTS)


@pytest.mark.browser
def test_every_script_of_the_languages_is_drawn_with_the_letters_of_the_page(
    browser_page: Watched, tmp_path: Path
) -> None:
    quoted = {code: text for code, text in QUOTED.items() if in_script(text)}
    words = {code: re.sub(r"[\x00-\xff]+", "", text) for code, text in quoted.items()}
    body = "".join(f"<p>{text}</p>" for text in words.values())
    style = f"<style>p {{ font-family: '{SCRIPTS}', serif, '{LETTERS}' }}</style>"
    (tmp_path / "page.html").write_text(
        f"<!doctype html><meta charset=utf-8>{style}{body}<style>{faces(body)}</style>", "utf-8"
    )
    page = browser_page.open(tmp_path / "page.html")
    page.evaluate("document.fonts.ready")
    drawn = dict(zip(words, drawn_with(page, "p"), strict=True))
    assert len(drawn) > 30
    assert {
        code: used for code, used in drawn.items() if not all(font["isCustomFont"] for font in used)
    } == {}


def test_letters_of_latin_greek_and_cyrillic_are_there_for_machines_without_them() -> None:
    rules = faces("ɓəğ ά Ж ấ")
    assert rules.count("@font-face") == rules.count(f'"{LETTERS}"') == 4


@pytest.mark.parametrize(
    ("text", "ranges"),
    [
        ("ĀāĂ ą ɓəğ", {LETTERS: ["U+100-102,U+105,U+11F,U+253,U+259"]}),
        ("ά Ж ấ", {LETTERS: ["U+1EA5", "U+3AC", "U+416"]}),
        ("ا\u200dب ሀሁሂ 한", {SCRIPTS: ["U+627-628,U+200C-200D", "U+1200-1202", "U+D55C"]}),
    ],
)
def test_a_font_is_brought_for_its_letters_alone_and_joiners_where_it_has_them(
    text: str, ranges: dict[str, list[str]]
) -> None:
    rules = re.findall(r'font-family:"([^"]*)".*?unicode-range:([^;]*);', faces(text))
    assert {family: [codes for of, codes in rules if of == family] for family, _ in rules} == ranges
    assert faces(text, text) == faces(text), "letters of the page are not brought twice"


def test_plain_english_needs_no_letters() -> None:
    assert faces("How do you do? Café, 5 – 7 °C") == ""


def test_of_the_browser_of_items_the_most_frequent_letters_are_embedded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    most = 40  # a hundredth of the work
    monkeypatch.setattr(glyphs, "MOST_OF_ITEMS", most)
    han = "".join(map(chr, range(0x4E00, 0x4E00 + most + 50)))
    (rule,) = faces("", han).splitlines()
    first, last = re.search(r"unicode-range:U\+([0-9A-F]+)[^;]*[-,U+]([0-9A-F]+);", rule).groups()  # type: ignore[union-attr]
    assert first == "4E00" and int(last, 16) < 0x4E00 + most


@pytest.mark.browser
def test_what_the_report_quotes_is_drawn_with_its_own_letters(browser_page: Watched, page_file: Path) -> None:
    page = browser_page.open(page_file)
    page.evaluate("document.querySelectorAll('#cultures details').forEach(part => part.open = true)")
    page.evaluate("document.fonts.ready")
    for culture, letters in (("ET", "[ሀ-፼]"), ("KR", "[가-힣]"), ("IN-AS", "[অ-৿]")):
        quoted = page.locator(f"#culture-{culture} q", has_text=re.compile(letters))
        assert quoted.count()
        quoted.first.evaluate("element => element.dataset.tried = ''")
        (used,) = drawn_with(page, "[data-tried]")
        assert any(font["isCustomFont"] for font in used), (culture, used)
        page.evaluate("delete document.querySelector('[data-tried]').dataset.tried")


@pytest.mark.parametrize("text", ["Āā ɓəğ", "ا\u200dب ሀሁሂ 한", "ά Ж"])
def test_each_font_that_is_brought_has_the_glyphs_that_it_says_and_few_more(text: str) -> None:
    rules = re.findall(r"unicode-range:([^;]*);src:url\(data:font/woff2;base64,([^)]*)\)", faces(text))
    assert rules
    for ranges, source in rules:
        ends = [part.removeprefix("U+").split("-") for part in ranges.split(",")]
        codes = {code for part in ends for code in range(int(part[0], 16), int(part[-1], 16) + 1)}
        font = TTFont(io.BytesIO(base64.b64decode(source)))
        assert {*font.getBestCmap()} == codes
        assert len(font.getGlyphOrder()) < 12 * len(codes), "letters take other forms beside others"


def test_fonts_have_the_letters_that_their_file_says_and_latin_ones_come_last() -> None:
    declared = packaged_toml("folkways.data", "fonts/fonts.toml")
    for font in fonts():
        told = [f"{low:04X}-{high:04X}" if high > low else f"{low:04X}" for low, high in font.ranges]
        assert told == declared[font.name]["ranges"].split()
        script = font.name.partition("-")[0]
        assert (font.family == LETTERS) == (script in ("latin", "vietnamese", "greek", "cyrillic")), font.name
