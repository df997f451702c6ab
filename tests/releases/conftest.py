"""A data folder of its own for each test, and the hub as a local process."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.hub_server import HubServer
from tests.support.published_files import EASY, HARD


@pytest.fixture
def data_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of fetched data, for somebody who has set nothing about hubs."""
    home = tmp_path / "data home"
    monkeypatch.setenv("FOLKWAYS_DATA", str(home))
    for name in ("HF_TOKEN", "HF_ENDPOINT", "FOLKWAYS_GITHUB_RAW", "HTTP_PROXY", "http_proxy"):
        monkeypatch.delenv(name, raising=False)
    return home


@pytest.fixture
def published(tmp_path: Path) -> Path:
    """What the server has: two files of random letters under the names that CulturalBench's have, and a small
    one of BLEnD's."""
    letters = random.Random(7)
    repository = tmp_path / "published" / "kellycyy" / "CulturalBench"
    repository.mkdir(parents=True)
    for name, size in ((EASY, 300_000), (HARD, 700_000)):
        (repository / name).write_bytes(letters.randbytes(size))
    questions = tmp_path / "published" / "nayeon212" / "BLEnD" / "evaluation" / "mc_data"
    questions.mkdir(parents=True)
    (questions / "mc_questions_file.csv").write_text("MCQID,ID\n", encoding="utf-8")
    return tmp_path / "published"


@pytest.fixture
def hub(published: Path, data_home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[HubServer]:
    """A server with the addresses of the hub and of GitHub, over what is published."""
    with HubServer(published) as server:
        monkeypatch.setenv("HF_ENDPOINT", server.url)
        monkeypatch.setenv("FOLKWAYS_GITHUB_RAW", server.url)
        yield server
