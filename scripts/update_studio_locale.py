#!/usr/bin/env python3
"""Bring the studio's translations up to date with the strings in its templates and code.

    python scripts/update_studio_locale.py            # extract, update every studio.po
    python scripts/update_studio_locale.py --check    # only compare; exit code 1 where a file is out of date
    python scripts/update_studio_locale.py --missing  # also print what has no translation

A new language: add its code to ``LOCALES`` of ``folkways_studio.web.rendering.i18n``, run this, translate the
new ``studio.po`` or as much of it as you can write well, and run this again. What is missing is shown in
English, and the page /languages tells how much that is. A browser's wish for a language is followed once 95 %
of it are translated.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from pathlib import Path

from babel.messages.catalog import Catalog

from folkways_studio.translation.catalogues import (
    first,
    new_catalogue,
    po_bytes,
    read_catalogue,
    texts,
    translated,
)
from folkways_studio.translation.strings import appearances, template
from folkways_studio.web.rendering.i18n import DEFAULT, LOCALE_FOLDER, LOCALES, po_path

COVERAGE = LOCALE_FOLDER / "coverage.json"


def updated(locale: str, strings: Catalog) -> Catalog:
    """A language's translations with the new strings added and the unused ones gone."""
    path = po_path(locale)
    existing = read_catalogue(path, locale) if path.exists() else new_catalogue(locale)
    catalog = new_catalogue(locale, existing.plural_forms)  # the rule that its plurals were written for
    for message in texts(existing):
        catalog[message.id] = message
    catalog.update(strings, no_fuzzy_matching=True, update_creation_date=False)
    catalog.obsolete.clear()
    return catalog


def missing(catalog: Catalog) -> list[str]:
    """Strings that have no translation, or not one for every plural form."""
    return [first(message.id) for message in texts(catalog) if not translated(message, catalog.num_plurals)]


def coverage_bytes(
    lacking: Mapping[str, int], strings: int, answering: Mapping[str, int], shown: int
) -> bytes:
    """How many of the strings each language has; and of those that people who answer are shown."""
    told = {
        "strings": strings,
        "translated": {locale: strings - count for locale, count in lacking.items()},
        "answering": {
            "strings": shown,
            "translated": {locale: shown - count for locale, count in answering.items()},
        },
    }
    return f"{json.dumps(told, indent=2)}\n".encode()


def files(strings: Catalog) -> tuple[dict[Path, bytes], dict[str, list[str]]]:
    """Path -> what the file has to be; and locale -> what has no translation."""
    shown = {text for text, place in appearances(strings).items() if place.answering}
    contents: dict[Path, bytes] = {}
    lacking: dict[str, list[str]] = {}
    for locale in LOCALES:
        if locale == DEFAULT:
            continue
        catalog = updated(locale, strings)
        contents[po_path(locale)] = po_bytes(catalog)
        lacking[locale] = missing(catalog)
    contents[COVERAGE] = coverage_bytes(
        {locale: len(absent) for locale, absent in lacking.items()}, len(strings),
        {locale: len(shown & {*absent}) for locale, absent in lacking.items()}, len(shown),
    )  # fmt: skip
    return contents, lacking


def main() -> int:
    """Update or compare; exit code 1 where ``--check`` finds something."""
    parser = argparse.ArgumentParser(description="Bring the studio's translations up to date.")
    parser.add_argument("--check", action="store_true", help="only compare, write nothing")
    parser.add_argument("--missing", action="store_true", help="also print what has no translation")
    arguments = parser.parse_args()
    contents, lacking = files(template())
    stale = [path for path, content in contents.items() if not path.exists() or path.read_bytes() != content]
    for locale, absent in lacking.items():
        print(f"{locale}: {len(absent)} strings without translation")
        for text in absent if arguments.missing else ():
            print(f"  {text}")
    for path in stale:
        print(f"{path.relative_to(LOCALE_FOLDER)} {'is out of date' if arguments.check else 'written'}")
        if not arguments.check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(contents[path])
    return int(arguments.check and bool(stale))


if __name__ == "__main__":
    sys.exit(main())
