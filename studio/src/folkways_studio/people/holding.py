"""People who are held back: paused by a rule over known answers, or out of a test; and letting them go on."""

from __future__ import annotations

import time
from dataclasses import replace

import sqlalchemy as sa

from folkways.sdk.workspace import Workspace
from folkways_studio.database import audit
from folkways_studio.database import tables as schema
from folkways_studio.database.rows import change_rows, find_row
from folkways_studio.errors import ConflictError, NotFoundError, SubmissionError
from folkways_studio.people.personal import change_participant, participant_of
from folkways_studio.people.standings import count_anew, save_standing, standing_of
from folkways_studio.records import LEFT_OUT, Participant, ParticipantState


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
        count_anew(connection, person.id, reason)
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
        save_standing(
            connection, replace(standing_of(connection, person.id, found.id), test="waived", reason=reason)
        )
        if person.state == ParticipantState.FAILED:
            values = {"state": str(ParticipantState.ACTIVE), "pay": None, "left": None}
            change_rows(connection, schema.participants, {"id": person.id}, **values)
        details = {"stage": found.name}
        audit.note(
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
