"""What a model is asked while questions are made, as records, and what it may answer. Countries have the
names of BLEnD's files.

What models say is untrusted: what has not the asked form is unreadable (None).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

from folkways.benchmarks.blend.build.sources import spoken_name
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
        return same if isinstance(same, bool) else None


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
    """Which of a question's answers belong together? The answer is sets of places (from 0); a place may stand
    in several."""

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
    """``number`` options that nobody gave are needed beside those ``taken``. The answer is the texts."""

    kind: ClassVar = "dummies"
    max_tokens: ClassVar = 512
    question: str
    text: str
    number: int
    taken: tuple[str, ...]

    def parts(self) -> dict[str, str]:
        return {"text": self.text, "number": str(self.number), "taken": _quoted(self.taken)}

    def read(self, reply: str) -> Options | None:
        options = last_value(reply, "options")
        return (
            tuple(options)
            if isinstance(options, list) and all(isinstance(option, str) for option in options)
            else None
        )


Call = JudgeCall | PairsCall | GroupsCall | DummyCall
"""``parts`` is what is put into its prompt, ``read`` the answer that a reply gives."""

Answer = bool | Groups | frozenset[int] | Options
Judge = Callable[[JudgeCall], bool]


class Oracle(Protocol):
    """Whoever answers calls: a model behind the workspace, or a stand-in."""

    def recall(self, call: Call) -> tuple[Answer | None] | None:
        """The answer in a tuple of one (None in it: unreadable), or None where the call has not been asked
        yet."""

    def ask(self, calls: Sequence[Call], attempt: int = 0) -> list[Answer | None]:
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
