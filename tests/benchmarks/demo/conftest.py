"""The sample as it comes with the package."""

from __future__ import annotations

import pytest

from folkways.benchmarks.base import Task
from folkways.benchmarks.released_data import open_release
from folkways.releases.release_records import Release
from tests.support.demo_replies import BY_NAME


@pytest.fixture(scope="session")
def release() -> Release:
    """The demo as it is shipped."""
    return open_release("demo")


@pytest.fixture(params=BY_NAME)
def task(request: pytest.FixtureRequest) -> Task:
    """Each task of the demo."""
    return BY_NAME[request.param]
