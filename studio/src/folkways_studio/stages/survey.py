"""Questions of opinion: no answer is right, and people are not asked to agree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from folkways.sdk.studies import NO_OPINIONS, Vote, shown_in_reverse
from folkways_studio.errors import Message
from folkways_studio.stages.base import Config, Content, Decision
from folkways_studio.stages.fields import positions, raise_if
from folkways_studio.stages.kind import OwnOrderKind
from folkways_studio.stages.parts.base import ORDER, Part

ORDERED = ("yes", "no")


class SurveyQuestion(OwnOrderKind):
    """The result is how many people took each option, and how many took none."""

    def check_content(self, content: Content, config: Config) -> Mapping[str, Any]:
        checked = super().check_content(content, config)
        ordered = str(checked["ordered"] or "no").strip().casefold()
        raise_if({} if ordered in ORDERED else {"ordered": f"has to be one of: {', '.join(ORDERED)}"})
        return {**checked, "ordered": ordered}

    def asked(self, content: Content, config: Config) -> Sequence[Part]:
        answer, *others = super().asked(content, config)
        turned = config["reverse"] and ORDER in content and shown_in_reverse(content[ORDER], content["text"])
        return [{**answer, "reversed": bool(turned)}, *others]

    def read_known(self, cell: Any) -> Mapping[str, Any]:
        """Also the letter of an option."""
        letters = positions(cell) if isinstance(cell, str) else []
        return {"answer": letters[0]} if len(letters) == 1 else super().read_known(cell)

    def check(
        self, answers: Mapping[str, Any], content: Content, config: Config, problems: dict[str, str]
    ) -> None:
        if (answers.get("answer") is None) == (answers.get("no_answer") is None):
            problems["answer"] = Message("Choose one answer, or say why you choose none.")

    def resolve(self, votes: Sequence[Vote], content: Content, config: Config) -> Decision:
        counts = [0] * len(content["options"])
        without = dict.fromkeys(NO_OPINIONS, 0)
        for vote in votes:
            if vote.payload["answer"] is None:
                without[vote.payload["no_answer"]] += 1
            else:
                counts[vote.payload["answer"]] += 1
        return Decision("done", result={"counts": counts, **without})
