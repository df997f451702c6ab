"""Several processes on one workspace at once: nothing is corrupted, nothing is asked twice, and each reports
everything."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import polars as pl
import pytest

from folkways.workspace import results, run_records
from folkways.workspace.database import open_workspace
from tests.support.chat_server import ChatServer
from tests.support.command_line import finish, integrity, kill, start, wait_for

Mcq = Callable[[int], Path]
Outcome = Callable[..., tuple[pl.DataFrame, pl.DataFrame]]

QUESTIONS = 600  # more than one process claims at a time


@pytest.fixture
def server(running: ChatServer) -> ChatServer:
    running.control(forget=True, latency=0.02)
    return running


@pytest.fixture(
    params=[
        pytest.param("sqlite", marks=pytest.mark.nightly),
        pytest.param("postgresql", marks=pytest.mark.postgres),
    ]
)
def workspace(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The place of a workspace that nobody has made yet."""
    return (
        str(tmp_path / "w.db") if request.param == "sqlite" else str(request.getfixturevalue("postgres_url"))
    )


def begin(server: ChatServer, release: Path, workspace: str, *more: object) -> object:
    model = f"{server.url}/v1#test-model"
    return start("run", "blend/mcq", "--release", release, "--model", model, "-w", workspace, *more)


def assert_sound(workspace: str) -> None:
    """The database is in order, and nobody holds a claim."""
    opened = open_workspace(workspace, create=False)
    with opened.read() as connection:
        assert connection.exec_driver_sql("SELECT count(*) FROM claims").scalar() == 0
        assert connection.exec_driver_sql("SELECT count(*) FROM workers").scalar() == 0
        for table, columns in (
            ("responses", "key"),
            ("scores", "run_id, endpoint, task, profile, metric, facet, value"),
        ):
            query = f"SELECT {columns}, count(*) FROM {table} GROUP BY {columns} HAVING count(*) > 1"
            assert connection.exec_driver_sql(query).all() == []
    opened.close()
    if "://" not in workspace:
        assert integrity(Path(workspace)) == "ok"


def coverage(workspace: str) -> dict[str, tuple[str, int, int]]:
    """Run -> its state, how many items it expects, and how many of them were answered."""
    opened = open_workspace(workspace, create=False)
    found = {}
    for run in run_records.list_runs(opened):
        frames = [results.responses(opened, run, part) for part in results.parts(opened, run)]
        states = pl.concat(frames)["state"]
        found[run.name] = (run.state, states.len(), int((states == "answered").sum()))
    opened.close()
    return found


@pytest.mark.parametrize("time", ["first", pytest.param("second", marks=pytest.mark.nightly)])
def test_the_same_command_twice_at_once_on_a_new_workspace(
    server: ChatServer, mcq: Mcq, workspace: str, time: str
) -> None:
    processes = [begin(server, mcq(QUESTIONS), workspace) for _ in range(2)]
    ended = [finish(process) for process in processes]
    assert [done.returncode for done in ended] == [0, 0], [done.stderr for done in ended]
    for done in ended:
        assert "Traceback" not in done.stderr
        assert "100\N{NARROW NO-BREAK SPACE}%" in done.stdout
    stats = server.stats()
    assert (stats["total"], stats["distinct"]) == (QUESTIONS, QUESTIONS)
    assert set(coverage(workspace).values()) == {("finished", QUESTIONS, QUESTIONS)}
    assert_sound(workspace)


@pytest.mark.nightly
def test_different_commands_with_items_in_common(server: ChatServer, mcq: Mcq, workspace: str) -> None:
    """Two runs that share prompts share the answers, whoever asks first."""
    release = mcq(QUESTIONS)
    chosen = [
        ("--cultures", "GB,US,KR,CN,ID,ES"),
        ("--cultures", "ET,GR,IR,MX,ES,ID,CN,KR"),
        ("--limit", "250", "--seed", "3"),
    ]
    ended = [
        finish(process) for process in [begin(server, release, workspace, *options) for options in chosen]
    ]
    assert [done.returncode for done in ended] == [0, 0, 0], [done.stderr for done in ended]
    stats = server.stats()
    assert (stats["total"], stats["distinct"]) == (QUESTIONS, QUESTIONS)
    assert sorted(coverage(workspace).values()) == [("finished", size, size) for size in (250, 360, 480)]
    assert_sound(workspace)


@pytest.mark.nightly
def test_one_is_killed_and_the_other_does_everything(
    server: ChatServer, mcq: Mcq, outcome: Outcome, workspace: str, tmp_path: Path
) -> None:
    concurrency = 16
    server.control(
        latency=1.0
    )  # slow enough that the second one begins before the first has asked everything
    command = ("--concurrency", concurrency)
    first, second = (begin(server, mcq(QUESTIONS), workspace, *command) for _ in range(2))
    wait_for(lambda: server.stats()["most_in_flight"] > concurrency)  # both ask
    kill(first)
    server.control(latency=0.02)
    done = finish(second)
    assert done.returncode == 0, done.stderr
    assert "100\N{NARROW NO-BREAK SPACE}%" in done.stdout
    stats = server.stats()
    assert stats["distinct"] == QUESTIONS
    assert stats["total"] - QUESTIONS <= concurrency + 64
    assert set(coverage(workspace).values()) == {("finished", QUESTIONS, QUESTIONS)}
    assert_sound(workspace)

    server.control(latency=0.0)
    alone = str(tmp_path / "alone.db")
    assert finish(begin(server, mcq(QUESTIONS), alone)).returncode == 0
    for shared, whole in zip(outcome(workspace), outcome(alone), strict=True):
        assert shared.equals(whole)


def test_of_two_that_asked_together_one_judges(server: ChatServer, mcq: Mcq, tmp_path: Path) -> None:
    """Whoever judges again takes the scores out first, which is counted here; both report all the same."""
    workspace = str(tmp_path / "w.db")
    open_workspace(workspace).close()
    with closing(sqlite3.connect(workspace)) as opened:
        opened.executescript(
            "CREATE TABLE judged_again (score INTEGER);"
            "CREATE TRIGGER again AFTER DELETE ON scores BEGIN INSERT INTO judged_again VALUES (old.id); END;"
        )
    release = mcq(2 * QUESTIONS)
    processes = [begin(server, release, workspace, "--name", "one", "--concurrency", 8) for _ in range(2)]
    ends = [finish(process) for process in processes]
    assert [end.returncode for end in ends] == [0, 0], ends
    assert ends[0].stdout == ends[1].stdout
    assert_sound(workspace)
    assert coverage(workspace) == {"one": ("finished", 2 * QUESTIONS, 2 * QUESTIONS)}
    with closing(sqlite3.connect(workspace)) as opened:
        assert opened.execute("SELECT count(*) FROM judged_again").fetchall() == [(0,)]
