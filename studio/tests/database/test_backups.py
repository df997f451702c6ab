"""Backups of a workspace that is in use, and workspaces made of them, on both kinds of database and
across."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import zipfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import asdict
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from folkways.workspace.database import Workspace
from folkways.workspace.database_errors import WorkspaceError
from folkways_studio.database import schema
from folkways_studio.database.backups import ALL_TABLES, SCHEMA, Backup, back_up, put_back, unpacked
from folkways_studio.database.opening import open_workspace
from folkways_studio.media import service as media
from folkways_studio.people import accounts
from folkways_studio.work import judgements
from folkways_studio.work.assignments import Work
from studio.tests.support.broken_zips import DAMAGES
from studio.tests.support.s3_server import S3Server
from studio.tests.support.studies import (
    ON_BOTH,
    QUESTION,
    StudyFixture,
    next_work,
    no_space,
    open_study,
    restored_from,
    stored,
)
from tests.support.command_line import environment, folkways

RESTORED = "workspace.restored"
VOTE = {"name": "vote", "kind": "vote", "answers": 3, "majority": 2}
PICTURE = b"a picture"


def contents(workspace: Workspace) -> dict[str, list[Any]]:
    """Every row of every table, but for the events of restored backups."""
    with workspace.read() as connection:
        rows = {table.name: connection.execute(sa.select(table)).all() for table in ALL_TABLES}
    rows["studio_events"] = [row for row in rows["studio_events"] if row.kind != RESTORED]
    return {name: sorted(map(repr, each)) for name, each in rows.items()}


def restorations(workspace: Workspace) -> list[dict[str, Any]]:
    """What the audit trail says of restored backups."""
    return [row["details"] for row in stored(workspace, schema.events, kind=RESTORED)]


@contextmanager
def answering(made: StudyFixture, people: int) -> Iterator[list[str]]:
    """People who answer one item after another meanwhile, each in a thread; the keys of what they were told
    is saved."""
    acknowledged: list[str] = []
    stop = threading.Event()

    def answer(participant: int) -> None:
        while not stop.is_set() and isinstance(work := next_work(made.workspace, participant), Work):
            key = f"answer-{work.assignment.id}"
            judgements.submit(made.workspace, participant, work.assignment.id, {"choices": [0]}, key)
            acknowledged.append(key)

    threads = [threading.Thread(target=answer, args=(made.person().id,)) for _ in range(people)]
    for thread in threads:
        thread.start()
    try:
        yield acknowledged
    finally:
        stop.set()
        for thread in threads:
            thread.join()


@ON_BOTH
def test_what_was_saved_before_is_in_it_and_nothing_is_half_there(
    studio_workspace: Workspace, tmp_path: Path
) -> None:
    made = open_study(studio_workspace, [VOTE])
    made.add("vote", [QUESTION] * 100)
    with answering(made, people=3) as acknowledged:
        while len(acknowledged) < 10:
            assert threading.active_count() > 1
        before = list(acknowledged)
        told = back_up(studio_workspace, tmp_path / "b.zip")
        assert len(acknowledged) < 300, "people were still answering"
    restored = open_workspace(tmp_path / "restored.db")
    with closing(restored):
        assert restored_from(tmp_path / "b.zip", restored) == told
        with restored.read() as connection:
            kept = set(connection.exec_driver_sql("SELECT key FROM studio_judgements").scalars())
            done = connection.exec_driver_sql(
                "SELECT count(*) FROM studio_assignments WHERE state = 'done'"
            ).scalar_one()
            noted = connection.exec_driver_sql(
                "SELECT count(*) FROM studio_events WHERE kind = 'judgement.submitted'"
            ).scalar_one()
            assert connection.exec_driver_sql("PRAGMA foreign_key_check").all() == []
            assert connection.exec_driver_sql("PRAGMA integrity_check").scalar_one() == "ok"
    assert set(before) <= kept
    assert told.answers == len(kept) == done == noted, "an answer, its slot and its event belong together"


@ON_BOTH
def test_a_study_moves_to_another_database_and_goes_on_there(
    studio_workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From a file to the other kind and back: the same rows, numbers that go on behind them, and the guards
    still in place."""
    with closing(open_workspace(tmp_path / "first.db")) as first:
        made = open_study(first, [VOTE])
        made.add("vote", [{**QUESTION, "question": "Was isst man zuerst? \U0001f35a\nUnd \\N dann?"}])
        made.answer(made.person(), {"choices": [0]})
        media.add_media(first, made.record.id, {"bowl.png": ("image/png", b"a picture")})
        before = contents(first)
        back_up(first, tmp_path / "1.zip")
    monkeypatch.setenv("FOLKWAYS_MEDIA", str(tmp_path / "media"))
    restored_from(tmp_path / "1.zip", studio_workspace)
    bowl = media.find_media(studio_workspace, made.record.id, "bowl.png")
    assert media.read_bytes(studio_workspace, bowl) == b"a picture"
    assert contents(studio_workspace) == before
    there = StudyFixture(studio_workspace, made.record, made.owner, {})
    there.answer(there.person(), {"choices": [1]})
    for change in ("DELETE FROM studio_events", "UPDATE studio_judgements SET key = 'another'"):
        with (
            pytest.raises(WorkspaceError, match="can be added but not changed"),
            studio_workspace.write() as connection,
        ):
            connection.exec_driver_sql(change)
    after = contents(studio_workspace)
    back_up(studio_workspace, tmp_path / "2.zip")
    with pytest.raises(
        WorkspaceError,
        match=r"is not empty \(it has 1 study, 2 participants, 2 answers, 1 picture or recording\).*--replace",
    ):
        restored_from(tmp_path / "2.zip", studio_workspace)
    first_backup = restored_from(tmp_path / "1.zip", studio_workspace, replace=True)
    assert contents(studio_workspace) == before
    (details,) = restorations(studio_workspace)
    assert datetime.fromisoformat(details["backup_of"]).timestamp() == int(first_backup.made)
    assert details["replaced"] == "1 study, 2 participants, 2 answers, 1 picture or recording"
    restored_from(tmp_path / "2.zip", studio_workspace, replace=True)
    assert contents(studio_workspace) == after
    assert [each["replaced"] for each in restorations(studio_workspace)][1:] == [
        "1 study, 1 participant, 1 answer, 1 picture or recording"
    ]
    media.delete_media(studio_workspace, made.record.id, "bowl.png")
    assert media.list_media(studio_workspace, made.record.id) == ()
    assert not [path for path in (tmp_path / "media").rglob("*") if path.is_file()]


@pytest.mark.postgres
@pytest.mark.parametrize("studio_workspace", ["postgresql"], indirect=True)
@pytest.mark.parametrize("order", [ALL_TABLES, ALL_TABLES[::-1]], ids=["first to last", "last to first"])
def test_a_backup_is_put_back_after_those_at_work_in_any_order_of_tables(
    studio_workspace: Workspace, tmp_path: Path, order: tuple[sa.Table, ...]
) -> None:
    """Two who wait for each other's tables would end with one of them refused."""
    open_study(studio_workspace, [VOTE]).person()
    before = contents(studio_workspace)
    back_up(studio_workspace, tmp_path / "b.zip")
    with ThreadPoolExecutor() as pool:
        with studio_workspace.engine.begin() as at_work:
            at_work.execute(sa.select(order[0])).all()
            restoring = pool.submit(restored_from, tmp_path / "b.zip", studio_workspace, replace=True)
            waits = sa.text(
                "SELECT count(*) FROM pg_locks WHERE NOT granted AND mode = 'AccessExclusiveLock'"
            )
            while not at_work.scalar(waits):
                assert not restoring.done(), restoring.result()
            for table in order[1:]:
                at_work.execute(sa.select(table)).all()
            at_work.execute(sa.update(schema.studies).values(title="changed meanwhile"))
        assert restoring.result(timeout=60).participants == 1
    assert contents(studio_workspace) == before


def rewritten(backup: Path, file: Path, **changes: bytes) -> None:
    """A backup with other contents: name -> content, without what is empty."""
    with zipfile.ZipFile(backup) as old, zipfile.ZipFile(file, "w") as archive:
        for name in old.namelist():
            if content := changes.get(name, old.read(name)):
                archive.writestr(name, content)


OTHER_CONTENTS = {
    "no database": {"workspace.db": b""},
    "another database": {"workspace.db": b"no database" * 1000},
    "another picture": {f"media/{sha256(PICTURE).hexdigest()}": b"another picture"},
    "no description": {"backup.json": b""},
    "no JSON": {"backup.json": b"{"},
    "no object": {"backup.json": b"[]"},
    "no version": {"backup.json": b'{"schema": "0001+0001"}'},
}
REASONS = {
    "no database": "no item named 'workspace.db'",
    "another database": "file is not a database",
    "another picture": "is not what it was",
    "no description": "no item named 'backup.json'",
    "no version": "'folkways'",
    "newer": "made by a newer folkways",
    "absent": "there is no backup",
}
"""What is said of some, beside the file."""


@pytest.mark.parametrize("wrong", [*DAMAGES, *OTHER_CONTENTS, "newer", "absent"])
def test_a_file_that_cannot_be_restored_makes_no_workspace(tmp_path: Path, wrong: str) -> None:
    backup, bad, other = tmp_path / "b.zip", tmp_path / "bad.zip", tmp_path / "other.db"
    with closing(open_workspace(tmp_path / "w.db")) as workspace:
        made = open_study(workspace, [VOTE])
        media.add_media(workspace, made.record.id, {"bowl.png": ("image/png", PICTURE)})
        about = asdict(back_up(workspace, backup))
    if wrong in DAMAGES:
        bad.write_bytes(DAMAGES[wrong](backup.read_bytes()))
    elif wrong == "newer":
        rewritten(backup, bad, **{"backup.json": json.dumps({**about, "schema": "9999"}).encode()})
    elif wrong != "absent":
        rewritten(backup, bad, **OTHER_CONTENTS[wrong])
    done = folkways("studio", "restore", bad, "--workspace", other)
    assert done.returncode == 2 and str(bad) in done.stderr and "Traceback" not in done.stderr
    assert REASONS.get(wrong, "or it is damaged") in done.stderr
    assert wrong == "absent" or "nothing was changed" in done.stderr
    assert sorted(path.name for path in tmp_path.glob("other*")) == []


def test_a_backup_without_space_to_unpack_says_where_space_is_missing(tmp_path: Path) -> None:
    with closing(open_workspace(tmp_path / "w.db")) as workspace:
        back_up(workspace, tmp_path / "b.zip")
    with (
        no_space(),
        pytest.raises(WorkspaceError, match=f"b.zip cannot be unpacked: {tempfile.gettempdir()} is full"),
        unpacked(tmp_path / "b.zip"),
    ):
        pass


def test_the_commands_say_what_they_did_and_refuse(tmp_path: Path) -> None:
    place, backup, other = tmp_path / "w.db", tmp_path / "b.zip", tmp_path / "other.db"
    with closing(open_workspace(place)) as workspace:
        open_study(workspace, [VOTE]).person()
    told = folkways("studio", "backup", backup, "--workspace", place).stdout
    assert told == f"wrote {backup}: 1 study, 1 participant; schema {SCHEMA}\n"
    assert backup.stat().st_mode & 0o077 == 0, "it is nobody else's to read"
    assert sorted(path.name for path in tmp_path.iterdir() if path.name.startswith(".")) == []
    assert (
        "exists and is not overwritten" in folkways("studio", "backup", backup, "--workspace", place).stderr
    )
    with zipfile.ZipFile(backup) as archive:
        about = json.loads(archive.read("backup.json"))
    rewritten(
        backup,
        older := tmp_path / "older.zip",
        **{"backup.json": json.dumps({**about, "schema": "0100+0001"}).encode()},
    )
    restored = folkways("studio", "restore", older, "--workspace", other).stdout
    assert restored == f"restored {older} into {other}: 1 study, 1 participant; schema {SCHEMA}\n", (
        "as it is now"
    )
    assert "is not empty" in folkways("studio", "restore", backup, "--workspace", other).stderr
    folkways("studio", "restore", backup, "--workspace", other, "--replace")
    with closing(open_workspace(other)) as workspace:
        assert len(contents(workspace)["studio_studies"]) == 1


@pytest.mark.parametrize("wrong", ["there already", "no such folder", "not a folder to write to"])
def test_a_backup_that_cannot_be_made_leaves_nothing(tmp_path: Path, wrong: str) -> None:
    target, words = {
        "there already": (tmp_path / "w.db", "exists and is not overwritten"),
        "no such folder": (tmp_path / "none" / "b.zip", f"the folder {tmp_path / 'none'} does not exist"),
        "not a folder to write to": (Path("/dev/fd/b.zip"), "cannot be written"),
    }[wrong]
    with closing(open_workspace(tmp_path / "w.db")) as workspace:
        made = open_study(workspace, [VOTE])
        media.add_media(workspace, made.record.id, {"bowl.png": ("image/png", PICTURE)})
        before = sorted(tmp_path.rglob("*"))
        with pytest.raises(WorkspaceError, match=re.escape(words)):
            back_up(workspace, target)
        assert sorted(tmp_path.rglob("*")) == before


def test_a_workspace_with_an_account_alone_is_not_empty(tmp_path: Path) -> None:
    with (
        closing(open_workspace(tmp_path / "w.db")) as workspace,
        closing(open_workspace(tmp_path / "other.db")) as other,
    ):
        back_up(workspace, tmp_path / "b.zip")
        accounts.create_account(other, "owner", None)
        with pytest.raises(WorkspaceError, match=r"is not empty \(it has accounts\).*--replace"):
            restored_from(tmp_path / "b.zip", other)
        assert len(contents(other)["studio_accounts"]) == 1
        restored_from(tmp_path / "b.zip", other, replace=True)
        assert contents(other)["studio_accounts"] == []


def test_a_picture_of_two_studies_is_in_a_backup_once(tmp_path: Path) -> None:
    with closing(open_workspace(tmp_path / "w.db")) as workspace:
        for name in ("one", "two"):
            made = open_study(workspace, [VOTE], name=name)
            media.add_media(workspace, made.record.id, {"bowl.png": ("image/png", PICTURE)})
        assert back_up(workspace, tmp_path / "b.zip").media == 2
    with zipfile.ZipFile(tmp_path / "b.zip") as archive:
        assert archive.namelist() == ["workspace.db", f"media/{sha256(PICTURE).hexdigest()}", "backup.json"]


@pytest.mark.parametrize("place", ["beside", "named", "stuck"])
def test_pictures_of_what_is_replaced_are_gone_where_no_other_workspace_has_any(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    """place: of the pictures; a stuck one cannot be deleted."""
    folder = tmp_path / "w.db-media"
    if place == "named":
        folder = tmp_path / "media"
        monkeypatch.setenv("FOLKWAYS_MEDIA", str(folder))
    with closing(open_workspace(tmp_path / "w.db")) as workspace:
        made = open_study(workspace, [VOTE])
        media.add_media(workspace, made.record.id, {"bowl.png": ("image/png", PICTURE)})
        back_up(workspace, tmp_path / "b.zip")
        later = {"cup.png": ("image/png", b"a later picture"), "again.png": ("image/png", PICTURE)}
        media.add_media(workspace, made.record.id, later)
        cup = media.find_media(workspace, made.record.id, "cup.png").sha256
        (path,) = folder.rglob(cup)
        if place == "stuck":
            path.unlink()
            path.mkdir()
        with unpacked(tmp_path / "b.zip") as (description, source):
            left = put_back(description, source, workspace, replace=True)
        assert left == ([] if place == "beside" else [cup])
        assert path.exists() == (place != "beside")
        (bowl,) = media.list_media(workspace, made.record.id)
        assert media.read_bytes(workspace, bowl) == PICTURE


def test_pictures_in_a_bucket_stay_because_backups_do_not_have_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with S3Server() as server:
        for name, value in server.variables().items():
            monkeypatch.setenv(name, value)
        with closing(open_workspace(tmp_path / "w.db")) as workspace:
            made = open_study(workspace, [VOTE])
            back_up(workspace, tmp_path / "early.zip")
            media.add_media(workspace, made.record.id, {"bowl.png": ("image/png", PICTURE)})
            back_up(workspace, tmp_path / "late.zip")
            for file in ("early.zip", "late.zip"):
                restored_from(tmp_path / file, workspace, replace=True)
            (bowl,) = media.list_media(workspace, made.record.id)
            assert media.read_bytes(workspace, bowl) == PICTURE


@pytest.mark.parametrize("place", ["folder", "bucket"])
def test_what_is_missing_is_named_and_keeps_nothing_else_out_of_a_backup(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with S3Server() as server, closing(open_workspace(tmp_path / "w.db")) as workspace:
        variables = server.variables("/first") if place == "bucket" else {}
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        made = open_study(workspace, [VOTE])
        pictures = {f"{number}.png": ("image/png", b"%d" % number) for number in range(250)}
        media.add_media(workspace, made.record.id, pictures)
        server.control(fault=None)  # forget what was asked
        assert back_up(workspace, tmp_path / "whole.zip").problems == []
        assert len(server.stats()["asked"]) <= 4, "a page of the list has a hundred"
        store, study = media.media_store(workspace), made.record.name
        gone = [media.find_media(workspace, made.record.id, f"{number}.png") for number in (7, 8)]
        for each in gone:
            store.delete(each.sha256)
        media.delete_media(workspace, made.record.id, "8.png")
        media.add_media(workspace, made.record.id, {"seven.png": pictures["7.png"]})
        store.delete(gone[0].sha256)
        backup = tmp_path / "lacking.zip"
        at = ("--workspace", workspace.location)
        done = folkways("studio", "backup", backup, *at, env=environment(**variables))
        assert (done.returncode, "; files not found or not looked for: 2" in done.stdout) == (2, True)
        assert [line.strip() for line in done.stderr.splitlines()[1:]] == [
            f"{name} of {study} is not in {store.place}; add the same file again"
            for name in ("7.png", "seven.png")
        ]
        assert "Traceback" not in done.stderr
        with closing(open_workspace(tmp_path / "again.db")) as again:
            restored_from(backup, again)
            assert contents(again) == contents(workspace)
        media.add_media(workspace, made.record.id, {"7.png": pictures["7.png"]})
        assert back_up(workspace, tmp_path / "mended.zip").problems == []


def test_a_bucket_that_does_not_answer_keeps_nothing_else_out_of_a_backup(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with S3Server() as server, closing(open_workspace(tmp_path / "w.db")) as workspace:
        for name, value in server.variables().items():
            monkeypatch.setenv(name, value)
        made = open_study(workspace, [VOTE])
        media.add_media(workspace, made.record.id, {"bowl.png": ("image/png", PICTURE)})
        server.control(fault="denied")
        (problem,) = back_up(workspace, tmp_path / "b.zip").problems
        assert problem.startswith(f"bowl.png of {made.record.name} was not looked for: ")
        assert "the keys are refused" in problem
        server.control(fault=None)
        with closing(open_workspace(tmp_path / "again.db")) as again:
            restored_from(tmp_path / "b.zip", again)
            assert contents(again) == contents(workspace)


def test_what_a_killed_backup_left_goes_with_the_next_and_nothing_else(tmp_path: Path) -> None:
    with closing(open_workspace(tmp_path / "w.db")) as workspace:
        open_study(workspace, [VOTE])
        killed = (
            "import os, sys, zipfile, pathlib\n"
            "from folkways_studio.database.backups import back_up\n"
            "from folkways_studio.database.opening import open_workspace\n"
            "zipfile.ZipFile.writestr = lambda *_: os.kill(os.getpid(), 9)\n"
            "back_up(open_workspace(sys.argv[1]), pathlib.Path(sys.argv[2]))\n"
        )
        process = subprocess.run(
            [sys.executable, "-c", killed, str(tmp_path / "w.db"), str(tmp_path / "no.zip")]
        )
        assert process.returncode == -signal.SIGKILL
        (left,) = tmp_path.glob(".backup-*")
        own = tmp_path / ".backup-pictures"
        own.mkdir()
        photos = tmp_path / ".backup-photos12"
        photos.mkdir()
        (photos / "me.png").touch()
        back_up(workspace, tmp_path / "a.zip")
        assert left.is_dir()  # another process may be at it
        long_ago = time.time() - 3700
        for path in (*left.iterdir(), *photos.iterdir(), left, own, photos):
            os.utime(path, (long_ago, long_ago))
        (busy,) = (each for each in left.iterdir() if each.name == "backup.zip")
        os.utime(busy)
        back_up(workspace, tmp_path / "b.zip")
        assert left.is_dir()
        os.utime(busy, (long_ago, long_ago))
        back_up(workspace, tmp_path / "c.zip")
        assert set(tmp_path.glob(".backup-*")) == {own, photos}


@pytest.mark.parametrize(
    ("counts", "bucket", "words"),
    [
        ((0, 0, 0, 0, 0), None, "nothing yet; schema 7"),
        ((1, 1, 1, 1, 1), None, "1 study, 1 participant, 1 answer, 1 picture or recording, 1 run; schema 7"),
        ((2, 0, 0, 0, 0), None, "2 studies; schema 7"),
        (
            (2, 2, 2, 2, 2),
            None,
            "2 studies, 2 participants, 2 answers, 2 pictures and recordings, 2 runs; schema 7",
        ),
        (
            (1, 0, 0, 2, 0),
            "s3://b",
            "1 study, 2 pictures and recordings; schema 7; pictures and recordings are not in it, they are in s3://b",
        ),
    ],
)
def test_what_is_in_a_backup_in_words(counts: tuple[int, ...], bucket: str | None, words: str) -> None:
    assert str(Backup("7", "1.0", 0.0, *counts, bucket=bucket)) == words
