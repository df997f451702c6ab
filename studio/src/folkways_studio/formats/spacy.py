"""spaCy's training data as JSON: a text and its entities, [start, end, label] in code points. CoNLL is read
into the same shape."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from folkways_studio.formats.questions import (
    Answer,
    MismatchError,
    PeerRow,
    marked_parts,
    part_for_label,
    unmarked,
    without_outer_space,
)
from folkways_studio.stages.parts.base import Part


def row_of_pair(entry: Any) -> Any:
    """The pair of a text and its annotations, as spaCy's examples have it, as a row; anything else as it
    is."""
    if (
        isinstance(entry, list)
        and len(entry) == 2
        and isinstance(entry[0], str)
        and isinstance(entry[1], Mapping)
    ):
        return {"text": entry[0], **entry[1]}
    return entry


def is_example(row: Mapping[str, Any]) -> bool:
    """Whether a row is a text with entities."""
    entities = row.get("entities")
    return isinstance(row.get("text"), str) and isinstance(entities, list) and all(map(_span, entities))


def _span(each: Any) -> tuple[int, int, str] | None:
    if isinstance(each, Mapping):
        each = [each.get("start"), each.get("end"), each.get("label")]
    if not isinstance(each, list) or len(each) < 3 or not isinstance(each[2], str):
        return None
    start, end = each[:2]
    return (start, end, each[2]) if isinstance(start, int) and isinstance(end, int) else None


def read_example(row: Mapping[str, Any], parts: Sequence[Part]) -> PeerRow:
    """A text with entities, as an item whose field is marked. MismatchError for a label that no part has."""
    marks = {of: {part["key"]: part for part in each} for of, each in marked_parts(parts).items()}
    fields = {
        name: value
        for name, value in row.items()
        if name not in ("entities", "cats", "links", "meta", "joined")
    }
    if len(marks) == 1 and (of := next(iter(marks))) not in fields:
        fields[of] = fields.pop("text")
    content, shifts = without_outer_space(fields)
    meta = row.get("meta")
    if isinstance(meta, Mapping) and isinstance(meta.get("item"), str):
        content.setdefault("id", meta["item"])
    values: dict[str, Any] = {}
    for start, end, label in filter(None, map(_span, row["entities"])):
        of, key = part_for_label(label, "text", marks)
        values.setdefault(key, []).append([start - shifts.get(of, 0), end - shifts.get(of, 0)])
    if not marks:
        raise MismatchError("the stage asks for no marks, and a text with entities has nothing else")
    read = PeerRow(content, [Answer(None, unmarked(values, parts))])
    if row.get("joined"):
        read.notes["texts, which the file does not have: they are its tokens with a space between them"] += 1
    for name in ("cats", "links"):
        if row.get(name):
            read.notes[name] += 1
    return read
