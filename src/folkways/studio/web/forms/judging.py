"""Judging model answers, and an expert's decision over what others said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from starlette.datastructures import FormData

from folkways.studio.web.forms.base import Config, Content, Form, Translate, text, texts


class JudgeAnswerForm(Form):
    """Fields: ``verdict``, ``flags`` (several), ``comment``."""

    kind: ClassVar[str] = "judge_answer"

    def read(self, fields: FormData, content: Content, config: Config) -> Mapping[str, Any]:
        """The judgement."""
        return {"verdict": text(fields, "verdict"), "flags": texts(fields, "flags"), "comment": text(fields, "comment")}

    @staticmethod
    def verdicts(translate: Translate) -> Mapping[str, str]:
        """The verdicts in words."""
        return {
            "applicable": translate("Applicable"),
            "conditional": translate("Conditionally applicable"),
            "incorrect": translate("Incorrect"),
        }

    @staticmethod
    def flags(translate: Translate) -> Mapping[str, str]:
        """The flags in words."""
        return {
            "unnatural": translate("Unnatural language"),
            "stereotypical": translate("Stereotypical"),
            "partially_correct": translate("Partially correct"),
            "refusal": translate("Refusal"),
            "nonsensical": translate("Nonsensical"),
            "other_country": translate("Another country's view"),
        }

    def said(self, payload: Mapping[str, Any], content: Content, translate: Translate) -> Sequence[str]:
        """The verdict, the flags, the comment."""
        flags = self.flags(translate)
        lines = [self.verdicts(translate)[payload["verdict"]], *(flags[flag] for flag in payload["flags"])]
        return [*lines, *([f"“{payload['comment']}”"] if payload["comment"] else [])]

    def problems(self, submission: Mapping[str, Any], content: Content, config: Config, translate: Translate) -> Mapping[str, str]:
        """A verdict."""
        return {} if submission["verdict"] else {"verdict": translate("Choose whether the answer is applicable.")}


class AdjudicateForm(Form):
    """The fields of the kind of stage that is settled, and ``why``."""

    kind: ClassVar[str] = "adjudicate"

    def inner(self, content: Content) -> Form:
        """The form of what is settled."""
        from folkways.studio.web.forms.registry import form_of  # it knows this module

        return form_of(content["kind"])

    def context(self, content: Content, config: Config, draft: Mapping[str, Any]) -> Mapping[str, Any]:
        """The inner form with its own context."""
        inner = self.inner(content)
        decision = {name: value for name, value in draft.items() if name != "reason"}
        return {"inner": inner, "decision": decision, **inner.context(content["content"], content["rules"], decision)}

    def read(self, fields: FormData, content: Content, config: Config) -> Mapping[str, Any]:
        """A submission of the inner kind, and why."""
        return {**self.inner(content).read(fields, content["content"], content["rules"]), "reason": text(fields, "why")}

    def said(self, payload: Mapping[str, Any], content: Content, translate: Translate) -> Sequence[str]:
        """What was decided, and why."""
        lines = self.inner(content).said(payload["decision"], content["content"], translate)
        return [*lines, *([f"“{payload['reason']}”"] if payload["reason"] else [])]

    def problems(self, submission: Mapping[str, Any], content: Content, config: Config, translate: Translate) -> Mapping[str, str]:
        """Those of the inner kind."""
        return self.inner(content).problems(submission, content["content"], content["rules"], translate)
