"""What KeptConnections builds on in aiohttp, and what it does with connections that are in order."""

from __future__ import annotations

import asyncio
import inspect
from base64 import b64encode

import aiohttp
import pytest
from aiohttp.client_proto import ResponseHandler
from aiohttp.connector import Connection
from yarl import URL

from folkways.endpoints.base import EndpointFailure, EndpointOptions
from folkways.endpoints.registry import open_name
from folkways.endpoints.servers import connections
from tests.support.asking import request
from tests.support.chat_server import ChatServer
from tests.support.unasked_server import UnaskedServer


def test_aiohttp_is_as_the_connections_expect() -> None:
    """aiohttp documents these names in part only: where this fails, KeptConnections has to be gone through with the new version."""
    assert list(inspect.signature(aiohttp.BaseConnector.connect).parameters) == ["self", "req", "traces", "timeout"]
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


def ask_in_turn(server: UnaskedServer, count: int) -> list[str]:
    async def run() -> list[str]:
        endpoint = open_name(f"{server.url}/v1#m", EndpointOptions(timeout=10))
        await endpoint.open(1)
        try:
            return [(await endpoint.complete(request(f"Say: {number}", key=str(number)))).text for number in range(count)]
        finally:
            await endpoint.close()

    return asyncio.run(run())


def test_a_connection_in_order_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    with UnaskedServer("idle", every=1000) as server:
        assert ask_in_turn(server, 20) == [str(number) for number in range(20)]
        assert server.connections == 1
        monkeypatch.setattr(connections, "MOST_USES", 5)
        ask_in_turn(server, 20)
        assert server.connections == 1 + 4


def test_what_may_be_wrong_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """The answer to the second request is a copy of the first, and nothing shows it before the true one comes."""
    with UnaskedServer("ahead", every=1) as server, pytest.raises(EndpointFailure, match="nobody asked for") as caught:
        ask_in_turn(server, 20)
    assert caught.value.retryable
    assert caught.value.doubtful == ("1",)


def test_the_head_is_what_aiohttp_sends() -> None:
    """Ours is made once from a request of aiohttp's: it holds what aiohttp would send, and nothing twice."""
    headers = {"Content-Type": "application/json", "Authorization": "Bearer k", "X-Name": "Ünï"}
    with ChatServer() as server:
        url = URL(f"{server.url}/v1/chat/completions?a=b")

        async def heads() -> list[str]:
            found = []
            kept = connections.KeptConnections(1, url, headers, None, 5.0)
            await kept.post(b'{"messages": [{"content": "A"}]}', "k", 10**6)
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
            kept = connections.KeptConnections(1, URL("http://models.invalid/v1/chat/completions"), {}, address, 5.0)
            for number in range(2):
                reply = await kept.post(b'{"messages": [{"content": "A"}]}', str(number), 10**6)
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
            kept = connections.KeptConnections(1, URL(server.url), {"X-Name": "a\r\nX-Other: b"}, None, 5.0)
            try:
                await kept.post(b"{}", "k", 10**6)
            finally:
                await kept.close()

    with pytest.raises(ValueError, match="line break"):
        asyncio.run(ask())


def test_a_page_of_a_proxy_on_a_used_connection_is_a_lost_connection() -> None:
    """It crossed the request; on a new connection, the same 400 is the server's word on the request."""
    with UnaskedServer("400 instead", every=3) as server, pytest.raises(EndpointFailure, match="connection was lost") as caught:
        ask_in_turn(server, 20)
    assert caught.value.retryable
    with UnaskedServer("400 instead", every=1) as server, pytest.raises(EndpointFailure) as caught:
        ask_in_turn(server, 20)
    assert not caught.value.retryable
