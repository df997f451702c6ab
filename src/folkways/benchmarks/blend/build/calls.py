"""Calls to a model while questions are made, and who answers them: a model or a rule."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import combinations, count, islice
from typing import Any, ClassVar, Protocol

import orjson

from folkways.benchmarks.blend.build.sources import spoken_name
from folkways.benchmarks.build import AskableModel, Prompt
from folkways.benchmarks.templates import Template, wordings
from folkways.errors import UnknownNameError
from folkways.text.json_replies import last_value

Groups = tuple[frozenset[int], ...]
Options = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class JudgeCall:
    """Does ``target``, as people of ``target_country`` wrote it, mean the same as one of ``answers``? The
    answer is yes or no."""

    kind: ClassVar = "judge"
    max_tokens: ClassVar = 256  # output tokens that a reply needs at most
    question: str
    answers: tuple[str, ...]
    target: str
    answer_country: str
    target_country: str

    def parts(self) -> dict[str, str]:
        return {
            "answer_country": spoken_name(self.answer_country),
            "target_country": spoken_name(self.target_country),
            "answers": _quoted(self.answers),
            "target": _quoted((self.target,)),
        }

    def read(self, reply: str) -> bool | None:
        same = last_value(reply, "same")
        if isinstance(same, bool):
            return same
        return {"O": True, "X": False}.get(str(last_value(reply, "result")))  # as the paper asks for it


@dataclass(frozen=True, slots=True)
class PairsCall:
    """Which of these pairs of answers mean the same? The answer is the places (from 0) of those that do."""

    kind: ClassVar = "pairs"
    max_tokens: ClassVar = 1024
    question: str
    text: str
    pairs: tuple[tuple[str, str], ...]

    def parts(self) -> dict[str, str]:
        return {"text": self.text, "pairs": _numbered(f"{one} | {other}" for one, other in self.pairs)}

    def read(self, reply: str) -> frozenset[int] | None:
        places = _places(last_value(reply, "same"), len(self.pairs))
        return None if places is None else frozenset(places)


@dataclass(frozen=True, slots=True)
class GroupsCall:
    """Which of a question's answers belong together? The answer is sets of positions (from 0); a position may
    be in several."""

    kind: ClassVar = "groups"
    max_tokens: ClassVar = 4096
    question: str
    text: str
    answers: tuple[str, ...]

    def parts(self) -> dict[str, str]:
        return {"text": self.text, "answers": _numbered(self.answers)}

    def read(self, reply: str) -> Groups | None:
        groups = last_value(reply, "groups")
        if not isinstance(groups, list):
            return None
        read = [_places(group, len(self.answers)) for group in groups]
        return None if None in read else tuple(frozenset(group) for group in read if group)


@dataclass(frozen=True, slots=True)
class DummyCall:
    """Make up ``number`` options that nobody gave, none of them in ``taken``. The answer is the texts."""

    kind: ClassVar = "dummies"
    max_tokens: ClassVar = 512
    question: str
    text: str
    number: int
    taken: tuple[str, ...]

    def parts(self) -> dict[str, str]:
        return {"text": self.text, "number": str(self.number), "taken": _quoted(self.taken)}

    def read(self, reply: str) -> Options | None:
        # The second name is the paper's.
        options = last_value(reply, "options") or last_value(reply, "dummy_options")
        return (
            tuple(options)
            if isinstance(options, list) and all(isinstance(option, str) for option in options)
            else None
        )


Call = JudgeCall | PairsCall | GroupsCall | DummyCall
"""``parts`` is what is put into its prompt, ``read`` the answer that a reply gives."""

Answer = bool | Groups | frozenset[int] | Options
Judge = Callable[[JudgeCall], bool]


@dataclass(frozen=True, slots=True)
class AnsweredCall:
    """One call that the construction made, in its order, and what came back (None: unreadable)."""

    call: Call
    answer: Answer | None


class Oracle(Protocol):
    """Answers calls: a model, or a rule in its place (``stand-in:RULE``)."""

    def recall(self, call: Call) -> tuple[Answer | None] | None:
        """The answer in a tuple of one (None in it: unreadable), or None where the call has not been asked
        yet."""

    def ask(self, calls: Sequence[Call], attempt: int) -> list[Answer | None]:
        """The answers, in order; None for a reply that cannot be read. A higher ``attempt`` asks the same
        again."""


def _numbered(lines: Iterable[str]) -> str:
    return "\n".join(f"{number}. {line}" for number, line in enumerate(lines, 1))


def _quoted(texts: tuple[str, ...]) -> str:
    return "; ".join(json.dumps(text, ensure_ascii=False) for text in texts)


def _places(numbers: Any, count: int) -> list[int] | None:
    """Numbers from 1 as places from 0; None unless all are whole numbers in range."""
    if not isinstance(numbers, list) or not all(
        type(number) is int and 1 <= number <= count for number in numbers
    ):
        return None
    return [number - 1 for number in numbers]


TASK = "build/mcq-"
"""How the tasks begin under which requests are stored: ``build/mcq-judge``; no benchmark has such a task."""


REASONED = "judge-reasoned"
"""The judge's prompt that asks for reasons before the verdict, among our wordings."""

TOKENS_FOR_REASONS = 1024
"""Output tokens of a reply that may begin with reasons."""


class ModelOracle:
    """An Oracle that asks a model.

    texts: kind of call -> a text to ask it with, in place of ours. reasoned: the judge writes its reasons
    first.
    """

    def __init__(
        self, ask: AskableModel, texts: Mapping[str, Template] | None = None, *, reasoned: bool = False
    ) -> None:
        self._ask = ask
        self._texts = {**({JudgeCall.kind: _ours(REASONED)} if reasoned else {}), **(texts or {})}

    def recall(self, call: Call) -> tuple[Answer | None] | None:
        """See ``calls.Oracle``."""
        reply = self._ask.recall(self._prompt(call, 0))
        return None if reply is None else (call.read(reply.text or ""),)

    def ask(self, calls: Sequence[Call], attempt: int) -> list[Answer | None]:
        """See ``calls.Oracle``."""
        replies = self._ask([self._prompt(call, attempt) for call in calls])
        return [call.read(reply.text or "") for call, reply in zip(calls, replies, strict=True)]

    def _prompt(self, call: Call, attempt: int) -> Prompt:
        template = self._texts.get(call.kind)
        text = prompt_of(call, template)
        # A prompt's hash in the workspace: files of replies name items by it.
        digest = blake2b(orjson.dumps((None, text, None)), digest_size=16).hexdigest()
        return Prompt(
            text,
            TASK + call.kind,
            f"{call.question}/{digest[:12]}",
            call.max_tokens if template is None else max(call.max_tokens, TOKENS_FOR_REASONS),
            variant=call.kind,
            sample=attempt,
        )


def prompt_of(call: Call, template: Template | None = None) -> str:
    """The text that is sent, in our wording unless a template is given."""
    return (template or _ours(call.kind)).fill(call.parts())


def _ours(name: str) -> Template:
    return Template(wordings("folkways.benchmarks.blend")["build"][name], "folkways")


NAMES = ("overlap", "hash00 to hash99", "ctx00 to ctx99")
SEPARATOR = "\x1f"

_WORD = re.compile(r"\w+")
_NAME = re.compile(r"overlap|(hash|ctx)(\d{1,2})")


class RuleOracle:
    """Answers every kind of call by its rule; options that nobody gave are numbered ones. UnknownNameError
    for other names."""

    def __init__(self, name: str) -> None:
        match = _NAME.fullmatch(name)
        if match is None:
            raise UnknownNameError("stand-in judge", name, NAMES)
        self.name = name
        self._kind = match[1]
        self._share = int(match[2] or 0)

    def recall(self, call: Call) -> tuple[Answer | None] | None:
        """The answer, at once."""
        return (self._answer(call),)

    def ask(self, calls: Sequence[Call], attempt: int) -> list[Answer | None]:
        """The answers, at once."""
        return [self._answer(call) for call in calls]

    def _answer(self, call: Call) -> Answer:
        if isinstance(call, JudgeCall):
            return self._judge(call.answers, call.target, call.answer_country, call.target_country)
        if isinstance(call, PairsCall):
            return frozenset(
                index for index, (one, other) in enumerate(call.pairs) if self._judge((one,), other)
            )
        if isinstance(call, GroupsCall):
            pairs = combinations(enumerate(call.answers), 2)
            return tuple(
                frozenset({one, other})
                for (one, first), (other, second) in pairs
                if self._judge((first,), second)
            )
        return _numbered_options(call)

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


def _numbered_options(call: DummyCall) -> tuple[str, ...]:
    used = set(call.taken)
    numbered = (f"dummy option {number}" for number in count(1))
    return tuple(islice((text for text in numbered if text not in used), call.number))
