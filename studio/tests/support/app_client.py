"""A client of the application in the process of a test.

Starlette's own starts an event loop in a new thread for each request and goes there nine times; this one runs
the application where the test runs.
"""

from __future__ import annotations

import asyncio
from contextvars import Context
from functools import cache
from typing import Any

import httpx2


@cache
def _runner() -> asyncio.Runner:
    """The event loop of all clients of this process."""
    return asyncio.Runner()


class _Transport(httpx2.BaseTransport):
    """Hands requests to an ASGI application and waits until it has ended."""

    def __init__(self, app: Any) -> None:
        self.application = httpx2.ASGITransport(app=app)

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        # A context of its own, as a server's request has: none that notes what the tests have done.
        return _runner().run(self._answer(request), context=Context())

    async def _answer(self, request: httpx2.Request) -> httpx2.Response:
        reply = await self.application.handle_async_request(request)
        body = b"".join([part async for part in reply.stream])  # type: ignore[union-attr]
        return httpx2.Response(reply.status_code, headers=reply.headers, stream=httpx2.ByteStream(body))


class AppClient(httpx2.Client):
    """Keeps cookies, follows no redirect, and raises what the application raises."""

    def __init__(self, app: Any, base_url: str = "http://localhost", **options: Any) -> None:
        super().__init__(transport=_Transport(app), base_url=base_url, **options)
        # As other clients do, it would ask for packed pages, and a sixth of a request would be their packing.
        self.headers.setdefault("Accept-Encoding", "identity")
