"""Stages in which reviewers keep, mend or drop what others wrote."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from folkways.sdk.studies import Vote
from folkways_studio.errors import Message
from folkways_studio.stages.base import Config, Content, Decision, Translate
from folkways_studio.stages.kind import StageKind
from folkways_studio.stages.parts.base import words_of

KEEP, DROP = "keep", "drop"
YOUR_COUNTRY = "your country"
"""What stands in a template for the name of the country (BLEnD, section 3.1)."""
WHERE = Message("Write “%(words)s” where the name of the country is to stand.", words=YOUR_COUNTRY)


class Review(StageKind):
    """More than half of the reviewers have to keep it; the last one's wording counts."""

    def resolve(self, votes: Sequence[Vote], content: Content, config: Config) -> Decision:
        keeping = [vote.payload for vote in votes if vote.payload["decision"] == KEEP]
        if 2 * len(keeping) <= len(votes):
            reasons = [vote.payload["reason"] for vote in votes if vote.payload["decision"] == DROP]
            return Decision("dropped", reason="; ".join(reasons))
        return Decision("done", result={name: keeping[-1][name] for name in ("question", "options")})

    def known_of(self, result: Mapping[str, Any]) -> Mapping[str, Any]:
        return {"decision": KEEP} if "question" in result else {}

    def describe(self, payload: Mapping[str, Any], content: Content, translate: Translate) -> Sequence[str]:
        changed = [payload["question"]] if payload["question"] != content["question"] else []
        return [*super().describe(payload, content, translate), *changed]


class Curate(StageKind):
    """More than half have to keep it; the last template counts."""

    def check(
        self, answers: Mapping[str, Any], content: Content, config: Config, problems: dict[str, str]
    ) -> None:
        if answers.get("decision") != KEEP:
            return
        if "template" not in answers or (
            "template" not in problems and YOUR_COUNTRY not in answers["template"]
        ):
            problems["template"] = WHERE

    def resolve(self, votes: Sequence[Vote], content: Content, config: Config) -> Decision:
        keeping = [vote.payload for vote in votes if vote.payload["decision"] == KEEP]
        if 2 * len(keeping) <= len(votes):
            payload = next(vote.payload for vote in reversed(votes) if vote.payload["decision"] != KEEP)
            of = f" of {payload['of']}" if payload["of"] else ""
            decision = words_of(payload["decision"], self.ask[0], content, str)
            return Decision("dropped", reason=f"{decision[0].lower()}{decision[1:]}{of}")
        return Decision("done", result={"template": keeping[-1]["template"], "category": content["category"]})

    def hand_on(self, content: Content, result: Mapping[str, Any], config: Config) -> Mapping[str, Any]:
        return dict(result)

    def known_of(self, result: Mapping[str, Any]) -> Mapping[str, Any]:
        return {"decision": KEEP} if "template" in result else {}
