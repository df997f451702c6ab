"""How people stand with the known answers of a stage: read and kept. Whoever writes holds the person's
row."""

from __future__ import annotations

from dataclasses import asdict, replace

import sqlalchemy as sa

from folkways_studio.database import schema
from folkways_studio.database.rows import find_row, get_row
from folkways_studio.records import QualificationStatus, from_row


def quality_status(connection: sa.Connection, participant_id: int, stage_id: int) -> QualificationStatus:
    """How a person stands in a stage; a new standing where nothing is known yet."""
    row = find_row(connection, schema.standings, participant_id=participant_id, stage_id=stage_id)
    return (
        from_row(QualificationStatus, row)
        if row is not None
        else QualificationStatus(participant_id, stage_id)
    )


def save_quality_status(connection: sa.Connection, standing: QualificationStatus) -> None:
    """Keep a standing."""
    table, values = schema.standings, asdict(standing)
    mine = table.c.participant_id == standing.participant_id, table.c.stage_id == standing.stage_id
    if not connection.execute(sa.update(table).where(*mine).values(values)).rowcount:
        connection.execute(sa.insert(table).values(values))


def reset_quality_counts(connection: sa.Connection, participant_id: int, reason: str | None = None) -> None:
    """Let the rules count what a person answers from now on alone, and warn them once more. reason: why, kept
    with it."""
    judgements, people, stages = schema.judgements, schema.participants, schema.stages
    last = (
        connection.scalar(
            sa.select(sa.func.max(judgements.c.id)).where(judgements.c.participant_id == participant_id)
        )
        or 0
    )
    study = get_row(connection, people, id=participant_id).study_id
    for stage_id in connection.scalars(sa.select(stages.c.id).where(stages.c.study_id == study)).all():
        standing = quality_status(connection, participant_id, stage_id)
        save_quality_status(
            connection, replace(standing, gold_from=last, warned=None, reason=reason or standing.reason)
        )
