"""Limits on how often an address may do something, and on how many people wait for something slow.

Counts are kept in memory: a restart forgets them, and with several processes each has its own, which
multiplies the limit. Failed sign-ins are also counted in the database (``people.accounts``).
"""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from ipaddress import IPv4Address, IPv6Network, ip_address
from threading import Lock

from starlette.requests import Request

from folkways_studio.errors import BusyError, TooManyAttemptsError

MOST_KEYS = 50_000
"""Addresses remembered at once; beyond, the oldest are dropped, so that floods cannot fill the memory."""


def limited_address(request: Request) -> str:
    """Whose limits a request counts for: its client's address, as far as the server knows. Of an IPv6 address
    the network, because the last 64 bits are the client's to choose, and IPv4 is the same in both
    spellings."""
    host = request.client.host if request.client else ""
    try:
        address = ip_address(host)
    except ValueError:
        return host
    if isinstance(address, IPv4Address):
        return str(address)
    return str(address.ipv4_mapped or IPv6Network((int(address), 64), strict=False))


class RateLimits:
    """A sliding window per action and address."""

    def __init__(
        self, limits: Mapping[str, tuple[int, float]], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.limits = limits
        self.clock = clock
        self._seen: dict[tuple[str, str], deque[float]] = {}
        self._lock = Lock()

    def take(self, action: str, address: str) -> None:
        """Count one more. Raises TooManyAttemptsError, with the seconds to wait, if the window is full."""
        most, seconds = self.limits[action]
        now = self.clock()
        with self._lock:
            times = self._seen.pop((action, address), None) or deque()
            while times and times[0] <= now - seconds:
                times.popleft()
            full = len(times) >= most
            if not full:
                times.append(now)
            self._seen[action, address] = times  # at the end, so that the dictionary is ordered by last use
            while len(self._seen) > MOST_KEYS:
                self._seen.pop(next(iter(self._seen)))
            if full:
                raise TooManyAttemptsError(times[0] + seconds - now)


class WaitingPlaces:
    """Places for people who wait for a model: one per person and a share per study, so that nobody waits for
    others.

    Without a free place the request fails at once instead of queueing.
    """

    def __init__(self, most: int, of_a_study: int) -> None:
        self.most, self.of_a_study = most, of_a_study
        self._people: set[int] = set()
        self._studies: Counter[int] = Counter()
        self._lock = Lock()

    @contextmanager
    def place(self, study_id: int, account_id: int) -> Iterator[None]:
        """Hold a place during the block. Raises BusyError without a free one."""
        with self._lock:
            if account_id in self._people:
                raise BusyError("you are waiting for a model already; let it answer, or cancel that first")
            if len(self._people) >= self.most or self._studies[study_id] >= self.of_a_study:
                raise BusyError(
                    "many people are asking models at this moment; what you wrote is kept: try again in a "
                    "moment"
                )
            self._people.add(account_id)
            self._studies[study_id] += 1
        try:
            yield
        finally:
            with self._lock:
                self._people.discard(account_id)
                self._studies[study_id] -= 1
