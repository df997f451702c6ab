"""Catalogues are compiled when they have changed, and pages say when a translation is used that nobody has
checked."""

from __future__ import annotations

import gettext
import io
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from babel import Locale
from babel.messages.catalog import Catalog
from jinja2 import ChoiceLoader, DictLoader

from folkways_studio.translation import catalogues
from folkways_studio.translation.catalogues import (
    CHECKED,
    compile_all,
    compiled,
    first,
    mo_bytes,
    new_catalogue,
    po_bytes,
    read_catalogue,
    texts,
    translated,
)
from folkways_studio.translation.strings import appearances, template
from folkways_studio.web.rendering import i18n, pages
from folkways_studio.web.rendering.i18n import Catalogue, take_drafts

ANSWERS = ("%(n)s answer", "%(n)s answers")
ARABIC = tuple(f"%(n)s {form}" for form in ("صفر", "واحد", "اثنان", "قليل", "كثير", "غير ذلك"))


def arabic(*checked: str) -> Catalog:
    """Three translations, of which the ones named are checked."""
    catalog = new_catalogue("ar")
    for text, translation in {"Yes": "نعم", "No": "لا", ANSWERS: ARABIC}.items():
        name = text if isinstance(text, str) else text[0]
        catalog.add(
            text,
            translation,
            user_comments=[f"{CHECKED} amber-7, Layla"] if name in checked else ["seen in a hurry"],
        )
    return catalog


def read(catalog: Catalog) -> Catalogue:
    return Catalogue(io.BytesIO(mo_bytes(catalog)))


def test_only_drafts_are_noticed() -> None:
    translations = read(arabic("Yes", "%(n)s answer"))
    take_drafts()
    assert (translations.gettext("Yes"), translations.ngettext(*ANSWERS, 2)) == ("نعم", ARABIC[2])
    assert translations.gettext("Maybe") == "Maybe" and translations.ngettext("day", "days", 2) == "days"
    assert not take_drafts(), "what is checked, or in English, is no draft"
    assert translations.gettext("No") == "لا"
    assert take_drafts() and not take_drafts()
    assert read(arabic("Yes")).ngettext(*ANSWERS, 5) == ARABIC[3]
    assert take_drafts(), "a plural is as much a draft"


def test_who_checked_is_read_back_from_text_and_compiled_file(tmp_path: Path) -> None:
    path = tmp_path / "ar" / "LC_MESSAGES" / "studio.po"
    path.parent.mkdir(parents=True)
    path.write_bytes(po_bytes(arabic("Yes")))
    again = read_catalogue(path)
    assert po_bytes(again) == path.read_bytes()
    assert [catalogues.checkers(again[text]) for text in ("Yes", "No")] == [["amber-7", "Layla"], []]
    assert read(again).checkers("Yes") == "amber-7, Layla" and read(again).checkers("No") is None
    assert mo_bytes(again) == mo_bytes(again), "no date goes into it"


def test_a_compiled_file_is_made_anew_when_its_text_is_newer(tmp_path: Path) -> None:
    path = tmp_path / "ar" / "LC_MESSAGES" / "studio.po"
    path.parent.mkdir(parents=True)
    path.write_bytes(po_bytes(arabic()))
    assert compile_all(tmp_path) == [path.with_suffix(".mo")] and path.with_suffix(
        ".mo"
    ).read_bytes() == mo_bytes(arabic())
    path.with_suffix(".mo").write_bytes(b"as it is")
    assert compiled(path) == b"as it is", "it is not compiled at every start"
    later = path.with_suffix(".mo").stat().st_mtime + 1
    os.utime(path, (later, later))
    assert compiled(path) == mo_bytes(arabic()) == path.with_suffix(".mo").read_bytes()
    path.with_suffix(".mo").unlink()
    assert compiled(path) == mo_bytes(arabic()) and sorted(each.name for each in path.parent.iterdir()) == [
        "studio.mo",
        "studio.po",
    ]


def test_what_is_no_catalogue_is_named(tmp_path: Path) -> None:
    path = tmp_path / "studio.po"
    for content in (b"\xff\xfe", b'msgid "a"\nnonsense\n', b'msgid "a\n'):
        path.write_bytes(content)
        with pytest.raises(ValueError, match=r"studio\.po is not a gettext catalogue"):
            read_catalogue(path, "ar")


@pytest.fixture
def korean(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., str]]:
    """Renders a template in Korean, with these texts of the interface checked, from a copy of its
    catalogues."""
    shutil.copytree(i18n.LOCALE_FOLDER, tmp_path, dirs_exist_ok=True, ignore=shutil.ignore_patterns("*.mo"))
    monkeypatch.setattr(i18n, "LOCALE_FOLDER", tmp_path)
    caches = (i18n.catalogue, i18n.checked, pages.environment)

    def render(template: str, *checked: str) -> str:
        catalog = read_catalogue(i18n.po_path("ko"))
        for text in checked:
            catalog[text].user_comments = [f"{CHECKED} amber-7"]
        i18n.po_path("ko").write_bytes(po_bytes(catalog))
        for each in caches:
            each.cache_clear()
        environment = pages.environment("ko")
        assert environment.loader is not None
        environment.loader = ChoiceLoader([DictLoader({"page": template}), environment.loader])
        return pages.render("page", "ko", {})

    yield render
    for each in caches:
        each.cache_clear()


def test_a_page_says_that_it_is_a_draft_until_all_of_it_is_checked(korean: Callable[..., str]) -> None:
    page, mark = '{{ _("Sign in") }} {{ _("Sign out") }}{{ draft_mark }}', '<p class="draft">'
    assert mark in korean(page)
    assert mark in korean(page, "Sign in")
    assert i18n.checked()["ko"] == i18n.CheckedTranslations(1, {"amber-7": 1}) and i18n.checked()[
        "ar"
    ] == i18n.CheckedTranslations(0, {})
    assert mark not in korean(page, "Sign in", "Sign out")
    assert mark not in korean("{{ draft_mark }}"), "its own words are no reason"


@pytest.mark.parametrize("locale", [each for each in i18n.LOCALES if each != "en"])
def test_who_answers_reads_one_language(locale: str) -> None:
    catalog = read_catalogue(i18n.po_path(locale), locale)
    shown = {words for words, place in appearances(template()).items() if place.answering}
    lacking = {first(each.id) for each in texts(catalog) if not translated(each, catalog.num_plurals)}
    assert shown & lacking == set()


@pytest.mark.parametrize("locale", [each for each in i18n.LOCALES if each != "en"])
def test_the_plural_rule_is_that_of_cldr(locale: str) -> None:
    """Languages with one form for all numbers, and Spanish for a million, which no page counts, are the
    exceptions."""
    catalog = read_catalogue(i18n.po_path(locale), locale)
    form = gettext.c2py(str(catalog.plural_expr))  # type: ignore[attr-defined]
    tags = [
        tag
        for tag in ("zero", "one", "two", "few", "many", "other")
        if tag in {*Locale.parse(locale).plural_form.tags, "other"}
    ]
    for number in (*range(1, 1000), 0):
        if catalog.num_plurals == len(tags):
            assert form(number) == tags.index(Locale.parse(locale).plural_form(number)), number
        elif catalog.num_plurals == 2:
            assert form(number) == (number != 1)


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (0, "لا أجوبة"),
        (1, "جواب واحد"),
        (3, "3 أجوبة"),
        (11, "11 جوابًا"),
        (99, "99 جوابًا"),
        (100, "100 جواب"),
    ],
)
def test_answers_are_counted_as_arabic_counts(number: int, words: str) -> None:
    text = i18n.catalogue("ar").ngettext("%(num)s answer", "%(num)s answers", number)
    assert text % {"num": number} == words
