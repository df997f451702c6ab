"""Correcting what one has sent: a new row beside the judgement, which stays as it was. Rules, results and
exports take the last correction; agreement takes the first answer, which nobody could have changed after
thinking about the others.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import sqlalchemy as sa

from folkways.sdk.workspace import Workspace
from folkways_studio.database import audit, schema
from folkways_studio.database.rows import find_row, inserted_id
from folkways_studio.errors import ConflictError, Message
from folkways_studio.items.service import MOST_NAMED
from folkways_studio.records import AT_WORK, Item, ItemState, Judgement, Stage, StudyState, from_row
from folkways_studio.stages.registry import stage_kind
from folkways_studio.work.leases import not_theirs
from folkways_studio.work.resolution import apply_rule

SETTLED = Message("This is settled: your answer stays as it is.")
STAYS = Message("This answer cannot be changed.")
MOST_SHOWN = 100

MOST_CORRECTIONS = 50
"""Of one answer: a page that sends by itself cannot fill the database."""


@dataclass(frozen=True, slots=True)
class SentAnswer:
    """An answer of somebody, as they see it: with the payload of its last correction."""

    judgement: Judgement
    item: Item
    stage: Stage


def sent_by(workspace: Workspace, participant_id: int) -> list[SentAnswer]:
    """The last MOST_SHOWN answers of a person, the newest first."""
    with workspace.read() as connection:
        return [_sent(row) for row in connection.execute(_LAST_SENT, {"person": participant_id})]


def sent_for(workspace: Workspace, participant_id: int, assignment_id: int) -> tuple[SentAnswer, str]:
    """What a person has sent for a slot, and why it cannot be corrected: empty where it can. NotFoundError
    where they have sent nothing for it.
    """
    with workspace.read() as connection:
        sent, row = _one(connection, participant_id, assignment_id)
    return sent, _fixed(sent, row)


def correct(
    workspace: Workspace, participant_id: int, assignment_id: int, submission: Mapping[str, Any], key: str
) -> Judgement:
    """Replace the answer that a person has sent for a slot; the item is decided again if that makes a
    difference.

    workspace, participant_id, assignment_id: the person's slot. submission, key: as in
    ``judgements.submit``. Sending the same again stores nothing. SubmissionError for wrong fields;
    NotFoundError if nothing was sent; ConflictError if the answer cannot be corrected any more.
    """
    with workspace.claim() as connection:
        if (
            connection.execute(_LOCK_ITEM, {"person": participant_id, "assignment": assignment_id}).first()
            is None
        ):
            raise not_theirs()
        sent, about = _one(connection, participant_id, assignment_id)
        if find_row(connection, schema.corrections, judgement_id=sent.judgement.id, key=key) is not None:
            return sent.judgement
        if fixed := _fixed(sent, about):
            raise ConflictError(fixed)
        payload = dict(stage_kind(sent.stage.kind).validate(submission, sent.item.content, sent.stage.config))
        if payload == sent.judgement.payload:
            return sent.judgement
        if about.corrections >= MOST_CORRECTIONS:
            raise ConflictError(STAYS)
        row = {"judgement_id": sent.judgement.id, "key": key, "payload": payload, "created": time.time()}
        inserted_id(connection, schema.corrections, row)
        audit.record_event(
            connection,
            "judgement.corrected",
            study_id=sent.item.study_id,
            participant_id=participant_id,
            subject=f"item:{sent.item.id}",
            details={"judgement": sent.judgement.id, "stage": sent.stage.name},
        )
        if sent.item.check is None:
            apply_rule(connection, sent.item, sent.stage, reopen=True)
        return replace(sent.judgement, payload=payload)


def last_payloads(workspace: Workspace, numbers: Collection[int]) -> dict[int, Mapping[str, Any]]:
    """Judgement -> the payload of its last correction; those without one are absent."""
    with workspace.read() as connection:
        return _last_payloads(connection, numbers)


def corrected(connection: sa.Connection, judgements: Iterable[Judgement]) -> list[Judgement]:
    """The same judgements, each with the payload of its last correction."""
    listed = list(judgements)
    last = _last_payloads(connection, [each.id for each in listed])
    return [replace(each, payload=last.get(each.id, each.payload)) for each in listed]


def _last_payloads(connection: sa.Connection, numbers: Collection[int]) -> dict[int, Mapping[str, Any]]:
    table = schema.corrections
    query = sa.select(table.c.judgement_id, table.c.payload).order_by(table.c.id)
    if len(numbers) <= MOST_NAMED:
        query = query.where(table.c.judgement_id.in_(numbers))
    wanted = set(numbers)
    return {row.judgement_id: row.payload for row in connection.execute(query) if row.judgement_id in wanted}


_judgements, _items, _stages = schema.judgements, schema.items, schema.stages
_SENT = (
    sa.select(
        _judgements,
        _items,
        _stages,
        sa.select(schema.corrections.c.payload)
        .where(schema.corrections.c.judgement_id == _judgements.c.id)
        .order_by(schema.corrections.c.id.desc())
        .limit(1)
        .scalar_subquery()
        .label("last_payload"),
    )
    .join(_items, _items.c.id == _judgements.c.item_id)
    .join(_stages, _stages.c.id == _judgements.c.stage_id)
    .where(_judgements.c.participant_id == sa.bindparam("person"))
    .order_by(_judgements.c.id.desc())
)
_LAST_SENT = _SENT.limit(MOST_SHOWN)
_slots = schema.assignments
_LOCK_ITEM = (  # as everything does that may change an item
    sa.select(_items.c.id)
    .where(
        _items.c.id
        == sa.select(_slots.c.item_id)
        .where(_slots.c.id == sa.bindparam("assignment"), _slots.c.participant_id == sa.bindparam("person"))
        .scalar_subquery()
    )
    .with_for_update(of=_items)
)
_others, _children = schema.judgements.alias("others"), schema.items.alias("children")
_ONE = (
    _SENT.add_columns(
        schema.participants.c.state.label("person_state"),
        schema.studies.c.state.label("study_state"),
        sa.select(sa.func.count())
        .where(schema.corrections.c.judgement_id == _judgements.c.id)
        .scalar_subquery()
        .label("corrections"),
        sa.exists()
        .where(
            schema.skips.c.item_id == _items.c.id,
            schema.skips.c.participant_id == _judgements.c.participant_id,
        )
        .label("looked"),
        sa.exists()
        .where(_others.c.item_id == _items.c.id, _others.c.participant_id != _judgements.c.participant_id)
        .label("others_answered"),
        sa.exists().where(_children.c.parent_id == _items.c.id, _children.c.check.is_(None)).label("went_on"),
        sa.exists().where(schema.adjudications.c.item_id == _items.c.id).label("adjudicated"),
    )
    .join(schema.participants, schema.participants.c.id == _judgements.c.participant_id)
    .join(schema.studies, schema.studies.c.id == schema.participants.c.study_id)
    .where(_judgements.c.assignment_id == sa.bindparam("assignment"))
)
"""Made once: making one costs more than running it."""


def _one(
    connection: sa.Connection, participant_id: int, assignment_id: int
) -> tuple[SentAnswer, sa.Row[Any]]:
    """What was sent for a slot, and the row with what decides whether it can be corrected."""
    row = connection.execute(_ONE, {"person": participant_id, "assignment": assignment_id}).first()
    if row is None:
        raise not_theirs()
    return _sent(row), row


def _sent(row: sa.Row[Any]) -> SentAnswer:
    judgement = from_row(Judgement, row, _judgements)
    if row.last_payload is not None:
        judgement = replace(judgement, payload=row.last_payload)
    return SentAnswer(judgement, from_row(Item, row, _items), from_row(Stage, row, _stages))


def _fixed(sent: SentAnswer, row: sa.Row[Any]) -> str:
    """Why an answer to an item cannot be corrected; empty where it can.

    What was written was handed on as it is, and a test has told its answers. Otherwise an answer can be
    corrected until its item is settled, and afterwards as long as nobody else has answered and nothing was
    made of it: then nothing was shown either.
    """
    item = sent.item
    if (
        row.study_state in (StudyState.CLOSED, StudyState.DELETED)
        or item.test
        or stage_kind(sent.stage.kind).authored
    ):
        return STAYS
    if row.person_state not in AT_WORK or row.looked:
        return STAYS
    if item.state == ItemState.OPEN:
        return ""
    # without a result: it was taken out by hand
    final = item.result is None or row.went_on or row.adjudicated
    return SETTLED if row.others_answered or final else ""
