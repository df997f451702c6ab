"""What a model is asked while questions are made, as records, and what it may answer. Countries have the names of BLEnD's files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

Verdict = bool
Groups = tuple[frozenset[int], ...]
Options = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class JudgeCall:
    """Does ``target``, as people of ``target_country`` wrote it, mean the same as one of ``answers``? The answer is yes or no."""

    question: str
    answers: tuple[str, ...]
    target: str
    answer_country: str
    target_country: str


@dataclass(frozen=True, slots=True)
class PairsCall:
    """Which of these pairs of answers mean the same? The answer is the places (from 0) of those that do."""

    question: str
    text: str
    pairs: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class GroupsCall:
    """Which of a question's answers belong together? The answer is sets of places (from 0); a place may stand in several."""

    question: str
    text: str
    answers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DummyCall:
    """``number`` options that nobody gave are needed beside those ``taken``. The answer is the texts."""

    question: str
    text: str
    number: int
    taken: tuple[str, ...]


Call = JudgeCall | PairsCall | GroupsCall | DummyCall
Answer = Verdict | Groups | frozenset[int] | Options
Judge = Callable[[JudgeCall], bool]


class Oracle(Protocol):
    """Whoever answers calls: a model behind the workspace, or a stand-in."""

    def recall(self, call: Call) -> tuple[Answer | None] | None:
        """The answer in a tuple of one (None in it: unreadable), or None where the call has not been asked yet."""

    def ask(self, calls: Sequence[Call], attempt: int = 0) -> list[Answer | None]:
        """The answers, in order; None for a reply that cannot be read. A higher ``attempt`` asks the same again."""
