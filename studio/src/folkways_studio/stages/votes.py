"""Verification by several people: any of the options may be right, or a person chooses none of them and says
why (CulturalBench, sections 3.2 and 3.3)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from folkways.sdk.studies import Vote
from folkways_studio.errors import Message
from folkways_studio.stages.base import Config, Content, Decision
from folkways_studio.stages.fields import positions
from folkways_studio.stages.kind import StageKind

DONT_KNOW, CANNOT_ANSWER = "dont_know", "cannot_answer"
"""What a person may say in place of options: "I don't have the knowledge" and "this cannot be answered"
(section 3.2)."""


@dataclass(frozen=True, slots=True)
class Ballot:
    """One person's vote: the options chosen (by position, from 0), or the way of not choosing: DONT_KNOW or
    CANNOT_ANSWER."""

    choices: frozenset[int]
    abstention: str | None = None


@dataclass(frozen=True, slots=True)
class VoteCount:
    """What the votes come to.

    gold: options that at least the majority chose, by position; none where the question is to be dropped.
    counts: votes of each option.
    dont_know, cannot_answer: people who did not choose.
    voters: all of them.
    outcome: ``single`` (one option is gold), ``multi`` (several), ``unknown`` (none, and more than half did
        not know: a finer population may), ``none``.
    """

    gold: tuple[int, ...]
    counts: tuple[int, ...]
    dont_know: int
    cannot_answer: int
    voters: int
    outcome: Literal["single", "multi", "unknown", "none"]


def count_votes(ballots: Collection[Ballot], options: int, needed: int) -> VoteCount:
    """The result of these ballots over ``options`` options, where at least ``needed`` people make an option
    gold."""
    counts = [0] * options
    for ballot in ballots:
        for choice in ballot.choices:
            counts[choice] += 1
    unknown = sum(ballot.abstention == DONT_KNOW for ballot in ballots)
    senseless = sum(ballot.abstention == CANNOT_ANSWER for ballot in ballots)
    gold = tuple(index for index, count in enumerate(counts) if count >= needed)
    if gold:
        outcome: Literal["single", "multi", "unknown", "none"] = "single" if len(gold) == 1 else "multi"
    else:
        outcome = "unknown" if unknown * 2 > len(ballots) else "none"
    return VoteCount(gold, tuple(counts), unknown, senseless, len(ballots), outcome)


def best_of(choices: Sequence[int], scores: Sequence[float]) -> int | None:
    """The option that most people chose; a tie goes to the higher score; None where that ties as well (or
    nobody chose).

    choices: one position per person. scores: one number per option, such as the mean of its ratings.
    """
    if not choices:
        return None
    ranked = sorted({(choices.count(index), scores[index], index) for index in set(choices)}, reverse=True)
    if len(ranked) > 1 and ranked[0][:2] == ranked[1][:2]:
        return None
    return ranked[0][2]


class Voting(StageKind):
    """An option is right if enough people chose it. Most people did not know: their population's parts are
    asked, if the stage wants a ``second_round``."""

    def check(
        self, answers: Mapping[str, Any], content: Content, config: Config, problems: dict[str, str]
    ) -> None:
        choices, abstain = answers.get("choices"), answers.get("abstain")
        if choices and abstain:
            problems["choices"] = Message("Either choose answers, or say why you choose none.")
        elif not choices and not abstain:
            problems["choices"] = Message("Choose at least one answer, or say why you choose none.")

    def resolve(self, votes: Sequence[Vote], content: Content, config: Config) -> Decision:
        ballots = [Ballot(frozenset(vote.payload["choices"]), vote.payload["abstain"]) for vote in votes]
        # the same share of more voters, rounded up
        needed = -(-config["majority"] * len(ballots) // config["answers"])
        tally = count_votes(ballots, len(content["options"]), needed)
        counts = {
            "counts": list(tally.counts),
            "dont_know": tally.dont_know,
            "cannot_answer": tally.cannot_answer,
        }
        if tally.gold:
            return Decision("done", result={**counts, "gold": list(tally.gold), "mode": tally.outcome})
        if tally.outcome == "unknown" and config["second_round"]:
            return Decision(
                "subpopulation",
                result=counts,
                reason=f"{tally.dont_know} of {tally.voters} did not have the knowledge",
            )
        reason = f"no option was chosen by {needed} of {tally.voters} people"
        return Decision("dropped", result=counts, reason=reason)

    def result_of(self, payload: Mapping[str, Any], content: Content, config: Config) -> Mapping[str, Any]:
        choices = list(payload["choices"])
        return {"gold": choices, "mode": "multi" if len(choices) > 1 else "single"}

    def labels(self, payload: Mapping[str, Any]) -> Mapping[str, Any]:
        """The set of options chosen; a way of not choosing is a set of its own."""
        return {"choices": frozenset([payload["abstain"]] if payload["abstain"] else payload["choices"])}

    def read_known(self, cell: Any) -> Mapping[str, Any]:
        return super().read_known(positions(cell) or cell if isinstance(cell, str) else cell)

    def is_right(self, payload: Mapping[str, Any], known: Mapping[str, Any], overlap: float) -> bool:
        whole = {"choices": known.get("choices", []), "abstain": known.get("abstain")}
        return self.labels(payload) == self.labels(whole)

    def known_of(self, result: Mapping[str, Any]) -> Mapping[str, Any]:
        return {"choices": result["gold"]} if result.get("gold") else {}

    def undecided(self, submission: Mapping[str, Any]) -> Mapping[str, str]:
        """A reason for choosing nothing decides nothing."""
        return (
            {"choices": Message("Choose what is right, or drop the item.")} if submission["abstain"] else {}
        )
