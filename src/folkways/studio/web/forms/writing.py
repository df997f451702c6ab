"""Red-teaming: a scenario, a question of it with four options, tried on a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from starlette.datastructures import FormData

from folkways.studio.web.forms.base import Config, Content, Form, Translate, text, texts, wholes
from folkways.studio.workflows.helping import strategies

OPTIONS = 4


class WriteQuestionForm(Form):
    """Fields: ``scenario``, ``question``, ``options`` (four), ``intended`` (positions), ``strategy`` (of the next revision)."""

    kind: ClassVar[str] = "write_question"

    def context(self, content: Content, config: Config, draft: Mapping[str, Any]) -> Mapping[str, Any]:
        """What is in the fields: the draft, or else what the item came to so far."""
        options = [*(draft.get("options") or content.get("options") or []), "", "", "", ""][:OPTIONS]
        return {"options": options, "rounds": list(content.get("challenges", [])), "strategies": list(strategies().values())}

    def read(self, fields: FormData, content: Content, config: Config) -> Mapping[str, Any]:
        """The question as it is now."""
        return {
            "scenario": text(fields, "scenario"),
            "question": text(fields, "question"),
            "options": texts(fields, "options")[:OPTIONS],
            "intended": wholes(fields, "intended"),
            "strategy": text(fields, "strategy") or None,
        }

    def said(self, payload: Mapping[str, Any], content: Content, translate: Translate) -> Sequence[str]:
        """The question, and how the model did."""
        verdicts = {
            True: translate("The model was fooled"),
            False: translate("The model held"),
            None: translate("Not tried on a model"),
        }
        return [payload["question"], *payload["options"], verdicts[payload["fooled"]]]

    def problems(self, submission: Mapping[str, Any], content: Content, config: Config, translate: Translate) -> Mapping[str, str]:
        """A scenario, a question, four different options, one to three of them right."""
        found = {}
        if len(submission["scenario"]) < 10:
            found["scenario"] = translate("Describe a situation in a sentence or two.")
        if len(submission["question"]) < 5:
            found["question"] = translate("Write the question.")
        filled = [option for option in submission["options"] if option]
        if len(filled) < OPTIONS:
            found["options"] = translate("Write four options.")
        elif len({option.casefold() for option in filled}) < OPTIONS:
            found["options"] = translate("Two options say the same.")
        if not 1 <= len(submission["intended"]) <= OPTIONS - 1:
            found["intended"] = translate("Mark at least one option as right, and not all of them.")
        return found
