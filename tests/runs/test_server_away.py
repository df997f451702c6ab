"""``folkways run`` with a server that is away: it says so, waits, goes on, or gives the model up; nothing is
lost."""

from __future__ import annotations

import signal
import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.chat_server import ChatServer
from tests.support.command_line import finish, folkways, rows, start, wait_for

Mcq = Callable[[int], Path]

QUESTIONS = 200
TOLD = "waiting for the server of {}: connection refused, "


@pytest.fixture
def closed_port() -> Iterator[int]:
    """A port at which nobody listens, and may when the test says so."""
    with socket.socket() as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        taken.bind(("127.0.0.1", 0))
        yield int(taken.getsockname()[1])


def command(port: int, release: Path, workspace: Path) -> tuple[object, ...]:
    model = f"http://127.0.0.1:{port}/v1#m"
    return "run", "blend/mcq", "--release", release, "--model", model, "-w", workspace, "--concurrency", 8


def test_a_server_that_is_restarted_in_the_middle(mcq: Mcq, tmp_path: Path) -> None:
    workspace, told = tmp_path / "w.db", tmp_path / "stderr.txt"
    with ChatServer(latency=0.3) as server, told.open("w") as stderr:
        port = int(server.url.rpartition(":")[2])
        process = start(*command(port, mcq(QUESTIONS), workspace), stderr=stderr)
        wait_for(lambda: server.stats()["answered"] > 20, process=process)
    model = f"http://127.0.0.1:{port}/v1#m"
    wait_for(lambda: TOLD.format(model) in told.read_text(), process=process)
    with ChatServer(port=port) as server:
        done = finish(process)
        stats = server.stats()
    said = told.read_text()
    assert done.returncode == 0, said
    assert said.count("waiting for the server") == 1
    assert "nothing has come from it yet" not in said
    assert f"the server of {model} is back" in said
    assert rows(workspace, "SELECT state FROM runs") == [("finished",)]
    assert rows(workspace, "SELECT count(*) FROM failures") == [(0,)]
    assert rows(workspace, "SELECT count(*), max(attempts) <= 2 FROM responses") == [(QUESTIONS, 1)]
    assert stats["total"] == stats["distinct"] <= QUESTIONS, (
        "what was not sure when it went away is asked again, and once"
    )


@pytest.mark.nightly
def test_an_interrupt_ends_the_wait_for_a_server_that_was_never_there(
    mcq: Mcq, tmp_path: Path, closed_port: int
) -> None:
    workspace, told = tmp_path / "w.db", tmp_path / "stderr.txt"
    asked = command(closed_port, mcq(QUESTIONS), workspace)
    with told.open("w") as stderr:
        process = start(*asked, stderr=stderr)
        wait_for(
            lambda: TOLD.format(f"http://127.0.0.1:{closed_port}/v1#m") in told.read_text(), process=process
        )
        time.sleep(1.5)  # into the second pause, of two seconds
        process.send_signal(signal.SIGINT)
        done = finish(process)
    said = told.read_text()
    assert done.returncode == 130, said
    assert "has it been started, and is the address right? (Ctrl-C ends the wait)" in said
    assert "is back" not in said and "press again" not in said
    assert rows(workspace, "SELECT state, reason FROM runs") == [("interrupted", "interrupted by the user")]
    assert rows(workspace, "SELECT count(*) FROM failures UNION ALL SELECT count(*) FROM claims") == [
        (0,),
        (0,),
    ]
    with ChatServer(port=closed_port) as server:
        assert folkways(*asked).returncode == 0
        assert server.stats()["total"] == QUESTIONS


@pytest.mark.nightly
def test_a_model_whose_server_does_not_come_back_is_given_up(
    mcq: Mcq, tmp_path: Path, closed_port: int
) -> None:
    workspace = tmp_path / "w.db"
    asked = command(closed_port, mcq(QUESTIONS), workspace)
    done = folkways(*asked, "--model", "baseline/first", "--wait", 2)
    assert done.returncode == 1, done.stderr
    assert (
        "run-1 is not finished: the server was waited for 2 s and is not back; the last error was: http"
        in done.stderr
    )
    assert rows(workspace, "SELECT state FROM runs") == [("stopped",)]
    assert rows(workspace, "SELECT count(*) FROM failures") == [(0,)]
    assert rows(workspace, "SELECT count(*) FROM responses") == [(QUESTIONS,)], "the other model's"
    with ChatServer(port=closed_port) as server:
        assert folkways(*asked, "--model", "baseline/first").returncode == 0
        assert server.stats()["total"] == QUESTIONS
