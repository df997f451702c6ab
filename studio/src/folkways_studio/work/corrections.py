"""Correcting what one has sent: a new row beside the judgement, which stays as it was. Rules, results and exports take the last
correction; agreement takes the first answer, which nobody could have changed after thinking about the others.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import sqlalchemy as sa

from folkways.sdk.workspace import Workspace
from folkways_studio.database import audit
from folkways_studio.database import tables as schema
from folkways_studio.database.rows import count, find_row, get_row, inserted_id
from folkways_studio.errors import ConflictError, Message
from folkways_studio.items.service import MOST_NAMED
from folkways_studio.records import Item, ItemState, Judgement, Participant, ParticipantState, Stage, Study, StudyState, from_row
from folkways_studio.stages.registry import stage_kind
from folkways_studio.work.leases import not_theirs
from folkways_studio.work.resolution import apply_rule, may_change

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
        return _sent(connection, participant_id, schema.judgements.c.id.is_not(None))


def sent_for(workspace: Workspace, participant_id: int, assignment_id: int) -> tuple[SentAnswer, str]:
    """What a person has sent for a slot, and why it cannot be corrected: empty where it can. NotFoundError where they have sent
    nothing for it.
    """
    with workspace.read() as connection:
        sent = _one(connection, participant_id, assignment_id)
        return sent, _fixed(connection, participant_id, sent)


def correct(workspace: Workspace, participant_id: int, assignment_id: int, submission: Mapping[str, Any], key: str) -> Judgement:
    """Put a new answer in place of the one that a person has sent for a slot; the item is decided again if that makes a difference.

    key: as in ``judgements.submit``. Saying the same once more stores nothing. SubmissionError for wrong fields; NotFoundError
    where nothing was sent; ConflictError where the answer cannot be corrected any more.
    """
    with workspace.claim() as connection:
        slot = find_row(connection, schema.assignments, id=assignment_id, participant_id=participant_id)
        if slot is None:
            raise not_theirs()
        get_row(connection, schema.items, id=slot.item_id, lock="row")  # as everything does that may change an item
        sent = _one(connection, participant_id, assignment_id)
        mine = schema.corrections.c.judgement_id == sent.judgement.id
        if find_row(connection, schema.corrections, judgement_id=sent.judgement.id, key=key) is not None:
            return sent.judgement
        if fixed := _fixed(connection, participant_id, sent):
            raise ConflictError(fixed)
        payload = dict(stage_kind(sent.stage.kind).validate(submission, sent.item.content, sent.stage.config))
        if payload == sent.judgement.payload:
            return sent.judgement
        if count(connection, schema.corrections, mine) >= MOST_CORRECTIONS:
            raise ConflictError(STAYS)
        row = {"judgement_id": sent.judgement.id, "key": key, "payload": payload, "created": time.time()}
        inserted_id(connection, schema.corrections, row)
        audit.note(
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


def _one(connection: sa.Connection, participant_id: int, assignment_id: int) -> SentAnswer:
    answers = _sent(connection, participant_id, schema.judgements.c.assignment_id == assignment_id)
    if not answers:
        raise not_theirs()
    return answers[0]


def _sent(connection: sa.Connection, participant_id: int, where: sa.ColumnElement[bool]) -> list[SentAnswer]:
    judgements, items, stages = schema.judgements, schema.items, schema.stages
    query = (
        sa.select(judgements, items, stages)
        .join(items, items.c.id == judgements.c.item_id)
        .join(stages, stages.c.id == judgements.c.stage_id)
        .where(judgements.c.participant_id == participant_id, where)
        .order_by(judgements.c.id.desc())
        .limit(MOST_SHOWN)
    )
    rows = connection.execute(query).all()
    last = _last_payloads(connection, [row._mapping[judgements.c.id] for row in rows])
    sent = []
    for row in rows:
        judgement, item, stage = from_row(Judgement, row, judgements), from_row(Item, row, items), from_row(Stage, row, stages)
        judgement = replace(judgement, payload=last.get(judgement.id, judgement.payload))
        sent.append(SentAnswer(judgement, item, stage))
    return sent


def _fixed(connection: sa.Connection, participant_id: int, sent: SentAnswer) -> str:
    """Why an answer to an item cannot be corrected; empty where it can.

    What was written was handed on as it is, and a test has told its answers. Otherwise an answer can be corrected until its item is
    settled, and afterwards as long as nobody else has answered and nothing was made of it: then nothing was shown either.
    """
    item = sent.item
    person = from_row(Participant, get_row(connection, schema.participants, id=participant_id))
    study = from_row(Study, get_row(connection, schema.studies, id=person.study_id))
    if study.state in (StudyState.CLOSED, StudyState.DELETED) or item.test or stage_kind(sent.stage.kind).authored:
        return STAYS
    if person.state not in (ParticipantState.ACTIVE, ParticipantState.FINISHED):
        return STAYS
    if find_row(connection, schema.skips, item_id=item.id, participant_id=person.id) is not None:  # they looked
        return STAYS
    if item.state == ItemState.OPEN:
        return ""
    judgements = schema.judgements
    others = count(connection, judgements, judgements.c.item_id == item.id, judgements.c.participant_id != person.id)
    return SETTLED if others or not may_change(connection, item, True) else ""
