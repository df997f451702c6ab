"""What the pool does with connections that are in order, and with those that are not."""

from __future__ import annotations

import asyncio
import gc
import select
import socket
import struct
import threading
import time
import weakref
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import TypeVar

import pytest

from folkways.endpoints.base import Completion, EndpointFailure, EndpointOptions
from folkways.endpoints.registry import open_name
from folkways.endpoints.servers import connections
from folkways.endpoints.servers.connections import ConnectionPool, Reply, UnaskedError
from folkways.endpoints.servers.http import HttpEndpoint
from folkways.endpoints.servers.http1 import HttpError
from folkways.endpoints.servers.route import Route
from tests.support import scripted_server
from tests.support.chat_server import ChatServer
from tests.support.endpoint_requests import request
from tests.support.unsolicited_server import UnsolicitedServer

T = TypeVar("T")


async def completions(server: UnsolicitedServer, count: int) -> list[Completion]:
    """The replies to ``count`` requests, one after the other, of an endpoint that is left to settle them."""
    endpoint = open_name(f"{server.url}/v1#m", EndpointOptions(timeout=10))
    assert isinstance(endpoint, HttpEndpoint)
    await endpoint.open(1)
    try:
        said = [
            await endpoint.complete(request(f"Say: {number}", key=str(number))) for number in range(count)
        ]
        wait = await endpoint.look()
        while wait is not None:
            await asyncio.sleep(wait)
            wait = await endpoint.look()
        return said
    finally:
        await endpoint.close()


def ask_in_turn(server: UnsolicitedServer, count: int) -> list[str]:
    return [completion.text for completion in asyncio.run(completions(server, count))]


def settled(server: UnsolicitedServer, count: int) -> list[bool | None]:
    """What is known of each reply in the end; None where it was sure from the beginning."""
    said = asyncio.run(completions(server, count))
    return [None if completion.confirmation is None else completion.confirmation.clean for completion in said]


def test_a_connection_in_order_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    with UnsolicitedServer("idle", every=1000) as server:
        assert ask_in_turn(server, 20) == [str(number) for number in range(20)]
        assert server.connections == 1
        monkeypatch.setattr(connections, "MOST_USES", 5)
        ask_in_turn(server, 20)
        assert server.connections == 1 + 4


def test_replies_are_open_until_their_connection_has_rested() -> None:
    with UnsolicitedServer("ahead", every=1000, latency=0.002) as server:
        assert settled(server, 12) == [None, *[True] * 11]
        assert server.connections == 1


@pytest.mark.parametrize(
    ("longest", "seconds", "quick", "sure"),
    [(2, 0.0, 128, 6), (8, 60.0, 128, 6), (4, 60.0, 128, 2), (4, 60.0, 4, 6), (4, 0.05, 128, 6)],
)
def test_a_connection_rests_now_and_then(
    monkeypatch: pytest.MonkeyPatch, longest: int, seconds: float, quick: int, sure: int
) -> None:
    """After two replies at first, later after ``longest`` and ``seconds``, or ``quick``; nobody looks
    besides."""
    monkeypatch.setattr(connections, "FIRST_STRETCH", 2)
    monkeypatch.setattr(connections, "LONGEST_STRETCH", longest)
    monkeypatch.setattr(connections, "STRETCH_SECONDS", seconds)
    monkeypatch.setattr(connections, "QUICK_STRETCH", quick)

    async def ask(server: UnsolicitedServer) -> list[bool | None]:
        endpoint = open_name(f"{server.url}/v1#m", EndpointOptions(timeout=10))
        await endpoint.open(1)
        said = [await endpoint.complete(request(f"Say: {number}", key=str(number))) for number in range(8)]
        settled = [completion.confirmation and completion.confirmation.clean for completion in said]
        await endpoint.close()
        return settled

    with UnsolicitedServer("ahead", every=1000, latency=0.02) as server:  # three take longer than 0.05 s
        assert asyncio.run(ask(server)) == [None, *[True] * sure, *[None] * (7 - sure)]
        assert server.connections == 1


def test_what_may_be_wrong_is_told_before_the_end() -> None:
    """The answer to the third request is a copy of the second, and nothing shows it before the true one
    comes."""
    with UnsolicitedServer("ahead", at=2, latency=0.002, gap=0.5) as server:
        assert settled(server, 4) == [None, False, False, False]


def test_a_reply_of_the_name_before_is_noticed_at_once() -> None:
    with UnsolicitedServer("ahead", at=2, latency=0.002, named=True) as server:
        with pytest.raises(EndpointFailure, match="nobody asked for") as caught:
            ask_in_turn(server, 3)
        assert caught.value.retryable
    with UnsolicitedServer("ahead", every=1000, named=True) as server:  # each has its own
        assert settled(server, 8) == [None, *[True] * 7]


def test_where_all_replies_have_one_name_it_tells_nothing() -> None:
    """Two equal answers are no repetition then."""
    with ChatServer() as server:

        async def ask() -> list[Reply]:
            route = Route(f"{server.url}/v1/chat/completions", connect_seconds=5.0)
            kept = ConnectionPool(1, route, {}, 10.0)
            replies = [await kept.post(b'{"messages": [{"content": "A"}]}', 10**6) for _ in range(3)]
            assert [kept.is_repeated(reply, "always") for reply in replies] == [False] * 3
            assert [kept.is_repeated(reply, None) for reply in replies] == [False] * 3
            await kept.close()
            return replies

        assert [reply.used_before for reply in asyncio.run(ask())] == [False, True, True]


def test_a_connection_is_looked_at_before_it_is_retired(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "MOST_USES", 5)
    with UnsolicitedServer("ahead", at=4, latency=0.002, gap=0.05) as server:
        assert settled(server, 5) == [None, *[False] * 4]


def test_a_retired_connection_is_closed_once_its_replies_are_settled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "MOST_USES", 2)
    reply = {"choices": [{"message": {"content": "A"}}]}

    async def ask() -> tuple[int, int]:
        async with scripted_server.ScriptedServer(lambda _: reply) as server:
            endpoint = open_name(f"{server.url}/v1#m", EndpointOptions(timeout=10))
            await endpoint.open(1)
            for number in range(5):
                await endpoint.complete(request(str(number)))
            before = server.open
            while (wait := await endpoint.look()) is not None:
                await asyncio.sleep(wait)
            for _ in range(100):
                if server.open == 1:
                    break
                await asyncio.sleep(0.01)
            after = server.open
            await endpoint.close()
            return before, after

    assert asyncio.run(ask()) == (3, 1)  # the third has carried one request only


def test_open_replies_of_a_connection_that_breaks_are_no_answers() -> None:
    """However late it broke."""
    with ChatServer() as server:
        server.control(faults={"script": ["ok", "ok", "drop", "ok", "ok", "stall+seconds=1"]})

        async def ask() -> list[bool | None]:
            endpoint = open_name(f"{server.url}/v1#m", EndpointOptions(timeout=0.5))
            assert isinstance(endpoint, HttpEndpoint)
            await endpoint.open(1)
            said = []
            for number in range(6):
                with suppress(EndpointFailure):
                    said.append(await endpoint.complete(request(f"Say: {number}", key=str(number))))
            await endpoint.close()
            return [
                None if completion.confirmation is None else completion.confirmation.clean
                for completion in said
            ]

        assert asyncio.run(ask()) == [None, False, None, False]


def test_the_silence_of_a_server_that_stalls_confirms_no_reply_out_of_place() -> None:
    """The answer to the third request is a copy of the second, and the true one never comes: the fourth is
    given up after many times what a reply takes."""

    async def ask(server: UnsolicitedServer) -> list[tuple[str, bool | None]]:
        endpoint = open_name(f"{server.url}/v1#m", EndpointOptions(timeout=0.5))
        await endpoint.open(1)
        said = [await endpoint.complete(request(f"Say: {number}", key=str(number))) for number in range(3)]
        with pytest.raises(EndpointFailure, match="no reply within"):
            await endpoint.complete(request("Say: 3", key="3"))
        await endpoint.close()
        return [(reply.text, reply.confirmation and reply.confirmation.clean) for reply in said]

    with UnsolicitedServer("ahead", at=2, latency=0.002, gap=60.0) as server:
        assert asyncio.run(ask(server)) == [("0", None), ("1", False), ("1", False)]


def test_a_page_of_a_proxy_on_a_used_connection_is_a_lost_connection() -> None:
    """It crossed the request; on a new connection, the same 400 is the server's word on the request."""
    with (
        UnsolicitedServer("400 instead", every=3) as server,
        pytest.raises(EndpointFailure, match="connection was lost") as caught,
    ):
        ask_in_turn(server, 20)
    assert caught.value.retryable
    with UnsolicitedServer("400 instead", every=1) as server, pytest.raises(EndpointFailure) as caught:
        ask_in_turn(server, 20)
    assert not caught.value.retryable


Piece = bytes | float | Callable[[asyncio.StreamWriter], None]
Script = dict[tuple[int, int], tuple[list[Piece], bool]]


TIMEOUT = 10.0


class ScriptedServer:
    """Answers requests as a script says; each with its own body where the script says nothing.

    script: (connection, request on it), both from 1 -> the pieces to send, seconds to wait and how
    to end, and whether before the body of the request has come. requests: how many came over each connection.
    """

    def __init__(self, script: Script) -> None:
        self.script = script
        self.requests: list[int] = []

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.requests.append(0)
        connection = len(self.requests)
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                self.requests[connection - 1] += 1
                length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])
                pieces, early = self.script.get((connection, self.requests[connection - 1]), ([], False))
                body = b"" if early else await reader.readexactly(length)
                for piece in pieces or [http_reply(body)]:
                    if isinstance(piece, float):
                        await asyncio.sleep(piece)
                    elif callable(piece):
                        piece(writer)
                    else:
                        writer.write(piece)
                        await writer.drain()
                if early:
                    await reader.readexactly(length)
        writer.close()

    def run(
        self, work: Callable[[ConnectionPool], Awaitable[T]], limit: int = 1, timeout: float = TIMEOUT
    ) -> T:
        """The result of ``work`` with a pool of ``limit`` places whose connections lead here."""

        async def main() -> T:
            async with await asyncio.start_server(self.serve, "127.0.0.1", 0) as server:
                port = server.sockets[0].getsockname()[1]
                route = Route(f"http://127.0.0.1:{port}/", connect_seconds=5.0)
                pool = ConnectionPool(limit, route, {}, timeout)
                try:
                    async with asyncio.timeout(30):
                        return await work(pool)
                finally:
                    await pool.close()

        return asyncio.run(main())


def end(writer: asyncio.StreamWriter) -> None:
    writer.close()


def reset(writer: asyncio.StreamWriter) -> None:
    linger = struct.pack("ii", 1, 0)
    writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
    writer.transport.abort()


def http_reply(body: bytes, status: int = 200, fields: bytes = b"") -> bytes:
    return b"HTTP/1.1 %d Word\r\nContent-Length: %d\r\n%b\r\n%b" % (status, len(body), fields, body)


async def settle(pool: ConnectionPool) -> None:
    while (wait := await pool.look()) is not None:
        await asyncio.sleep(wait)


LARGE_REQUEST = b"a" * 20_000_000  # more than the buffers of two sockets hold


def test_a_good_reply_before_its_request_was_sent_answers_another_one() -> None:
    """On the first use of a connection there is no other request; an error page may come at any time."""

    async def work(pool: ConnectionPool) -> list[int]:
        first = await pool.post(LARGE_REQUEST, 100)
        assert (first.status, first.used_before) == (200, False)
        with pytest.raises(UnaskedError):
            await pool.post(LARGE_REQUEST, 100)
        assert (await pool.post(b"c", 100)).body == b"c"
        refused = await pool.post(LARGE_REQUEST, 100)
        return [refused.status]

    early = ([http_reply(b"early")], True)
    server = ScriptedServer({(1, 1): early, (1, 2): early, (2, 2): ([http_reply(b"no", 413)], True)})
    assert server.run(work) == [413]
    assert server.requests == [2, 2]


def test_after_a_good_reply_that_nobody_asked_for_no_connection_is_used_twice() -> None:
    """Also where it came with the reply before it, in one segment."""

    async def work(pool: ConnectionPool) -> list[bool]:
        return [(await pool.post(b"%d" % number, 100)).used_before for number in range(4)]

    twice = ScriptedServer({(1, 1): ([http_reply(b"0") * 2], False)})
    assert twice.run(work) == [False] * 4
    assert twice.requests == [1, 1, 1, 1]
    page = ScriptedServer({(1, 1): ([http_reply(b"0") + http_reply(b"", 408)], False)})
    assert page.run(work) == [False, False, True, True]
    assert page.requests == [1, 3]


def test_a_used_connection_that_brings_two_replies_at_once_answers_nothing() -> None:
    """Two good ones: which is the answer cannot be known. Behind one, an error page: its reply is no answer
    in the end."""

    async def work(pool: ConnectionPool) -> list[bool | None]:
        replies = [await pool.post(b"%d" % number, 100) for number in range(2)]
        with suppress(UnaskedError):
            replies.append(await pool.post(b"2", 100))
        return [reply.confirmation and reply.confirmation.clean for reply in replies]

    two = ScriptedServer({(1, 3): ([http_reply(b"1") + http_reply(b"2")], False)})
    assert two.run(work) == [None, False]
    page = ScriptedServer({(1, 3): ([http_reply(b"2") + http_reply(b"", 408)], False)})
    assert page.run(work) == [None, False, False]


def test_a_connection_that_is_retired_settles_its_replies(monkeypatch: pytest.MonkeyPatch) -> None:
    """And nothing is asked again because of it."""
    monkeypatch.setattr(connections, "MOST_USES", 3)

    async def work(pool: ConnectionPool) -> list[bool | None]:
        replies = [await pool.post(b"%d" % number, 100) for number in range(6)]
        await settle(pool)
        return [reply.confirmation and reply.confirmation.clean for reply in replies]

    server = ScriptedServer({})
    assert server.run(work) == [None, True, True] * 2
    assert server.requests == [3, 3]


def test_a_connection_that_repeated_a_reply_is_not_used_again() -> None:
    async def work(pool: ConnectionPool) -> None:
        replies = [await pool.post(b"%d" % number, 100) for number in range(3)]
        assert [pool.is_repeated(reply, name) for reply, name in zip(replies, "abb", strict=True)] == [
            False,
            False,
            False,  # another body
        ]
        assert pool.is_repeated(replies[2], "b")
        await pool.post(b"3", 100)
        assert not replies[2].connection.is_open

    server = ScriptedServer({})
    server.run(work)
    assert server.requests == [3, 1]


def test_a_connection_that_ended_while_nobody_looked_is_not_used() -> None:
    """Its end has come, and the loop has not read it yet. What came before is in its place."""
    with socket.create_server(("127.0.0.1", 0)) as listening, ThreadPoolExecutor() as threads:
        ends = threading.Event()
        listening.settimeout(5)

        def serve() -> None:
            for _ in range(2):
                connection, _ = listening.accept()
                with connection:
                    for _ in range(2 if not ends.is_set() else 1):
                        connection.recv(65536)
                        connection.sendall(http_reply(b"hi"))
                    ends.wait(10)

        async def ask() -> list[bool | None]:
            route = Route(f"http://127.0.0.1:{listening.getsockname()[1]}/", connect_seconds=5.0)
            pool = ConnectionPool(1, route, {}, 10.0)
            replies = [await pool.post(b"%d" % number, 100) for number in range(2)]
            ends.set()
            limit = time.monotonic() + 5
            while not replies[1].connection.readable() and time.monotonic() < limit:
                time.sleep(0.01)
            await pool.post(b"2", 100)
            await pool.close()
            return [reply.confirmation and reply.confirmation.clean for reply in replies]

        serving = threads.submit(serve)
        assert asyncio.run(ask()) == [None, True]
        serving.result(10)


@pytest.mark.parametrize(("seconds", "requests"), [(0.0, [2, 1]), (-5.0, [3])])
def test_a_connection_that_lay_unused_for_long_is_not_used(seconds: float, requests: list[int]) -> None:
    """Longer than the slowest reply may take and KEPT_SECONDS."""

    async def work(pool: ConnectionPool) -> None:
        first = await pool.post(b"0", 100)
        await pool.post(b"1", 100)
        first.connection.released -= 1.25 * TIMEOUT + connections.KEPT_SECONDS + seconds
        await pool.post(b"2", 100)
        assert first.connection.is_open == (requests == [3])

    server = ScriptedServer({})
    server.run(work)
    assert server.requests == requests


def test_requests_at_once_are_limited() -> None:
    async def work(pool: ConnectionPool) -> None:
        replies = await asyncio.gather(*(pool.post(b"%d" % number, 100) for number in range(5)))
        assert sorted(reply.body for reply in replies) == [b"0", b"1", b"2", b"3", b"4"]

    server = ScriptedServer({})
    server.run(work)
    assert server.requests == [5]


@pytest.mark.parametrize("ages", [[0.0], [0.4, 0.0], [0.0, 0.4]])
def test_a_rest_is_longer_than_the_slowest_reply_took(ages: list[float]) -> None:
    """And 0.1 s at least."""
    connection = connections.PooledConnection()
    for age in ages:
        now = connection.replied(time.monotonic() - age)
    assert connection.slowest >= max(ages)
    assert connection.rested == now + max(0.1, 1.25 * connection.slowest)


CLOSE = b"Connection: close\r\n"


@pytest.mark.parametrize(
    ("status", "fields", "is_used"),
    [
        *((status, b"", True) for status in (200, 400, 404, 429, 499)),
        *((status, b"", False) for status in (408, 500, 502, 504)),
        (200, CLOSE, False),
    ],
)
def test_a_connection_on_which_an_answer_may_come_late_is_closed_at_once(
    status: int, fields: bytes, is_used: bool
) -> None:
    """Or whose server says that it closes it; no reply is open on it."""

    async def work(pool: ConnectionPool) -> None:
        first = await pool.post(b"0", 100)
        assert first.connection.is_open == is_used
        await pool.post(b"1", 100)

    server = ScriptedServer({(1, 1): ([http_reply(b"", status, fields)], False)})
    server.run(work)
    assert server.requests == ([2] if is_used else [1, 1])


@pytest.mark.parametrize(("status", "fields"), [(504, b""), (408, b""), (200, CLOSE)])
def test_a_reply_after_the_last_one_of_a_connection_unsettles_its_open_ones(
    status: int, fields: bytes
) -> None:
    """And says nothing of other connections, which are used again."""

    async def work(pool: ConnectionPool) -> list[bool | None]:
        replies = [await pool.post(b"%d" % number, 100) for number in range(3)]
        await settle(pool)
        assert not replies[0].connection.is_open
        for number in range(2):
            await pool.post(b"%d" % number, 100)
        return [reply.confirmation and reply.confirmation.clean for reply in replies]

    late = ScriptedServer({(1, 3): ([http_reply(b"", status, fields), 0.02, http_reply(b"2")], False)})
    assert late.run(work) == [None, False, False]
    assert late.requests == [3, 2]
    nothing = ScriptedServer({(1, 3): ([http_reply(b"", status, fields)], False)})
    assert nothing.run(work) == [None, True, True]
    assert nothing.requests == [3, 2]


SLOW: tuple[list[Piece], bool] = ([0.1, http_reply(b"slow")], False)
TWICE: tuple[list[Piece], bool] = ([http_reply(b"twice") * 2], False)


def test_a_reply_that_nobody_asked_for_unsettles_the_open_ones_of_all_connections() -> None:
    async def work(pool: ConnectionPool) -> list[bool | None]:
        for _ in range(2):
            replies = await asyncio.gather(*(pool.post(b"%d" % number, 100) for number in range(3)))
        with pytest.raises(UnaskedError):
            await pool.post(b"twice", 100)
        return [reply.confirmation and reply.confirmation.clean for reply in replies]

    server = ScriptedServer({(number, 3): TWICE for number in (1, 2, 3)})
    assert server.run(work, 3) == [False] * 3
    assert sorted(server.requests) == [2, 2, 3]


def test_the_second_request_of_a_connection_may_have_the_answer_to_the_first() -> None:
    async def work(pool: ConnectionPool) -> None:
        firsts = await asyncio.gather(*(pool.post(b"%d" % number, 100) for number in range(2)))
        both = [pool.post(b"slow", 100), pool.post(b"twice", 100)]
        for failure in await asyncio.gather(*both, return_exceptions=True):
            assert isinstance(failure, UnaskedError)
        assert not any(reply.connection.is_open for reply in firsts)
        assert not (await pool.post(b"new", 100)).used_before

    server = ScriptedServer({(1, 2): SLOW, (2, 2): TWICE})
    server.run(work, 2)
    assert server.requests == [2, 2, 1]


def test_the_connection_that_rested_longest_is_used_next() -> None:
    async def work(pool: ConnectionPool) -> None:
        await asyncio.gather(*(pool.post(b"%d" % number, 100) for number in range(2)))
        for number in range(4):
            await pool.post(b"%d" % number, 100)

    server = ScriptedServer({})
    server.run(work, 2)
    assert server.requests == [3, 3]


@pytest.mark.parametrize("rests", [(1.0, 5.0), (5.0, 1.0)])
def test_one_looks_again_when_the_first_connection_has_rested(rests: tuple[float, float]) -> None:
    """Soon where one is busy, whose reply may be the next to settle."""

    async def work(pool: ConnectionPool) -> None:
        for _ in range(3):
            replies = await asyncio.gather(*(pool.post(b"%d" % number, 100) for number in range(2)))
            for reply, rest in zip(replies, rests, strict=True):
                reply.connection.rested = time.monotonic() + rest
        assert await pool.look() == pytest.approx(1.0, abs=0.2)
        busy = asyncio.create_task(pool.post(b"2", 100))
        while not any(reply.connection.busy for reply in replies):
            await asyncio.sleep(0)
        assert await pool.look() == connections.SHORTEST_REST
        await busy

    # the first to have an open reply is the last to be free
    ScriptedServer({(2, 2): SLOW, (1, 3): SLOW, (1, 4): SLOW, (2, 4): SLOW}).run(work, 2)


@pytest.mark.parametrize("asks", [False, True])
@pytest.mark.parametrize(
    ("last", "rests", "clean"),
    [
        (http_reply(b"", 408), True, False),
        (end, True, True),
        (reset, True, False),
        (reset, False, True),  # what came before it was lost would have come earlier
    ],
)
def test_a_connection_that_brought_something_or_ended_is_settled_before_it_has_rested(
    last: Piece, rests: bool, clean: bool, asks: bool
) -> None:
    """Whether or not the next request comes first, which has a new connection."""

    async def work(pool: ConnectionPool) -> list[bool | None]:
        replies = [await pool.post(b"%d" % number, 100) for number in range(2)]
        connection = replies[1].connection
        connection.rested = time.monotonic() + 20 if rests else 0.0
        while not connection.unasked and connection.transport is not None:
            await asyncio.sleep(0.01)
        if asks:
            assert not (await pool.post(b"2", 100)).used_before
        assert await pool.look() is None
        return [reply.confirmation and reply.confirmation.clean for reply in replies]

    assert ScriptedServer({(1, 2): ([http_reply(b"1"), 0.02, last], False)}).run(work) == [None, clean]


@pytest.mark.parametrize("is_cancelled", [False, True])
def test_open_replies_of_a_connection_whose_request_is_given_up_are_no_answers(is_cancelled: bool) -> None:
    """Its connection broke, or nobody waits for it any more."""

    async def work(pool: ConnectionPool) -> list[bool | None]:
        replies = [await pool.post(b"%d" % number, 100) for number in range(2)]
        waiting = asyncio.create_task(pool.post(b"2", 100))
        while server.requests == [2]:
            await asyncio.sleep(0)
        if is_cancelled:
            waiting.cancel()
        with pytest.raises(asyncio.CancelledError if is_cancelled else HttpError):
            await waiting
        assert await pool.look() is None
        assert not (await pool.post(b"3", 100)).used_before
        return [reply.confirmation and reply.confirmation.clean for reply in replies]

    server = ScriptedServer({(1, 3): ([5.0] if is_cancelled else [end], False)})
    assert server.run(work) == [None, False]


def test_a_connection_whose_rest_is_cancelled_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "FIRST_STRETCH", 1)

    async def work(pool: ConnectionPool) -> list[bool | None]:
        replies = [await pool.post(b"%d" % number, 100) for number in range(2)]
        connection = replies[1].connection
        connection.rested = time.monotonic() + 20
        waiting = asyncio.create_task(pool.post(b"2", 100))
        while not connection.busy:
            await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        assert not connection.is_open
        await pool.post(b"3", 100)
        return [reply.confirmation and reply.confirmation.clean for reply in replies]

    server = ScriptedServer({})
    assert server.run(work) == [None, False]
    assert server.requests == [2, 1]


def test_the_sockets_of_a_pool_that_is_closed_are_closed() -> None:
    async def work(pool: ConnectionPool) -> None:
        replies = await asyncio.gather(*(pool.post(b"%d" % number, 100) for number in range(2)))
        await pool.close()
        assert [reply.connection.transport for reply in replies] == [None, None]

    ScriptedServer({}).run(work, 2)


def test_a_reply_is_repeated_by_name_and_body() -> None:
    """A name is text."""

    async def work(pool: ConnectionPool) -> list[bool]:
        replies = [await pool.post(body, 100) for body in (b"a", b"a", b"b", b"b", b"b")]
        names: list[object] = ["one", "two", "two", ["two"], "two"]
        said = [pool.is_repeated(reply, name) for reply, name in zip(replies, names, strict=True)]
        assert [reply.confirmation and reply.confirmation.clean for reply in replies] == [None, *[False] * 4]
        return said

    assert ScriptedServer({}).run(work) == [False, False, False, False, True]


@pytest.mark.parametrize(("first", "sure"), [(4, 2), (1, 1)])
def test_connections_rest_after_half_as_many_replies_once_one_broke_with_open_ones(
    monkeypatch: pytest.MonkeyPatch, first: int, sure: int
) -> None:
    """After one reply at least."""
    monkeypatch.setattr(connections, "FIRST_STRETCH", first)

    async def work(pool: ConnectionPool) -> list[bool | None]:
        replies = [await pool.post(b"%d" % number, 100) for number in range(2)]
        replies[1].connection.rested = time.monotonic() + 20
        while replies[1].connection.transport is not None:
            await asyncio.sleep(0.01)
        await pool.look()
        replies = [await pool.post(b"%d" % number, 100) for number in range(4)]
        return [reply.confirmation and reply.confirmation.clean for reply in replies]

    server = ScriptedServer({(1, 2): ([http_reply(b"1"), 0.02, reset], False)})
    assert server.run(work) == [None, *[True] * sure, *[None] * (3 - sure)]


def test_a_connection_that_breaks_without_open_replies_changes_no_rest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(connections, "FIRST_STRETCH", 2)

    async def work(pool: ConnectionPool) -> list[bool | None]:
        await pool.post(b"0", 100)
        with pytest.raises(HttpError):
            await pool.post(b"1", 100)
        replies = [await pool.post(b"%d" % number, 100) for number in range(4)]
        return [reply.confirmation and reply.confirmation.clean for reply in replies]

    assert ScriptedServer({(1, 2): ([end], False)}).run(work) == [None, True, True, None]


@pytest.mark.parametrize("polls", [True, False], ids=["poll", "as on Windows"])
def test_a_connection_that_ends_without_open_replies_changes_no_rest(
    monkeypatch: pytest.MonkeyPatch, polls: bool
) -> None:
    """Its end has come, and the loop has not read it yet."""
    monkeypatch.setattr(connections, "FIRST_STRETCH", 2)
    if not polls:
        monkeypatch.delattr(select, "poll")

    async def work(pool: ConnectionPool) -> list[bool | None]:
        connection = (await pool.post(b"0", 100)).connection
        assert connection.transport is not None and not connection.readable()
        connection.transport.pause_reading()
        while not connection.readable():
            await asyncio.sleep(0.01)
        connection.transport.resume_reading()
        replies = [await pool.post(b"%d" % number, 100) for number in range(4)]
        return [reply.confirmation and reply.confirmation.clean for reply in replies]

    server = ScriptedServer({(1, 1): ([http_reply(b"0"), 0.02, end], False)})
    assert server.run(work) == [None, True, True, None]
    assert server.requests == [1, 4]


def test_a_reply_may_take_as_long_as_the_pool_says() -> None:
    async def work(pool: ConnectionPool) -> bytes:
        with pytest.raises(TimeoutError):
            await pool.post(b"0", 100)
        return (await pool.post(b"1", 100)).body

    late: tuple[list[Piece], bool] = ([0.3, http_reply(b"late")], False)
    assert ScriptedServer({(1, 1): late, (2, 1): SLOW}).run(work, timeout=0.2) == b"slow"


def test_nothing_is_kept_of_a_connection_that_was_closed() -> None:
    async def work(pool: ConnectionPool) -> None:
        closed = weakref.ref((await pool.post(b"0", 100)).connection)
        await pool.post(b"1", 100)
        gc.collect()
        assert closed() is None

    ScriptedServer({(1, 1): ([http_reply(b"", 200, CLOSE)], False)}).run(work)
