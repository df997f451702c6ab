"""Verification: options that are right, or the reason why none is chosen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from starlette.datastructures import FormData

from folkways.studio.services.assignments import Work
from folkways.studio.web.forms.base import Form, Translate, text, texts, whole


class VoteForm(Form):
    """Fields: ``choices`` (positions, several), ``abstain``, ``comment``."""

    kind: ClassVar[str] = "vote"
    template: ClassVar[str] = "tasks/vote.html.j2"

    def read(self, fields: FormData, work: Work) -> Mapping[str, Any]:
        """The vote."""
        choices = [number for value in texts(fields, "choices") if (number := whole(value)) is not None]
        return {"choices": choices, "abstain": text(fields, "abstain") or None, "comment": text(fields, "comment")}

    def problems(self, submission: Mapping[str, Any], work: Work, translate: Translate) -> Mapping[str, str]:
        """An answer is needed, and only one kind of answer."""
        if not submission["choices"] and not submission["abstain"]:
            return {"choices": translate("Choose at least one answer, or say why you choose none.")}
        if submission["choices"] and submission["abstain"]:
            return {"choices": translate("Either choose answers, or say why you choose none.")}
        return {}
