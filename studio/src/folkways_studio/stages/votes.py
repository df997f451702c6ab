"""What multi-select votes come to (CulturalBench, section 3.3)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

DONT_KNOW, CANNOT_ANSWER = "dont_know", "cannot_answer"
ABSTENTIONS = (DONT_KNOW, CANNOT_ANSWER)
"""What a person may say in place of options: "I don't have the knowledge" and "this cannot be answered"
(section 3.2)."""


@dataclass(frozen=True, slots=True)
class Ballot:
    """One person's vote: the options chosen (by position, from 0), or the way of not choosing: DONT_KNOW or
    CANNOT_ANSWER."""

    choices: frozenset[int]
    abstention: str | None = None


@dataclass(frozen=True, slots=True)
class Result:
    """What the votes come to.

    gold:    options that at least the majority chose, by position; none where the question is to be dropped.
    counts:  votes of each option. dont_know, cannot_answer: people who did not choose. voters: all of them.
    outcome: ``single`` (one option is gold), ``multi`` (several), ``unknown`` (none, and more than half did
    not know: a finer
             population may), ``none``.
    """

    gold: tuple[int, ...]
    counts: tuple[int, ...]
    dont_know: int
    cannot_answer: int
    voters: int
    outcome: Literal["single", "multi", "unknown", "none"]


def count_votes(ballots: Collection[Ballot], options: int, needed: int) -> Result:
    """The result of these ballots over ``options`` options, where at least ``needed`` people make an option
    gold."""
    counts = [0] * options
    for ballot in ballots:
        for choice in ballot.choices:
            counts[choice] += 1
    unknown = sum(ballot.abstention == DONT_KNOW for ballot in ballots)
    senseless = sum(ballot.abstention == CANNOT_ANSWER for ballot in ballots)
    gold = tuple(place for place, count in enumerate(counts) if count >= needed)
    if gold:
        outcome: Literal["single", "multi", "unknown", "none"] = "single" if len(gold) == 1 else "multi"
    else:
        outcome = "unknown" if unknown * 2 > len(ballots) else "none"
    return Result(gold, tuple(counts), unknown, senseless, len(ballots), outcome)


def best_of(choices: Sequence[int], scores: Sequence[float]) -> int | None:
    """The option that most people chose; a tie goes to the higher score; None where that ties as well (or
    nobody chose).

    choices: one position per person. scores: one number per option, such as the mean of its ratings.
    """
    if not choices:
        return None
    ranked = sorted({(choices.count(place), scores[place], place) for place in set(choices)}, reverse=True)
    if len(ranked) > 1 and ranked[0][:2] == ranked[1][:2]:
        return None
    return ranked[0][2]
