"""``teapot/LETTER``: a model that says one letter."""

from __future__ import annotations

from folkways.endpoints.base import Completion, EndpointKind, Request


class Teapot:
    """Says its letter."""

    item_addressed = False
    local = True
    default_concurrency = 4

    def __init__(self, name: str) -> None:
        self.name = self.identity = name

    async def open(self, concurrency: int) -> None:
        """Nothing to get ready."""

    async def close(self) -> None:
        """Nothing to release."""

    async def complete(self, request: Request) -> Completion:
        """Its letter."""
        return Completion(text=self.name.partition("/")[2], finish_reason="stop", model=self.name)


KIND = EndpointKind({"teapot/LETTER": "says one letter"}, lambda name, _options, _need_key: Teapot(name))
