"""Label Studio: its labeling configuration, and results of its annotations and predictions.

Offsets of spans are code points, as its editor stores them since October 2021 (label-studio-frontend 308).
Before that they were UTF-16 code units; a region's own text says which, and such regions are read as well.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any
from xml.etree import ElementTree

from folkways_studio.formats.questions import (
    SEVERAL,
    SINGLE,
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
from folkways_studio.formats.spans import from_utf16
from folkways_studio.stages.parts.base import Content, Part
from folkways_studio.stages.parts.form_fields import in_digits
from folkways_studio.stages.parts.types import Scale

OBJECTS = {"text": "Text", "image": "Image", "audio": "Audio"}
LEFT_OUT = ("grouping",)
"""Types of parts that it has no control for."""

LABELS = "labels"
"""The end of the name of the control with which a field's text is marked."""


# Out


def labeling_config(stage: AnnotatedStage) -> str:
    """The configuration of a project in which the stage's questions are asked, as XML."""
    view = ElementTree.Element("View")
    for name, kind in stage.show.items():
        ElementTree.SubElement(view, OBJECTS[kind], {"name": name, "value": f"${name}"})
    first = next(iter(stage.show), "")
    for field, parts in marked_parts(stage.parts).items():
        _header(view, " · ".join(stage.labels[part["key"]] for part in parts))
        control = _control(view, "Labels", f"{field}-{LABELS}", field)
        for part in parts:
            ElementTree.SubElement(control, "Label", {"value": part["key"]})
    for part in stage.parts:
        if part["type"] != "spans" and part["type"] not in LEFT_OUT:
            _header(view, stage.labels[part["key"]])
            _add_control(view, part, first)
    ElementTree.indent(view)
    return ElementTree.tostring(view, encoding="unicode")


def _header(view: ElementTree.Element, words: str) -> None:
    if words:
        ElementTree.SubElement(view, "Header", {"value": words})


def _control(view: ElementTree.Element, tag: str, name: str, of: str, **more: str) -> ElementTree.Element:
    return ElementTree.SubElement(view, tag, {"name": name, "toName": of, **more})


def _add_control(view: ElementTree.Element, part: Part, first: str) -> None:
    key = part["key"]
    match part["type"]:
        case "choice" | "pairwise" | "several":
            how = {"choice": "multiple" if part["type"] in SEVERAL else "single"}
            if "options_from" in part:
                _control(view, "Choices", key, first, **how, value=f"${_data_name(part)}")
                return
            control = _control(view, "Choices", key, first, **how)
            for value, words in option_words(part, {}).items():
                ElementTree.SubElement(control, "Choice", {"value": words, "alias": str(value)})
        case "scale" if _is_rating(part):
            _control(view, "Rating", key, first, maxRating=str(Scale.points(part)[-1]))
        case "scale" | "number":
            points = Scale.points(part) if part["type"] == "scale" else None
            least, most = (points[0], points[-1]) if points else (part.get("least"), part.get("most"))
            bounds = {
                name: in_digits(each) for name, each in (("min", least), ("max", most)) if each is not None
            }
            _control(view, "Number", key, first, **bounds)
        case "text":
            _control(view, "TextArea", key, first, maxSubmissions="1")
        case "texts":
            _control(view, "TextArea", key, first)
        case "ranking":
            items = f"{key}-items"
            ElementTree.SubElement(view, "List", {"name": items, "value": f"${_data_name(part)}"})
            _control(view, "Ranker", key, items)


def _is_rating(part: Part) -> bool:
    """Whether a scale is one of stars, which are counted from 1."""
    return part["type"] == "scale" and Scale.points(part)[0] == 1


def _data_name(part: Part) -> str:
    """The field of a task with the options of a part: choices and rankings want them in different forms."""
    if part["type"] == "ranking" or "options_from" not in part:
        return f"{part['key']}-options"
    return str(part["options_from"])


def tasks(stage: AnnotatedStage) -> list[dict[str, Any]]:
    """The items as tasks, with an annotation for each person (``annotator``: their pseudonym, because
    ``completed_by`` has to name somebody whom the server knows), one with ``ground_truth`` for what was
    decided, and the predictions of models."""
    fields = [*stage.show]
    return [_task(item, stage, fields) for item in stage.items]


def _task(item: AnnotatedItem, stage: AnnotatedStage, fields: Sequence[str]) -> dict[str, Any]:
    data: dict[str, Any] = {**dict.fromkeys(fields, ""), **item.content, "id": item.key}
    for part in item.parts:
        if part["type"] in (*SINGLE, *SEVERAL) and "options_from" in part:
            data[_data_name(part)] = [{"value": words} for words in option_words(part, item.content).values()]
        elif part["type"] == "ranking":
            words = option_words(part, item.content)
            data[_data_name(part)] = [{"id": str(value), "title": text} for value, text in words.items()]
    answers = [*item.answers, *([item.decided] if item.decided else ())]
    return {
        "id": item.meta.get("item_id"),
        "data": data,
        "meta": {name: value for name, value in item.meta.items() if value is not None},
        "annotations": [
            {"id": number, **_annotation(answer, item, stage)} for number, answer in enumerate(answers, 1)
        ],
        "predictions": [
            {
                "model_version": each.name,
                **({"score": each.score} if each.score is not None else {}),
                "result": _result(each.values, item, stage),
            }
            for each in item.suggestions
        ],
    }


def _annotation(answer: Answer, item: AnnotatedItem, stage: AnnotatedStage) -> dict[str, Any]:
    annotation: dict[str, Any] = {
        "result": _result(answer.values, item, stage),
        "was_cancelled": False,
        "ground_truth": answer.by is None,  # what is not said counts as true there
    }
    if answer.by is not None:
        annotation["annotator"] = answer.by
    if answer.seconds is not None:
        annotation["lead_time"] = answer.seconds
    if answer.created is not None:
        annotation["created_at"] = datetime.fromtimestamp(answer.created, UTC).isoformat()
    return annotation


def _result(values: Mapping[str, Any], item: AnnotatedItem, stage: AnnotatedStage) -> list[dict[str, Any]]:
    first = next(iter(stage.show), "")
    regions = []
    for field, parts in marked_parts(item.parts).items():
        text = str(item.content.get(field, ""))
        for start, end, label in spans_in(values, parts):
            value = {"start": start, "end": end, "text": text[start:end], "labels": [label]}
            regions.append((f"{field}-{LABELS}", field, "labels", value))
    for part in item.parts:
        key = part["key"]
        if key in values and part["type"] not in ("spans", *LEFT_OUT) and values[key] not in (None, [], ""):
            kind, value = _region_value(values[key], part, item.content)
            regions.append((key, f"{key}-items" if kind == "ranker" else first, kind, value))
    return [
        {"id": f"r{number}", "from_name": name, "to_name": of, "type": kind, "value": value}
        for number, (name, of, kind, value) in enumerate(regions)
    ]


def _region_value(value: Any, part: Part, content: Content) -> tuple[str, dict[str, Any]]:
    """The type and the value of a region."""
    match part["type"]:
        case "choice" | "pairwise" | "several":
            # The result has the alias of a choice, but a task's own choices have none.
            words = option_words(part, content) if "options_from" in part else {}
            chosen = value if part["type"] in SEVERAL else [value]
            return "choices", {"choices": [words.get(each, str(each)) for each in chosen]}
        case "scale" if _is_rating(part):
            return "rating", {"rating": value}
        case "scale" | "number":
            return "number", {"number": value}
        case "text":
            return "textarea", {"text": [value]}
        case "texts":
            return "textarea", {"text": list(value)}
    return "ranker", {"ranker": {part["key"]: list(value)}}


# In


KEYS = (
    *("data", "annotations", "predictions", "completions", "id", "meta", "project", "inner_id", "overlap"),
    *("drafts", "file_upload", "created_at", "updated_at", "updated_by", "is_labeled", "comment_count"),
    *("total_annotations", "total_predictions", "cancelled_annotations", "unresolved_comment_count"),
    *("last_comment_updated_at", "comment_authors", "allow_skip", "state"),
)
"""Fields of a task as it exports them."""


def is_task(row: Mapping[str, Any]) -> bool:
    """Whether a row is a task: its data are in ``data``, and nothing is in it that a task does not have."""
    return isinstance(row.get("data"), Mapping) and set(row) <= set(KEYS)


def read_task(row: Mapping[str, Any], parts: Sequence[Part]) -> PeerRow:
    """A task, with what its annotations and predictions say of the parts of a stage. MismatchError for a
    region that fits none of them, or whose text is another one."""
    content, shifts = without_outer_space(row["data"])
    if content.get("id") is None:
        content["id"] = row.get("id")
    for part in parts:
        options = content.pop(_data_name(part), None)
        if "options_from" in part:
            options = content.get(part["options_from"], options)
            content[part["options_from"]] = (
                [_option(each) for each in options] if isinstance(options, list) else options
            )
    meta = row.get("meta")
    if isinstance(meta, Mapping) and isinstance(meta.get("population"), str):
        content.setdefault("population", meta["population"])
    read = PeerRow(content)
    annotations = row.get("annotations") or row.get("completions") or []
    for number, annotation in enumerate(annotations, 1):
        if annotation.get("was_cancelled"):
            read.notes["annotations that were skipped"] += 1
            continue
        by = None if annotation.get("ground_truth") else _annotator(annotation, number)
        read.answers.append(Answer(by, _values(annotation, parts, read, shifts)))
    versions: Counter[str] = Counter()
    for prediction in row.get("predictions") or []:
        name = str(prediction.get("model_version") or "Label Studio prediction")
        versions[name] += 1
        version = "" if versions[name] == 1 else str(versions[name])
        values = _values(prediction, parts, read, shifts)
        read.suggestions.append(Suggestion(name, version, prediction.get("score"), values))
    for name in ("drafts",):
        if row.get(name):
            read.notes[name] += len(row[name])
    return read


def _option(each: Any) -> Any:
    return each.get("value", each.get("id")) if isinstance(each, Mapping) else each


def _annotator(annotation: Mapping[str, Any], number: int) -> str:
    """A name for who made an annotation; never their address."""
    by = annotation.get("annotator") or annotation.get("completed_by")
    by = by.get("id") if isinstance(by, Mapping) else by
    return f"annotator {by}" if isinstance(by, int | str) and "@" not in str(by) else f"annotation {number}"


def _values(
    annotation: Mapping[str, Any], parts: Sequence[Part], read: PeerRow, shifts: Shifts
) -> dict[str, Any]:
    """Key of a part -> answer, of an annotation or prediction. Regions that no part can have are noted."""
    values: dict[str, Any] = {}
    marks = {of: {part["key"]: part for part in each} for of, each in marked_parts(parts).items()}
    others = {part["key"]: part for part in parts if part["type"] != "spans"}
    for region in annotation.get("result") or []:
        value, kind = region.get("value"), str(region.get("type", ""))
        if not isinstance(value, Mapping) or kind not in READERS:
            read.notes[f"regions of type {kind or '(none)'}"] += 1
            continue
        if kind == "labels":
            _add_spans(values, region, value, marks, read.content, shifts)
            continue
        name = str(region.get("from_name", ""))
        key = named(name, others)
        if key is None:
            raise MismatchError(f"the stage has no part {name!r}; valid: {', '.join(others) or '(none)'}")
        values[key] = READERS[kind](value, others[key], read.content)
    return unmarked(values, parts)


def _add_spans(
    values: dict[str, Any],
    region: Mapping[str, Any],
    value: Mapping[str, Any],
    marks: Mapping[str, Mapping[str, Part]],
    content: Content,
    shifts: Shifts,
) -> None:
    labels, start, end = value.get("labels"), value.get("start"), value.get("end")
    if not isinstance(start, int) or not isinstance(end, int) or not isinstance(labels, list) or not labels:
        raise MismatchError(f"region {region.get('id')} has no labels, or no start and end that are numbers")
    for label in labels:
        field, key = part_for_label(str(label), str(region.get("to_name", "")), marks)
        text = str(content.get(field, ""))
        first, last = _located(text, start, end, value.get("text"), shifts.get(field, 0), region.get("id"))
        values.setdefault(key, []).append([first, last])


def _located(text: str, start: int, end: int, words: Any, shift: int, region: Any) -> tuple[int, int]:
    """Start and end in code points of the stored text."""
    first, last = start - shift, end - shift
    if not isinstance(words, str) or _plain(text[max(first, 0) : max(last, 0)]) == _plain(words):
        return first, last
    older = from_utf16(" " * shift + text, start, end)
    if older is not None and _plain(text[older[0] - shift : older[1] - shift]) == _plain(words):
        return older[0] - shift, older[1] - shift
    raise MismatchError(
        f"region {region} is {words!r:.60}, but the text has {text[max(first, 0) : max(last, 0)]!r:.60} there"
    )


def _plain(text: str) -> str:
    """Without white space: the editor writes line breaks as \\n in a region's text."""
    return re.sub(r"\s|\\n", "", text)


def _choices(value: Mapping[str, Any], part: Part, content: Content) -> Any:
    chosen = value.get("choices", value.get("selected"))
    chosen = chosen if isinstance(chosen, list) else [chosen]
    if part["type"] not in (*SINGLE, *SEVERAL):
        raise MismatchError(f"{part['key']} is no choice, but {part['type']}")
    values = options_meant([str(each) for each in chosen], part, content)
    return values if part["type"] in SEVERAL else values[-1] if values else None


def _text(value: Mapping[str, Any], part: Part, content: Content) -> Any:
    texts = value.get("text")
    lines = [str(each) for each in texts] if isinstance(texts, list) else [str(texts)]
    if part["type"] not in ("text", "texts"):
        raise MismatchError(f"{part['key']} is no text, but {part['type']}")
    return lines if part["type"] == "texts" else "\n".join(lines)


def _number(value: Mapping[str, Any], part: Part, content: Content) -> Any:
    number = value.get("rating", value.get("number"))
    if part["type"] not in ("scale", "number"):
        raise MismatchError(f"{part['key']} is no number, but {part['type']}")
    whole = isinstance(number, float) and number.is_integer() and part["type"] == "scale"
    return int(number) if whole else number


def _ranking(value: Mapping[str, Any], part: Part, content: Content) -> Any:
    buckets = value.get("ranker")
    lists = [*buckets.values()] if isinstance(buckets, Mapping) else [buckets]
    if part["type"] != "ranking" or len(lists) != 1 or not isinstance(lists[0], list):
        raise MismatchError(f"{part['key']} is {part['type']}, which no such ranking fits")
    return options_meant([str(each) for each in lists[0]], part, content)


READERS: Mapping[str, Any] = {
    "labels": None,
    "choices": _choices,
    "pairwise": _choices,
    "rating": _number,
    "number": _number,
    "textarea": _text,
    "ranker": _ranking,
}
"""Type of a region -> how its value is read."""
