"""The interface in several languages: gettext catalogues, and which one a reader gets."""

from __future__ import annotations

import gettext
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType

from folkways.cultures import languages

DOMAIN = "studio"
DEFAULT = "en"
LOCALES = ("en", "ar", "ko")
"""Languages of the interface. English is the language of the strings in the code and has no catalogue."""


@cache
def catalogue(locale: str) -> gettext.NullTranslations:
    """The translations of one of LOCALES."""
    if locale == DEFAULT:
        return gettext.NullTranslations()
    with (files(__package__) / "locale" / locale / "LC_MESSAGES" / f"{DOMAIN}.mo").open("rb") as file:
        return gettext.GNUTranslations(file)


def page_locale(template: str, locale: str) -> str:
    """The language of a page for a reader of ``locale``: the researcher's view is in English, all else in the reader's language."""
    return DEFAULT if template.startswith("desk/") else locale


@cache
def endonyms() -> Mapping[str, str]:
    """Locale -> what its own speakers call it."""
    return MappingProxyType({locale: languages()[locale].endonym for locale in LOCALES})


def direction(language: str) -> str:
    """``ltr`` or ``rtl``; ``auto`` for a language that folkways does not know."""
    found = languages().get(language)
    return found.direction if found else "auto"


def negotiate(accepted: str, fallback: str = DEFAULT) -> str:
    """The best of LOCALES for an ``Accept-Language`` header ("ko-KR,ko;q=0.9,en;q=0.8")."""
    weighted: list[tuple[float, str]] = []
    for part in accepted.split(",")[:20]:
        tag, _, parameters = part.strip().partition(";")
        try:
            weight = float(parameters.strip().removeprefix("q=")) if parameters.strip() else 1.0
        except ValueError:
            continue
        weighted.append((weight, tag.strip().lower().split("-")[0]))
    for weight, tag in sorted(weighted, key=lambda pair: -pair[0]):
        if weight > 0 and tag in LOCALES:
            return tag
    return fallback
