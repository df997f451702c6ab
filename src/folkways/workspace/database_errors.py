"""Errors of databases, for the person who has to fix them: what is wrong and what to do."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from sqlalchemy.exc import DBAPIError, OperationalError

from folkways.errors import FolkwaysError, option

BUSY_SECONDS = 60
"""How long a process waits for another one's write before it gives up."""

OUTAGE_SECONDS, POLL_SECONDS = 120.0, 0.5
"""How long a database's server may be away (it is restarted, say) while work waits for it, and how often it
is looked at again."""

T = TypeVar("T")

PROBLEMS = (DBAPIError, sqlite3.Error, UnicodeDecodeError)
"""What a database raises; hooks of a new connection raise as its driver does. sqlite3 may fail to decode the
bytes of a damaged page, even in the text of its own error."""


class WorkspaceError(FolkwaysError):
    """The workspace cannot be opened, read or written; the message says what to do."""


class WorkspaceGoneError(WorkspaceError):
    """The server of the database does not answer, or takes no connection: it may be back in a moment."""


_AGAIN = "then run the same command again: what is stored stays"
_LOST = f"the connection to the server was lost; check that PostgreSQL is running, {_AGAIN}"
_STARTS = f"the server is starting or stopping; wait until it is up, {_AGAIN}"
_CROWDED = (
    "the server has as many connections as it takes; end other programs or raise its "
    f"max_connections, {_AGAIN}"
)
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
    "failed to resolve": "there is no such host; check its name, and that this machine is on the network",
}
"""The same by what is said, in lower case, where there is no code: a connection that could not be made mostly
has none."""

_NO_ENTRY = "the server refused the password; give it in the URL or in PGPASSWORD"
CREATE_DATABASE = "createdb --encoding UTF8 --locale C.UTF-8 --template template0 NAME"
_NO_DATABASE = f"the server does not know that database or role; create it first ({CREATE_DATABASE})"
_REFUSED = "the server does not let this user in from here; see its pg_hba.conf, and the sslmode of the URL"
_URL = "the URL asks for something that this client does not know; see its part behind the question mark"

_WRONG_CODES = {
    "53100": f"the server's disk is full; {_FULL}",
    "28P01": _NO_ENTRY,
    "28": _REFUSED,
    "3D000": _NO_DATABASE,
    "22P05": "the database's encoding lacks letters of this text; make one with "
    f"{CREATE_DATABASE}, and move there by a backup",
}
"""Beginnings of the SQLSTATE of what stays wrong until somebody changes it -> what to do."""

_WRONG_WORDS = {
    "file is not a database": "the file is something else than a SQLite database; name another file as the "
    "workspace",
    "database or disk is full": f"the disk is full; {_FULL}",
    "disk i/o error": "the disk reported an error; check free space and the file system, then run the same "
    "command again",
    "readonly database": "the file or its folder is read-only; make both writable or name another "
    "workspace with {workspace}",
    "database is locked": f"another process has been writing for over {BUSY_SECONDS} s; wait for it, then "
    "run this again",
    "malformed": "the file is damaged; restore it from a backup, or save what can be read with 'sqlite3 "
    "FILE .recover'",
    "unable to open": "the file cannot be opened; check that its folder exists and is writable",
    "password authentication failed": _NO_ENTRY,
    "no password supplied": _NO_ENTRY,
    "authentication failed": _REFUSED,
    "no pg_hba.conf entry": _REFUSED,
    "not permitted to log in": _REFUSED,
    "does not support ssl": _REFUSED,
    "certificate": _REFUSED,
    "does not exist": _NO_DATABASE,
    "no such database": _NO_DATABASE,
    "no such user": _NO_DATABASE,
    "invalid connection option": _URL,
    "invalid sslmode": _URL,
    "not currently accepting connections": "somebody has closed that database to new connections",
}
"""The same by what is said, in lower case. While connecting to a server, all that is not listed passes: it is
away."""


def explained(what: str, error: Exception) -> WorkspaceError:
    """The error for people: ``what`` failed, why, and what to do about it."""
    cause: Any = getattr(error, "orig", None) or error
    code = getattr(cause, "sqlstate", None)
    text = str(cause).strip()
    if isinstance(cause, UnicodeDecodeError) or "could not decode to utf-8" in text.lower():
        text = f"malformed: {text}"
    if code:
        message = f"{cause.diag.message_primary or text} [SQLSTATE {code}]"
        gone, wrong = _remedy(_GONE_CODES, code.startswith), _remedy(_WRONG_CODES, code.startswith)
    else:
        message, words = text, text.lower()
        gone, wrong = _remedy(_GONE_WORDS, words.__contains__), _remedy(_WRONG_WORDS, words.__contains__)
        if gone is None and getattr(error, "connection_invalidated", False):
            gone = _LOST
    if gone is None and wrong is None and _connecting(error, cause):
        gone = _SILENT
    if wrong is not None:
        wrong = wrong.replace("{workspace}", option("workspace"))
    if gone is not None:
        return WorkspaceGoneError(f"{what}: {gone}\n({message})")
    return WorkspaceError(f"{what}: {wrong}\n({message})" if wrong is not None else f"{what}: {message}")


def patiently(work: Callable[[], T]) -> T:
    """What ``work`` returns, tried again while the database's server is away: it has to be something that can
    be repeated."""
    until = time.monotonic() + OUTAGE_SECONDS
    while True:
        try:
            return work()
        except WorkspaceGoneError:
            if time.monotonic() > until:
                raise
            time.sleep(POLL_SECONDS)


def _connecting(error: Exception, cause: Any) -> bool:
    """Whether a connection to a server could not be made; no statement had been begun then."""
    return (
        isinstance(error, OperationalError)
        and error.statement is None
        and not isinstance(cause, sqlite3.Error)
    )


def _remedy(remedies: Mapping[str, str], fits: Callable[[str], bool]) -> str | None:
    return next((remedy for sign, remedy in remedies.items() if fits(sign)), None)
