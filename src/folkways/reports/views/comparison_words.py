"""What a comparison says, in words that need no statistics to be read right."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from folkways.reports.text import count, number

ALPHA = 0.05

FEWEST_QUESTIONS = 6
"""Below so many questions no pattern of answers can be told from chance: six that all differ one way give p = .03."""


MOST_NAMED = 5
"""Groups that a sentence names; of more it tells how many."""


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


def verdict(
    found: Found,
    *,
    points: bool = True,
    by_variant: Sequence[float] = (),
    turned: Mapping[str, float] | None = None,
) -> str:
    """One to four sentences: who does better and by how much, or that it cannot be told and what that leaves open.

    points: whether scores are percentages. by_variant: the same difference in each way of putting the questions, if there are
    several: a difference that changes its sign with the wording says more about the wording. turned: name -> difference of the
    groups that do what the whole does not (``reversals.find_reversals``): they are named before anything else is said.
    """
    turned = turned or {}
    lead = _turned(found, turned) if turned else ""
    return " ".join(part for part in (lead, _verdict(found, points, by_variant, bool(turned))) if part)


def named(names: Sequence[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``; of more than MOST_NAMED the first ones, ``and 3 more``."""
    shown = list(names) if len(names) <= MOST_NAMED else [*names[:MOST_NAMED], f"{len(names) - MOST_NAMED} more"]
    return " and ".join(part for part in (", ".join(shown[:-1]), shown[-1]) if part)


def _turned(found: Found, turned: Mapping[str, float]) -> str:
    """The sentence that names where models change places."""
    led = {
        model: [name for name, difference in turned.items() if (difference > 0) == first]
        for model, first in ((found.first, True), (found.second, False))
    }
    if found.p_holm < ALPHA:
        ahead, behind = (found.first, found.second) if found.difference > 0 else (found.second, found.first)
        return f"{ahead} is ahead overall; behind in {named(led[behind])}."
    return f"No difference overall; {'; '.join(f'{model} is ahead in {named(names)}' for model, names in led.items() if names)}."


def _verdict(found: Found, points: bool, by_variant: Sequence[float], turns: bool) -> str:
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
        return sentence + _wordings(found, by_variant, turns)
    if found.p < ALPHA:
        return (
            f"{ahead} comes out {size} ahead of {behind}, but among {found.looks} differences looked at, "
            "one like this is to be expected by chance alone; it does not count as found."
        )
    sentence = f"No difference can be told: {ahead} comes out {size} ahead of {behind}, which chance alone may well do."
    if not math.isnan(found.low):
        leads = [f"{abs(end):.1f}{unit} for {found.first if end > 0 else found.second}" for end in (found.low, found.high)]
        sentence += f" The true difference may lie anywhere from {' to '.join(leads)}."
    if not math.isnan(found.detectable):
        sentence += (
            f" These {count(found.questions)} questions would find one of {number(found.detectable)}{unit} four times of five."
        )
    return sentence


def _between(found: Found, unit: str) -> str:
    if math.isnan(found.low):
        return ""
    low, high = (found.low, found.high) if found.difference > 0 else (-found.high, -found.low)
    return f" (between {low:.1f} and {high:.1f}{unit}, with 95 % confidence)"


def _wordings(found: Found, by_variant: Sequence[float], turns: bool) -> str:
    if len(by_variant) < 2:
        return ""
    other = sum(difference * found.difference < 0 for difference in by_variant)
    if not other:
        return "" if turns else f" It is ahead in all {len(by_variant)} ways of putting the questions."
    verb = "is" if other == 1 else "are"
    return f" But {other} of the {len(by_variant)} ways of putting the questions {verb} the other way round."
