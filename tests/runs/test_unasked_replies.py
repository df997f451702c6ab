"""A server that sends one reply twice, under runs that are killed and continued and under several workers: no
answer moves."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.command_line import finish, folkways, kill, rows, start, wait_for
from tests.support.unsolicited_server import UnsolicitedServer, stored_and_wrong

Mcq = Callable[[int], Path]


@pytest.fixture(
    params=["sqlite", pytest.param("postgresql", marks=[pytest.mark.postgres, pytest.mark.nightly])]
)
def workspace(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The place of a workspace that nobody has made yet."""
    return (
        str(tmp_path / "w.db") if request.param == "sqlite" else str(request.getfixturevalue("postgres_url"))
    )


@pytest.mark.parametrize(
    ("concurrency", "at"),
    [
        (8, 12),
        *(
            pytest.param(concurrency, at, marks=pytest.mark.nightly)
            for concurrency in (1, 2, 8, 32)
            for at in (2, 5, 9, 16, 20, 33)
        ),
    ],
)
def test_killed_in_the_middle_and_continued(mcq: Mcq, tmp_path: Path, concurrency: int, at: int) -> None:
    workspace = tmp_path / "w.db"
    questions = (12 + 3 * at) * concurrency  # so that some connection carries more than ``at`` of a half
    with UnsolicitedServer("ahead", at=at, latency=0.01, digests=True) as server:
        command = (
            "run",
            "blend/mcq",
            "--release",
            mcq(questions),
            "--model",
            f"{server.url}/v1#m",
            "-w",
            workspace,
        )
        command += ("--concurrency", concurrency, "--attempts", 20)
        process = start(*command)
        wait_for(lambda: workspace.exists() and server.answered > questions // 2, process=process)
        kill(process)
        assert stored_and_wrong(workspace)[1] == []
        done = folkways(*command)
        assert done.returncode == 0, done.stderr
    assert server.unasked > 0
    assert stored_and_wrong(workspace) == (questions, [])
    assert rows(workspace, "SELECT state FROM runs") == [("finished",)]


def test_by_two_workers_of_which_one_is_killed(mcq: Mcq, workspace: str) -> None:
    with UnsolicitedServer("ahead", at=9, latency=0.01, digests=True) as server:
        model = f"{server.url}/v1#m"
        assert (
            folkways("plan", "blend/mcq", "--release", mcq(120), "--model", model, "-w", workspace).returncode
            == 0
        )
        workers = [start("work", "-w", workspace, "--concurrency", 4, "--attempts", 20) for _ in range(2)]
        wait_for(lambda: server.answered > 30, process=workers[0])
        kill(workers[0])
        done = finish(workers[1])
        assert done.returncode == 0, done.stderr
    assert server.unasked > 0
    assert stored_and_wrong(workspace) == (120, [])
