"""Personal details of people, stored apart from their answers so that they can be deleted alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa

from folkways.sdk.workspace import Workspace
from folkways_studio.database import audit, schema
from folkways_studio.database.rows import changed
from folkways_studio.errors import NotFoundError
from folkways_studio.people import accounts
from folkways_studio.records import Participant, Role, StudyState, from_row

_ATTRIBUTES = sa.select(schema.attributes).where(schema.attributes.c.participant_id == sa.bindparam("person"))


def participant_within(connection: sa.Connection, participant_id: int, *, lock: bool = False) -> Participant:
    """The participant with that id, within the caller's transaction; NotFoundError.

    lock: lock the row first, in the same order as claiming does.
    """
    query = sa.select(schema.participants).filter_by(id=participant_id)
    row = connection.execute(query.with_for_update(key_share=True) if lock else query).first()
    if row is None:
        raise NotFoundError("there is no such participant")
    return from_row(Participant, row)


def attributes(workspace: Workspace, study_id: int, participant_id: int) -> Mapping[str, str]:
    """Somebody's personal details, by name. For researchers of the study; an export has
    counts alone (``exports.demographics``)."""
    with workspace.read() as connection:
        participant_of(connection, study_id, participant_id)
    return own_attributes(workspace, participant_id)


def own_attributes(workspace: Workspace, participant_id: int) -> Mapping[str, str]:
    """Somebody's personal details, by name, for their own pages."""
    with workspace.read() as connection:
        return {row.name: row.value for row in connection.execute(_ATTRIBUTES, {"person": participant_id})}


def look_up_attributes(
    workspace: Workspace, study_id: int, participant_id: int, *, by: int
) -> Mapping[str, str]:
    """``attributes``, with an entry in the audit trail. workspace, study_id: the study. participant_id: the
    person. by: the account that acts, for the audit trail."""
    details = attributes(workspace, study_id, participant_id)
    audit.record_event_now(
        workspace, "participant.attributes_read", study_id, by, participant_id=participant_id
    )
    return details


def delete_attributes(
    workspace: Workspace, study_id: int, participant_id: int, *, by: int | None = None
) -> int:
    """Delete somebody's personal details and return how many there were.

    Their account goes too, but for its number, if they are in no other study and not staff. Judgements stay
    under the pseudonym; ``withdraw`` takes them out of exports. workspace, study_id: the study.
    participant_id: the person. by: the account that acts, for the audit trail.
    """
    participants, roles = schema.participants, schema.roles
    with workspace.write() as connection:
        person = participant_of(connection, study_id, participant_id)
        deleted = connection.execute(
            sa.delete(schema.attributes).filter_by(participant_id=participant_id)
        ).rowcount
        elsewhere = (
            sa.select(participants.c.id)
            .join(schema.studies, schema.studies.c.id == participants.c.study_id)
            .where(
                participants.c.account_id == person.account_id,
                participants.c.id != participant_id,
                schema.studies.c.state != StudyState.DELETED,
            )
        )
        staff = sa.select(roles.c.study_id).where(
            roles.c.account_id == person.account_id, roles.c.role != Role.ANNOTATOR
        )
        if connection.scalar(elsewhere) is None and connection.scalar(staff) is None:
            accounts.forget(connection, person.account_id)
        audit.record_event(
            connection, "participant.attributes_deleted", study_id, by, participant_id=participant_id
        )
        return int(deleted)


def participant_of(
    connection: sa.Connection, study_id: int, participant_id: int, *, lock: bool = False
) -> Participant:
    """``participant_within`` for people of this study; NotFoundError for others. lock: as there. connection:
    the caller's transaction. study_id: the study. participant_id: the person."""
    person = participant_within(connection, participant_id, lock=lock)
    if person.study_id != study_id:
        raise NotFoundError("there is no such participant")
    return person


def change_participant(
    connection: sa.Connection, person: Participant, kind: str, values: Mapping[str, object], **about: Any
) -> Participant:
    """Set ``values`` in the person's row, record an event of this ``kind`` about the person, and return the
    new record. about: passed to ``audit.record_event``. connection: the caller's transaction."""
    audit.record_event(
        connection, f"participant.{kind}", study_id=person.study_id, participant_id=person.id, **about
    )
    return changed(connection, Participant, schema.participants, person.id, **values)


def write_attributes(connection: sa.Connection, participant_id: int, values: Mapping[str, str]) -> None:
    """Store personal details, replacing those of the same names; empty values are not stored."""
    rows = [
        {"participant_id": participant_id, "name": name, "value": value}
        for name, value in values.items()
        if value
    ]
    if rows:
        names = [row["name"] for row in rows]
        table = schema.attributes
        connection.execute(
            sa.delete(table).where(table.c.participant_id == participant_id, table.c.name.in_(names))
        )
        connection.execute(sa.insert(table), rows)
