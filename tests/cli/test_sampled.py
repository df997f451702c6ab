"""What a sampled run prints and what a gate lets pass, against a real server that is always right, or always
wrong."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from folkways.api import load_run
from tests.support.chat_server import ChatServer
from tests.support.mcq_data import write_mcq_release


@pytest.mark.parametrize(("letter", "score"), [("A", 100.0), ("B", 0.0)])
def test_a_few_answers_that_are_all_alike_are_not_certain(
    folkways: Callable[..., CompletedProcess[str]], tmp_path: Path, letter: str, score: float
) -> None:
    release, place = str(write_mcq_release(tmp_path / "mcq", 1000, letter="A")), str(tmp_path / "w.db")
    with ChatServer(mode=f"fixed:{letter}") as server:
        model = f"{server.url}/v1#test-model"
        chosen = ("--cultures", "KR,ET", "--until", "15", "--release", release, "-w", place)
        done = folkways("run", "blend/mcq", "--model", model, *chosen)
        assert done.returncode == 0, done.stderr
        assert server.stats()["total"] == 48
    assert f"{score} – {score}" not in done.stdout
    scores = load_run("last", place).scores().filter(metric="accuracy")
    assert set(scores["score"]) == {score}
    assert ((scores["high"] - scores["low"]).is_between(5.0, 30.0)).all()
    gate = folkways("gate", "--strict", "--min", f"blend/mcq={99.9 if score else 0.1}", "-w", place)
    assert gate.returncode == 1
    assert "lies within the interval" in gate.stdout
    assert (
        folkways("gate", "--strict", "--min", f"blend/mcq={70 if score else 0}", "-w", place).returncode == 0
    )
