"""A release of our own and what is compared after a run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from folkways.api import load_run
from tests.support.mcq_data import write_mcq_release


@pytest.fixture(scope="session")
def mcq(tmp_path_factory: pytest.TempPathFactory) -> Callable[[int], Path]:
    """``mcq(n)``: the folder of a release of n multiple-choice questions."""

    def release(count: int) -> Path:
        folder = tmp_path_factory.getbasetemp() / f"mcq-{count}"
        return folder if folder.is_dir() else write_mcq_release(folder, count)

    return release


@pytest.fixture(scope="session")
def outcome() -> Callable[..., tuple[pl.DataFrame, pl.DataFrame]]:
    """``outcome(workspace, run)``: the stored scores and judgements, all that must not depend on how the run
    went."""

    def read(workspace: object, run: str = "last") -> tuple[pl.DataFrame, pl.DataFrame]:
        loaded = load_run(run, str(workspace))
        try:
            return loaded.scores(), loaded.judgements()
        finally:
            loaded.workspace.close()

    return read
