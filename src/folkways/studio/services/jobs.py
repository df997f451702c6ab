"""Work that takes longer than a page may: noted in the database, done by whoever runs it, with its end on record."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

import sqlalchemy as sa

from folkways.errors import FolkwaysError
from folkways.studio import schema
from folkways.studio.activity import Job, JobState
from folkways.studio.errors import NotFoundError
from folkways.studio.records import from_row
from folkways.studio.services import audit
from folkways.studio.services.rows import find_row, inserted_id
from folkways.workspace.database import Workspace

STALE_SECONDS = 900.0
"""A job that has been running for so long without an end was lost with its process, and may be taken again."""


def add_job(workspace: Workspace, study_id: int, kind: str, details: Mapping[str, Any], *, by: int | None = None) -> Job:
    """Note a job that is to be done."""
    row = {
        "study_id": study_id,
        "account_id": by,
        "kind": kind,
        "state": str(JobState.WAITING),
        "details": dict(details),
        "created": time.time(),
    }
    with workspace.write() as connection:
        number = inserted_id(connection, schema.jobs, row)
        audit.note(connection, f"job.{kind}", study_id=study_id, account_id=by, subject=f"job:{number}")
        return _get(connection, number)


def take_job(workspace: Workspace, *, now: float | None = None) -> Job | None:
    """The oldest job that waits (or was lost), now running; None where there is none. Two processes never take the same one."""
    now = time.time() if now is None else now
    jobs = schema.jobs
    lost = sa.and_(jobs.c.state == JobState.RUNNING, jobs.c.started < now - STALE_SECONDS)
    query = sa.select(jobs.c.id).where(sa.or_(jobs.c.state == JobState.WAITING, lost)).order_by(jobs.c.id).limit(1)
    with workspace.claim() as connection:
        number = connection.scalar(query.with_for_update(skip_locked=True))
        if number is None:
            return None
        connection.execute(sa.update(jobs).filter_by(id=number).values(state=str(JobState.RUNNING), started=now))
        return _get(connection, number)


def do_jobs(workspace: Workspace, workers: Mapping[str, Callable[[Workspace, Job], Mapping[str, Any]]]) -> int:
    """Do every job that waits; returns how many. A FolkwaysError of a worker is the job's ``error``; others are raised."""
    done = 0
    while (job := take_job(workspace)) is not None:
        done += 1
        try:
            result: Mapping[str, Any] | None = workers[job.kind](workspace, job)
            end: dict[str, Any] = {"state": str(JobState.DONE), "result": result, "error": None}
        except FolkwaysError as error:
            end = {"state": str(JobState.FAILED), "result": None, "error": str(error)}
        with workspace.write() as connection:
            connection.execute(sa.update(schema.jobs).filter_by(id=job.id).values(**end, finished=time.time()))
    return done


def get_job(workspace: Workspace, study_id: int, job_id: int) -> Job:
    """A job of this study; NotFoundError."""
    with workspace.read() as connection:
        job = _get(connection, job_id)
    if job.study_id != study_id:
        raise NotFoundError("there is no such job")
    return job


def list_jobs(workspace: Workspace, study_id: int) -> tuple[Job, ...]:
    """The jobs of a study, newest first."""
    query = sa.select(schema.jobs).filter_by(study_id=study_id).order_by(schema.jobs.c.id.desc())
    with workspace.read() as connection:
        return tuple(from_row(Job, row) for row in connection.execute(query))


def _get(connection: sa.Connection, job_id: int) -> Job:
    row = find_row(connection, schema.jobs, id=job_id)
    if row is None:
        raise NotFoundError("there is no such job")
    return from_row(Job, row)
