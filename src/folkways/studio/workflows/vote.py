"""Verification by several people: any of the options may be chosen, or none of them with a reason (CulturalBench, section 3.2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from folkways.studio.rules.counts import missing_answers
from folkways.studio.rules.votes import ABSTENTIONS, Ballot, count_votes
from folkways.studio.workflows.base import Config, Content, Decision, Handler, Option, Vote, raise_if, text_of

MOST_OPTIONS = 8


class VoteHandler(Handler):
    """content: ``question``, ``options`` (list of texts). submission: ``choices`` (positions from 0), or ``abstain`` (one of
    rules.votes.ABSTENTIONS), and ``comment``. result: ``gold`` (positions), ``counts``, ``mode`` (single or multi).
    """

    kind = "vote"
    about = "several people choose every option that is right, or say that they do not know or that it cannot be answered"
    options: ClassVar[Mapping[str, Option]] = {
        "answers": Option(5, "how many people answer each item", least=1),
        "majority": Option(4, "how many of them make an option right", least=1),
        "second_round": Option(True, "ask the population's parts what most people did not know", "flag"),
    }

    def check_config(self, config: Config) -> Mapping[str, str]:
        """A majority that can be reached and that two options cannot miss."""
        if config["majority"] > config["answers"]:
            return {"majority": f"{config['majority']} of {config['answers']} cannot be reached"}
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
        choices, abstain = submission.get("choices") or [], submission.get("abstain") or None
        valid = range(len(content["options"]))
        if not isinstance(choices, list) or any(isinstance(each, bool) or each not in valid for each in choices):
            problems["choices"] = f"has to be a list of positions from 0 to {len(valid) - 1}"
        elif choices and abstain:
            problems["choices"] = "either choose options, or say why you choose none"
        elif not choices and abstain is None:
            problems["choices"] = "choose at least one option, or say why you choose none"
        if abstain is not None and abstain not in ABSTENTIONS:
            problems["abstain"] = f"choose one of: {', '.join(ABSTENTIONS)}"
        raise_if(problems)
        return {"choices": sorted(set(choices)), "abstain": abstain, "comment": comment}

    def decide(self, votes: Sequence[Vote], content: Content, config: Config) -> Decision:
        """Wait for all answers, then count."""
        missing = missing_answers(len(votes), 0, wanted=config["answers"])
        if missing:
            return Decision("wait", missing)
        ballots = [Ballot(frozenset(vote.payload["choices"]), vote.payload["abstain"]) for vote in votes]
        found = count_votes(ballots, len(content["options"]), config["majority"])
        counts = {"counts": list(found.counts), "no_knowledge": found.no_knowledge, "not_answerable": found.not_answerable}
        if found.gold:
            return Decision("done", result={**counts, "gold": list(found.gold), "mode": found.outcome})
        if found.outcome == "unknown" and config["second_round"]:
            return Decision("finer", result=counts, reason=f"{found.no_knowledge} of {found.voters} did not have the knowledge")
        reason = f"no option was chosen by {config['majority']} of {found.voters}"
        return Decision("dropped", result=counts, reason=reason)

    def labels(self, payload: Mapping[str, Any]) -> Mapping[str, Any]:
        """The set of options chosen; a way of not choosing is a set of its own."""
        return {"choices": frozenset([payload["abstain"]] if payload["abstain"] else payload["choices"])}


def options_of(source: Mapping[str, Any], problems: dict[str, str], least: int, most: int) -> list[str]:
    """A list of different, non-empty texts; a problem is noted otherwise."""
    options = source.get("options")
    if not isinstance(options, list) or not all(isinstance(each, str) and each.strip() for each in options):
        problems["options"] = "has to be a list of texts, none of them empty"
        return []
    options = [each.strip() for each in options]
    if not least <= len(options) <= most:
        wanted = f"{least}" if least == most else f"{least} to {most}"
        problems["options"] = f"needs {wanted} options; there are {len(options)}"
    elif len({each.casefold() for each in options}) < len(options):
        problems["options"] = "two options say the same"
    return options
