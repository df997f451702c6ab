"""Imports of items: their state, and deleting them. Rows are added in small batches, so that people who
answer meanwhile wait only for a few."""

from __future__ import annotations

import time
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import sqlalchemy as sa

from folkways.sdk.workspace import Workspace
from folkways_studio.database import audit, schema
from folkways_studio.database.deletion import delete_items
from folkways_studio.database.rows import change_rows, changing, count, inserted_id, read_values
from folkways_studio.errors import ConflictError, NotFoundError
from folkways_studio.items.peer_rows import Annotations
from folkways_studio.items.service import CheckedItem, place_new
from folkways_studio.records import Stage

KIND = "import"

STALE_SECONDS = 30.0
"""Without a heartbeat for this long, another worker takes an import over."""

INTERRUPTED = "it was interrupted; import the file again"

MOST_PROBLEMS = 1_000
"""Problems of rows that are stored with an import."""


class ImportState(StrEnum):
    """How far an import is."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"  # nothing of it was kept, but for what was answered meanwhile
    CANCELLED = "cancelled"
    DELETING = "deleting"
    DELETED = "deleted"  # but for the items that somebody had begun


AT_WORK = (ImportState.WAITING, ImportState.RUNNING, ImportState.DELETING)
"""States in which something is left to do."""


@dataclass(frozen=True, slots=True)
class Import:
    """One import. file: its name. population: for rows that name none. rows: None until they are counted.
    added: so far. annotations: what becomes of people's answers
    in it. notes: what of the file was left out.

    problems: row (1-based, without the header) and what is wrong with it, for the first MOST_PROBLEMS. error:
    why it failed. deleted: items deleted again. started: identifies the current worker; others can no longer
    change the import.
    """

    id: int
    study_id: int
    account_id: int | None
    state: str
    stage: str
    file: str
    population: str | None
    annotations: Annotations | None
    rows: int | None
    added: int
    deleted: int
    problems: tuple[tuple[int, str], ...]
    notes: tuple[str, ...]
    error: str | None
    created: float
    started: float | None
    finished: float | None


def _import(row: Any) -> Import:
    result = row.result or {}
    return Import(
        row.id, row.study_id, row.account_id, row.state, row.details["stage"], row.details["file"],
        row.details["population"], row.details.get("annotations"), result.get("rows"),
        result.get("added", 0), result.get("deleted", 0),
        tuple((number, problem) for number, problem in result.get("problems", ())),
        tuple(result.get("notes", ())), row.error, row.created, row.started, row.finished,
    )  # fmt: skip


_COLUMNS = [column for column in schema.jobs.columns if column.name != "content"]
_IMPORTS = sa.select(*_COLUMNS).where(schema.jobs.c.kind == KIND)


def begin(
    workspace: Workspace,
    study_id: int,
    stage: str,
    file: str,
    *,
    population: str | None = None,
    annotations: Annotations | None = None,
    content: bytes | None = None,
    by: int | None = None,
) -> Import:
    """Create an import into a stage. file: its name. population: for rows that name none. annotations:
    what becomes of the answers of people in it (``peer_rows``). content: the file, for a worker to ``claim``;
    without it the caller does the work. workspace, study_id: the study. by: the account that acts, for the
    audit trail."""
    now = time.time()
    waiting = content is not None
    row = {
        "study_id": study_id,
        "account_id": by,
        "kind": KIND,
        "state": str(ImportState.WAITING if waiting else ImportState.RUNNING),
        "details": {"stage": stage, "file": file[:200], "population": population, "annotations": annotations},
        "created": now,
        "started": None if waiting else now,
        "seen": now,
        "content": zlib.compress(content, 1) if content is not None else None,
    }
    with changing(workspace, study_id) as connection:
        return _within(connection, study_id, inserted_id(connection, schema.jobs, row))


def get_import(workspace: Workspace, study_id: int, import_id: int) -> Import:
    """An import of this study; NotFoundError."""
    with workspace.read() as connection:
        return _within(connection, study_id, import_id)


def _within(connection: sa.Connection, study_id: int, import_id: int) -> Import:
    row = _job(connection, study_id=study_id, id=import_id)
    if row is None:
        raise NotFoundError("there is no such import")
    return _import(row)


def _job(connection: sa.Connection, **values: Any) -> Any:
    """The row of an import without its file, which may be large."""
    return connection.execute(_IMPORTS.filter_by(**values)).first()


def list_imports(workspace: Workspace, study_id: int) -> tuple[Import, ...]:
    """The imports of a study, newest first."""
    with workspace.read() as connection:
        rows = connection.execute(_IMPORTS.filter_by(study_id=study_id).order_by(schema.jobs.c.id.desc()))
        return tuple(_import(row) for row in rows)


def _free(now: float) -> sa.ColumnElement[bool]:
    """Whether an import with a stored file waits for a worker or was abandoned by one."""
    jobs = schema.jobs
    left = sa.and_(jobs.c.state == ImportState.RUNNING, jobs.c.seen < now - STALE_SECONDS)
    return sa.and_(
        jobs.c.kind == KIND, jobs.c.content.is_not(None), sa.or_(jobs.c.state == ImportState.WAITING, left)
    )


def claim(workspace: Workspace) -> tuple[Import, bytes] | None:
    """Claim the oldest import that nobody works on, and return it with its file; None if there is none."""
    now = time.time()
    jobs = schema.jobs
    query = sa.select(jobs).where(_free(now)).order_by(jobs.c.id).limit(1)
    with workspace.read() as connection:
        if connection.execute(query.with_only_columns(jobs.c.id)).first() is None:
            return None
    with workspace.write() as connection:
        row = connection.execute(query).first()
        if row is None:
            return None
        change_rows(connection, jobs, {"id": row.id}, state=str(ImportState.RUNNING), started=now, seen=now)
        return _within(connection, row.study_id, row.id), zlib.decompress(row.content)


def end_abandoned(workspace: Workspace) -> None:
    """End imports whose file is not stored and whose command is gone, as after a power cut: they fail."""
    jobs = schema.jobs
    gone = (
        jobs.c.state == ImportState.RUNNING,
        jobs.c.content.is_(None),
        jobs.c.seen < time.time() - STALE_SECONDS,
    )
    with workspace.read() as connection:
        left = [_import(row) for row in connection.execute(_IMPORTS.where(*gone))]
    for job in left:
        end(workspace, job, ImportState.FAILED, error=INTERRUPTED)


def release(workspace: Workspace, job: Import) -> None:
    """Give an import back for another worker, because this process ends."""
    with workspace.write() as connection:
        change_rows(connection, schema.jobs, _mine(job), state=str(ImportState.WAITING))


def _mine(job: Import) -> dict[str, Any]:
    """The columns of an import that the caller still works on: not cancelled, not taken over."""
    return {"id": job.id, "state": str(ImportState.RUNNING), "started": job.started}


def is_mine(workspace: Workspace, job: Import) -> bool:
    """Whether the caller still works on an import."""
    with workspace.read() as connection:
        return _job(connection, **_mine(job)) is not None


def keys_of(workspace: Workspace, stage_id: int, import_id: int | None = None) -> frozenset[str]:
    """The keys of the items of a stage; of one import, if given."""
    items = schema.items
    query = sa.select(items.c.key).where(items.c.stage_id == stage_id)
    if import_id is not None:
        query = query.where(items.c.job_id == import_id)
    return frozenset(read_values(workspace, query))


def add_batch(
    workspace: Workspace, job: Import, stage: Stage, new: Sequence[CheckedItem], *, rows: int
) -> bool:
    """Add a few ``new`` items of an import to a stage in one short transaction. False, without adding any, if
    it is no longer the caller's.

    workspace, job: the import.
    rows: how many it has in all. ConflictError for a key added by somebody else meanwhile.
    """
    with workspace.write() as connection:
        row = _job(connection, **_mine(job))
        if row is None:
            return False
        place_new(connection, stage, new, job_id=job.id)
        before = row.result or {}
        result = {**before, "rows": rows, "added": before.get("added", 0) + len(new)}
        change_rows(connection, schema.jobs, {"id": job.id}, result=result, seen=time.time())
    return True


def note(workspace: Workspace, job: Import, notes: Sequence[str]) -> None:
    """Store what of the file of the caller's import is left out."""
    with workspace.write() as connection:
        row = _job(connection, **_mine(job))
        if row is not None and notes:
            result = {**(row.result or {}), "notes": list(notes)}
            change_rows(connection, schema.jobs, {"id": job.id}, result=result)


def signal(workspace: Workspace, job: Import) -> None:
    """Store a heartbeat."""
    with workspace.write() as connection:
        change_rows(connection, schema.jobs, _mine(job), seen=time.time())


def end(
    workspace: Workspace,
    job: Import,
    state: ImportState,
    *,
    error: str | None = None,
    problems: Sequence[tuple[int, str]] = (),
) -> Import:
    """Store the final state of the caller's import, with its error and problems. What a failed one had added
    is deleted, except items with answers. workspace, job: the import."""
    with workspace.write() as connection:
        row = _job(connection, **_mine(job))
        if row is None:
            return _as_stored(connection, job)
        result = {
            **(row.result or {}),
            "problems": [[number, problem] for number, problem in problems[:MOST_PROBLEMS]],
        }
        values = {
            "state": str(state),
            "result": result,
            "error": error,
            "content": None,
            "finished": time.time(),
        }
        change_rows(connection, schema.jobs, {"id": job.id}, **values)
        added = result.get("added", 0)
        if state == ImportState.DONE:
            details: dict[str, Any] = {"stage": job.stage, "n": added, "import": job.id}
            audit.record_event(connection, "items.added", job.study_id, job.account_id, details=details)
    if state == ImportState.FAILED and added:
        items = schema.items
        delete_items(workspace, items.c.study_id == job.study_id, items.c.job_id == job.id, unbegun())
        with workspace.write() as connection:
            row = _job(connection, id=job.id)
            if row is None:
                return job
            result = {**row.result, "deleted": added - _left(connection, job)}
            change_rows(connection, schema.jobs, {"id": job.id}, result=result)
    with workspace.read() as connection:
        return _as_stored(connection, job)


def _as_stored(connection: sa.Connection, job: Import) -> Import:
    row = _job(connection, id=job.id)
    return _import(row) if row is not None else job  # its study was deleted meanwhile


def cancel(workspace: Workspace, study_id: int, import_id: int, *, by: int | None = None) -> Import:
    """Cancel an import; what it has added stays until it is deleted. ConflictError if it is over. workspace,
    study_id: the study. import_id: the import. by: the account that acts, for the audit trail."""
    with workspace.write() as connection:
        job = _within(connection, study_id, import_id)
        if job.state not in (ImportState.RUNNING, ImportState.WAITING):
            raise ConflictError("this import is over; its items can be deleted")
        values = {"state": str(ImportState.CANCELLED), "content": None, "finished": time.time()}
        change_rows(connection, schema.jobs, {"id": import_id}, **values)
        details = {"stage": job.stage, "n": job.added, "import": import_id}
        audit.record_event(connection, "import.cancelled", study_id, by, details=details)
        return _within(connection, study_id, import_id)


@dataclass(frozen=True, slots=True)
class RemainingItems:
    """Items of an import: unused ones that nobody has begun, which can be deleted, and used ones, which
    stay."""

    unused: int
    used: int


def remaining_items(workspace: Workspace, study_id: int, import_id: int) -> RemainingItems:
    """How many items of an import exist, by whether somebody has begun, answered or decided them."""
    items = schema.items
    mine = items.c.study_id == study_id, items.c.job_id == import_id
    with workspace.read() as connection:
        unused = count(connection, items, *mine, unbegun())
        return RemainingItems(unused, count(connection, items, *mine) - unused)


def _left(connection: sa.Connection, job: Import) -> int:
    """How many items of an import exist: counted, because another process may delete some of them too."""
    return count(connection, schema.items, schema.items.c.job_id == job.id)


def unbegun() -> sa.ColumnElement[bool]:
    """Whether nobody has answered, holds or has decided an item, and nothing descends from it."""
    items, slots = schema.items, schema.assignments
    child = items.alias()
    return sa.and_(
        ~sa.exists().where(slots.c.item_id == items.c.id, slots.c.participant_id.is_not(None)),
        ~sa.exists().where(schema.judgements.c.item_id == items.c.id),
        ~sa.exists().where(schema.adjudications.c.item_id == items.c.id),
        ~sa.exists().where(child.c.parent_id == items.c.id),
    )


def delete_import(workspace: Workspace, study_id: int, import_id: int, *, by: int | None = None) -> Import:
    """Schedule the deletion of an import's unused items for ``finish_deletions``. Raises ConflictError while
    the import runs.

    Items that somebody has answered or holds stay with their answers; drop the unwanted ones. workspace,
    study_id: the study. import_id: the import. by: the account that acts, for the audit trail.
    """
    with workspace.write() as connection:
        job = _within(connection, study_id, import_id)
        if job.state in AT_WORK:
            raise ConflictError("this import is at work; cancel it first")
        row = _job(connection, id=import_id)
        result = {**(row.result or {}), "by": by}
        change_rows(
            connection, schema.jobs, {"id": import_id}, state=str(ImportState.DELETING), result=result
        )
        return _within(connection, study_id, import_id)


def finish_deletions(workspace: Workspace) -> None:
    """Do scheduled deletions in small batches, also those interrupted in an earlier process."""
    items = schema.items
    with workspace.read() as connection:
        jobs = [
            _import(row)
            for row in connection.execute(_IMPORTS.where(schema.jobs.c.state == ImportState.DELETING))
        ]
    for each in jobs:
        delete_items(workspace, items.c.study_id == each.study_id, items.c.job_id == each.id, unbegun())
        with workspace.write() as connection:
            row = _job(connection, id=each.id)
            if row is None or row.state != ImportState.DELETING:  # another process was at it as well
                continue
            left, before = _left(connection, each), _import(row)
            gone = before.added - before.deleted - left
            result = {**(row.result or {}), "deleted": before.deleted + gone}
            by = result.pop("by", None)
            change_rows(
                connection, schema.jobs, {"id": each.id}, state=str(ImportState.DELETED), result=result
            )
            details = {"stage": each.stage, "n": gone, "kept": left, "import": each.id}
            audit.record_event(connection, "items.deleted", each.study_id, by, details=details)
