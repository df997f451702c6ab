"""Imports of items: what was brought, how far it is, and taking it back. Their rows are added a few at a
time, so that whoever answers at that moment waits for a few rows and not for all.
"""

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
from folkways_studio.database.rows import change_rows, count, inserted_id, read_values
from folkways_studio.errors import ConflictError, NotFoundError
from folkways_studio.items.service import Checked, place_new
from folkways_studio.records import Stage

KIND = "import"

STALE_SECONDS = 30.0
"""After so long without a sign of life of whoever works on an import, somebody else goes on with it."""

MOST_PROBLEMS = 100
"""Problems of rows that are kept with an import."""


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
"""States of imports at which something is to be done."""


@dataclass(frozen=True, slots=True)
class Import:
    """One import. file: its name. population: for rows that name none. rows: None until they have been
    counted. added: so far.

    problems: row (1-based, the header not counted) and what is wrong with it, of the first MOST_PROBLEMS.
    error: why it failed. deleted: items that were deleted again. started: by whoever works on it now; nobody
    else's work on it counts any more.
    """

    id: int
    study_id: int
    account_id: int | None
    state: str
    stage: str
    file: str
    population: str | None
    rows: int | None
    added: int
    deleted: int
    problems: tuple[tuple[int, str], ...]
    error: str | None
    created: float
    started: float | None
    finished: float | None


def _import(row: Any) -> Import:
    result = row.result or {}
    return Import(
        row.id, row.study_id, row.account_id, row.state, row.details["stage"], row.details["file"], row.details["population"],
        result.get("rows"), result.get("added", 0), result.get("deleted", 0),
        tuple((number, problem) for number, problem in result.get("problems", ())), row.error, row.created,
        row.started, row.finished,
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
    content: bytes | None = None,
    by: int | None = None,
) -> Import:
    """Note that a file is to be imported. content: of the file, for anybody to ``claim``, also where
    somebody is interrupted; without it the caller works on it.
    """
    now = time.time()
    waiting = content is not None
    row = {
        "study_id": study_id,
        "account_id": by,
        "kind": KIND,
        "state": str(ImportState.WAITING if waiting else ImportState.RUNNING),
        "details": {"stage": stage, "file": file[:200], "population": population},
        "created": now,
        "started": None if waiting else now,
        "seen": now,
        "content": zlib.compress(content, 1) if content is not None else None,
    }
    with workspace.write() as connection:
        number = inserted_id(connection, schema.jobs, row)
    return get_import(workspace, study_id, number)


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
    """Whether an import whose file is here waits for somebody, or was left by whoever worked on it."""
    jobs = schema.jobs
    left = sa.and_(jobs.c.state == ImportState.RUNNING, jobs.c.seen < now - STALE_SECONDS)
    return sa.and_(
        jobs.c.kind == KIND, jobs.c.content.is_not(None), sa.or_(jobs.c.state == ImportState.WAITING, left)
    )


def claim(workspace: Workspace) -> tuple[Import, bytes] | None:
    """The oldest import that nobody works on, which is the caller's from now on, with its file; None where
    there is none."""
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


def release(workspace: Workspace, found: Import) -> None:
    """Leave an import for somebody else to go on with: this process ends."""
    with workspace.write() as connection:
        change_rows(connection, schema.jobs, _mine(found), state=str(ImportState.WAITING))


def _mine(found: Import) -> dict[str, Any]:
    """What the row of an import has as long as the caller works on it: it was not cancelled, and nobody else
    has taken it up."""
    return {"id": found.id, "state": str(ImportState.RUNNING), "started": found.started}


def is_mine(workspace: Workspace, found: Import) -> bool:
    """Whether the caller still works on an import."""
    with workspace.read() as connection:
        return _job(connection, **_mine(found)) is not None


def keys_of(workspace: Workspace, stage_id: int, import_id: int | None = None) -> frozenset[str]:
    """The keys of the items of a stage; only of those that came by this import, if one is given."""
    items = schema.items
    query = sa.select(items.c.key).where(items.c.stage_id == stage_id)
    if import_id is not None:
        query = query.where(items.c.job_id == import_id)
    return frozenset(read_values(workspace, query))


def add_batch(
    workspace: Workspace, found: Import, stage: Stage, new: Sequence[Checked], *, rows: int
) -> bool:
    """Add a few of an import's items in one short transaction. False, and nothing is added, where it is the
    caller's no more: it was cancelled.

    rows: how many it has in all. ConflictError for a key that somebody else has added meanwhile.
    """
    with workspace.write() as connection:
        job = _job(connection, **_mine(found))
        if job is None:
            return False
        place_new(connection, stage, new, job_id=found.id)
        result = {"rows": rows, "added": (job.result or {}).get("added", 0) + len(new)}
        change_rows(connection, schema.jobs, {"id": found.id}, result=result, seen=time.time())
    return True


def signal(workspace: Workspace, found: Import) -> None:
    """Say that somebody is at work on an import."""
    with workspace.write() as connection:
        change_rows(connection, schema.jobs, _mine(found), seen=time.time())


def end(
    workspace: Workspace,
    found: Import,
    state: ImportState,
    *,
    error: str | None = None,
    problems: Sequence[tuple[int, str]] = (),
) -> Import:
    """Note how an import ended that is the caller's. What a failed one had added is deleted, but for what was
    answered already."""
    with workspace.write() as connection:
        job = _job(connection, **_mine(found))
        if job is None:
            return _within(connection, found.study_id, found.id)
        result = {
            **(job.result or {}),
            "problems": [[number, problem] for number, problem in problems[:MOST_PROBLEMS]],
        }
        values = {
            "state": str(state),
            "result": result,
            "error": error,
            "content": None,
            "finished": time.time(),
        }
        change_rows(connection, schema.jobs, {"id": found.id}, **values)
        added = result.get("added", 0)
        if state == ImportState.DONE:
            details: dict[str, Any] = {"stage": found.stage, "n": added, "import": found.id}
            audit.record_event(
                connection,
                "items.added",
                study_id=found.study_id,
                account_id=found.account_id,
                details=details,
            )
    if state == ImportState.FAILED and added:
        items = schema.items
        gone = delete_items(
            workspace, items.c.study_id == found.study_id, items.c.job_id == found.id, unbegun()
        )
        with workspace.write() as connection:
            change_rows(connection, schema.jobs, {"id": found.id}, result={**result, "deleted": gone})
    return get_import(workspace, found.study_id, found.id)


def cancel(workspace: Workspace, study_id: int, import_id: int, *, by: int | None = None) -> Import:
    """Stop an import; what it has added stays until it is deleted. ConflictError for one that is over."""
    with workspace.write() as connection:
        found = _within(connection, study_id, import_id)
        if found.state not in (ImportState.RUNNING, ImportState.WAITING):
            raise ConflictError("this import is over; its items can be deleted")
        values = {"state": str(ImportState.CANCELLED), "content": None, "finished": time.time()}
        change_rows(connection, schema.jobs, {"id": import_id}, **values)
        details = {"stage": found.stage, "n": found.added, "import": import_id}
        audit.record_event(connection, "import.cancelled", study_id=study_id, account_id=by, details=details)
        return _within(connection, study_id, import_id)


@dataclass(frozen=True, slots=True)
class RemainingItems:
    """What is there of an import: items that nobody has begun, which can be deleted, and others, which
    stay."""

    unused: int
    used: int


def remaining_items(workspace: Workspace, study_id: int, import_id: int) -> RemainingItems:
    """How many items of an import are there, by whether somebody has answered or works on them, or decided
    over them."""
    items = schema.items
    mine = items.c.study_id == study_id, items.c.job_id == import_id
    with workspace.read() as connection:
        unused = count(connection, items, *mine, unbegun())
        return RemainingItems(unused, count(connection, items, *mine) - unused)


def unbegun() -> sa.ColumnElement[bool]:
    """Whether nobody has answered an item, works on it, or has decided over it, and nothing descends from
    it."""
    items, slots = schema.items, schema.assignments
    child = items.alias()
    return sa.and_(
        ~sa.exists().where(slots.c.item_id == items.c.id, slots.c.participant_id.is_not(None)),
        ~sa.exists().where(schema.judgements.c.item_id == items.c.id),
        ~sa.exists().where(schema.adjudications.c.item_id == items.c.id),
        ~sa.exists().where(child.c.parent_id == items.c.id),
    )


def delete_import(workspace: Workspace, study_id: int, import_id: int, *, by: int | None = None) -> Import:
    """Have the items of an import deleted that nobody has begun; ``finish_deletions`` does it. ConflictError
    while it is at work.

    Items that somebody has answered or works on stay with their answers: drop those that are not wanted.
    """
    with workspace.write() as connection:
        found = _within(connection, study_id, import_id)
        if found.state in AT_WORK:
            raise ConflictError("this import is at work; cancel it first")
        job = _job(connection, id=import_id)
        result = {**(job.result or {}), "by": by}
        change_rows(
            connection, schema.jobs, {"id": import_id}, state=str(ImportState.DELETING), result=result
        )
        return _within(connection, study_id, import_id)


def finish_deletions(workspace: Workspace) -> None:
    """Delete what was to be deleted of imports, a few items at a time; also where the process before this one
    was stopped at it."""
    items = schema.items
    with workspace.read() as connection:
        found = [
            _import(row)
            for row in connection.execute(_IMPORTS.where(schema.jobs.c.state == ImportState.DELETING))
        ]
    for each in found:
        gone = delete_items(
            workspace, items.c.study_id == each.study_id, items.c.job_id == each.id, unbegun()
        )
        left = remaining_items(workspace, each.study_id, each.id)
        with workspace.write() as connection:
            job = _job(connection, id=each.id)
            if job is None or job.state != ImportState.DELETING:  # another process was at it as well
                continue
            result = {**(job.result or {}), "deleted": each.deleted + gone}
            by = result.pop("by", None)
            change_rows(
                connection, schema.jobs, {"id": each.id}, state=str(ImportState.DELETED), result=result
            )
            details = {"stage": each.stage, "n": gone, "kept": left.used + left.unused, "import": each.id}
            audit.record_event(
                connection, "items.deleted", study_id=each.study_id, account_id=by, details=details
            )
