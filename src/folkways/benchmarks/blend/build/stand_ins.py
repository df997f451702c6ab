"""Stand-ins for the judge that need no model: rules without state or chance, for tests and for trying things
out.

overlap: two answers are the same when they share a word or one contains the other, by words in lower case.
hashNN:  that, or when a hash of the two says so: as if a model said "same" of NN % of the pairs that share no
word. ctxNN:   that, or when a hash of the whole call says so: country names, order of answers. It tells apart
any two ways of asking.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from itertools import combinations, count, islice

from folkways.benchmarks.blend.build.calls import Answer, Call, DummyCall, GroupsCall, JudgeCall, PairsCall
from folkways.errors import UnknownNameError

NAMES = ("overlap", "hash00 to hash99", "ctx00 to ctx99")
SEPARATOR = "\x1f"

_WORD = re.compile(r"\w+")
_NAME = re.compile(r"overlap|(hash|ctx)(\d{1,2})")


class StandIn:
    """Answers every kind of call by its rule; options that nobody gave are numbered ones. UnknownNameError
    for other names."""

    def __init__(self, name: str) -> None:
        found = _NAME.fullmatch(name)
        if found is None:
            raise UnknownNameError("stand-in judge", name, NAMES)
        self.name = name
        self._kind = found[1]
        self._share = int(found[2] or 0)

    def recall(self, call: Call) -> tuple[Answer | None] | None:
        """The answer, at once."""
        return (self._answer(call),)

    def ask(self, calls: Sequence[Call], attempt: int = 0) -> list[Answer | None]:
        """The answers, at once."""
        return [self._answer(call) for call in calls]

    def _answer(self, call: Call) -> Answer:
        if isinstance(call, JudgeCall):
            return self._judge(call.answers, call.target, call.answer_country, call.target_country)
        if isinstance(call, PairsCall):
            return frozenset(
                place for place, (one, other) in enumerate(call.pairs) if self._judge((one,), other)
            )
        if isinstance(call, GroupsCall):
            pairs = combinations(enumerate(call.answers), 2)
            return tuple(
                frozenset({one, other})
                for (one, first), (other, second) in pairs
                if self._judge((first,), second)
            )
        return _dummies(call)

    def _judge(self, answers: tuple[str, ...], target: str, country: str = "", other: str = "") -> bool:
        words = _words(target)
        if any(_overlap(_words(answer), words) for answer in answers):
            return True
        if self._kind == "hash":
            pairs = (sorted((" ".join(_words(answer)), " ".join(words))) for answer in answers)
            return any(_percentile(pair) < self._share for pair in pairs)
        return self._kind == "ctx" and _percentile([country, other, target, *answers]) < self._share


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _overlap(one: list[str], other: list[str]) -> bool:
    if not one or not other:
        return False
    first, second = " ".join(one), " ".join(other)
    return first in second or second in first or not set(one).isdisjoint(other)


def _percentile(parts: Sequence[str]) -> int:
    """0 to 99, evenly."""
    return int(hashlib.sha256(SEPARATOR.join(parts).encode()).hexdigest()[:8], 16) % 100


def _dummies(call: DummyCall) -> tuple[str, ...]:
    taken = set(call.taken)
    numbered = (f"dummy option {number}" for number in count(1))
    return tuple(islice((text for text in numbered if text not in taken), call.number))
