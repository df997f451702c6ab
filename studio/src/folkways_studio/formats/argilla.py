"""Argilla: the settings of a data set, and records with responses and suggestions, as its ``Record.to_dict``
has them. Offsets of spans are code points.

Its names are small letters, digits, - and _; its labels are the same for every record, so options that an
item brings along are lettered (A, B, ...), and the record has them in a field.
"""

from __future__ import annotations

import re
import string
import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from folkways_studio.formats.questions import (
    AnnotatedItem,
    AnnotatedStage,
    marked_parts,
    option_words,
    spans_in,
)
from folkways_studio.stages.parts.base import Content, Part
from folkways_studio.stages.parts.types import Scale

LEFT_OUT = ("grouping",)
"""Types of parts that it has no question for."""

MOST_STARS = 10
"""A rating is a whole number from 0 to this."""

SPANS = "spans"
"""The end of the name of the question in which a field's text is marked."""

LETTERS = string.ascii_uppercase
NAMESPACE = uuid.UUID("7a6f5d1c-5f0f-4bd4-9a55-3d0c8a7b6f3e")


def name_of(name: str) -> str:
    """A name as it takes it; not empty."""
    return re.sub(r"[^a-z0-9_-]+", "_", name.lower()).strip("_-") or f"n{uuid.uuid5(NAMESPACE, name).hex[:8]}"


def user_id(study: str, pseudonym: str) -> str:
    """The id of a person of a study, which it wants to be a UUID: the same in every export."""
    return str(uuid.uuid5(NAMESPACE, f"{study}/{pseudonym}"))


# Out


def settings(stage: AnnotatedStage) -> dict[str, Any]:
    """The settings of a data set, as its ``Settings.from_json`` reads them."""
    fields = [
        {
            "name": name_of(name),
            "title": name,
            "required": False,
            "settings": {"type": "image" if kind == "image" else "text"},
        }
        for name, kind in {**stage.show, **dict.fromkeys(_option_fields(stage.parts), "text")}.items()
    ]
    questions = [
        _question(
            f"{name_of(field)}_{SPANS}",
            " · ".join(stage.labels[part["key"]] or part["key"] for part in parts),
            False,
            type="span",
            field=name_of(field),
            allow_overlapping=True,
            options=[{"value": part["key"], "text": part["key"]} for part in parts],
        )
        for field, parts in marked_parts(stage.parts).items()
    ]
    for part in stage.parts:
        if part["type"] not in ("spans", *LEFT_OUT):
            required = part.get("required", True) is True and "if" not in part
            title = stage.labels[part["key"]] or part["key"]
            questions.append(_question(name_of(part["key"]), title, required, **_question_settings(part)))
    for question in questions:  # it wants one that has to be answered
        question["required"] = question["required"] or not any(each["required"] for each in questions)
    return {
        "guidelines": None,
        "questions": questions,
        "fields": fields,
        "vectors": [],
        "metadata": [],
        "allow_extra_metadata": True,
        "distribution": {"strategy": "overlap", "min_submitted": 1},
        "mapping": None,
    }


def _question(name: str, title: str, required: bool, **more: Any) -> dict[str, Any]:
    return {"name": name, "title": title, "description": None, "required": required, "settings": more}


def _option_fields(parts: Sequence[Part]) -> list[str]:
    return [part["options_from"] for part in parts if "options_from" in part]


def _question_settings(part: Part) -> dict[str, Any]:
    match part["type"]:
        case "choice" | "pairwise":
            return {"type": "label_selection", "options": _options(part)}
        case "several":
            return {"type": "multi_label_selection", "options": _options(part)}
        case "ranking":
            return {"type": "ranking", "options": _options(part)}
        case "scale" if _is_rating(part):
            return {"type": "rating", "options": [{"value": each} for each in Scale.points(part)]}
        case "scale":
            options = [{"value": str(each), "text": str(each)} for each in Scale.points(part)]
            return {"type": "label_selection", "options": options}
    return {"type": "text", "use_markdown": False}


def _is_rating(part: Part) -> bool:
    points = Scale.points(part)
    return points[0] >= 0 and points[-1] <= MOST_STARS


def _options(part: Part) -> list[dict[str, str]]:
    if "options_from" in part:
        return [{"value": each, "text": each} for each in LETTERS]
    return [{"value": str(value), "text": words} for value, words in option_words(part, {}).items()]


def records(stage: AnnotatedStage, study: str) -> list[dict[str, Any]]:
    """The items as records of a study, with the responses of people, and suggestions: of models, and of type
    ``human`` what was decided."""
    return [_record(item, stage, study) for item in stage.items]


def _record(item: AnnotatedItem, stage: AnnotatedStage, study: str) -> dict[str, Any]:
    fields = {name_of(name): str(item.content[name]) for name in stage.show if item.content.get(name)}
    for part in item.parts:
        if "options_from" in part:
            words = option_words(part, item.content).values()
            lines = [f"{letter}. {text}" for letter, text in zip(LETTERS, words, strict=False)]
            fields[name_of(part["options_from"])] = "\n".join(lines)
    responses: dict[str, list[dict[str, Any]]] = {}
    for answer in item.answers:
        by = {"user_id": user_id(study, answer.by or ""), "status": "submitted"}
        for name, value in _values(answer.values, item).items():
            responses.setdefault(name, []).append({"value": value, **by})
    suggested = [(each, "model", each.name) for each in item.suggestions]
    suggestions: dict[str, dict[str, Any]] = {}
    for each, kind, agent in suggested:
        for name, value in _values(each.values, item).items():
            suggestions[name] = {"value": value, "score": each.score, "agent": agent, "type": kind}
    if item.decided:
        for name, value in _values(item.decided.values, item).items():
            suggestions[name] = {"value": value, "score": None, "agent": "decided", "type": "human"}
    return {
        "id": item.key,
        "fields": fields,
        "metadata": {name: value for name, value in item.meta.items() if value is not None},
        "suggestions": suggestions,
        "responses": responses,
        "vectors": {},
        "status": "completed" if item.decided else "pending",
        "_server_id": None,
    }


def _values(values: Mapping[str, Any], item: AnnotatedItem) -> dict[str, Any]:
    """Name of a question -> value."""
    by_question: dict[str, Any] = {}
    for field, parts in marked_parts(item.parts).items():
        if any(part["key"] in values for part in parts):
            by_question[f"{name_of(field)}_{SPANS}"] = [
                {"start": start, "end": end, "label": label} for start, end, label in spans_in(values, parts)
            ]
    for part in item.parts:
        if part["key"] in values and part["type"] not in ("spans", *LEFT_OUT):
            by_question[name_of(part["key"])] = _value(values[part["key"]], part, item.content)
    return by_question


def _value(value: Any, part: Part, content: Content) -> Any:
    match part["type"]:
        case "choice" | "pairwise" | "several" | "ranking":
            names = [str(each) for each in option_words(part, content)]
            if "options_from" in part:
                names = list(LETTERS)
            places = {each: number for number, each in enumerate(option_words(part, content))}
            if isinstance(value, list):
                return [names[places[each]] for each in value]
            return names[places[value]]
        case "scale":
            return value if _is_rating(part) else str(value)
        case "number":
            return f"{value:g}"
        case "texts":
            return "\n".join(value)
    return value
