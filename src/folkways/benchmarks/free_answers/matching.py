"""Whether a short answer is one of those that people gave: how a reply is cleaned, the authors' rule, and the
same rule with its defects fixed.

Groups of answers are tried in order; in a local run all local variants of a group, then its English
variants. An answer matches if the reply contains it as it is, or else if the reply has each of its tokens.
Each distinct string is analysed once per matcher, and each distinct word once per process.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from folkways.errors import FolkwaysError, option
from folkways.records import Metric
from folkways.text.labels import first_turn
from folkways.text.languages.simple import UNSPACED, SimpleSegmenter
from folkways.text.normalise import has_phrase, paper_tokens, plain_text, strict_text, strict_token
from folkways.text.scripts import in_another_language, in_another_script
from folkways.text.tools import get_tool

READ_AS_MISSING = frozenset(
    [
        "NA",
        "N/A",
        "<NA>",
        "#NA",
        "#N/A",
        "#N/A N/A",
        "n/a",
        "NaN",
        "nan",
        "-NaN",
        "-nan",
        "NULL",
        "null",
        "None",
    ]
).union(["1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN"])
"""Replies that the authors' programs lose: pandas reads these words of a CSV as no reply at all. "None" is
also a gold answer."""

ONLY_THE_PROMPT = "the reply repeats the prompt and says nothing else"

_ASCII_PUNCTUATION = str.maketrans({"：": ":", "、": ",", "，": ",", "。": "."})
_LEADING_WORD = re.compile(r"(\w+):\s")
_LABEL = re.compile(r"([^\W\d]+)\s*[:：]")
_LIST_MARK = re.compile(r"^\s*(?:[-*•–]|\d{1,2}[.)])\s+")
_NUMBER_OF_LINE = re.compile(r"^[^\S\n]*\d{1,2}[、,，](?=[^\W\d])", re.MULTILINE)
_COUNTED_LINE = re.compile(r"^[^\S\n*_]*[*_]*(\d{1,2})[.)][*_]*(?=\s|\Z)", re.MULTILINE)
_BETWEEN_ANSWERS = re.compile(r"\n|[;；؛፤、､،፣]|[,，](?!\d)")
_DRESS = re.compile(r"""\A[\s*_`"'“”‘’.。]+|(?<![\s*_`"'“”‘’.。])[\s*_`"'“”‘’.。]+\Z""")
_BRACKETS = re.compile(r"\A[\s\[\](){}]+|(?<![\s\[\](){}])[\s\[\](){}]+\Z")


LANGUAGE_METRICS = (
    Metric(
        "other_script",
        "Other script",
        "Share of replies written in another script than asked.",
        lower_is_better=True,
    ),
    Metric(
        "other_language",
        "Other language",
        "Share of replies that script or function words show to be in another language than asked.",
        lower_is_better=True,
    ),
)
"""Metrics of short answers whose values ``language_values`` gives."""


def language_values(reply: str, language: str, local: str) -> dict[str, float | None]:
    """Whether a reply is in another script, and in another language, than it was asked in; None where that
    cannot be told. local: the language of the culture, which a reply to a question in English may be in."""
    shown = {
        "other_script": in_another_script(reply, language),
        "other_language": in_another_language(reply, language, local if language == "en" else "en"),
    }
    return {name: None if value is None else float(value) for name, value in shown.items()}


def clean_as_paper(reply: str, prompt: str) -> str:
    """The reply as the authors' code compares it.

    The prompt's own text goes; ideographic punctuation becomes ASCII; all is lower-cased. If the reply
    then begins with a word and a colon, and the prompt has that word, it goes everywhere. Outer white
    space and full stops go.
    """
    text = reply.replace(prompt, "").translate(_ASCII_PUNCTUATION).lower()
    leading = _LEADING_WORD.match(text)
    if leading and leading[1] in prompt.translate(_ASCII_PUNCTUATION).lower():
        text = text.replace(leading[1] + ":", "")
    return text.strip().strip(".").lower()


def clean_strictly(reply: str, prompt: str) -> str:
    """The reply in its own case, without the prompt's text, turns after its own, one leading label of the
    prompt ("Answer:"), outer quotes and marks, and the numbers of a counted list, which answer no question
    for a number."""
    text = first_turn(reply.replace(prompt, "") if prompt.strip() else reply)
    counted = [int(hit[1]) for hit in _COUNTED_LINE.finditer(text)]
    if len(counted) > 1 and counted == [*range(1, len(counted) + 1)]:
        text = _COUNTED_LINE.sub("", text)
    text = _DRESS.sub("", text)
    leading = _LABEL.match(text)
    if leading and leading[1].casefold() in prompt.casefold():
        text = text[leading.end() :]
    return _DRESS.sub("", text)


def repeats_the_prompt(reply: str, own: str) -> bool:
    """Whether a reply does nothing but repeat its prompt: ``own``, the rest of it, has no letter and no
    digit."""
    return own != reply and not any(char.isalnum() for char in own)


def answers_in(reply: str) -> list[str]:
    """The answers of a reply that lists several, split at line breaks, commas and semicolons of any script;
    the comma within a thousand or after a line's number (1、) does not divide."""
    lines = _NUMBER_OF_LINE.sub("", _BRACKETS.sub("", reply))
    parts = (
        _DRESS.sub("", _BRACKETS.sub("", _LIST_MARK.sub("", part))) for part in _BETWEEN_ANSWERS.split(lines)
    )
    return [part for part in parts if part]


ENGLISH = "en"
_SEGMENTER = SimpleSegmenter()
_BY_LETTERS = "ar"
"""The language in which the authors' code compares letters. Their tool, in the tool set ``paper``, gives
letters already."""


@dataclass(frozen=True, slots=True)
class Match:
    """An answer that a reply matched, how (``substring_local``, ``tokens_en``), and its weight: its votes
    over the first group's."""

    stage: str
    answer: str
    weight: float


KEPT_TEXTS = 8_192
"""Texts whose tokens a matcher remembers: replies to one question come one after the other."""


def _make_room(known: dict[tuple[str, str], Any]) -> None:
    """Empty a memory that is full."""
    if len(known) >= KEPT_TEXTS:
        known.clear()


@dataclass
class Matcher(ABC):
    """Compares replies with groups of people's answers: wordings in the local language and in English, and
    votes."""

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

    Substring first, anywhere in a word, also with hyphens and spaces exchanged; the answer keeps its
    capitals. An answer without tokens (punctuation alone) matches every reply.
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
        """Whether a reply matches only because an answer occurs inside longer words (tea in steak).

        That is the case if the reply has no answer of any group as whole words, perhaps with a particle,
        nor by its tokens.
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
        reply_tokens = self._replies.get((language, reply))
        if reply_tokens is None:
            _make_room(self._replies)
            reply_tokens = self._replies[language, reply] = frozenset(self._tokens(reply, language))
        return all(token in reply_tokens for token in self._wanted(answer, language))

    def _wanted(self, answer: str, language: str) -> tuple[str, ...]:
        wanted = self._answers.get((language, answer))
        if wanted is None:
            wanted = self._answers[language, answer] = tuple(self._tokens(answer, language))
        return wanted

    def _tokens(self, text: str, language: str) -> list[str]:
        """The tokens that are compared; in Arabic the letters of the first word's base form, which the
        authors take for a list of words."""
        tokens = get_tool(language, self.tool_set).tokens(text)
        if language == _BY_LETTERS and self.tool_set != "paper":
            tokens = list(tokens[0]) if tokens else []
        return paper_tokens(tokens)


@dataclass
class StrictMatcher(Matcher):
    """The same rule with its defects fixed.

    Answer and reply are brought to one normal form (case, accents, widths, digits, clock times, invisible
    characters). A reply has to contain an answer as whole words, perhaps with a particle or a plural's
    ending, so that tea is not in steak nor 1 in 15. Characters of scripts without spaces must follow one
    another; empty answers match nothing. Base forms come last, in any order.
    """

    _forms: dict[tuple[str, str], tuple[str, tuple[str, ...]]] = field(default_factory=dict)
    _bases: dict[tuple[str, str], frozenset[str]] = field(default_factory=dict)

    def compare(self, answer: str, reply: str, language: str) -> str | None:
        """``words`` (one after another), ``tokens`` (in any order), ``lemmas`` (their base forms) or None."""
        phrase, units = self._form(answer, language)
        if not units:
            return None
        reply_phrase, _ = self._form(reply, language)
        if has_phrase(reply_phrase, phrase, language):
            return "words"
        if all(has_phrase(reply_phrase, unit, language) for unit in units):
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
        """The base forms of the text's words; empty if the tool knows none, for then there is nothing to
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
        bases = self._bases.get((language, text))
        if bases is None:
            _make_room(self._bases)
            tokens = tool.tokens(plain_text(text, language))
            bases = self._bases[language, text] = frozenset(
                strict_token(word)
                for token in tokens
                for word in strict_text(token, language).split()
                if any(char.isalnum() for char in word)
            )
        return bases

    def _form(self, text: str, language: str) -> tuple[str, tuple[str, ...]]:
        """The text's tokens as one string with a space before and after each, and the parts that a reply must
        all have."""
        form = self._forms.get((language, text))
        if form is None:
            _make_room(self._forms)
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
            form = self._forms[language, text] = (f" {phrase} ", units)
        return form


def _units(tokens: list[str]) -> list[str]:
    """The tokens of one word; neighbouring characters of scripts without spaces become one."""
    units: list[str] = []
    open_run = False
    for token in tokens:
        unspaced = UNSPACED.match(token) is not None
        if unspaced and open_run:
            units[-1] += f" {token}"
        else:
            units.append(token)
        open_run = unspaced
    return units


MATCHERS: dict[str, type[Matcher]] = {"paper": PaperMatcher, "strict": StrictMatcher}
"""Profile -> how answers are compared."""
