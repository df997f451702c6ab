"""HTTP/1.1 over one connection at a time: asyncio's transports, and node.js's parser by httptools.

A connection is in the caller's hand, so that it can be seen which one a reply came over and whether anything
came over it that no request asked for. Redirects are never followed and cookies never kept.
"""

from __future__ import annotations

import asyncio
import errno
import os
import select
import socket
import ssl
import zlib
from collections.abc import Callable
from dataclasses import dataclass

import httptools

ERROR_BODY = 64 * 1024
"""Bytes of an error page that are read at most; the rest is of no use to anyone."""

SMALL_BODY = 64 * 1024
LARGE_AT_ONCE = 8
"""At most this many bodies larger than SMALL_BODY are read at once; reading of the others pauses.

A thousand requests that each bring as much as they may would need 8 GiB otherwise.
"""

MAX_HEAD = 64 * 1024
"""Bytes of a reply's headers, of the replies 1xx before it, and of what chunks may add to a body."""


class HttpError(Exception):
    """The connection was lost, or what came over it is not HTTP/1.1."""


class ConnectError(HttpError):
    """No connection could be made, and nothing was sent. Says why, in a few words; ``cause`` is what the
    system says."""

    def __init__(self, cause: OSError) -> None:
        super().__init__(_words(cause))
        self.cause = cause

    @property
    def is_unknown_name(self) -> bool:
        """Whether no address is known for the server's name."""
        return isinstance(self.cause, socket.gaierror)


def _words(cause: OSError) -> str:
    if isinstance(cause, TimeoutError):
        return "no connection in time"
    # one of several addresses
    if isinstance(cause, ConnectionRefusedError) or f"[Errno {errno.ECONNREFUSED}]" in str(cause):
        return "connection refused"
    if isinstance(cause, (socket.gaierror, ssl.SSLError)) or not cause.errno:  # a number of its own
        return cause.strerror or str(cause) or "no connection"
    return os.strerror(cause.errno).lower()


class AddressError(HttpError):
    """An address, or a header, that cannot be sent."""


class EncodingError(HttpError):
    """The body is compressed in a way that was not asked for and that we cannot read."""


class BodyTooLargeError(Exception):
    """A reply longer than allowed."""


class Headers(dict[str, str]):
    """Header fields by their names in lower case; of fields that are repeated, the first."""

    def get(self, name: str, default: str | None = None) -> str | None:  # type: ignore[override]
        """The value of a field, whose name is written in any case."""
        return super().get(name.lower(), default)


@dataclass(slots=True, eq=False)
class RawReply:
    """A reply as it was sent. early: it began before its request was sent in full."""

    status: int
    headers: Headers
    body: bytes
    early: bool

    @property
    def good(self) -> bool:
        """Whether the status is 2xx."""
        return 200 <= self.status < 300


_IDLE, _HEAD, _BODY, _REST = range(4)
"""What comes next: nothing that was asked for, headers, a body, or the part of an error page that is not
read."""


class Connection(asyncio.Protocol):
    """A connection to a server or proxy, over which one request at a time is sent.

    transport: None once it is closed.
    error: why it was lost, None where the server closed it in good order.
    keep: whether the server takes another request over it.
    unasked: whether anything has come that no request asked for;
    unasked_reply: a good reply among it.
    """

    transport: asyncio.Transport | None = None

    def __init__(self) -> None:
        self.error: Exception | None = None
        self.keep = True
        self.unasked = self.unasked_reply = False
        self._parser: httptools.HttpResponseParser | None = httptools.HttpResponseParser(self)
        self._parser.set_dangerous_leniencies(
            lenient_optional_cr_before_lf=True, lenient_spaces_after_chunk_size=True
        )
        self._state = _IDLE
        self._waiter: asyncio.Future[RawReply | None] | None = None
        self._fields: list[tuple[bytes, bytes]] = []
        self._headers = Headers()
        self._parts: list[bytes] = []
        self._status = self._wire = self._limit = 0
        self.received = 0
        """Bytes of the body of the latest reply."""
        self._fileno: Callable[[], int] = lambda: -1  # as of a socket that is closed
        self._poll: Callable[[int], list[tuple[int, int]]] | None = None

    @property
    def is_open(self) -> bool:
        """Whether a request can be sent."""
        return self.transport is not None and not self.transport.is_closing()

    def readable(self) -> bool:
        """Whether the socket holds bytes, or the end, that have not been read."""
        if self.transport is None or (number := self._fileno()) < 0:
            return False
        return bool(self._poll(0) if self._poll is not None else select.select([number], [], [], 0)[0])

    async def exchange(
        self, request: bytes, limit: int, large: asyncio.Semaphore | None, *, connect: bool = False
    ) -> RawReply:
        """Send a request and read its reply. The connection is closed if that does not succeed.

        limit: bytes of a good reply's body at most, as sent and after decompression; of another reply, what
            exceeds ERROR_BODY is not read.
        large: how many bodies larger than SMALL_BODY may be read at once; None for any number.
        connect: the request is a CONNECT, whose good reply has no body.

        Raises HttpError, EncodingError, or BodyTooLargeError.
        """
        if self.transport is None or self.transport.is_closing():
            raise HttpError("the server closed the connection")
        self._state, self._limit, self._connects = _HEAD, limit, connect
        self._wire = self.received = 0
        self._early, self._has_turn = False, large is None
        loop = asyncio.get_running_loop()
        self.transport.write(request)
        holds_turn = False
        try:
            while True:
                self._waiter = loop.create_future()
                reply = await self._waiter
                if reply is not None:
                    break
                assert large is not None  # noqa: S101 - else nothing pauses
                await large.acquire()
                self._has_turn = holds_turn = True
                if self.transport is None:
                    raise HttpError("the server closed the connection")
                self.transport.resume_reading()
            encoding = reply.headers.get("Content-Encoding") or "identity"
            if encoding.lower() != "identity" and reply.body:
                if large is not None and not holds_turn:
                    await large.acquire()
                    holds_turn = True
                reply.body = _decompressed(reply, encoding, limit)
        except BaseException:
            self.abort()
            raise
        finally:
            self._waiter = None
            if holds_turn and large is not None:
                large.release()
        return reply

    def abort(self) -> None:
        """Close the connection at once."""
        self.keep = False
        self._state = _IDLE
        if self.transport is not None:
            self.transport.abort()

    # What the transport calls.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """As asyncio's."""
        assert isinstance(transport, asyncio.Transport)  # noqa: S101 - only connections are made
        self.transport = transport
        if (sock := transport.get_extra_info("socket")) is not None:
            self._fileno = sock.fileno
            if hasattr(select, "poll"):  # not on Windows
                poll = select.poll()
                poll.register(sock.fileno(), select.POLLIN)
                self._poll = poll.poll

    def data_received(self, data: bytes) -> None:
        """As asyncio's."""
        if self._parser is None:
            return
        if self._state == _IDLE:
            self.unasked = True
        self._wire += len(data)
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserUpgrade:
            self._fail(HttpError("the server wants to speak another protocol"))
        except httptools.HttpParserError as error:
            self.unasked = self.unasked or self._state == _IDLE
            self._fail(HttpError(f"the reply is not HTTP/1.1: {error}"))
        if self._state == _BODY:
            if self._wire > MAX_HEAD + 2 * self._limit:
                self._fail(BodyTooLargeError())
            elif self.received > SMALL_BODY and not self._has_turn and self.transport is not None:
                self.transport.pause_reading()
                self._resolve(None)
        elif self._wire > MAX_HEAD and self._state == _HEAD:
            self._fail(HttpError(f"the headers of the reply are longer than {MAX_HEAD // 1024} KiB"))
        elif self._wire > MAX_HEAD and self.unasked:
            self.abort()

    def connection_lost(self, error: Exception | None) -> None:
        """As asyncio's. A body without a length ends where the connection does."""
        if self._state == _BODY and error is None and not self._is_delimited:
            self._complete()
        self.transport, self.error, self.keep = None, error, False
        self._fail(HttpError(str(error or "") or "the server closed the connection"))
        self._parser = None  # it holds this object

    # What the parser calls.

    def on_message_begin(self) -> None:
        """The first byte of a reply."""
        self._fields = []
        if self._state == _IDLE:
            self.unasked = True

    def on_header(self, name: bytes, value: bytes) -> None:
        """A header field, or one after the body, which is ignored."""
        if self._state == _HEAD:
            self._fields.append((name, value))

    def on_headers_complete(self) -> None:
        """The end of the header fields."""
        assert self._parser is not None  # noqa: S101 - it calls
        status = self._parser.get_status_code()
        if self._state != _HEAD:
            self.unasked_reply = self.unasked_reply or 200 <= status < 300
            return
        if 100 <= status < 200:  # news of what is to come
            return
        self._status, self._state = status, _BODY
        self._headers = headers = Headers(
            (name.decode("utf-8", "replace").lower(), value.decode("utf-8", "replace"))
            for name, value in reversed(self._fields)
        )
        self._early = self.transport is not None and self.transport.get_write_buffer_size() > 0
        good = 200 <= status < 300
        if good and self._connects:
            self._complete()
            return
        length = headers.get("Content-Length")
        self._is_delimited = (
            length is not None or "chunked" in (headers.get("Transfer-Encoding") or "").lower()
        )
        if not good:
            self._limit = ERROR_BODY
        elif length is not None and int(length) > self._limit:
            self._fail(BodyTooLargeError())

    def on_body(self, data: bytes) -> None:
        """A piece of the body."""
        if self._state != _BODY:
            return
        self._parts.append(data)
        self.received += len(data)
        if self.received > self._limit:
            if 200 <= self._status < 300:
                self._fail(BodyTooLargeError())
            else:
                self._complete()
                self._state, self.keep = _REST, False

    def on_message_complete(self) -> None:
        """The end of the reply."""
        if self._state == _BODY:
            assert self._parser is not None  # noqa: S101 - it calls
            self.keep = self._parser.should_keep_alive()
            self._complete()
        elif self._state == _REST:
            self._state = _IDLE

    # What the waiter gets.

    def _complete(self) -> None:
        body = self._parts[0] if len(self._parts) == 1 else b"".join(self._parts)
        self._state, self._parts = _IDLE, []
        self._resolve(RawReply(self._status, self._headers, body[: self._limit], self._early))

    def _resolve(self, reply: RawReply | None) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(reply)

    def _fail(self, error: Exception) -> None:
        """End the exchange, if one is on its way, and the connection."""
        self._parts = []
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_exception(error)
        self.abort()


def _decompressed(reply: RawReply, encoding: str, limit: int) -> bytes:
    """A body that was compressed although none was asked for: at most ``limit`` bytes of a good one."""
    encoding = encoding.strip().lower()
    if encoding not in ("gzip", "x-gzip", "deflate"):
        if not reply.good:
            return b""
        raise EncodingError(f"the reply is compressed ({encoding[:40]}), which was not asked for")
    limit = limit if reply.good else ERROR_BODY
    # "deflate" is zlib's format, but some servers leave out its header, whose first four bits are 8.
    bits = 31 if encoding != "deflate" else 15 if reply.body[0] & 15 == 8 else -15
    decompressor = zlib.decompressobj(bits)
    try:
        body = decompressor.decompress(reply.body, limit + 1)
    except zlib.error as error:
        if not reply.good:
            return b""
        raise HttpError(f"the reply is not {encoding}: {error}") from None
    if not reply.good:
        return body[:limit]
    if len(body) > limit:
        raise BodyTooLargeError
    if not decompressor.eof or decompressor.unused_data:
        raise HttpError(f"the reply is not {encoding}: it ends too early or too late")
    return body
