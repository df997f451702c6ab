"""Multi-mode questions of Easy: statements in the question, and four combinations of them as options (section 3.3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import combinations
from random import Random

from folkways.benchmarks.culturalbench.votes import LETTERS

NUMERALS = ("(i)", "(ii)", "(iii)", "(iv)")

INSTRUCTION = "Choose the option that lists every statement that applies, and none that does not."
"""Ours: the authors' instruction is part of their questions, which are not ours."""

FEWEST = 2
"""Statements in a combination. A right one has two at least, so that a wrong one with a single statement would give itself away."""


@dataclass(frozen=True, slots=True)
class Combined:
    """A multi-mode question as it is asked: its text, the options A to D, and the right letter."""

    question: str
    options: tuple[str, ...]
    answer: str


def combine(item: str, question: str, statements: Sequence[str], gold: Sequence[str], seed: int) -> Combined:
    """The question with its statements, and four combinations, one of which is all of ``gold`` and nothing else.

    gold: letters of two or more of the four statements. The other three are drawn from all combinations of FEWEST or more
    statements, without repeats, so that each has a statement too many or lacks one. What is drawn depends on ``seed`` and ``item``
    alone: adding or dropping questions changes no other.
    """
    right = tuple(sorted(LETTERS.index(letter) for letter in gold))
    random = Random(int.from_bytes(blake2b(f"{seed}\0{item}".encode(), digest_size=8).digest(), "big"))  # noqa: S311 - no secret
    others = [
        places for size in range(FEWEST, len(LETTERS) + 1) for places in combinations(range(len(LETTERS)), size) if places != right
    ]
    chosen = [right, *random.sample(others, len(LETTERS) - 1)]
    random.shuffle(chosen)
    listed = "\n".join(f"{numeral} {statement}" for numeral, statement in zip(NUMERALS, statements, strict=True))
    return Combined(f"{question}\n\n{listed}\n\n{INSTRUCTION}", tuple(map(written, chosen)), LETTERS[chosen.index(right)])


def written(places: Sequence[int]) -> str:
    """Places from 0 as an option: ``(i), (iii)``."""
    return ", ".join(NUMERALS[place] for place in places)


def statements_of(option: str) -> tuple[str, ...]:
    """The letters that an option of ``written`` stands for: ``(i), (iii)`` is A and C."""
    return tuple(LETTERS[NUMERALS.index(numeral)] for numeral in option.split(", "))
