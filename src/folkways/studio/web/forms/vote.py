"""Verification: options that are right, or the reason why none is chosen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from starlette.datastructures import FormData

from folkways.studio.web.forms.base import Config, Content, Form, Translate, text, wholes


class VoteForm(Form):
    """Fields: ``choices`` (positions, several), ``abstain``, ``comment``."""

    kind: ClassVar[str] = "vote"

    def read(self, fields: FormData, content: Content, config: Config) -> Mapping[str, Any]:
        """The vote."""
        return {
            "choices": wholes(fields, "choices"),
            "abstain": text(fields, "abstain") or None,
            "comment": text(fields, "comment"),
        }

    def said(self, payload: Mapping[str, Any], content: Content, translate: Translate) -> Sequence[str]:
        """The options chosen, or the reason."""
        reasons = {"dont_know": translate("I don't have the knowledge"), "cannot_answer": translate("This cannot be answered")}
        lines = [content["options"][place] for place in payload["choices"]] or [reasons.get(payload["abstain"], "")]
        return [*lines, *([f"“{payload['comment']}”"] if payload.get("comment") else [])]

    def problems(self, submission: Mapping[str, Any], content: Content, config: Config, translate: Translate) -> Mapping[str, str]:
        """An answer is needed, and only one kind of answer."""
        if not submission["choices"] and not submission["abstain"]:
            return {"choices": translate("Choose at least one answer, or say why you choose none.")}
        if submission["choices"] and submission["abstain"]:
            return {"choices": translate("Either choose answers, or say why you choose none.")}
        return {}

    def undecided(self, submission: Mapping[str, Any], translate: Translate) -> Mapping[str, str]:
        """A reason for choosing nothing settles nothing."""
        return {"choices": translate("Choose what is right, or drop the item.")} if submission["abstain"] else {}
