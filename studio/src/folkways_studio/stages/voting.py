"""Verification by several people: any of the options may be chosen, or none of them with a reason
(CulturalBench, section 3.2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from folkways.sdk.studies import Vote
from folkways_studio.errors import Message
from folkways_studio.stages.asking import Asking
from folkways_studio.stages.base import Config, Content, Decision, Option, Sheet
from folkways_studio.stages.fields import EXAMPLE_QUESTION, options_of
from folkways_studio.stages.parts.base import COMMENT, built_in, option
from folkways_studio.stages.votes import Ballot, count_votes

MOST_OPTIONS = 8


def _positions(letters: str) -> list[int]:
    """Letters (A C, or A, C) as positions."""
    return sorted(
        {ord(letter) - ord("A") for letter in letters.upper().replace(",", " ").split() if len(letter) == 1}
    )


class Voting(Asking):
    """content: ``question``, ``options`` (list of texts). submission: ``choices`` (positions from 0), or
    ``abstain`` (``dont_know`` or ``cannot_answer``), and ``comment``. result: ``gold`` (positions),
    ``counts``, ``mode`` (single or multi).
    """

    name = "vote"
    content_texts: ClassVar[Mapping[str, int]] = {"question": 4000}
    texts = ("comment",)
    known_fields = ("choices", "abstain")
    about = (
        "several people choose every option that is right, or say that they do not know or that it "
        "cannot be answered"
    )
    example: ClassVar[Mapping[str, str]] = EXAMPLE_QUESTION
    options: ClassVar[Mapping[str, Option]] = {
        "answers": Option(5, "how many people answer each item", least=1),
        "majority": Option(4, "how many of them make an option right", least=1),
        "second_round": Option(True, "ask the population's parts what most people did not know", "flag"),
    }

    parts = (
        built_in("choices", "several", Message("Which answers are right where you come from?"),
            help=Message("Choose every answer that is right; it may be more than one."), options_from="options", positions=True,
            required=False, layout="", numbered=True, group="vote"),
        built_in("abstain", "choice", required=False, layout="aside", group="vote", alone=True, options=[
            option("dont_know", Message("I don't have the knowledge"), "n"),
            option("cannot_answer", Message("This cannot be answered"), "x",
                Message("It is unclear, asks two things, or none of the answers is right.")),
        ]),
        COMMENT,
    )  # fmt: skip
    sheet = Sheet(
        lambda content: {
            "question": content["question"],
            **{f"option {chr(ord('A') + place)}": option for place, option in enumerate(content["options"])},
        },
        ("choices", "abstain", "comment"),
        lambda row, _: {
            "choices": _positions(row["choices"]),
            "abstain": row["abstain"].strip() or None,
            "comment": row["comment"],
        },
        {
            "choices": "letters of every option that is right: A C",
            "abstain": "dont_know or cannot_answer, in place of letters",
        },
    )

    def check_config(self, config: Config) -> Mapping[str, str]:
        """A majority is more than half and at most all."""
        majority, answers = config["majority"], config["answers"]
        if not answers < 2 * majority <= 2 * answers:
            return {"majority": f"{majority} of {answers} is no majority: more than half is, and at most all"}
        return {}

    def check_fields(
        self, content: Content, texts: Mapping[str, str], problems: dict[str, str]
    ) -> Mapping[str, Any]:
        """``question`` and two to MOST_OPTIONS different ``options``."""
        return {"options": options_of(content, problems, 2, MOST_OPTIONS)}

    def check(
        self, answers: Mapping[str, Any], content: Content, config: Config, problems: dict[str, str]
    ) -> None:
        """Choices or an abstention, never both."""
        choices, abstain = answers.get("choices"), answers.get("abstain")
        if choices and abstain:
            problems["choices"] = Message("Either choose answers, or say why you choose none.")
        elif not choices and not abstain:
            problems["choices"] = Message("Choose at least one answer, or say why you choose none.")

    def resolve(self, votes: Sequence[Vote], content: Content, config: Config) -> Decision:
        """Count."""
        ballots = [Ballot(frozenset(vote.payload["choices"]), vote.payload["abstain"]) for vote in votes]
        needed = -(
            -config["majority"] * len(ballots) // config["answers"]
        )  # the same share of more voters, rounded up
        found = count_votes(ballots, len(content["options"]), needed)
        counts = {
            "counts": list(found.counts),
            "dont_know": found.dont_know,
            "cannot_answer": found.cannot_answer,
        }
        if found.gold:
            return Decision("done", result={**counts, "gold": list(found.gold), "mode": found.outcome})
        if found.outcome == "unknown" and config["second_round"]:
            return Decision(
                "subpopulation",
                result=counts,
                reason=f"{found.dont_know} of {found.voters} did not have the knowledge",
            )
        reason = f"no option was chosen by {needed} of {found.voters} people"
        return Decision("dropped", result=counts, reason=reason)

    def result_of(self, payload: Mapping[str, Any], content: Content, config: Config) -> Mapping[str, Any]:
        """The options that one person declares right."""
        choices = list(payload["choices"])
        return {"gold": choices, "mode": "multi" if len(choices) > 1 else "single"}

    def labels(self, payload: Mapping[str, Any]) -> Mapping[str, Any]:
        """The set of options chosen; a way of not choosing is a set of its own."""
        return {"choices": frozenset([payload["abstain"]] if payload["abstain"] else payload["choices"])}

    def read_known(self, cell: Any) -> Mapping[str, Any]:
        """Also letters: A C."""
        return super().read_known(_positions(cell) or cell if isinstance(cell, str) else cell)

    def is_right(self, payload: Mapping[str, Any], known: Mapping[str, Any], overlap: float = 1.0) -> bool:
        """The same options, or the same way of choosing none."""
        whole = {"choices": known.get("choices", []), "abstain": known.get("abstain")}
        return self.labels(payload) == self.labels(whole)

    def known_of(self, result: Mapping[str, Any]) -> Mapping[str, Any]:
        """The options that the majority made right."""
        return {"choices": result["gold"]} if result.get("gold") else {}

    def undecided(self, submission: Mapping[str, Any]) -> Mapping[str, str]:
        """A reason for choosing nothing decides nothing."""
        return (
            {"choices": Message("Choose what is right, or drop the item.")} if submission["abstain"] else {}
        )
