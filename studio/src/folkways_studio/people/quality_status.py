"""How people do on the known answers of a stage. Writers hold the person's row."""

from __future__ import annotations

from dataclasses import asdict, replace

import sqlalchemy as sa

from folkways_studio.database import schema
from folkways_studio.database.rows import find_row, get_row
from folkways_studio.records import QualificationStatus, from_row


def quality_status(connection: sa.Connection, participant_id: int, stage_id: int) -> QualificationStatus:
    """A person's status in a stage; a new one if there is none yet."""
    row = find_row(connection, schema.standings, participant_id=participant_id, stage_id=stage_id)
    return (
        from_row(QualificationStatus, row)
        if row is not None
        else QualificationStatus(participant_id, stage_id)
    )


def save_quality_status(connection: sa.Connection, status: QualificationStatus) -> None:
    """Store a status."""
    table, values = schema.standings, asdict(status)
    same = table.c.participant_id == status.participant_id, table.c.stage_id == status.stage_id
    if not connection.execute(sa.update(table).where(*same).values(values)).rowcount:
        connection.execute(sa.insert(table).values(values))


def reset_quality_counts(connection: sa.Connection, participant_id: int, reason: str | None = None) -> None:
    """Make the rules count only later answers, and allow a new warning. reason: stored with the status."""
    judgements, people, stages = schema.judgements, schema.participants, schema.stages
    last = (
        connection.scalar(
            sa.select(sa.func.max(judgements.c.id)).where(judgements.c.participant_id == participant_id)
        )
        or 0
    )
    study = get_row(connection, people, id=participant_id).study_id
    for stage_id in connection.scalars(sa.select(stages.c.id).where(stages.c.study_id == study)).all():
        status = quality_status(connection, participant_id, stage_id)
        save_quality_status(
            connection, replace(status, gold_from=last, warned=None, reason=reason or status.reason)
        )
