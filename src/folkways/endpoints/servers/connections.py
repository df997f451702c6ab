"""Kept connections on which a response that nobody asked for is never taken for the answer to the next
request.

In HTTP/1.1 nothing but the order ties a response to its request. A server or proxy that sends one too many (a
reply twice, the late answer behind its own 504, a 408 before it hangs up) puts every later answer on that
connection one place off, and aiohttp's pool hands such connections out. What comes while a connection waits
for nothing is seen at once. What comes alone after the next request was sent looks like its answer, and so
does every true answer after it; but the last one is left over. So a reply is sure only once its connection
has rested for longer than a reply takes and nothing came: until then its ``Confirmation`` is open. The first
reply on a connection is sure by itself. Once a good response has come unasked, no connection is used twice.

Beside aiohttp's public names this file uses ``BaseConnector.connect``, ``Connection.protocol``, the
``_factory`` by which a connector makes its protocols, and of the protocol ``data_received``,
``should_close``, ``is_connected``, ``len``, ``read``, ``exception``, ``set_response_params`` and
``transport``. aiohttp connects; which connection is used next is decided here, at half the cost of its pool.
``_check_aiohttp`` fails at import where one is gone, and tests/endpoints/test_connections.py holds aiohttp to
what they mean.
"""

from __future__ import annotations

import asyncio
import inspect
import select
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING

import aiohttp
from aiohttp.client_proto import ResponseHandler
from aiohttp.http_exceptions import HttpProcessingError
from yarl import URL

from folkways.endpoints.base import Confirmation
from folkways.endpoints.servers.bodies import ERROR_BODY, LARGE_AT_ONCE, read_bounded
from folkways.endpoints.servers.deadline import Deadline

if TYPE_CHECKING:
    from aiohttp.connector import Connection
    from aiohttp.http import RawResponseMessage

MOST_USES = 1000
"""Requests over one connection, then a new one."""

FIRST_STRETCH, LONGEST_STRETCH = 8, 32
"""Replies after which a connection rests, to begin with and at most: doubled by each rest in which nothing
came, halved where replies stayed open because their connection broke. A rest costs the time of a reply; what
``kill -9`` takes away is one stretch of each connection.
"""

SHORTEST_REST, SLOWER = 0.1, 1.25
"""Seconds of a rest at least, and how much longer it is than the slowest reply on the connection took.

With 25 ms, one stale reply was stored in some hundred trials on two cores at a load of 20, perhaps because
the server got no CPU.
"""

KEPT_SECONDS = 15.0
"""How much longer than the slowest reply may take an unused connection is kept."""


def _check_aiohttp() -> None:
    """ImportError where aiohttp lacks one of the names that it documents in part only and that are used
    here."""
    wanted = {
        aiohttp.BaseConnector: ("connect", "close"),
        ResponseHandler: (
            "data_received",
            "should_close",
            "is_connected",
            "__len__",
            "read",
            "exception",
            "set_response_params",
        ),
    }
    missing = [
        f"{kind.__name__}.{name}"
        for kind, names in wanted.items()
        for name in names
        if not hasattr(kind, name)
    ]
    missing += (
        [] if "_factory" in inspect.getsource(aiohttp.BaseConnector.__init__) else ["BaseConnector._factory"]
    )
    if missing:
        raise ImportError(
            f"aiohttp {aiohttp.__version__} has no {', '.join(missing)}: install the version that folkways "
            "names"
        )


_check_aiohttp()


class UnaskedError(aiohttp.ClientConnectionError):
    """A response came that nobody asked for, and it cannot be told whose the reply is."""


@dataclass(slots=True, eq=False)
class Reply:
    """What came back. line: the connection that it came over. confirmation: open until it is sure; None where
    it is."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    line: Line
    confirmation: Confirmation | None

    @property
    def used_before(self) -> bool:
        """Whether the connection carried other requests before this one."""
        return self.confirmation is not None


class _Protocol(ResponseHandler):
    """aiohttp's protocol, which notices what comes while nothing is waited for. came: whether anything
    has."""

    idle = False
    came = False

    def data_received(self, data: bytes) -> None:
        """As aiohttp's."""
        if self.idle and data:
            self.came = True
        super().data_received(data)


class Line:
    """A connection.

    uses:         requests over it so far, the present one included.
    confirmation: of its replies that are open, and how many they are.
    rested:       when it will have rested for long enough, as ``time.monotonic`` tells.
    late:         whether an answer may come late: a proxy has lost its patience with the server behind it.
    name:         of its last reply, as its body tells (``id``), and that body's hash.
    """

    __slots__ = (
        *("_fileno", "_poll", "busy", "confirmation", "connection", "held", "late", "name", "open"),
        *("protocol", "released", "rested", "slowest", "uses"),
    )

    def __init__(self, connection: Connection, protocol: _Protocol) -> None:
        self.connection, self.protocol = connection, protocol
        self.uses = self.open = 0
        self.confirmation = Confirmation()
        self.slowest = self.rested = self.released = 0.0
        self.busy, self.late = True, False
        self.held = False  # it is used no more and only looked at
        self.name: tuple[str, int] | None = None
        self._fileno: Callable[[], int] | None = None
        self._poll: Callable[[int], list[tuple[int, int]]] | None = None

    def settle(self, *, clean: bool) -> None:
        """Say of the replies that are open whether they are the answers to their requests."""
        self.confirmation.clean = clean
        self.confirmation, self.open = Confirmation(), 0

    def replied(self, began: float) -> None:
        """A reply is here, to a request that was sent at ``began``."""
        now = time.monotonic()
        self.slowest = max(self.slowest, now - began)
        self.rested = now + max(SHORTEST_REST, SLOWER * self.slowest)

    def readable(self) -> bool:
        """Whether the socket holds bytes, or the end, that nobody has read."""
        if self._fileno is None:
            if (transport := self.protocol.transport) is None:
                return False
            self._fileno = transport.get_extra_info("socket").fileno
            if hasattr(select, "poll"):  # not on Windows
                poll = select.poll()
                poll.register(self._fileno(), select.POLLIN)
                self._poll = poll.poll
        if self.protocol.transport is None or (number := self._fileno()) < 0:
            return False
        return bool(self._poll(0) if self._poll is not None else select.select([number], [], [], 0)[0])


class KeptConnections(aiohttp.TCPConnector):
    """The connections to one address, and the way of a request over one of them.

    aiohttp's own client builds a request and a response of some dozen objects each time, which costs more
    than all the rest; here the head is made once.

    limit:   requests at once at most; connections that rest before they are closed are beside them.
    seconds: to connect within. timeout: for a reply, from the first byte that is sent to the last that comes.
    """

    def __init__(
        self,
        limit: int,
        url: URL,
        headers: Mapping[str, str],
        proxy: str | None,
        seconds: float,
        timeout: float,
    ) -> None:
        super().__init__(limit=0, ttl_dns_cache=300)
        self._factory = partial(_Protocol, loop=self._loop)  # type: ignore[assignment]
        self._idle: deque[Line] = deque()  # whoever has rested for longest is used next
        self._kept_seconds = SLOWER * timeout + KEPT_SECONDS
        self._open: dict[Line, None] = {}  # those with open replies
        self._orderly = True
        self._stretch = FIRST_STRETCH
        self._names: set[str] = set()  # the first two names of replies: whether a server has different ones
        self._url, self._headers, self._proxy = url, headers, proxy
        self._timeout, self._deadline = (
            aiohttp.ClientTimeout(sock_connect=seconds),
            Deadline(timeout, self._loop),
        )
        self._head = b""
        self._places = asyncio.Semaphore(limit)
        self._large = asyncio.Semaphore(LARGE_AT_ONCE)

    @cached_property
    def _request(self) -> aiohttp.ClientRequest:
        """What connecting needs to know, and the headers that aiohttp adds to ours."""
        proxy = URL(self._proxy) if self._proxy else None
        return aiohttp.ClientRequest("POST", self._url, headers=self._headers, proxy=proxy, loop=self._loop)

    async def post(self, body: bytes, most: int) -> Reply:
        """Send ``body`` and read the reply: at most ``most`` bytes of a good one, after decompression, else
        BodyTooLargeError.

        Raises UnaskedError where it may be the answer to another request, TimeoutError, or what aiohttp
        raises: ClientError, OSError, ValueError.
        """
        async with self._places:
            return await self._exchanged(body, most)

    async def _exchanged(self, body: bytes, most: int) -> Reply:
        line = await self._kept()
        protocol, use, began = line.protocol, line.uses, time.monotonic()
        try:
            async with self._deadline:
                transport = protocol.transport
                if transport is None or transport.is_closing():
                    raise aiohttp.ServerDisconnectedError
                protocol.idle = False
                protocol.set_response_params(read_until_eof=True)
                transport.write(b"%b%d\r\n\r\n%b" % (self._head or self._made_head(), len(body), body))
                message, content = await self._begun(protocol)
                good = 200 <= message.code < 300
                if good and use > 1 and transport.get_write_buffer_size():
                    # a reply that is there before its request was sent is the answer to another one
                    raise UnaskedError
                raw = await read_bounded(
                    content, message.headers, most if good else ERROR_BODY, self._large, whole=good
                )
            protocol.idle = True
            line.replied(began)
            line.late = message.code == 408 or message.code >= 500
            if len(protocol) or line.readable():
                await self._look(line)
            if not self._orderly and use > 1:
                raise UnaskedError
        except BaseException:
            self._broken(line, began)
            line.connection.close()
            raise
        confirmation = None
        if use > 1:
            confirmation = line.confirmation
            line.open += 1
            self._open[line] = None
        if protocol.came and line.open:  # right behind this reply, or in its place
            self._doubt(line)
        if line.open and (line.late or line.uses >= MOST_USES or protocol.should_close):
            line.held = True
        elif line.late or protocol.should_close:
            line.connection.close()
        else:
            line.released = time.monotonic()
            self._idle.append(line)
        line.busy = False
        return Reply(message.code, message.headers, raw, line, confirmation)

    def is_repeated(self, reply: Reply, name: object) -> bool:
        """Whether a reply of this name (the ``id`` in its body) is the one before it on its connection once
        more.

        Then the open replies of the connection are no answers. A server whose replies all have one name does
        not repeat itself.
        """
        if not isinstance(name, str):
            return False
        line, before = reply.line, reply.line.name
        line.name = (name, hash(reply.body))
        if len(self._names) < 2:
            self._names.add(name)
        if line.name != before or len(self._names) < 2:
            return False
        line.uses = MOST_USES
        self._doubt(line)
        return True

    async def look(self) -> float | None:
        """Look at the connections that have rested long enough; seconds until the next one has, None where no
        reply is open."""
        now, wait = time.monotonic(), None
        for line in list(self._open):
            if line.busy:
                wait = SHORTEST_REST if wait is None else min(wait, SHORTEST_REST)
            elif now >= line.rested or line.protocol.came or line.protocol.transport is None:
                await self._look(line)
            else:
                wait = line.rested - now if wait is None else min(wait, line.rested - now)
        return wait

    async def close(self, *, abort_ssl: bool = False) -> None:
        """As aiohttp's."""
        while self._idle:
            self._idle.pop().connection.close()
        await super().close(abort_ssl=abort_ssl)

    async def _kept(self) -> Line:
        """A connection over which nothing came since its last reply, or a new one."""
        while self._idle:
            line = self._idle.popleft()
            if not line.protocol.is_connected() or time.monotonic() - line.released > self._kept_seconds:
                line.connection.close()  # its open replies are settled by ``look``
                continue
            line.busy = True
            try:
                clean = await self._clean(line)
            except BaseException:
                self._doubt(line)
                line.connection.close()
                raise
            if clean:
                line.uses += 1
                return line
            self._doubt(line)
            line.connection.close()
        async with self._deadline:
            connection = await self.connect(self._request, [], self._timeout)
        protocol = connection.protocol
        assert isinstance(protocol, _Protocol)  # noqa: S101 - what is handed out is open, and made by our factory
        line = Line(connection, protocol)
        line.uses = 1
        return line

    async def _clean(self, line: Line) -> bool:
        """Whether a connection that was used before may be used again."""
        if line.open >= self._stretch and (wait := line.rested - time.monotonic()) > 0:
            await asyncio.sleep(wait)
        if line.readable() or (line.open and time.monotonic() >= line.rested):
            await self._look(line)
        return (
            self._orderly and line.uses < MOST_USES and not (line.protocol.came or line.protocol.should_close)
        )

    def _made_head(self) -> bytes:
        """All of a request up to its length. Once connected: aiohttp adds a header then that lets us through
        a proxy."""
        request = self._request
        target = str(request.url) if request.proxy and not request.is_ssl() else request.url.raw_path_qs
        fields = [
            f"{name}: {value}" for name, value in request.headers.items() if name.lower() != "content-length"
        ]
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
                    self._request.request_info,
                    (),
                    status=error.code,
                    message=error.message,
                    headers=error.headers,
                ) from error
            if not 100 <= message.code < 200 or message.code == 101:  # the others are news of what is to come
                return message, content

    async def _look(self, line: Line) -> None:
        """See whether anything has come over a connection that waits for nothing, and settle its open replies
        where that tells."""
        protocol = line.protocol
        if (
            line.readable()
        ):  # it may be the end of the connection, or TLS's own; aiohttp reads it within one round of the loop
            busy = line.busy
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            if line.busy and not busy:
                return  # somebody has taken it meanwhile, and looks for himself
        protocol.came = protocol.came or len(protocol) > 0
        if protocol.came:
            while len(protocol):
                message, _ = await protocol.read()
                if 200 <= message.code < 300 and not line.late and self._orderly:
                    self._orderly = False
                    for other in list(self._open):
                        self._doubt(other)
            self._doubt(line)
        elif protocol.transport is None or time.monotonic() >= line.rested:
            # Before it ended, all that the server had sent was read; but where it broke off, something may be
            # lost.
            if isinstance(protocol.exception(), OSError) and time.monotonic() < line.rested:
                self._doubt(line)
            else:
                self._confirm(line)

    def _confirm(self, line: Line) -> None:
        if line.open:
            self._stretch = min(2 * self._stretch, LONGEST_STRETCH)
        self._settled(line, clean=True)

    def _doubt(self, line: Line) -> None:
        if line.open:
            self._stretch = max(1, self._stretch // 2)
        self._settled(line, clean=False)

    def _settled(self, line: Line, *, clean: bool) -> None:
        line.settle(clean=clean)
        self._open.pop(line, None)
        if line.held:
            line.connection.close()
            line.held = False

    def _broken(self, line: Line, began: float) -> None:
        """Settle the open replies of a connection that is given up while a request is on its way.

        Of replies that are out of place the next one comes no later than a reply takes: if none did, they are
        in place.
        """
        if time.monotonic() - began >= max(SHORTEST_REST, SLOWER * line.slowest):
            self._confirm(line)
        else:
            self._doubt(line)
