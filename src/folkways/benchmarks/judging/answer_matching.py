"""Whether a short answer is one of those that people gave: the authors' rule, and the same rule with its
defects fixed.

Groups are tried in order; in a local run all local variants of a group, then its English variants. An answer
matches as it stands in the reply, or else if each of its tokens is among the reply's. Each distinct string is
analysed once per matcher, and each distinct word once per process.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from folkways.errors import FolkwaysError, option
from folkways.text.languages.simple import HAN, KANA, SimpleSegmenter
from folkways.text.normalise import has_phrase, paper_tokens, plain_text, strict_text, strict_token
from folkways.text.tools import get_tool

ENGLISH = "en"
_SEGMENTER = SimpleSegmenter()
_BY_LETTERS = "ar"
"""The language of which the authors' code compares letters. Their tool, in the tool set ``paper``, gives
letters already."""


@dataclass(frozen=True, slots=True)
class Match:
    """Which answer a reply matched, how (``substring_local``, ``tokens_en``), and its weight: votes over the
    first group's."""

    stage: str
    answer: str
    weight: float


@dataclass
class Matcher(ABC):
    """Compares replies with groups of answers (of people: their wordings in the local language and in
    English, and votes)."""

    tool_set: str = "default"

    def match(self, groups: Sequence[Mapping[str, Any]], reply: str, language: str) -> Match | None:
        """The first answer that the cleaned reply matches, or None. ``language`` is the one that was asked
        in."""
        for group in groups:
            for key, side, spoken in (("answers", "local", language), ("en_answers", ENGLISH, ENGLISH)):
                if side == "local" and language == ENGLISH:
                    continue
                for answer in group[key]:
                    how = self.compare(answer, reply, spoken)
                    if how:
                        return Match(f"{how}_{side}", answer, group["count"] / groups[0]["count"])
        return None

    @abstractmethod
    def compare(self, answer: str, reply: str, language: str) -> str | None:
        """How one answer is in the reply (``substring``, ``words``, ``tokens``), or None if it is not."""

    def usable(self, groups: Sequence[Mapping[str, Any]], language: str) -> bool:
        """Whether any group has an answer that a reply could match."""
        return bool(groups)


@dataclass
class PaperMatcher(Matcher):
    """The authors' code, with the text tool of the tool set in place of theirs.

    Substring first, wherever it stands in a word, also with hyphens and spaces exchanged; the answer keeps
    its capitals. An answer without tokens (punctuation alone) matches every reply.
    """

    _answers: dict[tuple[str, str], tuple[str, ...]] = field(default_factory=dict)
    _replies: dict[tuple[str, str], frozenset[str]] = field(default_factory=dict)
    _words: StrictMatcher = field(default_factory=lambda: StrictMatcher("simple"))

    def compare(self, answer: str, reply: str, language: str) -> str | None:
        """``substring``, ``tokens`` or None."""
        if answer in reply or answer.replace("-", " ") in reply or answer.replace(" ", "-") in reply:
            return "substring"
        return "tokens" if self._has_tokens(answer, reply, language) else None

    def inside_word(self, groups: Sequence[Mapping[str, Any]], reply: str, language: str) -> bool:
        """Whether a reply that matches does so only because an answer stands within longer words (tea in
        steak).

        So it is where no answer of any group stands in it as whole words, perhaps with a particle, nor by its
        tokens.
        """
        spoken = (
            (("answers", language), ("en_answers", ENGLISH))
            if language != ENGLISH
            else (("en_answers", ENGLISH),)
        )
        return self._words.match(groups, reply, language) is None and not any(
            self._wanted(answer, of) and self._has_tokens(answer, reply, of)
            for group in groups
            for key, of in spoken
            for answer in group[key]
        )

    def _has_tokens(self, answer: str, reply: str, language: str) -> bool:
        said = self._replies.get((language, reply))
        if said is None:
            said = self._replies[language, reply] = frozenset(self._tokens(reply, language))
        return all(token in said for token in self._wanted(answer, language))

    def _wanted(self, answer: str, language: str) -> tuple[str, ...]:
        wanted = self._answers.get((language, answer))
        if wanted is None:
            wanted = self._answers[language, answer] = tuple(self._tokens(answer, language))
        return wanted

    def _tokens(self, text: str, language: str) -> list[str]:
        """What is compared; in Arabic the letters of the first word's base form, which the authors take for a
        list of words."""
        tokens = get_tool(language, self.tool_set).tokens(text)
        if language == _BY_LETTERS and self.tool_set != "paper":
            tokens = list(tokens[0]) if tokens else []
        return paper_tokens(tokens)


_UNSPACED = re.compile(f"[{HAN}{KANA}]")


@dataclass
class StrictMatcher(Matcher):
    """The same rule with its defects fixed.

    Answer and reply are brought to one normal form (case, accents, widths, digits, clock times, invisible
    characters); an answer stands in a reply as whole words only (perhaps with a particle or a plural's
    ending), so that tea is not in steak nor 1 in 15; characters of scripts without spaces must follow one
    another; empty answers match nothing. Base forms come last, in any order.
    """

    _forms: dict[tuple[str, str], tuple[str, tuple[str, ...]]] = field(default_factory=dict)
    _bases: dict[tuple[str, str], frozenset[str]] = field(default_factory=dict)

    def compare(self, answer: str, reply: str, language: str) -> str | None:
        """``words`` (one after another), ``tokens`` (in any order), ``lemmas`` (their base forms) or None."""
        phrase, units = self._form(answer, language)
        if not units:
            return None
        said, _ = self._form(reply, language)
        if has_phrase(said, phrase, language):
            return "words"
        if all(has_phrase(said, unit, language) for unit in units):
            return "tokens"
        bases = self._base_forms(answer, language)
        return "lemmas" if bases and bases <= self._base_forms(reply, language) else None

    def usable(self, groups: Sequence[Mapping[str, Any]], language: str) -> bool:
        """Whether any group has an answer that is not empty."""
        keys = ("en_answers",) if language == ENGLISH else ("answers", "en_answers")
        return any(
            self._form(answer, ENGLISH)[1] for group in groups for key in keys for answer in group[key]
        )

    def _base_forms(self, text: str, language: str) -> frozenset[str]:
        """The base forms of the text's words; empty for a tool that knows none, for then there is nothing to
        add."""
        if (language, self.tool_set) == ("ar", "paper"):
            raise FolkwaysError(
                "the authors' use of their Arabic tool, which compares letters, is among what the profile "
                "strict mends\n"
                f"use {option('text_tools', 'default')} with it, or {option('profile', 'paper')}"
            )
        tool = get_tool(language, self.tool_set)
        if isinstance(tool, SimpleSegmenter):
            return frozenset()
        known = self._bases.get((language, text))
        if known is None:
            tokens = tool.tokens(plain_text(text, language))
            known = self._bases[language, text] = frozenset(
                strict_token(word)
                for token in tokens
                for word in strict_text(token, language).split()
                if any(char.isalnum() for char in word)
            )
        return known

    def _form(self, text: str, language: str) -> tuple[str, tuple[str, ...]]:
        """The text's tokens as one string with a space before and after each, and the parts that must each be
        in a reply."""
        known = self._forms.get((language, text))
        if known is None:
            words = [
                [strict_token(token) for token in _SEGMENTER.tokens(word)]
                for word in strict_text(text, language).split()
            ]
            words = [
                tokens
                for word in words
                if (tokens := [token for token in word if any(char.isalnum() for char in token)])
            ]
            phrase = " ".join(token for tokens in words for token in tokens)
            units = tuple(f" {unit} " for tokens in words for unit in _units(tokens))
            known = self._forms[language, text] = (f" {phrase} ", units)
        return known


def _units(tokens: list[str]) -> list[str]:
    """The tokens of one word; neighbouring characters of scripts without spaces become one."""
    units: list[str] = []
    open_run = False
    for token in tokens:
        unspaced = _UNSPACED.match(token) is not None
        if unspaced and open_run:
            units[-1] += f" {token}"
        else:
            units.append(token)
        open_run = unspaced
    return units


MATCHERS: dict[str, type[Matcher]] = {"paper": PaperMatcher, "strict": StrictMatcher}
"""Profile -> how answers are compared."""
