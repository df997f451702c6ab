"""Keeping, mending and dropping what others wrote; putting templates into a language; writing everyday questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from starlette.datastructures import FormData

from folkways.studio.web.forms.base import Config, Content, Form, Translate, text, texts

YOUR_COUNTRY = "your country"


class ReviewForm(Form):
    """Fields: ``decision``, ``reason``, ``question``, ``options`` (four)."""

    kind: ClassVar[str] = "review"

    def read(self, fields: FormData, content: Content, config: Config) -> Mapping[str, Any]:
        """The decision with the wording as it is now."""
        return {
            "decision": text(fields, "decision"),
            "reason": text(fields, "reason"),
            "question": text(fields, "question"),
            "options": texts(fields, "options"),
        }

    def said(self, payload: Mapping[str, Any], content: Content, translate: Translate) -> Sequence[str]:
        """The decision, and the wording where it was mended."""
        words = {"keep": translate("Keep"), "drop": translate("Drop")}
        changed = [payload["question"]] if payload["question"] != content["question"] else []
        return [words[payload["decision"]], *([payload["reason"]] if payload["reason"] else []), *changed]

    def problems(self, submission: Mapping[str, Any], content: Content, config: Config, translate: Translate) -> Mapping[str, str]:
        """A decision, and a reason for dropping."""
        if not submission["decision"]:
            return {"decision": translate("Keep it or drop it?")}
        if submission["decision"] == "drop" and not submission["reason"]:
            return {"reason": translate("Say in a few words why it is dropped.")}
        return {}


class CollectQuestionForm(Form):
    """Fields: ``category``, ``question``, ``english``."""

    kind: ClassVar[str] = "collect_question"

    def read(self, fields: FormData, content: Content, config: Config) -> Mapping[str, Any]:
        """The question."""
        return {name: text(fields, name) for name in ("category", "question", "english")}

    def said(self, payload: Mapping[str, Any], content: Content, translate: Translate) -> Sequence[str]:
        """The question in both languages."""
        return [payload["question"], payload["english"]]

    def problems(self, submission: Mapping[str, Any], content: Content, config: Config, translate: Translate) -> Mapping[str, str]:
        """All three."""
        found = {}
        if not submission["category"]:
            found["category"] = translate("Choose what the question is about.")
        if len(submission["question"]) < 5:
            found["question"] = translate("Write the question.")
        if len(submission["english"]) < 5:
            found["english"] = translate("Write the question in English as well.")
        return found


class CurateForm(Form):
    """Fields: ``decision``, ``of``, ``template``."""

    kind: ClassVar[str] = "curate"

    def read(self, fields: FormData, content: Content, config: Config) -> Mapping[str, Any]:
        """The decision."""
        return {name: text(fields, name) for name in ("decision", "of", "template")}

    def said(self, payload: Mapping[str, Any], content: Content, translate: Translate) -> Sequence[str]:
        """The decision, with the template or what is repeated."""
        words = {
            "keep": translate("Keep"),
            "duplicate": translate("A duplicate"),
            "one_country": translate("Fits a single country only"),
            "unclear": translate("Not clear"),
        }
        return [words[payload["decision"]], *[payload[name] for name in ("template", "of") if payload[name]]]

    def problems(self, submission: Mapping[str, Any], content: Content, config: Config, translate: Translate) -> Mapping[str, str]:
        """What each decision needs."""
        if not submission["decision"]:
            return {"decision": translate("Choose what becomes of the question.")}
        if submission["decision"] == "keep" and YOUR_COUNTRY not in submission["template"]:
            words = translate("Write “%(words)s” where the name of the country is to stand.", words=YOUR_COUNTRY)
            return {"template": words}
        if submission["decision"] == "duplicate" and not submission["of"]:
            return {"of": translate("Which question does it repeat? Give its key.")}
        return {}


class LocaliseForm(Form):
    """Fields: ``local``, ``english``."""

    kind: ClassVar[str] = "localise"

    def read(self, fields: FormData, content: Content, config: Config) -> Mapping[str, Any]:
        """The two wordings."""
        return {name: text(fields, name) for name in ("local", "english")}

    def said(self, payload: Mapping[str, Any], content: Content, translate: Translate) -> Sequence[str]:
        """The two wordings."""
        return [payload["local"], payload["english"]]

    def problems(self, submission: Mapping[str, Any], content: Content, config: Config, translate: Translate) -> Mapping[str, str]:
        """The question in the language."""
        return {} if len(submission["local"]) >= 3 else {"local": translate("Write the question in your language.")}
