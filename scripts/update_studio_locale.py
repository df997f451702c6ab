#!/usr/bin/env python3
"""Bring the studio's translations up to date with the strings in its templates and code, and compile them.

    python scripts/update_studio_locale.py            # extract, update every studio.po, compile every studio.mo
    python scripts/update_studio_locale.py --check    # only compare; exit code 1 where something is not compiled
    python scripts/update_studio_locale.py --missing  # also print what has no translation

A new language: add its code to ``LOCALES`` of ``folkways_studio.web.rendering.i18n``, run this, translate the new ``studio.po`` or
as much of it as you can write well, and run this again. What is missing is shown in English, and the page /languages tells how
much that is. A browser's wish for a language is followed once 95 % of it are translated.
"""

from __future__ import annotations

import argparse
import io
import json
import sys
from collections.abc import Mapping
from pathlib import Path

from babel import Locale
from babel.messages.catalog import Catalog, Message
from babel.messages.extract import DEFAULT_KEYWORDS, extract_from_dir
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from folkways.cultures import languages
from folkways_studio.web.rendering.i18n import DEFAULT, DOMAIN, LOCALES, terms

STUDIO = Path(__file__).resolve().parents[1] / "src" / "folkways" / "studio"
WEB = STUDIO / "web"
COVERAGE = WEB / "locale" / "coverage.json"
NAMES = WEB / "locale" / "languages.json"
ANSWERING = (
    *("web/templates/entry/", "web/templates/tasks/", "web/templates/base.html.j2", "web/templates/parts.html.j2"),
    *("web/templates/work", "web/routes/participants/", "stages/"),
)
"""Where the strings come from that people who answer are shown."""

METHODS = [("web/templates/**.j2", "jinja2.ext:babel_extract"), ("**.py", "python")]
ERRORS = ("BusyError", "ConflictError", "InviteError", "NotAllowedError", "NotFoundError")
"""Their messages are shown in the reader's language."""

KEYWORDS = {**DEFAULT_KEYWORDS, "translate": None, "Message": None, **dict.fromkeys(ERRORS)}
OPTIONS = {"web/templates/**.j2": {"trimmed": "true", "newstyle_gettext": "true", "extensions": "jinja2.ext.do", "silent": "false"}}


def _first(text: object) -> str:
    """A string, or the singular of one that has a plural."""
    return str(text[0] if isinstance(text, (tuple, list)) else text)


def language_names() -> str:
    """What every language is called in each language of the interface, as CLDR has it."""
    found = {locale: Locale.parse(locale).languages for locale in LOCALES}
    names = {locale: {code: names[code] for code in sorted(languages()) if code in names} for locale, names in found.items()}
    return json.dumps(names, ensure_ascii=False, indent=0, sort_keys=True) + "\n"


def template() -> Catalog:
    """Every string of the interface, with where it stands."""
    catalog = Catalog(project="folkways", copyright_holder="the folkways developers", charset="utf-8")
    for name, line, message, comments, context in extract_from_dir(STUDIO, METHODS, OPTIONS, KEYWORDS):
        catalog.add(message, None, [(Path(name).as_posix(), line)], auto_comments=comments, context=context)
    for term in sorted(terms()):
        catalog.add(term)
    return catalog


def po_path(locale: str) -> Path:
    """Where a language's translations are."""
    return WEB / "locale" / locale / "LC_MESSAGES" / f"{DOMAIN}.po"


def updated(locale: str, strings: Catalog) -> Catalog:
    """A language's translations with the new strings added and the unused ones gone."""
    path = po_path(locale)
    catalog = Catalog(locale=locale, project="folkways", charset="utf-8")
    if path.exists():
        with path.open("rb") as file:
            catalog = read_po(file, locale=locale)
    catalog.update(strings, no_fuzzy_matching=True, update_creation_date=False)
    catalog.obsolete.clear()
    return catalog


def po_bytes(catalog: Catalog) -> bytes:
    """As text: sorted, with files but no line numbers, so that moving a line changes nothing."""
    buffer = io.BytesIO()
    write_po(buffer, catalog, width=120, sort_output=True, omit_header=False, include_lineno=False, ignore_obsolete=True)
    return buffer.getvalue()


def mo_bytes(catalog: Catalog) -> bytes:
    """Compiled."""
    buffer = io.BytesIO()
    write_mo(buffer, catalog)
    return buffer.getvalue()


def missing(catalog: Catalog) -> list[str]:
    """Strings that have no translation, or not one for every plural form."""
    return [str(message.id) for message in catalog if message.id and not _is_whole(message, catalog.num_plurals)]


def _is_whole(message: Message, plurals: int) -> bool:
    if not message.pluralizable:
        return bool(message.string)
    return isinstance(message.string, (tuple, list)) and len(message.string) == plurals and all(message.string)


def coverage_bytes(lacking: Mapping[str, int], strings: int, answering: Mapping[str, int], shown: int) -> bytes:
    """How many of the strings each language has; and of those that people who answer are shown."""
    told = {
        "strings": strings,
        "translated": {locale: strings - count for locale, count in lacking.items()},
        "answering": {"strings": shown, "translated": {locale: shown - count for locale, count in answering.items()}},
    }
    return f"{json.dumps(told, indent=2)}\n".encode()


def main() -> int:
    """Update or compare; exit code 1 where ``--check`` finds something."""
    parser = argparse.ArgumentParser(description="Bring the studio's translations up to date.")
    parser.add_argument("--check", action="store_true", help="only compare, write nothing")
    parser.add_argument("--missing", action="store_true", help="also print what has no translation")
    arguments = parser.parse_args()
    check = arguments.check
    strings = template()
    wrong = False
    counts: dict[str, int] = {}
    shown = {message.id for message in strings if any(place.startswith(ANSWERING) for place, _ in message.locations)}
    answering: dict[str, int] = {}
    for locale in LOCALES:
        if locale == DEFAULT:
            continue
        catalog = updated(locale, strings)
        lacking = missing(catalog)
        counts[locale] = len(lacking)
        answering[locale] = sum(_first(each) in {*map(_first, lacking)} for each in shown)
        path = po_path(locale)
        if check:
            stale = not path.exists() or mo_bytes(catalog) != path.with_suffix(".mo").read_bytes()
            wrong |= stale
            print(f"{locale}: {len(lacking)} strings without translation{', compiled file out of date' if stale else ''}")
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(po_bytes(catalog))
            path.with_suffix(".mo").write_bytes(mo_bytes(catalog))
            print(f"{locale}: {len(catalog)} strings, {len(lacking)} without translation")
        for text in lacking if arguments.missing else ():
            print(f"  {text}")
    for path, content in (
        (COVERAGE, coverage_bytes(counts, len(strings), answering, len(shown))),
        (NAMES, language_names().encode()),
    ):
        if not check:
            path.write_bytes(content)
        elif not path.exists() or content != path.read_bytes():
            wrong = True
            print(f"{path.name} is out of date")
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main())
