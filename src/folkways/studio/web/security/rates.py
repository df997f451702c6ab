"""How often one address may do something. Counts are kept in memory: the studio is one process, and a restart may forget them.

Failed sign-ins of one account are counted in the database as well (``services.accounts``), which no restart forgets.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Mapping
from threading import Lock

from folkways.studio.errors import TooManyAttemptsError

MOST_KEYS = 50_000
"""Addresses remembered at once; beyond, the oldest are forgotten, so that no flood of addresses fills the memory."""


class Rates:
    """A sliding window per action and address."""

    def __init__(self, limits: Mapping[str, tuple[int, float]], clock: Callable[[], float] = time.monotonic) -> None:
        self.limits = limits
        self.clock = clock
        self._seen: dict[tuple[str, str], deque[float]] = {}
        self._lock = Lock()

    def take(self, action: str, address: str) -> None:
        """Count one more; TooManyAttemptsError, with the seconds to wait, when the window is full."""
        most, seconds = self.limits[action]
        now = self.clock()
        with self._lock:
            times = self._seen.pop((action, address), None) or deque()
            while times and times[0] <= now - seconds:
                times.popleft()
            full = len(times) >= most
            if not full:
                times.append(now)
            self._seen[action, address] = times  # at the end: the order of the dictionary is that of last use
            while len(self._seen) > MOST_KEYS:
                self._seen.pop(next(iter(self._seen)))
            if full:
                raise TooManyAttemptsError(times[0] + seconds - now)
