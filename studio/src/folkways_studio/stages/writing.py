"""Stages in which people write items: red-teaming questions (CulturalBench, section 3.1), everyday ones
(BLEnD, section 3.1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from folkways.sdk.studies import Vote
from folkways_studio.errors import Message
from folkways_studio.stages.base import AUTHOR_LEFT, Config, Content, Decision, Translate
from folkways_studio.stages.kind import StageKind
from folkways_studio.stages.parts.form_fields import FormFields, text
from folkways_studio.workflows.helping import strategies

OPTIONS = 4


class AuthoredItem(StageKind):
    """A stage with one author per item: whatever they submit is the item."""

    def check_content(self, content: Content, config: Config) -> Mapping[str, Any]:
        """Items of this stage begin empty; imported ones are taken as a beginning."""
        return dict(content)

    def decide(self, votes: Sequence[Vote], content: Content, config: Config) -> Decision:
        return self.resolve(votes, content, config)

    def resolve(self, votes: Sequence[Vote], content: Content, config: Config) -> Decision:
        """Done as soon as it is submitted; an item whose author has left is dropped."""
        if not votes:
            return Decision("dropped", reason=AUTHOR_LEFT)
        return Decision("done", result=votes[-1].payload)


class RedTeaming(AuthoredItem):
    """A question that its author may try on the verifier, with how the verifier did."""

    def check(
        self, answers: Mapping[str, Any], content: Content, config: Config, problems: dict[str, str]
    ) -> None:
        if "intended" not in problems and not 1 <= len(answers["intended"]) <= OPTIONS - 1:
            problems["intended"] = Message("Mark at least one option as right, and not all of them.")
        if config["challenge_required"] and not _tried(answers, content):
            problems[""] = Message("Try this wording on the model before you submit it.")

    def validate(self, submission: Mapping[str, Any], content: Content, config: Config) -> Mapping[str, Any]:
        payload = super().validate(submission, content, config)
        tried = _tried(payload, content)
        return {
            **payload,
            "fooled": tried[-1]["fooled"] if tried else None,
            "tries": len(content.get("challenges", ())),
            "strategies": [each for each in content.get("strategies", ()) if isinstance(each, str)],
        }

    def form_values(self, content: Content, config: Config, draft: Mapping[str, Any]) -> Mapping[str, Any]:
        values = super().form_values(content, config, draft)
        return {
            **values,
            "rounds": list(content.get("challenges", [])),
            "strategies": list(strategies().values()),
        }

    def read_form(self, fields: FormFields, content: Content, config: Config) -> Mapping[str, Any]:
        return {**super().read_form(fields, content, config), "strategy": text(fields, "strategy") or None}

    def describe(self, payload: Mapping[str, Any], content: Content, translate: Translate) -> Sequence[str]:
        verdicts = {
            True: translate("The model was fooled"),
            False: translate("The model held"),
            None: translate("Not tried on a model"),
        }
        return [*super().describe(payload, content, translate), verdicts[payload["fooled"]]]


def _tried(answers: Mapping[str, Any], content: Content) -> list[Mapping[str, Any]]:
    """The challenges of this very wording."""
    wording = ("question", "options")
    return [
        each
        for each in content.get("challenges", ())
        if all(each[name] == answers.get(name) for name in wording)
    ]
