"""``made/NAME``: a model that answers at once, in the process that asks, so that what is measured is
everything but the network."""

from __future__ import annotations

from folkways.endpoints.base import Completion, EndpointKind, EndpointOptions, Request
from tests.support.chat_layouts import WORDS


class MadeEndpoint:
    """Answers with a few words that depend on the request and the name alone; most replies differ, one in
    forty declines."""

    item_addressed = False
    local = True
    default_concurrency = EndpointOptions.DEFAULT_CONCURRENCY

    def __init__(self, name: str) -> None:
        self.name = self.identity = name
        self._turn = sum(name.encode())

    async def open(self, concurrency: int) -> None:
        """Nothing to get ready."""

    async def close(self) -> None:
        """Nothing to release."""

    async def complete(self, request: Request) -> Completion:
        """A word that questions are often answered with, and one of the question's own."""
        number = int(request.key[:12], 16) + self._turn
        own = request.user.split()
        text = (
            f"It is mostly {WORDS[number % len(WORDS)]} or {own[number // 64 % len(own)]}, for "
            f"{number % 9973} of us."
        )
        if number % 40 == 0:
            text = "I'm sorry, but I cannot answer this question."
        return Completion(text=text, finish_reason="stop", model=self.name, input_tokens=60, output_tokens=12)


KIND = EndpointKind({"made/NAME": "a made model"}, lambda name, _options, _need_key: MadeEndpoint(name))
