"""People who are held back: paused or excluded by a rule over known answers, or out of a test; and letting them go on."""

from __future__ import annotations

import time

import sqlalchemy as sa

from folkways.studio.errors import ConflictError, NotFoundError, SubmissionError
from folkways.studio.records import Participant, ParticipantState
from folkways.studio.services import audit
from folkways.studio.services.people.personal import participant_of
from folkways.studio.services.rows import change_rows, find_row
from folkways.studio.services.work.leases import free_leases
from folkways.studio.services.work.resolution import apply_rule_again
from folkways.workspace.database import Workspace
from folkways.workspace.studio import tables as schema


def pause_within(connection: sa.Connection, person: Participant, why: str, *, now: float) -> None:
    """Give somebody no more work until a researcher lifts it; what they have at hand they may still send."""
    change_rows(connection, schema.participants, {"id": person.id}, state=str(ParticipantState.PAUSED), pause=why)
    _note(connection, person, "paused", now, why)


def fail_within(connection: sa.Connection, person: Participant, pay: str, *, now: float) -> None:
    """Somebody is out of every test; their work ends."""
    change_rows(connection, schema.participants, {"id": person.id}, state=str(ParticipantState.FAILED), pay=pay, left=now)


def exclude_within(connection: sa.Connection, person: Participant, why: str, *, pay: str, now: float) -> None:
    """Take somebody's answers out of the study, as where somebody withdraws; ``pay``: the code that they are given."""
    free_leases(connection, person.id)
    connection.execute(sa.delete(schema.drafts).filter_by(participant_id=person.id))
    values = {"state": str(ParticipantState.EXCLUDED), "left": now, "exclusion": why, "pay": pay}
    change_rows(connection, schema.participants, {"id": person.id}, **values)
    _note(connection, person, "excluded", now, why)
    judged = connection.scalars(sa.select(schema.judgements.c.item_id).filter_by(participant_id=person.id)).all()
    for item_id in sorted(set(judged)):
        apply_rule_again(connection, item_id, now)


def resume(
    workspace: Workspace, study_id: int, participant_id: int, reason: str, *, by: int | None = None, now: float | None = None
) -> None:
    """Let somebody who is paused go on; their known answers are counted anew. SubmissionError without a reason."""
    now = time.time() if now is None else now
    with workspace.write() as connection:
        person = participant_of(connection, study_id, participant_id, lock=True)
        reason = _reason(reason)
        if person.state != ParticipantState.PAUSED:
            raise ConflictError("this person is not paused")
        values = {"state": str(ParticipantState.ACTIVE), "pause": None}
        change_rows(connection, schema.participants, {"id": person.id}, **values)
        judgements = schema.judgements
        last = connection.scalar(sa.select(sa.func.max(judgements.c.id)).where(judgements.c.participant_id == person.id)) or 0
        for row in connection.execute(sa.select(schema.stages.c.id).where(schema.stages.c.study_id == study_id)).all():
            _stand(connection, person.id, row.id, gold_from=last, warned=None, reason=reason)
        _note(connection, person, "resumed", now, by=by)


def waive_test(workspace: Workspace, study_id: int, participant_id: int, stage: str, reason: str, *, by: int | None = None) -> None:
    """Let somebody work on a stage whose test they have not passed; the reason is kept. SubmissionError without one."""
    with workspace.write() as connection:
        person = participant_of(connection, study_id, participant_id, lock=True)
        reason = _reason(reason)
        if person.state in (ParticipantState.WITHDRAWN, ParticipantState.EXCLUDED):
            raise ConflictError("this person has left the study")
        found = find_row(connection, schema.stages, study_id=study_id, name=stage)
        if found is None:
            raise NotFoundError("there is no such stage")
        _stand(connection, person.id, found.id, test="waived", reason=reason)
        if person.state == ParticipantState.FAILED:
            values = {"state": str(ParticipantState.ACTIVE), "pay": None, "left": None}
            change_rows(connection, schema.participants, {"id": person.id}, **values)
        details = {"stage": found.name}
        audit.note(
            connection, "participant.test_waived", study_id=study_id, account_id=by, participant_id=person.id, details=details
        )


def _stand(connection: sa.Connection, participant_id: int, stage_id: int, **values: object) -> None:
    key = {"participant_id": participant_id, "stage_id": stage_id}
    if find_row(connection, schema.standings, participant_id=participant_id, stage_id=stage_id) is None:
        connection.execute(sa.insert(schema.standings).values(**key, tries=0, test_from=0, **{"gold_from": 0, **values}))
    else:
        connection.execute(sa.update(schema.standings).filter_by(**key).values(**values))


def _reason(reason: str) -> str:
    if not reason.strip():
        raise SubmissionError({"reason": "say why"})
    return reason.strip()


def _note(connection: sa.Connection, person: Participant, kind: str, now: float, why: str = "", by: int | None = None) -> None:
    details = {"why": why} if why else {}
    about = f"participant.{kind}"
    audit.note(connection, about, study_id=person.study_id, account_id=by, participant_id=person.id, details=details, now=now)
