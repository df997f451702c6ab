"""Backs a workspace up into one file while others write to it, and restores it.

A backup is a ZIP file with ``backup.json`` (its description), ``workspace.db`` (always a SQLite workspace, so
that a study can move from a file to a server), and ``media/`` (pictures and recordings by hash). Media in a
bucket stay there: the backup names it. Media that cannot be read are named, and the rest is backed up.
"""

from __future__ import annotations

import errno
import json
import shutil
import sqlite3
import tempfile
import time
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from folkways import __version__
from folkways.sdk.display import plural
from folkways.sdk.workspace import PROBLEMS, Workspace, WorkspaceError, explained
from folkways.sdk.workspace import schema as stored
from folkways_studio.database import schema
from folkways_studio.database.audit import record_event
from folkways_studio.database.guards import guards, without_guards
from folkways_studio.database.opening import TABLES, open_workspace
from folkways_studio.formats.zip_files import open_zip
from folkways_studio.media.stores import Bucket, MediaStore, MediaStoreError, has_own_folder, media_store

ABOUT, DATABASE, MEDIA = "backup.json", "workspace.db", "media"
UNFINISHED, PACKED = ".backup-", "backup.zip"
"""The folder of a backup that is being made, and the file in it that becomes the backup."""
KILLED_SECONDS = 3600
"""A backup to which nothing has been written for so long is nobody's any more."""
COUNTED = {
    "studies": schema.studies,
    "participants": schema.participants,
    "answers": schema.judgements,
    "media": schema.media,
    "runs": stored.runs,
}
WORDS = {
    "studies": ("study", "studies"),
    "participants": ("participant", None),
    "answers": ("answer", None),
    "media": ("picture or recording", "pictures and recordings"),
    "runs": ("run", None),
}
"""What is counted, as one and as several."""
ALL_TABLES = (*stored.metadata.sorted_tables, *TABLES.metadata.sorted_tables)
SCHEMA = f"{stored.TABLES.head}+{TABLES.head}"
"""The revisions of both sets of tables, folkways' first."""

ROWS_AT_ONCE = 1000

LOCK_TRIES, QUERY_CANCELED = 60, "57014"


@dataclass(frozen=True, slots=True)
class Backup:
    """What is in a backup. schema: of the database. folkways: the version that made it. made: seconds since
    the epoch. bucket: where media are, if not in the backup. problems: which media could not be read, and
    why."""

    schema: str
    folkways: str
    made: float
    studies: int
    participants: int
    answers: int
    media: int
    runs: int
    bucket: str | None = None
    problems: Sequence[str] = ()

    def __str__(self) -> str:
        counted = in_words({name: getattr(self, name) for name in COUNTED})
        away = f"; pictures and recordings are not in it, they are in {self.bucket}" if self.bucket else ""
        lacks = f"; files not found or not looked for: {len(self.problems)}" if self.problems else ""
        return f"{counted or 'nothing yet'}; schema {self.schema}{away}{lacks}"


def back_up(workspace: Workspace, file: Path) -> Backup:
    """Write a backup of the workspace at one moment after the call, readable only by its owner; nobody has to
    wait for it. Pictures and recordings that cannot be read are left out, and are its ``problems``. Raises
    WorkspaceError if the file exists or cannot be written; nothing is left then. What a killed backup has
    left in the folder of the file is removed."""
    _check_place(file)
    _remove_left_behind(file.parent)
    moment = time.time()
    try:
        with tempfile.TemporaryDirectory(prefix=UNFINISHED, dir=file.parent) as folder:
            copy = Path(folder) / DATABASE
            try:
                (_copy_file if workspace.engine.dialect.name == "sqlite" else _copy_server)(workspace, copy)
            except PROBLEMS as error:
                raise explained(f"cannot back up the workspace {workspace.location}", error) from error
            with closing(open_workspace(copy, create=False)) as copied, copied.read() as connection:
                hashes = sorted(connection.scalars(sa.select(schema.media.c.sha256).distinct()))
                counts = _counts(connection)
            store = media_store(workspace) if hashes else None
            bucket = store.place if isinstance(store, Bucket) else None
            packed = Path(folder) / PACKED
            packed.touch(mode=0o600)
            with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
                archive.write(copy, DATABASE)
                lost = _add_media(store, hashes, archive) if store is not None else {}
                problems = _named(workspace, lost)
                description = Backup(SCHEMA, __version__, moment, **counts, bucket=bucket, problems=problems)
                archive.writestr(ABOUT, json.dumps(asdict(description), indent=1))
            packed.rename(file)  # all of it or nothing
    except OSError as error:
        raise WorkspaceError(f"the backup {file} cannot be written: {error.strerror or error}") from None
    return description


def put_back(
    description: Backup, source: Workspace, workspace: Workspace, *, replace: bool = False
) -> list[str]:
    """Replace a workspace by an unpacked backup, completely or not at all; running servers go on with it. The
    audit trail, which is that of the backup, then says so.

    description, source: what ``unpacked`` gives. replace: even if the workspace is not empty; what is in it
    is lost. Pictures and recordings that it alone had are deleted from its own folder. From a place
    that FOLKWAYS_MEDIA names they are not: other workspaces may have theirs there, and backups lack what is
    in a bucket. Returns the hashes of those that stay. WorkspaceError without it, and where the database
    fails.
    """
    try:
        with workspace.read() as looking:
            _replaced(looking, workspace, replace)
        _bring_media(Path(source.location).parent / MEDIA, workspace)  # people work on meanwhile
        with source.read() as reading, workspace.write() as writing:
            _lock_all(writing)
            existing = _replaced(writing, workspace, replace)
            before = set(writing.scalars(sa.select(schema.media.c.sha256)))
            _clear(writing)
            _copy_rows(reading, writing)
            lost = before.difference(writing.scalars(sa.select(schema.media.c.sha256)))
            made = datetime.fromtimestamp(description.made, UTC).isoformat(timespec="seconds")
            record_event(writing, "workspace.restored", details={"backup_of": made, "replaced": existing})
    except PROBLEMS as error:
        raise explained(
            f"cannot restore the workspace {workspace.location}; nothing was changed", error
        ) from error
    left = sorted(lost)
    if has_own_folder(workspace):
        with suppress(MediaStoreError):
            while left:
                media_store(workspace).delete(left[-1])
                left.pop()
    return left


def _replaced(connection: Connection, workspace: Workspace, replace: bool) -> str:
    """What a backup takes the place of, in words; WorkspaceError if there is something and it may not."""
    existing = in_words(_counts(connection))
    if (existing or _has_accounts(connection)) and not replace:
        raise WorkspaceError(
            f"the workspace {workspace.location} is not empty (it has {existing or 'accounts'}); nothing was "
            "changed. Restore into a new one with --workspace, or replace it with --replace"
        )
    return existing


def _add_media(store: MediaStore, hashes: Sequence[str], archive: zipfile.ZipFile) -> dict[str, str]:
    """Add pictures and recordings, which are stored before the database names them and are compressed
    already; of a bucket look only whether it has them. Hash -> why it is not there."""
    absent = f"is not in {store.place}; add the same file again"
    if isinstance(store, Bucket):
        try:
            return dict.fromkeys(store.lacking(hashes), absent)
        except MediaStoreError as error:
            return dict.fromkeys(hashes, f"was not looked for: {error}")
    problems = {}
    for each in hashes:
        try:
            content = store.read(each)
        except FileNotFoundError:
            problems[each] = absent
        except MediaStoreError as error:
            problems[each] = f"is left out: {error}"
        else:
            archive.writestr(f"{MEDIA}/{each}", content, zipfile.ZIP_STORED)
    return problems


def _named(workspace: Workspace, problems: Mapping[str, str]) -> list[str]:
    """A sentence for each file of a study with these problems by hash, unless it has been deleted since."""
    media, studies = schema.media, schema.studies
    query = (
        sa.select(media.c.sha256, media.c.name, studies.c.name.label("study"))
        .join(studies, studies.c.id == media.c.study_id)
        .order_by(studies.c.name, media.c.name)
    )
    with workspace.read() as connection:
        rows = connection.execute(query).all() if problems else ()
    return [f"{row.name} of {row.study} {problems[row.sha256]}" for row in rows if row.sha256 in problems]


def _remove_left_behind(folder: Path) -> None:
    """Remove the unfinished backups of processes that were killed: whole workspaces, which nobody would miss.
    One that another process is making is written to all the time."""
    for copy in folder.glob(f"{UNFINISHED}{'?' * 8}/{DATABASE}"):
        with suppress(OSError):
            files = list(copy.parent.iterdir())
            last = max(each.stat().st_mtime for each in files)
            ours = all(each.name == PACKED or each.name.startswith(DATABASE) for each in files)
            if ours and last < time.time() - KILLED_SECONDS:
                shutil.rmtree(copy.parent)


def _bring_media(folder: Path, workspace: Workspace) -> None:
    """Copy pictures and recordings to the workspace's store; their names are their hashes."""
    for file in sorted(folder.iterdir()) if folder.is_dir() else ():
        store = media_store(workspace)
        if not store.has(file.name):
            store.write(file.name, file.read_bytes())


def _check_place(file: Path) -> None:
    if file.exists():
        raise WorkspaceError(f"{file} exists and is not overwritten; name another file")
    if not file.parent.is_dir():
        raise WorkspaceError(
            f"the folder {file.parent} does not exist; create it first, or name another place"
        )


def _copy_file(workspace: Workspace, copy: Path) -> None:
    """Copy a database file in use by SQLite's backup API, in one step and thus as of one moment."""
    with closing(workspace.engine.raw_connection()) as source, closing(sqlite3.connect(copy)) as target:
        held: Any = source.driver_connection  # sqlite3's, which SQLAlchemy does not describe
        held.backup(target)


def _copy_server(workspace: Workspace, copy: Path) -> None:
    """Copy row by row into a new file, reading everything in one snapshot of the server."""
    snapshot = workspace.engine.connect().execution_options(
        isolation_level="REPEATABLE READ", postgresql_readonly=True
    )
    with snapshot as reading, closing(open_workspace(copy)) as target, target.write() as writing:
        _copy_rows(reading, writing)


def in_words(counts: Mapping[str, int]) -> str:
    """``1 study, 50 participants``; empty where nothing is there."""
    return ", ".join(plural(number, *WORDS[name]) for name, number in counts.items() if number)


def _counts(connection: Connection) -> dict[str, int]:
    return {
        name: connection.execute(sa.select(sa.func.count()).select_from(table)).scalar_one()
        for name, table in COUNTED.items()
    }


def _has_accounts(connection: Connection) -> bool:
    return connection.execute(sa.select(schema.accounts.c.id).limit(1)).first() is not None


def _lock_all(connection: Connection) -> None:
    """Keep everybody else out of the database until the end of the transaction.

    Waiting for the tables while holding some of them could block others who hold the rest: PostgreSQL would
    end one of the two, perhaps the one with somebody's answer. So all are let go before it looks for that.
    """
    if connection.dialect.name != "postgresql":
        return
    tables = ", ".join(table.name for table in ALL_TABLES)
    patience = connection.exec_driver_sql(
        "SELECT setting::integer / 2 FROM pg_settings WHERE name = 'deadlock_timeout'"
    ).scalar_one()
    for tries in range(LOCK_TRIES, 0, -1):
        try:
            with connection.begin_nested():
                connection.exec_driver_sql(f"SET LOCAL statement_timeout = {patience}")
                connection.exec_driver_sql(f"LOCK TABLE {tables}")
                connection.exec_driver_sql("SET LOCAL statement_timeout TO DEFAULT")
            return
        except sa.exc.OperationalError as error:
            if getattr(error.orig, "sqlstate", None) != QUERY_CANCELED or tries == 1:
                raise
            time.sleep(patience / 1000)


def _clear(connection: Connection) -> None:
    """Empty every table, including the protected ones."""
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql(f"TRUNCATE {', '.join(table.name for table in ALL_TABLES)}")
        return
    connection.exec_driver_sql("PRAGMA defer_foreign_keys = ON")
    for statement in without_guards("sqlite"):
        connection.exec_driver_sql(statement)
    for table in reversed(ALL_TABLES):
        connection.execute(sa.delete(table))
    for statement in guards("sqlite"):
        connection.exec_driver_sql(statement)


def _copy_rows(reading: Connection, writing: Connection) -> None:
    """Copy all rows of all tables. Foreign keys are checked at the end, so that rows may refer to later
    ones."""
    if writing.dialect.name == "sqlite":
        writing.exec_driver_sql("PRAGMA defer_foreign_keys = ON")
    fill = _load if writing.dialect.name == "postgresql" else _insert
    for table in ALL_TABLES:
        rows = reading.execute(sa.select(table), execution_options={"yield_per": ROWS_AT_ONCE})
        fill(writing, table, rows)


def _insert(connection: Connection, table: sa.Table, rows: sa.CursorResult[Any]) -> None:
    for part in rows.mappings().partitions():
        connection.execute(sa.insert(table), [dict(row) for row in part])


def _load(connection: Connection, table: sa.Table, rows: sa.CursorResult[Any]) -> None:
    """Load a table by PostgreSQL's COPY, then move its id sequence on."""
    columns = list(table.columns)
    binds = [
        column.type.dialect_impl(connection.dialect).bind_processor(connection.dialect) for column in columns
    ]
    names = ", ".join(connection.dialect.identifier_preparer.quote(column.name) for column in columns)
    cursor: Any = connection.connection.cursor()  # psycopg's, which SQLAlchemy does not describe
    with cursor, cursor.copy(f"COPY {table.name} ({names}) FROM STDIN") as copy:
        for row in rows:
            copy.write_row([bind(value) if bind else value for bind, value in zip(binds, row, strict=True)])
    if "id" in table.columns and isinstance(table.c.id.type, sa.Integer):
        highest = sa.select(sa.func.max(table.c.id)).scalar_subquery()
        sequence = sa.func.pg_get_serial_sequence(table.name, "id")
        connection.execute(
            sa.select(sa.func.setval(sequence, sa.func.coalesce(highest, 1), highest.is_not(None)))
        )


@contextmanager
def unpacked(file: Path) -> Iterator[tuple[Backup, Workspace]]:
    """The description of a backup, and its workspace in a temporary folder, where its media are too.

    Raises WorkspaceError if the file is not a backup or is from a newer folkways; one from an older
    folkways is migrated.
    """
    if not file.is_file():
        raise WorkspaceError(f"there is no backup {file}; they are made with: folkways studio backup FILE")
    with tempfile.TemporaryDirectory(prefix="folkways-") as folder:
        try:
            with open_zip(file) as archive:
                description = _described(json.loads(archive.read(ABOUT)))
                copy = Path(archive.extract(DATABASE, folder))
                for name in archive.namelist():
                    if name.startswith(f"{MEDIA}/"):
                        content = Path(archive.extract(name, folder)).read_bytes()
                        if sha256(content).hexdigest() != name.removeprefix(f"{MEDIA}/"):
                            raise zipfile.BadZipFile(f"{name} is not what it was")
        except (zipfile.BadZipFile, KeyError, TypeError) as error:
            raise WorkspaceError(
                f"{file} is not a backup of a workspace, or it is damaged ({error}); nothing was changed"
            ) from None
        except OSError as error:
            if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
                raise WorkspaceError(
                    f"the backup {file} cannot be unpacked: {tempfile.gettempdir()} is full; nothing was "
                    "changed. Free some space, or name another folder with TMPDIR"
                ) from None
            raise WorkspaceError(f"the backup {file} cannot be read: {error.strerror or error}") from None
        if description.schema > SCHEMA:
            raise WorkspaceError(
                f"{file} was made by a newer folkways ({description.folkways}, schema {description.schema}; "
                f"this one knows up to {SCHEMA}); nothing was changed. Upgrade folkways first"
            )
        with closing(_opened(copy, file)) as source:
            yield description, source


def _opened(copy: Path, file: Path) -> Workspace:
    try:
        return open_workspace(copy)
    except WorkspaceError as error:
        raise WorkspaceError(f"{file} is damaged ({error.__cause__ or error}); nothing was changed") from None


def _described(values: Mapping[str, Any]) -> Backup:
    # which older backups do not have
    later = {"bucket": None, "problems": ()}
    return Backup(**{name: {**later, **values}[name] for name in Backup.__dataclass_fields__})
