"""What tests of several parts begin with, imported by those that ask for it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from folkways.workspace.database import Workspace
    from tests.support.chat_server import ChatServer


@pytest.fixture(scope="module")
def running() -> Iterator[ChatServer]:
    """A chat-completions server, for all tests of a module."""
    from tests.support.chat_server import ChatServer

    with ChatServer() as server:
        yield server


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """An empty workspace in a file."""
    from folkways.workspace.database import open_workspace

    return open_workspace(tmp_path / "w.db")
