"""Which answers of other countries are offered: the authors' walk, and the same rule without order.

The walk remembers its verdicts across countries and questions, so each call depends on all calls before it.
The rule without order judges every pair once, before anything is chosen. It also compares all variants of an
answer, compares words as words ("tea" is not in "steak"), ignores case and empty answers, and keeps the
higher count of an answer that a country gives twice.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import combinations

from folkways.benchmarks.blend.build.calls import Groups, GroupsCall, Judge, JudgeCall, PairsCall
from folkways.benchmarks.blend.build.sources import (
    LEAST_VOTES,
    SourceQuestion,
    fits,
    number_in,
    settled_by_form,
)

_SPLIT = re.compile("[/ ]")


@dataclass(frozen=True, slots=True)
class OptionSet:
    """What a country's questions are made of: right answers, and wrong ones by the country that gave them, in
    order of choice."""

    right: tuple[str, ...]
    wrong: dict[str, str]


@dataclass
class Memory:
    """Verdicts on pairs of strings. A fork sees its origin's and keeps its own until it is joined."""

    known: dict[frozenset[str], bool] = field(default_factory=dict)
    origin: Memory | None = None

    def get(self, one: str, other: str) -> bool | None:
        """The verdict on a pair, whichever way round it was reached."""
        key = frozenset((one, other))
        verdict = self.known.get(key)
        return verdict if verdict is not None or self.origin is None else self.origin.known.get(key)

    def put(self, one: str, other: str, same: bool) -> None:
        """Remember a verdict."""
        self.known[frozenset((one, other))] = same

    def fork(self) -> Memory:
        """A memory on top of this one."""
        return Memory(origin=self)

    def join(self) -> None:
        """Hand what was learnt to the origin."""
        if self.origin is not None:
            self.origin.known.update(self.known)


def choose(source: SourceQuestion, memory: Memory, judge: Judge) -> dict[str, OptionSet]:
    """Country -> Choice. ``judge`` is asked what strings and memory cannot tell, in the authors' order."""
    votes = {
        country: {group.variants[0]: group.count for group in groups}
        for country, groups in source.groups.items()
    }
    form = source.form
    chosen = {}
    for country, counts in votes.items():
        top = max(counts.values(), default=0)
        own = tuple(answer for answer in counts if fits(answer, form))
        candidates = [
            (count, target, other)
            for other, theirs in votes.items()
            if other != country
            for target, count in theirs.items()
            if count >= LEAST_VOTES and fits(target, form)
        ]
        candidates.sort(key=lambda candidate: -candidate[0])
        walk = _Walk(source.question, country, own, memory, judge)
        for _, target, other in candidates:
            walk.meet(target, other)
        chosen[country] = OptionSet(tuple(answer for answer in own if counts[answer] == top), walk.chosen)
    return chosen


@dataclass
class _Walk:
    """One country's way through the candidates."""

    question: str
    country: str
    own: tuple[str, ...]
    memory: Memory
    judge: Judge
    chosen: dict[str, str] = field(default_factory=dict)
    blocked: set[str] = field(default_factory=set)

    def meet(self, target: str, other: str) -> None:
        """Take the candidate, block its text, or pass it by."""
        if other in self.chosen or target in self.blocked:
            return
        if self._is_own(target) or self._is_chosen(target, other) or self._is_judged_own(target, other):
            return
        self.chosen[other] = target

    def _is_own(self, target: str) -> bool:
        for answer in self.own:
            if self.memory.get(answer, target):
                # without blocking the text: other countries' candidates with it are looked at again
                return True
            if lexically_same(answer, target):
                self.memory.put(answer, target, True)
                self.blocked.add(target)
                return True
        return False

    def _is_chosen(self, target: str, other: str) -> bool:
        for country, taken in self.chosen.items():
            same = self.memory.get(taken, target)
            if same is None:
                same = lexically_same(taken, target) or self._judged((taken,), target, country, other)
                self.memory.put(taken, target, same)
            if same:
                self.blocked.add(target)
                return True
        return False

    def _is_judged_own(self, target: str, other: str) -> bool:
        verdicts = (self.memory.get(answer, target) for answer in self.own)
        open_or_same = next((verdict for verdict in verdicts if verdict is not False), False)
        if open_or_same is False:
            return False
        if open_or_same is None and not self._judged(self.own, target, self.country, other):
            for answer in self.own:
                self.memory.put(answer, target, False)
            return False
        self.blocked.add(target)
        return True

    def _judged(self, answers: tuple[str, ...], target: str, country: str, other: str) -> bool:
        settled = settled_by_form(answers, target)
        return (
            settled
            if settled is not None
            else self.judge(JudgeCall(self.question, answers, target, country, other))
        )


def lexically_same(one: str, other: str) -> bool:
    """The authors' test of two strings: equal numbers; else one inside the other, or a word of both."""
    first, second = number_in(one), number_in(other)
    if first is not None and second is not None:
        return first == second
    return one in other or other in one or not _words(one).isdisjoint(_words(other))


@lru_cache(maxsize=50_000)
def _words(text: str) -> frozenset[str]:
    return frozenset(_SPLIT.split(text))


Pair = tuple[str, str]
"""Two texts in ``folded`` form, the lesser first."""

FUNCTION_WORDS = frozenset(
    (
        "a",
        "an",
        "and",
        "as",
        "at",
        "by",
        "for",
        "from",
        "in",
        "is",
        "it",
        "its",
        "of",
        "on",
        "or",
        "s",
        "that",
        "the",
        "to",
        "with",
    )
)
"""Words that two answers may share without sharing anything."""

_WORDS = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Meaning:
    """One answer of a country with all its variants in the question's form; ``text`` is the one that is
    shown."""

    country: str
    text: str
    variants: tuple[str, ...]
    count: int


@dataclass(frozen=True)
class Meanings:
    """A question's answers, and which of them are right, as far as no judge is needed.

    of: country -> its answers.
    right: country -> texts of its most frequent answers; none where they do not have the question's form.
    """

    source: SourceQuestion
    of: dict[str, tuple[Meaning, ...]]
    right: dict[str, tuple[str, ...]]

    def candidates(self, country: str) -> list[Meaning]:
        """Other countries' answers that enough people gave, most frequent first, then in the order of
        countries."""
        theirs = [meaning for other, meanings in self.of.items() if other != country for meaning in meanings]
        return sorted(
            (meaning for meaning in theirs if meaning.count >= LEAST_VOTES),
            key=lambda meaning: -meaning.count,
        )

    def open_pairs(self) -> list[Pair]:
        """The pairs of texts that only a judge can tell, sorted."""
        pairs: set[Pair] = set()
        offered = self.candidates("")
        for candidate in offered:
            for country, own in self.of.items():
                if country != candidate.country:
                    pairs.update(pair for meaning in own for pair in _open(meaning, candidate))
        return sorted(pairs)

    def choose(self, same: frozenset[Pair]) -> dict[str, OptionSet]:
        """Country -> Choice, given the pairs that were judged the same."""
        chosen = {}
        for country, own in self.of.items():
            taken: dict[str, Meaning] = {}
            for candidate in self.candidates(country):
                if candidate.country not in taken and not any(
                    is_same(meaning, candidate, same) for meaning in (*own, *taken.values())
                ):
                    taken[candidate.country] = candidate
            chosen[country] = OptionSet(
                self.right[country], {other: meaning.text for other, meaning in taken.items()}
            )
        return chosen


def meanings(source: SourceQuestion) -> Meanings:
    """The answers of a question, cleaned: trimmed, composed, without invisible characters, without
    repetitions."""
    of, right = {}, {}
    for country, groups in source.groups.items():
        merged: dict[str, Meaning] = {}
        top = 0
        for group in groups:
            variants = _distinct(map(clean, group.variants))
            if not variants:
                continue
            top = max(top, group.count)
            fitting = tuple(variant for variant in variants if fits(variant, source.form))
            if not fitting:
                continue
            key = folded(fitting[0])
            before = merged.get(key, Meaning(country, fitting[0], (), 0))
            merged[key] = Meaning(
                country, before.text, _distinct((*before.variants, *fitting)), max(before.count, group.count)
            )
        of[country] = tuple(merged.values())
        right[country] = tuple(meaning.text for meaning in merged.values() if meaning.count == top)
    return Meanings(source, of, right)


def folded(text: str) -> str:
    """The form in which two texts are one text: case aside."""
    return " ".join(text.casefold().split())


def pairs_calls(question: Meanings, size: int) -> list[PairsCall]:
    """Calls about the question's open pairs, ``size`` pairs in each."""
    pairs = question.open_pairs()
    parts = (pairs[start : start + size] for start in range(0, len(pairs), size))
    return [PairsCall(question.source.question, question.source.text, tuple(part)) for part in parts]


def groups_call(question: Meanings) -> list[GroupsCall]:
    """One call about all texts of the question's open pairs; none if there are none."""
    texts = sorted({text for pair in question.open_pairs() for text in pair})
    return [GroupsCall(question.source.question, question.source.text, tuple(texts))] if texts else []


def same_by_pairs(calls: Sequence[PairsCall], answers: Iterable[frozenset[int]]) -> frozenset[Pair]:
    """The pairs that were judged the same."""
    return frozenset(
        call.pairs[index] for call, places in zip(calls, answers, strict=True) for index in places
    )


def same_by_groups(call: GroupsCall, groups: Groups) -> frozenset[Pair]:
    """Every pair of texts within one group; a text in two groups does not join these."""
    return frozenset(
        _pair(call.answers[one], call.answers[other])
        for group in groups
        for one, other in combinations(group, 2)
    )


def _open(own: Meaning, candidate: Meaning) -> Iterator[Pair]:
    """The pairs to judge before ``candidate`` may be offered with ``own``; none if the words settle it."""
    if _same_in_words(own, candidate):
        return
    for variant in own.variants:
        if settled_by_form((variant,), candidate.text) is None:
            yield _pair(folded(variant), folded(candidate.text))


def is_same(one: Meaning, candidate: Meaning, same: frozenset[Pair]) -> bool:
    """Whether an answer that is offered means the same as another, by words or by verdict."""
    return _same_in_words(one, candidate) or any(
        _pair(folded(text), folded(candidate.text)) in same for text in one.variants
    )


def _same_in_words(one: Meaning, other: Meaning) -> bool:
    return any(same_in_words(first, second) for first in one.variants for second in other.variants)


@lru_cache(maxsize=200_000)
def same_in_words(one: str, other: str) -> bool:
    """Equal as numbers, dates, times or texts, or with a word in common that is more than a function word."""
    settled = settled_by_form((one,), other)
    if settled is not None:
        return settled
    first, second = folded(one), folded(other)
    return first == second or not _content_words(first).isdisjoint(_content_words(second))


@lru_cache(maxsize=50_000)
def _content_words(text: str) -> frozenset[str]:
    return frozenset(_WORDS.findall(text)) - FUNCTION_WORDS


def _pair(one: str, other: str) -> Pair:
    return (one, other) if one <= other else (other, one)


def clean(text: str) -> str:
    """The text trimmed, composed and without invisible characters."""
    visible = "".join(
        char for char in unicodedata.normalize("NFC", text) if unicodedata.category(char) != "Cf"
    )
    return " ".join(visible.split())


def _distinct(texts: Iterable[str]) -> tuple[str, ...]:
    """The texts without empty ones and without those that differ from an earlier one in case alone."""
    by_form: dict[str, str] = {}
    for text in texts:
        if text:
            by_form.setdefault(folded(text), text)
    return tuple(by_form.values())
