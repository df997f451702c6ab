"""Workspaces of both kinds for the studio's tests, and the key that those on a server need for webhooks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from folkways.workspace.database import Workspace
from folkways_studio.database.opening import open_workspace
from folkways_studio.programs.sealing import KEY_VARIABLE
from studio.tests.support.studies import studio_server, studio_workspace

__all__ = ["studio_server", "studio_workspace"]


@pytest.fixture(scope="session", autouse=True)
def webhook_key() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(KEY_VARIABLE, "a key for the tests, of 32 characters and more")
        yield


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    """A workspace in a file."""
    opened = open_workspace(tmp_path / "studio.db")
    yield opened
    opened.close()
