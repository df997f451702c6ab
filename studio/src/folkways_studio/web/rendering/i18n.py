"""The interface in several languages: gettext catalogues, and which one a reader gets."""

from __future__ import annotations

import gettext
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from types import MappingProxyType

from folkways.sdk.cultures import languages

DOMAIN = "studio"
DEFAULT = "en"
LOCALES = ("en", "es", "id", "zh", "ko", "ar", "el", "fa", "az", "su", "as", "ha", "am", "bn")
"""Languages of the interface. English is the language of the strings in the code and has no catalogue; what is missing in the
catalogue of another one is shown in English.
"""

ENOUGH = 0.95
"""Share of the strings from which on a language is a reader's without being chosen."""


@cache
def catalogue(locale: str) -> gettext.NullTranslations:
    """The translations of one of LOCALES."""
    if locale == DEFAULT:
        return gettext.NullTranslations()
    with (files("folkways_studio.web") / "locale" / locale / "LC_MESSAGES" / f"{DOMAIN}.mo").open("rb") as file:
        return gettext.GNUTranslations(file)


@dataclass(frozen=True, slots=True)
class Coverage:
    """How many of the interface's strings a language has."""

    translated: int
    strings: int


@cache
def coverage(*, answering: bool = False) -> Mapping[str, Coverage]:
    """Locale -> what it has, as ``scripts/update_studio_locale.py`` counted it. answering: see ``offered_unasked``."""
    counted = json.loads((files("folkways_studio.web") / "locale" / "coverage.json").read_text(encoding="utf-8"))
    if answering:
        counted = counted["answering"]
    total: int = counted["strings"]
    return MappingProxyType({locale: Coverage(counted["translated"].get(locale, total), total) for locale in LOCALES})


@cache
def offered_unasked(*, answering: bool = False) -> frozenset[str]:
    """The languages of which ENOUGH is translated. answering: of what people who answer are shown."""
    return frozenset(
        locale for locale, found in coverage(answering=answering).items() if found.translated >= ENOUGH * found.strings
    )


@cache
def terms() -> frozenset[str]:
    """Words of ours that are stored as data and shown in the reader's language: labels, topics, strategies with their examples.

    What a study's own file names in their place is shown as it stands there.
    """
    from folkways.sdk.benchmarks import study_exports
    from folkways_studio.stages.writing import TOPICS
    from folkways_studio.workflows.helping import strategies

    shown = (text for each in strategies().values() for text in (each.title, each.about, each.before, each.after))
    exports = (export for exports in study_exports().values() for export in exports)
    labels = (label for export in exports for labels in export.labels.values() for label in labels)
    return frozenset((*TOPICS, *labels, *shown))


def term(text: str, locale: str) -> str:
    """One of ``terms`` in the language of a reader; any other text as it is."""
    return catalogue(locale).gettext(text) if text in terms() else text


@cache
def endonyms() -> Mapping[str, str]:
    """Locale -> what its own speakers call it."""
    return MappingProxyType({locale: languages()[locale].endonym for locale in LOCALES})


@cache
def _language_names() -> Mapping[str, Mapping[str, str]]:
    found: dict[str, dict[str, str]] = json.loads(
        (files("folkways_studio.web") / "locale" / "languages.json").read_text(encoding="utf-8")
    )
    return found


def language_name(code: str, locale: str) -> str:
    """A language as a reader of ``locale`` calls it, inside a sentence; where CLDR does not know that, as its speakers do."""
    name = _language_names().get(locale, {}).get(code)
    return name or (languages()[code].endonym if code in languages() else code)


def direction(language: str) -> str:
    """``ltr`` or ``rtl``; ``auto`` for a language that folkways does not know."""
    found = languages().get(language)
    return found.direction if found else "auto"


def accepted_languages(header: str) -> tuple[str, ...]:
    """Codes of the languages that an ``Accept-Language`` header ("ko-KR,ko;q=0.9,en;q=0.8") asks for, best first."""
    weighted: list[tuple[float, str]] = []
    for part in header.split(",")[:20]:
        tag, _, parameters = part.strip().partition(";")
        try:
            weight = float(parameters.strip().removeprefix("q=")) if parameters.strip() else 1.0
        except ValueError:
            continue
        weighted.append((weight, tag.strip().lower().split("-")[0]))
    return tuple(dict.fromkeys(tag for weight, tag in sorted(weighted, key=lambda pair: -pair[0]) if weight > 0 and tag))


def negotiate(accepted: str, *, answering: bool = False) -> str:
    """The best of ``offered_unasked`` for an ``Accept-Language`` header."""
    return next((tag for tag in accepted_languages(accepted) if tag in offered_unasked(answering=answering)), DEFAULT)
