"""Adapting a sentence to another culture (XCR-Bench, section 2)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from folkways.sdk.studies import Vote
from folkways_studio.errors import Message
from folkways_studio.stages.base import Config, Content, Decision, Say, Translate, WorkbookSchema
from folkways_studio.stages.fields import raise_if, spans_of, tag
from folkways_studio.stages.kind import StageKind
from folkways_studio.stages.parts.base import Part
from folkways_studio.stages.parts.form_fields import FormFields, spans

NON_TRANSFERABLE = "non_transferable"

NO_VERSION = "Non-transferrable"
"""What stands for both versions where nothing can be carried over."""

VERSIONS = {"intra": Message("English version"), "inter": Message("version in your language")}
"""The version in English, and the one in the population's language."""
_ANY_TAG = re.compile(r"<\s*(?:/\s*)?CSI\s*>", re.I)


class Adaptation(StageKind):
    """A strategy for each marked item, and both versions of the sentence; everybody's versions are kept."""

    def asked(self, content: Content, config: Config) -> Sequence[Part]:
        strategy, *versions = self.ask
        count = len(content.get("spans", ()))
        strategies = [{**strategy, "key": f"strategy-{n}", "field": f"strategy-{n}"} for n in range(count)]
        missing = {
            name: Message("Write the %(version)s.", version=version) for name, version in VERSIONS.items()
        }
        return [*strategies, *({**part, "missing": missing[part["key"]]} for part in versions)]

    def answers_in(self, said: Mapping[str, Any]) -> Mapping[str, Any]:
        strategies = said.get("strategies")
        return {
            **said,
            **{
                f"strategy-{n}": each
                for n, each in enumerate(strategies if isinstance(strategies, list) else ())
            },
        }

    def validate(self, submission: Mapping[str, Any], content: Content, config: Config) -> Mapping[str, Any]:
        problems: dict[str, str] = {}
        answers = self.taken(self.answers_in(submission), self.asked(content, config), content, problems)
        strategies, count = submission.get("strategies"), len(content["spans"])
        complete = isinstance(strategies, list) and len(strategies) == count
        if not complete or any(name.startswith("strategy-") for name in problems):
            raise_if({"strategies": Message("Choose a strategy for every marked item.")})
        if all(answers[f"strategy-{number}"] == NON_TRANSFERABLE for number in range(count)):
            return {"strategies": strategies, **dict.fromkeys(VERSIONS, NO_VERSION)}
        versions = {
            name: self._version(answers[name], submission.get(f"{name}_spans", []), name, count, problems)
            for name in VERSIONS
            if name not in problems
        }
        raise_if(problems)
        return {"strategies": strategies, **versions}

    @staticmethod
    def _version(text: str, marks: Any, name: str, count: int, problems: dict[str, str]) -> str:
        if _ANY_TAG.search(text):
            plain, spans = untag(text)
            if spans is None:
                problems[name] = Message("Every <CSI> needs a </CSI> after it.")
                return ""
        else:
            plain, spans = text, spans_of({f"{name}_spans": marks}, f"{name}_spans", text, problems)
        if len(spans) != count:
            problems.setdefault(
                f"{name}_spans",
                Message(
                    "Mark in the %(version)s what stands for the marked items: %(count)s in all.",
                    version=VERSIONS[name],
                    count=count,
                ),
            )
        return tag(plain, spans)

    def resolve(self, votes: Sequence[Vote], content: Content, config: Config) -> Decision:
        return Decision(
            "done",
            result={"adaptations": [{"participant": vote.participant, **vote.payload} for vote in votes]},
        )

    def read_form(self, fields: FormFields, content: Content, config: Config) -> Mapping[str, Any]:
        read = dict(super().read_form(fields, content, config))
        versions = {name: read.pop(name) for name in VERSIONS}
        marks = {f"{name}_spans": spans(fields, f"{name}_spans") for name in VERSIONS}
        return {"strategies": [each or "" for each in read.values()], **versions, **marks}

    def draft_of(self, payload: Mapping[str, Any]) -> Mapping[str, Any]:
        """Text and marks apart; both sentences are empty if nothing was carried over."""
        draft = {name: value for name, value in payload.items() if name not in VERSIONS}
        for name in VERSIONS:
            if name in payload:
                plain, spans = untag("" if payload[name] == NO_VERSION else payload[name])
                draft |= {name: plain, f"{name}_spans": spans or []}
        return draft

    def subject(self, content: Content, config: Config) -> Content:
        inside = {name: value for name, value in content.items() if name != "adaptations"}
        return super().subject(inside, config)

    def strategies(self, translate: Translate) -> Mapping[str, str]:
        """Strategy -> its words in the reader's language."""
        return {each["value"]: each["label"].words(translate) for each in self.ask[0]["options"]}

    def workbook_schema(self, config: Config, say: Say) -> WorkbookSchema:
        def read(cells: Mapping[str, str], content: Content) -> dict[str, Any]:
            strategies = [each.strip() for each in cells["strategies"].split(";") if each.strip()]
            return {**cells, "strategies": strategies}

        return WorkbookSchema(
            lambda content: {"sentence": content["tagged"], "items": str(len(content["spans"]))},
            ("strategies", *VERSIONS),
            read,
        )

    def describe(self, payload: Mapping[str, Any], content: Content, translate: Translate) -> Sequence[str]:
        words = self.strategies(translate)
        versions = [payload[name] for name in VERSIONS if payload[name] != NO_VERSION]
        return [", ".join(words[each] for each in payload["strategies"]), *versions]


def untag(text: str) -> tuple[str, list[list[int]] | None]:
    """The text without ``<CSI>`` tags (and the spaces inside them), and where they stood; None for tags that
    do not pair."""
    plain, spans, start, last = "", [], None, 0
    for match in _ANY_TAG.finditer(text):
        piece = text[last : match.start()]
        closing = "/" in match[0]
        if closing == (start is None):
            return text, None
        if closing:
            assert start is not None  # noqa: S101 - said above; for the type checker
            plain += piece.strip()
            spans.append([start, len(plain)])
            start = None
        else:
            plain += piece
            start = len(plain)
        last = match.end()
    if start is not None:
        return text, None
    return plain + text[last:], spans
