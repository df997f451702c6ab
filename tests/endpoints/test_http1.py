"""What comes over a connection, byte for byte: what is a reply, what is none, and what is bounded."""

from __future__ import annotations

import asyncio
import errno
import gzip
import random
import socket
import struct
import tracemalloc
import zlib
from collections.abc import Awaitable, Callable

import pytest

from folkways.endpoints.servers import http1
from folkways.endpoints.servers.http1 import (
    MAX_HEAD,
    BodyTooLargeError,
    Connection,
    EncodingError,
    HttpError,
    RawReply,
)
from folkways.endpoints.servers.route import Route

LIMIT = 100_000
OK = b"HTTP/1.1 200 OK\r\n"

Use = Callable[[Connection], Awaitable[None]]


def converse(
    sent: bytes | list[bytes], *, end: bool = True, limit: int = LIMIT, use: Use | None = None
) -> RawReply:
    """The reply to a request that a server answers with the bytes ``sent``, each piece by itself.

    end: whether the server closes the connection then. use: what is done with the connection after the reply.
    """

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        for piece in sent if isinstance(sent, list) else [sent]:
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(0.002 if isinstance(sent, list) else 0)
        if not end:
            await reader.read()
        writer.close()

    async def ask() -> RawReply:
        async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
            port = server.sockets[0].getsockname()[1]
            connection = await Route(f"http://127.0.0.1:{port}/").connect(Connection)
            try:
                async with asyncio.timeout(10):
                    reply = await connection.exchange(b"GET / HTTP/1.1\r\n\r\n", limit, asyncio.Semaphore(1))
                if use is not None:
                    await use(connection)
                return reply
            finally:
                connection.abort()

    return asyncio.run(ask())


async def rounds(count: int) -> None:
    """Wait for ``count`` rounds of the loop of 5 ms each: one sleep may be over before anything was read."""
    for _ in range(count):
        await asyncio.sleep(0.005)


@pytest.mark.parametrize("cut", [False, True], ids=["at once", "byte by byte"])
@pytest.mark.parametrize(
    ("sent", "status", "body", "keep"),
    [
        (OK + b"Content-Length: 2\r\n\r\nhi", 200, b"hi", True),
        (OK + b"Transfer-Encoding: chunked\r\n\r\n1\r\nh\r\n1;a=b\r\ni\r\n0\r\n\r\n", 200, b"hi", True),
        (OK + b"Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\nContent-Encoding: br\r\n\r\n", 200, b"hi", True),
        (OK + b"Transfer-Encoding: chunked\r\n\r\n2 \r\nhi\r\n0\r\n\r\n", 200, b"hi", True),
        (OK + b"Connection: close\r\nContent-Length: 2\r\n\r\nhi", 200, b"hi", False),
        (OK + b"\r\nhi", 200, b"hi", False),
        (b"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nhi", 200, b"hi", False),
        (b"HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nhi", 200, b"hi", True),
        (b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Hints\r\nA: b\r\n\r\n" + OK + b"Content-Length: 2\r\n\r\nhi",
         200, b"hi", True),
        (b"HTTP/1.1 204 No Content\r\n\r\n", 204, b"", True),
        (b"HTTP/1.1 302 Found\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n", 302, b"", True),
        (b"HTTP/1.1 200 OK\nContent-Length: 2\n\nhi", 200, b"hi", True),
    ],
)  # fmt: skip
def test_a_reply_is_read_however_it_is_framed(
    sent: bytes, status: int, body: bytes, keep: bool, cut: bool
) -> None:
    state: list[tuple[bool, bool]] = []

    async def use(connection: Connection) -> None:
        state.append((connection.keep, connection.unasked))

    pieces = [sent[at : at + 1] for at in range(len(sent))] if cut else sent
    reply = converse(pieces, end=not keep, use=use)
    assert (reply.status, reply.body, reply.early) == (status, body, False)
    assert state == [(keep, False)]


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"nonsense\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhi",
        b"HTTP/1.1 200 OK\r\nContent-Length: -2\r\n\r\nhi",
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nhi",
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nhi",
        b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999999\r\n\r\nhi",
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\nhi\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\nContent-Length: 9\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\nhi",
        b"HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: h2c\r\n\r\n",
        b"HTTP/1.1 103 Hints\r\n\r\n" * (MAX_HEAD // 10),
        b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n" + gzip.compress(b"hi", mtime=0)[:-4],
        b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n" + gzip.compress(b"hi", mtime=0) * 2,
    ],
)
def test_what_is_no_reply(sent: bytes) -> None:
    with pytest.raises(HttpError) as caught:
        converse(sent)
    assert not isinstance(caught.value, EncodingError)


@pytest.mark.parametrize("name", ["A: ", ""])
def test_headers_without_an_end_are_not_collected(name: str) -> None:
    sent = [OK + name.encode(), *[b"a" * 1000 for _ in range(MAX_HEAD // 1000 + 1)]]
    with pytest.raises(HttpError, match="longer than 64 KiB"):
        converse(sent, end=False)


def test_headers_of_half_that_length_are_fine() -> None:
    pieces = [OK + b"A: ", *[b"a" * 8000 for _ in range(4)], b"\r\nContent-Length: 2\r\n\r\nhi"]
    assert converse(pieces).body == b"hi"


@pytest.mark.parametrize("size", [LIMIT, LIMIT + 1])
@pytest.mark.parametrize("framing", ["length", "chunked", "end", "gzip", "deflate", "raw deflate"])
def test_a_body_is_as_long_as_it_may_be_and_no_longer(framing: str, size: int) -> None:
    body = b"a" * size
    raw = zlib.compressobj(wbits=-15)
    sent = {
        "length": b"Content-Length: %d\r\n\r\n%b" % (size, body),
        "chunked": b"Transfer-Encoding: chunked\r\n\r\n%x\r\n%b\r\n0\r\n\r\n" % (size, body),
        "end": b"\r\n%b" % body,
        "gzip": b"Content-Encoding: GZIP\r\n\r\n" + gzip.compress(body, mtime=0),
        "deflate": b"Content-Encoding: deflate\r\n\r\n" + zlib.compress(body),
        "raw deflate": b"Content-Encoding: deflate\r\n\r\n" + raw.compress(body) + raw.flush(),
    }[framing]
    if size <= LIMIT:
        assert converse(OK + sent).body == body
    else:
        with pytest.raises(BodyTooLargeError):
            converse(OK + sent)


def test_a_length_that_is_too_long_is_not_waited_for() -> None:
    with pytest.raises(BodyTooLargeError):
        converse(OK + b"Content-Length: %d\r\n\r\n" % (LIMIT + 1), end=False)


@pytest.mark.parametrize("trailer", [False, True])
def test_what_chunks_add_to_a_body_is_bounded(trailer: bool) -> None:
    most = MAX_HEAD + 2 * LIMIT
    more = b"0\r\nA: " if trailer else b"1;"
    sent = [OK + b"Transfer-Encoding: chunked\r\n\r\n" + more, *[b"a" * 16_000] * (most // 16_000 + 1)]
    with pytest.raises(BodyTooLargeError):
        converse(sent, end=False)


def test_a_body_may_come_in_small_chunks() -> None:
    """Six bytes each, which nearly double what is sent."""
    chunks = b"6\r\naaaaaa\r\n" * (LIMIT // 6)
    reply = converse([OK + b"Transfer-Encoding: chunked\r\n\r\n" + chunks, b"0\r\n\r\n"])
    assert reply.body == b"a" * (LIMIT // 6 * 6)


@pytest.mark.parametrize("status", [200, 500])
def test_a_small_body_is_not_decompressed_into_all_memory(status: int) -> None:
    bomb = gzip.compress(bytes(50_000_000), compresslevel=9)
    assert len(bomb) < LIMIT
    sent = b"HTTP/1.1 %d Word\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n%b" % (
        status,
        len(bomb),
        bomb,
    )
    tracemalloc.start()
    try:
        if status == 200:
            with pytest.raises(BodyTooLargeError):
                converse(sent)
        else:
            assert len(converse(sent).body) == http1.ERROR_BODY
        assert tracemalloc.get_traced_memory()[1] < 10_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("encoding", ["", "gzip"])
def test_of_an_error_page_the_beginning_is_read_and_the_rest_is_not_unasked(encoding: str) -> None:
    seen: list[tuple[bool, bool]] = []

    async def use(connection: Connection) -> None:
        await rounds(20)
        seen.append((connection.keep, connection.unasked))

    page = b"a" * 2 * http1.ERROR_BODY
    if encoding:
        packed = gzip.compress(page, mtime=0)
        sent = b"HTTP/1.1 500 No\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n%b" % (
            len(packed),
            packed,
        )
        assert converse(sent, limit=10).body == page[: http1.ERROR_BODY]
        return
    pieces = [b"HTTP/1.1 500 No\r\nContent-Length: %d\r\n\r\n" % len(page), page[:-1], page[-1:]]
    assert converse(pieces, end=False, limit=10, use=use).body == page[: http1.ERROR_BODY]
    assert seen == [(False, False)]


def test_a_compression_that_was_not_asked_for_and_is_not_known() -> None:
    sent = b"Content-Encoding: br\r\nContent-Length: 2\r\n\r\nhi"
    with pytest.raises(EncodingError, match=r"compressed \(br\)"):
        converse(OK + sent)
    assert converse(b"HTTP/1.1 502 Bad\r\n" + sent).body == b""


def test_an_error_page_that_cannot_be_decompressed_is_empty() -> None:
    sent = b"HTTP/1.1 502 Bad\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\nhi"
    assert converse(sent).body == b""


@pytest.mark.parametrize(
    ("sent", "good"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nme", True),
        (b"HTTP/1.1 408 Late\r\nContent-Length: 0\r\n\r\n", False),
        (b"HTTP/1.1 200 OK\r\n", False),
        (b"HTTP/1.1 103 Hints\r\n\r\n", False),
        (b"nonsense", False),
        (b"\r\n", False),
    ],
)
@pytest.mark.parametrize("later", [False, True])
def test_what_nobody_asked_for_is_seen(sent: bytes, good: bool, later: bool) -> None:
    seen: list[tuple[bool, bool]] = []

    async def use(connection: Connection) -> None:
        await rounds(20)
        seen.append((connection.unasked, connection.unasked_reply))

    reply = OK + b"Content-Length: 2\r\n\r\nhi"
    assert converse([reply, sent] if later else reply + sent, end=False, use=use).body == b"hi"
    assert seen == [(later or sent != b"\r\n", good)]  # an empty line right after a reply is allowed


def test_data_after_the_last_reply_is_unasked() -> None:
    seen: list[bool] = []

    async def use(connection: Connection) -> None:
        seen.append(connection.unasked)

    reply = OK + b"Connection: close\r\nContent-Length: 2\r\n\r\nhi"
    assert converse(reply * 2, use=use).body == b"hi"
    assert seen == [True]


def test_a_flood_that_nobody_asked_for_ends_the_connection() -> None:
    open_after: list[bool] = []

    async def use(connection: Connection) -> None:
        await rounds(60)
        open_after.append(connection.is_open)

    reply = OK + b"Content-Length: 2\r\n\r\nhi"
    converse([reply, OK + b"A: ", *[b"a" * 16_000] * 8], end=False, use=use)
    assert open_after == [False]


def test_a_large_body_waits_for_its_turn() -> None:
    """And takes in no more than the small part until then."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(OK + b"Content-Length: 4000000\r\n\r\n" + b"a" * 4_000_000)
        await reader.read()
        writer.close()

    async def ask() -> tuple[int, int]:
        async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
            port = server.sockets[0].getsockname()[1]
            connection = await Route(f"http://127.0.0.1:{port}/").connect(Connection)
            large = asyncio.Semaphore(1)
            await large.acquire()
            reading = asyncio.create_task(connection.exchange(b"GET / HTTP/1.1\r\n\r\n", 5_000_000, large))
            await rounds(60)
            size = connection.received
            large.release()
            length = len((await reading).body)
            assert not large.locked()
            connection.abort()
            return size, length

    size, length = asyncio.run(ask())
    assert http1.SMALL_BODY < size < 1_000_000
    assert length == 4_000_000


def test_a_reply_before_its_request_was_sent_is_early() -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(OK + b"Content-Length: 2\r\n\r\nhi")
        await asyncio.sleep(0.3)
        writer.close()

    async def ask() -> bool:
        async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
            port = server.sockets[0].getsockname()[1]
            connection = await Route(f"http://127.0.0.1:{port}/").connect(Connection)
            reply = await connection.exchange(b"a" * 20_000_000, 10, None)
            connection.abort()
            return reply.early

    assert asyncio.run(ask())


def test_a_body_without_a_length_is_lost_where_the_connection_breaks() -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(OK + b"\r\nhi")
        await asyncio.sleep(0.1)
        writer.get_extra_info("socket").setsockopt(
            socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0)
        )
        writer.transport.abort()  # with a reset, not an end

    async def ask() -> None:
        async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
            port = server.sockets[0].getsockname()[1]
            connection = await Route(f"http://127.0.0.1:{port}/").connect(Connection)
            await connection.exchange(b"GET / HTTP/1.1\r\n\r\n", 10, None)

    with pytest.raises(HttpError):
        asyncio.run(ask())


def test_a_cancelled_exchange_closes_the_connection() -> None:
    async def ask() -> bool:
        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.read()
            writer.close()

        async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
            port = server.sockets[0].getsockname()[1]
            connection = await Route(f"http://127.0.0.1:{port}/").connect(Connection)
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.1):
                    await connection.exchange(b"GET / HTTP/1.1\r\n\r\n", 10, None)
            with pytest.raises(HttpError, match="closed the connection"):
                await connection.exchange(b"GET / HTTP/1.1\r\n\r\n", 10, None)
            return connection.is_open

    assert asyncio.run(ask()) is False


@pytest.mark.parametrize("status", [199, 200, 299, 300, 404])
def test_a_good_reply_is_one_of_2xx(status: int) -> None:
    assert http1.RawReply(status, http1.Headers(), b"", early=False).good == (status in (200, 299))


def test_of_fields_that_are_repeated_the_first_counts_and_of_1xx_none() -> None:
    reply = converse(
        b"HTTP/1.1 103 Hints\r\nB: x\r\n\r\n" + OK + b"A: 1\r\na: 2\r\nContent-Length: 2\r\n\r\nhi"
    )
    assert reply.headers == {"a": "1", "content-length": "2"}
    assert reply.headers.get("A") == "1"


def replies_over_one_connection(
    sent: list[bytes], large: asyncio.Semaphore | None, seconds: float = 5.0
) -> list[bytes]:
    """The bodies of the replies to requests over one connection, each sent when its request is there."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for reply in sent:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(reply[:-1])
            await writer.drain()
            await asyncio.sleep(0.02)
            writer.write(reply[-1:])
        await reader.read()
        writer.close()

    async def ask() -> list[bytes]:
        async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
            port = server.sockets[0].getsockname()[1]
            connection = await Route(f"http://127.0.0.1:{port}/").connect(Connection)
            async with asyncio.timeout(seconds):
                bodies = [
                    (await connection.exchange(b"GET / HTTP/1.1\r\n\r\n", LIMIT, large)).body for _ in sent
                ]
            assert not connection.unasked
            connection.abort()
            return bodies

    return asyncio.run(ask())


def test_the_bounds_of_a_reply_are_its_own() -> None:
    bodies = [letter * (LIMIT - 1) for letter in (b"a", b"b", b"c")]
    sent = [OK + b"Content-Length: %d\r\n\r\n%b" % (len(body), body) for body in bodies]
    assert replies_over_one_connection(sent, asyncio.Semaphore(1)) == bodies


def test_small_bodies_wait_for_no_turn_and_compressed_ones_give_theirs_back() -> None:
    packed = gzip.compress(random.Random(1).randbytes(LIMIT - 100))
    assert http1.SMALL_BODY < len(packed) < LIMIT
    small = OK + b"Content-Length: 2\r\n\r\nhi"
    assert replies_over_one_connection([small], asyncio.Semaphore(0)) == [b"hi"]
    for body in (packed, gzip.compress(b"hi")):
        sent = OK + b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body)
        large = asyncio.Semaphore(1)
        assert replies_over_one_connection([sent, sent], large) == [gzip.decompress(body)] * 2
        assert not large.locked()
        with pytest.raises(TimeoutError):
            replies_over_one_connection([sent], asyncio.Semaphore(0), 0.2)


@pytest.mark.parametrize(
    ("cause", "words"),
    [
        (ConnectionRefusedError(errno.ECONNREFUSED, "whatever"), "connection refused"),
        (  # as asyncio tells of a name with several addresses
            OSError(f"Multiple exceptions: [Errno {errno.ECONNREFUSED}] Connect call failed ('::1', 1, 0, 0), "
                    f"[Errno {errno.ECONNREFUSED}] Connect call failed ('127.0.0.1', 1)"),
            "connection refused",
        ),
        (TimeoutError(), "no connection in time"),
        (OSError(errno.EHOSTUNREACH, "whatever"), "no route to host"),
        (socket.gaierror(socket.EAI_NONAME, "Name or service not known"), "Name or service not known"),
        (OSError(), "no connection"),
    ],
)  # fmt: skip
def test_why_there_is_no_connection_is_said_in_a_few_words(cause: OSError, words: str) -> None:
    assert str(http1.ConnectError(cause)) == words
