"""A run that is killed again and again loses nothing that was stored, asks nothing of it again, and ends with
the same numbers."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import polars as pl
import pytest

from folkways.endpoints.servers.connections import LONGEST_STRETCH
from folkways.runs.planning.plan import SLICE
from tests.support.chat_server import ChatServer
from tests.support.command_line import folkways, integrity, kill, rows, start, stored_bodies, wait_for

Mcq = Callable[[int], Path]
Outcome = Callable[..., tuple[pl.DataFrame, pl.DataFrame]]

CONCURRENCY = 16
UNSTORED = (
    64 + CONCURRENCY * LONGEST_STRETCH
)  # replies that wait for the next commit, or are not sure yet, at the very most
QUESTIONS = 600
SEED = 20240617


@pytest.fixture(scope="module")
def server() -> Iterator[ChatServer]:
    with ChatServer(latency=0.05) as running:
        yield running


def command(server: ChatServer, release: Path, workspace: Path, *more: object) -> tuple[object, ...]:
    model = f"{server.url}/v1#test-model"
    return (
        "run",
        "blend/mcq",
        "--release",
        release,
        "--model",
        model,
        "-w",
        workspace,
        "--concurrency",
        CONCURRENCY,
        *more,
    )


@pytest.mark.parametrize(
    ("kills", "early", "questions"),
    [(3, 1, QUESTIONS), pytest.param(20, 5, 3 * QUESTIONS, marks=pytest.mark.nightly)],
)
def test_kill_9_at_random_moments(
    server: ChatServer, mcq: Mcq, outcome: Outcome, tmp_path: Path, kills: int, early: int, questions: int
) -> None:
    """Stored responses stay as they are and their bodies never reach the server again; scores equal an
    undisturbed run's.

    early: kills at a moment counted from the start of the process: while it imports, plans, opens.
    """
    release, workspace, model = mcq(questions), tmp_path / "killed.db", f"{server.url}/v1#test-model"
    rng = random.Random(SEED)
    before_asking = set(rng.sample(range(kills), early))
    server.control(forget=True, latency=0.05)
    stored: dict[str, str] = {}
    asked: dict[str, list[int]] = {}
    history = []
    for number in range(kills):
        process = start(*command(server, release, workspace))
        before = server.stats()["total"]
        if number in before_asking:
            delay = rng.uniform(0.1, 2.0)
        else:
            wait_for(lambda before=before: server.stats()["total"] > before, process=process)
            delay = rng.uniform(0.0, 0.4)
        time.sleep(delay)
        assert process.poll() is None, (
            f"the run ended before kill {number}: more questions are needed; {process.communicate()}"
        )
        kill(process)
        history.append((number, "early" if number in before_asking else "asking", round(delay, 3)))
        now = stored_bodies(workspace, model)
        told = f"seed {SEED}, kills so far: {history}"
        assert stored.items() <= now.items(), f"a stored response was lost or changed; {told}"
        known = server.stats(bodies=True)["bodies"]
        again = [body for body in stored if known[body] != asked[body]]
        assert not again, f"{len(again)} stored responses were asked for again; {told}"
        unstored = set(known) - set(now)
        assert len(unstored) <= CONCURRENCY + UNSTORED, (
            f"{len(unstored)} requests were sent and not stored; {told}"
        )
        stored, asked = now, known
    assert 0 < len(stored) < questions, f"the kills fell before or after the asking; {history}"
    done = folkways(*command(server, release, workspace))
    assert (done.returncode, "Continuing run-1" in done.stderr) == (0, True), done.stderr
    stats = server.stats(bodies=True)
    assert [body for body in stored if stats["bodies"][body] != asked[body]] == []
    assert stats["distinct"] == questions
    # In flight, and the replies of each connection that were not sure yet.
    assert stats["total"] - questions <= kills * (LONGEST_STRETCH + 2) * CONCURRENCY, history
    assert len(stored_bodies(workspace, model)) == questions
    assert integrity(workspace) == "ok"
    assert rows(workspace, "SELECT count(*) FROM claims") == [(0,)]

    server.control(latency=0.0)
    undisturbed = tmp_path / "undisturbed.db"
    assert folkways(*command(server, release, undisturbed)).returncode == 0
    assert outcome(undisturbed)[1].height == questions
    for killed, whole in zip(outcome(workspace), outcome(undisturbed), strict=True):
        assert killed.equals(whole), f"seed {SEED}, {history}"
        assert killed.write_json() == whole.write_json()


@pytest.mark.nightly
def test_killed_while_the_run_is_written_down(
    server: ChatServer, mcq: Mcq, outcome: Outcome, tmp_path: Path
) -> None:
    """A run of which only a part was planned is planned to its end, and expects every item once."""
    many = 5 * SLICE
    release, workspace = mcq(many), tmp_path / "w.db"
    server.control(forget=True, latency=0.0)
    process = start(*command(server, release, workspace))
    wait_for(lambda: rows(workspace, "SELECT 1 FROM expected LIMIT 1"), process=process)
    kill(process)
    planned = rows(workspace, "SELECT count(*) FROM expected")[0][0]
    assert rows(workspace, "SELECT state FROM runs") == [("planning",)], (
        f"{planned} rows were written when it was killed"
    )
    assert 0 < planned < many
    assert server.stats()["total"] == 0
    done = folkways(*command(server, release, workspace))
    assert (done.returncode, "Continuing run-1" in done.stderr) == (0, True), done.stderr
    assert rows(workspace, "SELECT count(*), count(DISTINCT item) FROM expected") == [(many, many)]
    scores, judgements = outcome(workspace)
    assert judgements.height == many
    assert set(scores["coverage"]) == {1.0}


@pytest.mark.parametrize("way_on", ["the same command", "score"])
@pytest.mark.nightly
def test_killed_while_it_scores(
    server: ChatServer, mcq: Mcq, outcome: Outcome, tmp_path: Path, way_on: str
) -> None:
    """Whatever the killed scoring left behind, scoring again asks nothing and gives the numbers of an
    undisturbed run."""
    release, whole, killed = mcq(QUESTIONS), tmp_path / "whole.db", tmp_path / "killed.db"
    server.control(forget=True, latency=0.0)
    assert folkways(*command(server, release, whole)).returncode == 0
    process = start(*command(server, release, killed))
    wait_for(lambda: rows(killed, "SELECT 1 FROM runs WHERE state = 'asked'"), process=process)
    kill(process)
    assert rows(killed, "SELECT state FROM runs") == [("asked",)]
    server.control(forget=True)
    again = (
        folkways(*command(server, release, killed))
        if way_on == "the same command"
        else folkways("score", "-w", killed)
    )
    assert again.returncode == 0, again.stderr
    assert server.stats()["total"] == 0
    assert rows(killed, "SELECT name, state FROM runs") == [("run-1", "finished")]
    for after, before in zip(outcome(killed), outcome(whole), strict=True):
        assert after.equals(before)
