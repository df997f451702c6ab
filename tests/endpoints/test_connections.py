"""What the pool does with connections that are in order, and with those that are not."""

from __future__ import annotations

import asyncio
from contextlib import suppress

import pytest

from folkways.endpoints.base import Completion, EndpointFailure, EndpointOptions
from folkways.endpoints.registry import open_name
from folkways.endpoints.servers import connections
from folkways.endpoints.servers.connections import Reply
from folkways.endpoints.servers.http import HttpEndpoint
from folkways.endpoints.servers.route import Route
from tests.support.asking import request
from tests.support.chat_server import ChatServer
from tests.support.unasked_server import UnaskedServer


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


@pytest.mark.parametrize(
    ("longest", "seconds", "known"),
    [(2, 0.0, [None, True, True, True, True, None]), (4, 60.0, [None, True, True, None, None, None])],
)
def test_a_connection_rests_now_and_then(
    monkeypatch: pytest.MonkeyPatch, longest: int, seconds: float, known: list[bool | None]
) -> None:
    """After two replies at first, later after ``longest`` and ``seconds``; nobody looks besides."""
    monkeypatch.setattr(connections, "FIRST_STRETCH", 2)
    monkeypatch.setattr(connections, "LONGEST_STRETCH", longest)
    monkeypatch.setattr(connections, "STRETCH_SECONDS", seconds)

    async def ask(server: UnaskedServer) -> list[bool | None]:
        endpoint = open_name(f"{server.url}/v1#m", EndpointOptions(timeout=10))
        await endpoint.open(1)
        said = [await endpoint.complete(request(f"Say: {number}", key=str(number))) for number in range(6)]
        settled = [completion.confirmation and completion.confirmation.clean for completion in said]
        await endpoint.close()
        return settled

    with UnaskedServer("ahead", every=1000, latency=0.002) as server:
        assert asyncio.run(ask(server)) == known
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
            route = Route(f"{server.url}/v1/chat/completions", connect_seconds=5.0)
            kept = connections.ConnectionPool(1, route, {}, 10.0)
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
