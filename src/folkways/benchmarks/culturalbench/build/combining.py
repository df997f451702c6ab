"""Multi-mode questions of Easy: statements in the question, and four combinations of them as options (section
3.3)."""

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

WHOLE_BESIDE_THREE = 0.5
"""How often all four stand beside a right combination of three: never offered but where right, they would
give themselves away."""


@dataclass(frozen=True, slots=True)
class Combined:
    """A multi-mode question as it is asked: its text, the options A to D, and the right letter."""

    question: str
    options: tuple[str, ...]
    answer: str


def combine(item: str, question: str, statements: Sequence[str], gold: Sequence[str], seed: int) -> Combined:
    """The question with its statements, and four combinations, one of which is all of ``gold`` and nothing
    else.

    gold: letters of two or more of the four statements. The others are drawn without repeats from
    combinations of as many statements, so that which is longest or shortest says nothing: each has a
    statement too many and lacks one. Beside three there may be all four (WHOLE_BESIDE_THREE), beside all four
    there are three. What is drawn depends on ``seed`` and ``item`` alone: adding or dropping questions
    changes no other.
    """
    right = tuple(sorted(LETTERS.index(letter) for letter in gold))
    random = Random(int.from_bytes(blake2b(f"{seed}\0{item}".encode(), digest_size=8).digest(), "big"))  # noqa: S311 - no secret
    chosen = [right, *_others(right, random)]
    random.shuffle(chosen)
    listed = "\n".join(
        f"{numeral} {statement}" for numeral, statement in zip(NUMERALS, statements, strict=True)
    )
    return Combined(
        f"{question}\n\n{listed}\n\n{INSTRUCTION}", tuple(map(written, chosen)), LETTERS[chosen.index(right)]
    )


def _others(right: tuple[int, ...], random: Random) -> list[tuple[int, ...]]:
    """The three wrong combinations beside ``right``."""
    whole = tuple(range(len(LETTERS)))
    size = min(len(right), len(LETTERS) - 1)
    alike = [places for places in combinations(whole, size) if places != right]
    others = random.sample(alike, len(LETTERS) - 1)
    if len(right) == len(LETTERS) - 1 and random.random() < WHOLE_BESIDE_THREE:
        others[0] = whole
    return others


def written(places: Sequence[int]) -> str:
    """Places from 0 as an option: ``(i), (iii)``."""
    return ", ".join(NUMERALS[place] for place in places)
