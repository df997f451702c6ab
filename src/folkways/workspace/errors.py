"""What can be wrong with a database, told to the person who has to put it right."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping
from typing import Any

from sqlalchemy.exc import DBAPIError

from folkways.errors import FolkwaysError

BUSY_SECONDS = 60
"""How long a process waits for another one's write before it gives up."""

PROBLEMS = (DBAPIError, sqlite3.Error, UnicodeDecodeError)
"""What a database raises; hooks of a new connection raise as its driver does. sqlite3 may fail to decode the bytes of a damaged
page, even in the text of its own error."""


class WorkspaceError(FolkwaysError):
    """The workspace cannot be opened, read or written; the message says what to do."""


class WorkspaceGoneError(WorkspaceError):
    """The server of the database does not answer, or takes no connection: it may be back in a moment."""


_AGAIN = "then run the same command again: what is stored stays"
_LOST = f"the connection to the server was lost; check that PostgreSQL is running, {_AGAIN}"
_STARTS = f"the server is starting or stopping; wait until it is up, {_AGAIN}"
_CROWDED = f"the server has as many connections as it takes; end other programs or raise its max_connections, {_AGAIN}"
_SILENT = "the server does not answer; check host and port, and that PostgreSQL is running"
_FULL = "free some space and run the same command again: what is stored stays"

_GONE_CODES = {
    "57P03": _STARTS,
    "53300": _CROWDED,
    "57P0": f"the server ended the connection; check that PostgreSQL is running, {_AGAIN}",
}
"""Beginnings of the SQLSTATE of a server that is away for now -> what to do."""

_GONE_WORDS = {
    "the database system is": _STARTS,
    "too many clients": _CROWDED,
    "connection refused": _SILENT,
    "timeout expired": _SILENT,
    "connection timeout": _SILENT,
    "failed to resolve": "there is no such host; check its name, and that this machine is on the network",
}
"""The same by what is said, in lower case, where there is no code: a connection that could not be made has none."""

_WRONG_CODES = {"53100": f"the server's disk is full; {_FULL}"}
"""Beginnings of the SQLSTATE of what stays wrong until somebody changes it -> what to do."""

_WRONG_WORDS = {
    "file is not a database": "the file is something else than a SQLite database; name another one with --workspace PATH",
    "database or disk is full": f"the disk is full; {_FULL}",
    "disk i/o error": "the disk reported an error; check free space and the file system, then run the same command again",
    "readonly database": "the file or its folder is read-only; make both writable or name another place with --workspace PATH",
    "database is locked": f"another process has been writing for over {BUSY_SECONDS} s; wait for it, then run this again",
    "malformed": "the file is damaged; restore it from a backup, or save what can be read with 'sqlite3 FILE .recover'",
    "unable to open": "the file cannot be opened; check that its folder exists and is writable",
    "password authentication failed": "the server refused the password; give it in the URL or in PGPASSWORD",
    "does not exist": "the server does not know that database or role; create it first (createdb NAME)",
}
"""The same by what is said, in lower case."""


def explained(what: str, error: Exception) -> WorkspaceError:
    """The error for people: ``what`` failed, why, and what to do about it."""
    cause: Any = getattr(error, "orig", None) or error
    code = getattr(cause, "sqlstate", None)
    text = f"malformed: {cause}" if isinstance(cause, UnicodeDecodeError) else str(cause).strip()
    if code:
        said = f"{cause.diag.message_primary or text} [SQLSTATE {code}]"
        gone, wrong = _remedy(_GONE_CODES, code.startswith), _remedy(_WRONG_CODES, code.startswith)
    else:
        said, words = text, text.lower()
        gone, wrong = _remedy(_GONE_WORDS, words.__contains__), _remedy(_WRONG_WORDS, words.__contains__)
        if gone is None and getattr(error, "connection_invalidated", False):
            gone = _LOST
    if gone is not None:
        return WorkspaceGoneError(f"{what}: {gone}\n({said})")
    return WorkspaceError(f"{what}: {wrong}\n({said})" if wrong is not None else f"{what}: {said}")


def _remedy(remedies: Mapping[str, str], fits: Callable[[str], bool]) -> str | None:
    return next((remedy for sign, remedy in remedies.items() if fits(sign)), None)
