"""Sentences with culture-specific items: choosing, marking, labelling, adapting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from starlette.datastructures import FormData

from folkways.studio.web.forms.base import Config, Content, Form, Translate, spans, text, whole
from folkways.studio.workflows.adapting import NON_TRANSFERABLE
from folkways.studio.workflows.registry import handler_of


class ChooseBestForm(Form):
    """Fields: ``best`` (an id), ``rate-ID-CRITERION`` (1 to 5)."""

    kind: ClassVar[str] = "choose_best"

    def read(self, fields: FormData, content: Content, config: Config) -> Mapping[str, Any]:
        """The choice, and the ratings that were given."""
        ratings: dict[str, dict[str, int]] = {}
        for candidate in content["candidates"]:
            row = {name: whole(text(fields, f"rate-{candidate['id']}-{name}")) for name in config["criteria"]}
            ratings[candidate["id"]] = {name: value for name, value in row.items() if value is not None}
        return {"best": text(fields, "best"), "ratings": ratings}

    def said(self, payload: Mapping[str, Any], content: Content, translate: Translate) -> Sequence[str]:
        """The chosen sentence."""
        return [candidate["text"] for candidate in content["candidates"] if candidate["id"] == payload["best"]]

    def problems(self, submission: Mapping[str, Any], content: Content, config: Config, translate: Translate) -> Mapping[str, str]:
        """Every rating, and a choice."""
        found = {}
        if any(len(row) < len(config["criteria"]) for row in submission["ratings"].values()):
            found["ratings"] = translate("Rate every sentence by every criterion.")
        if not submission["best"]:
            found["best"] = translate("Choose the best sentence.")
        return found


class TagSpansForm(Form):
    """Field: ``spans``."""

    kind: ClassVar[str] = "tag_spans"

    def read(self, fields: FormData, content: Content, config: Config) -> Mapping[str, Any]:
        """The marks."""
        return {"spans": spans(fields, "spans")}

    def said(self, payload: Mapping[str, Any], content: Content, translate: Translate) -> Sequence[str]:
        """What was marked."""
        return [content["sentence"][start:end] for start, end in payload["spans"]]

    def problems(self, submission: Mapping[str, Any], content: Content, config: Config, translate: Translate) -> Mapping[str, str]:
        """At least one mark."""
        return {} if submission["spans"] else {"spans": translate("Mark at least one item in the sentence.")}


class LabelItemForm(Form):
    """Fields: ``category``, ``level``, ``element``."""

    kind: ClassVar[str] = "label_item"

    def context(self, content: Content, config: Config, draft: Mapping[str, Any]) -> Mapping[str, Any]:
        """The labels that may be chosen."""
        handler = handler_of(self.kind)
        return {"labels": handler.valid(config)}  # type: ignore[attr-defined]

    def read(self, fields: FormData, content: Content, config: Config) -> Mapping[str, Any]:
        """The three labels."""
        return {name: text(fields, name) for name in ("category", "level", "element")}

    def said(self, payload: Mapping[str, Any], content: Content, translate: Translate) -> Sequence[str]:
        """The three labels."""
        return [payload[name] for name in ("category", "level", "element")]

    def problems(self, submission: Mapping[str, Any], content: Content, config: Config, translate: Translate) -> Mapping[str, str]:
        """All three."""
        words = {
            "category": translate("Choose a category."),
            "level": translate("Choose a level."),
            "element": translate("Choose an element."),
        }
        return {name: words[name] for name, value in submission.items() if not value}


class AdaptForm(Form):
    """Fields: ``strategy-i`` of the item at position i; ``intra``, ``intra_spans``, ``inter``, ``inter_spans``."""

    kind: ClassVar[str] = "adapt"

    def read(self, fields: FormData, content: Content, config: Config) -> Mapping[str, Any]:
        """Strategies in order, and both versions with their marks."""
        return {
            "strategies": [text(fields, f"strategy-{number}") for number in range(len(content["spans"]))],
            "intra": text(fields, "intra"),
            "intra_spans": spans(fields, "intra_spans"),
            "inter": text(fields, "inter"),
            "inter_spans": spans(fields, "inter_spans"),
        }

    def said(self, payload: Mapping[str, Any], content: Content, translate: Translate) -> Sequence[str]:
        """Strategies and both versions, tagged."""
        return [", ".join(payload["strategies"]), payload["intra"], payload["inter"]]

    def problems(self, submission: Mapping[str, Any], content: Content, config: Config, translate: Translate) -> Mapping[str, str]:
        """A strategy for every item; the versions with as many marks, unless nothing can be carried over."""
        count = len(content["spans"])
        if not all(submission["strategies"]):
            return {"strategy-0": translate("Choose a strategy for every marked item.")}
        if all(strategy == NON_TRANSFERABLE for strategy in submission["strategies"]):
            return {}
        found = {}
        names = {"intra": translate("English version"), "inter": translate("version in your language")}
        for name, said in names.items():
            if not submission[name]:
                found[name] = translate("Write the %(version)s.", version=said)
            elif len(submission[f"{name}_spans"]) != count:
                found[name] = translate(
                    "Mark in the %(version)s what stands for the marked items: %(count)s in all.", version=said, count=count
                )
        return found
