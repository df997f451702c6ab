"""The command line in an empty folder."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support import river
from tests.support.river import Done, environment

Folkways = Callable[..., Done]


@pytest.fixture
def folkways(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Folkways:
    """Run a command line inside ``tmp_path``, where nothing was fetched, unless the test goes elsewhere."""
    for name in os.environ.keys() - environment().keys():
        monkeypatch.delenv(name)
    monkeypatch.setenv("FOLKWAYS_DATA", str(tmp_path / "nothing-fetched"))
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.chdir(tmp_path)
    return lambda *arguments: river.folkways(*arguments, env=dict(os.environ))
