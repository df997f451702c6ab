"""Kept connections on which a response that nobody asked for is never taken for the answer to the next request.

In HTTP/1.1 nothing but the order ties a response to its request. A server or proxy that sends one too many (a reply twice, the late
answer behind its own 504, a 408 before it hangs up) puts every later answer on that connection one place off, and aiohttp's pool
hands such connections out. Here a connection is looked at before each use and after each reply: at what aiohttp has read, and at
what the socket still holds. What that cannot see is a response that comes alone after the next request was sent: it looks like the
answer until the true one follows, and while a connection is busy that is taken for the answer to the request after. So a connection
rests now and then for about as long as a reply takes; and once a good response has come unasked, the server is not trusted to keep
order any more: no connection is used twice, and the replies of those that were are named, to be asked again.
"""

from __future__ import annotations

import asyncio
import select
import time
from collections.abc import Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary, ref

import aiohttp
from aiohttp.http_exceptions import HttpProcessingError
from yarl import URL

if TYPE_CHECKING:
    from aiohttp.client_proto import ResponseHandler
    from aiohttp.connector import Connection
    from aiohttp.http import RawResponseMessage

ERROR_BODY = 64 * 1024
"""Bytes of an error page that are read at most; the rest is of no use to anyone."""

SMALL_BODY = 64 * 1024
LARGE_AT_ONCE = 8
"""So many bodies that are larger are read at once; of the others no more is taken in than the system and aiohttp buffer.

A thousand requests of which each brings as much as it may would need 8 GiB otherwise.
"""

MOST_USES = 1000
"""Requests over one connection, then a new one: so many replies at most are asked again for each."""

RESTS = frozenset({2, 16, 128, 512})
"""After so many uses a connection rests, as long as its first reply took, within these bounds in seconds."""
SHORTEST_REST, LONGEST_REST = 0.025, 1.0


class UnaskedError(aiohttp.ClientConnectionError):
    """A response came that nobody asked for, and it cannot be told whose the reply is."""


class BodyTooLargeError(Exception):
    """A reply longer than allowed."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back. used_before: whether the connection carried other requests before this one."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    used_before: bool


class _Line:
    """A connection.

    uses: requests over it so far, the present one included.
    keys: of its replies but the first, which is surely right.
    took: seconds that the first reply took.
    """

    __slots__ = ("_poll", "_protocol", "keys", "took", "uses")

    def __init__(self, protocol: ResponseHandler) -> None:
        self.uses = 0
        self.keys: list[str] = []
        self.took = 0.0
        self._protocol = ref(protocol)
        self._poll: select.poll | None = None

    def readable(self) -> bool:
        """Whether the socket holds bytes, or the end, that nobody has read."""
        transport = getattr(self._protocol(), "transport", None)
        number = -1 if transport is None else transport.get_extra_info("socket").fileno()
        if number < 0:
            return False
        if not hasattr(select, "poll"):  # Windows
            return bool(select.select([number], [], [], 0)[0])
        if self._poll is None:
            self._poll = select.poll()
            self._poll.register(number, select.POLLIN)
        return bool(self._poll.poll(0))


class KeptConnections(aiohttp.TCPConnector):
    """The connections to one address, and the way of a request over one of them.

    aiohttp's own client builds a request and a response of some dozen objects each time, which costs more than all the rest; here
    the head is made once. Beside aiohttp's public names this uses ``BaseConnector.connect``, ``Connection.protocol`` and of the
    protocol ``should_close``, ``len``, ``read``, ``set_response_params`` and ``transport``; tests/endpoints/test_connections.py
    holds aiohttp to them.

    limit:   requests at once at most.
    seconds: to connect within.
    """

    def __init__(self, limit: int, url: URL, headers: Mapping[str, str], proxy: str | None, seconds: float) -> None:
        super().__init__(limit=limit, ttl_dns_cache=300)
        self.doubtful: list[str] = []
        """Keys of replies that may belong to other requests; whoever reports them clears the list."""
        self._lines: WeakKeyDictionary[ResponseHandler, _Line] = WeakKeyDictionary()
        self._orderly = True
        self._url, self._headers, self._proxy = url, headers, proxy
        self._timeout = aiohttp.ClientTimeout(sock_connect=seconds)
        self._head = b""
        self._large = asyncio.Semaphore(LARGE_AT_ONCE)

    @cached_property
    def _request(self) -> aiohttp.ClientRequest:
        """What connecting needs to know, and the headers that aiohttp adds to ours."""
        proxy = URL(self._proxy) if self._proxy else None
        return aiohttp.ClientRequest("POST", self._url, headers=self._headers, proxy=proxy, loop=self._loop)

    async def post(self, body: bytes, key: str, most: int) -> Reply:
        """Send ``body`` and read the reply: at most ``most`` bytes of a good one, after decompression, else BodyTooLargeError.

        Raises UnaskedError where it may be the answer to another request, or what aiohttp raises: ClientError, OSError, ValueError.
        """
        connection, protocol, line = await self._kept()
        try:
            began, use = time.monotonic(), line.uses
            transport = protocol.transport
            if transport is None or transport.is_closing():
                raise aiohttp.ServerDisconnectedError
            protocol.set_response_params(read_until_eof=True)
            transport.write(b"%b%d\r\n\r\n%b" % (self._head or self._made_head(), len(body), body))
            message, content = await self._begun(protocol)
            good = 200 <= message.code < 300
            if good and use > 1 and transport.get_write_buffer_size():
                raise UnaskedError  # a reply that is there before its request was sent is the answer to another one
            raw = await read_bounded(content, message.headers, most if good else ERROR_BODY, self._large, whole=good)
            if message.code == 408 or message.code >= 500:
                line.uses = MOST_USES  # a proxy that lost its patience may still send the answer
            if len(protocol) or line.readable():
                await self._spoiled(protocol, line)
            if not self._orderly and (use > 1 or self.doubtful):
                raise UnaskedError
        except BaseException:
            connection.close()
            raise
        connection.release()
        if use > 1:
            line.keys.append(key)
        else:
            line.took = time.monotonic() - began
        return Reply(message.code, message.headers, raw, use > 1)

    async def _kept(self) -> tuple[Connection, ResponseHandler, _Line]:
        """A connection over which nothing came since its last reply, or a new one. UnaskedError where replies became doubtful."""
        while True:
            connection = await self.connect(self._request, [], self._timeout)
            protocol = connection.protocol
            assert protocol is not None  # noqa: S101 - what is handed out is open
            line = self._lines.get(protocol)
            if line is None:
                line = self._lines[protocol] = _Line(protocol)
            try:
                clean = not line.uses or await self._clean(protocol, line)
            except BaseException:
                connection.close()
                raise
            if clean:
                line.uses += 1
                return connection, protocol, line
            connection.close()
            if self.doubtful:
                raise UnaskedError

    def _made_head(self) -> bytes:
        """All of a request up to its length. Once connected: aiohttp adds a header then that lets us through a proxy."""
        request = self._request
        target = str(request.url) if request.proxy and not request.is_ssl() else request.url.raw_path_qs
        fields = [f"{name}: {value}" for name, value in request.headers.items() if name.lower() != "content-length"]
        if any("\r" in field or "\n" in field or "\0" in field for field in fields):
            raise ValueError("a header holds a line break")
        self._head = "\r\n".join((f"POST {target} HTTP/1.1", *fields, "Content-Length: ")).encode()
        return self._head

    async def _begun(self, protocol: ResponseHandler) -> tuple[RawResponseMessage, aiohttp.StreamReader]:
        """The head of the reply and what will be its body."""
        while True:
            try:
                message, content = await protocol.read()
            except HttpProcessingError as error:
                raise aiohttp.ClientResponseError(
                    self._request.request_info, (), status=error.code, message=error.message, headers=error.headers
                ) from error
            if not 100 <= message.code < 200 or message.code == 101:  # the others are news of what is to come
                return message, content

    async def _clean(self, protocol: ResponseHandler, line: _Line) -> bool:
        """Whether a connection that was used before may be used again."""
        if self._orderly and line.uses in RESTS:
            await asyncio.sleep(min(LONGEST_REST, max(SHORTEST_REST, line.took)))
        return self._orderly and line.uses < MOST_USES and not await self._spoiled(protocol, line)

    async def _spoiled(self, protocol: ResponseHandler, line: _Line) -> bool:
        """Whether anything has come over a connection that waits for nothing."""
        waiting = line.readable()
        if waiting:  # it may be the end of the connection, or TLS's own; aiohttp reads it within one round of the loop
            await asyncio.sleep(0)
            await asyncio.sleep(0)
        spoiled = waiting or protocol.should_close
        while len(protocol):
            message, _ = await protocol.read()
            if 200 <= message.code < 300 and self._orderly:
                self._orderly = False
                for other in self._lines.values():
                    self.doubtful += other.keys
                    other.keys.clear()
        return spoiled


async def read_bounded(
    content: aiohttp.StreamReader, headers: Mapping[str, str], limit: int, large: asyncio.Semaphore, *, whole: bool
) -> bytes:
    """The body, at most ``limit`` bytes of it after decompression. Longer: BodyTooLargeError if ``whole``, else its beginning.

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
