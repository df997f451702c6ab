"""Keeping people from working on a study, and letting them back in: pauses, failed tests and exclusions.

The answers of somebody who is excluded count nowhere until the exclusion is undone.
"""

from __future__ import annotations

import time
from dataclasses import replace

import sqlalchemy as sa

from folkways.sdk.workspace import Workspace
from folkways_studio.database import audit, schema
from folkways_studio.database.rows import change_rows, find_row
from folkways_studio.errors import ConflictError, NotFoundError, SubmissionError
from folkways_studio.people.personal import change_participant, participant_of, participant_within
from folkways_studio.people.quality_status import quality_status, reset_quality_counts, save_quality_status
from folkways_studio.records import LEFT_OUT, Participant, ParticipantState
from folkways_studio.work.leases import free_leases
from folkways_studio.work.resolution import apply_rule_to_answers_of

LONGEST_REASON = 1000


def pause_within(connection: sa.Connection, person: Participant, why: str) -> None:
    """Give somebody no more work until a researcher lifts it; what they have at hand they may still send."""
    change_participant(
        connection,
        person,
        "paused",
        {"state": str(ParticipantState.PAUSED), "pause": why},
        details={"why": why},
    )


def fail_within(connection: sa.Connection, person: Participant, pay: str) -> None:
    """Somebody is out of every test; their work ends."""
    change_rows(
        connection,
        schema.participants,
        {"id": person.id},
        state=str(ParticipantState.FAILED),
        pay=pay,
        left=time.time(),
    )


def resume(
    workspace: Workspace, study_id: int, participant_id: int, reason: str, *, by: int | None = None
) -> None:
    """Let somebody who is paused go on; their known answers are counted anew. SubmissionError without a
    reason."""
    with workspace.write() as connection:
        person = participant_of(connection, study_id, participant_id, lock=True)
        reason = _reason(reason)
        if person.state != ParticipantState.PAUSED:
            raise ConflictError("this person is not paused")
        reset_quality_counts(connection, person.id, reason)
        change_participant(
            connection,
            person,
            "resumed",
            {"state": str(ParticipantState.ACTIVE), "pause": None},
            account_id=by,
        )


def waive_test(
    workspace: Workspace,
    study_id: int,
    participant_id: int,
    stage: str,
    reason: str,
    *,
    by: int | None = None,
) -> None:
    """Let somebody work on a stage whose test they have not passed; the reason is kept. SubmissionError
    without one."""
    with workspace.write() as connection:
        person = participant_of(connection, study_id, participant_id, lock=True)
        reason = _reason(reason)
        if person.state in LEFT_OUT:
            raise ConflictError("this person has left the study")
        found = find_row(connection, schema.stages, study_id=study_id, name=stage)
        if found is None:
            raise NotFoundError("there is no such stage")
        save_quality_status(
            connection, replace(quality_status(connection, person.id, found.id), test="waived", reason=reason)
        )
        if person.state == ParticipantState.FAILED:
            values = {"state": str(ParticipantState.ACTIVE), "pay": None, "left": None}
            change_rows(connection, schema.participants, {"id": person.id}, **values)
        details = {"stage": found.name}
        audit.record_event(
            connection,
            "participant.test_waived",
            study_id=study_id,
            account_id=by,
            participant_id=person.id,
            details=details,
        )


def _reason(reason: str) -> str:
    if not reason.strip():
        raise SubmissionError({"reason": "say why"})
    return reason.strip()


def exclude(workspace: Workspace, study_id: int, participant_id: int, reason: str, *, by: int) -> Participant:
    """Exclude somebody: they are given no more work, what they hold is free, and others are asked in place of
    their answers.

    reason: kept, and shown to them; SubmissionError without one. Items that others go on with stay as they
    are, as when somebody withdraws. ConflictError for somebody who has left.
    """
    if not reason.strip():
        raise SubmissionError({"reason": "say why: they read it, and it is kept on record"})
    with workspace.write() as connection:
        person = participant_of(connection, study_id, participant_id, lock=True)
        if person.state in (ParticipantState.WITHDRAWN, ParticipantState.EXCLUDED):
            raise ConflictError("this person is not in the study any more")
        return exclude_within(connection, person, reason.strip()[:LONGEST_REASON], by=by)


def exclude_within(
    connection: sa.Connection,
    person: Participant,
    reason: str,
    *,
    pay: str | None = None,
    by: int | None = None,
) -> Participant:
    """``exclude`` within the caller's transaction, which holds the person's row. pay: the code of the
    recruitment service that they are given; by: None where a rule excludes them.
    """
    free_leases(connection, person.id)
    values: dict[str, object] = {
        "state": str(ParticipantState.EXCLUDED),
        "exclusion": reason,
        "left": time.time(),
        "pay": pay,
    }
    return _change(connection, person, "excluded", values, by, {"was": person.state})


def include(workspace: Workspace, study_id: int, participant_id: int, *, by: int) -> Participant:
    """Undo an exclusion: what they said counts again, and they can go on where they were. ConflictError where
    there is none."""
    with workspace.write() as connection:
        person = participant_of(connection, study_id, participant_id, lock=True)
        if person.state != ParticipantState.EXCLUDED:
            raise ConflictError("this person is not excluded")
        before = ParticipantState.ACTIVE
        if person.eligible is None and person.population_id is not None:
            before = ParticipantState.JOINED if person.consented is None else ParticipantState.CONSENTED
        elif person.eligible is False and person.waiver is None:
            before = ParticipantState.SCREENED_OUT
        values: dict[str, object] = {"state": str(before), "exclusion": None, "left": None, "pay": None}
        reset_quality_counts(connection, person.id)
        return _change(connection, person, "included", values, by, {})


def _change(
    connection: sa.Connection,
    person: Participant,
    kind: str,
    values: dict[str, object],
    by: int | None,
    details: dict[str, str],
) -> Participant:
    change_participant(connection, person, kind, values, account_id=by, details=details)
    apply_rule_to_answers_of(connection, person.id)
    return participant_within(connection, person.id)
