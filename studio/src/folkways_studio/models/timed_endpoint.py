"""An endpoint that is asked only for as long as somebody waits for its reply."""

from __future__ import annotations

import asyncio
import time
from threading import Event

from folkways.sdk.models import Completion, Endpoint, EndpointFailure, Request

POLL_SECONDS = 0.2
"""How often it is looked whether somebody still waits."""


class TimedEndpoint:
    """An endpoint for somebody who waits: retries for some seconds, until they are gone.

    late: whether the time was over.
    """

    def __init__(self, endpoint: Endpoint, seconds: float, gone: Event) -> None:
        self.name, self.identity = endpoint.name, endpoint.identity
        self.item_addressed, self.local = endpoint.item_addressed, endpoint.local
        self.default_concurrency = endpoint.default_concurrency
        self.late = False
        self._endpoint, self._gone = endpoint, gone
        self._until = time.monotonic() + seconds

    async def open(self, concurrency: int) -> None:
        """As the endpoint."""
        await self._endpoint.open(concurrency)

    async def close(self) -> None:
        """As the endpoint."""
        await self._endpoint.close()

    async def look(self) -> float | None:
        """As the endpoint, where it has such a thing."""
        return await self._endpoint.look() if hasattr(self._endpoint, "look") else None

    async def complete(self, request: Request) -> Completion:
        """As the endpoint; EndpointFailure, which is final, once the time is over or nobody waits."""
        asking = asyncio.create_task(self._insist(request))
        while not asking.done():
            left = self._until - time.monotonic()
            if left <= 0 or self._gone.is_set():
                asking.cancel()
                self.late = left <= 0
                raise EndpointFailure(f"{self.name}: no reply in time, or nobody waits for it any more")
            await asyncio.wait([asking], timeout=min(left, POLL_SECONDS))
        return asking.result()

    async def _insist(self, request: Request) -> Completion:
        pause = 0.5
        while True:
            try:
                return await self._endpoint.complete(request)
            except EndpointFailure as failure:
                wait = failure.retry_after if failure.retry_after is not None else pause
                if not failure.retryable or time.monotonic() + wait >= self._until:
                    raise EndpointFailure(str(failure), status=failure.status) from None
            await asyncio.sleep(wait)
            pause *= 2
