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
from contextvars import ContextVar
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import aiohttp

if TYPE_CHECKING:
    from aiohttp.client_proto import ResponseHandler
    from aiohttp.client_reqrep import ClientRequest
    from aiohttp.connector import Connection
    from aiohttp.tracing import Trace

MOST_USES = 1000
"""Requests over one connection, then a new one: so many replies at most are asked again for each."""

RESTS = frozenset({2, 16, 128, 512})
"""After so many uses a connection rests, as long as its first reply took, within these bounds in seconds."""
SHORTEST_REST, LONGEST_REST = 0.025, 1.0


class UnaskedError(aiohttp.ClientConnectionError):
    """A response came that nobody asked for, and it cannot be told whose the reply is."""


class _Line:
    """A connection.

    uses: requests over it so far, the present one included.
    keys: of its replies but the first, which is surely right.
    took: seconds that the first reply took.
    """

    __slots__ = ("keys", "took", "uses")

    def __init__(self) -> None:
        self.uses = 0
        self.keys: list[str] = []
        self.took = 0.0


class KeptConnections(aiohttp.TCPConnector):
    """The connections of one endpoint.

    A task asks one request at a time and calls, in this order, ``sent`` when the reply's headers are there and ``replied`` when it
    was read whole. Beside aiohttp's public names this uses ``Connection.protocol`` and of the protocol ``should_close``, ``len``,
    ``read`` and ``transport``; tests/endpoints/test_connections.py holds aiohttp to them.
    """

    def __init__(self, limit: int) -> None:
        super().__init__(limit=limit, ttl_dns_cache=300)
        self.doubtful: list[str] = []
        """Keys of replies that may belong to other requests; whoever reports them clears the list."""
        self._lines: WeakKeyDictionary[ResponseHandler, _Line] = WeakKeyDictionary()
        self._orderly = True
        self._mine: ContextVar[tuple[ResponseHandler, _Line, int, float]] = ContextVar("mine")  # of the task that asks, by connect

    async def connect(
        self,
        req: ClientRequest,
        traces: list[Trace],
        timeout: aiohttp.ClientTimeout,  # noqa: ASYNC109 - aiohttp's signature
    ) -> Connection:
        """A connection over which nothing came since its last reply, or a new one. UnaskedError where replies became doubtful."""
        while True:
            connection = await super().connect(req, traces, timeout)
            protocol = connection.protocol
            assert protocol is not None  # noqa: S101 - what is handed out is open
            line = self._lines.get(protocol)
            if line is None:
                line = self._lines[protocol] = _Line()
            if not line.uses or await self._clean(protocol, line):
                line.uses += 1
                self._mine.set((protocol, line, line.uses, time.monotonic()))
                return connection
            connection.close()
            if self.doubtful:
                raise UnaskedError

    def sent(self) -> bool:
        """Whether the request was sent whole; a reply that is there before that is the answer to another one."""
        protocol, line, use, _ = self._mine.get()
        if use == 1 or line.uses != use or protocol.transport is None:
            return True
        return protocol.transport.get_write_buffer_size() == 0

    @property
    def used_before(self) -> bool:
        """Whether the connection of this task's request carried others before."""
        return self._mine.get()[2] > 1

    def retire(self) -> None:
        """Let nobody use this task's connection any more."""
        _, line, use, _ = self._mine.get()
        if line.uses == use:
            line.uses = MOST_USES

    async def replied(self, key: str) -> None:
        """Look for more than the reply, which was read whole. UnaskedError if it may be the answer to another request."""
        protocol, line, use, began = self._mine.get()
        if line.uses == use and (len(protocol) or _readable(protocol)):  # else another request has the connection, and has looked
            await self._spoiled(protocol)
        if not self._orderly and (use > 1 or self.doubtful):
            raise UnaskedError
        if use > 1:
            line.keys.append(key)
        else:
            line.took = time.monotonic() - began

    async def _clean(self, protocol: ResponseHandler, line: _Line) -> bool:
        """Whether a connection that was used before may be used again."""
        if self._orderly and line.uses in RESTS:
            await asyncio.sleep(min(LONGEST_REST, max(SHORTEST_REST, line.took)))
        return self._orderly and line.uses < MOST_USES and not await self._spoiled(protocol)

    async def _spoiled(self, protocol: ResponseHandler) -> bool:
        """Whether anything has come over a connection that waits for nothing."""
        waiting = _readable(protocol)
        if waiting:  # it may be the end of the connection, or TLS's own; aiohttp reads it within one round of the loop
            await asyncio.sleep(0)
            await asyncio.sleep(0)
        spoiled = waiting or protocol.should_close
        while len(protocol):
            message, _ = await protocol.read()
            if 200 <= message.code < 300 and self._orderly:
                self._orderly = False
                for line in self._lines.values():
                    self.doubtful += line.keys
                    line.keys.clear()
        return spoiled


def _readable(protocol: ResponseHandler) -> bool:
    """Whether the socket holds bytes, or the end, that nobody has read."""
    if protocol.transport is None:
        return False
    number = protocol.transport.get_extra_info("socket").fileno()
    if number < 0:
        return False
    if not hasattr(select, "poll"):  # Windows
        return bool(select.select([number], [], [], 0)[0])
    poll = select.poll()
    poll.register(number, select.POLLIN)
    return bool(poll.poll(0))
