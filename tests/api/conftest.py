"""A server process, a release of our own, and one call that asks the one about the other."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import folkways
from folkways.api import Run
from tests.support.chat_server import ChatServer
from tests.support.mcq_data import write_mcq_release

QUESTIONS = 60


@pytest.fixture
def server(running: ChatServer) -> ChatServer:
    """The same server without faults, delays and counts."""
    running.control(forget=True, latency=0.0, faults={})
    return running


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a release of multiple-choice questions of our own."""
    return write_mcq_release(tmp_path_factory.mktemp("release") / "mcq", QUESTIONS)


@pytest.fixture
def ask(server: ChatServer, release: Path, tmp_path: Path) -> Any:
    """``ask(option=...)``: the multiple-choice questions of our own, put to the server."""

    def run(tasks: Any = "blend/mcq", **options: Any) -> Run:
        settings = {"releases": {"blend": str(release)}, "workspace": tmp_path / "w.db", **options}
        return folkways.run(tasks, models=f"{server.url}/v1#test-model", **settings)

    return run
