"""Fixtures of the docs examples."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.chat_server import ChatServer


@pytest.fixture
def docs_server() -> Iterator[str]:
    """The address of a running chat-completions server, a process of its own, whose model always answers with a letter."""
    with ChatServer(mode="letter") as server:
        yield server.url
