"""Machines and files that are not as they should be: a terminal without Unicode, a damaged workspace, paths
that are too long."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.support.command_line import environment, folkways, folkways_process, rows

RUN = ("run", "demo", "--model", "baseline/first", "--model", "baseline/random")


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run, all of it in one file."""
    path = tmp_path_factory.mktemp("machines") / "w.db"
    assert folkways(*RUN, "--limit", 20, "-w", path).returncode == 0
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return path


@pytest.mark.parametrize(
    ("encoding", "command"),
    [
        ("ascii", "show"),
        ("cp1252", "score"),
        *(
            pytest.param(*other, marks=pytest.mark.nightly)
            for other in (("cp1252", "show"), ("ascii", "score"))
        ),
    ],
)
def test_a_terminal_that_lacks_letters_gets_question_marks(
    workspace: Path, encoding: str, command: str
) -> None:
    (item,) = rows(
        workspace, "SELECT item FROM expected WHERE task = 'demo/saq' AND item LIKE '%ET%' LIMIT 1"
    )[0]
    line = (command, *((f"demo/saq:{item}",) if command == "show" else ()), "-w", workspace)
    plain = folkways(*line)
    done = folkways_process(
        *line, env=environment(PYTHONIOENCODING=encoding), encoding=encoding, errors="replace"
    )
    assert done.returncode == plain.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    assert len(done.stdout.splitlines()) == len(plain.stdout.splitlines())
    assert "?" in done.stdout and not plain.stdout.isascii()


@pytest.mark.parametrize(
    "seed", [pytest.param(seed, marks=pytest.mark.nightly if seed > 1 else ()) for seed in range(60)]
)
def test_a_damaged_page_is_told_in_words(workspace: Path, tmp_path: Path, seed: int) -> None:
    chance, data, page = random.Random(seed), bytearray(workspace.read_bytes()), 4096
    start = page * chance.randrange(1, len(data) // page)
    first, length = chance.choice([(0, page), (page // 2, page // 2), (0, 64)])
    data[start + first : start + first + length] = chance.randbytes(length)
    broken = tmp_path / "broken.db"
    broken.write_bytes(data)
    report = ("report", "--format", "md,csv", "--out", tmp_path / "report")  # reads all, and draws nothing
    for command in (("runs",), report, ("score",), RUN):
        done = folkways(*command, "-w", broken)  # an exception that comes out fails the test
        assert done.returncode == 0 or "the file is damaged; restore it from a backup" in done.stderr, done


def test_damage_in_the_schema_that_is_no_text_is_told_in_words(workspace: Path, tmp_path: Path) -> None:
    """sqlite3 puts the broken bytes into the text of its error, and cannot decode them."""
    data = workspace.read_bytes()
    assert b"CREATE TABLE runs" in data
    broken = tmp_path / "broken.db"
    broken.write_bytes(data.replace(b"CREATE TABLE runs", b"CR\xb0\xb0\xb0 TABLE runs"))
    for command in (("runs",), ("report", "--out", tmp_path / "report"), RUN):
        done = folkways(*command, "-w", broken)
        assert done.returncode == 2, done
        assert "the file is damaged; restore it from a backup" in done.stderr


@pytest.mark.parametrize("name", ["../x", "a/b", "..", ".", "a\\b", "-w", "/tmp"])
def test_a_name_that_would_be_a_path_or_an_option_is_refused(tmp_path: Path, name: str) -> None:
    done = folkways(*RUN, f"--name={name}", "-w", tmp_path / "w.db")
    assert done.returncode == 2
    assert "cannot be the name of a run" in done.stderr
    assert rows(tmp_path / "w.db", "SELECT 1 FROM runs") == []


def test_ray_that_cannot_start_says_so_in_words_and_leaves_no_run(tmp_path: Path) -> None:
    """Its sockets would have longer paths than the system allows."""
    pytest.importorskip("ray", reason="needs the extra cluster")
    deep = tmp_path / ("deep" * 30)
    deep.mkdir()
    settings = environment(RAY_TMPDIR=str(deep), RAY_ADDRESS="local")  # whatever other tests have begun
    done = folkways_process(*RUN, "--on", "ray", "-w", tmp_path / "w.db", env=settings)
    assert done.returncode == 2, done
    assert "error: Ray did not start on this machine: " in done.stderr and "ray start --head" in done.stderr
    assert "Traceback" not in done.stderr and "Starting" not in done.stderr
    assert rows(tmp_path / "w.db", "SELECT 1 FROM runs") == []
