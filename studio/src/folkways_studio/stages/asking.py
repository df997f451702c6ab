"""Kinds of stages that ask in parts: one way to read, check, show, compare and tell what people say, whatever
is asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from folkways_studio.errors import Message
from folkways_studio.stages.base import Config, Content, StageKind, Translate
from folkways_studio.stages.fields import raise_if
from folkways_studio.stages.parts.arranging import PART_TYPES
from folkways_studio.stages.parts.base import Part, UnfitError, field_of, shown_options, values_of
from folkways_studio.stages.parts.form_fields import FormFields
from folkways_studio.stages.parts.settings import wanted_by
from folkways_studio.stages.parts.types import Scale, Texts

NOTHING: Sequence[Any] = (None, "", [], {})


class Asking(StageKind):
    """A kind of stage written in parts (``parts.base``): ``parts`` is what it asks, and its rules are all
    that it adds.

    submission, draft and payload: key of a part -> its value. A kind that keeps them otherwise says so in
    ``answers_in`` and ``payload_of``.
    """

    parts: ClassVar[Sequence[Part]] = ()
    show: ClassVar[
        Sequence[Part]
    ] = ()  # of an item above the parts: a kind that shows more than this has a template of its own

    def asked(self, content: Content, config: Config) -> Sequence[Part]:
        """The parts as they are asked of one item: ``parts`` with what the settings or the item say."""
        return self.parts

    def answers_in(self, said: Mapping[str, Any]) -> Mapping[str, Any]:
        """Key -> value, of a submission or a draft."""
        return said

    def payload_of(self, answers: Mapping[str, Any], asked: Sequence[Part]) -> Mapping[str, Any]:
        """What is stored of answers that fit."""
        return {part["key"]: answers.get(part["key"], PART_TYPES[part["type"]].empty) for part in asked}

    def check(
        self, answers: Mapping[str, Any], content: Content, config: Config, problems: dict[str, str]
    ) -> None:
        """Notes what is wrong with the answers together. What is wrong with one of them stands in
        ``problems`` already."""

    def problem(self, error: UnfitError) -> str:
        """What is said of an answer that does not fit its part."""
        return error.named

    def taken(
        self, said: Mapping[str, Any], asked: Sequence[Part], content: Content, problems: dict[str, str]
    ) -> dict[str, Any]:
        """Key -> the answer as it is stored, of the parts that are asked and answered; notes which cannot be
        taken, and why."""
        answers: dict[str, Any] = {}
        for part in asked:
            if "if" in part and not holds(part["if"], answers):
                continue
            key, kind, value = part["key"], PART_TYPES[part["type"]], said.get(part["key"])
            if value in NOTHING and "otherwise" in part:
                value = content[part["otherwise"]]
            if value in NOTHING:
                if _is_required(part, answers):
                    problems[key] = part.get("missing") or Message("This has to be answered.")
                    continue
                if not isinstance(kind.empty, list):
                    continue
                value = kind.empty
            try:
                answers[key] = kind.clean(value, part, content)
            except UnfitError as error:
                answers[key], problems[key] = value, self.problem(error)
                continue
            if "unlike" in part and answers[key] == answers.get(part["unlike"]):
                problems[key] = Message("Choose another one than above.")
        return answers

    def validate(self, submission: Mapping[str, Any], content: Content, config: Config) -> Mapping[str, Any]:
        """An answer to every part that is asked; what is said to parts that are not is left out."""
        problems: dict[str, str] = {}
        asked = self.asked(content, config)
        answers = self.taken(self.answers_in(submission), asked, content, problems)
        self.check(answers, content, config, problems)
        raise_if(problems)
        return self.payload_of(answers, asked)

    def labels(self, payload: Mapping[str, Any]) -> Mapping[str, Any]:
        """Key -> the answer, in the form whose agreement fits it; without words of one's own."""
        compared = (part for part in self.parts if part.get("compared", True) and part["key"] in payload)
        found = {part["key"]: PART_TYPES[part["type"]].label(payload[part["key"]]) for part in compared}
        return {key: label for key, label in found.items() if label is not None}

    def describe(self, payload: Mapping[str, Any], content: Content, translate: Translate) -> Sequence[str]:
        """What was said, part by part."""
        said = ((part, payload.get(part["key"])) for part in self.parts if part.get("told", True))
        return [
            line
            for part, value in said
            if value not in NOTHING
            for line in PART_TYPES[part["type"]].told(value, part, content, translate)
        ]

    # Page

    @property
    def form_template(self) -> str:
        """One for all kinds of whose items only ``show`` is shown."""
        return "stages/asked.html.j2" if self.show else super().form_template

    def read_form(self, fields: FormFields, content: Content, config: Config) -> Mapping[str, Any]:
        """What was said so far."""
        return {
            part["key"]: PART_TYPES[part["type"]].read(fields, part, content)
            for part in self.asked(content, config)
        }

    def form_values(self, content: Content, config: Config, draft: Mapping[str, Any]) -> Mapping[str, Any]:
        """show: what is shown of the item. parts: each part as ``_shown`` makes it; asked: the same by
        key."""
        asked, given = self.asked(content, config), self.answers_in(draft)
        parts = [self._shown(part, asked, content, given.get(part["key"])) for part in asked]
        return {"show": self.show, "parts": parts, "asked": {part["asked"]["key"]: part for part in parts}}

    def _shown(self, part: Part, asked: Sequence[Part], content: Content, value: Any) -> Mapping[str, Any]:
        """The part (``asked``) with its ``field``, its ``value``, its ``options`` (what is sent, value, text
        or texts), the ``keys`` to press for them and what is said ``about`` them (by value), the ``points``
        of a scale, the ``lines`` of texts, and the ``when`` of the page's script.
        """
        begins = part.get("starts_as") or part.get("otherwise")
        if begins and (value in (None, "") or (value == [] and part["type"] == "texts")):
            value = content.get(begins)
        options = [option for option in part.get("options", ()) if isinstance(option, Mapping)]
        keys = {option["value"]: option.get("press", "") for option in options}
        if part.get("numbered", "field" not in part and len(asked) == 1):
            keys = {each: str(number) for number, each in enumerate(values_of(part, content)[:9], 1)}
        return {
            "asked": part,
            "field": field_of(part),
            "value": value,
            "options": shown_options(part, content),
            "keys": keys,
            "about": {option["value"]: option.get("about", "") for option in options},
            "points": [*Scale.points(part)] if part["type"] == "scale" else [],
            "lines": range(Texts.most(part)) if part["type"] == "texts" else (),
            "when": _when(part, asked, content),
        }


def holds(condition: Part, answers: Mapping[str, Any]) -> bool:
    """Whether somebody gave one of the answers that a condition ({key, is}) names."""
    said = answers.get(condition["key"])
    return any(each in said if isinstance(said, list) else each == said for each in wanted_by(condition))


def _is_required(part: Part, answers: Mapping[str, Any]) -> bool:
    required = part.get("required", True)
    return holds(required, answers) if isinstance(required, Mapping) else required


def _when(part: Part, asked: Sequence[Part], content: Content) -> str:
    """``FIELD=1|2``: the script shows the part where one of these is chosen. Empty where it is always
    asked."""
    condition = part.get("if") or part.get("required")
    if not isinstance(condition, Mapping):
        return ""
    other = next(each for each in asked if each["key"] == condition["key"])
    wanted = wanted_by(condition)
    sent = {value: sent for sent, value, _ in shown_options(other, content)}
    return f"{field_of(other)}={'|'.join(str(sent.get(each, each)) for each in wanted if not sent or each in sent)}"
