"""What can be wrong with a database, told to the person who has to put it right."""

from __future__ import annotations

import sqlite3

from sqlalchemy.exc import DBAPIError

from folkways.errors import FolkwaysError

BUSY_SECONDS = 60
"""How long a process waits for another one's write before it gives up."""

PROBLEMS = (DBAPIError, sqlite3.Error, ConnectionError)
"""What a database raises: hooks of a new connection as its driver does; and the reset of a socket comes through as it is."""


class WorkspaceError(FolkwaysError):
    """The workspace cannot be opened, read or written; the message says what to do."""


class WorkspaceGoneError(WorkspaceError):
    """The server of the database does not answer, or takes no connection: it may be back in a moment."""


_AGAIN = "then run the same command again: what is stored stays"

_GONE = {
    "sqlstate 57p03": f"the server is starting or stopping; wait until it is up, {_AGAIN}",
    "can't create a connection": "the server does not answer; check host and port, and that PostgreSQL is running",
    "sqlstate 53300": f"the server has as many connections as it takes; end other programs or raise its max_connections, {_AGAIN}",
    "sqlstate 57p0": f"the server ended the connection; check that PostgreSQL is running, {_AGAIN}",
    "network error": f"the connection to the server was lost; check that PostgreSQL is running, {_AGAIN}",
    "connection is closed": f"the connection to the server was lost; check that PostgreSQL is running, {_AGAIN}",
}
"""Signs, in lower case, of a server that is away for now (SQLSTATE codes and the driver's words) -> what to do."""

_WRONG = {
    "file is not a database": "the file is something else than a SQLite database; name another one with --workspace PATH",
    "database or disk is full": "the disk is full; free some space and run the same command again: what is stored stays",
    "sqlstate 53100": "the server's disk is full; free some space and run the same command again: what is stored stays",
    "disk i/o error": "the disk reported an error; check free space and the file system, then run the same command again",
    "readonly database": "the file or its folder is read-only; make both writable or name another place with --workspace PATH",
    "database is locked": f"another process has been writing for over {BUSY_SECONDS} s; wait for it, then run this again",
    "malformed": "the file is damaged; restore it from a backup, or save what can be read with 'sqlite3 FILE .recover'",
    "unable to open": "the file cannot be opened; check that its folder exists and is writable",
    "password authentication failed": "the server refused the password; give it in the URL or in PGPASSWORD",
    "does not exist": "the server does not know that database or role; create it first (createdb NAME)",
}
"""Signs of what stays wrong until somebody changes it -> what to do."""


def explained(what: str, error: Exception) -> WorkspaceError:
    """The error for people: ``what`` failed, why, and what to do about it."""
    text = _said(error)
    lower = text.lower()
    lost = isinstance(error, ConnectionError) or getattr(error, "connection_invalidated", False)
    for sign, remedy in _GONE.items():
        if sign in lower or (lost and sign == "network error"):
            return WorkspaceGoneError(f"{what}: {remedy}\n({text})")
    for sign, remedy in _WRONG.items():
        if sign in lower:
            return WorkspaceError(f"{what}: {remedy}\n({text})")
    return WorkspaceError(f"{what}: {text}")


def _said(error: Exception) -> str:
    """The database's own words; PostgreSQL's driver raises with all fields of the server's message in a dictionary."""
    cause = getattr(error, "orig", None) or error
    fields = cause.args[0] if cause.args else None
    if isinstance(fields, dict) and "M" in fields:
        return f"{fields['M']} [SQLSTATE {fields.get('C')}]"
    return str(cause).strip()
