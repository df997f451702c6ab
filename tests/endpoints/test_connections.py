"""What KeptConnections builds on in aiohttp, and what it does with connections that are in order."""

from __future__ import annotations

import asyncio
import inspect
from base64 import b64encode
from contextlib import suppress

import aiohttp
import pytest
from aiohttp.client_proto import ResponseHandler
from aiohttp.connector import Connection
from yarl import URL

from folkways.endpoints.base import Completion, EndpointFailure, EndpointOptions
from folkways.endpoints.registry import open_name
from folkways.endpoints.servers import connections
from folkways.endpoints.servers.connections import Reply
from folkways.endpoints.servers.http import HttpEndpoint
from tests.support.asking import request
from tests.support.chat_server import ChatServer
from tests.support.unasked_server import UnaskedServer


def test_aiohttp_is_as_the_connections_expect() -> None:
    """aiohttp documents these names in part only: where this fails, KeptConnections has to be gone through
    with the new version."""
    assert list(inspect.signature(aiohttp.BaseConnector.connect).parameters) == [
        "self",
        "req",
        "traces",
        "timeout",
    ]
    assert isinstance(Connection.protocol, property)
    assert isinstance(ResponseHandler.should_close, property)

    async def surplus() -> tuple[int, int, bytes, bool]:
        protocol = ResponseHandler(asyncio.get_running_loop())
        protocol.set_response_params(read_until_eof=True)
        protocol.data_received(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]" * 2)
        waiting, spoiled = len(protocol), protocol.should_close
        message, content = await protocol.read()
        return waiting, message.code, await content.read(), spoiled

    assert asyncio.run(surplus()) == (2, 200, b"[]", True)


async def completions(server: UnaskedServer, count: int) -> list[Completion]:
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


def test_an_aiohttp_that_lacks_a_name_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    connections._check_aiohttp()
    monkeypatch.delattr(ResponseHandler, "set_response_params")
    with pytest.raises(ImportError, match=r"has no ResponseHandler\.set_response_params: install"):
        connections._check_aiohttp()


def ask_in_turn(server: UnaskedServer, count: int) -> list[str]:
    return [completion.text for completion in asyncio.run(completions(server, count))]


def settled(server: UnaskedServer, count: int) -> list[bool | None]:
    """What is known of each reply in the end; None where it was sure from the beginning."""
    said = asyncio.run(completions(server, count))
    return [None if completion.confirmation is None else completion.confirmation.clean for completion in said]


def test_a_connection_in_order_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    with UnaskedServer("idle", every=1000) as server:
        assert ask_in_turn(server, 20) == [str(number) for number in range(20)]
        assert server.connections == 1
        monkeypatch.setattr(connections, "MOST_USES", 5)
        ask_in_turn(server, 20)
        assert server.connections == 1 + 4


def test_replies_are_open_until_their_connection_has_rested() -> None:
    with UnaskedServer("ahead", every=1000, latency=0.002) as server:
        assert settled(server, 12) == [None, *[True] * 11]
        assert server.connections == 1


def test_a_connection_rests_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every other reply here, and nobody looks besides."""
    monkeypatch.setattr(connections, "FIRST_STRETCH", 2)
    monkeypatch.setattr(connections, "LONGEST_STRETCH", 2)

    async def ask(server: UnaskedServer) -> list[bool | None]:
        endpoint = open_name(f"{server.url}/v1#m", EndpointOptions(timeout=10))
        await endpoint.open(1)
        said = [await endpoint.complete(request(f"Say: {number}", key=str(number))) for number in range(6)]
        known = [completion.confirmation and completion.confirmation.clean for completion in said]
        await endpoint.close()
        return known

    with UnaskedServer("ahead", every=1000, latency=0.002) as server:
        assert asyncio.run(ask(server)) == [None, True, True, True, True, None]
        assert server.connections == 1


def test_what_may_be_wrong_is_told_before_the_end() -> None:
    """The answer to the third request is a copy of the second, and nothing shows it before the true one
    comes."""
    with UnaskedServer("ahead", at=2, latency=0.002) as server:
        assert settled(server, 4) == [None, False, False, False]


def test_a_reply_of_the_name_before_is_noticed_at_once() -> None:
    with UnaskedServer("ahead", at=2, latency=0.002, named=True) as server:
        with pytest.raises(EndpointFailure, match="nobody asked for") as caught:
            ask_in_turn(server, 3)
        assert caught.value.retryable
    with UnaskedServer("ahead", every=1000, named=True) as server:  # each has its own
        assert settled(server, 8) == [None, *[True] * 7]


def test_where_all_replies_have_one_name_it_tells_nothing() -> None:
    """Two equal answers are no repetition then."""
    with ChatServer() as server:

        async def ask() -> list[Reply]:
            kept = connections.KeptConnections(
                1, URL(f"{server.url}/v1/chat/completions"), {}, None, 5.0, 10.0
            )
            replies = [await kept.post(b'{"messages": [{"content": "A"}]}', 10**6) for _ in range(3)]
            assert [kept.is_repeated(reply, "always") for reply in replies] == [False] * 3
            assert [kept.is_repeated(reply, None) for reply in replies] == [False] * 3
            await kept.close()
            return replies

        assert [reply.used_before for reply in asyncio.run(ask())] == [False, True, True]


def test_a_connection_is_looked_at_before_it_is_retired(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "MOST_USES", 5)
    with UnaskedServer("ahead", at=4, latency=0.002) as server:
        assert settled(server, 5) == [None, *[False] * 4]


def test_open_replies_of_a_connection_that_breaks_are_no_answers() -> None:
    """Unless it broke later than the next reply could have come."""
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

        assert asyncio.run(ask()) == [None, False, None, True]


def test_the_head_is_what_aiohttp_sends() -> None:
    """Ours is made once from a request of aiohttp's: it holds what aiohttp would send, and nothing twice."""
    headers = {"Content-Type": "application/json", "Authorization": "Bearer k", "X-Name": "Ünï"}
    with ChatServer() as server:
        url = URL(f"{server.url}/v1/chat/completions?a=b")

        async def heads() -> list[str]:
            found = []
            kept = connections.KeptConnections(1, url, headers, None, 5.0, 10.0)
            await kept.post(b'{"messages": [{"content": "A"}]}', 10**6)
            found.append(server.stats()["last"]["head"])
            await kept.close()
            async with aiohttp.ClientSession(headers=headers) as session:
                await session.post(url, data=b'{"messages": [{"content": "A"}]}')
            found.append(server.stats()["last"]["head"])
            return found

        ours, theirs = asyncio.run(heads())
    assert sorted(ours.split("\r\n")) == sorted(theirs.split("\r\n"))


def test_a_proxy_is_asked_for_the_whole_address() -> None:
    """With the name and password that its own address holds; the stand-in for one answers by itself."""
    with ChatServer() as proxy:
        address = proxy.url.replace("//", "//me:secret@")

        async def ask() -> None:
            kept = connections.KeptConnections(
                1, URL("http://models.invalid/v1/chat/completions"), {}, address, 5.0, 10.0
            )
            for _ in range(2):
                reply = await kept.post(b'{"messages": [{"content": "A"}]}', 10**6)
                assert 200 <= reply.status < 300
            await kept.close()

        asyncio.run(ask())
        head = proxy.stats()["last"]["head"]
    assert head.startswith("POST http://models.invalid/v1/chat/completions HTTP/1.1\r\n")
    assert f"Proxy-Authorization: Basic {b64encode(b'me:secret').decode()}" in head.split("\r\n")
    assert "Host: models.invalid" in head.split("\r\n")


def test_a_header_cannot_bring_others() -> None:
    async def ask() -> None:
        with ChatServer() as server:
            kept = connections.KeptConnections(
                1, URL(server.url), {"X-Name": "a\r\nX-Other: b"}, None, 5.0, 10.0
            )
            try:
                await kept.post(b"{}", 10**6)
            finally:
                await kept.close()

    with pytest.raises(ValueError, match="line break"):
        asyncio.run(ask())


def test_a_page_of_a_proxy_on_a_used_connection_is_a_lost_connection() -> None:
    """It crossed the request; on a new connection, the same 400 is the server's word on the request."""
    with (
        UnaskedServer("400 instead", every=3) as server,
        pytest.raises(EndpointFailure, match="connection was lost") as caught,
    ):
        ask_in_turn(server, 20)
    assert caught.value.retryable
    with UnaskedServer("400 instead", every=1) as server, pytest.raises(EndpointFailure) as caught:
        ask_in_turn(server, 20)
    assert not caught.value.retryable
