"""Workspaces of both kinds and a study for the studio's tests, and the key that those on a server need for webhooks."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from folkways.workspace.database import Workspace
from folkways_studio.people import accounts
from folkways_studio.programs.sealing import KEY_VARIABLE
from studio.tests.support.studies import (
    StudyFixture,
    emptied,
    open_study,
    studio_file,
    studio_server,
    studio_workspace,
)

__all__ = ["studio_file", "studio_server", "studio_workspace"]


@pytest.fixture(scope="session", autouse=True)
def webhook_key() -> Iterator[None]:
    """The key that seals what a studio keeps secret, for every test."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(KEY_VARIABLE, "a key for the tests, of 32 characters and more")
        yield


@pytest.fixture(scope="session", autouse=True)
def hash_cost() -> Iterator[tuple[int, int, int]]:
    """What a hash costs where people use it. In the tests it costs the least: they assert who may sign in, and
    sign in a thousand times."""
    with pytest.MonkeyPatch.context() as patch:
        usual = accounts.HASH_COST
        patch.setattr(accounts, "HASH_COST", (1, 8, 1))
        yield usual


@pytest.fixture
def workspace(studio_file: Workspace) -> Workspace:
    """An empty workspace in a file."""
    return emptied(studio_file)


@pytest.fixture
def study(studio_workspace: Workspace, request: pytest.FixtureRequest) -> StudyFixture:
    """An open study with the ``STAGES`` and ``POPULATIONS`` of the test's module; without these, of one stage of
    votes in Korea."""
    names = vars(request.module)
    populations = {"populations": names["POPULATIONS"]} if "POPULATIONS" in names else {}
    return open_study(
        studio_workspace, names.get("STAGES", [{"name": "verify", "kind": "vote"}]), **populations
    )
