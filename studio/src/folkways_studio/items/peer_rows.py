"""Rows of other projects' files (Label Studio, Argilla, spaCy, CoNLL) as rows of a table of items."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import orjson

from folkways.sdk.errors import DataError
from folkways_studio.formats import argilla, label_studio, spacy
from folkways_studio.formats.questions import MismatchError, PeerRow
from folkways_studio.items.table_files import Row, RowsError, json_cell, numbered, structured
from folkways_studio.records import Stage
from folkways_studio.stages.kind import StageKind
from folkways_studio.stages.parts.base import text_fields
from folkways_studio.stages.registry import stage_kind

Annotations = Literal["suggestions", "check", "qualification", "leave"]
"""What becomes of the answers of people elsewhere: suggestions for those who work here; the known answer of a
question among the work, or of the test; or nothing."""

ANNOTATIONS: tuple[Annotations, ...] = get_args(Annotations)

Rows = Sequence[Row]


@dataclass(frozen=True, slots=True)
class TableRows:
    """Rows of a table of items, and sentences on what of the file is not in them."""

    rows: Rows
    notes: tuple[str, ...] = ()


def table_rows(
    rows: Rows, stage: Stage, annotations: Annotations | None = None, file: str | None = None
) -> TableRows:
    """Rows for a stage: those of other projects turned into cells, any others as they are.

    annotations: what becomes of the answers of people, if there are some (None: DataError says that it has to
    be chosen). file: name for errors. RowsError for rows that do not fit what the stage asks.
    """
    first = next(numbered(rows), None)
    if first is None:
        return TableRows(rows)
    kind = stage_kind(stage.kind)
    read = _reader(_parsed(first[1]), kind, stage)
    if read is None:
        return TableRows(rows)
    cells: list[dict[str, str]] = [{}] * len(rows)
    problems: dict[int, str] = {}
    notes: Counter[str] = Counter()
    for number, row in numbered(rows):
        try:
            cells[number - 1] = _cells(read(_parsed(row)), kind, annotations, notes)
        except _UndecidedError:
            raise DataError(
                "has answers of people elsewhere, who have not agreed to this study; say what becomes of "
                "them, as annotations: suggestions (to those who work here), check (known answers among the "
                "work), qualification (of the test before it), or leave (out)",
                file=file,
            ) from None
        except MismatchError as error:
            problems[number] = str(error)
        except (KeyError, TypeError, ValueError, AttributeError):
            problems[number] = "is not written as the rows before it, or as that project exports it"
    if problems:
        raise RowsError(problems, file)
    return TableRows(
        cells, tuple(f"left out: {count:,} × {what}" for what, count in sorted(notes.items()) if count)
    )


def _parsed(row: Mapping[str, str]) -> dict[str, Any]:
    """A row with JSON in place of its text; None for empty cells."""
    return {name: structured(cell) if cell else None for name, cell in row.items()}


class _UndecidedError(Exception):
    """There are answers of people, and nobody has said what becomes of them."""


def _reader(
    first: Mapping[str, Any], kind: StageKind, stage: Stage
) -> Callable[[Mapping[str, Any]], PeerRow] | None:
    """What reads rows like the first one; None for a table of items."""
    parts = kind.asked({}, stage.config) if not kind.authored else ()
    if label_studio.is_task(first):
        return lambda row: label_studio.read_task(row, parts)
    if argilla.is_record(first):
        shown = [each["field"] for each in stage.config.get("show", ())]
        of_parts = [name for part in parts for name in (*text_fields(part), part.get("options_from", ""))]
        names = [name for name in dict.fromkeys((*kind.content, *shown, *of_parts)) if name]
        return lambda row: argilla.read_record(row, parts, names)
    if spacy.is_example(first):
        return lambda row: spacy.read_example(row, parts)
    return None


def _cells(
    peer: PeerRow, kind: StageKind, annotations: Annotations | None, notes: Counter[str]
) -> dict[str, str]:
    """The cells of a table of items. notes: gets what is left out."""
    notes.update(peer.notes)
    cells = {name: json_cell(value) for name, value in peer.content.items() if value is not None}
    answers = [answer for answer in peer.answers if answer.values]
    suggested = [
        {"model": each.model, "version": each.version, "score": each.score, "answer": each.values}
        for each in peer.suggestions
        if each.values
    ]
    notes["predictions that say nothing"] += len(peer.suggestions) - len(suggested)
    if answers and annotations is None:
        raise _UndecidedError
    if annotations == "leave":
        notes["answers of people"] += len(answers)
    elif annotations == "suggestions":
        for number, answer in enumerate(answers, 1):
            name = answer.by or "annotations of the file"
            if any(each["model"] == name for each in suggested):
                name = f"{name} ({number})"
            suggested.append({"model": name, "version": "", "score": None, "answer": answer.values})
    elif annotations and answers:
        decided = [answer.values for answer in answers if answer.by is None] or [
            each.values for each in answers
        ]
        if any(each != decided[0] for each in decided):
            raise MismatchError(
                "people's answers differ, so that none of them is the known one; decide first"
            )
        cells[annotations] = _known_answer(decided[0], kind)
    if suggested:
        cells["suggestions"] = orjson.dumps(suggested).decode()
    return cells


def _known_answer(values: Mapping[str, Any], kind: StageKind) -> str:
    """A cell with a known answer: what can be known beforehand of these."""
    possible = {name: value for name, value in values.items() if name in kind.known_fields}
    return orjson.dumps(possible or values).decode()
