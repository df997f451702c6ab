"""Reads the body of a reply, of which no more is taken in than may be, and of large ones few at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import AsyncExitStack

import aiohttp

ERROR_BODY = 64 * 1024
"""Bytes of an error page that are read at most; the rest is of no use to anyone."""

SMALL_BODY = 64 * 1024
LARGE_AT_ONCE = 8
"""So many bodies that are larger are read at once; of the others no more is taken in than the system and
aiohttp buffer.

A thousand requests of which each brings as much as it may would need 8 GiB otherwise.
"""


class BodyTooLargeError(Exception):
    """A reply longer than allowed."""


async def read_bounded(
    content: aiohttp.StreamReader,
    headers: Mapping[str, str],
    limit: int,
    large: asyncio.Semaphore,
    *,
    whole: bool,
) -> bytes:
    """The body, at most ``limit`` bytes of it after decompression. Longer: BodyTooLargeError if ``whole``,
    else its beginning.

    A body of more than SMALL_BODY bytes is read on when it is its turn among the ``large`` ones.
    """
    told = headers.get("Content-Length", "")
    length = int(told) if told.isdecimal() else None
    if length is not None and length > limit and whole:
        raise BodyTooLargeError
    if length is not None and length <= min(limit, SMALL_BODY) and "Content-Encoding" not in headers:
        return content.read_nowait() if content.is_eof() else await content.read()
    chunks, size = [], 0
    async with AsyncExitStack() as turn:
        async for chunk in content.iter_any():
            if size <= SMALL_BODY < size + len(chunk):
                await turn.enter_async_context(large)
            chunks.append(chunk)
            size += len(chunk)
            if size > limit:
                if whole:
                    raise BodyTooLargeError
                break
        return b"".join(chunks)[:limit]
