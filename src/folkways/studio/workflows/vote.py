"""Verification by several people: any of the options may be chosen, or none of them with a reason (CulturalBench, section 3.2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from folkways.benchmarks.culturalbench.build.counting import Rule
from folkways.benchmarks.culturalbench.votes import ABSTENTIONS
from folkways.errors import FolkwaysError
from folkways.studio.rules.votes import Ballot, count_votes
from folkways.studio.workflows.base import Config, Content, Decision, Handler, Option, Vote, raise_if, text_of
from folkways.studio.workflows.options import EXAMPLE_QUESTION, options_of, positions_of

MOST_OPTIONS = 8


class VoteHandler(Handler):
    """content: ``question``, ``options`` (list of texts). submission: ``choices`` (positions from 0), or ``abstain``
    (``dont_know`` or ``cannot_answer``), and ``comment``. result: ``gold`` (positions), ``counts``, ``mode`` (single or multi).
    """

    kind = "vote"
    texts = ("comment",)
    about = "several people choose every option that is right, or say that they do not know or that it cannot be answered"
    example: ClassVar[Mapping[str, str]] = EXAMPLE_QUESTION
    options: ClassVar[Mapping[str, Option]] = {
        "answers": Option(5, "how many people answer each item", least=1),
        "majority": Option(4, "how many of them make an option right", least=1),
        "second_round": Option(True, "ask the population's parts what most people did not know", "flag"),
    }

    def check_config(self, config: Config) -> Mapping[str, str]:
        """A majority is more than half and at most all."""
        try:
            Rule(config["majority"], config["answers"])
        except FolkwaysError:
            return {"majority": f"{config['majority']} of {config['answers']} is no majority: more than half is, and at most all"}
        return {}

    def check_content(self, content: Content, config: Config) -> Mapping[str, Any]:
        """``question`` and two to MOST_OPTIONS different ``options``."""
        problems: dict[str, str] = {}
        question = text_of(content, "question", problems)
        options = options_of(content, problems, 2, MOST_OPTIONS)
        raise_if(problems)
        return {**content, "question": question, "options": options}

    def validate(self, submission: Mapping[str, Any], content: Content, config: Config) -> Mapping[str, Any]:
        """Choices or an abstention, never both."""
        problems: dict[str, str] = {}
        comment = text_of(submission, "comment", problems, least=0)
        choices = positions_of(submission, "choices", len(content["options"]), problems)
        abstain = submission.get("abstain") or None
        if choices and abstain:
            problems["choices"] = "either choose options, or say why you choose none"
        elif not choices and abstain is None:
            problems.setdefault("choices", "choose at least one option, or say why you choose none")
        if abstain is not None and abstain not in ABSTENTIONS:
            problems["abstain"] = f"choose one of: {', '.join(ABSTENTIONS)}"
        raise_if(problems)
        return {"choices": choices, "abstain": abstain, "comment": comment}

    def decide(self, votes: Sequence[Vote], content: Content, config: Config) -> Decision:
        """Wait for all answers, then count."""
        missing = config["answers"] - len(votes)
        if missing > 0:
            return Decision("wait", missing)
        ballots = [Ballot(frozenset(vote.payload["choices"]), vote.payload["abstain"]) for vote in votes]
        needed = Rule(config["majority"], config["answers"]).needed(len(ballots))
        found = count_votes(ballots, len(content["options"]), needed)
        counts = {"counts": list(found.counts), "dont_know": found.dont_know, "cannot_answer": found.cannot_answer}
        if found.gold:
            return Decision("done", result={**counts, "gold": list(found.gold), "mode": found.outcome})
        if found.outcome == "unknown" and config["second_round"]:
            return Decision(
                "subpopulation", result=counts, reason=f"{found.dont_know} of {found.voters} did not have the knowledge"
            )
        reason = f"no option was chosen by {needed} of {found.voters} people"
        return Decision("dropped", result=counts, reason=reason)

    def settled(self, payload: Mapping[str, Any], content: Content, config: Config) -> Mapping[str, Any]:
        """The options that one person declares right."""
        choices = list(payload["choices"])
        return {"gold": choices, "mode": "multi" if len(choices) > 1 else "single"}

    def labels(self, payload: Mapping[str, Any]) -> Mapping[str, Any]:
        """The set of options chosen; a way of not choosing is a set of its own."""
        return {"choices": frozenset([payload["abstain"]] if payload["abstain"] else payload["choices"])}
