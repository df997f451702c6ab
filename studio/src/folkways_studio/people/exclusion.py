"""Excluding somebody for a reason, which they are told: their answers count nowhere as long as that stands.
It can be undone."""

from __future__ import annotations

import time

import sqlalchemy as sa

from folkways.sdk.workspace import Workspace
from folkways_studio.errors import ConflictError, SubmissionError
from folkways_studio.people.personal import change_participant, participant_of, participant_within
from folkways_studio.people.standings import count_anew
from folkways_studio.records import Participant, ParticipantState
from folkways_studio.work.leases import free_leases
from folkways_studio.work.resolution import apply_rule_to_answers_of

LONGEST_REASON = 1000


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
        count_anew(connection, person.id)
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
