"""A real server process for the tests of HTTP endpoints, and one way to ask it in each protocol."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator

import pytest

from folkways.endpoints.base import Completion, EndpointFailure, EndpointOptions, Request
from folkways.endpoints.registry import open_name
from tests.support.chat_server import ChatServer
from tests.support.endpoint_requests import KEY

NAMES = {"openai": "openai/test-model", "anthropic": "anthropic/test-model", "google": "google/test-model"}
KEY_NAMES = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY", "google": "GEMINI_API_KEY"}
BASES = {"openai": "/v1", "anthropic": "", "google": "/v1beta"}

Ask = Callable[..., Completion]


@pytest.fixture(scope="session")
def chat_server() -> Iterator[ChatServer]:
    """A server that speaks all three protocols and wants a key."""
    with ChatServer(mode="letter", require_key=KEY) as server:
        yield server


@pytest.fixture(params=["openai", "anthropic", "google"])
def protocol(request: pytest.FixtureRequest) -> str:
    """Each of the three protocols."""
    return str(request.param)


@pytest.fixture
def ask(chat_server: ChatServer, monkeypatch: pytest.MonkeyPatch) -> Ask:
    """``ask(protocol, Request, option=...)``: open the endpoint, ask once, close."""
    for name in KEY_NAMES.values():
        monkeypatch.setenv(name, KEY)

    def once(protocol: str, asked: Request, **options: object) -> Completion:
        options.setdefault("base_url", chat_server.url + BASES[protocol])
        endpoint = open_name(NAMES[protocol], EndpointOptions(**options))

        async def run() -> Completion:
            await endpoint.open(4)
            try:
                return await endpoint.complete(asked)
            finally:
                await endpoint.close()

        return asyncio.run(run())

    return once


@pytest.fixture
def fail(ask: Ask) -> Callable[..., EndpointFailure]:
    """Like ``ask``, for requests that must fail."""

    def once(protocol: str, asked: Request, **options: object) -> EndpointFailure:
        with pytest.raises(EndpointFailure) as caught:
            ask(protocol, asked, **options)
        return caught.value

    return once
