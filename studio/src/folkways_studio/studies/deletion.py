"""Deleting a whole study: nobody sees it any more at once, and its rows go a few at a time.

What stays is the audit trail, and of each person the pseudonym that the trail names.
"""

from __future__ import annotations

import sqlalchemy as sa

from folkways.sdk.workspace import Workspace
from folkways_studio.database import audit, schema
from folkways_studio.database.deletion import AT_ONCE, KEPT, delete_items, delete_with_all
from folkways_studio.database.rows import change_rows, read_values
from folkways_studio.database.schema import metadata
from folkways_studio.errors import SubmissionError
from folkways_studio.media.service import delete_files
from folkways_studio.records import ParticipantState, StudyState
from folkways_studio.studies.service import study_within


def delete_study(workspace: Workspace, study_id: int, typed: str, *, by: int | None = None) -> None:
    """Delete a study of the workspace for good: its items, answers, invitations, roles, and what is
    personal about its people.

    study_id: the study; typed: its name, as somebody has typed it; by: the account that asks for it.
    SubmissionError for any other name. Its rows go with ``finish_deletions``.
    """
    participants = schema.participants
    with workspace.write() as connection:
        study = study_within(connection, study_id)
        if typed.strip() != study.name:
            raise SubmissionError({"name": "this is not the name of the study; nothing was deleted"})
        audit.record_event(
            connection, "study.deleted", study_id=study_id, account_id=by, details={"name": study.name}
        )
        # People first, then the study, in the order in which a task locks them.
        gone = {
            "state": str(ParticipantState.WITHDRAWN),
            "waiver": None,
            "exclusion": None,
            "population_id": None,
        }
        connection.execute(sa.update(participants).where(participants.c.study_id == study_id).values(gone))
        values = {
            "name": f"~{study_id}",  # no study can be called so: the old name is free again
            "title": "",
            "state": str(StudyState.DELETED),
            "definition": {"name": f"~{study_id}"},
            "consent_text": "",
        }
        change_rows(connection, schema.studies, {"id": study_id}, **values)
        connection.execute(sa.delete(schema.roles).where(schema.roles.c.study_id == study_id))
        connection.execute(
            sa.update(schema.invites).where(schema.invites.c.study_id == study_id).values(revoked=True)
        )
        people = sa.select(participants.c.id).where(participants.c.study_id == study_id)
        connection.execute(sa.delete(schema.attributes).where(schema.attributes.c.participant_id.in_(people)))


def finish_deletions(workspace: Workspace) -> None:
    """Delete the rows of studies that were deleted, a few at a time, also where the process before this one
    was stopped at it."""
    studies = schema.studies
    query = sa.select(studies.c.id).where(studies.c.state == StudyState.DELETED, studies.c.licence != "")
    for study_id in read_values(workspace, query):
        delete_items(workspace, schema.items.c.study_id == study_id)
        delete_files(workspace, study_id)
        for table in reversed(metadata.sorted_tables):
            if table is not studies and table not in KEPT:
                for column in table.columns:
                    if column.references(studies.c.id):
                        _delete_rows(workspace, table, column == study_id)
                    elif column.references(schema.participants.c.id):
                        mine = sa.select(schema.participants.c.id).where(
                            schema.participants.c.study_id == study_id
                        )
                        _delete_rows(workspace, table, column.in_(mine))
        with workspace.write() as connection:
            change_rows(connection, studies, {"id": study_id}, licence="")  # nothing is left to do


def _delete_rows(workspace: Workspace, table: sa.Table, where: sa.ColumnElement[bool]) -> None:
    """Delete rows of a table with what refers to them, a few at a time if they have ids."""
    if "id" not in table.c:
        with workspace.write() as connection:
            connection.execute(sa.delete(table).where(where))
        return
    while True:
        with workspace.write() as connection:
            numbers = list(
                connection.scalars(
                    sa.select(table.c.id).where(where).order_by(table.c.id.desc()).limit(AT_ONCE)
                )
            )
            if not numbers:
                return
            delete_with_all(connection, table, numbers)
