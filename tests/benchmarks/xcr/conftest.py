"""The released corpus, and a small one of our own."""

from __future__ import annotations

from pathlib import Path

import pytest

from folkways.releases.release_records import Release
from tests.support.xcr_data import write_small_corpus, xcr_release


@pytest.fixture(scope="session")
def released_corpus(shared: Path) -> Release:
    """The corpus as its authors released it."""
    return xcr_release(shared / "data" / "xcr")


@pytest.fixture
def small_corpus(tmp_path: Path) -> Release:
    """A corpus of a few sentences of our own."""
    return write_small_corpus(tmp_path)
