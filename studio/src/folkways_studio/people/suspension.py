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
    """Give somebody no more work until a researcher resumes them; they may still send what they hold."""
    change_participant(
        connection,
        person,
        "paused",
        {"state": str(ParticipantState.PAUSED), "pause": why},
        details={"why": why},
    )


def fail_within(connection: sa.Connection, person: Participant, pay: str) -> None:
    """End the work of somebody who has failed every test."""
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
    """Let a paused person go on and reset their counts of known answers. Raises SubmissionError without a
    reason, and ConflictError if they are not paused. workspace, study_id: the study. participant_id: the
    person. by: the account that acts, for the audit trail."""
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
    """Let somebody work on a stage without passing its test. Raises SubmissionError without a reason,
    NotFoundError for an unknown stage, and ConflictError for somebody who has left. workspace, study_id: the
    study. participant_id: the person. by: the account that acts, for the audit trail."""
    with workspace.write() as connection:
        person = participant_of(connection, study_id, participant_id, lock=True)
        reason = _reason(reason)
        if person.state in LEFT_OUT:
            raise ConflictError("this person has left the study")
        row = find_row(connection, schema.stages, study_id=study_id, name=stage)
        if row is None:
            raise NotFoundError("there is no such stage")
        save_quality_status(
            connection, replace(quality_status(connection, person.id, row.id), test="waived", reason=reason)
        )
        if person.state == ParticipantState.FAILED:
            values = {"state": str(ParticipantState.ACTIVE), "pay": None, "left": None}
            change_rows(connection, schema.participants, {"id": person.id}, **values)
        details = {"stage": row.name}
        audit.record_event(
            connection, "participant.test_waived", study_id, by, participant_id=person.id, details=details
        )


def _reason(reason: str) -> str:
    if not reason.strip():
        raise SubmissionError({"reason": "say why"})
    return reason.strip()


def exclude(workspace: Workspace, study_id: int, participant_id: int, reason: str, *, by: int) -> Participant:
    """Exclude somebody: they get no more work, their leases are freed, and their answers are asked for again.

    reason: stored, and shown to them; SubmissionError without one. Items that others continue stay as they
    are, as after a withdrawal. Raises ConflictError for somebody who has left. workspace, study_id: the
    study. participant_id: the person. by: the account that acts, for the audit trail.
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
    """``exclude`` within the caller's transaction, which holds the person's row.
    reason: shown to them.
    pay: which code of the recruitment service they get.
    by: None if a rule excludes them.
    connection: the caller's transaction."""
    free_leases(connection, person.id)
    values: dict[str, object] = {
        "state": str(ParticipantState.EXCLUDED),
        "exclusion": reason,
        "left": time.time(),
        "pay": pay,
    }
    return _change(connection, person, "excluded", values, by, {"was": person.state})


def include(workspace: Workspace, study_id: int, participant_id: int, *, by: int) -> Participant:
    """Undo an exclusion: their answers count again, and they can go on. ConflictError if they are not
    excluded. workspace, study_id: the study. participant_id: the person. by: the account that acts, for the
    audit trail."""
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
