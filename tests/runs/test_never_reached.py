"""A model that was never reached has no score anywhere: 0 would say that it knows nothing."""

from __future__ import annotations

from pathlib import Path

from folkways.api import load_run
from tests.support.chat_server import ChatServer
from tests.support.river import folkways


def test_a_model_that_only_fails_has_no_score(tmp_path: Path) -> None:
    place = tmp_path / "w.db"
    with ChatServer(faults={"chances": {"wrong-type": 1.0}}) as server:
        model = f"{server.url}/v1#never"
        done = folkways("run", "sample/mcq", "--model", model, "--attempts", 1, "--max-errors", 1000, "--limit", 6, "-w", place)
    assert "6 failed of 6 expected answers" in done.stdout
    assert "No reply came: there is no score" in done.stdout
    run = load_run("last", place)
    scores = run.scores()
    assert set(scores["coverage"]) == {0.0}
    assert scores["score"].is_nan().all()
    assert run.failed() == 6
    assert all("not valid JSON" in reason for reason in run.responses()["reason"])
    run.workspace.close()
    gate = folkways("gate", "last", "--min", "sample/mcq=0", "-w", place)
    assert gate.returncode == 1
    assert "FAILED" in gate.stdout + gate.stderr
