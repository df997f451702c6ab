"""Argilla: the settings of a data set, and records with responses and suggestions, as ``to_dict`` of its
records has them. Offsets of spans are code points.

Its names are small letters, digits, - and _; its labels are the same for every record, so options that an
item brings along are lettered (A, B, ...), and the record has them in a field.
"""

from __future__ import annotations

import re
import string
import uuid
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import Any

from folkways_studio.formats.questions import (
    SEVERAL,
    AnnotatedItem,
    AnnotatedStage,
    Answer,
    MismatchError,
    PeerRow,
    Shifts,
    Suggestion,
    marked_parts,
    named,
    option_words,
    options_meant,
    part_for_label,
    spans_in,
    unmarked,
    without_outer_space,
)
from folkways_studio.stages.parts.base import Content, Part
from folkways_studio.stages.parts.types import Scale

LEFT_OUT = ("grouping",)
"""Types of parts that it has no question for."""

DECIDED = "decided"
"""The agent of a suggestion that is what people's answers came to."""

MOST_STARS = 10
"""A rating is a whole number from 0 to this."""

SPANS = "spans"
"""The end of the name of the question in which a field's text is marked."""

TAKEN = ("add", "count", "index", "remove", "serialize")

LETTERS = string.ascii_uppercase
NAMESPACE = uuid.UUID("7a6f5d1c-5f0f-4bd4-9a55-3d0c8a7b6f3e")


def name_of(name: str) -> str:
    """A name as it takes it; not empty, and none of those that its settings have themselves."""
    plain = re.sub(r"[^a-z0-9_-]+", "_", name.lower()).strip("_-")
    return f"{plain}_" if plain in TAKEN else plain or f"n{uuid.uuid5(NAMESPACE, name).hex[:8]}"


def user_id(study: str, pseudonym: str) -> str:
    """The id of a person of a study, which it wants to be a UUID: the same in every export."""
    return str(uuid.uuid5(NAMESPACE, f"{study}/{pseudonym}"))


# Out


def settings(stage: AnnotatedStage) -> dict[str, Any]:
    """The settings of a data set, as its ``Settings.from_json`` reads them. MismatchError where two fields or
    parts have one name there."""
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
    for entries in (fields, questions):
        names = Counter(each["name"] for each in entries)
        if twice := [str(each["title"]) for each in entries if names[each["name"]] > 1]:
            raise MismatchError(f"in Argilla, these have one name; rename one: {', '.join(twice)}")
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
    suggestions: dict[str, dict[str, Any]] = {}
    for each in sorted(item.suggestions, key=lambda each: each.score or 0.0):  # the surest one is kept
        for name, value in _values(each.values, item).items():
            suggestions[name] = {"value": value, "score": each.score, "agent": each.name, "type": "model"}
    if item.decided:
        for name, value in _values(item.decided.values, item).items():
            suggestions[name] = {"value": value, "score": None, "agent": DECIDED, "type": "human"}
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


def suggestions_dropped(item: AnnotatedItem) -> int:
    """How many suggestions of models for single questions are not in its record, which has one for each."""
    named_by = [_values(each.values, item) for each in item.suggestions]
    decided = _values(item.decided.values, item) if item.decided else {}
    return sum(map(len, named_by)) - len({name for names in named_by for name in names} - decided.keys())


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
            return repr(value).removesuffix(".0")
        case "texts":
            return "\n".join(value)
    return value


# In


KEYS = ("id", "fields", "metadata", "suggestions", "responses", "vectors", "status", "_server_id")
"""Fields of a record as ``to_dict`` and ``to_json`` export it."""

LETTERED = re.compile(r"[A-Z]\. ")


FLAT = (".responses", ".suggestion")
"""Ends of the names of columns in its data sets on the hub (``to_datasets``), which have a column for each
field and question."""


def is_record(row: Mapping[str, Any]) -> bool:
    """Whether a row is a record, with fields, responses and suggestions by name or a column for each."""
    return _is_flat(row) or (isinstance(row.get("fields"), Mapping) and set(row) <= set(KEYS))


def _is_flat(row: Mapping[str, Any]) -> bool:
    return any(name.endswith(FLAT) for name in row)


def _nested(row: Mapping[str, Any]) -> Mapping[str, Any]:
    """A row with a column for each field and question as the record that it is."""
    record: dict[str, Any] = {"fields": {}, "responses": {}, "suggestions": {}, "vectors": {}}
    for name, value in row.items():
        question, _, attribute = name.partition(".")
        if name in KEYS:
            record[name] = value
        elif attribute == "responses" and value:
            users, states = (row.get(f"{name}.{each}") or [] for each in ("users", "status"))
            record["responses"][question] = [
                {"value": each, "user_id": user, "status": status}
                for each, user, status in zip_longest(value, users, states)
            ]
        elif attribute == "suggestion" and value is not None:
            score = row.get(f"{name}.score")
            record["suggestions"][question] = {
                "value": value,
                "agent": row.get(f"{name}.agent"),
                "score": float(score) if isinstance(score, str) else score,
            }
        elif isinstance(value, list) and value and all(isinstance(each, float) for each in value):
            record["vectors"][name] = value
        elif not attribute:
            record["fields"][name] = value
    return record


def read_record(row: Mapping[str, Any], parts: Sequence[Part], names: Sequence[str]) -> PeerRow:
    """A record, with what its responses and suggestions say of the parts of a stage. names: of the fields
    that the stage's items have. MismatchError for a response that fits no part."""
    row = _nested(row) if _is_flat(row) else row
    fields = {named(name, names) or name: value for name, value in row["fields"].items()}
    metadata = {
        name: value
        for name, value in (row.get("metadata") or {}).items()
        if name not in OWN_METADATA and value is not None
    }
    content, shifts = without_outer_space({"id": row.get("id"), **metadata, **fields})
    for name in _option_fields(parts):
        if isinstance(content.get(name), str):
            content[name] = [
                line[3:] if LETTERED.match(line) else line for line in content[name].splitlines() if line
            ]
    read = PeerRow(content)
    _read_responses(row.get("responses") or {}, parts, read, shifts)
    _read_suggestions(row.get("suggestions") or {}, parts, read, shifts)
    if row.get("vectors"):
        read.notes["vectors"] += len(row["vectors"])
    return read


OWN_METADATA = ("item_id", "round", "culture", "language")
"""Metadata that an export of the studio has and no import needs."""


def _read_responses(
    responses: Mapping[str, Any], parts: Sequence[Part], read: PeerRow, shifts: Shifts
) -> None:
    by_person: dict[str, dict[str, Any]] = {}
    skipped: set[str] = set()
    for question, entries in responses.items():
        for number, each in enumerate(entries, 1):
            person = str(each.get("user_id") or f"response {number}")
            if each.get("status") in ("draft", "discarded") or each.get("value") is None:
                skipped.add(person)
                continue
            _add(by_person.setdefault(person, {}), question, each["value"], parts, read, shifts)
    read.answers += [
        Answer(f"user {person}", unmarked(values, parts)) for person, values in by_person.items()
    ]
    read.notes["responses that were drafts or discarded"] += len(skipped - by_person.keys())


def _read_suggestions(
    suggestions: Mapping[str, Any], parts: Sequence[Part], read: PeerRow, shifts: Shifts
) -> None:
    by_agent: dict[tuple[str, bool], dict[str, Any]] = {}
    scores: dict[tuple[str, bool], list[Any]] = {}
    for question, each in suggestions.items():
        if each is None or each.get("value") is None:
            continue
        agent = str(each.get("agent") or "Argilla suggestion")
        source = agent, each.get("type") == "human" or agent == DECIDED  # its own export drops the type
        _add(by_agent.setdefault(source, {}), question, each["value"], parts, read, shifts)
        scores.setdefault(source, []).append(each.get("score"))
    for (agent, human), values in by_agent.items():
        if human:
            read.answers.append(Answer(None if agent == DECIDED else agent, unmarked(values, parts)))
            continue
        distinct = {tuple(each) if isinstance(each, list) else each for each in scores[agent, human]}
        score = distinct.pop() if len(distinct) == 1 else None
        if distinct or isinstance(score, tuple):
            read.notes["scores of single spans or questions (a suggestion has one)"] += 1
            score = None
        read.suggestions.append(Suggestion(agent, "", score, values))


def _add(
    values: dict[str, Any], question: str, value: Any, parts: Sequence[Part], read: PeerRow, shifts: Shifts
) -> None:
    """Add the answer to a question to ``values``, under the key of its part."""
    if (
        isinstance(value, list)
        and value
        and all(isinstance(each, Mapping) and "start" in each for each in value)
    ):
        marks = {of: {part["key"]: part for part in each} for of, each in marked_parts(parts).items()}
        for each in value:
            to_name = question.removesuffix(f"_{SPANS}")
            of, key = part_for_label(str(each.get("label")), to_name, marks)
            span = [each["start"] - shifts.get(of, 0), each["end"] - shifts.get(of, 0)]
            values.setdefault(key, []).append(span)
        return
    if value == [] and question.endswith(f"_{SPANS}"):
        field = named(question.removesuffix(f"_{SPANS}"), marked_parts(parts))
        values |= {part["key"]: [] for part in marked_parts(parts).get(field or "", ())}
        return
    by_key = {part["key"]: part for part in parts}
    name = named(question, by_key)
    if name is None:
        raise MismatchError(f"the stage has no part {question!r}; valid: {', '.join(by_key)}")
    values[name] = _answer(value, by_key[name], read.content)


def _answer(value: Any, part: Part, content: Content) -> Any:
    match part["type"]:
        case "choice" | "pairwise" | "several" | "ranking":
            words = option_words(part, content)
            chosen = value if isinstance(value, list) else [value]
            chosen = [str(each["value"]) if isinstance(each, Mapping) else str(each) for each in chosen]
            if "options_from" in part:
                by_letter = dict(zip(LETTERS, words, strict=False))
                values = [by_letter[each] for each in chosen if each in by_letter]
                if len(values) < len(chosen):
                    values = options_meant(chosen, part, content)
            else:
                values = options_meant(chosen, part, content)
            return values if part["type"] in (*SEVERAL, "ranking") else values[0]
        case "scale" | "number" if isinstance(value, str):
            try:
                return int(value) if part["type"] == "scale" else float(value)
            except ValueError:
                return value
        case "texts" if isinstance(value, str):
            return value.splitlines()
    return value
