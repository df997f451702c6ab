"""What several tests of the engine change of it."""

from __future__ import annotations

import pytest


@pytest.fixture
def quick_backoff(monkeypatch: pytest.MonkeyPatch) -> None:
    """A request that failed is tried again after a tenth of the usual pause."""
    monkeypatch.setattr("folkways.engine.rate_limiter.BACKOFF_FIRST", 0.05)
