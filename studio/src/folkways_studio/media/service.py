"""Pictures and recordings of a study: stored once under their hash (see ``media.stores``), and known by name
in the study."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import PureWindowsPath

import sqlalchemy as sa

from folkways.sdk.errors import FolkwaysError
from folkways.sdk.workspace import Workspace
from folkways_studio.database import audit, schema
from folkways_studio.database.rows import changing, find_row, read_all, read_values
from folkways_studio.errors import ConflictError, NotFoundError
from folkways_studio.media.reading import MediaError
from folkways_studio.media.stores import MediaStoreError, media_store
from folkways_studio.records import ItemState, from_row
from folkways_studio.stages.registry import stage_kind

DELETED = "media.deleted"
MOST_TOLD = 10
"""Items named in an error."""


@dataclass(frozen=True, slots=True)
class Media:
    """One file of a study. type: "image/png". bytes: its size. sha256: of its contents, in hexadecimal."""

    name: str
    type: str
    bytes: int
    sha256: str


def add_media(
    workspace: Workspace, study_id: int, files: Mapping[str, tuple[str, bytes]], *, by: int | None = None
) -> int:
    """Add files (from ``media.reading.read_media``) to a study, all or none, and return how many are new.

    A name means one file for ever, because people have seen it. MediaError names files whose name has other
    contents already. workspace, study_id: the study. by: the account that acts, for the audit trail.
    """
    store = media_store(workspace)
    hashes = {name: hashlib.sha256(content).hexdigest() for name, (_, content) in files.items()}

    stored: list[str] = []

    def keep(names: Iterable[str]) -> None:
        for name in names:
            if not store.has(hashes[name]):
                stored.append(hashes[name])
                store.write(hashes[name], files[name][1])

    try:
        keep(files)
        new = _add_rows(workspace, study_id, files, hashes, by)
    except Exception:
        with suppress(FolkwaysError):  # the first error matters
            for sha256 in stored:
                _delete_contents(workspace, None, sha256)
        raise
    keep(new)  # a study with the same file may have been deleted meanwhile
    return len(new)


def _add_rows(
    workspace: Workspace,
    study_id: int,
    files: Mapping[str, tuple[str, bytes]],
    hashes: Mapping[str, str],
    by: int | None,
) -> list[str]:
    """The names that are new, now with rows; MediaError."""
    table = schema.media
    with changing(workspace, study_id) as connection:
        earlier = _deleted(connection, study_id)
        rows = connection.execute(sa.select(table.c.name, table.c.sha256).filter_by(study_id=study_id))
        existing = {row.name: row.sha256 for row in rows}
        another = "with other contents; give the new one another name"
        problems = {
            name: f"is in the study already {another}"
            for name, digest in hashes.items()
            if existing.get(name, digest) != digest
        }
        problems |= {
            name: f"was in the study {another}"
            for name, digest in hashes.items()
            if earlier.get(name, digest) != digest
        }
        if problems:
            raise MediaError(problems)
        new = [name for name in files if name not in existing]
        for name in new:
            kind, content = files[name]
            row = {
                "study_id": study_id,
                "name": name,
                "type": kind,
                "bytes": len(content),
                "sha256": hashes[name],
            }
            connection.execute(sa.insert(table), {**row, "created": time.time()})
        if new:
            audit.record_event(connection, "media.added", study_id, by, details={"n": len(new)})
    return new


def _deleted(connection: sa.Connection, study_id: int) -> dict[str, str]:
    """Name -> hash of deleted files: their names cannot be reused for other contents."""
    query = sa.select(schema.events.c.details).filter_by(study_id=study_id, kind=DELETED)
    return {each["name"]: each["sha256"] for each in connection.scalars(query)}


def delete_media(workspace: Workspace, study_id: int, name: str, *, by: int | None = None) -> None:
    """Delete a file of a study. Raises NotFoundError, ConflictError naming the items that still show it, and
    MediaStoreError if its contents cannot be deleted. name: which file. workspace, study_id: the study. by:
    the account that acts, for the audit trail."""
    with workspace.write() as connection:
        row = find_row(connection, schema.media, study_id=study_id, name=name)
        if row is None:
            raise NotFoundError("there is no such file")
        if shown := _showing(connection, study_id, name):
            hidden = len(shown) - MOST_TOLD
            names = ", ".join(shown[:MOST_TOLD]) + (f" (+{hidden})" if hidden > 0 else "")
            raise ConflictError(
                "items still show this file: %(items)s; drop them first, nothing was deleted", items=names
            )
        connection.execute(sa.delete(schema.media).where(schema.media.c.id == row.id))
        details = {"name": name, "sha256": row.sha256}
        audit.record_event(connection, DELETED, study_id, by, details=details)
    try:
        _delete_contents(workspace, None, row.sha256)
    except MediaStoreError as error:
        raise MediaStoreError(
            f"{name} is out of the study, but what was in it still lies under {row.sha256}; delete it "
            f"there. {error}"
        ) from None


def _showing(connection: sa.Connection, study_id: int, name: str) -> list[str]:
    """The keys of items that show a file and are not dropped."""
    items, stages = schema.items, schema.stages
    written = json.dumps(name, ensure_ascii=False)  # the database filters out nearly all items
    query = (
        sa.select(items.c.key, items.c.content, stages.c.kind, stages.c.config)
        .join(stages, stages.c.id == items.c.stage_id)
        .where(items.c.study_id == study_id, items.c.state != ItemState.DROPPED)
        .where(sa.cast(items.c.content, sa.Text).contains(written, autoescape=True))
        .order_by(items.c.id)
    )
    return [
        key
        for key, content, kind, config in connection.execute(query)
        if name in stage_kind(kind).media(content, config)
    ]


def _delete_contents(workspace: Workspace, number: int | None, sha256: str) -> None:
    """Delete a file's contents unless another row has them too. Runs outside a transaction, because the store
    may be slow: contents that another row has got meanwhile are put back.

    number: id of the file's row if it still exists; of a row that is gone, a new one may have the id.
    """
    others = sa.select(schema.media.c.id).where(schema.media.c.sha256 == sha256).limit(1)
    if number is not None:
        others = others.where(schema.media.c.id != number)
    store = media_store(workspace)
    if read_values(workspace, others):
        return
    try:
        content = store.read(sha256)
    except FileNotFoundError:
        return
    store.delete(sha256)
    if read_values(workspace, others):
        store.write(sha256, content)


def list_media(workspace: Workspace, study_id: int) -> tuple[Media, ...]:
    """The files of a study by name."""
    return read_all(
        workspace, Media, sa.select(schema.media).filter_by(study_id=study_id).order_by(schema.media.c.name)
    )


def find_media(workspace: Workspace, study_id: int, name: str) -> Media:
    """A file of a study; NotFoundError."""
    with workspace.read() as connection:
        row = find_row(connection, schema.media, study_id=study_id, name=name)
    if row is None:
        raise NotFoundError("there is no such file")
    return from_row(Media, row)


def media_names(workspace: Workspace, study_id: int) -> frozenset[str]:
    """The names of the files of a study."""
    return frozenset(read_values(workspace, sa.select(schema.media.c.name).filter_by(study_id=study_id)))


def delete_files(workspace: Workspace, study_id: int) -> None:
    """Delete all files of a study; contents that another study has stay. Can be repeated after a failure."""
    mine = schema.media
    with workspace.read() as connection:
        rows = connection.execute(
            sa.select(mine.c.id, mine.c.sha256).where(mine.c.study_id == study_id)
        ).all()
    for number, sha256 in rows:
        _delete_contents(workspace, number, sha256)
        with workspace.write() as connection:
            connection.execute(sa.delete(mine).where(mine.c.id == number))


def no_file(name: str) -> str:
    """The message about a file that an item names but the study lacks."""
    bare = PureWindowsPath(name).name
    way = "bring it first" if bare == name else f"files are known without their folders: write {bare!r}"
    return f"there is no picture or recording {name!r} in the study; {way}"


def read_bytes(workspace: Workspace, media: Media) -> bytes:
    """The contents of a file; FolkwaysError if it is missing or has been changed."""
    store = media_store(workspace)
    try:
        content = store.read(media.sha256)
    except FileNotFoundError:
        raise FolkwaysError(
            f"the file {media.name} is not in {store.place} (as {media.sha256}); put it back"
        ) from None
    if hashlib.sha256(content).hexdigest() != media.sha256:
        raise FolkwaysError(
            f"the file {media.name} in {store.place} is not the one that was brought ({media.sha256}); put "
            "it back"
        )
    return content
