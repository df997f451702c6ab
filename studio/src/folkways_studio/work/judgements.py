"""Submitting judgements: once each, never changed, and what follows from them in the same transaction."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import sqlalchemy as sa

from folkways.sdk.workspace import Workspace, WorkspaceError
from folkways_studio.activity import Exposure
from folkways_studio.database import audit, schema
from folkways_studio.database.rows import change_rows, delete_rows, get_row, inserted_id
from folkways_studio.errors import AlreadySubmittedError, ConflictError, SubmissionError
from folkways_studio.items.service import add_revision
from folkways_studio.records import (
    Assignment,
    AssignmentState,
    Item,
    Judgement,
    Participant,
    Stage,
    StudyState,
    from_row,
)
from folkways_studio.stages.registry import stage_kind
from folkways_studio.work.categories import check_category
from folkways_studio.work.corrections import corrected
from folkways_studio.work.exposures import settle_exposure
from folkways_studio.work.known_answers import judge_known
from folkways_studio.work.leases import not_theirs, own_assignment
from folkways_studio.work.resolution import apply_rule
from folkways_studio.work.suggestions import settle_suggestions
from folkways_studio.work.training import needs_training

LONGEST_KEY = 64

# Statements are made once: making one costs more than running it.
_people, _items, _slots, _stages, _judgements = (
    schema.participants, schema.items, schema.assignments, schema.stages, schema.judgements,
)  # fmt: skip
_exposures, _preannotations = schema.exposures, schema.preannotations
# Everything that changes an item locks its row before its slots: slots, answers and results of one item
# change one after the other. Before both comes the person's row: an answer that is known beforehand may
# change their qualification, and asking for work locks it too.
_HELD = (
    sa.select(
        _people,
        _items,
        _slots,
        _stages,
        _exposures,
        _preannotations.c.content.label("suggested"),
        schema.studies.c.state.label("study_state"),
        sa.select(sa.func.max(schema.revisions.c.number))
        .where(schema.revisions.c.item_id == _items.c.id)
        .scalar_subquery()
        .label("last_revision"),
        sa.exists()
        .where(_judgements.c.participant_id == _people.c.id, _judgements.c.key == sa.bindparam("key"))
        .label("key_was_used"),
    )
    .select_from(_slots)
    .join(_people, _people.c.id == _slots.c.participant_id)
    .join(_items, _items.c.id == _slots.c.item_id)
    .join(_stages, _stages.c.id == _slots.c.stage_id)
    .join(schema.studies, schema.studies.c.id == _stages.c.study_id)
    .outerjoin(
        _exposures,
        sa.and_(
            _exposures.c.item_id == _slots.c.item_id, _exposures.c.participant_id == _slots.c.participant_id
        ),
    )
    .outerjoin(_preannotations, _preannotations.c.id == _exposures.c.preannotation_id)
    .where(
        _slots.c.id.in_((sa.bindparam("slot"), sa.bindparam("instead"))),
        _slots.c.participant_id == sa.bindparam("participant_id"),
    )
    .order_by(_slots.c.id != sa.bindparam("slot"))
    .limit(1)
    .with_for_update(of=(_people, _items, _slots), key_share=True)
)
_STORED = sa.select(_judgements).where(
    sa.or_(
        sa.and_(
            _judgements.c.participant_id == sa.bindparam("participant_id"),
            _judgements.c.key == sa.bindparam("key"),
        ),
        _judgements.c.assignment_id == sa.bindparam("assignment_id"),
    )
)


ReadForm = Callable[[Item, Stage], Mapping[str, Any]]
"""Reads a submission out of what was sent for an item of a stage."""


@dataclass(frozen=True, slots=True)
class SubmissionReceipt:
    """A judgement that is stored, with its item and stage. repeated: it was there before; this submission was
    the same one sent again. then: what followed for its person where the answer was known (see
    ``known_answers.judge_known``).
    """

    judgement: Judgement
    repeated: bool
    item: Item
    stage: Stage
    then: str = ""


@dataclass(frozen=True, slots=True)
class _LockedSubmission:
    """What a submission is about, locked for this transaction, with the number of its item's last
    revision, and whether the person saw what was suggested (None where nothing was)."""

    person: Participant
    item: Item
    assignment: Assignment
    stage: Stage
    study_state: str
    revision: int | None
    key_was_used: bool
    exposure: Exposure | None
    suggested: Mapping[str, Any] | None


def _hold(
    connection: sa.Connection, participant_id: int, slots: tuple[int, int], key: str
) -> _LockedSubmission:
    parameters = {"slot": slots[0], "instead": slots[1], "participant_id": participant_id, "key": key}
    row = connection.execute(_HELD, parameters).first()
    if row is None:
        raise not_theirs()
    return _LockedSubmission(
        from_row(Participant, row, _people),
        from_row(Item, row, _items),
        from_row(Assignment, row, _slots),
        from_row(Stage, row, _stages),
        row.study_state,
        row.last_revision,
        bool(row.key_was_used),
        from_row(Exposure, row, _exposures) if row._mapping[_exposures.c.item_id] is not None else None,
        row.suggested,
    )


def submit(
    workspace: Workspace,
    participant_id: int,
    assignment_id: int,
    submission: Mapping[str, Any] | ReadForm,
    key: str,
    *,
    instead: int | None = None,
    timed: bool = True,
) -> SubmissionReceipt:
    """Store a person's answer to the item of their slot (participant_id, assignment_id) in the workspace.

    submission: the answer, or how it is read from a form.
    key: made by the browser when it shows the form; sending it twice (a lost reply, a double click) stores
        once.
    instead: the slot that is meant if ``assignment_id`` is not theirs. A lease that ran out still counts
        while nobody else took the slot.
    timed: whether the time since they took the slot says how long they worked.

    Raises SubmissionError for wrong fields, NotFoundError if the slot is not (or no longer) this
    person's, AlreadySubmittedError if it has a judgement under another key, ConflictError if the study
    is closed or they have not gone through the training of the stage.
    """
    if not 1 <= len(key) <= LONGEST_KEY:
        raise SubmissionError(
            {"": f"the form's key has to have 1 to {LONGEST_KEY} characters; load the page again"}
        )
    slots = (assignment_id, assignment_id if instead is None else instead)
    try:
        return _submit(workspace, participant_id, slots, submission, key, timed=timed)
    except WorkspaceError as error:
        if not isinstance(error.__cause__, sa.exc.IntegrityError):
            raise
        # Another tab sent the same key while this one waited for the person's row: now it is found.
        return _submit(workspace, participant_id, slots, submission, key, timed=timed)


def _submit(
    workspace: Workspace,
    participant_id: int,
    slots: tuple[int, int],
    submission: Mapping[str, Any] | ReadForm,
    key: str,
    *,
    timed: bool,
) -> SubmissionReceipt:
    now = time.time()
    with workspace.claim() as connection, audit.together(connection):
        current = _hold(connection, participant_id, slots, key)
        item, stage = current.item, current.stage
        if current.assignment.state != AssignmentState.LEASED or current.key_was_used:
            repeated = _repeated(connection, current.assignment, key)
            if repeated is not None:
                return SubmissionReceipt(repeated, True, item, stage)
        if current.study_state in (StudyState.CLOSED, StudyState.DELETED):
            raise ConflictError("the study was closed; nothing more can be submitted")
        if needs_training(connection, current.person.id, stage):
            raise ConflictError("this part of the study begins with a training; go through it first")
        if callable(submission):
            submission = submission(item, stage)
        payload = stage_kind(stage.kind).validate(submission, item.content, stage.config)
        if stage_kind(stage.kind).authored:
            check_category(connection, item, stage, payload)
            item = replace(item, content={**item.content, **payload})
        judgement = _store(connection, current, item, payload, key, now, timed=timed)
        if item.check is not None:  # it changes nothing of the item
            return SubmissionReceipt(
                judgement, False, item, stage, judge_known(connection, current.person, item, stage)
            )
        apply_rule(connection, item, stage)
        return SubmissionReceipt(judgement, False, item, stage)


def check_submission(
    workspace: Workspace, participant_id: int, assignment_id: int, submission: Mapping[str, Any], key: str
) -> None:
    """Raise what ``submit`` (workspace, participant_id, assignment_id, submission, key) would raise at
    this moment, and store nothing."""
    with workspace.read() as connection:
        assignment = own_assignment(connection, participant_id, assignment_id)
        if _repeated(connection, assignment, key) is not None:
            return
        item = from_row(Item, get_row(connection, schema.items, id=assignment.item_id))
        stage = from_row(Stage, get_row(connection, schema.stages, id=assignment.stage_id))
        stage_kind(stage.kind).validate(submission, item.content, stage.config)


def _repeated(connection: sa.Connection, assignment: Assignment, key: str) -> Judgement | None:
    identity = {"participant_id": assignment.participant_id, "key": key, "assignment_id": assignment.id}
    stored = [from_row(Judgement, row) for row in connection.execute(_STORED, identity)]
    for each in stored:
        if (each.participant_id, each.key) == (assignment.participant_id, key):
            if each.assignment_id != assignment.id:
                raise ConflictError("this form was used for another item; load the page again")
            return each
    if stored:
        raise AlreadySubmittedError(stored[0])
    if assignment.state != AssignmentState.LEASED:
        raise ConflictError("this was closed; ask for the next one")
    return None


def _store(
    connection: sa.Connection,
    current: _LockedSubmission,
    item: Item,
    payload: Mapping[str, Any],
    key: str,
    now: float,
    *,
    timed: bool,
) -> Judgement:
    assignment, stage, revision = current.assignment, current.stage, current.revision
    if stage_kind(stage.kind).authored:
        change_rows(connection, schema.items, {"id": item.id}, content=item.content)
        author = assignment.participant_id
        revision = add_revision(connection, item.id, "submitted", item.content, participant_id=author)
    row: dict[str, Any] = {
        "assignment_id": assignment.id,
        "item_id": item.id,
        "stage_id": stage.id,
        "participant_id": assignment.participant_id,
        "key": key,
        "payload": dict(payload),
        "seconds": now - assignment.leased if timed and assignment.leased is not None else None,
        "revision": revision,
        "created": now,
    }
    judgement_id = inserted_id(connection, schema.judgements, row)
    settle_suggestions(connection, item, stage, assignment.participant_id or 0, payload)
    if current.exposure is not None and current.suggested is not None:
        settle_exposure(connection, current.exposure, current.suggested, item, stage, payload)
    done = {"state": str(AssignmentState.DONE), "done": now, "lease_until": None}
    change_rows(connection, schema.assignments, {"id": assignment.id}, **done)
    delete_rows(connection, schema.drafts, item_id=item.id, participant_id=assignment.participant_id)
    audit.record_event(
        connection,
        "judgement.submitted",
        study_id=item.study_id,
        participant_id=assignment.participant_id,
        subject=f"item:{item.id}",
        details={"judgement": judgement_id, "stage": stage.name},
    )
    return Judgement(id=judgement_id, **{**row, "payload": payload})


def list_judgements(workspace: Workspace, study_id: int, item_id: int) -> tuple[Judgement, ...]:
    """The judgements of an item of this study, in order of arrival, each as it was corrected last."""
    table, items = schema.judgements, schema.items
    query = (
        sa.select(table)
        .join(items, items.c.id == table.c.item_id)
        .where(table.c.item_id == item_id, items.c.study_id == study_id)
        .order_by(table.c.id)
    )
    with workspace.read() as connection:
        return tuple(corrected(connection, (from_row(Judgement, row) for row in connection.execute(query))))
