"""Servers in the shape of Label Studio's ML backend, by study and stage, and the jobs in which they are asked
for suggestions or sent answers to learn from. ``backend_runs`` does the work."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import sqlalchemy as sa

from folkways.sdk.workspace import Workspace
from folkways_studio.addresses import AddressError
from folkways_studio.database import audit, schema
from folkways_studio.database.rows import (
    change_rows,
    changing,
    find_row,
    get_row,
    inserted,
    inserted_id,
    read_all,
)
from folkways_studio.errors import ConflictError, NotFoundError, SubmissionError
from folkways_studio.items.imports import STALE_SECONDS, ImportState
from folkways_studio.items.preannotations import LONGEST_MODEL
from folkways_studio.programs.webhooks import check_target
from folkways_studio.records import from_row
from folkways_studio.stages.registry import stage_kind
from folkways_studio.studies.service import get_stage
from folkways_studio.workflows.suggesting import SUGGESTERS

KIND = "backend"
"""Of their jobs among all."""

MOST = 20
"""Backends per study."""

MOST_PROBLEMS = 100
"""Problems that are stored with a job."""

Work = Literal["predict", "train", "suggest"]


@dataclass(frozen=True, slots=True)
class MlBackend:
    """One server. model: the name under which its suggestions are stored. version: of its model, as it said
    last. trained: when the last answer was given that it was sent, None for none."""

    id: int
    study_id: int
    stage_id: int
    model: str
    url: str
    version: str
    trained: float | None
    created: float
    created_by: int | None


@dataclass(frozen=True, slots=True)
class BackendJob:
    """One job. work: predict or train; suggest where the study's own model is asked in a stage (then
    backend_id is None). state: as of an import. total: items (or answers) in all, None until they are
    counted; done: those that it was asked about (or sent). added: suggestions that were stored.

    problems: key of an item, and why its suggestion cannot be used, of the first MOST_PROBLEMS. error: why
    the job failed. started: identifies the current worker.
    """

    id: int
    study_id: int
    account_id: int | None
    backend_id: int | None
    stage: str | None
    work: Work
    state: str
    total: int | None
    done: int
    added: int
    problems: tuple[tuple[str, str], ...]
    error: str | None
    created: float
    started: float | None
    finished: float | None


def _job(row: Any) -> BackendJob:
    result = row.result or {}
    return BackendJob(
        row.id, row.study_id, row.account_id, row.details["backend"], row.details["stage"],
        row.details["work"], row.state,
        result.get("total"), result.get("done", 0), result.get("added", 0),
        tuple((key, problem) for key, problem in result.get("problems", ())), row.error, row.created,
        row.started, row.finished,
    )  # fmt: skip


def create_backend(
    workspace: Workspace,
    study_id: int,
    stage: str,
    model: str,
    url: str,
    *,
    private: bool = True,
    by: int | None = None,
) -> MlBackend:
    """A new backend for a stage of a study (workspace, study_id).

    model: the name of its suggestions. url: its address, to which ``/predict`` and others are added. private:
    whether it may be in the server's own network, and without TLS. by: the account that acts. SubmissionError
    for a field that cannot be used; ConflictError for a name that is taken, and for more than MOST.
    """
    stage_record = get_stage(workspace, study_id, stage)
    name = model.strip()
    problems = {}
    if not 1 <= len(name) <= LONGEST_MODEL or not name.isprintable():
        problems["model"] = f"has to be a name of 1 to {LONGEST_MODEL} characters"
    if stage_kind(stage_record.kind).authored:
        problems["stage"] = "people write the items of this stage themselves; nothing can be suggested"
    try:
        target = check_target(url, private=private)
        if target.query_string or target.fragment:
            problems["url"] = "give the address without a query: https://example.org/model"
    except AddressError as error:
        problems["url"] = str(error)
    if problems:
        raise SubmissionError(problems)
    row = {
        "study_id": study_id,
        "stage_id": stage_record.id,
        "model": name,
        "url": url,
        "version": "",
        "created": time.time(),
        "created_by": by,
    }
    table = schema.backends
    with changing(workspace, study_id) as connection:
        names = list(connection.scalars(sa.select(table.c.model).filter_by(study_id=study_id)))
        if name in names:
            raise ConflictError("this study has an ML backend of that name already; choose another name")
        if len(names) >= MOST:
            raise ConflictError("a study has up to %(most)s ML backends; delete one first", most=MOST)
        made = inserted(connection, MlBackend, table, row)
        audit.record_event(connection, "backend.created", study_id, by, subject=f"backend:{made.id}")
        return made


def list_backends(workspace: Workspace, study_id: int) -> tuple[MlBackend, ...]:
    """The ML backends of a study, oldest first."""
    table = schema.backends
    return read_all(workspace, MlBackend, sa.select(table).filter_by(study_id=study_id).order_by(table.c.id))


def get_backend(workspace: Workspace, study_id: int, backend_id: int) -> MlBackend:
    """An ML backend of this study; NotFoundError."""
    with workspace.read() as connection:
        return _backend(connection, study_id, backend_id)


def _backend(connection: sa.Connection, study_id: int, backend_id: int) -> MlBackend:
    row = find_row(connection, schema.backends, id=backend_id, study_id=study_id)
    if row is None:
        raise NotFoundError("there is no such ML backend")
    return from_row(MlBackend, row)


def delete_backend(workspace: Workspace, study_id: int, backend_id: int, *, by: int | None = None) -> None:
    """Delete an ML backend (backend_id) of a study (workspace, study_id) and cancel its jobs; its suggestions
    stay. by: the account that acts, for the audit trail."""
    with workspace.write() as connection:
        _backend(connection, study_id, backend_id)
        for number in _at_work(connection, study_id, backend_id):
            _cancel(connection, number)
        connection.execute(sa.delete(schema.backends).filter_by(id=backend_id))
        audit.record_event(connection, "backend.deleted", study_id, by, subject=f"backend:{backend_id}")


def note_state(workspace: Workspace, backend_id: int, **values: Any) -> None:
    """Store the version of a backend (workspace, backend_id), or how far it was trained (values: its
    columns)."""
    with workspace.write() as connection:
        change_rows(connection, schema.backends, {"id": backend_id}, **values)


# Jobs

_JOBS = sa.select(*[column for column in schema.jobs.columns if column.name != "content"]).where(
    schema.jobs.c.kind == KIND
)


def begin_suggesting(workspace: Workspace, study_id: int, stage: str, *, by: int | None = None) -> BackendJob:
    """Queue that the study's suggester is asked about the open items of a stage (workspace, study_id, stage).
    ConflictError where it can suggest nothing beforehand, or is at work. by: as in ``begin_job``."""
    suggester = SUGGESTERS.get(get_stage(workspace, study_id, stage).kind)
    if suggester is None or suggester.of_draft:
        raise ConflictError("the study's model can suggest nothing beforehand in this stage")
    return _begin(workspace, study_id, None, "suggest", stage, by)


def begin_job(
    workspace: Workspace, study_id: int, backend_id: int, work: Work, *, by: int | None = None
) -> BackendJob:
    """Queue work for a backend (workspace, study_id, backend_id, work). ConflictError while it is at work.
    by: the account that acts, for the audit trail."""
    return _begin(workspace, study_id, backend_id, work, None, by)


def _begin(
    workspace: Workspace, study_id: int, backend_id: int | None, work: Work, stage: str | None, by: int | None
) -> BackendJob:
    with changing(workspace, study_id) as connection:
        if backend_id is not None:
            _backend(connection, study_id, backend_id)
        if _at_work(connection, study_id, backend_id):
            raise ConflictError("this model is at work; wait until it is done, or cancel that")
        row = {
            "study_id": study_id,
            "account_id": by,
            "kind": KIND,
            "state": str(ImportState.WAITING),
            "details": {"backend": backend_id, "work": work, "stage": stage},
            "created": time.time(),
        }
        number = inserted_id(connection, schema.jobs, row)
        subject = f"backend:{backend_id}" if backend_id is not None else ""
        audit.record_event(connection, f"backend.{work}", study_id, by, subject=subject)
        return _job(get_row(connection, schema.jobs, id=number))


def _at_work(connection: sa.Connection, study_id: int, backend_id: int | None) -> list[int]:
    """The ids of the jobs of a backend that wait or run; None: of the study's own model."""
    live = schema.jobs.c.state.in_((ImportState.WAITING, ImportState.RUNNING))
    rows = connection.execute(_JOBS.filter_by(study_id=study_id).where(live))
    return [row.id for row in rows if row.details["backend"] == backend_id]


def list_jobs(workspace: Workspace, study_id: int, backend_id: int | None = None) -> tuple[BackendJob, ...]:
    """The jobs of the backends of a study (workspace, study_id), or of one (backend_id), newest first."""
    with workspace.read() as connection:
        rows = connection.execute(_JOBS.filter_by(study_id=study_id).order_by(schema.jobs.c.id.desc()))
        return tuple(_job(row) for row in rows if backend_id in (None, row.details["backend"]))


def get_job(workspace: Workspace, study_id: int, job_id: int) -> BackendJob:
    """A job of this study; NotFoundError."""
    for job in list_jobs(workspace, study_id):
        if job.id == job_id:
            return job
    raise NotFoundError("there is no such job")


def cancel_job(workspace: Workspace, study_id: int, job_id: int) -> BackendJob:
    """Cancel a job (workspace, study_id, job_id) before its next request; suggestions that were stored stay.
    ConflictError if it is over."""
    get_job(workspace, study_id, job_id)
    with workspace.write() as connection:
        row = get_row(connection, schema.jobs, id=job_id, lock="row")
        if row.state not in (ImportState.RUNNING, ImportState.WAITING):
            raise ConflictError("this job is over")
        _cancel(connection, job_id)
    return get_job(workspace, study_id, job_id)


def _cancel(connection: sa.Connection, job_id: int) -> None:
    values = {"state": str(ImportState.CANCELLED), "finished": time.time()}
    change_rows(connection, schema.jobs, {"id": job_id}, **values)


def claim_job(workspace: Workspace) -> BackendJob | None:
    """Claim the oldest job that nobody works on, or that its worker has left; None if there is none."""
    now, jobs = time.time(), schema.jobs
    left = sa.and_(jobs.c.state == ImportState.RUNNING, jobs.c.seen < now - STALE_SECONDS)
    query = _JOBS.where(sa.or_(jobs.c.state == ImportState.WAITING, left)).order_by(jobs.c.id).limit(1)
    with workspace.write() as connection:
        row = connection.execute(query.with_for_update(skip_locked=True)).first()
        if row is None:
            return None
        change_rows(connection, jobs, {"id": row.id}, state=str(ImportState.RUNNING), started=now, seen=now)
        return _job(get_row(connection, jobs, id=row.id))


def _mine(job: BackendJob) -> dict[str, Any]:
    """The columns of a job that the caller still works on: not cancelled, not taken over."""
    return {"id": job.id, "state": str(ImportState.RUNNING), "started": job.started}


def signal(workspace: Workspace, job: BackendJob) -> bool:
    """Store a heartbeat; whether the caller still works on the job."""
    with workspace.write() as connection:
        if find_row(connection, schema.jobs, **_mine(job)) is None:
            return False
        change_rows(connection, schema.jobs, {"id": job.id}, seen=time.time())
        return True


def note_progress(workspace: Workspace, job: BackendJob, result: Mapping[str, Any]) -> None:
    """Store how far the caller's job is: total, done, added, problems."""
    with workspace.write() as connection:
        change_rows(connection, schema.jobs, _mine(job), result=dict(result), seen=time.time())


def release_job(workspace: Workspace, job: BackendJob) -> None:
    """Give a job back for another worker, because this process ends."""
    with workspace.write() as connection:
        change_rows(connection, schema.jobs, _mine(job), state=str(ImportState.WAITING))


def end_job(workspace: Workspace, job: BackendJob, error: str | None = None) -> None:
    """Store that the caller's job is done, or why it failed (error)."""
    state = ImportState.DONE if error is None else ImportState.FAILED
    with workspace.write() as connection:
        values = {"state": str(state), "error": error, "finished": time.time()}
        change_rows(connection, schema.jobs, _mine(job), **values)
