"""One registry of text tools: which tool splits a language's text into tokens and brings them to their base
forms.

A tool set is a named choice of one tool per language, so that a signature can say which was used. A new tool
joins a set here, or, for a language without a tool of folkways, by an entry point ``folkways.text_tools`` of
another package (language code -> tool). Asking for a tool that is not installed is an error, never a weaker
tool in silence. Nothing is imported and nothing is read until a tool meets its first text.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module
from importlib.resources import files
from importlib.util import find_spec
from types import MappingProxyType
from typing import Protocol

from folkways.cultures import languages
from folkways.errors import UnknownNameError, need_extra, option
from folkways.plugins import TEXT_TOOLS, entries, load
from folkways.text.authors import SOURCES, authors_tool
from folkways.text.languages.affixes import STEMS_VERSION, WordTool
from folkways.text.languages.chinese import Jieba
from folkways.text.languages.japanese import MeCab
from folkways.text.languages.lemmas import lemma_of
from folkways.text.languages.simple import SimpleSegmenter
from folkways.text.versions import installed_version


class TextTool(Protocol):
    """Splits text of one language into tokens.

    name, version: as in signatures; the version changes whenever any token can.
    """

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str: ...

    def tokens(self, text: str) -> list[str]:
        """The tokens of ``text`` in order, as words or base forms. Never empty for a text that is not
        blank."""
        ...


TOOL_SETS = ("default", "paper", "simple")
"""``default`` is the best that comes with folkways; ``paper`` is what the authors use, where it is installed
(``authors``); ``simple`` is the Unicode segmenter for every language, without base forms."""

STEMMERS = {
    "am": "amharic",
    "ar": "arabic",
    "az": "azerbaijani",
    "eu": "basque",
    "fa": "persian",
    "ha": "hausa",
    "id": "indonesian",
    "ko": "korean",
    "su": "sundanese",
}
"""Language -> module of its rule-based stemmer, a function ``stem``, and ``lower`` where lower case is made
differently."""

WITH_LIST = frozenset({"fa", "id"})
"""Languages whose stemmer asks simplemma's list of base words, so that simplemma's version counts too."""

LEMMATISED = frozenset({"bg", "el", "en", "es", "fr", "ga", "ms", "sv", "tl"})
"""Languages whose lemmas are simplemma's."""

SNOWBALL = {"ta": "tamil"}
"""Language -> the name of its stemmer in Snowball."""

EXTRAS = {
    "ja": ("japanese", ("fugashi", "unidic_lite")),
    "zh": ("text", ("jieba",)),
    **dict.fromkeys(LEMMATISED | WITH_LIST, ("text", ("simplemma",))),
}
"""Language -> the extra of folkways that brings its tool, and the modules that the tool imports."""


@cache
def get_tool(language: str, tool_set: str = "default") -> TextTool:
    """The tool of a set for a language (a code of ``folkways.cultures``).

    UnknownNameError for an unknown language or set; FolkwaysError with the install line for a tool that is
    not installed: one of the set ``paper``, or of the extras ``text`` and ``japanese``.
    """
    if tool_set not in TOOL_SETS:
        raise UnknownNameError("set of text tools", tool_set, TOOL_SETS)
    if language not in languages():
        raise UnknownNameError("language", language, languages())
    if tool_set == "simple":
        return SimpleSegmenter()
    if tool_set == "paper" and language != "zh":
        return authors_tool(language)
    if language in EXTRAS:
        extra, modules = EXTRAS[language]
        name, simple = languages()[language].name, option("text_tools", "simple")
        need_extra(extra, f"comparing answers in {name} (or leave base forms out: {simple})", *modules)
    return _default(language)


def has_tool(language: str, tool_set: str = "default") -> bool:
    """Whether the tool that ``get_tool`` gives is installed."""
    if tool_set == "simple":
        return True
    if tool_set == "paper" and language != "zh":
        return language in SOURCES and SOURCES[language].installed
    return all(find_spec(module) is not None for module in EXTRAS.get(language, ("", ()))[1])


def _default(language: str) -> TextTool:
    if language == "zh":
        return Jieba()
    if language in STEMMERS:
        rules = import_module(f"folkways.text.languages.{STEMMERS[language]}")
        name, version = "stems", STEMS_VERSION
        if language in WITH_LIST:
            name, version = "stems-simplemma", f"{STEMS_VERSION}+{installed_version('simplemma')}"
        return WordTool(name, version, rules.stem, getattr(rules, "lower", str.lower))
    if language in LEMMATISED:
        return WordTool("simplemma", installed_version("simplemma"), partial(lemma_of, language=language))
    if language in SNOWBALL:
        return WordTool(
            "snowball",
            installed_version("snowballstemmer"),
            lambda word: stemmer_of(SNOWBALL[language])(word),
        )
    if language == "ja":
        return MeCab()
    return _of_package(language) or SimpleSegmenter()


def _of_package(language: str) -> TextTool | None:
    """The tool that another package brings for a language for which folkways has none, by its entry point;
    None for none."""
    entry = entries(TEXT_TOOLS).get(language)
    tool: TextTool | None = load(entry, _check_tool) if entry is not None else None
    return tool


def _check_tool(tool: object) -> None:
    """TypeError unless it is a TextTool."""
    tokens = getattr(tool, "tokens", None)
    if (
        isinstance(tool, type)
        or not callable(tokens)
        or not all(isinstance(getattr(tool, name, None), str) for name in ("name", "version"))
    ):
        raise TypeError(f"{tool!r} is not a text tool: it needs name, version and tokens(text)")


@cache
def stemmer_of(name: str) -> Callable[[str], str]:
    """Word -> stem, by the algorithm of that name. Imports snowballstemmer."""
    from snowballstemmer import stemmer

    stem: Callable[[str], str] = stemmer(name).stemWord
    return stem


@dataclass(frozen=True, slots=True)
class SignedEffect:
    """SEM-B with the default tools less SEM-B with the authors', on replies made to be difficult; in points,
    95 % interval."""

    points: float
    low: float
    high: float


@cache
def signed_effects() -> Mapping[str, SignedEffect]:
    """Language -> its effect; only languages that were measured."""
    lines = files("folkways.data").joinpath("text-tools.csv").read_text(encoding="utf-8").splitlines()
    names = SignedEffect.__slots__
    return MappingProxyType(
        {
            row["language"]: SignedEffect(**{name: float(row[name]) for name in names})
            for row in csv.DictReader(lines)
        }
    )
