"""Taking affixes off words: what the rule-based stemmers share.

A stem need not be a word. It is right when the forms of one word get the same stem and those of different
words do not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from folkways.text.languages.simple import SimpleSegmenter

STEMS_VERSION = "4"
"""Version of all rule-based stemmers together; it changes whenever any stem can."""


def longest_first(*groups: str) -> tuple[str, ...]:
    """The affixes in these strings, separated by spaces there: the longest first and each once."""
    return tuple(
        sorted({affix for group in groups for affix in group.split()}, key=lambda affix: (-len(affix), affix))
    )


def without_suffix(word: str, suffixes: Iterable[str], shortest: int) -> str:
    """``word`` without the first of ``suffixes`` that it ends in, if at least ``shortest`` characters
    stay."""
    for suffix in suffixes:
        if word.endswith(suffix) and len(word) - len(suffix) >= shortest:
            return word[: -len(suffix)]
    return word


def without_prefix(word: str, prefixes: Iterable[str], shortest: int) -> str:
    """``word`` without the first of ``prefixes`` that it begins with, if at least ``shortest`` characters
    stay."""
    for prefix in prefixes:
        if word.startswith(prefix) and len(word) - len(prefix) >= shortest:
            return word[len(prefix) :]
    return word


@dataclass(frozen=True, eq=False)
class WordTool:
    """Segments with the simple segmenter and gives each word's base form. Each distinct word is looked at
    once.

    base: word in lower case -> base form; an empty base form leaves the word as it is, for nothing must match
        everything.
    lower: to lower case, where the language has its own.
    """

    name: str
    version: str
    base: Callable[[str], str]
    lower: Callable[[str], str] = str.lower
    _known: dict[str, str] = field(default_factory=dict, repr=False)

    def tokens(self, text: str) -> list[str]:
        """The base forms of the words of ``text`` in order."""
        return [self._base(word) for word in SimpleSegmenter().tokens(text)]

    def _base(self, word: str) -> str:
        base = self._known.get(word)
        if base is None:
            lower = self.lower(word)
            base = self._known[word] = self.base(lower) or lower
        return base
