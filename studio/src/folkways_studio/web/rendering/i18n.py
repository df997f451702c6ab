"""The interface in several languages: gettext catalogues, and which one a reader gets."""

from __future__ import annotations

import gettext
import io
import json
from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType

from folkways.sdk.cultures import languages

DOMAIN = "studio"
DEFAULT = "en"
LOCALES = ("en", "es", "id", "zh", "ko", "ar", "el", "fa", "az", "su", "as", "ha", "am", "bn")
"""Languages of the interface. English is the language of the strings in the code and has no catalogue;
strings that another catalogue lacks are shown in English."""

ENOUGH = 0.95
"""Minimum share of translated strings for a language to be used without being chosen."""


LOCALE_FOLDER = Path(__file__).parents[1] / "locale"

CHECKED, COUNTS = "checked by", "checkers"
"""Contexts in a compiled catalogue of who checked a translation, and how many: see
``translation.catalogues``."""

_drafts: ContextVar[bool] = ContextVar("drafts", default=False)


class Catalogue(gettext.GNUTranslations):
    """Translations that notice when an unchecked one is used."""

    def _note(self, message: str) -> None:
        if self.checkers(message) is None and super().gettext(message) != message:
            _drafts.set(True)

    def checkers(self, message: str) -> str | None:
        """Who checked a translation; None for a draft."""
        names = super().pgettext(CHECKED, message)
        return None if names == message else names

    def gettext(self, message: str) -> str:
        self._note(message)
        return super().gettext(message)

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        translated = super().ngettext(msgid1, msgid2, n)
        if self.checkers(msgid1) is None and translated not in (msgid1, msgid2):
            _drafts.set(True)
        return translated


def note_draft() -> None:
    """A draft was used in this thread: a text that no speaker has checked, from elsewhere than a
    catalogue."""
    _drafts.set(True)


def take_drafts() -> bool:
    """Whether a draft was used since the last call, in this thread."""
    used = _drafts.get()
    _drafts.set(False)
    return used


@cache
def catalogue(locale: str) -> gettext.NullTranslations:
    """The translations of one of LOCALES. A checkout compiles changed ones; a package ships them compiled."""
    if locale == DEFAULT:
        return gettext.NullTranslations()
    path = po_path(locale)
    if not path.exists():
        return Catalogue(io.BytesIO(path.with_suffix(".mo").read_bytes()))
    from folkways_studio.translation.catalogues import compiled

    return Catalogue(io.BytesIO(compiled(path)))


def po_path(locale: str) -> Path:
    """The file of translations into a language, in a checkout."""
    return LOCALE_FOLDER / locale / "LC_MESSAGES" / f"{DOMAIN}.po"


@dataclass(frozen=True, slots=True)
class Coverage:
    """How many of the interface's strings are translated."""

    translated: int
    strings: int


@cache
def coverage(*, answering: bool = False) -> Mapping[str, Coverage]:
    """Locale -> its coverage, as counted by ``scripts/update_studio_locale.py``. answering: see
    ``offered_unasked``."""
    counted = json.loads((LOCALE_FOLDER / "coverage.json").read_text(encoding="utf-8"))
    if answering:
        counted = counted["answering"]
    total: int = counted["strings"]
    return MappingProxyType(
        {locale: Coverage(counted["translated"].get(locale, total), total) for locale in LOCALES}
    )


@dataclass(frozen=True, slots=True)
class CheckedTranslations:
    """How many translations speakers have checked, and how many each of them."""

    count: int
    people: Mapping[str, int]


@cache
def checked() -> Mapping[str, CheckedTranslations]:
    """Locale -> its checked translations."""
    by_locale = {}
    for locale in LOCALES:
        entry = catalogue(locale).pgettext(COUNTS, COUNTS)
        by_locale[locale] = (
            CheckedTranslations(**json.loads(entry)) if entry != COUNTS else CheckedTranslations(0, {})
        )
    return MappingProxyType(by_locale)


@cache
def offered_unasked(*, answering: bool = False) -> frozenset[str]:
    """Languages with at least ENOUGH translated. answering: count only the texts shown to people who
    answer."""
    return frozenset(
        locale
        for locale, counts in coverage(answering=answering).items()
        if counts.translated >= ENOUGH * counts.strings
    )


@cache
def terms() -> frozenset[str]:
    """Our own words that are stored as data and shown in the reader's language: labels, topics, reasons,
    strategies with their examples, titles of stages. Words from a study's own file are shown as they are."""
    from folkways.sdk.benchmarks import study_exports
    from folkways_studio.stages.base import REASONS
    from folkways_studio.stages.registry import stage_kind
    from folkways_studio.workflows.helping import strategies
    from folkways_studio.workflows.templates import stage_titles

    topics = stage_kind("collect_question").settings["categories"].default
    shown = (
        text for each in strategies().values() for text in (each.title, each.about, each.before, each.after)
    )
    exports = (export for exports in study_exports().values() for export in exports)
    labels = (label for export in exports for labels in export.labels.values() for label in labels)
    return frozenset((*topics, *REASONS, *labels, *shown, *stage_titles()))


def term(text: str, locale: str) -> str:
    """One of ``terms`` in the reader's language, if it is one of LOCALES; any other text as it is."""
    return catalogue(locale).gettext(text) if locale in LOCALES and text in terms() else text


@cache
def endonyms() -> Mapping[str, str]:
    """Locale -> the language's name for itself."""
    return MappingProxyType({locale: languages()[locale].endonym for locale in LOCALES})


def language_name(code: str, locale: str) -> str:
    """A language's name in ``locale``, for use in a sentence; its own name if CLDR has none."""
    from babel import Locale

    name = Locale.parse(locale).languages.get(code)
    return name or (languages()[code].endonym if code in languages() else code)


def direction(language: str) -> str:
    """``ltr`` or ``rtl``; ``auto`` for an unknown language."""
    language_record = languages().get(language)
    return language_record.direction if language_record else "auto"


def accepted_languages(header: str) -> tuple[str, ...]:
    """Language codes in an ``Accept-Language`` header ("ko-KR,ko;q=0.9,en;q=0.8"), best first."""
    weighted: list[tuple[float, str]] = []
    for part in header.split(",")[:20]:
        tag, _, parameters = part.strip().partition(";")
        try:
            weight = float(parameters.strip().removeprefix("q=")) if parameters.strip() else 1.0
        except ValueError:
            continue
        weighted.append((weight, tag.strip().lower().split("-")[0]))
    return tuple(
        dict.fromkeys(
            tag for weight, tag in sorted(weighted, key=lambda pair: -pair[0]) if weight > 0 and tag
        )
    )


def negotiate(accepted: str, *, answering: bool = False) -> str:
    """The best of ``offered_unasked`` for an ``Accept-Language`` header."""
    return next(
        (tag for tag in accepted_languages(accepted) if tag in offered_unasked(answering=answering)), DEFAULT
    )
