"""What a comparison says, in words that need no statistics to be read right."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

ALPHA = 0.05

FEWEST_QUESTIONS = 6
"""Below so many questions no pattern of answers can be told from chance: six that all differ one way give p = .03."""


@dataclass(frozen=True, slots=True)
class Found:
    """One difference, as in ``comparison.DIFFERENCES``; looks: how many differences were looked at together with it."""

    first: str
    second: str
    difference: float
    low: float
    high: float
    p: float
    p_holm: float
    detectable: float
    first_better: int
    second_better: int
    questions: int
    looks: int = 1


def verdict(found: Found, *, points: bool = True, by_variant: Sequence[float] = ()) -> str:
    """One to three sentences: who does better and by how much, or that it cannot be told and what that leaves open.

    points: whether scores are percentages. by_variant: the same difference in each way of putting the questions, if there are
    several: a difference that changes its sign with the wording says more about the wording.
    """
    unit = " points" if points else ""
    if not found.first_better + found.second_better:
        return f"{found.first} and {found.second} do equally well on every question here."
    if found.questions < FEWEST_QUESTIONS:
        few = "question is" if found.questions == 1 else "questions are"
        return f"{found.questions} {few} too few to tell {found.first} and {found.second} apart."
    ahead, behind = (found.first, found.second) if found.difference > 0 else (found.second, found.first)
    size = f"{abs(found.difference):.1f}{unit}"
    if found.p_holm < ALPHA:
        sentence = f"{ahead} does better than {behind}, by {size}{_between(found, unit)}."
        return sentence + _wordings(found, by_variant)
    if found.p < ALPHA:
        return (
            f"{ahead} comes out {size} ahead of {behind}, but among {found.looks} differences looked at, "
            "one like this is to be expected by chance alone; it does not count as found."
        )
    sentence = f"No difference can be told: {ahead} comes out {size} ahead of {behind}, which chance alone may well do."
    if not math.isnan(found.low):
        lead = " to ".join(_lead(found, bound, unit) for bound in (found.low, found.high))
        sentence += f" The true difference may lie anywhere from {lead}."
    if not math.isnan(found.detectable):
        sentence += f" These {found.questions:,} questions would find one of {found.detectable:.1f}{unit} four times of five."
    return sentence


def _between(found: Found, unit: str) -> str:
    if math.isnan(found.low):
        return ""
    low, high = (found.low, found.high) if found.difference > 0 else (-found.high, -found.low)
    return f" (between {low:.1f} and {high:.1f}{unit}, with 95 % confidence)"


def _lead(found: Found, value: float, unit: str) -> str:
    return f"{abs(value):.1f}{unit} for {found.first if value > 0 else found.second}"


def _wordings(found: Found, by_variant: Sequence[float]) -> str:
    if len(by_variant) < 2:
        return ""
    other = sum(difference * found.difference < 0 for difference in by_variant)
    if not other:
        return f" It is ahead in all {len(by_variant)} ways of putting the questions."
    verb = "is" if other == 1 else "are"
    return f" But {other} of the {len(by_variant)} ways of putting the questions {verb} the other way round."
