"""Pictures and recordings of a study: stored once under their hash in a folder beside the workspace, known by name in the study."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import sqlalchemy as sa

from folkways.errors import FolkwaysError
from folkways.files import write_bytes
from folkways.studio.errors import NotFoundError
from folkways.studio.imports.media import MediaError
from folkways.studio.records import from_row
from folkways.studio.services import audit
from folkways.studio.services.rows import find_row, read_all
from folkways.workspace.database import Workspace
from folkways.workspace.studio import tables as schema

FOLDER_VARIABLE = "FOLKWAYS_MEDIA"


@dataclass(frozen=True, slots=True)
class Media:
    """One file of a study. type: "image/png". bytes: its size. sha256: of its contents, in hexadecimal."""

    name: str
    type: str
    bytes: int
    sha256: str


def media_folder(workspace: Workspace) -> Path:
    """Where files lie: the folder that FOLKWAYS_MEDIA names, else ``studio.db-media`` beside a workspace ``studio.db``.

    FolkwaysError for a workspace on a server, which has no place beside it.
    """
    chosen = os.environ.get(FOLDER_VARIABLE)
    if chosen:
        return Path(chosen).expanduser()
    if "://" in workspace.location:
        raise FolkwaysError(
            f"a workspace on a server has no folder for pictures and recordings; name one: export {FOLDER_VARIABLE}=/srv/media"
        )
    return Path(f"{Path(workspace.location).expanduser()}-media")


def add_media(
    workspace: Workspace,
    study_id: int,
    files: Mapping[str, tuple[str, bytes]],
    *,
    by: int | None = None,
    now: float | None = None,
) -> int:
    """Add files (``imports.media.read_media``) to a study, all or none; returns how many are new.

    A name stands for one file: what people were shown is not changed under them. MediaError names each that is there already with
    other contents.
    """
    now = time.time() if now is None else now
    folder = media_folder(workspace)
    hashes = {name: hashlib.sha256(content).hexdigest() for name, (_, content) in files.items()}
    for name, (_, content) in files.items():
        path = _path(folder, hashes[name])
        if not path.exists():
            write_bytes(path, content)
    table = schema.media
    with workspace.claim() as connection:
        rows = connection.execute(sa.select(table.c.name, table.c.sha256).filter_by(study_id=study_id))
        known = {row.name: row.sha256 for row in rows}
        wrong = [name for name, found in hashes.items() if known.get(name, found) != found]
        if wrong:
            raise MediaError(dict.fromkeys(wrong, "is in the study already with other contents; give the new one another name"))
        new = [name for name in files if name not in known]
        for name in new:
            kind, content = files[name]
            if not (path := _path(folder, hashes[name])).exists():  # a study that had it as well was deleted at this moment
                write_bytes(path, content)
            row = {"study_id": study_id, "name": name, "type": kind, "bytes": len(content), "sha256": hashes[name], "created": now}
            connection.execute(sa.insert(table), row)
        if new:
            audit.note(connection, "media.added", study_id=study_id, account_id=by, details={"n": len(new)}, now=now)
    return len(new)


def list_media(workspace: Workspace, study_id: int) -> tuple[Media, ...]:
    """The files of a study by name."""
    return read_all(workspace, Media, sa.select(schema.media).filter_by(study_id=study_id).order_by(schema.media.c.name))


def find_media(workspace: Workspace, study_id: int, name: str) -> tuple[Media, Path]:
    """A file of a study and where it lies; NotFoundError."""
    with workspace.read() as connection:
        row = find_row(connection, schema.media, study_id=study_id, name=name)
    if row is None:
        raise NotFoundError("there is no such file")
    found = from_row(Media, row)
    path = _path(media_folder(workspace), found.sha256)
    if not path.is_file():
        raise NotFoundError("there is no such file")
    return found, path


def media_names(workspace: Workspace, study_id: int) -> frozenset[str]:
    """The names of the files of a study."""
    with workspace.read() as connection:
        return frozenset(connection.scalars(sa.select(schema.media.c.name).filter_by(study_id=study_id)))


def delete_files(workspace: Workspace, study_id: int) -> None:
    """Delete the files of a study that no other study has. What is known of them stays, for whoever deletes the study's rows."""
    mine, others = schema.media, schema.media.alias()
    shared = sa.exists().where(others.c.sha256 == mine.c.sha256, others.c.study_id != study_id)
    with workspace.write() as connection:
        for sha256 in connection.scalars(sa.select(mine.c.sha256).where(mine.c.study_id == study_id, ~shared)):
            _path(media_folder(workspace), sha256).unlink(missing_ok=True)


def no_file(name: str) -> str:
    """What is said of a file that an item names and nobody has brought."""
    return f"there is no picture or recording {name!r} in the study; bring it first"


def read_bytes(workspace: Workspace, media: Media) -> bytes:
    """The contents of a file; FolkwaysError where it is gone or has been changed."""
    path = _path(media_folder(workspace), media.sha256)
    try:
        content = path.read_bytes()
    except OSError as error:
        raise FolkwaysError(f"the file {media.name} is not at {path}: {error.strerror or error}") from None
    if hashlib.sha256(content).hexdigest() != media.sha256:
        raise FolkwaysError(f"the file {media.name} at {path} is not the one that was brought; restore the folder")
    return content


def _path(folder: Path, sha256: str) -> Path:
    return folder / sha256[:2] / sha256
