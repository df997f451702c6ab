"""What a database says, as people are told."""

from __future__ import annotations

import sqlite3
import traceback
from pathlib import Path

import psycopg
import pytest
import sqlalchemy as sa
from sqlalchemy.engine import make_url
from sqlalchemy.exc import OperationalError as Wrapped

from folkways.workspace.database import Workspace, open_workspace
from folkways.workspace.database_errors import WorkspaceError, WorkspaceGoneError, explained


def from_server(code: str, message: str) -> Exception:
    return Wrapped("SELECT 1", (), psycopg.errors.lookup(code)(message))


def test_a_traceback_names_no_value_of_its_statement(any_workspace: Workspace) -> None:
    """Values are what people wrote, and tracebacks get into logs."""
    words = "at home we eat alone"
    with pytest.raises(WorkspaceError) as error, any_workspace.write() as connection:
        connection.execute(sa.text("INSERT INTO nowhere VALUES (:words)"), {"words": words})
    lines = traceback.format_exception(error.value)
    assert any("INSERT INTO nowhere" in line for line in lines) and words not in "".join(lines)


@pytest.mark.parametrize("code", ["57P01", "57P02", "57P03", "53300"])
def test_a_server_that_is_away_is_told_from_one_that_refuses(code: str) -> None:
    assert isinstance(explained("cannot read it", from_server(code, "words")), WorkspaceGoneError)


@pytest.mark.parametrize("code", ["53100", "23505", "28P01"])
def test_the_code_decides_and_not_a_number_in_the_message(code: str) -> None:
    told = explained("cannot read it", from_server(code, "Key (id)=(53300) and 57P03"))
    assert type(told) is WorkspaceError
    assert "Key (id)=(53300)" in str(told)


@pytest.mark.parametrize(
    ("said", "remedy"),
    [
        (
            'connection failed: connection to server at "127.0.0.1", port 5 failed: Connection refused',
            "does not answer",
        ),
        ("connection failed: FATAL:  the database system is starting up", "starting or stopping"),
        ("connection failed: FATAL:  sorry, too many clients already", "as many connections as it takes"),
        ("server closed the connection unexpectedly", "connection to the server was lost"),
    ],
)
def test_a_connection_that_was_lost_or_never_made_is_a_server_that_is_away(said: str, remedy: str) -> None:
    told = explained(
        "cannot read it", Wrapped("SELECT 1", (), psycopg.OperationalError(said), connection_invalidated=True)
    )
    assert isinstance(told, WorkspaceGoneError)
    assert remedy in str(told)


@pytest.mark.parametrize(
    ("said", "remedy"),
    [
        ('connection failed: FATAL:  database "nothing" does not exist', "createdb"),
        ('connection failed: FATAL:  password authentication failed for user "me"', "PGPASSWORD"),
        ("fe_sendauth: no password supplied", "PGPASSWORD"),
        (
            'FATAL:  no pg_hba.conf entry for host "10.0.0.1", user "me", database "d", no encryption',
            "pg_hba.conf",
        ),
        ("server does not support SSL, but SSL was required", "sslmode"),
        ("SSL error: certificate verify failed", "sslmode"),
        ('invalid connection option "a"', "question mark"),
    ],
)
def test_what_stays_wrong_is_not_waited_for(said: str, remedy: str) -> None:
    told = explained("cannot open it", Wrapped(None, None, psycopg.OperationalError(said)))
    assert type(told) is WorkspaceError
    assert remedy in str(told)


@pytest.mark.parametrize(
    "said",
    [
        "connection failed: server closed the connection unexpectedly",
        "connection is bad: Connection reset by peer",
        "connection is bad: No route to host",
        "connection is bad: Network is unreachable",
        "connection failed: Connection timed out",
        "connection failed: SSL connection has been closed unexpectedly",
        'could not translate host name "db" to address: Temporary failure in name resolution',
        "connection failed: FATAL:  remaining connection slots are reserved for roles with the SUPERUSER "
        "attribute",
        "connection failed: FATAL:  server login has been failing, try again later (server_login_retry)",
        "connection failed: FATAL:  query_wait_timeout",
        "connection timeout expired",
        "words of tomorrow",
    ],
)
def test_while_connecting_all_that_is_not_known_to_stay_passes(said: str) -> None:
    assert isinstance(
        explained("cannot read it", Wrapped(None, None, psycopg.OperationalError(said))), WorkspaceGoneError
    )
    assert (
        type(
            explained(
                "cannot read it", Wrapped("SELECT 1", (), psycopg.OperationalError("words of tomorrow"))
            )
        )
        is WorkspaceError
    )


@pytest.mark.parametrize("code", ["28P01", "28000", "3D000"])
def test_a_server_that_lets_nobody_in_is_not_away(code: str) -> None:
    told = explained("cannot open it", Wrapped(None, None, psycopg.errors.lookup(code)("words")))
    assert type(told) is WorkspaceError


@pytest.mark.postgres
@pytest.mark.parametrize(("user", "database"), [("nobody-known", "postgres"), (None, "no-such-database")])
def test_what_a_server_says_itself_of_a_wrong_name_is_not_waited_for(
    postgres_url: str, user: str | None, database: str
) -> None:
    url = make_url(postgres_url)
    url = url.set(database=database, username=user or url.username, drivername="postgresql")
    with pytest.raises(WorkspaceError, match="createdb") as told:
        open_workspace(url.render_as_string(hide_password=False))
    assert type(told.value) is WorkspaceError


@pytest.mark.postgres
def test_a_servers_own_words_are_quoted_without_the_rest_of_its_message(postgres_url: str) -> None:
    workspace = open_workspace(postgres_url)
    with pytest.raises(WorkspaceError) as told, workspace.read() as connection:
        connection.exec_driver_sql("SELECT 1/%s::int", (0,))
    assert str(told.value).endswith(": division by zero [SQLSTATE 22012]")
    workspace.close()


@pytest.mark.parametrize(
    ("said", "remedy"),
    [
        ("file is not a database", "something else than a SQLite database"),
        ("Database or disk is full", "free some space"),
        ("disk I/O error", "check free space and the file system"),
        ("attempt to write a readonly database", "make both writable"),
        ("database is locked", "writing for over 60 s"),
        ("database disk image is malformed", "restore it from a backup"),
        ("Could not decode to UTF-8 column 'text' with text 'x'", "restore it from a backup"),
        ("unable to open database file", "its folder exists"),
        ("something new", "something new"),
    ],
)
def test_what_a_file_has_is_told_with_its_remedy_however_it_comes(said: str, remedy: str) -> None:
    """As SQLAlchemy raises it, and as the driver does while a connection is made."""
    bare = sqlite3.OperationalError(said)
    for error in (bare, Wrapped("SELECT 1", (), bare)):
        told = explained("cannot read it", error)
        assert type(told) is WorkspaceError
        assert str(told).startswith("cannot read it: ")
        assert remedy in str(told)
        assert said in str(told)
    lost = explained("cannot read it", Wrapped("SELECT 1", (), bare, connection_invalidated=True))
    assert isinstance(lost, WorkspaceGoneError)


def test_text_that_cannot_be_decoded_is_told_as_damage() -> None:
    """A driver may let Python's own error through."""
    bare = UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte")
    for error in (bare, Wrapped("SELECT 1", (), bare)):
        told = str(explained("cannot read it", error))
        assert "restore it from a backup" in told and "invalid start byte" in told


def test_a_file_is_waited_for_as_long_as_is_said(tmp_path: Path) -> None:
    workspace = open_workspace(tmp_path / "w.db")
    with workspace.read() as connection:
        assert connection.exec_driver_sql("PRAGMA busy_timeout").scalar() == 60_000
