"""Which answers of other countries are offered beside a country's own: the walk that the authors' program
does, call by call.

Its verdicts are remembered across countries and questions, so that what is asked depends on everything that
was asked before. ``order_free`` has the same rule without that.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache

from folkways.benchmarks.blend.build.calls import Judge, JudgeCall
from folkways.benchmarks.blend.build.forms import fits, number_in, settled_by_form
from folkways.benchmarks.blend.build.sources import LEAST_VOTES, Source

_SPLIT = re.compile("[/ ]")


@dataclass(frozen=True, slots=True)
class Choice:
    """What a country's questions are made of: right answers, and wrong ones by the country that gave them, in
    order of choice."""

    right: tuple[str, ...]
    wrong: dict[str, str]


@dataclass
class Memory:
    """Verdicts on pairs of strings. A fork sees its origin's and keeps its own until it is joined."""

    known: dict[tuple[str, str], bool] = field(default_factory=dict)
    origin: Memory | None = None

    def get(self, one: str, other: str) -> bool | None:
        """The verdict on a pair, whichever way round it was reached."""
        key = (one, other) if one <= other else (other, one)
        found = self.known.get(key)
        return found if found is not None or self.origin is None else self.origin.known.get(key)

    def put(self, one: str, other: str, same: bool) -> None:
        """Remember a verdict."""
        self.known[(one, other) if one <= other else (other, one)] = same

    def fork(self) -> Memory:
        """A memory on top of this one."""
        return Memory(origin=self)

    def join(self) -> None:
        """Hand what was learnt to the origin."""
        if self.origin is not None:
            self.origin.known.update(self.known)


def choose(source: Source, memory: Memory, judge: Judge) -> dict[str, Choice]:
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
        chosen[country] = Choice(tuple(answer for answer in own if counts[answer] == top), walk.chosen)
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
                return (
                    True  # without blocking the text: other countries' candidates with it are looked at again
                )
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
