"""What several tests of the engine need or change of it."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest

from folkways.engine import interrupts


@pytest.fixture
def quick_backoff(monkeypatch: pytest.MonkeyPatch) -> None:
    """A request that failed is tried again after a tenth of the usual pause."""
    monkeypatch.setattr("folkways.engine.rate_limiter.BACKOFF_FIRST", 0.05)


@pytest.fixture
def default_signals() -> Iterator[None]:
    """As in a terminal, whatever those who began the tests have the signals do."""
    before = {number: signal.signal(number, signal.default_int_handler) for number in interrupts.STOPS}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)
