"""Opens a workspace: a SQLite file or a PostgreSQL database with every question asked and every reply."""

from __future__ import annotations

import getpass
import logging
import os
import sqlite3
import time
import weakref
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext, suppress
from pathlib import Path
from threading import RLock, local
from typing import Any

import sqlalchemy as sa
from sqlalchemy import dialects
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite
from sqlalchemy.engine import URL, Connection, Engine, make_url
from sqlalchemy.exc import ArgumentError, DisconnectionError, SQLAlchemyError
from sqlalchemy.util import LRUCache

from folkways.errors import MissingExtraError, option, quoted
from folkways.workspace.database_errors import (
    BUSY_SECONDS,
    CREATE_DATABASE,
    PROBLEMS,
    WorkspaceError,
    explained,
)
from folkways.workspace.insertions import Rows, insert
from folkways.workspace.schema import TABLES
from folkways.workspace.table_sets import TableSet

WRITER_LOCK = 6035587
"""PostgreSQL's advisory lock of those who write to one workspace."""

POOLED, MORE = 12, 26
"""Connections that stay open once they were needed, and those beyond: making one anew costs more than a
request does."""

_COMPILED: LRUCache[Any, Any] = LRUCache(500)
"""What statements are on SQLite, for every file that this process opens: a notebook opens one for each run,
and would compile them all again."""


class SQLiteDialect(SQLiteDialect_pysqlite):
    """SQLAlchemy's own, equal to that of every other file: a cache of compiled statements has them by
    dialect, so that ``_COMPILED`` serves all files."""

    supports_statement_cache = True

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SQLiteDialect)

    def __hash__(self) -> int:
        return hash(SQLiteDialect)


dialects.registry.register("sqlite.folkways", __name__, SQLiteDialect.__name__)

KEY_PASSWORD = "sslpassword"  # noqa: S105 - the name of a parameter, not a password
"""The parameter of a URL that unlocks the key of a client's certificate."""

WORKSPACE = "folkways.db"
"""The workspace of those who name none, in the folder where they are."""


class Workspace:
    """A database with prompts, responses, runs and judgements. Safe to use from several processes at once.

    location: as the user gave it; a password in it is never shown. place: the same from every folder.
    """

    def __init__(self, engine: Engine, location: str) -> None:
        self.engine = engine
        self.location = location
        self.place = location if "://" in location else str(Path(location).expanduser().resolve())
        # SQLite lets one write at a time and those who wait look again now and then, each less often the
        # longer it has waited. Threads of this process wait for one another here instead, and are woken in
        # turn.
        self._writing = RLock() if engine.dialect.name == "sqlite" else nullcontext()
        self._reading = ThreadReader(engine)
        weakref.finalize(self, _let_go, engine, os.getpid())

    def __reduce__(self) -> tuple[Any, ...]:
        """Another process opens it anew: by its path, or by its URL without the password."""
        url = self.engine.url
        public = url.set(drivername="postgresql")._replace(password=None)
        server = public.difference_update_query([KEY_PASSWORD]).render_as_string()
        return opened, (self.place if url.get_backend_name() == "sqlite" else server,)

    def command(self, *words: str) -> str:
        """A command of folkways that reads this workspace, as a message suggests it: ``folkways score run-1
        --workspace lab.db``. Not for reports, which go to people whom its place does not concern."""
        # a hidden password is none: without it the server's own ways (PGPASSWORD, .pgpass) are tried
        location = self.location.replace(":***@", "@", 1)
        named = () if location == WORKSPACE else ("--workspace", location)
        return " ".join(("folkways", *map(quoted, (*words, *named))))

    @contextmanager
    def read(self, *, alone: bool = False) -> Iterator[Connection]:
        """A connection for reading, which blocks nobody: on SQLite one snapshot, on PostgreSQL one for each
        statement, unless in ``reading_together``.

        alone: not the connection of ``reading_together``; for rows that are fetched by and by.
        """
        with self._explained("read"), self._reading.block(alone=alone) as connection:
            yield connection

    @contextmanager
    def reading_together(self) -> Iterator[None]:
        """Have the ``read`` blocks of this thread share one connection and one snapshot until it writes or
        this block ends.

        For a request that reads many small things, which have to fit each other: a connection is taken and
        given back once. Not for blocks that wait for long.
        """
        with self._reading.together():
            yield

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """One transaction: committed at the end of the block, rolled back if the block raises. Writers take
        turns.

        What is read inside the block is still so when it is committed: "look whether it is there, then
        insert" needs no more care. Not so responses, failures and claims: the request queue writes them
        without waiting for its turn.
        """
        self._reading.let_go()
        with self._explained("write to"), self._writing, self.engine.begin() as connection:
            _take_turn(connection)
            yield connection

    @contextmanager
    def claim(self) -> Iterator[Connection]:
        """One transaction like ``write`` in which writers do not take turns on PostgreSQL: rows are locked by
        those who need them.

        For many people at once who write to different rows. What is read inside the block may have changed by
        its end, unless it was read ``FOR UPDATE``. On SQLite, which has one writer at a time anyway, it is
        ``write``.
        """
        self._reading.let_go()
        with self._explained("write to"), self._writing, self.engine.begin() as connection:
            yield connection

    def insert_new(self, connection: Connection, table: sa.Table, rows: Rows) -> None:
        """Insert the rows whose primary key is not there yet; those that are there stay as they are."""
        insert(connection, table, rows, replace=False)

    def insert_or_replace(self, connection: Connection, table: sa.Table, rows: Rows) -> None:
        """Insert the rows, each in place of the one with its primary key; all of them give all columns."""
        insert(connection, table, rows, replace=True)

    def close(self) -> None:
        """Close all connections; the workspace can be opened again."""
        self.engine.dispose()

    @contextmanager
    def _explained(self, action: str) -> Iterator[None]:
        try:
            yield
        except PROBLEMS as error:
            raise explained(f"cannot {action} the workspace {self.location}", error) from error


def _let_go(engine: Engine, process: int) -> None:
    """Close the connections of a workspace that nobody has any more, else Python 3.13 warns of each. Those
    that a forked process has inherited belong to the process before it."""
    if os.getpid() == process:
        engine.dispose()


def opened(workspace: str | Path | Workspace) -> Workspace:
    """A workspace that is there: itself, or the one at a path or URL. WorkspaceError where there is none."""
    return workspace if isinstance(workspace, Workspace) else open_workspace(workspace, create=False)


def opened_if_there(workspace: str | Path | Workspace) -> Workspace | None:
    """A workspace: itself, or the one at a path or URL; None where the file does not exist."""
    exists = isinstance(workspace, Workspace) or "://" in str(workspace) or Path(workspace).exists()
    return opened(workspace) if exists else None


def open_workspace(
    location: str | Path = "folkways.db", *, create: bool = True, added: Sequence[TableSet] = ()
) -> Workspace:
    """Open the workspace at a path or a PostgreSQL URL, make it if it is new, and bring its schema up to
    date.

    create: False raises a WorkspaceError instead of making a new file, or a workspace of an empty one. added:
    tables of other packages, made and migrated with those of folkways. Raises WorkspaceError with the remedy
    when the file is not a workspace, the server cannot be reached, or the workspace was made by a newer
    folkways; a database that is refused is left as it was. With create False a file that cannot be written is
    opened for reading. MissingExtraError for a URL without the extra ``postgres``.
    """
    text = str(location)
    if "://" in text:
        url = _server_url(text)
        public = url.set(drivername="postgresql")
        if KEY_PASSWORD in url.query:
            public = public.update_query_dict({KEY_PASSWORD: "hidden"})
        shown = public.render_as_string(hide_password=True)
    else:
        path = Path(text).expanduser()
        _check_path(path, create, (TABLES, *added)[-1].made_by)
        if create and not path.exists():
            _make_file(path)
        url = URL.create("sqlite", database=str(path)) if create or _writable(path) else _read_only_url(path)
        shown = text
    engine = _engine(url)
    workspace = Workspace(engine, shown)
    try:
        _prepare(workspace, create, added)
    except PROBLEMS as error:
        engine.dispose()
        raise explained(f"cannot open the workspace {shown}", error) from error
    except BaseException:
        engine.dispose()
        raise
    return workspace


def _server_url(text: str) -> URL:
    try:
        url = make_url(text)
    except ArgumentError:
        raise WorkspaceError(
            "the workspace URL cannot be read; it looks like postgresql://user@host:5432/database "
            "(the password may come from PGPASSWORD)"
        ) from None
    if url.get_backend_name() == "sqlite":
        raise WorkspaceError(
            "give a SQLite workspace as a path, not as a URL: "
            f"{option('workspace', url.database or 'folkways.db')}"
        )
    if url.get_backend_name() not in ("postgresql", "postgres"):
        raise WorkspaceError(
            f"workspace URLs of type {url.drivername!r} are not supported; valid: a path (SQLite) or "
            "postgresql://user@host/database"
        )
    # as PostgreSQL's own programs choose it
    username = url.username or os.environ.get("PGUSER") or getpass.getuser()
    url = url.set(drivername="postgresql+psycopg", username=username)
    if "password" in url.query:  # where nothing would hide it
        password = url.normalized_query["password"][-1]
        url = url.difference_update_query(["password"]).set(password=password)
    return url


def _check_path(path: Path, create: bool, made_by: str = TABLES.made_by) -> None:
    if path.is_dir():
        raise WorkspaceError(
            f"the workspace {path} is a folder; give a file, for example "
            f"{option('workspace', str(path / 'folkways.db'))}"
        )
    if path.exists():
        if create and not _writable(path):
            raise WorkspaceError(
                f"the workspace {path} or its folder is read-only; make both writable, "
                f"or copy the file elsewhere and use {option('workspace', 'COPY')}"
            )
        return
    if not create:
        raise WorkspaceError(
            f"there is no workspace at {path}; make one with '{made_by}', or name it with "
            f"{option('workspace', 'PATH')}"
        )
    if not path.parent.is_dir():
        raise WorkspaceError(
            f"the folder {path.parent} does not exist; create it first, or name another place with "
            f"{option('workspace', 'PATH')}"
        )
    if not os.access(path.parent, os.W_OK):
        raise WorkspaceError(
            f"the folder {path.parent.resolve()} is read-only; name a writable place with "
            f"{option('workspace', 'PATH')}"
        )


def _make_file(path: Path) -> None:
    """An empty file that only its owner can read, as are those that SQLite adds: it may hold personal
    details.

    Only one that is new: to open and close one that is in use would end SQLite's locks on it.
    """
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))


def _writable(path: Path) -> bool:
    """Whether SQLite can write to the file, and to the files that it keeps in the same folder."""
    return os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)


def _read_only_url(path: Path) -> URL:
    """For a file that cannot be written. Where nobody else is writing it, no further file is needed or
    made."""
    query = {"uri": "true", "mode": "ro"}
    if not Path(f"{path}-wal").exists():
        query["immutable"] = "1"
    return URL.create("sqlite", database=path.absolute().as_uri(), query=query)


def _engine(url: URL) -> Engine:
    """Its errors name no values, which are what people wrote: a traceback of them may get into a log."""
    if url.get_backend_name() == "sqlite":
        engine = sa.create_engine(
            url.set(drivername="sqlite+folkways"),
            connect_args={"timeout": BUSY_SECONDS, "check_same_thread": False},
            pool_size=POOLED,
            max_overflow=MORE,
            hide_parameters=True,
            execution_options={"compiled_cache": _COMPILED},
        )
        sa.event.listen(engine, "connect", _sqlite_connect)
        sa.event.listen(engine, "begin", _sqlite_begin)
        return engine
    # Our own error reports a lost connection; the pool would write a traceback for each to the
    # terminal besides.
    logging.getLogger("sqlalchemy").addHandler(logging.NullHandler())
    try:
        # The statements of a page are the same each time: prepared at once, they cost less of the server's
        # CPU and of ours.
        # Texts are UTF-8 whatever PGCLIENTENCODING and the database say, else a driver fails at some of them.
        prepared = {"prepare_threshold": 1, "client_encoding": "utf8"}
        engine = sa.create_engine(
            url,
            pool_size=POOLED,
            max_overflow=MORE,
            hide_parameters=True,
            use_native_hstore=False,
            connect_args=prepared,
        )
    except ImportError as error:
        raise MissingExtraError("a workspace on PostgreSQL", "postgres", error.name or "psycopg") from None
    ask_idle_connections(engine)
    return engine


def _sqlite_connect(dbapi_connection: sqlite3.Connection, _record: object) -> None:
    # The driver's own transaction handling would begin lazily, and a read that becomes a write fails at once
    # under contention.
    dbapi_connection.isolation_level = None
    cursor = dbapi_connection.cursor()
    cursor.execute(f"PRAGMA busy_timeout = {BUSY_SECONDS * 1000}")
    # In WAL mode NORMAL survives the death of the process; only a power cut can lose the last commits, never
    # corrupt the file.
    cursor.execute("PRAGMA synchronous = NORMAL")
    # Fewer, larger checkpoints: the log may grow to some 30 MB, and pages that change often are copied back
    # less often.
    cursor.execute("PRAGMA wal_autocheckpoint = 8000")
    cursor.execute("PRAGMA foreign_keys = ON")
    # What is deleted is overwritten, so that no copy of the file has it; the default differs by system.
    cursor.execute("PRAGMA secure_delete = ON")
    cursor.close()
    # SQLite's own turns A to Z alone, and a search would not find "École" by "école".
    dbapi_connection.create_function("lower", 1, _lower, deterministic=True)


def _lower(value: Any) -> Any:
    return value.lower() if isinstance(value, str) else value


def _sqlite_begin(connection: Connection) -> None:
    read_only = connection.get_execution_options().get("read_only", False)
    connection.exec_driver_sql("BEGIN" if read_only else "BEGIN IMMEDIATE")


def _take_turn(connection: Connection) -> None:
    """Wait for the other writers; on SQLite ``BEGIN IMMEDIATE`` has done so already."""
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({WRITER_LOCK})")


def _log_ahead(engine: Engine) -> None:
    """Put a SQLite file into WAL mode, which is written into it: only once it is known to be a workspace, or
    to become one."""
    if engine.dialect.name == "sqlite":
        with closing(engine.raw_connection()) as connection:
            connection.cursor().execute("PRAGMA journal_mode = WAL")


def _prepare(workspace: Workspace, create: bool, added: Sequence[TableSet]) -> None:
    sets = (TABLES, *added)
    with workspace.engine.connect().execution_options(read_only=True) as connection:
        _check_database(connection, workspace.location)
        revisions = [each.revision(connection, workspace.location) for each in sets]
        if revisions[0] is None:
            _check_encoding(connection, workspace.location)
    if revisions[0] is None and not create:
        raise WorkspaceError(
            f"{workspace.location} is not a workspace: it is empty; "
            f"make one with '{sets[-1].made_by}', or name another with {option('workspace', 'PATH')}"
        )
    behind = [
        (each, revision) for each, revision in zip(sets, revisions, strict=True) if revision != each.head
    ]
    if workspace.engine.url.query.get("mode") == "ro":
        for each, revision in behind:
            state = (
                f"schema {revision} and must be brought to {each.head}"
                if revision
                else f"no tables of {each.owner} yet"
            )
            raise WorkspaceError(
                f"the workspace {workspace.location} has {state}, but it or its folder is read-only; make "
                f"both writable, or copy the file elsewhere and use {option('workspace', 'COPY')}"
            )
        return
    _log_ahead(workspace.engine)
    if not behind:
        return
    with workspace.engine.begin() as connection:
        _take_turn(connection)  # one process migrates, the others wait
        for each, _ in behind:
            each.bring_up_to_date(connection, workspace.location)


def _check_database(connection: Connection, location: str) -> None:
    """Raise WorkspaceError for a database that is of another program."""
    tables = set(sa.inspect(connection).get_table_names())
    if tables and TABLES.version_table not in tables:
        raise WorkspaceError(
            f"{location} is a database but not a folkways workspace (it has the tables "
            f"{', '.join(sorted(tables)[:5])}); name another one with {option('workspace', 'PATH')}"
        )


def _check_encoding(connection: Connection, location: str) -> None:
    """Raise WorkspaceError for a database of a server that cannot hold texts in every script, as are those
    that a server makes where the system has no locale."""
    if connection.dialect.name != "postgresql":
        return
    encoding = connection.exec_driver_sql("SHOW server_encoding").scalar_one()
    if encoding != "UTF8":
        raise WorkspaceError(
            f"the database {location} has the encoding {encoding}, not UTF8, and cannot hold texts in every "
            f"script; drop it, and make it with: {CREATE_DATABASE}"
        )


IDLE_SECONDS = 5.0
USED = "folkways_used"


def ask_idle_connections(engine: Engine) -> None:
    """Have connections of ``engine`` that were not used for IDLE_SECONDS asked first; one that is dead is
    replaced unseen."""

    def given_back(_: Any, record: Any) -> None:
        record.info[USED] = time.monotonic()

    def taken(connection: Any, record: Any, _: Any) -> None:
        used = record.info.get(USED)
        if used is None or time.monotonic() - used < IDLE_SECONDS:
            return
        try:
            engine.dialect.do_ping(connection)
        except engine.dialect.loaded_dbapi.Error as error:
            raise DisconnectionError from error

    sa.event.listen(engine, "checkin", given_back)
    sa.event.listen(engine, "checkout", taken)


class ThreadReader(local):
    """What one thread reads with.

    Taking a connection, beginning and ending a transaction cost more than most of the questions that a page
    asks.
    """

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.shares = False
        self.depth = 0
        self.connection: Connection | None = None
        self._options: dict[str, Any] = {"read_only": True}
        if engine.dialect.name == "postgresql":
            self._options["isolation_level"] = "REPEATABLE READ"

    @contextmanager
    def block(self, *, alone: bool = False) -> Iterator[Connection]:
        """A connection for reading that blocks nobody.
        alone: not the shared one, but a transaction of its own."""
        if alone or not self.shares:
            with self.engine.connect().execution_options(read_only=True) as connection:
                yield connection
                # nothing; but after a rollback PostgreSQL's driver has to prepare every statement anew
                connection.commit()
            return
        if self.connection is None:
            self.connection = self.engine.connect().execution_options(**self._options)
        self.depth += 1
        try:
            yield self.connection
        except BaseException:
            # PostgreSQL refuses everything more in a transaction in which something failed
            self.connection.rollback()
            raise
        finally:
            self.depth -= 1

    @contextmanager
    def together(self) -> Iterator[None]:
        """Have the blocks of this thread share one transaction, which reads one snapshot, until it writes or
        this block ends."""
        outermost, self.shares = not self.shares, True
        try:
            yield
        finally:
            if outermost:
                self.shares = False
                self.let_go()

    def let_go(self) -> None:
        """Give the shared connection back, unless a block is using it: what is read next is what was
        written."""
        if self.connection is not None and self.depth == 0:
            held, self.connection = self.connection, None
            with suppress(SQLAlchemyError):  # nothing was written that could be lost
                held.commit()  # as at the end of ``block``
            held.close()
