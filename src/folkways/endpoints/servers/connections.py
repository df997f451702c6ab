"""Kept connections on which a response that nobody asked for is never taken for the answer to the next
request.

In HTTP/1.1 nothing but the order ties a response to its request. A server or proxy that sends one too many (a
reply twice, the late answer after its own 504, a 408 before it hangs up) puts every later answer on that
connection one place off. What comes while a connection waits for nothing is seen at once. What comes alone
after the next request was sent looks like its answer, and so does every true answer after it; but the last
one is left over. So a reply is sure only once its connection has rested for longer than a reply takes and
nothing came: until then its ``Confirmation`` is open. The first reply on a connection is sure by itself. Once
a good response has come unasked, no connection is used twice.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass

from folkways.endpoints.base import Confirmation
from folkways.endpoints.servers.deadline import Deadline
from folkways.endpoints.servers.http1 import LARGE_AT_ONCE, Connection, HttpError
from folkways.endpoints.servers.route import Route

MOST_USES = 1000
"""Requests over one connection, then a new one."""

FIRST_STRETCH, LONGEST_STRETCH = 8, 32
"""Replies after which a connection rests, to begin with and at most: doubled by each rest in which nothing
came, halved where replies stayed open because their connection broke. A rest costs the time of a reply; what
``kill -9`` takes away is one stretch of each connection.
"""

STRETCH_SECONDS, QUICK_STRETCH = 0.5, 128
"""How long a stretch of LONGEST_STRETCH lasts at least, unless so many replies are open: else connections to
a server that answers at once would rest half of the time."""

SHORTEST_REST, SLOWER = 0.1, 1.25
"""Seconds of a rest at least, and how much longer it is than the slowest reply on the connection took.

With 25 ms, one stale reply was stored in some hundred trials on two cores at a load of 20: the server got no
CPU for so long. No client can see what has not been sent.
"""

KEPT_SECONDS = 15.0
"""How much longer than the slowest reply may take an unused connection is kept."""


class UnaskedError(HttpError):
    """A response came that nobody asked for, and whose the reply is cannot be known."""


class PooledConnection(Connection):
    """A connection with what is known of its replies.

    uses: requests over it so far, the present one included.
    confirmation: of its open replies; open_count is their number and open_since when the first came.
    busy: whether a request is on its way over it.
    retired: whether it is used no more, and kept only until its open replies are settled.
    slowest: seconds that its slowest reply took.
    rested: when its rest will be over, by ``time.monotonic``.
    released: when it was last put back.
    late: whether an answer may come late: a proxy gave up waiting for its server.
    last_reply: the ``id`` in the body of its last reply, and that body's hash.
    """

    def __init__(self) -> None:
        super().__init__()
        self.uses = self.open_count = 0
        self.confirmation = Confirmation()
        self.open_since = self.slowest = self.rested = self.released = 0.0
        self.busy = True
        self.late = self.retired = False
        self.last_reply: tuple[str, int] | None = None

    def settle(self, *, clean: bool) -> None:
        """Say of the open replies whether they are the answers to their requests."""
        self.confirmation.clean = clean
        self.confirmation, self.open_count = Confirmation(), 0

    def replied(self, began: float) -> float:
        """Note a reply to the request that was sent at ``began``; returns the time now."""
        now = time.monotonic()
        self.slowest = max(self.slowest, now - began)
        self.rested = now + max(SHORTEST_REST, SLOWER * self.slowest)
        return now


@dataclass(slots=True, eq=False)
class Reply:
    """A reply, and the connection that it came over. confirmation: open until the reply is sure; None where
    it is."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    connection: PooledConnection
    confirmation: Confirmation | None

    @property
    def used_before(self) -> bool:
        """Whether the connection carried other requests before this one."""
        return self.confirmation is not None


class ConnectionPool:
    """The connections to one address, over which requests are posted.

    limit: requests at once at most; connections that rest before they are closed come on top.
    headers: of each request.
    timeout: seconds for a reply, from the first byte sent to the last received.
    """

    def __init__(self, limit: int, route: Route, headers: Mapping[str, str], timeout: float) -> None:
        self._route = route
        self._head = route.head("POST", headers) + b"Content-Length: "
        self._connections: set[PooledConnection] = set()
        self._idle: deque[PooledConnection] = deque()  # the one that has rested for longest is used next
        self._kept_seconds = SLOWER * timeout + KEPT_SECONDS
        self._open: dict[PooledConnection, None] = {}  # those with open replies
        self._orderly = True
        self._stretch = FIRST_STRETCH
        self._names: set[str] = set()  # the first two names of replies: whether a server has different ones
        self._deadline = Deadline(timeout, asyncio.get_running_loop())
        self._places = asyncio.Semaphore(limit)
        self._large = asyncio.Semaphore(LARGE_AT_ONCE)

    async def post(self, body: bytes, limit: int) -> Reply:
        """Send ``body`` and read the reply: at most ``limit`` bytes of a good one, after decompression.

        Raises BodyTooLargeError for more, UnaskedError where it may be the answer to another request,
        TimeoutError, and what ``Route.connect`` and ``Connection.exchange`` raise.
        """
        await self._places.acquire()
        try:
            return await self._post(body, limit)
        finally:
            self._places.release()

    async def _post(self, body: bytes, limit: int) -> Reply:
        connection = await self._take()
        use, began = connection.uses, time.monotonic()
        try:
            with self._deadline:
                request = b"%b%d\r\n\r\n%b" % (self._head, len(body), body)
                raw = await connection.exchange(request, limit, self._large)
            if raw.good and use > 1 and raw.early:
                # a reply that begins before its request was sent is the answer to another one
                raise UnaskedError
            now = connection.replied(began)
            connection.late = raw.status == 408 or raw.status >= 500
            if connection.unasked:  # what was not read yet is seen before the next use, or by ``look``
                await self._look(connection)
            if not self._orderly and use > 1:
                raise UnaskedError
        except BaseException:
            self._give_up(connection)
            raise
        confirmation = None
        if use > 1:
            confirmation = connection.confirmation
            if not connection.open_count:
                connection.open_since = now
            connection.open_count += 1
            self._open[connection] = None
        if connection.unasked:  # after this reply or in its place
            self._doubt(connection)
        if connection.open_count and (connection.late or connection.uses >= MOST_USES or not connection.keep):
            connection.retired = True
        elif connection.late or not connection.keep:
            self._close(connection)
        else:
            connection.released = now
            self._idle.append(connection)
        connection.busy = False
        return Reply(raw.status, raw.headers, raw.body, connection, confirmation)

    def is_repeated(self, reply: Reply, name: object) -> bool:
        """Whether a reply of this name (the ``id`` in its body) is the one before it on its connection once
        more.

        Then the open replies of the connection do not count as answers. A server whose replies all have one
        name does not repeat itself.
        """
        if not isinstance(name, str):
            return False
        connection, before = reply.connection, reply.connection.last_reply
        connection.last_reply = (name, hash(reply.body))
        if len(self._names) < 2:
            self._names.add(name)
        if connection.last_reply != before or len(self._names) < 2:
            return False
        connection.uses = MOST_USES
        self._doubt(connection)
        return True

    async def look(self) -> float | None:
        """Settle the replies of connections that have rested long enough; returns the seconds until the next
        one has, None where no reply is open."""
        now, wait = time.monotonic(), None
        for connection in list(self._open):
            if connection.busy:
                wait = SHORTEST_REST if wait is None else min(wait, SHORTEST_REST)
            elif now >= connection.rested or connection.unasked or connection.transport is None:
                await self._look(connection)
            else:
                rest = connection.rested - now
                wait = rest if wait is None else min(wait, rest)
        return wait

    async def close(self) -> None:
        """Close all connections."""
        self._idle.clear()
        for connection in list(self._connections):
            self._close(connection)
        await asyncio.sleep(0)  # the loop closes the sockets now

    async def _take(self) -> PooledConnection:
        """A connection over which nothing came since its last reply, or a new one."""
        while self._idle:
            connection = self._idle.popleft()
            if not connection.is_open or time.monotonic() - connection.released > self._kept_seconds:
                self._close(connection)  # its open replies are settled by ``look``
                continue
            connection.busy = True
            try:
                clean = await self._is_clean(connection)
            except BaseException:
                self._give_up(connection)
                raise
            if clean:
                connection.uses += 1
                return connection
            self._give_up(connection)
        connection = await self._route.connect(PooledConnection)
        self._connections.add(connection)
        connection.uses = 1
        return connection

    async def _is_clean(self, connection: PooledConnection) -> bool:
        """Whether a connection that was used before may be used again; lets it rest if it is due."""
        now = time.monotonic()
        if (
            connection.open_count >= self._stretch
            and now < connection.rested
            and self._is_due(connection, now)
        ):
            await asyncio.sleep(connection.rested - now)
            now = time.monotonic()
        if connection.readable() or (connection.open_count and now >= connection.rested):
            await self._look(connection)
        return self._orderly and connection.uses < MOST_USES and connection.is_open and not connection.unasked

    def _is_due(self, connection: PooledConnection, now: float) -> bool:
        """Whether a connection whose stretch is over has to rest before its next request."""
        return (
            self._stretch < LONGEST_STRETCH
            or connection.open_count >= QUICK_STRETCH
            or now - connection.open_since >= STRETCH_SECONDS
        )

    async def _look(self, connection: PooledConnection) -> None:
        """See whether anything has come over a connection that waits for nothing, and settle its open replies
        where that tells."""
        if connection.readable():
            # It may be the end of the connection, or TLS's own. asyncio reads it in the second round of the
            # loop, and reports an end in the third.
            busy = connection.busy
            for _ in range(3):
                await asyncio.sleep(0)
            if connection.busy and not busy:
                return  # a request has taken it meanwhile, and looks for itself
        if connection.unasked:
            if connection.unasked_reply and not connection.late:
                self._orderly = False
                for other in list(self._open):
                    self._doubt(other)
            self._doubt(connection)
        elif connection.transport is None or time.monotonic() >= connection.rested:
            # Before it ended, all that the server had sent was read; but where it broke off, something may be
            # lost.
            if isinstance(connection.error, OSError) and time.monotonic() < connection.rested:
                self._doubt(connection)
            else:
                self._confirm(connection)

    def _confirm(self, connection: PooledConnection) -> None:
        if connection.open_count:
            self._stretch = min(2 * self._stretch, LONGEST_STRETCH)
        self._settle(connection, clean=True)

    def _doubt(self, connection: PooledConnection) -> None:
        if connection.open_count:
            self._stretch = max(1, self._stretch // 2)
        self._settle(connection, clean=False)

    def _settle(self, connection: PooledConnection, *, clean: bool) -> None:
        connection.settle(clean=clean)
        self._open.pop(connection, None)
        if connection.retired:
            self._close(connection)

    def _give_up(self, connection: PooledConnection) -> None:
        """Close a connection that may not be used again, and doubt its open replies.

        However long a request has waited in vain, that proves nothing of the replies before it: if they are
        out of place, it is the answer to the request before that the server is slow with.
        """
        self._doubt(connection)
        self._close(connection)

    def _close(self, connection: PooledConnection) -> None:
        self._connections.discard(connection)
        connection.abort()
