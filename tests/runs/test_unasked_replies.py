"""A server that sends one reply twice, under runs that are killed and continued and under several workers: no answer moves."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.river import finish, folkways, kill, rows, start, wait_for
from tests.support.unasked_server import UnaskedServer, digest

Mcq = Callable[[int], Path]


def wrong(workspace: Path) -> list[tuple[object, ...]]:
    """Stored replies that are not the digest of the prompt that they are stored under, as this server's are."""
    query = "SELECT prompts.user, responses.text FROM responses JOIN prompts USING (prompt_hash)"
    return [(user, text) for user, text in rows(workspace, query) if digest(str(user)) != text]


def stored(workspace: Path) -> int:
    return int(str(rows(workspace, "SELECT count(*) FROM responses")[0][0]))


@pytest.mark.parametrize(
    ("concurrency", "at"),
    [
        (2, 20),
        (8, 12),
        *(pytest.param(concurrency, at, marks=pytest.mark.nightly) for concurrency in (1, 2, 8, 32) for at in (2, 5, 9, 16, 33)),
    ],
)
def test_killed_in_the_middle_and_continued(mcq: Mcq, tmp_path: Path, concurrency: int, at: int) -> None:
    workspace = tmp_path / "w.db"
    questions = 30 * concurrency
    with UnaskedServer("ahead", at=at, latency=0.01, digests=True) as server:
        command = ("run", "blend/mcq", "--release", mcq(questions), "--model", f"{server.url}/v1#m", "-w", workspace)
        command += ("--concurrency", concurrency, "--attempts", 20)
        process = start(*command)
        wait_for(lambda: workspace.exists() and server.answered > questions // 2, process=process)
        kill(process)
        assert wrong(workspace) == []
        done = folkways(*command)
        assert done.returncode == 0, done.stderr
    assert server.unasked > 0
    assert (stored(workspace), wrong(workspace)) == (questions, [])
    assert rows(workspace, "SELECT state FROM runs") == [("finished",)]


def test_by_two_workers_of_which_one_is_killed(mcq: Mcq, tmp_path: Path) -> None:
    workspace = tmp_path / "w.db"
    with UnaskedServer("ahead", at=9, latency=0.01, digests=True) as server:
        model = f"{server.url}/v1#m"
        assert folkways("plan", "blend/mcq", "--release", mcq(120), "--model", model, "-w", workspace).returncode == 0
        workers = [start("work", "-w", workspace, "--concurrency", 4, "--attempts", 20) for _ in range(2)]
        wait_for(lambda: server.answered > 30, process=workers[0])
        kill(workers[0])
        done = finish(workers[1])
        assert done.returncode == 0, done.stderr
    assert server.unasked > 0
    assert (stored(workspace), wrong(workspace)) == (120, [])
