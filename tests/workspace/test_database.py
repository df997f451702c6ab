"""Opening workspaces: new, current, old, newer, foreign, unwritable."""

from __future__ import annotations

import logging
import os
import pickle
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
import sqlalchemy as sa

from folkways.errors import MissingExtraError
from folkways.workspace import run_records, schema
from folkways.workspace.database import Workspace, WorkspaceError, open_workspace
from tests.support.postgres import new_database


def test_a_new_workspace_has_the_tables_and_opens_again(tmp_path: Path) -> None:
    path = tmp_path / "new.db"
    open_workspace(path).close()
    again = open_workspace(path, create=False)
    with again.read() as connection:
        assert set(schema.metadata.tables) <= set(sa.inspect(connection).get_table_names())


CLOSED = """
import atexit, os, sqlite3, sys

opened = []
atexit.register(lambda: print(*map(is_open, opened)))  # runs last, since it is the first

from sqlalchemy import event
from sqlalchemy.pool import Pool
from folkways.workspace.database import open_workspace

def is_open(connection):
    try:
        connection.total_changes
    except sqlite3.ProgrammingError:
        return False
    return True

event.listen(Pool, "connect", lambda connection, _: opened.append(connection))
workspace = open_workspace(sys.argv[1])
if not os.fork():
    del workspace
    sys.exit()  # which does not end what its parent has
os.wait()
with workspace.read():
    assert [one for one in opened if is_open(one)]
if sys.argv[2] == "let go":
    del workspace
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs fork")
@pytest.mark.parametrize("end", ["let go", "at the end of the program"])
def test_connections_are_closed_once_nobody_has_the_workspace_and_by_nobody_else(
    tmp_path: Path, end: str
) -> None:
    command = [sys.executable, "-c", CLOSED, str(tmp_path / "w.db"), end]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    of_child, of_parent = (line.split() for line in done.stdout.splitlines())
    assert "True" in of_child
    assert set(of_parent) == {"False"}


def test_files_of_one_process_share_what_their_statements_compile_to(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def use(name: str) -> list[str]:
        """What SQLAlchemy says of the statements that it runs: ``[generated in ...]``, ``[cached since ...]``."""
        caplog.clear()
        workspace = open_workspace(tmp_path / name)
        run, _ = run_records.begin_run(workspace, {"config": "test"}, [], "test", None, "run")
        run_records.find_run(workspace, run.name)
        workspace.close()
        return [record.getMessage() for record in caplog.records if record.name == "sqlalchemy.engine.Engine"]

    with caplog.at_level(logging.INFO, "sqlalchemy.engine.Engine"):
        use("first.db")
        again = use("second.db")
    anew = [message for message in again if message.startswith("[generated in")]
    assert anew == [], "SQLAlchemy compiles for each file: it no longer looks statements up by equal dialects"
    assert any(message.startswith("[cached since") for message in again), "SQLAlchemy says it in other words"


@pytest.mark.parametrize("revision", ["0001", "0013", "0020"])
def test_a_workspace_from_before_the_first_release_is_left_alone(tmp_path: Path, revision: str) -> None:
    path = tmp_path / "older.db"
    open_workspace(path).close()
    with sqlite3.connect(path) as database:
        database.execute("UPDATE alembic_version SET version_num = ?", (revision,))
    before = path.read_bytes()
    with pytest.raises(
        WorkspaceError, match=f"development version of folkways before 0.2 \\(schema {revision}\\)"
    ):
        open_workspace(path)
    assert path.read_bytes() == before


@pytest.mark.parametrize("revision", ["9999", "0100b", "x"])
def test_a_workspace_of_an_unknown_version_is_left_alone(tmp_path: Path, revision: str) -> None:
    path = tmp_path / "newer.db"
    open_workspace(path).close()
    with sqlite3.connect(path) as database:
        database.execute("UPDATE alembic_version SET version_num = ?", (revision,))
    with pytest.raises(WorkspaceError, match="newer folkways") as error:
        open_workspace(path)
    assert "pip install -U folkways" in str(error.value)
    with sqlite3.connect(path) as database:
        assert database.execute("SELECT version_num FROM alembic_version").fetchone() == (revision,)


def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text(
        "These are notes, and they are longer than the header of a database file would be, to be sure of "
        "it.\n" * 3
    )
    with pytest.raises(WorkspaceError, match="something else than a SQLite database"):
        open_workspace(path)
    assert path.read_text().startswith("These are notes")


def test_a_database_of_another_program(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE recipes (name TEXT)")
    with pytest.raises(WorkspaceError, match=r"not a folkways workspace.*recipes"):
        open_workspace(path)


@pytest.mark.parametrize(
    ("location", "message"),
    [
        ("no/such/folder/w.db", "does not exist"),
        (".", "is a folder"),
        ("mysql://user:secret@host/db", "not supported"),
        ("sqlite:///w.db", "as a path"),
        ("postgresql://folkways@127.0.0.1:1/none", "does not answer"),
        ("post gres://x y", "cannot be read"),
    ],
)
def test_locations_that_cannot_work(
    location: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(WorkspaceError, match=message) as error:
        open_workspace(location)
    assert "secret" not in str(error.value)


def test_create_false_names_the_remedy(tmp_path: Path) -> None:
    with pytest.raises(WorkspaceError, match="there is no workspace"):
        open_workspace(tmp_path / "absent.db", create=False)
    assert not (tmp_path / "absent.db").exists()


def test_a_full_database_says_so_and_keeps_what_it_has(tmp_path: Path) -> None:
    workspace = open_workspace(tmp_path / "w.db")
    run_records.endpoint_id(workspace, "kept", "kept")

    def bounded(dbapi_connection: sqlite3.Connection, _record: object) -> None:
        dbapi_connection.execute("PRAGMA max_page_count = 1")

    sa.event.listen(workspace.engine, "connect", bounded)
    workspace.engine.dispose()
    with pytest.raises(WorkspaceError, match="disk is full"):
        for number in range(2000):
            run_records.endpoint_id(workspace, f"identity {number} {'x' * 400}", "name")
    with workspace.read() as connection:
        names = connection.scalars(sa.select(schema.endpoints.c.identity)).all()
    assert "kept" in names


def test_insert_new_keeps_what_is_there(any_workspace: Workspace) -> None:
    row = {"prompt_hash": "a" * 32, "system": None, "user": "first", "choices": None}
    with any_workspace.write() as connection:
        any_workspace.insert_new(connection, schema.prompts, [row])
        any_workspace.insert_new(
            connection, schema.prompts, [{**row, "user": "second"}, {**row, "prompt_hash": "b" * 32}]
        )
    with any_workspace.read() as connection:
        assert sorted(connection.scalars(sa.select(schema.prompts.c.user))) == ["first", "first"]


def test_a_failed_write_leaves_nothing_behind(any_workspace: Workspace) -> None:
    with pytest.raises(RuntimeError), any_workspace.write() as connection:
        connection.execute(sa.insert(schema.endpoints).values(identity="gone", name="gone"))
        raise RuntimeError
    with any_workspace.read() as connection:
        assert (
            connection.scalar(
                sa.select(sa.func.count())
                .select_from(schema.endpoints)
                .where(schema.endpoints.c.identity == "gone")
            )
            == 0
        )


ODD_TEXTS = [
    '"quoted", {braced} and \\slashed\\',
    "100 %s $1 %",
    "line\nbreak\ttab",
    "",
    "서울 ሰላም 👩‍👩‍👧 \u2028",
    "x" * 3_000_000,
]


def test_any_text_comes_back_as_it_was(any_workspace: Workspace) -> None:
    """More rows than one statement takes, in one and the other way of writing."""
    rows = [
        {"prompt_hash": f"{number:032}", "system": None, "user": text, "choices": None}
        for number, text in enumerate(ODD_TEXTS)
    ]
    rows += [
        {"prompt_hash": f"many{number:028}", "system": "", "user": "u", "choices": "[]"}
        for number in range(1200)
    ]
    for write in (any_workspace.insert_new, any_workspace.insert_or_replace):
        with any_workspace.write() as connection:
            write(connection, schema.prompts, rows)
        with any_workspace.read() as connection:
            table = schema.prompts
            stored = connection.execute(sa.select(table).order_by(table.c.prompt_hash)).mappings().all()
        assert stored == sorted(rows, key=lambda row: str(row["prompt_hash"]))


def test_numbers_come_back_as_they_were(any_workspace: Workspace) -> None:
    rows = [
        {"id": f"{number}", "host": "h", "pid": pid, "pid_started": "", "heartbeat": beat}
        for number, (pid, beat) in enumerate([(2**62, 0.1 + 0.2), (0, 1e-300), (-1, 1795240000.1234567)])
    ]
    with any_workspace.write() as connection:
        any_workspace.insert_or_replace(connection, schema.workers, rows)
    with any_workspace.read() as connection:
        assert (
            connection.execute(sa.select(schema.workers).order_by(schema.workers.c.id)).mappings().all()
            == rows
        )


@pytest.mark.postgres
def test_a_value_that_a_column_cannot_hold_is_refused_and_leaves_nothing(postgres_url: str) -> None:
    """It is never cut short in silence. (SQLite holds any length.)"""
    workspace = open_workspace(postgres_url)
    good = {"prompt_hash": "a" * 32, "system": None, "user": "u", "choices": None}
    with pytest.raises(WorkspaceError, match="too long"), workspace.write() as connection:
        workspace.insert_new(connection, schema.prompts, [good, {**good, "prompt_hash": "b" * 33}])
    with workspace.read() as connection:
        assert connection.scalar(sa.select(sa.func.count()).select_from(schema.prompts)) == 0
    workspace.close()


def test_without_the_driver_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)  # as if it were not installed
    with pytest.raises(MissingExtraError, match=r"pip install 'folkways\[postgres\]'"):
        open_workspace("postgresql://me@127.0.0.1:5/folkways")


def test_a_workspace_that_cannot_be_written_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a b?.db"
    open_workspace(path).close()
    before = path.read_bytes()
    monkeypatch.setattr("os.access", lambda _path, mode: mode != os.W_OK)  # permissions do not stop root
    workspace = open_workspace(path, create=False)
    with workspace.read() as connection:
        assert connection.execute(sa.select(sa.func.count()).select_from(schema.runs)).scalar() == 0
    with pytest.raises(WorkspaceError, match="read-only"), workspace.write() as connection:
        connection.exec_driver_sql("DELETE FROM runs")
    workspace.close()
    with pytest.raises(WorkspaceError, match="is read-only"):
        open_workspace(path)
    assert [file.name for file in tmp_path.iterdir()] == [path.name]
    assert path.read_bytes() == before


def test_a_workspace_to_migrate_that_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "old.db"
    open_workspace(path).close()
    monkeypatch.setattr(
        "folkways.workspace.database.TABLES",
        replace(schema.TABLES, revisions=(*schema.TABLES.revisions, "9998")),
    )
    monkeypatch.setattr("os.access", lambda _path, mode: mode != os.W_OK)
    with pytest.raises(WorkspaceError, match="has schema 0102 and must be brought to 9998"):
        open_workspace(path, create=False)


@pytest.mark.postgres
@pytest.mark.parametrize(
    ("client", "options", "words"),
    [
        ("LATIN1", "", None),
        (
            "UTF8",
            "ENCODING 'SQL_ASCII' LOCALE 'C' LOCALE_PROVIDER libc",
            "has the encoding SQL_ASCII, not UTF8.*createdb --encoding UTF8",
        ),
        ("UTF8", "ENCODING 'LATIN1' LOCALE 'C' LOCALE_PROVIDER libc", "has the encoding LATIN1, not UTF8"),
    ],
)
def test_a_workspace_holds_every_script_or_is_not_made(
    postgres_base_url: str, monkeypatch: pytest.MonkeyPatch, client: str, options: str, words: str | None
) -> None:
    monkeypatch.setenv("PGCLIENTENCODING", client)
    url = new_database(postgres_base_url, f"{options} TEMPLATE template0")
    if words is not None:
        with pytest.raises(WorkspaceError, match=words):
            open_workspace(url)
        return
    workspace = open_workspace(url)
    row = {"prompt_hash": "a" * 32, "system": None, "user": "무엇을 먹나요? ምን?", "choices": None}
    with workspace.write() as connection:
        workspace.insert_new(connection, schema.prompts, [row])
    with workspace.read() as connection:
        assert connection.scalar(sa.select(schema.prompts.c.user)) == row["user"]
    workspace.close()


@pytest.mark.postgres
def test_a_password_of_the_environment_is_no_part_of_the_address(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The driver takes it from there; a cluster refuses addresses that hold one."""
    address = postgres_url.replace("+psycopg", "")
    monkeypatch.setenv("PGPASSWORD", "secret")
    for given, shown in (
        (address, address),
        (address.replace("@", ":secret@"), address.replace("@", ":***@")),
        (f"{address}?password=secret", address.replace("@", ":***@")),
        (f"{address}?password=other&password=secret", address.replace("@", ":***@")),
        (f"{address}?sslpassword=secret", f"{address}?sslpassword=hidden"),
    ):
        workspace = open_workspace(given)
        assert workspace.location == shown
        assert b"secret" not in pickle.dumps(workspace)
        assert (workspace.engine.url.password == "secret") is (":***@" in shown)
        workspace.close()


def test_a_pickled_workspace_is_opened_anew_and_its_password_stays_here(
    any_workspace: Workspace, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """By another process, in whatever folder it works; a server's password comes from its environment."""
    workspace = open_workspace(any_workspace.place.replace("@", ":pass-word@"))
    written = pickle.dumps(workspace)
    assert b"pass-word" not in written
    monkeypatch.chdir(tmp_path)
    again = pickle.loads(written)
    assert again.place == any_workspace.place
    run, _ = run_records.begin_run(workspace, {"config": "test"}, [], "test", None, "run")
    assert run_records.find_run(again, run.name).id == run.id
    workspace.close()
    again.close()


def test_what_is_deleted_is_not_in_the_file_any_more(tmp_path: Path) -> None:
    words = b"words that somebody wants to be forgotten"
    with closing(open_workspace(tmp_path / "w.db")) as workspace:
        with workspace.write() as connection:
            connection.exec_driver_sql("CREATE TABLE notes (note)")
            connection.exec_driver_sql("INSERT INTO notes VALUES (?)", (words.decode() * 9,))
        with workspace.write() as connection:
            connection.exec_driver_sql("DELETE FROM notes")
        with workspace.read() as connection:
            assert connection.exec_driver_sql("PRAGMA secure_delete").scalar_one() == 1
    assert words not in (tmp_path / "w.db").read_bytes()


def test_a_suggested_command_has_no_stars_in_the_place_of_a_password(tmp_path: Path) -> None:
    engine = open_workspace(tmp_path / "w.db").engine
    for location, named in [
        ("folkways.db", ""),
        ("my lab.db", " --workspace 'my lab.db'"),
        ("postgresql://ada:***@host/lab", " --workspace postgresql://ada@host/lab"),
    ]:
        assert Workspace(engine, location).command("score", "run-1") == f"folkways score run-1{named}"
