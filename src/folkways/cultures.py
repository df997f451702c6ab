"""Cultures, regions and languages: one table for all benchmarks, with ISO codes, scripts, and who is asked in
which language.

The table lies in ``folkways/data`` and is read when it is first needed.
"""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any, Literal
from unicodedata import normalize

from folkways.errors import UnknownNameError

REGIONS = (
    "North America",
    "South America",
    "East Europe",
    "South Europe",
    "West Europe",
    "Africa",
    "Middle East/West Asia",
    "South Asia",
    "Southeast Asia",
    "East Asia",
    "Oceania",
)
"""CulturalBench's 11 regions in the order of its leaderboard; the cultures of other benchmarks are sorted
into them too."""


@dataclass(frozen=True, slots=True)
class Language:
    """A language that questions are asked in.

    code: short BCP 47 code ("ko"), the one folkways uses everywhere.
    name: in English; ``endonym`` in the language itself.
    iso639_3: the individual language, never a macrolanguage ("cmn", not "zho").
    script: ISO 15924 code of the script that questions are written in ("Hans").
    direction: of that script.
    also: codes of further scripts that people write it in as a matter of course ("Latn" for Serbian).
    resource: its class by Joshi et al. 2020, from 0 (hardly any text) to 5 (most); None where they have none.
    """

    code: str
    name: str
    endonym: str
    iso639_3: str
    script: str
    direction: Literal["ltr", "rtl"] = "ltr"
    also: tuple[str, ...] = ()
    resource: int | None = None


@dataclass(frozen=True, slots=True)
class Culture:
    """A country, a part of one, or a wider group of people that questions are asked about.

    code: ISO 3166-1 alpha-2 ("KR"), ISO 3166-2 where it is finer than a country ("ID-JB"), or one of our own
        ("NG-N", "ARAB").
    iso3166_1: alpha-2 code of the country it is or lies in; None where it spans several.
    iso3166_2: None unless it is a subdivision that ISO knows.
    parent: code of the culture that it is part of.
    region: one of REGIONS; None where it lies in several.
    languages: codes of the languages people are asked in locally, the usual one first; English only where it
        is official there. Empty only for WORLD, which is not a country.
    names: benchmark -> what that benchmark's data call it ({"blend": "South_Korea", "culturalbench": "South
        Korea"}).
    aliases: further names under which ``get_culture`` finds it.
    """

    code: str
    name: str
    iso3166_1: str | None = None
    iso3166_2: str | None = None
    parent: str | None = None
    region: str | None = None
    languages: tuple[str, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict, hash=False)
    aliases: tuple[str, ...] = ()


def _read(name: str) -> dict[str, Any]:
    return tomllib.loads(files("folkways").joinpath("data", name).read_text(encoding="utf-8"))


@cache
def _benchmarks() -> dict[str, dict[str, str]]:
    benchmarks: dict[str, dict[str, str]] = _read("cultures.toml")["benchmarks"]
    return benchmarks


@cache
def languages() -> Mapping[str, Language]:
    """Every language by code."""
    entries = {
        code: entry | {"also": tuple(entry.get("also", ()))}
        for code, entry in _read("languages.toml").items()
    }
    return MappingProxyType({code: Language(code=code, **entry) for code, entry in entries.items()})


@cache
def cultures() -> Mapping[str, Culture]:
    """Every culture by code, region by region in the order of REGIONS; those that lie in several regions come
    last."""
    table: dict[str, Culture] = {}
    for code, entry in _read("cultures.toml")["cultures"].items():
        names = {benchmark: members[code] for benchmark, members in _benchmarks().items() if code in members}
        values: dict[str, Any] = {
            key: tuple(value) if isinstance(value, list) else value for key, value in entry.items()
        }
        table[code] = Culture(code=code, names=MappingProxyType(names), **values)
    return MappingProxyType(table)


@cache
def language_name(code: str) -> str:
    """The language's name in English; the code itself where it is not one of ours."""
    language = languages().get(code)
    return language.name if language else code


_ACCENTS = re.compile("[\u0300-\u036f]")


@lru_cache(maxsize=4_096)  # every row of a release names some
def _fold(text: str) -> str:
    """Names are compared without regard to case, accents, articles, and what separates or shortens their
    words: South_Korea, id_jb, Cote d'Ivoire, Trinidad and Tobago, St Lucia, the Gambia."""
    text = re.sub(r"[\s_'’-]+", " ", normalize("NFKD", text)).strip().casefold()
    text = _ACCENTS.sub("", text).replace("&", "and")
    return re.sub(r"\bthe (?=\w)", "", re.sub(r"\bst\.? (?=\w)", "saint ", text))


@cache
def _cultures_by_name() -> dict[str, str]:
    codes: dict[str, str] = {}
    for culture in cultures().values():
        for name in (culture.code, culture.name, *culture.aliases, *culture.names.values()):
            codes.setdefault(_fold(name), culture.code)
    return codes


@cache
def _languages_by_name() -> dict[str, str]:
    codes: dict[str, str] = {}
    for language in languages().values():
        for name in (language.code, language.iso639_3, language.name, language.endonym):
            codes.setdefault(_fold(name), language.code)
    return codes


def get_culture(text: str) -> Culture:
    """The culture of that code, English name, alias ("UK", "JB") or name in any benchmark ("South_Korea"), in
    any case.

    Raises UnknownNameError with the valid codes.
    """
    code = _cultures_by_name().get(_fold(text))
    if code is None:
        raise UnknownNameError("culture", text, cultures(), hint=_close_names(text))
    return cultures()[code]


def get_language(text: str) -> Language:
    """The language of that code, ISO 639-3 code, English name or own name, in any case.

    Raises UnknownNameError with the valid codes.
    """
    code = _languages_by_name().get(_fold(text))
    if code is None:
        raise UnknownNameError("language", text, languages())
    return languages()[code]


def codes_of_cultures(names: Iterable[str]) -> tuple[str, ...]:
    """The code of each culture, under whatever name ``get_culture`` knows it, once; other names stay."""
    return tuple(dict.fromkeys(_cultures_by_name().get(_fold(name), name) for name in names))


def codes_of_languages(names: Iterable[str], offered: Collection[str]) -> tuple[str, ...]:
    """The same of languages: what is ``offered`` under that very name ("local") stays."""
    by_name = _languages_by_name()
    return tuple(dict.fromkeys(name if name in offered else by_name.get(_fold(name), name) for name in names))


def name_of_code(code: str) -> str:
    """The English name of the culture or language with that code; ``code`` itself where it is neither."""
    entry = cultures().get(code) or languages().get(code)
    return entry.name if entry else code


def _members(benchmark: str) -> dict[str, str]:
    try:
        return _benchmarks()[benchmark]
    except KeyError:
        raise UnknownNameError("benchmark", benchmark, _benchmarks()) from None


def cultures_of(benchmark: str) -> tuple[Culture, ...]:
    """The cultures of ``blend`` (the order in which its questions are built), ``culturalbench`` (by region),
    ``xcr`` (its targets) or ``demo``, in that benchmark's fixed order. Raises UnknownNameError for another
    benchmark.
    """
    return tuple(cultures()[code] for code in _members(benchmark))


def select_cultures(wanted: Sequence[str], available: Sequence[str]) -> list[str]:
    """The codes among ``available`` that ``wanted`` asks for, in that order, without repeats.

    A code or other name of ``get_culture`` selects that culture if it is available, and otherwise its
    available parts (IN -> IN-AS where only Assam is there). Raises UnknownNameError listing the available
    codes.
    """
    chosen: dict[str, None] = {}
    for text in wanted:
        code = _cultures_by_name().get(_fold(text))
        if code is None:
            raise UnknownNameError("culture", text, available, hint=_close_names(text))
        matches = (
            [code]
            if code in available
            else [part for part in available if part in cultures() and cultures()[part].parent == code]
        )
        if not matches:
            raise UnknownNameError(
                "culture", text, available, hint=f"{cultures()[code].name} is not among them"
            )
        chosen.update(dict.fromkeys(matches))
    return list(chosen)


MOST_MEANT = 4
"""Cultures that an unknown name is taken for, such as Korea for North and South Korea."""


def _close_names(text: str) -> str:
    """What the person may have meant, and where the names are listed."""
    wanted, codes = _fold(text), _cultures_by_name()
    misspelt = [name for name in codes if name[:1] == wanted[:1]]  # Scotland is not meant to be Poland
    close = [name for name in codes if f" {wanted} " in f" {name} "] or difflib.get_close_matches(
        wanted, misspelt, n=1, cutoff=0.75
    )
    meant = [cultures()[code] for code in dict.fromkeys(map(codes.__getitem__, close))][:MOST_MEANT]
    return (
        "".join(f"{culture.code} is {culture.name}. " for culture in meant) + "All names: folkways cultures"
    )
