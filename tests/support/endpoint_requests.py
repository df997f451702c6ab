"""Requests for the tests of endpoints."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

from folkways.endpoints.base import Completion, Request, Settings
from folkways.endpoints.registry import open_name

KEY = "sk-test-7f3Q9zLw0aKdE5"
"""The key that the test server wants; it must never show up anywhere."""


def request(user: str = "Hello?", *, settings: Settings | None = None, **fields: Any) -> Request:
    """A request with the default settings unless told otherwise."""
    return replace(Request(key="k", user=user, system=None, settings=settings or Settings()), **fields)


def ask_all(name: str, requests: tuple[Request, ...], concurrency: int) -> list[Completion | BaseException]:
    """What an endpoint replies to requests that come at once, or how each failed. It is closed twice, which
    may do no harm."""
    endpoint = open_name(name)

    async def run() -> list[Completion | BaseException]:
        await endpoint.open(concurrency)
        try:
            return list(
                await asyncio.gather(*(endpoint.complete(one) for one in requests), return_exceptions=True)
            )
        finally:
            await endpoint.close()
            await endpoint.close()

    return asyncio.run(run())
