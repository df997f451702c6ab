"""A form of the study's own: what is shown of an item, and what is asked of it, both described in the study's
file.

- name: judge
  kind: form
  answers: 3
  show: [{field: story, type: text}, {field: picture, type: image}]
  ask:
    - {key: fit, type: scale, label: "How fitting is it?", ends: [not at all, entirely]}
    - {key: why, type: text, label: "Why?", required: false, if: {key: fit, is: [1, 2]}}
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

from folkways.sdk.studies import Study, Vote
from folkways_studio.stages.base import Config, Content, Decision, Say, Translate, WorkbookSchema
from folkways_studio.stages.fields import FieldParts, plain, raise_if, text_of
from folkways_studio.stages.kind import EMPTY_VALUES, OwnOrderKind, first_of
from folkways_studio.stages.parts.arranging import PART_TYPES
from folkways_studio.stages.parts.base import (
    ALT,
    TRANSCRIPT,
    WORDS_FOR,
    Part,
    PartType,
    UnfitError,
    text_fields,
)
from folkways_studio.stages.parts.form_fields import FormFields
from folkways_studio.stages.parts.settings import form_problems
from folkways_studio.stages.parts.sheets import form_sheet
from folkways_studio.stages.parts.tables import (
    answer_table,
    answers_of,
    codebook_row,
    in_words,
    line_of,
    lines_of,
)

if TYPE_CHECKING:
    import polars as pl

MOST_THINGS = 30


class Consensus(OwnOrderKind):
    """A form of a study: part by part, the answer that enough people agree on."""

    def check_config(self, config: Config) -> Mapping[str, str]:
        return {**form_problems(config["show"], config["ask"]), **super().check_config(config)}

    def example_row(self, config: Config) -> Mapping[str, str]:
        row = {}
        for shown in config["show"]:
            field = shown["field"]
            row[field] = {"text": self.example["text"], "image": "door.jpg", "audio": "greeting.mp3"}[
                shown["type"]
            ]
            row |= {
                "image": {f"{field}{ALT}": "Shoes beside a door"},
                "audio": {f"{field}{TRANSCRIPT}": "Come in!"},
            }.get(shown["type"], {})
        for part in config["ask"]:
            row |= {part["options_from"]: '["hats", "shoes"]'} if "options_from" in part else {}
            row |= dict.fromkeys(text_fields(part), self.example["text"])
        return row

    def check_content(self, content: Content, config: Config) -> Mapping[str, Any]:
        problems: dict[str, str] = {}
        fields: dict[str, Any] = {}
        for shown in config["show"]:
            field, more = shown["field"], WORDS_FOR.get(shown["type"])
            if shown.get("optional") and not content.get(field):
                continue
            fields[field] = text_of(content, field, problems, most=20_000)
            if more:
                fields[field] = unicodedata.normalize("NFC", fields[field])  # as names of files are stored
                ask = (
                    "a picture needs words for those who do not see it"
                    if more == ALT
                    else "a recording needs its words in writing"
                )
                fields[field + more] = text_of(content, field + more, problems, ask=ask)
        for part in config["ask"]:
            if "options_from" in part:
                fields[part["options_from"]] = _things(content, part["options_from"], problems)
            for field in text_fields(part):
                fields[field] = text_of(content, field, problems, most=20_000)
        raise_if(problems)
        return {**content, **fields}

    def subject(self, content: Content, config: Config) -> Content:
        """What is shown of an item first, then what is asked about: its other columns are not for those who
        answer."""
        names = [
            (shown["field"], shown["field"] + WORDS_FOR.get(shown["type"], "")) for shown in config["show"]
        ]
        return first_of(content, chain(*names, self.essential(content, config)))

    def essential(self, content: Content, config: Config) -> Content:
        names = [shown["field"] for shown in config["show"]]
        for part in config["ask"]:
            names += [*text_fields(part), *([part["options_from"]] if "options_from" in part else ())]
        return {name: content.get(name) for name in names}

    def media(self, content: Content, config: Config) -> tuple[str, ...]:
        shown = (each["field"] for each in config["show"] if each["type"] != "text")
        return tuple(content[field] for field in shown if content.get(field))

    def asked(self, content: Content, config: Config) -> Sequence[Part]:
        parts: Sequence[Part] = config["ask"]
        return parts

    def answers_in(self, said: Mapping[str, Any]) -> Mapping[str, Any]:
        sent = said.get("answers")
        return sent if isinstance(sent, Mapping) else {}

    def payload_of(self, answers: Mapping[str, Any], asked: Sequence[Part]) -> Mapping[str, Any]:
        payload: dict[str, dict[str, Any]] = {}
        for part in asked:
            if part["key"] in answers:
                payload.setdefault(part["type"], {})[part["key"]] = answers[part["key"]]
        return payload

    def problem(self, error: UnfitError) -> str:
        return error.message

    def resolve(self, votes: Sequence[Vote], content: Content, config: Config) -> Decision:
        majority, answers = config["majority"], config["answers"]
        needed = len(votes) // 2 + 1 if majority is None else -(-majority * len(votes) // answers)
        answered = [answers_of(vote.payload) for vote in votes]
        result: dict[str, Any] = {}
        disputed = []
        for part in config["ask"]:
            values = [each.get(part["key"]) for each in answered]
            value, settled = PART_TYPES[part["type"]].settle(values, part, content, needed)
            if not settled:
                disputed.append(part["key"])
            elif value is not None:
                result[part["key"]] = value
        if disputed:
            reason = f"people differ on {', '.join(disputed)}"
            return Decision("done", result={**result, "disputed": disputed}, reason=reason, branch="disagree")
        return Decision("done", result=result)

    def result_of(self, payload: Mapping[str, Any], content: Content, config: Config) -> Mapping[str, Any]:
        return answers_of(payload)

    def labels(self, payload: Mapping[str, Any]) -> Mapping[str, Any]:
        """Key -> the answer, in the form whose agreement fits it; without words of one's own."""
        labels = {}
        for kind, answers in payload.items():
            label = PART_TYPES[kind].label
            for key, value in answers.items():
                if (label_of_value := label(value)) is not None:
                    labels[key] = label_of_value
        return labels

    def check_known(self, known: Mapping[str, Any], content: Content, config: Config) -> Mapping[str, Any]:
        parts = {part["key"]: part for part in config["ask"]}
        valid = ", ".join(parts)
        raise_if({key: f"is nothing that is asked here; valid: {valid}" for key in known if key not in parts})
        raise_if({} if known else {"": f"says nothing; give at least one of: {valid}"})
        cleaned: dict[str, Any] = {}
        problems: dict[str, str] = {}
        for key, value in known.items():
            try:
                cleaned[key] = PART_TYPES[parts[key]["type"]].clean(value, parts[key], content)
            except UnfitError as error:
                problems[key] = error.message
        raise_if(problems)
        return cleaned

    def is_right(self, payload: Mapping[str, Any], known: Mapping[str, Any], overlap: float) -> bool:
        """Whether every known part was asked and has that answer: compared as agreement does, words without
        case and spacing."""
        answers_by_key = {
            key: (PART_TYPES[kind], value)
            for kind, answers in payload.items()
            for key, value in answers.items()
        }
        return all(
            key in answers_by_key and _same(*answers_by_key[key], value) for key, value in known.items()
        )

    def known_of(self, result: Mapping[str, Any]) -> Mapping[str, Any]:
        """Nothing: what several people's answers come to, a median or all of their words, need be no answer
        that anybody gives."""
        return {}

    def describe_known(
        self, known: Mapping[str, Any], content: Content, translate: Translate
    ) -> Sequence[str]:
        return [f"{key}: {line_of(value)}" for key, value in known.items()]

    def in_common(self, payloads: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
        first, *others = payloads
        return {
            kind: {
                key: value
                for key, value in answers.items()
                if all(each.get(kind, {}).get(key) == value for each in others)
            }
            for kind, answers in first.items()
        }

    def answer_fields(self, content: Content, config: Config) -> tuple[str, ...]:
        return tuple(part["key"] for part in config["ask"])

    def read_suggestion(self, cell: Any, content: Content, config: Config) -> Mapping[str, Any]:
        keys = self.answer_fields(content, config)
        if isinstance(cell, Mapping):
            return cell
        valid = ", ".join(keys)
        raise_if({} if len(keys) == 1 else {"": f"has to be an object with some of: {valid}; not {cell!r}"})
        return {keys[0]: cell}

    def check_suggestion(
        self, suggested: Mapping[str, Any], content: Content, config: Config
    ) -> Mapping[str, Any]:
        """Key -> value, as a submission or as a payload has them."""
        fields = dict(suggested)
        if not fields.keys() & set(self.answer_fields(content, config)):
            if isinstance(fields.get("answers"), Mapping):
                fields = dict(fields["answers"])
            elif fields and all(
                kind in PART_TYPES and isinstance(each, Mapping) for kind, each in fields.items()
            ):
                fields = answers_of(fields)
        return {"answers": self.check_known(fields, content, config)}

    def answer_parts(
        self, draft: Mapping[str, Any], content: Content, config: Config
    ) -> Mapping[str, FieldParts]:
        return super().answer_parts(self.answers_in(draft), content, config)

    # Page

    def form_values(self, content: Content, config: Config, draft: Mapping[str, Any]) -> Mapping[str, Any]:
        return {**super().form_values(content, config, draft), "show": config["show"]}

    def read_form(self, fields: FormFields, content: Content, config: Config) -> Mapping[str, Any]:
        read = super().read_form(fields, content, config)
        return {"answers": {key: value for key, value in read.items() if value not in EMPTY_VALUES}}

    def draft_of(self, payload: Mapping[str, Any]) -> Mapping[str, Any]:
        return {"answers": answers_of(payload)}

    @staticmethod
    def lines(payload: Mapping[str, Any]) -> Mapping[str, str]:
        return lines_of(payload)

    def describe(self, payload: Mapping[str, Any], content: Content, translate: Translate) -> Sequence[str]:
        return [f"{key}: {line}" for key, line in lines_of(payload).items()]

    def read_back(
        self, payload: Mapping[str, Any], content: Content, config: Config, translate: Translate, say: Say
    ) -> Sequence[str]:
        return self.read_back_known(answers_of(payload), content, config, translate, say)

    def read_back_known(
        self, known: Mapping[str, Any], content: Content, config: Config, translate: Translate, say: Say
    ) -> Sequence[str]:
        return in_words(known, config["ask"], content, translate, say)

    # Workbook

    def workbook_schema(self, config: Config, say: Say) -> WorkbookSchema:
        return form_sheet(config, say)

    # Exports

    def tables(self, study: Study, configs: Mapping[str, Config]) -> Mapping[str, pl.DataFrame]:
        """``form-STAGE`` of each stage: a row per judgement, a column per part. Several values are one
        cell of JSON."""
        return {
            f"form-{stage}": answer_table(
                [item for item in study.items.values() if item.stage == stage], configs[stage]["ask"]
            )
            for stage, kind in study.stages.items()
            if kind == self.name
        }

    def codebook(self, config: Config) -> Sequence[Mapping[str, Any]]:
        return [codebook_row(part) for part in config["ask"]]


def _same(kind: PartType, said: Any, known: Any) -> bool:
    right = kind.label(known)
    return bool(plain(said) == plain(known) if right is None else kind.label(said) == right)


def _things(content: Content, field: str, problems: dict[str, str]) -> list[str]:
    """A list of different texts."""
    value = content.get(field)
    things = [each.strip() for each in value if isinstance(each, str)] if isinstance(value, list) else []
    if not 2 <= len({*things} - {""}) == len(value or ()) <= MOST_THINGS:
        problems[field] = f'has to be a list of 2 to {MOST_THINGS} different texts: ["rice", "bread"]'
    return things
