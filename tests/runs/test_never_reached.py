"""A model that was never reached has no score anywhere: 0 would say that it knows nothing."""

from __future__ import annotations

from pathlib import Path

from folkways.api import load_run
from tests.support.chat_server import ChatServer
from tests.support.command_line import folkways


def test_a_model_that_only_fails_has_no_score(tmp_path: Path) -> None:
    place = tmp_path / "w.db"
    with ChatServer(faults={"chances": {"wrong-type": 1.0}}) as server:
        model = f"{server.url}/v1#never"
        done = folkways(
            "run",
            "demo/mcq",
            "--model",
            model,
            "--attempts",
            1,
            "--max-errors",
            1000,
            "--limit",
            6,
            "-w",
            place,
        )
    assert done.returncode == 1
    assert (
        f"is incomplete: no reply from {model}: all 6 requests failed. Run the same command again"
        in done.stderr
    )
    assert "6 failed of 6 expected answers" in done.stdout
    assert "No reply came: there is no score" in done.stdout
    run = load_run("last", place)
    scores = run.scores()
    assert set(scores["coverage"]) == {0.0}
    assert scores["score"].is_nan().all()
    assert run.failed() == 6
    assert all("not valid JSON" in reason for reason in run.responses()["reason"])
    run.workspace.close()
    gate = folkways("gate", "last", "--min", "demo/mcq=0", "-w", place)
    assert gate.returncode == 1
    assert "FAILED" in gate.stdout + gate.stderr


def test_a_run_is_incomplete_from_a_share_of_failures_on(tmp_path: Path) -> None:
    """One model of two fails four times of ten: the run says so, and the same command makes it whole."""
    place = tmp_path / "w.db"
    with ChatServer(faults={"script": ["400"] * 4}) as server:
        asked = (
            "run",
            "demo/mcq",
            "--model",
            "baseline/first",
            "--model",
            f"{server.url}/v1#m",
            "--limit",
            10,
            "-w",
            place,
        )
        done = folkways(*asked, "--attempts", 1, "--concurrency", 1)
        assert done.returncode == 1
        assert f"4 of 10 requests to {server.url}/v1#m failed, more than 10 %" in done.stderr
        assert load_run("last", place).record.state == "incomplete"
        assert "is incomplete (4 of 10" in folkways("score", "-w", place).stdout.replace("\n", " ")
        server.control(faults={"script": ["400"] * 2})
        enough = folkways(*asked, "--attempts", 1, "--concurrency", 1, "--max-failed", 25)
        assert (enough.returncode, load_run("last", place).record.state) == (0, "finished")
