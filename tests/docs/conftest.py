"""Fixtures of the docs examples."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.chat_server import ChatServer
from tests.support.vllm_server import write_vllm_command


@pytest.fixture(scope="module")
def docs_server() -> Iterator[str]:
    """The address of a running chat-completions server, a process of its own, whose model always answers with
    a letter: nobody changes it."""
    with ChatServer(mode="letter") as server:
        yield server.url


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """This environment without anybody's keys or settings, a home of its own, and ``folkways`` first on the
    path.

    A stand-in for ``vllm serve`` is there, and GPUs for it: eight.
    """
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.endswith("_API_KEY") and not name.startswith("FOLKWAYS_")
    }
    home = tmp_path / "home"
    home.mkdir()
    kept.pop("CUDA_VISIBLE_DEVICES", None)
    vllm = write_vllm_command(tmp_path / "vllm", gpus=8)
    path = os.pathsep.join([str(vllm), str(Path(sys.executable).parent), kept.get("PATH", "")])
    private = {
        name: str(home / name.lower()) for name in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME")
    }
    return kept | private | {"HOME": str(home), "PATH": path, "COLUMNS": "120", "PYTHONUTF8": "1"}
