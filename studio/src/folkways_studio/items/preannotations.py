"""Pre-annotations: what models suggest for items before anybody works on them, with the model's name, version
and score. They come with a table of items, later from a file, by the API, or from a model that is asked.

Several models may suggest an answer to an item; the stage's settings say whose is shown (``work.exposures``).
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import orjson
import sqlalchemy as sa

from folkways.sdk.workspace import Json, Workspace, insert
from folkways_studio.activity import PreAnnotation
from folkways_studio.database import audit, schema
from folkways_studio.database.rows import change_rows, changing, read_all
from folkways_studio.errors import SubmissionError
from folkways_studio.items.table_files import RowsError, structured
from folkways_studio.records import Item, Stage, from_row
from folkways_studio.stages.kind import StageKind
from folkways_studio.stages.registry import stage_kind
from folkways_studio.studies.service import get_stage

LARGEST_BYTES = 200_000
"""Of one suggested answer; as large as a draft may be."""

LONGEST_MODEL, LONGEST_VERSION = 256, 128
MOST_MODELS = 20
"""Suggestions that come with one item at most."""

AT_ONCE = 500
"""Items looked up by one statement."""

COLUMNS = ("suggestions", "suggestion", "suggestion_model", "suggestion_version", "suggestion_score")
"""Columns of any table of items: ``suggestions`` has a list of objects (FIELDS) as JSON, the others have one
suggestion: its answer (JSON, or the value of the plainest field), model, version and score."""

FIELDS = ("model", "version", "score", "answer")

Source = Literal["file", "api", "backend", "model"]


@dataclass(frozen=True, slots=True)
class NewPreAnnotation:
    """A suggestion to be added to an item. model: its name. answer: fields of the stage's form, or the value
    of its plainest field alone. version: of the model, empty for none. score: 0 to 1, None for none."""

    model: str
    answer: Any
    version: str = ""
    score: float | None = None
    source: Source = "file"


def checked_suggestion(
    new: NewPreAnnotation, kind: StageKind, content: Mapping[str, Any], config: Mapping[str, Any]
) -> NewPreAnnotation:
    """A suggestion as it is stored, for an item with this content of a stage of this kind.

    new: the suggestion. config: the stage's settings. SubmissionError names what is wrong: model, version,
    score, answer, or ``answer.`` and a field."""
    problems = {
        name: f"has to be a text of {least} to {most} characters, not {value!r:.60}"
        for name, value, least, most in (
            ("model", new.model, 1, LONGEST_MODEL),
            ("version", new.version, 0, LONGEST_VERSION),
        )
        if not (isinstance(value, str) and least <= len(value.strip()) and len(value) <= most)
    }
    if new.score is not None and not (
        isinstance(new.score, int | float)
        and not isinstance(new.score, bool)
        and math.isfinite(new.score)
        and 0 <= new.score <= 1
    ):
        problems["score"] = f"has to be a number from 0 to 1, or nothing; not {new.score!r:.60}"
    if kind.authored:
        problems["answer"] = "people write the items of this stage themselves; nothing can be suggested"
    if problems:
        raise SubmissionError(problems)
    try:
        answer = kind.check_suggestion(kind.read_suggestion(new.answer, content, config), content, config)
    except SubmissionError as error:
        raise SubmissionError(
            {f"answer.{field}" if field else "answer": each for field, each in error.problems.items()}
        ) from None
    if len(orjson.dumps(answer)) > LARGEST_BYTES:
        raise SubmissionError({"answer": f"has more than {LARGEST_BYTES // 1000} kB"})
    score = None if new.score is None else float(new.score)
    return replace(
        new, model=new.model.strip(), version=new.version.strip(), score=score, answer=dict(answer)
    )


def checked_suggestions(
    new: Sequence[NewPreAnnotation], kind: StageKind, content: Mapping[str, Any], config: Mapping[str, Any]
) -> tuple[NewPreAnnotation, ...]:
    """``checked_suggestion`` for all of one item (new, kind, content, config: as there); the names in the
    SubmissionError begin with ``suggestion``, and its number from 1 where there are several."""
    if len(new) > MOST_MODELS:
        raise SubmissionError({"suggestions": f"are more than {MOST_MODELS} of one item"})
    checked: list[NewPreAnnotation] = []
    for number, each in enumerate(new, 1):
        name = "suggestion" if len(new) == 1 else f"suggestion {number}"
        try:
            one = checked_suggestion(each, kind, content, config)
        except SubmissionError as error:
            raise SubmissionError(
                {f"{name}, {field}": problem for field, problem in error.problems.items()}
            ) from None
        if any((one.model, one.version) == (other.model, other.version) for other in checked):
            raise SubmissionError(
                {f"{name}, version": f"{_named(one)} has suggested something for this item already"}
            )
        checked.append(one)
    return tuple(checked)


def _named(one: NewPreAnnotation) -> str:
    return f"version {one.version} of {one.model}" if one.version else one.model


def place_suggestions(
    connection: sa.Connection, new: Sequence[tuple[int, Sequence[NewPreAnnotation]]]
) -> None:
    """Insert checked suggestions of items that have none of these models yet: (id of the item, its
    suggestions). connection: the caller's transaction."""
    written, now = Json().process_bind_param, time.time()  # this insert bypasses the column types
    rows = [
        {
            "item_id": number,
            "model": each.model,
            "version": each.version,
            "score": each.score,
            "content": written(each.answer, connection.dialect),
            "source": each.source,
            "created": now,
        }
        for number, suggestions in new
        for each in suggestions
    ]
    insert(connection, schema.preannotations, rows, replace=False)


def suggestions_in(row: Mapping[str, str]) -> tuple[NewPreAnnotation, ...]:
    """The suggestions in a row of a table, as its COLUMNS have them, unchecked. SubmissionError where they
    cannot be read."""
    several, single = row.get("suggestions", "").strip(), row.get("suggestion", "").strip()
    filled = [name for name in COLUMNS[1:] if row.get(name, "").strip()]
    if several and filled:
        raise SubmissionError({"suggestions": f"either a list in this column, or {filled[0]}; not both"})
    if several:
        entries = structured(several)
        if isinstance(entries, Mapping):
            entries = [entries]
        if not isinstance(entries, list) or not all(isinstance(each, Mapping) for each in entries):
            raise SubmissionError(
                {"suggestions": f"has to be a JSON list of objects with {', '.join(FIELDS)}"}
            )
        return tuple(_of_entry(each, number, "file") for number, each in enumerate(entries, 1))
    if not filled:
        return ()
    if not single:
        raise SubmissionError({"suggestion": f"is empty, but {filled[0]} is not: give the answer suggested"})
    score = row.get("suggestion_score", "").strip()
    try:
        number = float(score) if score else None
    except ValueError:
        raise SubmissionError(
            {"suggestion_score": f"has to be a number from 0 to 1, or nothing; not {score!r:.60}"}
        ) from None
    model, version = (row.get(f"suggestion_{name}", "") for name in ("model", "version"))
    return (NewPreAnnotation(model, structured(single), version, number, "file"),)


def _of_entry(entry: Mapping[str, Any], number: int, source: Source) -> NewPreAnnotation:
    unknown = [name for name in entry if name not in FIELDS]
    if unknown or "answer" not in entry:
        problem = f"has no field {unknown[0]!r}" if unknown else "has no answer"
        raise SubmissionError({f"suggestions, entry {number}": f"{problem}; fields: {', '.join(FIELDS)}"})
    version = entry.get("version")
    return NewPreAnnotation(
        entry.get("model", ""),
        entry["answer"],
        "" if version is None else version,
        entry.get("score"),
        source,
    )


@dataclass(frozen=True, slots=True)
class AddedSuggestions:
    """What adding suggestions came to: new ones, those in place of one that nobody had been shown, and those
    that were there as they are."""

    added: int
    replaced: int
    unchanged: int


def add_suggestions(
    workspace: Workspace,
    study_id: int,
    stage: str,
    new: Sequence[tuple[int | str, NewPreAnnotation]],
    *,
    by: int | None = None,
) -> AddedSuggestions:
    """Add suggestions to items of a stage of a study (workspace, study_id), all or none.

    new: pairs of an item, by its id or key, and what is suggested.

    A model's version suggests one answer to an item: adding another replaces it as long as nobody was shown
    the task with it. by: the account that acts, for the audit trail. RowsError names each wrong one by its
    number, from 1.
    """
    stage_record = get_stage(workspace, study_id, stage)
    kind = stage_kind(stage_record.kind)
    items = _items_of(workspace, stage_record, [item for item, _ in new])
    problems: dict[int, str] = {}
    checked: dict[tuple[int, str, str], tuple[int, NewPreAnnotation]] = {}
    for number, (name, one) in enumerate(new, 1):
        item = items.get(name)
        if item is None:
            problems[number] = f"there is no item {name!r} in {stage}"
            continue
        try:
            suggestion = checked_suggestion(one, kind, item.content, stage_record.config)
        except SubmissionError as error:
            problems[number] = str(error)
            continue
        key = (item.id, suggestion.model, suggestion.version)
        if key in checked:
            problems[number] = f"repeats row {checked[key][0]}: one answer of a model's version to an item"
        checked[key] = number, suggestion
    if problems:
        raise RowsError(problems)
    with changing(workspace, study_id) as connection:
        # The stage's row is locked: two who add suggestions of one model take turns.
        connection.execute(
            sa.select(schema.stages.c.id).filter_by(id=stage_record.id).with_for_update(key_share=True)
        )
        outcome = _store(connection, checked, problems)
        if problems:
            raise RowsError(problems)
        details = {"stage": stage, "n": outcome.added + outcome.replaced}
        audit.record_event(connection, "suggestions.added", study_id, by, details=details)
    return outcome


def _store(
    connection: sa.Connection,
    checked: Mapping[tuple[int, str, str], tuple[int, NewPreAnnotation]],
    problems: dict[int, str],
) -> AddedSuggestions:
    """Insert or replace checked suggestions, by item, model and version. problems: gets a sentence for each
    that somebody was shown otherwise."""
    existing = _existing(connection, [item for item, _, _ in checked])
    missing: list[tuple[int, Sequence[NewPreAnnotation]]] = []
    replaced = unchanged = 0
    for key, (number, one) in checked.items():
        before = existing.get(key)
        if before is None:
            missing.append((key[0], [one]))
        elif (before.content, before.score) == (one.answer, one.score):
            unchanged += 1
        elif before.was_shown:
            problems[number] = (
                f"people have worked with what {_named(one)} suggested before; give the model another version"
            )
        else:
            replaced += 1
            values = {"score": one.score, "content": one.answer, "source": one.source, "created": time.time()}
            change_rows(connection, schema.preannotations, {"id": before.id}, **values)
    if not problems:
        place_suggestions(connection, missing)
    return AddedSuggestions(len(missing), replaced, unchanged)


def _existing(connection: sa.Connection, item_ids: Sequence[int]) -> dict[tuple[int, str, str], sa.Row[Any]]:
    """Suggestions of these items, locked, with whether anybody worked with them."""
    table, exposures = schema.preannotations, schema.exposures
    numbers = list(dict.fromkeys(item_ids))
    rows: dict[tuple[int, str, str], sa.Row[Any]] = {}
    for start in range(0, len(numbers), AT_ONCE):
        part = table.c.item_id.in_(numbers[start : start + AT_ONCE])
        # Locked first: an exposure that is being written now is either seen or waits.
        connection.execute(sa.select(table.c.id).where(part).with_for_update()).all()
        was_shown = sa.exists().where(exposures.c.preannotation_id == table.c.id).label("was_shown")
        for row in connection.execute(sa.select(table, was_shown).where(part)):
            rows[row.item_id, row.model, row.version] = row
    return rows


def _items_of(workspace: Workspace, stage: Stage, names: Sequence[int | str]) -> dict[int | str, Item]:
    """Items of a stage by the ids and keys that are named; of a repeated key the last round."""
    items = schema.items
    named: dict[int | str, Item] = {}
    for column in (items.c.id, items.c.key):
        kind = int if column is items.c.id else str
        values = list(dict.fromkeys(each for each in names if isinstance(each, kind)))
        for start in range(0, len(values), AT_ONCE):
            query = sa.select(items).where(
                items.c.stage_id == stage.id, column.in_(values[start : start + AT_ONCE])
            )
            with workspace.read() as connection:
                for row in connection.execute(query.order_by(items.c.round)):
                    named[row.id if kind is int else row.key] = from_row(Item, row)
    return named


def list_suggestions(
    workspace: Workspace,
    study_id: int,
    stage: str | None = None,
    *,
    model: str | None = None,
    after: int = 0,
    limit: int | None = None,
) -> tuple[PreAnnotation, ...]:
    """Suggestions for items of a study (workspace, study_id) by id, after the id ``after``, at most
    ``limit``; only of one stage or model if given."""
    table, items = schema.preannotations, schema.items
    query = (
        sa.select(table)
        .join(items, items.c.id == table.c.item_id)
        .where(items.c.study_id == study_id, table.c.id > after)
    )
    if stage is not None:
        query = query.where(items.c.stage_id == get_stage(workspace, study_id, stage).id)
    if model is not None:
        query = query.where(table.c.model == model)
    return read_all(workspace, PreAnnotation, query.order_by(table.c.id).limit(limit))
