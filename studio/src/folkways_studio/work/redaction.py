"""Taking words out of an answer that should not be in it: somebody's name, an address, an illness.

The words go from the answer and from everything that was made of it: the item where its author wrote it, its
revisions, items that descend from it with what was said about them, drafts, decisions, results, comments, and
what models were asked, said and suggested. The audit trail says who redacted what and when, and holds none of
the words. What left the studio before cannot be called back.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import sqlalchemy as sa

from folkways.sdk.workspace import Workspace
from folkways.sdk.workspace import schema as stored
from folkways_studio.database import audit, schema
from folkways_studio.database.rows import change_rows, delete_rows, find_row, get_row
from folkways_studio.errors import ConflictError, NotFoundError, SubmissionError
from folkways_studio.items.service import close_open_slots
from folkways_studio.records import Item, ItemState, Judgement, Stage, from_row
from folkways_studio.stages.base import REDACTED, texts_in
from folkways_studio.stages.registry import stage_kind

LONG = 8
"""Characters from which a text is looked for inside others as well; shorter ones only where they stand
alone."""

EVENT = "answer.redacted"
"""The database lets the words of a judgement be changed after such an event alone (``database.guards``)."""


def redact(
    workspace: Workspace,
    study_id: int,
    judgement_id: int,
    fields: Collection[str] = (),
    *,
    by: int | None = None,
) -> Judgement:
    """Put REDACTED in place of the words of these fields of a judgement, or of all that have words if none
    is named; returns what is left.

    workspace, study_id, judgement_id: the judgement. by: the account that asks for it. The same words
    of somebody else about the same item stay until theirs are redacted too. An item that its author
    wrote is dropped with all that descends from it. NotFoundError if the study has no such judgement;
    SubmissionError for a field that holds no words; ConflictError if it was redacted before.
    """
    with workspace.claim() as connection:
        row = find_row(connection, schema.judgements, id=judgement_id)
        if row is None or not (
            about := find_row(connection, schema.items, id=row.item_id, study_id=study_id, lock="row")
        ):
            raise NotFoundError("there is no such answer")
        item = from_row(Item, about)
        # read again: until the item was locked, somebody else may have redacted other fields
        judgement = from_row(Judgement, get_row(connection, schema.judgements, id=judgement_id))
        kind = stage_kind(from_row(Stage, get_row(connection, schema.stages, id=judgement.stage_id)).kind)
        wrong = [name for name in fields if name not in kind.own_words]
        if wrong:
            valid = ", ".join(kind.own_words) or "(none)"
            raise SubmissionError({"fields": f"{wrong[0]} holds no words of a person; valid: {valid}"})
        chosen = [name for name in kind.own_words if name in (fields or kind.own_words)]
        payload = kind.redacted(judgement.payload, chosen, item.content)
        words = set(texts_in(judgement.payload)) - set(texts_in(payload))
        for row in _corrections(connection, schema.corrections.c.judgement_id == judgement_id):
            redacted = kind.redacted(row.payload, chosen, item.content)
            words |= set(texts_in(row.payload)) - set(texts_in(redacted))
            _replace(connection, row, redacted)
        if not words:
            raise ConflictError("there is nothing left to redact in this answer")
        _change(
            connection, study_id, judgement_id, payload, by=by, details={"fields": chosen, "item": item.id}
        )
        others = sa.select(schema.judgements.c.payload).where(
            schema.judgements.c.item_id == item.id, schema.judgements.c.id != judgement_id
        )
        for other in connection.scalars(others):
            words -= set(texts_in(other))
        for each in _corrections(
            connection, schema.judgements.c.item_id == item.id, schema.judgements.c.id != judgement_id
        ):
            words -= set(texts_in(each.payload))
        family = _family(connection, item.id)
        if words:
            _scrub(connection, study_id, item.id, family, words, by)
        if kind.authored:
            for number in family:
                values = {
                    "state": str(ItemState.DROPPED),
                    "result": None,
                    "reason": "its words were redacted",
                }
                change_rows(connection, schema.items, {"id": number}, **values)
                close_open_slots(connection, number)
        return from_row(Judgement, get_row(connection, schema.judgements, id=judgement_id))


def _change(
    connection: sa.Connection,
    study_id: int,
    judgement_id: int,
    payload: Mapping[str, Any],
    *,
    by: int | None,
    details: dict[str, Any],
) -> None:
    audit.record_event(
        connection,
        EVENT,
        study_id=study_id,
        account_id=by,
        subject=f"judgement:{judgement_id}",
        details=details,
    )
    change_rows(connection, schema.judgements, {"id": judgement_id}, payload=dict(payload))


def _corrections(connection: sa.Connection, *where: sa.ColumnElement[bool]) -> Sequence[sa.Row[Any]]:
    """Corrections, with the kind of their stage."""
    table, judgements, stages = schema.corrections, schema.judgements, schema.stages
    query = (
        sa.select(table, stages.c.kind)
        .join(judgements, judgements.c.id == table.c.judgement_id)
        .join(stages, stages.c.id == judgements.c.stage_id)
    )
    return connection.execute(query.where(*where).order_by(table.c.id)).all()


def _replace(connection: sa.Connection, row: sa.Row[Any], payload: Mapping[str, Any]) -> None:
    """Put other words into a correction: the database lets nothing of it be changed, so that it is made
    again."""
    delete_rows(connection, schema.corrections, id=row.id)
    values = {
        "id": row.id,
        "judgement_id": row.judgement_id,
        "key": row.key,
        "payload": dict(payload),
        "created": row.created,
    }
    connection.execute(sa.insert(schema.corrections).values(values))


def _family(connection: sa.Connection, item_id: int) -> list[int]:
    """The item and everything that descends from it."""
    family, newest = [item_id], [item_id]
    while newest:
        newest = list(
            connection.scalars(sa.select(schema.items.c.id).where(schema.items.c.parent_id.in_(newest)))
        )
        family += newest
    return family


def _scrub(
    connection: sa.Connection, study_id: int, item_id: int, family: list[int], words: set[str], by: int | None
) -> None:
    """Take the words out of every row that may hold a copy of them."""
    tables = schema
    for table, columns, owner in (
        (tables.items, ("content", "check", "result", "reason"), tables.items.c.id),
        (tables.revisions, ("content",), tables.revisions.c.item_id),
        (tables.drafts, ("payload",), tables.drafts.c.item_id),
        (tables.adjudications, ("decision", "reason"), tables.adjudications.c.item_id),
        (tables.comments, ("text", "history"), tables.comments.c.item_id),
        (tables.suggestions, ("content", "before"), tables.suggestions.c.item_id),
        (tables.preannotations, ("content",), tables.preannotations.c.item_id),
        (tables.model_calls, ("prompt", "reply", "problem", "read"), tables.model_calls.c.item_id),
    ):
        _scrub_rows(connection, table, columns, owner.in_(family), words)
    descends = [number for number in family if number != item_id]
    judgements = (
        sa.select(schema.judgements, schema.stages.c.kind)
        .join(schema.stages, schema.stages.c.id == schema.judgements.c.stage_id)
        .where(schema.judgements.c.item_id.in_(descends))
    )
    for row in connection.execute(judgements).all():
        texts = stage_kind(row.kind).own_words  # a label that reads like one of the words is none of them
        payload = {
            name: _without(value, words) if name in texts else value for name, value in row.payload.items()
        }
        if payload != row.payload:
            _change(connection, study_id, row.id, payload, by=by, details={"copied_from": item_id})
    for row in _corrections(connection, schema.judgements.c.item_id.in_(descends)):
        texts = stage_kind(row.kind).own_words
        payload = {
            name: _without(value, words) if name in texts else value for name, value in row.payload.items()
        }
        if payload != row.payload:
            _replace(connection, row, payload)
    runs = sa.select(schema.model_calls.c.run).where(schema.model_calls.c.item_id.in_(family))
    select_requests = sa.select(stored.expected.c.key, stored.expected.c.prompt_hash).where(
        stored.expected.c.run_id.in_(sa.select(stored.runs.c.id).where(stored.runs.c.name.in_(runs)))
    )
    requests = connection.execute(select_requests).all()
    prompts, keys = {row.prompt_hash for row in requests}, {row.key for row in requests}
    _scrub_rows(connection, stored.prompts, ("user",), stored.prompts.c.prompt_hash.in_(prompts), words)
    _scrub_rows(connection, stored.responses, ("text", "refusal"), stored.responses.c.key.in_(keys), words)


def _scrub_rows(
    connection: sa.Connection,
    table: sa.Table,
    columns: tuple[str, ...],
    where: sa.ColumnElement[bool],
    words: set[str],
) -> None:
    for row in connection.execute(sa.select(table).where(where)).all():
        before = {name: row._mapping[name] for name in columns}
        after = {name: _without(value, words) for name, value in before.items()}
        if after != before:
            change_rows(
                connection, table, {key.name: row._mapping[key.name] for key in table.primary_key}, **after
            )


def _without(value: Any, words: set[str]) -> Any:
    """A JSON value without the words."""
    if isinstance(value, str):
        if value in words:
            return REDACTED
        for text in sorted((text for text in words if len(text) >= LONG), key=len, reverse=True):
            value = value.replace(text, REDACTED)
        return value
    if isinstance(value, Mapping):
        cleaned = {name: _without(each, words) for name, each in value.items()}
        # counts by what people said in place of an answer: the one mapping whose keys are their words
        if "idks" in cleaned:
            cleaned["idks"] = {_without(reason, words): count for reason, count in cleaned["idks"].items()}
        return cleaned
    return [_without(each, words) for each in value] if isinstance(value, list | tuple) else value
