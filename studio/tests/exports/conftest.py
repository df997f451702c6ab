"""A workspace for studies that have been worked on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from folkways.workspace.database import Workspace
from folkways_studio.database.opening import open_workspace


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    opened = open_workspace(tmp_path / "studio.db")
    yield opened
    opened.close()
