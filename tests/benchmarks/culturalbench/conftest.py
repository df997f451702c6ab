"""The invented release of CulturalBench."""

from __future__ import annotations

import polars as pl
import pytest

from folkways.benchmarks.culturalbench import BENCHMARK
from folkways.releases.release_records import Release
from tests.support.culturalbench_data import write_culturalbench


@pytest.fixture(scope="session")
def release(tmp_path_factory: pytest.TempPathFactory) -> Release:
    """CulturalBench with questions of our own."""
    return write_culturalbench(tmp_path_factory.mktemp("culturalbench"))


@pytest.fixture(scope="session")
def items_of(release: Release) -> dict[str, pl.DataFrame]:
    """The items of each task, by its name."""
    return {task.name: task.items(release) for task in BENCHMARK.tasks}
