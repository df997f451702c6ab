"""``folkways runs``: on narrow terminals, and runs that are deleted."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.support.chat_server import ChatServer
from tests.support.command_line import environment, finish, folkways, rows, start, wait_for

RUN = ("run", "demo/mcq", "--model", "baseline/first")


def test_every_width_shows_names_and_states_and_the_columns_that_it_has_room_for(tmp_path: Path) -> None:
    workspace = tmp_path / "w.db"
    for name, task in (("short", "demo/mcq"), ("a-name-of-18-chars", "demo/identification")):
        done = folkways("run", task, "--model", "baseline/first", "--name", name, "-w", workspace)
        assert done.returncode == 0
    headings = ["run", "state", "began", "tasks", "models", "expected"]
    fewest = 0
    for columns in (30, 40, 59, 60, 75, 76, 100):
        done = folkways("runs", "-w", workspace, env=environment(COLUMNS=str(columns)))
        head, *lines = done.stdout.splitlines()
        shown = "".join("".join(lines).split())
        assert "short" in shown and "a-name-of-18-chars" in shown and shown.count("finished") == 2, (
            done.stdout
        )
        assert max(map(len, done.stdout.splitlines())) <= columns
        assert head.split() == headings[: len(head.split())] and fewest <= len(head.split()), head
        assert all(("demo/" in line) == ("tasks" in head) for line in lines), done.stdout
        fewest = len(head.split())
    assert fewest == len(headings)


def test_a_run_that_is_deleted_is_gone_and_its_replies_stay(tmp_path: Path) -> None:
    workspace = tmp_path / "w.db"
    for name in ("one", "two"):
        assert (
            folkways(*RUN, "--name", name, "--limit", 3 if name == "one" else 5, "-w", workspace).returncode
            == 0
        )
    replies = rows(workspace, "SELECT count(*) FROM responses")
    counts = [
        f"SELECT count(*) FROM {table} WHERE run_id = 2" for table in ("expected", "judgements", "scores")
    ]
    before = [rows(workspace, count) for count in counts]
    done = folkways("runs", "delete", "one", "--yes", "-w", workspace)
    assert (done.returncode, "deleted run one; the replies stay" in done.stdout) == (0, True), done
    assert [run["run"] for run in json.loads(folkways("runs", "--json", "-w", workspace).stdout)] == ["two"]
    for table in ("expected", "judgements", "scores", "run_tasks"):
        assert rows(workspace, f"SELECT 1 FROM {table} WHERE run_id = 1") == []
    assert [rows(workspace, count) for count in counts] == before
    assert rows(workspace, "SELECT count(*) FROM responses") == replies
    again = folkways("runs", "delete", "one", "--yes", "-w", workspace)
    assert (again.returncode, "unknown run 'one'" in again.stderr) == (2, True)


def answered(text: str, *command: object) -> tuple[int, str, str]:
    """Exit code and output of a command whose question is answered so."""
    process = start(*command, stdin=subprocess.PIPE)
    out, err = process.communicate(f"{text}\n", timeout=120)
    return process.returncode, out, err


def test_a_run_with_requests_in_batches_is_deleted_only_by_who_reads_what_is_lost(tmp_path: Path) -> None:
    workspace = tmp_path / "w.db"
    asked = ("run", "demo/mcq", "--model", "http://127.0.0.1:9/v1#m", "--batch", "--name", "out")
    assert folkways(*asked, "-w", workspace, cwd=tmp_path).returncode == 1
    delete = ("runs", "delete", "out", "-w", workspace)
    done = folkways(*delete, "--yes")
    assert (done.returncode, "18 requests of run out left in batches" in done.stderr) == (2, True), done
    for answer, code, left in (("n", 1, [("out",)]), ("y", 0, [])):
        returncode, out, err = answered(answer, *delete)
        assert (returncode, rows(workspace, "SELECT name FROM runs")) == (code, left), err
        assert "18 requests of run out left in batches and may be paid for" in out


def test_a_run_is_not_deleted_unasked_nor_while_it_is_asked(tmp_path: Path) -> None:
    workspace = tmp_path / "w.db"
    assert folkways(*RUN, "--name", "one", "-w", workspace).returncode == 0
    done = finish(
        start("runs", "delete", "one", "-w", workspace, stdin=subprocess.DEVNULL)
    )  # nobody answers the question
    assert done.returncode == 2 and "nobody answered the question" in done.stderr
    assert "Interrupted" not in done.stderr
    refused, out, _ = answered("n", "runs", "delete", "one", "-w", workspace)
    assert (refused, "Nothing was deleted." in out) == (1, True)
    assert rows(workspace, "SELECT name FROM runs") == [("one",)]
    with ChatServer(latency=5.0) as server:
        process = start(
            "run", "demo/mcq", "--model", f"{server.url}/v1#slow", "--name", "busy", "-w", workspace
        )
        wait_for(lambda: server.stats()["total"], process=process)
        done = folkways("runs", "delete", "busy", "--yes", "-w", workspace)
        process.kill()
        process.communicate()
    assert (done.returncode, "another process is asking run" in done.stderr) == (2, True), done
    done = folkways("runs", "delete", "busy", "--yes", "-w", workspace)  # the process is dead now
    assert (done.returncode, rows(workspace, "SELECT name FROM runs")) == (0, [("one",)]), done


@pytest.mark.parametrize(
    "meanwhile",
    [
        [("runs", "archive", "mine", "--out", "archive")],
        [("score", "mine", "--profile", "strict")],
        [("runs", "delete", "mine", "--yes"), ("run", "demo/identification", *RUN[2:], "--name", "mine")],
    ],
    ids=["archived", "judged", "another of its number"],
)
def test_a_run_that_changed_while_the_question_was_open_is_not_deleted(
    tmp_path: Path, meanwhile: list[tuple[str, ...]]
) -> None:
    def do(*words: str) -> None:
        done = folkways(*words, "-w", "w.db", cwd=tmp_path)
        assert done.returncode == 0, done.stderr

    do(*RUN, "--name", "mine")
    process = start("runs", "delete", "mine", "-w", "w.db", stdin=subprocess.PIPE, cwd=tmp_path)
    assert process.stdout is not None
    while process.stdout.read(1) != "?":
        pass
    for words in meanwhile:
        do(*words)
    _, err = process.communicate("y\n", timeout=120)
    assert process.returncode == 2, err
    assert "was asked, judged, archived or deleted by another process meanwhile" in err
    assert rows(tmp_path / "w.db", "SELECT name FROM runs") == [("mine",)]
