"""Workspaces of both kinds."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from folkways.workspace.database import Workspace, open_workspace


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def any_workspace(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Workspace]:
    """An empty workspace, once as a file and once on a server."""
    location = tmp_path / "w.db" if request.param == "sqlite" else request.getfixturevalue("postgres_url")
    workspace = open_workspace(location)
    yield workspace
    workspace.close()
